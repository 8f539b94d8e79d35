//! The checks of what a planner found out about the code.

use serde_json::{Map, Value};

use super::checker::{Checker, given};
use super::table::TYPE;

impl Checker<'_> {
    /// Files are paths or objects with a path; other known fields are texts or lists of texts. Unknown fields may hold
    /// anything, unless their name looks like a misspelling.
    pub(super) fn exploration(&mut self, map: &Map<String, Value>) {
        let Some(found) = self.object(map, "", "exploration_context") else { return };
        let at = "exploration_context";
        self.near_names(found, &["relevant_files", "patterns", "integration_points"], "exploration_context.");
        match given(found, "relevant_files") {
            None => {}
            Some(Value::Array(files)) => {
                for (n, file) in files
                    .iter()
                    .enumerate()
                    .filter(|(_, file)| !(file.is_string() || file["path"].is_string()))
                {
                    let allowed = "a path, or an object with `path`";
                    self.find(&TYPE, format!("{at}.relevant_files[{n}]"), Some(file), allowed);
                }
            }
            other => self.find(&TYPE, format!("{at}.relevant_files"), other, "a list of paths"),
        }
        for name in ["patterns", "integration_points"] {
            match given(found, name) {
                Some(Value::Array(_)) => self.texts(found, &format!("{at}."), name),
                Some(other) if !other.is_string() => {
                    self.find(&TYPE, format!("{at}.{name}"), Some(other), "a string, or a list of strings");
                }
                _ => {}
            }
        }
    }
}
