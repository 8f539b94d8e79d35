//! Completed work on top of a branch other than the target, such as that of a run: the commits with it, or the conflict, which
//! becomes feedback; and what comes of a conflict that an agent or a person resolves.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::LandMethod;
use super::candidate::{Candidate, ConflictReason, LandStep, candidate};
use super::chosen::{ChosenIssue, completed_work};
use super::conflict::give_feedback;
use super::place::HalfDonePlace;
use super::record::{follow, follow_others};
use super::target::{LandTarget, TargetTips};
use super::tests::{Trial, TrialEnd, land_tests};
use crate::model::execution::{CommitLink, Event, LinkedBy};
use crate::model::id::{IssueId, SolutionId};
use crate::model::op::Op;
use crate::model::status::ExecutionStatus;
use crate::model::task_id::TaskId;
use crate::ops::issues::existing;
use crate::ops::work::VerifyObserver;
use crate::ops::{Refusal, Session};
use crate::rules::facts;
use crate::store::ObjectId;
use crate::trail::links;

/// Completed work on top of a branch.
#[derive(Debug)]
pub(crate) enum JoinedWork {
    /// The branch can move to this commit.
    Joined(ObjectId),
    /// It conflicts with the branch, however it is put on top.
    Conflict(JoinConflict),
}

/// A conflict of completed work with a branch.
#[derive(Debug, Clone)]
pub(crate) struct JoinConflict {
    /// `conflict with SOL-… in src/a.rs`.
    pub(crate) words: String,
    /// The plans on the other side.
    pub(crate) with: Vec<SolutionId>,
    /// The files.
    pub(crate) files: Vec<String>,
    /// The conflicting parts of the files, as git marks them.
    pub(crate) hunks: String,
}

/// Puts the work of a completed issue on top of `tip`: by a merge, else by copies of its commits, whose links follow. A conflict
/// becomes feedback.
///
/// # Errors
/// `not-completed`; errors of git.
pub(crate) fn join_work(session: &Session, issue: &IssueId, tip: ObjectId) -> Result<JoinedWork, Refusal> {
    let permit = session.permit(Op::Land)?;
    let store = session.store();
    let chosen = [completed(session, issue)?];
    let tips = TargetTips { tip, local: None, at_remote: None };
    let made: Candidate = candidate(session, &tips, LandMethod::Merge, &chosen, &[0], &BTreeSet::new())?;
    if let Some(conflicted) = made.conflicts.first() {
        let ConflictReason::Conflict(what) = &conflicted.why else {
            return Err(Refusal::unreadable(&format!("what stands in the way of `{issue}`")));
        };
        give_feedback(session, permit, &chosen[0], conflicted)?;
        return Ok(JoinedWork::Conflict(JoinConflict {
            words: what.words(),
            with: what.with.clone(),
            files: what.conflict.files.clone(),
            hunks: what.hunks.clone(),
        }));
    }
    if made.steps.iter().any(LandStep::replaces) {
        session.transact(permit, |tx| {
            for step in &made.steps {
                follow(tx, store, &chosen[0], step)?;
                follow_others(tx, store, &chosen[0], step)?;
            }
            tx.describe(format!("land: follow copies of the commits of {issue}"));
            Ok::<_, Refusal>(())
        })?;
    }
    Ok(JoinedWork::Joined(made.tip))
}

/// Runs the tests of the plan of a completed issue on a commit, in a fresh workplace. Returns how a failed one ended.
///
/// # Errors
/// `not-agreed`; `interrupted`; if there can be no workplace.
pub(crate) fn test_joined(
    session: &Session,
    issue: &IssueId,
    commit: ObjectId,
    timeout: Duration,
    observer: &mut dyn VerifyObserver,
) -> Result<Option<String>, Refusal> {
    let chosen = [completed(session, issue)?];
    let mut tests = land_tests(session, &chosen)?;
    tests.retain(super::tests::LandTest::is_of_plan);
    let mut trial = Trial::new(session, timeout, observer)?;
    match trial.run(session, &tests, &chosen, &BTreeSet::from([0]), commit)? {
        TrialEnd::Passed(_) => Ok(None),
        TrialEnd::Failed(failed) => {
            let shown = failed.shown(&chosen[0]);
            let output = shown.output.map(|output| format!("\n{output}")).unwrap_or_default();
            Ok(Some(format!("{}{output}", shown.message)))
        }
    }
}

/// Links a merge in which the conflicts of a completed issue are resolved, to all tasks that have commits: it stands for the
/// work when that lands.
///
/// # Errors
/// `not-completed`; errors of the store.
pub(crate) fn link_resolution(session: &Session, issue: &IssueId, merge: ObjectId) -> Result<(), Refusal> {
    let permit = session.permit(Op::Land)?;
    let store = session.store();
    let chosen = completed(session, issue)?;
    let commit = store.code_commit(merge)?;
    let files = links::files(store, &commit)?;
    let mut tasks: Vec<TaskId> = Vec::new();
    for task in chosen.links.iter().flat_map(CommitLink::tasks) {
        if !tasks.contains(task) {
            tasks.push(task.clone());
        }
    }
    let link = links::link(&commit, &files, tasks, LinkedBy::Run);
    session.transact(permit, |tx| {
        tx.log(&chosen.execution, Event::Commit(link.clone()))?;
        tx.describe(format!("land: link the merge that resolves the conflict of {issue}"));
        Ok::<_, Refusal>(())
    })?;
    Ok(())
}

/// Begins the merge of a completed issue into `tip` in a work tree, for a person to resolve. Returns its directory; `None` if
/// there is no branch to land on, or if its work has no single last commit.
///
/// # Errors
/// `not-completed`; errors of git.
pub(crate) fn begin_half_done(
    session: &Session,
    issue: &IssueId,
    tip: ObjectId,
) -> Result<Option<PathBuf>, Refusal> {
    let chosen = completed(session, issue)?;
    let [theirs] = chosen.heads[..] else { return Ok(None) };
    let Ok(target) = LandTarget::find(session, None) else { return Ok(None) };
    Ok(Some(HalfDonePlace::begin(session, &target, &chosen, tip, theirs)?.folder))
}

/// The commit on which work lands now, as the remote has it.
///
/// # Errors
/// `no-target`; any reason why the remote cannot be reached.
pub(crate) fn target_tip(session: &Session) -> Result<ObjectId, Refusal> {
    Ok(LandTarget::find(session, None)?.look(session)?.tip)
}

fn completed(session: &Session, issue: &IssueId) -> Result<ChosenIssue, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let folder = existing(&snapshot, issue)?;
    let holder = facts::holder(&folder)
        .filter(|it| it.outcome() == ExecutionStatus::Completed)
        .ok_or_else(|| super::chosen::not_completed(&folder))?;
    Ok(completed_work(store, &snapshot, &folder, holder)?)
}
