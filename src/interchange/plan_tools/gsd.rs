//! Get Shit Done 1.42: a roadmap with phases, each with plans of their own. A phase is an issue, known by its slug since
//! numbers move; each of its plans is an issue below it, with that plan. A plan with a summary beside it is done.

mod phase;
mod plan_file;
mod tasks;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use self::phase::{Phase, field, phases};
use self::plan_file::{PlanFile, plan_files};
use self::tasks::{inside, tasks};
use super::PlanTool;
use super::draft::{self, Draft};
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, filled};
use super::sections::{items, loose_front_matter};
use super::written::{Progress, Stage, WrittenText};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::{IssueId, Op, StoredStatus, Time};
use crate::rules::Node;

/// Get Shit Done.
pub(crate) static GSD: PlanTool = PlanTool { tracker: &TRACKER, op: Op::ImportGsd, open, reused_names: None };

/// What its records mean.
pub(crate) static TRACKER: Tracker = Tracker {
    name: TOOL,
    is_own: |record| record::is_of(TOOL, record),
    read,
    kept,
    hint: "give the project's directory, or its `.planning`",
    follows_plans: true,
    is_dated_by_file: true,
    ..Tracker::ALONE
};

const TOOL: &str = "gsd";
const PREFIX: &str = "GSD";
/// The file of a plan in its record.
const PLAN: &str = "PLAN.md";
/// The fields of a plan that have one here, or that follow from others.
const PLACED: [&str; 8] =
    ["phase", "plan", "type", "wave", "depends_on", "files_modified", "files-modified", "must_haves"];
/// The file of a phase in its record: its part of the roadmap.
const PHASE: &str = "phase.md";

fn planning(folder: &Path) -> PathBuf {
    let inside = folder.join(".planning");
    if inside.is_dir() { inside } else { folder.to_owned() }
}

/// A directory with a roadmap and phases: that of the project, or of one of its workstreams, which count their phases alone.
struct Roadmap {
    folder: PathBuf,
    /// What comes before the names of its phases here: nothing, or `NAME-` for a workstream.
    prefix: String,
    /// Where it is below the project's: `workstreams/NAME/`.
    place: String,
    text: String,
    changed: Option<Time>,
}

/// The roadmaps of a project.
fn roadmaps(folder: &Path) -> Vec<Roadmap> {
    let planning = planning(folder);
    let whole = planning.canonicalize().unwrap_or_default();
    let is_stream = whole.parent().is_some_and(|parent| parent.ends_with(".planning/workstreams"));
    let prefix = match whole.file_name().and_then(OsStr::to_str) {
        Some(name) if is_stream => format!("{name}-"),
        _ => String::new(),
    };
    let streams = planning.join("workstreams");
    let mut found = vec![(planning, prefix, String::new())];
    for name in files::folders(&streams) {
        found.push((streams.join(&name), format!("{name}-"), format!("workstreams/{name}/")));
    }
    let mut all = Vec::new();
    for (folder, prefix, place) in found {
        all.push(Roadmap { folder, prefix, place, text: String::new(), changed: None });
    }
    all
}

impl Roadmap {
    /// Reads the text; `false` if there are neither a text nor phases.
    fn read(&mut self) -> io::Result<bool> {
        match files::text_of(&self.folder.join("ROADMAP.md"))? {
            Some((text, changed)) => (self.text, self.changed) = (text, changed),
            None => return Ok(!self.phase_folders().is_empty()),
        }
        Ok(true)
    }

    fn phase_folders(&self) -> Vec<String> {
        files::folders(&self.folder.join("phases"))
    }

    /// Its phases, with the names that they have here.
    fn phases<'a>(&'a self, folders: &'a [String]) -> Vec<Phase<'a>> {
        let mut all = phases(&self.text, folders);
        for phase in &mut all {
            phase.slug.insert_str(0, &self.prefix);
        }
        all
    }
}

fn open(folder: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let mut found = PlanFiles::default();
    let mut has_any = false;
    for mut roadmap in roadmaps(folder) {
        match roadmap.read() {
            Ok(true) => add_roadmap(&mut found, &roadmap),
            Ok(false) => continue,
            Err(error) => found.refuse(format!("{}ROADMAP.md", roadmap.place), error.to_string()),
        }
        has_any = true;
    }
    Ok(has_any.then(|| found.with_unread()))
}

/// Adds the records of the phases and plans of a roadmap.
fn add_roadmap(found: &mut PlanFiles, roadmap: &Roadmap) {
    let planning = &roadmap.folder;
    if planning.join("STATE.md").is_file() {
        found.remark("decisions and blockers in STATE.md stay there".to_owned());
    }
    let folders = planning.join("phases");
    let names = roadmap.phase_folders();
    let all = roadmap.phases(&names);
    let plans = plan_files(&folders, &all);
    found.leave_others(planning, |name| {
        ["ROADMAP.md", "STATE.md", "phases", "config.json", "workstreams"].contains(&name)
    });
    for phase in &all {
        add_phase(found, &folders, phase, &all, &plans, roadmap.changed);
    }
    for plan in &plans {
        let mut group = FileGroup::default();
        let read = group.add(PLAN, &plan.file);
        let read =
            read.and_then(|()| plan.summaries().iter().try_for_each(|file| group.add("SUMMARY.md", file)));
        let place = format!("{}phases/{}", roadmap.place, plan.place);
        if let Err(error) = read {
            found.refuse(place, error.to_string());
            continue;
        }
        let text = group.texts.get(PLAN).and_then(Value::as_str).unwrap_or_default();
        let on = fields_of(text).map(|(fields, ..)| words_in(&fields, "depends_on")).unwrap_or_default();
        let mut more = record::members(&[("phase", Some(plan.phase.clone()))]);
        let mut depends_on = before_phase(plan, &all, &plans);
        depends_on.extend(on.into_iter().map(|on| (on.clone(), plan.other(&on, &plans).into())));
        more["depends_on"] = depends_on.into();
        found.add(place, record::record(TOOL, &plan.name(), group, more));
    }
}

/// What the phase of a plan depends on, by name: the plans of a phase, or the phase itself if it has none, or is ticked without
/// summaries of all of them.
fn before_phase(plan: &PlanFile, all: &[Phase<'_>], plans: &[PlanFile]) -> Map<String, Value> {
    let mut found = Map::new();
    let own = all.iter().find(|phase| phase.slug == plan.phase);
    let before = own.map(|phase| phase.depends_on(all).0).unwrap_or_default();
    for phase in all.iter().filter(|phase| before.contains(&phase.slug)) {
        let its: Vec<&PlanFile> = plans.iter().filter(|plan| plan.phase == phase.slug).collect();
        let is_ticked_alone = phase.is_ticked && !its.iter().all(|plan| plan.has_summary());
        if phase.name.is_some() && (its.is_empty() || is_ticked_alone) {
            found.insert(phase.slug.clone(), phase.slug.as_str().into());
        } else {
            found.extend(its.iter().map(|plan| (plan.name(), plan.name().into())));
        }
    }
    found
}

/// Adds the record of a phase. One that only has a folder has none: its plans name it. `changed`: when the roadmap changed.
fn add_phase(
    found: &mut PlanFiles,
    folders: &Path,
    phase: &Phase<'_>,
    all: &[Phase<'_>],
    plans: &[PlanFile],
    changed: Option<Time>,
) {
    let own: Vec<&PlanFile> = plans.iter().filter(|plan| plan.phase == phase.slug).collect();
    let mut group = FileGroup { changed, ..FileGroup::default() };
    if let Some(folder) = phase.folder {
        let folder = folders.join(folder);
        group.moved_into(&folder);
        let is_own = |name: &str| own.iter().any(|plan| plan.has(&folder.join(name)));
        found.leave_others(&folder, |name| is_own(name) || name == "plans");
    }
    let Some(name) = phase.name else { return };
    group.texts.insert(PHASE.into(), phase.body.into());
    let mut more = record::members(&[("title", Some(name.to_owned()))]);
    let (on, unknown) = phase.depends_on(all);
    more["depends_on"] = on.into();
    if !unknown.is_empty() {
        more["unknown"] = unknown.into();
    }
    let is_done = phase.is_ticked || !own.is_empty() && own.iter().all(|plan| plan.has_summary());
    more["is_done"] = is_done.into();
    found.add(format!("phase {}", phase.number), record::record(TOOL, &phase.slug, group, more));
}

/// The fields of a plan, its text, and why only some of its fields were read.
fn fields_of(text: &str) -> Result<(Node, &str, Option<String>), String> {
    loose_front_matter(text, &["phase", "plan", "depends_on", "files_modified", "files-modified"])
}

/// The summary of a plan, which exists once it is done; `None` if the plan is gone.
pub(super) fn find(folder: &Path, record: &Value) -> Option<PathBuf> {
    for mut roadmap in roadmaps(folder) {
        // Folders that can be read may have the plan.
        roadmap.read().unwrap_or_default();
        let names = roadmap.phase_folders();
        let mut plans = plan_files(&roadmap.folder.join("phases"), &roadmap.phases(&names)).into_iter();
        if let Some(plan) = plans.find(|plan| record["name"] == plan.name().as_str()) {
            let known = plan.summaries().into_iter().find(|file| file.is_file());
            return known.or_else(|| plan.summaries().into_iter().next());
        }
    }
    None
}

/// The summary of a plan: written once that is done, and then left alone.
pub(super) fn write(text: &str, record: &Value, progress: &Progress) -> WrittenText {
    if progress.stage != Stage::Done || !text.is_empty() {
        return WrittenText { text: text.to_owned(), ..WrittenText::default() };
    }
    let plan = record["files"][PLAN].as_str().and_then(|text| fields_of(text).ok());
    let (fields, body, _) = plan.unwrap_or((Node::Map(vec![]), "", None));
    let (phase, number) = (fields.text("phase"), fields.text("plan"));
    let objective = inside(body, "objective").and_then(|text| text.lines().next()).unwrap_or_default();
    let (tasks, _) = tasks(body);
    let list: String = tasks.iter().map(|task| format!("- {}\n", task.title)).collect();
    let text = format!(
        "---\nphase: {phase}\nplan: {number}\n---\n\n# Phase {phase} Plan {number} Summary\n\n**{objective}**\n\n\
         ## Accomplishments\n\n{list}\nDone as `{}` of git-wf.\n",
        progress.issue
    );
    WrittenText { text, changes: 1, missing: vec![] }
}

/// Whether a record is of a plan, and not of a phase.
pub(super) fn is_plan(record: &Value) -> bool {
    record::is_of(TOOL, record) && record["files"][PLAN].is_string()
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let id = given.id(PREFIX, given.name)?;
    match given.file(PLAN) {
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
    };
    let mut arrival = given.arrival(id, said);
    arrival.issue.close_reason = is_done.then(|| "the phase is ticked".to_owned());
    arrival.issue.context = filled(body);
    arrival.issue.expected_behavior = field(body, "Goal").and_then(filled);
    if body.is_empty() {
        // Of a milestone that is over, the roadmap only lists the phases.
        arrival.silent.extend(["context", "expected_behavior", "depends_on"]);
    }
    for number in given.member("unknown").as_array().into_iter().flatten().filter_map(Value::as_str) {
        arrival.notes.push(format!("it depends on phase {number}, which the roadmap does not have"));
    }
    let named = given.member("depends_on").as_array().into_iter().flatten().filter_map(Value::as_str);
    let on = named.filter_map(|slug| record::issue_id(PREFIX, slug).ok());
    arrival.issue.depends_on = on.filter(|on| *on != arrival.issue.id).collect();
    Ok(arrival)
}

fn read_plan(given: &PlanRecord<'_>, id: IssueId, text: &str) -> Result<Arrival, RefusedRecord> {
    let (fields, body, odd) =
        fields_of(text).map_err(|why| RefusedRecord::fault(Some(given.name.to_owned()), why))?;
    let objective = inside(body, "objective").unwrap_or(given.name);
    let truths = fields.get("must_haves").and_then(|node| node.get("truths")).map(Node::members);
    let truths: Vec<String> =
        truths.unwrap_or_default().iter().map(text_of).filter(|truth| !truth.is_empty()).collect();
    let summary = given.file("SUMMARY.md");
    let title = objective.lines().next().unwrap_or(given.name);
    let (mut tasks, checkpoints) = tasks(body);
    if let Some(last) = tasks.last_mut() {
        last.criteria.extend(truths.iter().cloned());
        let below = body.rsplit_once("</tasks>").map_or("", |(_, below)| below);
        for name in ["verification", "success_criteria"] {
            last.criteria.extend(inside(below, name).map(items).unwrap_or_default());
        }
    }
    let said = RecordedIssue {
        title,
        author: None,
        created: None,
        status: if summary.is_empty() { StoredStatus::Registered } else { StoredStatus::Closed },
        plan: Some(Draft { description: objective.to_owned(), approach: None, tasks: draft::grouped(tasks) }),
    };
    let mut arrival = given.arrival(id, said);
    arrival
        .lasting
        .extend(odd.map(|why| format!("its fields are not YAML, so only some of them were read: {why}")));
    let phase = given.text("phase").unwrap_or_default();
    arrival.issue.close_reason = (!summary.is_empty()).then(|| "it has a summary".to_owned());
    arrival.issue.context = Some(body.trim().to_owned());
    arrival.issue.expected_behavior = Some(truths.join("\n")).filter(|text| !text.is_empty());
    arrival.issue.affected_components =
        words_in(&fields, "files_modified").into_iter().chain(words_in(&fields, "files-modified")).collect();
    if let Ok(parent) = record::issue_id(PREFIX, phase) {
        arrival.issue.relations.insert(format!("parent-child:{parent}"));
    }
    for (on, name) in given.member("depends_on").as_object().into_iter().flatten() {
        match name.as_str().and_then(|name| record::issue_id(PREFIX, name).ok()) {
            Some(target) if target != arrival.issue.id => drop(arrival.issue.depends_on.insert(target)),
            _ => arrival.notes.push(format!("it depends on `{on}`, which is not another plan")),
        }
    }
    if fields.get("wave").is_some() {
        arrival.kept.insert("`wave`, which follows from what a plan depends on".into());
    }
    if checkpoints > 0 {
        arrival.kept.insert("the types of checkpoints".into());
    }
    arrival.kept.extend(kept(given.value()).keys().map(|name| format!("`{name}` has no field here").into()));
    Ok(arrival)
}

/// A text; `name: value` for one with a colon, which YAML takes for a field.
fn text_of(node: &Node) -> String {
    match node {
        Node::Map(fields) if fields.len() == 1 => format!("{}: {}", fields[0].0, fields[0].1.as_text()),
        node => node.as_text().to_owned(),
    }
}

/// The fields of a plan that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let text = record["files"][PLAN].as_str().unwrap_or_default();
    let Ok((Node::Map(fields), ..)) = fields_of(text) else { return Map::new() };
    let mut all = Vec::new();
    for (name, node) in &fields {
        if name == "must_haves" {
            let more =
                ["artifacts", "key_links"].into_iter().filter_map(|part| Some((part, node.get(part)?)));
            all.extend(more.map(|(part, node)| (format!("must_haves.{part}"), record::value_of(node))));
        } else if name != "autonomous" || node.as_text() != "true" {
            all.push((name.clone(), record::value_of(node)));
        }
    }
    record::unplaced(all.into_iter(), &PLACED)
}

fn words_in(fields: &Node, name: &str) -> Vec<String> {
    fields.get(name).map(Node::words).unwrap_or_default()
}
