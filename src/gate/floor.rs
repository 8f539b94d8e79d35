//! Who may loosen the policy of a store on a server: anyone, as far as the server's `wf.floor` allows it; and, with
//! their signature, the owners that its `wf.owner` names.

use std::collections::HashSet;

use serde_json::Value;

use super::signatures::{Signature, signatures};
use crate::git::ObjectId;
use crate::model::{Op, Policy, Time, strict};
use crate::rules::policy::{Floor, loosened};
use crate::rules::{Gate, roles};
use crate::store::{ReadState, Store, StoreError, layout, one_line};

const KEY: &str = "wf.floor";
/// May be set several times. Each value is the fingerprint of a key, or an SSH principal.
const OWNER: &str = "wf.owner";
/// How far clocks may differ, and for how long an owner's signature is accepted. In seconds.
const DAY: i64 = 24 * 60 * 60;

/// Reads `wf.floor`. If it is invalid, every push is rejected.
pub(super) fn read(store: &Store) -> Result<Floor, StoreError> {
    let values = store.config_all(KEY);
    Floor::parse(values.iter().map(String::as_str)).map_err(|error| StoreError::Config {
        key: KEY.into(),
        value: format!("{} ({error})", values.join(",")),
        why: "expected a list such as `commits=required,review=none`, or `none`",
    })
}

/// The refusal of a push that loosens the policy without permission.
pub(super) struct FloorRefusal {
    /// The gates that it loosens, described.
    pub(super) faults: Vec<String>,
    /// Whether an owner has to decide it again.
    pub(super) is_stale: bool,
}

/// Refuses a push that loosens gates, unless it may. It moves the store from `tip`, with the policy `before`, to `new`, with the
/// policy `after`.
pub(super) fn refusal(
    store: &Store,
    floor: &Floor,
    tip: Option<ObjectId>,
    before: &Policy,
    new: ObjectId,
    after: &Policy,
) -> Result<Option<FloorRefusal>, StoreError> {
    let gates = loosened(before, after);
    if gates.is_empty() {
        return Ok(None);
    }
    let Some(tip) = tip else { return Ok(None) };
    let owners: Vec<String> = store.config_all(OWNER).into_iter().filter(|name| !name.is_empty()).collect();
    let (mut faults, mut is_stale) = (Vec::new(), false);
    for gate in gates {
        let why = match floor.allows(gate, after) {
            Some(true) => continue,
            Some(false) => format!("`{KEY}` of this server does not allow it"),
            None if owners.is_empty() => format!("`{OWNER}` of this server names no one who may do so"),
            None => match unsanctioned(store, &owners, gate, tip, new)? {
                None => continue,
                Some(why) => {
                    is_stale |= why.is_stale();
                    why.to_string()
                }
            },
        };
        let [from, to] = [before, after].map(|policy| gate.word(gate.setting(policy)));
        faults.push(format!("{gate} from {from} to {to}: {why}"));
    }
    Ok((!faults.is_empty()).then_some(FloorRefusal { faults, is_stale }))
}

/// Why no owner's signature covers the value of a gate.
#[derive(Debug, thiserror::Error)]
enum NotAuthorized {
    #[error("no one named in `{OWNER}` of this server has signed it")]
    Nobody,
    #[error("`{OWNER}` of this server does not name `{0}`, who signed it")]
    Another(String),
    #[error("the key that signed it has expired")]
    Expired,
    #[error("git on this server does not have or does not trust the key `{0}`, which signed it")]
    Untrusted(String),
    #[error("git on this server cannot check its signature")]
    Unchecked,
    #[error("an owner signed it in the role `{0}`, which may not change the policy")]
    Role(String),
    #[error("the owner who signed it did not know the latest state of this server")]
    Elsewhere,
    #[error(
        "the owner's commit is dated {0}: before the latest commit of this server, in the future, or more than a day ago"
    )]
    Date(Time),
}

impl NotAuthorized {
    /// Whether it would be accepted if the owner did it again now.
    fn is_stale(&self) -> bool {
        matches!(self, Self::Elsewhere | Self::Date(_))
    }
}

/// The value of a gate in a commit of the store, with its stamp.
#[derive(Debug, PartialEq)]
struct Setting {
    value: Value,
    stamp: Value,
}

impl Setting {
    /// `None` for a record that cannot be read; without a record, no gate is set.
    fn read(root: Option<&[u8]>, gate: Gate) -> Option<Self> {
        let root = root.map_or(Ok(Value::Null), strict::parse).ok()?;
        let clock = &root["clock"];
        let own = &clock[format!("policy/{gate}")];
        let stamp = if own.is_null() { &clock["*"] } else { own };
        Some(Self { value: root["policy"][gate.as_str()].clone(), stamp: stamp.clone() })
    }
}

/// Looks for an owner's commit that gave the gate its final value. All stores share their first commit, so a push can
/// bring commits that an owner signed for any other store: only a commit on top of `tip` was meant for this server.
/// Merges are never signed, and only repeat what one of their sides says.
fn unsanctioned(
    store: &Store,
    owners: &[String],
    gate: Gate,
    tip: ObjectId,
    new: ObjectId,
) -> Result<Option<NotAuthorized>, StoreError> {
    let in_the_end = Setting::read(store.snapshot_at(new)?.file(layout::ROOT_PATH)?.as_deref(), gate);
    let mut on_tip = HashSet::from([tip]);
    let mut writers = Vec::new();
    for link in store.commits_between(Some(tip), new)? {
        if link.parents.iter().any(|parent| on_tip.contains(parent)) {
            on_tip.insert(link.commit);
        }
        let [parent] = link.parents[..] else { continue };
        let before = store.snapshot_at(parent)?.file(layout::ROOT_PATH)?;
        let after = store.snapshot_at(link.commit)?.file(layout::ROOT_PATH)?;
        if before == after {
            continue;
        }
        let after = Setting::read(after.as_deref(), gate);
        if after.is_some() && after == in_the_end && after != Setting::read(before.as_deref(), gate) {
            writers.push(link);
        }
    }
    let signatures = signatures(store, writers.iter().map(|link| link.commit))?;
    let dates = Dates::around(store.now()?, store.committed(tip)?);
    let mut found = NotAuthorized::Nobody;
    for link in &writers {
        let role = store.step(link.commit)?.role.filter(|role| !roles::may(role, Op::Settings.as_str()));
        found = match signatures.get(&link.commit) {
            None | Some(Signature::Nobodys) => NotAuthorized::Nobody,
            Some(Signature::Expired) => NotAuthorized::Expired,
            Some(Signature::Untrusted(key)) => NotAuthorized::Untrusted(one_line(key)),
            Some(Signature::Unchecked) => NotAuthorized::Unchecked,
            Some(Signature::By(who)) if !owners.iter().any(|owner| who.is_by(owner)) => {
                NotAuthorized::Another(one_line(who.name()))
            }
            Some(Signature::By(_)) => match role {
                Some(role) => NotAuthorized::Role(one_line(&role)),
                None if !on_tip.contains(&link.commit) => NotAuthorized::Elsewhere,
                None if !dates.have(link.committed) => {
                    NotAuthorized::Date(Time::from_seconds(link.committed).unwrap_or(Time::EPOCH))
                }
                None => return Ok(None),
            },
        };
    }
    Ok(Some(found))
}

/// The allowed dates of an owner's commit, in seconds since 1970. git checks whether a key had expired at the
/// commit's own date, and the owner of an expired key can write any date.
struct Dates {
    earliest: i64,
    latest: i64,
}

impl Dates {
    /// If the latest commit of the server is dated in the future by a wrong clock, its date is ignored.
    fn around(now: Time, of_tip: i64) -> Self {
        let now = now.millis() / 1000;
        let since = if of_tip <= now { of_tip } else { i64::MIN };
        Self { earliest: since.max(now - DAY), latest: now + DAY }
    }

    fn have(&self, date: i64) -> bool {
        (self.earliest..=self.latest).contains(&date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_cannot_be_read_is_not_one_without_a_policy() {
        let unset = Setting { value: Value::Null, stamp: Value::Null };
        assert_eq!(Setting::read(None, Gate::Review).unwrap(), unset);
        assert_eq!(Setting::read(Some(b"{}"), Gate::Review).unwrap(), unset);
        for broken in [&b""[..], b"{", b"{\"format\": 1, \"format\": 1}"] {
            assert_eq!(Setting::read(Some(broken), Gate::Review), None);
        }
    }

    #[test]
    fn an_owners_commit_is_of_the_last_day_and_not_older_than_the_servers() {
        let now = 1_795_226_400;
        for (tip, date, is_in) in [
            (now - 60, now, true),
            (now - 60, now - 60, true),
            (now - 60, now - 61, false),
            // Clocks may differ as much as for the stamps of records.
            (now - 60, now + 60, true),
            (now - 60, now + 2 * DAY, false),
            (now - 9 * DAY, now - DAY, true),
            (now - 9 * DAY, now - 2 * DAY, false),
            // A commit dated in the future must not lock the owners out.
            (now + 9 * DAY, now, true),
            (now + 9 * DAY, now - 2 * DAY, false),
            (now + 9 * DAY, now + 9 * DAY, false),
        ] {
            assert_eq!(
                Dates::around(Time::from_seconds(now).unwrap(), tip).have(date),
                is_in,
                "{tip} {date}"
            );
        }
    }
}
