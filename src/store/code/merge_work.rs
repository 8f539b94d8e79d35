//! Estimates git's work for a merge in advance: a few kilobytes of objects can keep git busy for hours.

use std::collections::HashMap;

use crate::git::{Difference, EntryId, EntryKind, ObjectId};
use crate::store::{Store, StoreError};

/// Comparing two files for a rename counts as one step for every this many bytes.
const COMPARED: u64 = 4096;
/// Merging three versions of a file counts as one step for every this many bytes: lines may be short.
const MERGED: u64 = 64;

/// The estimated work of merging two trees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MergeWork {
    /// Files and pairs of files to look at; larger ones count as several.
    pub(crate) steps: u64,
    /// The bytes of the largest file that both sides changed, in any of its versions.
    pub(crate) largest: u64,
}

impl Store {
    /// The estimated work of merging two trees if git compares at most `renames` files with as many others. `None` if
    /// the trees unfold to too many files.
    pub(crate) fn merge_work(
        &self,
        base: Option<ObjectId>,
        sides: [ObjectId; 2],
        renames: u64,
    ) -> Result<Option<MergeWork>, StoreError> {
        let (Some(one), Some(two)) = (
            self.repo.first_differences(base, sides[0], usize::MAX)?,
            self.repo.first_differences(base, sides[1], usize::MAX)?,
        ) else {
            return Ok(None);
        };
        let mut work = MergeWork::default();
        for side in [&one, &two] {
            work.steps += side.len() as u64 + self.rename_steps(side, renames);
        }
        let other: HashMap<&str, &Difference> =
            two.iter().map(|change| (change.path.as_str(), change)).collect();
        for mine in &one {
            let Some(theirs) = other.get(mine.path.as_str()).filter(|theirs| theirs.new != mine.new) else {
                continue;
            };
            let sizes = [mine.old, mine.new, theirs.new]
                .map(|version| version.map_or(0, |version| self.size(version)));
            work.steps += sizes.iter().sum::<u64>() / MERGED;
            work.largest = sizes.into_iter().fold(work.largest, u64::max);
        }
        Ok(Some(work))
    }

    /// The cost of rename detection between deleted and added files. Exact renames are found at once.
    fn rename_steps(&self, side: &[Difference], most: u64) -> u64 {
        let mut gone: HashMap<ObjectId, u64> = HashMap::new();
        for (_, id) in
            side.iter().filter(|change| change.new.is_none()).filter_map(|change| change.old.filter(is_file))
        {
            *gone.entry(id).or_default() += 1;
        }
        let (mut came, mut bytes) = ((0u64, 0u64), 0u64);
        for new in
            side.iter().filter(|change| change.old.is_none()).filter_map(|change| change.new.filter(is_file))
        {
            match gone.get_mut(&new.1).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => came = (came.0 + 1, came.1 + self.size(new)),
            }
        }
        let went: u64 = gone.values().sum();
        if went == 0 || came.0 == 0 {
            return 0;
        }
        for (id, _) in gone.iter().filter(|(_, count)| **count > 0) {
            bytes += self.size((EntryKind::Blob, *id));
        }
        let pairs = (went * came.0).min(most * most);
        pairs * (1 + (bytes / went + came.1 / came.0) / COMPARED) + (bytes + came.1) / COMPARED
    }

    /// The size of a file. A file missing from a partial clone counts as empty.
    fn size(&self, (_, id): EntryId) -> u64 {
        self.repo().header(id).map_or(0, |header| header.size)
    }
}

fn is_file((kind, _): &EntryId) -> bool {
    matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Repository;

    #[test]
    fn what_a_merge_takes_is_counted_by_files_pairs_and_bytes() {
        let folder = tempfile::tempdir().unwrap();
        Repository::init_bare(folder.path());
        let store = Store::open(folder.path(), &Default::default()).unwrap();
        let repo = store.repo();
        let of = |files: &[(String, String)]| {
            let mut editor = repo.raw().empty_tree().edit().unwrap();
            for (path, text) in files {
                editor.upsert(path.as_str(), EntryKind::Blob, repo.raw().write_blob(text).unwrap()).unwrap();
            }
            editor.write().unwrap().detach()
        };
        let many = |name: &str, text: &str| -> Vec<(String, String)> {
            (0..10).map(|n| (format!("{name}{n}"), format!("{text}{n}"))).collect()
        };
        let work = |base, one, two, most| store.merge_work(base, [one, two], most).unwrap().unwrap();
        let base = of(&many("a", "x"));
        assert_eq!(work(Some(base), base, base, 100), MergeWork::default());
        // Exact renames: 20 paths, and nothing to compare.
        let steps = |one, most| work(Some(base), one, base, most).steps;
        assert_eq!(steps(of(&many("b", "x")), 100), 20);
        assert_eq!(steps(of(&many("b", "y")), 100), 20 + 100);
        assert_eq!(steps(of(&many("b", "y")), 3), 20 + 9);
        assert_eq!(steps(of(&many("b", &"y".repeat(8191))), 100), 20 + 300 + 20);
        // A file changed on both sides counts by its bytes, whichever version is the large one.
        let large = "z".repeat(6_400);
        let found = work(Some(base), of(&many("a", "y")), of(&many("a", &large)), 100);
        assert_eq!((found.largest, found.steps), (6_401, 20 + 10 * (6_405 / 64)));
        assert_eq!(work(None, base, of(&many("a", &large)), 100).largest, 6_401);
        assert_eq!(work(Some(base), of(&many("a", &large)), of(&many("a", &large)), 100).largest, 0);
    }
}
