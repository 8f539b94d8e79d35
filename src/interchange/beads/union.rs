//! Two records of one issue in one file. beads writes a line for each issue, so a union merge of its file leaves both lines of
//! an issue that two clones changed.

use serde_json::{Map, Value};

/// The members that are lists, and by which of their members their elements are known; by themselves if by none.
const LISTS: &[(&str, &[&str])] = &[
    ("labels", &[]),
    ("dependencies", &["depends_on_id", "type"]),
    ("comments", &["author", "created_at", "text"]),
];

/// The `later` record with the elements and members that only the `earlier` one has.
pub(super) fn join(earlier: &Value, later: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (earlier, later) else { return later.clone() };
    let mut whole: Map<String, Value> = new.clone();
    for (name, value) in old {
        if new.get(name).is_none_or(Value::is_null) && !is_of_state(name) {
            whole.insert(name.clone(), value.clone());
        }
    }
    for (name, key) in LISTS {
        let (Some(before), Some(mut all)) = (list_in(name, old), list_in(name, &whole)) else { continue };
        for element in before {
            if !all.iter().any(|known| {
                known == &element
                    || !key.is_empty() && key.iter().all(|member| known.get(*member) == element.get(*member))
            }) {
                all.push(element);
            }
        }
        whole.insert((*name).to_owned(), all.into());
    }
    Value::Object(whole)
}

fn list_in(name: &&str, record: &Map<String, Value>) -> Option<Vec<Value>> {
    record.get(*name).and_then(Value::as_array).cloned()
}

/// Whether a member belongs to the status, which only the later record says.
fn is_of_state(name: &str) -> bool {
    matches!(
        name,
        "closed_at"
            | "close_reason"
            | "closed_by_session"
            | "deleted_at"
            | "deleted_by"
            | "delete_reason"
            | "defer_until"
            | "pinned"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_that_only_one_line_lists_is_lost() {
        let comment = |id: u64, author: &str, text: &str| json!({"id": id, "author": author, "text": text, "created_at": "2026-01-01T08:00:00Z"});
        let one = json!({"title": "a", "labels": ["x", "y"], "notes": "n", "closed_at": "t", "comments": [comment(1, "ada", "a"), comment(2, "bea", "b")],
            "dependencies": [{"depends_on_id": "z", "type": "blocks"}]});
        let two = json!({"title": "b", "labels": ["y", "z"], "comments": [comment(1, "bea", "b"), comment(2, "bea", "c")]});
        let whole = join(&one, &two);
        assert_eq!(
            (&whole["title"], &whole["notes"], whole.get("closed_at")),
            (&json!("b"), &json!("n"), None)
        );
        assert_eq!(whole["labels"], json!(["y", "z", "x"]));
        assert_eq!(whole["dependencies"], one["dependencies"]);
        assert_eq!(
            whole["comments"],
            json!([comment(1, "bea", "b"), comment(2, "bea", "c"), comment(1, "ada", "a")])
        );
        assert_eq!(join(&two, &whole), whole, "again");
    }
}
