//! Shows runs: one with its state, a list of all, or the log of one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::asking::{OpenQuestion, open_questions};
use super::driver::{self, Driven};
use super::paths::RunPaths;
use super::workplaces::{self, RunWorkplace};
use crate::model::declare::is_default;
use crate::model::{
    Branch, Breach, IssueId, IssueStatus, Op, Person, RemedyCall, Run, RunEvent, RunId, RunLogEntry, RunMode,
    RunPhase, RunStatus, Time,
};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::run::{BUDGET, HistoryEntry, RunState, SkippedStep, history, limits_in, state, steering};
use crate::rules::{Counts, RunFolder, RunProgress, facts};
use crate::store::{ReadState, Store, StoreError, records, resolve};
use crate::trail::record_words::run_event;

/// The state of a run that does nothing until someone answers, in words.
const ASKS: &str = "waiting for you";

#[serde_with::skip_serializing_none]
/// A run with its state.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunView {
    /// The run, with the budget that it has now.
    #[serde(flatten)]
    pub(crate) run: Run,
    /// The branch into which the work of completed issues is merged; absent if nothing is executed.
    pub(crate) branch: Option<Branch>,
    /// Who drives it, as far as this clone knows.
    pub(crate) driven: Driven,
    /// The number of the process that drives it here.
    pub(crate) process: Option<u32>,
    /// Who stopped it, if nobody has resumed it since.
    #[serde(skip)]
    pub(crate) stopped_by: Option<String>,
    /// Whether someone paused it: it starts no further step.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) is_paused: bool,
    /// What it asks, and does nothing else until someone answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) questions: Vec<OpenQuestion>,
    /// The agents whose providers serve them only later.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) limited_agents: Vec<LimitedAgent>,
    /// Its state, derived from its log.
    pub(crate) state: RunState,
    /// Steps that were left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<SkippedStep>,
    /// Its state after each change, oldest first.
    pub(crate) history: Vec<HistoryEntry>,
    /// The directory on this machine with the transcripts of its agents, if any are kept.
    pub(crate) transcripts: Option<String>,
    /// Whether its agents are confined to their workplaces, and if not, why; absent for a run of an earlier version.
    pub(crate) confinement: Option<String>,
    /// The workplaces in which its agents and its tests are at work now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) workplaces: Vec<RunWorkplace>,
    /// Actions that the roles of its agents do not allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) breaches: Vec<Breach>,
    /// How many issues wait for someone to choose one of their plans.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) waiting_count: usize,
    /// The issues for which someone has chosen a plan since the run asked for that.
    #[serde(skip)]
    pub(crate) chosen_since: BTreeSet<IssueId>,
    /// Whether its branch is missing here: it is in the clone that ran it, or was removed.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) lacks_branch: bool,
}

/// An agent whose provider serves it only later.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LimitedAgent {
    /// Its name.
    pub(crate) agent: String,
    /// Until when.
    pub(crate) until: Time,
}

/// A run in the list of runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunSummary {
    /// Its id.
    pub(crate) id: RunId,
    /// How much work it does on each issue.
    pub(crate) mode: RunMode,
    /// Its status.
    pub(crate) status: RunStatus,
    /// Its phase.
    pub(crate) phase: RunPhase,
    /// Who drives it, as far as this clone knows.
    pub(crate) driven: Driven,
    /// How many issues it has, and how many are completed or failed.
    #[serde(flatten)]
    pub(crate) counts: Counts,
    /// How many wait for someone to choose one of their plans.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) waiting_count: usize,
    /// How many issues it asks about now.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) question_count: usize,
    /// Who started it.
    pub(crate) actor: Person,
    /// When it started.
    pub(crate) created_at: Time,
    /// When it last changed.
    pub(crate) updated_at: Time,
}

/// An entry of a run's log, with a text for people.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LoggedView {
    /// The entry.
    #[serde(flatten)]
    pub(crate) entry: RunLogEntry,
    /// The text.
    #[serde(skip)]
    pub(crate) words: String,
}

impl RunSummary {
    /// Its state in a word or two.
    pub(crate) fn words(&self) -> String {
        if self.question_count > 0 {
            return ASKS.to_owned();
        }
        in_words(self.status, self.phase, self.driven, self.counts, self.waiting_count)
    }
}

impl RunView {
    /// Its state in a word or two.
    pub(crate) fn words(&self) -> String {
        if !self.questions.is_empty() {
            return ASKS.to_owned();
        }
        let state = &self.state;
        in_words(state.status, state.phase, self.driven, state.context, self.waiting_count)
    }
}

/// The state of a run: a run whose driver has gone is not running, and one that has ended did not succeed if an issue failed.
fn in_words(status: RunStatus, phase: RunPhase, driven: Driven, counts: Counts, waiting: usize) -> String {
    match status {
        _ if driven == Driven::Interrupted => driven.to_string(),
        RunStatus::Completed => counts.ended_as(waiting).to_owned(),
        RunStatus::Pending | RunStatus::Running => match phase {
            RunPhase::Init | RunPhase::Complete => status.to_string(),
            phase => phase.to_string(),
        },
    }
}

/// The directory for a run's files on this machine: transcripts and worktrees.
pub(crate) fn folder(store: &Store, id: &RunId) -> PathBuf {
    store.common_dir().join("wf/runs").join(id.as_str())
}

/// Shows a run with its state: the named one, or else the latest.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `broken-record`; `nothing-to-do` if there is no run.
pub(crate) fn show(session: &Session, run: Option<&str>) -> Answer<RunView> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let found = named(&snapshot, run)?;
    Ok(session.done(view(store, &snapshot, found)?, None))
}

/// A run with its state.
pub(crate) fn view(store: &Store, read: &impl ReadState, found: RunFolder) -> Result<RunView, Refusal> {
    let titles = titles(read, &found.run.issue_ids)?;
    let dir = folder(store, &found.run.id).display().to_string();
    let (state, history) = (state(&found, &titles, &dir), history(&found));
    let driven = Driven::find(store, &found);
    let process = if driven == Driven::Here { driver::process(Path::new(&dir)) } else { None };
    let transcripts =
        Some(RunPaths::new(store, &found.run.id).transcripts()).filter(|folder| folder.is_dir());
    let transcripts = transcripts.map(|folder| folder.display().to_string());
    let progress = RunProgress::of(&found);
    let left_out = progress.left_out();
    let breaches = progress.breaches.iter().map(|breach| (*breach).clone()).collect();
    let waiting_count = progress.waiting_count(status_in(read));
    let chosen_since = progress.chosen_since(status_in(read));
    let stopped_by = progress.stopped_by.map(str::to_owned);
    let confinement = progress.confinement.map(str::to_owned);
    let budget = progress.budget.cloned();
    let workplaces = workplaces::live(store, Some(&found.run.id));
    let is_left = driven == Driven::Interrupted;
    let limits = limits_in(&found.log, is_left, store.now()?).into_iter();
    let limited_agents = limits.map(|(agent, until)| LimitedAgent { agent, until }).collect();
    let is_paused = driven == Driven::Here && steering(&found).is_paused;
    let questions = open_questions(read, &found, driven)?;
    let branch = found.run.branch();
    let lacks_branch = match &branch {
        Some(branch) => store.read_ref(branch.as_str())?.is_none(),
        None => false,
    };
    Ok(RunView {
        branch,
        lacks_branch,
        run: Run { budget, ..found.run },
        driven,
        process,
        stopped_by,
        is_paused,
        questions,
        limited_agents,
        state,
        left_out,
        history,
        transcripts,
        confinement,
        workplaces,
        breaches,
        waiting_count,
        chosen_since,
    })
}

/// Lists the runs, the latest first. Leaves out those that cannot be read, and warns about them.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn list(session: &Session) -> Answer<Vec<RunSummary>> {
    let snapshot = session.store().snapshot()?;
    let (found, broken) = all(&snapshot)?;
    session.notice_all(
        broken
            .into_iter()
            .map(|(path, why)| crate::ops::Notice::warning(format!("`{path}` cannot be read: {why}"))),
    );
    let mut summaries = Vec::new();
    for found in found {
        let state = state(&found, &BTreeMap::new(), "");
        let driven = Driven::find(session.store(), &found);
        let waiting_count = RunProgress::of(&found).waiting_count(status_in(&snapshot));
        summaries.push(RunSummary {
            waiting_count,
            question_count: open_questions(&snapshot, &found, driven)?.len(),
            id: found.run.id,
            mode: found.run.mode,
            status: state.status,
            phase: state.phase,
            driven,
            counts: state.context,
            actor: found.run.actor,
            created_at: state.created_at,
            updated_at: state.updated_at,
        });
    }
    Ok(session.done(summaries, None))
}

/// Finds the status of an issue; `None` if it cannot be read.
pub(crate) fn status_in(read: &impl ReadState) -> impl Fn(&IssueId) -> Option<IssueStatus> {
    |id| Some(facts::status(&records::issue(read, id).ok()??))
}

/// Runs that a process in this repository drove and left before their end.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn interrupted(session: &Session) -> Result<Vec<InterruptedRun>, Refusal> {
    let (found, _) = all(&session.store().snapshot()?)?;
    let left = found.into_iter().filter(|run| Driven::find(session.store(), run) == Driven::Interrupted);
    Ok(left.map(InterruptedRun::new).collect())
}

/// A run that nobody drives although it has not ended.
pub(crate) struct InterruptedRun {
    /// The run.
    pub(crate) id: RunId,
    /// How it exhausted its budget, if that stopped it.
    pub(crate) over_budget: Option<String>,
}

impl InterruptedRun {
    fn new(folder: RunFolder) -> Self {
        let mut phases = folder.log.iter().rev().filter_map(|entry| match &entry.event {
            RunEvent::Phase(reached) => Some(reached),
            _ => None,
        });
        let error = phases.next().and_then(|last| last.error.as_ref());
        let error = error.filter(|error| error.error_type.as_deref() == Some(BUDGET));
        let over_budget = error.map(|error| error.message.clone().unwrap_or_default());
        Self { id: folder.run.id, over_budget }
    }
}

/// The log of a run, in order: of the named run, or else of the latest.
///
/// # Errors
/// The errors of [`show`].
pub(crate) fn log(session: &Session, run: Option<&str>) -> Answer<Vec<LoggedView>> {
    let found = named(&session.store().snapshot()?, run)?;
    Ok(session.done(
        found.log.into_iter().map(|entry| LoggedView { words: run_event(&entry.event), entry }).collect(),
        None,
    ))
}

/// The named run, or else the latest.
pub(crate) fn named(read: &impl ReadState, run: Option<&str>) -> Result<RunFolder, Refusal> {
    match run {
        Some(text) => existing(read, &resolve::run(read, text)?),
        None => all(read)?.0.into_iter().next().ok_or_else(|| {
            Refusal::nothing("there is no run").remedy(RemedyCall::new(Op::Run, ["ISSUE"]), "starts one")
        }),
    }
}

/// The run with this id.
pub(crate) fn existing(read: &impl ReadState, id: &RunId) -> Result<RunFolder, Refusal> {
    records::run(read, id, &mut Vec::new())?.ok_or_else(|| Refusal::unreadable(&format!("run `{id}`")))
}

/// Paths of files that cannot be read, with the reasons.
type Broken = Vec<(String, String)>;

/// All runs that can be read, the latest first, and the files that cannot.
pub(crate) fn all(read: &impl ReadState) -> Result<(Vec<RunFolder>, Broken), StoreError> {
    let (mut found, mut broken) = (Vec::new(), Vec::new());
    for id in records::run_ids(read)? {
        found.extend(records::run(read, &id, &mut broken)?);
    }
    found.sort_by(|a, b| (b.run.created_at, &b.run.id).cmp(&(a.run.created_at, &a.run.id)));
    Ok((found, broken))
}

/// The titles of the issues that exist and can be read.
pub(crate) fn titles(
    read: &impl ReadState,
    issues: &[IssueId],
) -> Result<BTreeMap<IssueId, String>, Refusal> {
    let mut titles = BTreeMap::new();
    for id in issues {
        match records::outline(read, id) {
            Ok(found) => titles.extend(found.map(|folder| (id.clone(), folder.issue.record.title))),
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(titles)
}
