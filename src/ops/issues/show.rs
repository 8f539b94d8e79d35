//! Showing issues and executions, and resolving ids.

use schemars::JsonSchema;
use serde::Serialize;

use super::{IssueView, Override, existing};
use crate::index::Needs;
use crate::model::id::{ExecutionId, IssueId};
use crate::ops::work::{ExecutionView, executions_within};
use crate::ops::{Answer, Notice, Refusal, Session, unreached_of};
use crate::store::Snapshot;
use crate::store::resolve::{self, Known};

/// Resolves an id, and returns the state in which it was found. An exact id is looked up in the tree.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn named<'a>(session: &'a Session, text: &str) -> Result<(Snapshot<'a>, Known), Refusal> {
    let snapshot = session.store().snapshot()?;
    if let Some(known) = resolve::exact(&snapshot, text)? {
        return Ok((snapshot, known));
    }
    let (index, known) = session.ask(Needs::ROWS, |index| index.resolve(text))?;
    Ok((index.snapshot()?, known?))
}

/// Shows an issue with everything in its directory, as of `snapshot`, and the gates that were overridden for it; the
/// source's record only if `imported` asks for it. Unreadable files are reported as notices.
///
/// # Errors
/// `not-found`.
pub(crate) fn show(
    session: &Session,
    snapshot: &Snapshot<'_>,
    id: &IssueId,
    imported: bool,
) -> Answer<IssueView> {
    let folder = existing(snapshot, id)?;
    session.notice_all(folder.broken.iter().map(|(path, why)| Notice::warning(format!("`{path}`: {why}"))));
    let overrides = overrides(session, id);
    let view = IssueView::in_full(session, &folder, overrides);
    Ok(session.done(if imported { view.with_imported(&folder) } else { view }, None))
}

/// The gates that were overridden for an issue. If the log cannot be read, the rest is still shown.
pub(super) fn overrides(session: &Session, id: &IssueId) -> Vec<Override> {
    match session.ask(Needs::LOG, |index| Override::about(index, id)) {
        Ok((_, overrides)) => overrides,
        Err(refusal) => {
            let message = format!("the log cannot be read, so overrides are not shown: {}", refusal.message);
            session.notice(Notice::warning(message));
            vec![]
        }
    }
}

/// An execution with the title of its issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownExecution {
    /// The execution.
    #[serde(flatten)]
    pub(crate) execution: ExecutionView,
    /// The title of its issue.
    #[serde(skip)]
    pub(crate) title: String,
}

/// Shows an execution, as of `snapshot`.
///
/// # Errors
/// `not-found`, `broken-record`.
pub(crate) fn show_execution(
    session: &Session,
    snapshot: &Snapshot<'_>,
    id: &ExecutionId,
) -> Answer<ShownExecution> {
    let folder = existing(snapshot, &id.issue())?;
    let mut all = executions_within(&folder, &unreached_of(session, folder.executions.iter())).into_iter();
    let execution = all
        .find(|it| it.execution.id == *id)
        .ok_or_else(|| Refusal::unreadable(&format!("execution `{id}`")))?;
    Ok(session.done(ShownExecution { execution, title: folder.issue.record.title }, None))
}
