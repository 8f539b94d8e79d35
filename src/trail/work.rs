//! Determines which linked commits of an execution count as work. These do not count: commits that no branch has any
//! more, that change nothing, that only repeat someone else's change, or that others of them reverted.

use std::collections::{HashMap, HashSet};

use super::merges::{self, MergeBudget};
use super::{copies, restored};
use crate::git::ObjectId;
use crate::model::{CommitHash, LinkedBy};
use crate::rules::undoing::standing;
use crate::rules::{ExecutionFolder, LinkedCommit};
use crate::store::{CodeCommit, MOST_FILES, ReadState, Store, StoreError, records};

/// The commits that an execution made.
#[derive(Debug, Default)]
pub(crate) struct CommittedWork {
    /// Those that are on a branch, in the order of their links: evidence is required at the last of them.
    pub(crate) present: Vec<LinkedCommit>,
    /// The commits whose changes remain.
    pub(crate) effective: Vec<LinkedCommit>,
    /// Why the others do not count, one line each.
    pub(crate) idle: Vec<String>,
    /// Those that are on no branch: a squash or a rebase may have replaced them.
    pub(crate) gone: Vec<LinkedCommit>,
}

impl CommittedWork {
    /// Examines the commits of an execution, with the earlier versions that are on a branch again. A missing commit is on
    /// no branch of this repository. A commit from
    /// before the execution began counts only if it belongs to an earlier attempt at the plan.
    pub(crate) fn examine(
        store: &Store,
        read: &impl ReadState,
        execution: &ExecutionFolder,
    ) -> Result<Self, StoreError> {
        let mut work = Self::default();
        let unreached = restored::reach(store, execution)?;
        let restored = restored::applied(execution, &unreached);
        let execution = restored.as_ref().unwrap_or(execution);
        let linked = execution.work();
        for commit in linked {
            if unreached.has(&commit.link.hash) {
                work.leave_out(&commit, "is on no branch");
                work.gone.push(commit);
            } else if was_there(store, execution, &commit.link.hash)?
                && !is_of_earlier_attempt(read, execution, &commit.link.hash)?
            {
                work.leave_out(&commit, "was there before the execution began");
            } else {
                work.present.push(commit);
            }
        }
        work.present = with_tree_of_last(store, work.present);
        let left: HashSet<CommitHash> =
            standing(&work.present).into_iter().map(|commit| commit.link.hash.clone()).collect();
        let mut steps = Vec::new();
        for commit in work.present.clone() {
            if left.contains(&commit.link.hash) {
                let code =
                    store.commit_here(&commit.link.hash).map(|id| store.code_commit(id)).transpose()?;
                steps.extend(code.map(|code| (commit, code)));
            } else if commit.link.reverts.is_empty() {
                work.leave_out(&commit, "was reverted");
            } else {
                work.leave_out(&commit, "only reverts other commits of it");
            }
        }
        let mut steps = work.with_changes(store, steps)?;
        let copies = copies::of_others(store, execution, &steps)?;
        steps.retain(|(commit, _)| match copies.get(&commit.link.hash) {
            // Someone who links a commit by hand decides that it belongs there.
            Some(why) if commit.link.linked_by != LinkedBy::Manual => {
                work.leave_out(commit, why);
                false
            }
            _ => true,
        });
        if nets_to_nothing(store, steps.iter().map(|(_, code)| code))? {
            for (commit, _) in &steps {
                work.leave_out(commit, "is undone by the other commits");
            }
        } else {
            work.effective = steps.into_iter().map(|(commit, _)| commit).collect();
        }
        Ok(work)
    }

    fn leave_out(&mut self, commit: &LinkedCommit, why: &str) {
        let link = &commit.link;
        self.idle.push(format!("{} \"{}\" {why}", link.hash.short(), link.subject));
    }

    /// The commits that change something. A merge does if it differs from what git makes of its parents.
    fn with_changes(
        &mut self,
        store: &Store,
        steps: Vec<(LinkedCommit, CodeCommit)>,
    ) -> Result<Vec<(LinkedCommit, CodeCommit)>, StoreError> {
        let merges = steps.iter().map(|(_, code)| code).filter(|code| code.parents.len() > 1);
        // In a shallow clone this may be impossible.
        let own = merges::own_changes(store, merges, MergeBudget::of_each()).ok();
        let mut found = Vec::new();
        for (commit, code) in steps {
            if code.parents.len() > 1 {
                // A commit that cannot be examined counts as work.
                let may_change = own.as_ref().is_none_or(|own| {
                    own.changes.contains_key(&code.id) || own.unseen.contains_key(&code.id)
                });
                if may_change {
                    found.push((commit, code));
                } else {
                    self.leave_out(&commit, "is a merge without changes of its own");
                }
            } else if is_empty(store, &code)? {
                self.leave_out(&commit, "changes nothing");
            } else {
                found.push((commit, code));
            }
        }
        Ok(found)
    }
}

/// The commits that an execution made. The tree of the last one, for which evidence is required, is that of git if the
/// commit is here, whatever its link says.
pub(crate) fn linked(store: &Store, execution: &ExecutionFolder) -> Vec<LinkedCommit> {
    with_tree_of_last(store, execution.work())
}

fn with_tree_of_last(store: &Store, mut work: Vec<LinkedCommit>) -> Vec<LinkedCommit> {
    if let Some(last) = work.last_mut()
        && let Some(tree) = store.tree_here(&last.link.hash)
    {
        last.link.tree = Some(tree);
    }
    work
}

/// Whether the commit on which an execution began already contains this one.
fn was_there(store: &Store, execution: &ExecutionFolder, commit: &CommitHash) -> Result<bool, StoreError> {
    let base = execution.execution.base_commit.as_ref().and_then(|base| store.commit_here(base));
    match base.zip(store.commit_here(commit)) {
        Some((base, commit)) => store.is_ancestor(commit, base),
        None => Ok(false),
    }
}

/// Whether an earlier attempt at the same plan links a commit.
fn is_of_earlier_attempt(
    read: &impl ReadState,
    execution: &ExecutionFolder,
    commit: &CommitHash,
) -> Result<bool, StoreError> {
    let own = &execution.execution;
    let all = records::executions(read, &own.issue_id)?;
    Ok(all.iter().any(|earlier| {
        earlier.execution.solution_id == own.solution_id
            && earlier.execution.attempt < own.attempt
            && earlier.knows_commit(commit)
    }))
}

fn is_empty(store: &Store, code: &CodeCommit) -> Result<bool, StoreError> {
    let tree = store.code_tree_of(code.id)?;
    match code.parents.first() {
        Some(parent) => Ok(store.code_tree_of(*parent)? == tree),
        None => Ok(tree == ObjectId::empty_tree(tree.kind())),
    }
}

/// Whether commits undo each other: every path ends up as it was before them, in whatever order. False if there are too
/// many changes to examine.
fn nets_to_nothing<'a>(
    store: &Store,
    commits: impl Iterator<Item = &'a CodeCommit>,
) -> Result<bool, StoreError> {
    let mut balance: HashMap<_, i64> = HashMap::new();
    let mut changes = 0;
    for commit in commits {
        if commit.parents.len() > 1 {
            return Ok(false);
        }
        let Some(differences) = store.first_changes(commit, MOST_FILES)? else { return Ok(false) };
        changes += differences.len();
        if differences.len() >= MOST_FILES || changes > 10 * MOST_FILES {
            return Ok(false);
        }
        for difference in differences {
            *balance.entry((difference.path.clone(), difference.old)).or_default() -= 1;
            *balance.entry((difference.path, difference.new)).or_default() += 1;
        }
    }
    Ok(changes > 0 && balance.values().all(|n| *n == 0))
}

/// At most this many commits are tried as the last one of an execution's work.
const MOST_HEADS: usize = 8;

/// The base and the last commit of an execution's work, if nothing else is in between: then the change from one to the
/// other is what the execution made, by which a squash of it is recognized. The base is the last commit of others that merges
/// within the work brought in. None if commits of others are in between.
pub(crate) fn span(
    store: &Store,
    linked: &HashSet<CommitHash>,
    work: &[LinkedCommit],
) -> Result<Option<(Option<ObjectId>, ObjectId)>, StoreError> {
    let mut all: HashSet<ObjectId> = HashSet::new();
    let mut heads: Vec<ObjectId> = Vec::new();
    let mut parents: HashSet<ObjectId> = HashSet::new();
    for commit in work {
        let Some(id) = store.commit_here(&commit.link.hash) else { return Ok(None) };
        let Some(code) = store.sound_commit(id)? else { return Ok(None) };
        parents.extend(code.parents);
        if all.insert(id) {
            heads.push(id);
        }
    }
    heads.retain(|id| !parents.contains(id));
    // The order of the links is usually that of the commits.
    for head in heads.into_iter().rev().take(MOST_HEADS) {
        let found = span_up_to(store, linked, &all, head)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The commit of others before all of these, and `head`, if they are in the history of that and nothing of others is in between.
/// Without a base, they begin the history.
fn span_up_to(
    store: &Store,
    linked: &HashSet<CommitHash>,
    all: &HashSet<ObjectId>,
    head: ObjectId,
) -> Result<Option<(Option<ObjectId>, ObjectId)>, StoreError> {
    let mut left: HashSet<ObjectId> = all.clone();
    let (mut seen, mut outside) = (HashSet::from([head]), Vec::new());
    let (mut open, mut has_root) = (vec![head], false);
    while let Some(id) = open.pop() {
        let code = store.sound_commit(id)?;
        let is_inside = linked.contains(&CommitHash::from(id))
            || code.as_ref().is_some_and(|code| code.parents.len() > 1) && has_any(store, all, id)?;
        if !is_inside {
            outside.push(id);
            continue;
        }
        let Some(code) = code else { return Ok(None) };
        left.remove(&id);
        has_root |= code.parents.is_empty();
        open.extend(code.parents.into_iter().filter(|parent| seen.insert(*parent)));
    }
    if !left.is_empty() {
        return Ok(None);
    }
    if outside.len() > 1 {
        outside = store.git().independent(&outside)?;
    }
    Ok(match outside[..] {
        [] => Some((None, head)),
        [base] if !has_root => Some((Some(base), head)),
        _ => None,
    })
}

/// Whether a merge that is no work of the execution, such as one by the host, has some of these commits in its history.
fn has_any(store: &Store, commits: &HashSet<ObjectId>, merge: ObjectId) -> Result<bool, StoreError> {
    for commit in commits {
        if store.is_ancestor(*commit, merge)? {
            return Ok(true);
        }
    }
    Ok(false)
}
