//! The conflicts that a walk has found, each with a number.

use std::collections::HashMap;

use crate::git::ObjectId;
use crate::model::{Apart, EpochStamp, Schema, SideValue};

/// Two values of a field that a merge found.
#[derive(Clone)]
pub(super) struct Met {
    /// The record's file.
    pub(super) path: String,
    /// The kind of record.
    pub(super) schema: &'static Schema,
    /// The field; `*` if the record was born twice.
    pub(super) key: String,
    /// When the value that won was written.
    pub(super) won: Option<EpochStamp>,
    /// The value that lost.
    pub(super) lost: SideValue,
    /// The head that brought it.
    pub(super) lost_head: ObjectId,
    /// The commit that decided.
    pub(super) merge: ObjectId,
    /// Whether it is not a merge: someone replaced the record with another.
    pub(super) is_rewritten: bool,
}

/// Identifies a conflict, however many merges find it: path, field, both stamps, and the value that lost, since a record
/// that was born twice can be edited without another birth.
type Key = (String, String, Option<EpochStamp>, Option<EpochStamp>, Option<String>);

/// Conflicts by their number.
#[derive(Default)]
pub(super) struct FoundConflicts {
    pub(super) all: Vec<Met>,
    by_key: HashMap<Key, u32>,
    by_path: HashMap<String, Vec<u32>>,
}

impl FoundConflicts {
    pub(super) fn get(&self, number: u32) -> &Met {
        &self.all[number as usize]
    }

    /// The numbers of the conflicts at a path.
    pub(super) fn at(&self, path: &str) -> &[u32] {
        self.by_path.get(path).map_or(&[], Vec::as_slice)
    }

    /// The number of a conflict; a new one if no other merge has found it.
    pub(super) fn note(
        &mut self,
        merge: ObjectId,
        heads: [ObjectId; 2],
        schema: &'static Schema,
        path: &str,
        apart: Apart,
    ) -> u32 {
        let [first, second] = apart.sides;
        let (sides, heads) = if rank(&first) > rank(&second) {
            ([first, second], heads)
        } else {
            ([second, first], [heads[1], heads[0]])
        };
        self.note_lost(merge, heads, schema, path, (apart.key, sides), false)
    }

    /// Like [`Self::note`], if the first side is known to win.
    pub(super) fn note_lost(
        &mut self,
        merge: ObjectId,
        [_, lost_head]: [ObjectId; 2],
        schema: &'static Schema,
        path: &str,
        (field, [won, lost]): (String, [SideValue; 2]),
        is_rewritten: bool,
    ) -> u32 {
        let (path, won) = (path.to_owned(), won.stamp);
        self.add(Met { path, schema, key: field, won, lost, lost_head, merge, is_rewritten })
    }

    /// The number of a conflict; a new one if it was not met before.
    pub(super) fn add(&mut self, met: Met) -> u32 {
        let text = met.lost.value.as_ref().map(serde_json::Value::to_string);
        let key = (met.path.clone(), met.key.clone(), met.won.clone(), met.lost.stamp.clone(), text);
        if let Some(known) = self.by_key.get(&key) {
            return *known;
        }
        // Nobody has four billion conflicts to resolve.
        let n = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.by_path.entry(met.path.clone()).or_default().push(n);
        self.by_key.insert(key, n);
        self.all.push(met);
        n
    }
}

/// The order by which a merge decides.
pub(super) fn rank(side: &SideValue) -> (Option<&EpochStamp>, Option<String>) {
    (side.stamp.as_ref(), side.value.as_ref().map(serde_json::Value::to_string))
}
