//! What waits for a person because an issue is not done.

use std::collections::{BTreeMap, BTreeSet};

use super::WaitsForPerson;
use crate::model::code::Code;
use crate::model::id::IssueId;
use crate::model::op::{Op, Other};
use crate::model::remedy::{Remedy, RemedyCall};
use crate::model::review::Verdict;
use crate::model::run::{Run, RunStep};
use crate::model::shell;
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::rules::review;
use crate::rules::run::progress::{IssueProgress, NO_PLAN, REJECTED};
use crate::rules::run::report::RunFacts;
use crate::rules::run::state::in_words;

/// What waits because of an issue; `None` if nothing does. `last` is the step at which it last failed.
pub(super) fn of_issue(
    known: &RunFacts<'_>,
    run: &Run,
    issue: &IssueProgress<'_>,
    last: Option<RunStep>,
) -> Option<WaitsForPerson> {
    let id = issue.id;
    let entry = |what: String, remedies: Vec<Remedy>| {
        Some(WaitsForPerson { issue_id: Some(id.clone()), what, remedies })
    };
    let Some(found) = known.issues.get(id) else {
        return entry(
            "the issue is missing here".to_owned(),
            vec![Remedy::call(Other::Sync, "fetches it, if another clone has it")],
        );
    };
    let why = issue.error.map(in_words).filter(|why| !why.is_empty()).map(|why| format!(": {why}"));
    let why = why.unwrap_or_default();
    let status = facts::status(found);
    let is_over = matches!(status, IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled);
    if issue.is_held_elsewhere() && !is_over {
        let what = format!("it was left to others{why}");
        return entry(what, vec![Remedy::call(Other::Sync, "fetches their progress")]);
    }
    let show = || Remedy::call(RemedyCall::new(Other::Show, [id]), "shows what happened");
    match status {
        IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled => None,
        IssueStatus::Failed => {
            let what = match last {
                None | Some(RunStep::Execute) => "its execution failed",
                Some(RunStep::Explore | RunStep::Plan) => {
                    "it had failed before, and could not be planned again"
                }
                Some(RunStep::Review | RunStep::Queue | RunStep::Integrate) => "it failed",
            };
            let mut remedies = with_needed(known, found, "plans and executes it again");
            remedies.push(Remedy::call(RemedyCall::new(Op::Retry, [id]), "queues it again"));
            remedies.push(show());
            entry(format!("{what}{why}"), remedies)
        }
        IssueStatus::Registered | IssueStatus::Planning => match found.plans().len() {
            0 if issue.status == IssueStatus::Registered && issue.error.is_none() => None,
            0 => entry(
                // The error would say the same again.
                if is_of(issue, NO_PLAN) {
                    "it has no plan".to_owned()
                } else {
                    format!("it has no plan{why}")
                },
                vec![
                    Remedy::call(RemedyCall::new(Op::Run, [id]), "plans it"),
                    Remedy::call(
                        RemedyCall::new(Op::SolutionAdd, [id.as_str(), "FILE"]),
                        "adds a plan by hand",
                    ),
                    Remedy::call(RemedyCall::new(Other::RunLog, [&run.id]), "shows what happened"),
                ],
            ),
            n => unbound(id, n),
        },
        IssueStatus::Planned | IssueStatus::Queued => match found.bound() {
            None => unbound(id, found.plans().len()),
            Some(plan) => match review::standing(plan, found.reviews(&plan.id)).verdict {
                Some(Verdict::Rejected) => entry(
                    "its plan was rejected".to_owned(),
                    vec![
                        Remedy::call(RemedyCall::new(Other::FeedbackList, [id]), "shows why"),
                        Remedy::call(
                            RemedyCall::new(Op::SolutionAdd, [id.as_str(), "FILE"]),
                            "adds a better one and prints its id",
                        ),
                        Remedy::call(RemedyCall::new(Op::Bind, [id.as_str(), "PLAN"]), "then chooses it"),
                        Remedy::call(
                            RemedyCall::new(Op::QueueAdd, [id]).flag("force").option("reason", "WHY"),
                            "lets an owner queue it anyway",
                        ),
                        Remedy::call(RemedyCall::new(Op::Close, [id]), "gives the issue up"),
                    ],
                ),
                // Someone has chosen or reviewed it since.
                _ if issue.is_waiting() || is_of(issue, REJECTED) || is_other(issue, plan) => entry(
                    "its plan can be executed now".to_owned(),
                    vec![Remedy::call(RemedyCall::new(Op::Run, [id]).flag("execute-only"), "executes it")],
                ),
                _ if issue.error.is_some() => {
                    let mut remedies = with_needed(known, found, "executes it");
                    remedies.push(show());
                    entry(format!("it was not executed{why}"), remedies)
                }
                _ => None,
            },
        },
        IssueStatus::Paused => entry(
            "it is paused".to_owned(),
            vec![Remedy::call(RemedyCall::new(Op::Reopen, [id]), "continues it")],
        ),
        // The claim is the agent's.
        IssueStatus::Executing if is_unwritten(issue) => entry(
            format!("the end of its execution is not recorded{why}"),
            vec![
                Remedy::call(
                    RemedyCall::new(Op::Done, [id]).flag("verify").flag("force").option("reason", "WHY"),
                    "tests it again and completes it",
                ),
                Remedy::call(
                    RemedyCall::new(Op::LeaseRelease, [id]).flag("force").option("reason", "WHY"),
                    "gives it up",
                ),
                Remedy::call(RemedyCall::new(Op::Run, [id]).flag("execute-only"), "then executes it again"),
            ],
        ),
        IssueStatus::Executing if issue.error.is_some() => entry(
            format!("someone else is executing it{why}"),
            vec![Remedy::call(Other::LeaseList, "shows who"), show()],
        ),
        IssueStatus::Executing => None,
    }
}

fn is_of(issue: &IssueProgress<'_>, kind: &str) -> bool {
    issue.error.and_then(|error| error.error_type.as_deref()) == Some(kind)
}

/// Whether something of an issue could not be recorded because someone else was writing.
fn is_unwritten(issue: &IssueProgress<'_>) -> bool {
    [Code::Locked, Code::Contended].iter().any(|code| is_of(issue, code.as_str()))
}

/// Whether someone has bound another plan since the run ended with an issue.
fn is_other(issue: &IssueProgress<'_>, plan: &Solution) -> bool {
    issue.error.is_some() && issue.solution_id.is_some_and(|known| *known != plan.id)
}

/// What has an issue executed: first the merges that bring the completed work here on which it depends, then a run of it,
/// with everything that it depends on and that is not completed.
fn with_needed(known: &RunFacts<'_>, found: &IssueFolder, does: &str) -> Vec<Remedy> {
    let record = &found.issue.record;
    let mut order =
        NeededOrder { known, seen: BTreeSet::from([&record.id]), issues: vec![], merges: BTreeMap::new() };
    order.add_all(&record.depends_on);
    let merge = |(branch, of): (&str, Vec<&IssueId>)| {
        let of = of.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        Remedy::command(
            format!("git merge {}", shell::operand(branch)),
            format!("first brings the work on {of} here"),
        )
    };
    let run = RemedyCall::new(Op::Run, order.issues.into_iter().chain([&record.id]));
    order.merges.into_iter().map(merge).chain([Remedy::call(run, does)]).collect()
}

/// Collects what an issue depends on.
struct NeededOrder<'a> {
    known: &'a RunFacts<'a>,
    seen: BTreeSet<&'a IssueId>,
    /// What can be run, each issue after those that it depends on.
    issues: Vec<&'a IssueId>,
    /// The branches that have completed work, and of which issues.
    merges: BTreeMap<&'a str, Vec<&'a IssueId>>,
}

impl<'a> NeededOrder<'a> {
    fn add_all(&mut self, needed: &'a BTreeSet<IssueId>) {
        for id in needed {
            let Some(found) = self.known.needed.get(id).filter(|_| self.seen.insert(id)) else { continue };
            match found.status {
                IssueStatus::Completed | IssueStatus::Closed => {
                    if let Some(branch) = &found.branch {
                        self.merges.entry(branch).or_default().push(id);
                    }
                }
                // A run skips these.
                IssueStatus::Cancelled | IssueStatus::Paused | IssueStatus::Executing => {}
                _ => {
                    self.add_all(&found.depends_on);
                    self.issues.push(id);
                }
            }
        }
    }
}

fn unbound(id: &IssueId, plans: usize) -> Option<WaitsForPerson> {
    let what = match plans {
        1 => "its plan is not bound".to_owned(),
        n => format!("one of its {n} plans must be chosen"),
    };
    let remedies = vec![
        Remedy::call(RemedyCall::new(Other::SolutionList, [id]), "lists them"),
        Remedy::call(RemedyCall::new(Other::SolutionShow, ["PLAN"]), "shows one"),
        Remedy::call(RemedyCall::new(Op::Bind, [id.as_str(), "PLAN"]), "chooses one"),
    ];
    Some(WaitsForPerson { issue_id: Some(id.clone()), what, remedies })
}
