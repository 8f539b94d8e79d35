//! Changed records for people: a line for each, with its fields below.

use std::io;
use std::io::Write;

use serde_json::Value;

use crate::cli::print::diff as diff_print;
use crate::rules::FieldChange;
use crate::trail::record_change::{HowChanged, RecordChange};
use crate::ui::{Screen, style};

/// Prints them in order, indented by `margin` spaces.
pub(in crate::cli) fn print(changes: &[RecordChange], margin: usize, screen: &mut Screen) -> io::Result<()> {
    changes.iter().try_for_each(|change| print_one(change, margin, screen))
}

fn print_one(it: &RecordChange, margin: usize, screen: &mut Screen) -> io::Result<()> {
    let (sign, look) = match it.change {
        HowChanged::Added => ('+', style::GOOD),
        HowChanged::Changed => ('~', style::HEADING),
        HowChanged::Removed => ('-', style::BAD),
    };
    let line = screen.painter().paint(look, &format!("{sign} {}", it.summary));
    writeln!(screen, "{:margin$}{line}", "")?;
    if it.kind.is_entry() && it.change != HowChanged::Changed {
        return Ok(());
    }
    let fields: Vec<FieldChange> = it.fields.iter().filter(|field| !is_said(it, field)).cloned().collect();
    let heading = |list: &str, id: &str| match it.titles.get(id) {
        Some(title) if list == "tasks" => format!("{id} {title}"),
        _ => id.to_owned(),
    };
    diff_print::print(&fields, margin + 4, heading, screen)
}

/// Whether the heading already shows the field: for an added or removed record, its author, times, ids, position and
/// title.
fn is_said(it: &RecordChange, field: &FieldChange) -> bool {
    if it.change == HowChanged::Changed {
        return false;
    }
    match field.path.as_str() {
        "author" | "created_at" | "queued_at" | "issue_id" | "solution_id" | "position" => true,
        "title" | "description" | "name" => {
            let text = field.new.as_ref().or(field.old.as_ref()).and_then(Value::as_str);
            text.is_some_and(|text| it.summary.ends_with(text))
        }
        _ => false,
    }
}
