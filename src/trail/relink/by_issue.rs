//! Commits whose trailers name an issue but none of its plans, as people type them by hand.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Known, SKEW};
use crate::model::{CommitHash, ExecutionId, IssueId, SolutionId};
use crate::store::{CodeCommit, ReadState, StoreError, layout, records};
use crate::trail::trailers;

/// A commit for an issue that could belong to any of its executions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AmbiguousCommit {
    /// The full object id.
    pub(crate) commit: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The issue that its trailers name.
    pub(crate) issue_id: IssueId,
    /// The executions of the issue that it could belong to; empty if the issue was never executed.
    pub(crate) candidates: Vec<CandidateExecution>,
}

/// An execution that a commit could belong to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CandidateExecution {
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
}

/// The issues that trailers name and that exist here, except issues of which they also name a plan: it is more
/// specific, even if it is not here.
pub(super) fn issues(
    read: &impl ReadState,
    trailers: &[(String, String)],
) -> Result<BTreeSet<IssueId>, StoreError> {
    let values =
        |key: &'static str| trailers.iter().filter(move |found| found.0 == key).map(|(_, value)| value);
    let planned: BTreeSet<IssueId> =
        values(trailers::SOLUTION).filter_map(|id| Some(SolutionId::parse(id).ok()?.issue())).collect();
    let mut found = BTreeSet::new();
    for value in values(trailers::ISSUE) {
        let Ok(id) = IssueId::parse(value) else { continue };
        if !planned.contains(&id) && read.file(&layout::issue(&id))?.is_some() {
            found.insert(id);
        }
    }
    Ok(found)
}

/// The execution that a commit is for: the only one that had begun when it was authored, else that of the bound plan.
/// None if there is neither.
pub(super) fn execution(
    read: &impl ReadState,
    known: &Known,
    issue: &IssueId,
    commit: &CodeCommit,
) -> Result<Option<usize>, StoreError> {
    let possible: Vec<usize> = known
        .of_issue(issue)
        .iter()
        .copied()
        .filter(|n| known.executions[*n].execution.started_at.millis() - SKEW <= commit.authored_at.millis())
        .collect();
    if let [] | [_] = possible[..] {
        return Ok(possible.first().copied());
    }
    let Some(issue) = records::issue(read, issue)? else { return Ok(None) };
    let bound = possible.into_iter().filter(|n| {
        Some(&known.executions[*n].execution.solution_id) == issue.bound().map(|bound| &bound.id)
    });
    Ok(known.at(bound, commit.authored_at))
}

pub(super) fn undecided(known: &Known, issue: &IssueId, commit: &CodeCommit) -> AmbiguousCommit {
    AmbiguousCommit {
        commit: commit.id.into(),
        subject: commit.subject.clone(),
        issue_id: issue.clone(),
        candidates: known
            .of_issue(issue)
            .iter()
            .map(|n| CandidateExecution {
                execution_id: known.executions[*n].execution.id.clone(),
                solution_id: known.executions[*n].execution.solution_id.clone(),
            })
            .collect(),
    }
}
