//! Writes back how far plans have come into the files that they were imported from. Boxes are ticked and statuses set; every
//! other byte stays, and nothing that is done there becomes open again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::boxes::{self, TaskBox};
use super::claimed::{ClaimedTask, ListEntry, Mark, is_reworded, number_of, words};
use super::{backlog, gsd, openspec, spec_kit, task_master};
use crate::model::IssueId;

/// How far an issue has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nobody carries its plan out.
    Open,
    /// Someone carries its plan out.
    Working,
    /// It is completed or closed.
    Done,
    /// It was closed as cancelled.
    Cancelled,
}

/// What is to be written about an issue.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) issue: IssueId,
    pub(crate) stage: Stage,
    /// The tasks of the imported plan as it was claimed, if that is being executed or completed it; else there are none.
    pub(crate) claimed: Vec<ClaimedTask>,
}

/// What a file becomes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenText {
    pub(crate) text: String,
    /// How many boxes were ticked and statuses set.
    pub(crate) changes: usize,
    /// What is done, but no longer has a place in the file.
    pub(crate) missing: Vec<String>,
}

/// A tool into whose files progress is written.
pub(crate) struct WrittenTool {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether a record is one of this tool, of a plan that can still change.
    pub(crate) is_own: fn(&Value) -> bool,
    /// The file with the progress, below the directory of the tool or of the project; `None` if the plan is gone. It may not
    /// exist yet.
    pub(crate) find: fn(&Path, &Value) -> io::Result<Option<PathBuf>>,
    /// The text of that file with the progress of the issue; why not, in words, if it cannot be read.
    pub(crate) write: fn(&str, &Value, &Progress) -> Result<WrittenText, String>,
}

/// OpenSpec.
pub(crate) static OPENSPEC: WrittenTool = WrittenTool {
    name: "openspec",
    is_own: |record| openspec::listed_boxes(record).is_some(),
    find: |folder, record| Ok(openspec::find(folder, record)),
    write: |text, record, progress| Ok(tick(text, openspec::listed_boxes(record), progress)),
};
/// Spec Kit.
pub(crate) static SPEC_KIT: WrittenTool = WrittenTool {
    name: "spec-kit",
    is_own: |record| spec_kit::listed_boxes(record).is_some(),
    find: |folder, record| Ok(spec_kit::listed_boxes(record).and_then(|listed| listed.find(folder))),
    write: |text, record, progress| Ok(tick(text, spec_kit::listed_boxes(record), progress)),
};
/// Get Shit Done: the file is the summary, which may not exist yet.
pub(crate) static GSD: WrittenTool = WrittenTool {
    name: "gsd",
    is_own: gsd::is_plan,
    find: |folder, record| Ok(gsd::find(folder, record)),
    write: |text, record, progress| Ok(gsd::write(text, record, progress)),
};
/// Task Master.
pub(crate) static TASK_MASTER: WrittenTool = WrittenTool {
    name: "task-master",
    is_own: task_master::TRACKER.is_own,
    find: |folder, _| Ok(task_master::file_in(folder)),
    write: task_master::write,
};
/// Backlog.md.
pub(crate) static BACKLOG: WrittenTool = WrittenTool {
    name: "backlog",
    is_own: backlog::TRACKER.is_own,
    find: backlog::find,
    write: backlog::write,
};

/// The boxes that a plan was made of.
pub(super) struct ListedBoxes {
    /// Where their file may be, below the directory that is exported to.
    pub(super) places: Vec<String>,
    /// In order.
    pub(super) all: Vec<ListedBox>,
}

/// A box, as it was imported.
pub(super) struct ListedBox {
    pub(super) line: String,
    /// The line without what says more of the task, such as its number.
    pub(super) title: String,
    /// Its task in the plan.
    pub(super) id: String,
}

impl ListedBoxes {
    /// The first of its places where there is a file. What a record names is not trusted.
    pub(super) fn find(&self, folder: &Path) -> Option<PathBuf> {
        let places = self
            .places
            .iter()
            .filter(|place| Path::new(place).components().all(|part| matches!(part, Component::Normal(_))))
            .map(|place| folder.join(place));
        places.into_iter().find(|file| file.is_file())
    }
}

/// Whether a box with the number of another one is the same task in other words, and not one of the others that were imported.
fn is_only_reworded(old: &str, new: &str, all: &[ListedBox]) -> bool {
    let now = words(new);
    is_reworded(old, new) && all.iter().all(|other| other.line == old || words(&other.line) != now)
}

/// The text with the boxes of done tasks ticked. A box is known by its line, and by its place among equal lines; if there is no
/// such line, by its number, if no other box has that and at least half of its words are the same.
fn tick(text: &str, listed: Option<ListedBoxes>, progress: &Progress) -> WrittenText {
    let mut by_line: BTreeMap<(&str, usize), TaskBox<'_>> = BTreeMap::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for task in boxes::boxes(text) {
        let number = seen.entry(task.text).or_default();
        by_line.insert((task.text, *number), task);
        *number += 1;
    }
    // A box whose text was changed may still have its number: `1.1`, `T001`.
    let mut by_number: BTreeMap<&str, Vec<TaskBox<'_>>> = BTreeMap::new();
    for task in by_line.values() {
        if let Some(number) = number_of(task.text) {
            by_number.entry(number).or_default().push(task.clone());
        }
    }
    let all = listed.map(|listed| listed.all).unwrap_or_default();
    let mut entries = Vec::new();
    for ListedBox { line, title, id } in &all {
        entries.push(ListEntry { id, number: number_of(line), title });
    }
    let (marks, mut missing) = progress.marks(&entries);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (ListedBox { line, id, .. }, mark) in all.iter().zip(marks) {
        let number = seen.entry(line).or_default();
        let renamed = || match number_of(line).and_then(|number| by_number.get(number)).map(Vec::as_slice) {
            Some([only]) if is_only_reworded(line, only.text, &all) => Some(only),
            _ => None,
        };
        match by_line.get(&(line.as_str(), *number)).or_else(renamed) {
            _ if mark == Mark::No => {}
            // Of equal lines, two may have been reworded to one.
            Some(task) if task.is_done || found.contains(task) => {}
            // `[-]` was given up.
            Some(task) if mark == Mark::WithRest && task.other_mark(text).is_some() => {}
            Some(task) => found.push(task.clone()),
            None => missing.push(id.clone()),
        }
        *number += 1;
    }
    WrittenText { text: boxes::tick(text, &found), changes: found.len(), missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(lines: &[&str]) -> ListedBoxes {
        let made = lines.iter().enumerate().map(|(n, line)| ListedBox {
            line: (*line).to_owned(),
            title: (*line).to_owned(),
            id: format!("T{}", n + 1),
        });
        ListedBoxes { places: vec![], all: made.collect() }
    }

    /// The text with the boxes of a list, which was claimed as it is, if some of its tasks have work.
    fn ticked(text: &str, lines: &[&str], stage: Stage, worked: &[&str]) -> WrittenText {
        let claimed = listed(lines).all.into_iter().map(|listed| ClaimedTask {
            has_work: worked.contains(&listed.id.as_str()),
            id: listed.id,
            titles: [listed.title].into(),
            is_joined: false,
            is_accepted: false,
        });
        let issue = IssueId::parse("OS-a").unwrap();
        tick(text, Some(listed(lines)), &Progress { issue, stage, claimed: claimed.collect() })
    }

    const LINES: [&str; 4] = ["1.1 a", "same", "same", "gone"];

    #[test]
    fn a_box_is_found_by_its_line_wherever_it_is_now() {
        let now = "- [ ] new\n- [~] 1.1 a, reworded\n- [ ] same\n- [ ] same\n";
        let all = ticked(now, &LINES, Stage::Working, &["T1", "T3", "T4"]);
        assert_eq!(all.text, "- [ ] new\n- [x] 1.1 a, reworded\n- [ ] same\n- [x] same\n");
        assert_eq!((all.changes, all.missing), (2, vec!["T4".to_owned()]));
        let twice = ticked("- [ ] 1.1 b\n- [ ] 1.1 c\n", &LINES, Stage::Working, &["T1"]);
        assert_eq!(twice.missing, ["T1"]);
    }

    #[test]
    fn another_task_with_the_number_of_one_that_is_gone_is_not_ticked() {
        for (texts, now) in [
            (
                ["1.1 Open", "1.2 Test the gate", "1.3 Test the bowl"],
                "- [ ] 1.1 Open\n- [ ] 1.2 Test the bowl\n",
            ),
            (["1.1 Open", "1.2 Wash", "1.3 Buy"], "- [ ] 1.1 Open\n- [ ] 1.2 Sell leaves\n"),
            (["T001 [P] Open", "T002 [P] Wash it", "T002 [P] Wash all"], "- [ ] T002 [P] Wash all\n"),
        ] {
            let ticked = ticked(now, &texts, Stage::Working, &["T2"]);
            assert_eq!((ticked.text.as_str(), ticked.missing), (now, vec!["T2".to_owned()]));
        }
    }

    #[test]
    fn what_is_done_as_a_whole_has_all_of_its_boxes_ticked_except_those_given_up() {
        let now = "- [ ] same\n- [-] same\n- [~] 1.1 a\n- [ ] gone\n";
        let done = ticked(now, &LINES, Stage::Done, &["T1"]);
        assert_eq!(done.text, "- [x] same\n- [-] same\n- [x] 1.1 a\n- [x] gone\n");
    }
}
