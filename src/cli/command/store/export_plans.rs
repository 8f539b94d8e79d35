//! Writes progress back into the files of plan tools.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::{CliContext, Outcome};
use crate::interchange::plan_tools::written::WrittenTool;
use crate::ops::store::{self, ExportProgress, WrittenPlan};
use crate::ui::text::count;

#[derive(Debug, clap::Args)]
pub(super) struct Written {
    /// The directory of the project or of the tool
    #[arg(value_name = "DIR")]
    place: PathBuf,
    /// Only this issue; repeat for several
    #[arg(long = "issue", value_name = "ISSUE")]
    issues: Vec<String>,
    /// Show what would change, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// Writes how far plans have come into the files of a tool.
pub(super) fn write_back(tool: &'static WrittenTool, args: &Written, context: &mut CliContext) -> Outcome {
    let Written { place, issues, dry_run } = args;
    let session = context.session()?;
    let input = ExportProgress { tool, place, issues, dry_run: *dry_run };
    let done = store::export_progress(&session, &input)?;
    context.answer(done, |view, _, screen| {
        if view.files.is_empty() {
            writeln!(screen, "nothing to change")?;
        }
        let would = if view.dry_run { "would update" } else { "updated" };
        for WrittenPlan { issue_id, path, changes, missing } in &view.files {
            if *changes > 0 {
                writeln!(screen, "{would} {issue_id} in {path}: {}", count(*changes, "change"))?;
            }
            if !missing.is_empty() {
                writeln!(screen, "{path} no longer has a place for {} of {issue_id}", missing.join(", "))?;
            }
        }
        Ok(())
    })
}
