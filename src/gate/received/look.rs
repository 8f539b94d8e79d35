//! Checks each file that a push brings or changes.

use std::collections::BTreeSet;

use super::record::{self, RecordFault, RecordVerdict};
use super::{IN_PARTS, MOST_UNKNOWN, PushBudget, is_misplaced, is_too_large};
use crate::git::{Difference, EntryKind, ObjectId, trees};
use crate::model::{Detail, Redaction, Time, strict, typed};
use crate::store::{
    Did, Form, HistoryLink, Lineage, Location, LogKind, OriginJudge, Reach, RedactionCache, SetAside,
    Snapshot, Store, StoreError, layout, read_blob,
};

/// Checks each file that a push brings or changes.
pub(super) struct FileCheck<'a> {
    pub(super) store: &'a Store,
    pub(super) before: Option<&'a Snapshot<'a>>,
    pub(super) after: &'a Snapshot<'a>,
    pub(super) now: Time,
    /// JSON values in all records so far.
    pub(super) values: usize,
    /// Records whose identity changed.
    pub(super) suspects: BTreeSet<String>,
    /// The redactions of the directories that were read last.
    pub(super) shelf: RedactionCache,
    pub(super) budget: PushBudget,
}

impl FileCheck<'_> {
    pub(super) fn fault(&mut self, file: &Difference) -> Result<Option<Detail>, StoreError> {
        // Deleted paths are found by the merge.
        let Some((kind, id)) = file.new else { return Ok(None) };
        if is_misplaced(&file.path) {
            return Ok(Some("not the path of a record".into()));
        }
        match kind {
            EntryKind::Tree => {
                let why = self.fault_in_folder(&file.path, file.old.map(|(_, old)| old), id)?;
                Ok(why.map(Detail::from))
            }
            EntryKind::Blob | EntryKind::BlobExecutable => self.fault_in_file(file, id),
            // A merge keeps these unless they are at the path of a record.
            EntryKind::Link | EntryKind::Commit => {
                let is_free =
                    layout::is_place(&file.path) && matches!(layout::form(&file.path).0, Form::Unknown);
                Ok(if is_free { None } else { trees::unread(kind).map(Detail::from) })
            }
        }
    }

    /// Checks a directory that a later version of the format may define, and that is kept as it is.
    fn fault_in_folder(
        &self,
        path: &str,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Option<&'static str>, StoreError> {
        if !matches!(layout::form(path).0, Form::Unknown) {
            return Ok(Some("a directory at the path of a record"));
        }
        let files = self.store.repo().first_differences(old, new, MOST_UNKNOWN + 1)?;
        let Some(files) = files.filter(|files| files.len() <= MOST_UNKNOWN) else {
            return Ok(Some("more files than a store can have"));
        };
        for (kind, id) in files.into_iter().filter_map(|file| file.new) {
            if kind != EntryKind::Commit && is_too_large(self.store, path, id)? {
                return Ok(Some("a file in it is larger than a record can be"));
            }
        }
        Ok(None)
    }

    fn fault_in_file(&mut self, file: &Difference, id: ObjectId) -> Result<Option<Detail>, StoreError> {
        if !layout::is_place(&file.path) {
            return Ok(Some("not the path of a record".into()));
        }
        if is_too_large(self.store, &file.path, id)? {
            return Ok(Some("larger than a record can be".into()));
        }
        if matches!(layout::form(&file.path).0, Form::Unknown) {
            return Ok(None);
        }
        let new = read_blob(self.store.repo(), id, &file.path)?;
        self.values += record::most_values(&new);
        if self.values > self.budget.values {
            return Ok(None);
        }
        let old = match file.old {
            Some((EntryKind::Blob | EntryKind::BlobExecutable, old)) if old != id => {
                Some(read_blob(self.store.repo(), old, &file.path)?)
            }
            Some((_, old)) if old == id => return Ok(None),
            _ => None,
        };
        let fault = match record::check(&file.path, old.as_deref(), &new, self.now) {
            RecordVerdict::Sound => self.fault_in_redaction(&file.path, &new)?.map(Detail::from),
            RecordVerdict::Fault(RecordFault::Ahead { .. }) if self.is_set_aside(&file.path)? => None,
            RecordVerdict::Fault(fault) => Some(fault.detail()),
            RecordVerdict::Suspect => {
                self.suspects.insert(file.path.clone());
                None
            }
        };
        Ok(fault)
    }

    fn is_set_aside(&mut self, path: &str) -> Result<bool, StoreError> {
        Ok(self.shelf.at(self.after, path)?.sets_aside(path))
    }

    /// A redaction must not set aside an entry that is not ahead of the server's clock, whether or not the entry
    /// exists: otherwise a redaction with an early position of its own could silence any entry. It also must not hide
    /// values up to a time at which the record has none: it would hide everything written until then.
    fn fault_in_redaction(&mut self, path: &str, bytes: &[u8]) -> Result<Option<String>, StoreError> {
        if let Some(aside) = SetAside::by(path, bytes).filter(|aside| aside.is_not_after(self.now)) {
            let target = aside.target;
            return Ok(Some(format!(
                "it would set `{target}` aside, which is not ahead of this server's clock; set the ref back to before it"
            )));
        }
        let Some(Location::Entry(LogKind::Redactions(owner), _)) = Location::parse(path) else {
            return Ok(None);
        };
        let redaction = strict::parse(bytes).ok().and_then(|value| typed::read::<Redaction>(&value).ok());
        let Some(redaction) = redaction else { return Ok(None) };
        if !matches!(layout::form(&format!("{owner}/{}", redaction.target)).0, Form::Doc(_)) {
            return Ok(None);
        }
        if redaction.hides_all() {
            // It hides every value in any case.
            return Ok(None);
        }
        let hidden = self.shelf.at(self.after, path)?;
        let no_stamp = "it names no stamp, so that it would hide all later values";
        Ok(match (hidden.reach(&redaction), &redaction.stamp) {
            (Some(Reach::NoStamp), _) | (Some(Reach::Absent), None) => Some(no_stamp.to_owned()),
            // A redaction that names a stamp of the past hides no current value and does no harm.
            (Some(Reach::Beside { epoch, .. }), Some(until))
                if until.epoch() > *epoch || until.is_ahead_of(self.now) =>
            {
                Some(format!("it hides values up to {}, later than any of the record", until.time()))
            }
            (Some(Reach::Absent), Some(until)) if until.is_ahead_of(self.now) => {
                let at = until.time();
                Some(format!("it hides values up to {at}, more than a day ahead of this server's clock"))
            }
            _ => None,
        })
    }

    /// Whether the path is a record that existed before the push.
    fn is_earlier_record(&self, path: &str) -> bool {
        let is_record = matches!(layout::form(path).0, Form::Doc(_));
        is_record && self.before.is_some_and(|tree| tree.entry(path).is_ok_and(|entry| entry.is_some()))
    }

    /// What the pushed commits, except merges, changed in the identity of the suspects. The inner error means that
    /// there is too much to check.
    pub(super) fn identities(
        &self,
        steps: &[HistoryLink],
    ) -> Result<Result<Vec<String>, String>, StoreError> {
        let mut faults = Vec::new();
        let is_fork = self.is_fork(steps);
        if self.suspects.is_empty() && !is_fork {
            return Ok(Ok(faults));
        }
        let mut lineage =
            Lineage::over(self.store, steps.iter().map(|step| (step.commit, &step.parents[..])));
        let mut origins =
            OriginJudge::between(self.store, self.before.map(Snapshot::commit), self.after.commit())?;
        for step in steps {
            // On a side branch, a commit can create a record that exists here already.
            let is_on_branch = is_fork && step.parents.len() == 1;
            let wanted =
                |path: &str| self.suspects.contains(path) || is_on_branch && self.is_earlier_record(path);
            for mut own in lineage.changes(step.commit, &step.parents, &wanted)? {
                // An honest stamp stays honest if its clock is ahead of ours.
                own.at = own.at.min(self.now);
                let is_written = matches!(own.did, Did::Wrote(_));
                let found = self.store.faults_of(&own, step.commit, &step.parents, &mut origins)?;
                if is_written {
                    faults.extend(found.into_iter().map(|fault| {
                        let (path, what, commit) = (fault.path, fault.what, fault.commit.short());
                        format!("`{path}`: {what} (commit {commit} by {})", fault.author)
                    }));
                }
            }
            let read = lineage.read() + origins.read();
            if lineage.compared > self.budget.files || read > self.budget.bytes {
                let what = "too many changes to follow the records whose birth or authorship differs";
                return Ok(Err(format!("{what}: {IN_PARTS}")));
            }
        }
        Ok(Ok(faults))
    }
}

impl FileCheck<'_> {
    /// Whether the parent of a pushed commit is neither pushed nor the current head of the ref.
    fn is_fork(&self, steps: &[HistoryLink]) -> bool {
        let Some(before) = self.before else { return false };
        let mut known: BTreeSet<ObjectId> = steps.iter().map(|step| step.commit).collect();
        known.insert(before.commit());
        steps.iter().flat_map(|step| &step.parents).any(|parent| !known.contains(parent))
    }
}
