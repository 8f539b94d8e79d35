//! Get Shit Done 1.42: a roadmap with phases, each with plans of their own. A phase is an issue, known by its slug since
//! numbers move; each of its plans is an issue below it, with that plan. A plan with a summary beside it is done.

mod plan_file;
mod tasks;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use self::plan_file::{PlanFile, plan_files};
use self::tasks::{inside, tasks};
use super::draft::Draft;
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, filled};
use super::sections::{front_matter, sections};
use super::written::{Progress, Stage, WrittenText};
use super::{PlanTool, boxes};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::{IssueId, Op, StoredStatus};
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
    ..Tracker::ALONE
};

const TOOL: &str = "gsd";
const PREFIX: &str = "GSD";
/// The file of a plan in its record.
const PLAN: &str = "PLAN.md";
/// The fields of a plan that have one here, or that follow from others.
const PLACED: [&str; 9] = [
    "phase",
    "plan",
    "type",
    "wave",
    "depends_on",
    "files_modified",
    "files-modified",
    "autonomous",
    "must_haves",
];
/// The file of a phase in its record: its part of the roadmap.
const PHASE: &str = "phase.md";

/// A phase as the roadmap has it.
struct Phase<'a> {
    /// `1`, `01.1`.
    number: &'a str,
    name: &'a str,
    slug: String,
    body: &'a str,
}

fn planning(folder: &Path) -> PathBuf {
    let inside = folder.join(".planning");
    if inside.is_dir() { inside } else { folder.to_owned() }
}

fn open(folder: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let planning = planning(folder);
    let mut found = PlanFiles::default();
    let (roadmap, changed) = match files::text_of(&planning.join("ROADMAP.md")) {
        Ok(Some(read)) => read,
        Ok(None) if files::folders(&planning.join("phases")).is_empty() => return Ok(None),
        Ok(None) => (String::new(), None),
        Err(error) => {
            found.refuse("ROADMAP.md".to_owned(), error.to_string());
            return Ok(Some(found));
        }
    };
    if planning.join("STATE.md").is_file() {
        found.remark("decisions and blockers in STATE.md stay there".to_owned());
    }
    let all = phases(&roadmap);
    let plans = plan_files(&planning, &all);
    for phase in &all {
        let mut group = FileGroup { changed, ..FileGroup::default() };
        group.texts.insert(PHASE.into(), phase.body.into());
        let mut own = plans.iter().filter(|plan| plan.phase == phase.slug).peekable();
        let has_plans = own.peek().is_some();
        let mut more = record::members(&[("title", Some(phase.name.to_owned()))]);
        more["depends_on"] = phase.depends_on(&all).into();
        more["is_done"] = (phase.is_ticked(&roadmap) || has_plans && own.all(PlanFile::has_summary)).into();
        found.add(format!("phase {}", phase.number), record::record(TOOL, &phase.slug, group, more));
    }
    for plan in &plans {
        let mut group = FileGroup::default();
        let read = group.add(PLAN, &plan.file);
        let read =
            read.and_then(|()| plan.summaries().iter().try_for_each(|file| group.add("SUMMARY.md", file)));
        let place = format!("phases/{}", plan.place);
        if let Err(error) = read {
            found.refuse(place, error.to_string());
            continue;
        }
        let text = group.texts.get(PLAN).and_then(Value::as_str).unwrap_or_default();
        let on = front_matter(text).map(|(fields, _)| words_in(&fields, "depends_on")).unwrap_or_default();
        let mut more = record::members(&[("phase", Some(plan.phase.clone()))]);
        more["depends_on"] = on
            .into_iter()
            .map(|on| (on.clone(), plan.other(&on, &plans).into()))
            .collect::<Map<_, _>>()
            .into();
        found.add(place, record::record(TOOL, &plan.name(), group, more));
    }
    Ok(Some(found))
}

/// The summary of a plan, which exists once it is done; `None` if the plan is gone.
pub(super) fn find(folder: &Path, record: &Value) -> Option<PathBuf> {
    let planning = planning(folder);
    let roadmap = files::text_of(&planning.join("ROADMAP.md")).ok().flatten().unwrap_or_default().0;
    let mut plans = plan_files(&planning, &phases(&roadmap)).into_iter();
    let plan = plans.find(|plan| record["name"] == plan.name().as_str())?;
    let known = plan.summaries().into_iter().find(|file| file.is_file());
    known.or_else(|| plan.summaries().into_iter().next())
}

/// The summary of a plan: written once that is done, and then left alone.
pub(super) fn write(text: &str, record: &Value, progress: &Progress) -> WrittenText {
    if progress.stage != Stage::Done || !text.is_empty() {
        return WrittenText { text: text.to_owned(), ..WrittenText::default() };
    }
    let plan = record["files"][PLAN].as_str().and_then(|text| front_matter(text).ok());
    let (fields, body) = plan.unwrap_or((Node::Map(vec![]), ""));
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

fn phases(roadmap: &str) -> Vec<Phase<'_>> {
    let mut found: Vec<Phase<'_>> = Vec::new();
    for section in sections(roadmap) {
        let Some((number, name)) = phase_title(section.title) else { continue };
        let (plain, mut slug) = (slug(name), slug(name));
        // Two phases of one name are told apart by their order.
        let mut n = 1;
        while found.iter().any(|phase| phase.slug == slug) {
            n += 1;
            slug = format!("{plain}-{n}");
        }
        found.push(Phase { number, name, slug, body: section.body });
    }
    found
}

/// The number and the name in `Phase 2.1: Hay (INSERTED)`.
fn phase_title(title: &str) -> Option<(&str, &str)> {
    let head = title.get(..5).filter(|head| head.eq_ignore_ascii_case("phase"))?;
    let (number, name) = title[head.len()..].split_once(':')?;
    let (number, name) = (number.trim(), name.trim().trim_end_matches("(INSERTED)").trim());
    let is_number = number.contains(|c: char| c.is_ascii_digit()) && !number.contains(' ');
    (is_number && !name.is_empty()).then_some((number, name))
}

/// `01` and `1` are one number, and so are `01.1` and `1.1`.
fn is_same_number(one: &str, other: &str) -> bool {
    one.trim_start_matches('0').eq_ignore_ascii_case(other.trim_start_matches('0'))
}

/// `Wash & dry` as `wash-dry`. A name without letters or digits that an id can have stays as it is.
fn slug(name: &str) -> String {
    if !name.chars().all(|c| c.is_ascii() || !c.is_alphanumeric()) {
        return name.to_owned();
    }
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let plain = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    if plain.is_empty() { name.to_owned() } else { plain }
}

impl Phase<'_> {
    /// The slugs of the phases that its line `**Depends on**: Phase 1` names.
    fn depends_on(&self, all: &[Phase<'_>]) -> Vec<String> {
        let line = field(self.body, "Depends on").unwrap_or_default();
        let words = line.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.'));
        let named = words.filter(|word| !word.is_empty());
        let phases = named.filter_map(|word| all.iter().find(|phase| is_same_number(phase.number, word)));
        phases.map(|phase| phase.slug.clone()).collect()
    }

    /// Whether its box in the list of phases is ticked.
    fn is_ticked(&self, roadmap: &str) -> bool {
        let boxes = boxes::boxes(roadmap);
        boxes.iter().filter(|line| line.is_done).any(|line| {
            let title = line.text.trim_start_matches(|c: char| !c.is_alphanumeric());
            phase_title(title).is_some_and(|(number, _)| is_same_number(number, self.number))
        })
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
    let named = given.member("depends_on").as_array().into_iter().flatten().filter_map(Value::as_str);
    let on = named.filter_map(|slug| record::issue_id(PREFIX, slug).ok());
    arrival.issue.depends_on = on.filter(|on| *on != arrival.issue.id).collect();
    Ok(arrival)
}

fn read_plan(given: &PlanRecord<'_>, id: IssueId, text: &str) -> Result<Arrival, RefusedRecord> {
    let (fields, body) =
        front_matter(text).map_err(|why| RefusedRecord::fault(Some(given.name.to_owned()), why))?;
    let objective = inside(body, "objective").unwrap_or(given.name);
    let truths = fields.get("must_haves").and_then(|node| node.get("truths")).map(Node::members);
    let truths: Vec<String> =
        truths.unwrap_or_default().iter().map(|truth| truth.as_text().to_owned()).collect();
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
    };
    let mut arrival = given.arrival(id, said);
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

/// The fields of a plan that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let text = record["files"][PLAN].as_str().unwrap_or_default();
    let Ok((Node::Map(fields), _)) = front_matter(text) else { return Map::new() };
    let mut kept = Map::new();
    for (name, node) in &fields {
        if name == "must_haves" {
            let more =
                ["artifacts", "key_links"].into_iter().filter_map(|part| Some((part, node.get(part)?)));
            kept.extend(more.map(|(part, node)| (format!("must_haves.{part}"), record::value_of(node))));
        } else if !PLACED.contains(&name.as_str()) {
            kept.insert(name.clone(), record::value_of(node));
        }
    }
    kept.retain(|_, value| *value != "" && *value != json!([]));
    kept
}

fn words_in(fields: &Node, name: &str) -> Vec<String> {
    fields.get(name).map(Node::words).unwrap_or_default()
}
