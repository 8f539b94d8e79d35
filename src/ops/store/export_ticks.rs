//! Ticking the boxes of what was done in the files that plans were imported from.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::export::named;
use crate::interchange::plan_tools;
use crate::interchange::plan_tools::ticks::{TickedFile, TickedText, TickedTool};
use crate::model::code::Code;
use crate::model::id::IssueId;
use crate::model::op::Other;
use crate::model::remedy::RemedyCall;
use crate::model::status::{ExecutionStatus, IssueStatus};
use crate::model::task_id::TaskId;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::rules::prime::open_tasks;
use crate::store::{Snapshot, StoreError, records};

/// Where to tick boxes.
pub(crate) struct ExportTicks<'a> {
    /// The tool.
    pub(crate) tool: &'static TickedTool,
    /// The project's directory, or the tool's.
    pub(crate) folder: &'a Path,
    /// Only these issues; all of the tool if none is named.
    pub(crate) issues: &'a [String],
    /// Write nothing.
    pub(crate) dry_run: bool,
}

/// A file in which boxes were ticked, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TickedPlan {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The file.
    pub(crate) path: String,
    /// How many boxes were ticked.
    pub(crate) ticked: usize,
    /// The tasks that are done, but whose boxes are not there any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<String>,
}

/// What an export of ticks did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TickedPlans {
    /// The files that changed, or of which a box is missing.
    pub(crate) files: Vec<TickedPlan>,
    /// Whether nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) dry_run: bool,
}

/// Ticks the boxes of tasks that are done; no other byte of a file changes, and no box is cleared.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `empty` if no issue was imported from this tool; `cannot-read`, `cannot-write`.
pub(crate) fn export_ticks(session: &Session, input: &ExportTicks<'_>) -> Answer<TickedPlans> {
    let state = session.store().snapshot()?;
    let ids =
        if input.issues.is_empty() { records::issue_ids(&state)? } else { named(&state, input.issues)? };
    let (mut files, mut known) = (Vec::new(), 0);
    for id in ids {
        let Some((folder, file)) = of_tool(&state, &id, input.tool)? else { continue };
        known += 1;
        let done = done_tasks(&folder);
        if done.is_empty() {
            continue;
        }
        let Some((path, text)) = read(input.folder, &file)? else {
            let place = file.places.first().map(String::as_str).unwrap_or_default();
            session.notice(Notice::warning(format!("`{id}` is skipped: there is no file `{place}`")));
            continue;
        };
        let TickedText { text: now, ticked, missing } = file.ticked(&text, &done);
        if ticked > 0 && !input.dry_run {
            write(&path, &now)?;
        }
        if ticked > 0 || !missing.is_empty() {
            files.push(TickedPlan {
                issue_id: id,
                path: path.to_string_lossy().into_owned(),
                ticked,
                missing,
            });
        }
    }
    if known == 0 {
        let message = format!("no issue was imported from {}, so there is nothing to tick", input.tool.name);
        let import = RemedyCall::new(Other::Help, ["import", input.tool.name]);
        return Err(Refusal::new(Code::Empty, message).remedy(import, "says how to import its plans"));
    }
    Ok(session.done(TickedPlans { files, dry_run: input.dry_run }, None))
}

/// An issue that came from the tool, and the file with its boxes.
fn of_tool(
    state: &Snapshot<'_>,
    id: &IssueId,
    tool: &TickedTool,
) -> Result<Option<(IssueFolder, TickedFile)>, StoreError> {
    let Ok(Some(outline)) = records::outline(state, id) else { return Ok(None) };
    let Some(file) = outline.issue.record.imported.as_ref().and_then(tool.find) else { return Ok(None) };
    Ok(records::issue(state, id)?.map(|folder| (folder, file)))
}

/// The tasks that are done: all of an issue that is over, and those with work of an execution that goes on.
fn done_tasks(folder: &IssueFolder) -> BTreeSet<String> {
    let holder = facts::holder(folder);
    let bound = holder.map(|it| &it.execution.solution_id).or(folder.issue.record.bound_solution_id.as_ref());
    let solution = folder.solutions.iter().find(|it| Some(&it.record.id) == bound);
    let Some(plan) = solution.map(|it| it.record.typed_plan()) else { return BTreeSet::new() };
    let is_over = matches!(facts::status(folder), IssueStatus::Completed | IssueStatus::Closed);
    let open: Vec<TaskId> = match holder {
        _ if is_over => vec![],
        Some(own) if own.outcome() == ExecutionStatus::Executing => {
            open_tasks(&plan, own).into_iter().map(|task| task.id.clone()).collect()
        }
        _ => return BTreeSet::new(),
    };
    let done = plan.tasks.iter().filter(|task| !open.contains(&task.id));
    done.map(|task| task.id.to_string()).collect()
}

/// The first of its places where there is a file.
fn read(folder: &Path, file: &TickedFile) -> Result<Option<(PathBuf, String)>, Refusal> {
    for place in &file.places {
        let path = folder.join(place);
        match plan_tools::text_of(&path) {
            Ok(Some((text, _))) => return Ok(Some((path, text))),
            Ok(None) => {}
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.display());
                return Err(Refusal::new(Code::CannotRead, message).hint("name the project's directory"));
            }
        }
    }
    Ok(None)
}

/// Replaces a file as a whole, with the mode that it has.
fn write(path: &Path, text: &str) -> Result<(), Refusal> {
    let replace = || {
        let mode = fs::metadata(path)?.permissions();
        let mut new = tempfile::Builder::new().tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
        new.write_all(text.as_bytes())?;
        new.as_file().set_permissions(mode)?;
        new.persist(path).map(drop).map_err(|error| error.error)
    };
    replace().map_err(|error: std::io::Error| {
        Refusal::new(Code::CannotWrite, format!("cannot write `{}`: {error}", path.display()))
            .hint("name a directory that you can write to")
    })
}
