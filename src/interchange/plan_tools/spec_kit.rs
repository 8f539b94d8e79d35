//! Spec Kit 1.2: a folder below `specs` is a feature, with a specification, a plan and tasks.

use std::path::Path;

use serde_json::{Value, json};

use super::boxes::{self, TaskBox};
use super::criteria::of_specification;
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, date};
use super::sections::{below, sections};
use super::task_list::{ListedIssue, ListedTask, TaskList, TaskOrder};
use super::{PlanTool, written::ListedBoxes};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::{Op, Time};

/// Spec Kit.
pub(crate) static SPEC_KIT: PlanTool =
    PlanTool { tracker: &TRACKER, op: Op::ImportSpecKit, open, reused_names: None };

/// What its records mean.
pub(crate) static TRACKER: Tracker = Tracker {
    name: TOOL,
    is_own: |record| record::is_of(TOOL, record),
    read,
    hint: "give the project's directory, or its `specs`",
    follows_plans: true,
    is_dated_by_file: true,
    ..Tracker::ALONE
};

const TOOL: &str = "spec-kit";
const PREFIX: &str = "SK";
const TASKS: &str = "tasks.md";
/// Longer ranges of tasks are cut: no list has that many.
const MOST_NAMED: usize = 1000;
const FILES: [&str; 6] = ["spec.md", "plan.md", "research.md", "data-model.md", "quickstart.md", TASKS];
/// The beginnings of the headings of a specification and a list of tasks, which templates write.
const HEADINGS: [&str; 3] = ["Feature Specification:", "Implementation Plan:", "Tasks:"];

fn open(folder: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let inside = folder.join("specs");
    let specs = if inside.is_dir() { inside } else { folder.to_owned() };
    let names: Vec<String> = files::folders(&specs)
        .into_iter()
        .filter(|name| ["spec.md", TASKS].iter().any(|file| specs.join(name).join(file).is_file()))
        .collect();
    if names.is_empty() {
        return Ok(None);
    }
    let mut found = PlanFiles::default();
    found.leave_others(&specs, |name| names.iter().any(|known| known == name));
    for name in names {
        let folder = specs.join(&name);
        found.leave_others(&folder, |file| FILES.contains(&file) || folder.join(file).is_dir());
        let more = json!({"folders": files::folders(&folder)});
        let place = format!("specs/{name}");
        found.add_files(place, FileGroup::read(&folder, FILES), |group| {
            record::record(TOOL, &name, group, more)
        });
    }
    Ok(Some(found.with_unread()))
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let (spec, plan, tasks) = (given.file("spec.md"), given.file("plan.md"), given.file(TASKS));
    let list = listed(tasks);
    let has_others = boxes::boxes(tasks).len() > list.len();
    let issue = ListedIssue {
        title: [spec, tasks].into_iter().find_map(title_of).unwrap_or(given.name),
        created: created(&given, spec),
        archived: None,
        summary: below(plan, "Summary"),
        approach: plan,
        context: spec,
        criteria: of_specification(spec),
        list,
        other_lists: vec![],
    };
    let mut arrival = issue.arrival(&given, given.id(PREFIX, given.name)?);
    if has_others {
        arrival
            .kept
            .insert("boxes without a number such as T001, or in comments, which are not tasks".into());
    }
    for folder in given.member("folders").as_array().into_iter().flatten().filter_map(Value::as_str) {
        arrival.kept.insert(format!("the files in `{folder}`").into());
    }
    Ok(arrival)
}

/// The title in the first heading.
fn title_of(text: &str) -> Option<&str> {
    let first = sections(text).into_iter().find(|section| section.level == 1)?;
    let title = HEADINGS.iter().find_map(|start| first.title.strip_prefix(start)).unwrap_or(first.title);
    Some(title.trim()).filter(|title| !title.is_empty())
}

/// The day in the specification, or in the name of a folder such as `20261128-170200-feed`.
fn created(given: &PlanRecord<'_>, spec: &str) -> Option<Time> {
    let line = spec.lines().find_map(|line| line.trim().strip_prefix("**Created**:"));
    line.and_then(date).or_else(|| {
        let day = given.name.get(..8).filter(|day| day.bytes().all(|byte| byte.is_ascii_digit()))?;
        date(&format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]))
    })
}

/// The boxes with a number: `T001 [P] [US1] Write the rota in docs/rota.md (depends on T002)`. A phase comes after the one
/// before, and in it one task after the other, unless it is marked as parallel or says itself what it depends on.
fn listed(text: &str) -> TaskList<'_> {
    let shown = boxes::boxes(text).into_iter().filter(|listed| !listed.is_hidden);
    TaskList::new(text, shown.filter_map(task).collect())
}

fn task(listed: TaskBox<'_>) -> Option<ListedTask<'_>> {
    let (number, mut rest) = listed.text.split_once(' ').unwrap_or((listed.text, ""));
    let id = number.trim_matches(['*', '_', '`', ':', '.', '[', ']']);
    if !is_number(id) {
        return None;
    }
    let (mut order, mut story) = (TaskOrder::Previous, None);
    while let Some((mark, after)) = rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'))
    {
        match mark {
            "P" => order = TaskOrder::Group,
            mark if mark.starts_with("US") => story = Some(mark),
            _ => break,
        }
        rest = after;
    }
    let mut title = rest.trim();
    if number.starts_with("**") && !number[2..].contains("**") {
        // The bold text ends behind the marks: `**T009 [P]** Fill the bowl`.
        title = title.trim_start_matches(['*', ':']).trim_start();
    }
    title = title.strip_prefix("- ").unwrap_or(title);
    Some(ListedTask { id: id.to_owned(), title, story, order, named: named(title), listed })
}

/// The tasks in `(depends on T001, T003-T005)`.
fn named(title: &str) -> Option<Vec<String>> {
    let at = title.to_ascii_lowercase().find("(depends on")?;
    let inside = title[at..].split(')').next()?.replace(['\u{2013}', '\u{2014}'], "-");
    let mut found = Vec::new();
    for word in inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        if !is_number(first) || !is_number(last) {
            continue;
        }
        let numbers = (first[1..].parse::<u32>().ok()?, last[1..].parse::<u32>().ok()?);
        let width = first.len() - 1;
        found.extend((numbers.0..=numbers.1).take(MOST_NAMED).map(|number| format!("T{number:0width$}")));
    }
    Some(found)
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('T').unwrap_or_default();
    (3..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The file with the boxes of a feature, and the tasks of its plan.
pub(super) fn listed_boxes(record: &Value) -> Option<ListedBoxes> {
    let given = PlanRecord::parse(TOOL, record)?;
    let places = vec![format!("specs/{}/{TASKS}", given.name), format!("{}/{TASKS}", given.name)];
    Some(listed(given.file(TASKS)).boxes(places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_task_is_what_follows_its_number_and_marks() {
        let text = "- [ ] **T009 [P]** Fill it\n- [ ] T010 - **Oil** it\n- [ ] **T011** [US1] Go\n- [ ] T012 **Bold** is\n";
        let titles: Vec<String> = listed(text).boxes(vec![]).all.into_iter().map(|task| task.title).collect();
        assert_eq!(titles, ["Fill it", "**Oil** it", "Go", "**Bold** is"]);
    }

    #[test]
    fn what_a_task_depends_on_may_be_a_range() {
        assert_eq!(
            named("Do it (Depends on: T001, T003–T005) in a/b (T009)").unwrap(),
            ["T001", "T003", "T004", "T005"]
        );
        assert_eq!((named("Do it"), named("Do it (depends on US1)")), (None, Some(vec![])));
    }
}
