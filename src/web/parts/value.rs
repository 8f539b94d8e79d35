//! Values of records, and their changes.

use maud::{Markup, html};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::linked;
use super::text::cut;
use crate::model::priority::Priority;
use crate::rules::record_diff::FieldChange;
use crate::web::view::View;

/// Longer values are cut; in bytes.
const LONGEST: usize = 6_000;

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
    match Priority::from_json(value).filter(|_| field == "priority" && value.is_number()) {
        Some(priority) => Value::String(priority.name().to_owned()),
        None => value.clone(),
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Null => "(nothing)".into(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.iter().all(|it| !it.is_object() && !it.is_array()) => {
            all.iter().map(words).collect::<Vec<_>>().join("\n")
        }
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
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
    let ((old, left), (new, more)) = (cut(&old, LONGEST), cut(&new, LONGEST));
    let diff = TextDiff::from_lines(old, new);
    html! {
        div.diff {
            @for part in diff.iter_all_changes() {
                @let line = part.value().trim_end_matches('\n');
                @match part.tag() {
                    ChangeTag::Delete => del { (linked(view, line)) },
                    ChangeTag::Insert => ins { (linked(view, line)) },
                    ChangeTag::Equal => span { (linked(view, line)) },
                }
            }
        }
        @if left + more > 0 { p.cut { "… " (left + more) " more bytes" } }
    }
}
