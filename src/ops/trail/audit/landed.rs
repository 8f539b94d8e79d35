//! Completed work that is not where it should be.

use crate::index::Index;
use crate::model::{CommitHash, ExecutionStatus, Policy};
use crate::ops::Refusal;
use crate::rules::{AuditFinding, ExecutionFolder, LandedState, facts};
use crate::store::{Store, records};
use crate::trail::reach::Unreached;
use crate::trail::{landed, restored};

/// Completed work that is on no branch, or not on the target branch.
pub(super) fn findings(
    store: &Store,
    index: &Index<'_>,
    policy: &Policy,
) -> Result<Vec<AuditFinding>, Refusal> {
    if landed::refresh(store, index)?.is_none() {
        return on_no_branch(store, index);
    }
    let snapshot = index.snapshot()?;
    let mut found = Vec::new();
    for row in index.not_landed()? {
        let Some(folder) = records::issue(&snapshot, &row.id)? else { continue };
        let Some(execution) = facts::holder(&folder) else { continue };
        let landed = row.proof.landed;
        match landed.state {
            LandedState::Landed | LandedState::Unknown => {}
            LandedState::Unlanded => found.push(AuditFinding::not_landed(execution, &landed, policy)),
            LandedState::OnNoBranch => {
                let (here, gone): (Vec<CommitHash>, Vec<CommitHash>) =
                    landed.on_no_branch.into_iter().partition(|hash| store.commit_here(hash).is_some());
                if !here.is_empty() {
                    found.push(AuditFinding::adrift(execution, &here));
                }
                if !gone.is_empty() {
                    found.push(AuditFinding::gone(execution, &gone));
                }
            }
        }
    }
    Ok(found)
}

/// The completed executions none of whose commits is on a branch, for a store without a target branch.
fn on_no_branch(store: &Store, index: &Index<'_>) -> Result<Vec<AuditFinding>, Refusal> {
    let snapshot = index.snapshot()?;
    let mut completed = Vec::new();
    for id in index.executed()? {
        let executions = records::executions(&snapshot, &id)?;
        completed.extend(
            executions.into_iter().filter(|execution| execution.outcome() == ExecutionStatus::Completed),
        );
    }
    let unreached = Unreached::among(store, completed.iter().flat_map(ExecutionFolder::known_commits))?;
    let mut found = Vec::new();
    for execution in &completed {
        let commits: Vec<CommitHash> =
            execution.commits().into_iter().map(|commit| commit.link.hash).collect();
        let is_adrift = commits.iter().all(|commit| unreached.is_adrift(commit));
        if !commits.is_empty() && is_adrift && restored::rewrites(execution, &unreached).is_empty() {
            found.push(AuditFinding::adrift(execution, &commits));
        }
    }
    Ok(found)
}
