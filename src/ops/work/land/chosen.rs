//! What lands, and in which order: each issue after those that it depends on.

use std::collections::{BTreeMap, BTreeSet};

use super::LandWork;
use super::follow::FollowedPlans;
use super::place::HalfDonePlace;
use super::target::{LandTarget, TargetTips};
use super::work_left::{WorkLeft, is_within, work_left_by};
use crate::index::Filter;
use crate::model::{
    Code, CommitLink, ExecutionId, ExecutionStatus, IssueId, IssueStatus, ItemId, Op, Other, PlanDigest,
    Remedy, RemedyCall, SolutionId, Time,
};
use crate::ops::issues::{self, List, existing};
use crate::ops::queue::{BaseCommit, absent};
use crate::ops::work::issue_of;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{ExecutionFolder, IssueFolder, LinkedCommit, facts, toward};
use crate::store::{ObjectId, ReadState, Snapshot, Store, StoreError, records, resolve};
use crate::trail::landed::derive_each;

/// An issue whose work is to land.
#[derive(Debug, Clone)]
pub(super) struct ChosenIssue {
    /// The issue.
    pub(super) issue: IssueId,
    /// Its title.
    pub(super) title: String,
    /// The plan.
    pub(super) solution: SolutionId,
    /// The execution that completed it.
    pub(super) execution: ExecutionId,
    /// The plan as it was claimed.
    pub(super) digest: PlanDigest,
    /// The linked commits that are here.
    pub(super) links: Vec<CommitLink>,
    /// The same commits.
    pub(super) commits: Vec<ObjectId>,
    /// Those that no other of them contains; none if the branch has all of them, and it only has to be ticked off.
    pub(super) heads: Vec<ObjectId>,
    /// The merge in which someone has resolved its conflicts with the branch.
    pub(super) resolved: Option<ObjectId>,
    /// Whether it was named, and not only found.
    pub(super) is_named: bool,
    /// Whether it was not chosen, and lands because chosen work builds on it.
    pub(super) is_carried: bool,
    /// The issues that come first.
    pub(super) depends_on: BTreeSet<IssueId>,
    /// When it was completed.
    pub(super) finished_at: Option<Time>,
}

/// The issues to land, each once, in order.
///
/// # Errors
/// `not-found` and the like; `not-completed`; nothing to do.
pub(super) fn chosen(
    session: &Session,
    input: &LandWork,
    target: &LandTarget,
    tips: &TargetTips,
    followed: &FollowedPlans,
) -> Result<Vec<ChosenIssue>, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let mut named: Vec<IssueId> = Vec::new();
    let mut others: Vec<IssueId> = Vec::new();
    for text in &input.what {
        if resolve::begins(text, "RUN-") {
            let run = resolve::run(&snapshot, text)?;
            let folder = records::run(&snapshot, &run, &mut Vec::new())?
                .ok_or_else(|| Refusal::unreadable(&format!("run `{run}`")))?;
            others.extend(folder.run.issue_ids);
        } else {
            named.push(named_issue(store, &snapshot, text)?);
        }
    }
    if input.all || input.what.is_empty() {
        others.extend(match &input.onto {
            Some(_) => completed_and_absent(session, target, tips)?,
            None => completed(session)?,
        });
    }
    let head = if input.all || !input.what.is_empty() { None } else { store.head()? };
    let completed = completed_works(store, &snapshot, &named, &others, head)?;
    let executions: Vec<&ExecutionFolder> = completed.iter().map(|it| &it.execution).collect();
    let proofs = derive_each(store, &target.branch, &[tips.tip], &executions)?;
    let mut found: Vec<ChosenIssue> = Vec::new();
    for (CompletedWork { issue, execution }, proof) in completed.iter().zip(proofs) {
        let is_named = issue.is_named;
        match work_left_by(store, target, tips, issue.clone(), execution, proof)? {
            WorkLeft::Nothing(said) if is_named => {
                // Work that was done on the branch itself still has to be ticked off in the files of a plan tool.
                let ticked = ChosenIssue { heads: vec![], ..issue.clone() };
                if !ticked.commits.is_empty() && followed.tick(session, tips.tip, &ticked)?.is_some() {
                    found.push(ticked);
                } else {
                    session.notice(Notice::note(said));
                }
            }
            WorkLeft::Lands(issue) => found.push(*issue),
            WorkLeft::Nothing(_) => {}
            WorkLeft::Stuck(refusal) if is_named => return Err(refusal),
            WorkLeft::Stuck(Refusal { message, remedies, .. }) => {
                session.notice(Notice { remedies, ..Notice::warning(message) });
            }
        }
    }
    if found.is_empty() {
        return Err(nothing(target, head.is_some()));
    }
    found.sort_by(|one, other| one.issue.cmp(&other.issue));
    Ok(in_order(found, &HalfDonePlace::issues(store)?))
}

/// Completed work, with the execution that did it.
struct CompletedWork {
    issue: ChosenIssue,
    execution: ExecutionFolder,
}

/// The completed work of these issues, each once; with `head`, only what is in its history.
fn completed_works(
    store: &Store,
    snapshot: &Snapshot<'_>,
    named: &[IssueId],
    others: &[IssueId],
    head: Option<ObjectId>,
) -> Result<Vec<CompletedWork>, Refusal> {
    let mut seen: BTreeSet<&IssueId> = BTreeSet::new();
    let mut found = Vec::new();
    for (n, id) in named.iter().chain(others).enumerate() {
        if !seen.insert(id) {
            continue;
        }
        let is_named = n < named.len();
        let folder = existing(snapshot, id)?;
        let holder = facts::holder(&folder).filter(|it| it.outcome() == ExecutionStatus::Completed);
        let Some(holder) = holder else {
            if is_named {
                return Err(not_completed(&folder));
            }
            continue;
        };
        let work = completed_work(store, snapshot, &folder, holder)?;
        let is_meant = match head {
            Some(head) => is_within(store, &work, head)?,
            None => true,
        };
        if is_meant {
            let issue = ChosenIssue { is_named, ..work };
            found.push(CompletedWork { issue, execution: holder.clone() });
        }
    }
    Ok(found)
}

/// The issue that a text names, in any way.
///
/// # Errors
/// `not-found`; it speaks of an item only if the text has the form of one.
pub(super) fn named_issue(store: &Store, read: &impl ReadState, text: &str) -> Result<IssueId, Refusal> {
    issue_of(store, read, text).map_err(|refusal| {
        let is_item = text.rsplit(':').next().is_some_and(|last| ItemId::parse(last).is_ok());
        match resolve::any(read, text) {
            Err(error) if refusal.code == Code::NotFound && !is_item => error.into(),
            _ => refusal,
        }
    })
}

/// All completed issues whose work is not on the branch yet.
fn completed(session: &Session) -> Result<Vec<IssueId>, Refusal> {
    let filter = Filter { unlanded: true, ..Filter::default() };
    let done = issues::rows(session, &List { filter, ..List::default() })?;
    session.notice_all(done.notices);
    Ok(done.view.rows.into_iter().map(|row| row.id).collect())
}

/// The same for a branch other than the usual one, of which the index knows nothing.
fn completed_and_absent(
    session: &Session,
    target: &LandTarget,
    tips: &TargetTips,
) -> Result<Vec<IssueId>, Refusal> {
    let filter = Filter { statuses: vec![IssueStatus::Completed], ..Filter::default() };
    let done = issues::rows(session, &List { filter, ..List::default() })?;
    session.notice_all(done.notices);
    let completed: BTreeSet<IssueId> = done.view.rows.into_iter().map(|row| row.id).collect();
    let base = BaseCommit { name: target.branch.short().to_owned(), tip: tips.tip, is_target: true };
    let store = session.store();
    let index = session.index_at_hand()?;
    let absent = absent(store, &store.snapshot()?, &base, completed, index.as_ref())?;
    Ok(absent.into_iter().map(|(id, _)| id).collect())
}

/// The work of a completed execution.
pub(super) fn completed_work(
    store: &Store,
    read: &impl ReadState,
    folder: &IssueFolder,
    execution: &ExecutionFolder,
) -> Result<ChosenIssue, StoreError> {
    let issue = &folder.issue.record;
    let here = |it: &LinkedCommit| Some((it.link.clone(), store.commit_here(&it.link.hash)?));
    let found: Vec<(CommitLink, ObjectId)> = execution.work().iter().filter_map(here).collect();
    let (links, commits): (Vec<CommitLink>, Vec<ObjectId>) = found.into_iter().unzip();
    let heads = store.git().independent(&commits).map_err(StoreError::Git)?;
    let mut depends_on = issue.depends_on.clone();
    for (_, _, item) in records::items_of(read, &issue.id)? {
        depends_on.extend(item.iter().flat_map(|item| &item.depends_on).map(SolutionId::issue));
    }
    Ok(ChosenIssue {
        issue: issue.id.clone(),
        title: issue.title.clone(),
        solution: execution.execution.solution_id.clone(),
        execution: execution.execution.id.clone(),
        digest: execution.execution.plan_digest.clone(),
        links,
        commits,
        heads,
        resolved: None,
        is_named: false,
        is_carried: false,
        depends_on,
        finished_at: execution.finished_at(),
    })
}

pub(super) fn not_completed(folder: &IssueFolder) -> Refusal {
    let id = &folder.issue.record.id;
    let status = facts::status(folder);
    let message = format!("`{id}` is {status}, not completed, so there is nothing to land");
    let next = match status {
        IssueStatus::Executing => Remedy::call(RemedyCall::new(Op::Done, [id]), "completes it"),
        _ => toward::execution(folder),
    };
    Refusal::new(Code::NotCompleted, message).next_step(next)
}

fn nothing(target: &LandTarget, is_of_head: bool) -> Refusal {
    let branch = target.branch.short();
    if is_of_head {
        return Refusal::nothing(format!("no completed work here waits to land on `{branch}`"))
            .remedy(RemedyCall::from(Op::Land).flag("all"), "lands what is completed on any branch");
    }
    Refusal::nothing(format!("there is nothing to land on `{branch}`"))
        .remedy(RemedyCall::from(Other::List).flag("all"), "shows the issues, with those that are completed")
}

/// Each issue after those that it depends on, otherwise in the order in which they were completed; those whose conflicts someone
/// resolves come last, so that what they conflict with lands. In a cycle, the earliest
/// comes first.
pub(super) fn in_order(issues: Vec<ChosenIssue>, half_done: &[IssueId]) -> Vec<ChosenIssue> {
    let mut left: BTreeMap<IssueId, ChosenIssue> =
        issues.into_iter().map(|issue| (issue.issue.clone(), issue)).collect();
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let waits = |issue: &ChosenIssue| {
            issue.depends_on.iter().any(|it| *it != issue.issue && left.contains_key(it))
        };
        let earliest =
            |issue: &&ChosenIssue| (half_done.contains(&issue.issue), issue.finished_at, issue.issue.clone());
        let ready = left.values().filter(|issue| !waits(issue)).min_by_key(earliest);
        let Some(next) = ready.or_else(|| left.values().min_by_key(earliest)).map(|it| it.issue.clone())
        else {
            break;
        };
        ordered.extend(left.remove(&next));
    }
    ordered
}
