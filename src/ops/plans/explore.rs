//! What explorers find out about issues, kept for those who plan and review.

use crate::model::{Code, Depth, Exploration, Explored, IssueId, Op, Other, RemedyCall, RunId};
use crate::ops::issues::existing_outline;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::limits;
use crate::store::layout;

/// An exploration to keep.
#[derive(Debug)]
pub(crate) struct Explore {
    /// The issue.
    pub(crate) issue: IssueId,
    /// How deep the explorer was asked to look.
    pub(crate) depth: Depth,
    /// What it found.
    pub(crate) found: Exploration,
    /// The run in which it was asked.
    pub(crate) run: Option<RunId>,
}

/// Keeps what an explorer found out.
///
/// # Errors
/// `other-issue`, `too-long`, `not-found`.
pub(crate) fn explore(session: &Session, input: Explore) -> Answer<Explored> {
    let permit = session.permit(Op::Explore)?;
    let Explore { issue, depth, mut found, run } = input;
    if found.issue_id != issue {
        return Err(Refusal::new(
            Code::OtherIssue,
            format!("`issue_id` is `{}`, but issue `{issue}` was explored", found.issue_id),
        )
        .hint("name the issue that was asked about")
        .remedy(
            RemedyCall::new(Other::Context, [&issue]).option("for", "explorer"),
            "shows what was asked",
        ));
    }
    // A copy of the issue would stay when the issue changes, or when a text in it is hidden.
    found.issue = None;
    let lists = [&found.dependencies, &found.existing_patterns, &found.related_changes, &found.key_findings];
    for text in lists.into_iter().flatten() {
        limits::text(text)?;
    }
    let committed = session.transact(permit, |tx| {
        existing_outline(tx, &issue)?;
        let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
        let (found, run_id) = (found.clone(), run.clone());
        let kept = tx.append(&layout::explorations(&issue), |id| Explored {
            id,
            depth,
            found,
            author,
            run_id,
            created_at,
        })?;
        tx.describe(format!("issue: explore {issue}"));
        Ok(kept)
    })?;
    Ok(session.done(committed.answer, committed.commit))
}
