//! What waits for the user.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Served, runs};
use crate::index::{Filter, Index, SortOrder};
use crate::model::{
    IssueId, IssueStatus, Op, Other, Person, Remedies, Remedy, RemedyCall, SolutionId, Time, WisdomType,
    text_enum,
};
use crate::ops::{Refusal, Session};
use crate::rules::{DependencyCycle, Gate, IssueFacts, Undecided, plan_check, review, roles, wisdom};
use crate::store::{Snapshot, records};
use crate::sync::conflicts;

text_enum!(
    /// Why something waits for someone.
    AttentionKind {
        /// Items cannot continue before someone decides on their order, or whether to continue with a plan.
        Decision = "decision",
        /// Issues that depend on each other in a cycle, as after a merge, so that none of them can be executed, or that are
        /// parts of each other.
        Cycle = "cycle",
        /// A field that two clones changed differently.
        Conflict = "conflict",
        /// A claim whose lease has expired, or that was made in a worktree which is gone.
        Lease = "lease",
        /// A run that was interrupted.
        Run = "run",
        /// The last attempt at an issue failed.
        Failure = "failure",
        /// A plan that the policy wants reviewed.
        Review = "review",
        /// An issue with plans, none of which was chosen, or whose chosen plan was withdrawn.
        Choice = "choice",
        /// Completed work that is not on the target branch.
        Landing = "landing",
        /// An open question of a run or a team.
        Question = "question",
    }
);

impl AttentionKind {
    /// The operation that settles it. A role that may not perform the operation is not shown the item.
    fn operation(self) -> Op {
        match self {
            Self::Decision => Op::QueueResolve,
            Self::Cycle => Op::Edit,
            Self::Conflict => Op::Conflicts,
            Self::Lease => Op::LeaseRelease,
            Self::Run => Op::Run,
            Self::Failure => Op::Retry,
            Self::Review => Op::SolutionReview,
            Self::Choice => Op::Bind,
            Self::Landing => Op::Land,
            Self::Question => Op::WisdomAdd,
        }
    }
}

/// What waits for the user for one reason.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Attention {
    /// Why it waits.
    pub(crate) kind: AttentionKind,
    /// How many there are.
    pub(crate) count: usize,
    /// The first of them.
    pub(crate) first: Vec<AttentionItem>,
}

/// Something that waits for the user.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AttentionItem {
    /// The id of what waits: of an issue, a plan, an execution, a run, or the name of a conflict.
    pub(crate) id: String,
    /// The issue, if it is about one.
    pub(crate) issue_id: Option<IssueId>,
    /// What it is about: a title, a question.
    pub(crate) what: String,
    /// Who claimed it, if its lease has expired.
    pub(crate) actor: Option<Person>,
    /// When its lease expired.
    pub(crate) expired_at: Option<Time>,
    /// The worktree in which it was claimed, if that is gone.
    pub(crate) gone_worktree: Option<String>,
    /// What to do about it.
    pub(crate) remedies: Vec<Remedy>,
}

/// What all groups are derived from.
pub(super) struct AttentionFacts<'a> {
    pub(super) session: &'a Session,
    pub(super) index: &'a Index<'a>,
    pub(super) snapshot: &'a Snapshot<'a>,
    pub(super) served: &'a [Served<'a>],
    /// The cycles of dependencies among open issues.
    pub(super) cycles: &'a [DependencyCycle],
    /// How many issues have each status.
    pub(super) counts: &'a BTreeMap<IssueStatus, usize>,
    /// How many members of each group are named.
    pub(super) most: usize,
}

/// How many there are, and the first of them.
type Counted = (usize, Vec<AttentionItem>);

/// The open issues about whose plans this has to be decided.
fn undecided(what: Undecided) -> Filter {
    Filter { undecided: Some(what), ..Filter::default() }
}

impl AttentionItem {
    /// Something that nobody has claimed.
    pub(super) fn new(id: String, issue_id: Option<IssueId>, what: String, remedies: Vec<Remedy>) -> Self {
        Self { id, issue_id, what, actor: None, expired_at: None, gone_worktree: None, remedies }
    }
}

#[allow(clippy::needless_pass_by_value)] // Ids are given as they come.
pub(super) fn about(
    issue: &IssueFacts,
    id: impl ToString,
    what: String,
    remedies: Remedies,
) -> AttentionItem {
    AttentionItem::new(id.to_string(), Some(issue.id.clone()), what, remedies.into_vec())
}

fn in_cycle(first: &IssueId, what: String, remedy: Remedy) -> AttentionItem {
    AttentionItem::new(first.to_string(), Some(first.clone()), what, vec![remedy])
}

impl AttentionFacts<'_> {
    /// All groups that are not empty.
    pub(super) fn all(&self) -> Result<Vec<Attention>, Refusal> {
        let role = self.session.store().role();
        let mut found = Vec::new();
        for kind in AttentionKind::ALL {
            if roles::admit(role, kind.operation()).is_err() {
                continue;
            }
            let (count, first) = self.items_of(*kind)?;
            if count > 0 {
                found.push(Attention { kind: *kind, count, first });
            }
        }
        Ok(found)
    }

    fn items_of(&self, kind: AttentionKind) -> Result<Counted, Refusal> {
        let mut all = match kind {
            AttentionKind::Failure => return self.failures(),
            AttentionKind::Choice => return self.choices(),
            AttentionKind::Landing => return self.landings(),
            AttentionKind::Decision => self.decisions()?,
            AttentionKind::Cycle => self.cycles()?,
            AttentionKind::Conflict => self.conflicts()?,
            AttentionKind::Lease => self.leases()?,
            AttentionKind::Run => self.runs()?,
            AttentionKind::Review => self.reviews()?,
            AttentionKind::Question => self.questions()?,
        };
        let count = all.len();
        all.truncate(self.most);
        Ok((count, all))
    }

    pub(super) fn count(&self, status: IssueStatus) -> usize {
        self.counts.get(&status).copied().unwrap_or_default()
    }

    /// The issues that match, the most urgent first, at most `limit`.
    pub(super) fn issues(&self, filter: &Filter, limit: Option<usize>) -> Result<Vec<IssueFacts>, Refusal> {
        let numbers = self.index.list(filter, SortOrder::Priority, 0, limit)?;
        Ok(self.index.facts(&numbers)?)
    }

    /// Conflicts of a queue that someone must decide, and plans that were rejected too often.
    fn decisions(&self) -> Result<Vec<AttentionItem>, Refusal> {
        let mut found: Vec<AttentionItem> = Vec::new();
        for (id, asked) in self.served.iter().flat_map(|served| served.queue.questions()) {
            let remedies = asked.options.iter().take(2).map(|option| {
                let order: Vec<&str> = option.order.iter().map(SolutionId::as_str).collect();
                let resolve = RemedyCall::new(Op::QueueResolve, [&id]).option("order", order.join(","));
                Remedy::call(resolve, option.description.clone())
            });
            let remedies = remedies.collect();
            found.push(AttentionItem::new(id, None, asked.question.clone(), remedies));
        }
        for issue in self.issues(&undecided(Undecided::Rejected), None)? {
            let Some((id, plan)) = issue.bound.as_ref().and_then(|id| Some((id, issue.plans.get(id)?)))
            else {
                continue;
            };
            let rounds = plan.review.rejected_rounds;
            let refusal = review::NotQueueable::OwnerDecides { solution: id.clone(), rounds };
            found.push(about(&issue, id, refusal.to_string(), crate::model::Explain::remedies(&refusal)));
        }
        for issue in self.issues(&undecided(Undecided::Change), None)? {
            let Some(id) = &issue.bound else { continue };
            let remedies = Remedies::call(RemedyCall::new(Other::SolutionShow, [id]), "shows the reviews")
                .or_call(RemedyCall::new(Other::Plan, [&issue.id]), "plans it again");
            found.push(about(
                &issue,
                id,
                format!("a review rejected the plan for {}", issue.title),
                remedies,
            ));
        }
        Ok(found)
    }

    fn cycles(&self) -> Result<Vec<AttentionItem>, Refusal> {
        let of_dependencies = self.cycles.iter().map(|cycle| {
            in_cycle(&cycle.issues()[0], format!("depend on each other: {cycle}"), cycle.remedy())
        });
        let of_parts = self.index.cycles_of_parts()?;
        let of_parts = of_parts.iter().map(|cycle| {
            in_cycle(&cycle.issues()[0], format!("issues are related by {cycle}"), cycle.remedy())
        });
        Ok(of_dependencies.chain(of_parts).collect())
    }

    fn conflicts(&self) -> Result<Vec<AttentionItem>, Refusal> {
        let store = self.session.store();
        let open = self.session.watched(|watch| conflicts::open_fields(store, self.index, watch))?;
        Ok(open
            .into_iter()
            .map(|open| {
                let what = match open.field.as_str() {
                    conflicts::WHOLE => "two clones created it".to_owned(),
                    field => format!("two clones changed `{field}` differently"),
                };
                let remedies = vec![Remedy::call(Op::Conflicts, "shows both values")];
                let issue = IssueId::parse(&open.record).ok();
                AttentionItem::new(open.record, issue, what, remedies)
            })
            .collect())
    }

    fn runs(&self) -> Result<Vec<AttentionItem>, Refusal> {
        runs::all(self.session)
    }

    fn failures(&self) -> Result<Counted, Refusal> {
        let failed = Filter { statuses: vec![IssueStatus::Failed], ..Filter::default() };
        let count = self.count(IssueStatus::Failed);
        let first = if count == 0 { vec![] } else { self.issues(&failed, Some(self.most))? };
        Ok((
            count,
            first
                .iter()
                .map(|issue| {
                    let retry = Remedies::call(RemedyCall::new(Op::Retry, [&issue.id]), "queues it again");
                    about(issue, &issue.id, issue.title.clone(), retry)
                })
                .collect(),
        ))
    }

    /// If the policy requires reviews: bound plans without a review. The user's own wait for someone else.
    fn reviews(&self) -> Result<Vec<AttentionItem>, Refusal> {
        if !Gate::Review.is_required(&records::root(self.snapshot)?.policy) {
            return Ok(vec![]);
        }
        let me = self.session.store().identity().ok().map(|identity| identity.person());
        let mut found = Vec::new();
        for issue in self.issues(&undecided(Undecided::Review), None)? {
            let Some(id) = &issue.bound else { continue };
            let Some(solution) = records::solution(self.snapshot, id)? else { continue };
            let show = RemedyCall::new(Other::SolutionShow, [id]);
            if me.as_ref().is_none_or(|me| review::may_review(&solution, me).is_ok()) {
                let remedies = Remedies::call(show, "shows it")
                    .or_call(RemedyCall::new(Op::SolutionReview, [id]).flag("approve"), "approves it");
                found.push(about(&issue, id, issue.title.clone(), remedies));
            } else {
                let what = format!("someone else must review your plan for {}", issue.title);
                let remedies =
                    Remedies::call(show, "shows your plan, for which someone else's review is missing");
                found.push(about(&issue, id, what, remedies));
            }
        }
        Ok(found)
    }

    fn choices(&self) -> Result<Counted, Refusal> {
        let filter = undecided(Undecided::Choice);
        let (count, first) = (self.index.count(&filter)?, self.issues(&filter, Some(self.most))?);
        let one = |issue: &IssueFacts| {
            let plans: Vec<&SolutionId> = issue.candidates().collect();
            let good: Vec<&SolutionId> = plans.iter().copied().filter(|it| self.is_bindable(it)).collect();
            let remedies = match (&good[..], &plans[..]) {
                (_, []) => Remedies::call(
                    RemedyCall::new(Op::SolutionAdd, [issue.id.as_str(), "FILE"]),
                    "adds another plan",
                ),
                ([only], _) => Remedies::call(
                    RemedyCall::new(Op::Bind, [issue.id.as_str(), only.as_str()]),
                    "chooses its plan",
                ),
                ([], [only]) => {
                    Remedies::call(RemedyCall::new(Other::SolutionCheck, [only]), "says what its plan lacks")
                }
                ([], _) => Remedies::call(
                    RemedyCall::new(Other::SolutionList, [&issue.id]),
                    "lists its plans, of which none can be chosen",
                ),
                _ => Remedies::call(RemedyCall::new(Other::SolutionList, [&issue.id]), "lists its plans")
                    .or_call(RemedyCall::new(Op::Bind, [issue.id.as_str(), "PLAN"]), "chooses one"),
            };
            let what = match issue.bound {
                Some(_) => format!("its plan was withdrawn: {}", issue.title),
                None => issue.title.clone(),
            };
            about(issue, &issue.id, what, remedies)
        };
        Ok((count, first.iter().map(one).collect()))
    }

    /// Whether the quality of a plan is high enough for binding it.
    fn is_bindable(&self, plan: &SolutionId) -> bool {
        let plan = records::solution(self.snapshot, plan).ok().flatten();
        plan.is_some_and(|plan| plan_check::quality(&plan.plan).suffices())
    }

    fn questions(&self) -> Result<Vec<AttentionItem>, Refusal> {
        let all = records::wisdom(self.snapshot, &mut Vec::new())?;
        let answered = wisdom::answered(&all);
        let open = all
            .into_iter()
            .filter(|wisdom| wisdom.kind == WisdomType::Question && !answered.contains_key(&wisdom.id));
        Ok(open
            .map(|open| {
                let answer = RemedyCall::new(Other::WisdomAnswer, [open.id.short(), "TEXT"]);
                let remedies = vec![Remedy::call(answer, "answers it")];
                AttentionItem::new(open.id.to_string(), open.issue_id, open.text, remedies)
            })
            .collect())
    }
}
