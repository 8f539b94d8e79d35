//! Fields that two sides changed differently, as the merge commits show; nothing is stored about it. A conflict is
//! open until someone who has the merge in their history writes the field; a write without that merge does not
//! resolve it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::git::ObjectId;
use crate::index::{Index, Refreshing};
use crate::model::{Doc, EpochStamp, Person, Priority, SideValue, Time, hex};
use crate::store::{Redactions, Snapshot, Store, StoreError, layout};

mod found;
mod history;
mod imported;
mod kept;

use found::Met;
use history::read;
use kept::KeptConflicts;

/// The key of a whole record, one that was born twice.
pub(crate) const WHOLE: &str = "*";

#[serde_with::skip_serializing_none]
/// The value that one side wrote, and its author.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub(crate) struct ConflictSide {
    /// The value; null if it was removed.
    pub(crate) value: Value,
    /// Who wrote it; missing if the commit cannot be found.
    pub(crate) author: Option<Person>,
    /// When, by the author's clock.
    pub(crate) at: Option<Time>,
}

/// A field with two values, one of which is in force.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub(crate) struct Conflict {
    /// The record's file in the tree of the ref.
    pub(crate) path: String,
    /// The record's id.
    pub(crate) record: String,
    /// `title`, `tags/auth`, `extended_context/notes`; `*` if the whole record was born twice.
    pub(crate) field: String,
    /// The value in force.
    pub(crate) stands: ConflictSide,
    /// The value that lost.
    pub(crate) other: ConflictSide,
    /// The commit that decided: a merge, unless someone replaced the record with another.
    pub(crate) merge: String,
}

impl Conflict {
    /// A digest of its place and its values.
    pub(crate) fn digest(&self) -> String {
        let parts = [&self.path, &self.field, &self.stands.value.to_string(), &self.other.value.to_string()];
        hex(&Sha256::digest(parts.map(String::as_str).join("\0")))
    }

    /// One of its values as people read it: the priority of an issue has a name.
    pub(crate) fn in_words<'a>(&self, side: &'a ConflictSide) -> Cow<'a, Value> {
        const PRIORITY: &str = "priority";
        let name = |value: &Value| Priority::from_json(value).map(|priority| Value::from(priority.name()));
        let value = Cow::Borrowed(&side.value);
        match &side.value {
            _ if !layout::is_issue(&self.path) => value,
            number if self.field == PRIORITY => name(number).map_or(value, Cow::Owned),
            Value::Object(fields) if self.field == WHOLE => match fields.get(PRIORITY).and_then(name) {
                Some(name) => {
                    let mut fields = fields.clone();
                    fields.insert(PRIORITY.to_owned(), name);
                    Cow::Owned(Value::Object(fields))
                }
                None => value,
            },
            _ => value,
        }
    }
}

/// The number of open conflicts that came with what was merged since `tip`. The cost depends on what was merged, not on
/// the whole history.
pub(crate) fn count_since(store: &Store, tip: Option<ObjectId>) -> Result<usize, StoreError> {
    let now = store.snapshot()?;
    let met = history::unsettled_since(store, now.commit(), tip)?;
    Ok(still_open(&now, met)?.len())
}

/// A field with two values, without them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenField {
    /// The record's id.
    pub(crate) record: String,
    /// The field, as in [`Conflict`].
    pub(crate) field: String,
}

/// The fields with open conflicts, in the order of [`open`].
pub(crate) fn open_fields(
    store: &Store,
    index: &Index<'_>,
    watch: Refreshing<'_>,
) -> Result<Vec<OpenField>, StoreError> {
    let now = index.snapshot()?;
    Ok(still_open(&now, unsettled(store, index, watch)?)?
        .into_iter()
        .map(|(met, current)| OpenField { record: record_id(&current), field: met.key })
        .collect())
}

/// All open conflicts, ordered by path, field, and the stamp of the value that lost.
pub(crate) fn open(
    store: &Store,
    index: &Index<'_>,
    watch: Refreshing<'_>,
) -> Result<Vec<Conflict>, StoreError> {
    let now = index.snapshot()?;
    let mut found = Vec::new();
    for (met, current) in still_open(&now, unsettled(store, index, watch)?)? {
        let stands = written(&current, &met.key);
        found.push(Conflict {
            record: record_id(&current),
            field: met.key.clone(),
            stands: side(store, &met, &stands, now.commit())?,
            other: side(store, &met, &met.lost, met.lost_head)?,
            merge: met.merge.to_string(),
            path: met.path,
        });
    }
    Ok(found)
}

/// The conflicts that nobody has resolved. Only the history since the last time is read.
fn unsettled(store: &Store, index: &Index<'_>, watch: Refreshing<'_>) -> Result<Vec<Met>, StoreError> {
    let before = KeptConflicts::read(index);
    let since = before.as_ref().map(|kept| kept.commit);
    let (met, kept) = history::unsettled(store, index.commit(), before, watch)?;
    if let Some(kept) = kept.filter(|kept| since != Some(kept.commit)) {
        kept.write(index);
    }
    Ok(met)
}

/// Each value that lost, with the record as it is now.
fn still_open(now: &Snapshot<'_>, unsettled: Vec<Met>) -> Result<Vec<(Met, Doc)>, StoreError> {
    let mut found: BTreeMap<(String, String, Option<EpochStamp>), (Met, Doc)> = BTreeMap::new();
    for met in unsettled {
        let Some(current) = read(now, met.schema, &met.path)? else { continue };
        let stands = written(&current, &met.key);
        // If someone else came to the same value, both sides have what they wanted.
        if stands.value != met.lost.value {
            let key = (met.path.clone(), met.key.clone(), met.lost.stamp.clone());
            found.entry(key).or_insert((met, current));
        }
    }
    Ok(found.into_values().collect())
}

fn written(doc: &Doc, key: &str) -> SideValue {
    if key == WHOLE {
        return doc.whole();
    }
    SideValue { stamp: doc.made(key), value: doc.value(key).cloned() }
}

fn record_id(doc: &Doc) -> String {
    let fields = doc.fields();
    let id = fields.get("id").or_else(|| fields.get("solution_id")).and_then(Value::as_str);
    id.unwrap_or("wf.json").to_owned()
}

/// The author of a value: that of the commit in the side's history in which the field first has its stamp.
fn side(store: &Store, met: &Met, written: &SideValue, head: ObjectId) -> Result<ConflictSide, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let mut at = head;
    let author = loop {
        let commit = store.repo().commit(at).map_err(&failed)?;
        let here = store.snapshot_at(at).ok().map(|state| state.entry(&met.path)).transpose()?;
        let mut earlier = None;
        for parent in commit.parents() {
            let Ok(state) = store.snapshot_at(parent) else { continue };
            // Most commits leave the file as it is.
            let bears = here == Some(state.entry(&met.path)?)
                || read(&state, met.schema, &met.path)?
                    .is_some_and(|doc| doc.made(&met.key) == written.stamp);
            if bears {
                earlier = Some(parent);
                break;
            }
        }
        match earlier {
            Some(parent) => at = parent,
            None => {
                break commit
                    .author()
                    .ok()
                    .map(|who| Person::known(&who.name.to_string(), &who.email.to_string(), None));
            }
        }
    };
    // The value may have been redacted since.
    let hidden = Redactions::at(&store.snapshot()?, &met.path)?;
    let value = written.value.clone().unwrap_or_default();
    Ok(ConflictSide {
        value: hidden.value(&met.path, &met.key, written.stamp.as_ref(), value),
        author,
        at: written.stamp.as_ref().map(EpochStamp::time),
    })
}
