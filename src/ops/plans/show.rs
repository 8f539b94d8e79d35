//! Reading plans.

use super::SolutionView;
use crate::model::SolutionId;
use crate::ops::issues::{self, existing};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::IssueFolder;
use crate::store::{ReadState, resolve};

/// Lists the plans of one issue, given by its id or an unambiguous prefix, or of all issues. Skips unreadable issues.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn list(session: &Session, issue: Option<&str>) -> Answer<Vec<SolutionView>> {
    let snapshot = session.store().snapshot()?;
    let folders = match issue {
        Some(text) => vec![existing(&snapshot, &resolve::issue(&snapshot, text)?)?],
        None => issues::all(&snapshot)?.0,
    };
    Ok(session.done(folders.iter().flat_map(SolutionView::all).collect(), None))
}

/// A plan in a given state.
///
/// # Errors
/// `not-found`, `broken-record`.
pub(crate) fn view(read: &impl ReadState, id: &SolutionId) -> Result<SolutionView, Refusal> {
    view_in(&existing(read, &id.issue())?, id)
}

/// A plan of this issue.
///
/// # Errors
/// `broken-record`.
pub(crate) fn view_in(folder: &IssueFolder, id: &SolutionId) -> Result<SolutionView, Refusal> {
    let solution = folder.solution(id).ok_or_else(|| Refusal::unreadable(&format!("plan `{id}`")))?;
    Ok(SolutionView::new(folder, solution))
}
