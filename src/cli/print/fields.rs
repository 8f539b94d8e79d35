//! Prints some fields of records: a line per record, or a table on a terminal.

use std::io::{self, Write};

use serde_json::Value;

use crate::ops::fields::FieldNames;
use crate::ops::format::Format;
use crate::ui::{Cell, Column, Screen, Table, style, text, time};

/// Prints an answer of which only `fields` were picked.
pub(in crate::cli) fn fields(screen: &mut Screen, fields: &FieldNames, picked: &Value) -> io::Result<()> {
    match picked {
        Value::Array(all) => lines(screen, fields, all),
        one => lines(screen, fields, std::slice::from_ref(one)),
    }
}

/// Prints one line per record. For programs, fields are separated by tabs.
pub(in crate::cli) fn lines(screen: &mut Screen, fields: &FieldNames, records: &[Value]) -> io::Result<()> {
    let names = fields.names();
    if !screen.is_terminal() {
        return records.iter().try_for_each(|record| line(screen, fields, record));
    }
    // All were asked for, so none is left out; nobody could use an id that was cut.
    let is_id = |name: &str| name == "id" || name.ends_with("_id");
    let column = |name: &String| if is_id(name) { Column::left("") } else { Column::flexible("") };
    let mut table = Table::new(names.iter().map(column));
    table.row(names.iter().map(|name| Cell::new(name.as_str(), style::DIM)));
    for record in records {
        table.row(names.iter().map(|name| Cell::from(shown(name, record.get(name)))));
    }
    table.print(screen)
}

/// One line in this form for each record.
pub(in crate::cli) fn formatted(screen: &mut Screen, format: &Format, picked: &Value) -> io::Result<()> {
    let one = std::slice::from_ref(picked);
    let records = picked.as_array().map_or(one, Vec::as_slice);
    records.iter().try_for_each(|record| in_form(screen, format, record))
}

/// The line of a record. What the form itself contains is written as it is; a value never ends its line.
pub(in crate::cli) fn in_form(screen: &mut Screen, format: &Format, record: &Value) -> io::Result<()> {
    writeln!(
        screen,
        "{}",
        format.line(record, |name, value| text::clean_line(&shown(name, value)).into_owned())
    )
}

/// One record for a program.
pub(in crate::cli) fn line(screen: &mut Screen, fields: &FieldNames, record: &Value) -> io::Result<()> {
    let values = fields.names().iter().map(|name| shown(name, record.get(name)));
    let values: Vec<String> = values.map(|value| text::clean_line(&value).into_owned()).collect();
    writeln!(screen, "{}", values.join("\t"))
}

/// A value as text: a string as it is, a time in the form of `--date`, a list of strings with commas, anything else as
/// JSON; empty if absent.
fn shown(name: &str, value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) if name == "at" || name.ends_with("_at") => {
            time::field(text).unwrap_or_else(|| text.clone())
        }
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(all)) if all.iter().all(Value::is_string) => {
            all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
        }
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ui::screen::tests::screen;

    fn printed(columns: Option<usize>) -> String {
        let names = ["id", "tags", "note"].map(str::to_owned);
        let asked = FieldNames::among(&names, &names.iter().cloned().collect()).unwrap();
        let (mut screen, written) = screen(columns);
        let records = json!([
            {"id": "A-1", "tags": ["x", "y"], "note": "two\nlines\twith\u{1b}[2J"},
            {"id": "A-20", "tags": [{"n": 1}], "note": null}
        ]);
        fields(&mut screen, &asked, &records).unwrap();
        screen.finish().unwrap();
        written.text()
    }

    #[test]
    fn programs_get_a_line_for_each_record_whatever_a_text_contains() {
        assert_eq!(printed(None), "A-1\tx,y\ttwo lines with\\u{1b}[2J\nA-20\t[{\"n\":1}]\t\n");
    }

    #[test]
    fn a_terminal_shows_a_table() {
        let table = printed(Some(80));
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "id    tags       note");
        assert_eq!(lines[1], "A-1   x,y        two lines with\\u{1b}[2J");
    }
}
