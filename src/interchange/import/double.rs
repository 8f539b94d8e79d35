//! Several records of one issue, as a union merge of two files leaves them: they become one.

use std::borrow::Cow;

use serde_json::Value;

use super::Batch;
use super::settle::Fresh;
use crate::interchange::tracker::Arrival;

/// What the second pass reads.
pub(super) enum Read {
    Whole(Cow<'static, str>, u64, Option<Fresh>, Arrival),
    Part(FoundPart),
}

/// One of several records of an issue.
pub(super) struct FoundPart {
    pub(super) index: usize,
    pub(super) unit: Cow<'static, str>,
    pub(super) number: u64,
    pub(super) record: Value,
    pub(super) arrival: Arrival,
}

impl Batch {
    /// The records of one issue as one, at the place of the one that counts.
    pub(super) fn joined(&self, mut parts: Vec<FoundPart>) -> Option<(Cow<'static, str>, u64, Arrival)> {
        let counts = self.places.get(&parts.first()?.arrival.issue.id)?.index;
        parts.sort_by_key(|part| (part.index == counts, part.arrival.changed, part.index));
        let last = parts.pop()?;
        let union = self.tracker.union?;
        // The latest of the others comes first, since it knows more of the state.
        let record = parts.iter().rev().fold(last.record, |whole, part| union(&part.record, &whole));
        // Two sound records may be too much for one.
        let arrival = (self.tracker.read)(&record).unwrap_or(last.arrival);
        Some((last.unit, last.number, arrival))
    }
}
