//! Executes a plan: the agent works in its worktree, then the tests of the plan are run, and the execution ends.

use std::cell::Cell;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::along::completed;
use super::job::{
    AgentJob, AnswerTime, NoAnswer, RefusedAnswer, StepOutcome, StepReport as Told, StepResult, VainStep,
    failure, failure_of,
};
use super::leftovers::named;
use super::steps::input;
use super::workplace::StepWorkplace;
use crate::agent::follow_up::{FollowUp, FollowUpReason};
use crate::agent::request::RequestKind;
use crate::model::{
    ActionDone, Check, Code, CommitHash, ExecutionId, ExecutionStatus, Failure, Op, Other, RemedyCall, Usage,
    count, typed,
};
use crate::ops::issues::existing_outline;
use crate::ops::trail::{Relink, relink};
use crate::ops::work::unfinished::are_committed;
use crate::ops::work::{self, Built, Complete, ExecutorReport, Then};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::run::completes;
use crate::rules::unbegun::unbegun;
use crate::rules::{ExecutionFolder, Role};
use crate::store::{ObjectId, Tx, object_id};

/// The type of failure if changes are not committed.
pub(super) const COMMIT_FAILED: &str = "commit_failed";
/// An execution by an agent.
pub(super) struct AgentExecution {
    /// It.
    pub(super) id: ExecutionId,
    /// Whether it began before the run was interrupted, and left nothing uncommitted.
    pub(super) may_be_done: bool,
}

/// Has a plan executed.
pub(super) fn execute(job: &AgentJob, execution: &AgentExecution) -> StepOutcome {
    let session = match job.session() {
        Ok(session) => session,
        Err(refusal) => return StepOutcome::Gave(job.refused(&refusal)),
    };
    let carrying = AgentWork::new(job, execution, &session);
    // After a kill that followed the last commit, only the end is missing.
    if execution.may_be_done && carrying.is_all_there() {
        match carrying.finish(None, AnswerTime::default()) {
            Ok(()) => {
                let completed = StepResult::Completed(execution.id.clone());
                return StepOutcome::done(completed, AnswerTime::default());
            }
            // An agent that had not ended its turn goes on with it.
            Err(NoAnswer::Failed(failure)) if job.had_answered() => {
                carrying.tell_failed_test(&failure);
            }
            Err(_) => {}
        }
    }
    // The issue waits then, as before its execution began.
    if let Some(why) = job.over_budget(&Usage::default()) {
        let run = RemedyCall::new(Op::Run, [&job.issue]).option("issue-budget", "AMOUNT");
        return carrying.give_back(&Refusal::new(Code::Budget, why).remedy(run, "continues it"));
    }
    let carried_out = carrying.carry_out();
    job.record_sessions();
    match carried_out {
        Ok(spent) => StepOutcome::done(StepResult::Completed(execution.id.clone()), spent),
        Err(NoAnswer::Stopped) if job.stops.is_of_issue() => {
            carrying.give_back(&job.lost_run().unwrap_or_else(stopped_by_person))
        }
        Err(NoAnswer::Stopped) => StepOutcome::Stopped,
        // Nothing is wrong with the work.
        Err(NoAnswer::Refused(refusal)) if refusal.is_passing() => {
            let end = carrying.is_done.get().then_some(ExecutionStatus::Completed);
            let unrecorded = job.unrecorded(&refusal, end);
            StepOutcome::Gave(VainStep { unrecorded, ..VainStep::of_run(failure_of(&refusal)) })
        }
        // The agent did something to its workplace.
        Err(NoAnswer::Refused(refusal)) if refusal.code == Code::WorkplaceChanged => {
            carrying.fail(failure_of(&refusal))
        }
        Err(NoAnswer::Refused(refusal)) => carrying.give_back(&refusal),
        Err(NoAnswer::Failed(failure)) => carrying.fail(failure),
    }
}

impl AgentJob {
    /// Adds the issue and the plan to the input, for an agent that may run no command to read them.
    pub(super) fn add_plan(&self, input: &mut Value) -> Result<(), Refusal> {
        let Some(id) = &self.execution else { return Ok(()) };
        let session = self.session()?;
        let store = session.store();
        let outline = existing_outline(&store.snapshot()?, &id.issue())?;
        let Some(folder) = outline.executions.iter().find(|folder| folder.execution.id == *id) else {
            return Ok(());
        };
        let plan = work::as_stored(store, &folder.execution)?.plan;
        if let (Some(members), Ok(plan)) = (input.as_object_mut(), typed::to_value(&plan)) {
            let issue = &outline.issue.record;
            let issue = json!({ "id": issue.id, "title": issue.title, "context": issue.context });
            members.extend([("issue".to_owned(), issue), ("plan".to_owned(), plan)]);
        }
        Ok(())
    }
}

pub(super) struct AgentWork<'a> {
    pub(super) job: &'a AgentJob,
    pub(super) execution: &'a AgentExecution,
    pub(super) session: &'a Session,
    /// Whether the work is complete, and only its end is missing.
    is_done: Cell<bool>,
    /// Whether a test of the plan failed on what was committed last.
    has_failed_test: Cell<bool>,
    /// Whether the agent was told of a failed test.
    is_told: Cell<bool>,
}

impl<'a> AgentWork<'a> {
    /// The work of an agent on an execution.
    pub(super) fn new(job: &'a AgentJob, execution: &'a AgentExecution, session: &'a Session) -> Self {
        let [is_done, has_failed_test, is_told] = Default::default();
        Self { job, execution, session, is_done, has_failed_test, is_told }
    }
}

impl AgentWork<'_> {
    /// The agent's part, and the end. If a test fails, the agent is told once before that is recorded.
    fn carry_out(&self) -> Result<AnswerTime, NoAnswer> {
        self.tests(self.session)?;
        let input = input(self.session, self.execution.id.as_str(), Role::Executor)?;
        self.job.enter()?;
        match self.build(&input) {
            Err(NoAnswer::Failed(failure)) if self.tell_failed_test(&failure) => self.build(&input),
            built => built,
        }
    }

    /// Tells the agent of a failed test when it is asked next, unless it was told of one before, or cannot be asked on. Returns
    /// whether it is told.
    fn tell_failed_test(&self, failure: &Failure) -> bool {
        let is_told = self.has_failed_test.get()
            && !self.is_told.get()
            && self.job.can_be_asked_on()
            && !self.job.is_over_budget(&Usage::default());
        if is_told {
            self.is_told.set(true);
            let faults = failure.message.iter().cloned().collect();
            let (kind, reason) = (RequestKind::Build, FollowUpReason::FailedTest);
            self.job.tell_next(FollowUp::new(kind, Role::Executor, reason, faults));
            let note = "a test failed, and its agent was told";
            self.job.report(Told::Noted(self.job.issue.clone(), note.to_owned()));
        }
        is_told
    }

    /// Lets the agent work, and completes the execution.
    fn build(&self, input: &Value) -> Result<AnswerTime, NoAnswer> {
        self.job.ask::<Built, AnswerTime>(RequestKind::Build, input, |reply| {
            let spent = AnswerTime { took_ms: u64::try_from(reply.took.as_millis()).unwrap_or(u64::MAX) };
            match reply.answer {
                Built::Failed(failure) => Err(RefusedAnswer::NoAnswer(NoAnswer::Failed(failure))),
                Built::Completed(report) => {
                    let finished = self.finish(Some(*report), spent);
                    let keep = |refusal: &Refusal| {
                        self.job.keep_answer("report", &reply.value, refusal, |file| {
                            vec![(completes(&self.job.issue, Some(file)), "tests it again and completes it")]
                        });
                    };
                    match &finished {
                        Err(NoAnswer::Refused(refusal)) => keep(refusal),
                        Err(NoAnswer::Stopped) => keep(&stopped()),
                        Err(NoAnswer::Failed(_)) | Ok(()) => {}
                    }
                    finished.map(|()| spent).map_err(RefusedAnswer::NoAnswer)
                }
            }
        })
    }

    /// Runs the tests and completes the execution.
    fn finish(&self, report: Option<ExecutorReport>, spent: AnswerTime) -> Result<(), NoAnswer> {
        self.is_done.set(false);
        self.has_failed_test.set(false);
        if report.as_ref().is_some_and(ExecutorReport::has_failed_tests) {
            return Err(NoAnswer::Failed(failure("test_failure", "the agent reported failing tests", "")));
        }
        self.refuse_refused()?;
        let aside = self.set_aside()?;
        let checks = self.test(&aside).inspect_err(|vain| {
            self.has_failed_test.set(matches!(vain, NoAnswer::Failed(_)));
        })?;
        if self.job.stops.is_of_issue() {
            return Err(NoAnswer::Stopped);
        }
        let made = self.made()?;
        // In the name of whoever did the work.
        let session = &self.job.session()?;
        let item = Some(self.execution.id.to_string());
        let sessions = self.job.unrecorded_sessions();
        let then = Then::Nothing;
        let complete = Complete { item, report, made, checks, sessions, then, ..Complete::default() };
        self.is_done.set(true);
        let id = self.execution.id.clone();
        let events = move |tx: &Tx<'_>, done: &ActionDone| completed(tx, done, &id);
        match self.job.log_along(session, spent, events, || work::complete(session, &complete)) {
            Ok(_) => {}
            Err(refusal) if self.job.is_logged() => {
                self.job.warn("it is completed, but not all that comes after was done", &refusal.message);
            }
            Err(refusal) => return Err(self.not_completed(refusal, &complete.checks)),
        }
        self.job.sessions_are_recorded();
        Ok(())
    }

    /// Why the work is not completed. The results of its tests are recorded all the same.
    fn not_completed(&self, refusal: Refusal, checks: &[Check]) -> NoAnswer {
        if let Err(unrecorded) = self.record_checks(checks) {
            // Nothing says that the work is complete.
            self.is_done.set(false);
            self.job.warn("the results of its tests are not recorded", &unrecorded.message);
        }
        match refusal.code {
            Code::Uncommitted => {
                let error_type = Some(COMMIT_FAILED.into());
                NoAnswer::Failed(Failure { error_type, ..failure_of(&refusal) })
            }
            // The agent did too little, or reports something else.
            Code::FailedCheck
            | Code::InProgress
            | Code::NoCommit
            | Code::NoEvidence
            | Code::OtherPlan
            | Code::ResultDiffers => NoAnswer::Failed(failure_of(&refusal)),
            _ => refusal.into(),
        }
    }

    fn record_checks(&self, checks: &[Check]) -> Result<(), Refusal> {
        match self.folder()? {
            Some(folder) => work::record_checks(&self.job.session()?, &folder.execution, checks),
            None => Ok(()),
        }
    }

    /// Links the agent's commits with this attempt, if the last one is not linked: the hooks' records may be lost.
    pub(super) fn find_links(&self) -> Result<(), Refusal> {
        let store = self.session.store();
        let issue = existing_outline(&store.snapshot()?, &self.execution.id.issue())?;
        let execution = issue.executions.iter().find(|it| it.execution.id == self.execution.id);
        let Some(head) = store.head()?.map(CommitHash::from) else { return Ok(()) };
        if execution.is_some_and(|it| it.known_commits().any(|hash| *hash == head))
            || head == self.job.guard.bounds().base
        {
            return Ok(());
        }
        let range = Some(format!("{}..{head}", self.job.guard.bounds().base));
        let only = Some(self.execution.id.clone());
        relink(self.session, &Relink { range, dry_run: false, only }).map(drop)
    }

    /// The commits on the branch of the execution since it began: nobody else works there, whether hooks link commits here
    /// or not. None if the agent has left that branch.
    pub(super) fn made(&self) -> Result<Vec<ObjectId>, Refusal> {
        let store = self.session.store();
        if store.branch()? != self.job.guard.bounds().branch {
            return Ok(vec![]);
        }
        let base = object_id(self.job.guard.bounds().base.as_str());
        let (Some(base), Some(head)) = (base, store.head()?) else { return Ok(vec![]) };
        let made = store.parents_first(&[head], Some(base))?.into_iter();
        Ok(made.filter(|(_, parents)| parents.len() < 2).map(|(commit, _)| commit).collect())
    }

    /// Refuses to complete if the commits of the agent were not taken.
    fn refuse_refused(&self) -> Result<(), NoAnswer> {
        let place = self.job.workplace.borrow();
        let refused = place.as_ref().map(|place| place.refused.as_slice()).unwrap_or_default();
        let Some(first) = refused.first() else { return Ok(()) };
        let why: Vec<&str> = refused.iter().map(|refused| refused.why.as_str()).collect();
        Err(NoAnswer::Failed(failure(first.fault.as_str(), &why.join("; "), "")))
    }

    /// Refuses to go on if its commits were not taken, or if something is not committed.
    pub(super) fn refuse_unfinished(&self) -> Result<(), NoAnswer> {
        self.refuse_refused()?;
        self.set_aside().map(drop)
    }

    /// Keeps untracked files on a branch and returns them: the tests see only what is committed, since a file that was never
    /// added would make them pass here and fail everywhere else. With changes of tracked files, and with new files that the
    /// plan names, the execution cannot be completed.
    fn set_aside(&self) -> Result<Vec<String>, NoAnswer> {
        let place = self.job.workplace.borrow();
        let Some(place) = place.as_ref() else { return Ok(vec![]) };
        let changes = place.uncommitted()?;
        self.refuse_uncommitted(place, &changes)?;
        let untracked: Vec<String> =
            changes.iter().filter_map(|line| line.strip_prefix("?? ")).map(str::to_owned).collect();
        if untracked.is_empty() {
            return Ok(vec![]);
        }
        let (files, named) = (count(untracked.len(), "file"), named(&untracked));
        let where_to = match place.keep(self.session, &self.execution.id) {
            Ok(Some(branch)) => format!("now on the branch {branch}: {named}"),
            Ok(None) => return Ok(vec![]),
            Err(refusal) if refusal.code != Code::WorkplaceChanged => return Err(refusal.into()),
            Err(refusal) => format!("and lost: {named} ({})", refusal.message),
        };
        let message = format!("{}: {files} not committed, {where_to}", self.job.issue);
        self.job.report(Told::Noticed(Notice::warning(message)));
        Ok(untracked)
    }

    /// Refuses to complete with uncommitted changes of tracked files, and without files that the plan names.
    fn refuse_uncommitted(&self, place: &StepWorkplace, changes: &[String]) -> Result<(), NoAnswer> {
        let tracked = changes.iter().filter(|line| !line.starts_with("??"));
        let mut lines: Vec<String> =
            tracked.map(|line| format!("{} has changes", line.get(3..).unwrap_or(line))).collect();
        let planned = &self.job.guard.bounds().named;
        // If there are no changes, nothing untracked is at the path of a committed file.
        let is_in_doubt = !planned.is_empty() && (!lines.is_empty() || !self.are_committed(planned)?);
        if is_in_doubt {
            let found = place.workplace.untracked_below(planned.iter().map(String::as_str));
            for line in found.map_err(Refusal::from)? {
                let path = line.get(3..).unwrap_or_default();
                if line.starts_with("??") {
                    lines.push(format!("{path} is in the plan but not committed"));
                } else if planned.contains(path) {
                    lines.push(format!("{path} is in the plan but ignored by git"));
                }
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        let what = format!("the work tree has uncommitted work in {}", count(lines.len(), "file"));
        Err(NoAnswer::Failed(failure(COMMIT_FAILED, &what, &named(&lines))))
    }

    fn are_committed(&self, paths: &BTreeSet<String>) -> Result<bool, Refusal> {
        Ok(are_committed(self.session.store(), paths.iter().map(String::as_str))?)
    }

    /// Whether each task has a commit. What an agent left in its workplace was handed in before.
    fn is_all_there(&self) -> bool {
        let look = || -> Result<bool, Refusal> {
            // The run links them once it has tested them.
            self.find_links()?;
            let store = self.session.store();
            let Some(folder) = self.folder()? else { return Ok(false) };
            let plan = work::as_stored(store, &folder.execution)?.typed_plan();
            let commits = folder.work();
            let is_begun = unbegun(&plan, &folder.log, &commits, &[]).is_empty();
            Ok(!commits.is_empty() && is_begun)
        };
        look().unwrap_or(false)
    }

    /// The execution with its log.
    fn folder(&self) -> Result<Option<ExecutionFolder>, Refusal> {
        let issue = existing_outline(&self.session.store().snapshot()?, &self.execution.id.issue())?;
        Ok(issue.executions.into_iter().find(|it| it.execution.id == self.execution.id))
    }
}

/// Why an execution does not go on if someone told the run to stop the work on its issue.
fn stopped_by_person() -> Refusal {
    Refusal::new(Code::Stopped, "someone stopped it").remedy(Op::Run, "starts it again")
}

/// Why a report is not recorded if the run was stopped.
fn stopped() -> Refusal {
    Refusal::new(Code::Interrupted, "the run was stopped").remedy(Other::RunResume, "continues it")
}
