//! Finds the files in which two trees differ. A subtree that is equal on both sides is never opened. gix-diff is not
//! used, since it decodes trees unchecked: these come from strangers, and go through the checks and the cache of
//! `trees.rs`.

use std::collections::{BTreeSet, HashMap};

use bstr::BStr;

use super::trees::{self, DEEPEST, Entries};
use super::{EntryId, EntryKind, GitError, ObjectId, Repository};

/// At most this many differences are listed. Four million files are more than any store holds.
const MOST: usize = 4_000_000;
/// At most this many pairs of directories are opened. A few trees, each contained ten times in the next, unfold to
/// billions of them.
const MOST_FOLDERS: usize = 4_000_000;
/// Trees of the project that unfold to more files and directories than this are not compared.
const MOST_ELSEWHERE: u64 = 1_000_000;
/// After this many files and directories, all of them are counted first; counting opens each pair of trees only once.
const COUNTED_AFTER: usize = 5_000;

/// A path at which two trees differ and at least one has something other than a directory. A directory that is not
/// walked is one difference, whatever is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// From the root; bytes that are not UTF-8 are replaced.
    pub(crate) path: String,
    /// The entry of the first tree.
    pub(crate) old: Option<(EntryKind, ObjectId)>,
    /// The entry of the second tree.
    pub(crate) new: Option<(EntryKind, ObjectId)>,
}

impl Difference {
    /// The file in the first tree; `None` if it has none, or something else there.
    pub(crate) fn old_file(&self) -> Option<ObjectId> {
        self.old.and_then(trees::file)
    }

    /// The file in the second tree; `None` if it has none, or something else there.
    pub(crate) fn new_file(&self) -> Option<ObjectId> {
        self.new.and_then(trees::file)
    }
}

impl Repository {
    /// The differences, sorted by path, at most `most`; true if these are all. Without an `old` tree, everything in
    /// the new one. A directory for which `is_walked` returns false is one difference.
    pub(crate) fn differences(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        is_walked: fn(&str) -> bool,
        most: usize,
    ) -> Result<(Vec<Difference>, bool), GitError> {
        let mut walk = Walk::new(self, most.min(MOST), is_walked);
        walk.compare(old, Some(new), "")?;
        Ok((walk.found, walk.end == End::Reached))
    }

    /// Like [`Repository::differences`], for trees of the project. `None` if the trees unfold to too many files.
    pub(crate) fn first_differences(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        most: usize,
    ) -> Result<Option<Vec<Difference>>, GitError> {
        let mut walk = Walk::new(self, most, |_| true);
        walk.uncounted = Some((old, new));
        walk.compare(old, Some(new), "")?;
        Ok((walk.end != End::TooMuch).then_some(walk.found))
    }

    /// Whether the differences of two trees of the project unfold to too many files.
    pub(crate) fn exceeds_budget(&self, old: Option<ObjectId>, new: ObjectId) -> Result<bool, GitError> {
        Ok(Counts::new(self).count(old, Some(new), 0)? > MOST_ELSEWHERE)
    }

    /// The files that both trees have in different versions, neither of which is in `bases`.
    pub(crate) fn changed_on_both(
        &self,
        one: ObjectId,
        two: ObjectId,
        bases: &[ObjectId],
    ) -> Result<Vec<String>, GitError> {
        let mut found = Vec::new();
        self.compare_with(one, two, bases, "", &mut found)?;
        Ok(found)
    }

    /// The files in which `result` is not the clean merge of two trees, which takes each file from the side that
    /// changed it since `base`. Files that both sides changed differently are always included. Each file comes with
    /// whether it existed before and whether it exists in `result`. The caller must have checked that the trees do
    /// not unfold to too many files.
    pub(crate) fn merged_otherwise(
        &self,
        base: Option<ObjectId>,
        sides: [ObjectId; 2],
        result: ObjectId,
    ) -> Result<Vec<(String, bool, bool)>, GitError> {
        let mut found = Vec::new();
        let four =
            [base.and_then(whole_tree), whole_tree(sides[0]), whole_tree(sides[1]), whole_tree(result)];
        self.merge_with(four, "", &mut found)?;
        Ok(found)
    }

    /// `four` is the base, the two sides and the result.
    fn merge_with(
        &self,
        four: [Option<EntryId>; 4],
        path: &str,
        found: &mut Vec<(String, bool, bool)>,
    ) -> Result<(), GitError> {
        if is_merged(four) || path.matches('/').count() > DEEPEST {
            return Ok(());
        }
        let files = four.map(|here| here.filter(|here| here.0 != EntryKind::Tree));
        if !is_merged(files) {
            let was = files[0].or(files[1]).or(files[2]).is_some();
            found.push((path.to_owned(), was, files[3].is_some()));
        }
        let inside = four.map(|here| self.entries(folder_id(here)));
        let inside = inside.into_iter().collect::<Result<Vec<_>, _>>()?;
        let names: BTreeSet<&BStr> = inside.iter().flat_map(|entries| Entries::names(entries)).collect();
        for name in names {
            let inner = if path.is_empty() { name.to_string() } else { format!("{path}/{name}") };
            let mut under = inside.iter().map(|entries| entries.get(name));
            self.merge_with(std::array::from_fn(|_| under.next().flatten()), &inner, found)?;
        }
        Ok(())
    }

    fn compare_with(
        &self,
        one: ObjectId,
        two: ObjectId,
        bases: &[ObjectId],
        path: &str,
        found: &mut Vec<String>,
    ) -> Result<(), GitError> {
        if one == two || bases.contains(&one) || bases.contains(&two) || path.matches('/').count() > DEEPEST {
            return Ok(());
        }
        let differing = self.differing(Some(one), Some(two))?;
        let before = bases.iter().map(|base| self.entries(Some(*base)));
        let before = before.collect::<Result<Vec<_>, _>>()?;
        for (name, a, b) in differing {
            let (Some(a), Some(b)) = (a, b) else { continue };
            let old: Vec<_> = before.iter().filter_map(|base| base.get(name.as_ref())).collect();
            if old.contains(&a) || old.contains(&b) {
                continue;
            }
            let inner = if path.is_empty() { name.to_string() } else { format!("{path}/{name}") };
            match (a.0, b.0) {
                (EntryKind::Tree, EntryKind::Tree) => {
                    let old: Vec<ObjectId> =
                        old.iter().filter(|entry| entry.0 == EntryKind::Tree).map(|entry| entry.1).collect();
                    self.compare_with(a.1, b.1, &old, &inner, found)?;
                }
                (
                    EntryKind::Blob | EntryKind::BlobExecutable,
                    EntryKind::Blob | EntryKind::BlobExecutable,
                ) => {
                    found.push(inner);
                }
                // A record is a file.
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether the last is what a three-way merge of whole entries gives.
fn is_merged([base, one, two, result]: [Option<EntryId>; 4]) -> bool {
    one == two && result == one || base == one && result == two || base == two && result == one
}

fn whole_tree(id: ObjectId) -> Option<(EntryKind, ObjectId)> {
    Some((EntryKind::Tree, id))
}

/// How a comparison ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Everything was compared.
    Reached,
    /// As many differences as requested were found.
    Enough,
    /// There are too many files.
    TooMuch,
}

/// One comparison of two trees.
struct Walk<'a> {
    repo: &'a Repository,
    most: usize,
    is_walked: fn(&str) -> bool,
    found: Vec<Difference>,
    /// The number of opened pairs of directories.
    opened: usize,
    /// The trees, as long as their files may still have to be counted.
    uncounted: Option<(Option<ObjectId>, ObjectId)>,
    end: End,
}

impl<'a> Walk<'a> {
    fn new(repo: &'a Repository, most: usize, is_walked: fn(&str) -> bool) -> Self {
        Self { repo, most, is_walked, found: Vec::new(), opened: 0, uncounted: None, end: End::Reached }
    }

    fn compare(&mut self, old: Option<ObjectId>, new: Option<ObjectId>, path: &str) -> Result<(), GitError> {
        if old == new || path.matches('/').count() > DEEPEST || self.is_at_an_end()? {
            return Ok(());
        }
        self.opened += 1;
        let differing = match self.repo.differing(old, new) {
            // A directory that is too large to read is one difference.
            Err(GitError::CrowdedFolder { .. }) => {
                let (old, new) = (old.and_then(whole_tree), new.and_then(whole_tree));
                self.found.push(Difference { path: path.to_owned(), old, new });
                return Ok(());
            }
            differing => differing?,
        };
        for (name, a, b) in differing {
            if self.found.len() >= self.most {
                self.end = End::Enough;
            }
            if self.end != End::Reached {
                break;
            }
            let inner = if path.is_empty() { name.to_string() } else { format!("{path}/{name}") };
            let is_walked_here = (self.is_walked)(&inner);
            let is_folder = |(kind, _): &(EntryKind, ObjectId)| *kind == EntryKind::Tree && is_walked_here;
            let folder = |entry: Option<(EntryKind, ObjectId)>| entry.filter(is_folder).map(|(_, id)| id);
            let file = |entry: Option<(EntryKind, ObjectId)>| entry.filter(|entry| !is_folder(entry));
            if file(a).is_some() || file(b).is_some() {
                self.found.push(Difference { path: inner.clone(), old: file(a), new: file(b) });
            }
            self.compare(folder(a), folder(b), &inner)?;
        }
        Ok(())
    }

    fn is_at_an_end(&mut self) -> Result<bool, GitError> {
        if self.opened >= MOST_FOLDERS {
            self.end = End::TooMuch;
        }
        if self.opened + self.found.len() >= COUNTED_AFTER
            && let Some((old, new)) = self.uncounted.take()
            && Counts::new(self.repo).count(old, Some(new), 0)? > MOST_ELSEWHERE
        {
            self.end = End::TooMuch;
        }
        Ok(self.end != End::Reached)
    }
}

/// Counts the files and directories in which trees differ. Each pair of trees is opened once, however often it
/// occurs.
struct Counts<'a> {
    repo: &'a Repository,
    /// By the two trees and their depth.
    known: HashMap<(Option<ObjectId>, Option<ObjectId>, usize), u64>,
}

impl<'a> Counts<'a> {
    fn new(repo: &'a Repository) -> Self {
        Self { repo, known: HashMap::new() }
    }

    fn count(&mut self, old: Option<ObjectId>, new: Option<ObjectId>, depth: usize) -> Result<u64, GitError> {
        if old == new || depth > DEEPEST {
            return Ok(0);
        }
        if let Some(known) = self.known.get(&(old, new, depth)) {
            return Ok(*known);
        }
        if self.known.len() as u64 > MOST_ELSEWHERE {
            return Ok(u64::MAX);
        }
        let mut all = 1u64;
        for (_, a, b) in self.repo.differing(old, new)? {
            let inner = self.count(folder_id(a), folder_id(b), depth + 1)?;
            all = all.saturating_add(inner.max(1));
        }
        self.known.insert((old, new, depth), all);
        Ok(all)
    }
}

fn folder_id(entry: Option<(EntryKind, ObjectId)>) -> Option<ObjectId> {
    entry.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gix::objs::Tree;
    use gix::objs::tree::Entry;

    fn tree(repo: &Repository, entries: &[(&str, EntryKind, ObjectId)]) -> ObjectId {
        let entry = |(name, kind, oid): &(&str, EntryKind, ObjectId)| Entry {
            mode: (*kind).into(),
            filename: (*name).into(),
            oid: *oid,
        };
        repo.gix.write_object(Tree { entries: entries.iter().map(entry).collect() }).unwrap().detach()
    }

    /// A tree that contains itself ten times, in twelve levels.
    fn bomb(repo: &Repository, within: ObjectId) -> ObjectId {
        let names: Vec<String> = (0..10).map(|n| n.to_string()).collect();
        (0..12).fold(within, |inner, _| {
            tree(repo, &names.iter().map(|name| (name.as_str(), EntryKind::Tree, inner)).collect::<Vec<_>>())
        })
    }

    #[test]
    fn what_one_side_alone_changed_is_merged_without_git() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let of = |files: &[(&str, &str)]| {
            let mut editor = repo.gix.empty_tree().edit().unwrap();
            for (path, text) in files {
                let blob = repo.gix.write_blob(text).unwrap();
                let kind = if text.starts_with('#') { EntryKind::BlobExecutable } else { EntryKind::Blob };
                editor.upsert(*path, kind, blob).unwrap();
            }
            editor.write().unwrap().detach()
        };
        let base = of(&[("a", "1"), ("b", "1"), ("d/c", "1"), ("d/gone", "1")]);
        let one = of(&[("a", "2"), ("b", "1"), ("d/c", "1"), ("d/gone", "1"), ("new", "1")]);
        let two = of(&[("a", "1"), ("b", "1"), ("d/c", "3")]);
        let sides = [one, two];
        let joined: &[(&str, &str)] = &[("a", "2"), ("b", "1"), ("d/c", "3"), ("new", "1")];
        let found = |result: &[(&str, &str)]| -> Vec<String> {
            let all = repo.merged_otherwise(Some(base), sides, of(result)).unwrap();
            all.into_iter().map(|(path, was, is)| format!("{path} {was} {is}")).collect()
        };
        assert!(found(joined).is_empty());
        assert_eq!(
            found(&[("a", "1"), ("b", "#"), ("d/moved", "3"), ("new/x", "1")]),
            [
                "a true true",
                "b true true",
                "d/c true false",
                "d/moved false true",
                "new true false",
                "new/x false true"
            ]
        );
        // A file that both sides changed differently is the merge's own work, even if it is taken from one side.
        let both = [one, of(&[("a", "3"), ("b", "1"), ("d/c", "1"), ("d/gone", "1")])];
        let all = repo.merged_otherwise(Some(base), both, one).unwrap();
        assert_eq!(all, [("a".to_owned(), true, true)]);
        assert!(repo.merged_otherwise(None, [one, one], one).unwrap().is_empty());
    }

    #[test]
    fn what_a_few_trees_unfold_to_is_counted_and_not_walked() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let blob = repo.gix.write_blob("x").unwrap().detach();
        let empty = repo.gix.write_object(Tree::empty()).unwrap().detach();
        let [one, two] = ["a", "b"].map(|name| tree(&repo, &[(name, EntryKind::Blob, blob)]));
        let mut seen = Vec::new();
        for (old, new) in
            [(None, empty), (None, one), (Some(one), two), (Some(empty), one), (Some(two), empty)]
        {
            let (old, new) = (old.map(|old| bomb(&repo, old)), bomb(&repo, new));
            let mut counts = Counts::new(&repo);
            assert!(counts.count(old, Some(new), 0).unwrap() > 1_000_000_000_000);
            seen.push(counts.known.len());
            let mut walk = Walk::new(&repo, usize::MAX, |_| true);
            walk.uncounted = Some((old, new));
            walk.compare(old, Some(new), "").unwrap();
            assert_eq!(walk.end, End::TooMuch);
            assert!(
                walk.opened + walk.found.len() < 2 * COUNTED_AFTER,
                "{} {}",
                walk.opened,
                walk.found.len()
            );
        }
        assert_eq!(seen, [13; 5]);
        // The requested number is found, however much follows.
        let mut walk = Walk::new(&repo, 3, |_| true);
        let new = bomb(&repo, one);
        walk.uncounted = Some((None, new));
        walk.compare(None, Some(new), "").unwrap();
        assert_eq!((walk.end, walk.found.len()), (End::Enough, 3));
    }
}
