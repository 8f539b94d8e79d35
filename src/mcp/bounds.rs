//! Bounds the records that are answered, so that one comment does not fill the context of an agent.

use serde_json::{Map, Value};

use super::tools::is_part_of_an_issue;
use crate::model::op::Other;
use crate::model::remedy::RemedyCall;
use crate::rules::bounded::{Cut, LONGEST, LONGEST_OF_ISSUE, Omission};

/// Characters of each text of a record itself. The context of a planner has fewer.
const LONGEST_OF_RECORD: usize = 4 * LONGEST_OF_ISSUE;

/// Cuts long texts of an issue or a plan, and keeps the newest entries of each part of an issue; says what was cut.
pub(super) fn bound(record: &mut Map<String, Value>, id: &str) -> Vec<Omission> {
    let mut left_out = Vec::new();
    for (name, value) in record.iter_mut() {
        let is_part = is_part_of_an_issue(name);
        let mut cut = Cut::at(if is_part { LONGEST_OF_ISSUE } else { LONGEST_OF_RECORD });
        if let (true, Value::Array(entries)) = (is_part, &mut *value) {
            *entries = cut.newest(std::mem::take(entries));
            entries.reverse();
        }
        shorten(value, &mut cut);
        let whole = RemedyCall::new(Other::Show, [id]).flag("json");
        left_out.extend(cut.left_out(name, whole));
    }
    left_out
}

/// A text that the caller wrote itself, and need not read again.
pub(super) fn echo(text: &str) -> String {
    Cut::at(LONGEST).text(text)
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
        let left = bound(issue.as_object_mut().unwrap(), "A-1");
        let counts: Vec<_> = left.iter().map(|it| (&*it.what, it.entries, it.shortened)).collect();
        assert_eq!(counts, [("context", 0, 1), ("comments", 5, 20)]);
        assert_eq!(left[0].command.command(), "git wf show A-1 --json");
        assert_eq!(issue["comments"].as_array().unwrap().len(), 20);
        assert!(issue.to_string().len() < 21 * LONGEST_OF_ISSUE + LONGEST_OF_RECORD);
    }
}
