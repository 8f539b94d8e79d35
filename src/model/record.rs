//! Records that are written once: log entries and claims. Their ids are derived from their content, so two different
//! sound ones cannot be at the same path. Reading one checks its id and its types.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{EntryId, ExecutionId, Fingerprint, Stamp, json_text, typed};

/// The members of an entry that its id does not depend on.
const BESIDE_ENTRY: &[&str] = &["id"];
/// The members of an execution that its id does not depend on. A rewrite of the history changes which commit holds the
/// plan; the plan's digest verifies what is found there.
const BESIDE_EXECUTION: &[&str] = &["id", "plan_commit"];

/// A member of a record that is written once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordMember {
    name: &'static str,
    part: MemberKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum MemberKind {
    Text,
    Fact,
    Decides,
}

impl RecordMember {
    /// A text that someone wrote.
    pub(crate) const fn text(name: &'static str) -> Self {
        Self { name, part: MemberKind::Text }
    }

    /// An id, a time, a number or a word.
    pub(crate) const fn fact(name: &'static str) -> Self {
        Self { name, part: MemberKind::Fact }
    }

    /// A member on which decisions depend, so that it cannot be hidden.
    pub(crate) const fn decides(name: &'static str) -> Self {
        Self { name, part: MemberKind::Decides }
    }
}

/// Members, in lists: what an entry of a log with types has is declared for each type.
pub(crate) type Members = &'static [&'static [RecordMember]];

/// A record that is written once, or a part of one.
pub(crate) trait Once {
    /// Its members.
    const MEMBERS: Members;
}

/// What is known of one kind of record that is written once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnceSchema {
    ordered: fn(&Value) -> Result<Value, String>,
    members: Members,
}

impl OnceSchema {
    /// The schema of a type.
    pub(crate) const fn new<T: Once + Serialize + DeserializeOwned>() -> Self {
        Self { ordered: ordered_as::<T>, members: T::MEMBERS }
    }

    /// Puts the members of a record in order, unknown ones last, by name; or says which of them has the wrong type.
    /// Numbers stay as they were written.
    pub(crate) fn ordered(&self, record: &Value) -> Result<Value, String> {
        (self.ordered)(record)
    }

    /// The members that someone wrote, by name.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'static str> {
        self.members
            .iter()
            .copied()
            .flatten()
            .filter(|member| member.part == MemberKind::Text)
            .map(|member| member.name)
    }

    /// Whether decisions depend on the member of this name, in an entry of any type.
    pub(crate) fn decides(&self, name: &str) -> bool {
        self.members
            .iter()
            .copied()
            .flatten()
            .any(|member| member.name == name && member.part == MemberKind::Decides)
    }
}

/// An entry of a log.
pub(crate) trait Entry: Serialize {
    /// Its id.
    fn id(&self) -> &EntryId;

    /// Its id, for writing.
    fn id_mut(&mut self) -> &mut EntryId;
}

/// Declares types with a field `id` to be entries.
macro_rules! entries {
    ($($entry:ty),+ $(,)?) => {$(
        impl crate::model::record::Entry for $entry {
            fn id(&self) -> &crate::model::id::EntryId {
                &self.id
            }

            fn id_mut(&mut self) -> &mut crate::model::id::EntryId {
                &mut self.id
            }
        }
    )+};
}

pub(crate) use entries;

/// The entry that `make` builds, at the place of a stamp. `make` is given a placeholder id; the entry gets its real one
/// afterwards, from its content.
pub(crate) fn entry_at<T: Entry>(stamp: &Stamp, make: impl FnOnce(EntryId) -> T) -> T {
    let mut entry = make(EntryId::new(stamp, &Fingerprint::pending()));
    *entry.id_mut() = EntryId::new(stamp, &Fingerprint::from_record(&typed::own_json(&entry), BESIDE_ENTRY));
    entry
}

/// The fingerprint of an execution.
pub(crate) fn execution_fingerprint(execution: &impl Serialize) -> Fingerprint {
    Fingerprint::from_record(&typed::own_json(execution), BESIDE_EXECUTION)
}

/// The id of an entry after a change of its content, at the same place.
pub(crate) fn renamed(before: &EntryId, record: &Value) -> EntryId {
    EntryId::new(&before.stamp(), &Fingerprint::from_record(record, BESIDE_ENTRY))
}

/// Checks that a record that is written once has the id in its path, and that the id matches its content. The error
/// says what is wrong.
pub(crate) fn check_id(id: &str, record: &Value) -> Result<(), String> {
    match (EntryId::parse(id), ExecutionId::parse(id)) {
        (Ok(entry), _) => check_entry_id(&entry, record),
        (_, Ok(execution)) => {
            check_written_id(id, record)?;
            check_fingerprint(execution.fingerprint(), record, BESIDE_EXECUTION)
        }
        // The id of a run does not depend on its content.
        _ => check_written_id(id, record),
    }
}

/// Like [`check_id`], for an entry of a log.
pub(crate) fn check_entry_id(id: &EntryId, record: &Value) -> Result<(), String> {
    check_written_id(id.as_str(), record)?;
    check_fingerprint(id.fingerprint(), record, BESIDE_ENTRY)
}

fn check_written_id(id: &str, record: &Value) -> Result<(), String> {
    if record.get("id").and_then(Value::as_str) == Some(id) {
        Ok(())
    } else {
        Err("it has the id of another record".into())
    }
}

fn check_fingerprint(expected: &str, record: &Value, beside: &[&str]) -> Result<(), String> {
    if Fingerprint::from_record(record, beside).as_str() == expected {
        Ok(())
    } else {
        Err("it was changed after it was written: its id does not match its content".into())
    }
}

/// A `check` for a schema: the fields are those of `T`.
pub(crate) fn check_as<T: DeserializeOwned>(fields: &Value) -> Result<(), String> {
    typed::read::<T>(fields).map(|_| ()).map_err(|e| e.to_string())
}

fn ordered_as<T: Serialize + DeserializeOwned>(record: &Value) -> Result<Value, String> {
    let typed = typed::read::<T>(record).map_err(|e| e.to_string())?;
    let order = typed::to_value(&typed).map_err(|e| e.to_string())?;
    Ok(in_order_of(Some(&order), record))
}

fn in_order_of(order: Option<&Value>, value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let empty = Map::new();
            let order = order.and_then(Value::as_object).unwrap_or(&empty);
            let mut rest: Vec<&String> = members.keys().filter(|name| !order.contains_key(*name)).collect();
            rest.sort_unstable();
            let names = order.keys().filter(|name| members.contains_key(*name)).chain(rest);
            names.map(|name| (name.clone(), in_order_of(order.get(name), &members[name]))).collect()
        }
        Value::Array(items) => {
            let order = order.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            items.iter().enumerate().map(|(n, item)| in_order_of(order.get(n), item)).collect()
        }
        scalar => scalar.clone(),
    }
}

/// The file form of a record that is written once, in the order of its type. Untyped JSON from outside must have been
/// ordered with [`super::schema::Shape::order`] before.
pub(crate) fn entry_bytes<T: Serialize>(entry: &T) -> Vec<u8> {
    let text = json_text::pretty(entry)
        .unwrap_or_else(|error| unreachable!("a record without a JSON form: {error}"));
    (text + "\n").into_bytes()
}
