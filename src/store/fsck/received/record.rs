//! Checks one record that a push brings, against the version that is there.

use crate::model::doc::{Excess, Step};
use crate::model::time::Time;
use crate::store::layout::{self, Form, form};

/// How far a push may raise the epoch of a record. A commit states its own date, so a gate cannot tell a late repair
/// from an unnecessary one.
const MOST_RISES: u16 = 8;

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// Not sound.
    #[error("not a readable record")]
    Broken,
    /// Sound, but spelled in another way than the format does.
    #[error("not in canonical form; `git wf fsck --repair` rewrites it")]
    Encoding,
    /// Epochs are finite, and nobody needs so many at once.
    #[error("raised its epoch from {from} to {to}, more often than {MOST_RISES} times")]
    Epochs {
        /// The epoch here.
        from: u16,
        /// The epoch that was pushed.
        to: u16,
    },
    /// Nobody needs so many elements or fields that nobody knows.
    #[error("{}{}", .0, remedy(.0))]
    Full(Excess),
    /// Entries never change.
    #[error("changed, although it is written once")]
    Rewritten,
    /// A wrong clock, or a lie.
    #[error(
        "`{what}` is stamped {at}, more than a day ahead of this server's clock; `git wf fsck --repair` fixes it"
    )]
    Ahead {
        /// The name in the record's clock; `*` for the record as a whole.
        what: String,
        /// The stamp's time.
        at: Time,
    },
}

fn remedy(excess: &Excess) -> &'static str {
    match excess {
        Excess::Full { .. } => "; remove what is not needed, and `git wf fsck --repair` makes room for it",
        _ => "",
    }
}

/// What a look at one record came to.
pub(super) enum Verdict {
    /// Nothing is wrong.
    Sound,
    /// It must not come in.
    Fault(Fault),
    /// Its identity changed: its birth, its epoch, or a field that is written once. Only its history can tell whether a
    /// merge did that.
    Suspect,
}

/// At least as many JSON values as there are in the text, counted without parsing it.
pub(super) fn most_values(bytes: &[u8]) -> usize {
    1 + bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count()
}

/// Checks the new version of the record at `path`. A broken old version counts as none: anybody may repair it.
pub(super) fn check(path: &str, old: Option<&[u8]>, new: &[u8], now: Time) -> Verdict {
    let (form, id) = form(path);
    let id = id.as_deref();
    match form {
        Form::Unknown => Verdict::Sound,
        Form::Entry(order) => {
            let Ok(file) = layout::entry_file(order, id, new) else { return Verdict::Fault(Fault::Broken) };
            let old = old.and_then(|bytes| Some((bytes, layout::entry_file(order, id, bytes).ok()?)));
            if file.canonical != new {
                return Verdict::Fault(Fault::Encoding);
            }
            match old {
                // The same content, spelled as it should be.
                Some((bytes, old)) if old.canonical == file.canonical && bytes != old.canonical => {
                    Verdict::Sound
                }
                Some(_) => Verdict::Fault(Fault::Rewritten),
                None => match layout::entry_stamp(path).filter(|stamp| stamp.is_ahead_of(now)) {
                    Some(stamp) => Verdict::Fault(Fault::Ahead { what: "*".into(), at: stamp.time() }),
                    None => Verdict::Sound,
                },
            }
        }
        Form::Doc(schema) => {
            let Ok(doc) = layout::own_doc(schema, id, new) else { return Verdict::Fault(Fault::Broken) };
            if doc.to_bytes() != new {
                return Verdict::Fault(Fault::Encoding);
            }
            let old = old.and_then(|bytes| layout::own_doc(schema, id, bytes).ok());
            let step = Step::between(old.as_ref(), &doc, now);
            if let Some((what, stamp)) = step.latest.as_ref().filter(|(_, stamp)| stamp.is_ahead_of(now)) {
                return Verdict::Fault(Fault::Ahead { what: what.clone(), at: stamp.time() });
            }
            if let Err(full) = doc.check_growth(old.as_ref()) {
                return Verdict::Fault(Fault::Full(full));
            }
            let epoch = doc.epoch();
            match step.rise > MOST_RISES {
                true => Verdict::Fault(Fault::Epochs { from: epoch - step.rise, to: epoch }),
                false if step.is_suspect() => Verdict::Suspect,
                false => Verdict::Sound,
            }
        }
    }
}
