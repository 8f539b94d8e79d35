//! Lets the agent that made some work resolve its conflict with the work of others.

use serde::Serialize;
use serde_json::json;

use super::committing;
use super::execute::{AgentExecution, AgentWork};
use super::job::{AgentJob, NoAnswer, RefusedAnswer, StepOutcome, VainStep, failure, failure_of};
use super::steps::input;
use super::testing::{NoObserver, TEST_LIMIT};
use crate::agent::follow_up::{FollowUp, FollowUpReason};
use crate::agent::request::RequestKind;
use crate::git::GitError;
use crate::model::{Check, Code, ExecutionId, Failure, IssueId, SolutionId, typed};
use crate::ops::work::proof::WorkRange;
use crate::ops::work::runs::paths::AgentIdentity;
use crate::ops::work::{self, Built, CopiedWork, JoinConflict, JoinedTests, TestRun};
use crate::ops::{Refusal, Session};
use crate::rules::Role;
use crate::rules::run::MERGE_CONFLICT;
use crate::store::{ObjectId, Store, StoreError};

/// A conflict that an agent is to resolve.
pub(super) struct WorkConflict {
    /// The execution that made the work.
    pub(super) execution: ExecutionId,
    /// The last commit of the work.
    pub(super) ours: ObjectId,
    /// The commit with which it conflicts.
    pub(super) theirs: ObjectId,
    /// The conflict.
    pub(super) what: JoinConflict,
}

/// A conflict that an agent has resolved.
pub(super) struct ResolvedConflict {
    /// What the run records of it.
    pub(super) conflict: Failure,
    /// The merge.
    pub(super) merge: ObjectId,
    /// The checks that it passed.
    pub(super) checks: Vec<Check>,
}

/// Copies of completed work that were tested.
pub(super) struct TestedCopies {
    /// The copies.
    pub(super) copied: CopiedWork,
    /// How the tests ended, or why they could not be run.
    pub(super) tests: Result<JoinedTests, Failure>,
}

/// What an agent learns about a conflict, besides its plan.
#[derive(Debug, Serialize)]
struct ConflictInput {
    /// The plans on the other side.
    with: Vec<SolutionId>,
    /// The files.
    files: Vec<String>,
    /// The conflicting parts of the files, as git marks them.
    hunks: String,
}

impl WorkConflict {
    /// What the run records of a conflict that is resolved.
    fn resolved(&self) -> Failure {
        failure(MERGE_CONFLICT, &format!("{}; its agent resolved it", self.what.words), "")
    }

    /// The agent did not resolve it.
    fn unresolved(&self, why: Failure) -> StepOutcome {
        let message = format!("{}; {}", self.what.words, why.message.unwrap_or_default());
        StepOutcome::Gave(VainStep::of_agent(failure(MERGE_CONFLICT, &message, "")))
    }

    fn input(&self) -> ConflictInput {
        let JoinConflict { with, files, hunks, .. } = self.what.clone();
        ConflictInput { with, files, hunks }
    }
}

/// Moves the branch of a worktree of the run back to `ours`, from whatever an agent made of it.
pub(super) fn take_back(there: &Store, ours: ObjectId) -> Result<(), StoreError> {
    if let (Some(head), Some(branch)) = (there.head()?, there.branch()?)
        && head != ours
        && !there.move_branch(&branch, head, ours)?
    {
        let stderr = format!("an uncommitted change is in the way of going back to {ours}");
        return Err(GitError::Failed { command: "read-tree".into(), stderr, code: None }.into());
    }
    Ok(())
}

/// Has a conflict resolved.
pub(super) fn resolve(job: &AgentJob, conflict: &WorkConflict) -> StepOutcome {
    let session = match job.session() {
        Ok(session) => session,
        Err(refusal) => return StepOutcome::Gave(job.refused(&refusal)),
    };
    let asked = asked(job, &session, conflict);
    if asked.is_err()
        && let Err(error) = take_back(session.store(), conflict.ours)
    {
        job.warn("a merge that was not accepted stays on its branch", &error.to_string());
    }
    match asked {
        Ok((merge, checks)) => {
            let conflict = conflict.resolved();
            StepOutcome::Resolved(Box::new(ResolvedConflict { conflict, merge, checks }))
        }
        Err(NoAnswer::Stopped) => StepOutcome::Stopped,
        Err(NoAnswer::Failed(why)) => conflict.unresolved(why),
        Err(NoAnswer::Refused(refusal)) if refusal.is_stop() => StepOutcome::Stopped,
        Err(NoAnswer::Refused(refusal)) if refusal.code == Code::WorkplaceChanged => {
            conflict.unresolved(failure_of(&refusal))
        }
        Err(NoAnswer::Refused(refusal)) => StepOutcome::Gave(job.refused(&refusal)),
    }
}

/// Tests copies of the completed work of an issue.
pub(super) fn test_copies(identity: &AgentIdentity, issue: &IssueId, copied: CopiedWork) -> StepOutcome {
    let run = TestRun { timeout: TEST_LIMIT, observer: &mut NoObserver };
    let tested =
        identity.shared_session().and_then(|session| work::test_joined(&session, issue, copied.range, run));
    let tests = match tested {
        Err(refusal) if refusal.is_stop() => return StepOutcome::Stopped,
        tests => tests.map_err(|refusal| failure("merge", &refusal.message, "")),
    };
    StepOutcome::Tested(Box::new(TestedCopies { copied, tests }))
}

/// A merge, with the checks that it passed.
type TestedMerge = (ObjectId, Vec<Check>);

/// Asks the agent, in a workplace in which the merge stands half done.
fn asked(job: &AgentJob, session: &Session, conflict: &WorkConflict) -> Result<TestedMerge, NoAnswer> {
    let mut input = input(session, conflict.execution.as_str(), Role::Executor)?;
    let mut follow_up =
        FollowUp::new(RequestKind::Resolve, Role::Executor, FollowUpReason::Conflict, Vec::new());
    if let (Some(members), Ok(about)) = (input.as_object_mut(), typed::to_value(&conflict.input())) {
        follow_up.input = Some(json!({ "conflict": about }));
        members.insert("conflict".into(), about);
    }
    job.tell_next(follow_up);
    job.enter()?;
    let place = job.place(&job.agent)?;
    committing::begin_merge(&conflict.theirs.to_string(), &place, &|| job.is_stopping())?;
    job.ask::<Built, TestedMerge>(RequestKind::Resolve, &input, |reply| match reply.answer {
        Built::Failed(failure) => Err(RefusedAnswer::NoAnswer(NoAnswer::Failed(failure))),
        Built::Completed(_) => finished(job, session, conflict).map_err(RefusedAnswer::NoAnswer),
    })
}

/// Checks that the merge is there, has both sides, and passes the tests of the plan.
fn finished(job: &AgentJob, session: &Session, conflict: &WorkConflict) -> Result<TestedMerge, NoAnswer> {
    let execution = AgentExecution { id: conflict.execution.clone(), may_be_done: false };
    AgentWork::new(job, &execution, session).refuse_unfinished()?;
    let store = session.store();
    let unresolved = |why: &str| NoAnswer::Failed(failure("unresolved", why, ""));
    let Some(head) = store.head().map_err(Refusal::from)? else {
        return Err(unresolved("its branch has no commit"));
    };
    let has = |commit| store.is_ancestor(commit, head).map_err(Refusal::from);
    if !has(conflict.ours)? || !has(conflict.theirs)? {
        return Err(unresolved("its agent did not commit the merge"));
    }
    let range = WorkRange { base: Some(conflict.theirs), head };
    let run = TestRun { timeout: TEST_LIMIT, observer: &mut NoObserver };
    match work::test_joined(session, &job.issue, range, run)? {
        JoinedTests::Passed(checks) => Ok((head, checks)),
        JoinedTests::Failed(why) => Err(NoAnswer::Failed(failure("test_failure", &why, ""))),
    }
}
