//! The proof that the tests of an execution test its work: they pass as they were before it, and fail without it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CommitHash;
use super::declare::once;
use super::text_enum::text_enum;

text_enum!(
    /// How the commands end with the test files and the configuration of test runners as they were at the base.
    BaseTests {
        /// They pass.
        Passed = "passed",
        /// One fails: the work changed or removed tests, or how they run.
        Failed = "failed",
        /// They pass, except for tests that the plan says it changes.
        ChangedByPlan = "changed-by-plan",
    }
);

text_enum!(
    /// How the commands end without the work: with all files but the tests as they were at the base.
    FailsWithout {
        /// A test fails.
        Assertion = "assertion",
        /// One fails before it tests anything, such as a test that only imports a new name, or no added test compares anything.
        Build = "build",
        /// All pass, also the tests that the work added or changed.
        No = "no",
        /// The work adds and changes no test.
        NoNewTests = "no-new-tests",
        /// The work only changes tests that were there: nothing shows that they still test the code.
        OnlyTests = "only-tests",
        /// Tests are in the files of the code, so they cannot be told from it.
        NotSeparable = "not-separable",
    }
);

/// At most this many files and marks are named.
pub(crate) const MOST_NAMED: usize = 20;

/// How the tests of an execution were tested themselves. All checks of one verification bear the same.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Proof {
    /// The commit with which the tested one was compared; absent if the work began with nothing.
    #[serde(default)]
    pub(crate) base: Option<CommitHash>,
    /// How the commands end with the tests of the base.
    pub(crate) base_tests: BaseTests,
    /// How they end without the work; absent if it only adds tests, or if the tests of the base failed.
    #[serde(default)]
    pub(crate) fails_without: Option<FailsWithout>,
    /// The SHA-256 of the paths that differ from the base and of what they have now, in hex: the same work on top of
    /// another base has the same.
    pub(crate) changes: String,
    /// Test files and configuration of the base that the work changed or removed, at most 20; those that it added, if the
    /// tests of the base fail only without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) changed_tests: Vec<String>,
    /// Lines that behave differently under test, as `FILE:LINE reads NAME`, and tests that a command changed while it ran, at
    /// most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) marks: Vec<String>,
}

impl Proof {
    /// Adds what was seen besides, before the other marks.
    pub(crate) fn note_marks(&mut self, found: impl IntoIterator<Item = String>) {
        let mut marks: Vec<String> = found.into_iter().filter(|mark| !self.marks.contains(mark)).collect();
        marks.append(&mut self.marks);
        marks.truncate(MOST_NAMED);
        self.marks = marks;
    }

    /// Whether it needs nobody's word.
    pub(crate) fn holds(&self) -> bool {
        self.faults().is_empty()
    }

    /// `proved`, or what is not.
    pub(crate) fn words(&self) -> String {
        match &self.faults()[..] {
            [] => "proved".to_owned(),
            faults => format!("not proved: {}", faults.join("; ")),
        }
    }

    /// What it does not show, in words.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut found = self.faults_besides_plan();
        if self.base_tests == BaseTests::ChangedByPlan {
            let files = self.changed_tests.join(", ");
            let words = format!("the plan says that it changes {files}, and nobody else has reviewed it");
            found.insert(0, words);
        }
        found
    }

    /// The faults, without the tests that the plan says it changes.
    pub(crate) fn faults_besides_plan(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.base_tests == BaseTests::Failed {
            let files = self.changed_tests.join(", ");
            found.push(format!("the tests fail as they were before the work, which changed {files}"));
        }
        match self.fails_without {
            None | Some(FailsWithout::Assertion) => {}
            Some(FailsWithout::Build) => {
                let words = "without the work the tests do not run, or compare nothing, so nothing shows that they test it";
                found.push(words.into());
            }
            Some(FailsWithout::No) => found.push("the new tests pass without the work, too".into()),
            Some(FailsWithout::NoNewTests) => {
                found.push("the work adds no test, so no test was seen to fail without it".into());
            }
            Some(FailsWithout::OnlyTests) => {
                let files = self.changed_tests.join(", ");
                found.push(format!(
                    "the work only changes tests ({files}), and nothing shows that they still test the code"
                ));
            }
            Some(FailsWithout::NotSeparable) => {
                found.push("tests were changed in the same files as the code".into());
            }
        }
        found.extend(self.marks.iter().cloned());
        found
    }

    /// A command that shows what the words say; `head` is the tested commit.
    pub(crate) fn look(&self, head: Option<&CommitHash>) -> Option<String> {
        let (base, head) = (self.base.as_ref()?, head?);
        let range = format!("git diff {} {}", base.short(), head.short());
        if self.base_tests != BaseTests::Failed {
            return Some(range);
        }
        let files: Vec<String> =
            self.changed_tests.iter().map(|file| super::shell::word(file).into_owned()).collect();
        Some(format!("{range} -- {}", files.join(" ")))
    }
}

once! {
    /// Someone other than the executor has looked at the work and says that its tests hold, although that is not proved.
    Vouch {
        /// The work: `changes` of the proof.
        decides changes: String,
        /// What shows that they hold.
        text reason: String,
        /// The SSH signature of a verifier, in the namespace `wf-check`.
        fact signature: Option<String> = default,
    }
}
