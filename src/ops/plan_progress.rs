//! How far plans have come, as the files of the tools say it from which they were imported.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Refusal;
use crate::interchange::plan_tools::written::{Progress, Stage, WrittenText, WrittenTool};
use crate::interchange::plan_tools::{self, ClaimedTask};
use crate::interchange::trackers;
use crate::model::hash::CommitHash;
use crate::model::{Code, Event, IssueId, IssueStatus, LogEntry, StoredStatus, Task};
use crate::rules::folder::ExecutionFolder;
use crate::rules::{IssueFolder, facts, undoing};
use crate::store::{Snapshot, Store, StoreError, records};
use crate::trail::claimed::{self, ClaimLookup};

/// A file that changed, or would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WrittenPlan {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The file.
    pub(crate) path: String,
    /// How many boxes were ticked and statuses set.
    pub(crate) changes: usize,
    /// Tasks that are done, but no longer in the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<String>,
}

/// The files of a tool with the progress of issues. Nothing is written yet.
#[derive(Default)]
pub(super) struct PlanProgress {
    /// What changes for each issue.
    pub(super) plans: Vec<WrittenPlan>,
    /// The texts of their files.
    pub(super) texts: BTreeMap<PathBuf, ChangedText>,
    /// How many of the issues were imported from the tool.
    pub(super) known: usize,
    /// Whether a file of one of them was found.
    pub(super) has_files: bool,
    /// Issues whose file is not below the directory.
    pub(super) without_file: Vec<IssueId>,
}

/// What a branch has, if only that counts.
pub(super) struct BranchWork<'a> {
    /// The issue that lands.
    pub(super) lands: &'a IssueId,
    /// Whether the branch has a commit.
    pub(super) has: &'a dyn Fn(&CommitHash) -> bool,
}

/// The text of a file that changes.
pub(super) struct ChangedText {
    /// Whether it begins with a byte order mark, which stays. The texts are without it.
    is_marked: bool,
    /// Its text in the file.
    before: String,
    /// Its new text.
    now: String,
}

impl PlanProgress {
    /// Reads the files below `place`, which is the project's directory or the tool's. With a `branch`, only that counts as done
    /// of an issue that does not land which the branch has.
    ///
    /// # Errors
    /// `cannot-read`.
    pub(super) fn read(
        store: &Store,
        state: &Snapshot<'_>,
        tool: &WrittenTool,
        place: &Path,
        issues: &[IssueId],
        branch: Option<&BranchWork<'_>>,
    ) -> Result<Self, Refusal> {
        let (mut read, mut open) = (Self::default(), Vec::new());
        for id in issues {
            let Some(folder) = of_tool(state, id, tool)? else { continue };
            read.known += 1;
            let Some(record) = &folder.issue.record.imported else { continue };
            let branch = branch.filter(|branch| branch.lands != id);
            let progress = progress(store, state, &folder, record, branch)?;
            if progress.stage == Stage::Open {
                open.push(record.clone());
                continue;
            }
            let found = (tool.find)(place, record).map_err(|error| cannot_read(place, error))?;
            let Some(path) = found.filter(|path| is_inside(place, path)) else {
                read.without_file.push(id.clone());
                continue;
            };
            read.has_files = true;
            let text = match read.texts.entry(path.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(ChangedText::read(&path)?),
            };
            let written =
                (tool.write)(&text.now, record, &progress).map_err(|why| cannot_read(&path, why))?;
            let WrittenText { text: now, changes, missing } = written;
            text.now = now;
            if changes > 0 || !missing.is_empty() {
                let path = path.to_string_lossy().into_owned();
                read.plans.push(WrittenPlan { issue_id: id.clone(), path, changes, missing });
            }
        }
        // The files of what has nothing to be written show that this is the directory, too.
        let is_there = |record: &Value| matches!((tool.find)(place, record), Ok(Some(_)));
        if !read.has_files && !read.without_file.is_empty() {
            read.has_files = open.iter().any(is_there);
        }
        read.texts.retain(|_, text| text.now != text.before);
        Ok(read)
    }
}

impl ChangedText {
    fn read(path: &Path) -> Result<Self, Refusal> {
        let text = plan_tools::whole_text_of(path).map_err(|error| cannot_read(path, error))?;
        let mut text = match text {
            Some((text, _)) => text,
            None if path.symlink_metadata().is_err() => String::new(),
            None => return Err(cannot_read(path, "it is not a regular file")),
        };
        let is_marked = text.starts_with(plan_tools::BYTE_ORDER_MARK);
        if is_marked {
            text.remove(0);
        }
        Ok(Self { is_marked, now: text.clone(), before: text })
    }

    /// The text as it is written.
    pub(super) fn whole(&self) -> String {
        if self.is_marked { format!("{}{}", plan_tools::BYTE_ORDER_MARK, self.now) } else { self.now.clone() }
    }
}

/// Whether a file stays below the directory that was named, also where that has links. It may not exist yet.
fn is_inside(place: &Path, file: &Path) -> bool {
    let Ok(place) = place.canonicalize() else { return false };
    let nearest = if file.symlink_metadata().is_ok() { Some(file) } else { file.parent() };
    nearest.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path.starts_with(place))
}

/// An issue that came from the tool.
fn of_tool(
    state: &Snapshot<'_>,
    id: &IssueId,
    tool: &WrittenTool,
) -> Result<Option<IssueFolder>, StoreError> {
    let Ok(Some(outline)) = records::outline(state, id) else { return Ok(None) };
    if !outline.issue.record.imported.as_ref().is_some_and(tool.is_own) {
        return Ok(None);
    }
    records::issue(state, id)
}

/// How far an issue has come; with a `branch`, only what that has of an issue that is being executed.
fn progress(
    store: &Store,
    state: &Snapshot<'_>,
    folder: &IssueFolder,
    record: &Value,
    branch: Option<&BranchWork<'_>>,
) -> Result<Progress, StoreError> {
    let issue = folder.issue.record.id.clone();
    let status = facts::status(folder);
    let stage = match status {
        // What the source itself says is over needs no words from here.
        IssueStatus::Closed | IssueStatus::Cancelled if is_over_there(record) => Stage::Open,
        // Nobody did what another issue says as well.
        IssueStatus::Closed if is_duplicate(folder) => Stage::Cancelled,
        IssueStatus::Completed | IssueStatus::Closed => Stage::Done,
        IssueStatus::Cancelled => Stage::Cancelled,
        IssueStatus::Executing => Stage::Working,
        _ => Stage::Open,
    };
    let mut progress = Progress { issue, stage, claimed: vec![] };
    if let IssueStatus::Completed | IssueStatus::Executing = status
        && let Some(own) = facts::holder(folder)
    {
        let name = record["name"].as_str().unwrap_or_default();
        progress.claimed = claimed_tasks(store, state, folder, own, name, branch)?;
    }
    if branch.is_some() && (stage != Stage::Working || !progress.claimed.iter().any(ClaimedTask::is_done)) {
        progress.stage = Stage::Open;
    }
    Ok(progress)
}

/// Whether an issue was over in its source as it was last imported.
fn is_over_there(record: &Value) -> bool {
    let there = trackers::read(record).map(|(_, arrival)| arrival.issue.status);
    matches!(there, Some(StoredStatus::Closed | StoredStatus::Cancelled))
}

/// Whether it was closed as the duplicate of another one.
fn is_duplicate(folder: &IssueFolder) -> bool {
    let reason = folder.issue.record.close_reason.as_deref().unwrap_or_default();
    reason.split(':').next() == Some("duplicate")
}

/// The tasks of an execution whose plan was imported as `name`, as they were claimed; none if it has another plan.
fn claimed_tasks(
    store: &Store,
    state: &Snapshot<'_>,
    folder: &IssueFolder,
    own: &ExecutionFolder,
    name: &str,
    branch: Option<&BranchWork<'_>>,
) -> Result<Vec<ClaimedTask>, StoreError> {
    let imported = plan_tools::plan_id(&folder.issue.record.id, name);
    if imported.as_ref() != Ok(&own.execution.solution_id) {
        return Ok(vec![]);
    }
    let ClaimLookup::Plan(plan) = claimed::plan(store, state, folder, &own.execution)? else {
        return Ok(vec![]);
    };
    let commits = own.work();
    let work = undoing::standing(&commits);
    let mut tasks = Vec::new();
    for task in plan.typed_plan().tasks {
        let mut linked = work.iter().filter(|commit| commit.link.tasks().any(|id| *id == task.id)).peekable();
        let has_work = linked.peek().is_some()
            && linked.all(|commit| branch.is_none_or(|branch| (branch.has)(&commit.link.hash)));
        let is_accepted = is_accepted(&own.log, &task) && (branch.is_none() || has_work);
        // The entries of which a task was made are its steps and its criteria; one that was refined has other steps, and may
        // have another title.
        let criteria = task.criteria();
        let entries = task.implementation.iter().filter(|step| criteria.contains(&step.as_str())).count();
        let is_joined = entries > 1;
        let first = criteria.first().map(|&title| title.to_owned());
        let titles = if is_joined {
            task.implementation.into_iter().collect()
        } else {
            first.into_iter().chain([task.title]).collect()
        };
        tasks.push(ClaimedTask { id: task.id.to_string(), titles, is_joined, has_work, is_accepted });
    }
    Ok(tasks)
}

/// Whether all criteria of a task were accepted.
fn is_accepted(log: &[LogEntry], task: &Task) -> bool {
    let mut accepted = BTreeSet::new();
    for entry in log {
        if let Event::Accept(accept) = &entry.event
            && accept.task_id == task.id
        {
            accepted.insert(accept.criterion);
        }
    }
    let all = task.criteria().len() as u64;
    all > 0 && (1..=all).all(|criterion| accepted.contains(&criterion))
}

pub(super) fn cannot_read(path: &Path, why: impl std::fmt::Display) -> Refusal {
    Refusal::new(Code::CannotRead, format!("cannot read `{}`: {why}", path.display()))
        .hint("name the project's directory")
}
