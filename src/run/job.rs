//! A step that an agent takes on its own thread: its input, and its result.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::along::{Along, log_along};
use super::asking::{UnrecordedSession, WorkClock};
use super::landing::{EndedLanding, OwnLandings};
use super::limits::AgentLimits;
use super::sessions::SessionNote;
use super::spending::UnrecordedWork;
use super::stops::RunStops;
use super::workplace::{StepSite, StepWorkplace};
use crate::agent::answer::{AnswerKind, CommonMembers};
use crate::agent::definition::Agent;
use crate::agent::follow_up::FollowUp;
use crate::agent::guard::AgentGuard;
use crate::agent::request::{Request, RequestKind};
use crate::agent::talk::AgentReply;
use crate::model::{
    ActionDone, Breach, ExecutionId, ExecutionStatus, Failure, IssueId, Learned, Limited, RemedyCall, Run,
    RunEvent, RunLogEntry, RunStep, Setback, SolutionId, TaskId, Unrecorded, Usage, hex,
};
use crate::ops::work::asking::{Again, Asking};
use crate::ops::work::runs::paths::{AgentIdentity, transcript_name};
use crate::ops::{Notice, Refusal, Session, plans};
use crate::rules::Role;
use crate::store::Tx;
use crate::workplace::Confinement;

pub(super) use super::outcome::{AnswerTime, DoneStep, EndedStep, StepOutcome, StepResult, VainStep};
pub(super) use crate::ops::work::asking::{NoAnswer, RefusedAnswer, failure, failure_end, failure_of};

/// The directory for answers that could not be stored, beside the transcripts.
pub(super) const UNSTORED: &str = "unstored";

/// A step for an agent.
pub(super) struct AgentJob {
    /// The run.
    pub(super) run: Run,
    /// The step.
    pub(super) step: RunStep,
    /// The issue.
    pub(super) issue: IssueId,
    /// The execution, for the executor.
    pub(super) execution: Option<ExecutionId>,
    /// Who takes it.
    pub(super) agent: Agent,
    /// The agents that take over while it is limited, in order.
    pub(super) fallbacks: Vec<Agent>,
    /// The name of the agent that was asked last; that of `agent` before any was.
    pub(super) asked: RefCell<String>,
    /// The names under which the work of all of them is recorded.
    pub(super) actors: BTreeMap<String, String>,
    /// Which agents are limited.
    pub(super) limits: Arc<AgentLimits>,
    /// Where the run itself moves the branch on which it lands.
    pub(super) landings: OwnLandings,
    /// What it is asked about: the id of an issue, a plan or an execution.
    pub(super) about: String,
    /// The note of the session in which it works.
    pub(super) note: SessionNote,
    /// What it is told next, if it can go on in a session.
    pub(super) follow_up: RefCell<Option<FollowUp>>,
    /// A remark about what it left when it was interrupted.
    pub(super) left: Option<String>,
    /// The role in which it acts.
    pub(super) role: Role,
    /// The identity under which its work is recorded.
    pub(super) identity: AgentIdentity,
    /// The worktree that claims the plan, for the executor. The agent does not work there.
    pub(super) claim: Option<PathBuf>,
    /// Where the agent works.
    pub(super) site: StepSite,
    /// Its workplace, once it is made.
    pub(super) workplace: RefCell<Option<StepWorkplace>>,
    /// Whether it is confined to that.
    pub(super) confinement: Confinement,
    /// The hooks of its workplace.
    pub(super) guard: AgentGuard,
    /// The directory of transcripts, one file for each question.
    pub(super) transcripts: PathBuf,
    /// How many earlier attempts failed.
    pub(super) tried: usize,
    /// Where the step reports events.
    pub(super) reports: SyncSender<StepReport>,
    /// How urgently the run is to stop.
    pub(super) stops: Arc<RunStops>,
    /// The agent's usage in this step. That of an executor is in the sessions of the execution.
    pub(super) usage: RefCell<Usage>,
    /// Since when its agent is at work on what it was asked last.
    pub(super) at_work: Cell<Option<WorkClock>>,
    /// How long its agents worked on what they were asked before; for an executor, the sessions say so. In milliseconds.
    pub(super) worked_ms: Cell<u64>,
    /// The conversations with its agent that the log of the execution does not have yet.
    pub(super) sessions: RefCell<Vec<UnrecordedSession>>,
    /// What the log of the run says of the result of the step already.
    pub(super) logged: RefCell<Vec<RunLogEntry>>,
    /// The file with an answer that could not be stored, as the log of the run names it, and its SHA-256.
    pub(super) kept: RefCell<Option<(String, String)>>,
}

/// What a step reports while it is in progress, and its result.
pub(super) enum StepReport {
    /// The agent works on this task.
    Task(IssueId, TaskId),
    /// The agent wrote something.
    Said(IssueId, String),
    /// An attempt failed, and the agent will be asked again.
    Setback(Setback),
    /// The agent did something that its role may not do.
    Breach(Breach),
    /// A remark about an issue, for which nothing else changes.
    Noted(IssueId, String),
    /// The provider of an agent serves it only later.
    Limited(Limited),
    /// Something else that deserves attention.
    Noticed(Notice),
    /// The step has ended.
    Over(EndedStep),
    /// Work was landed, or could not be.
    Landed(Box<EndedLanding>),
}

impl AgentJob {
    /// Asks the agent, and again if that fails: with more time after a timeout, or with the faults of an invalid
    /// answer. `accept` accepts the answer, or returns its faults.
    pub(super) fn ask<A: AnswerKind, T>(
        &self,
        kind: RequestKind,
        input: &Value,
        mut accept: impl FnMut(AgentReply<A>) -> Result<T, RefusedAnswer>,
    ) -> Result<T, NoAnswer> {
        self.ask_or_less(kind, input, None, |reply, _| accept(reply))
    }

    /// Like [`AgentJob::ask`], with a simpler input for the second attempt, if there is one. `accept` also gets the input.
    pub(super) fn ask_or_less<A: AnswerKind, T>(
        &self,
        kind: RequestKind,
        input: &Value,
        simpler: Option<&Value>,
        mut accept: impl FnMut(AgentReply<A>, &Value) -> Result<T, RefusedAnswer>,
    ) -> Result<T, NoAnswer> {
        let request = Request::new::<A>(kind, self.role, input.clone());
        let asking = Asking { agent: self.agent.clone(), request, simpler, tried: self.tried };
        let once = |agent: &Agent, request: &Request| Ok(self.once::<A>(agent, request)?);
        let learning = |reply: AgentReply<A>, input: &Value| {
            let learned = reply.aside.wisdom.clone();
            let accepted = accept(reply, input);
            if !matches!(accepted, Err(RefusedAnswer::Faults(_))) {
                self.learn(&learned);
            }
            accepted
        };
        let setback = |error: Failure| {
            self.report(StepReport::Setback(Setback {
                action: self.step,
                issue_id: Some(self.issue.clone()),
                agent: Some(self.asked.borrow().clone()),
                error,
                unrecorded: None,
                tokens: None,
                cost: None,
                took_ms: None,
            }));
        };
        asking.ask(once, learning, || self.again(), setback)
    }

    /// Whether the agent is asked once more in this step.
    fn again(&self) -> Again {
        if self.is_stopping() {
            Again::Stopped
        } else if self.is_over_budget(&Usage::default()) {
            Again::No
        } else {
            Again::Yes
        }
    }

    /// Stores what the agent learned. A failure does not stop the work.
    fn learn(&self, learned: &[Learned]) {
        if let (false, Ok(session)) = (learned.is_empty(), self.session())
            && let Err(refusal) = plans::learn(&session, &self.issue, &self.run.id, learned)
        {
            self.warn("what its agent learned is not stored", &refusal.message);
        }
    }

    /// Keeps an answer as a file if it could not be stored because someone else was writing or the run was stopped, and
    /// says what stores it.
    pub(super) fn keep_answer(
        &self,
        what: &str,
        answer: &Value,
        refusal: &Refusal,
        remedies: impl FnOnce(&str) -> Vec<(RemedyCall, &'static str)>,
    ) {
        if !refusal.is_passing() && !refusal.is_stop() {
            return;
        }
        let folder = self.transcripts.with_file_name(UNSTORED);
        let name = |n: u32| format!("{what}-{}-{n}.json", self.issue);
        let name = (1..)
            .map(name)
            .find(|name| folder.join(name).symlink_metadata().is_err())
            .unwrap_or_else(|| name(0));
        let path = folder.join(&name);
        let text = format!("{:#}", CommonMembers::without(answer));
        // An agent may have put a link there.
        let written = std::fs::create_dir_all(&folder)
            .and_then(|()| File::create_new(&path))
            .and_then(|mut file| file.write_all(text.as_bytes()));
        let (id, why) = (&self.issue, &refusal.message);
        let notice = match written {
            Ok(()) => {
                let sha256 = hex(&Sha256::digest(&text));
                self.kept.replace(Some((format!("{UNSTORED}/{name}"), sha256)));
                let notice = Notice::warning(format!("{id}: its {what} could not be stored: {why}"));
                let remedies = remedies(&path.to_string_lossy());
                remedies.into_iter().fold(notice, |notice, (call, does)| notice.remedy(call, does))
            }
            Err(error) => {
                let what = format!("its {what} is lost: {why}, and cannot write {}", path.display());
                Notice::warning(format!("{id}: {what}: {error}"))
            }
        };
        self.report(StepReport::Noticed(notice));
    }

    /// Does work of which the log of the run tells in the same commit: what `events` makes of the step that is done. It may be
    /// recorded although something fails: [`Self::is_logged`].
    pub(super) fn log_along<T>(
        &self,
        session: &Session,
        spent: AnswerTime,
        mut events: impl FnMut(&Tx<'_>, &ActionDone) -> Result<Vec<RunEvent>, Refusal> + 'static,
        work: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let usage = self.usage.borrow().clone();
        let mut done = ActionDone::plain(self.step, Some(self.issue.clone()));
        let took_ms = spent.took_ms.max(self.worked_ms.get());
        (done.agent, done.took_ms) = (Some(self.asked.borrow().clone()), Some(took_ms));
        (done.tokens, done.cost) = (usage.tokens, usage.cost);
        let Along { done, logged } = log_along(session, &self.run.id, move |tx| events(tx, &done), work);
        if !logged.is_empty() {
            self.take_work();
            self.logged.replace(logged);
        }
        done
    }

    /// The work of its agent that is not recorded yet. From now on, it is.
    pub(super) fn take_work(&self) -> UnrecordedWork {
        UnrecordedWork { usage: self.usage.take(), time_ms: self.worked_ms.take() }
    }

    /// Whether the log of the run has the result of the step: whatever fails then comes after that.
    pub(super) fn is_logged(&self) -> bool {
        !self.logged.borrow().is_empty()
    }

    /// The plan that the log of the run says the step made.
    pub(super) fn logged_plan(&self) -> Option<SolutionId> {
        self.logged.borrow().iter().find_map(|entry| match &entry.event {
            RunEvent::Issue(reached) => reached.solution_id.clone(),
            _ => None,
        })
    }

    /// The step came to nothing because of a refusal that is not the agent's fault.
    pub(super) fn refused(&self, refusal: &Refusal) -> VainStep {
        VainStep { unrecorded: self.unrecorded(refusal, None), ..VainStep::of_run(failure_of(refusal)) }
    }

    /// What could not be recorded, if a refusal means only that someone else was writing.
    pub(super) fn unrecorded(&self, refusal: &Refusal, end: Option<ExecutionStatus>) -> Option<Unrecorded> {
        refusal.is_passing().then(|| {
            let (answer, answer_sha256) = self.kept.take().unzip();
            Unrecorded { answer, answer_sha256, end }
        })
    }

    /// Warns of something that does not stop the work.
    pub(super) fn warn(&self, what: &str, why: &str) {
        self.report(StepReport::Noticed(Notice::warning(format!("{}: {what}: {why}", self.issue))));
    }

    /// A file that is not there yet.
    pub(super) fn transcript(&self) -> PathBuf {
        let name = |n: u32| self.transcripts.join(transcript_name(self.step, &self.issue, n));
        (1u32..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
    }

    /// Whether someone wants the run to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.stops.is_wanted()
    }

    /// Reports an event. If nobody receives it, the run is over.
    pub(super) fn report(&self, report: StepReport) {
        let _ = self.reports.send(report);
    }
}
