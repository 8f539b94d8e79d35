//! How far plans have come, as the files of the tools say it from which they were imported.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Refusal;
use crate::interchange::plan_tools;
use crate::interchange::plan_tools::written::{Progress, Stage, WrittenText, WrittenTool};
use crate::interchange::trackers;
use crate::model::hash::CommitHash;
use crate::model::{Code, ExecutionStatus, IssueId, IssueStatus, Solution, StoredStatus, TaskId};
use crate::rules::folder::ExecutionFolder;
use crate::rules::prime::open_tasks;
use crate::rules::{IssueFolder, facts};
use crate::store::{Snapshot, StoreError, records};

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
            let mut progress = progress(&folder, record);
            if let Some(branch) = branch.filter(|branch| branch.lands != id) {
                keep_landed(&mut progress, &folder, branch.has);
            }
            if progress.stage == Stage::Open && progress.done.is_empty() {
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

/// How far an issue has come. Tasks count only if they are those of the plan that was imported.
fn progress(folder: &IssueFolder, record: &Value) -> Progress {
    let issue = folder.issue.record.id.clone();
    let stage = match facts::status(folder) {
        // What the source itself says is over needs no words from here.
        IssueStatus::Closed | IssueStatus::Cancelled if is_over_there(record) => Stage::Open,
        // Nobody did what another issue says as well.
        IssueStatus::Closed if is_duplicate(folder) => Stage::Cancelled,
        IssueStatus::Completed | IssueStatus::Closed => Stage::Done,
        IssueStatus::Cancelled => Stage::Cancelled,
        IssueStatus::Executing => Stage::Working,
        _ => Stage::Open,
    };
    let done = done_tasks(folder, stage, record["name"].as_str().unwrap_or_default());
    Progress { issue, stage, done }
}

/// Whether an issue was over in its source as it was last imported.
fn is_over_there(record: &Value) -> bool {
    let there = trackers::read(record).map(|(_, arrival)| arrival.issue.status);
    matches!(there, Some(StoredStatus::Closed | StoredStatus::Cancelled))
}

/// Leaves only the tasks whose work a branch has.
fn keep_landed(progress: &mut Progress, folder: &IssueFolder, has: &dyn Fn(&CommitHash) -> bool) {
    let work = facts::holder(folder).map(ExecutionFolder::work).unwrap_or_default();
    let is_landed = |task: &String| {
        let mut own =
            work.iter().filter(|commit| commit.link.tasks().any(|id| id.as_str() == task)).peekable();
        own.peek().is_some() && own.all(|commit| has(&commit.link.hash))
    };
    progress.done.retain(is_landed);
    if progress.stage != Stage::Working || progress.done.is_empty() {
        progress.stage = Stage::Open;
        progress.done.clear();
    }
}

/// Whether it was closed as the duplicate of another one.
fn is_duplicate(folder: &IssueFolder) -> bool {
    let reason = folder.issue.record.close_reason.as_deref().unwrap_or_default();
    reason.split(':').next() == Some("duplicate")
}

/// The tasks of the plan that was imported as `name` that are done: all of an issue that is over, and those with work of an
/// execution that continues.
fn done_tasks(folder: &IssueFolder, stage: Stage, name: &str) -> BTreeSet<String> {
    let holder = facts::holder(folder);
    let bound =
        holder.map(|own| &own.execution.solution_id).or(folder.issue.record.bound_solution_id.as_ref());
    let imported = plan_tools::plan_id(&folder.issue.record.id, name).ok();
    let solution = folder.solutions.iter().map(|solution| &solution.record);
    let mut solution = solution.filter(|plan| Some(&plan.id) == bound && imported.as_ref() == Some(&plan.id));
    let Some(plan) = solution.next().map(Solution::typed_plan) else { return BTreeSet::new() };
    let open: Vec<TaskId> = match holder {
        _ if stage == Stage::Done => vec![],
        Some(own) if own.outcome() == ExecutionStatus::Executing => {
            open_tasks(&plan, own).into_iter().map(|task| task.id.clone()).collect()
        }
        _ => return BTreeSet::new(),
    };
    let done = plan.tasks.iter().filter(|task| !open.contains(&task.id));
    done.map(|task| task.id.to_string()).collect()
}

pub(super) fn cannot_read(path: &Path, why: impl std::fmt::Display) -> Refusal {
    Refusal::new(Code::CannotRead, format!("cannot read `{}`: {why}", path.display()))
        .hint("name the project's directory")
}
