//! Conflicts between items.

use crate::cli::input::fields::FieldArgs;
use crate::cli::input::text::{MessageArgs, trimmed};
use crate::cli::{CliContext, Outcome, named, print, read_text};
use crate::model::{ConflictType, Resolution, Severity};
use crate::ops::queue::{self, ConflictInput, Decision, Declared};
use crate::ops::{Notice, Refusal};

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(mut_arg("message", |arg| arg.help("The reason; repeat for more paragraphs")))]
pub(super) struct Overlaps {
    /// The queue (default: the active queues)
    queue: Option<String>,
    /// Declare a conflict of this type: api, data, dependency, architecture or file
    #[arg(long = "add", value_name = "TYPE", value_parser = parse_type, requires = "items")]
    kind: Option<ConflictType>,
    /// The items, separated by commas
    #[arg(long, value_name = "ITEM", value_delimiter = ',', value_parser = trimmed, requires = "kind")]
    items: Vec<String>,
    /// high, medium or low (default: high for api and data, medium for dependency and file, low for
    /// architecture)
    #[arg(long, value_name = "SEVERITY", requires = "kind")]
    severity: Option<Severity>,
    /// The resolution: sequential, merge, or manual (a person decides first)
    #[arg(long, value_name = "WAY", requires = "kind")]
    resolution: Option<Resolution>,
    /// The order of the items, first to last
    #[arg(long, value_name = "ITEM", value_delimiter = ',', value_parser = trimmed, requires = "kind")]
    order: Vec<String>,
    #[command(flatten)]
    reason: MessageArgs,
    /// The file both plans change
    #[arg(long, value_name = "PATH", requires = "kind")]
    path: Option<String>,
    /// Declare one or several conflicts from a JSON file (`-` for stdin); see `git wf schema
    /// queue-conflict-input`
    #[arg(long, value_name = "FILE", conflicts_with = "kind")]
    from_json: Option<String>,
    #[command(flatten)]
    fields: FieldArgs,
}

fn parse_type(text: &str) -> Result<ConflictType, String> {
    let word = text.strip_suffix("_conflict").unwrap_or(text);
    ConflictType::parse(word).ok_or_else(|| format!("expected one of {}", ConflictType::words()))
}

pub(super) fn overlaps(args: Overlaps, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Overlaps { queue, kind, items, severity, resolution, order, reason, path, from_json, fields } = args;
    context.only(fields);
    let (name, text);
    if kind.is_none() && from_json.is_none() && reason.is_used() {
        return Err(Refusal::usage("a reason is given, but no conflict is declared")
            .hint("`--add TYPE --items A,B` declares one; without it, the conflicts are listed")
            .into());
    }
    let declared = if let Some(path) = &from_json {
        (name, text) = (named(path), read_text(path)?);
        Declared::Json { name: &name, text: &text }
    } else if let Some(kind) = kind {
        Declared::One(Box::new(ConflictInput {
            kind: kind.to_string(),
            severity,
            solutions: items,
            file: path,
            resolution,
            resolution_order: order,
            rationale: reason.said(None)?,
            ..ConflictInput::default()
        }))
    } else {
        let mut done = queue::conflicts(&session, queue.as_deref())?;
        if done.view.is_empty() {
            done.notices
                .push(Notice::note("no two plans of the queue share a file, and no conflict is declared"));
        }
        return context.answer(done, |all, _, screen| print::conflict::table(screen, all));
    };
    let done = queue::declare(&session, queue::DeclareConflicts { declared, queue })?;
    context.answer(done, |all, _, screen| print::conflict::settled(screen, all))
}

#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The reason; repeat for more paragraphs")))]
pub(super) struct Resolve {
    /// The conflict: CFT-1, or QUE-…:CFT-1 if several queues have one with this number
    conflict: String,
    /// The items, first to last, separated by commas
    #[arg(long, value_name = "ITEM", value_delimiter = ',', value_parser = trimmed, required = true)]
    order: Vec<String>,
    /// sequential, or merge (the later item is rebased onto the earlier one)
    #[arg(long, value_name = "WAY", value_parser = parse_way, default_value = "sequential")]
    resolution: Resolution,
    #[command(flatten)]
    reason: MessageArgs,
    /// The queue, if several have a conflict with this number
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
}

fn parse_way(text: &str) -> Result<Resolution, String> {
    match text.parse()? {
        Resolution::Manual => Err("expected sequential or merge".into()),
        way => Ok(way),
    }
}

pub(super) fn resolve(args: Resolve, context: &mut CliContext) -> Outcome {
    let Resolve { conflict, order, resolution, reason, queue } = args;
    let rationale = reason.said(None)?;
    let session = context.session()?;
    let done = queue::resolve(&session, &Decision { conflict, order, resolution, rationale, queue })?;
    context.answer(done, |all, _, screen| print::conflict::settled(screen, all))
}
