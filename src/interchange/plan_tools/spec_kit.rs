//! Spec Kit 1.2: a folder below `specs` is a feature, with a specification, a plan and tasks.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::boxes::{self, TaskBox};
use super::draft::{self, Draft, DraftTask};
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, date, filled};
use super::sections::{below, sections};
use super::{PlanTool, written::ListedBoxes};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::issue::StoredStatus;
use crate::model::op::Op;

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
    ..Tracker::ALONE
};

const TOOL: &str = "spec-kit";
const PREFIX: &str = "SK";
const TASKS: &str = "tasks.md";
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
    for name in names {
        let mut group = FileGroup::default();
        let read = FILES.iter().try_for_each(|file| group.add(file, &specs.join(&name).join(file)));
        match read {
            Ok(()) => found.add(format!("specs/{name}"), record::record(TOOL, &name, group, Value::Null)),
            Err(error) => found.refuse(format!("specs/{name}"), error.to_string()),
        }
    }
    Ok(Some(found))
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let id = given.id(PREFIX, given.name)?;
    let (spec, list) = (given.file("spec.md"), given.file(TASKS));
    let title = [spec, list].into_iter().find_map(title_of).unwrap_or(given.name);
    let all = boxes::boxes(list);
    let listed: Vec<Listed<'_>> = all.iter().filter_map(Listed::parse).collect();
    let summary = below(given.file("plan.md"), "Summary").and_then(filled);
    let plan = (!listed.is_empty()).then(|| Draft {
        description: summary.unwrap_or_else(|| title.to_owned()),
        approach: filled(given.file("plan.md")),
        tasks: tasks(&listed, &criteria(spec)),
    });
    let is_done = !listed.is_empty() && listed.iter().all(|task| task.listed.is_done);
    let said = RecordedIssue {
        title,
        author: None,
        created: created(&given, spec),
        status: if is_done { StoredStatus::Closed } else { StoredStatus::Registered },
        plan,
        notes: vec![],
    };
    let mut arrival = given.arrival(id, said);
    arrival.issue.close_reason = is_done.then(|| "all tasks are ticked".to_owned());
    arrival.issue.context = filled(spec);
    arrival.issue.expected_behavior = filled(&criteria(spec).join("\n"));
    if all.len() > listed.len() {
        arrival.kept.insert("boxes without a number such as T001, which are no tasks".into());
    }
    if !is_done && listed.iter().any(|task| task.listed.is_done) {
        arrival.kept.insert("which tasks are ticked there".into());
    }
    Ok(arrival)
}

/// The title in the first heading.
fn title_of(text: &str) -> Option<&str> {
    let first = sections(text).into_iter().next().filter(|section| section.level == 1)?;
    let title = HEADINGS.iter().find_map(|start| first.title.strip_prefix(start)).unwrap_or(first.title);
    Some(title.trim()).filter(|title| !title.is_empty())
}

/// The day in the specification, or in the name of a folder such as `20261128-170200-feed`.
fn created(given: &PlanRecord<'_>, spec: &str) -> Option<crate::model::time::Time> {
    let line = spec.lines().find_map(|line| line.trim().strip_prefix("**Created**:"));
    line.and_then(date).or_else(|| {
        let day = given.name.get(..8).filter(|day| day.bytes().all(|byte| byte.is_ascii_digit()))?;
        date(&format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]))
    })
}

/// The scenarios of the stories, the functional requirements and the measurable outcomes.
fn criteria(spec: &str) -> Vec<String> {
    spec.lines()
        .map(str::trim)
        .filter(|line| {
            let line = line.trim_start_matches(['-', '*', ' ']);
            line.starts_with("FR-") || line.starts_with("SC-") || line.contains("**Given**")
        })
        .map(|line| {
            line.trim_start_matches(|c: char| "-*. ".contains(c) || c.is_ascii_digit()).replace("**", "")
        })
        .collect()
}

/// A task with a number: `T001 [P] [US1] Write the rota in docs/rota.md (depends on T002)`.
struct Listed<'a> {
    listed: &'a TaskBox<'a>,
    id: &'a str,
    is_parallel: bool,
    story: Option<&'a str>,
    text: &'a str,
    depends_on: Option<Vec<String>>,
}

impl<'a> Listed<'a> {
    fn parse(listed: &'a TaskBox<'a>) -> Option<Self> {
        let (id, mut rest) = listed.text.split_once(' ').unwrap_or((listed.text, ""));
        if !is_number(id) {
            return None;
        }
        let (mut is_parallel, mut story) = (false, None);
        while let Some((mark, after)) =
            rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            match mark {
                "P" => is_parallel = true,
                mark if mark.starts_with("US") => story = Some(mark),
                _ => break,
            }
            rest = after;
        }
        let text = rest.trim();
        let depends_on = text.to_ascii_lowercase().find("(depends on").map(|at| {
            let words = text[at..].split(|c: char| !c.is_ascii_alphanumeric());
            words.filter(|word| is_number(word)).map(str::to_owned).collect()
        });
        Some(Self { listed, id, is_parallel, story, text, depends_on })
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('T').unwrap_or_default();
    (3..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The tasks: a phase comes after all of the phase before, and within it one task after the other, unless it is marked as
/// parallel or says itself what it depends on.
fn tasks(all: &[Listed<'_>], criteria: &[String]) -> Vec<DraftTask> {
    let known: BTreeSet<&str> = all.iter().map(|task| task.id).collect();
    let (mut before, mut own): (Vec<String>, Vec<String>) = (vec![], vec![]);
    let mut made = Vec::new();
    for (n, task) in all.iter().enumerate() {
        if n > 0 && all[n - 1].listed.group != task.listed.group {
            before = std::mem::take(&mut own);
        }
        let depends_on = match &task.depends_on {
            Some(named) => named.iter().filter(|id| known.contains(id.as_str())).cloned().collect(),
            None if task.is_parallel => before.clone(),
            None => own.last().cloned().map_or_else(|| before.clone(), |last| vec![last]),
        };
        own.push(task.id.to_owned());
        let title = if task.text.is_empty() { task.id } else { task.text };
        let mut done = vec![title.to_owned()];
        if n + 1 == all.len() {
            done.extend(criteria.iter().cloned());
        }
        let group = Some(task.listed.group).filter(|group| !group.is_empty());
        made.push(DraftTask {
            id: task.id.to_owned(),
            title: title.to_owned(),
            scope: task.story.or(group).map(str::to_owned),
            description: (!task.listed.below.is_empty()).then(|| task.listed.below.join("\n")),
            files: draft::paths(title),
            criteria: done,
            depends_on,
            ..DraftTask::default()
        });
    }
    made
}

/// The file with the boxes of a feature, and the tasks of its plan.
pub(super) fn listed_boxes(record: &Value) -> Option<ListedBoxes> {
    if !record::is_of(TOOL, record) {
        return None;
    }
    let given = PlanRecord::read(record).ok()?;
    let all = boxes::boxes(given.file(TASKS));
    let listed: Vec<Listed<'_>> = all.iter().filter_map(Listed::parse).collect();
    Some(ListedBoxes {
        places: vec![format!("specs/{}/{TASKS}", given.name), format!("{}/{TASKS}", given.name)],
        texts: listed.iter().map(|task| task.listed.text.to_owned()).collect(),
        ids: listed.iter().map(|task| task.id.to_owned()).collect(),
    })
}
