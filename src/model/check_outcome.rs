//! How a test command ended.

use std::fmt;

use super::{Check, TestCount};

/// How a test command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckOutcome {
    /// It passed.
    Passed,
    /// It ended well, but its runner says that it ran no test: this shows nothing.
    NoTests,
    /// It ended well, but its runner says that this many tests failed.
    FailedTests(u64),
    /// It failed, with this exit code.
    Failed(i32),
    /// A signal or a timeout ended it.
    Stopped,
}

impl CheckOutcome {
    /// The outcome of a command with this exit code, whose runner counted these tests.
    pub(crate) fn new(exit_code: Option<i32>, tests: Option<TestCount>) -> Self {
        match (exit_code, tests) {
            (Some(0), Some(tests)) if tests.run() == 0 => Self::NoTests,
            (Some(0), Some(tests)) if tests.failed > 0 => Self::FailedTests(tests.failed),
            (Some(0), _) => Self::Passed,
            (Some(code), _) => Self::Failed(code),
            (None, _) => Self::Stopped,
        }
    }

    /// Whether it passed.
    pub(crate) fn has_passed(self) -> bool {
        self == Self::Passed
    }

    /// What to do about it; `None` if the output says more than any advice.
    pub(crate) fn advice(self) -> Option<&'static str> {
        match self {
            Self::NoTests => Some("check its filter, and where its runner looks for tests"),
            Self::FailedTests(_) => {
                Some("the command must end with the exit code of its runner: no pipe, no `|| true`")
            }
            Self::Passed | Self::Failed(_) | Self::Stopped => None,
        }
    }
}

impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::NoTests => f.write_str("ran no tests"),
            Self::FailedTests(1) => f.write_str("ended with exit code 0, although 1 test failed"),
            Self::FailedTests(failed) => write!(f, "ended with exit code 0, although {failed} tests failed"),
            Self::Failed(code) => write!(f, "failed with exit code {code}"),
            Self::Stopped => f.write_str("was stopped"),
        }
    }
}

impl Check {
    /// How the command ended.
    pub(crate) fn outcome(&self) -> CheckOutcome {
        CheckOutcome::new(self.exit_code, self.tests)
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
    fn no_tests_and_failed_tests_are_no_pass() {
        let words = |code, tests: Option<(u64, u64, u64)>| {
            let tests = tests.map(|(passed, failed, skipped)| TestCount { passed, failed, skipped });
            CheckOutcome::new(code, tests).to_string()
        };
        assert_eq!(words(Some(0), None), "passed");
        assert_eq!(words(Some(0), Some((3, 0, 1))), "passed");
        assert_eq!(words(Some(0), Some((0, 0, 0))), "ran no tests");
        assert_eq!(words(Some(0), Some((0, 0, 7))), "ran no tests");
        assert_eq!(words(Some(0), Some((2, 1, 0))), "ended with exit code 0, although 1 test failed");
        assert_eq!(words(Some(1), Some((0, 0, 0))), "failed with exit code 1");
        assert_eq!(words(None, None), "was stopped");
    }
}
