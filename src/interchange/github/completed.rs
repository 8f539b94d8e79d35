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
];
/// The fields that go with the state.
const OF_STATE: &[&[&str]] = &[&["stateReason", "state_reason"], &["closedAt", "closed_at"]];

/// The record `now`, with the members of `before` that it does not mention. Comments of which it has only the number are
/// not mentioned.
pub(super) fn from(before: &Value, now: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (before, now) else { return now.clone() };
    let mut whole = new.clone();
    let state = |record: &Value| record["state"].as_str().map(str::to_ascii_lowercase);
    let is_same_state = state(before) == state(now);
    for names in MEMBERS.iter().chain(OF_STATE.iter().filter(|_| is_same_state)) {
        if !names.iter().any(|name| new.contains_key(*name)) {
            let known = names.iter().filter_map(|name| Some(((*name).to_owned(), old.get(*name)?.clone())));
            whole.extend(known);
        }
    }
    for (name, value) in old.iter().filter(|(name, _)| is_unplaced(name) && !new.contains_key(*name)) {
        whole.insert(name.clone(), value.clone());
    }
    let comments = old.get("comments").filter(|it| it.is_array());
    if let Some(known) = comments.filter(|_| !new.get("comments").is_some_and(Value::is_array)) {
        whole.insert("comments".into(), known.clone());
    }
    Value::Object(whole)
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
}
