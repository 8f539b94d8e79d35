//! Every file of a state, in the order of the tree, as it may be shown.

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;
use gix::objs::tree::EntryKind;

use super::error::StoreError;
use super::layout;
use super::redact::Redactions;
use super::snapshot::{Snapshot, read_blob};
use super::trees::{self, DEEPEST};

/// What is at a path.
#[derive(Debug)]
pub(crate) enum Visited {
    /// A file, with what is redacted of it hidden.
    File(Vec<u8>),
    /// Something that no store holds or no reader reads, and why.
    Unfit(&'static str),
}

impl Snapshot<'_> {
    /// Visits every file below `folder`; all of them where that is empty.
    pub(crate) fn each_file<E: From<StoreError>>(
        &self,
        folder: &str,
        visit: &mut dyn FnMut(&str, Visited) -> Result<(), E>,
    ) -> Result<(), E> {
        if folder.is_empty() {
            return self.visit(self.tree(), "", &Redactions::default(), visit);
        }
        match self.entry(folder)? {
            Some((id, EntryKind::Tree)) => self.visit(id, folder, &Redactions::default(), visit),
            _ => Ok(()),
        }
    }

    fn visit<E: From<StoreError>>(
        &self,
        tree: ObjectId,
        path: &str,
        hidden: &Redactions,
        visit: &mut dyn FnMut(&str, Visited) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(folder) = trees::read(self.repo(), tree).map_err(trees::at(path))? else {
            return visit(path, Visited::Unfit("a folder that cannot be read"));
        };
        // A folder with redactions of its own: an issue, a plan, an execution.
        let own = match layout::redacted_by(&format!("{path}/x")) {
            Some((by, _)) if by == path => Some(match folder.get(layout::REDACTIONS.into()).is_some() {
                true => Redactions::of(self, path)?,
                false => Redactions::default(),
            }),
            _ => None,
        };
        let hidden = own.as_ref().unwrap_or(hidden);
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
                visit(&inner, self.shown(entry.oid, &inner, hidden)?)?;
            } else if inner.split('/').count() >= DEEPEST {
                visit(&inner, Visited::Unfit("it lies deeper than any record"))?;
            } else {
                self.visit(entry.oid, &inner, hidden, visit)?;
            }
        }
        Ok(())
    }

    fn shown(&self, id: ObjectId, path: &str, hidden: &Redactions) -> Result<Visited, StoreError> {
        let header =
            self.repo().find_header(id).map_err(StoreError::object("cannot read a record of the store"))?;
        if header.kind() != Kind::Blob {
            return Ok(Visited::Unfit("it is no file"));
        }
        if header.size() > layout::largest(path) {
            return Ok(Visited::Unfit("it is larger than a record can be"));
        }
        let bytes = read_blob(self.repo(), id, path)?;
        Ok(Visited::File(if hidden.is_empty() { bytes } else { hidden.bytes(path, bytes) }))
    }
}
