//! Every file of a state, in the order of the tree, as it may leave the store.

use std::collections::BTreeMap;

use bstr::ByteSlice;

use super::{Snapshot, read_blob};
use crate::git::trees::{self, DEEPEST};
use crate::git::{EntryKind, Kind, ObjectId};
use crate::store::{Cleared, Folder, LogKind, StoreError, layout};

/// What is at a path.
#[derive(Debug)]
pub(crate) enum Visited {
    /// A file, with redacted values hidden.
    File(Vec<u8>),
    /// An entry that a store cannot hold or a reader cannot read, and why.
    Unfit(&'static str),
}

impl Snapshot<'_> {
    /// Visits every file below `folder`, or all files if it is empty.
    pub(crate) fn each_file<E: From<StoreError>>(
        &self,
        folder: &str,
        visit: &mut dyn FnMut(&str, Visited) -> Result<(), E>,
    ) -> Result<(), E> {
        if folder.is_empty() {
            return self.visit(self.tree(), "", &Cleared::default(), visit);
        }
        match self.entry(folder)? {
            Some((id, EntryKind::Tree)) => self.visit(id, folder, &Cleared::default(), visit),
            _ => Ok(()),
        }
    }

    fn visit<E: From<StoreError>>(
        &self,
        tree: ObjectId,
        path: &str,
        hidden: &Cleared,
        visit: &mut dyn FnMut(&str, Visited) -> Result<(), E>,
    ) -> Result<(), E> {
        let folder = trees::read(self.repo(), tree).map_err(trees::at(path)).map_err(StoreError::Git)?;
        let Some(folder) = folder else {
            return visit(path, Visited::Unfit("a directory that cannot be read"));
        };
        // A directory with redactions of its own: an issue, a plan, an execution, what was learned.
        let own = match Folder::parse(path) {
            Some(Folder::Owner(_) | Folder::Log(LogKind::Wisdom)) => {
                Some(if folder.get(layout::REDACTIONS.into()).is_some() {
                    Cleared::read(self, path)?
                } else {
                    Cleared::default()
                })
            }
            _ => None,
        };
        let hidden = own.as_ref().unwrap_or(hidden);
        // Some files get new names, so their order is known only after the whole directory was read.
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for entry in folder.in_order() {
            let Ok(name) = entry.filename.to_str() else {
                let shown = format!("{path}/{}", entry.filename.to_str_lossy());
                visit(&shown, Visited::Unfit("its name is not UTF-8"))?;
                continue;
            };
            let inner = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            if let Some(why) = trees::refusal(entry).or(trees::unread(entry.mode.kind())) {
                visit(&inner, Visited::Unfit(why))?;
            } else if entry.mode.kind() != EntryKind::Tree {
                match self.bytes(entry.oid, &inner)? {
                    Visited::File(bytes) if !hidden.is_empty() => {
                        for (path, bytes) in hidden.files(&inner, bytes) {
                            // Two files with one name have the same content, as in a merge.
                            let known = files.entry(path).or_default();
                            *known = bytes.max(std::mem::take(known));
                        }
                    }
                    other => visit(&inner, other)?,
                }
            } else if inner.split('/').count() >= DEEPEST {
                visit(&inner, Visited::Unfit("it is nested deeper than any record"))?;
            } else {
                for (path, bytes) in std::mem::take(&mut files) {
                    visit(&path, Visited::File(bytes))?;
                }
                self.visit(entry.oid, &inner, hidden, visit)?;
            }
        }
        for (path, bytes) in files {
            visit(&path, Visited::File(bytes))?;
        }
        Ok(())
    }

    fn bytes(&self, id: ObjectId, path: &str) -> Result<Visited, StoreError> {
        let header =
            self.repo().header(id).map_err(StoreError::object("cannot read a record of the store"))?;
        if header.kind != Kind::Blob {
            return Ok(Visited::Unfit("it is not a file"));
        }
        if header.size > layout::largest(path) {
            return Ok(Visited::Unfit("it is larger than a record can be"));
        }
        read_blob(self.repo(), id, path).map(Visited::File)
    }
}
