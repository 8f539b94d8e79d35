//! Reads typed records from files: one issue with everything in its directory, queues with their items.

mod entries;
mod queues;
mod roadmaps;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use self::entries::{log, new_entries, parse_entry, set_aside};
use super::ReadState;
use crate::model::{
    Broken, Doc, Execution, ExecutionId, Feedback, ISSUE, ITEM, Issue, IssueId, Item, LogEntry, QueueId,
    ROOT, Review, Root, Run, RunId, RunLogEntry, SOLUTION, Schema, Solution, SolutionId, Stamp, Wisdom,
};
use crate::rules::{ExecutionFolder, IssueFolder, QueuedItem, Recorded, RunFolder};
use crate::store::{Redactions, StoreError, layout};

pub(crate) use self::entries::raw_log;
pub(crate) use self::queues::{items_of, queue, queue_alone, queue_head, queues};
pub(crate) use self::roadmaps::{roadmap, roadmap_ids};

/// The record with stamps at `path`, for a command that changes it.
pub(crate) fn doc(
    read: &impl ReadState,
    schema: &'static Schema,
    path: &str,
) -> Result<Option<Doc>, StoreError> {
    let Some(bytes) = read.file(path)? else { return Ok(None) };
    let doc = Doc::parse(schema, &bytes).map_err(at(path))?;
    check_own_id(&doc, schema, path).map_err(at(path))?;
    Ok(Some(doc))
}

/// Like [`doc`], with the record as `T`, the type of the schema.
fn doc_as<T: DeserializeOwned>(
    read: &impl ReadState,
    schema: &'static Schema,
    path: &str,
) -> Result<Option<(Doc, T)>, StoreError> {
    let Some(bytes) = read.file(path)? else { return Ok(None) };
    let (doc, record) = Doc::parse_as(schema, &bytes).map_err(at(path))?;
    check_own_id(&doc, schema, path).map_err(at(path))?;
    Ok(Some((doc, record)))
}

fn check_own_id(doc: &Doc, schema: &Schema, path: &str) -> Result<(), Broken> {
    if layout::form(path).1.is_some_and(|id| doc.id() != Some(&id)) {
        return Err(Broken::new(schema.name, "it has the id of another record".into()));
    }
    Ok(())
}

fn at(path: &str) -> impl Fn(Broken) -> StoreError {
    move |broken| StoreError::Broken { path: path.to_owned(), broken }
}

fn recorded<T: DeserializeOwned>(
    read: &impl ReadState,
    schema: &'static Schema,
    path: &str,
) -> Result<Option<Recorded<T>>, StoreError> {
    recorded_behind(read, schema, path, &Redactions::at(read, path)?)
}

/// Like [`recorded`], if the redactions of the directory were already read.
fn recorded_behind<T: DeserializeOwned>(
    read: &impl ReadState,
    schema: &'static Schema,
    path: &str,
    hidden: &Redactions,
) -> Result<Option<Recorded<T>>, StoreError> {
    let Some((mut doc, mut record)) = doc_as(read, schema, path)? else { return Ok(None) };
    if !hidden.is_empty() {
        hidden.doc(path, &mut doc);
        record = doc.read().map_err(at(path))?;
    }
    let (changed, decided) = (doc.changed().map(Stamp::time), doc.stamp("status").cloned());
    Ok(Some(Recorded { record, changed, decided }))
}

/// The root record: policy and project context.
pub(crate) fn root(read: &impl ReadState) -> Result<Root, StoreError> {
    match doc_as(read, &ROOT, layout::ROOT_PATH)? {
        Some((_, root)) => Ok(root),
        None => Err(at(layout::ROOT_PATH)(Broken::new("wf", "it is missing".into()))),
    }
}

/// Every issue id, sorted by bytes.
pub(crate) fn issue_ids(read: &impl ReadState) -> Result<Vec<IssueId>, StoreError> {
    let mut ids = Vec::new();
    for fan in read.names(layout::ISSUES)? {
        for name in read.names(&format!("{}/{fan}", layout::ISSUES))? {
            ids.extend(
                IssueId::parse(&name)
                    .ok()
                    .filter(|id| layout::issue_folder(id).contains(&format!("/{fan}/"))),
            );
        }
    }
    ids.sort();
    Ok(ids)
}

/// The ids of the plans of an issue.
pub(crate) fn solution_ids(read: &impl ReadState, issue: &IssueId) -> Result<Vec<SolutionId>, StoreError> {
    let names = read.names(&layout::solutions(issue))?;
    Ok(names
        .iter()
        .filter_map(|name| SolutionId::parse(name).ok())
        .filter(|id| id.issue() == *issue)
        .collect())
}

/// The ids of the executions of an issue.
pub(crate) fn execution_ids(read: &impl ReadState, issue: &IssueId) -> Result<Vec<ExecutionId>, StoreError> {
    let names = read.names(&layout::executions(issue))?;
    Ok(names
        .iter()
        .filter_map(|name| ExecutionId::parse(name).ok())
        .filter(|id| id.issue() == *issue)
        .collect())
}

/// The ids of all queues.
pub(crate) fn queue_ids(read: &impl ReadState) -> Result<Vec<QueueId>, StoreError> {
    Ok(read.names(layout::QUEUES)?.iter().filter_map(|name| QueueId::parse(name).ok()).collect())
}

/// The ids of all runs.
pub(crate) fn run_ids(read: &impl ReadState) -> Result<Vec<RunId>, StoreError> {
    Ok(read.names(layout::RUNS)?.iter().filter_map(|name| RunId::parse(name).ok()).collect())
}

/// What was learned, in order.
pub(crate) fn wisdom(
    read: &impl ReadState,
    broken: &mut Vec<(String, String)>,
) -> Result<Vec<Wisdom>, StoreError> {
    let hidden = Redactions::load(read, layout::WISDOM)?;
    log(read, &layout::wisdom(), &hidden, broken)
}

/// One run with its log.
pub(crate) fn run(
    read: &impl ReadState,
    id: &RunId,
    broken: &mut Vec<(String, String)>,
) -> Result<Option<RunFolder>, StoreError> {
    let path = layout::run(id);
    let Some(bytes) = read.file(&path)? else { return Ok(None) };
    let hidden = Redactions::at(read, &path)?;
    let parsed = parse_entry::<Run>(&path, &bytes, &hidden).map(Some);
    let Some(run) = set_aside(parsed, broken)? else { return Ok(None) };
    let log = log::<RunLogEntry>(read, &layout::run_log(id), &hidden, broken)?;
    Ok(Some(RunFolder::new(run, log)))
}

/// A run with the newest entries of its log, of which only those are read that it has not.
pub(crate) fn newest_run(read: &impl ReadState, known: &RunFolder) -> Result<RunFolder, StoreError> {
    let id = &known.run.id;
    let hidden = Redactions::at(read, &layout::run(id))?;
    let ids = known.log.iter().map(|entry| &entry.id).collect();
    let mut log: Vec<RunLogEntry> = new_entries(read, &layout::run_log(id), &hidden, &ids, &mut Vec::new())?;
    log.extend(known.log.iter().cloned());
    log.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(RunFolder::new(known.run.clone(), log))
}

/// A log with fewer entries is read again rather than kept.
const MANY_ENTRIES: usize = 4;

/// One execution with its log.
pub(crate) fn execution(
    read: &impl ReadState,
    id: &ExecutionId,
    broken: &mut Vec<(String, String)>,
) -> Result<Option<ExecutionFolder>, StoreError> {
    let path = layout::execution(id);
    let tree = path.rsplit_once('/').map(|(folder, _)| read.derived(folder)).transpose()?.flatten();
    if let Some(known) = tree.and_then(|(tree, derived)| derived.get::<ExecutionFolder>(tree)) {
        return Ok(Some(known));
    }
    let Some(bytes) = read.file(&path)? else { return Ok(None) };
    let hidden = Redactions::at(read, &path)?;
    let parsed = parse_entry::<Execution>(&path, &bytes, &hidden).map(Some);
    let Some(execution) = set_aside(parsed, broken)? else { return Ok(None) };
    let before = broken.len();
    let log = log::<LogEntry>(read, &layout::execution_log(id), &hidden, broken)?;
    let folder = ExecutionFolder { execution, log };
    if let Some((tree, derived)) = tree
        && hidden.is_empty()
        && broken.len() == before
        && folder.log.len() >= MANY_ENTRIES
    {
        derived.keep(tree, folder.clone());
    }
    Ok(Some(folder))
}

/// All executions of an issue with their logs, without the rest of its directory. Broken ones are left out.
pub(crate) fn executions(read: &impl ReadState, issue: &IssueId) -> Result<Vec<ExecutionFolder>, StoreError> {
    let mut broken = Vec::new();
    let mut executions = Vec::new();
    for id in execution_ids(read, issue)? {
        executions.extend(execution(read, &id, &mut broken)?);
    }
    Ok(executions)
}

/// Whether any part of an issue, its plans or its executions is hidden.
pub(crate) fn has_redactions(read: &impl ReadState, issue: &IssueId) -> Result<bool, StoreError> {
    for folder in redacting_folders(read, issue)? {
        if !Redactions::load(read, &folder)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a text of an issue, its plans or its executions is hidden.
pub(crate) fn hides_something(read: &impl ReadState, issue: &IssueId) -> Result<bool, StoreError> {
    for folder in redacting_folders(read, issue)? {
        if Redactions::load(read, &folder)?.hides_something() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The directories outside issues that can hold redactions: those of queues, of runs, of roadmaps and of what was learned.
pub(in crate::store) fn redacting_beside_issues(read: &impl ReadState) -> Result<Vec<String>, StoreError> {
    let queues = queue_ids(read)?.into_iter().map(|id| format!("{}/{id}", layout::QUEUES));
    let runs = run_ids(read)?.into_iter().map(|id| format!("{}/{id}", layout::RUNS));
    let roadmaps = roadmap_ids(read)?.into_iter().map(|id| format!("{}/{id}", layout::ROADMAPS));
    Ok(queues.chain(runs).chain(roadmaps).chain([layout::wisdom()]).collect())
}

/// The directories of an issue that can hold redactions.
pub(in crate::store) fn redacting_folders(
    read: &impl ReadState,
    issue: &IssueId,
) -> Result<Vec<String>, StoreError> {
    let mut folders = vec![layout::issue_folder(issue)];
    for (inside, names) in [
        (layout::solutions(issue), read.names(&layout::solutions(issue))?),
        (layout::executions(issue), read.names(&layout::executions(issue))?),
    ] {
        folders.extend(names.iter().map(|name| format!("{inside}/{name}")));
    }
    Ok(folders)
}

/// A plan; `None` if there is none, or it cannot be read.
pub(crate) fn solution(read: &impl ReadState, id: &SolutionId) -> Result<Option<Solution>, StoreError> {
    let found = recorded(read, &SOLUTION, &layout::solution(id));
    Ok(set_aside(found, &mut Vec::new())?.map(|found: Recorded<Solution>| found.record))
}

/// The reviews of these plans; a plan without reviews is left out.
fn reviews(
    read: &impl ReadState,
    solutions: &[SolutionId],
    broken: &mut Vec<(String, String)>,
) -> Result<BTreeMap<SolutionId, Vec<Review>>, StoreError> {
    let mut all = BTreeMap::new();
    for id in solutions {
        let folder = layout::reviews(id);
        if set_aside(read.names(&folder).map(Some), broken)?.is_none_or(|names| names.is_empty()) {
            continue;
        }
        let hidden = Redactions::at(read, &layout::solution(id))?;
        all.insert(id.clone(), log(read, &folder, &hidden, broken)?);
    }
    Ok(all)
}

/// The feedback on an issue.
pub(crate) fn feedback(read: &impl ReadState, id: &IssueId) -> Result<Vec<Feedback>, StoreError> {
    let hidden = Redactions::load(read, &layout::issue_folder(id))?;
    log(read, &layout::feedback(id), &hidden, &mut Vec::new())
}

/// Everything in the directory of one issue, and its items in all queues; `None` if there is no such issue.
pub(crate) fn issue(read: &impl ReadState, id: &IssueId) -> Result<Option<IssueFolder>, StoreError> {
    let Some(mut folder) = outline(read, id)? else { return Ok(None) };
    // Most records are alone in their directory: nothing else is looked for.
    if read.names(&layout::issue_folder(id))?.len() == 1 {
        return Ok(Some(folder));
    }
    let solution_ids = solution_ids(read, id)?;
    let hidden = Redactions::load(read, &layout::issue_folder(id))?;
    folder.comments = log(read, &layout::comments(id), &hidden, &mut folder.broken)?;
    folder.feedback = log(read, &layout::feedback(id), &hidden, &mut folder.broken)?;
    folder.explorations = log(read, &layout::explorations(id), &hidden, &mut folder.broken)?;
    for solution in &solution_ids {
        let found = recorded(read, &SOLUTION, &layout::solution(solution));
        folder.solutions.extend(set_aside(found, &mut folder.broken)?);
    }
    folder.reviews = reviews(read, &solution_ids, &mut folder.broken)?;
    Ok(Some(folder))
}

/// The record of an issue alone.
pub(crate) fn issue_alone(read: &impl ReadState, id: &IssueId) -> Result<Option<Issue>, StoreError> {
    Ok(recorded::<Issue>(read, &ISSUE, &layout::issue(id))?.map(|issue| issue.record))
}

/// What the status of an issue is derived from: the issue itself, its executions and its items, without plans, comments,
/// feedback and explorations.
pub(crate) fn outline(read: &impl ReadState, id: &IssueId) -> Result<Option<IssueFolder>, StoreError> {
    let Some(issue) = recorded::<Issue>(read, &ISSUE, &layout::issue(id))? else { return Ok(None) };
    let mut broken = Vec::new();
    let mut executions = Vec::new();
    for execution_id in execution_ids(read, id)? {
        executions.extend(execution(read, &execution_id, &mut broken)?);
    }
    let mut items = Vec::new();
    for queue in queue_ids(read)? {
        for solution in queues::queued_plans(read, &queue, id)? {
            let found = recorded::<Item>(read, &ITEM, &layout::item(&queue, &solution));
            let found = set_aside(found, &mut broken)?;
            items.extend(found.map(|item| QueuedItem { queue: queue.clone(), item: item.record }));
        }
    }
    Ok(Some(IssueFolder {
        issue,
        comments: Vec::new(),
        feedback: Vec::new(),
        explorations: Vec::new(),
        solutions: Vec::new(),
        reviews: BTreeMap::new(),
        executions,
        items,
        broken,
    }))
}
