//! Writes back into the files of Backlog.md: the boxes of criteria, the status, and the id here among the references, since
//! the tool drops fields that it does not know.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::body::placed;
use super::{FILE, PLACES, place};
use crate::interchange::plan_tools::sections::front_matter;
use crate::interchange::plan_tools::written::{Progress, Stage, WrittenText};
use crate::interchange::plan_tools::{boxes, files};
use crate::rules::Node;

/// A reference with this prefix names the issue here.
pub(super) const REFERENCE: &str = "git-wf:";
/// The parts whose boxes are ticked when all is done.
const TICKED: [&str; 2] = ["AC", "DOD"];

/// The file of a task: the one with its id and its day, wherever it was moved to.
pub(crate) fn find(folder: &Path, record: &Value) -> io::Result<Option<PathBuf>> {
    let Some(backlog) = place(folder) else { return Ok(None) };
    let id = record["name"].as_str().unwrap_or_default();
    let created = front_matter(record["files"][FILE].as_str().unwrap_or_default())
        .map(|(fields, _)| fields.text("created_date").to_owned())
        .unwrap_or_default();
    // `task-1 - Feed-the-okapi.md`; only if there is none, all are read.
    let begins = format!("{} ", id.to_ascii_lowercase());
    for is_named in [true, false] {
        for place in PLACES {
            for name in files::markdown(&backlog.join(place)) {
                let path = backlog.join(place).join(&name);
                if is_named != name.to_ascii_lowercase().starts_with(&begins) {
                    continue;
                }
                let Some((text, _)) = files::text_of(&path)? else { continue };
                let Ok((fields, _)) = front_matter(&text) else { continue };
                if fields.text("id").eq_ignore_ascii_case(id) && fields.text("created_date") == created {
                    return Ok(Some(path));
                }
            }
        }
    }
    Ok(None)
}

/// The text of a task with its progress.
pub(crate) fn write(text: &str, record: &Value, progress: &Progress) -> Result<WrittenText, String> {
    let statuses: Vec<&str> =
        record["statuses"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let status = match progress.stage {
        Stage::Open | Stage::Cancelled => None,
        Stage::Working => {
            if statuses.len() > 2 {
                statuses.get(1)
            } else {
                None
            }
        }
        Stage::Done => statuses.last(),
    };
    let (fields, _) = front_matter(text)?;
    let now = fields.text("status");
    let at = statuses.iter().position(|status| status.eq_ignore_ascii_case(now)).unwrap_or_default();
    let mut written = WrittenText { text: text.to_owned(), ..WrittenText::default() };
    let mut expected = fields.clone();
    if progress.stage == Stage::Done {
        for name in TICKED {
            let open = open_boxes(&written.text, name);
            written.changes += open.len();
            for mark in open.into_iter().rev() {
                written.text.replace_range(mark, "x");
            }
        }
    }
    if let Some(status) = status.filter(|status| is_later(&statuses, at, status)) {
        written.text = with_field(&written.text, "status", status);
        written.changes += 1;
        expected = expected.with("status", Node::Text((*status).to_owned()));
    }
    if written.changes > 0 {
        let reference = format!("{REFERENCE}{}", progress.issue);
        let mut known = fields.get("references").map(|node| node.members().to_vec()).unwrap_or_default();
        if !known.iter().any(|node| node.as_text() == reference) {
            written.text = with_reference(&written.text, &reference);
            known.push(Node::Text(reference));
            expected = expected.with("references", Node::List(known));
        }
    }
    // YAML has more forms than these lines know: what they made of one must read as what was meant.
    match front_matter(&written.text) {
        Ok((now, _)) if now == expected => Ok(written),
        _ => Err("its fields are in a form that cannot be edited: write `status` in one line, and `references` as a list".into()),
    }
}

fn is_later(statuses: &[&str], at: usize, status: &&&str) -> bool {
    statuses.iter().position(|other| other == *status) > Some(at)
}

/// The marks of the open boxes of a section, in order.
fn open_boxes(text: &str, name: &str) -> Vec<std::ops::Range<usize>> {
    let Ok((_, body)) = front_matter(text) else { return vec![] };
    let Some((at, section)) = placed(body, name) else { return vec![] };
    let at = text.len() - body.len() + at;
    let open = boxes::boxes(section).into_iter().filter(|task| !task.is_done);
    open.map(|task| at + task.mark.start..at + task.mark.end).collect()
}

/// A line of the fields above the text.
struct FieldLine<'a> {
    /// Where it begins.
    at: usize,
    /// With its line ending.
    line: &'a str,
}

/// The lines of the fields, and where the second line of `---` begins.
fn field_lines(text: &str) -> (Vec<FieldLine<'_>>, usize) {
    let mut lines = text.split_inclusive('\n');
    let mut at = lines.next().map_or(0, str::len);
    let mut found = Vec::new();
    for line in lines {
        if line.trim_end() == "---" {
            break;
        }
        found.push(FieldLine { at, line });
        at += line.len();
    }
    (found, at)
}

/// The line ending of a text.
fn ending(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// The text with another value of a field that is in one line.
fn with_field(text: &str, name: &str, value: &str) -> String {
    let (lines, end) = field_lines(text);
    let new = format!("{name}: {}", scalar(value));
    let mut now = text.to_owned();
    match lines.iter().find(|field| is_field(field.line, name)) {
        Some(field) => {
            // A comment stays; in a text with quotes, it would be part of the text.
            let is_plain = !field.line.contains(['\'', '"']);
            let comment = if is_plain { field.line.find(" #") } else { None };
            let old = field.line[..comment.unwrap_or(field.line.len())].trim_end();
            now.replace_range(field.at..field.at + old.len(), &new);
        }
        None => now.insert_str(end, &format!("{new}{}", ending(text))),
    }
    now
}

/// The text with one more reference.
fn with_reference(text: &str, reference: &str) -> String {
    let (lines, end) = field_lines(text);
    let newline = ending(text);
    let mut now = text.to_owned();
    let Some(n) = lines.iter().position(|field| is_field(field.line, "references")) else {
        now.insert_str(end, &format!("references:{newline}  - {}{newline}", scalar(reference)));
        return now;
    };
    let field = &lines[n];
    let value = field.line["references:".len()..].trim();
    let last = value.rfind(']');
    if let Some(last) = last
        && value.starts_with('[')
    {
        // `[a, b]` in one line.
        let at = field.at + field.line.find('[').unwrap_or_default() + last;
        let comma = if value[1..last].trim().is_empty() { "" } else { ", " };
        now.insert_str(at, &format!("{comma}{}", scalar(reference)));
        return now;
    }
    let items = lines[n + 1..].iter().take_while(|field| {
        let item = field.line.trim_start();
        item.starts_with("- ") || (field.line.starts_with([' ', '\t']) && !item.is_empty())
    });
    let last = items.last();
    let indent = match lines.get(n + 1) {
        Some(field) if last.is_some() => &field.line[..field.line.len() - field.line.trim_start().len()],
        _ => "  ",
    };
    let at = last.map_or(field.at + field.line.len(), |last| last.at + last.line.len());
    now.insert_str(at, &format!("{indent}- {}{newline}", scalar(reference)));
    now
}

fn is_field(line: &str, name: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'))
}

/// A text as YAML writes it: plain where that is unambiguous.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        && !text.ends_with(' ')
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off"
        );
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::IssueId;

    fn written(text: &str, stage: Stage) -> WrittenText {
        let issue = IssueId::parse("BL-TASK-1").unwrap();
        let progress = Progress { issue, stage, claimed: vec![] };
        write(text, &json!({"statuses": ["To Do", "Doing", "It's done"]}), &progress).unwrap()
    }

    #[test]
    fn boxes_and_the_status_change_and_the_references_name_the_issue() {
        let text = "---\r\nid: TASK-1\r\nstatus: to do\r\nreferences:\r\n  - 'https://example.org'\r\nlabels: []\r\n---\r\n\
                    - [ ] no\r\n<!-- AC:BEGIN -->\r\n- [ ] #1 a\r\n- [x] #2 b\r\n<!-- AC:END -->\r\n<!-- DOD:BEGIN -->\r\n\
                    - [ ] #1 c\r\n<!-- DOD:END -->\r\n";
        let now = written(text, Stage::Done);
        let expected = text
            .replace("status: to do", "status: 'It''s done'")
            .replace("org'\r\n", "org'\r\n  - 'git-wf:BL-TASK-1'\r\n")
            .replace("[ ] #", "[x] #");
        assert_eq!((now.text.as_str(), now.changes), (expected.as_str(), 3));
        assert_eq!(written(&now.text, Stage::Done).text, now.text);
        // It does not go back.
        assert_eq!(written(&now.text, Stage::Working).text, now.text);
    }

    #[test]
    fn forms_that_are_not_known_are_refused_and_comments_do_not_hide_a_value() {
        for fields in [
            "status: To Do\nreferences: [a,\n  b]\n",
            "status: To Do\nreferences: {a: b}\n",
            "status: To Do\nreferences: foo\n",
            "status: >-\n  To Do\n",
        ] {
            let text = format!("---\n{fields}---\n");
            let issue = IssueId::parse("BL-TASK-1").unwrap();
            let progress = Progress { issue, stage: Stage::Working, claimed: vec![] };
            let record = json!({"statuses": ["To Do", "Doing", "Done"]});
            let why = write(&text, &record, &progress).unwrap_err();
            assert!(why.starts_with("its fields are in a form"), "{why}");
        }
        let now = written("---\nstatus: To Do # later\n---\n", Stage::Working).text;
        assert!(now.starts_with("---\nstatus: Doing # later\n"), "{now}");
    }

    #[test]
    fn references_are_added_in_the_form_that_stands_there() {
        for (before, after) in [
            ("references: []\n", "references: ['git-wf:BL-TASK-1']\n"),
            ("references: [a, b]\n", "references: [a, b, 'git-wf:BL-TASK-1']\n"),
            ("references:\n- a\n", "references:\n- a\n- 'git-wf:BL-TASK-1'\n"),
            ("references:\n", "references:\n  - 'git-wf:BL-TASK-1'\n"),
            ("", "references:\n  - 'git-wf:BL-TASK-1'\n"),
        ] {
            let text = format!("---\n{before}status: To Do\n---\n");
            let now = written(&text, Stage::Working);
            let status = "status: Doing\n";
            let expected = match before {
                "" => format!("---\n{status}{after}---\n"),
                _ => format!("---\n{after}{status}---\n"),
            };
            assert_eq!(now.text, expected);
        }
    }
}
