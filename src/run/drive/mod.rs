//! Drives a run: starts what can be done and records what is done, until nothing is left. One thread decides and writes
//! the run's log; each agent has its own thread.

mod agreed;
mod asking;
mod budget;
mod conflicts;
mod driving;
mod ending;
mod executing;
mod jobs;
mod landing;
mod left;
mod limits;
mod own_part;
mod recording;
mod renewing;
mod resuming;
mod room;
mod settling;
mod sharing;
mod starting;
mod steering;
mod stopping;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use self::ending::with_resume;
use self::landing::Landings;
use super::arrived::Arrivals;
use super::crew::{StartedRun, StepAgents};
use super::job::StepReport;
use super::limits::{AgentLimits, OtherLimits};
use super::notify::Notifier;
use super::others::Others;
use super::standing::{KnownIssues, Standings, standings};
use super::stops::RunStops;
use super::watch::{RunUpdate, RunWatch, StartedIssue, tell_notices};
use crate::model::{
    Budget, Code, ExecutionId, IssueId, Op, PhaseReached, RemedyCall, Run, RunEvent, RunId, RunStatus,
    RunStep, SolutionId,
};
use crate::ops::work::runs::driver::{self, RunHold};
use crate::ops::work::runs::paths::RunPaths;
use crate::ops::work::runs::view::{RunView, titles};
use crate::ops::{Answer, Notice, Refusal, Session, issues};
use crate::rules::run::{IssueProgress, free_jobs};
use crate::rules::{RunFolder, RunProgress, facts};
use crate::store::ObjectId;
use crate::workplace::Confinement;

/// How long to wait for reports before checking whether someone wants to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Drives a run to its end, or until someone stops it; a stopped run can be resumed.
///
/// # Errors
/// `interrupted`; what writing to the store can come to.
pub(super) fn drive(
    session: &Session,
    id: &RunId,
    started: StartedRun,
    (watch, stops): (&mut dyn RunWatch, Arc<RunStops>),
) -> Answer<RunView> {
    let store = session.store();
    let places = RunPaths::new(store, id);
    let _held = driver::hold(store, &places.files, id)?;
    let done = Driver::begin(session, id, places, started, (watch, stops)).and_then(Driver::drive);
    session.only_if(None);
    done.map_err(|refusal| with_resume(store, id, refusal))
}

struct Driver<'a> {
    session: &'a Session,
    run: Run,
    /// The run with its log. Nobody else appends to the log unless they take the run over.
    log: RunFolder,
    known: RefCell<KnownIssues>,
    /// Its name in the log of the run.
    name: String,
    /// That it has the run.
    hold: Arc<RunHold>,
    /// Other runs, which have ended.
    ended: RefCell<BTreeSet<RunId>>,
    /// Whether the remote of the store could not be asked.
    is_offline: bool,
    crew: StepAgents,
    places: RunPaths,
    watch: &'a mut dyn RunWatch,
    /// What agents are doing.
    busy: BTreeMap<IssueId, RunStep>,
    threads: Vec<JoinHandle<()>>,
    sender: SyncSender<StepReport>,
    news: Receiver<StepReport>,
    /// Remembers which work of other issues is in the branch of the run.
    arrivals: Arrivals,
    stops: Arc<RunStops>,
    /// Whether agents are confined to their workplaces.
    confinement: Confinement,
    /// Where the run left its branch.
    head: Option<ObjectId>,
    /// The newest end of an execution that may not be published yet, or a later commit.
    last_end: Option<ObjectId>,
    /// Remarks about what killed agents left of executions.
    left: BTreeMap<ExecutionId, String>,
    /// When it was last checked whether leases must be renewed.
    leases_looked_at: Option<Instant>,
    /// Tells a person who is elsewhere.
    notifier: Notifier,
    /// Whether the run was begun by another driver.
    is_resumed: bool,
    /// What the run may cost from here on, until that is recorded.
    new_budget: Option<Budget>,
    /// What it cost, if that is all that it may.
    over_budget: Option<String>,
    /// Which agents are limited, as far as any run says.
    limits: Arc<AgentLimits>,
    other_limits: OtherLimits,
    /// Stops the work on one issue.
    stops_of: BTreeMap<IssueId, Arc<RunStops>>,
    /// Whether someone paused the run.
    is_paused: bool,
    /// What is to land.
    landings: Landings,
    /// Completed work whose conflict takes a job to resolve, while none is free.
    waits_for_job: BTreeSet<IssueId>,
}

impl Driver<'_> {
    /// Whether the run has ended; `false` if someone stopped it.
    fn until_nothing_is_left(&mut self) -> Result<bool, Refusal> {
        let (mut seen, mut looked) = (None, Instant::now());
        let mut was_ended = false;
        loop {
            match self.turn(&mut seen, &mut looked) {
                Ok(None) => {}
                Ok(Some(is_over)) => return Ok(is_over),
                // Ctrl-C on a terminal also ends the git that the driver runs, but the agents at work still come to their
                // end. It does so only once.
                Err(refusal) if refusal.is_stop() && !self.stops.is_at_once() && !was_ended => {
                    was_ended = true;
                    self.stop_after_steps();
                }
                Err(refusal) => return Err(refusal),
            }
        }
    }

    /// Looks once at what can be done, and at what agents report. `seen` and `looked` are the last state of the store that
    /// was looked at, and when. Returns whether the run has ended, or `None` if it goes on.
    fn turn(&mut self, seen: &mut Option<ObjectId>, looked: &mut Instant) -> Result<Option<bool>, Refusal> {
        tell_notices(self.session, self.watch);
        self.watch.tick();
        self.tick_notifications();
        self.keep_leases()?;
        let tip = self.session.store().tip()?;
        // An agent at work writes often, usually without making a new step possible.
        let is_new = seen.is_none() || (*seen != tip && (self.busy.is_empty() || looked.elapsed() >= LOOK));
        if is_new {
            self.look_at_orders()?;
        }
        if !self.is_stopping() && !self.is_paused && self.worn_out().is_none() && is_new {
            self.take_steps()?;
            (*seen, *looked) = (tip, Instant::now());
        }
        self.publish_ends()?;
        let is_stopping = self.is_stopping();
        if self.is_idle() && (is_stopping || !self.is_paused) {
            if is_stopping {
                // Completed work is still merged before the run stops.
                self.integrate_completed()?;
                let (status, phase) = (RunStatus::Running, RunProgress::of(&self.log).phase);
                let (stopped, error) = (Some(true), self.spent_budget());
                let stopped = PhaseReached { stopped, error, ..PhaseReached::plain(status, phase) };
                self.log("stopped", [RunEvent::Phase(stopped)])?;
                return Ok(Some(false));
            }
            if !self.begin_rest()? {
                if self.end()? {
                    return Ok(Some(true));
                }
                *seen = None;
            }
        }
        match self.news.recv_timeout(LOOK) {
            Ok(report) => {
                // A finished step makes room, even if it left nothing behind.
                if matches!(report, StepReport::Over(_) | StepReport::Landed(_)) {
                    *seen = None;
                }
                self.hear(report)?;
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        Ok(None)
    }

    /// Takes all steps that can be taken now.
    fn take_steps(&mut self) -> Result<(), Refusal> {
        self.keep_budget()?;
        self.know_limits()?;
        // A step that could not begin makes room for others.
        while !self.is_stopping()
            && (self.do_own_part()? || self.begin_landing() || self.begin_steps()? || self.ask_person()?)
        {
        }
        Ok(())
    }

    /// Remembers the position of the run's branch.
    fn know_branch(&mut self) -> Result<(), Refusal> {
        self.head = match self.run.branch() {
            Some(branch) => self.session.store().read_ref(branch.as_str())?,
            None => None,
        };
        Ok(())
    }

    /// Whether neither an agent nor a test is at work.
    fn is_idle(&self) -> bool {
        self.busy.is_empty() && !self.landings.is_at_work()
    }

    /// Whether another execution may begin, or tests of completed work.
    fn has_free_job(&self) -> bool {
        free_jobs(&self.run, &self.busy) > 0
    }

    /// Whether someone wants the run to stop.
    fn is_stopping(&self) -> bool {
        self.stops.is_wanted()
    }

    /// Reports what the run is, and how far it has come.
    fn tell_start(&mut self) -> Result<(), Refusal> {
        let titles = titles(&self.session.store().snapshot()?, &self.run.issue_ids)?;
        let started = |it: &IssueProgress<'_>| StartedIssue {
            id: it.id.clone(),
            title: titles.get(it.id).cloned().unwrap_or_default(),
            status: it.status,
        };
        let issues = RunProgress::of(&self.log).issues.iter().map(started).collect();
        let agents = self.crew.names_for(&self.run.steps);
        let is_resumed = self.is_resumed;
        self.watch.update(&RunUpdate::Started { run: &self.run, agents, is_resumed, issues });
        let confinement = Notice::note(self.confinement.to_string());
        self.watch.update(&RunUpdate::Noticed(&confinement));
        Ok(())
    }

    /// The state of the issues, from the newest state of the store.
    ///
    /// # Errors
    /// `taken-over` if another process drives the run now.
    fn standings(&self) -> Result<Standings, Refusal> {
        let store = self.session.store();
        let snapshot = store.snapshot()?;
        self.hold.check_in(&snapshot)?;
        let mut known = self.known.borrow_mut();
        let mut found = standings(self.session, &self.places, &self.log, &mut known, &self.arrivals)?;
        let progress = RunProgress::of(&self.log);
        let is_untouched = |id: &IssueId| progress.issue(id).is_some_and(IssueProgress::is_untouched);
        if found.all.iter().any(|at| is_untouched(&at.issue)) {
            let others = Others::than(Some(&self.run.id), store, &snapshot, &mut self.ended.borrow_mut())?;
            for at in found.all.iter_mut().filter(|at| is_untouched(&at.issue)) {
                at.held = others.at_work(&at.issue);
            }
        }
        Ok(found)
    }

    /// The plan that was executed for an issue; the bound one if none was.
    fn executed(&self, issue: &IssueId) -> Result<SolutionId, Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        match facts::holder(&folder) {
            Some(holder) => Ok(holder.execution.solution_id.clone()),
            None => self.bound(issue),
        }
    }

    fn bound(&self, issue: &IssueId) -> Result<SolutionId, Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        folder.bound().map(|plan| plan.id.clone()).ok_or_else(|| {
            Refusal::new(Code::NotBound, format!("issue `{issue}` has no bound plan"))
                .remedy(RemedyCall::new(Op::Bind, [issue]), "chooses one")
        })
    }
}
