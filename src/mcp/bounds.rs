//! Bounds the records that are answered, so that one comment does not fill the context of an agent.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};

use super::tools::{Call, is_part_of_an_issue};
use crate::model::op::Other;
use crate::model::remedy::{Remedy, RemedyCall};
use crate::model::typed;
use crate::ops::Notice;
use crate::rules::bounded::{Cut, LONGEST, LONGEST_OF_ISSUE, Omission};

/// Characters of each text of a record itself. The context of a planner has fewer.
const LONGEST_OF_RECORD: usize = 4 * LONGEST_OF_ISSUE;

/// Cuts long texts of an issue or a plan, and keeps of each part of an issue the newest entries but the `older` newest;
/// says what was cut, and that `all` shows all of it. A bound plan counts as newer than the others.
pub(super) fn bound(record: &mut Map<String, Value>, all: &RemedyCall, older: usize) -> Vec<Omission> {
    bound_at(record, all, older, LONGEST_OF_RECORD)
}

/// Cuts long texts of an issue that its writer knows.
pub(super) fn bound_echo(record: &mut Map<String, Value>, id: &str) -> Vec<Omission> {
    bound_at(record, &whole(id), 0, LONGEST_OF_ISSUE)
}

fn bound_at(
    record: &mut Map<String, Value>,
    all: &RemedyCall,
    older: usize,
    longest: usize,
) -> Vec<Omission> {
    let mut left_out = Vec::new();
    for (name, value) in record.iter_mut() {
        let is_part = is_part_of_an_issue(name);
        let mut cut = Cut::at(if is_part { LONGEST } else { longest });
        if let (true, Value::Array(entries)) = (is_part, &mut *value) {
            let mut kept = std::mem::take(entries);
            if name == "solutions" {
                // In the store, they are in the order of their ids.
                kept.sort_by_cached_key(age_of_plan);
            }
            kept.truncate(kept.len().saturating_sub(older));
            *entries = cut.newest(kept);
            entries.reverse();
        }
        shorten(value, &mut cut);
        left_out.extend(cut.left_out(name, all.clone()));
    }
    left_out
}

/// Whether a plan is bound, and when it was made.
fn age_of_plan(plan: &Value) -> (bool, String) {
    (plan["is_bound"] == true, plan["created_at"].as_str().unwrap_or_default().to_owned())
}

/// The call that shows all of a record.
pub(super) fn whole(id: &str) -> RemedyCall {
    RemedyCall::new(Other::Show, [id]).flag("json")
}

/// A record with its long texts cut.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Bounded<T> {
    fields: Map<String, Value>,
    #[serde(skip)]
    of: PhantomData<T>,
}

impl<T: Serialize> Bounded<T> {
    /// Cuts a record, and notes what was cut, which `all` shows.
    pub(super) fn noted(call: &Call<'_>, record: &T, all: &RemedyCall) -> Self {
        let mut fields = match typed::own_json(record) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        note(call, &bound(&mut fields, all, 0), |_| None);
        Self { fields, of: PhantomData }
    }
}

impl<T: JsonSchema> JsonSchema for Bounded<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A text that the caller wrote itself, and need not read again; and what was cut of it.
pub(super) fn echo(text: &str, what: &str, id: &str) -> (String, Option<Omission>) {
    let mut cut = Cut::at(LONGEST);
    (cut.text(text), cut.left_out(what, whole(id)))
}

/// What a note says about a field that was cut: `2 older entries of `comments` are left out, and 1 text is cut`.
fn said(cut: &Omission) -> String {
    let Omission { what, entries, shortened, .. } = cut;
    let texts = match shortened {
        1 => "1 text is cut".to_owned(),
        more => format!("{more} texts are cut"),
    };
    let entries = match entries {
        0 => return format!("{texts} in `{what}`"),
        1 => format!("1 older entry of `{what}` is left out"),
        more => format!("{more} older entries of `{what}` are left out"),
    };
    if *shortened == 0 { entries } else { format!("{entries}, and {texts}") }
}

/// Notes what was cut of a record. `next` says how a tool shows older entries, if one does.
pub(super) fn note(call: &Call<'_>, cuts: &[Omission], next: impl Fn(&Omission) -> Option<String>) {
    for cut in cuts {
        let older = next(cut).filter(|_| cut.entries > 0).map(Remedy::words);
        let all = Remedy::command(call.voice.command(&cut.command), "shows all of it");
        let remedies = older.into_iter().chain([all]).collect();
        call.session.notice(Notice { remedies, ..Notice::note(said(cut)) });
    }
}

/// Cuts every long text in a value.
pub(super) fn shorten(value: &mut Value, cut: &mut Cut) {
    match value {
        Value::String(text) if text.len() > cut.longest() => *text = cut.text(text),
        Value::Array(items) => items.iter_mut().for_each(|it| shorten(it, cut)),
        Value::Object(fields) => fields.values_mut().for_each(|it| shorten(it, cut)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_texts_are_cut_and_the_newest_entries_stay() {
        let comments: Vec<Value> =
            (0..25).map(|n| json!({ "body": "x".repeat(LONGEST_OF_ISSUE + n) })).collect();
        let mut issue =
            json!({ "id": "A-1", "context": "y".repeat(LONGEST_OF_RECORD + 1), "comments": comments });
        let left = bound(issue.as_object_mut().unwrap(), &whole("A-1"), 0);
        let counts: Vec<_> = left.iter().map(|it| (&*it.what, it.entries, it.shortened)).collect();
        assert_eq!(counts, [("context", 0, 1), ("comments", 5, 20)]);
        assert_eq!(left[0].command.command(), "git wf show A-1 --json");
        assert_eq!(issue["comments"].as_array().unwrap().len(), 20);
        assert!(issue.to_string().len() < 21 * LONGEST_OF_ISSUE + LONGEST_OF_RECORD);
    }

    #[test]
    fn the_bound_plan_and_the_newest_ones_stay_and_older_ones_follow() {
        // The ids are in the opposite order of the times, and the oldest plan is bound.
        let plans: Vec<Value> = (10..35)
            .map(|n| json!({ "id": format!("S-{n}"), "created_at": format!("2026-01-{:02}", 45 - n), "is_bound": n == 34 }))
            .collect();
        let kept = |older: usize| {
            let mut issue = json!({ "solutions": plans });
            bound(issue.as_object_mut().unwrap(), &whole("A-1"), older);
            let ids = issue["solutions"].as_array().unwrap().iter();
            ids.map(|it| it["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let (newest, rest) = (kept(0), kept(20));
        assert_eq!((newest.len(), &*newest[0], &*newest[18], &*newest[19]), (20, "S-28", "S-10", "S-34"));
        assert_eq!(rest, ["S-33", "S-32", "S-31", "S-30", "S-29"]);
        assert!(kept(40).is_empty());
    }

    #[test]
    fn a_note_says_only_what_was_cut() {
        let of = |entries, shortened| {
            said(&Omission { what: "comments".into(), entries, shortened, command: whole("A-1") })
        };
        assert_eq!(of(2, 1), "2 older entries of `comments` are left out, and 1 text is cut");
        assert_eq!(of(1, 0), "1 older entry of `comments` is left out");
        assert_eq!(of(0, 3), "3 texts are cut in `comments`");
    }
}
