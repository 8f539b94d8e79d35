//! What a person says about the landing of work, since git does not show it.

use schemars::JsonSchema;
use serde::Serialize;

use super::chosen::named_issue;
use super::target::LandTarget;
use crate::model::{
    Branch, Code, CommitHash, Event, ExecutionId, ExecutionStatus, IssueId, Land, LandHow, Op,
};
use crate::ops::issues::existing;
use crate::ops::work::publish_store;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{ExecutionFolder, IssueFolder, facts};
use crate::store::StoreError;

/// What a person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LandStatement {
    /// This commit of the target has the work.
    As(String),
    /// Nothing of it needs to land.
    Nothing,
}

/// A statement about the landing of an issue.
#[derive(Debug)]
pub(crate) struct StateLanded {
    /// The issue, or its plan, execution or item.
    pub(crate) issue: String,
    /// What.
    pub(crate) statement: LandStatement,
    /// The branch; by default the target of this repository.
    pub(crate) onto: Option<String>,
    /// Why.
    pub(crate) reason: Option<String>,
}

#[serde_with::skip_serializing_none]
/// What was recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LandingStated {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The execution that completed it.
    pub(crate) execution_id: ExecutionId,
    /// How: `as` a commit, or `none`.
    pub(crate) how: LandHow,
    /// The branch that has the work; absent if nothing needs to land.
    pub(crate) onto: Option<Branch>,
    /// The commit that has it.
    pub(crate) after: Option<CommitHash>,
    /// Why.
    pub(crate) reason: Option<String>,
}

/// Records what a person says about the landing of a completed issue.
///
/// # Errors
/// `not-found` and the like; `not-completed`; `not-linked` if the commit is not on the branch; usage if nothing is to land and
/// nobody says why.
pub(crate) fn state_landed(session: &Session, input: &StateLanded) -> Answer<LandingStated> {
    let permit = session.permit(Op::Land)?;
    let store = session.store();
    let snapshot = store.snapshot()?;
    let id = named_issue(store, &snapshot, &input.issue)?;
    let folder = existing(&snapshot, &id)?;
    let execution = completed(&folder)?;
    let commits: Vec<CommitHash> = execution.work().iter().map(|it| it.link.hash.clone()).collect();
    let land = match &input.statement {
        LandStatement::As(text) => landed_as(session, input, text, commits)?,
        LandStatement::Nothing => {
            if input.reason.is_none() {
                return Err(
                    Refusal::usage("nothing says why nothing of it needs to land").hint("add `-m WHY`")
                );
            }
            Land {
                onto: None,
                before: None,
                after: None,
                how: LandHow::None,
                tree: None,
                commits,
                url: None,
                reason: input.reason.clone(),
            }
        }
    };
    let execution_id = execution.execution.id.clone();
    let committed = session.transact(permit, |tx| {
        tx.log(&execution_id, Event::Land(land.clone()))?;
        tx.describe(match (&land.after, &land.reason) {
            (Some(after), _) => format!("land: {id} as {}", after.short()),
            (None, reason) => format!("land: nothing of {id} ({})", reason.as_deref().unwrap_or_default()),
        });
        Ok(())
    })?;
    publish_store(session)?;
    let Land { onto, after, how, reason, .. } = land;
    Ok(session.done(LandingStated { issue_id: id, execution_id, how, onto, after, reason }, committed.commit))
}

/// The statement that a commit of the target has the work.
fn landed_as(
    session: &Session,
    input: &StateLanded,
    text: &str,
    commits: Vec<CommitHash>,
) -> Result<Land, Refusal> {
    let store = session.store();
    let target = LandTarget::find(session, input.onto.as_deref())?;
    let tips = target.look(session)?;
    let named = store.git().commit_named(text).map_err(StoreError::Git)?;
    let log = format!("git log {}", target.branch.operand());
    let Some(named) = named else {
        let message = format!("`{text}` names no commit of this clone");
        return Err(Refusal::new(Code::NotFound, message).command(log, "lists those of the branch"));
    };
    if !store.is_ancestor(named, tips.tip)? {
        let (commit, short) = (CommitHash::from(named), target.branch.short());
        let message = format!("commit {} is not on `{short}`", commit.short());
        return Err(Refusal::new(Code::NotLinked, message)
            .command(log, "lists those that are; or name another branch"));
    }
    Ok(Land {
        onto: Some(target.branch),
        before: None,
        after: Some(named.into()),
        how: LandHow::As,
        tree: Some(store.code_tree_of(named)?.into()),
        commits,
        url: None,
        reason: input.reason.clone(),
    })
}

/// The execution that completed an issue.
fn completed(folder: &IssueFolder) -> Result<&ExecutionFolder, Refusal> {
    let holder = facts::holder(folder).filter(|it| it.outcome() == ExecutionStatus::Completed);
    holder.ok_or_else(|| super::chosen::not_completed(folder))
}
