//! Issues as a table for spreadsheets (RFC 4180). A spreadsheet runs a cell that begins like a formula, so such a cell
//! gets an apostrophe in front, which spreadsheets do not show. The quoting is one line, so it needs no crate.

use std::io::{self, Write};

use crate::model::hidden::visibly;
use crate::model::{ISSUE_FIELDS, Issue, IssueId, Time};
use crate::rules::IssueDerived;

/// The columns before the fields with one value, and those after them.
const FIRST_COLUMNS: [&str; 3] = ["id", "title", "status"];
const LAST_COLUMNS: [&str; 12] = [
    "author",
    "tags",
    "components",
    "wave",
    "depends_on",
    "relations",
    "created_at",
    "updated_at",
    "closed_at",
    "close_reason",
    "url",
    "description",
];

/// Characters that begin a formula, or that a spreadsheet skips before one. Some programs treat the full-width forms of
/// East Asian keyboards like the plain ones.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// Writes the names of the columns.
pub(crate) fn head(out: &mut dyn Write) -> io::Result<()> {
    let fields = ISSUE_FIELDS.iter().map(|field| field.word);
    row(out, FIRST_COLUMNS.into_iter().chain(fields).chain(LAST_COLUMNS))
}

/// Writes an issue.
pub(crate) fn issue(out: &mut dyn Write, issue: &Issue, derived: &IssueDerived) -> io::Result<()> {
    let closed = derived.closed_at.or(derived.completed_at);
    let first: [String; FIRST_COLUMNS.len()] =
        [issue.id.to_string(), issue.title.clone(), derived.status.to_string()];
    let fields = ISSUE_FIELDS.iter().map(|field| field.value(issue).unwrap_or_default());
    let last: [String; LAST_COLUMNS.len()] = [
        issue.author.to_string(),
        list_cell(&mut issue.tags.iter().map(String::as_str)),
        list_cell(&mut issue.affected_components.iter().map(String::as_str)),
        derived.wave.map(|wave| wave.to_string()).unwrap_or_default(),
        list_cell(&mut issue.depends_on.iter().map(IssueId::as_str)),
        list_cell(&mut issue.relations.iter().map(String::as_str)),
        time_cell(Some(issue.created_at)),
        time_cell(derived.updated_at),
        time_cell(closed),
        text_cell(&issue.close_reason),
        text_cell(&issue.source_url),
        text_cell(&issue.context),
    ];
    let cells: Vec<String> = first.into_iter().chain(fields).chain(last).collect();
    row(out, cells.iter().map(String::as_str))
}

fn list_cell(items: &mut dyn Iterator<Item = &str>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

fn text_cell(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}

fn time_cell(at: Option<Time>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default()
}

fn row<'a>(out: &mut dyn Write, cells: impl Iterator<Item = &'a str>) -> io::Result<()> {
    let cells: Vec<String> = cells.map(cell).collect();
    write!(out, "{}\r\n", cells.join(","))
}

fn is_formula(text: &str) -> bool {
    text.trim_start_matches(|character: char| character.is_whitespace() && !FORMULA.contains(&character))
        .starts_with(FORMULA)
}

/// The text of a cell without the apostrophe that keeps it from being a formula. A text may itself begin with one, as in
/// `'-v' prints twice`: if there are more of them, only two in front keep it from being a formula.
pub(super) fn unguarded(cell: &str) -> &str {
    let twice = cell.strip_prefix("''").filter(|text| is_formula(text.trim_start_matches('\'')));
    let once = || cell.strip_prefix('\'').filter(|text| is_formula(text) && !text.contains('\''));
    twice.or_else(once).unwrap_or(cell)
}

/// What is written before a text, so that it is not a formula and [`unguarded`] gives it back.
fn guard(text: &str) -> &'static str {
    if is_formula(text) && !text.contains('\'') {
        "'"
    } else if is_formula(text) || unguarded(text) != text {
        "''"
    } else {
        ""
    }
}

/// A text as a cell. What a reader of the file would not see is shown as an escape.
fn cell(text: &str) -> String {
    let text = &*visibly(text);
    let guard = guard(text);
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"hm\"\nthen", "\"say \"\"hm\"\"\nthen\""),
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("-1+1", "'-1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", "' =1"),
            ("\n=1", "\"'\n=1\""),
            ("\t=1", "'\t=1"),
            ("a=b", "a=b"),
            ("＝1+1", "'＝1+1"),
            ("\u{3000}＠x", "'\u{3000}＠x"),
            ("a\u{1b}[2J\u{202e}b\u{200d}", "a\\u{1b}[2J\\u{202e}b\u{200d}"),
            ("-it's", "''-it's"),
            ("'-v' x", "'-v' x"),
            ("'-v", "'''-v"),
            ("''-v", "''''-v"),
            ("'it'", "'it'"),
            ("", ""),
        ] {
            assert_eq!(cell(text), expected, "{text:?}");
            if !expected.contains(['"', '\\']) {
                assert_eq!(unguarded(expected), text);
            }
        }
    }
}
