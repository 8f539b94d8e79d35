//! How far a run has come, computed from its log. Any log is accepted: the logs of two clones may have been joined.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::error_types::{HELD_ELSEWHERE, PENDING_SELECTION, is_for_a_person};
use crate::model::{
    ActionDone, Breach, Budget, Choice, Decided, ExecutionId, Failure, IssueId, IssueReached, IssueStatus,
    ItemId, QueueId, RunEvent, RunLogEntry, RunPhase, RunStatus, RunStep, Setback, SolutionId, StepSpent,
    Time,
};
use crate::rules::RunFolder;

/// How far a run has come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunProgress<'a> {
    /// The status of the whole run.
    pub(crate) status: RunStatus,
    /// The phase of the whole run.
    pub(crate) phase: RunPhase,
    /// Who drives it, or drove it last.
    pub(crate) driver: Option<&'a str>,
    /// Whether its agents are confined to their workplaces, and if not, why.
    pub(crate) confinement: Option<&'a str>,
    /// What it may cost.
    pub(crate) budget: Option<&'a Budget>,
    /// Who stopped it, if nobody has resumed it since.
    pub(crate) stopped_by: Option<&'a str>,
    /// Its issues, in the order of the run.
    pub(crate) issues: Vec<IssueProgress<'a>>,
    /// Where each is in `issues`.
    places: HashMap<&'a IssueId, usize>,
    /// The steps that were taken or skipped, in order.
    pub(crate) actions: Vec<&'a ActionDone>,
    /// How many of them were not skipped.
    pub(super) taken_count: usize,
    /// The attempts at a step that failed, in order, with the time.
    pub(crate) setbacks: Vec<&'a Setback>,
    /// How many attempts at each step of an issue failed since the step was last taken.
    in_vain: BTreeMap<(RunStep, &'a IssueId), usize>,
    /// What agents did outside of their roles, in order.
    pub(crate) breaches: Vec<&'a Breach>,
    /// How many retries of each issue someone has chosen.
    granted: BTreeMap<&'a IssueId, u64>,
    /// The issues because of which someone stopped the run. Resuming the run retries them.
    stopped_for: Vec<&'a IssueId>,
    /// The issues that the run asked about, and whether someone has answered, until it goes on with them.
    asked: BTreeMap<&'a IssueId, bool>,
    /// The choices for issues that had failed too often, in order.
    pub(crate) decisions: Vec<&'a Decided>,
    /// Everything that went wrong, in order, with the time.
    pub(crate) errors: Vec<(Time, Wrong<'a>)>,
    /// When it last changed.
    pub(crate) updated_at: Time,
}

/// Something that went wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Wrong<'a> {
    /// With the run itself, in this phase.
    Run(RunPhase, &'a Failure),
    /// With one of its steps.
    Step(&'a Setback),
}

/// A step that a run left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct SkippedStep {
    /// The step.
    pub(crate) action: RunStep,
    /// The issue; absent if it was left out for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) issue_id: Option<IssueId>,
    /// Why.
    pub(crate) why: String,
}

/// How far an issue of a run has come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IssueProgress<'a> {
    /// The issue.
    pub(crate) id: &'a IssueId,
    /// Its latest status.
    pub(crate) status: IssueStatus,
    /// The plan that was made or bound.
    pub(crate) solution_id: Option<&'a SolutionId>,
    /// The queue that it was put into.
    pub(crate) queue_id: Option<&'a QueueId>,
    /// Its item in that queue.
    pub(crate) item_id: Option<&'a ItemId>,
    /// The last execution of its plan.
    pub(crate) execution_id: Option<&'a ExecutionId>,
    /// The error in the latest log entry for the issue.
    pub(crate) error: Option<&'a Failure>,
    /// When it was last planned.
    pub(crate) planned_at: Option<Time>,
    /// When its execution last began.
    pub(crate) executed_at: Option<Time>,
    /// The entries of the log that say how far it came, in order, with their times.
    pub(super) reached: Vec<(Time, &'a IssueReached)>,
    /// The steps that were taken or skipped for it, in order.
    pub(super) actions: Vec<&'a ActionDone>,
    /// The attempts at a step of it that failed, in order.
    pub(super) setbacks: Vec<&'a Setback>,
    /// What agents used in steps of it that ended early.
    pub(super) spent: Vec<&'a StepSpent>,
}

impl IssueProgress<'_> {
    /// Whether the issue waits until someone chooses one of its plans.
    pub(crate) fn waits_for_choice(&self) -> bool {
        self.error.and_then(|error| error.error_type.as_deref()) == Some(PENDING_SELECTION)
    }

    /// Whether the issue waits until someone chooses or reviews one of its plans, or ends a dependency cycle.
    pub(crate) fn is_waiting(&self) -> bool {
        self.error.is_some_and(is_for_a_person)
    }

    /// Whether the run left the issue to someone else, who works on it.
    pub(crate) fn is_held_elsewhere(&self) -> bool {
        self.error.and_then(|error| error.error_type.as_deref()) == Some(HELD_ELSEWHERE)
    }

    /// Whether the run has not begun the issue.
    pub(crate) fn is_untouched(&self) -> bool {
        self.status == IssueStatus::Registered && self.error.is_none()
    }

    /// What a run at work does with the issue, as a verb; `None` if it has not started on it or is done with it.
    pub(crate) fn works(&self) -> Option<&'static str> {
        match self.status {
            _ if self.error.is_some() => None,
            IssueStatus::Planning => Some("plans"),
            IssueStatus::Planned | IssueStatus::Queued => Some("has planned"),
            IssueStatus::Executing => Some("executes"),
            _ => None,
        }
    }
}

impl<'a> RunProgress<'a> {
    /// The state before the first entry of the log.
    fn new(folder: &'a RunFolder) -> Self {
        let issue = |id| IssueProgress {
            id,
            status: IssueStatus::Registered,
            solution_id: None,
            queue_id: None,
            item_id: None,
            execution_id: None,
            error: None,
            planned_at: None,
            executed_at: None,
            reached: Vec::new(),
            actions: Vec::new(),
            setbacks: Vec::new(),
            spent: Vec::new(),
        };
        let mut places = HashMap::new();
        for (n, id) in folder.run.issue_ids.iter().enumerate() {
            places.entry(id).or_insert(n);
        }
        Self {
            status: RunStatus::Pending,
            phase: RunPhase::Init,
            driver: None,
            confinement: None,
            budget: folder.run.budget.as_ref(),
            stopped_by: None,
            issues: folder.run.issue_ids.iter().map(issue).collect(),
            places,
            actions: Vec::new(),
            taken_count: 0,
            setbacks: Vec::new(),
            in_vain: BTreeMap::new(),
            breaches: Vec::new(),
            granted: BTreeMap::new(),
            stopped_for: Vec::new(),
            asked: BTreeMap::new(),
            decisions: Vec::new(),
            errors: Vec::new(),
            updated_at: folder.run.created_at,
        }
    }

    /// The state after the whole log.
    pub(crate) fn of(folder: &'a RunFolder) -> Self {
        let mut progress = Self::new(folder);
        folder.log.iter().for_each(|entry| progress.add(entry));
        progress
    }

    /// Calls `seen` with the state before the first entry of the log, and then after each entry.
    pub(super) fn each(folder: &'a RunFolder, mut seen: impl FnMut(&Self, Option<&RunLogEntry>)) {
        let mut progress = Self::new(folder);
        seen(&progress, None);
        for entry in &folder.log {
            progress.add(entry);
            seen(&progress, Some(entry));
        }
    }

    /// How many issues wait until someone chooses or reviews a plan, and has it executed. `status` is that of an issue now.
    pub(crate) fn waiting_count(&self, mut status: impl FnMut(&IssueId) -> Option<IssueStatus>) -> usize {
        let waiting = self.issues.iter().filter(|issue| issue.is_waiting());
        waiting.filter(|issue| status(issue.id).is_none_or(is_before_execution)).count()
    }

    /// The issues for which someone chose a plan since the run asked for that. `status` is that of an issue now.
    pub(crate) fn chosen_since(
        &self,
        mut status: impl FnMut(&IssueId) -> Option<IssueStatus>,
    ) -> BTreeSet<IssueId> {
        let chosen = self.issues.iter().filter(|issue| issue.waits_for_choice());
        let since = chosen.filter(|issue| !status(issue.id).is_none_or(is_unplanned));
        since.map(|issue| issue.id.clone()).collect()
    }

    /// Whether work of any issue was merged into the branch of the run.
    pub(crate) fn has_integrated(&self) -> bool {
        self.actions.iter().any(|action| action.action == RunStep::Integrate && action.skipped.is_none())
    }

    fn add(&mut self, entry: &'a RunLogEntry) {
        self.updated_at = self.updated_at.max(entry.at);
        match &entry.event {
            RunEvent::Phase(reached) => {
                self.status = reached.status;
                self.phase = reached.phase;
                self.driver = reached.driver.as_deref().or(self.driver);
                self.confinement = reached.confinement.as_deref().or(self.confinement);
                self.budget = reached.budget.as_ref().or(self.budget);
                self.stopped_by = reached.stopped.filter(|stopped| *stopped).map(|_| entry.actor.as_str());
                if reached.driver.is_some() {
                    for issue in std::mem::take(&mut self.stopped_for) {
                        *self.granted.entry(issue).or_default() += 1;
                    }
                }
                let error = reached.error.as_ref();
                self.errors.extend(error.map(|error| (entry.at, Wrong::Run(reached.phase, error))));
            }
            RunEvent::Issue(reached) => {
                self.asked.remove(&reached.issue_id);
                if let Some(issue) = self.issue_mut(&reached.issue_id) {
                    issue.reach(reached, entry.at);
                }
            }
            RunEvent::Action(done) => {
                if let Some(issue) = &done.issue_id {
                    self.in_vain.remove(&(done.action, issue));
                    if let Some(issue) = self.issue_mut(issue) {
                        issue.actions.push(done);
                    }
                }
                self.taken_count += usize::from(done.skipped.is_none());
                self.actions.push(done);
            }
            RunEvent::Setback(setback) => {
                if let Some(issue) = &setback.issue_id {
                    *self.in_vain.entry((setback.action, issue)).or_default() += 1;
                    if let Some(issue) = self.issue_mut(issue) {
                        issue.setbacks.push(setback);
                    }
                }
                self.setbacks.push(setback);
                self.errors.push((entry.at, Wrong::Step(setback)));
            }
            RunEvent::Spent(spent) => {
                if let Some(issue) = spent.issue_id.as_ref().and_then(|issue| self.issue_mut(issue)) {
                    issue.spent.push(spent);
                }
            }
            RunEvent::Breach(breach) => self.breaches.push(breach),
            RunEvent::Order(order) => self.budget = order.budget.as_ref().or(self.budget),
            RunEvent::Limited(_) => {}
            RunEvent::Question(asked) => {
                self.asked.insert(&asked.issue_id, false);
            }
            // Another answer came before it.
            RunEvent::Decision(decided) if self.asked.get(&decided.issue_id) == Some(&true) => {}
            RunEvent::Decision(decided) => {
                if let Some(is_answered) = self.asked.get_mut(&decided.issue_id) {
                    *is_answered = true;
                }
                match decided.choice {
                    Choice::Retry => *self.granted.entry(&decided.issue_id).or_default() += 1,
                    Choice::Abort => self.stopped_for.push(&decided.issue_id),
                    Choice::Skip => {}
                }
                self.decisions.push(decided);
            }
        }
    }

    /// The last attempt at a step of an issue that failed.
    pub(crate) fn last_setback(&self, issue: &IssueId) -> Option<&'a Setback> {
        self.issue(issue)?.setbacks.last().copied()
    }

    /// The steps that were skipped and not taken later.
    pub(crate) fn left_out(&self) -> Vec<SkippedStep> {
        let (mut later, mut left_out) = (BTreeSet::new(), Vec::new());
        for action in self.actions.iter().rev() {
            if later.insert((action.action, &action.issue_id))
                && let Some(why) = action.skipped.clone()
            {
                left_out.push(SkippedStep { action: action.action, issue_id: action.issue_id.clone(), why });
            }
        }
        left_out.reverse();
        left_out
    }

    /// One of its issues.
    pub(crate) fn issue(&self, id: &IssueId) -> Option<&IssueProgress<'a>> {
        self.places.get(id).map(|n| &self.issues[*n])
    }

    fn issue_mut(&mut self, id: &IssueId) -> Option<&mut IssueProgress<'a>> {
        self.places.get(id).map(|n| &mut self.issues[*n])
    }

    /// How many times a step was taken for an issue.
    pub(crate) fn taken(&self, step: RunStep, issue: &IssueId) -> usize {
        self.issue(issue).map_or(0, |issue| issue.taken(step).count())
    }

    /// How many times an agent was asked for a step of an issue, whether or not it succeeded.
    pub(crate) fn attempts(&self, step: RunStep, issue: &IssueId) -> usize {
        let setbacks = self.issue(issue).into_iter().flat_map(|issue| &issue.setbacks);
        self.taken(step, issue) + setbacks.filter(|setback| setback.action == step).count()
    }

    /// How many times someone chose to retry the execution of an issue, or resumed a run that was stopped because of
    /// it.
    pub(crate) fn granted(&self, issue: &IssueId) -> u64 {
        self.granted.get(issue).copied().unwrap_or(0)
    }

    /// How many attempts at a step of an issue failed since the step was last taken.
    pub(crate) fn failed_since_taken(&self, step: RunStep, issue: &IssueId) -> usize {
        self.in_vain.get(&(step, issue)).copied().unwrap_or(0)
    }
}

impl<'a> IssueProgress<'a> {
    /// Each time that a step was taken for it.
    pub(super) fn taken(&self, step: RunStep) -> impl DoubleEndedIterator<Item = &'a ActionDone> {
        self.actions.iter().copied().filter(move |action| action.action == step && action.skipped.is_none())
    }

    /// Why a step was skipped for it and not taken later.
    pub(super) fn skipped(&self, step: RunStep) -> Option<&'a str> {
        self.actions.iter().rfind(|action| action.action == step)?.skipped.as_deref()
    }

    fn reach(&mut self, reached: &'a IssueReached, at: Time) {
        match reached.status {
            IssueStatus::Planned if self.status != IssueStatus::Planned => self.planned_at = Some(at),
            IssueStatus::Executing if self.status != IssueStatus::Executing => self.executed_at = Some(at),
            _ => {}
        }
        self.reached.push((at, reached));
        self.status = reached.status;
        self.error = reached.error.as_ref();
        self.solution_id = reached.solution_id.as_ref().or(self.solution_id);
        self.queue_id = reached.queue_id.as_ref().or(self.queue_id);
        self.item_id = reached.item_id.as_ref().or(self.item_id);
        self.execution_id = reached.execution_id.as_ref().or(self.execution_id);
    }
}

fn is_unplanned(status: IssueStatus) -> bool {
    matches!(status, IssueStatus::Registered | IssueStatus::Planning)
}

fn is_before_execution(status: IssueStatus) -> bool {
    is_unplanned(status) || matches!(status, IssueStatus::Planned | IssueStatus::Queued)
}
