//! The combined verdict of a plan's reviews, and whether it may be queued. The rules:
//!
//! - A review applies to the plan with the digest that it names. Reviews of any other digest count only towards the
//!   rounds.
//! - The latest review of each reviewer counts, so that reviewers can change their minds. The harshest verdict of
//!   several reviewers counts, so that nobody can outvote a rejection.
//! - A review's verdict is its own or the one of its scores, whichever is harsher.
//! - A rejected round is a digest that its reviews reject. After [`MOST_ROUNDS`] of them an owner decides.
//! - A plan without tasks cannot be queued, whatever its reviews say.

use std::collections::{BTreeMap, BTreeSet};

use super::{Gate, IssueFolder};
use crate::model::{
    Code, Detail, Execution, Explain, IssueId, Item, Op, Other, Person, PlanDigest, Policy, Remedies,
    RemedyCall, Review, Score, Solution, SolutionId, Verdict,
};

/// After this many rejected rounds, a person decides.
pub(crate) const MOST_ROUNDS: usize = 2;
/// From this total on a plan is approved.
const APPROVED: f64 = 80.0;
/// From this total on, it may be executed despite concerns.
const CONCERNS: f64 = 60.0;

/// The verdict of a total.
pub(crate) fn verdict_of(total: Score) -> Verdict {
    if total.get() >= APPROVED {
        Verdict::Approved
    } else if total.get() >= CONCERNS {
        Verdict::Concerns
    } else {
        Verdict::Rejected
    }
}

/// The effective verdict of a review, which is never milder than its scores allow.
pub(crate) fn verdict(review: &Review) -> Verdict {
    review.verdict.max(verdict_of(review.scores.total()))
}

/// The identity of a reviewer: the name that an agent gave itself, else the e-mail address, else the whole text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reviewer {
    /// `WF_ACTOR`.
    Actor(String),
    /// The address of a git identity, in lower case.
    Email(String),
}

impl Reviewer {
    /// Reads `Name <email>`, followed by `(actor)` for an agent.
    pub(crate) fn new(person: &Person) -> Self {
        let Some((_, rest)) = person.split_once('<') else {
            return Self::Email(person.trim().to_lowercase());
        };
        let (email, behind) = rest.split_once('>').unwrap_or((rest, ""));
        match behind.trim().strip_prefix('(').and_then(|actor| actor.strip_suffix(')')) {
            Some(actor) => Self::Actor(actor.to_owned()),
            None => Self::Email(email.trim().to_lowercase()),
        }
    }
}

/// Whether someone may vouch for work: another person, or the person for whom an agent did it. A name that the executor gives
/// to another agent of theirs does not make it another person.
pub(crate) fn is_someone_else(person: &Person, executor: &Person) -> bool {
    let is_same_person = address(person) == address(executor);
    Reviewer::new(person) != Reviewer::new(executor)
        && (!is_same_person || matches!(Reviewer::new(person), Reviewer::Email(_)))
}

/// The address of a git identity, in lower case, or else the whole text.
fn address(person: &Person) -> String {
    let address = person.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    address.map_or(person.trim(), |(email, _)| email.trim()).to_lowercase()
}

/// Whether someone other than the plan's author and its executor has reviewed the executed version, and did not reject it.
pub(crate) fn is_passed_by_another(folder: &IssueFolder, claim: &Execution) -> bool {
    let author = folder.solution(&claim.solution_id).map(|plan| Reviewer::new(&plan.author));
    let executor = Reviewer::new(&claim.actor);
    folder.reviews(&claim.solution_id).iter().any(|review| {
        let reviewer = Reviewer::new(&review.author);
        review.plan_digest == claim.plan_digest
            && verdict(review) != Verdict::Rejected
            && reviewer != executor
            && author.as_ref() != Some(&reviewer)
    })
}

/// The combined result of a plan's reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct CombinedReview {
    /// The verdict on the current plan; `None` if nobody reviewed it.
    pub(crate) verdict: Option<Verdict>,
    /// The number of rejected digests, including the current one.
    pub(crate) rejected_rounds: usize,
    /// Whether there are reviews, but all of them are of earlier versions.
    pub(crate) is_stale: bool,
    /// Whether the plan has no tasks.
    pub(crate) is_empty: bool,
}

impl CombinedReview {
    /// The word for it; `none` if nobody reviewed the current plan.
    pub(crate) fn word(&self) -> &'static str {
        self.verdict.map_or("none", Verdict::as_str)
    }
}

/// Folds the reviews of a plan, which are in the order of their entries.
pub(crate) fn standing(plan: &Solution, reviews: &[Review]) -> CombinedReview {
    let is_empty = plan.typed_plan().tasks.is_empty();
    if reviews.is_empty() {
        // The digest of the plan is not needed, and takes long to compute.
        return CombinedReview { verdict: None, rejected_rounds: 0, is_stale: false, is_empty };
    }
    standing_of(&plan.plan_digest(), is_empty, reviews)
}

/// The result for a plan with this digest; `is_empty` if it has no tasks.
pub(crate) fn standing_of(digest: &PlanDigest, is_empty: bool, reviews: &[Review]) -> CombinedReview {
    let mut latest: BTreeMap<&PlanDigest, BTreeMap<Reviewer, Verdict>> = BTreeMap::new();
    for review in reviews {
        latest.entry(&review.plan_digest).or_default().insert(Reviewer::new(&review.author), verdict(review));
    }
    let now = latest.get(digest).and_then(|round| round.values().copied().max());
    let rejected: BTreeSet<&PlanDigest> = latest
        .iter()
        .filter(|(_, round)| round.values().copied().max() == Some(Verdict::Rejected))
        .map(|(digest, _)| *digest)
        .collect();
    CombinedReview {
        verdict: now,
        rejected_rounds: rejected.len(),
        is_stale: now.is_none() && !latest.is_empty(),
        is_empty,
    }
}

/// Why a plan may not be queued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotQueueable {
    /// It has no tasks.
    #[error("plan `{0}` has no tasks, so there is nothing to queue")]
    Empty(SolutionId),
    /// It was rejected too often.
    #[error("plan `{solution}` was rejected in {rounds} rounds of review, so an owner must decide")]
    OwnerDecides {
        /// The plan.
        solution: SolutionId,
        /// Rejected rounds.
        rounds: usize,
    },
    /// The current version is rejected.
    #[error("plan `{0}` was rejected in review")]
    Rejected(SolutionId),
    /// The policy requires a review, and the current version has none.
    #[error(
        "plan `{solution}` {}, and the policy requires a review",
        if *.is_stale { "changed since it was reviewed" } else { "was not reviewed" }
    )]
    Unreviewed {
        /// The plan.
        solution: SolutionId,
        /// Whether an earlier version was reviewed.
        is_stale: bool,
    },
    /// The reviewer is the planner.
    #[error("`{person}` is the author of plan `{solution}`, and authors cannot review their own plans")]
    OwnPlan {
        /// The plan.
        solution: SolutionId,
        /// The reviewer, who is its author.
        person: Person,
    },
}

fn another_plan(id: &SolutionId) -> Remedies {
    Remedies::call(
        RemedyCall::new(Op::SolutionAdd, [id.issue().to_string(), "FILE".into()]),
        "adds another plan",
    )
}

impl Explain for NotQueueable {
    fn code(&self) -> Code {
        match self {
            Self::Empty(_) => Code::NoTasks,
            Self::OwnerDecides { .. } => Code::OwnerDecides,
            Self::Rejected(_) => Code::ReviewRejected,
            Self::Unreviewed { .. } => Code::ReviewRequired,
            Self::OwnPlan { .. } => Code::OwnPlan,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Empty(id) => another_plan(id),
            Self::OwnerDecides { solution, .. } => {
                another_plan(solution).and("ask an owner (who has no WF_ROLE) whether to go on")
            }
            Self::Rejected(id) => {
                Remedies::call(RemedyCall::new(Other::SolutionShow, [id]), "shows the findings")
                    .or_call(
                        RemedyCall::new(Op::TaskEdit, [id.to_string(), "TASK".into()]),
                        "changes the plan",
                    )
                    .and("have the new plan reviewed")
            }
            Self::Unreviewed { solution, .. } => Remedies::call(
                RemedyCall::new(Op::SolutionReview, [solution]),
                "records the review of someone other than its author",
            ),
            Self::OwnPlan { .. } => "someone else, or an agent with another name, must review it".into(),
        }
    }
}

impl NotQueueable {
    /// Whether `--force --reason` is enough. `role` is that of the user; none for an owner.
    pub(crate) fn is_overridable_by(&self, role: Option<&str>) -> bool {
        match self {
            Self::Empty(_) => false,
            Self::OwnerDecides { .. } => role.is_none_or(|role| role == "owner"),
            Self::Rejected(_) | Self::Unreviewed { .. } | Self::OwnPlan { .. } => true,
        }
    }
}

/// Whether this person may review the plan.
pub(crate) fn may_review(plan: &Solution, person: &Person) -> Result<(), NotQueueable> {
    if Reviewer::new(person) != Reviewer::new(&plan.author) {
        return Ok(());
    }
    Err(NotQueueable::OwnPlan { solution: plan.id.clone(), person: person.to_owned() })
}

/// A plan with tasks that nobody reviewed.
#[cfg(test)]
pub(crate) const UNREVIEWED: CombinedReview =
    CombinedReview { verdict: None, rejected_rounds: 0, is_stale: false, is_empty: false };

/// Whether the plan may be queued. A rejection counts whatever the policy says; with `review=required`, the current
/// version must have passed.
pub(crate) fn may_queue(
    policy: &Policy,
    id: &SolutionId,
    standing: &CombinedReview,
) -> Result<(), NotQueueable> {
    if standing.is_empty {
        return Err(NotQueueable::Empty(id.clone()));
    }
    if standing.rejected_rounds >= MOST_ROUNDS {
        return Err(NotQueueable::OwnerDecides { solution: id.clone(), rounds: standing.rejected_rounds });
    }
    match standing.verdict {
        Some(Verdict::Rejected) => Err(NotQueueable::Rejected(id.clone())),
        Some(Verdict::Approved | Verdict::Concerns) => Ok(()),
        None if Gate::Review.is_required(policy) => {
            Err(NotQueueable::Unreviewed { solution: id.clone(), is_stale: standing.is_stale })
        }
        None => Ok(()),
    }
}

/// Whether a waiting item may be handed out: the answer of [`may_queue`] for its plan now, unless someone queued this
/// version with an override. A plan without tasks is never handed out.
pub(crate) fn may_hand_out(
    policy: &Policy,
    item: &Item,
    digest: &PlanDigest,
    standing: &CombinedReview,
) -> Result<(), NotQueueable> {
    match may_queue(policy, &item.solution_id, standing) {
        Err(refusal) if refusal.is_overridable_by(None) && item.forced.as_ref() == Some(digest) => Ok(()),
        said => said,
    }
}

/// What the planner of this issue should read first: the rejections, in the reviewers' words.
pub(crate) fn rejection_text(id: &SolutionId, review: &Review) -> String {
    if review.findings.is_empty() {
        return format!("`{id}` was rejected with a total of {}", review.total);
    }
    review.findings.join("\n")
}

/// What the reviewer of a plan of `issue` should know besides the verdict. A review changes no queue.
pub(crate) fn remarks(
    issue: &IssueId,
    review: &Review,
    standing: &CombinedReview,
    queued: Option<&Item>,
) -> Vec<Detail> {
    let mut remarks: Vec<Detail> = Vec::new();
    let by_total = verdict_of(review.total);
    if standing.is_empty {
        remarks.push("the plan has no tasks, so it cannot be queued".into());
    } else if review.verdict != by_total {
        remarks.push(format!("by its total alone it would be {by_total}").into());
    }
    if standing.verdict.is_some_and(|stands| stands > review.verdict) {
        remarks.push(format!("another reviewer's verdict stands: {}", standing.word()).into());
    }
    if review.verdict == Verdict::Rejected && review.findings.is_empty() {
        remarks.push("no finding says what should change".into());
    }
    if let Some(item) = queued
        && standing.verdict == Some(Verdict::Rejected)
    {
        let how = if item.forced.as_ref() == Some(&review.plan_digest) {
            "it is still queued, because someone overrode the gate and queued it as it is"
        } else {
            "it is queued, but `next` will not take it"
        };
        remarks.push(Detail::from(how).remedy(RemedyCall::new(Op::QueueRemove, [issue]), "removes it"));
    }
    if standing.rejected_rounds >= MOST_ROUNDS {
        let rounds = standing.rejected_rounds;
        let what = format!(
            "{rounds} rounds were rejected: from now on an owner decides whether `{issue}` is queued"
        );
        remarks.push(what.into());
    }
    remarks
}

#[cfg(test)]
mod tests;
