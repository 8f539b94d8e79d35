//! The pages about an open issue.

/// A page about an open issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IssuePage {
    /// Its fields, comments and attempts, as `git wf show` prints them.
    Issue,
    /// Its bound or latest plan.
    Plan,
    /// The dependency graph of that plan's tasks.
    Tasks,
    /// Its plans, executions, commits and checks.
    Trail,
    /// The patches of its commits.
    Diff,
    /// The changes of its records, field by field.
    Log,
}

impl IssuePage {
    /// All pages, in the order of their numbers.
    pub(super) const ALL: [Self; 6] =
        [Self::Issue, Self::Plan, Self::Tasks, Self::Trail, Self::Diff, Self::Log];

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

    /// The page with this number, from 1.
    pub(super) fn numbered(digit: char) -> Option<Self> {
        let n = digit.to_digit(10)? as usize;
        Self::ALL.get(n.checked_sub(1)?).copied()
    }

    /// The next or the previous page; wraps around.
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
        assert_eq!(IssuePage::numbered('3'), Some(IssuePage::Tasks));
        assert_eq!(
            (IssuePage::numbered('0'), IssuePage::numbered('7'), IssuePage::numbered('x')),
            (None, None, None)
        );
        assert_eq!(
            (IssuePage::Log.beside(true), IssuePage::Issue.beside(false)),
            (IssuePage::Issue, IssuePage::Log)
        );
    }
}
