//! What runs ask people.

use schemars::JsonSchema;
use serde::Serialize;

use super::driver::Driven;
use super::view::all;
use crate::model::{IssueId, IssueStatus, RunId, SolutionId, Time};
use crate::ops::{Refusal, Session};
use crate::rules::run::{question_words, questions};
use crate::rules::{IssueFolder, RunFolder, facts};
use crate::store::{ReadState, records};

/// What a run asks about an issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OpenQuestion {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The question.
    pub(crate) question: String,
    /// The plans to choose from; absent if the answer is `retry`, `skip` or `abort`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) plans: Vec<SolutionId>,
    /// Since when it asks.
    pub(crate) asked_at: Time,
}

/// Whether an issue that had failed goes on in another way: someone retried, claimed or closed it.
pub(crate) fn goes_on(folder: &IssueFolder) -> bool {
    use IssueStatus::{Cancelled, Closed, Executing, Queued};
    matches!(facts::status(folder), Queued | Executing | Closed | Cancelled)
}

/// What a run asks that is at work. A plan that someone chose answers the question which one.
pub(super) fn open_questions(
    read: &impl ReadState,
    found: &RunFolder,
    driven: Driven,
) -> Result<Vec<OpenQuestion>, Refusal> {
    let mut open = Vec::new();
    if !matches!(driven, Driven::Here | Driven::Elsewhere) {
        return Ok(open);
    }
    for (issue, question) in questions(found) {
        if question.answer.is_some() {
            continue;
        }
        let is_settled = match records::outline(read, issue)? {
            Some(folder) if question.asked.plans.is_empty() => goes_on(&folder),
            Some(folder) => folder.issue.record.bound_solution_id.is_some(),
            None => false,
        };
        if !is_settled {
            open.push(OpenQuestion {
                issue_id: issue.clone(),
                question: question_words(question.asked),
                plans: question.asked.plans.clone(),
                asked_at: question.at,
            });
        }
    }
    Ok(open)
}

/// What runs here and in other clones ask now.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn asking(session: &Session) -> Result<Vec<(RunId, OpenQuestion)>, Refusal> {
    let snapshot = session.store().snapshot()?;
    let mut asking = Vec::new();
    for found in all(&snapshot)?.0 {
        let open = open_questions(&snapshot, &found, Driven::find(session.store(), &found))?;
        asking.extend(open.into_iter().map(|question| (found.run.id.clone(), question)));
    }
    Ok(asking)
}
