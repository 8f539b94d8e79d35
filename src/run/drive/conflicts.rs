//! Completed work that conflicts with the branch of the run: copies of its commits may fit; otherwise the agent that made it is
//! asked, and then a person.

use std::collections::BTreeSet;
use std::fs;

use super::Driver;
use super::jobs::JobSite;
use super::starting::file_name;
use crate::git::fault;
use crate::model::{Branch, ExecutionId, Failure, IssueId, Op, RemedyCall, RunStep, SolutionId};
use crate::ops::work::preparing::remove_leftover;
use crate::ops::work::runs::is_in;
use crate::ops::work::runs::paths::open_tree;
use crate::ops::work::{self, JoinConflict, JoinedTests, JoinedWork};
use crate::ops::{Notice, Refusal, issues};
use crate::rules::run::MERGE_CONFLICT;
use crate::rules::{Role, RunProgress};
use crate::run::job::{AgentJob, failure};
use crate::run::landing::ends_run;
use crate::run::leftovers::put_away;
use crate::run::resolving::{ResolvedConflict, TestedCopies, WorkConflict, resolve, take_back, test_copies};
use crate::run::spending::{self, UnrecordedWork};
use crate::run::watch::RunUpdate;
use crate::run::workplace::{self, StepSite, StepWorkplace};
use crate::store::{ObjectId, Store, StoreError, object_id};

/// The file in the git directory of the worktree that claims a plan, with the commit of the work whose conflict is being
/// resolved. If a process is killed, the next one takes back a merge that was not accepted.
const RESOLVING: &str = "wf/resolving";
/// How often an agent is asked to resolve a conflict of one issue.
const MOST_ASKED: usize = 2;
/// More files than a branch deletes.
const MOST_FILES: usize = 200_000;

/// Completed work of the run, with its branch.
pub(super) struct WorkBranch<'a> {
    pub(super) issue: &'a IssueId,
    pub(super) solution: &'a SolutionId,
    pub(super) execution: &'a ExecutionId,
    pub(super) branch: &'a Branch,
}

impl Driver<'_> {
    /// Deals with work that a merge cannot bring into the branch of the run.
    pub(super) fn meet_conflict(&mut self, there: &Store, it: &WorkBranch<'_>) -> Result<(), Refusal> {
        let Some(tip) = there.head()? else { return Ok(()) };
        if self.must_wait(it.issue) {
            return Ok(());
        }
        let conflict = match work::join_work(self.session, it.issue, tip) {
            Ok(JoinedWork::Joined(commit)) => return self.take_joined(there, it, commit),
            // Whoever resumes the run tests them.
            Ok(JoinedWork::Copied(_)) if self.is_stopping() => return Ok(()),
            Ok(JoinedWork::Copied(copied)) => {
                let (identity, issue) = (self.identity(Role::Executor), it.issue.clone());
                self.spawn_test(it.issue, move || test_copies(&identity, &issue, *copied));
                return Ok(());
            }
            Ok(JoinedWork::Conflict(conflict)) => conflict,
            Err(refusal) if refusal.is_stop() => return Err(refusal),
            Err(refusal) => {
                let failure = failure("merge", &refusal.message, "");
                return self.fail(it.issue, RunStep::Integrate, failure);
            }
        };
        let asked = RunProgress::of(&self.log).failed_since_taken(RunStep::Integrate, it.issue);
        if asked < MOST_ASKED && self.crew.agent(Role::Executor).is_ok() {
            self.keep_budget()?;
            // Whoever resumes the run asks.
            if self.is_stopping() {
                return Ok(());
            }
            if self.is_too_expensive(it.issue)? {
                return self.leave_conflict(there, it, tip, &conflict);
            }
            return match self.begin_resolution(it, tip, conflict.clone()) {
                Ok(()) => Ok(()),
                Err(refusal) if refusal.is_stop() => Err(refusal),
                Err(refusal) => {
                    self.warn_unasked(it.issue, &refusal);
                    self.leave_conflict(there, it, tip, &conflict)
                }
            };
        }
        self.leave_conflict(there, it, tip, &conflict)
    }

    /// The agent that made some work cannot be asked about its conflict.
    fn warn_unasked(&mut self, issue: &IssueId, why: &Refusal) {
        let what = format!("{issue}: its agent cannot be asked about the conflict: {}", why.message);
        self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
    }

    /// Whether no agent may be asked about the conflict of an issue since the work on it has cost what that may. Says so.
    fn is_too_expensive(&mut self, issue: &IssueId) -> Result<bool, Refusal> {
        let work = UnrecordedWork::default();
        let Some(why) = spending::exhausted_by_issue(self.session, &self.run.id, issue, &work)? else {
            return Ok(false);
        };
        let what = format!("{issue}: its agent is not asked about the conflict: {why}");
        self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
        Ok(true)
    }

    /// Whether no job is free for what the conflict of an issue takes: it is looked at again once one is.
    fn must_wait(&mut self, issue: &IssueId) -> bool {
        let must_wait = !self.has_free_job();
        if must_wait {
            self.waits_for_job.insert(issue.clone());
        } else {
            self.waits_for_job.remove(issue);
        }
        must_wait
    }

    /// Lets the agent that made some work resolve its conflict with what others have landed since that work came to the branch
    /// of the run. Returns whether it is asked; otherwise a person must resolve it, unless the run stops.
    pub(super) fn ask_about_target(&mut self, issue: &IssueId) -> Result<bool, Refusal> {
        match self.try_to_ask_about_target(issue) {
            Err(refusal) if !ends_run(&refusal) => {
                self.warn_unasked(issue, &refusal);
                Ok(false)
            }
            is_asked => is_asked,
        }
    }

    fn try_to_ask_about_target(&mut self, issue: &IssueId) -> Result<bool, Refusal> {
        self.keep_budget()?;
        let asked = RunProgress::of(&self.log).failed_since_taken(RunStep::Integrate, issue);
        if asked >= MOST_ASKED || self.is_stopping() || self.crew.agent(Role::Executor).is_err() {
            return Ok(false);
        }
        if self.is_too_expensive(issue)? {
            return Ok(false);
        }
        let store = self.session.store();
        let solution = self.executed(issue)?;
        let (execution, branch) = self.branch_of_work(issue)?;
        if store.read_ref(branch.as_str())?.is_none() {
            // It went once it was merged.
            let head = work::work_head(self.session, issue)?;
            let is_back = match head {
                Some(head) => store.git().keep(branch.as_str(), head).map_err(StoreError::Git)?,
                None => false,
            };
            if !is_back {
                return Ok(false);
            }
        }
        let tip = work::target_tip(self.session)?;
        let Some(conflict) = work::conflict_with(self.session, issue, tip)? else { return Ok(false) };
        let work = WorkBranch { issue, solution: &solution, execution: &execution, branch: &branch };
        self.begin_resolution(&work, tip, conflict)?;
        Ok(true)
    }

    /// Whether the work of an issue is in the branch of the run, so that a conflict of it is one with the target.
    pub(super) fn conflicts_with_target(&self, issue: &IssueId) -> Result<bool, Refusal> {
        if !self.run.lands {
            return Ok(false);
        }
        let store = self.session.store();
        let (_, branch) = self.branch_of_work(issue)?;
        let tip = store.read_ref(branch.as_str())?;
        Ok(tip.is_some_and(|tip| is_in(store, tip, self.head)))
    }

    /// Moves the branch of the run to copies of completed work that have passed their tests. If it has moved meanwhile, the work is
    /// merged anew.
    pub(super) fn take_copies(&mut self, issue: &IssueId, tested: &TestedCopies) -> Result<(), Refusal> {
        let TestedCopies { copied, tests } = tested;
        let checks = match tests {
            Ok(JoinedTests::Passed(checks)) => checks,
            Ok(JoinedTests::Failed(words)) => {
                return self.fail(issue, RunStep::Integrate, failure("test_failure", words, ""));
            }
            Err(failure) => return self.fail(issue, RunStep::Integrate, failure.clone()),
        };
        let there = self.branch_tree()?;
        if there.head()? != copied.range.base {
            return Ok(());
        }
        work::follow_copies(self.session, copied, checks)?;
        let solution = self.executed(issue)?;
        let (execution, branch) = self.branch_of_work(issue)?;
        let work = WorkBranch { issue, solution: &solution, execution: &execution, branch: &branch };
        self.take_joined(&there, &work, copied.range.head)
    }

    /// Copies of its commits fit on the branch of the run.
    fn take_joined(&mut self, there: &Store, it: &WorkBranch<'_>, commit: ObjectId) -> Result<(), Refusal> {
        if let Err(words) = there.git().forward(commit).map_err(StoreError::Git)? {
            return self.fail(it.issue, RunStep::Integrate, failure("merge", &words, ""));
        }
        self.drop_work(there, it)?;
        // The branch of the run has copies of what is on this one.
        if let Some(tip) = there.read_ref(it.branch.as_str())? {
            there.repo().delete_ref(it.branch.as_str(), tip)?;
        }
        self.merged(it.issue)
    }

    /// Lets the agent work in a workplace on the branch of the work, into which the branch of the run is being merged.
    fn begin_resolution(
        &mut self,
        it: &WorkBranch<'_>,
        theirs: ObjectId,
        what: JoinConflict,
    ) -> Result<(), Refusal> {
        let store = self.session.store();
        let tree = self.places.tree_of(it.solution);
        let has_tree = open_tree(store, &tree)
            .is_ok_and(|there| there.branch().is_ok_and(|branch| branch.as_ref() == Some(it.branch)));
        if !has_tree {
            self.clear(&tree)?;
            let tip = store.read_ref(it.branch.as_str())?;
            let tip = tip.ok_or_else(|| Refusal::unreadable(&format!("branch `{}`", it.branch)))?;
            store.add_fileless_worktree(&tree, it.branch, tip)?;
        }
        let there = open_tree(store, &tree)?;
        let Some(ours) = there.head()? else {
            return Err(Refusal::unreadable(&format!("branch `{}`", it.branch)));
        };
        note(&there, ours)?;
        let of = format!("merge-{}", file_name(&tree));
        let name = workplace::name(&self.run.id, &of);
        if let Some(left) = StepWorkplace::reopen(store, &name) {
            remove_leftover(self.session, left.workplace);
        }
        // Some agents find their sessions by the directory in which they worked.
        let worked_in = self.places.trees.join(file_name(&tree));
        let folder = if worked_in.exists() { self.places.trees.join(of) } else { worked_in };
        let site = StepSite { name, folder, start: ours, branch: Some(it.branch.clone()), active: None };
        let mut named = self.named(it.issue)?;
        named.extend(absent(store, ours, theirs)?);
        let about = it.execution.to_string();
        let task = JobSite { site, claim: Some(tree), base: Some(ours.into()), named, about };
        let job = self.job(it.issue, RunStep::Integrate, Role::Executor, task)?;
        let job = AgentJob { execution: Some(it.execution.clone()), ..job };
        let conflict = WorkConflict { execution: it.execution.clone(), ours, theirs, what };
        self.spawn(job, move |job| resolve(job, &conflict));
        Ok(())
    }

    /// Accepts a merge by which an agent resolved the conflict of an issue.
    pub(super) fn accept_resolution(
        &self,
        issue: &IssueId,
        resolved: &ResolvedConflict,
    ) -> Result<(), Refusal> {
        work::link_resolution(self.session, issue, resolved.merge, &resolved.checks)?;
        fault::point("run-resolved");
        let tree = self.places.tree_of(&self.executed(issue)?);
        if let Ok(there) = open_tree(self.session.store(), &tree) {
            let _ = fs::remove_file(there.git_dir().join(RESOLVING));
        }
        Ok(())
    }

    /// Takes back what an agent did about a conflict if the run was killed before it was accepted.
    pub(super) fn take_back_unaccepted(&self, it: &WorkBranch<'_>) -> Result<(), Refusal> {
        let store = self.session.store();
        let Ok(there) = open_tree(store, &self.places.tree_of(it.solution)) else { return Ok(()) };
        let path = there.git_dir().join(RESOLVING);
        let Ok(noted) = fs::read_to_string(&path) else { return Ok(()) };
        let folder = issues::existing(&store.snapshot()?, it.issue)?;
        let execution = folder.executions.iter().find(|known| known.execution.id == *it.execution);
        let head = there.head()?.map(|head| head.to_string());
        let is_accepted = head.is_some_and(|head| execution.is_some_and(|known| known.knows_commit(&head)));
        if let Some(ours) = object_id(noted.trim()).filter(|_| !is_accepted) {
            take_back(&there, ours)?;
        }
        let _ = fs::remove_file(path);
        Ok(())
    }

    /// Leaves a conflict to a person, in a work tree in which the merge stands half done.
    fn leave_conflict(
        &mut self,
        there: &Store,
        it: &WorkBranch<'_>,
        tip: ObjectId,
        conflict: &JoinConflict,
    ) -> Result<(), Refusal> {
        // The branch has all the work. Without this worktree, it can be checked out anywhere.
        let tree = self.places.tree_of(it.solution);
        if tree.exists() {
            let head = there.read_ref(it.branch.as_str())?;
            put_away(there, &tree, it.execution, head)?;
        }
        let place = match work::begin_half_done(self.session, it.issue, tip) {
            Ok(place) => place,
            Err(refusal) if refusal.is_stop() => return Err(refusal),
            Err(_) => None,
        };
        if let Some(place) = &place {
            let what = format!("{} waits for a person: {}", it.issue, conflict.words);
            let call = RemedyCall::new(Op::Land, [it.issue]).flag("continue");
            let does =
                format!("lands the unfinished merge in {}, once you have resolved it", place.display());
            self.watch.update(&RunUpdate::Noticed(&Notice::warning(what).remedy(call, does)));
        }
        self.fail(it.issue, RunStep::Integrate, waits(it.branch, conflict))
    }
}

/// Notes the commit of the work whose conflict is being resolved.
fn note(there: &Store, ours: ObjectId) -> Result<(), StoreError> {
    let path = there.git_dir().join(RESOLVING);
    let shared = there.repo().shared_mode();
    path.parent().map_or(Ok(()), |folder| shared.create_folder(folder)).map_err(StoreError::io(&path))?;
    shared.write(&path, format!("{ours}\n")).map_err(StoreError::io(&path))
}

/// The failure of an issue whose conflict a person must resolve.
fn waits(branch: &Branch, conflict: &JoinConflict) -> Failure {
    let message = format!("its work on the branch {branch} waits for a person: {}", conflict.words);
    failure(MERGE_CONFLICT, &message, "")
}

/// The files of a commit that another one does not have: a merge of both may be without them.
fn absent(store: &Store, ours: ObjectId, theirs: ObjectId) -> Result<BTreeSet<String>, Refusal> {
    let (from, to) = (store.code_tree_of(ours)?, store.code_tree_of(theirs)?);
    let changed = store.repo().first_differences(Some(from), to, MOST_FILES).map_err(StoreError::from)?;
    let gone = changed.unwrap_or_default().into_iter().filter(|file| file.new.is_none());
    Ok(gone.map(|file| file.path.to_string()).collect())
}
