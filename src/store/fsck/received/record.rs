//! One record that a push brings, against the one that was there.

use serde_json::{Map, Value};

use crate::model::doc::{Doc, Step, file_bytes};
use crate::model::id::EntryId;
use crate::model::schema::{Births, Schema};
use crate::model::stamp::Stamp;
use crate::model::strict;
use crate::model::time::Time;
use crate::store::fsck::files;
use crate::store::layout::{Form, form};

/// Clocks differ by minutes. What is stamped later than this, in milliseconds, would win over everything that is written
/// until then.
const AHEAD: i64 = 24 * 60 * 60 * 1000;

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// Not sound.
    #[error("not a record that can be read")]
    Broken,
    /// Sound, and another program would write other bytes for it.
    #[error("not in the byte form of the format, in which `git wf` writes it")]
    Encoding,
    /// An entry is what it was.
    #[error("it is written once, and was changed")]
    Rewritten,
    /// A field of a record is what it was.
    #[error("`{0}` is written once, and was changed")]
    Once(&'static str),
    /// Another record took its place.
    #[error("another record under its id, born at {new}, took the place of the one born at {old}")]
    Birth {
        /// The birth that was there.
        old: String,
        /// The one that was pushed.
        new: String,
    },
    /// A record is started anew only where nothing else helps, and once at a time.
    #[error("{0}")]
    Epoch(String),
    /// A clock that is wrong, or a lie.
    #[error("`{what}` is stamped {at}, more than a day ahead of the clock of this server")]
    Ahead {
        /// The name in the record's clock; `*` for the record as a whole.
        what: String,
        /// The stamp's time.
        at: Time,
    },
}

/// No fewer than there are JSON values in the text, found without reading it.
pub(super) fn most_values(bytes: &[u8]) -> usize {
    1 + bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count()
}

/// The first thing that is wrong with the record at `path`.
pub(super) fn fault(path: &str, old: Option<&[u8]>, new: &[u8], now: Time) -> Option<Fault> {
    if !files::is_sound(path, new) {
        return Some(Fault::Broken);
    }
    let Ok(value) = strict::parse(new) else { return Some(Fault::Broken) };
    // A broken record may be mended.
    let old = old.filter(|old| files::is_sound(path, old));
    let (form, id) = form(path);
    match form {
        Form::Unknown => None,
        Form::Entry(_) if old.is_some() => Some(Fault::Rewritten),
        Form::Entry(_) => {
            let stamp = id.as_deref().and_then(|id| EntryId::parse(id).ok()).map(|id| id.stamp());
            let ahead = stamp.filter(|stamp| is_ahead(stamp, now));
            let ahead = ahead.map(|stamp| Fault::Ahead { what: BIRTH.into(), at: stamp.time() });
            (file_bytes(&value) != new).then_some(Fault::Encoding).or(ahead)
        }
        Form::Doc(schema) => of_doc(schema, old, (new, &value), now),
    }
}

/// Whether what lies at `path` is still the record that it was. One that was not there, or was broken, may be any.
pub(super) fn is_same_birth(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> bool {
    let (Form::Doc(schema), _) = form(path) else { return true };
    let read = |bytes: Option<&[u8]>| bytes.and_then(|bytes| Doc::parse(schema, bytes).ok());
    match (read(old), read(new)) {
        (Some(old), Some(new)) => old.birth() == new.birth(),
        (old, _) => old.is_none(),
    }
}

const CLOCK: &str = "clock";
const BIRTH: &str = "*";

fn of_doc(
    schema: &'static Schema,
    old: Option<&[u8]>,
    (new, value): (&[u8], &Value),
    now: Time,
) -> Option<Fault> {
    let Ok(doc) = Doc::parse(schema, new) else { return Some(Fault::Broken) };
    if doc.to_bytes() != new {
        return Some(Fault::Encoding);
    }
    let before = old.and_then(|old| Doc::parse(schema, old).ok());
    if let Some(fault) = changed(schema, before.as_ref(), &doc) {
        return Some(fault);
    }
    let empty = Map::new();
    let seen = old.and_then(|old| strict::parse(old).ok()).unwrap_or_default();
    let seen = seen.get(CLOCK).and_then(Value::as_object).unwrap_or(&empty);
    let clock = value.get(CLOCK).and_then(Value::as_object).unwrap_or(&empty);
    clock.iter().filter(|(name, stamp)| seen.get(*name) != Some(stamp)).find_map(|(name, stamp)| {
        let stamp = Stamp::parse(stamp.as_str()?).filter(|stamp| is_ahead(stamp, now))?;
        Some(Fault::Ahead { what: name.clone(), at: stamp.time() })
    })
}

/// What a record keeps for as long as it lives. Of two births of one queue item the earlier stands, with what was written
/// once then.
fn changed(schema: &Schema, before: Option<&Doc>, after: &Doc) -> Option<Fault> {
    let step = Step::between(before, after);
    if let Some(why) = step.epoch {
        return Some(Fault::Epoch(why));
    }
    let before = before?;
    if step.is_born_again {
        let is_joined = schema.births == Births::Joined && after.birth() < before.birth();
        let shown = |doc: &Doc| doc.birth().map_or_else(|| "no time".into(), ToString::to_string);
        return (!is_joined).then(|| Fault::Birth { old: shown(before), new: shown(after) });
    }
    step.once.first().copied().map(Fault::Once)
}

fn is_ahead(stamp: &Stamp, now: Time) -> bool {
    stamp.time().millis() > now.millis().saturating_add(AHEAD)
}
