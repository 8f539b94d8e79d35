//! The files that a purge may change, as a tree of names; nothing else is opened.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use bstr::{BString, ByteSlice};
use serde_json::Value;

use crate::git::{Entry, EntryKind, Kind, ObjectId, Repository, Tree, make, trees};
use crate::model::{REDACTED, file_bytes, strict};
use crate::store::repo::object_id;
use crate::store::snapshot::{read_blob, records};
use crate::store::{Cleared, Snapshot, StoreError, layout};

/// One name, and the results for the objects found there.
#[derive(Default)]
pub(crate) struct Paths {
    inner: BTreeMap<BString, Paths>,
    file: Option<File>,
    known: HashMap<ObjectId, ObjectId>,
    /// Whether the object holds a file as a purge leaves it.
    left: HashMap<ObjectId, bool>,
    /// For the root only: the entries that are renamed.
    renamed: Vec<(String, String)>,
}

#[derive(Default)]
struct File {
    path: String,
    hidden: Option<Rc<Cleared>>,
    /// Whether it is an execution, which names the commit of the ref that holds its plan.
    is_claim: bool,
    /// The result for each version: names in the same directory, and their objects.
    known: HashMap<ObjectId, Vec<(BString, ObjectId)>>,
}

impl Paths {
    /// All paths where a state hides something, and all executions, since the commits that they name get new ids.
    /// Empty if nothing is hidden.
    pub(crate) fn hidden_in(now: &Snapshot<'_>) -> Result<Self, StoreError> {
        let mut paths = Self::default();
        let mut folders = records::redacting_beside_issues(now)?;
        let mut claims = Vec::new();
        for issue in records::issue_ids(now)? {
            folders.extend(records::redacting_folders(now, &issue)?);
            claims.extend(records::execution_ids(now, &issue)?);
        }
        let mut is_any_hidden = false;
        let mut renamed = Vec::new();
        for folder in folders {
            let hidden = Rc::new(Cleared::read(now, &folder)?);
            is_any_hidden |= !hidden.is_empty();
            for target in hidden.targets() {
                paths.file(&format!("{folder}/{target}")).hidden = Some(Rc::clone(&hidden));
            }
            renamed.extend(hidden.renamed());
        }
        for id in claims {
            paths.file(&layout::execution(&id)).is_claim = true;
        }
        paths.renamed = renamed;
        Ok(if is_any_hidden { paths } else { Self::default() })
    }

    /// All executions, since the commits that they name get new ids.
    pub(crate) fn claims_in(now: &Snapshot<'_>) -> Result<Self, StoreError> {
        let mut paths = Self::default();
        for issue in records::issue_ids(now)? {
            for id in records::execution_ids(now, &issue)? {
                paths.file(&layout::execution(&id)).is_claim = true;
            }
        }
        Ok(paths)
    }

    /// The entries that are renamed: their old paths and the new ones.
    pub(crate) fn renamed(&self) -> &[(String, String)] {
        &self.renamed
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// The number of versions of files that were rewritten.
    pub(crate) fn rewritten(&self) -> usize {
        let known = self.file.iter().flat_map(|file| &file.known);
        known.filter(|(old, new)| !matches!(new.as_slice(), [(_, id)] if id == *old)).count()
            + self.inner.values().map(Self::rewritten).sum::<usize>()
    }

    fn file(&mut self, path: &str) -> &mut File {
        let place = path.split('/').fold(self, |at, name| at.inner.entry(name.into()).or_default());
        place.file.get_or_insert_with(|| File { path: path.to_owned(), ..File::default() })
    }

    /// Rewrites a tree of the old history. `moved` has the commits before it.
    pub(crate) fn rewrite(
        &mut self,
        work: &Repository,
        tree: ObjectId,
        moved: &HashMap<ObjectId, ObjectId>,
    ) -> Result<ObjectId, StoreError> {
        if let Some(known) = self.known.get(&tree) {
            return Ok(*known);
        }
        let mut new = tree;
        // Something that is not a readable tree holds no record.
        if let Some(before) = trees::read_raw(work, tree)? {
            let mut entries = before.clone();
            let mut made = Vec::new();
            for entry in &mut entries {
                let Some(place) = self.inner.get_mut(&entry.filename) else { continue };
                match entry.mode.kind() {
                    EntryKind::Tree => entry.oid = place.rewrite(work, entry.oid, moved)?,
                    EntryKind::Blob | EntryKind::BlobExecutable => {
                        let mut files = place.blob(work, entry.oid, moved)?.into_iter();
                        if let Some((name, oid)) = files.next() {
                            (entry.filename, entry.oid) = (name, oid);
                        }
                        made.extend(files.map(|(filename, oid)| Entry { filename, oid, ..entry.clone() }));
                    }
                    EntryKind::Link | EntryKind::Commit => {}
                }
            }
            entries.extend(made);
            if entries != before {
                new = make::object(work, &Tree { entries: one_of_each(work, entries)? })?;
            }
        }
        self.known.insert(tree, new);
        Ok(new)
    }

    /// Whether a tree holds a file as a purge leaves it: without the values that are hidden now. An unpurged file
    /// still holds them.
    pub(crate) fn has_purged(&mut self, repo: &Repository, object: ObjectId) -> Result<bool, StoreError> {
        if let Some(known) = self.left.get(&object) {
            return Ok(*known);
        }
        let mut found = false;
        if let Some(File { path, hidden: Some(hidden), .. }) = &self.file {
            let bytes = read_blob(repo, object, path)?;
            found = bytes.contains_str(REDACTED) && hidden.redactions().purged(path, bytes.clone()) == bytes;
        } else if self.file.is_none() {
            for entry in trees::read_raw(repo, object)?.unwrap_or_default() {
                let Some(place) = self.inner.get_mut(&entry.filename) else { continue };
                let is_read = matches!(
                    entry.mode.kind(),
                    EntryKind::Tree | EntryKind::Blob | EntryKind::BlobExecutable
                );
                found = found || (is_read && place.has_purged(repo, entry.oid)?);
            }
        }
        self.left.insert(object, found);
        Ok(found)
    }

    /// The result for a file: its new name and bytes, and a file to write beside it.
    fn blob(
        &mut self,
        work: &Repository,
        id: ObjectId,
        moved: &HashMap<ObjectId, ObjectId>,
    ) -> Result<Vec<(BString, ObjectId)>, StoreError> {
        let Some(file) = &mut self.file else { return Ok(vec![]) };
        if let Some(known) = file.known.get(&id) {
            return Ok(known.clone());
        }
        let before = read_blob(work, id, &file.path)?;
        let mut after = match &file.hidden {
            Some(hidden) => hidden.files(&file.path, before.clone()),
            None => vec![(file.path.clone(), before.clone())],
        };
        if file.is_claim {
            after = after.into_iter().map(|(path, bytes)| (path, renamed(bytes, moved))).collect();
        }
        let mut made = Vec::new();
        for (path, bytes) in after {
            let name = path.rsplit('/').next().unwrap_or_default();
            let new = if bytes == before { id } else { make::bytes(work, Kind::Blob, &bytes)? };
            made.push((name.into(), new));
        }
        file.known.insert(id, made.clone());
        Ok(made)
    }
}

/// The entries of a tree in order, one for each name. A name can have two: entries that are the same without the
/// hidden values, or one that an earlier purge made. A file wins over anything else.
fn one_of_each(work: &Repository, entries: Vec<Entry>) -> Result<Vec<Entry>, StoreError> {
    let mut by_name: BTreeMap<BString, Entry> = BTreeMap::new();
    for entry in entries {
        let kept = match by_name.get(&entry.filename) {
            None => entry,
            Some(known) => match (file_of(known), file_of(&entry)) {
                (Some(one), Some(two)) if one != two => {
                    let bytes = read_blob(work, one, "")?.max(read_blob(work, two, "")?);
                    Entry { oid: make::bytes(work, Kind::Blob, &bytes)?, ..known.clone() }
                }
                (None, Some(_)) => entry,
                _ => known.clone(),
            },
        };
        by_name.insert(kept.filename.clone(), kept);
    }
    let mut entries: Vec<Entry> = by_name.into_values().collect();
    entries.sort();
    Ok(entries)
}

fn file_of(entry: &Entry) -> Option<ObjectId> {
    trees::file((entry.mode.kind(), entry.oid))
}

/// A claim with the new id of the commit that holds its plan.
fn renamed(bytes: Vec<u8>, moved: &HashMap<ObjectId, ObjectId>) -> Vec<u8> {
    let Ok(mut value) = strict::parse(&bytes) else { return bytes };
    let named = value.get("plan_commit").and_then(Value::as_str).and_then(object_id);
    match named.and_then(|old| moved.get(&old).filter(|new| **new != old)) {
        Some(new) => {
            value["plan_commit"] = new.to_string().into();
            file_bytes(&value)
        }
        None => bytes,
    }
}
