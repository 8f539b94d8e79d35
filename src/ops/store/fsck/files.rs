//! Checks each tree entry and each file of the newest state by itself.

use super::{Findings, repair_that};
use crate::git::{Entry, EntryKind, Kind, ObjectId, trees};
use crate::index::Refreshing;
use crate::model::{Redaction, Time, strict, typed};
use crate::store::layout::{self, form, misplaced};
use crate::store::{
    Form, Location, LogKind, Reach, RedactionCache, Snapshot, Sound, Store, StoreError, read_blob, records,
};

/// If a store has more files than this, the rest is not checked.
const MOST_FILES: u64 = 4_000_000;

/// The state of the walk over the tree.
struct Walk<'a> {
    store: &'a Store,
    snapshot: &'a Snapshot<'a>,
    now: Time,
    files: u64,
    shelf: RedactionCache,
    found: &'a mut Findings,
    /// Reports how many issues are checked, and how many there are.
    watch: Refreshing<'a>,
    issues: (usize, usize),
}

/// Checks every file of a state.
pub(super) fn check(
    store: &Store,
    snapshot: &Snapshot<'_>,
    now: Time,
    found: &mut Findings,
    watch: Refreshing<'_>,
) -> Result<(), StoreError> {
    // If they cannot be counted, the walk says why.
    let all = records::issue_ids(snapshot).map_or(0, |ids| ids.len());
    let mut walk = Walk {
        store,
        snapshot,
        now,
        files: 0,
        shelf: RedactionCache::default(),
        found,
        watch,
        issues: (0, all),
    };
    walk.folder(snapshot.tree(), "")
}

/// Whether the newest state has a valid file at `path`.
pub(super) fn has_sound(store: &Store, snapshot: &Snapshot<'_>, path: &str) -> Result<bool, StoreError> {
    match snapshot.entry(path)? {
        Some((id, EntryKind::Blob | EntryKind::BlobExecutable)) => {
            Ok(layout::sound(path, &read_blob(store.repo(), id, path)?).is_ok())
        }
        _ => Ok(false),
    }
}

impl Walk<'_> {
    fn folder(&mut self, id: ObjectId, path: &str) -> Result<(), StoreError> {
        let shown = if path.is_empty() { "/" } else { path };
        let folder = match trees::read(self.store.repo(), id).map_err(trees::at(path)) {
            Err(error) => return self.found.crowded(error.into()),
            Ok(folder) => folder,
        };
        let Some(folder) = folder else {
            self.found.error(shown, "not a tree, or an unreadable one");
            return Ok(());
        };
        if !folder.is_canonical {
            let what = "a tree that git would not write: out of order, a duplicate name, or an odd mode";
            self.found.error_with(shown, what, repair_that("fixes it"));
        }
        for entry in folder.entries {
            if self.files > MOST_FILES {
                self.found.error(shown, "more files than a store can have; the rest was not checked");
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
            self.found.error_with(path, why, repair_that("removes it"));
            return Ok(());
        }
        let is_place = layout::is_folder(path) || !matches!(form(path).0, Form::Unknown);
        match entry.mode.kind() {
            kind @ (EntryKind::Link | EntryKind::Commit) => {
                let what = trees::unread(kind).unwrap_or_default();
                if is_place {
                    self.found.error(
                        path,
                        format!("{what} where a record belongs; a record written there replaces it"),
                    );
                } else {
                    self.found.note(path, format!("{what}; kept, but not read"));
                }
                Ok(())
            }
            EntryKind::Tree if layout::is_folder(path) => {
                if path.starts_with(layout::ISSUES) && path.matches('/').count() == 2 {
                    self.issues.0 += 1;
                    (self.watch)("checking issues", self.issues.0, Some(self.issues.1));
                }
                self.folder(entry.oid, path)
            }
            EntryKind::Tree => {
                self.unknown(path, true);
                Ok(())
            }
            _ if layout::is_folder(path) => {
                self.found.error(path, "a file where a directory belongs");
                Ok(())
            }
            kind => {
                if kind == EntryKind::BlobExecutable && is_place {
                    self.found.note(path, "executable; it is read like any other file");
                }
                self.file(path, entry.oid)
            }
        }
    }

    fn file(&mut self, path: &str, id: ObjectId) -> Result<(), StoreError> {
        let failed = StoreError::object("cannot read a record of the store");
        let header = self.store.repo().header(id).map_err(failed)?;
        if header.kind != Kind::Blob {
            self.found.error(path, format!("a {} in place of a file", header.kind));
            return Ok(());
        }
        if header.size > layout::largest(path) {
            let most = layout::largest(path);
            self.found.error(path, format!("larger than a record can be ({most} bytes)"));
            return Ok(());
        }
        if matches!(form(path).0, Form::Unknown) {
            self.unknown(path, false);
            return Ok(());
        }
        let bytes = read_blob(self.store.repo(), id, path)?;
        match layout::sound(path, &bytes) {
            Err(why) => self.found.error(path, why),
            Ok(Sound::Unknown) => {}
            Ok(Sound::Entry(canonical)) => {
                self.spelling(path, &bytes, &canonical);
                self.entry_stamp(path)?;
                self.redaction(path, &bytes)?;
            }
            Ok(Sound::Doc(doc)) => {
                self.spelling(path, &bytes, &doc.to_bytes());
                if let Err(excess) = doc.check_growth(None)
                    && !doc.is_full()
                {
                    self.found.note(path, excess.to_string());
                }
                if doc.is_full() {
                    let what = format!(
                        "its sets are full ({} elements, including those removed since the last repair): nothing can be added",
                        doc.crowd()
                    );
                    self.found.error_with(path, what, repair_that("makes room"));
                    self.found.to_heal.insert(path.to_owned());
                }
                let ahead = doc.ahead_of(self.now);
                if !ahead.is_empty() {
                    let what = format!(
                        "stamps ahead of the clock of this machine, which says {} ({}): until they pass, no change has an \
                         effect",
                        self.now,
                        named(&ahead)
                    );
                    self.found.error_with(path, what, repair_that("lets later changes win"));
                    self.found.to_heal.insert(path.to_owned());
                    // A stamp in the far future is ahead of every clock.
                    self.found.needs_clock |= doc.ahead_of(Time::LAST).is_empty();
                }
            }
        }
        Ok(())
    }

    fn spelling(&mut self, path: &str, bytes: &[u8], canonical: &[u8]) {
        if bytes != canonical {
            self.found.error_with(path, "not in canonical form", repair_that("rewrites it"));
            self.found.to_heal.insert(path.to_owned());
        }
    }

    fn entry_stamp(&mut self, path: &str) -> Result<(), StoreError> {
        let Some(stamp) = layout::entry_stamp(path) else { return Ok(()) };
        if self.shelf.at(self.snapshot, path)?.sets_aside(path) {
            self.found.note(path, "stamped in the future when it was set aside; it has no effect");
        } else if stamp.is_ahead_of(self.now) {
            let at = stamp.time();
            if layout::redacted_by(path).is_none() {
                self.found
                    .note(path, format!("stamped {at}, in the future; this is harmless for a redaction"));
                return Ok(());
            }
            let what = format!(
                "stamped {at}, ahead of the clock of this machine, which says {}: it sorts after whatever is written \
                 until then",
                self.now
            );
            self.found.error_with(path, what, repair_that("sets it aside"));
            self.found.to_heal.insert(path.to_owned());
            self.found.needs_clock |= !stamp.is_far_future();
        }
        Ok(())
    }

    /// Reports a redaction that hides nothing.
    fn redaction(&mut self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let Some(Location::Entry(LogKind::Redactions(_), _)) = Location::parse(path) else { return Ok(()) };
        let redaction = strict::parse(bytes).ok().and_then(|value| typed::read::<Redaction>(&value).ok());
        let Some(redaction) = redaction else { return Ok(()) };
        let (field, target) = (&redaction.field, &redaction.target);
        let why = match self.shelf.at(self.snapshot, path)?.reach(&redaction) {
            Some(Reach::NoStamp) => "it names no stamp".to_owned(),
            Some(Reach::Beside { .. }) => {
                let until =
                    redaction.stamp.as_ref().map(|until| until.time().to_string()).unwrap_or_default();
                format!("it names a stamp of {until}, later than the last that `{field}` had")
            }
            Some(Reach::Whole | Reach::Absent) | None => return Ok(()),
        };
        self.found.note(path, format!("hides nothing of `{target}`: {why}"));
        Ok(())
    }

    fn unknown(&mut self, path: &str, is_folder: bool) {
        match misplaced(path) {
            // Nothing is ever removed from the tree.
            Some(why) => self.found.warning(path, format!("{why}; nothing reads it here")),
            None if is_folder && !matches!(form(path).0, Form::Unknown) => {
                self.found.error(path, "a directory where a record belongs");
            }
            None => self.found.note(path, "not a path of this format; it is kept as it is"),
        }
    }
}

/// The first few names of a list.
fn named(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    shown.join(", ") + more
}
