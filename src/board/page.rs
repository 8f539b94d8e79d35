//! The pages about an issue.

/// What is shown about an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    /// Its fields, comments and attempts, as `git wf show` prints them.
    Issue,
    /// Its bound or latest plan.
    Plan,
    /// The tasks of that plan, and which come before which.
    Tasks,
    /// Its plans, executions, commits and checks.
    Trail,
    /// What its commits changed in the code.
    Diff,
    /// What happened to its records, field by field.
    Log,
}

impl Page {
    /// All pages in order.
    pub(super) const ALL: [Self; 6] =
        [Self::Issue, Self::Plan, Self::Tasks, Self::Trail, Self::Diff, Self::Log];

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Plan => "plan",
            Self::Tasks => "tasks",
            Self::Trail => "trail",
            Self::Diff => "diff",
            Self::Log => "log",
        }
    }

    /// The page by its number, from 1.
    pub(super) fn numbered(digit: char) -> Option<Self> {
        let n = digit.to_digit(10)? as usize;
        Self::ALL.get(n.checked_sub(1)?).copied()
    }

    /// The page after this one, or before it; the last is followed by the first.
    pub(super) fn beside(self, is_next: bool) -> Self {
        let all = Self::ALL.len();
        let at = Self::ALL.iter().position(|page| *page == self).unwrap_or_default();
        Self::ALL[(at + if is_next { 1 } else { all - 1 }) % all]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_numbers_and_go_round() {
        assert_eq!(Page::numbered('3'), Some(Page::Tasks));
        assert_eq!((Page::numbered('0'), Page::numbered('7'), Page::numbered('x')), (None, None, None));
        assert_eq!((Page::Log.beside(true), Page::Issue.beside(false)), (Page::Issue, Page::Log));
    }
}
