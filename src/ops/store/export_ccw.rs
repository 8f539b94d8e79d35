//! Exporting the store as the files of ccw.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::export::{UnsupportedValue, named};
use crate::interchange::ccw::{self, OfIssue};
use crate::model::{IssueId, QueueConflict, QueueDecision, QueueStatus, count};
use crate::ops::queue::QueueWorld;
use crate::ops::{Answer, Notice, Session};
use crate::rules::{IssueDerived, QueueView};
use crate::store::{StoreError, records};

/// The directory of ccw in a project.
const FOLDER: &str = ".workflow/issues";

/// The result of an export for ccw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CcwExport {
    /// Issues that were written.
    pub(crate) issues: u64,
    /// How many of them have ended, and are therefore in its history.
    pub(crate) history: u64,
    /// Plans.
    pub(crate) plans: u64,
    /// Queues.
    pub(crate) queues: u64,
    /// Items of queues.
    pub(crate) items: u64,
    /// What ccw has no field for.
    pub(crate) left_out: Vec<UnsupportedValue>,
}

/// A file of an export.
#[derive(Debug)]
pub(crate) struct OutFile {
    /// Its path in the directory of the export.
    pub(crate) path: String,
    /// Its content.
    pub(crate) content: Vec<u8>,
}

/// An export that can be written.
#[derive(Debug)]
pub(crate) struct CcwStore {
    /// What it holds.
    pub(crate) handed: CcwExport,
    /// The directory of all files, in the project.
    pub(crate) folder: &'static str,
    /// Its files.
    pub(crate) files: Vec<OutFile>,
}

/// Makes the files of ccw of all issues, or only of these if any are named, with their plans and their items in queues.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn export_ccw(session: &Session, issues: &[String]) -> Answer<CcwStore> {
    let state = session.store().snapshot()?;
    let mut ids = if issues.is_empty() { records::issue_ids(&state)? } else { named(&state, issues)? };
    ids.sort();
    ids.dedup();
    let mut making = Making::default();
    session.counted("exporting", Some(ids.len() as u64), |seen| -> Result<(), StoreError> {
        for id in &ids {
            match records::issue(&state, id) {
                Ok(Some(folder)) => making.issue(id, &folder),
                Ok(None) => {}
                Err(StoreError::Broken { path, broken }) => {
                    session.notice(Notice::warning(format!("`{path}` is left out: {broken}")));
                }
                Err(error) => return Err(error),
            }
            seen(making.handed.issues);
        }
        Ok(())
    })?;
    let world = QueueWorld::read(&state)?;
    let is_whole = issues.is_empty();
    making.queues(&world, is_whole, |path| {
        session.notice(Notice::warning(format!("queue `{path}` is left out: its record cannot be read")));
    });
    let store = making.end();
    session.notice_all(store.handed.left_out.iter().map(|omission| {
        let issues = count(omission.issues, "issue");
        Notice::warning(format!("ccw has no field for {} ({issues})", omission.what))
    }));
    Ok(session.done(store, None))
}

/// What was made so far.
#[derive(Default)]
struct Making {
    handed: CcwExport,
    unsaid: BTreeMap<Cow<'static, str>, u64>,
    open: Vec<u8>,
    over: Vec<u8>,
    files: Vec<OutFile>,
    /// What the items of queues need.
    of_issues: BTreeMap<IssueId, OfIssue>,
}

impl Making {
    fn issue(&mut self, id: &IssueId, folder: &crate::rules::folder::IssueFolder) {
        let made = ccw::issue(folder);
        let into = if made.is_over { &mut self.over } else { &mut self.open };
        put_line(into, &made.record);
        self.handed.issues += 1;
        self.handed.history += u64::from(made.is_over);
        self.handed.plans += made.solutions.len() as u64;
        for what in made.left_out {
            *self.unsaid.entry(what).or_default() += 1;
        }
        if !made.solutions.is_empty() {
            let mut content = Vec::new();
            made.solutions.iter().for_each(|plan| put_line(&mut content, plan));
            self.files.push(OutFile { path: format!("solutions/{id}.jsonl"), content });
        }
        if !folder.items.is_empty() {
            let issue = folder.issue.record.clone();
            let changed = IssueDerived::derive(folder).updated_at.unwrap_or(issue.created_at);
            let executions = folder.executions.clone();
            self.of_issues.insert(id.clone(), OfIssue::new(issue, executions, changed));
        }
    }

    /// All queues, or those that hold an issue of the export.
    fn queues(&mut self, world: &QueueWorld, is_whole: bool, mut broken: impl FnMut(&str)) {
        let views = world.views();
        let has_priorities = has_priorities(&views);
        let mut entries: Vec<Value> = Vec::new();
        let mut active: Vec<&str> = Vec::new();
        let mut first: Option<&str> = None;
        for view in &views {
            let id = view.queue.id.as_str();
            if view.status == QueueStatus::Unreadable {
                broken(id);
                continue;
            }
            let conflicts: &[QueueConflict] = world
                .queues
                .iter()
                .find(|queue| queue.queue.id == view.queue.id)
                .map_or(&[], |queue| &queue.conflicts);
            let made = ccw::queue_for_ccw(view, conflicts, &self.of_issues, has_priorities);
            if made.items == 0 && !is_whole {
                continue;
            }
            self.handed.queues += 1;
            self.handed.items += made.items;
            if view.queue.status == QueueDecision::Active {
                active.push(id);
            }
            if view.status == QueueStatus::Active {
                first.get_or_insert(id);
            }
            // The newest comes first there.
            entries.insert(0, made.entry);
            self.files.push(OutFile { path: format!("queues/{id}.json"), content: pretty(&made.queue) });
        }
        if !entries.is_empty() {
            let index = json!({"active_queue_id": first, "queues": entries, "active_queue_ids": active});
            self.files.push(OutFile { path: "queues/index.json".into(), content: pretty(&index) });
        }
    }

    fn end(mut self) -> CcwStore {
        self.files.push(OutFile { path: "issues.jsonl".into(), content: self.open });
        if !self.over.is_empty() {
            self.files.push(OutFile { path: "issue-history.jsonl".into(), content: self.over });
        }
        let unsaid = self.unsaid.into_iter();
        self.handed.left_out =
            unsaid.map(|(what, issues)| UnsupportedValue { what: what.into_owned(), issues }).collect();
        CcwStore { handed: self.handed, folder: FOLDER, files: self.files }
    }
}

/// Whether the order of the queues must be stated. A single queue that is served before all others is the active one.
fn has_priorities(views: &[QueueView]) -> bool {
    let first_by_id = views
        .iter()
        .filter(|view| view.queue.status == QueueDecision::Active)
        .map(|view| &view.queue.id)
        .min();
    let first = views.iter().find(|view| view.status == QueueStatus::Active).map(|view| &view.queue.id);
    let is_implied = first != first_by_id
        && views.iter().all(|view| view.queue.priority == i64::from(Some(&view.queue.id) != first));
    !is_implied && views.iter().any(|view| view.queue.priority != 0)
}

fn put_line(into: &mut Vec<u8>, record: &Value) {
    into.extend(record.to_string().into_bytes());
    into.push(b'\n');
}

fn pretty(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}
