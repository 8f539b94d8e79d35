//! Checks one pushed record against the current version.

use crate::model::{Detail, Excess, Op, RecordStep, RemedyCall, Time};
use crate::store::Form;
use crate::store::layout::{self, form};

/// How far a push may raise the epoch of a record. A commit states its own date, so a gate cannot tell a late repair
/// from an unnecessary one.
const MOST_RISES: u16 = 8;

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RecordFault {
    /// Not valid.
    #[error("not a readable record")]
    Broken,
    /// Valid, but not in canonical form.
    #[error("not in canonical form")]
    Encoding,
    /// The number of epochs is limited, and nobody needs many at once.
    #[error("raised its epoch from {from} to {to}; one change may raise it by at most {MOST_RISES}")]
    Epochs {
        /// The epoch here.
        from: u16,
        /// The epoch that was pushed.
        to: u16,
    },
    /// Too many elements, or too many fields that this version does not know.
    #[error("{0}")]
    Full(Excess),
    /// Entries never change.
    #[error("changed, although it is written once")]
    Rewritten,
    /// A wrong clock, or a forged stamp.
    #[error("`{what}` is stamped {at}, more than a day ahead of this server's clock")]
    Ahead {
        /// The name in the record's clock; `*` for the whole record.
        what: String,
        /// The stamp's time.
        at: Time,
    },
}

impl RecordFault {
    /// What is wrong, and what the pusher can do.
    pub(super) fn detail(&self) -> Detail {
        let detail = Detail::from(self.to_string());
        let result = match self {
            Self::Encoding => "rewrites it",
            Self::Full(Excess::Full { .. }) => "repairs it, after you have made room",
            Self::Ahead { .. } => "fixes it",
            Self::Full(_) | Self::Broken | Self::Epochs { .. } | Self::Rewritten => return detail,
        };
        detail.remedy(RemedyCall::from(Op::Fsck).flag("repair"), result)
    }
}

/// The result of checking one record.
pub(super) enum RecordVerdict {
    /// Nothing is wrong.
    Sound,
    /// The push must be rejected.
    Fault(RecordFault),
    /// Its identity changed: its birth, its epoch, or a field that is written once. Only its history can tell whether a
    /// merge did that.
    Suspect,
}

/// An upper bound of the number of JSON values in the text, counted without parsing it.
pub(super) fn most_values(bytes: &[u8]) -> usize {
    1 + bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count()
}

/// Checks the new version of the record at `path`. A broken old version counts as absent: anyone may repair it.
pub(super) fn check(path: &str, old: Option<&[u8]>, new: &[u8], now: Time) -> RecordVerdict {
    let (form, id) = form(path);
    let id = id.as_deref();
    match form {
        Form::Unknown => RecordVerdict::Sound,
        Form::Entry(once) => {
            let Ok(file) = layout::entry_file(once, id, new) else {
                return RecordVerdict::Fault(RecordFault::Broken);
            };
            let old = old.and_then(|bytes| Some((bytes, layout::entry_file(once, id, bytes).ok()?)));
            if file.canonical != new {
                return RecordVerdict::Fault(RecordFault::Encoding);
            }
            match old {
                // Equal content, now in canonical form.
                Some((bytes, old)) if old.canonical == file.canonical && bytes != old.canonical => {
                    RecordVerdict::Sound
                }
                Some(_) => RecordVerdict::Fault(RecordFault::Rewritten),
                None => match layout::entry_stamp(path).filter(|stamp| stamp.is_ahead_of(now)) {
                    Some(stamp) => {
                        RecordVerdict::Fault(RecordFault::Ahead { what: "*".into(), at: stamp.time() })
                    }
                    None => RecordVerdict::Sound,
                },
            }
        }
        Form::Doc(schema) => {
            let Ok(doc) = layout::own_doc(schema, id, new) else {
                return RecordVerdict::Fault(RecordFault::Broken);
            };
            if doc.to_bytes() != new {
                return RecordVerdict::Fault(RecordFault::Encoding);
            }
            let old = old.and_then(|bytes| layout::own_doc(schema, id, bytes).ok());
            let step = RecordStep::between(old.as_ref(), &doc, now);
            if let Some((what, stamp)) = step.latest.as_ref().filter(|(_, stamp)| stamp.is_ahead_of(now)) {
                return RecordVerdict::Fault(RecordFault::Ahead { what: what.clone(), at: stamp.time() });
            }
            if let Err(full) = doc.check_growth(old.as_ref()) {
                return RecordVerdict::Fault(RecordFault::Full(full));
            }
            let epoch = doc.epoch();
            if step.rise > MOST_RISES {
                RecordVerdict::Fault(RecordFault::Epochs { from: epoch - step.rise, to: epoch })
            } else if step.is_suspect() {
                RecordVerdict::Suspect
            } else {
                RecordVerdict::Sound
            }
        }
    }
}
