//! Backlog.md 1.52: a task is a Markdown file with fields above sections that are between markers.

mod body;
mod written;

use crate::model::{IdError, IssueId, Op, Priority, StoredStatus};
use std::path::{Path, PathBuf};

use body::{comments, listed, marked, tasks, unplaced};
use serde_json::{Map, Value};
use written::REFERENCE;
pub(super) use written::{find, write};

use super::PlanTool;
use super::draft::{self, Draft};
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, date};
use super::reused_names::{Likeness, ReusedNames};
use super::sections::{front_matter, loose_fields};
use crate::interchange::comment;
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
    is_dated_by_file: true,
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

/// The time of its creation, as it is in the fields of a task.
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
const PLACED: [&str; 14] = [
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
    "reporter",
];
/// The settings that count here.
const SETTINGS: [&str; 3] = ["backlog_directory", "statuses", "priorities"];

/// A file of settings: its fields, and why they were read line by line, if they are not YAML. `None` if there is no such file.
fn settings(file: &Path) -> Option<(Node, Option<String>)> {
    let (text, _) = files::text_of(file).ok().flatten()?;
    Some(match yaml::read(&text) {
        Ok(node) => (node, None),
        Err(why) => (loose_fields(&text, &SETTINGS), Some(why)),
    })
}

/// The directory of the tool in a project.
fn place(folder: &Path) -> Option<PathBuf> {
    let root = settings(&folder.join("backlog.config.yml"));
    let named = root.map(|(node, _)| node.text("backlog_directory").to_owned());
    let named = named.filter(|name| !name.is_empty() && !name.starts_with('/') && !name.contains(".."));
    let names = named.into_iter().chain(["backlog", ".backlog"].map(str::to_owned));
    let all = names.map(|name| folder.join(name)).chain([folder.to_owned()]);
    all.into_iter().find(|backlog| PLACES.iter().any(|place| backlog.join(place).is_dir()))
}

/// Whether a file is called as those of tasks are: `task-1.2 - Feed-the-okapi.md`.
fn is_task(file: &str) -> bool {
    let Some((word, rest)) = file.split_once('-').filter(|_| file.ends_with(".md")) else { return false };
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && rest.starts_with(|c: char| c.is_ascii_digit())
}

fn open(folder: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let Some(backlog) = place(folder) else { return Ok(None) };
    let mut found = PlanFiles::default();
    let files = [folder.join("backlog.config.yml"), backlog.join("config.yml")];
    let config = files.iter().find_map(|file| settings(file));
    let (config, odd) = config.unwrap_or((Node::Map(vec![]), None));
    if let Some(why) = odd {
        found.remark(format!("the settings are not YAML, so they were read line by line: {why}"));
    }
    let statuses = words_in(&config, "statuses", &["To Do", "In Progress", "Done"]);
    let priorities = words_in(&config, "priorities", &["high", "medium", "low"]);
    found.leave_others(&backlog, |name| {
        name == "config.yml" || PLACES.iter().any(|place| place.split('/').next() == Some(name))
    });
    for place in PLACES {
        found.leave_others(&backlog.join(place), is_task);
        for file in files::markdown(&backlog.join(place)).into_iter().filter(|file| is_task(file)) {
            let mut group = FileGroup::default();
            let at = format!("{place}/{file}");
            if let Err(error) = group.add(FILE, &backlog.join(place).join(&file)) {
                found.refuse(at, error.to_string());
                continue;
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
    Ok(Some(found.with_unread()))
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
        tasks: draft::grouped(tasks(approach, title, &criteria, done.as_ref())),
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
    let word = fields.text("priority");
    let priority = priority(&given, word);
    issue.priority = priority.unwrap_or_default();
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
    let references: Vec<String> =
        words("references").into_iter().filter(|text| !text.starts_with(REFERENCE)).collect();
    issue.source_url = references.iter().find(|text| limits::web_address(text).is_ok()).cloned();
    let further = people.next().is_some() || references.len() > usize::from(issue.source_url.is_some());
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
    if further {
        arrival.kept.insert("further people and references".into());
    }
    if priority.is_none() && !word.is_empty() {
        arrival.kept.insert(format!("the priority `{word}` became `medium`").into());
    }
    arrival.kept.extend(unplaced(body).into_iter().map(Into::into));
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

/// `None` for a word that is not configured.
fn priority(given: &PlanRecord<'_>, word: &str) -> Option<Priority> {
    let all = given.member("priorities").as_array().into_iter().flatten().filter_map(Value::as_str);
    let at = all.into_iter().position(|name| name.eq_ignore_ascii_case(word));
    at.and_then(|at| Priority::new(u64::try_from(at).ok()?.min(2) + 2))
}

/// The fields of a task that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let text = record["files"][FILE].as_str().unwrap_or_default();
    let Ok((Node::Map(fields), _)) = front_matter(text) else { return Map::new() };
    record::unplaced(fields.iter().map(|(name, node)| (name.clone(), record::value_of(node))), &PLACED)
}
