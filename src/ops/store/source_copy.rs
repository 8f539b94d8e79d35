//! The copy of hidden texts that the source's record of an issue keeps in `imported`: the old value is hidden, and a
//! later one says `[redacted]` where they stood, so that the rest of the record is not lost.

use std::collections::BTreeSet;

use serde_json::Value;

use super::redact::{HideValue, ISSUE_FILE, hide};
use crate::interchange::trackers;
use crate::model::doc::Doc;
use crate::model::id::IssueId;
use crate::model::issue::ISSUE;
use crate::model::redaction::{REDACTED, Redaction};
use crate::model::stamp::Stamp;
use crate::model::{strict, typed};
use crate::ops::Refusal;
use crate::store::layout::{self, Form, Location, Owner, form};
use crate::store::redaction::Redactions;
use crate::store::{ReadState, StoreError, Tx, records};

/// The field with the record of the source.
const IMPORTED: &str = "imported";
/// A text of at least this many bytes is also hidden inside a longer one, and wherever else it stands. A shorter one may
/// also be a word of the tracker (`open`, `bug`), so it is hidden only in texts.
const SHORTEST_PART: usize = 8;
/// Members of the records of sources that hold words, names and numbers, with all that is inside them. So do those whose
/// names end with `id`.
const WORDS: &[&str] = &[
    "assignee",
    "assignees",
    "author",
    "by",
    "closed",
    "closed_by",
    "created_by",
    "deleted_by",
    "execution_group",
    "ids",
    "issue_type",
    "kind",
    "labels",
    "login",
    "milestone",
    "number",
    "op",
    "owner",
    "priority",
    "source",
    "state",
    "state_reason",
    "status",
    "tags",
    "type",
    "user",
    "version",
];

/// Hides what `wanted` hides also in the record of the source of its issue. `None` if it is not there, or is hidden.
pub(super) fn hide_in_source(
    tx: &mut Tx<'_>,
    wanted: &HideValue,
    reason: &str,
) -> Result<Option<Redaction>, Refusal> {
    let location = Location::parse(&format!("{}/{}", wanted.folder, wanted.target));
    let id = match &location {
        Some(Location::Record(Owner::Issue(id))) => Some(id.clone()),
        Some(Location::Entry(log, _)) => log.owner().issue(),
        _ => None,
    };
    let Some(id) = id else { return Ok(None) };
    let path = layout::issue(&id);
    let Some(doc) = records::doc(tx, &ISSUE, &path)? else { return Ok(None) };
    let Some(record) = doc.value(IMPORTED).filter(|record| *record != REDACTED).cloned() else {
        return Ok(None);
    };
    let is_field = wanted.target == ISSUE_FILE;
    let mut texts = hidden_texts(tx, &layout::issue_folder(&id))?;
    texts.extend(hidden_texts(tx, &wanted.folder)?);
    let in_source = |record: &Value| {
        let (_, arrival) = trackers::read(record).filter(|(_, arrival)| arrival.issue.id == id)?;
        let said = typed::own_json(&arrival.issue);
        let pointer = format!("/{}", wanted.field);
        let mut texts = BTreeSet::new();
        if is_field && let Some(value) = said.pointer(&pointer) {
            collect(value, &mut texts);
        }
        texts.remove(REDACTED);
        Some(texts)
    };
    let known = in_source(&record);
    texts.extend(known.clone().unwrap_or_default());
    texts.remove(REDACTED);
    let mut rest = record.clone();
    veil(&mut rest, &texts, false);
    let is_sound = |rest: &Value| in_source(rest).is_some_and(|texts| texts.is_empty());
    if !is_sound(&rest) {
        // The text is a word of the record: a label, a name.
        veil(&mut rest, known.as_ref().unwrap_or(&texts), true);
    }
    if rest == record && (!is_field || known.is_some_and(|texts| texts.is_empty())) {
        return Ok(None);
    }
    let imported =
        HideValue { folder: layout::issue_folder(&id), target: ISSUE_FILE.into(), field: IMPORTED.into() };
    let hidden = hide(tx, &imported, reason)?;
    let later = doc.stamp(IMPORTED).and_then(Stamp::next_content);
    if let (true, true, Some(later)) = (is_sound(&rest), hidden.is_some(), later) {
        tx.write_doc(path, &doc.with_imported(rest, &later))?;
    }
    Ok(hidden)
}

/// The texts that redactions of a directory hide now.
fn hidden_texts(tx: &Tx<'_>, folder: &str) -> Result<BTreeSet<String>, StoreError> {
    let place = format!("{folder}/{}", layout::REDACTIONS);
    let redactions = Redactions::of(tx, folder)?;
    let all = records::raw_log::<Redaction>(tx, &place, &mut Vec::new())?;
    let targets: BTreeSet<String> = all.into_iter().map(|it| it.target).collect();
    let mut texts = BTreeSet::new();
    for target in targets {
        let path = format!("{folder}/{target}");
        let Some(bytes) = tx.file(&path)? else { continue };
        let (before, after) = match form(&path).0 {
            Form::Doc(schema) => {
                let Ok(doc) = Doc::parse(schema, &bytes) else { continue };
                let mut hidden = doc.clone();
                redactions.doc(&path, &mut hidden);
                (without_record(&doc), without_record(&hidden))
            }
            _ => {
                let Ok(before) = strict::parse(&bytes) else { continue };
                let mut after = before.clone();
                redactions.entry(&path, &mut after);
                (before, after)
            }
        };
        differing(&before, &after, &mut texts);
    }
    Ok(texts)
}

fn without_record(doc: &Doc) -> Value {
    let mut fields = doc.fields();
    if let Some(map) = fields.as_object_mut() {
        map.shift_remove(IMPORTED);
    }
    fields
}

/// The texts of `before` that `after` no longer has at their place.
fn differing(before: &Value, after: &Value, texts: &mut BTreeSet<String>) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (name, value) in before {
                differing(value, after.get(name).unwrap_or(&Value::Null), texts);
            }
        }
        (before, after) if before != after => collect(before, texts),
        _ => {}
    }
}

fn collect(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            texts.extend(Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
        Value::Object(map) => map.values().for_each(|value| collect(value, texts)),
        _ => {}
    }
}

/// Puts `[redacted]` in the place of every string that is one of these texts, or has a longer one of them in it. A short
/// one is left where words stand, unless they are meant, too.
fn veil(value: &mut Value, texts: &BTreeSet<String>, with_words: bool) {
    match value {
        Value::String(text) => {
            let is_part = |hidden: &&String| hidden.len() >= SHORTEST_PART && text.contains(hidden.as_str());
            if texts.contains(text.trim()) || texts.iter().any(|hidden| is_part(&hidden)) {
                *text = REDACTED.into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| veil(value, texts, with_words)),
        Value::Object(map) => {
            let long: BTreeSet<String> =
                texts.iter().filter(|text| text.len() >= SHORTEST_PART).cloned().collect();
            for (name, value) in map {
                let is_word = name.ends_with("id") || WORDS.contains(&name.as_str());
                veil(value, if is_word && !with_words { &long } else { texts }, with_words);
            }
        }
        _ => {}
    }
}

/// Hides again what a merge brought back: the other side had imported a later record with texts that are hidden here.
pub(crate) fn keep_hidden(tx: &mut Tx<'_>, id: &IssueId) -> Result<bool, Refusal> {
    let folder = layout::issue_folder(id);
    let place = format!("{folder}/{}", layout::REDACTIONS);
    let all = records::raw_log::<Redaction>(tx, &place, &mut Vec::new())?;
    let mut is_changed = false;
    for redaction in all.into_iter().filter(|it| it.field != IMPORTED) {
        let Redaction { target, field, reason, .. } = redaction;
        let wanted = HideValue { folder: folder.clone(), target, field };
        is_changed |= hide_in_source(tx, &wanted, &reason)?.is_some();
    }
    Ok(is_changed)
}
