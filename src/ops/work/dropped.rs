//! Linked commits that no branch has any more when their execution is completed: someone dropped them, so they are not the work.

use std::collections::HashMap;

use super::unlinked::in_line;
use crate::git::ObjectId;
use crate::model::{CommitHash, Event, Op, PatchId, RemedyCall, Rewrite, Unlink, count};
use crate::ops::Notice;
use crate::rules::{ExecutionFolder, LinkedCommit};
use crate::store::{Store, StoreError};
use crate::trail::landed::derive_one;
use crate::trail::landed::target::LandingTarget;
use crate::trail::patch_id;
use crate::trail::work::CommittedWork;

/// What to record of dropped commits.
#[derive(Debug, Default)]
pub(super) struct DroppedCommits {
    pub(super) events: Vec<Event>,
    /// Those whose links are removed, in words.
    pub(super) unlinked: Vec<String>,
}

impl DroppedCommits {
    /// Those of an execution with this work. A commit that another one replaced leads to that one. One that is in the `target` in
    /// another form stays linked; the links of the others are removed. If nothing is on a branch, nobody knows what the work is,
    /// and nothing is recorded.
    pub(super) fn find(
        store: &Store,
        execution: &ExecutionFolder,
        work: &CommittedWork,
        target: Option<&LandingTarget>,
    ) -> Result<Self, StoreError> {
        let gone: Vec<&LinkedCommit> =
            work.gone.iter().filter(|commit| store.commit_here(&commit.link.hash).is_some()).collect();
        let mut dropped = Self::default();
        if gone.is_empty() || work.effective.is_empty() {
            return Ok(dropped);
        }
        let patches = patches(store, &gone, &work.present)?;
        let mut lost: Vec<&LinkedCommit> = Vec::new();
        for commit in &gone {
            let successor = match successor(commit, &work.present, &patches) {
                Some(found) => Some(found),
                None => squash_of(store, commit, &gone, &work.present)?,
            };
            let Some(LinkedCommit { link, .. }) = successor else {
                lost.push(commit);
                continue;
            };
            let old = commit.link.hash.clone();
            let rewrite = Rewrite { old, new: link.hash.clone(), tree: link.tree.clone() };
            dropped.events.push(Event::Rewrite(rewrite));
        }
        if lost.is_empty() {
            return Ok(dropped);
        }
        let landed = landed(store, execution, target)?;
        for LinkedCommit { link, .. } in lost {
            if !landed.contains(&link.hash) {
                dropped.unlinked.push(format!("{} \"{}\"", link.hash.short(), link.subject));
                dropped.events.push(Event::Unlink(Unlink { hash: link.hash.clone() }));
            }
        }
        Ok(dropped)
    }
}

/// The commits of an execution that are in the history of the target in whatever form, also if they are not pushed.
fn landed(
    store: &Store,
    execution: &ExecutionFolder,
    target: Option<&LandingTarget>,
) -> Result<Vec<CommitHash>, StoreError> {
    let Some(target) = target else { return Ok(vec![]) };
    let mut tips: Vec<ObjectId> = target.fetched.into_iter().chain(target.local).collect();
    tips.dedup();
    if tips.is_empty() {
        return Ok(vec![]);
    }
    Ok(derive_one(store, &target.branch, &tips, execution)?.landed.commits)
}

/// The patch ids of the commits that are gone, and of those present ones that change the same files as one of them.
fn patches(
    store: &Store,
    gone: &[&LinkedCommit],
    present: &[LinkedCommit],
) -> Result<HashMap<CommitHash, PatchId>, StoreError> {
    let mut hashes: Vec<CommitHash> = Vec::new();
    for commit in present {
        if gone.iter().any(|old| old.link.files == commit.link.files) {
            hashes.push(commit.link.hash.clone());
        }
    }
    if hashes.is_empty() {
        return Ok(HashMap::new());
    }
    hashes.extend(gone.iter().map(|commit| commit.link.hash.clone()));
    patch_id::of_commits(store, &hashes)
}

/// The present commit with the tree of a later one that is gone as well: it has the change of this one, too.
fn squash_of<'a>(
    store: &Store,
    old: &LinkedCommit,
    gone: &[&LinkedCommit],
    present: &'a [LinkedCommit],
) -> Result<Option<&'a LinkedCommit>, StoreError> {
    let Some(id) = store.commit_here(&old.link.hash) else { return Ok(None) };
    for later in gone.iter().filter(|later| later.link.hash != old.link.hash) {
        if let Some(found) = with_tree_of(later, present)
            && let Some(later_id) = store.commit_here(&later.link.hash)
            && store.is_ancestor(id, later_id)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn with_tree_of<'a>(old: &LinkedCommit, present: &'a [LinkedCommit]) -> Option<&'a LinkedCommit> {
    let tree = old.link.tree.as_ref()?;
    present.iter().find(|commit| commit.link.tree.as_ref() == Some(tree))
}

/// The commit that replaced this one: it has the same tree, makes the same change, or changes the same files with the same
/// author and author date.
fn successor<'a>(
    old: &LinkedCommit,
    present: &'a [LinkedCommit],
    patches: &HashMap<CommitHash, PatchId>,
) -> Option<&'a LinkedCommit> {
    if let Some(same) = with_tree_of(old, present) {
        return Some(same);
    }
    let (old, patch) = (&old.link, patches.get(&old.link.hash));
    let same_patch = present.iter().find(|commit| patch.is_some() && patches.get(&commit.link.hash) == patch);
    same_patch.or_else(|| {
        present.iter().find(|LinkedCommit { link, .. }| {
            (&link.author, link.authored_at, &link.files) == (&old.author, old.authored_at, &old.files)
        })
    })
}

/// The notice that the links of these commits were removed from an execution of `issue`.
pub(super) fn notice_of_dropped(issue: &str, unlinked: &[String]) -> Option<Notice> {
    let are = match unlinked.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let message = format!(
        "{} {are} on no branch, so no longer linked: {}",
        count(unlinked.len(), "linked commit"),
        in_line(unlinked.to_vec())
    );
    Some(Notice::note(message).remedy(RemedyCall::new(Op::Link, ["COMMIT", issue]), "links one again"))
}
