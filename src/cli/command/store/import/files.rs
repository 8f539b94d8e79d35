//! Imports from the files of plan tools, and from tables.

use std::path::PathBuf;

use super::{How, SelectionArgs, bytes_of, from_tracker, unread};
use crate::cli::{CliContext, Failure, Outcome, named};
use crate::interchange::plan_tools::{self, PlanTool};
use crate::interchange::table::{MappedColumn, TABLE, TableField, TablePreset, TableRows};
use crate::model::{Code, Op};
use crate::ops::Refusal;
use crate::ops::store::{self, Import};

#[derive(Debug, clap::Args)]
pub(super) struct Plans {
    /// The directory of the project or of the tool (default: the current one)
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    place: PathBuf,
    #[command(flatten)]
    which: SelectionArgs,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, clap::Args)]
pub(super) struct Table {
    /// The table; its first line names the columns (`-` for stdin)
    file: String,
    /// The column of a field (id, title, description, status, priority, type, tags, assignee, author, created_at,
    /// updated_at, closed_at, url); repeat for several
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = parse_column)]
    map: Vec<MappedColumn>,
    /// The tracker that wrote the table (default: recognized from its columns)
    #[arg(long, value_name = "gitlab|jira")]
    preset: Option<TablePreset>,
    #[command(flatten)]
    which: SelectionArgs,
    #[command(flatten)]
    how: How,
}

fn parse_column(text: &str) -> Result<MappedColumn, String> {
    let (field, column) = text.split_once('=').ok_or("expected FIELD=COLUMN, such as title=Summary")?;
    let field = TableField::parse(field.trim())
        .ok_or_else(|| format!("`{field}` is not a field; expected one of {}", TableField::words()))?;
    Ok(MappedColumn { field, column: column.trim().to_owned() })
}

/// Imports what a plan tool keeps below a directory.
pub(super) fn plans(context: &mut CliContext, plans: Plans, tool: &PlanTool) -> Outcome {
    let Plans { place, which, how } = plans;
    let name = place.to_string_lossy().into_owned();
    std::fs::metadata(&place).map_err(|error| unread(&name, &error, tool.tracker.hint))?;
    let found = (tool.open)(&place).map_err(|error| {
        Failure::from(Refusal::new(Code::CannotRead, error.to_string()).hint(tool.tracker.hint))
    })?;
    let mut found = found.ok_or_else(|| {
        let message = format!("`{name}` contains no plans of {}", tool.tracker.name);
        Refusal::new(Code::CannotRead, message).hint(tool.tracker.hint)
    })?;
    from_tracker(context, (which, how), |session, how| {
        let name = &format!("`{name}`");
        store::settle_names(session, tool, &mut found)?;
        let import = Import { op: tool.op, tracker: tool.tracker, name, records: &mut found, how };
        Ok(store::import(session, import))
    })
}

/// Imports a table.
pub(super) fn table(context: &mut CliContext, table: Table) -> Outcome {
    let Table { file, map, preset, which, how } = table;
    let bytes = bytes_of(&file).map_err(|error| unread(&file, &error, TABLE.hint))?;
    let rows = TableRows::read(&bytes[..], preset, &map).map_err(|why| {
        let message = format!("{} cannot be read as a table: {why}", named(&file));
        Failure::from(Refusal::new(Code::CannotRead, message).hint(TABLE.hint))
    });
    let mut rows = rows?;
    if how.dry_run {
        rows.preview();
    }
    // What is piped is as new as can be.
    let dated = std::fs::metadata(&file).ok().as_ref().and_then(plan_tools::modified);
    from_tracker(context, (which, how), |session, how| {
        rows.date(dated.map_or_else(|| session.now(), Ok)?);
        let (op, tracker, name) = (Op::ImportCsv, &TABLE, &named(&file));
        Ok(store::import(session, Import { op, tracker, name, records: &mut rows, how }))
    })
}
