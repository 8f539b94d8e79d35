//! Commits into which a linked one was split without hooks: one after the other, they make the change that it made, and no
//! branch has it any more.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Known, RelinkEvidence, UnlinkedCommit, lost_as};
use crate::model::{CommitHash, CommitLink, PatchId};
use crate::store::{CodeCommit, ObjectId, ReadState, Store, StoreError};
use crate::trail::links::{files, tasks};
use crate::trail::patch_id;
use crate::trail::reach::Unreached;

/// Splits into more parts are not looked for.
const MOST_PARTS: usize = 8;
/// At most this many rows of commits are compared.
const MOST_ROWS: usize = 1_000;

/// A linked commit that nothing has replaced yet.
struct Gone {
    /// The place of its execution.
    of: usize,
    link: CommitLink,
}

/// Commits in a row, oldest first, that change what a linked one did.
struct Parts<'a> {
    commits: Vec<&'a CodeCommit>,
    gone: usize,
}

/// Adds to what was `found` those among the `silent` commits, which name nothing, that are the parts of a linked one. Commits
/// that were found by their trailers may be parts of it, too.
pub(super) fn find(
    store: &Store,
    read: &impl ReadState,
    known: &Known,
    silent: &[CodeCommit],
    found: &mut Vec<(usize, UnlinkedCommit, CodeCommit)>,
) -> Result<(), StoreError> {
    let mut possible = silent.to_vec();
    let named = found.iter().filter(|(_, unlinked, commit)| {
        unlinked.shown_by == RelinkEvidence::Trailers
            && unlinked.replaces.is_none()
            && commit.parents.len() == 1
    });
    possible.extend(named.map(|(_, _, commit)| commit.clone()));
    if possible.len() < 2 {
        return Ok(());
    }
    let gone = gone(store, known, found)?;
    if gone.is_empty() {
        return Ok(());
    }
    let parts = in_a_row(store, &possible, &gone)?;
    let hashes: Vec<CommitHash> = gone.iter().map(|lost| lost.link.hash.clone()).collect();
    let wanted: HashMap<CommitHash, PatchId> =
        if parts.is_empty() { HashMap::new() } else { patch_id::of_commits(store, &hashes)? };
    let mut spans = Vec::new();
    for part in &parts {
        spans.push(span(store, &part.commits)?);
    }
    let mut taken: HashSet<ObjectId> = HashSet::new();
    let mut replaced: HashSet<usize> = HashSet::new();
    for (split, patch) in parts.iter().zip(patch_id::of_spans(store, &spans)?) {
        let Gone { of, link } = &gone[split.gone];
        let is_it = patch.is_some() && patch.as_ref() == wanted.get(&link.hash);
        if !is_it
            || replaced.contains(&split.gone)
            || split.commits.iter().any(|part| taken.contains(&part.id))
            || found
                .iter()
                .any(|(n, _, commit)| n != of && split.commits.iter().any(|part| part.id == commit.id))
        {
            continue;
        }
        replaced.insert(split.gone);
        let plan = &known.executions[*of].execution.solution_id;
        let last = split.commits.len() - 1;
        for (n, part) in split.commits.iter().enumerate() {
            taken.insert(part.id);
            if let Some((_, unlinked, _)) = found.iter_mut().find(|(_, _, commit)| commit.id == part.id) {
                if n == last {
                    unlinked.replaces = Some(link.hash.clone());
                }
                continue;
            }
            let all: Vec<_> = link.tasks().cloned().collect();
            let named =
                if all.len() > 1 { tasks(read, plan, &[], vec![], || files(store, part))? } else { all };
            let mut unlinked = lost_as(known, *of, part, named, RelinkEvidence::Split);
            if n == last {
                unlinked.replaces = Some(link.hash.clone());
            }
            found.push((*of, unlinked, (*part).clone()));
        }
    }
    Ok(())
}

/// The linked commits that no branch has any more, and that nothing found replaces.
fn gone(
    store: &Store,
    known: &Known,
    found: &[(usize, UnlinkedCommit, CodeCommit)],
) -> Result<Vec<Gone>, StoreError> {
    let replaced: HashSet<(usize, &CommitHash)> = found
        .iter()
        .flat_map(|(n, unlinked, _)| {
            unlinked.replaces.iter().chain(&unlinked.also_replaces).map(|hash| (*n, hash))
        })
        .collect();
    let mut gone = Vec::new();
    for (of, execution) in known.executions.iter().enumerate() {
        let commits = execution.commits().into_iter().map(|commit| commit.link);
        let open = commits.filter(|link| link.is_work() && !replaced.contains(&(of, &link.hash)));
        gone.extend(open.map(|link| Gone { of, link }));
    }
    let unreached = Unreached::among(store, gone.iter().map(|lost| &lost.link.hash))?;
    gone.retain(|lost| unreached.is_adrift(&lost.link.hash) && !lost.link.files.is_empty());
    Ok(gone)
}

/// Commits in a row that together change the files of a gone one.
fn in_a_row<'a>(
    store: &Store,
    possible: &'a [CodeCommit],
    gone: &[Gone],
) -> Result<Vec<Parts<'a>>, StoreError> {
    let by_id: HashMap<ObjectId, &CodeCommit> = possible.iter().map(|commit| (commit.id, commit)).collect();
    let of_gone: Vec<BTreeSet<&str>> =
        gone.iter().map(|lost| lost.link.files.iter().map(String::as_str).collect()).collect();
    let mut changed: HashMap<ObjectId, Vec<String>> = HashMap::new();
    for commit in possible {
        changed.insert(commit.id, files(store, commit)?);
    }
    let mut rows = Vec::new();
    for last in possible {
        let mut commits = vec![last];
        while commits.len() < MOST_PARTS
            && rows.len() < MOST_ROWS
            && let [parent] = commits[commits.len() - 1].parents[..]
            && let Some(before) = by_id.get(&parent)
        {
            commits.push(before);
            let all: BTreeSet<&str> =
                commits.iter().flat_map(|commit| &changed[&commit.id]).map(String::as_str).collect();
            for n in (0..gone.len()).filter(|n| of_gone[*n] == all) {
                rows.push(Parts { commits: commits.iter().rev().copied().collect(), gone: n });
            }
        }
    }
    Ok(rows)
}

/// The trees before the first and after the last of some commits in a row.
fn span(store: &Store, commits: &[&CodeCommit]) -> Result<(ObjectId, ObjectId), StoreError> {
    let (first, last) = (commits[0], commits[commits.len() - 1]);
    let before = match first.parents[..] {
        [parent] => store.commit_tree(parent)?,
        _ => ObjectId::empty_tree(first.id.kind()),
    };
    Ok((before, last.tree))
}
