//! What a random history acknowledged.

use serde_json::Value;

/// What was acknowledged, and must exist in the end.
#[derive(Default)]
pub(super) struct Promised {
    pub(super) issues: Vec<String>,
    pub(super) comments: Vec<(String, String)>,
    /// Plans with what their reviewers found.
    pub(super) reviews: Vec<(String, String)>,
    pub(super) feedback: Vec<(String, String)>,
    /// Entries that no command makes and git can store.
    pub(super) odd: Vec<&'static str>,
}

/// A field of each record in a list, as JSON.
pub(super) fn said(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|record| record[field].to_string()).collect()
}
