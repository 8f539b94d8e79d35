//! Each tree entry and each file of the newest state, for itself.

use gix::ObjectId;
use gix::objs::Kind;
use gix::objs::tree::{Entry, EntryKind};

use super::Findings;
use crate::model::doc::Doc;
use crate::model::id::{EntryId, ExecutionId, IssueId, QueueId, RunId, SolutionId};
use crate::model::stamp::Stamp;
use crate::model::time::Time;
use crate::store::error::StoreError;
use crate::store::layout::{self, Form, ISSUES, QUEUES, RUNS, form};
use crate::store::redact::Redactions;
use crate::store::repo::Store;
use crate::store::snapshot::{Snapshot, read_blob};
use crate::store::trees;

/// Clocks differ by minutes; one that is a day ahead makes everything that it stamped look newest.
const AHEAD: i64 = 24 * 60 * 60 * 1000;
/// After so many files something is wrong with the store as a whole.
const MOST_FILES: u64 = 4_000_000;

/// What the walk over the tree needs at each step.
struct Walk<'a> {
    store: &'a Store,
    snapshot: &'a Snapshot<'a>,
    now: Time,
    files: u64,
    found: &'a mut Findings,
}

impl Store {
    pub(super) fn check_tree(
        &self,
        snapshot: &Snapshot<'_>,
        now: Time,
        found: &mut Findings,
    ) -> Result<(), StoreError> {
        Walk { store: self, snapshot, now, files: 0, found }.folder(snapshot.tree(), "")
    }

    /// Whether the newest state has a sound file at `path`.
    pub(super) fn has_sound(&self, snapshot: &Snapshot<'_>, path: &str) -> Result<bool, StoreError> {
        match snapshot.entry(path)? {
            Some((id, EntryKind::Blob | EntryKind::BlobExecutable)) => {
                Ok(is_sound(path, &read_blob(&self.repo, id, path)?))
            }
            _ => Ok(false),
        }
    }
}

impl Walk<'_> {
    fn folder(&mut self, id: ObjectId, path: &str) -> Result<(), StoreError> {
        let shown = if path.is_empty() { "/" } else { path };
        let folder = match trees::read(&self.store.repo, id).map_err(trees::at(path)) {
            Err(error) => return self.found.crowded(error),
            Ok(folder) => folder,
        };
        let Some(folder) = folder else {
            self.found.error(shown, "a folder that is no tree, or one that cannot be read");
            return Ok(());
        };
        if !folder.is_canonical {
            self.found
                .error(shown, "a tree as git does not write it: out of order, a name twice, or an odd mode; `git wf fsck --repair` mends it");
        }
        for entry in folder.entries {
            if self.files > MOST_FILES {
                self.found.error(shown, "more files than a store has; the rest was not looked at");
                return Ok(());
            }
            self.files += 1;
            let name = &entry.filename;
            let inner = if path.is_empty() { name.to_string() } else { format!("{path}/{name}") };
            self.entry(&entry, &inner)?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry, path: &str) -> Result<(), StoreError> {
        if let Some(why) = trees::refusal(entry) {
            self.found.error(path, format!("{why}; `git wf fsck --repair` takes it away"));
            return Ok(());
        }
        let is_place = layout::is_folder(path) || !matches!(form(path).0, Form::Unknown);
        match entry.mode.kind() {
            kind @ (EntryKind::Link | EntryKind::Commit) => {
                let what = trees::unread(kind).unwrap_or_default();
                match is_place {
                    true => self.found.error(
                        path,
                        format!("{what} where a record belongs; a record written there replaces it"),
                    ),
                    false => self.found.note(path, format!("{what}; it is kept, and nobody reads it")),
                }
                Ok(())
            }
            EntryKind::Tree if layout::is_folder(path) => self.folder(entry.oid, path),
            EntryKind::Tree => {
                self.unknown(path, true);
                Ok(())
            }
            _ if layout::is_folder(path) => {
                self.found.error(path, "a file where a folder belongs");
                Ok(())
            }
            kind => {
                if kind == EntryKind::BlobExecutable && is_place {
                    self.found.note(path, "its mode is that of a program; it is read all the same");
                }
                self.file(path, entry.oid)
            }
        }
    }

    fn file(&mut self, path: &str, id: ObjectId) -> Result<(), StoreError> {
        let failed = StoreError::object("cannot read a record of the store");
        let header = self.store.repo.find_header(id).map_err(failed)?;
        if header.kind() != Kind::Blob {
            self.found.error(path, format!("a file that is a {}", header.kind()));
            return Ok(());
        }
        if header.size() > layout::largest(path) {
            let most = layout::largest(path);
            self.found.error(path, format!("larger than a record may be ({most} bytes)"));
            return Ok(());
        }
        let (kind, expected) = form(path);
        let expected = expected.as_deref();
        let kind = match kind {
            Form::Unknown => {
                self.unknown(path, false);
                return Ok(());
            }
            kind => kind,
        };
        let bytes = read_blob(&self.store.repo, id, path)?;
        let soundness = sound(&kind, expected, &bytes);
        match soundness {
            Err(why) => self.found.error(path, why),
            Ok(Read::Entry) if path.rsplit('/').next().is_some_and(Stamp::is_far_entry) => {
                self.far_entry(path)?;
            }
            Ok(Read::Entry) => {
                let id = expected.and_then(|id| EntryId::parse(id).ok());
                self.ahead(path, "it was written", id.map(|id| id.stamp().time()));
            }
            Ok(Read::Doc(doc)) => {
                if doc.to_bytes() != bytes {
                    self.found.note(path, "not in the form in which this program writes it");
                }
                let far = doc.far_future();
                if far.is_empty() {
                    self.ahead(path, "it changed", doc.changed().map(Stamp::time));
                } else {
                    let what = format!(
                        "stamps of the far future ({}): nothing that is written after them counts; \
                         `git wf fsck --repair` starts the record anew",
                        named(&far)
                    );
                    self.found.error(path, what);
                    self.found.far_future.insert(path.to_owned());
                }
            }
        }
        Ok(())
    }

    fn far_entry(&mut self, path: &str) -> Result<(), StoreError> {
        if layout::redacted_by(path).is_none() {
            self.found.note(path, "stamped in the far future; a redaction is in nobody's way");
        } else if Redactions::at(self.snapshot, path)?.sets_aside(path) {
            self.found.note(path, "stamped in the far future, and set aside: it counts for nothing");
        } else {
            let what = "stamped in the far future, so that it stands above whatever is written; \
                        `git wf fsck --repair` sets it aside";
            self.found.error(path, what);
            self.found.far_future.insert(path.to_owned());
        }
        Ok(())
    }

    fn ahead(&mut self, path: &str, what: &str, at: Option<Time>) {
        if let Some(at) = at.filter(|at| at.millis() > self.now.millis().saturating_add(AHEAD)) {
            self.found.note(path, format!("by its stamp {what} at {at}, which is still to come"));
        }
    }

    fn unknown(&mut self, path: &str, is_folder: bool) {
        match misplaced(path) {
            Some(why) => self.found.error(path, why),
            None if is_folder && !matches!(form(path).0, Form::Unknown) => {
                self.found.error(path, "a folder where a record belongs");
            }
            None => self.found.note(path, "no path of this format; it is kept as it is"),
        }
    }
}

/// The first few of many names.
fn named(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    shown.join(", ") + more
}

/// What was read where the file is sound.
enum Read {
    Doc(Box<Doc>),
    Entry,
}

fn sound(kind: &Form, expected: Option<&str>, bytes: &[u8]) -> Result<Read, String> {
    match kind {
        Form::Unknown => Ok(Read::Entry),
        Form::Doc(schema) => {
            let doc = Doc::parse(schema, bytes).map_err(|broken| broken.to_string())?;
            if expected.is_none_or(|id| doc.id() == Some(id)) {
                Ok(Read::Doc(Box::new(doc)))
            } else {
                Err("the record bears the id of another, not that of its path".to_owned())
            }
        }
        Form::Entry(check) => match layout::entry_value(*check, expected, bytes) {
            Ok(_) => Ok(Read::Entry),
            Err(why) => Err(format!("broken entry: {why}")),
        },
    }
}

/// Whether these bytes can be the file at `path`.
pub(super) fn is_sound(path: &str, bytes: &[u8]) -> bool {
    let (kind, expected) = form(path);
    sound(&kind, expected.as_deref(), bytes).is_ok()
}

/// Whether a file can be put at `path`: a record's place, or one that a later version of the format may know.
pub(super) fn is_place(path: &str) -> bool {
    let is_record = !matches!(form(path).0, Form::Unknown);
    is_record
        || (misplaced(path).is_none()
            && path.split('/').all(|name| trees::name_refusal(name.into()).is_none())
            && !layout::is_folder(path))
}

/// Why what lies among records is none; nothing where it may be of a later version of the format.
pub(super) fn misplaced(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let entry = |name: &&str| {
        let id = name.strip_suffix(".json").unwrap_or(name);
        EntryId::parse(id).err().map(|error| error.to_string())
    };
    match parts.as_slice() {
        [ISSUES, _, id] => match IssueId::parse(id) {
            Err(error) => Some(error.to_string()),
            Ok(id) => Some(format!("the folder of this issue is `{}`", layout::issue_folder(&id))),
        },
        [ISSUES, _, _, "comments" | "feedback" | layout::REDACTIONS, name]
        | [ISSUES, _, _, "solutions", _, "reviews" | layout::REDACTIONS, name]
        | [ISSUES, _, _, "executions", _, "log" | layout::REDACTIONS, name]
        | [QUEUES, _, "conflicts" | layout::REDACTIONS, name]
        | [RUNS, _, "log" | layout::REDACTIONS, name] => entry(name),
        [ISSUES, _, issue, "solutions", id] => match SolutionId::parse(id) {
            Err(error) => Some(error.to_string()),
            Ok(id) => (id.issue().as_str() != *issue).then(|| format!("a plan for `{}`", id.issue())),
        },
        [ISSUES, _, issue, "executions", id] => match ExecutionId::parse(id) {
            Err(error) => Some(error.to_string()),
            Ok(id) => (id.issue().as_str() != *issue).then(|| format!("an execution of `{}`", id.issue())),
        },
        [QUEUES, id] => QueueId::parse(id).err().map(|error| error.to_string()),
        [RUNS, id] => RunId::parse(id).err().map(|error| error.to_string()),
        [QUEUES, queue, "items", _, name] => {
            match SolutionId::parse(name.strip_suffix(".json").unwrap_or(name)) {
                Err(error) => Some(error.to_string()),
                Ok(id) => QueueId::parse(queue)
                    .ok()
                    .map(|queue| format!("the file of this item is `{}`", layout::item(&queue, &id))),
            }
        }
        _ => None,
    }
}
