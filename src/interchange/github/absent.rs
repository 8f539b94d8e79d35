//! The fields on which a record is silent. Which members it has depends on who asked: `gh issue list --json` writes those
//! that it was asked for. So an absent member says nothing; only one that is null or empty says that there is nothing.

use serde_json::{Map, Value};

/// The members that say the same, by their names in either form, and the field that they become here.
const MEMBERS: &[(&[&str], &str)] = &[
    (&["body"], "context"),
    (&["labels"], "tags"),
    (&["assignees"], "assignee"),
    (&["html_url", "url"], "source_url"),
    (&["issueType", "type"], "issue_type"),
    (&["blockedBy"], "depends_on"),
    (&["parent", "parent_issue_url"], "relations"),
    (STATE, "status"),
    (REASON, "close_reason"),
    (CLOSED, "closed_at"),
];
const STATE: &[&str] = &["state"];
const REASON: &[&str] = &["stateReason", "state_reason"];
const CLOSED: &[&str] = &["closedAt", "closed_at"];

/// The fields on which a record is silent. An open issue has neither a reason nor a time of closing.
pub(super) fn silent(map: &Map<String, Value>) -> Vec<&'static str> {
    let state = map.get("state").and_then(Value::as_str);
    let is_open = state.is_some_and(|state| !state.eq_ignore_ascii_case("closed"));
    MEMBERS
        .iter()
        .filter(|(names, _)| {
            !(names.iter().any(|name| map.contains_key(*name))
                || is_open && (*names == REASON || *names == CLOSED))
        })
        .map(|(_, field)| *field)
        .collect()
}
