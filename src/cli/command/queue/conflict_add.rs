use crate::cli::input::parse_resolution;
use crate::cli::{CliContext, Outcome, named, print, read_text};
use crate::model::queue_conflict::{ConflictType, Resolution, Severity};
use crate::ops::queue::{self, ConflictInput, Declared};

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(group(clap::ArgGroup::new("declared").required(true).args(["kind", "from_json"])))]
pub(super) struct ConflictAddCommand {
    /// The type: api, data, dependency, architecture or file
    #[arg(long = "type", value_name = "TYPE", value_parser = parse_type, requires = "items")]
    kind: Option<ConflictType>,
    /// The items, separated by commas
    #[arg(long, value_name = "ITEM", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    items: Vec<String>,
    /// high, medium or low (default: high for api and data, medium for dependency and file, low for
    /// architecture)
    #[arg(long, value_name = "SEVERITY", value_parser = parse_severity)]
    severity: Option<Severity>,
    /// The resolution: sequential, merge, or manual (a person decides first)
    #[arg(long, value_name = "WAY", value_parser = parse_resolution)]
    resolution: Option<Resolution>,
    /// The order of the items, first to last
    #[arg(long, value_name = "ITEM", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    order: Vec<String>,
    /// The reason
    #[arg(long, value_name = "TEXT")]
    rationale: Option<String>,
    /// The file both plans change
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Read one or several conflicts from a JSON file (`-` for stdin); see `git wf schema
    /// queue-conflict-input`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["items", "severity", "resolution", "order", "rationale", "file"])]
    from_json: Option<String>,
    /// The queue, if an item is in several
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
}

fn parse_type(text: &str) -> Result<ConflictType, String> {
    let word = text.strip_suffix("_conflict").unwrap_or(text);
    ConflictType::parse(word).ok_or_else(|| format!("expected one of {}", ConflictType::words()))
}

fn parse_severity(text: &str) -> Result<Severity, String> {
    Severity::parse(text).ok_or_else(|| format!("expected one of {}", Severity::words()))
}

pub(super) fn add(args: ConflictAddCommand, context: &mut CliContext) -> Outcome {
    let ConflictAddCommand { kind, items, severity, resolution, order, rationale, file, from_json, queue } =
        args;
    let session = context.session()?;
    let (name, text);
    let declared = match &from_json {
        Some(path) => {
            (name, text) = (named(path), read_text(path)?);
            Declared::Json { name: &name, text: &text }
        }
        None => Declared::One(Box::new(ConflictInput {
            kind: kind.map(|kind| kind.to_string()).unwrap_or_default(),
            severity,
            solutions: items,
            file,
            resolution,
            resolution_order: order,
            rationale,
            ..ConflictInput::default()
        })),
    };
    let done = queue::declare(&session, queue::DeclareConflicts { declared, queue })?;
    context.answer(done, |all, _, screen| print::conflict::settled(screen, all))
}
