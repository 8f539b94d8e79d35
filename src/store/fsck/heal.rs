//! Repairs records and entries in place: stamps from the future, and other spellings of what the format spells in one
//! way. Each repair is a write like any other, which the other clones get by merging.

use std::collections::BTreeSet;

use super::Findings;
use crate::model::redaction::{ASIDE, Redaction};
use crate::model::time::Time;
use crate::store::error::StoreError;
use crate::store::layout::{self, Form, form};
use crate::store::redact::Redactions;
use crate::store::repo::Store;
use crate::store::snapshot::Read;
use crate::store::tx::Tx;

/// How many of the newest commits are asked what time it is.
const ASKED: usize = 50;

/// What a repair has to change in place.
#[derive(Debug, Clone)]
pub(crate) struct ToHeal {
    paths: BTreeSet<String>,
    /// The clock by which stamps are ahead.
    pub(crate) now: Time,
    /// Whether only stamps of the far future count, which no clock has to confirm.
    pub(crate) is_clock_doubtful: bool,
}

/// What was repaired, by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Healed {
    /// Records that got early stamps in a new epoch.
    pub(crate) restamped: Vec<String>,
    /// Entries that were set aside.
    pub(crate) aside: Vec<String>,
    /// Records and entries that were written in the form of the format.
    pub(crate) rewritten: Vec<String>,
    /// Records in the last epoch.
    pub(crate) stuck: Vec<String>,
}

impl Healed {
    /// Whether something was judged by the clock.
    pub(crate) fn is_by_clock(&self) -> bool {
        !self.restamped.is_empty() || !self.aside.is_empty()
    }
}

impl ToHeal {
    /// The time by which stamps count as ahead.
    fn limit(&self) -> Time {
        // Nothing but the far future is ahead of the last time there is.
        if self.is_clock_doubtful { Time::LAST } else { self.now }
    }
}

impl Store {
    /// What a repair has to change in place. With `trust_clock` the clock of this machine is right, whatever the history
    /// says; without it, it is doubted if most of the newest commits are dated a day or more after it.
    pub(crate) fn to_heal(&self, trust_clock: bool) -> Result<ToHeal, StoreError> {
        let mut found = Findings::default();
        let snapshot = self.unchecked(&mut found)?;
        let now = self.now()?;
        self.check_tree(&snapshot, now, &mut found)?;
        let is_clock_doubtful = !trust_clock && self.is_behind(snapshot.commit(), now)?;
        Ok(ToHeal { paths: found.to_heal, now, is_clock_doubtful })
    }

    /// Whether most of the newest commits say that it is later than `now` by more than a day.
    fn is_behind(&self, tip: gix::ObjectId, now: Time) -> Result<bool, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let mut dates = Vec::new();
        for info in self.repo.rev_walk([tip]).all().map_err(&failed)?.take(ASKED) {
            // A damaged history says what it can.
            let Ok(info) = info else { break };
            // The first commit has the same date in all stores.
            if info.parent_ids().next().is_some() {
                dates.push(self.link(info.id)?.committed);
            }
        }
        let is_later = |seconds: &&i64| Time::from_seconds(**seconds).is_none_or(|it| it.is_day_after(now));
        Ok(dates.iter().filter(is_later).count() * 2 > dates.len())
    }
}

impl Tx<'_> {
    /// Repairs what is at these paths.
    pub(crate) fn heal(&mut self, to_heal: &ToHeal) -> Result<Healed, StoreError> {
        let mut healed = Healed::default();
        for path in &to_heal.paths {
            match form(path).0 {
                Form::Doc(schema) => {
                    let Some(bytes) = self.file(path)? else { continue };
                    let id = form(path).1;
                    let Ok(doc) = layout::own_doc(schema, id.as_deref(), &bytes) else { continue };
                    if doc.ahead_of(to_heal.limit()).is_empty() {
                        self.respell(path, &mut healed)?;
                        continue;
                    }
                    match doc.repaired(to_heal.limit()) {
                        Some(repaired) => {
                            self.write_doc(path.clone(), &repaired)?;
                            healed.restamped.push(path.clone());
                        }
                        None => healed.stuck.push(path.clone()),
                    }
                }
                Form::Entry(_) => {
                    self.respell(path, &mut healed)?;
                    if layout::entry_stamp(path).is_some_and(|at| at.is_ahead_of(to_heal.limit()))
                        && self.set_aside(path)?
                    {
                        healed.aside.push(path.clone());
                    }
                }
                Form::Unknown => {}
            }
        }
        Ok(healed)
    }

    /// Writes a sound record in the form of the format.
    fn respell(&mut self, path: &str, healed: &mut Healed) -> Result<(), StoreError> {
        let Some(bytes) = self.file(path)? else { return Ok(()) };
        if let Some(canonical) = layout::canonical(path, &bytes).filter(|canonical| *canonical != bytes) {
            self.write(path.to_owned(), canonical)?;
            healed.rewritten.push(path.to_owned());
        }
        Ok(())
    }

    /// Writes that an entry counts for nothing. Whether it did before.
    fn set_aside(&mut self, path: &str) -> Result<bool, StoreError> {
        let Some((folder, target)) = layout::redacted_by(path) else { return Ok(false) };
        if Redactions::of(self, &folder)?.sets_aside(path) {
            return Ok(false);
        }
        let (author, created_at) = (self.person().to_owned(), self.stamper().now());
        self.append(&format!("{folder}/{}", layout::REDACTIONS), |id| Redaction {
            id,
            target,
            field: ASIDE.to_owned(),
            stamp: None,
            reason: "stamped in the future".to_owned(),
            author,
            created_at,
        })?;
        Ok(true)
    }
}
