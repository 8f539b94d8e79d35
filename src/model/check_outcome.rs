//! How a test command ended.

use std::fmt;

use super::execution::Check;

/// How a test command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckOutcome {
    /// It passed.
    Passed,
    /// It ended well, but its runner says that it ran no test: this shows nothing.
    NoTests,
    /// It failed, with this exit code.
    Failed(i32),
    /// A signal or a timeout ended it.
    Stopped,
}

impl CheckOutcome {
    /// The outcome of a command with this exit code, of which the runner counted so many tests.
    pub(crate) fn new(exit_code: Option<i32>, tests_run: Option<u64>) -> Self {
        match (exit_code, tests_run) {
            (Some(0), Some(0)) => Self::NoTests,
            (Some(0), _) => Self::Passed,
            (Some(code), _) => Self::Failed(code),
            (None, _) => Self::Stopped,
        }
    }

    /// Whether it passed.
    pub(crate) fn has_passed(self) -> bool {
        self == Self::Passed
    }
}

impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::NoTests => f.write_str("ran no tests"),
            Self::Failed(code) => write!(f, "failed with exit code {code}"),
            Self::Stopped => f.write_str("was stopped"),
        }
    }
}

impl Check {
    /// How the command ended.
    pub(crate) fn outcome(&self) -> CheckOutcome {
        CheckOutcome::new(self.exit_code, self.tests_run)
    }

    /// Whether it passed.
    pub(crate) fn has_passed(&self) -> bool {
        self.outcome().has_passed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tests_are_no_pass() {
        let words = |code, run| CheckOutcome::new(code, run).to_string();
        assert_eq!(words(Some(0), None), "passed");
        assert_eq!(words(Some(0), Some(3)), "passed");
        assert_eq!(words(Some(0), Some(0)), "ran no tests");
        assert_eq!(words(Some(1), Some(0)), "failed with exit code 1");
        assert_eq!(words(None, None), "was stopped");
    }
}
