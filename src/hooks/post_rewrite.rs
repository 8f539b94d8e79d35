//! `post-rewrite`: after an amend or a rebase, links follow to the new commits.

use std::collections::{BTreeMap, BTreeSet};

use bstr::ByteSlice;

use super::rebase::RebaseCommits;
use super::{HookError, HookVerdict};
use crate::git::ObjectId;
use crate::model::execution::{CommitLink, Event, Rewrite};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, SolutionId};
use crate::model::op::Op;
use crate::model::words::count;
use crate::rules::folder::ExecutionFolder;
use crate::store::{CodeCommit, ReadState, Store, StoreError, Tx, layout, records};
use crate::trail::links::{files, link, task};
use crate::trail::progress;
use crate::trail::referred::Referred;
use crate::trail::sources::Sources;
use crate::trail::{active, trailers};

/// A commit and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    old: CommitHash,
    new: CommitHash,
}

/// A commit that replaced others.
struct Successor {
    commit: CodeCommit,
    files: Vec<String>,
}

/// Records what git writes on stdin: lines of `old new`. `kind` is `amend` or `rebase`.
///
/// During a rebase git also reports each amend, squash and rewording as an `amend`. Only its final report counts,
/// since an aborted rebase changes nothing.
pub(crate) fn run(store: &Store, kind: &str, input: &[u8]) -> Result<HookVerdict, HookError> {
    if store.tip()?.is_none() || (kind != "rebase" && progress::is_rebasing(&store.git_dir())) {
        return Ok(HookVerdict::Go);
    }
    let pairs = pairs(input);
    if pairs.is_empty() {
        return Ok(HookVerdict::Go);
    }
    let commits = successors(store, &pairs)?;
    let snapshot = store.snapshot()?;
    let executions = executions(store, &snapshot, &pairs, &commits)?;
    let made = match kind {
        "rebase" => {
            let replaced = pairs.iter().map(|pair| pair.new.as_str()).collect();
            Some(RebaseCommits::find(store, &snapshot, &replaced)?).filter(|made| !made.is_empty())
        }
        _ => None,
    };
    if executions.is_empty() && made.is_none() {
        return Ok(HookVerdict::Go);
    }
    let with_files = |(hash, commit): (CommitHash, CodeCommit)| {
        let files = files(store, &commit)?;
        Ok((hash, Successor { commit, files }))
    };
    let successors = commits.into_iter().map(with_files).collect::<Result<BTreeMap<_, _>, StoreError>>()?;
    let committed = store.transact(Op::Rewrite, |tx| {
        let mut followed = BTreeSet::new();
        let mut solutions = BTreeSet::new();
        for id in &executions {
            let Some(folder) = records::execution(tx, id, &mut Vec::new())? else { continue };
            let found = map_links(tx, &folder, &pairs, &successors)?;
            if !found.is_empty() {
                solutions.insert(folder.execution.solution_id.to_string());
            }
            followed.extend(found);
        }
        let linked = match &made {
            Some(made) => {
                let (linked, to) = made.link(tx, store)?;
                solutions.extend(to);
                linked
            }
            None => 0,
        };
        let solutions = solutions.into_iter().collect::<Vec<_>>().join(", ");
        let followed = match (followed.len(), followed.first()) {
            (1, Some(hash)) => hash.short().to_owned(),
            (n, _) => count(n, "commit"),
        };
        let subject = match linked {
            0 => format!("execution: follow {kind} of {followed} of {solutions}"),
            n => format!(
                "execution: follow {kind} of {followed} and link {} made in it, of {solutions}",
                count(n, "commit")
            ),
        };
        tx.describe(subject);
        Ok::<(), HookError>(())
    })?;
    Ok(HookVerdict::about(&committed.far_future))
}

/// Appends to the log of one execution. Returns the commits that were followed.
fn map_links(
    tx: &mut Tx<'_>,
    folder: &ExecutionFolder,
    pairs: &[Pair],
    successors: &BTreeMap<CommitHash, Successor>,
) -> Result<Vec<CommitHash>, StoreError> {
    let id = &folder.execution.id;
    let mut links: BTreeMap<CommitHash, CommitLink> =
        folder.commits().into_iter().map(|commit| (commit.link.hash.clone(), commit.link)).collect();
    let mut followed = Vec::new();
    for pair in pairs.iter().filter(|pair| folder.knows_commit(&pair.old) && !has(folder, pair)) {
        if let (Some(old), Some(new)) = (links.get(&pair.old), successors.get(&pair.new)) {
            // A squash or a rewording changes more than the hash, but a rewrite entry records only hashes.
            let differs = old.subject != new.commit.subject || old.files != new.files;
            if differs && !links.contains_key(&pair.new) {
                let trailers = trailers::parse(&new.commit.message);
                let plan = &folder.execution.solution_id;
                let task = task(tx, plan, &trailers, old.task_id.clone(), || Ok(new.files.clone()))?;
                let link = link(&new.commit, &new.files, task, old.linked_by);
                let link = link.taking_back(old.reverts.clone());
                links.insert(pair.new.clone(), link.clone());
                tx.log(id, Event::Commit(link))?;
            }
        }
        tx.log(id, Event::Rewrite(Rewrite { old: pair.old.clone(), new: pair.new.clone() }))?;
        followed.push(pair.old.clone());
    }
    Ok(followed)
}

/// Whether the log already has this pair.
fn has(folder: &ExecutionFolder, pair: &Pair) -> bool {
    folder.log.iter().any(
        |entry| matches!(&entry.event, Event::Rewrite(known) if known.old == pair.old && known.new == pair.new),
    )
}

fn pairs(input: &[u8]) -> Vec<Pair> {
    let pair = |line: &[u8]| {
        let mut words = line.fields();
        let id = |word: &[u8]| ObjectId::from_hex(word).ok().map(CommitHash::from);
        let (old, new) = (id(words.next()?)?, id(words.next()?)?);
        (old != new).then_some(Pair { old, new })
    };
    input.lines().filter_map(pair).collect()
}

fn successors(store: &Store, pairs: &[Pair]) -> Result<BTreeMap<CommitHash, CodeCommit>, StoreError> {
    let mut found = BTreeMap::new();
    for pair in pairs {
        let Ok(id) = ObjectId::from_hex(pair.new.as_bytes()) else { continue };
        if !found.contains_key(&pair.new) {
            found.insert(pair.new.clone(), store.code_commit(id)?);
        }
    }
    Ok(found)
}

/// The executions that know an old commit. The likely ones are searched first, and usually suffice.
fn executions(
    store: &Store,
    read: &impl ReadState,
    pairs: &[Pair],
    commits: &BTreeMap<CommitHash, CodeCommit>,
) -> Result<BTreeSet<ExecutionId>, StoreError> {
    let mut likely: BTreeSet<ExecutionId> = BTreeSet::new();
    likely.extend(active::read(store)?.map(|active| active.execution_id));
    let messages = commits.values().flat_map(|it| trailers::parse(&it.message));
    let named = messages
        .filter(|(key, _)| key == trailers::SOLUTION)
        .filter_map(|(_, id)| SolutionId::parse(&id).ok());
    for issue in named.map(|solution| solution.issue()).collect::<BTreeSet<_>>() {
        likely.extend(records::execution_ids(read, &issue)?);
    }
    let mut known = BTreeSet::new();
    let mut found = BTreeSet::new();
    for id in likely {
        for pair in mentioned(read, &id, pairs)? {
            known.insert(&pair.old);
            found.insert(id.clone());
        }
    }
    // A commit that reverts or copies work may belong to other plans, even to several.
    let goes_back = |pair: &Pair| {
        commits.get(&pair.new).is_some_and(|it| Referred::parse(&it.message) != Referred::default())
    };
    let sources = Sources::of(store, read);
    for pair in pairs.iter().filter(|pair| !known.contains(&pair.old) || goes_back(pair)) {
        found.extend(sources.known(&pair.old)?);
    }
    Ok(found)
}

/// The old commits whose ids occur in the bytes of a log; searching the bytes is faster than parsing the log.
fn mentioned<'a>(
    read: &impl ReadState,
    id: &ExecutionId,
    pairs: &'a [Pair],
) -> Result<Vec<&'a Pair>, StoreError> {
    let folder = layout::execution_log(id);
    let mut found = Vec::new();
    for name in read.names(&folder)? {
        let bytes = read.file(&format!("{folder}/{name}"))?.unwrap_or_default();
        found.extend(pairs.iter().filter(|pair| bytes.contains_str(pair.old.as_str())));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_two_different_ids_count() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let input = format!("{a} {b}\n{b} {a} extra words\n{a} {a}\n\n{a}\nnot ids\n{a} {b}x\n");
        let found: Vec<(String, String)> =
            pairs(input.as_bytes()).into_iter().map(|pair| (pair.old.into(), pair.new.into())).collect();
        assert_eq!(found, [(a.clone(), b.clone()), (b, a)]);
    }
}
