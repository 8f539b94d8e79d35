//! Differences of records for people: the old and new value of each field, lists by their members, long texts by
//! their words.

use std::io::{self, Write};

use serde_json::Value;
use similar::{ChangeTag, DiffOp};

use crate::rules::FieldChange;
use crate::rules::text_diff::{self, TextDiff};
use crate::ui::{Painter, Screen, style};

/// Texts that have less in common than this are shown one after the other.
const LEAST_ALIKE: f32 = 0.4;
/// A longer text gets lines of its own.
const LONGEST_INLINE: usize = 60;
/// Longer texts are not compared word by word.
const LONGEST_COMPARED: usize = 20_000;

/// Prints the changes, indented by `margin` spaces. Changes inside one member of a list are printed under a heading,
/// which `heading` makes from the list and the member's id.
pub(in crate::cli) fn print(
    changes: &[FieldChange],
    margin: usize,
    heading: impl Fn(&str, &str) -> String,
    screen: &mut Screen,
) -> io::Result<()> {
    let mut under: Option<(&str, &str)> = None;
    for change in changes {
        let Some((list, id, rest)) = change.member() else {
            under = None;
            print_field(change.path.trim_end_matches("[]"), change, margin, screen)?;
            continue;
        };
        if rest.is_empty() {
            under = None;
            print_member(&heading(list, id), change, margin, screen)?;
            continue;
        }
        if under != Some((list, id)) {
            under = Some((list, id));
            let line = screen.painter().paint(style::HEADING, &heading(list, id));
            writeln!(screen, "{:margin$}{line}", "")?;
        }
        print_field(rest, change, margin + 4, screen)?;
    }
    Ok(())
}

/// A member of a list that was added or removed.
fn print_member(heading: &str, change: &FieldChange, margin: usize, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let (sign, look, value) = match (&change.old, &change.new) {
        (None, Some(new)) => ('+', style::GOOD, new),
        (Some(old), _) => ('-', style::BAD, old),
        (None, None) => return Ok(()),
    };
    writeln!(screen, "{:margin$}{}", "", painter.paint(look, &format!("{sign} {heading}")))?;
    let Value::Object(fields) = value else { return Ok(()) };
    for (name, value) in fields.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "title")) {
        for line in named_lines(name, value) {
            writeln!(screen, "{:margin$}{}", "", painter.paint(look, &format!("{sign}     {line}")))?;
        }
    }
    Ok(())
}

/// A field of an added or removed member, with the fields inside it. Empty fields are left out.
fn named_lines(name: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => {
            map.iter().flat_map(|(inner, value)| named_lines(&format!("{name}.{inner}"), value)).collect()
        }
        other => lines_of(other).iter().map(|line| format!("{name}: {line}")).collect(),
    }
}

fn print_field(name: &str, change: &FieldChange, margin: usize, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let label = painter.paint(style::DIM, &format!("{name}:"));
    let (old, new) = (change.old.as_ref(), change.new.as_ref());
    match (old, new) {
        (Some(Value::String(old)), Some(Value::String(new)))
            if !old.contains('\n') && !new.contains('\n') =>
        {
            match words(old, new, painter) {
                Some(line) => writeln!(screen, "{:margin$}{label} {line}", ""),
                None if old.len() + new.len() <= LONGEST_INLINE => {
                    let (old, new) = (painter.paint(style::BAD, old), painter.paint(style::GOOD, new));
                    writeln!(screen, "{:margin$}{label} {old} → {new}", "")
                }
                None => {
                    writeln!(screen, "{:margin$}{label}", "")?;
                    print_lines(std::slice::from_ref(old), std::slice::from_ref(new), margin + 2, screen)
                }
            }
        }
        (Some(old), Some(new)) if is_scalar(old) && is_scalar(new) => {
            let (old, new) =
                (painter.paint(style::BAD, &shown(old)), painter.paint(style::GOOD, &shown(new)));
            writeln!(screen, "{:margin$}{label} {old} → {new}", "")
        }
        (None, Some(new)) if is_one_line(new) => {
            writeln!(
                screen,
                "{:margin$}{label} {}",
                "",
                painter.paint(style::GOOD, &format!("+ {}", shown(new)))
            )
        }
        (Some(old), None) if is_one_line(old) => {
            writeln!(
                screen,
                "{:margin$}{label} {}",
                "",
                painter.paint(style::BAD, &format!("- {}", shown(old)))
            )
        }
        (old, new) => {
            writeln!(screen, "{:margin$}{label}", "")?;
            let lines = |value: Option<&Value>| value.map(lines_of).unwrap_or_default();
            print_lines(&lines(old), &lines(new), margin + 2, screen)
        }
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// Whether the value is printed on the line of its name, as is an empty list or object.
fn is_one_line(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains('\n'),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => true,
    }
}

/// The value on one line; an object by its fields.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(map) if !map.is_empty() => {
            map.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// A value as lines: a list by its members, a text by its lines.
fn lines_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().map(shown).collect(),
        Value::String(text) => text.lines().map(str::to_owned).collect(),
        Value::Object(map) => map.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect(),
        scalar => vec![scalar.to_string()],
    }
}

/// Members that differ. A member that replaces a similar one is shown word by word.
fn print_lines(old: &[String], new: &[String], margin: usize, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
    for op in TextDiff::new(&before, &after).ops() {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (gone, come) = (&old[op.old_range()], &new[op.new_range()]);
        let rewritten = gone.iter().zip(come).map_while(|(old, new)| words(old, new, painter));
        let rewritten: Vec<String> = rewritten.collect();
        for line in &rewritten {
            writeln!(screen, "{:margin$}~ {line}", "")?;
        }
        for (sign, look, texts) in [('-', style::BAD, gone), ('+', style::GOOD, come)] {
            for text in &texts[rewritten.len()..] {
                writeln!(screen, "{:margin$}{}", "", painter.paint(look, &format!("{sign} {text}")))?;
            }
        }
    }
    Ok(())
}

/// Both texts as one, with deletions and insertions marked, if they have enough in common. Without colour the marks
/// are those of `git diff --word-diff`.
fn words(old: &str, new: &str, painter: Painter) -> Option<String> {
    if old.len() + new.len() > LONGEST_COMPARED {
        return None;
    }
    // In a script without spaces, words cannot be told apart.
    let by_letters = |text: &str| text.chars().filter(|c| *c > '\u{2e80}').count() * 2 > text.chars().count();
    let cut = if by_letters(old) || by_letters(new) { text_diff::characters } else { text_diff::words };
    let (old, new) = (cut(old), cut(new));
    let diff = TextDiff::new(&old, &new);
    if diff.ratio() < LEAST_ALIKE {
        return None;
    }
    let mut line = String::new();
    let mut pending: (String, String) = Default::default();
    let flush = |(gone, come): &mut (String, String), line: &mut String| {
        let marks = if painter.is_on() { [("", ""), ("", "")] } else { [("[-", "-]"), ("{+", "+}")] };
        for (text, look, (open, close)) in [(gone, style::BAD, marks[0]), (come, style::GOOD, marks[1])] {
            if !text.is_empty() {
                line.push_str(&painter.paint(look, &format!("{open}{text}{close}")));
                text.clear();
            }
        }
    };
    // A space between two changed words is part of the change.
    let mut blank = String::new();
    for (tag, piece) in diff.pieces() {
        let is_pending = !(pending.0.is_empty() && pending.1.is_empty());
        match tag {
            ChangeTag::Equal if is_pending && piece.trim().is_empty() => {
                blank.push_str(piece);
            }
            ChangeTag::Equal => {
                flush(&mut pending, &mut line);
                line.push_str(&painter.paint(style::PLAIN, &(std::mem::take(&mut blank) + piece)));
            }
            ChangeTag::Delete | ChangeTag::Insert => {
                pending.0.push_str(&blank);
                pending.1.push_str(&blank);
                blank.clear();
                let side = if tag == ChangeTag::Delete { &mut pending.0 } else { &mut pending.1 };
                side.push_str(piece);
            }
        }
    }
    flush(&mut pending, &mut line);
    line.push_str(&blank);
    Some(line)
}
