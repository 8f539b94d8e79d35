//! Two repositories can have issues with the same number and time.

use serde_json::Value;

use crate::rules::reply_task;

/// Whether two records are about issues of two repositories. One that was renamed or moved has another address, too: its
/// issues keep their ids there, or at least, if the records do not give any, their authors and titles.
pub(super) fn is_elsewhere(before: &Value, now: &Value) -> bool {
    let are_two = repository(before).zip(repository(now)).is_some_and(|(one, two)| one != two);
    are_two
        && match id(before).zip(id(now)) {
            Some((one, two)) => one != two,
            None => author(before) != author(now) || before["title"] != now["title"],
        }
}

/// The repository in the address of a record.
pub(super) fn repository(record: &Value) -> Option<String> {
    page(record, "html_url").or_else(|| page(record, "url")).map(|name| name.to_ascii_lowercase())
}

fn page(record: &Value, name: &str) -> Option<String> {
    reply_task::repository_of_issue(record[name].as_str()?)
}

/// The id of a record, unique on GitHub: `id` from `gh`, `node_id` from the REST API.
fn id(record: &Value) -> Option<&str> {
    record["node_id"].as_str().or_else(|| record["id"].as_str())
}

fn author(record: &Value) -> Option<&str> {
    record.as_object().map(super::author)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_repository_that_moved_is_known_by_its_issues() {
        let at = |name: &str| {
            json!({"number": 7, "title": "Tokens expire", "author": {"login": "ada"},
                "url": format!("https://github.com/{name}/issues/7")})
        };
        let with = |name: &str, member: &str, value: Value| {
            let mut record = at(name);
            record[member] = value;
            record
        };
        let one = at("zoo/okapi");
        assert!(!is_elsewhere(&one, &at("Zoo/Okapi")) && !is_elsewhere(&one, &at("zoo/gnu")), "renamed");
        assert!(!is_elsewhere(&one, &with("zoo/gnu", "url", json!(null))), "it names no place");
        assert!(is_elsewhere(&one, &with("zoo/gnu", "title", json!("Dark mode"))));
        assert!(is_elsewhere(&one, &with("zoo/gnu", "author", json!({"login": "bea"}))));
        let known = with("zoo/okapi", "id", json!("I_1"));
        let rest = json!({"number": 7, "id": 3, "node_id": "I_1", "title": "Other", "html_url": "https://github.com/zoo/gnu/issues/7",
            "url": "https://api.github.com/repos/zoo/gnu/issues/7"});
        assert!(!is_elsewhere(&known, &rest), "it has its id");
        assert!(is_elsewhere(&known, &with("zoo/gnu", "id", json!("I_2"))));
    }
}
