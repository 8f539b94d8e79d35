//! Writes back which tasks are done: boxes are ticked, and every other byte stays.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::boxes::{self, TaskBox};
use super::{openspec, spec_kit};

/// A file with boxes that a plan was made of.
pub(crate) struct TickedFile {
    /// Where it may be, below the directory that is exported to.
    pub(crate) places: Vec<String>,
    /// The lines of its boxes, as they were imported.
    pub(super) texts: Vec<String>,
    /// The task of each box.
    pub(super) ids: Vec<String>,
}

/// What a file becomes.
pub(crate) struct TickedText {
    pub(crate) text: String,
    /// How many boxes were ticked.
    pub(crate) ticked: usize,
    /// The tasks whose boxes are not there any more.
    pub(crate) missing: Vec<String>,
}

/// A tool into whose files boxes are ticked.
pub(crate) struct TickedTool {
    /// Its name.
    pub(crate) name: &'static str,
    /// The file that the plan of a record was made of; `None` for the records of other tools.
    pub(crate) find: fn(&Value) -> Option<TickedFile>,
}

/// OpenSpec.
pub(crate) static OPENSPEC: TickedTool = TickedTool { name: "openspec", find: openspec::ticked_file };
/// Spec Kit.
pub(crate) static SPEC_KIT: TickedTool = TickedTool { name: "spec-kit", find: spec_kit::ticked_file };

impl TickedFile {
    /// The text with the boxes of these tasks ticked. A box is known by its line, and by its number among equal lines.
    pub(crate) fn ticked(&self, text: &str, done: &BTreeSet<String>) -> TickedText {
        let mut by_line: BTreeMap<(&str, usize), TaskBox<'_>> = BTreeMap::new();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for task in boxes::boxes(text) {
            let number = seen.entry(task.text).or_default();
            by_line.insert((task.text, *number), task);
            *number += 1;
        }
        seen.clear();
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for (line, id) in self.texts.iter().zip(&self.ids) {
            let number = seen.entry(line).or_default();
            if done.contains(id) {
                match by_line.get(&(line.as_str(), *number)) {
                    Some(task) if task.is_done => {}
                    Some(task) => found.push(task.clone()),
                    None => missing.push(id.clone()),
                }
            }
            *number += 1;
        }
        TickedText { text: boxes::tick(text, &found), ticked: found.len(), missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_found_by_its_line_wherever_it_is_now() {
        let texts = ["1.1 a", "same", "same", "gone"].map(str::to_owned).to_vec();
        let ids = ["T1", "T2", "T3", "T4"].map(str::to_owned).to_vec();
        let file = TickedFile { places: vec![], texts, ids };
        let done = ["T1", "T3", "T4"].map(str::to_owned).into();
        let now = "- [ ] new\n- [~] 1.1 a\n- [ ] same\n- [ ] same\n";
        let ticked = file.ticked(now, &done);
        assert_eq!(ticked.text, "- [ ] new\n- [x] 1.1 a\n- [ ] same\n- [x] same\n");
        assert_eq!((ticked.ticked, ticked.missing), (2, vec!["T4".to_owned()]));
    }
}
