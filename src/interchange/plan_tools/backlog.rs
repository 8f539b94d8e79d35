//! Backlog.md 1.52: a task is a Markdown file with fields above sections that stand between markers.

mod written;

use crate::model::{IdError, IssueId, Op, Priority, StoredStatus, Time};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use written::REFERENCE;
pub(super) use written::{find, write};

use super::draft::{self, Draft, DraftTask};
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, date};
use super::reused_names::{Likeness, ReusedNames};
use super::sections::{front_matter, section};
use super::{PlanTool, boxes};
use crate::interchange::comment::{self, SourceComment};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::rules::{Node, limits, yaml};

/// Backlog.md.
pub(crate) static BACKLOG: PlanTool =
    PlanTool { tracker: &TRACKER, op: Op::ImportBacklog, open, reused_names: Some(&NAMES) };

/// What its records mean.
pub(crate) static TRACKER: Tracker = Tracker {
    name: TOOL,
    is_own: |record| record::is_of(TOOL, record),
    read,
    kept,
    hint: "give the project's directory, or its `backlog`",
    follows_plans: true,
    ..Tracker::ALONE
};

/// The number of an archived task is given out again.
static NAMES: ReusedNames = ReusedNames {
    prefix: PREFIX,
    is_named: |given| front_matter(given.file(FILE)).is_ok_and(|(fields, _)| named(&fields).is_some()),
    more: |given| {
        let (fields, _) = front_matter(given.file(FILE)).ok()?;
        let to_plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let title: String = fields.text("title").chars().map(to_plain).take(24).collect();
        let day = fields.text("created_date").get(..10).unwrap_or_default();
        Some(format!("{day}-{title}"))
    },
    is_archived: |record| record["place"].as_str().is_some_and(|place| place.starts_with("archive/")),
    since: |record| record["files"][FILE].as_str().and_then(created_text).unwrap_or_default(),
    likeness: |earlier, new| {
        let [before, now] = [earlier, new].map(born_as);
        match (before, now) {
            (Some(before), Some(now)) if before.created == now.created => {
                if before.title == now.title {
                    Likeness::Same
                } else {
                    Likeness::Possible
                }
            }
            _ => Likeness::Other,
        }
    },
};

/// The time of its creation, as it stands in the fields of a task.
fn created_text(text: &str) -> Option<&str> {
    let line = text.lines().skip(1).take_while(|line| line.trim_end() != "---");
    let value = line.filter_map(|line| line.strip_prefix("created_date:")).next()?;
    Some(value.trim().trim_matches(['\'', '"']))
}

/// What tells two tasks of one number apart.
struct TaskBirth {
    created: String,
    title: String,
}

fn born_as(record: &Value) -> Option<TaskBirth> {
    let (fields, _) = front_matter(record["files"][FILE].as_str()?).ok()?;
    let text = |name: &str| fields.text(name).to_owned();
    Some(TaskBirth { created: text("created_date"), title: text("title") })
}

const TOOL: &str = "backlog";
const PREFIX: &str = "BL";
const FILE: &str = "task.md";
/// Where tasks are, and what it means that they are there.
const PLACES: [&str; 5] = ["tasks", "completed", "archive/tasks", "drafts", "archive/drafts"];
/// The fields that have one here.
const PLACED: [&str; 13] = [
    "id",
    "title",
    "status",
    "assignee",
    "created_date",
    "updated_date",
    "labels",
    "dependencies",
    "references",
    "modified_files",
    "priority",
    "type",
    "parent_task_id",
];

/// The text of a file of settings, if it can be read.
fn config_text(file: &Path) -> Option<String> {
    files::text_of(file).ok().flatten().map(|(text, _)| text)
}

/// The directory of the tool in a project.
fn place(folder: &Path) -> Option<PathBuf> {
    let root = config_text(&folder.join("backlog.config.yml"));
    let named =
        root.and_then(|text| yaml::read(&text).ok()).map(|node| node.text("backlog_directory").to_owned());
    let named = named.filter(|name| !name.is_empty() && !name.starts_with('/') && !name.contains(".."));
    let names = named.into_iter().chain(["backlog", ".backlog"].map(str::to_owned));
    let all = names.map(|name| folder.join(name)).chain([folder.to_owned()]);
    all.into_iter().find(|place| place.join("tasks").is_dir())
}

fn open(folder: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let Some(backlog) = place(folder) else { return Ok(None) };
    let mut found = PlanFiles::default();
    let config = [folder.join("backlog.config.yml"), backlog.join("config.yml")];
    let config = config.iter().find_map(|file| config_text(file)).unwrap_or_default();
    let config = yaml::read(&config).unwrap_or(Node::Map(vec![]));
    let statuses = words_in(&config, "statuses", &["To Do", "In Progress", "Done"]);
    let priorities = words_in(&config, "priorities", &["high", "medium", "low"]);
    for place in PLACES {
        for file in files::markdown(&backlog.join(place)) {
            let mut group = FileGroup::default();
            let at = format!("{place}/{file}");
            if let Err(error) = group.add(FILE, &backlog.join(place).join(&file)) {
                found.refuse(at, error.to_string());
                continue;
            }
            if place.starts_with("archive/") {
                group.moved_into(&backlog.join(place));
            }
            let text = group.texts.get(FILE).and_then(Value::as_str).unwrap_or_default();
            match front_matter(text).map(|(fields, _)| fields.text("id").to_ascii_uppercase()) {
                Ok(id) if !id.is_empty() => {
                    let mut more = record::members(&[("place", Some(place.to_owned()))]);
                    more["statuses"] = statuses.clone().into();
                    more["priorities"] = priorities.clone().into();
                    found.add(at, record::record(TOOL, &id, group, more));
                }
                Ok(_) => found.refuse(at, "it has no `id`"),
                Err(why) => found.refuse(at, why),
            }
        }
    }
    Ok(Some(found))
}

fn words_in(config: &Node, name: &str, usual: &[&str]) -> Vec<String> {
    let said = config.get(name).map(Node::words).filter(|words| !words.is_empty());
    said.unwrap_or_else(|| usual.iter().map(|word| (*word).to_owned()).collect())
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let (fields, body) = front_matter(given.file(FILE))
        .map_err(|why| RefusedRecord::fault(Some(given.name.to_owned()), why))?;
    let created = date(fields.text("created_date"));
    let id = match named(&fields) {
        Some(id) => id,
        None => given.settled_id(PREFIX)?,
    };
    let words = |name: &str| fields.get(name).map(Node::words).unwrap_or_default();
    let mut notes = Vec::new();
    let (status, is_middle) = status(&given, fields.text("status"));
    let criteria: Vec<String> = listed(body, "AC");
    let done = Some(listed(body, "DOD").join("; ")).filter(|text| !text.is_empty());
    let approach = marked(body, "SECTION:PLAN");
    let title = fields.text("title");
    let plan = approach.map(|approach| Draft {
        description: marked(body, "SECTION:DESCRIPTION").unwrap_or(title).to_owned(),
        approach: Some(approach.to_owned()),
        tasks: tasks(approach, title, &criteria, done.as_ref()),
    });
    let said = RecordedIssue {
        title,
        author: fields.get("reporter").map(Node::as_text).filter(|name| !name.is_empty()),
        created,
        status,
        plan,
    };
    let mut arrival = given.arrival(id, said);
    if let Some(changed) = date(fields.text("updated_date")) {
        arrival.changed = arrival.changed.max(changed);
    }
    let issue = &mut arrival.issue;
    issue.context = owned(marked(body, "SECTION:DESCRIPTION"));
    issue.expected_behavior = Some(criteria.join("\n")).filter(|text| !text.is_empty());
    issue.extended_context.notes = owned(marked(body, "SECTION:NOTES")).map(Value::String);
    issue.priority = priority(&given, fields.text("priority"));
    issue.issue_type = Some(fields.text("type").to_owned()).filter(|kind| !kind.is_empty());
    let mut people = words("assignee").into_iter();
    issue.assignee = people.next();
    for label in words("labels") {
        match limits::label(&label) {
            Ok(label) => drop(issue.tags.insert(label.to_owned())),
            Err(error) => notes.push(error.to_string()),
        }
    }
    issue.affected_components = words("modified_files").into_iter().collect();
    let mut references = words("references").into_iter().filter(|text| !text.starts_with(REFERENCE));
    issue.source_url = references.find(|text| limits::web_address(text).is_ok());
    for name in words("dependencies") {
        match other_id(&name).map(|id| given.settled_other(id)) {
            Ok(target) if target != issue.id => drop(issue.depends_on.insert(target)),
            _ => notes.push(format!("it depends on `{name}`, which is not another task")),
        }
    }
    let parent = Some(fields.text("parent_task_id")).filter(|parent| !parent.is_empty());
    if let Some(Ok(parent)) = parent.map(other_id) {
        let parent = given.settled_other(parent);
        issue.relations.insert(format!("parent-child:{parent}"));
    }
    if matches!(status, StoredStatus::Closed | StoredStatus::Cancelled) {
        issue.close_reason = owned(marked(body, "SECTION:FINAL_SUMMARY"));
    }
    let further = people.next().is_some() || references.next().is_some();
    if further {
        arrival.kept.insert("further people and references".into());
    }
    if is_middle {
        arrival.kept.insert(
            format!("the status `{}` became `{}`", fields.text("status"), arrival.issue.status).into(),
        );
    }
    let born = arrival.issue.created_at;
    for said in comments(body, born) {
        comment::add(&mut arrival.comments, born, said);
    }
    arrival.kept.extend(kept(value).keys().map(|name| format!("`{name}` has no field here").into()));
    arrival.notes.extend(notes);
    Ok(arrival)
}

fn other_id(name: &str) -> Result<IssueId, IdError> {
    IssueId::parse(&format!("{PREFIX}-{}", name.to_ascii_uppercase()))
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// The id that an export wrote among the references: the tool gives other numbers to tasks of one number.
fn named(fields: &Node) -> Option<IssueId> {
    let references = fields.get("references").map(Node::words).unwrap_or_default();
    let named = references.iter().find_map(|text| text.strip_prefix(REFERENCE))?;
    IssueId::parse(named).ok().filter(|id| id.as_str().starts_with(PREFIX))
}

/// The status, and whether it is another one here. The first of the configured ones is open, the last one is done.
fn status(given: &PlanRecord<'_>, word: &str) -> (StoredStatus, bool) {
    let statuses: Vec<&str> =
        given.member("statuses").as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let at = statuses.iter().position(|status| status.eq_ignore_ascii_case(word));
    match given.text("place") {
        Some("completed") => (StoredStatus::Closed, false),
        Some("drafts") => (StoredStatus::Paused, false),
        Some(place) if place.starts_with("archive/") => (StoredStatus::Cancelled, false),
        _ if at.is_some_and(|at| at + 1 == statuses.len()) => (StoredStatus::Closed, false),
        _ if at == Some(0) => (StoredStatus::Registered, false),
        _ if word.is_empty() => (StoredStatus::Registered, false),
        _ => (StoredStatus::Planning, true),
    }
}

fn priority(given: &PlanRecord<'_>, word: &str) -> Priority {
    let all = given.member("priorities").as_array().into_iter().flatten().filter_map(Value::as_str);
    let at = all.into_iter().position(|name| name.eq_ignore_ascii_case(word));
    at.and_then(|at| Priority::new(u64::try_from(at).ok()?.min(2) + 2)).unwrap_or_default()
}

/// What is between the markers of a section; without markers, as older versions and people write it, what is below its heading.
fn marked<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    placed(body, name).map(|(_, text)| text)
}

/// A section as [`marked`] reads it, and where it begins.
fn placed<'a>(body: &'a str, name: &str) -> Option<(usize, &'a str)> {
    let (begin, end) = (format!("<!-- {name}:BEGIN -->"), format!("<!-- {name}:END -->"));
    let Some(from) = body.find(&begin).map(|at| at + begin.len()) else {
        return section(body, heading(name)).map(|section| (section.at, section.body));
    };
    let text = &body[from..from + body[from..].find(&end)?];
    let at = from + text.len() - text.trim_start().len();
    (!text.trim().is_empty()).then(|| (at, text.trim()))
}

/// The heading above a section with these markers.
fn heading(name: &str) -> &'static str {
    match name {
        "SECTION:DESCRIPTION" => "Description",
        "SECTION:PLAN" => "Implementation Plan",
        "SECTION:NOTES" => "Implementation Notes",
        "SECTION:FINAL_SUMMARY" => "Final Summary",
        "AC" => "Acceptance Criteria",
        "DOD" => "Definition of Done",
        _ => "Comments",
    }
}

/// The texts of the boxes between two markers, without their numbers: `- [ ] #1 It sleeps`.
fn listed(body: &str, name: &str) -> Vec<String> {
    let all = boxes::boxes(marked(body, name).unwrap_or_default());
    all.iter()
        .map(|task| {
            let rest = task.text.trim_start_matches('#').trim_start_matches(|c: char| c.is_ascii_digit());
            if task.text.starts_with('#') { rest.trim().to_owned() } else { task.text.to_owned() }
        })
        .filter(|text| !text.is_empty())
        .collect()
}

/// The tasks of a plan: the items of its numbered list, or one for all of it. The criteria are those of the last one.
fn tasks(plan: &str, title: &str, criteria: &[String], done: Option<&String>) -> Vec<DraftTask> {
    let mut made: Vec<DraftTask> = Vec::new();
    for line in plan.lines() {
        match without_number(line) {
            Some(title) => made.push(DraftTask {
                id: format!("T{}", made.len() + 1),
                files: draft::paths(&title),
                depends_on: made.last().map(|last| last.id.clone()).into_iter().collect(),
                title,
                ..DraftTask::default()
            }),
            None => {
                let step = line.trim().trim_start_matches(['-', '*']).trim();
                if let (Some(last), false) = (made.last_mut(), step.is_empty()) {
                    last.steps.push(step.to_owned());
                }
            }
        }
    }
    if made.is_empty() {
        let steps = plan.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        made.push(DraftTask { id: "T1".into(), title: title.to_owned(), steps, ..DraftTask::default() });
    }
    if let Some(last) = made.last_mut() {
        last.criteria = criteria.to_vec();
        last.definition_of_done = done.cloned();
    }
    made
}

fn without_number(line: &str) -> Option<String> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')'])?.trim();
    (digits > 0 && !rest.is_empty()).then(|| rest.to_owned())
}

/// The comments: blocks of `author:` and `created:` above a text, which ends at a line `---`.
fn comments(body: &str, born: Time) -> Vec<SourceComment> {
    let mut found: Vec<SourceComment> = Vec::new();
    let mut parts = marked(body, "COMMENTS").unwrap_or_default().split("\n---");
    while let (Some(head), Some(text)) = (parts.next(), parts.next()) {
        let field = |name: &str| {
            head.lines().find_map(|line| Some(line.trim().strip_prefix(name)?.trim_start_matches(':').trim()))
        };
        let author = field("author").filter(|name| !name.is_empty()).unwrap_or("unknown");
        // Times are to the minute, so those of one minute are told apart by their place.
        let minute = field("created").and_then(date).unwrap_or(born);
        let last = found
            .last()
            .filter(|before| before.created_at >= minute)
            .map(|before| before.created_at.plus_millis(1));
        let created_at = last.unwrap_or(minute);
        let text = text.trim();
        if !text.is_empty() {
            found.push(SourceComment { id: None, body: text.to_owned(), author: author.into(), created_at });
        }
    }
    found
}

/// The fields of a task that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let text = record["files"][FILE].as_str().unwrap_or_default();
    let Ok((Node::Map(fields), _)) = front_matter(text) else { return Map::new() };
    let unplaced =
        fields.into_iter().filter(|(name, _)| !PLACED.contains(&name.as_str()) && name != "reporter");
    unplaced.map(|(name, node)| (name, record::value_of(&node))).filter(|(_, value)| *value != "").collect()
}
