//! Repairs records and entries in place: stamps in the future, and records that are not in canonical form. A repair
//! is an ordinary write, which other clones merge.

use std::collections::BTreeSet;

use bstr::ByteSlice;

use super::{Findings, files, unchecked};
use crate::git::{self, ObjectId};
use crate::model::{ASIDE, Redaction, Time};
use crate::store::layout::{self, form};
use crate::store::{Form, NEUTRAL_EMAIL, ReadState, RedactionCache, Store, StoreError, Tx};

/// The number of newest commits that are compared with the clock.
const ASKED: usize = 50;

/// What a repair must change in place.
#[derive(Debug, Clone)]
pub(super) struct ToHeal {
    paths: BTreeSet<String>,
    /// The clock that stamps in the future are compared with.
    pub(super) now: Time,
}

/// The repaired paths.
#[derive(Debug, Clone, Default)]
pub(super) struct Healed {
    /// Records that moved to a new epoch.
    pub(super) freed: Vec<String>,
    /// Records with full sets that moved to a new epoch.
    pub(super) emptied: Vec<String>,
    /// Entries that were set aside.
    pub(super) aside: Vec<String>,
    /// Records and entries that were rewritten in canonical form.
    pub(super) rewritten: Vec<String>,
    /// Records that are in the last epoch.
    pub(super) stuck: Vec<String>,
}

impl Healed {
    /// Whether any repair depended on the clock.
    pub(super) fn is_by_clock(&self) -> bool {
        !self.freed.is_empty() || !self.aside.is_empty()
    }
}

/// What a repair must change in place. Repairs that need no clock (canonical form, stamps in the far future) are
/// always included. For the others, a clock that the history contradicts is refused unless `trust_clock` is set:
/// a clock that is behind would "repair" correct records.
pub(super) fn wanted(store: &Store, trust_clock: bool) -> Result<ToHeal, StoreError> {
    let mut found = Findings::default();
    let snapshot = unchecked(store, &mut found)?;
    let now = store.now()?;
    files::check(store, &snapshot, now, &mut found, &mut |_, _, _| {})?;
    if found.needs_clock
        && !trust_clock
        && let Some(why) = contradicts(store, snapshot.commit(), now)?
    {
        return Err(StoreError::DoubtedClock { now, why });
    }
    Ok(ToHeal { paths: found.to_heal, now })
}

/// How the newest commits contradict `now`, if they do: either someone else made a commit on another machine that
/// is dated more than a day later, or most of all commits are.
fn contradicts(store: &Store, tip: ObjectId, now: Time) -> Result<Option<String>, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let own = store.identity()?.email.to_lowercase();
    let (mut later, mut all) = (0, 0);
    for info in store.repo().walk([tip], []).map_err(&failed)?.take(ASKED) {
        // Use as much of a damaged history as can be read.
        let Ok(info) = info else { break };
        let commit = store.repo().commit(info.id).map_err(&failed)?;
        let committer = commit.committer().map_err(&failed)?;
        let email = committer.email.to_str_lossy().to_lowercase();
        // A merge has the date of one of its parents, and the first commit is the same in all stores.
        if email == NEUTRAL_EMAIL {
            continue;
        }
        all += 1;
        let at = Time::from_seconds(store.link(info.id)?.committed).unwrap_or(Time::LAST);
        if !at.is_day_after(now) {
            continue;
        }
        later += 1;
        if email != own {
            let (id, name) = (git::short(info.id), committer.name.to_str_lossy());
            return Ok(Some(format!("commit {id} by {name} <{email}> is dated {at}, more than a day later")));
        }
    }
    Ok((later * 2 > all).then(|| "most of the newest commits are dated more than a day later".to_owned()))
}

/// Repairs the given paths.
pub(super) fn heal(tx: &mut Tx<'_>, to_heal: &ToHeal) -> Result<Healed, StoreError> {
    let mut healed = Healed::default();
    let mut shelf = RedactionCache::default();
    for path in &to_heal.paths {
        match form(path).0 {
            Form::Doc(schema) => {
                let Some(bytes) = tx.file(path)? else { continue };
                let id = form(path).1;
                let Ok(doc) = layout::own_doc(schema, id.as_deref(), &bytes) else { continue };
                let is_ahead = !doc.ahead_of(to_heal.now).is_empty();
                if !is_ahead && !doc.is_full() {
                    respell(tx, path, &mut healed)?;
                    continue;
                }
                match doc.repaired() {
                    Some(repaired) => {
                        tx.write_doc(path.clone(), &repaired)?;
                        let list = if is_ahead { &mut healed.freed } else { &mut healed.emptied };
                        list.push(path.clone());
                    }
                    None => healed.stuck.push(path.clone()),
                }
            }
            Form::Entry(_) => {
                respell(tx, path, &mut healed)?;
                if layout::entry_stamp(path).is_some_and(|at| at.is_ahead_of(to_heal.now))
                    && set_aside(tx, path, &mut shelf)?
                {
                    healed.aside.push(path.clone());
                }
            }
            Form::Unknown => {}
        }
    }
    Ok(healed)
}

/// Rewrites a valid record in canonical form.
fn respell(tx: &mut Tx<'_>, path: &str, healed: &mut Healed) -> Result<(), StoreError> {
    let Some(bytes) = tx.file(path)? else { return Ok(()) };
    if let Some(canonical) = layout::canonical(path, &bytes).filter(|canonical| *canonical != bytes) {
        tx.write(path.to_owned(), canonical)?;
        healed.rewritten.push(path.to_owned());
    }
    Ok(())
}

/// Sets an entry aside. Returns false if it already was.
fn set_aside(tx: &mut Tx<'_>, path: &str, shelf: &mut RedactionCache) -> Result<bool, StoreError> {
    let Some((folder, target)) = layout::redacted_by(path) else { return Ok(false) };
    // The entry may have been set aside since the directory was read.
    if shelf.at(tx, path)?.sets_aside(path) {
        return Ok(false);
    }
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    tx.append(&format!("{folder}/{}", layout::REDACTIONS), |id| Redaction {
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
