//! Which plans touch the same files. A directory overlaps everything in it, a path overlaps other spellings that some
//! systems treat as the same ([`RepoPath::folded`]), and a text that is not a path overlaps everything
//! ([`RepoPath::covering`]).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::RepoPath;
use crate::model::repo_path::folders;

/// Maps paths to those who name them, to search for overlaps: a search takes one look-up for each directory above the
/// path, plus the results.
#[derive(Debug)]
pub(crate) struct ByPath<'a, T>(BTreeMap<Cow<'a, str>, PathUsers<'a, T>>);

/// A path, as the first of them in bytes is spelled, and those who name it, each once.
#[derive(Debug)]
struct PathUsers<'a, T> {
    path: &'a RepoPath,
    by: BTreeSet<T>,
}

/// An overlap: the plans that name a path, and the plans that name something in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Overlap<'a, T> {
    /// A file, or a directory.
    pub(crate) path: &'a RepoPath,
    /// The owners that name the path itself: each of them overlaps all others.
    pub(crate) by: BTreeSet<T>,
    /// The owners that only name something in it: these need not overlap each other.
    pub(crate) inside: BTreeSet<T>,
}

impl<T> Default for ByPath<'_, T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'a, T> ByPath<'a, T> {
    /// The owners that name this path, a path in it, or a directory above it.
    pub(crate) fn overlapping(&self, path: &RepoPath) -> impl Iterator<Item = (&'a RepoPath, &T)> {
        let key = path.folded();
        let at_and_above =
            std::iter::once(&*key).chain(folders(&key)).filter_map(|folder| self.0.get(folder));
        let all: Vec<&PathUsers<'a, T>> = at_and_above.chain(self.below(&key)).collect();
        all.into_iter().flat_map(|touched| touched.by.iter().map(|who| (touched.path, who)))
    }

    /// The paths in a directory, which is given as a folded path.
    fn below(&self, folder: &str) -> impl Iterator<Item = &PathUsers<'a, T>> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = (Bound::Excluded(start.as_str()), Bound::Unbounded);
        self.0
            .range::<str, _>(from)
            .take_while(move |(key, _)| key.starts_with(&start))
            .map(|(_, touched)| touched)
    }

    /// The nearest named directory above a path, and those that name it.
    pub(crate) fn folder_above(&self, path: &RepoPath) -> Option<(&'a RepoPath, &BTreeSet<T>)> {
        let key = path.folded();
        let named = folders(&key).find_map(|folder| self.0.get(folder))?;
        Some((named.path, &named.by))
    }

    /// The paths sorted by bytes, each with those that name it.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a RepoPath, &BTreeSet<T>)> {
        self.0.values().map(|touched| (touched.path, &touched.by))
    }
}

impl<'a, T: Copy + Ord> ByPath<'a, T> {
    /// Records that `who` names a path.
    pub(crate) fn add(&mut self, path: &'a RepoPath, who: T) {
        let named = self.0.entry(path.folded()).or_insert_with(|| PathUsers { path, by: BTreeSet::new() });
        named.path = named.path.min(path);
        named.by.insert(who);
    }

    /// Every overlapping pair, listed under the widest path on which it overlaps; in the order of the paths.
    pub(crate) fn overlaps(&self) -> Vec<Overlap<'a, T>> {
        self.0.iter().filter_map(|(key, touched)| self.overlap(key, touched)).collect()
    }

    fn overlap(&self, key: &str, at: &PathUsers<'a, T>) -> Option<Overlap<'a, T>> {
        let above: Vec<&BTreeSet<T>> =
            folders(key).filter_map(|folder| self.0.get(folder)).map(|touched| &touched.by).collect();
        // Owners that name a directory above are reported there.
        let is_new = |who: &T| !above.iter().any(|by| by.contains(who));
        let by: BTreeSet<T> = at.by.iter().copied().filter(is_new).collect();
        if by.is_empty() {
            return None;
        }
        let below = self.below(key).flat_map(|touched| touched.by.iter().copied());
        let inside: BTreeSet<T> = below.filter(|who| !by.contains(who) && is_new(who)).collect();
        (by.len() + inside.len() > 1).then_some(Overlap { path: at.path, by, inside })
    }
}

impl<T: Copy + Ord> Overlap<'_, T> {
    /// All that overlap, in ascending order.
    pub(crate) fn all(&self) -> BTreeSet<T> {
        self.by.union(&self.inside).copied().collect()
    }

    /// Pairs in that order that connect each member with every later one that it overlaps: at most twice as many
    /// pairs as members.
    pub(crate) fn pairs(&self) -> Vec<(T, T)> {
        let mut pairs = Vec::new();
        let mut last: Option<T> = None;
        let mut since: Vec<T> = Vec::new();
        for who in self.all() {
            if !self.by.contains(&who) {
                pairs.extend(last.map(|last| (last, who)));
                since.push(who);
                continue;
            }
            pairs.extend(if since.is_empty() { last.map(|last| (last, who)) } else { None });
            pairs.extend(since.drain(..).map(|earlier| (earlier, who)));
            last = Some(who);
        }
        pairs
    }
}

/// A file that more than one plan touches, or a directory that one plan names and another also touches, as a whole or
/// in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct SharedFile {
    /// Its path; `.` is the whole repository, if a plan names something that is not a path.
    pub(crate) file: RepoPath,
    /// The plans that touch it, as they were given.
    pub(crate) plans: Vec<String>,
}

/// The files that two or more of these plans touch, in byte order.
pub(crate) fn shared_files(plans: &[(String, BTreeSet<RepoPath>)]) -> Vec<SharedFile> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_path: ByPath<'_, usize> = ByPath::default();
    for (n, (name, files)) in plans.iter().enumerate() {
        let first = *names.entry(name).or_insert(n);
        files.iter().for_each(|file| by_path.add(file, first));
    }
    let found = by_path.overlaps().into_iter();
    found
        .map(|overlap| SharedFile {
            file: overlap.path.clone(),
            plans: overlap.all().into_iter().map(|n| plans[n].0.clone()).collect(),
        })
        .collect()
}

/// Paths that some file systems treat as the same: they differ only in case, or in how accents are encoded. Each group
/// is in byte order.
pub(crate) fn twins(paths: impl IntoIterator<Item = RepoPath>) -> Vec<Vec<String>> {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in paths {
        groups.entry(path.folded().into_owned()).or_default().insert(path.as_str().to_owned());
    }
    groups.into_values().filter(|all| all.len() > 1).map(|all| all.into_iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn files(names: &[&str]) -> BTreeSet<RepoPath> {
        names.iter().map(|name| RepoPath::covering(name)).collect()
    }

    fn shared(plans: &[(&str, &[&str])]) -> Vec<String> {
        let plans: Vec<_> = plans.iter().map(|(name, names)| ((*name).to_owned(), files(names))).collect();
        shared_files(&plans)
            .iter()
            .map(|shared| format!("{}: {}", shared.file, shared.plans.join(" ")))
            .collect()
    }

    #[test]
    fn what_two_plans_touch_is_named_with_both() {
        let (a, b, c): (&[_], &[_], &[_]) = (&["x", "y"], &["y", "z"], &["./y", "q"]);
        assert_eq!(shared(&[("A", a), ("B", b), ("C", c)]), ["y: A B C"]);
        assert_eq!(shared(&[("A", a), ("A", a)]), [""; 0]);
    }

    #[test]
    fn a_folder_is_shared_with_all_who_touch_something_in_it() {
        assert_eq!(shared(&[("A", &["src/new.ts"]), ("B", &["src"]), ("C", &["src2/new.ts"])]), ["src: A B"]);
        // Only those that name the file share it among themselves.
        assert_eq!(
            shared(&[("A", &["src/a"]), ("B", &["src/b", "src/a"]), ("C", &["src/"]), ("D", &["src/b"])]),
            ["src: A B C D", "src/a: A B", "src/b: B D"]
        );
        assert_eq!(shared(&[("A", &["src", "src/a"]), ("B", &["docs"])]), [""; 0]);
    }

    #[test]
    fn a_file_in_another_spelling_is_shared() {
        assert_eq!(shared(&[("A", &["src/new.ts"]), ("B", &["Src/New.ts"])]), ["Src/New.ts: A B"]);
        assert_eq!(shared(&[("A", &["caf\u{e9}/x"]), ("B", &["cafe\u{301}"])]), ["cafe\u{301}: A B"]);
    }

    #[test]
    fn a_pattern_is_shared_with_everybody() {
        assert_eq!(shared(&[("A", &["src/*.ts"]), ("B", &["docs/x"]), ("C", &["y"])]), [".: A B C"]);
    }

    /// Plans by number, each with paths of few names, so that they overlap.
    fn some_plans() -> impl Strategy<Value = Vec<BTreeSet<RepoPath>>> {
        let path = prop::collection::vec(
            prop::sample::select(vec!["a", "b", "a-", "a0", "A", "B-", "\u{e9}", "e\u{301}"]),
            1..4,
        )
        .prop_map(|names| RepoPath::covering(&names.join("/")));
        let path = prop_oneof![9 => path, 1 => Just(RepoPath::covering("*"))];
        prop::collection::vec(prop::collection::btree_set(path, 0..4), 0..7)
    }

    fn by_path(plans: &[BTreeSet<RepoPath>]) -> ByPath<'_, usize> {
        let mut found = ByPath::default();
        for (n, files) in plans.iter().enumerate() {
            files.iter().for_each(|file| found.add(file, n));
        }
        found
    }

    proptest! {
        #[test]
        fn look_ups_find_what_comparing_all_with_all_finds(plans in some_plans()) {
            let by_path = by_path(&plans);
            for path in plans.iter().flatten() {
                // If there are several spellings, only one is reported.
                let folded = |it: &RepoPath, n: usize| (it.folded().into_owned(), n);
                let found: BTreeSet<_> = by_path.overlapping(path).map(|(at, who)| folded(at, *who)).collect();
                let all = plans.iter().enumerate().flat_map(|(n, files)| files.iter().map(move |it| (it, n)));
                let expected: BTreeSet<_> =
                    all.filter(|(it, _)| it.overlaps(path)).map(|(it, n)| folded(it, n)).collect();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn every_two_that_overlap_are_told_of_and_no_others(plans in some_plans()) {
            let mut found = BTreeSet::new();
            for it in by_path(&plans).overlaps() {
                for one in &it.by {
                    found.extend(it.all().iter().filter(|two| *two != one).map(|two| (*one.min(two), *one.max(two))));
                }
            }
            let mut expected = BTreeSet::new();
            for (n, one) in plans.iter().enumerate() {
                for (m, two) in plans.iter().enumerate().skip(n + 1) {
                    if one.iter().any(|a| two.iter().any(|b| a.overlaps(b))) {
                        expected.insert((n, m));
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn pairs_lead_from_each_to_every_later_one_that_it_overlaps(by in prop::collection::btree_set(0..9usize, 1..5), inside in prop::collection::btree_set(0..9usize, 0..9)) {
            let path = RepoPath::covering("a");
            let inside = inside.difference(&by).copied().collect();
            let overlap = Overlap { path: &path, by, inside };
            let pairs = overlap.pairs();
            prop_assert!(pairs.len() <= 2 * overlap.all().len());
            for from in overlap.all() {
                let mut reached = BTreeSet::from([from]);
                for (a, b) in overlap.all().iter().flat_map(|_| &pairs) {
                    if reached.contains(a) {
                        reached.insert(*b);
                    }
                }
                for to in overlap.all().into_iter().filter(|to| *to > from) {
                    let overlap = overlap.by.contains(&from) || overlap.by.contains(&to);
                    prop_assert!(!overlap || reached.contains(&to), "{} {}", from, to);
                }
            }
            for (a, b) in pairs {
                prop_assert!(a < b && (overlap.by.contains(&a) || overlap.by.contains(&b)));
            }
        }
    }
}
