//! Reviewing plans.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Judgement, plan_named};
use crate::model::{
    Code, Detail, Feedback, FeedbackDetail, FeedbackType, IssueId, Op, RemedyCall, Review, Solution,
    SolutionId, Stage, Verdict,
};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{IssueFolder, review};
use crate::store::{Tx, layout};

/// The result of a review.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reviewed {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The review as it is stored.
    pub(crate) review: Review,
    /// The combined verdict of all reviews of the current plan.
    pub(crate) standing: Verdict,
    /// The round of this review: one more than the number of rejected earlier versions.
    pub(crate) round: usize,
    /// How many versions were rejected, including this one; from 2 on, an owner decides.
    pub(crate) rejected_rounds: usize,
    /// Notes for the reviewer.
    pub(crate) remarks: Vec<Detail>,
}

/// A review to add.
#[derive(Debug)]
pub(crate) struct ReviewPlan {
    /// The plan: its id, or that of its issue or item.
    pub(crate) solution: String,
    /// The scores, the findings and the verdict.
    pub(crate) judgement: Judgement,
    /// The reason for reviewing one's own plan.
    pub(crate) force: Option<String>,
}

/// Adds a review to a plan.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `other-plan`, `other-issue`, `digest-mismatch`, `no-tasks`, `milder-verdict`; the
/// refusal of someone who may not review the plan.
pub(crate) fn review(session: &Session, input: &ReviewPlan) -> Answer<Reviewed> {
    let ReviewPlan { solution, judgement, force } = input;
    let permit = session.permit(Op::SolutionReview)?;
    let store = session.store();
    let id = plan_named(&store.snapshot()?, solution)?;
    let plan_of = |folder: &IssueFolder| {
        folder.solution(&id).cloned().ok_or_else(|| Refusal::unreadable(&format!("plan `{id}`")))
    };
    let committed = session.transact(permit, |tx| {
        let folder = existing(tx, &id.issue())?;
        review_plan(tx, &folder, &plan_of(&folder)?, judgement, force.as_deref())
    })?;
    let review = committed.answer;
    let folder = existing(&store.snapshot()?, &id.issue())?;
    let standing = review::standing(&plan_of(&folder)?, folder.reviews(&id));
    let mut queued = folder.items.iter().map(|item| &item.item);
    let queued = queued.find(|item| item.solution_id == id && !item.is_removed());
    let remarks = review::remarks(&id.issue(), &review, &standing, queued);
    // Another process may have changed the plan since the commit; then no review applies to it.
    let stands = standing.verdict.unwrap_or(review.verdict);
    let reviewed = Reviewed {
        issue_id: id.issue(),
        solution_id: id,
        review,
        standing: stands,
        round: standing.rejected_rounds + usize::from(stands != Verdict::Rejected),
        rejected_rounds: standing.rejected_rounds,
        remarks,
    };
    Ok(session.done(reviewed, committed.commit))
}

/// Adds the review, and for a rejection also feedback for the next planner. Repeating a review by the same reviewer
/// changes nothing.
fn review_plan(
    tx: &mut Tx<'_>,
    folder: &IssueFolder,
    plan: &Solution,
    input: &Judgement,
    force: Option<&str>,
) -> Result<Review, Refusal> {
    let (id, digest) = (&plan.id, plan.plan_digest());
    input.is_about(plan, &digest)?;
    if force.is_none() {
        review::may_review(plan, tx.person())?;
    }
    let verdict = settled(plan, input)?;
    let me = review::Reviewer::new(tx.person());
    let last = folder
        .reviews(id)
        .iter()
        .rfind(|review| review.plan_digest == digest && review::Reviewer::new(&review.author) == me);
    if let Some(same) = last
        && same.verdict == verdict
        && same.scores == input.scores
        && same.findings == input.findings
    {
        return Ok(same.clone());
    }
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    let made = tx.append(&layout::reviews(id), |entry| Review {
        id: entry,
        verdict,
        scores: input.scores,
        total: input.scores.total(),
        findings: input.findings.clone(),
        plan_digest: digest,
        author: author.clone(),
        created_at,
    })?;
    if verdict == Verdict::Rejected {
        let content = review::rejection_text(id, &made);
        tx.append(&layout::feedback(&id.issue()), |entry| Feedback {
            id: entry,
            kind: FeedbackType::Rejection,
            stage: Stage::Review,
            content,
            detail: FeedbackDetail { solution_id: Some(id.clone()), ..FeedbackDetail::default() },
            author,
            created_at,
        })?;
    }
    tx.note.force = force.map(str::to_owned);
    tx.describe(format!("solution: review {id}: {verdict}, total {}", made.total));
    Ok(made)
}

/// The given verdict, or the one of the total. A reviewer may be harsher than the scores; a milder verdict requires
/// other scores.
fn settled(plan: &Solution, input: &Judgement) -> Result<Verdict, Refusal> {
    let total = input.scores.total();
    let by_total = review::verdict_of(total);
    let is_empty = plan.typed_plan().tasks.is_empty();
    let mildest = if is_empty { Verdict::Rejected } else { by_total };
    match input.verdict {
        Some(given) if given < mildest && is_empty => Err(Refusal::new(
            Code::NoTasks,
            format!("plan `{}` has no tasks, so it cannot be {given}", plan.id),
        )
        .remedy(RemedyCall::new(Op::SolutionReview, [&plan.id]).option("verdict", "rejected"), "rejects it")
        .hint("or leave the verdict out")),
        Some(given) if given < mildest => Err(Refusal::new(
            Code::MilderVerdict,
            format!("`{given}` is milder than the scores: a total of {total} is {by_total}"),
        )
        .hint("correct the scores, or omit the verdict")),
        Some(given) => Ok(given),
        None => Ok(mildest),
    }
}
