//! Completed work that changed the files of a plan and is not where the plan would be executed. It does not keep the plan
//! waiting, or ten branches that touch one changelog would wait for each other's review; but others go first, and whoever
//! gets it is told.

use std::collections::{BTreeMap, BTreeSet};

use super::take::ClaimRequest;
use crate::index::{Filter, Index, IndexError, SortOrder};
use crate::model::{CommitHash, IssueId, IssueStatus, Op, Other, RemedyCall, RepoPath, SolutionId};
use crate::ops::queue::{self, BaseCommit, QueueWorld};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{AbsentWork, ByPath, IssueFacts, LandedState, WorkPlace};
use crate::store::{ObjectId, ReadState, Store, StoreError, records};
use crate::trail::landed::target::LandingTarget;
use crate::trail::{collisions, landed};

/// At most this many are told.
const MOST_TOLD: usize = 3;

/// Completed work that shares a file with a plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SharedWork {
    issue: IssueId,
    file: RepoPath,
    work: AbsentWork,
}

/// The completed work that a base may lack.
pub(super) struct CompletedWork<'a> {
    store: &'a Store,
    index: Option<&'a Index<'a>>,
    base: BaseCommit,
    issues: Vec<IssueFacts>,
}

impl<'a> CompletedWork<'a> {
    /// The completed work of all queues, without what is known to have landed, if the base has all of that.
    pub(super) fn read(
        store: &'a Store,
        read: &impl ReadState,
        index: Option<&'a Index<'a>>,
        base: BaseCommit,
    ) -> Result<Self, Refusal> {
        let issues = match index {
            Some(index) => index.completed_facts(knows_landed(store, index, &base)?)?,
            None => completed_with_items(read)?,
        };
        Ok(Self { store, index, base, issues })
    }

    /// What shares a file with this plan and is not in the base.
    pub(super) fn shared_with(
        &self,
        read: &impl ReadState,
        plan: &SolutionId,
    ) -> Result<Vec<SharedWork>, Refusal> {
        let Self { store, index, base, issues } = self;
        if issues.is_empty() {
            return Ok(vec![]);
        }
        let files = files(facts_of(read, *index, &plan.issue())?, plan);
        let mut found = sharing(&files, plan, issues, IssueStatus::Completed);
        if let Some(index) = index {
            leave_out_landed(store, index, base, &mut found)?;
        }
        if found.is_empty() {
            return Ok(vec![]);
        }
        let absent = queue::absent(store, read, base, found.keys().cloned().collect(), *index)?;
        Ok(absent
            .into_iter()
            .filter_map(|(issue, work)| Some(SharedWork { file: found.remove(&issue)?, issue, work }))
            .collect())
    }
}

/// The completed issues that have an item, which are those that the index knows. Dependencies without items are not among them.
fn completed_with_items(read: &impl ReadState) -> Result<Vec<IssueFacts>, Refusal> {
    let mut found = Vec::new();
    for issue in QueueWorld::read(read)?.facts.into_values() {
        if issue.status == IssueStatus::Completed && !records::items_of(read, &issue.id)?.is_empty() {
            found.push(issue);
        }
    }
    Ok(found)
}

/// The facts of an issue; `None` if it cannot be read.
fn facts_of(
    read: &impl ReadState,
    index: Option<&Index<'_>>,
    id: &IssueId,
) -> Result<Option<IssueFacts>, Refusal> {
    if let Some(index) = index {
        return Ok(index.facts_of(id)?);
    }
    match records::issue(read, id) {
        Err(StoreError::Broken { .. }) => Ok(None),
        found => Ok(found?.as_ref().map(IssueFacts::derive)),
    }
}

/// The files that a plan of an issue names.
fn files(issue: Option<IssueFacts>, plan: &SolutionId) -> BTreeSet<RepoPath> {
    let plan = issue.and_then(|mut issue| issue.plans.remove(plan));
    plan.map(|plan| plan.files).unwrap_or_default()
}

/// The issues with this status whose plan shares a file with this one, each with the first such file.
fn sharing<'a>(
    files: &BTreeSet<RepoPath>,
    plan: &SolutionId,
    others: impl IntoIterator<Item = &'a IssueFacts>,
    status: IssueStatus,
) -> BTreeMap<IssueId, RepoPath> {
    let mut by_path = ByPath::default();
    files.iter().for_each(|file| by_path.add(file, ()));
    let own = plan.issue();
    let mut found = BTreeMap::new();
    for issue in others.into_iter().filter(|other| other.id != own && other.status == status) {
        let held = issue.holder.as_ref().and_then(|holder| issue.plans.get(&holder.solution_id));
        let touched = held.into_iter().flat_map(|plan| &plan.files);
        if let Some(file) = touched.into_iter().find(|file| by_path.overlapping(file).next().is_some()) {
            found.insert(issue.id.clone(), file.clone());
        }
    }
    found
}

/// Tells that someone works on a file of a plan that is now completed.
pub(super) fn at_work(index: &Index<'_>, plan: &SolutionId) -> Result<Option<Notice>, IndexError> {
    let executing = Filter { statuses: vec![IssueStatus::Executing], ..Filter::default() };
    let others = index.facts(&index.list(&executing, SortOrder::Id, 0, None)?)?;
    let files = files(index.facts_of(&plan.issue())?, plan);
    let found = sharing(&files, plan, &others, IssueStatus::Executing);
    Ok(found.into_iter().next().map(|(issue, file)| {
        Notice::note(format!("`{issue}` is being executed and changes `{file}`, too"))
            .remedy(Other::QueueForecast, "shows whether the branches conflict")
    }))
}

/// Leaves out what the index knows to be on the target branch, if the base has all of that.
fn leave_out_landed(
    store: &Store,
    index: &Index<'_>,
    base: &BaseCommit,
    found: &mut BTreeMap<IssueId, RepoPath>,
) -> Result<(), Refusal> {
    if found.is_empty() {
        return Ok(());
    }
    // Otherwise each claim would derive again what happened to all work that was completed since the last query.
    landed::refresh(store, index)?;
    let Some(key) = index.landing_key()? else { return Ok(()) };
    if has_all(store, base, &key.tips) {
        // All completed work that an execution did has an answer now.
        let open = index.not_landed()?.into_iter();
        let open = open.filter(|row| row.proof.landed.state != LandedState::Landed);
        let open: BTreeSet<IssueId> = open.map(|row| row.id).collect();
        found.retain(|id, _| open.contains(id));
    }
    Ok(())
}

/// Whether what the index knows to have landed is up to date, and is in the base.
fn knows_landed(store: &Store, index: &Index<'_>, base: &BaseCommit) -> Result<bool, Refusal> {
    let (Some(key), Some(target)) = (index.landing_key()?, LandingTarget::find(store)?) else {
        return Ok(false);
    };
    let tips: Vec<CommitHash> = target.tips().into_iter().map(CommitHash::from).collect();
    Ok((key.branch, &key.tips) == (target.branch, &tips) && has_all(store, base, &tips))
}

/// Whether these commits are known to be in the history of the base.
fn has_all(store: &Store, base: &BaseCommit, tips: &[CommitHash]) -> bool {
    tips.iter().all(|tip| {
        let tip = store.commit_here(tip);
        tip.is_some_and(|tip| tip == base.tip || store.is_ancestor(tip, base.tip).unwrap_or(false))
    })
}

/// Says with which completed work the plan shares files, and whether git can merge both. `known` is that work, if it was found
/// when the plan was chosen.
pub(super) fn tell(
    session: &Session,
    wish: &ClaimRequest,
    plan: &SolutionId,
    known: Option<Vec<SharedWork>>,
) -> Result<(), Refusal> {
    if known.as_ref().is_some_and(Vec::is_empty) {
        return Ok(());
    }
    let store = session.store();
    let Some(base) = wish.base().commit(store)? else { return Ok(()) };
    let tip = base.tip;
    let all = match known {
        Some(known) => known,
        None => {
            let (index, read) = (session.index_at_hand()?, store.snapshot()?);
            CompletedWork::read(store, &read, index.as_ref(), base)?.shared_with(&read, plan)?
        }
    };
    for shared in all.iter().take(MOST_TOLD) {
        let what = format!("`{}` changed `{}`, too, and is {}", shared.issue, shared.file, shared.work);
        let merge = merged(store, tip, &shared.work)?;
        let mut notice = Notice::warning(format!("{what}{}", merge.words));
        if merge.conflicts {
            notice = notice.remedy(Other::QueueForecast, "shows all branches that conflict");
        }
        session.notice(match &shared.work.place {
            WorkPlace::Branch(branch) => notice.remedy(
                RemedyCall::new(Op::Next, [plan]).option("on", branch),
                "builds on it, in a worktree of its own",
            ),
            WorkPlace::NoBranch(_) | WorkPlace::Gone(_) | WorkPlace::Elsewhere | WorkPlace::Reverted(_) => {
                notice
            }
        });
    }
    Ok(())
}

/// What git says to a merge of both.
#[derive(Default)]
struct MergeForecast {
    /// In words, which continue a sentence; empty if git cannot tell.
    words: String,
    conflicts: bool,
}

fn merged(store: &Store, base: ObjectId, work: &AbsentWork) -> Result<MergeForecast, Refusal> {
    let commit = match &work.place {
        WorkPlace::Branch(branch) => {
            let names = [format!("refs/heads/{branch}"), format!("refs/remotes/{branch}")];
            let tips = names.iter().map(|name| store.read_ref(name)).collect::<Result<Vec<_>, _>>()?;
            tips.into_iter().flatten().next().map(CommitHash::from)
        }
        WorkPlace::NoBranch(commit) => Some(commit.clone()),
        WorkPlace::Gone(_) | WorkPlace::Elsewhere | WorkPlace::Reverted(_) => None,
    };
    let Some(commit) = commit else { return Ok(MergeForecast::default()) };
    // An older git cannot tell, which is no reason to refuse the claim.
    Ok(match collisions::between(store, &base.into(), &commit) {
        Ok(found) if found.is_empty() => MergeForecast {
            words: "; both merge without conflicts as they are now".to_owned(),
            conflicts: false,
        },
        Ok(found) => {
            let files: BTreeSet<&str> = found.iter().map(|found| found.path.as_str()).collect();
            let files: Vec<&str> = files.into_iter().take(MOST_TOLD).collect();
            let words = format!("; a merge of both conflicts in {}", files.join(", "));
            MergeForecast { words, conflicts: true }
        }
        Err(_) => MergeForecast::default(),
    })
}
