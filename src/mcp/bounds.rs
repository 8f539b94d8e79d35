//! Bounds what is answered, so that one comment does not fill the context of an agent: of each part of an issue only the newest
//! entries are kept, long texts are cut wherever they are, and the output of a test is given once.

mod checks;
mod texts;

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};

use super::tools::{Call, is_part_of_an_issue};
use crate::model::{Other, Remedy, RemedyCall, count, typed};
use crate::ops::Notice;
use crate::rules::bounded::LONGEST;
use crate::rules::{Cut, Omission};

pub(super) use texts::{Texts, refuse_cut, shorten};

/// Makes an answer fit for the context of an agent: cuts its long texts, each with a mark that says how to read all of it,
/// and leaves out results of tests that later ones replaced. Returns a notice if it did the latter.
pub(super) fn fit(call: &Call<'_>, answer: &mut Value) -> Option<Notice> {
    let dropped = checks::newest(answer);
    Texts::new(call).fit(answer);
    let (executions, number) = (dropped.executions, dropped.number);
    (number > 0).then(|| {
        let (all, does) = match &executions[..] {
            [only] => (whole(only), "shows all"),
            _ => (whole("EXECUTION"), "shows all of one execution"),
        };
        let all = Remedy::command(call.voice.command(&all), does);
        let are = if number == 1 { "is" } else { "are" };
        let message = format!("{} {are} left out of `checks`", count(number, "earlier result"));
        Notice { remedies: vec![all], ..Notice::note(message) }
    })
}

/// Keeps the newest entries of each part of an issue, except the `older` newest; says what is left out, and that `all`
/// shows all of it. A bound plan counts as newer than the others.
pub(super) fn bound(record: &mut Map<String, Value>, all: &RemedyCall, older: usize) -> Vec<Omission> {
    let mut left_out = Vec::new();
    for (name, value) in record.iter_mut().filter(|(name, _)| is_part_of_an_issue(name)) {
        let Value::Array(entries) = value else { continue };
        let mut cut = Cut::at(LONGEST);
        let mut kept = std::mem::take(entries);
        if name == "solutions" {
            // In the store, they are in the order of their ids.
            kept.sort_by_cached_key(age_of_plan);
        }
        kept.truncate(kept.len().saturating_sub(older));
        *entries = cut.newest(kept);
        entries.reverse();
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

/// A record with the newest entries of its parts.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Bounded<T> {
    fields: Map<String, Value>,
    #[serde(skip)]
    of: PhantomData<T>,
}

impl<T: Serialize> Bounded<T> {
    /// Bounds a record, and notes what was left out, which `all` shows.
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

/// What a note says about a part: ``2 older entries of `comments` are left out``.
fn said(cut: &Omission) -> String {
    match cut.entries {
        1 => format!("1 older entry of `{}` is left out", cut.what),
        more => format!("{more} older entries of `{}` are left out", cut.what),
    }
}

/// Notes what was left out of a record. `next` says how a tool shows older entries, if one does.
pub(super) fn note(call: &Call<'_>, cuts: &[Omission], next: impl Fn(&Omission) -> Option<String>) {
    for cut in cuts {
        let older = next(cut).map(Remedy::words);
        let all = Remedy::command(call.voice.command(&cut.command), "shows all of it");
        let remedies = older.into_iter().chain([all]).collect();
        call.session.notice(Notice { remedies, ..Notice::note(said(cut)) });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_newest_entries_stay() {
        let comments: Vec<Value> = (0..25).map(|n| json!({ "body": n })).collect();
        let mut issue = json!({ "id": "A-1", "tags": (0..25).collect::<Vec<_>>(), "comments": comments });
        let left = bound(issue.as_object_mut().unwrap(), &whole("A-1"), 0);
        let counts: Vec<_> = left.iter().map(|omission| (&*omission.what, omission.entries)).collect();
        assert_eq!(counts, [("comments", 5)]);
        assert_eq!(left[0].command.command(), "git wf show A-1 --json");
        assert_eq!(issue["comments"].as_array().unwrap().len(), 20);
        assert_eq!(issue["tags"].as_array().unwrap().len(), 25);
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
            ids.map(|issue| issue["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let (newest, rest) = (kept(0), kept(20));
        assert_eq!((newest.len(), &*newest[0], &*newest[18], &*newest[19]), (20, "S-28", "S-10", "S-34"));
        assert_eq!(rest, ["S-33", "S-32", "S-31", "S-30", "S-29"]);
        assert!(kept(40).is_empty());
    }

    #[test]
    fn a_note_says_what_was_left_out() {
        let of = |entries| {
            said(&Omission { what: "comments".into(), entries, shortened: 0, command: whole("A-1") })
        };
        assert_eq!(of(2), "2 older entries of `comments` are left out");
        assert_eq!(of(1), "1 older entry of `comments` is left out");
    }
}
