//! `gh --json` writes only the members that were asked for, so one that is missing says nothing.

use serde_json::Value;

use super::members::is_unplaced;

/// Members that say the same in the two forms of a record.
const MEMBERS: &[&[&str]] = &[
    &["author", "user"],
    &["body"],
    &["labels"],
    &["assignees"],
    &["html_url", "url"],
    &["issueType", "type"],
    &["blockedBy"],
    &["parent", "parent_issue_url"],
    &["node_id", "id"],
];
/// The state, and the members that go with it: a reopened issue has none of them.
const OF_STATE: &[&[&str]] =
    &[&["state"], &["stateReason", "state_reason"], &["closedAt", "closed_at"], &["closed_by"]];
/// The member that only a locked issue has.
const LOCK: &str = "active_lock_reason";

/// The record `now`, with the members of `before` that it does not mention. Comments of which it has only the number are
/// not mentioned.
pub(super) fn from(before: &Value, now: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (before, now) else { return now.clone() };
    let mut whole = new.clone();
    let is_same_state = state_of(now).is_none_or(|now| Some(now) == state_of(before));
    let is_unlocked = now["locked"] == false;
    let of_state = if is_same_state { OF_STATE } else { &[] };
    for names in MEMBERS.iter().chain(of_state) {
        if !names.iter().any(|name| new.contains_key(*name)) {
            let known = names.iter().filter_map(|name| Some(((*name).to_owned(), old.get(*name)?.clone())));
            whole.extend(known);
        }
    }
    for (name, value) in old.iter().filter(|(name, _)| is_unplaced(name)) {
        let is_of_state = OF_STATE.iter().any(|names| names.contains(&name.as_str()));
        let was_unlocked = is_unlocked && name == LOCK;
        if is_of_state || was_unlocked || new.contains_key(name) {
            continue;
        }
        whole.insert(name.clone(), value.clone());
    }
    let comments = old.get("comments").filter(|comments| comments.is_array());
    if let Some(known) = comments
        && !new.get("comments").is_some_and(Value::is_array)
    {
        whole.insert("comments".into(), known.clone());
    }
    Value::Object(whole)
}

fn state_of(record: &Value) -> Option<String> {
    record["state"].as_str().map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_missing_is_known_from_before_and_what_is_empty_is_empty() {
        let before = json!({"state": "CLOSED", "stateReason": "COMPLETED", "body": "b", "labels": [{"name": "x"}],
            "comments": [{"body": "c"}], "url": "u", "author": {"login": "ada"}, "milestone": {"title": "m"}, "estimate": 3});
        let now = json!({"state": "closed", "labels": [], "comments": 1, "title": "t"});
        let whole = from(&before, &now);
        assert_eq!(whole["labels"], json!([]));
        for name in ["stateReason", "body", "comments", "url", "author", "milestone", "estimate"] {
            assert_eq!(whole[name], before[name], "{name}");
        }
        let open =
            from(&before, &json!({"state": "OPEN", "body": "", "html_url": "h", "user": {"login": "bea"}}));
        assert_eq!(open["body"], "");
        for name in ["stateReason", "url", "author"] {
            assert_eq!(open.get(name), None, "{name}");
        }
    }

    #[test]
    fn a_reopened_issue_keeps_nothing_of_its_closing() {
        let closed = json!({"state": "closed", "closed_by": {"login": "cy"}, "locked": true,
            "active_lock_reason": "resolved", "state_reason": "completed", "closed_at": "2026-01-02T08:00:00Z", "milestone": "m"});
        let again = from(&closed, &json!({"state": "CLOSED", "title": "t"}));
        let open = from(&closed, &json!({"state": "OPEN", "title": "t"}));
        // Issues are locked and closed apart from one another.
        let locked = json!({"locked": true, "active_lock_reason": "resolved"});
        assert_eq!(
            (&open["locked"], &open["active_lock_reason"]),
            (&locked["locked"], &locked["active_lock_reason"])
        );
        for name in ["closed_by", "state_reason", "closed_at"] {
            assert_eq!(open.get(name), None, "{name}");
        }
        for name in ["closed_by", "locked", "active_lock_reason", "state_reason", "closed_at"] {
            assert_eq!(again[name], closed[name], "{name}");
        }
        let unlocked = from(&closed, &json!({"state": "closed", "locked": false}));
        assert_eq!(
            (unlocked.get("active_lock_reason"), &unlocked["closed_by"]),
            (None, &closed["closed_by"])
        );
    }

    #[test]
    fn an_issue_keeps_the_id_that_a_later_record_does_not_give() {
        let kept = from(&json!({"id": 3, "node_id": "I_1"}), &json!({"title": "t"}));
        assert_eq!(kept, json!({"title": "t", "id": 3, "node_id": "I_1"}));
        assert_eq!(from(&json!({"id": 3, "node_id": "I_1"}), &json!({"id": "I_1"})), json!({"id": "I_1"}));
    }
}
