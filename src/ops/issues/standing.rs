//! The state of one issue.

use schemars::JsonSchema;
use serde::Serialize;

use super::{IssueView, existing};
use crate::index::Needs;
use crate::model::{IssueStatus, Person};
use crate::ops::{Answer, Session};
use crate::rules::facts;

/// An issue and its current executor.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IssueWithExecutor {
    /// The issue with everything in its directory.
    #[serde(flatten)]
    pub(crate) issue: IssueView,
    /// Who executes it, or did.
    #[serde(skip)]
    pub(crate) actor: Option<Person>,
    /// Who ended the execution, if that was someone else.
    #[serde(skip)]
    pub(crate) ended_by: Option<Person>,
}

/// The state of an issue, given by its id or an unambiguous prefix.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn standing(session: &Session, issue: &str) -> Answer<IssueWithExecutor> {
    let (index, id) = session.ask(Needs::ROWS, |index| index.resolve_issue(issue))?;
    let folder = existing(&index.snapshot()?, &id?)?;
    let shows_work = matches!(
        facts::status(&folder),
        IssueStatus::Executing | IssueStatus::Completed | IssueStatus::Failed
    );
    let holder = if shows_work { facts::holder(&folder) } else { None };
    let standing = IssueWithExecutor {
        issue: IssueView::in_full(session, &folder),
        actor: holder.map(|holder| holder.execution.actor.clone()),
        ended_by: holder.and_then(|holder| holder.ended_by_another()).cloned(),
    };
    Ok(session.done(standing, None))
}
