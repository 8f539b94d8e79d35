//! Jobs for agents: where they work, and under whose name.

use super::Driver;
use crate::agent::guard::AgentGuard;
use crate::git::HooksPlace;
use crate::model::branch::Branch;
use crate::model::code::Code;
use crate::model::hash::CommitHash;
use crate::model::id::IssueId;
use crate::model::run::RunStep;
use crate::ops::Refusal;
use crate::ops::work::confining::keep_settings_of;
use crate::ops::work::runs::paths::{AgentIdentity, head};
use crate::ops::work::runs::tree;
use crate::rules::roles::Role;
use crate::rules::run::{Bounds, RunProgress};
use crate::run::job::{AgentJob, StepOutcome, StepReport};
use crate::run::leftovers::keep_uncommitted;
use crate::run::outside::held;
use crate::run::silence;
use crate::run::watch::RunUpdate;
use crate::trail::hooked::links_commits;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place and the bounds of a job.
pub(super) struct JobSite {
    /// The worktree.
    pub(super) folder: PathBuf,
    /// The full name of the branch to commit on; `None` to read only.
    pub(super) branch: Option<Branch>,
    /// The commit at which the work begins; `None` for the one that is checked out.
    pub(super) base: Option<CommitHash>,
    /// The paths that the plan names.
    pub(super) named: BTreeSet<String>,
}

impl Driver<'_> {
    /// Removes the worktree of an earlier attempt; uncommitted changes are kept on a branch.
    pub(super) fn clear(&self, folder: &Path) -> Result<(), Refusal> {
        let store = self.session.store();
        store.prune_worktrees()?;
        if !folder.exists() && !folder.is_symlink() {
            return Ok(());
        }
        if let Ok(there) = tree::open_of(store, folder)
            && !there.git().uncommitted()?.is_empty()
        {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            keep_uncommitted(&there, &name)?;
        }
        tree::remove(store, folder)
    }

    /// A job in a temporary worktree.
    pub(super) fn reading_job(
        &self,
        issue: &IssueId,
        step: RunStep,
        role: Role,
    ) -> Result<AgentJob, Refusal> {
        let store = self.session.store();
        let folder = self.places.reading(issue);
        store.prune_worktrees()?;
        if folder.exists() || folder.is_symlink() {
            tree::remove(store, &folder)?;
        }
        let head = head(store, &self.run)?.ok_or_else(|| {
            Refusal::new(Code::NoCommit, "there is no commit to read")
                .command("git commit", "creates the first one")
        })?;
        store.git().add_detached_worktree(&folder, head.as_str())?;
        self.job(
            issue,
            step,
            role,
            JobSite { folder, branch: None, base: Some(head), named: BTreeSet::new() },
        )
    }

    pub(super) fn job(
        &self,
        issue: &IssueId,
        step: RunStep,
        role: Role,
        task: JobSite,
    ) -> Result<AgentJob, Refusal> {
        let JobSite { folder, branch, base, named } = task;
        let store = self.session.store();
        let agent = self.crew.agent(role)?.clone();
        let tried = RunProgress::of(&self.log).failed_since_taken(step, issue);
        let there = tree::open_of(store, &folder)?;
        keep_settings_of(&there);
        let head = there.head()?;
        let head = head.ok_or_else(|| {
            Refusal::new(Code::NoCommit, "there is no commit to work on")
                .command("git commit", "creates the first one")
        })?;
        let bounds = Bounds { role, branch, base: base.unwrap_or_else(|| head.into()), named };
        let own = match there.hooks_place()? {
            HooksPlace::Folder(folder) => folder,
            // Nothing is found below it, as git finds nothing.
            HooksPlace::Off(_) => PathBuf::from("/dev/null"),
        };
        let guard = AgentGuard::set(&self.places.guard(step, issue), bounds, &own, links_commits(&there));
        let guard = guard.map_err(|error| {
            Refusal::new(Code::CannotWrite, format!("the hooks for the agent cannot be written: {error}"))
                .hint("make sure that the directory is writable and the disk has space")
        })?;
        let silence = silence::limit(store, &agent)?;
        Ok(AgentJob {
            run: self.run.clone(),
            silence,
            step,
            execution: None,
            issue: issue.clone(),
            agent,
            role,
            identity: self.identity(role),
            folder,
            base: head.into(),
            guard,
            outside: Arc::clone(&self.outside),
            transcripts: self.places.transcripts(),
            tried,
            reports: self.sender.clone(),
            stops: Arc::clone(&self.stops),
            usage: RefCell::default(),
            kept: RefCell::default(),
        })
    }

    pub(super) fn identity(&self, role: Role) -> AgentIdentity {
        AgentIdentity::agent(self.session, self.crew.actor(role), role)
    }

    pub(super) fn spawn(
        &mut self,
        job: AgentJob,
        work: impl FnOnce(&AgentJob) -> StepOutcome + Send + 'static,
    ) {
        let (issue, step) = (job.issue.clone(), job.step);
        let attempt = RunProgress::of(&self.log).attempts(step, &issue) + 1;
        self.watch.update(&RunUpdate::Began { issue: &issue, step, agent: job.agent.name(), attempt });
        self.at_work.insert(issue.clone(), (step, job.agent.name().to_owned()));
        self.busy.insert(issue, step);
        self.threads.push(std::thread::spawn(move || {
            let came = held(&job, work);
            let usage = job.usage.take();
            job.report(StepReport::Over(job.issue.clone(), job.step, Box::new(came), usage));
        }));
    }
}
