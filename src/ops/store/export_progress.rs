//! Writing how far plans have come into the files that they were imported from.

use std::fs;
use std::io::Write;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::export::named;
use crate::interchange::plan_tools::written::WrittenTool;
use crate::model::{Code, Other, RemedyCall};
use crate::ops::plan_progress::{PlanProgress, WrittenPlan, cannot_read};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::store::records;

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
    let place = input.place;
    let PlanProgress { plans, texts, known, has_files, without_file } =
        PlanProgress::read(session.store(), &state, input.tool, place, &ids, None)?;
    if !has_files && !without_file.is_empty() {
        return Err(cannot_read(place, format!("none of its files is one of {}", input.tool.name)));
    }
    let shown = place.display();
    session.notice_all(
        without_file
            .iter()
            .map(|id| Notice::warning(format!("`{id}` is skipped: its file is not in `{shown}`"))),
    );
    // Nothing is written before all can be.
    if !input.dry_run {
        for (path, text) in &texts {
            write(path, &text.whole())?;
        }
    }
    if known == 0 {
        let message = format!("no issue was imported from {}, so there is nothing to write", input.tool.name);
        let import = RemedyCall::new(Other::Help, ["import", input.tool.name]);
        return Err(Refusal::new(Code::Empty, message).remedy(import, "says how to import its plans"));
    }
    Ok(session.done(WrittenPlans { files: plans, dry_run: input.dry_run }, None))
}

/// Replaces a file as a whole, with the mode that it has, or makes it.
fn write(path: &Path, text: &str) -> Result<(), Refusal> {
    replace(path, text).map_err(|error| {
        Refusal::new(Code::CannotWrite, format!("cannot write `{}`: {error}", path.display()))
            .hint("name a directory that you can write to")
    })
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let Ok(known) = fs::metadata(path) else { return fs::write(path, text) };
    let mut new = tempfile::Builder::new().tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(known.permissions())?;
    new.persist(path)?;
    Ok(())
}
