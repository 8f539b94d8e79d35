//! A step that an agent takes, in a thread of its own: what it is given, and what comes back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use serde_json::Value;

use super::places::As;
use crate::agent::answer::Answer;
use crate::agent::definition::Agent;
use crate::agent::environment::environment;
use crate::agent::request::{Request, RequestKind};
use crate::agent::talk::{self, Observer, Place, Reply, Said, Unanswered};
use crate::model::Explain;
use crate::model::execution::Failure;
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, IssueId, SolutionId};
use crate::model::review::Verdict;
use crate::model::run::RunStep;
use crate::model::run_log::{Breach, Setback};
use crate::model::time::Time;
use crate::ops::Refusal;
use crate::ops::work::{Conversation, record_session};
use crate::rules::roles::Role;
use crate::trail::active;

/// How often an agent is asked for one step.
const TRIES: usize = 2;
/// How much longer an agent may take that was not done in time.
const LONGER: u32 = 2;
/// How much of what an agent said stands in a record, in characters.
const QUOTED: usize = 500;

/// A step for an agent.
pub(super) struct Job {
    /// The step.
    pub(super) step: RunStep,
    /// The issue.
    pub(super) issue: IssueId,
    /// Who takes it.
    pub(super) agent: Agent,
    /// As what it acts.
    pub(super) role: Role,
    /// As whom its work is recorded.
    pub(super) identity: As,
    /// Where it works.
    pub(super) folder: PathBuf,
    /// The commit that is checked out there.
    pub(super) base: CommitHash,
    /// Where what it says is kept, a file for each time that it is asked.
    pub(super) transcripts: PathBuf,
    /// How often it was asked for this before, in vain.
    pub(super) tried: usize,
    /// Where it tells what happens.
    pub(super) reports: SyncSender<Report>,
    /// How often somebody wanted the run to stop.
    pub(super) stops: Arc<AtomicUsize>,
}

/// What a step tells while it is under way, and what came of it.
pub(super) enum Report {
    /// The agent wrote something.
    Said(IssueId, String),
    /// The agent was asked in vain, and will be asked again.
    Setback(Setback),
    /// The agent did what its role may not do.
    Breach(Breach),
    /// The step is over.
    Over(IssueId, RunStep, Box<Came>),
}

/// What came of a step.
pub(super) enum Came {
    /// A plan is bound.
    Planned(SolutionId, Spent),
    /// There are plans to choose from.
    Candidates(usize, Spent),
    /// The plan was reviewed.
    Reviewed(Verdict, Spent),
    /// The plan was carried out.
    Completed(ExecutionId, Spent),
    /// The execution failed, and that is recorded.
    Failed(Failure),
    /// The step came to nothing.
    Gave(Failure),
    /// Somebody stopped it.
    Stopped,
}

/// What an agent took for an answer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    /// In milliseconds.
    pub(super) took_ms: u64,
}

/// Why a step has no answer.
pub(super) enum Vain {
    /// Somebody stopped it.
    Stopped,
    /// It failed for good.
    Failed(Failure),
}

impl From<Refusal> for Vain {
    fn from(refusal: Refusal) -> Self {
        Self::Failed(failure_of(&refusal))
    }
}

/// A refusal, as it is recorded.
pub(super) fn failure_of(refusal: &Refusal) -> Failure {
    let details: Vec<&str> = refusal.details.iter().map(|detail| detail.message.as_str()).collect();
    failure(refusal.code, &refusal.message, &details.join("\n"))
}

/// A failure with what was said about it.
pub(super) fn failure(kind: &str, message: &str, said: &str) -> Failure {
    let said: String = said.chars().take(QUOTED).collect();
    let message = if said.trim().is_empty() { message.to_owned() } else { format!("{message}: {said}") };
    Failure { error_type: Some(kind.to_owned()), message: Some(message), ..Failure::default() }
}

impl Job {
    /// Asks the agent, and once more if that was in vain: with more time if it took too long, and with what is wrong with
    /// its answer if that does not fit. `accept` takes the answer, or says what is wrong with it.
    pub(super) fn ask<A: Answer, T>(
        &self,
        kind: RequestKind,
        input: &Value,
        mut accept: impl FnMut(Reply<A>) -> Result<T, Refused>,
    ) -> Result<T, Vain> {
        let mut request = Request::new::<A>(kind, self.role, input.clone());
        let mut agent = self.agent.clone();
        for tried in self.tried.. {
            let failure = match self.once::<A>(&agent, &request) {
                Ok(reply) => match accept(reply) {
                    Ok(taken) => return Ok(taken),
                    Err(Refused::Faults(faults)) => {
                        let failure =
                            failure("invalid-answer", "the answer cannot be used", &faults.join("\n"));
                        request.faults = faults;
                        failure
                    }
                    Err(Refused::Vain(vain)) => return Err(vain),
                },
                Err(Unanswered::Stopped { .. }) => return Err(Vain::Stopped),
                Err(error) => {
                    let failure = failure(error.code(), &error.to_string(), &error.details().join("\n"));
                    match error {
                        Unanswered::Unfit { faults, .. } => request.faults = faults,
                        Unanswered::TimedOut { after, .. } if kind != RequestKind::Build => {
                            agent = agent.within(longer(after));
                        }
                        // Nothing would be different.
                        Unanswered::NotStarted { .. }
                        | Unanswered::Transcript { .. }
                        | Unanswered::TimedOut { .. } => return Err(Vain::Failed(failure)),
                        _ => {}
                    }
                    failure
                }
            };
            if self.is_stopping() {
                return Err(Vain::Stopped);
            }
            if tried + 1 >= TRIES {
                return Err(Vain::Failed(failure));
            }
            self.report(Report::Setback(Setback {
                action: self.step,
                issue_id: Some(self.issue.clone()),
                agent: Some(self.agent.name().to_owned()),
                error: failure,
            }));
        }
        Err(Vain::Stopped)
    }

    fn once<A: Answer>(&self, agent: &Agent, request: &Request) -> Result<Reply<A>, Unanswered> {
        let here = self.identity.environment.iter().cloned();
        let place = Place {
            folder: self.folder.clone(),
            environment: environment(here, agent, self.role.as_str()),
            transcript: self.transcript(),
        };
        let from = self.now();
        let said = talk::ask::<A>(agent, &place, request, &mut Listener { job: self, seen: 0 });
        if let (RunStep::Execute, Some(from)) = (self.step, from) {
            self.record(agent, from, &place.transcript, &said);
        }
        said
    }

    fn now(&self) -> Option<Time> {
        self.identity.at(&self.folder).ok()?.store().now().ok()
    }

    /// Adds the session to the log of the execution, which `trace` and `why` read. The work goes on without it.
    fn record<A>(&self, agent: &Agent, from: Time, transcript: &Path, said: &Result<Reply<A>, Unanswered>) {
        let Ok(session) = self.identity.at(&self.folder) else { return };
        let store = session.store();
        let (Ok(Some(active)), Ok(ended_at)) = (active::read(store), store.now()) else { return };
        let summary = match said {
            Ok(reply) => reply.value["summary"].as_str().map(str::to_owned),
            Err(error) => Some(error.to_string()),
        };
        let talk = Conversation { agent, started_at: from, ended_at, transcript, summary };
        let held = match said {
            Ok(reply) => talk.answered(reply),
            Err(_) => talk.unanswered(),
        };
        let _ = record_session(&session, &active.execution_id, held);
    }

    /// A file that is not there yet.
    fn transcript(&self) -> PathBuf {
        let name = |n: u32| self.transcripts.join(format!("{}-{}-{n}.jsonl", self.step, self.issue));
        (1u32..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
    }

    /// Whether somebody wants the run to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.stops.load(Ordering::Relaxed) > 0
    }

    /// Tells what happens. If nobody listens, the run is over.
    pub(super) fn report(&self, report: Report) {
        let _ = self.reports.send(report);
    }
}

/// Why an answer was not taken.
pub(super) enum Refused {
    /// It has these faults, which the agent may mend.
    Faults(Vec<String>),
    /// Nothing that the agent can mend.
    Vain(Vain),
}

fn longer(limit: Duration) -> Duration {
    limit.saturating_mul(LONGER)
}

/// Passes on what an agent says, and stops it when somebody wants that.
struct Listener<'a> {
    job: &'a Job,
    seen: usize,
}

impl Observer for Listener<'_> {
    fn said(&mut self, _: Said, text: &str) {
        // An agent that says more than anybody can read does not wait for them.
        let _ = self.job.reports.try_send(Report::Said(self.job.issue.clone(), text.to_owned()));
    }

    fn stop(&mut self) -> bool {
        // The first wish is that the step comes to its end.
        let wished = self.job.stops.load(Ordering::Relaxed).saturating_sub(1);
        let is_new = wished > self.seen;
        self.seen += usize::from(is_new);
        is_new
    }
}
