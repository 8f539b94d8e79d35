//! Starts a run, or resumes one that was interrupted.

use std::sync::Arc;

use super::begin::{self, Begin};
use super::crew::{StartedRun, StepAgents, step_of};
use super::drive::drive;
use super::stops::RunStops;
use super::watch::{RunWatch, tell_notices};
use super::{agreed, configured};
use crate::model::{Budget, Code, IssueId, IssueStatus, Op, Other, RemedyCall, Run, RunId};
use crate::ops::work::AgentNames;
use crate::ops::work::runs::driver::Driven;
use crate::ops::work::runs::paths::RunPaths;
use crate::ops::work::runs::view::{RunView, all, existing, named, status_in};
use crate::ops::{Answer, Done, Refusal, RefusalKind, Session, clones};
use crate::rules::{Role, RunFolder, RunProgress};
use crate::store::{ReadState, Store};
use crate::sync;
use crate::workplace::Confinement;

/// Runs issues to their end: each is planned, reviewed, queued, executed and merged into the branch of the run,
/// according to its mode and the input. All notices go to `watch`, so the answer has none.
///
/// # Errors
/// Those of [`begin::prepare`]; `interrupted`.
pub(crate) fn run(session: &Session, input: &Begin, watch: &mut dyn RunWatch) -> Answer<RunView> {
    session.permit(Op::Run)?;
    let stops = RunStops::heard(session, watch);
    session.be_patient();
    let Done { view: (run, given), notices, .. } = begin::prepare(session, input)?;
    session.notice_all(notices);
    tell_notices(session, watch);
    let crew = StepAgents::of(session.store(), &given)?;
    let confinement = Confinement::load(session.store())?;
    agreed::settle(session, &run, watch).map_err(|refusal| input.with_consent(refusal))?;
    let Done { view: begun, notices, .. } = begin::begin(session, &run, &given, input, &confinement)?;
    agreed::keep(session.store(), &RunPaths::new(session.store(), &begun.run.id).files, watch)?;
    session.notice_all(notices);
    let started = StartedRun { driver: Some(begun.driver), crew, confinement, budget: None };
    driven(session, &begun.run.id, started, (watch, stops))
}

/// Which run to go on with, and how.
#[derive(Debug, Default)]
pub(crate) struct Resume {
    /// The run (default: the only one that was interrupted here).
    pub(crate) run: Option<String>,
    /// The agents; by default those of the run, then those in git's configuration.
    pub(crate) agents: AgentNames,
    /// Also resume a run that another clone drives, or drove last.
    pub(crate) take_over: bool,
    /// What the run may cost from here on, with what it cost before; empty for what it was.
    pub(crate) budget: Vec<String>,
}

/// Resumes an interrupted run.
///
/// # Errors
/// `nothing-to-do`, `several-runs`, `run-ended`, `run-under-way`; `run-elsewhere` for a run of another clone, any reason why
/// the remote cannot be asked about it, `no-branch` if its work is not here; `no-agent`; as [`run`].
pub(crate) fn resume(session: &Session, input: &Resume, watch: &mut dyn RunWatch) -> Answer<RunView> {
    session.permit(Op::Run)?;
    let stops = RunStops::heard(session, watch);
    session.be_patient();
    let store = session.store();
    let found = open(store, input.run.as_deref())?;
    if Driven::find(store, &found) == Driven::Elsewhere {
        take_over(session, &found, input.take_over)?;
    }
    for (role, _) in input.agents.clone().by_role() {
        refuse_idle(&found.run, role)?;
    }
    let files = RunPaths::new(store, &found.run.id).files;
    let given = input.agents.clone().or(AgentNames::kept(&files)?).or(AgentNames::configured(store)?);
    let crew = StepAgents::of(store, &given)?;
    crew.refuse_missing(session, &found.run.steps)?;
    let confinement = Confinement::load(session.store())?;
    let budget = new_budget(store, &found.run.id, &input.budget)?;
    agreed::settle_rest(session, &found, &files, watch).map_err(|refusal| {
        if refusal.code != Code::NotAgreed {
            return refusal;
        }
        let resume = RemedyCall::new(Other::RunResume, [&found.run.id]).flag("yes");
        refusal.remedy(resume, "agrees to them, once you have read them")
    })?;
    agreed::keep(store, &files, watch)?;
    driven(session, &found.run.id, StartedRun { driver: None, crew, confinement, budget }, (watch, stops))
}

/// What a run may cost from here on, if these limits are new: its other limits stay.
///
/// # Errors
/// `usage`.
fn new_budget(store: &Store, id: &RunId, given: &[String]) -> Result<Option<Budget>, Refusal> {
    // The configuration counts when a run begins.
    if given.is_empty() {
        return Ok(None);
    }
    let given = configured::budget(store, given, "wf.run.budget")?;
    // Whoever drove it last may have given it another budget.
    let found = existing(&store.snapshot()?, id)?;
    let known = RunProgress::of(&found).budget.cloned();
    Ok(given.map(|given| known.unwrap_or_default().replaced_by(given)))
}

/// Refuses an agent for a step that this run skips.
fn refuse_idle(run: &Run, role: Role) -> Result<(), Refusal> {
    let Some(step) = step_of(role) else { return Ok(()) };
    if run.takes(step) {
        return Ok(());
    }
    let message = format!("run `{}` has no {}, so `--{role}` would change nothing", run.id, step.noun());
    Err(Refusal::usage(message).hint(format!("leave out `--{role}`")))
}

/// Drives a run. Notices are reported before its end.
fn driven(
    session: &Session,
    id: &RunId,
    started: StartedRun,
    (watch, stops): (&mut dyn RunWatch, Arc<RunStops>),
) -> Answer<RunView> {
    let done = drive(session, id, started, (watch, stops));
    if let Ok(Done { notices, .. }) = &done {
        session.notice_all(notices.iter().cloned());
    }
    tell_notices(session, watch);
    done.map(|done| Done { notices: vec![], ..done })
}

/// Refuses a run of another clone, unless `is_meant`: then fetches its current state.
fn take_over(session: &Session, found: &RunFolder, is_meant: bool) -> Result<(), Refusal> {
    let id = &found.run.id;
    if !is_meant {
        return Err(elsewhere(Code::RunElsewhere, found));
    }
    if let Some(remote) = sync::remote::of_the_ref(session.store())? {
        session.notice_all(clones::pull(session, Some(&remote))?.notices);
    }
    open(session.store(), Some(id.as_str())).map(drop)
}

/// A run that another clone drives, or drove last.
fn elsewhere(code: Code, found: &RunFolder) -> Refusal {
    let Run { id, actor, .. } = &found.run;
    let message = format!("another clone drives run `{id}` by {}, or was the last to", actor.as_str());
    let call = RemedyCall::new(Other::RunResume, [id]).flag("take-over");
    Refusal::new(code, message).remedy(call, "takes it over; first make sure that it has stopped there")
}

/// The run of the plans that someone chose or reviewed since a run stopped for that; `None` if there are none.
fn chosen_since(read: &impl ReadState, found: &RunFolder) -> Option<RemedyCall> {
    let is_planned =
        |id: &IssueId| matches!(status_in(read)(id), Some(IssueStatus::Planned | IssueStatus::Queued));
    let progress = RunProgress::of(found);
    let left: Vec<&IssueId> =
        progress.issues.iter().filter(|it| it.is_waiting() && is_planned(it.id)).map(|it| it.id).collect();
    (!left.is_empty()).then(|| RemedyCall::new(Op::Run, left).flag("execute-only"))
}

/// A run that has ended. Its issues may have plans to execute that someone chose or reviewed since.
fn ended(read: &impl ReadState, found: &RunFolder) -> Refusal {
    let (call, does) = match chosen_since(read, found) {
        None => (RemedyCall::new(Op::Run, ["ISSUE"]), "starts another"),
        Some(call) => (call, "executes what was chosen since"),
    };
    Refusal::new(Code::RunEnded, format!("run `{}` has ended", found.run.id)).remedy(call, does)
}

/// The requested run, if it has not ended.
fn open(store: &Store, run: Option<&str>) -> Result<RunFolder, Refusal> {
    let snapshot = store.snapshot()?;
    if run.is_some() {
        let found = named(&snapshot, run)?;
        return match Driven::find(store, &found) {
            Driven::Ended => Err(ended(&snapshot, &found)),
            _ => Ok(found),
        };
    }
    let (mut here, mut interrupted, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for found in all(&snapshot)?.0 {
        match Driven::find(store, &found) {
            Driven::Here => here.push(found),
            Driven::Interrupted => interrupted.push(found),
            Driven::Elsewhere => others.push(found),
            Driven::Ended => {}
        }
    }
    match (interrupted.pop(), interrupted.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            interrupted.push(last);
            let ids = interrupted.iter().map(|it| it.run.id.to_string()).collect();
            Err(Refusal::new(Code::SeveralRuns, format!("{} runs were interrupted", interrupted.len()))
                .details(ids)
                .remedy(RemedyCall::new(Other::RunResume, ["RUN"]), "resumes one of them"))
        }
        // The message names the process that drives it.
        (None, _) => match (here.pop(), others.first()) {
            (Some(running), _) => Ok(running),
            (None, Some(other)) => {
                Err(Refusal { kind: RefusalKind::Nothing, ..elsewhere(Code::NothingToDo, other) })
            }
            (None, None) => {
                let refusal =
                    Refusal::nothing("there is no unfinished run").remedy(Other::RunList, "shows the runs");
                let chosen = all(&snapshot)?.0.iter().find_map(|found| chosen_since(&snapshot, found));
                Err(match chosen {
                    Some(call) => refusal.remedy(call, "executes what was chosen since"),
                    None => refusal,
                })
            }
        },
    }
}
