//! What an agent is told in a session in which it was asked before: only what is new.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::request::RequestKind;
use crate::model::{json_text, text_enum};
use crate::rules::Role;

text_enum!(
    /// Why an agent is asked again in the same session.
    FollowUpReason {
        /// Its answer cannot be used.
        InvalidAnswer = "invalid-answer",
        /// A test of the plan failed on what it committed.
        FailedTest = "failed-test",
        /// Its plan was rejected in review.
        RejectedReview = "rejected-review",
        /// Its work conflicts with that of others.
        Conflict = "conflict",
        /// It was interrupted before it answered.
        Interrupted = "interrupted",
    }
);

/// A request in a session that the agent knows. The answer has the form of the last request with `answer_schema`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct FollowUp {
    /// The kind of request.
    pub(crate) kind: RequestKind,
    /// The role in which the agent acts.
    pub(crate) role: Role,
    /// Why it is asked again.
    pub(crate) reason: FollowUpReason,
    /// What to do, in words.
    pub(crate) instructions: String,
    /// What was wrong, or what is new.
    pub(crate) faults: Vec<String>,
    /// What is new in the input; left out if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<Value>,
}

impl FollowUp {
    /// One without new input.
    pub(crate) fn new(kind: RequestKind, role: Role, reason: FollowUpReason, faults: Vec<String>) -> Self {
        let instructions = format!("{} {FORM}", task(reason));
        Self { kind, role, reason, instructions, faults, input: None }
    }

    /// The text that the agent gets.
    pub(super) fn text(&self) -> serde_json::Result<String> {
        json_text::pretty(self).map(|text| text + "\n")
    }
}

const FORM: &str =
    "Then end your output with exactly one JSON object, as the first request in this session says.";

fn task(reason: FollowUpReason) -> &'static str {
    match reason {
        FollowUpReason::InvalidAnswer => "Your last answer cannot be used: correct the `faults`.",
        FollowUpReason::FailedTest => {
            "The tests of the plan failed on what you committed, as `faults` says. Correct the work in the current \
             directory, test it, and commit it. Do not change the tests to hide the fault."
        }
        FollowUpReason::RejectedReview => {
            "Your plan was rejected in review, as `faults` says. Make a better one. Change nothing else."
        }
        FollowUpReason::Conflict => {
            "Your work conflicts with that of the plans in `input.conflict.with`. In the current directory, their merge \
             is unfinished: `git status` shows the files, and `input.conflict.hunks` what conflicts. Edit the files so \
             that both plans hold, test that, `git add` them, and commit the merge. Change nothing else, do not abort the \
             merge, and do not push. If both plans cannot hold, answer with the status `failed` and say why."
        }
        FollowUpReason::Interrupted => {
            "Your last turn ended before you answered. What you had committed is still there; what you had not may be gone \
             from the current directory, and `faults` says if it was kept. See what is there, and go on."
        }
    }
}
