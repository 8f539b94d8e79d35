//! A quick sign that two changes differ. git's patch id is the answer, but takes two processes for each change.

use std::collections::HashMap;

use bstr::ByteSlice;

use crate::git::{Difference, EntryKind, Kind, ObjectId, bounded};
use crate::store::Store;

/// Larger files are not read.
const LARGEST: u64 = 1 << 20;
/// git looks for a NUL in this many bytes of a file, to tell whether it is text.
const LOOKED_AT: usize = 8000;
/// Changes of more files are not summed up.
const MOST_FILES: usize = 100;

/// The sum of the lines that a change adds, less that of the lines that it removes. Changes with the same patch id have the same
/// sum, and a change and its reverse have opposite sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineSum(u64);

impl LineSum {
    /// Whether a change with the other sum may be the same as this one, or the reverse of it.
    pub(crate) fn may_repeat(self, other: Self) -> bool {
        self == other || self.0 == other.0.wrapping_neg()
    }
}

/// Sums up changes. Each version of a file is read once.
pub(crate) struct LineSums<'a> {
    store: &'a Store,
    known: HashMap<ObjectId, Option<u64>>,
}

impl<'a> LineSums<'a> {
    pub(crate) fn new(store: &'a Store) -> Self {
        Self { store, known: HashMap::new() }
    }

    /// The sum of a change; `None` if it has many files, or one that is large, is not text or is not here.
    pub(crate) fn of(&mut self, change: &[Difference]) -> Option<LineSum> {
        if change.len() > MOST_FILES {
            return None;
        }
        let mut sum = 0u64;
        for Difference { path, old, new } in change {
            let (old, new) = (self.of_file(*old)?, self.of_file(*new)?);
            sum = sum.wrapping_add(hash(path.as_bytes()).wrapping_mul(new.wrapping_sub(old)));
        }
        Some(LineSum(sum))
    }

    fn of_file(&mut self, entry: Option<(EntryKind, ObjectId)>) -> Option<u64> {
        let Some((kind, id)) = entry else { return Some(0) };
        if !matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable) {
            return None;
        }
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let file = bounded::find(self.store.repo(), id, Kind::Blob, LARGEST, "cannot read a file");
        let sum = file.ok().flatten().and_then(|file| of_text(&file.data));
        self.known.insert(id, sum);
        sum
    }
}

/// The sum of all lines; `None` if git takes it for binary data.
fn of_text(text: &[u8]) -> Option<u64> {
    if text[..text.len().min(LOOKED_AT)].contains(&0) {
        return None;
    }
    Some(text.lines().map(of_line).fold(0, u64::wrapping_add))
}

/// Spaces do not count, as in a patch id.
fn of_line(line: &[u8]) -> u64 {
    hash(line.iter().filter(|byte| !byte.is_ascii_whitespace()))
}

/// FNV-1a.
fn hash<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::git::Repository;

    #[test]
    fn changes_that_git_calls_the_same_or_the_reverse_have_a_like_sum() {
        let folder = tempfile::tempdir().unwrap();
        Repository::init_bare(folder.path());
        let store = Store::open(folder.path(), &Default::default()).unwrap();
        let blob =
            |text: &str| Some((EntryKind::Blob, store.repo().raw().write_blob(text).unwrap().detach()));
        let sum = |path: &str, old: &str, new: &str| {
            let change = Difference { path: path.into(), old: blob(old), new: blob(new) };
            LineSums::new(&store).of(&[change])
        };
        let one = sum("a", "1\n2\n", "1\n2\n3 4\n").unwrap();
        // At another place, among other lines, with other spaces.
        assert!(one.may_repeat(sum("a", "8\n9\n", "8\n34\n9\n").unwrap()));
        assert!(one.may_repeat(sum("a", "3 4\n5\n", "5\n").unwrap()));
        assert!(!one.may_repeat(sum("b", "1\n2\n", "1\n2\n3 4\n").unwrap()));
        assert!(!one.may_repeat(sum("a", "1\n2\n", "1\n2\n3 5\n").unwrap()));
        assert_eq!(sum("a", "1\n", "1\n\0"), None);
    }
}
