//! What a merge holds of its own: every path in which its tree is not the one that git makes of its parents, and every
//! path over which they conflict. So how a conflict was settled is the merge's own, whichever side won, and so is a rename,
//! a new mode, a file that came or went, or what one side changed and the merge dropped.
//!
//! git merges the parents again (`merge-tree`, git 2.39 or later), with its own settings for renames, since those of a
//! clone would make the answer depend on where it is asked. An octopus is merged parent by parent. An older git cannot
//! do it: there only what one side alone changed counts as merged, file by file, and every other path is the merge's own.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gix::ObjectId;

use super::aside::Aside;
use crate::rules::audit::Change;
use crate::store::git::{Args, GitError, feed};
use crate::store::{CodeCommit, Store, StoreError, object_id};

/// Merges of more commits than these are not looked into.
const MOST_PARENTS: usize = 64;
/// If the parents of a merge have more common ancestors, and those again, than these pairs, it is not looked into.
const MOST_BASES: usize = 32;

/// What merges hold of their own.
#[derive(Debug, Default)]
pub(crate) struct OwnChanges {
    /// The paths that each merge has of its own. A merge that only joins is not among them.
    pub(crate) changes: HashMap<ObjectId, BTreeMap<String, Change>>,
    /// Merges whose trees unfold to more than anybody can look at, or which join too many commits.
    pub(crate) unseen: HashSet<ObjectId>,
}

/// What git makes of two commits.
struct Joined {
    tree: ObjectId,
    conflicts: BTreeSet<String>,
}

/// Looks at merges of the code.
pub(crate) fn own_changes<'a>(
    store: &Store,
    merges: impl Iterator<Item = &'a CodeCommit>,
) -> Result<OwnChanges, StoreError> {
    let mut found = OwnChanges::default();
    let mut seen = Vec::new();
    for merge in merges {
        match is_beyond_looking(store, merge)? {
            true => drop(found.unseen.insert(merge.id)),
            false => seen.push(merge),
        }
    }
    if seen.is_empty() {
        return Ok(found);
    }
    let again = Again { aside: Aside::new(store).map_err(StoreError::io(std::env::temp_dir()))? };
    let two: Vec<_> = seen.iter().filter_map(|it| Some((it.id, pair(it)?))).collect();
    let pairs: Vec<_> = two.iter().map(|(_, pair)| *pair).collect();
    let Some(joined) = again.merge(&pairs)? else {
        for merge in seen {
            match by_file(store, merge)? {
                Some(changes) => found.note(merge.id, changes),
                None => drop(found.unseen.insert(merge.id)),
            }
        }
        return Ok(found);
    };
    let mut made: Vec<(ObjectId, Joined)> = two.into_iter().map(|(id, _)| id).zip(joined).collect();
    for merge in seen.iter().filter(|it| pair(it).is_none()) {
        if let Some(joined) = again.octopus(merge)? {
            made.push((merge.id, joined));
        }
    }
    let mut differing = Vec::new();
    for (id, joined) in made {
        let tree = store.code_tree_of(id)?;
        if tree != joined.tree || !joined.conflicts.is_empty() {
            differing.push((id, joined, tree));
        }
    }
    let trees: Vec<_> = differing.iter().map(|(_, joined, tree)| (joined.tree, *tree)).collect();
    for ((id, joined, _), changes) in differing.into_iter().zip(again.changes(&trees)?) {
        found.note(id, of_the_merge(store, id, &joined.conflicts, changes)?);
    }
    Ok(found)
}

impl OwnChanges {
    fn note(&mut self, merge: ObjectId, changes: BTreeMap<String, Change>) {
        if !changes.is_empty() {
            self.changes.insert(merge, changes);
        }
    }
}

fn pair(merge: &CodeCommit) -> Option<(ObjectId, ObjectId)> {
    match merge.parents[..] {
        [one, two] => Some((one, two)),
        _ => None,
    }
}

/// Merging, git would walk whatever the trees of the parents and of what they stand on unfold to.
fn is_beyond_looking(store: &Store, merge: &CodeCommit) -> Result<bool, StoreError> {
    if merge.parents.len() > MOST_PARENTS {
        return Ok(true);
    }
    let tree = store.code_tree_of(merge.id)?;
    for parent in &merge.parents {
        if store.is_beyond_looking(Some(store.code_tree_of(*parent)?), tree)? {
            return Ok(true);
        }
    }
    let mut open: Vec<(ObjectId, ObjectId)> = merge.parents[..]
        .iter()
        .enumerate()
        .flat_map(|(n, one)| merge.parents[n + 1..].iter().map(|two| (*one, *two)))
        .collect();
    let mut seen: HashSet<(ObjectId, ObjectId)> = open.iter().copied().collect();
    let most = open.len() + MOST_BASES;
    while let Some((one, two)) = open.pop() {
        let bases = store.merge_bases(one, two)?;
        if bases.is_empty() {
            store.require_whole(merge)?;
        }
        for side in [one, two] {
            let tree = store.code_tree_of(side)?;
            for base in &bases {
                if store.is_beyond_looking(Some(store.code_tree_of(*base)?), tree)? {
                    return Ok(true);
                }
            }
            if bases.is_empty() && store.is_beyond_looking(None, tree)? {
                return Ok(true);
            }
        }
        // git merges several common ancestors into one first.
        for (n, base) in bases.iter().enumerate() {
            open.extend(bases[n + 1..].iter().map(|other| (*base, *other)).filter(|pair| seen.insert(*pair)));
        }
        if seen.len() > most {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The paths of a merge that are its own, of those that conflict and those in which it differs from what git made.
fn of_the_merge(
    store: &Store,
    merge: ObjectId,
    conflicts: &BTreeSet<String>,
    mut changes: BTreeMap<String, Change>,
) -> Result<BTreeMap<String, Change>, StoreError> {
    for path in conflicts {
        changes.entry(path.clone()).or_insert(Change::Modified);
    }
    if conflicts.is_empty() {
        return Ok(changes);
    }
    // git puts a side that has no place of its own beside it, as `path~branch`: that is nobody's file.
    let mut kept = changes.clone();
    let commits: Vec<_> = store.code_commit(merge)?.parents.into_iter().chain([merge]).collect();
    for path in changes.keys() {
        let is_anywhere = |commit: &ObjectId| store.has_path(*commit, path).unwrap_or(true);
        if !commits.iter().any(is_anywhere) {
            kept.remove(path);
        }
    }
    Ok(if kept.is_empty() { changes } else { kept })
}

/// What can be found out without git's help: the paths in which a merge is not what one side alone made of them. None of
/// an octopus, nor where the sides have several best common ancestors.
fn by_file(store: &Store, merge: &CodeCommit) -> Result<Option<BTreeMap<String, Change>>, StoreError> {
    let [one, two] = merge.parents[..] else { return Ok(None) };
    let base = match store.merge_bases(one, two)?[..] {
        [] => None,
        [base] => Some(store.code_tree_of(base)?),
        _ => return Ok(None),
    };
    let sides = [store.code_tree_of(one)?, store.code_tree_of(two)?];
    let found = store.merged_otherwise(base, sides, store.code_tree_of(merge.id)?)?;
    Ok(Some(found.into_iter().map(|(path, was, is)| (path, kind(was, is))).collect()))
}

fn kind(before: bool, after: bool) -> Change {
    match (before, after) {
        (false, _) => Change::Added,
        (true, true) => Change::Modified,
        (true, false) => Change::Deleted,
    }
}

/// git, merging again what somebody merged.
struct Again {
    aside: Aside,
}

impl Again {
    /// What git makes of each pair of commits, all by one process. None if this git cannot tell.
    fn merge(&self, pairs: &[(ObjectId, ObjectId)]) -> Result<Option<Vec<Joined>>, StoreError> {
        let list: String = pairs.iter().map(|(one, two)| format!("{one} {two}\n")).collect();
        let args = Args::new(&["merge-tree", "--write-tree", "--stdin", "-z"])
            .options(&["--name-only", "--no-messages", "--allow-unrelated-histories"])
            .set("merge.renames", true)
            .set("merge.renameLimit", 1_000)
            .set("merge.directoryRenames", "conflict")
            .set("merge.renormalize", false)
            .set("core.fsync", "none");
        let output = match feed(self.aside.command(args), list.as_bytes()) {
            Err(GitError::Failed { code: Some(129), .. }) => return Ok(None),
            output => output?,
        };
        let joined = joined(&output).filter(|joined| joined.len() == pairs.len());
        joined.map(Some).ok_or_else(|| unclear("merge-tree").into())
    }

    /// What git makes of the parents of an octopus, one after the other.
    fn octopus(&self, merge: &CodeCommit) -> Result<Option<Joined>, StoreError> {
        let [first, others @ ..] = &merge.parents[..] else { return Ok(None) };
        let mut head = *first;
        let mut all: Option<Joined> = None;
        for parent in others {
            let Some(joined) = self.merge(&[(head, *parent)])?.and_then(|mut made| made.pop()) else {
                return Ok(None);
            };
            let who = "git-wf <> 0 +0000";
            let text = format!(
                "tree {}\nparent {head}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nmerge\n",
                joined.tree
            );
            let args = Args::new(&["hash-object", "-t", "commit", "-w", "--stdin"]);
            let made = feed(self.aside.command(args), text.as_bytes())?;
            head = object_id(String::from_utf8_lossy(&made).trim()).ok_or_else(|| unclear("hash-object"))?;
            let mut conflicts = joined.conflicts;
            conflicts.extend(all.take().map(|before| before.conflicts).unwrap_or_default());
            all = Some(Joined { tree: joined.tree, conflicts });
        }
        Ok(all)
    }

    /// In what each pair of trees differs, all by one process.
    fn changes(&self, pairs: &[(ObjectId, ObjectId)]) -> Result<Vec<BTreeMap<String, Change>>, GitError> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let list: String = pairs.iter().map(|(one, two)| format!("{one} {two}\n")).collect();
        let args = Args::new(&["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames"]);
        let output = feed(self.aside.command(args), list.as_bytes())?;
        differences(&output).filter(|found| found.len() == pairs.len()).ok_or_else(|| unclear("diff-tree"))
    }
}

fn unclear(command: &str) -> GitError {
    let stderr = "its answer is not what git 2.39 and later give".to_owned();
    GitError::Failed { command: command.to_owned(), stderr, code: None }
}

/// Reads, for each merge, `1` or `0`, its tree and the names of what conflicts, an empty text, each ended by a zero.
fn joined(output: &[u8]) -> Option<Vec<Joined>> {
    let mut parts = output.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let mut found = Vec::new();
    while let Some(status) = parts.next().filter(|status| !status.is_empty()) {
        let tree = object_id(&parts.next()?)?;
        let conflicts: BTreeSet<String> =
            parts.by_ref().take_while(|name| !name.is_empty()).map(std::borrow::Cow::into_owned).collect();
        if (status == "1") != conflicts.is_empty() {
            return None;
        }
        found.push(Joined { tree, conflicts });
    }
    Some(found)
}

/// Reads, for each pair of trees, a line with both ids and then each difference: `:` and the modes, the ids and a letter,
/// and behind it the path, both ended by a zero.
fn differences(output: &[u8]) -> Option<Vec<BTreeMap<String, Change>>> {
    let mut parts = output.split(|byte| *byte == 0);
    let mut found: Vec<BTreeMap<String, Change>> = Vec::new();
    while let Some(mut part) = parts.next() {
        while !part.is_empty() && part[0] != b':' {
            let end = part.iter().position(|byte| *byte == b'\n')?;
            part = &part[end + 1..];
            found.push(BTreeMap::new());
        }
        if part.is_empty() {
            continue;
        }
        let change = match part.last()? {
            b'A' => Change::Added,
            b'D' => Change::Deleted,
            _ => Change::Modified,
        };
        let path = String::from_utf8_lossy(parts.next()?).into_owned();
        found.last_mut()?.insert(path, change);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_made_of_two_commits_is_read() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let found = joined(format!("1\0{one}\0\x000\0{two}\0a\nb\0c\0\0").as_bytes()).unwrap();
        let shown: Vec<_> = found.iter().map(|it| (it.tree.to_string(), it.conflicts.len())).collect();
        assert_eq!(shown, [(one.clone(), 0), (two, 2)]);
        assert!(found[1].conflicts.contains("a\nb"));
        assert!(joined(b"").unwrap().is_empty());
        for unclear in [format!("1\0{one}\0a\0\0"), format!("0\0{one}\0\0"), "1\0no\0\0".into()] {
            assert!(joined(unclear.as_bytes()).is_none(), "{unclear:?}");
        }
    }

    #[test]
    fn differences_of_trees_are_read() {
        let header = format!("{0} {0}\n", "1".repeat(40));
        let raw = |letter: &str, path: &str| format!(":100644 100644 1 2 {letter}\0{path}\0");
        let text = format!(
            "{header}{header}{}{}{}{header}",
            raw("M", "a"),
            raw("A", ":100644 100644 1 2 D"),
            raw("D", "x\ny")
        );
        let found = differences(text.as_bytes()).unwrap();
        assert_eq!(found.iter().map(BTreeMap::len).collect::<Vec<_>>(), [0, 3, 0]);
        assert_eq!(found[1]["x\ny"], Change::Deleted);
        assert_eq!(found[1][":100644 100644 1 2 D"], Change::Added);
        assert!(differences(b"nothing").is_none());
    }
}
