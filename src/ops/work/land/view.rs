//! What a landing answers.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::target::LandTarget;
use crate::model::text_enum::text_enum;
use crate::model::{Branch, CommitHash, ExecutionId, IssueId, LandHow, SolutionId};

/// What has landed, and what has not.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LandView {
    /// The branch.
    pub(crate) onto: Branch,
    /// The remote to which it was pushed; absent if this clone has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remote: Option<String>,
    /// Whether this only says what would land.
    pub(crate) dry_run: bool,
    /// The issues that landed, in order.
    pub(crate) landed: Vec<LandedIssue>,
    /// The issues that did not.
    pub(crate) not_landed: Vec<NotLanded>,
}

/// An issue that landed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LandedIssue {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The execution that made the work.
    pub(crate) execution_id: ExecutionId,
    /// How it came to the branch.
    pub(crate) how: LandHow,
    /// The commit of the branch before.
    pub(crate) before: CommitHash,
    /// The commit of the branch that has the work.
    pub(crate) after: CommitHash,
    /// The linked commits, as they are on the branch.
    pub(crate) commits: Vec<CommitHash>,
    /// Those of them that the remote does not have, although it accepted the push.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<CommitHash>,
    /// The tests that ran, or would run.
    pub(crate) tests: Vec<String>,
}

text_enum!(
    /// Why work did not land.
    WhyNotLanded {
        /// It conflicts with what is on the branch.
        Conflict = "conflict",
        /// A test failed on the merged tree.
        Tests = "tests",
        /// Its tests are not proved to test it.
        Unproved = "unproved",
        /// It depends on an issue that did not land.
        Dependency = "dependency",
    }
);

#[serde_with::skip_serializing_none]
/// An issue that did not land.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotLanded {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Why.
    pub(crate) why: WhyNotLanded,
    /// The same in words.
    pub(crate) message: String,
    /// The files with conflicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<String>,
    /// The plans whose work it conflicts with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) with: Vec<SolutionId>,
    /// The work tree with the unfinished merge.
    pub(crate) place: Option<PathBuf>,
    /// The end of what the failed test printed.
    pub(crate) output: Option<String>,
}

impl LandView {
    /// Nothing yet.
    pub(super) fn new(target: &LandTarget, dry_run: bool) -> Self {
        Self {
            onto: target.branch.clone(),
            remote: target.remote.clone(),
            dry_run,
            landed: vec![],
            not_landed: vec![],
        }
    }
}
