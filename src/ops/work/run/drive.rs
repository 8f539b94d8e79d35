//! Driving a run: what can be done is begun, what is done is recorded, until nothing is left. One thread decides and writes
//! the run's log; each agent works in a thread of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use super::catch_up::unrecorded;
use super::crew::Crew;
use super::execute::{Execution, execute};
use super::job::{Came, Job, Report, Spent, failure, failure_of};
use super::places::{As, Places, clean_up, head, keep_uncommitted, prepare_branch, unlock};
use super::standing::{Standings, standings};
use super::steps;
use super::view::{RunView, existing, view};
use super::watch::{Told, Watch};
use crate::agent::agreed::Agreement;
use crate::git::Merge;
use crate::model::execution::Failure;
use crate::model::id::{IssueId, RunId, SolutionId};
use crate::model::op::Op;
use crate::model::run::{Run, RunStep};
use crate::model::run_log::{ActionDone, IssueReached, PhaseReached, RunEvent, RunPhase, RunStatus, Setback};
use crate::model::status::IssueStatus;
use crate::ops::queue::{self, Selection};
use crate::ops::work::{self, Retry, What, Wish};
use crate::ops::{Answer, Kind, Refusal, Session, issues};
use crate::rules::command_line::CommandLine;
use crate::rules::evidence;
use crate::rules::roles::Role;
use crate::rules::run::{Need, Progress, Standing, Why, chains, need, next, phase};
use crate::store::Acting;
use crate::trail::active;

/// How long to wait for news before looking whether somebody wants to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How many news may wait to be read.
const NEWS: usize = 256;

/// Drives a run to its end, or until somebody stops it: it can be resumed then.
///
/// # Errors
/// `interrupted`; what writing to the store can come to.
pub(super) fn drive(session: &Session, id: &RunId, crew: Crew, watch: &mut dyn Watch) -> Answer<RunView> {
    let store = session.store();
    let run = existing(&store.snapshot()?, id)?.run;
    let places = Places::of(store, id);
    let _alone = places.hold(id)?;
    prepare_branch(store, &places, &run)?;
    let (sender, news) = mpsc::sync_channel(NEWS);
    let stops = Arc::new(AtomicUsize::new(0));
    let mut driver = Driver {
        session,
        run,
        crew,
        places,
        watch,
        busy: BTreeMap::new(),
        threads: Vec::new(),
        sender,
        news,
        stops,
    };
    let driven = driver.catch_up().and_then(|()| driver.until_nothing_is_left());
    if driven.is_err() {
        driver.stop_all();
    }
    let is_over = driven?;
    if !is_over {
        return Err(Refusal::new("interrupted", format!("run `{id}` was stopped"))
            .remedy(crate::model::remedy::Call::new("run resume", [id]), "goes on with it"));
    }
    clean_up(store, &driver.places)?;
    let snapshot = store.snapshot()?;
    let seen = view(store, &snapshot, existing(&snapshot, id)?)?;
    Ok(session.done(seen, None))
}

struct Driver<'a> {
    session: &'a Session,
    run: Run,
    crew: Crew,
    places: Places,
    watch: &'a mut dyn Watch,
    /// What agents are doing.
    busy: BTreeMap<IssueId, RunStep>,
    threads: Vec<JoinHandle<()>>,
    sender: SyncSender<Report>,
    news: Receiver<Report>,
    /// How often somebody wanted to stop.
    stops: Arc<AtomicUsize>,
}

impl Driver<'_> {
    /// Whether the run came to its end; else somebody stopped it.
    fn until_nothing_is_left(&mut self) -> Result<bool, Refusal> {
        loop {
            if self.watch.stop() {
                self.stops.fetch_add(1, Ordering::Relaxed);
            }
            let is_stopping = self.stops.load(Ordering::Relaxed) > 0;
            if !is_stopping {
                // What could not be begun makes room for others.
                while self.do_own_part()? || self.begin_steps()? {}
            }
            if self.busy.is_empty() {
                if is_stopping {
                    return Ok(false);
                }
                self.end()?;
                return Ok(true);
            }
            match self.news.recv_timeout(LOOK) {
                Ok(report) => self.hear(report)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    /// Records what was done and not recorded, because the run was killed in between. What was in progress is pending
    /// again.
    fn catch_up(&mut self) -> Result<(), Refusal> {
        let store = self.session.store();
        let log = existing(&store.snapshot()?, &self.run.id)?;
        let progress = Progress::of(&log);
        let mut events = Vec::new();
        for at in self.standings()?.all {
            let Some(logged) = progress.issue(&at.issue) else { continue };
            let folder = issues::existing(&store.snapshot()?, &at.issue)?;
            events.extend(unrecorded(&self.run, &progress, logged, &at, &folder));
        }
        if events.is_empty() { Ok(()) } else { self.log("catch up", events) }
    }

    /// Stops every agent and waits for that.
    fn stop_all(&mut self) {
        self.stops.store(3, Ordering::Relaxed);
        while !self.busy.is_empty() {
            if let Ok(Report::Over(issue, ..)) = self.news.recv() {
                self.busy.remove(&issue);
            }
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }

    fn standings(&self) -> Result<Standings, Refusal> {
        let folder = existing(&self.session.store().snapshot()?, &self.run.id)?;
        standings(self.session, &self.places, &folder)
    }

    /// What needs no agent: queueing, merging, trying again, giving up. Whether anything was done.
    fn do_own_part(&mut self) -> Result<bool, Refusal> {
        let standings = self.standings()?.all;
        let idle = || standings.iter().filter(|at| !self.busy.contains_key(&at.issue));
        let needs: Vec<(Standing, Need)> = idle().map(|at| (at.clone(), need(&self.run, at))).collect();
        let mut is_any = false;
        for (at, need) in needs {
            let issue = &at.issue;
            match need {
                Need::Person(why) => self.give_up(&at, why)?,
                Need::Retry => self.retry(issue)?,
                Need::Step(RunStep::Integrate) => self.integrate(issue)?,
                _ => continue,
            }
            is_any = true;
        }
        if is_any {
            return Ok(true);
        }
        let to_queue: Vec<IssueId> = next(&self.run, &standings, &self.busy)
            .into_iter()
            .filter(|(_, step)| *step == RunStep::Queue)
            .map(|(issue, _)| issue)
            .collect();
        if to_queue.is_empty() {
            return Ok(false);
        }
        self.reach_phase(RunStep::Queue)?;
        self.queue(&to_queue)?;
        Ok(true)
    }

    /// Starts agents for what can be done now. Whether something could not be begun.
    fn begin_steps(&mut self) -> Result<bool, Refusal> {
        let standings = self.standings()?;
        let steps = next(&self.run, &standings.all, &self.busy);
        if let Some(first) = steps.iter().map(|(_, step)| *step).chain(self.busy.values().copied()).min() {
            self.reach_phase(first)?;
        }
        let mut has_failed = false;
        for (issue, step) in steps {
            let begun = match step {
                RunStep::Plan => self.begin_plan(&issue),
                RunStep::Review => self.begin_review(&issue),
                RunStep::Execute => self.begin_execution(&issue),
                RunStep::Explore | RunStep::Queue | RunStep::Integrate => continue,
            };
            match begun {
                Ok(()) => {}
                // Somebody else was faster.
                Err(refusal) if refusal.kind == Kind::Nothing => {}
                Err(refusal) => {
                    self.fail(&issue, step, failure_of(&refusal))?;
                    has_failed = true;
                }
            }
        }
        Ok(has_failed)
    }

    fn begin_plan(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        self.log_issue("planning", IssueReached::plain(issue.clone(), IssueStatus::Planning))?;
        let job = self.reading_job(issue, RunStep::Plan, Role::Planner)?;
        self.spawn(job, steps::plan);
        Ok(())
    }

    fn begin_review(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let solution = self.bound(issue)?;
        let job = self.reading_job(issue, RunStep::Review, Role::Reviewer)?;
        self.spawn(job, move |job| steps::review(job, &solution));
        Ok(())
    }

    /// Takes the item, or goes on with it, and lets the agent work.
    fn begin_execution(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let store = self.session.store();
        let folder = issues::existing(&store.snapshot()?, issue)?;
        let solution = self.bound(issue)?;
        if let Some(refused) = self.refused(&solution)? {
            return Err(refused);
        }
        let holder = crate::rules::facts::holder(&folder).map(|holder| holder.execution.id.clone());
        let is_under_way = crate::rules::facts::status(&folder) == IssueStatus::Executing;
        let tree = self.places.tree_of(&solution);
        let is_there = match (&holder, is_under_way) {
            (Some(id), true) => active::work_dir_of(store, id)?.is_some(),
            _ => false,
        };
        let identity = self.identity(Role::Executor);
        let id = if let (Some(id), true) = (&holder, is_there) {
            unlock(&crate::store::Store::open(&tree, store.environment())?);
            id.clone()
        } else {
            self.clear(&tree)?;
            let session = identity.at(&self.places.branch_tree())?;
            let what = What::Item(solution.to_string());
            let wish = Wish { what, worktree: Some(Some(tree.clone())), ..Wish::default() };
            work::claim(&session, &wish)?.view.execution_id
        };
        let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Executing);
        reached.solution_id = Some(solution);
        reached.execution_id = Some(id.clone());
        self.log_issue("executing", reached)?;
        let job = self.job(issue, RunStep::Execute, Role::Executor, tree)?;
        self.spawn(job, move |job| execute(job, &Execution { id: id.clone(), is_resumed: is_there }));
        Ok(())
    }

    /// Why the tests of a plan may not be run; none if somebody agreed to all of them.
    fn refused(&mut self, solution: &SolutionId) -> Result<Option<Refusal>, Refusal> {
        let store = self.session.store();
        let folder = issues::existing(&store.snapshot()?, &solution.issue())?;
        let Some(plan) = folder.solution(solution) else { return Ok(None) };
        let agreement = Agreement::to(store, &plan.plan_digest())?;
        let typed = plan.typed_plan();
        let mut commands: Vec<CommandLine> = Vec::new();
        for (_, text) in evidence::commands(&typed) {
            let command = CommandLine::parse(text).map_err(|unseen| {
                Refusal::new(
                    "unseen-command",
                    format!("a test command of `{solution}` cannot be run: {unseen}"),
                )
            })?;
            if !agreement.is_given(&command) && !commands.contains(&command) {
                commands.push(command);
            }
        }
        let unseen: Vec<&CommandLine> = commands.iter().collect();
        if unseen.is_empty() {
            return Ok(None);
        }
        if !self.watch.agree(solution, &unseen) {
            return Ok(Some(
                Refusal::new(
                    "not-agreed",
                    format!("nobody here has agreed to run the tests of `{solution}`"),
                )
                .details(unseen.iter().map(|command| command.as_str().to_owned()).collect())
                .hint("run it in a terminal to be asked, or pass --yes"),
            ));
        }
        agreement.give(unseen)?;
        Ok(None)
    }

    /// Takes a worktree of an earlier attempt away; what is not committed there is kept on a branch.
    fn clear(&self, tree: &std::path::Path) -> Result<(), Refusal> {
        let store = self.session.store();
        store.git().prune_worktrees()?;
        if !tree.exists() {
            return Ok(());
        }
        if let Ok(there) = crate::store::Store::open(tree, store.environment())
            && !there.git().uncommitted()?.is_empty()
        {
            let name = tree.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            keep_uncommitted(&there, &format!("wf/kept/{name}"))?;
        }
        Ok(store.git().remove_worktree(tree)?)
    }

    /// A job in a worktree of its own that is thrown away.
    fn reading_job(&self, issue: &IssueId, step: RunStep, role: Role) -> Result<Job, Refusal> {
        let store = self.session.store();
        let tree = self.places.reading(issue);
        store.git().prune_worktrees()?;
        if tree.exists() {
            store.git().remove_worktree(&tree)?;
        }
        let head =
            head(store, &self.run)?.ok_or_else(|| Refusal::new("no-commit", "there is no commit to read"))?;
        store.git().add_detached_worktree(&tree, head.as_str())?;
        self.job(issue, step, role, tree)
    }

    fn job(
        &self,
        issue: &IssueId,
        step: RunStep,
        role: Role,
        folder: std::path::PathBuf,
    ) -> Result<Job, Refusal> {
        let store = self.session.store();
        let agent = self.crew.agent(role)?.clone();
        let log = existing(&store.snapshot()?, &self.run.id)?;
        let tried = Progress::of(&log).failed_since_taken(step, issue);
        let base = crate::store::Store::open(&folder, store.environment())?.head()?;
        let base = base.ok_or_else(|| Refusal::new("no-commit", "there is no commit to work on"))?;
        Ok(Job {
            step,
            issue: issue.clone(),
            agent,
            role,
            identity: self.identity(role),
            folder,
            base: base.into(),
            transcripts: self.places.transcripts(),
            tried,
            reports: self.sender.clone(),
            stops: Arc::clone(&self.stops),
        })
    }

    fn identity(&self, role: Role) -> As {
        let variables = self.session.environment();
        let date = variables.iter().find(|(name, _)| name == "GIT_COMMITTER_DATE");
        let date = date.map(|(_, value)| value.to_string_lossy().into_owned());
        As {
            acting: Acting::new(self.crew.actor(role), Some(role.as_str().to_owned()), date),
            environment: variables.clone(),
        }
    }

    fn spawn(&mut self, job: Job, work: impl FnOnce(&Job) -> Came + Send + 'static) {
        let (issue, step) = (job.issue.clone(), job.step);
        self.watch.told(&Told::Began { issue: &issue, step, agent: job.agent.name() });
        self.busy.insert(issue, step);
        self.threads.push(std::thread::spawn(move || {
            let came = work(&job);
            job.report(Report::Over(job.issue.clone(), job.step, Box::new(came)));
        }));
    }

    fn hear(&mut self, report: Report) -> Result<(), Refusal> {
        match report {
            Report::Said(issue, text) => self.watch.told(&Told::Said { issue: &issue, text: &text }),
            Report::Setback(setback) => self.log("setback", [RunEvent::Setback(setback)])?,
            Report::Breach(breach) => self.log("breach", [RunEvent::Breach(breach)])?,
            Report::Over(issue, step, came) => {
                self.busy.remove(&issue);
                if matches!(step, RunStep::Plan | RunStep::Review) {
                    // What is left of it goes when the issue is read for again.
                    let _ = self.session.store().git().remove_worktree(&self.places.reading(&issue));
                }
                self.settle(&issue, step, *came)?;
            }
        }
        Ok(())
    }

    /// Records what came of a step.
    fn settle(&mut self, issue: &IssueId, step: RunStep, came: Came) -> Result<(), Refusal> {
        match came {
            Came::Planned(solution, spent) => {
                let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Planned);
                reached.solution_id = Some(solution);
                self.log("planned", [self.done(issue, step, spent, None), RunEvent::Issue(reached)])
            }
            Came::Candidates(n, spent) => {
                let note = format!("{n} plans to choose from");
                self.log("planned", [self.done(issue, step, spent, Some(note))])
            }
            Came::Reviewed(verdict, spent) => {
                self.log("reviewed", [self.done(issue, step, spent, Some(verdict.to_string()))])
            }
            Came::Completed(execution, spent) => {
                let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Completed);
                reached.execution_id = Some(execution);
                self.log("completed", [self.done(issue, step, spent, None), RunEvent::Issue(reached)])
            }
            Came::Failed(failure) => {
                let setback = self.setback(issue, step, failure);
                self.log("failed", [setback])
            }
            // A plan is judged by what the others said of it, or by nobody.
            Came::Gave(failure) if step == RunStep::Review => {
                let skipped = failure.message.clone().unwrap_or_default();
                let mut left_out = self.action(issue, step);
                left_out.skipped = Some(skipped);
                self.log("unreviewed", [self.setback(issue, step, failure), RunEvent::Action(left_out)])
            }
            Came::Gave(failure) => self.fail(issue, step, failure),
            Came::Stopped => Ok(()),
        }
    }

    /// The step came to nothing, and the run goes on without the issue.
    fn fail(&mut self, issue: &IssueId, step: RunStep, failure: Failure) -> Result<(), Refusal> {
        let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Failed);
        reached.error = Some(failure.clone());
        self.log("failed", [self.setback(issue, step, failure), RunEvent::Issue(reached)])
    }

    /// Nothing can be done for an issue until somebody decides.
    fn give_up(&mut self, at: &Standing, why: Why) -> Result<(), Refusal> {
        let issue = &at.issue;
        let error = match why {
            Why::NoPlan => {
                failure("no-plan", &format!("it has no bound plan; `git wf bind {issue}` chooses one"), "")
            }
            Why::Choice => failure(
                "pending-selection",
                &format!(
                    "{} plans wait for somebody to choose; `git wf bind {issue} SOLUTION` chooses one",
                    at.candidates
                ),
                "",
            ),
            Why::Rejected => failure(
                "rejected",
                &format!(
                    "its plans were rejected {} times; `git wf feedback list {issue}` says why",
                    at.rejected
                ),
                "",
            ),
            Why::Stopped => failure("stopped", &format!("it is {}", at.status), ""),
            Why::Failed => self.last_failure(issue)?,
        };
        let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Failed);
        reached.error = Some(error);
        self.log_issue("failed", reached)
    }

    fn last_failure(&self, issue: &IssueId) -> Result<Failure, Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        let failure = crate::rules::facts::holder(&folder).and_then(|holder| holder.failure().cloned());
        Ok(failure.unwrap_or_default())
    }

    fn retry(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let session = self.identity(Role::Executor).at(&self.places.branch_tree())?;
        let input = Retry { issue: Some(issue.to_string()), same_plan: true };
        match work::retry(&session, &input) {
            Ok(_) => self.log_issue("retried", IssueReached::plain(issue.clone(), IssueStatus::Queued)),
            Err(refusal) => self.fail(issue, RunStep::Execute, failure_of(&refusal)),
        }
    }

    /// Queues plans; if that fails for all at once, each by itself.
    fn queue(&mut self, issues: &[IssueId]) -> Result<(), Refusal> {
        let which =
            Selection { issues: issues.iter().map(IssueId::to_string).collect(), ..Selection::default() };
        let session = self.identity(Role::Integrator).at(&self.places.branch_tree())?;
        let refusal = match queue::add(&session, &queue::Add { which, queue: None, force: None }) {
            Ok(done) => {
                let mut events = vec![self.done_for_all(RunStep::Queue)];
                for added in done.view {
                    let item = added.item;
                    let mut reached = IssueReached::plain(item.item.issue_id.clone(), IssueStatus::Queued);
                    reached.solution_id = Some(item.item.solution_id.clone());
                    reached.queue_id = item.queue_id;
                    reached.item_id = Some(item.item.item_id);
                    events.push(RunEvent::Issue(reached));
                }
                return self.log("queued", events);
            }
            Err(refusal) => refusal,
        };
        match issues {
            [only] => self.fail(only, RunStep::Queue, failure_of(&refusal)),
            all => all.iter().try_for_each(|issue| self.queue(std::slice::from_ref(issue))),
        }
    }

    /// Merges the work of a completed issue into the branch of the run.
    fn integrate(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let solution = self.bound(issue)?;
        let branch = format!("wf/{solution}");
        let there = crate::store::Store::open(&self.places.branch_tree(), self.session.environment())?;
        match there.git().merge_branch(&branch) {
            Ok(Merge::Done) => {
                let tree = self.places.tree_of(&solution);
                if tree.exists() {
                    there.git().remove_worktree(&tree)?;
                }
                there.git().delete_merged_branch(&branch)?;
                self.log("integrated", [RunEvent::Action(self.action(issue, RunStep::Integrate))])
            }
            Ok(Merge::Conflict(files)) => {
                let message =
                    format!("its work on the branch {branch} conflicts with that of others in the run");
                self.fail(issue, RunStep::Integrate, failure("merge-conflict", &message, &files.join(", ")))
            }
            Err(error) => self.fail(issue, RunStep::Integrate, failure("merge", &error.to_string(), "")),
        }
    }

    /// Records the end: with what went wrong, if nothing came of any issue or if issues wait for each other.
    fn end(&mut self) -> Result<(), Refusal> {
        let Standings { all, waits_for } = self.standings()?;
        let stuck: Vec<&Standing> = all.iter().filter(|at| need(&self.run, at) == Need::Wait).collect();
        let waiting =
            waits_for.into_iter().filter(|(id, _)| stuck.iter().any(|at| at.issue == *id)).collect();
        let chains = chains(&waiting);
        for at in &stuck {
            let why = chains.iter().find(|chain| chain.starts_with(at.issue.as_str()));
            let why = why.cloned().unwrap_or_else(|| format!("{} is {}", at.issue, at.status));
            let mut reached = IssueReached::plain(at.issue.clone(), IssueStatus::Failed);
            reached.error = Some(failure("stalled", &why, ""));
            self.log_issue("stalled", reached)?;
        }
        let error = if !stuck.is_empty() {
            Some(failure("stalled", "issues wait for what this run cannot do", &chains.join("\n")))
        } else if self.all_failed()? {
            Some(failure("all-failed", "nothing came of any issue", ""))
        } else {
            None
        };
        let (status, phase) = (RunStatus::Completed, RunPhase::Complete);
        self.log("end", [RunEvent::Phase(PhaseReached { status, phase, error })])
    }

    fn all_failed(&self) -> Result<bool, Refusal> {
        let log = existing(&self.session.store().snapshot()?, &self.run.id)?;
        let progress = Progress::of(&log);
        Ok(progress.issues.iter().all(|issue| issue.status == IssueStatus::Failed))
    }

    fn bound(&self, issue: &IssueId) -> Result<SolutionId, Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        folder
            .bound()
            .map(|plan| plan.id.clone())
            .ok_or_else(|| Refusal::new("not-bound", format!("issue `{issue}` has no bound plan")))
    }

    fn reach_phase(&mut self, step: RunStep) -> Result<(), Refusal> {
        let Some(phase) = phase([step]) else { return Ok(()) };
        let log = existing(&self.session.store().snapshot()?, &self.run.id)?;
        if Progress::of(&log).phase == phase {
            return Ok(());
        }
        let status = RunStatus::Running;
        self.log(phase.as_str(), [RunEvent::Phase(PhaseReached { status, phase, error: None })])
    }

    fn action(&self, issue: &IssueId, action: RunStep) -> ActionDone {
        ActionDone {
            action,
            issue_id: Some(issue.clone()),
            agent: None,
            took_ms: None,
            note: None,
            skipped: None,
        }
    }

    fn done_for_all(&self, action: RunStep) -> RunEvent {
        RunEvent::Action(ActionDone {
            action,
            issue_id: None,
            agent: None,
            took_ms: None,
            note: None,
            skipped: None,
        })
    }

    fn done(&self, issue: &IssueId, step: RunStep, spent: Spent, note: Option<String>) -> RunEvent {
        let (agent, took_ms) = (self.agent_of(step), Some(spent.took_ms));
        RunEvent::Action(ActionDone { agent, took_ms, note, ..self.action(issue, step) })
    }

    fn setback(&self, issue: &IssueId, action: RunStep, error: Failure) -> RunEvent {
        RunEvent::Setback(Setback {
            action,
            issue_id: Some(issue.clone()),
            agent: self.agent_of(action),
            error,
        })
    }

    fn agent_of(&self, step: RunStep) -> Option<String> {
        let role = match step {
            RunStep::Plan => Role::Planner,
            RunStep::Review => Role::Reviewer,
            RunStep::Execute => Role::Executor,
            RunStep::Explore | RunStep::Queue | RunStep::Integrate => return None,
        };
        self.crew.agent(role).ok().map(|agent| agent.name().to_owned())
    }

    fn log_issue(&mut self, what: &str, reached: IssueReached) -> Result<(), Refusal> {
        self.log(what, [RunEvent::Issue(reached)])
    }

    /// Records what happened, all of it at once, and tells it.
    fn log(&mut self, what: &str, events: impl IntoIterator<Item = RunEvent>) -> Result<(), Refusal> {
        let events: Vec<RunEvent> = events.into_iter().collect();
        let id = &self.run.id;
        let of = events.iter().find_map(|event| match event {
            RunEvent::Issue(it) => Some(&it.issue_id),
            RunEvent::Action(it) => it.issue_id.as_ref(),
            RunEvent::Setback(it) => it.issue_id.as_ref(),
            RunEvent::Breach(it) => it.issue_id.as_ref(),
            RunEvent::Phase(_) => None,
        });
        let of = of.filter(|_| events.len() < 3).map(|issue| format!(" {issue}")).unwrap_or_default();
        self.session.transact(self.session.permit(Op::Run)?, |tx| {
            for event in &events {
                tx.log_run(id, event.clone())?;
            }
            tx.describe(format!("run: {id}{of} {what}"));
            Ok(())
        })?;
        for event in &events {
            self.watch.told(&Told::Logged(event));
        }
        Ok(())
    }
}
