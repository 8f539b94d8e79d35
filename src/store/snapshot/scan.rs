//! Reads many issues of one state in turn, so that each directory is read only once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use bstr::ByteSlice;

use super::{Read, Snapshot, read_blob};
use crate::git::trees::{self, Entries};
use crate::git::{EntryKind, ObjectId};
use crate::model::id::IssueId;
use crate::store::error::StoreError;
use crate::store::layout;

/// A state that caches directories: those of the issue being read, and those that hold many issues or items of one
/// `<xx>`. Its size does not depend on the number of issues.
pub(crate) struct Scan<'repo> {
    snapshot: Snapshot<'repo>,
    shared: RefCell<Kept>,
    own: RefCell<Kept>,
}

#[derive(Default)]
struct Kept {
    of: String,
    folders: HashMap<String, Rc<Entries>>,
}

impl Kept {
    fn turn_to(&mut self, of: &str) {
        if self.of != of {
            self.folders.clear();
            of.clone_into(&mut self.of);
        }
    }
}

impl<'repo> Scan<'repo> {
    /// A scan of this state.
    pub(crate) fn of(snapshot: Snapshot<'repo>) -> Self {
        Self { snapshot, shared: RefCell::default(), own: RefCell::default() }
    }

    /// Names the issue that is read next. Reading any other is correct too, only slower.
    pub(crate) fn turn_to(&self, issue: &IssueId) {
        let folder = layout::issue_folder(issue);
        self.shared.borrow_mut().turn_to(folder.rsplit_once('/').map_or("", |(fan, _)| fan));
        self.own.borrow_mut().turn_to(&folder);
    }

    fn folder(&self, path: &str) -> Result<Rc<Entries>, StoreError> {
        let is_own = {
            let own = self.own.borrow();
            path.strip_prefix(own.of.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let kept = if is_own { &self.own } else { &self.shared };
        if let Some(known) = kept.borrow().folders.get(path) {
            return Ok(Rc::clone(known));
        }
        let repo = self.snapshot.repo();
        let tree = match path {
            "" => Some(self.snapshot.tree()),
            path => self.entry(path)?.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id),
        };
        let entries = Rc::new(
            tree.map_or(Ok(Entries::default()), |id| trees::entries(repo, id)).map_err(trees::at(path))?,
        );
        kept.borrow_mut().folders.insert(path.to_owned(), Rc::clone(&entries));
        Ok(entries)
    }

    fn entry(&self, path: &str) -> Result<Option<(EntryKind, ObjectId)>, StoreError> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.folder(parent)?;
        Ok(folder.get(name.into()))
    }
}

impl Read for Scan<'_> {
    fn file(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.entry(path)? {
            Some((EntryKind::Blob | EntryKind::BlobExecutable, id)) => {
                read_blob(self.snapshot.repo(), id, path).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn names(&self, path: &str) -> Result<Vec<String>, StoreError> {
        let folder = self.folder(path)?;
        Ok(folder.names().filter_map(|name| name.to_str().ok().map(str::to_owned)).collect())
    }
}
