//! After an end is recorded: publishing it, and claiming the next item if requested.

use schemars::JsonSchema;
use serde::Serialize;

use super::session::of_caller;
use super::{
    Asked, ChangedExecution, ClaimRequest, ClaimView, claim, publish_after, publish_in_batch, through,
    unpublished,
};
use crate::model::{Code, Execution, Remedies};
use crate::ops::issues::existing_outline;
use crate::ops::{Refusal, Session};
use crate::sync;

/// An execution that ended, and the next claim, if one was requested.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Ended {
    /// No next item was requested.
    Alone(Box<ChangedExecution>),
    /// The next item was requested, too.
    AndTaken(Box<EndedAndTaken>),
}

/// An execution that ended, and the next claim.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndedAndTaken {
    /// The execution that ended.
    pub(crate) ended: ChangedExecution,
    /// The claim; null if no item could be taken (stderr says why).
    pub(crate) next: Option<ClaimView>,
    /// Why nothing could be claimed; the end is recorded nevertheless.
    #[serde(skip)]
    pub(crate) refused: Option<Refusal>,
}

impl Ended {
    /// The execution that ended.
    pub(crate) fn attempt(&self) -> &ChangedExecution {
        match self {
            Self::Alone(ended) => ended,
            Self::AndTaken(both) => &both.ended,
        }
    }

    /// The next claim.
    pub(crate) fn taken(&self) -> Option<&ClaimView> {
        match self {
            Self::Alone(_) => None,
            Self::AndTaken(both) => both.next.as_ref(),
        }
    }

    /// Why nothing was claimed although it was requested.
    pub(crate) fn refused(&self) -> Option<&Refusal> {
        match self {
            Self::Alone(_) => None,
            Self::AndTaken(both) => both.refused.as_ref(),
        }
    }
}

/// What happens after an execution has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Then {
    /// The end is published.
    #[default]
    Publish,
    /// The end is published in the same push as a claim of the next item.
    TakeNext,
    /// Nothing; the caller publishes the end.
    Nothing,
}

impl Then {
    /// Publishes the end, with a claim of the next item if requested.
    pub(crate) fn publish(takes_next: bool) -> Self {
        if takes_next { Self::TakeNext } else { Self::Publish }
    }
}

/// Publishes the end of an execution that is recorded here. `commits` is the number of its commits, if
/// counted; `asked` is the result of asking the remote before.
pub(super) fn publish(
    session: &Session,
    ended: &Execution,
    then: Then,
    commits: Option<usize>,
    asked: &Asked,
) -> Result<Ended, Refusal> {
    let store = session.store();
    let recorded = store.snapshot()?.commit();
    let taken = (then == Then::TakeNext).then(|| next(session, ended));
    match (through(store, ended)?, &taken) {
        // The end was pushed together with the claim.
        (Some(remote), Some(_)) if sync::is_published(store, &remote, recorded)? => {}
        // Do not wait for the remote twice.
        (Some(remote), Some(Err(refusal)))
            if matches!(refusal.code, Code::Unreachable | Code::TooManyRequests | Code::NoTurn) =>
        {
            session.notice(unpublished(&remote, &refusal.message, Remedies::none()));
        }
        (_, Some(Ok(_))) => publish_after(session, ended, &Asked::Merged)?,
        (_, Some(Err(_))) => publish_after(session, ended, asked)?,
        (_, None) if then == Then::Nothing => {}
        (_, None) => publish_in_batch(session, ended, asked)?,
    }
    let ended = ChangedExecution { effective_commits: commits, ..ChangedExecution::now(store, &ended.id)? };
    let (next, refused) = match taken {
        None => return Ok(Ended::Alone(Box::new(ended))),
        Some(Ok(claim)) => (Some(claim), None),
        Some(Err(refusal)) => (None, Some(refusal)),
    };
    Ok(Ended::AndTaken(Box::new(EndedAndTaken { ended, next, refused })))
}

/// The next item for this worktree. The agent that calls is still of the model that it named for what ended.
fn next(session: &Session, ended: &Execution) -> Result<ClaimView, Refusal> {
    let model = model(session, ended)?;
    let done = claim(session, &ClaimRequest { model, ..ClaimRequest::default() })?;
    session.notice_all(done.notices);
    Ok(done.view)
}

/// The model that the agent that calls named, when it claimed this execution.
fn model(session: &Session, ended: &Execution) -> Result<Option<String>, Refusal> {
    let Some(agent) = of_caller(session, None)? else { return Ok(None) };
    let folder = existing_outline(&session.store().snapshot()?, &ended.issue_id)?;
    let held = folder.executions.iter().find(|execution| execution.execution.id == ended.id);
    let last = held.and_then(|held| held.sessions().last()).filter(|last| last.is_of(&agent));
    Ok(last.and_then(|last| last.model.clone()))
}
