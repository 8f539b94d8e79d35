//! Merges that `git subtree add`, with or without `--squash`, and `git subtree pull --squash` make: they bring the files of
//! the second parent into a directory. git can repeat such a merge only with the same option, which the result does not show.

use bstr::{BStr, ByteSlice};

use crate::git::{EntryKind, ObjectId};
use crate::store::{CodeCommit, Store, StoreError};

/// How `git subtree` names the directory: in a squashed commit, or in the merge.
const DIRECTORY: &[u8] = b"git-subtree-dir:";

/// Whether a merge is the tree of its first parent with that of the second one in the directory which that commit or the
/// merge names, and nothing else. An earlier content of the directory must be that of the squashed commit before it: a
/// change made there would be lost.
pub(super) fn brings_only_a_subtree(store: &Store, merge: &CodeCommit) -> Result<bool, StoreError> {
    let [first, second] = merge.parents[..] else { return Ok(false) };
    let squashed = store.code_commit(second)?;
    let in_squashed = directory(&squashed.message);
    let Some(directory) = in_squashed.or_else(|| directory(&merge.message)) else { return Ok(false) };
    let path: Vec<&BStr> = directory.split_str("/").map(ByteSlice::as_bstr).collect();
    let brought = store.code_tree_of(second)?;
    let before =
        match replaced(store, store.code_tree_of(first)?, store.code_tree_of(merge.id)?, &path, brought)? {
            Replaced::Nothing => return Ok(true),
            Replaced::Tree(before) if in_squashed.is_some() => before,
            Replaced::Tree(_) | Replaced::Other => return Ok(false),
        };
    let earlier = match squashed.parents[..] {
        [] => None,
        [parent] => Some(store.code_tree_of(parent)?),
        _ => return Ok(false),
    };
    Ok(earlier == Some(before))
}

/// The directory that a message of `git subtree` names.
fn directory(message: &[u8]) -> Option<&[u8]> {
    let value = message.lines().rev().find_map(|line| line.strip_prefix(DIRECTORY))?.trim();
    let value = value.strip_suffix(b"/").unwrap_or(value);
    (!value.is_empty()).then_some(value)
}

/// How a commit differs from another.
enum Replaced {
    /// It adds a tree where there was nothing, and nothing else.
    Nothing,
    /// It puts a tree in place of this one, and nothing else.
    Tree(ObjectId),
    /// In any other way.
    Other,
}

/// How `after` differs from `before`, if the tree `brought` is at `path` in it.
fn replaced(
    store: &Store,
    before: ObjectId,
    after: ObjectId,
    path: &[&BStr],
    brought: ObjectId,
) -> Result<Replaced, StoreError> {
    let repo = store.repo();
    let (mut before, mut after) = (Some(before), after);
    for (n, name) in path.iter().enumerate() {
        let (old, new) = (repo.entries(before)?, repo.entries(Some(after))?);
        if old.names().chain(new.names()).any(|other| other != *name && old.get(other) != new.get(other)) {
            return Ok(Replaced::Other);
        }
        let Some((EntryKind::Tree, inner)) = new.get(name) else { return Ok(Replaced::Other) };
        before = match old.get(name) {
            None => None,
            Some((EntryKind::Tree, inner)) => Some(inner),
            Some(_) => return Ok(Replaced::Other),
        };
        after = inner;
        if n + 1 == path.len() && after == brought {
            return Ok(before.map_or(Replaced::Nothing, Replaced::Tree));
        }
    }
    Ok(Replaced::Other)
}
