//! Notes of conversations with agents that are not recorded yet: written when they begin, removed once they are recorded. If a run
//! is killed, whoever resumes it records what they say.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::agent::transcript;
use crate::git::fault;
use crate::model::{AgentSession, ExecutionId, IssueId, RunEvent, RunStep, StepSpent, Time, Usage};
use crate::ops::Session;
use crate::ops::work::runs::paths::{AgentIdentity, RunPaths};
use crate::ops::work::{record_session, recorded};
use crate::rules::RunFolder;
use crate::trail::active;

/// The suffix of the name of a note, after the name of the transcript.
const OPEN: &str = "open";

/// What is known when a conversation begins.
#[derive(Serialize, Deserialize)]
struct Begun {
    #[serde(flatten)]
    of: BegunFor,
    session: AgentSession,
    /// Whether the agent has ended, so that the session says all there is to say.
    #[serde(default)]
    is_ended: bool,
}

/// What an agent is asked for.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum BegunFor {
    /// To carry out a plan.
    Execution {
        /// The execution.
        execution_id: ExecutionId,
    },
    /// Another step.
    Step {
        /// It.
        action: RunStep,
        /// The issue.
        issue_id: IssueId,
    },
}

impl Begun {
    fn is_of(&self, step: RunStep, issue: &IssueId) -> bool {
        match &self.of {
            BegunFor::Step { action, issue_id } => *action == step && issue_id == issue,
            BegunFor::Execution { .. } => false,
        }
    }
}

fn note(transcript: &Path) -> PathBuf {
    let mut name = transcript.as_os_str().to_owned();
    name.push(".");
    name.push(OPEN);
    PathBuf::from(name)
}

/// Notes that an agent is asked. A failure matters only if the run is killed: then the session is not recorded.
pub(super) fn begins(transcript: &Path, of: BegunFor, session: AgentSession) {
    note_of(transcript, &Begun { of, session, is_ended: false });
}

/// Notes how an execution's conversation ended, until that is recorded.
pub(super) fn answered(transcript: &Path, execution: &ExecutionId, session: AgentSession) {
    let of = BegunFor::Execution { execution_id: execution.clone() };
    note_of(transcript, &Begun { of, session, is_ended: true });
}

fn note_of(transcript: &Path, begun: &Begun) {
    if let Some(folder) = transcript.parent() {
        let _ = fs::create_dir_all(folder);
    }
    write(&note(transcript), begun);
}

/// Adds the agent's own id of the session to the note of a conversation that has begun.
pub(super) fn knows_session(transcript: &Path, id: &str) {
    change(transcript, |session| session.session_id = Some(id.to_owned()));
}

/// Adds what the agent has used so far.
pub(super) fn knows_usage(transcript: &Path, used: &Usage) {
    change(transcript, |session| (session.tokens, session.cost) = (used.tokens, used.cost.clone()));
}

fn change(transcript: &Path, with: impl FnOnce(&mut AgentSession)) {
    let path = note(transcript);
    let Some(mut begun) = read(&path) else { return };
    with(&mut begun.session);
    write(&path, &begun);
}

fn write(path: &Path, begun: &Begun) {
    if let Ok(bytes) = serde_json::to_vec(begun) {
        // A kill in between must not leave half of it.
        let new = path.with_extension("new");
        let _ = fs::write(&new, bytes).and_then(|()| fs::rename(&new, path));
    }
}

fn read(note: &Path) -> Option<Begun> {
    serde_json::from_slice(&fs::read(note).ok()?).ok()
}

/// The session is recorded. If the process is killed in between, whoever resumes the run finds it recorded.
pub(super) fn session_is_recorded(transcript: &Path) {
    fault::point("session-recorded");
    let _ = fs::remove_file(note(transcript));
}

/// What agents used in a step that is not an execution was recorded.
pub(super) fn step_ended(transcripts: &Path, step: RunStep, issue: &IssueId) {
    for path in notes(transcripts) {
        if read(&path).is_some_and(|begun| begun.is_of(step, issue)) {
            let _ = fs::remove_file(path);
        }
    }
}

/// The notes among the transcripts of a run.
fn notes(transcripts: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(transcripts) else { return vec![] };
    let mut notes: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    notes.retain(|path| path.extension().is_some_and(|end| end == OPEN));
    notes.sort();
    notes
}

/// Records the sessions of executions that began and were not recorded, in the name of the executor. The run goes on without
/// those that cannot be recorded. Returns what is known of other steps.
pub(super) fn record(session: &Session, places: &RunPaths, executor: &AgentIdentity) -> Vec<UnendedStep> {
    let mut steps = Vec::new();
    for path in notes(&places.transcripts()) {
        let transcript = path.with_extension("");
        let Some(Begun { of, session: held, is_ended }) = read(&path) else { continue };
        match of {
            BegunFor::Execution { execution_id } => {
                let held = if is_ended { held } else { cut_off(&transcript, held) };
                let tree = active::work_dir_of(session.store(), &execution_id).ok().flatten();
                let recorded = executor
                    .at(&tree.unwrap_or_else(|| places.branch_tree()))
                    .and_then(|there| record_session(&there, &execution_id, held).map(drop));
                if recorded.is_ok() {
                    session_is_recorded(&transcript);
                }
            }
            BegunFor::Step { action, issue_id } => {
                let AgentSession { agent, tokens, cost, started_at, .. } = held;
                let Usage { tokens, cost } = recorded(Usage { tokens, cost });
                let took_ms = transcript::lasted(&transcript);
                let (issue_id, agent) = (Some(issue_id), Some(agent));
                let spent = StepSpent { action, issue_id, agent, tokens, cost, took_ms };
                steps.push(UnendedStep { spent, started_at });
            }
        }
    }
    steps
}

/// A step that is not an execution, of which there is still a note.
pub(super) struct UnendedStep {
    /// What its agent used.
    pub(super) spent: StepSpent,
    started_at: Time,
}

impl UnendedStep {
    /// Whether its agent used something that the log of the run does not have. If the run was killed after that was recorded, the
    /// log has it.
    pub(super) fn is_unrecorded(&self, run: &RunFolder) -> bool {
        let StepSpent { action, issue_id, tokens, cost, .. } = &self.spent;
        let is_any = tokens.is_some() || cost.is_some();
        let is_recorded = run.log.iter().filter(|entry| entry.at >= self.started_at).any(|entry| {
            let (step, issue, tokens, cost) = match &entry.event {
                RunEvent::Action(done) => (done.action, &done.issue_id, done.tokens, &done.cost),
                RunEvent::Setback(setback) => {
                    (setback.action, &setback.issue_id, setback.tokens, &setback.cost)
                }
                RunEvent::Spent(spent) => (spent.action, &spent.issue_id, spent.tokens, &spent.cost),
                _ => return false,
            };
            step == *action && issue == issue_id && (tokens.is_some() || cost.is_some())
        });
        is_any && !is_recorded
    }
}

/// A session that ended before the agent answered.
fn cut_off(transcript: &Path, held: AgentSession) -> AgentSession {
    let lasted = transcript::lasted(transcript).unwrap_or_default();
    AgentSession {
        ended_at: Some(held.started_at.plus_millis(i64::try_from(lasted).unwrap_or_default())),
        transcript_sha256: transcript::sha256(transcript).ok(),
        summary: Some("the run was interrupted before the agent answered".to_owned()),
        ..held
    }
}
