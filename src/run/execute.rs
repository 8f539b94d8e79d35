//! Executes a plan: the agent works in its worktree, then the tests of the plan are run, and the execution ends.

use std::cell::Cell;

use super::job::{
    AgentJob, NoAnswer, RefusedAnswer, Spent, StepOutcome, StepReport as Told, VainStep, failure, failure_of,
};
use super::leftovers::{keep_commit, named};
use super::steps::input;
use super::workplace::StepWorkplace;
use crate::agent::request::RequestKind;
use crate::git::Revisions;
use crate::model::branch::Branch;
use crate::model::code::Code;
use crate::model::execution::Failure;
use crate::model::hash::CommitHash;
use crate::model::id::ExecutionId;
use crate::model::op::Other;
use crate::model::run_log::Unrecorded;
use crate::model::status::ExecutionStatus;
use crate::model::words::count;
use crate::ops::issues::existing_outline;
use crate::ops::trail::{Relink, relink};
use crate::ops::work::{self, Built, Complete, ExecutorReport, Fail, FailureReport, ReleaseLease, Then};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::folder::ExecutionFolder;
use crate::rules::roles::Role;
use crate::rules::run::{completes, fails, releases};
use crate::rules::unbegun::unbegun;
use crate::store::{ObjectId, object_id};

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
    let carrying = Carrying::new(job, execution, &session);
    // After a kill that followed the last commit, only the end is missing.
    if execution.may_be_done && carrying.is_all_there() && carrying.finish(None).is_ok() {
        return StepOutcome::Completed(execution.id.clone(), Spent::default());
    }
    match carrying.carry_out() {
        Ok(spent) => StepOutcome::Completed(execution.id.clone(), spent),
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

pub(super) struct Carrying<'a> {
    pub(super) job: &'a AgentJob,
    pub(super) execution: &'a AgentExecution,
    pub(super) session: &'a Session,
    /// Whether the work is complete, and only its end is missing.
    is_done: Cell<bool>,
}

impl<'a> Carrying<'a> {
    /// The work of an agent on an execution.
    pub(super) fn new(job: &'a AgentJob, execution: &'a AgentExecution, session: &'a Session) -> Self {
        Self { job, execution, session, is_done: Cell::new(false) }
    }
}

impl Carrying<'_> {
    /// The agent's part, and the end.
    fn carry_out(&self) -> Result<Spent, NoAnswer> {
        self.tests()?;
        let input = input(self.session, self.execution.id.as_str(), Role::Executor)?;
        self.job.enter()?;
        self.job.ask::<Built, Spent>(RequestKind::Build, &input, |reply| {
            let spent = Spent { took_ms: u64::try_from(reply.took.as_millis()).unwrap_or(u64::MAX) };
            match reply.answer {
                Built::Failed(failure) => Err(RefusedAnswer::NoAnswer(NoAnswer::Failed(failure))),
                Built::Completed(report) => {
                    let finished = self.finish(Some(*report));
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
    fn finish(&self, report: Option<ExecutorReport>) -> Result<(), NoAnswer> {
        self.is_done.set(false);
        if report.as_ref().is_some_and(ExecutorReport::has_failed_tests) {
            return Err(NoAnswer::Failed(failure("test_failure", "the agent reported failing tests", "")));
        }
        self.refuse_refused()?;
        let aside = self.set_aside()?;
        self.test(&aside)?;
        let made = self.made()?;
        let item = Some(self.execution.id.to_string());
        let complete = Complete { item, report, made, then: Then::Nothing, ..Complete::default() };
        self.is_done.set(true);
        work::complete(self.session, &complete).map_err(|refusal| match refusal.code {
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
        })?;
        Ok(())
    }

    /// Links the agent's commits with this attempt, if the last one is not linked: the hooks' records may be lost.
    fn find_links(&self) -> Result<(), Refusal> {
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
    fn made(&self) -> Result<Vec<ObjectId>, Refusal> {
        let store = self.session.store();
        if store.branch()? != self.job.guard.bounds().branch {
            return Ok(vec![]);
        }
        let base = object_id(self.job.guard.bounds().base.as_str());
        let (Some(base), Some(head)) = (base, store.head()?) else { return Ok(vec![]) };
        let range = Revisions::of(head).without(base).no_merges().oldest_first();
        Ok(store.git().revisions(range)?)
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
        if !planned.is_empty() {
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

    /// Whether each task has a commit, and nothing is left uncommitted.
    fn is_all_there(&self) -> bool {
        let look = || -> Result<bool, Refusal> {
            let store = self.session.store();
            let Some(folder) = self.folder()? else { return Ok(false) };
            let plan = work::as_stored(store, &folder.execution)?.typed_plan();
            let commits = folder.work();
            let is_begun = unbegun(&plan, &folder.log, &commits, &[]).is_empty();
            Ok(!commits.is_empty() && is_begun && store.git().uncommitted()?.is_empty())
        };
        look().unwrap_or(false)
    }

    /// The execution with its log.
    fn folder(&self) -> Result<Option<ExecutionFolder>, Refusal> {
        let issue = existing_outline(&self.session.store().snapshot()?, &self.execution.id.issue())?;
        Ok(issue.executions.into_iter().find(|it| it.execution.id == self.execution.id))
    }

    /// The run itself cannot go on with the execution. The claim is given back, so that nobody takes this for a failure of
    /// the agent or the plan. The failure says where the work is.
    fn give_back(&self, refusal: &Refusal) -> StepOutcome {
        // The refusal matters more.
        let _ = self.find_links();
        let failure = self.with_place(failure_of(refusal));
        let release = ReleaseLease { item: Some(self.execution.id.to_string()), force: None };
        let unrecorded = match work::release(self.session, &release) {
            Ok(_) => None,
            Err(refusal) if refusal.is_stop() => return StepOutcome::Stopped,
            // Someone has taken it away.
            Err(refusal) if refusal.code == Code::NotExecuting => None,
            Err(refusal) => {
                let (issue, why) = (&self.job.issue, &refusal.message);
                let what = format!("{issue}: its claim could not be given back: {why}");
                let notice = Notice::warning(what).remedy(releases(issue), "gives it up");
                self.job.report(Told::Noticed(notice));
                Some(Unrecorded::default())
            }
        };
        StepOutcome::Gave(VainStep { unrecorded, ..VainStep::of_run(failure) })
    }

    /// Keeps the work on a branch. Returns the failure with the place of the work.
    fn with_place(&self, failure: Failure) -> Failure {
        let place = match self.kept() {
            Ok(Some(branch)) => format!("its work is on the branch {branch}"),
            Ok(None) => return failure,
            Err(refusal) => match self.left_there() {
                Some(place) if refusal.code != Code::WorkplaceChanged => {
                    format!("its work is only in the workplace {place}")
                }
                _ => format!("its work is lost: {}", refusal.message),
            },
        };
        let message = failure.message.unwrap_or_default();
        let gap = if message.contains('\n') { '\n' } else { ' ' };
        Failure { message: Some(format!("{message}{gap}({place})")), ..failure }
    }

    /// Lets the workplace stay until the next attempt; its path relative to the repository, `../code-RUN-…/SOL-…`, since records
    /// contain no absolute paths.
    fn left_there(&self) -> Option<String> {
        let place = self.job.workplace.borrow();
        let workplace = &place.as_ref()?.workplace;
        workplace.note_needed().ok()?;
        let (folder, name) = (workplace.folder.parent()?.file_name()?, workplace.folder.file_name()?);
        Some(format!("../{}/{}", folder.to_string_lossy(), name.to_string_lossy()))
    }

    /// Ends the execution as failed, keeping its work on a branch.
    fn fail(&self, failure: Failure) -> StepOutcome {
        // The record names the commits of a failed attempt as well, whether hooks linked them or not.
        let made = self.made_in_vain();
        let mut failure = self.with_place(failure);
        let session = self.session;
        let end = |failure: &Failure, made: &[ObjectId]| {
            let fail = Fail {
                item: Some(self.execution.id.to_string()),
                why: FailureReport { failure: failure.clone(), solution_id: None },
                report: None,
                made: made.to_vec(),
                then: Then::Nothing,
                force: None,
            };
            work::fail(session, &fail)
        };
        let failed = end(&failure, &made).or_else(|refusal| match refusal.code {
            // An agent may name a task that does not exist.
            Code::NotFound => {
                let without = Failure { task_id: None, ..failure.clone() };
                end(&without, &made).or_else(|_| end(&without, &[]))
            }
            // It may have made a commit that cannot be read.
            _ if !made.is_empty() && !refusal.is_passing() => end(&failure, &[]),
            _ => Err(refusal),
        });
        match failed {
            Ok(_) => StepOutcome::Failed(failure),
            Err(refusal) if refusal.is_stop() => StepOutcome::Stopped,
            Err(refusal) => {
                let message = failure.message.take().unwrap_or_default();
                let (issue, why) = (&self.job.issue, &refusal.message);
                let what = format!("{issue}: the end of its execution could not be recorded: {why}");
                let notice = Notice::warning(what).remedy(fails(issue), "records that it failed");
                self.job.report(Told::Noticed(notice));
                failure.message = Some(format!("{message}; the end could not be recorded: {why}"));
                let unrecorded = self.job.unrecorded(&refusal, Some(ExecutionStatus::Failed));
                StepOutcome::Gave(VainStep { unrecorded, ..VainStep::of_agent(failure) })
            }
        }
    }

    /// The commits of a failed attempt, as far as they can be read.
    fn made_in_vain(&self) -> Vec<ObjectId> {
        self.made().unwrap_or_default()
    }

    /// The branch that keeps the work; `None` if there is no work.
    fn kept(&self) -> Result<Option<Branch>, Refusal> {
        let place = self.job.workplace.borrow();
        let kept = place.as_ref().map_or(Ok(None), |place| place.keep(self.session, &self.execution.id))?;
        let store = self.session.store();
        let base = &self.job.guard.bounds().base;
        match store.head()? {
            Some(head) if kept.is_none() && CommitHash::from(head) != *base => {
                keep_commit(store, &self.execution.id, head).map(Some)
            }
            _ => Ok(kept),
        }
    }
}

/// Why a report is not recorded if the run was stopped.
fn stopped() -> Refusal {
    Refusal::new(Code::Interrupted, "the run was stopped").remedy(Other::RunResume, "continues it")
}
