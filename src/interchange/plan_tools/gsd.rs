//! Get Shit Done 1.42: a roadmap with phases, each with plans of their own. A phase is an issue, known by its slug since
//! numbers move; each of its plans is an issue below it, with that plan.

use std::path::Path;

use serde_json::Value;

use super::PlanTool;
use super::draft::{Draft, DraftTask};
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, filled};
use super::sections::{front_matter, sections};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::id::IssueId;
use crate::model::issue::StoredStatus;
use crate::model::op::Op;
use crate::rules::yaml::Node;

/// Get Shit Done.
pub(crate) static GSD: PlanTool = PlanTool { tracker: &TRACKER, op: Op::ImportGsd, open, reused_names: None };

/// What its records mean.
pub(crate) static TRACKER: Tracker = Tracker {
    name: TOOL,
    is_own: |record| record::is_of(TOOL, record),
    read,
    hint: "give the project's directory, or its `.planning`",
    follows_plans: true,
    ..Tracker::ALONE
};

const TOOL: &str = "gsd";
const PREFIX: &str = "GSD";
const PLAN: &str = "-PLAN.md";
const SUMMARY: &str = "-SUMMARY.md";
/// The file of a phase in its record: its part of the roadmap.
const PHASE: &str = "phase.md";

/// A phase as the roadmap has it.
struct Phase<'a> {
    /// `1`, `01.1`.
    number: &'a str,
    name: &'a str,
    body: &'a str,
}

fn open(folder: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let inside = folder.join(".planning");
    let planning = if inside.is_dir() { inside } else { folder.to_owned() };
    let mut found = PlanFiles::default();
    let (roadmap, changed) = match files::text_of(&planning.join("ROADMAP.md")) {
        Ok(Some(read)) => read,
        Ok(None) => return Ok(None),
        Err(error) => {
            found.refuse("ROADMAP.md".to_owned(), error.to_string());
            return Ok(Some(found));
        }
    };
    let all = phases(&roadmap);
    let folders = files::folders(&planning.join("phases"));
    for phase in &all {
        let mut group = FileGroup { changed, ..FileGroup::default() };
        group.texts.insert(PHASE.into(), phase.body.into());
        let on = phase.depends_on(&all);
        let mut more = record::members(&[("title", Some(phase.name.to_owned()))]);
        more["depends_on"] = on.into();
        more["is_done"] = phase.is_done(&roadmap).into();
        found.add(format!("phase {}", phase.number), record::record(TOOL, &slug(phase.name), group, more));
    }
    for name in &folders {
        let number = name.split('-').next().unwrap_or_default();
        let phase = all.iter().find(|phase| is_same_number(phase.number, number));
        let slug_of_phase = phase.map_or_else(
            || name.split_once('-').map_or(name.as_str(), |parts| parts.1).to_owned(),
            |phase| slug(phase.name),
        );
        plans(&mut found, &planning.join("phases").join(name), name, &slug_of_phase);
    }
    Ok(Some(found))
}

/// Adds the plans in the folder of a phase.
fn plans(found: &mut PlanFiles, folder: &Path, name: &str, phase: &str) {
    for file in files::markdown(folder).into_iter().filter(|file| file.ends_with(PLAN)) {
        let number = file.trim_end_matches(PLAN);
        let own = number.rsplit('-').next().unwrap_or(number);
        let summary = format!("{number}{SUMMARY}");
        let mut group = FileGroup::default();
        let read = group
            .add("PLAN.md", &folder.join(&file))
            .and_then(|()| group.add("SUMMARY.md", &folder.join(&summary)));
        match read {
            Ok(()) => {
                let more = record::members(&[
                    ("phase", Some(phase.to_owned())),
                    ("number", Some(number.to_owned())),
                ]);
                found.add(
                    format!("phases/{name}/{file}"),
                    record::record(TOOL, &format!("{phase}-{own}"), group, more),
                );
            }
            Err(error) => found.refuse(format!("phases/{name}/{file}"), error.to_string()),
        }
    }
}

fn phases(roadmap: &str) -> Vec<Phase<'_>> {
    let all = sections(roadmap).into_iter().filter_map(|section| {
        let (from, to) = phase_number(section.title)?;
        let name = section.title[to + 1..].trim().trim_end_matches("(INSERTED)").trim();
        Some(Phase { number: section.title[from..to].trim(), name, body: section.body })
    });
    all.collect()
}

fn phase_number(title: &str) -> Option<(usize, usize)> {
    let rest = title.strip_prefix("Phase ")?;
    rest.find(':').map(|at| (title.len() - rest.len(), title.len() - rest.len() + at))
}

/// `01` and `1` are one number, and so are `01.1` and `1.1`.
fn is_same_number(one: &str, other: &str) -> bool {
    one.trim_start_matches('0') == other.trim_start_matches('0')
}

fn slug(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    plain.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

impl Phase<'_> {
    /// The slugs of the phases that its line `**Depends on**: Phase 1` names.
    fn depends_on(&self, all: &[Phase<'_>]) -> Vec<String> {
        let line = field(self.body, "Depends on").unwrap_or_default();
        let words = line.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.'));
        let named = words.filter(|word| !word.is_empty());
        let phases = named.filter_map(|word| all.iter().find(|phase| is_same_number(phase.number, word)));
        phases.map(|phase| slug(phase.name)).collect()
    }

    /// Whether its box in the list of phases is ticked.
    fn is_done(&self, roadmap: &str) -> bool {
        let head = format!("**Phase {}:", self.number);
        super::boxes::boxes(roadmap).iter().any(|line| line.is_done && line.text.starts_with(&head))
    }
}

/// The text after `**Goal**:` or `**Goal:**`.
fn field<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    body.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("**")?.strip_prefix(name)?;
        let rest = rest.strip_prefix("**:").or_else(|| rest.strip_prefix(":**"))?;
        Some(rest.trim()).filter(|text| !text.is_empty() && !text.starts_with('['))
    })
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let id = given.id(PREFIX, given.name)?;
    match given.file("PLAN.md") {
        "" => read_phase(&given, id),
        text => read_plan(&given, id, text),
    }
}

fn read_phase(given: &PlanRecord<'_>, id: IssueId) -> Result<Arrival, RefusedRecord> {
    let body = given.file(PHASE);
    let is_done = given.member("is_done") == &Value::Bool(true);
    let said = RecordedIssue {
        title: given.text("title").unwrap_or(given.name),
        author: None,
        created: None,
        status: if is_done { StoredStatus::Closed } else { StoredStatus::Registered },
        plan: None,
        notes: vec![],
    };
    let mut arrival = given.arrival(id, said);
    arrival.issue.close_reason = is_done.then(|| "the phase is ticked".to_owned());
    arrival.issue.context = filled(body);
    arrival.issue.expected_behavior = field(body, "Goal").and_then(filled);
    let named = given.member("depends_on").as_array().into_iter().flatten().filter_map(Value::as_str);
    let on = named.filter_map(|slug| IssueId::parse(&format!("{PREFIX}-{slug}")).ok());
    arrival.issue.depends_on = on.filter(|on| *on != arrival.issue.id).collect();
    Ok(arrival)
}

fn read_plan(given: &PlanRecord<'_>, id: IssueId, text: &str) -> Result<Arrival, RefusedRecord> {
    let (fields, body) =
        front_matter(text).map_err(|why| RefusedRecord::fault(Some(given.name.to_owned()), why))?;
    let objective = inside(body, "objective").unwrap_or(given.name);
    let truths = fields.get("must_haves").and_then(|node| node.get("truths"));
    let truths: Vec<String> = truths
        .map(Node::members)
        .unwrap_or_default()
        .iter()
        .map(|truth| truth.as_text().to_owned())
        .collect();
    let summary = given.file("SUMMARY.md");
    let title = objective.lines().next().unwrap_or(given.name);
    let (mut tasks, checkpoints) = tasks(body);
    if let Some(last) = tasks.last_mut() {
        last.criteria.extend(truths.iter().cloned());
    }
    let said = RecordedIssue {
        title,
        author: None,
        created: None,
        status: if summary.is_empty() { StoredStatus::Registered } else { StoredStatus::Closed },
        plan: (!tasks.is_empty()).then(|| Draft { description: objective.to_owned(), approach: None, tasks }),
        notes: vec![],
    };
    let mut arrival = given.arrival(id, said);
    let phase = given.text("phase").unwrap_or_default();
    arrival.issue.close_reason = (!summary.is_empty()).then(|| "it has a summary".to_owned());
    arrival.issue.context = Some(body.trim().to_owned());
    arrival.issue.expected_behavior = Some(truths.join("\n")).filter(|text| !text.is_empty());
    arrival.issue.affected_components = words_in(&fields, "files_modified").into_iter().collect();
    if let Ok(parent) = IssueId::parse(&format!("{PREFIX}-{phase}")) {
        arrival.issue.relations.insert(format!("parent-child:{parent}"));
    }
    // A plan of its own phase: `02-01`.
    for on in words_in(&fields, "depends_on") {
        let own = on.rsplit('-').next().unwrap_or(&on);
        match IssueId::parse(&format!("{PREFIX}-{phase}-{own}")) {
            Ok(target) if target != arrival.issue.id => drop(arrival.issue.depends_on.insert(target)),
            _ => arrival.notes.push(format!("it depends on `{on}`, which is not another plan")),
        }
    }
    if fields.get("wave").is_some() {
        arrival.kept.insert("`wave`, which follows from what a plan depends on".into());
    }
    if checkpoints > 0 {
        arrival.kept.insert("the types of checkpoints".into());
    }
    Ok(arrival)
}

fn words_in(fields: &Node, name: &str) -> Vec<String> {
    fields.get(name).map(Node::words).unwrap_or_default()
}

/// What is between `<name>` and `</name>`; `None` if there is nothing.
fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let from = text.find(&format!("<{name}>"))? + name.len() + 2;
    let to = text[from..].find(&format!("</{name}>"))?;
    Some(text[from..from + to].trim()).filter(|text| !text.is_empty())
}

/// A name without `Task 1:`.
fn unnumbered(name: &str) -> &str {
    let rest = name.strip_prefix("Task ").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.and_then(|rest| rest.strip_prefix(':')).unwrap_or(name).trim()
}

/// Where the next task begins, with or without attributes.
fn next_task(text: &str) -> Option<usize> {
    ["<task ", "<task>"].into_iter().filter_map(|tag| text.find(tag)).min()
}

/// The tasks of a plan, one after the other, and how many of them are checkpoints.
fn tasks(body: &str) -> (Vec<DraftTask>, usize) {
    let (mut made, mut checkpoints): (Vec<DraftTask>, usize) = (vec![], 0);
    let mut rest = body;
    while let Some(at) = next_task(rest) {
        let task = &rest[at..];
        let end = task.find("</task>").unwrap_or(task.len());
        let (head, inner) = task[..end].split_once('>').unwrap_or((&task[..end], ""));
        checkpoints += usize::from(head.contains("checkpoint"));
        let id = format!("T{}", made.len() + 1);
        let text = |name: &str| inside(inner, name).map(str::to_owned);
        let name = text("name").unwrap_or_else(|| id.clone());
        let title = unnumbered(&name).to_owned();
        let files = text("files").unwrap_or_default();
        let verify =
            text("verify").map(|verify| inside(&verify, "automated").map(str::to_owned).unwrap_or(verify));
        made.push(DraftTask {
            files: files
                .split([',', '\n'])
                .map(str::trim)
                .filter(|entry| !entry.is_empty())
                .map(str::to_owned)
                .collect(),
            steps: filled_lines(text("action")),
            commands: filled_lines(verify),
            criteria: filled_lines(text("done")),
            depends_on: made.last().map(|last| last.id.clone()).into_iter().collect(),
            id,
            title,
            ..DraftTask::default()
        });
        rest = &task[end..];
        rest = rest.strip_prefix("</task>").unwrap_or("");
    }
    (made, checkpoints)
}

fn filled_lines(text: Option<String>) -> Vec<String> {
    let text = text.unwrap_or_default();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
