//! Values of records, and their changes.

use maud::{Markup, html};
use serde_json::Value;
use similar::ChangeTag;

use super::linked;
use super::text::cut;
use crate::model::{Priority, count};
use crate::rules::FieldChange;
use crate::rules::text_diff::{self, TextDiff};
use crate::web::view::View;

/// Longer values are cut; in bytes.
const LONGEST: usize = 6_000;

/// Lines before the first change of a longer value.
const BEFORE: usize = 3;
/// At most this many bytes before the first difference, if the lines are long.
const MOST_BEFORE: usize = LONGEST / 10;

/// A readable value: strings without quotes, flat lists by lines, anything else as JSON.
pub(in crate::web) fn json_value(view: &View<'_>, value: &Value) -> Markup {
    let text = words(value);
    let (shown, rest) = cut(&text, LONGEST);
    html! {
        span.value { (linked(view, shown)) }
        @if rest > 0 { span.cut { "… " (rest) " more bytes" } }
    }
}

/// The value of a field: a priority has a name.
fn named(field: &str, value: &Value) -> Value {
    match Priority::from_json(value) {
        Some(priority) if field == "priority" && value.is_number() => {
            Value::String(priority.name().to_owned())
        }
        _ => value.clone(),
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Null => "(nothing)".into(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.iter().all(|it| !it.is_object() && !it.is_array()) => {
            all.iter().map(words).collect::<Vec<_>>().join("\n")
        }
        other => format!("{other:#}"),
    }
}

/// Changed fields, each as a line diff.
pub(in crate::web) fn changes(view: &View<'_>, all: &[FieldChange]) -> Markup {
    html! {
        dl.changes {
            @for change in all {
                div {
                    dt { (if change.path.is_empty() { "the whole" } else { change.path.as_str() }) }
                    dd { (lines(view, change)) }
                }
            }
        }
    }
}

fn lines(view: &View<'_>, change: &FieldChange) -> Markup {
    let text =
        |side: &Option<Value>| side.as_ref().map(|it| words(&named(&change.path, it))).unwrap_or_default();
    let (old, new) = (text(&change.old), text(&change.new));
    let same = unchanged_beginning(&old, &new);
    let ((old, left), (new, more)) = (cut(&old[same..], LONGEST), cut(&new[same..], LONGEST));
    let (old, new) = (text_diff::lines(old), text_diff::lines(new));
    let diff = TextDiff::new(&old, &new);
    html! {
        div.diff {
            @if same > 0 { span.cut { "… " (count(same, "byte")) " as before" } }
            @for (tag, line) in diff.pieces() {
                @let line = line.trim_end_matches('\n');
                @match tag {
                    ChangeTag::Delete => del { (linked(view, line)) },
                    ChangeTag::Insert => ins { (linked(view, line)) },
                    ChangeTag::Equal => span { (linked(view, line)) },
                }
            }
        }
        @if left + more > 0 { p.cut { "… " (left + more) " more bytes" } }
    }
}

/// How many bytes of two values to leave out, so that the first change is shown even if it is far from the beginning.
fn unchanged_beginning(old: &str, new: &str) -> usize {
    if old.len().max(new.len()) <= LONGEST {
        return 0;
    }
    let mut same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while !old.is_char_boundary(same) || !new.is_char_boundary(same) {
        same -= 1;
    }
    let ends = old[..same].rmatch_indices('\n').map(|(at, _)| at + 1);
    let lines = ends.take(BEFORE + 1).nth(BEFORE).unwrap_or(0);
    let mut least = same.saturating_sub(MOST_BEFORE);
    while !old.is_char_boundary(least) {
        least -= 1;
    }
    lines.max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_far_from_the_beginning_is_shown_with_lines_before_it() {
        let lines = |last: &str| (0..2_000).map(|n| format!("{n}\n")).collect::<String>() + last;
        let (old, new) = (lines("old"), lines("new"));
        assert!(old[unchanged_beginning(&old, &new)..].starts_with("1997\n1998\n1999\nold"));
        let line = |last: &str| "é".repeat(LONGEST) + last;
        let (old, new) = (line("ì"), line("í"));
        assert_eq!(old[unchanged_beginning(&old, &new)..].len(), MOST_BEFORE + 2);
        assert_eq!(unchanged_beginning("a\nb\nc\nd\ne\nf", "a\nb\nc\nd\ne\ng"), 0);
        assert_eq!(unchanged_beginning("", &new), 0);
        assert!(unchanged_beginning(&new, &new) > 0);
    }
}
