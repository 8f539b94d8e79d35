//! Redactions: entries that hide a value, and what is shown in its place.

use serde_json::Value;

use super::declare::entry;
use super::{EpochStamp, IssueId, OnceSchema, Person, Time};

/// What is shown in the place of a hidden value.
pub(crate) const REDACTED: &str = "[redacted]";
/// For [`Redaction::field`]: all texts of an entry.
pub(crate) const ALL: &str = "*";
/// For [`Redaction::field`]: the whole entry is ignored, if it is stamped in the future.
pub(crate) const ASIDE: &str = "-";
/// At most this many texts are hidden one by one; if there are more, the whole field is.
const MOST_TEXTS: usize = 1_000;

entry! {
    /// Hides a value of a record in the same directory.
    Redaction {
        /// The file, as a path below that directory: `issue.json`, `comments/<ENTRY>.json`, `solution.json`, `run.json`, `roadmap.json`,
        /// `log/<ENTRY>.json`, `conflicts/<ENTRY>.json`, `items/<xx>/<SOLUTION>.json`.
        fact target: String,
        /// `title`, `extended_context/notes`, `tags` (all of them), `failure/message`; `*` for all texts of an entry; `-`
        /// to set an entry from the future aside.
        fact field: String,
        /// Hides the value with this stamp and all earlier ones, if the field was ever written under this stamp or a
        /// later one. Absent for records without stamps, which have only one value.
        fact stamp: Option<EpochStamp> = default,
        /// Why.
        fact reason: String,
        /// Who hid it.
        fact author: Person,
        /// The time.
        fact created_at: Time,
    }
}

/// The file of an issue in its directory, as the target of a redaction.
pub(crate) const ISSUE_FILE: &str = "issue.json";
/// The field of an issue with the record of its source.
pub(crate) const SOURCE_RECORD: &str = "imported";
/// The file of a roadmap in its directory, as the target of a redaction.
const ROADMAP_FILE: &str = "roadmap.json";
/// Begins the fields of a roadmap that are members of its document.
const DOCUMENT: &str = "document/";

/// The field of a roadmap with the layer or task of an issue.
pub(crate) fn field_of_part(issue: &IssueId) -> String {
    format!("{DOCUMENT}{issue}")
}

/// The issue whose layer or task a field of a roadmap is; `None` for the other members of its document, some of whose names
/// could be ids: `non-goals`.
pub(crate) fn issue_of_part(field: &str) -> Option<IssueId> {
    field.strip_prefix(DOCUMENT).and_then(|id| IssueId::parse(id).ok()).filter(IssueId::is_made)
}

impl Redaction {
    /// Whether it hides the record of the source of an issue. Then the issue no longer follows its source.
    pub(crate) fn is_of_source(&self) -> bool {
        self.target == ISSUE_FILE && self.field == SOURCE_RECORD
    }

    /// Whether it hides the layer or task of an issue in the document of a roadmap.
    fn is_of_part(&self) -> bool {
        self.target == ROADMAP_FILE && issue_of_part(&self.field).is_some()
    }

    /// Whether it hides every value of its field, past and future.
    pub(crate) fn hides_all(&self) -> bool {
        self.is_of_source() || self.is_of_part()
    }

    /// Whether a value with this stamp is hidden. A missing stamp is the zero stamp, earlier than all others. A
    /// redaction with a stamp of the far future hides only values of the far future; otherwise it would hide all later
    /// values in that epoch.
    ///
    /// A value that an import wrote is hidden whatever its stamp, unless the redaction is of the far future or has no stamp; and so
    /// is every record of a source, and every layer or task of a roadmap, without exception: another clone that does not
    /// know of the redaction can import or add the same text again.
    pub(crate) fn hides(&self, stamp: Option<&EpochStamp>) -> bool {
        let Some(stamp) = stamp else { return true };
        let is_sound = self.stamp.as_ref().is_some_and(|until| !until.is_far_future());
        if self.hides_all() || (stamp.is_import() && is_sound) {
            return true;
        }
        self.stamp
            .as_ref()
            .is_some_and(|until| stamp <= until && (!until.is_far_future() || stamp.is_far_future()))
    }
}

/// Whether the key of a slot is a field, or an element or leaf of it.
pub(crate) fn is_of(field: &str, key: &str) -> bool {
    key.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether this is the replacement for a hidden value.
pub(crate) fn is_hidden(value: &Value) -> bool {
    value.as_str() == Some(REDACTED) || *value == hidden_plan()
}

/// Whether the replacement for a hidden value is anywhere in this value.
pub(crate) fn holds_hidden(value: &Value) -> bool {
    match value {
        Value::String(text) => text == REDACTED,
        Value::Array(items) => items.iter().any(holds_hidden),
        Value::Object(members) => members.values().any(holds_hidden),
        _ => false,
    }
}

/// What is shown for a hidden plan, which is itself a plan.
pub(crate) fn hidden_plan() -> Value {
    serde_json::json!({ "description": REDACTED, "tasks": [] })
}

/// Hides texts of a record that is written once. Whatever must stay for the record to be readable (an id, a time, the
/// name of a kind) stays: `is_sound` decides. So do the members on which decisions depend, since hiding a text must not
/// change what is allowed.
pub(crate) fn hide(value: &mut Value, field: &str, kind: OnceSchema, is_sound: &dyn Fn(&Value) -> bool) {
    if field == ALL {
        for name in kind.texts() {
            hide(value, name, kind, is_sound);
        }
        return;
    }
    if field.split('/').next().is_some_and(|member| kind.decides(member)) {
        return;
    }
    let pointer = format!("/{}", field.replace('~', "~0"));
    let Some(found) = value.pointer(&pointer) else { return };
    let mut texts = Vec::new();
    texts_of(found, &pointer, &mut texts);
    let mut all = value.clone();
    texts.iter().for_each(|at| redact_at(&mut all, at));
    if is_sound(&all) {
        *value = all;
    } else if texts.len() > MOST_TEXTS {
        let mut whole = value.clone();
        redact_at(&mut whole, &pointer);
        if is_sound(&whole) {
            *value = whole;
        }
    } else {
        for at in texts {
            let mut one = value.clone();
            redact_at(&mut one, &at);
            if is_sound(&one) {
                *value = one;
            }
        }
    }
}

fn redact_at(value: &mut Value, pointer: &str) {
    if let Some(place) = value.pointer_mut(pointer) {
        *place = REDACTED.into();
    }
}

/// Where texts are, as JSON pointers.
fn texts_of(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                texts_of(item, &format!("{at}/{n}"), found);
            }
        }
        Value::Object(map) => {
            for (key, inner) in map {
                texts_of(inner, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Explored, LogEntry, Once, RunLogEntry};
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use serde_json::json;

    /// A record with all its texts hidden.
    fn without_texts<T: Once + Serialize + DeserializeOwned>(mut record: Value) -> Value {
        let kind = OnceSchema::new::<T>();
        for (name, value) in
            json!({"id": "20261121T021405123Z-00000-00000000000000000000000001", "actor": "Ada", "author": "Ada",
                "at": "2026-11-21T02:14:05.123Z", "created_at": "2026-11-21T02:14:05.123Z"})
            .as_object()
            .unwrap()
        {
            record[name] = value.clone();
        }
        hide(&mut record, ALL, kind, &|value| kind.ordered(value).is_ok());
        record
    }

    #[test]
    fn what_somebody_wrote_goes_from_every_type_of_entry() {
        let note = without_texts::<RunLogEntry>(
            json!({"type": "issue", "issue_id": "ISS-001", "status": "failed", "note": "s3cret",
                "error": {"message": "s3cret"}}),
        );
        assert_eq!((&note["note"], &note["error"]["message"]), (&json!(REDACTED), &json!(REDACTED)));
        let breach = without_texts::<RunLogEntry>(
            json!({"type": "breach", "action": "plan", "what": "s3cret", "undone": true}),
        );
        assert_eq!((&breach["what"], &breach["action"]), (&json!(REDACTED), &json!("plan")));
        let found = without_texts::<Explored>(json!({"depth": "deep", "issue_id": "ISS-001",
            "issue": {"title": "s3cret"}, "relevant_files": [{"path": "a", "relevance": 1, "rationale": "s3cret"}],
            "dependencies": [], "impact_scope": "low", "existing_patterns": [], "key_findings": ["s3cret"],
            "complexity_assessment": "low"}));
        assert!(!found.to_string().contains("s3cret"), "{found}");
        assert_eq!((&found["issue_id"], &found["impact_scope"]), (&json!("ISS-001"), &json!("low")));
    }

    #[test]
    fn what_imports_write_is_hidden_by_a_redaction_with_a_sound_stamp() {
        let hides = |field: &str, until: Option<&str>, stamp: &str| {
            let mut record = json!({"id": "20261121T021405123Z-00000-00000000000000000000000001", "target": "issue.json",
                "field": field, "reason": "r", "author": "Ada", "created_at": "2026-11-21T02:14:05.123Z"});
            if let Some(until) = until {
                record["stamp"] = until.into();
            }
            let redaction: Redaction = serde_json::from_value(record).unwrap();
            redaction.hides(Some(&serde_json::from_value(stamp.into()).unwrap()))
        };
        let (sound, far) =
            ("2026-01-01T00:00:00.000Z/00000/0000000a", "9000-01-01T00:00:00.000Z/00000/0000000a");
        let import = "2026-02-01T00:00:00.000Z/00000/import";
        assert!(hides("title", Some(sound), import), "later, but of an import");
        assert!(!hides("title", Some(far), import), "it hides only what is of the far future");
        assert!(!hides("title", None, import), "`fsck` says that it hides nothing");
        for until in [Some(sound), Some(far), None] {
            assert!(hides("imported", until, import));
            assert!(hides("imported", until, "2026-03-01T00:00:00.000Z/00000/0000000a"));
        }
    }

    #[test]
    fn every_value_of_a_part_of_a_roadmap_is_hidden() {
        let hides = |target: &str, field: &str| {
            let record = json!({"id": "20261121T021405123Z-00000-00000000000000000000000001", "target": target,
                "field": field, "reason": "r", "author": "Ada", "created_at": "2026-11-21T02:14:05.123Z",
                "stamp": "2026-01-01T00:00:00.000Z/00000/0000000a"});
            let redaction: Redaction = serde_json::from_value(record).unwrap();
            redaction.hides(Some(
                &serde_json::from_value("2026-02-01T00:00:00.000Z/00000/0000000b".into()).unwrap(),
            ))
        };
        assert!(hides("roadmap.json", "document/ISS-20261121-7k3m2pq9"));
        for (target, field) in [
            ("roadmap.json", "document"),
            ("roadmap.json", "document/risks"),
            ("roadmap.json", "document/non-goals"),
            ("roadmap.json", "document/ISS-001"),
            ("roadmap.json", "document/ISS-20261121-goals"),
            ("issue.json", "document/ISS-20261121-7k3m2pq9"),
        ] {
            assert!(!hides(target, field), "{target} {field}");
        }
    }

    #[test]
    fn what_decisions_depend_on_stays() {
        let kind = OnceSchema::new::<LogEntry>();
        let mut accepted = without_texts::<LogEntry>(
            json!({"type": "accept", "task_id": "T1", "criterion": 1, "evidence": "s3cret"}),
        );
        for field in ["task_id", "actor"] {
            hide(&mut accepted, field, kind, &|_| true);
        }
        assert_eq!((&accepted["evidence"], &accepted["task_id"]), (&json!(REDACTED), &json!("T1")));
        assert_eq!(accepted["actor"], "Ada");
    }
}
