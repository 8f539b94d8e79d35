//! How an execution ends that is not completed: its work is kept, and its claim given back or its failure recorded.

use super::execute::AgentWork;
use super::job::{StepOutcome, StepReport as Told, VainStep, failure_of};
use super::leftovers::keep_commit;
use crate::model::{Branch, Code, CommitHash, ExecutionStatus, Failure, Unrecorded};
use crate::ops::work::{self, Fail, FailureReport, ReleaseLease, Then};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::run::{fails, releases};
use crate::store::ObjectId;

impl AgentWork<'_> {
    /// The run itself cannot go on with the execution. The claim is given back, so that nobody takes this for a failure of
    /// the agent or the plan. The failure says where the work is.
    pub(super) fn give_back(&self, refusal: &Refusal) -> StepOutcome {
        // The refusal matters more.
        let _ = self.find_links();
        let failure = self.with_place(failure_of(refusal));
        let release = ReleaseLease { item: Some(self.execution.id.to_string()), force: None };
        let released = self.own_session().and_then(|session| work::release(&session, &release));
        let unrecorded = match released {
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

    /// A session that gives the claim back: it belongs to this clone, whoever drives the run now.
    fn own_session(&self) -> Result<Session, Refusal> {
        let identity = self.job.identity.on_its_own();
        match &self.job.claim {
            Some(claim) => identity.at(claim),
            None => identity.shared_session(),
        }
    }

    /// Keeps the work on a branch. Returns the failure with the place of the work.
    fn with_place(&self, failure: Failure) -> Failure {
        let place = match self.kept() {
            Ok(Some(branch)) => format!("its work is on the branch {branch}"),
            Ok(None) => return failure,
            // Nothing of what is there may be kept, so the workplace goes.
            Err(refusal) if refusal.code == Code::WorkplaceChanged => self.lost(&refusal),
            Err(refusal) => match self.left_there() {
                Some(place) => format!("its work is only in the workplace {place}"),
                None => self.lost(&refusal),
            },
        };
        let message = failure.message.unwrap_or_default();
        let gap = if message.contains('\n') { '\n' } else { ' ' };
        Failure { message: Some(format!("{message}{gap}({place})")), ..failure }
    }

    /// What is lost because files cannot be kept.
    fn lost(&self, refusal: &Refusal) -> String {
        let why = &refusal.message;
        match self.kept_commits() {
            Ok(Some(branch)) => {
                format!("its commits are on the branch {branch}; what it did not commit is lost: {why}")
            }
            _ => format!("its work is lost: {why}"),
        }
    }

    /// Lets the workplace stay until the next attempt, with a git directory of this program; its path relative to the repository, `../code-RUN-…/SOL-…`, since records
    /// contain no absolute paths.
    fn left_there(&self) -> Option<String> {
        let place = self.job.workplace.borrow();
        let workplace = &place.as_ref()?.workplace;
        // If there is no such git directory, the workplace must not stay.
        workplace.replace_git_dir(self.session.store()).ok()?;
        workplace.note_needed().ok()?;
        let (folder, name) = (workplace.folder.parent()?.file_name()?, workplace.folder.file_name()?);
        Some(format!("../{}/{}", folder.to_string_lossy(), name.to_string_lossy()))
    }

    /// Ends the execution as failed, keeping its work on a branch.
    pub(super) fn fail(&self, failure: Failure) -> StepOutcome {
        // The record names the commits of a failed attempt as well, whether hooks linked them or not.
        let made = self.made_in_vain();
        let mut failure = self.with_place(failure);
        // In the name of whoever did the work.
        let acting = self.job.session();
        let session = acting.as_ref().unwrap_or(self.session);
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
        match place.as_ref().map_or(Ok(None), |place| place.keep(self.session, &self.execution.id))? {
            Some(branch) => Ok(Some(branch)),
            None => self.kept_commits(),
        }
    }

    /// The branch that keeps the commits that were taken; `None` if there are none.
    fn kept_commits(&self) -> Result<Option<Branch>, Refusal> {
        let store = self.session.store();
        match store.head()? {
            Some(head) if CommitHash::from(head) != self.job.guard.bounds().base => {
                keep_commit(store, &self.execution.id, head).map(Some)
            }
            _ => Ok(None),
        }
    }
}
