//! OpenSpec 1.13: a folder below `openspec/changes` is a change, with a proposal, a design, tasks, and what it changes in
//! the specs.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::criteria::scenarios;
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, date};
use super::reused_names::{Likeness, ReusedNames};
use super::sections::below;
use super::task_list::{ListedIssue, ListedTask, OtherList, TaskList, TaskOrder};
use super::{PlanTool, boxes, written::ListedBoxes};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::Op;
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
    is_dated_by_file: true,
    ..Tracker::ALONE
};

/// A name is free again once its change was archived.
static NAMES: ReusedNames = ReusedNames {
    prefix: PREFIX,
    is_named: |_| false,
    more: |given| {
        // The day of its creation stays when it is archived.
        let meta = yaml::read(given.file(META)).ok();
        let created = meta.and_then(|meta| meta.text("created").get(..10).map(str::to_owned));
        let created = created.filter(|day| date(day).is_some());
        created.or(Some(given.text("archived").unwrap_or("next").to_owned()))
    },
    is_archived: |record| record["archived"].is_string(),
    since: |record| record["archived"].as_str().unwrap_or_default(),
    likeness: |earlier, new| {
        if earlier["archived"].is_string() && earlier["archived"] != new["archived"] {
            Likeness::Other
        } else if is_alike(earlier, new) {
            Likeness::Same
        } else {
            Likeness::Possible
        }
    },
};

fn is_alike(one: &Value, other: &Value) -> bool {
    let [one, other] = [one, other].map(|record| &record["files"]);
    one["proposal.md"] == other["proposal.md"]
        || one[TASKS].as_str().map(boxes::texts) == other[TASKS].as_str().map(boxes::texts)
}

const TOOL: &str = "openspec";
const PREFIX: &str = "OS";
const TASKS: &str = "tasks.md";
const META: &str = ".openspec.yaml";
/// The files by which a change is known.
const KNOWN_BY: [&str; 2] = ["proposal.md", TASKS];
/// The files of a change beside its specs.
const FILES: [&str; 5] = [META, "README.md", "proposal.md", "design.md", TASKS];

fn open(folder: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let inside = folder.join("openspec/changes");
    let changes = if inside.is_dir() { inside } else { folder.join("changes") };
    if !changes.is_dir() {
        return Ok(None);
    }
    let mut found = PlanFiles::default();
    for name in files::folders(&changes).into_iter().filter(|name| name != "archive") {
        change(&mut found, &changes, &name, None);
    }
    for folder in files::folders(&changes.join("archive")) {
        // `2026-11-28-add-okapi`
        match folder.split_at_checked(11) {
            Some((day, name)) if day.ends_with('-') && date(&day[..10]).is_some() => {
                change(&mut found, &changes, name, Some(&day[..10]));
            }
            _ => change(&mut found, &changes, &folder, Some("")),
        }
    }
    Ok(Some(found.with_unread()))
}

fn change(found: &mut PlanFiles, changes: &Path, name: &str, archived: Option<&str>) {
    let place = match archived {
        None => name.to_owned(),
        Some("") => format!("archive/{name}"),
        Some(day) => format!("archive/{day}-{name}"),
    };
    let folder = changes.join(&place);
    let specs = files::folders_below(&folder.join("specs")).into_iter();
    let specs = specs.map(|place| format!("specs/{place}/spec.md"));
    // A schema of the project may have more of them.
    let lists = files::files_below(&folder, TASKS);
    let names = FILES.map(str::to_owned).into_iter().chain(specs).chain(lists.iter().cloned());
    let mut read = FileGroup::read(&folder, names);
    if let Ok(group) = &mut read {
        group.moved_into(&folder.join("specs"));
    }
    let has_list = |name: &str| lists.iter().any(|file| file.starts_with(&format!("{name}/")));
    found.leave_others(&folder, |name| FILES.contains(&name) || name == "specs" || has_list(name));
    let more = record::members(&[("archived", archived.map(str::to_owned))]);
    found.add_files(format!("changes/{place}"), read, |group| record::record(TOOL, name, group, more));
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let meta = yaml::read(given.file(META));
    let said = |name| meta.as_ref().map_or("", |meta| meta.text(name));
    let mut readme = given.file("README.md").lines().map(str::trim);
    let readme = readme.find(|line| !line.is_empty() && !line.starts_with('#'));
    let goal = Some(said("goal")).filter(|goal| !goal.is_empty());
    let proposal = given.file("proposal.md");
    let archived = given.text("archived");
    let issue = ListedIssue {
        title: readme.or(goal).unwrap_or(given.name),
        created: date(said("created")).or_else(|| archived.and_then(date)),
        archived,
        summary: below(proposal, "What Changes").or_else(|| below(proposal, "Why")),
        approach: given.file("design.md"),
        context: proposal,
        criteria: scenarios(given.files("spec.md").map(|(_, text)| text)),
        list: listed(given.file(TASKS)),
        other_lists: OtherList::all(&given, TASKS),
    };
    let mut arrival = issue.arrival(&given, given.settled_id(PREFIX)?);
    arrival.issue.extended_context.design = record::filled(given.file("design.md"));
    if let (Err(error), true) = (&meta, !given.file(META).is_empty()) {
        arrival.notes.push(format!("`{META}` cannot be read: {error}"));
    }
    if given.files("spec.md").next().is_some() {
        arrival.kept.insert("what it changes in the specs, beside the scenarios".into());
    }
    Ok(arrival)
}

/// All boxes as tasks: those of a group come after all of the group before.
fn listed(text: &str) -> TaskList<'_> {
    let all = boxes::boxes(text).into_iter().enumerate();
    let tasks = all.map(|(n, listed)| {
        let (id, title) = (format!("T{}", n + 1), listed.text);
        ListedTask { listed, id, title, story: None, order: TaskOrder::Group, named: None }
    });
    TaskList::new(text, tasks.collect())
}

/// The file with the boxes of a change, and the tasks of its plan; `None` for a change that was archived.
pub(super) fn listed_boxes(record: &Value) -> Option<ListedBoxes> {
    let given = PlanRecord::parse(TOOL, record).filter(|given| given.text("archived").is_none())?;
    let file = format!("changes/{}/{TASKS}", given.name);
    Some(listed(given.file(TASKS)).boxes(vec![format!("openspec/{file}"), file]))
}

/// The file with the boxes of a change; `None` if it was archived, and another one has its name now.
pub(super) fn find(folder: &Path, record: &Value) -> Option<PathBuf> {
    let file = listed_boxes(record)?.find(folder)?;
    let change = file.parent()?;
    let (name, archive) = (record["name"].as_str(), change.with_file_name("archive"));
    // `2026-11-28-add-okapi`
    let mut named = files::folders(&archive).into_iter().filter(|folder| folder.get(11..) == name);
    let is_archived = named.any(|old| is_alike(record, &files::record_of(&archive.join(old), &KNOWN_BY)));
    let is_same =
        files::record_of(change, &KNOWN_BY)["files"]["proposal.md"] == record["files"]["proposal.md"];
    (is_same || !is_archived).then_some(file)
}
