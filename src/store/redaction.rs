//! Hides the redacted values of a record. Every value that is shown passes through here; only code that writes or
//! merges records sees the stored value.

pub(super) mod aside;
pub(super) mod cleared;
pub(crate) mod purge;
mod siblings;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

use super::layout::{self, form};
use super::snapshot::records;
use super::{Form, Location, ReadState, StoreError};
use crate::git::GitError;
use crate::model::redaction::{ISSUE_FILE, hidden_plan, hide, is_of};
use crate::model::{ASIDE, Doc, EpochStamp, REDACTED, Redaction, file_bytes, strict};

/// Replaces a file that cannot be read, because nobody can tell where in it the hidden text is.
pub(super) const UNREADABLE: &str = "[redacted]\n";

/// The redactions of one directory.
#[derive(Debug, Default)]
pub(crate) struct Redactions {
    /// By the path of the file that they refer to, relative to the directory; in the order of their entries.
    by_target: BTreeMap<String, Vec<KnownRedaction>>,
    /// What identifies the entries in which something is hidden, in whichever entry it comes: see [`siblings`].
    identities: BTreeSet<String>,
}

/// A redaction, and what it can hide.
#[derive(Debug, Clone)]
struct KnownRedaction {
    redaction: Redaction,
    reach: Reach,
}

/// What a redaction can hide, given the newest version of its record.
#[derive(Debug, Clone)]
pub(crate) enum Reach {
    /// The value that it names.
    Whole,
    /// The value that it names, which does not exist now: there is no readable record, or the record does not have the
    /// field.
    Absent,
    /// Nothing: it names no stamp, and everything in the record has one.
    NoStamp,
    /// The field was never written under its stamp or a later one, so it would hide what nobody has written yet. It
    /// only hides values of another record, which had the same id before the record with this birth replaced it.
    Beside {
        /// The birth of the current record.
        birth: Option<EpochStamp>,
        /// Its epoch.
        epoch: u16,
    },
}

impl Reach {
    fn new(redaction: &Redaction, doc: Option<&Doc>) -> Self {
        let Some(doc) = doc else { return Self::Absent };
        if redaction.hides_all() {
            Self::Whole
        } else if redaction.stamp.is_none() && doc.birth().is_some() {
            Self::NoStamp
        } else if !doc.is_written(&redaction.field) {
            Self::Absent
        } else if doc.is_within(redaction) {
            Self::Whole
        } else {
            Self::Beside { birth: doc.made("*"), epoch: doc.epoch() }
        }
    }
}

impl KnownRedaction {
    fn covers(&self, doc: &Doc) -> bool {
        match &self.reach {
            Reach::Beside { birth, .. } => doc.is_beside(birth.as_ref()),
            _ => true,
        }
    }

    /// Whether it hides the value with this stamp in the current record.
    fn hides(&self, stamp: Option<&EpochStamp>) -> bool {
        !matches!(self.reach, Reach::Beside { .. }) && self.redaction.hides(stamp)
    }
}

/// The redactions of the directories that were used last, for a walk over the files of many directories.
#[derive(Debug, Default)]
pub(crate) struct RedactionCache {
    by_folder: HashMap<String, Rc<Redactions>>,
    /// How many directories were read.
    pub(super) read: usize,
}

impl RedactionCache {
    /// At most this many directories are remembered.
    const MOST: usize = 16;

    /// The redactions that may apply to the file at `path`, or those beside it if it is a redaction itself.
    pub(crate) fn at(&mut self, read: &impl ReadState, path: &str) -> Result<Rc<Redactions>, StoreError> {
        let folder = match Location::parse(path) {
            Some(Location::Entry(log, _)) => log.owner().to_string(),
            Some(location) => match location.redacted_by() {
                Some(owner) => owner.to_string(),
                None => return Ok(Rc::default()),
            },
            None => return Ok(Rc::default()),
        };
        if let Some(known) = self.by_folder.get(&folder) {
            return Ok(Rc::clone(known));
        }
        let all = Rc::new(Redactions::load(read, &folder)?);
        self.read += 1;
        if self.by_folder.len() >= Self::MOST {
            self.by_folder.clear();
        }
        self.by_folder.insert(folder, Rc::clone(&all));
        Ok(all)
    }
}

impl Redactions {
    /// The redactions in `folder`, the directory of an issue, a plan or an execution. A broken redaction hides
    /// nothing; `fsck` reports it.
    pub(crate) fn load(read: &impl ReadState, folder: &str) -> Result<Self, StoreError> {
        let mut all = Self::of_records(read, folder)?;
        all.identities = siblings::spread(read, folder, &mut all.by_target)?;
        Ok(all)
    }

    /// The redactions in `folder`, without the entries that are the same as a redacted one.
    fn of_records(read: &impl ReadState, folder: &str) -> Result<Self, StoreError> {
        let place = format!("{folder}/{}", layout::REDACTIONS);
        let mut by_target: BTreeMap<String, Vec<KnownRedaction>> = BTreeMap::new();
        for redaction in records::raw_log::<Redaction>(read, &place, &mut Vec::new())? {
            let target = redaction.target.clone();
            by_target.entry(target).or_default().push(KnownRedaction { redaction, reach: Reach::Whole });
        }
        for (target, all) in &mut by_target {
            let path = format!("{folder}/{target}");
            let (Form::Doc(schema), id) = form(&path) else { continue };
            let bytes = match read.file(&path) {
                Err(StoreError::Git(GitError::CrowdedFolder { .. })) => None,
                other => other?,
            };
            let doc = bytes.and_then(|bytes| layout::own_doc(schema, id.as_deref(), &bytes).ok());
            for held in all {
                held.reach = Reach::new(&held.redaction, doc.as_ref());
            }
        }
        Ok(Self { by_target, identities: BTreeSet::new() })
    }

    /// The redactions that may apply to the file at `path`; none if nothing in it can be hidden. For a record with
    /// stamps, identical entries (see [`siblings`]) are not considered.
    pub(crate) fn at(read: &impl ReadState, path: &str) -> Result<Self, StoreError> {
        match layout::redacted_by(path) {
            Some((folder, _)) if matches!(form(path).0, Form::Doc(_)) => Self::of_records(read, &folder),
            Some((folder, _)) => Self::load(read, &folder),
            None => Ok(Self::default()),
        }
    }

    /// Whether a value with this stamp is already hidden.
    pub(crate) fn has(&self, target: &str, field: &str, stamp: Option<&EpochStamp>) -> bool {
        let all = self.by_target.get(target).into_iter().flatten();
        all.into_iter().any(|known| known.redaction.field == field && known.hides(stamp))
    }

    /// Whether a value of the record at `path` is hidden.
    pub(crate) fn hides(&self, path: &str, key: &str, stamp: Option<&EpochStamp>) -> bool {
        self.target(path).any(|known| is_of(&known.redaction.field, key) && known.hides(stamp))
    }

    /// Whether an issue with these redactions no longer follows its source, because part of it is hidden.
    pub(crate) fn hides_source(&self) -> bool {
        let mut all = self.by_target.get(ISSUE_FILE).into_iter().flatten();
        all.any(|known| known.redaction.is_of_source())
    }

    /// Whether part of the issue or plan of this directory, or of its logs, is hidden now, and not only in an earlier
    /// version or in another record that had its id.
    pub(crate) fn hides_something(&self) -> bool {
        self.by_target
            .values()
            .flatten()
            .any(|known| known.redaction.field != ASIDE && matches!(known.reach, Reach::Whole))
    }

    /// Whether something is hidden in another entry that is the same as this one, which is not there yet.
    pub(crate) fn hides_again(&self, path: &str, entry: &Value) -> bool {
        !self.identities.is_empty()
            && siblings::identity(path, entry).is_some_and(|identity| self.identities.contains(&identity))
    }

    /// What this redaction can hide; `None` if it is not one of these.
    pub(crate) fn reach(&self, redaction: &Redaction) -> Option<&Reach> {
        let mut all = self.by_target.get(&redaction.target)?.iter();
        all.find(|known| known.redaction.id == redaction.id).map(|known| &known.reach)
    }

    /// Whether the entry at `path` is set aside: a redaction says so, and the entry was stamped in the future, so it
    /// would sort after everything written since. "In the future" means more than a day ahead of the redaction, or a
    /// time that no correct clock shows.
    pub(crate) fn sets_aside(&self, path: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let Some(entry) = layout::entry_stamp(path) else { return false };
        let mut all = self.target(path).filter(|known| known.redaction.field == ASIDE);
        all.any(|known| entry.is_ahead_of(known.redaction.id.stamp().time()))
    }

    /// Whether something in the file at `path` is hidden, or was hidden until a purge removed the file.
    pub(crate) fn is_about(&self, path: &str) -> bool {
        self.target(path).next().is_some()
    }

    /// Whether there are no redactions.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_target.is_empty()
    }

    /// The files with hidden values, relative to their directory.
    pub(super) fn targets(&self) -> impl Iterator<Item = &str> {
        self.by_target.keys().map(String::as_str)
    }

    /// Whether a plan is stored without its text, so that its digest can no longer be computed.
    pub(crate) fn is_purged(&self, path: &str, doc: &Doc) -> bool {
        let stamp = doc.made("plan");
        let hidden = doc.value("plan").is_some_and(|plan| *plan == hidden_plan());
        hidden
            && self.target(path).any(|known| {
                known.covers(doc) && known.redaction.field == "plan" && known.redaction.hides(stamp.as_ref())
            })
    }

    /// The bytes of a file without its hidden values; the same bytes if nothing in it is hidden.
    pub(super) fn purged(&self, path: &str, bytes: Vec<u8>) -> Vec<u8> {
        if self.target(path).next().is_none() {
            return bytes;
        }
        match form(path).0 {
            Form::Doc(schema) => match Doc::parse(schema, &bytes) {
                Ok(doc) => {
                    let mut hidden = doc.clone();
                    self.doc(path, &mut hidden);
                    if hidden == doc { bytes } else { hidden.to_bytes() }
                }
                Err(_) => UNREADABLE.into(),
            },
            Form::Entry(_) => match strict::parse(&bytes) {
                Ok(value) => {
                    let mut hidden = value.clone();
                    self.entry(path, &mut hidden);
                    if hidden == value { bytes } else { file_bytes(&hidden) }
                }
                Err(_) => UNREADABLE.into(),
            },
            Form::Unknown => bytes,
        }
    }

    /// The redactions of the file at `path`. A claim has none: its id depends on its content, and its log is stored
    /// under that id.
    fn target(&self, path: &str) -> impl Iterator<Item = &KnownRedaction> {
        let target = if self.is_empty() {
            None
        } else {
            layout::redacted_by(path).map(|(_, target)| target).filter(|target| target != layout::CLAIM)
        };
        target.and_then(|target| self.by_target.get(&target)).into_iter().flatten()
    }

    /// Hides the redacted values of a record with stamps. A redaction that would make the record unreadable is
    /// ignored.
    pub(crate) fn doc(&self, path: &str, doc: &mut Doc) {
        for held in self.target(path) {
            if !held.covers(doc) {
                continue;
            }
            let mut hidden = doc.clone();
            hidden.redact(&held.redaction);
            if hidden.is_sound() && form(path).1.is_none_or(|id| hidden.id() == Some(&id)) {
                *doc = hidden;
            }
        }
    }

    /// A value of one field, element or leaf as it may be shown. For `*`, a whole version of the record: everything
    /// that is hidden in any version is removed from it.
    pub(crate) fn value(&self, path: &str, key: &str, stamp: Option<&EpochStamp>, mut value: Value) -> Value {
        for held in self.target(path) {
            let field = held.redaction.field.as_str();
            if key == "*" {
                let member = match field.split_once('/') {
                    Some((name, leaf)) => value.get_mut(name).and_then(|whole| whole.get_mut(leaf)),
                    None => value.get_mut(field),
                };
                if let Some(hidden) = member {
                    *hidden = REDACTED.into();
                }
            } else if is_of(field, key) && held.hides(stamp) {
                return REDACTED.into();
            }
        }
        value
    }

    /// Hides the redacted values of a write-once record.
    pub(crate) fn entry(&self, path: &str, value: &mut Value) {
        if self.target(path).next().is_none() {
            return;
        }
        let (Form::Entry(once), id) = form(path) else { return };
        for held in self.target(path) {
            hide(value, &held.redaction.field, once, &|value: &Value| {
                once.ordered(value).is_ok() && layout::bears(value, id.as_deref())
            });
        }
    }

    /// The text of a file of this or an earlier state, as it may be shown.
    pub(crate) fn text(&self, path: &str, bytes: &[u8]) -> String {
        if self.target(path).next().is_none() {
            return as_it_is(bytes);
        }
        let shown = match form(path).0 {
            Form::Doc(schema) => Doc::parse(schema, bytes).ok().map(|mut doc| {
                self.doc(path, &mut doc);
                doc.to_bytes()
            }),
            Form::Entry(_) => strict::parse(bytes).ok().map(|mut value| {
                self.entry(path, &mut value);
                file_bytes(&value)
            }),
            Form::Unknown => return as_it_is(bytes),
        };
        shown.map_or(UNREADABLE.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn as_it_is(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
