//! The commit on which the next item would begin, and the completed work that it lacks.

use std::collections::BTreeSet;

use crate::index::{Index, IndexError, QueueWorld};
use crate::model::{Branch, ExecutionStatus, IssueId, IssueStatus, Item, SolutionId, Time};
use crate::rules::landed::{is_older_than_landing, may_be_older_than_landing};
use crate::rules::readiness::dependencies;
use crate::rules::{
    AbsentWork, ExecutionFolder, Facts, LandedState, LandingProof, QueueFolder, WorkPlace, facts,
};
use crate::store::{ObjectId, ReadState, Store, StoreError, records};
use crate::trail::audit::first_base;
use crate::trail::landed::{Asked, Question, derive, target::LandingTarget};

/// Where a claim would begin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum ClaimBase {
    /// At what is checked out.
    #[default]
    Head,
    /// At the branch on which work lands.
    Target,
    /// At this branch.
    Branch(Branch),
}

/// The commit on which a claim would begin.
#[derive(Debug)]
pub(crate) struct BaseCommit {
    /// Its name for people.
    pub(crate) name: String,
    /// The commit.
    pub(crate) tip: ObjectId,
    /// Whether it is the tip of the target branch.
    pub(crate) is_target: bool,
}

impl ClaimBase {
    /// The commit; `None` in a repository without commits.
    pub(crate) fn commit(&self, store: &Store) -> Result<Option<BaseCommit>, StoreError> {
        let target = LandingTarget::find(store)?;
        let is_target = |branch: &Branch| target.as_ref().is_some_and(|target| target.branch == *branch);
        match self {
            Self::Branch(branch) => {
                let tip = store.read_ref(branch.as_str())?;
                let name = branch.short().to_owned();
                return Ok(tip.map(|tip| BaseCommit { name, tip, is_target: is_target(branch) }));
            }
            Self::Target => {
                let tip = target.as_ref().map(|target| target.newest(store)).transpose()?.flatten();
                if let (Some(target), Some(tip)) = (&target, tip) {
                    let name = target.branch.short().to_owned();
                    return Ok(Some(BaseCommit { name, tip, is_target: true }));
                }
            }
            Self::Head => {}
        }
        let branch = store.branch()?;
        let name = branch.as_ref().map_or("HEAD", Branch::short).to_owned();
        let is_target = branch.as_ref().is_some_and(is_target);
        Ok(store.head()?.map(|tip| BaseCommit { name, tip, is_target }))
    }
}

/// Notes in the facts which of the completed issues that others wait for have commits that the base lacks.
pub(crate) fn note_absent(
    store: &Store,
    read: &impl ReadState,
    base: &ClaimBase,
    queues: &[QueueFolder],
    facts: &mut Facts,
    index: Option<&Index<'_>>,
) -> Result<(), StoreError> {
    let needed = needed(queues, facts);
    if needed.is_empty() {
        return Ok(());
    }
    let Some(base) = base.commit(store)? else { return Ok(()) };
    for (id, work) in absent(store, read, &base, needed, index)? {
        if let Some(issue) = facts.get_mut(&id) {
            issue.absent = Some(Box::new(work));
        }
    }
    Ok(())
}

/// Lets the index know which completed work what is checked out lacks, for what it derives about items itself.
pub(crate) fn note_in_index(store: &Store, index: &Index<'_>) -> Result<(), IndexError> {
    let QueueWorld { queues, mut facts, .. } = index.queues_for_states()?;
    note_absent(store, &index.snapshot()?, &ClaimBase::Head, &queues, &mut facts, Some(index))?;
    let absent = facts.into_iter().filter_map(|(id, issue)| Some((id, issue.absent?)));
    index.note_absent(absent.collect());
    Ok(())
}

/// Those of these completed issues whose commits the base lacks. The answer is the same without an index.
pub(crate) fn absent(
    store: &Store,
    read: &impl ReadState,
    base: &BaseCommit,
    issues: BTreeSet<IssueId>,
    index: Option<&Index<'_>>,
) -> Result<Vec<(IssueId, AbsentWork)>, StoreError> {
    let mut executions: Vec<ExecutionFolder> = Vec::new();
    for id in issues {
        let folder = match records::issue(read, &id) {
            Ok(Some(folder)) => folder,
            Ok(None) | Err(StoreError::Broken { .. }) => continue,
            Err(error) => return Err(error),
        };
        let holder = facts::holder(&folder).filter(|holder| holder.outcome() == ExecutionStatus::Completed);
        executions.extend(holder.cloned());
    }
    let Some(branch) = Branch::of_short("base") else { return Ok(vec![]) };
    let tips = [base.tip];
    let first_land =
        if executions.iter().any(may_be_older_than_landing) { first_land(read, index)? } else { None };
    let asked = Asked { branch: &branch, tips: &tips, first_land };
    let questions: Vec<Question<'_>> =
        executions.iter().map(|execution| Question { execution, before: None }).collect();
    let since = first_base(store, executions.iter());
    let since: Vec<ObjectId> = since.and_then(|base| store.commit_here(&base)).into_iter().collect();
    let mut found = Vec::new();
    for (execution, proof) in executions.iter().zip(derive(store, &asked, &questions, &since)?) {
        if let Some(place) = place(store, execution, &proof, first_land)? {
            let work = AbsentWork { base: base.name.clone(), is_target: base.is_target, place };
            found.push((execution.execution.issue_id.clone(), work));
        }
    }
    Ok(found)
}

/// When work was first recorded as landed. Without an index all records are read.
fn first_land(read: &impl ReadState, index: Option<&Index<'_>>) -> Result<Option<Time>, StoreError> {
    if let Some(Ok(known)) = index.map(Index::first_land) {
        return Ok(known);
    }
    let mut first: Option<Time> = None;
    for id in records::issue_ids(read)? {
        match records::executions(read, &id) {
            Ok(executions) => {
                let own = executions.iter().filter_map(ExecutionFolder::first_land).min();
                first = first.into_iter().chain(own).min();
            }
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(first)
}

/// Where work is that is not in the base; `None` if it is there, or if nobody can tell.
fn place(
    store: &Store,
    execution: &ExecutionFolder,
    proof: &LandingProof,
    first_land: Option<Time>,
) -> Result<Option<WorkPlace>, StoreError> {
    let landed = &proof.landed;
    match landed.state {
        LandedState::Landed => Ok(None),
        LandedState::Unknown => {
            let is_old = is_older_than_landing(execution, first_land);
            let is_shallow = store.repo().is_shallow().unwrap_or(false);
            let is_away = landed.unknown.iter().any(|hash| store.commit_here(hash).is_none());
            Ok((is_away && !is_old && !is_shallow).then_some(WorkPlace::Elsewhere))
        }
        LandedState::OnNoBranch => {
            let mut commits = landed.on_no_branch.iter().rev();
            let here = commits.clone().find(|hash| store.commit_here(hash).is_some());
            let gone = commits.next().cloned().map(WorkPlace::Gone);
            Ok(here.cloned().map(WorkPlace::NoBranch).or(gone))
        }
        LandedState::Unlanded if !proof.reverts.is_empty() => {
            Ok(proof.reverts.last().cloned().map(WorkPlace::Reverted))
        }
        LandedState::Unlanded => {
            let last = landed.missing.last().and_then(|hash| store.commit_here(hash));
            let refs = store.git().refs_containing(last.iter())?;
            let branch = ["refs/heads/", "refs/remotes/", "refs/tags/"]
                .into_iter()
                .find_map(|prefix| refs.iter().find_map(|name| name.strip_prefix(prefix)));
            let last = landed.missing.last().cloned();
            Ok(branch.map(|branch| WorkPlace::Branch(branch.to_owned())).or(last.map(WorkPlace::NoBranch)))
        }
    }
}

/// The completed issues that unfinished items wait for: their dependencies, and what declared orders put before them.
fn needed(queues: &[QueueFolder], facts: &Facts) -> BTreeSet<IssueId> {
    let mut needed = BTreeSet::new();
    for queue in queues {
        let open: Vec<&Item> = queue
            .items
            .iter()
            .filter(|item| {
                let issue = facts.get(&item.issue_id);
                !item.is_removed() && issue.is_some_and(|issue| !issue.status.is_terminal())
            })
            .collect();
        for item in &open {
            needed.extend(facts.get(&item.issue_id).into_iter().flat_map(|fact| dependencies(item, fact)));
        }
        if !open.is_empty() {
            needed.extend(
                queue.conflicts.iter().flat_map(|conflict| &conflict.solutions).map(SolutionId::issue),
            );
        }
    }
    needed.retain(|id| facts.get(id).is_some_and(|fact| fact.status == IssueStatus::Completed));
    needed
}
