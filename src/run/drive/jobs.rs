//! Jobs for agents: where they work, and under whose name.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Driver;
use crate::agent::guard::AgentGuard;
use crate::git::HooksPlace;
use crate::model::{Code, CommitHash, IssueId, RunStep};
use crate::ops::Refusal;
use crate::ops::work::runs::paths::{AgentIdentity, head, remove_tree};
use crate::rules::{Bounds, Role, RunProgress};
use crate::run::job::{AgentJob, EndedStep, StepOutcome, StepReport};
use crate::run::panicked;
use crate::run::sessions::SessionNote;
use crate::run::silence;
use crate::run::spending::UnrecordedWork;
use crate::run::stops::RunStops;
use crate::run::taking::take_step;
use crate::run::watch::{RunUpdate, WorkTest};
use crate::run::workplace::{self, StepSite};
use crate::store::object_id;
use crate::trail::hooked::links_commits;

/// The place and the bounds of a job.
pub(super) struct JobSite {
    /// Where the agent works.
    pub(super) site: StepSite,
    /// The worktree that claims the plan.
    pub(super) claim: Option<PathBuf>,
    /// The commit at which the execution began; `None` if it begins where the agent does.
    pub(super) base: Option<CommitHash>,
    /// The paths that the plan names.
    pub(super) named: BTreeSet<String>,
    /// What the agent is asked about: the id of an issue, a plan or an execution.
    pub(super) about: String,
}

impl Driver<'_> {
    /// Removes the worktree of an earlier claim.
    pub(super) fn clear(&self, folder: &Path) -> Result<(), Refusal> {
        let store = self.session.store();
        store.prune_worktrees()?;
        if folder.exists() || folder.is_symlink() { remove_tree(store, folder) } else { Ok(()) }
    }

    /// A job for an agent that only reads.
    pub(super) fn reading_job(
        &self,
        issue: &IssueId,
        step: RunStep,
        role: Role,
        about: &str,
    ) -> Result<AgentJob, Refusal> {
        let head = head(self.session.store(), &self.run)?;
        let start = head.and_then(|head| object_id(head.as_str())).ok_or_else(|| {
            Refusal::new(Code::NoCommit, "there is no commit to read")
                .command("git commit", "creates the first one")
        })?;
        let of = format!("read-{issue}");
        let site = StepSite {
            name: workplace::name(&self.run.id, &of),
            folder: self.places.trees.join(of),
            start,
            branch: None,
            active: None,
        };
        let (named, about) = (BTreeSet::new(), about.to_owned());
        self.job(issue, step, role, JobSite { site, claim: None, base: None, named, about })
    }

    pub(super) fn job(
        &self,
        issue: &IssueId,
        step: RunStep,
        role: Role,
        task: JobSite,
    ) -> Result<AgentJob, Refusal> {
        let JobSite { site, claim, base, named, about } = task;
        let store = self.session.store();
        let agent = self.crew.agent(role)?.clone();
        let tried = RunProgress::of(&self.log).failed_since_taken(step, issue);
        let bounds = Bounds {
            role,
            branch: site.branch.clone(),
            base: base.unwrap_or_else(|| site.start.into()),
            named,
        };
        let own = match store.hooks_place()? {
            HooksPlace::Folder(folder) => folder,
            // Nothing is found below it, as git finds nothing.
            HooksPlace::Off(_) => PathBuf::from("/dev/null"),
        };
        let guard = AgentGuard::set(&self.places.guard(step, issue), bounds, &own, links_commits(store));
        let guard = guard.map_err(|error| {
            Refusal::new(Code::CannotWrite, format!("the hooks for the agent cannot be written: {error}"))
                .hint("make sure that the directory is writable and the disk has space")
        })?;
        // It matters only later; but an invalid value is reported now.
        silence::configured(store)?;
        let fallbacks = self.crew.fallbacks(&agent);
        let all = std::iter::once(&agent).chain(&fallbacks);
        let actors = all.map(|agent| (agent.name().to_owned(), self.crew.actor_of(role, agent))).collect();
        Ok(AgentJob {
            run: self.run.clone(),
            asked: RefCell::new(agent.name().to_owned()),
            actors,
            step,
            execution: None,
            issue: issue.clone(),
            fallbacks,
            agent,
            limits: Arc::clone(&self.limits),
            landings: self.landings.own.clone(),
            about,
            note: SessionNote::of(&self.places, role, issue),
            follow_up: RefCell::default(),
            left: None,
            role,
            identity: self.identity(role),
            claim,
            site,
            workplace: RefCell::default(),
            confinement: self.confinement.clone(),
            guard,
            transcripts: self.places.transcripts(),
            tried,
            reports: self.sender.clone(),
            stops: RunStops::of_issue(&self.stops),
            usage: RefCell::default(),
            at_work: Cell::default(),
            worked_ms: Cell::default(),
            sessions: RefCell::default(),
            logged: RefCell::default(),
            kept: RefCell::default(),
        })
    }

    pub(super) fn identity(&self, role: Role) -> AgentIdentity {
        let hold = Some(Arc::clone(&self.hold));
        AgentIdentity { hold, ..AgentIdentity::agent(self.session, self.crew.actor(role), role) }
    }

    /// The owner of the run.
    pub(super) fn owner(&self) -> AgentIdentity {
        AgentIdentity { hold: Some(Arc::clone(&self.hold)), ..AgentIdentity::owner(self.session) }
    }

    /// Runs tests of copies of completed work beside the agents.
    pub(super) fn spawn_test(
        &mut self,
        issue: &IssueId,
        test: impl FnOnce() -> StepOutcome + Send + 'static,
    ) {
        self.busy.insert(issue.clone(), RunStep::Integrate);
        self.watch.update(&RunUpdate::Tests { issue, of: WorkTest::Copies });
        let (reports, issue) = (self.sender.clone(), issue.clone());
        self.threads.push(std::thread::spawn(move || {
            let (step, outcome) = (RunStep::Integrate, Box::new(panicked::outcome(test)));
            let work = UnrecordedWork::default();
            let ended = EndedStep { issue, step, agent: None, outcome, work, logged: vec![] };
            // Nobody hears it if the run has ended.
            let _ = reports.send(StepReport::Over(ended));
        }));
    }

    pub(super) fn spawn(
        &mut self,
        job: AgentJob,
        work: impl FnOnce(&AgentJob) -> StepOutcome + Send + 'static,
    ) {
        let (issue, step) = (job.issue.clone(), job.step);
        let attempt = RunProgress::of(&self.log).attempts(step, &issue) + 1;
        self.watch.update(&RunUpdate::Began { issue: &issue, step, agent: job.agent.name(), attempt });
        self.stops_of.insert(issue.clone(), Arc::clone(&job.stops));
        self.busy.insert(issue, step);
        self.threads.push(std::thread::spawn(move || {
            let came = panicked::outcome(|| take_step(&job, work));
            job.report(StepReport::Over(EndedStep {
                issue: job.issue.clone(),
                step: job.step,
                agent: Some(job.asked.take()),
                outcome: Box::new(came),
                work: job.take_work(),
                logged: job.logged.take(),
            }));
        }));
    }
}
