//! What lands, and in which order: each issue after those that it depends on.

use std::collections::{BTreeMap, BTreeSet};

use super::LandWork;
use super::place::HalfDonePlace;
use super::target::{LandTarget, TargetTips};
use crate::git::Revisions;
use crate::index::Filter;
use crate::model::{
    Code, CommitLink, ExecutionId, ExecutionStatus, IssueId, IssueStatus, ItemId, Op, Other, PlanDigest,
    Remedy, RemedyCall, SolutionId, Time, shell,
};
use crate::ops::issues::{self, List, existing};
use crate::ops::work::issue_of;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{ExecutionFolder, IssueFolder, Landed, LandedState, LinkedCommit, facts, toward};
use crate::store::{ObjectId, ReadState, Store, StoreError, records, resolve};
use crate::trail::landed::{Asked, Question, derive};
use crate::trail::reach::Unreached;
use crate::trail::{links, trailers};

/// How many commits of an issue are looked at for work of others.
const MOST_CARRIED: usize = 1000;

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
    /// Those that no other of them contains.
    pub(super) heads: Vec<ObjectId>,
    /// The merge in which someone has resolved its conflicts with the branch.
    pub(super) resolved: Option<ObjectId>,
    /// Whether it was named, and not only found.
    pub(super) is_named: bool,
    /// The issues that come first.
    pub(super) depends_on: BTreeSet<IssueId>,
    /// When it was completed.
    finished_at: Option<Time>,
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
        others.extend(completed(session)?);
    }
    let head = if input.all || !input.what.is_empty() { None } else { store.head()? };
    let mut found: BTreeMap<IssueId, ChosenIssue> = BTreeMap::new();
    for (id, is_named) in named.iter().map(|id| (id, true)).chain(others.iter().map(|id| (id, false))) {
        if found.contains_key(id) {
            continue;
        }
        let folder = existing(&snapshot, id)?;
        let holder = facts::holder(&folder).filter(|it| it.outcome() == ExecutionStatus::Completed);
        match holder {
            None if is_named => return Err(not_completed(&folder)),
            None => {}
            Some(holder) => {
                let issue = completed_work(store, &snapshot, &folder, holder)?;
                if let Some(head) = head
                    && !is_within(store, &issue, head)?
                {
                    continue;
                }
                if let Some(issue) = left(session, target, tips, (issue, holder), is_named)? {
                    found.insert(id.clone(), ChosenIssue { is_named, ..issue });
                }
            }
        }
    }
    if found.is_empty() {
        return Err(nothing(target, head.is_some()));
    }
    let ordered = in_order(found, &HalfDonePlace::issues(store)?);
    tell_carried(session, &snapshot, tips, &ordered)?;
    Ok(ordered)
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

/// Says which work of other issues comes along, since the chosen work builds on it.
fn tell_carried(
    session: &Session,
    read: &impl ReadState,
    tips: &TargetTips,
    chosen: &[ChosenIssue],
) -> Result<(), Refusal> {
    let store = session.store();
    let own: BTreeSet<&SolutionId> = chosen.iter().map(|issue| &issue.solution).collect();
    let mut told: BTreeSet<SolutionId> = BTreeSet::new();
    for issue in chosen {
        let wanted = issue.heads.iter().fold(Revisions::none(), Revisions::and).without(tips.tip);
        let commits =
            store.git().revisions(wanted.no_merges().at_most(MOST_CARRIED)).map_err(StoreError::Git)?;
        for id in commits {
            let Some(commit) = store.sound_commit(id)? else { continue };
            for plan in links::solutions(read, &trailers::parse(&commit.message))? {
                if own.contains(&plan) || plan.issue() == issue.issue || !told.insert(plan.clone()) {
                    continue;
                }
                let Some(other) = records::outline(read, &plan.issue())? else { continue };
                let message = format!(
                    "`{}` builds on work of `{}`, which is {} and comes along, without its tests",
                    issue.issue,
                    plan.issue(),
                    facts::status(&other)
                );
                session.notice(Notice::warning(message).remedy(
                    RemedyCall::new(Op::Land, [plan.issue().to_string(), issue.issue.to_string()]),
                    "lands both",
                ));
            }
        }
    }
    Ok(())
}

/// Whether a commit has all work of an issue.
fn is_within(store: &Store, issue: &ChosenIssue, head: ObjectId) -> Result<bool, StoreError> {
    for commit in &issue.heads {
        if !store.is_ancestor(*commit, head)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All completed issues whose work is not on the branch yet.
fn completed(session: &Session) -> Result<Vec<IssueId>, Refusal> {
    let filter = Filter { unlanded: true, ..Filter::default() };
    let done = issues::rows(session, &List { filter, ..List::default() })?;
    session.notice_all(done.notices);
    Ok(done.view.rows.into_iter().map(|row| row.id).collect())
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
        depends_on,
        finished_at: execution.finished_at(),
    })
}

/// The issue, if any of its work has to land yet; otherwise a notice says why not, if it `is_named`.
fn left(
    session: &Session,
    target: &LandTarget,
    tips: &TargetTips,
    (issue, execution): (ChosenIssue, &ExecutionFolder),
    is_named: bool,
) -> Result<Option<ChosenIssue>, Refusal> {
    let store = session.store();
    let branch = target.branch.short();
    let id = &issue.issue;
    if issue.commits.is_empty() {
        if is_named {
            session.notice(Notice::note(format!(
                "`{id}` has no commits in this clone, so nothing of it can land"
            )));
        }
        return Ok(None);
    }
    let is_there = is_within(store, &issue, tips.tip)?;
    let known = landed(store, target, tips, execution)?;
    if is_there && !known.reverted.is_empty() {
        if is_named {
            return Err(reverted(id, branch, &known));
        }
        session.notice(Notice::note(format!("`{id}` was reverted on `{branch}`, so it does not land again")));
        return Ok(None);
    }
    if is_there || known.state == LandedState::Landed {
        if is_named {
            session.notice(Notice::note(format!("`{id}` is already on `{branch}`")));
        }
        return Ok(None);
    }
    let unreached = Unreached::among(store, issue.links.iter().map(|link| &link.hash))?;
    if issue.links.iter().all(|link| unreached.has(&link.hash)) {
        let last = issue.links.last().map(|link| link.hash.as_str().to_owned()).unwrap_or_default();
        let lost = Refusal::new(Code::NoBranch, format!("no branch has the commits of `{id}`"))
            .command(format!("git branch {id} {last}"), "gets the last of them back")
            .remedy(RemedyCall::new(Other::Trace, [id]), "shows them");
        if is_named {
            return Err(lost);
        }
        session.notice(Notice { remedies: lost.remedies, ..Notice::warning(lost.message) });
        return Ok(None);
    }
    // A rebase without hooks leaves the old commits behind: only what some branch has is work to land.
    let on_branches = |hash: &_| !unreached.has(hash);
    let kept: Vec<(CommitLink, ObjectId)> = issue
        .links
        .iter()
        .cloned()
        .zip(issue.commits.iter().copied())
        .filter(|(link, _)| on_branches(&link.hash))
        .collect();
    let (links, commits): (Vec<CommitLink>, Vec<ObjectId>) = kept.into_iter().unzip();
    let heads = store.git().independent(&commits).map_err(StoreError::Git)?;
    Ok(Some(ChosenIssue { links, commits, heads, ..issue }))
}

/// What of an execution is on the branch already, in whatever form.
fn landed(
    store: &Store,
    target: &LandTarget,
    tips: &TargetTips,
    execution: &ExecutionFolder,
) -> Result<Landed, Refusal> {
    let asked = Asked { branch: &target.branch, tips: &[tips.tip], first_land: None };
    let question = Question { execution, before: None };
    // No work of it can be in the history of the commit on which it began.
    let base = execution.execution.base_commit.as_ref().and_then(|base| store.commit_here(base));
    let since: Vec<ObjectId> = base.into_iter().collect();
    let proofs = derive(store, &asked, &[question], &since)?;
    let landed = proofs.into_iter().next().map(|proof| proof.landed);
    Ok(landed.unwrap_or_else(|| Landed::onto(target.branch.clone())))
}

fn reverted(id: &IssueId, branch: &str, landed: &Landed) -> Refusal {
    let commits: Vec<&str> = landed.reverted.iter().map(crate::model::hash::CommitHash::short).collect();
    let message = format!("`{id}` was on `{branch}` and was reverted there: {}", commits.join(", "));
    Refusal::new(Code::WasReverted, message)
        .hint("to bring it back, revert the commit that reverts it, as a merge of the same commits changes nothing")
        .command(format!("git log --grep=Revert {}", shell::operand(branch)), "finds that commit")
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
        return Refusal::nothing(format!("nothing that is completed here waits to land on `{branch}`"))
            .remedy(RemedyCall::from(Op::Land).flag("all"), "lands what is completed on any branch");
    }
    Refusal::nothing(format!("there is nothing to land on `{branch}`"))
        .remedy(RemedyCall::from(Other::List).flag("all"), "shows the issues, with those that are completed")
}

/// Each issue after those that it depends on, otherwise in the order in which they were completed; those whose conflicts somebody
/// resolves come last, so that what they conflict with lands. In a cycle, the earliest
/// comes first.
fn in_order(mut left: BTreeMap<IssueId, ChosenIssue>, half_done: &[IssueId]) -> Vec<ChosenIssue> {
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
