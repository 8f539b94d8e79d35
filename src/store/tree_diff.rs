//! The files in which two trees differ. A subtree that is equal on both sides is never opened.

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::error::StoreError;
use super::layout;
use super::repo::Store;
use super::trees::{self, DEEPEST};

/// So many differences are listed at most. Four million files are more than any store holds.
const MOST: usize = 4_000_000;

/// A path at which two trees differ, and at which at least one of them has something that is no folder. A folder that is
/// none of the store's stands for all that is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// From the root; bytes that are not UTF-8 are shown as replacement characters.
    pub(crate) path: String,
    /// What the first tree has there.
    pub(crate) old: Option<(EntryKind, ObjectId)>,
    /// What the second tree has there.
    pub(crate) new: Option<(EntryKind, ObjectId)>,
}

impl Store {
    /// All differences, in byte order of their paths. Without an `old` tree, everything in the new one.
    pub(crate) fn differences(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<Difference>, StoreError> {
        let mut found = Vec::new();
        self.compare(old, Some(new), "", (MOST, layout::is_folder), &mut found)?;
        Ok(found)
    }

    /// As [`Store::differences`], of trees that are no stores, and no more than `most`.
    pub(super) fn first_differences(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        most: usize,
    ) -> Result<Vec<Difference>, StoreError> {
        let mut found = Vec::new();
        self.compare(old, Some(new), "", (most, |_| true), &mut found)?;
        Ok(found)
    }

    fn compare(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        path: &str,
        (most, is_walked): (usize, fn(&str) -> bool),
        found: &mut Vec<Difference>,
    ) -> Result<(), StoreError> {
        if old == new || path.matches('/').count() > DEEPEST {
            return Ok(());
        }
        for (name, a, b) in trees::differing(&self.repo, old, new)? {
            if found.len() >= most {
                break;
            }
            let inner = if path.is_empty() { name.to_string() } else { format!("{path}/{name}") };
            let is_walked_here = is_walked(&inner);
            let is_folder = |(kind, _): &(EntryKind, ObjectId)| *kind == EntryKind::Tree && is_walked_here;
            let folder = |entry: Option<(EntryKind, ObjectId)>| entry.filter(is_folder).map(|(_, id)| id);
            let file = |entry: Option<(EntryKind, ObjectId)>| entry.filter(|entry| !is_folder(entry));
            if file(a).is_some() || file(b).is_some() {
                found.push(Difference { path: inner.clone(), old: file(a), new: file(b) });
            }
            self.compare(folder(a), folder(b), &inner, (most, is_walked), found)?;
        }
        Ok(())
    }

    /// The files that both trees have, each in a version of its own: not the other's, and none of those in `bases`.
    pub(crate) fn changed_on_both(
        &self,
        one: ObjectId,
        two: ObjectId,
        bases: &[ObjectId],
    ) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        self.compare_with(one, two, bases, "", &mut found)?;
        Ok(found)
    }

    fn compare_with(
        &self,
        one: ObjectId,
        two: ObjectId,
        bases: &[ObjectId],
        path: &str,
        found: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        if one == two || bases.contains(&one) || bases.contains(&two) || path.matches('/').count() > DEEPEST {
            return Ok(());
        }
        let differing = trees::differing(&self.repo, Some(one), Some(two))?;
        let before = bases.iter().map(|base| trees::entries(&self.repo, *base));
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
                        old.iter().filter(|it| it.0 == EntryKind::Tree).map(|it| it.1).collect();
                    self.compare_with(a.1, b.1, &old, &inner, found)?;
                }
                (EntryKind::Blob, EntryKind::Blob) => found.push(inner),
                // What is no plain file in one of them is no record there.
                _ => {}
            }
        }
        Ok(())
    }
}
