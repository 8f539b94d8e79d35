//! OpenSpec 1.13: a folder below `openspec/changes` is a change, with a proposal, a design, tasks, and what it changes in
//! the specs.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::draft::Draft;
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, date, filled};
use super::reused_names::{Likeness, ReusedNames};
use super::sections::{below, sections};
use super::task_list::{ListedTask, TaskList, TaskOrder};
use super::{PlanTool, boxes, written::ListedBoxes};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::{Op, StoredStatus};
use crate::rules::yaml;

/// OpenSpec.
pub(crate) static OPENSPEC: PlanTool =
    PlanTool { tracker: &TRACKER, op: Op::ImportOpenspec, open, reused_names: Some(&NAMES) };

/// What its records mean.
pub(crate) static TRACKER: Tracker = Tracker {
    name: TOOL,
    is_own: |record| record::is_of(TOOL, record),
    read,
    hint: "give the project's directory, or its `openspec`",
    follows_plans: true,
    ..Tracker::ALONE
};

/// A name is free again once its change was archived.
static NAMES: ReusedNames = ReusedNames {
    short: |record| {
        let given = PlanRecord::read(record).ok()?;
        given.id(PREFIX, given.name).ok()
    },
    long: |record| {
        let given = PlanRecord::read(record).ok()?;
        // The day of its creation stays when it is archived.
        let meta = yaml::read(given.file(META)).ok();
        let created = meta.and_then(|meta| meta.text("created").get(..10).map(str::to_owned));
        let created = created.filter(|day| date(day).is_some());
        let day = created.as_deref().or(given.text("archived")).unwrap_or("next");
        given.id(PREFIX, &format!("{}-{day}", given.name)).ok()
    },
    is_archived: |record| record["archived"].is_string(),
    since: |record| record["archived"].as_str().unwrap_or_default(),
    likeness: |earlier, new| {
        if earlier["archived"].is_string() && earlier["archived"] != new["archived"] {
            Likeness::Other
        } else if earlier["files"]["proposal.md"] == new["files"]["proposal.md"]
            || lines_of_boxes(earlier) == lines_of_boxes(new)
        {
            Likeness::Same
        } else {
            Likeness::Possible
        }
    },
};

/// The boxes of a change, whether they are ticked or not.
fn lines_of_boxes(record: &Value) -> Vec<&str> {
    let text = record["files"][TASKS].as_str().unwrap_or_default();
    boxes::boxes(text).into_iter().map(|task| task.text).collect()
}

/// The file with the boxes of a change; `None` if it was archived, and another one has its name now.
pub(super) fn find(folder: &Path, record: &Value) -> Option<PathBuf> {
    let file = listed_boxes(record)?.find(folder)?;
    let change = file.parent()?;
    let archived = format!("-{}", record["name"].as_str()?);
    let is_reused = change.parent().is_some_and(|changes| {
        files::folders(&changes.join("archive")).iter().any(|name| name.ends_with(&archived))
    });
    let proposal = files::text_of(&change.join("proposal.md")).ok().flatten().map(|(text, _)| text);
    let is_same = proposal.as_deref() == record["files"]["proposal.md"].as_str();
    (is_same || !is_reused).then_some(file)
}

const TOOL: &str = "openspec";
const PREFIX: &str = "OS";
const TASKS: &str = "tasks.md";
const META: &str = ".openspec.yaml";
/// The files of a change beside its specs.
const FILES: [&str; 5] = [META, "README.md", "proposal.md", "design.md", TASKS];

fn open(folder: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let inside = folder.join("openspec/changes");
    let changes = if inside.is_dir() { inside } else { folder.join("changes") };
    if !changes.is_dir() {
        return Ok(None);
    }
    let mut found = PlanFiles::default();
    let archive = changes.join("archive");
    for name in files::folders(&changes).into_iter().filter(|name| name != "archive") {
        change(&mut found, &changes.join(&name), &name, None);
    }
    for folder in files::folders(&archive) {
        // `2026-11-28-add-okapi`
        match folder.split_at_checked(11) {
            Some((day, name)) if day.ends_with('-') && date(&day[..10]).is_some() => {
                change(&mut found, &archive.join(&folder), name, Some(&day[..10]));
            }
            _ => found.refuse(format!("changes/archive/{folder}"), "its name does not begin with a date"),
        }
    }
    Ok(Some(found))
}

fn change(found: &mut PlanFiles, folder: &Path, name: &str, archived: Option<&str>) {
    let place = match archived {
        Some(day) => format!("changes/archive/{day}-{name}"),
        None => format!("changes/{name}"),
    };
    let mut group = FileGroup::default();
    let mut read = || {
        for file in FILES {
            group.add(file, &folder.join(file))?;
        }
        for place in files::folders_below(&folder.join("specs")) {
            let name = format!("specs/{place}/spec.md");
            group.add(&name, &folder.join(&name))?;
        }
        Ok::<_, std::io::Error>(())
    };
    if let Err(error) = read() {
        found.refuse(place, error.to_string());
        return;
    }
    if group.texts.is_empty() {
        found.remark(format!("{place} is empty"));
        return;
    }
    if archived.is_some()
        && let Some(archive) = folder.parent()
    {
        group.moved_into(archive);
    }
    let more = record::members(&[("archived", archived.map(str::to_owned))]);
    found.add(place, record::record(TOOL, name, group, more));
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let archived = given.text("archived");
    let id = given.settled_id(PREFIX)?;
    let mut notes = Vec::new();
    let meta = match given.file(META) {
        "" => yaml::Node::Map(vec![]),
        text => yaml::read(text).unwrap_or_else(|error| {
            notes.push(format!("`.openspec.yaml` cannot be read: {error}"));
            yaml::Node::Map(vec![])
        }),
    };
    let readme = given
        .file("README.md")
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    let goal = Some(meta.text("goal")).filter(|goal| !goal.is_empty());
    let proposal = given.file("proposal.md");
    let list = listed(given.file(TASKS));
    let scenarios = scenarios(&given);
    let part = |title| below(proposal, title).map(str::to_owned);
    let title = readme.or(goal).unwrap_or(given.name);
    let plan = (!list.is_empty()).then(|| Draft {
        description: part("What Changes").or_else(|| part("Why")).unwrap_or_else(|| title.to_owned()),
        approach: filled(given.file("design.md")),
        tasks: list.plan_tasks(&scenarios),
    });
    let is_done = list.is_done();
    let said = RecordedIssue {
        title,
        author: None,
        created: date(meta.text("created")).or_else(|| archived.and_then(date)),
        status: if archived.is_some() || is_done { StoredStatus::Closed } else { StoredStatus::Registered },
        plan,
        notes,
    };
    let mut arrival = given.arrival(id, said);
    arrival.issue.close_reason = match archived {
        Some(day) => Some(format!("archived on {day}")),
        None => is_done.then(|| "all tasks are ticked".to_owned()),
    };
    arrival.issue.context = filled(proposal);
    arrival.issue.extended_context.design = filled(given.file("design.md"));
    arrival.issue.expected_behavior = filled(&scenarios.join("\n"));
    arrival.kept.extend(list.remarks(given.file(TASKS)));
    if given.files("spec.md").next().is_some() {
        arrival.kept.insert("what it changes in the specs, beside the scenarios".into());
    }
    Ok(arrival)
}

/// `A Saturday: WHEN it is Saturday at 08:00, THEN the bowl is full`
fn scenarios(given: &PlanRecord<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in given.files("spec.md") {
        for section in sections(text).into_iter().filter(|section| section.level == 4) {
            let name = section.title.strip_prefix("Scenario:").unwrap_or(section.title).trim();
            let steps = section.body.lines().map(|line| line.trim().trim_start_matches(['-', '*', ' ']));
            let steps: Vec<String> =
                steps.map(|line| line.replace("**", "")).filter(|line| !line.is_empty()).collect();
            if !steps.is_empty() {
                found.push(format!("{name}: {}", steps.join(", ")));
            }
        }
    }
    found
}

/// All boxes as tasks: those of a group come after all of the group before.
fn listed(text: &str) -> TaskList<'_> {
    let all = boxes::boxes(text).into_iter().enumerate();
    let tasks = all.map(|(n, listed)| {
        let (id, title) = (format!("T{}", n + 1), listed.text);
        ListedTask { listed, id, title, story: None, order: TaskOrder::Group }
    });
    TaskList::new(tasks.collect())
}

/// The file with the boxes of a change, and the tasks of its plan; `None` for a change that was archived.
pub(super) fn listed_boxes(record: &Value) -> Option<ListedBoxes> {
    let given = PlanRecord::read(record).ok().filter(|given| given.text("archived").is_none())?;
    let file = format!("changes/{}/{TASKS}", given.name);
    record::is_of(TOOL, record)
        .then(|| listed(given.file(TASKS)).boxes(vec![format!("openspec/{file}"), file]))
}
