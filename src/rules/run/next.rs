//! Decides what a run does next: from the state of each issue, which steps can be taken now, and how many at once.

use std::collections::BTreeMap;

use crate::model::{IssueId, IssueStatus, Priority, Run, RunMode, RunPhase, RunStep, Verdict};

/// From this priority on, an issue is urgent: high.
const URGENT: u8 = 2;
/// Up to this many issues that are not urgent are done quickly.
const FEW: usize = 2;
/// From this many issues on, limits apply.
const MANY: usize = 5;

/// At most this many times a rejected plan goes back to its planner, which therefore makes one plan more than that; then a
/// person decides. Of versions of one and the same plan, [`crate::rules::review::MOST_ROUNDS`] may be rejected.
const MOST_FIXES: usize = 2;

/// The default mode for issues of these priorities.
pub(crate) fn mode_for(priorities: &[Priority]) -> RunMode {
    let is_urgent = priorities.iter().any(|priority| priority.number() <= URGENT);
    match priorities.len() {
        n if n >= MANY => RunMode::Batch,
        n if n <= FEW && !is_urgent => RunMode::Quick,
        _ => RunMode::Full,
    }
}

/// The state of an issue of a run, from the store and from the log of the run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunIssueState {
    /// The issue.
    pub(crate) issue: IssueId,
    /// Its status in the store.
    pub(crate) status: IssueStatus,
    /// Whether it was explored, or exploration was skipped.
    pub(crate) is_explored: bool,
    /// How many plans there are to choose from, if none is bound.
    pub(crate) candidates: usize,
    /// What the reviews of the bound plan say.
    pub(crate) verdict: Option<Verdict>,
    /// Whether the run gave up on its reviews and continues without them.
    pub(crate) is_unreviewed: bool,
    /// Whether it was planned in this run.
    pub(crate) is_planned_here: bool,
    /// How many versions of its plans were rejected in this run.
    pub(crate) rejected: usize,
    /// Whether its item can be taken now.
    pub(crate) is_ready: bool,
    /// Whether this run executes it.
    pub(crate) is_ours: bool,
    /// Whether the execution that holds it belongs to the run, in this clone or in one that drove the run before.
    pub(crate) is_of_run: bool,
    /// Whether its work is in the branch of the run, or there is nothing to merge.
    pub(crate) is_integrated: bool,
    /// How many times its execution failed in this run.
    pub(crate) failures: u64,
    /// Whether its last failure is not retried unless someone chooses that: a timeout would take as long again, and an agent
    /// that pushed would push again.
    pub(crate) is_final: bool,
    /// How many times someone chose to retry it after that.
    pub(crate) granted: u64,
    /// Whether the run has given up on it, or left it to someone else.
    pub(crate) is_given_up: bool,
    /// The dependency cycle that it is in or waits for, drawn with arrows.
    pub(crate) cycle: Option<String>,
    /// Who else works on it, as a sentence without an end.
    pub(crate) held: Option<String>,
    /// What the work on it cost, if that is all that it may, as a sentence without an end.
    pub(crate) over_budget: Option<String>,
}

/// What an issue needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// This step.
    Step(RunStep),
    /// Its failed execution queued again.
    Retry,
    /// Nothing that the run can do now.
    Wait,
    /// Nothing more in this run.
    Over,
    /// Nothing: someone else works on it.
    Elsewhere,
    /// Someone who decides.
    Person(StuckReason),
}

/// Why a run cannot continue with an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StuckReason {
    /// There is no plan, and the run makes none.
    NoPlan,
    /// There are plans to choose from.
    Choice,
    /// The plans were rejected too often.
    Rejected,
    /// Its plan must be reviewed, and the reviewer gave no review.
    Unreviewed,
    /// Someone paused or cancelled it.
    Stopped,
    /// Its execution failed too often.
    Failed,
    /// The work on it has cost what it may.
    Budget,
    /// It is in a dependency cycle, or waits for one: however well it is planned, it cannot be executed.
    Cycle,
}

/// What an issue needs next.
pub(crate) fn need(run: &Run, at: &RunIssueState) -> Need {
    if at.is_given_up {
        return Need::Over;
    }
    // An execution may end while this run is at work.
    let is_over = matches!(at.status, IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Executing);
    if at.held.is_some() && !is_over {
        return Need::Elsewhere;
    }
    let is_to_go_on = !matches!(need_by_status(run, at), Need::Over | Need::Wait | Need::Person(_));
    if at.over_budget.is_some() && !is_over && is_to_go_on {
        return Need::Person(StuckReason::Budget);
    }
    need_by_status(run, at)
}

/// What an issue needs next, whatever it cost.
fn need_by_status(run: &Run, at: &RunIssueState) -> Need {
    let is_before_queue =
        matches!(at.status, IssueStatus::Registered | IssueStatus::Planning | IssueStatus::Planned);
    if is_before_queue && at.cycle.is_some() {
        return Need::Person(StuckReason::Cycle);
    }
    let plan = if !run.takes(RunStep::Plan) {
        Need::Person(StuckReason::NoPlan)
    } else if run.takes(RunStep::Explore) && !at.is_explored {
        Need::Step(RunStep::Explore)
    } else {
        Need::Step(RunStep::Plan)
    };
    match at.status {
        IssueStatus::Completed | IssueStatus::Closed if at.is_integrated => Need::Over,
        IssueStatus::Completed | IssueStatus::Closed => Need::Step(RunStep::Integrate),
        IssueStatus::Paused | IssueStatus::Cancelled => Need::Person(StuckReason::Stopped),
        IssueStatus::Registered | IssueStatus::Planning => match at.candidates {
            _ if !run.takes(RunStep::Plan) => Need::Person(StuckReason::NoPlan),
            0 => plan,
            _ => Need::Person(StuckReason::Choice),
        },
        // A rejected plan cannot be queued, whoever reviewed it.
        IssueStatus::Planned if at.verdict == Some(Verdict::Rejected) => {
            if run.takes(RunStep::Plan) && at.rejected <= MOST_FIXES {
                plan
            } else {
                Need::Person(StuckReason::Rejected)
            }
        }
        IssueStatus::Planned if run.takes(RunStep::Review) && at.verdict.is_none() => {
            if at.is_unreviewed {
                Need::Person(StuckReason::Unreviewed)
            } else {
                Need::Step(RunStep::Review)
            }
        }
        IssueStatus::Planned => queue(run),
        IssueStatus::Queued if !run.takes(RunStep::Execute) => Need::Over,
        IssueStatus::Queued if at.is_ready => Need::Step(RunStep::Execute),
        IssueStatus::Queued => Need::Wait,
        IssueStatus::Executing if at.is_ours && run.takes(RunStep::Execute) => Need::Step(RunStep::Execute),
        IssueStatus::Executing => Need::Wait,
        // It failed before this run: the planner gets the failure, and may stand by the plan.
        IssueStatus::Failed if at.failures == 0 && !at.is_planned_here && run.takes(RunStep::Plan) => plan,
        IssueStatus::Failed
            if run.takes(RunStep::Execute)
                && !(at.is_final && at.granted == 0)
                && at.failures <= run.limits.retries.saturating_add(at.granted) =>
        {
            Need::Retry
        }
        IssueStatus::Failed => Need::Person(StuckReason::Failed),
    }
}

fn queue(run: &Run) -> Need {
    if run.takes(RunStep::Queue) { Need::Step(RunStep::Queue) } else { Need::Over }
}

/// The steps to take now, in the order of the run: none for an issue with a step in progress, and no more at a time
/// than the limits of the run allow.
pub(crate) fn next(
    run: &Run,
    standings: &[RunIssueState],
    busy: &BTreeMap<IssueId, RunStep>,
) -> Vec<(IssueId, RunStep)> {
    let wanted: Vec<(&IssueId, RunStep)> = standings
        .iter()
        .filter(|at| !busy.contains_key(&at.issue))
        .filter_map(|at| match need(run, at) {
            Need::Step(step) => Some((&at.issue, step)),
            _ => None,
        })
        .collect();
    // One review and one queue for all, since the shared files of all plans are known then. Planners get the files of
    // each other's issues, so they wait for all explorers.
    let waits = |step: RunStep| {
        let is_of_all = matches!(step, RunStep::Plan | RunStep::Review | RunStep::Queue);
        run.mode == RunMode::Batch
            && is_of_all
            && (busy.values().any(|taken| *taken < step) || wanted.iter().any(|(_, other)| *other < step))
    };
    // Completed work is merged first, so that issues that depend on it or change the same files start with it.
    let is_merging = standings.iter().any(is_to_merge);
    let mut room = Room::left(run, busy);
    wanted
        .iter()
        .filter(|(_, step)| !(is_merging && *step == RunStep::Execute))
        .filter(|(_, step)| !waits(*step) && room.take(*step))
        .map(|(issue, step)| ((*issue).clone(), *step))
        .collect()
}

/// Whether the work of a completed issue is still to be merged into the branch of the run.
fn is_to_merge(at: &RunIssueState) -> bool {
    at.status == IssueStatus::Completed && !at.is_integrated && !at.is_given_up
}

/// How many steps of each kind may begin.
struct Room {
    explore: u64,
    plan: u64,
    execute: u64,
}

impl Room {
    fn left(run: &Run, busy: &BTreeMap<IssueId, RunStep>) -> Self {
        let limits = run.limits;
        Self {
            explore: limits.explore_jobs.saturating_sub(taken_steps(busy, &[RunStep::Explore])),
            plan: limits.plan_jobs.saturating_sub(taken_steps(busy, &[RunStep::Plan, RunStep::Review])),
            execute: free_jobs(run, busy),
        }
    }

    fn take(&mut self, step: RunStep) -> bool {
        let room = match step {
            RunStep::Explore => &mut self.explore,
            RunStep::Plan | RunStep::Review => &mut self.plan,
            RunStep::Execute => &mut self.execute,
            RunStep::Queue | RunStep::Integrate => return true,
        };
        let is_room = *room > 0;
        *room = room.saturating_sub(1);
        is_room
    }
}

/// How many more plans may be executed now. Resolving a conflict of completed work, and testing such work, count, too.
pub(crate) fn free_jobs(run: &Run, busy: &BTreeMap<IssueId, RunStep>) -> u64 {
    run.limits.jobs.saturating_sub(taken_steps(busy, &[RunStep::Execute, RunStep::Integrate]))
}

fn taken_steps(busy: &BTreeMap<IssueId, RunStep>, steps: &[RunStep]) -> u64 {
    busy.values().filter(|step| steps.contains(step)).count() as u64
}

/// The phase of the run while these steps are taken; `None` if there are none.
pub(crate) fn phase(steps: impl IntoIterator<Item = RunStep>) -> Option<RunPhase> {
    steps.into_iter().min().map(|step| match step {
        RunStep::Explore => RunPhase::Listing,
        RunStep::Plan | RunStep::Review | RunStep::Queue => RunPhase::Planning,
        RunStep::Execute | RunStep::Integrate => RunPhase::Executing,
    })
}

/// Which issue waits for which: each waiting issue with the chain of issues before it, down to one that waits for none
/// of these, and why that one cannot continue. A cycle ends where it began.
pub(crate) fn chains(waits_for: &BTreeMap<IssueId, (Option<IssueId>, String)>) -> Vec<String> {
    waits_for
        .keys()
        .map(|issue| {
            let (mut text, mut at, mut seen) = (issue.to_string(), issue, vec![issue]);
            while let Some((next, reason)) = waits_for.get(at) {
                match next {
                    Some(next) if waits_for.contains_key(next) && !seen.contains(&next) => {
                        text.push_str(&format!(" → {next}"));
                        seen.push(next);
                        at = next;
                    }
                    _ => {
                        text.push_str(&format!(": {reason}"));
                        break;
                    }
                }
            }
            text
        })
        .collect()
}

#[cfg(test)]
mod tests;
