//! What an item waits for, as values, with their texts and remedies.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    ExecutionStatus, Explain, IssueId, IssueStatus, Item, ItemId, Op, Other, QueueDecision, QueueId,
    Remedies, Remedy, RemedyCall, RepoPath, SolutionId, shell, text_enum,
};
use crate::rules::{AbsentWork, WorkPlace, review};

text_enum!(
    /// What kind of reason keeps an item waiting.
    BlockerKind {
        /// Its issue is missing, or cannot be read.
        NoIssue = "no-issue",
        /// Its plan is missing, or cannot be read.
        NoPlan = "no-plan",
        /// It is on hold.
        Held = "held",
        /// The issue is executed with another plan.
        OtherPlan = "other-plan",
        /// The issue is cancelled or paused.
        NotActive = "not-active",
        /// The issue is cancelled or paused, but still being executed.
        CarriedOut = "carried-out",
        /// The issue is bound to another plan now.
        Rebound = "rebound",
        /// The issue is no longer bound to a plan.
        Unbound = "unbound",
        /// The plan has changed since it was queued.
        Changed = "changed",
        /// The plan was withdrawn.
        Withdrawn = "withdrawn",
        /// The plan has not passed review.
        Review = "review",
        /// Issues depend on each other.
        Circle = "circle",
        /// A person must decide an order.
        Undecided = "undecided",
        /// An issue that it depends on is not completed.
        Dependency = "dependency",
        /// An issue that it depends on is completed, but its commits are not where the item would begin.
        AbsentWork = "absent-work",
        /// The queue cannot be read.
        UnreadableQueue = "unreadable-queue",
        /// The queue is paused or archived.
        InactiveQueue = "inactive-queue",
        /// A plan that is being executed touches the same file.
        SharedFile = "shared-file",
        /// Another item comes first.
        Order = "order",
    }
);

/// What an item waits for.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Blocker {
    /// The issue that blocks it.
    pub(crate) issue_id: Option<IssueId>,
    /// Its plan.
    pub(crate) solution_id: Option<SolutionId>,
    /// Its item.
    pub(crate) item_id: Option<ItemId>,
    /// What kind of reason it is, for programs.
    pub(crate) kind: BlockerKind,
    /// A description.
    pub(crate) reason: String,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remedies: Vec<Remedy>,
}

/// Why an item waits.
#[derive(Debug)]
pub(super) enum Reason<'a> {
    /// Its issue is not here, or cannot be read.
    NoIssue(&'a IssueId),
    /// Its plan is not here, or cannot be read.
    NoPlan(&'a SolutionId),
    /// It is on hold, for this reason.
    Held(&'a str),
    /// The issue is held by an execution of another plan.
    OtherPlan(&'a IssueId, ExecutionStatus, &'a SolutionId),
    /// The issue is cancelled or paused.
    NotActive(&'a IssueId, IssueStatus),
    /// The issue is cancelled or paused, but someone is executing it; nobody is stopped by that.
    CarriedOut(&'a IssueId, IssueStatus),
    /// The issue is bound to another plan now.
    Rebound(&'a IssueId, &'a SolutionId),
    /// The issue is no longer bound to a plan.
    Unbound(&'a IssueId, &'a SolutionId),
    /// The plan has changed since it was queued.
    Changed(&'a IssueId),
    /// The plan was withdrawn, in another clone than the one that bound it.
    Withdrawn(&'a IssueId, &'a SolutionId),
    /// Its plan did not pass review.
    Review(&'a review::NotQueueable),
    /// A cycle of dependencies, as drawn; the issue is in it, or waits for it.
    Circle {
        /// Whether the issue is in it.
        is_within: bool,
        /// The cycle.
        drawn: &'a str,
    },
    /// A conflict that a person must resolve, with the question and some of the possible orders.
    Undecided {
        /// `CFT-1`.
        conflict: String,
        /// The question.
        question: &'a str,
        /// Plans, separated by commas.
        orders: Vec<String>,
    },
    /// An issue that it depends on, and its status; none if it is missing here.
    Dependency(&'a IssueId, Option<IssueStatus>),
    /// An issue that it depends on is completed, but the base of a claim lacks its commits.
    Absent(&'a IssueId, &'a AbsentWork),
    /// The queue cannot be read.
    UnreadableQueue(&'a QueueId),
    /// The queue is paused or archived.
    InactiveQueue(&'a QueueId, QueueDecision),
    /// A plan that is being executed touches the same file.
    SharedFile(&'a RepoPath, &'a SolutionId),
    /// A decided order puts an item first that is completed, but the base of a claim lacks its commits.
    AbsentFirst {
        /// The number of the conflict, from 1.
        conflict: usize,
        /// The item that comes first.
        first: &'a Item,
        /// Where its commits are.
        work: &'a AbsentWork,
    },
    /// A decided order puts another item first.
    Order {
        /// The number of the conflict, from 1.
        conflict: usize,
        /// The item that comes first.
        first: &'a Item,
        /// The status of its issue.
        status: IssueStatus,
    },
}

/// What to do about an issue that is bound to a withdrawn plan.
pub(crate) fn withdrawn(issue: &IssueId, plan: &SolutionId) -> Remedies {
    Remedies::call(RemedyCall::new(Op::Bind, [issue.as_str(), "PLAN"]), "chooses another plan")
        .or_call(RemedyCall::new(Op::SolutionWithdraw, [plan]).flag("undo"), "makes it available again")
}

impl Reason<'_> {
    fn kind(&self) -> BlockerKind {
        match self {
            Self::NoIssue(_) => BlockerKind::NoIssue,
            Self::NoPlan(_) => BlockerKind::NoPlan,
            Self::Held(_) => BlockerKind::Held,
            Self::OtherPlan(..) => BlockerKind::OtherPlan,
            Self::NotActive(..) => BlockerKind::NotActive,
            Self::CarriedOut(..) => BlockerKind::CarriedOut,
            Self::Rebound(..) => BlockerKind::Rebound,
            Self::Unbound(..) => BlockerKind::Unbound,
            Self::Changed(_) => BlockerKind::Changed,
            Self::Withdrawn(..) => BlockerKind::Withdrawn,
            Self::Review(_) => BlockerKind::Review,
            Self::Circle { .. } => BlockerKind::Circle,
            Self::Undecided { .. } => BlockerKind::Undecided,
            Self::Dependency(..) => BlockerKind::Dependency,
            Self::Absent(..) | Self::AbsentFirst { .. } => BlockerKind::AbsentWork,
            Self::UnreadableQueue(_) => BlockerKind::UnreadableQueue,
            Self::InactiveQueue(..) => BlockerKind::InactiveQueue,
            Self::SharedFile(..) => BlockerKind::SharedFile,
            Self::Order { .. } => BlockerKind::Order,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::NoIssue(_) | Self::NoPlan(_) => {
                Remedies::call(Other::Sync, "may bring it").or_call(Op::Fsck, "says what is wrong")
            }
            Self::NotActive(issue, _) => Remedies::call(RemedyCall::new(Op::Reopen, [issue]), "reopens it"),
            Self::Rebound(issue, _) => {
                Remedies::call(RemedyCall::new(Op::QueueAdd, [issue]), "queues that plan")
            }
            Self::Unbound(issue, plan) => {
                Remedies::call(RemedyCall::new(Op::Bind, [issue.as_str(), plan.as_str()]), "binds it again")
            }
            Self::Changed(issue) => Remedies::call(
                RemedyCall::new(Op::QueueAdd, [issue]),
                "queues it as it is now, once you have read it",
            ),
            Self::Withdrawn(issue, plan) => withdrawn(issue, plan),
            Self::Review(refusal) => refusal.remedies(),
            Self::Circle { .. } => Remedies::call(
                RemedyCall::new(Op::Edit, ["ID"]).option("depends-on", "-OTHER"),
                "removes a dependency",
            ),
            Self::Undecided { conflict, orders, .. } => {
                let decide =
                    |order: &String| RemedyCall::new(Op::QueueResolve, [conflict]).option("order", order);
                match orders.as_slice() {
                    [] => Remedies::none(),
                    [only] => Remedies::call(decide(only), "decides it"),
                    [one, other] => Remedies::call(decide(one), "decides it")
                        .or_call(decide(other), "decides it the other way round"),
                    [first, ..] => Remedies::call(decide(first), "decides it")
                        .or_call(Other::QueueOverlaps, "shows the other orders"),
                }
            }
            Self::Absent(id, work) => remedies_of_absent(id, work),
            Self::AbsentFirst { first, work, .. } => remedies_of_absent(&first.issue_id, work),
            Self::UnreadableQueue(_) => Remedies::call(Op::Fsck, "says why"),
            Self::InactiveQueue(queue, _) => {
                Remedies::call(RemedyCall::new(Op::QueueActivate, [queue]), "lets `next` take its items")
            }
            Self::Order { first, status: IssueStatus::Failed, .. } => {
                Remedies::call(RemedyCall::new(Op::Retry, [&first.issue_id]), "queues that one again")
            }
            Self::Held(_)
            | Self::OtherPlan(..)
            | Self::CarriedOut(..)
            | Self::Dependency(..)
            | Self::SharedFile(..)
            | Self::Order { .. } => Remedies::none(),
        }
    }
}

/// What brings work into the base of a claim.
pub(crate) fn remedies_of_absent(id: &IssueId, work: &AbsentWork) -> Remedies {
    match &work.place {
        WorkPlace::Branch(_) if work.is_target => Remedies::call(RemedyCall::new(Op::Land, [id]), "lands it"),
        WorkPlace::Branch(branch) => {
            let command = format!("git merge {}", shell::word(branch));
            Remedies::command(command, format!("brings it into `{}`", work.base))
        }
        WorkPlace::NoBranch(commit) => {
            let command = format!("git branch wf/kept/{id} {commit}");
            Remedies::command(command, "puts it on a branch again").or_call(
                RemedyCall::new(Op::Unlink, [commit.short(), id.as_str()]),
                "removes the link of a commit that is not the work",
            )
        }
        WorkPlace::Gone(commit) => Remedies::call(RemedyCall::new(Op::Reopen, [id]), "does the work again")
            .or_call(
                RemedyCall::new(Op::Unlink, [commit.short(), id.as_str()]),
                "removes the link of a commit that is not the work",
            ),
        WorkPlace::Reverted(revert) => {
            let does = format!("brings it back, in `{}`", work.base);
            Remedies::command(format!("git revert {revert}"), does)
                .or_call(RemedyCall::new(Op::Reopen, [id]), "does the work again")
        }
        WorkPlace::Elsewhere => {
            let does = "brings them here, once they are pushed or have landed";
            Remedies::command("git fetch --all", does)
        }
    }
}

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoIssue(id) => write!(f, "issue `{id}` is not here, or cannot be read"),
            Self::NoPlan(id) => write!(f, "plan `{id}` is not here, or cannot be read"),
            Self::Held(why) => write!(f, "held ({why})"),
            Self::OtherPlan(issue, status, plan) => {
                write!(f, "`{issue}` is {status} with another plan, `{plan}`")
            }
            Self::NotActive(issue, status) => write!(f, "issue `{issue}` is {status}"),
            Self::CarriedOut(issue, status) => {
                write!(f, "issue `{issue}` is {status}, but is still being executed")
            }
            Self::Rebound(_, bound) => write!(f, "the issue is bound to `{bound}` now"),
            Self::Unbound(..) => f.write_str("the issue is no longer bound to a plan"),
            Self::Changed(_) => f.write_str("the plan has changed since it was queued"),
            Self::Withdrawn(..) => f.write_str("its plan was withdrawn"),
            Self::Review(refusal) => refusal.fmt(f),
            Self::Circle { is_within: true, drawn } => write!(f, "the issues depend on each other: {drawn}"),
            Self::Circle { is_within: false, drawn } => {
                write!(f, "it waits for issues that depend on each other: {drawn}")
            }
            Self::Undecided { conflict, question, .. } => write!(f, "{conflict}, {question}"),
            Self::Dependency(id, None) => write!(f, "depends on `{id}`, which is missing"),
            Self::Dependency(id, Some(status)) => write!(f, "depends on `{id}`, which is {status}"),
            Self::Absent(id, work) => write!(f, "depends on `{id}`, which is {work}"),
            Self::AbsentFirst { conflict, first, work } => {
                write!(f, "comes after `{}`, as decided for CFT-{conflict}, which is {work}", first.item_id)
            }
            Self::UnreadableQueue(id) => write!(f, "queue `{id}` cannot be read"),
            Self::InactiveQueue(id, status) => write!(f, "queue `{id}` is {status}"),
            Self::SharedFile(file, plan) => write!(f, "shares `{file}` with `{plan}`, which is executing"),
            Self::Order { conflict, first, status } => write!(
                f,
                "comes after `{}` (`{}`), which is {status}, as decided for CFT-{conflict}",
                first.item_id, first.solution_id
            ),
        }
    }
}

impl Blocker {
    /// A blocker with only a reason.
    pub(super) fn because(reason: &Reason<'_>) -> Self {
        Self {
            issue_id: None,
            solution_id: None,
            item_id: None,
            kind: reason.kind(),
            reason: reason.to_string(),
            remedies: reason.remedies().into_vec(),
        }
    }

    /// A blocker that is an issue.
    pub(super) fn issue(id: &IssueId, reason: &Reason<'_>) -> Self {
        Self { issue_id: Some(id.clone()), ..Self::because(reason) }
    }

    /// A blocker that is a plan.
    pub(super) fn plan(issue: &IssueId, plan: &SolutionId, reason: &Reason<'_>) -> Self {
        Self { solution_id: Some(plan.clone()), ..Self::issue(issue, reason) }
    }

    /// A blocker that is an item.
    pub(super) fn item(item: &Item, reason: &Reason<'_>) -> Self {
        Self { item_id: Some(item.item_id.clone()), ..Self::plan(&item.issue_id, &item.solution_id, reason) }
    }
}
