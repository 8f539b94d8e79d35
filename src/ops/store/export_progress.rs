//! Writing how far plans have come into the files that they were imported from.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::export::named;
use crate::interchange::plan_tools;
use crate::interchange::plan_tools::written::{Progress, Stage, WrittenText, WrittenTool};
use crate::model::code::Code;
use crate::model::id::IssueId;
use crate::model::op::Other;
use crate::model::remedy::RemedyCall;
use crate::model::solution::Solution;
use crate::model::status::{ExecutionStatus, IssueStatus};
use crate::model::task_id::TaskId;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::rules::prime::open_tasks;
use crate::store::{Snapshot, StoreError, records};

/// Where to write progress.
pub(crate) struct ExportProgress<'a> {
    /// The tool.
    pub(crate) tool: &'static WrittenTool,
    /// The project's directory, or the tool's; for a tool with one file, also that.
    pub(crate) place: &'a Path,
    /// Only these issues; all of the tool if none is named.
    pub(crate) issues: &'a [String],
    /// Write nothing.
    pub(crate) dry_run: bool,
}

/// A file that changed, or would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WrittenPlan {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The file.
    pub(crate) path: String,
    /// How many boxes were ticked and statuses set.
    pub(crate) changes: usize,
    /// The tasks that are done, but that the file does not have any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<String>,
}

/// What an export of progress did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WrittenPlans {
    /// The files that changed, or that have no place for a task.
    pub(crate) files: Vec<WrittenPlan>,
    /// Whether nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) dry_run: bool,
}

/// Ticks the boxes and sets the statuses of what is done; no other byte of a file changes, and nothing becomes open again.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `empty` if no issue was imported from this tool; `cannot-read`, `cannot-write`.
pub(crate) fn export_progress(session: &Session, input: &ExportProgress<'_>) -> Answer<WrittenPlans> {
    let state = session.store().snapshot()?;
    let ids =
        if input.issues.is_empty() { records::issue_ids(&state)? } else { named(&state, input.issues)? };
    if !input.place.exists() {
        return Err(cannot_read(input.place, "there is nothing"));
    }
    let mut texts: BTreeMap<PathBuf, ReadText> = BTreeMap::new();
    let (mut files, mut known, mut skipped) = (Vec::new(), 0, Vec::new());
    for id in ids {
        let Some(folder) = of_tool(&state, &id, input.tool)? else { continue };
        known += 1;
        let Some(record) = &folder.issue.record.imported else { continue };
        let progress = progress(&folder, record);
        if progress.stage == Stage::Open && progress.done.is_empty() {
            continue;
        }
        let place = input.place;
        let found = (input.tool.find)(place, record).map_err(|error| cannot_read(place, error))?;
        let Some(path) = found.filter(|path| is_inside(place, path)) else {
            skipped.push(id);
            continue;
        };
        let text = match texts.entry(path.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(ReadText::read(&path)?),
        };
        let written =
            (input.tool.write)(&text.now, record, &progress).map_err(|why| cannot_read(&path, why))?;
        let WrittenText { text: now, changes, missing } = written;
        text.now = now;
        if changes > 0 || !missing.is_empty() {
            let path = path.to_string_lossy().into_owned();
            files.push(WrittenPlan { issue_id: id, path, changes, missing });
        }
    }
    if texts.is_empty() && !skipped.is_empty() {
        return Err(cannot_read(input.place, format!("none of its files is one of {}", input.tool.name)));
    }
    let place = input.place.display();
    session.notice_all(
        skipped.iter().map(|id| Notice::warning(format!("`{id}` is skipped: its file is not in `{place}`"))),
    );
    // Nothing is written before all can be.
    for (path, text) in texts.iter().filter(|(_, text)| text.now != text.before && !input.dry_run) {
        write(path, &text.whole())?;
    }
    if known == 0 {
        let message = format!("no issue was imported from {}, so there is nothing to write", input.tool.name);
        let import = RemedyCall::new(Other::Help, ["import", input.tool.name]);
        return Err(Refusal::new(Code::Empty, message).remedy(import, "says how to import its plans"));
    }
    Ok(session.done(WrittenPlans { files, dry_run: input.dry_run }, None))
}

/// A file that is being changed.
struct ReadText {
    /// Whether it begins with a byte order mark, which stays. The texts are without it.
    is_marked: bool,
    before: String,
    now: String,
}

impl ReadText {
    fn read(path: &Path) -> Result<Self, Refusal> {
        let text = plan_tools::whole_text_of(path).map_err(|error| cannot_read(path, error))?;
        let Some((mut text, _)) = text else { return Err(cannot_read(path, "it is not a regular file")) };
        let is_marked = text.starts_with(plan_tools::BYTE_ORDER_MARK);
        if is_marked {
            text.remove(0);
        }
        Ok(Self { is_marked, now: text.clone(), before: text })
    }

    /// The text as it is written.
    fn whole(&self) -> String {
        if self.is_marked { format!("{}{}", plan_tools::BYTE_ORDER_MARK, self.now) } else { self.now.clone() }
    }
}

/// Whether a file stays below the directory that was named, also where that has links.
fn is_inside(place: &Path, file: &Path) -> bool {
    let Ok(place) = place.canonicalize() else { return false };
    file.canonicalize().is_ok_and(|file| file.starts_with(place))
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

/// Whether it was closed as the duplicate of another one.
fn is_duplicate(folder: &IssueFolder) -> bool {
    let reason = folder.issue.record.close_reason.as_deref().unwrap_or_default();
    reason.split(':').next() == Some("duplicate")
}

/// The tasks of the plan that was imported as `name` that are done: all of an issue that is over, and those with work of an
/// execution that goes on.
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

fn cannot_read(path: &Path, why: impl std::fmt::Display) -> Refusal {
    Refusal::new(Code::CannotRead, format!("cannot read `{}`: {why}", path.display()))
        .hint("name the project's directory")
}

/// Replaces a file as a whole, with the mode that it has.
fn write(path: &Path, text: &str) -> Result<(), Refusal> {
    replace(path, text).map_err(|error| {
        Refusal::new(Code::CannotWrite, format!("cannot write `{}`: {error}", path.display()))
            .hint("name a directory that you can write to")
    })
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mode = fs::metadata(path)?.permissions();
    let mut new = tempfile::Builder::new().tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(mode)?;
    new.persist(path)?;
    Ok(())
}
