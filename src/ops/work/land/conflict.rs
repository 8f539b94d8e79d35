//! Conflicts: with whose work, and the feedback that the next attempt gets.

use super::carried::plans_of;
use super::chosen::ChosenIssue;
use super::step::{ConflictReason, ConflictedIssue};
use crate::git::Revisions;
use crate::model::issue::CONFLICT;
use crate::model::{Feedback, FeedbackDetail, FeedbackType, SolutionId, Stage};
use crate::ops::issues::existing;
use crate::ops::{Permit, Refusal, Session};
use crate::store::{ObjectId, Store, StoreError, layout, records};
use crate::trail::sources::Sources;

/// How many commits of the branch are looked at.
const MOST_RIVALS: usize = 50;

/// The plans whose commits changed these files on the branch since the work began, newest first.
pub(super) fn rivals(
    store: &Store,
    tip: ObjectId,
    issue: &ChosenIssue,
    files: &[String],
) -> Result<Vec<SolutionId>, Refusal> {
    let wanted = issue.heads.iter().fold(Revisions::of(tip), Revisions::without);
    let commits = store.git().revisions(wanted.no_merges().touching(files).at_most(MOST_RIVALS));
    let snapshot = store.snapshot()?;
    let sources = Sources::new(store, &snapshot);
    let mut found: Vec<SolutionId> = Vec::new();
    for id in commits.map_err(StoreError::Git)? {
        let Some(commit) = store.sound_commit(id)? else { continue };
        let plans = plans_of(&snapshot, &sources, &commit)?;
        for plan in plans.into_iter().filter(|plan| *plan != issue.solution) {
            if !found.contains(&plan) {
                found.push(plan);
            }
        }
    }
    Ok(found)
}

/// Adds feedback about a conflict to the issue, with both plans and what conflicts. The same feedback is not added twice in a
/// row.
pub(super) fn give_feedback(
    session: &Session,
    permit: Permit,
    issue: &ChosenIssue,
    conflict: &ConflictedIssue,
) -> Result<(), Refusal> {
    let ConflictReason::Conflict(what) = &conflict.why else { return Ok(()) };
    let snapshot = session.store().snapshot()?;
    let mut content = format!("{}\n", what.words());
    for plan in std::iter::once(&issue.solution).chain(&what.with) {
        let description = records::solution(&snapshot, plan)?.and_then(|it| it.typed_plan().description);
        content.push_str(&format!("\n{plan}: {}\n", description.as_deref().unwrap_or("(no description)")));
    }
    for message in &what.conflict.messages {
        content.push_str(&format!("\n{message}"));
    }
    content.push_str(&format!("\n\n{}", what.hunks));
    let content = content.trim_end().to_owned();
    let folder = existing(&snapshot, &issue.issue)?;
    if folder.feedback.last().is_some_and(|last| last.content == content) {
        return Ok(());
    }
    let detail = FeedbackDetail {
        solution_id: Some(issue.solution.clone()),
        error_type: Some(CONFLICT.into()),
        message: Some(what.words()),
        ..FeedbackDetail::default()
    };
    session.transact(permit, |tx| {
        let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
        let (content, detail) = (content.clone(), detail.clone());
        tx.append(&layout::feedback(&issue.issue), |id| Feedback {
            id,
            kind: FeedbackType::Failure,
            stage: Stage::Execute,
            content,
            detail,
            author,
            created_at,
        })?;
        tx.describe(format!("land: {CONFLICT} of {}", issue.issue));
        Ok(())
    })?;
    Ok(())
}
