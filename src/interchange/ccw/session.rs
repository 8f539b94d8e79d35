//! Work folders: `codex-issue-<time>` with `state.json`, and a plan and a result for each issue.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::queue::{self, CcwQueueIndex};
use super::store::{IssueLine, Reading};
use super::{files, says};
use crate::model::{Time, count};

/// Reads work folders, the oldest first.
pub(super) fn read_all(reading: &mut Reading, folders: &[PathBuf]) {
    let known = reading.issues.iter().filter_map(|issue| issue.issue.get("id")?.as_str().map(str::to_owned));
    let mut seen = KnownIssues { known: known.collect(), ..KnownIssues::default() };
    folders.iter().for_each(|folder| read(reading, folder, &mut seen));
}

/// What the store and earlier work folders say of the issues of a work folder.
#[derive(Default)]
struct KnownIssues {
    /// The issues that the store has itself.
    known: BTreeSet<String>,
    /// When each of the others was first seen, which is when it was created if it does not say.
    born: BTreeMap<String, Value>,
}

fn read(reading: &mut Reading, folder: &Path, seen: &mut KnownIssues) {
    let name =
        folder.file_name().map_or_else(|| "session".into(), |name| name.to_string_lossy().into_owned());
    let at = |file: &str| format!("{name}/{file}");
    if !folder.join(STATE).exists() {
        reading.faults.push(files::fault(&at(STATE), 0, None, files::MISSING));
    }
    let state = files::json(&folder.join(STATE), &at(STATE), &mut reading.faults);
    let state = state.unwrap_or(Value::Null);
    issues(reading, &state, &at(STATE), seen);
    let inside = folder.join("solutions");
    let mut items = listed(&state);
    for file in files::names(&inside, ".json") {
        let shown = at(&format!("solutions/{file}"));
        let stem = file.trim_end_matches(".json");
        if let Some(issue) = stem.strip_suffix("-plan") {
            if let Some(given) = files::json(&inside.join(&file), &shown, &mut reading.faults) {
                let (plan, beside) = plan_in(given);
                if !beside.is_empty() {
                    let beside = beside.join(", ");
                    reading
                        .remarks
                        .push(format!("{shown}: its fields beside the `solution` were left out: {beside}"));
                }
                reading.plan(&shown, 0, issue, plan);
            }
        } else if let Some(issue) = stem.strip_suffix("-execution")
            && let Some(given) = files::json(&inside.join(&file), &shown, &mut reading.faults)
        {
            ended(&mut items, &state, issue, &given);
        }
    }
    if !items.is_empty() {
        let session = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let made = state.get("created_at").cloned().unwrap_or(Value::Null);
        let changed = state.get("updated_at").cloned().unwrap_or(Value::Null);
        let given = json!({
            "id": format!("QUE-{session}"), "created_at": made, "updated_at": changed, "solutions": items
        });
        match queue::read(&given, &at(STATE), None, &CcwQueueIndex::default()) {
            Ok(queue) => reading.queues.push(queue),
            Err(why) => reading.faults.push(files::fault(&at(STATE), 0, None, why)),
        }
    }
    let history = files::json(&folder.join(HISTORY), &at(HISTORY), &mut reading.faults);
    let entries = history.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
    if entries > 0 {
        let entries = match entries {
            1 => "its entry was left out; it only counts".to_owned(),
            many => format!("its {many} entries were left out; they only count"),
        };
        let what = "steps and issues; here, the log of the store has that";
        reading.remarks.push(format!("{}: {entries} {what}", at(HISTORY)));
    }
    let left_out = left_out(&state);
    reading.remarks.extend(left_out.into_iter().map(|what| format!("{}: {what}", at(STATE))));
}

/// The plan in `<issue>-plan.json`, which may be its member `solution`, and the names of the other members.
fn plan_in(given: Value) -> (Value, Vec<String>) {
    let Some(plan) = given.get("solution").filter(|solution| solution.is_object()) else {
        return (given, vec![]);
    };
    let members = given.as_object().into_iter().flatten();
    let others = members.filter(|(name, value)| *name != "solution" && says(value));
    (plan.clone(), others.map(|(name, _)| format!("`{name}`")).collect())
}

/// What a work folder says about itself as a whole: it was a run of another program.
fn left_out(state: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let members = state.as_object().into_iter().flatten();
    let others: Vec<String> = members
        .filter(|(name, value)| says(value) && !PLACED.contains(&name.as_str()))
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    if !others.is_empty() {
        found.push(format!("its fields about the run were left out: {}", others.join(", ")));
    }
    let errors = state.get("errors").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for error in errors.iter().take(MOST_ERRORS) {
        let text = error.get("message").or(error.get("error")).unwrap_or(error);
        let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
        found.push(format!("an error of the run was left out: {text}"));
    }
    if errors.len() > MOST_ERRORS {
        found.push(format!("{} more were left out", count(errors.len() - MOST_ERRORS, "error")));
    }
    found
}

/// The state of a work folder.
const STATE: &str = "state.json";
/// The members of a state that have a place here, or say nothing that lasts.
const PLACED: &[&str] = &["issues", "queue", "created_at", "updated_at", "work_dir", "errors"];
/// More errors of a run are only counted.
const MOST_ERRORS: usize = 5;

/// The file with what happened in a work folder.
const HISTORY: &str = "state-history.json";

/// The issues of a work folder, except those that the store has itself.
fn issues(reading: &mut Reading, state: &Value, file: &str, seen: &mut KnownIssues) {
    let made = state.get("created_at").filter(|at| says(at)).cloned();
    for (id, given) in state.get("issues").and_then(Value::as_object).into_iter().flatten() {
        if seen.known.contains(id) {
            continue;
        }
        let Value::Object(given) = given else {
            reading.faults.push(files::fault(file, 0, Some(id), "the issue is not an object"));
            continue;
        };
        let mut issue = given.clone();
        issue.insert("id".into(), id.clone().into());
        if let Some(plan) = issue.shift_remove("solution_id").filter(says) {
            issue.insert("bound_solution_id".into(), plan);
        }
        // Nothing else says when the status of one issue changed.
        let said =
            [given.get("executed_at"), given.get("planned_at"), state.get("updated_at"), made.as_ref()];
        let latest = said
            .into_iter()
            .flatten()
            .filter(|at| says(at))
            .max_by_key(|at| at.as_str().and_then(Time::parse));
        if let Some(made) = &made {
            seen.born.entry(id.clone()).or_insert_with(|| made.clone());
        }
        let born = seen.born.get(id);
        let times = [("created_at", born), ("updated_at", latest)];
        for (name, at) in times {
            if let (None, Some(at)) = (issue.get(name), at) {
                issue.insert(name.into(), at.clone());
            }
        }
        reading.issues.push(IssueLine { file: file.to_owned(), number: 0, issue: Value::Object(issue) });
    }
}

/// The items of the queue in `state.json`, with what the issues say of their executions.
fn listed(state: &Value) -> Vec<Value> {
    let mut items = state.get("queue").and_then(Value::as_array).cloned().unwrap_or_default();
    for item in &mut items {
        let Some(map) = item.as_object_mut() else { continue };
        let issue = map.get("issue_id").and_then(Value::as_str).and_then(|id| state.get("issues")?.get(id));
        let executed = issue.and_then(|issue| issue.get("executed_at")).filter(|at| says(at));
        let is_over = map.get("status").is_some_and(|word| word == "completed" || word == "failed");
        if let (Some(at), true, None) = (executed, is_over, map.get("completed_at")) {
            map.insert("completed_at".into(), at.clone());
        }
        let error = issue.and_then(|issue| issue.get("error")).and_then(Value::as_str);
        if let (Some(error), None) = (error, map.get("failure_reason")) {
            map.insert("failure_reason".into(), error.into());
        }
    }
    items
}

/// Takes what `<issue>-execution.json` says, into the item of its plan or a new one. If it names no plan, it is about the
/// one that the issue has.
fn ended(items: &mut Vec<Value>, state: &Value, issue: &str, given: &Value) {
    let of_issue = || {
        let item = items.iter().find(|item| item["issue_id"] == issue);
        let item = item.and_then(|item| item.get("solution_id")).filter(|id| says(id));
        item.or_else(|| state.get("issues")?.get(issue)?.get("solution_id"))
    };
    let plan = given.get("solution_id").filter(|id| says(id)).or_else(of_issue);
    let plan = plan.cloned().unwrap_or(Value::Null);
    let at = items.iter().position(|item| item["solution_id"] == plan && item["issue_id"] == issue);
    let at = at.unwrap_or_else(|| {
        items.push(json!({"issue_id": issue, "solution_id": plan, "status": "pending"}));
        items.len() - 1
    });
    let Some(item) = items[at].as_object_mut() else { return };
    let placed: [(&str, &[&str]); 4] = [
        ("status", &["status"]),
        ("completed_at", &["executed_at", "completed_at"]),
        ("result", &["execution_result", "result"]),
        ("failure_reason", &["error", "failure_reason"]),
    ];
    for (name, from) in placed {
        if let Some(value) = from.iter().find_map(|from| given.get(*from).filter(|value| says(value))) {
            item.insert(name.into(), value.clone());
        }
    }
    let known = [
        "solution_id",
        "issue_id",
        "status",
        "executed_at",
        "completed_at",
        "execution_result",
        "result",
        "error",
    ];
    let rest: Map<String, Value> = given
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, value)| says(value) && !known.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    item.extend(rest);
}
