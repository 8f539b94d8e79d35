//! Linked commits that no branch has any more when their execution is completed: someone dropped them, so they are not the work.

use std::collections::HashMap;

use super::unlinked::in_line;
use crate::model::{CommitHash, Event, Op, PatchId, RemedyCall, Rewrite, Unlink, count};
use crate::ops::Notice;
use crate::rules::LinkedCommit;
use crate::store::{Store, StoreError};
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
    /// Those of an execution with this work. A commit that another one replaced leads to that one; the links of the others are
    /// removed. If nothing is on a branch, nobody knows what the work is, and nothing is recorded.
    pub(super) fn find(store: &Store, work: &CommittedWork) -> Result<Self, StoreError> {
        let gone: Vec<&LinkedCommit> =
            work.gone.iter().filter(|commit| store.commit_here(&commit.link.hash).is_some()).collect();
        let mut dropped = Self::default();
        if gone.is_empty() || work.effective.is_empty() {
            return Ok(dropped);
        }
        let hashes: Vec<CommitHash> =
            gone.iter().copied().chain(&work.present).map(|commit| commit.link.hash.clone()).collect();
        let patches = patch_id::of_commits(store, &hashes)?;
        for commit in gone {
            let old = commit.link.hash.clone();
            dropped.events.push(match successor(commit, &work.present, &patches) {
                Some(LinkedCommit { link, .. }) => {
                    Event::Rewrite(Rewrite { old, new: link.hash.clone(), tree: link.tree.clone() })
                }
                None => {
                    dropped.unlinked.push(format!("{} \"{}\"", old.short(), commit.link.subject));
                    Event::Unlink(Unlink { hash: old })
                }
            });
        }
        Ok(dropped)
    }
}

/// The commit that replaced this one: it has the same tree, makes the same change, or changes the same files with the same
/// author and author date.
fn successor<'a>(
    old: &LinkedCommit,
    present: &'a [LinkedCommit],
    patches: &HashMap<CommitHash, PatchId>,
) -> Option<&'a LinkedCommit> {
    let (old, patch) = (&old.link, patches.get(&old.link.hash));
    let find = |is_it: &dyn Fn(&LinkedCommit) -> bool| present.iter().find(|commit| is_it(commit));
    find(&|commit| old.tree.is_some() && commit.link.tree == old.tree)
        .or_else(|| find(&|commit| patch.is_some() && patches.get(&commit.link.hash) == patch))
        .or_else(|| {
            find(&|LinkedCommit { link, .. }| {
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
