//! How many tests a command ran.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count;
use super::text_enum::text_enum;

/// How many tests a command ran, as its runner says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct TestCount {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
    /// Tests that were skipped.
    pub(crate) skipped: u64,
}

impl TestCount {
    /// Tests that ran, whether they passed or not.
    pub(crate) fn run(self) -> u64 {
        self.passed.saturating_add(self.failed)
    }
}

impl fmt::Display for TestCount {
    /// Such as `3 tests, 1 failed, 2 skipped`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&count(usize::try_from(self.run()).unwrap_or(usize::MAX), "test"))?;
        for (number, what) in [(self.failed, "failed"), (self.skipped, "skipped")] {
            if number > 0 {
                write!(f, ", {number} {what}")?;
            }
        }
        Ok(())
    }
}

text_enum!(
    /// How a test ended.
    TestOutcome {
        /// It passed.
        Passed = "passed",
        /// It was skipped.
        Skipped = "skipped",
        /// It failed.
        Failed = "failed",
    }
);

/// A test that a report names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct NamedTest {
    /// Its class and name, cut after 200 characters.
    pub(crate) name: String,
    /// How it ended.
    pub(crate) outcome: TestOutcome,
}

/// The count in words, whether or not there is one.
pub(crate) fn counted(tests: Option<TestCount>) -> String {
    tests.map_or_else(|| "tests not counted".to_owned(), |tests| tests.to_string())
}
