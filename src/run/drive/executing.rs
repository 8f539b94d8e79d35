//! Begins executions: claims the plans of all that can begin, in one commit and with one push, and lets agents work.

use std::path::PathBuf;

use super::Driver;
use super::jobs::JobSite;
use super::starting::file_name;
use crate::model::{Code, ExecutionId, IssueId, IssueReached, IssueStatus, RunStep, SolutionId};
use crate::ops::work::runs::paths::{open_tree, unlock};
use crate::ops::work::{RunClaim, claim_for_run};
use crate::ops::{Refusal, issues};
use crate::rules::{Role, RunProgress, facts};
use crate::run::along::{Along, claimed, log_along};
use crate::run::execute::{AgentExecution, execute};
use crate::run::job::AgentJob;
use crate::run::workplace::{self, StepSite};
use crate::store::ObjectId;
use crate::trail::active;

/// An execution that is about to begin.
struct ExecutionStart {
    issue: IssueId,
    solution: SolutionId,
    /// The worktree that claims the plan.
    tree: PathBuf,
    /// The execution, if it is under way in that worktree.
    under_way: Option<ExecutionId>,
}

/// An execution that is claimed.
struct ClaimedExecution {
    id: ExecutionId,
    /// A remark about what it left when it was interrupted.
    note: Option<String>,
    /// Whether the log says that it began.
    is_logged: bool,
}

impl Driver<'_> {
    /// Begins executions, or continues them. `before` is the state of the store in which that was found to be possible. Returns
    /// whether any could not begin.
    pub(super) fn begin_executions(
        &mut self,
        issues: Vec<IssueId>,
        before: Option<ObjectId>,
    ) -> Result<bool, Refusal> {
        let (mut has_failed, mut starts) = (false, Vec::new());
        for issue in issues {
            match self.execution_start(&issue) {
                Ok(start) => starts.push(start),
                Err(refusal) => {
                    has_failed |= self.not_begun(&issue, RunStep::Execute, refusal, before)?;
                }
            }
        }
        let claims = self.claim_all(&starts)?;
        for (start, claimed) in starts.into_iter().zip(claims) {
            let issue = start.issue.clone();
            let begun = claimed.and_then(|claimed| self.begin_execution(start, claimed));
            if let Err(refusal) = begun {
                has_failed |= self.not_begun(&issue, RunStep::Execute, refusal, before)?;
            }
        }
        Ok(has_failed)
    }

    /// Makes room for the execution of the bound plan of an issue, unless it is under way.
    fn execution_start(&mut self, issue: &IssueId) -> Result<ExecutionStart, Refusal> {
        let store = self.session.store();
        let folder = issues::existing(&store.snapshot()?, issue)?;
        let solution = self.bound(issue)?;
        if let Some(refused) = self.refused(&solution)? {
            return Err(refused);
        }
        let is_under_way = facts::status(&folder) == IssueStatus::Executing;
        let holder = facts::holder(&folder).map(|holder| holder.execution.id.clone());
        let tree = self.places.tree_of(&solution);
        let mut under_way = None;
        if is_under_way
            && let Some(id) = holder
            && active::work_dir_of(store, &id)?.is_some()
        {
            unlock(&open_tree(store, &tree)?);
            under_way = Some(id);
        }
        if under_way.is_none() {
            if !is_under_way {
                self.make_room(&folder, &solution)?;
            }
            self.clear(&tree)?;
        }
        Ok(ExecutionStart { issue: issue.clone(), solution, tree, under_way })
    }

    /// Claims the plans of all that are not under way.
    fn claim_all(
        &mut self,
        starts: &[ExecutionStart],
    ) -> Result<Vec<Result<ClaimedExecution, Refusal>>, Refusal> {
        let log = RunProgress::of(&self.log);
        let new: Vec<&ExecutionStart> = starts.iter().filter(|start| start.under_way.is_none()).collect();
        let claims: Vec<RunClaim> = new
            .iter()
            .map(|start| RunClaim {
                solution: start.solution.clone(),
                queue: log.issue(&start.issue).and_then(|it| it.queue_id).cloned(),
                tree: start.tree.clone(),
            })
            .collect();
        let issues: Vec<IssueId> = new.iter().map(|start| start.issue.clone()).collect();
        let mut ids = Vec::new();
        if !claims.is_empty() {
            self.branch_tree()?;
            let session = self.identity(Role::Executor).at(&self.places.branch_tree())?;
            self.settle_notifications();
            let run = self.run.id.clone();
            let of_run = run.clone();
            let along = log_along(
                &session,
                &run,
                move |tx| claimed(tx, &of_run, &issues),
                || claim_for_run(&session, &run, &claims),
            );
            let Along { done, logged } = along;
            self.take_in(logged);
            ids = match done {
                Ok(ids) => ids,
                Err(refusal) => claims.iter().map(|_| Err(refusal.clone())).collect(),
            };
        }
        let mut ids = ids.into_iter();
        let mut all = Vec::new();
        for start in starts {
            let (id, note) = match &start.under_way {
                Some(id) => (Ok(id.clone()), self.left.remove(id)),
                None => (ids.next().unwrap_or_else(|| Err(Refusal::unreadable("a claim"))), None),
            };
            all.push(id.map(|id| {
                let is_logged = note.is_none() && self.is_logged_as_begun(&start.issue, &id);
                ClaimedExecution { id, note, is_logged }
            }));
        }
        Ok(all)
    }

    /// Whether the last word of the log about an issue is that this execution of it began.
    fn is_logged_as_begun(&self, issue: &IssueId, id: &ExecutionId) -> bool {
        RunProgress::of(&self.log).issue(issue).is_some_and(|logged| {
            let is_begun = logged.status == IssueStatus::Executing && logged.error.is_none();
            is_begun && logged.execution_id == Some(id)
        })
    }

    /// Lets an agent work on a claimed plan.
    fn begin_execution(&mut self, start: ExecutionStart, claim: ClaimedExecution) -> Result<(), Refusal> {
        let ExecutionStart { issue, solution, tree, under_way } = start;
        let ClaimedExecution { id, note, is_logged } = claim;
        if under_way.is_none() {
            // The claim may have brought another version of the plan. If nobody agrees to its tests, either, the execution gives it
            // back.
            match self.refused(&solution) {
                Err(stop) if stop.is_stop() => return Err(stop),
                _ => {}
            }
        }
        let may_be_done = under_way.is_some() && note.is_none();
        if !is_logged {
            let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Executing);
            reached.solution_id = Some(solution);
            reached.execution_id = Some(id.clone());
            reached.note.clone_from(&note);
            self.log_issue("executing", reached)?;
        }
        if self.is_stopping() {
            return Ok(());
        }
        let task = self.execution_site(&issue, &id, tree)?;
        let job = self.job(&issue, RunStep::Execute, Role::Executor, task)?;
        let job = AgentJob { execution: Some(id.clone()), left: note, ..job };
        self.spawn(job, move |job| execute(job, &AgentExecution { id: id.clone(), may_be_done }));
        Ok(())
    }

    /// Where the agent works that executes the plan which a worktree claims.
    fn execution_site(&self, issue: &IssueId, id: &ExecutionId, tree: PathBuf) -> Result<JobSite, Refusal> {
        let store = self.session.store();
        let there = open_tree(store, &tree)?;
        let start = there.head()?.ok_or_else(|| {
            Refusal::new(Code::NoCommit, "there is no commit to work on")
                .command("git commit", "creates the first one")
        })?;
        let active = active::read(&there)?;
        let of = file_name(&tree);
        let site = StepSite {
            name: workplace::name(&self.run.id, &of),
            folder: self.places.trees.join(of),
            start,
            branch: active.as_ref().map(|active| active.branch.clone()),
            active,
        };
        let folder = issues::existing(&store.snapshot()?, issue)?;
        let execution = folder.executions.iter().find(|it| it.execution.id == *id).map(|it| &it.execution);
        let base = execution.and_then(|it| it.base_commit.clone());
        let named = self.named(issue)?;
        Ok(JobSite { site, claim: Some(tree), base, named, about: id.to_string() })
    }
}
