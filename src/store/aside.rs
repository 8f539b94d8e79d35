//! Redactions that set an entry aside, because it was stamped in the future. What counts is where the two lie in their
//! logs, so that every clone reads the same; and who places such a redaction in the past can silence any entry. So a gate
//! holds it to its own clock, and without one it is held to the date of the commit that brought it.

use std::collections::{BTreeMap, HashSet};

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::error::StoreError;
use super::identity_steps::Rewritten;
use super::layout;
use super::repo::Store;
use super::snapshot::{Snapshot, read_blob};
use crate::model::redaction::{ASIDE, Redaction};
use crate::model::stamp::Stamp;
use crate::model::time::Time;
use crate::model::{strict, typed};

/// An entry that a redaction sets aside.
pub(super) struct Aside {
    /// The entry's file.
    pub(super) target: String,
    /// Its place in its log.
    entry: Stamp,
}

impl Aside {
    /// What the redaction at `path` sets aside; `None` if it is none, or one that hides something.
    pub(super) fn by(path: &str, bytes: &[u8]) -> Option<Self> {
        let folder = path.rsplit_once('/')?.0.strip_suffix(layout::REDACTIONS)?;
        let redaction: Redaction = typed::read(&strict::parse(bytes).ok()?).ok()?;
        if redaction.field != ASIDE {
            return None;
        }
        let target = format!("{folder}{}", redaction.target);
        let entry = layout::entry_stamp(&target)?;
        entry.is_ahead_of(redaction.id.stamp().time()).then_some(Self { target, entry })
    }

    /// Whether the entry was not in the future at all at `now`.
    pub(super) fn is_fine_at(&self, now: Time) -> bool {
        !self.entry.is_ahead_of(now)
    }
}

impl Store {
    /// Who set entries aside that were fine by the date of their own commit: among what the history of `tip` has and that
    /// of `since` has not.
    pub(super) fn wrongly_aside(
        &self,
        since: Option<ObjectId>,
        tip: ObjectId,
    ) -> Result<Vec<Rewritten>, StoreError> {
        let Some(after) = Snapshot::of_commit(&self.repo, tip)? else { return Ok(Vec::new()) };
        let before = match since {
            Some(since) => Snapshot::of_commit(&self.repo, since)?,
            None => None,
        };
        let mut asides = BTreeMap::new();
        for file in self.differences(before.as_ref().map(Snapshot::tree), after.tree())? {
            let (None, Some((EntryKind::Blob | EntryKind::BlobExecutable, id))) = (file.old, file.new) else {
                continue;
            };
            if file.path.contains(layout::REDACTIONS)
                && let Some(aside) = Aside::by(&file.path, &read_blob(&self.repo, id, &file.path)?)
            {
                asides.insert(file.path, aside);
            }
        }
        if asides.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let mut has: HashSet<(ObjectId, String)> = HashSet::new();
        for (commit, parents) in self.parents_first(&[tip], since)? {
            let Some(state) = Snapshot::of_commit(&self.repo, commit)? else { continue };
            for (path, aside) in &asides {
                if state.entry(path)?.is_none() {
                    continue;
                }
                has.insert((commit, path.clone()));
                let at = Time::from_seconds(self.committed(commit)?).unwrap_or(Time::EPOCH);
                if parents.iter().any(|parent| has.contains(&(*parent, path.clone())))
                    || !aside.is_fine_at(at)
                {
                    continue;
                }
                found.push(Rewritten {
                    path: path.clone(),
                    what: format!("set `{}` aside, which was not stamped in the future", aside.target),
                    commit: commit.to_string(),
                    author: self.step(commit)?.author,
                });
            }
        }
        Ok(found)
    }
}
