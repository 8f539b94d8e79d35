//! Completed work on top of a branch other than the target, such as that of a run: the commits with it, or the conflict, which
//! becomes feedback; and what comes of a conflict that an agent or a person resolves.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::LandMethod;
use super::candidate::candidate;
use super::chosen::{ChosenIssue, completed_work};
use super::conflict::give_feedback;
use super::follow::FollowedPlans;
use super::place::{HalfDonePlace, MergeSides};
use super::proved::prove_work;
use super::record::{follow, follow_others};
use super::step::{Candidate, ConflictReason, ConflictedIssue, LandStep, ReplacedCommit};
use super::target::{LandTarget, TargetTips};
use super::tests::{LandTest, Trial, TrialEnd, land_tests};
use super::work_left::lost_part;
use crate::model::{
    Branch, Check, CommitLink, Event, ExecutionStatus, IssueId, LinkedBy, Op, SolutionId, TaskId,
};
use crate::ops::issues::existing;
use crate::ops::work::VerifyObserver;
use crate::ops::work::proof::WorkRange;
use crate::ops::work::signing::sign_if_required;
use crate::ops::{Permit, Refusal, Session};
use crate::rules::{ExecutionFolder, IssueFolder, facts};
use crate::store::{ObjectId, Store, StoreError};
use crate::trail::links;

/// Completed work on top of a branch.
#[derive(Debug)]
pub(crate) enum JoinedWork {
    /// The branch can move to this commit.
    Joined(ObjectId),
    /// Only copies of its commits fit, which must be tested.
    Copied(Box<CopiedWork>),
    /// It conflicts with the branch, however it is put on top.
    Conflict(JoinConflict),
}

/// Copies of the commits of completed work on top of a branch.
#[derive(Debug)]
pub(crate) struct CopiedWork {
    issue: ChosenIssue,
    steps: Vec<LandStep>,
    /// From the branch to the last copy.
    pub(crate) range: WorkRange,
}

/// How the tests of a plan ended on a commit that has its work and that of others.
#[derive(Debug)]
pub(crate) enum JoinedTests {
    /// They passed, with these checks.
    Passed(Vec<Check>),
    /// One failed, as the text says; or nothing shows that they test the work, and the policy asks for that.
    Failed(String),
}

/// How long a test may take, and what watches it.
pub(crate) struct TestRun<'o> {
    /// The limit of each test.
    pub(crate) timeout: Duration,
    /// Receives what happens.
    pub(crate) observer: &'o mut dyn VerifyObserver,
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

/// Puts the work of a completed issue on top of `tip`: by a merge, else by copies of its commits. A conflict becomes feedback.
///
/// # Errors
/// `not-completed`; `no-branch` or `no-commit` if some of its commits are not here; errors of git.
pub(crate) fn join_work(session: &Session, issue: &IssueId, tip: ObjectId) -> Result<JoinedWork, Refusal> {
    let permit = session.permit(Op::Land)?;
    let chosen = [whole(session, issue)?];
    let tips = TargetTips { tip, local: None, at_remote: None };
    let followed = FollowedPlans::none();
    let made: Candidate =
        candidate(session, &tips, LandMethod::Merge, &chosen, &[0], &BTreeSet::new(), &followed)?;
    if let Some(conflicted) = made.conflicts.first() {
        return Ok(JoinedWork::Conflict(recorded_conflict(session, permit, &chosen[0], conflicted)?));
    }
    if !made.steps.iter().any(LandStep::replaces) {
        return Ok(JoinedWork::Joined(made.tip));
    }
    let [issue] = chosen;
    let mut steps = made.steps;
    for step in &mut steps {
        stand_for_dropped(session.store(), &issue, step)?;
    }
    let range = WorkRange { base: Some(tip), head: made.tip };
    Ok(JoinedWork::Copied(Box::new(CopiedWork { issue, steps, range })))
}

/// Lets the last copy stand for the commits of an issue that were not copied since their changes were there already: a landing
/// says so itself, and nothing else would once the branch of the work is gone.
fn stand_for_dropped(store: &Store, issue: &ChosenIssue, step: &mut LandStep) -> Result<(), StoreError> {
    let Some(last) = step.replaced.last().map(|pair| pair.new) else { return Ok(()) };
    for &old in &issue.commits {
        if step.replaced.iter().all(|pair| pair.old != old) && !store.is_ancestor(old, step.after)? {
            step.replaced.push(ReplacedCommit { old, new: last });
        }
    }
    Ok(())
}

/// Has the links of completed work follow copies of its commits, which have passed these checks.
///
/// # Errors
/// Errors of the store.
pub(crate) fn follow_copies(session: &Session, copied: &CopiedWork, checks: &[Check]) -> Result<(), Refusal> {
    let permit = session.permit(Op::Land)?;
    let store = session.store();
    let CopiedWork { issue, steps, .. } = copied;
    session.transact(permit, |tx| {
        for step in steps {
            follow(tx, store, issue, step)?;
            follow_others(tx, store, issue, step)?;
        }
        for check in checks {
            tx.log(&issue.execution, Event::Check(check.clone()))?;
        }
        tx.describe(format!("land: follow copies of the commits of {}", issue.issue));
        Ok::<_, Refusal>(())
    })?;
    Ok(())
}

/// The conflict of completed work with a branch, which becomes feedback; `None` if it fits. Nothing is tested.
///
/// # Errors
/// `not-completed`; errors of git.
pub(crate) fn conflict_with(
    session: &Session,
    issue: &IssueId,
    tip: ObjectId,
) -> Result<Option<JoinConflict>, Refusal> {
    let permit = session.permit(Op::Land)?;
    let chosen = [whole(session, issue)?];
    let tips = TargetTips { tip, local: None, at_remote: None };
    let followed = FollowedPlans::none();
    let made: Candidate =
        candidate(session, &tips, LandMethod::Merge, &chosen, &[0], &BTreeSet::new(), &followed)?;
    match made.conflicts.first() {
        Some(conflicted) => recorded_conflict(session, permit, &chosen[0], conflicted).map(Some),
        None => Ok(None),
    }
}

/// Records a conflict as feedback, and describes it.
fn recorded_conflict(
    session: &Session,
    permit: Permit,
    issue: &ChosenIssue,
    conflicted: &ConflictedIssue,
) -> Result<JoinConflict, Refusal> {
    let ConflictReason::Conflict(what) = &conflicted.why else {
        return Err(Refusal::unreadable(&format!("what stands in the way of `{}`", issue.issue)));
    };
    give_feedback(session, permit, issue, conflicted)?;
    Ok(JoinConflict {
        words: what.words(),
        with: what.with.clone(),
        files: what.conflict.files.clone(),
        hunks: what.hunks.clone(),
    })
}

/// Runs the tests of the plan of a completed issue on the last commit of `range`, in a fresh workplace, and tests them
/// themselves: its work is what that range changes.
///
/// # Errors
/// `not-agreed`; `interrupted`; if there can be no workplace.
pub(crate) fn test_joined(
    session: &Session,
    issue: &IssueId,
    range: WorkRange,
    run: TestRun<'_>,
) -> Result<JoinedTests, Refusal> {
    let TestRun { timeout, observer } = run;
    let chosen = [completed(session, issue)?];
    let mut tests = land_tests(session, &chosen)?;
    tests.retain(LandTest::is_of_plan);
    let all: Vec<&LandTest> = tests.iter().collect();
    let mut trial = Trial::new(session, timeout, observer)?;
    let mut checks = match trial.run(session, &all, &chosen, &BTreeSet::from([0]), range.head)? {
        TrialEnd::Passed(mut passed) => passed.remove(&0).unwrap_or_default(),
        TrialEnd::Failed(failed) => {
            let shown = failed.shown(&chosen[0]);
            let output = shown.output.map(|output| format!("\n{output}")).unwrap_or_default();
            return Ok(JoinedTests::Failed(format!("{}{output}", shown.message)));
        }
    };
    let unproved = prove_work(session, &mut trial, &tests, &chosen[0], range, &mut checks)?;
    if !unproved.is_empty() {
        return Ok(JoinedTests::Failed(unproved.join("; ")));
    }
    sign_if_required(session, &chosen[0].execution, &mut checks)?;
    Ok(JoinedTests::Passed(checks))
}

/// Links a merge in which the conflicts of a completed issue are resolved, to all tasks that have commits, and records the
/// checks that it passed: it stands for the work when that lands.
///
/// # Errors
/// `not-completed`; errors of the store.
pub(crate) fn link_resolution(
    session: &Session,
    issue: &IssueId,
    merge: ObjectId,
    checks: &[Check],
) -> Result<(), Refusal> {
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
        for check in checks {
            tx.log(&chosen.execution, Event::Check(check.clone()))?;
        }
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
    let sides = MergeSides { ours: tip, theirs, is_of_branch: false };
    Ok(Some(HalfDonePlace::begin(session, &target, &chosen, sides)?.folder))
}

/// The commit on which work lands now, as the remote has it.
///
/// # Errors
/// `no-target`; any reason why the remote cannot be reached.
pub(crate) fn target_tip(session: &Session) -> Result<ObjectId, Refusal> {
    Ok(LandTarget::find(session, None)?.look(session)?.tip)
}

/// The last commit of the work of a completed issue; `None` if it is on several branches.
///
/// # Errors
/// `not-completed`; errors of git.
pub(crate) fn work_head(session: &Session, issue: &IssueId) -> Result<Option<ObjectId>, Refusal> {
    let heads = completed(session, issue)?.heads;
    Ok(if let [head] = heads[..] { Some(head) } else { None })
}

fn completed(session: &Session, issue: &IssueId) -> Result<ChosenIssue, Refusal> {
    let folder = existing(&session.store().snapshot()?, issue)?;
    completed_of(session, &folder, holder(&folder)?)
}

/// The same, if all of it is here: without some of its commits, it is other work.
fn whole(session: &Session, issue: &IssueId) -> Result<ChosenIssue, Refusal> {
    let store = session.store();
    let folder = existing(&store.snapshot()?, issue)?;
    let holder = holder(&folder)?;
    let work = completed_of(session, &folder, holder)?;
    let branch = holder.execution.branch.clone().unwrap_or_else(|| Branch::of_plan(&work.solution));
    match lost_part(store, &branch, &work.heads, &work, holder)? {
        Some(refusal) => Err(refusal),
        None => Ok(work),
    }
}

fn holder(folder: &IssueFolder) -> Result<&ExecutionFolder, Refusal> {
    facts::holder(folder)
        .filter(|it| it.outcome() == ExecutionStatus::Completed)
        .ok_or_else(|| super::chosen::not_completed(folder))
}

fn completed_of(
    session: &Session,
    folder: &IssueFolder,
    holder: &ExecutionFolder,
) -> Result<ChosenIssue, Refusal> {
    let store = session.store();
    Ok(completed_work(store, &store.snapshot()?, folder, holder)?)
}
