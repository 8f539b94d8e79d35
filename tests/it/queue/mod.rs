//! Queues: how they are formed, ordered, drawn and resolved.

mod check;
mod conflicts;
mod decisions;
mod formation;
mod items;
mod merged;
mod order;
mod paths;

use serde_json::Value;

use crate::support::{Repo, column};

/// The issues of a queue in the order of execution.
#[track_caller]
fn order_of(repo: &Repo, queue: &[&str]) -> Vec<String> {
    column(&repo.json(&[&["queue", "show"], queue].concat())["items"], "issue_id")
}

/// The item of an issue in the first active queue.
#[track_caller]
fn item_of(repo: &Repo, issue: &str) -> Value {
    let queue = repo.json(&["queue", "show"]);
    let items = queue["items"].as_array().unwrap();
    items.iter().find(|it| it["issue_id"] == issue).unwrap_or_else(|| panic!("{issue}: {queue:#}")).clone()
}

/// Why an item waits, and the remedies, in one text.
#[track_caller]
fn reasons(item: &Value) -> String {
    crate::support::reasons(item)
}
