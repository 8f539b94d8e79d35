//! Conflicts between items that do not follow from the files of plans: told by hand, or by a planner.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::conflict::report;
use crate::cli::input::text as text_input;
use crate::cli::{Context, Failure, Outcome, named, read_text, strict_fault};
use crate::model::id::{QueueId, SolutionId};
use crate::model::queue_conflict::{ConflictType, QueueConflict, Resolution, Severity};
use crate::model::record::entry_at;
use crate::model::repo_path::RepoPath;
use crate::model::{strict, typed};
use crate::ops::queue::{World, item};
use crate::rules::queue_conflicts::{Subject, standing};
use crate::store::{Store, Tx, one_line, records, resolve};

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(group(clap::ArgGroup::new("told").required(true).args(["kind", "from_json"])))]
pub(super) struct Add {
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
    ConflictType::parse(word).ok_or_else(|| format!("allowed are {}", ConflictType::words()))
}

fn parse_severity(text: &str) -> Result<Severity, String> {
    Severity::parse(text).ok_or_else(|| format!("allowed are {}", Severity::words()))
}

pub(super) fn parse_resolution(text: &str) -> Result<Resolution, String> {
    Resolution::parse(text).ok_or_else(|| format!("allowed are {}", Resolution::words()))
}

/// A conflict as a planner tells it. What is not named here is not kept, and named in a warning.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ConflictInput {
    /// file, api, data, dependency or architecture; `_conflict` may stand behind it.
    #[serde(rename = "type")]
    kind: String,
    /// high, medium or low; by the type where it is left out.
    #[serde(default)]
    severity: Option<Severity>,
    /// The plans, by the ids of plans, issues or items of one queue.
    #[serde(alias = "items")]
    #[schemars(length(min = 2))]
    solutions: Vec<String>,
    /// The file, where it is over one.
    #[serde(default)]
    file: Option<String>,
    /// sequential where it is left out.
    #[serde(default)]
    resolution: Option<Resolution>,
    /// The plans, first to last.
    #[serde(default)]
    resolution_order: Vec<String>,
    /// The reason.
    #[serde(default)]
    rationale: Option<String>,
    /// False: a person shall decide, whatever order is given.
    #[serde(default)]
    resolved: Option<bool>,
    #[serde(flatten)]
    #[schemars(skip)]
    rest: Map<String, Value>,
}

pub(super) fn add(args: Add, context: &mut Context) -> Outcome {
    let queue = args.queue.clone();
    let inputs = match &args.from_json {
        Some(path) => inputs(path, context)?,
        None => vec![ConflictInput {
            kind: args.kind.map(|kind| kind.to_string()).unwrap_or_default(),
            severity: args.severity,
            solutions: args.items,
            file: args.file,
            resolution: args.resolution,
            resolution_order: args.order,
            rationale: args.rationale,
            ..ConflictInput::default()
        }],
    };
    let store = context.store()?;
    store.snapshot()?;
    let committed = context.transact(&store, |tx| {
        let mut told = Vec::new();
        for (n, input) in inputs.iter().enumerate() {
            let place = if inputs.len() > 1 { format!("conflict {}: ", n + 1) } else { String::new() };
            let (queue, conflict) = read(&store, tx, input, queue.as_deref(), &place)?;
            let (name, is_new) = tell(tx, &queue, &conflict)?;
            told.push(Declared { queue, name, is_new });
        }
        let queues: BTreeSet<&str> = told.iter().map(|it| it.queue.as_str()).collect();
        let queues = queues.into_iter().collect::<Vec<_>>().join(", ");
        let count = crate::ui::text::count(told.len(), "conflict");
        tx.describe("queue conflict add", format!("queue: tell {count} of {queues}"));
        Ok(told)
    })?;
    let views = World::after(&store)?.views();
    for it in committed.answer.iter().filter(|it| !it.is_new) {
        context.warn(&format!(
            "this conflict is already declared as {0}; nothing changed, and `git wf queue resolve {0}` decides it",
            it.name
        ));
    }
    let names: Vec<(QueueId, String)> = committed.answer.into_iter().map(|it| (it.queue, it.name)).collect();
    report(&views, &names, context)
}

/// A conflict that was declared now or before.
struct Declared {
    queue: QueueId,
    name: String,
    is_new: bool,
}

/// One object, a list of them, or `{"conflicts": […]}`.
fn inputs(path: &str, context: &Context) -> Result<Vec<ConflictInput>, Failure> {
    let text = read_text(path)?;
    let wrong = |why: String| {
        Failure::new("invalid-json", format!("{} holds no conflicts: {why}", named(path)))
            .hint("`git wf schema queue-conflict-input` prints what is allowed")
    };
    let mut value = strict::parse_text(&text).map_err(|fault| wrong(strict_fault(&fault)))?;
    if let Some(inner) = value.get_mut("conflicts") {
        value = inner.take();
    }
    let list = match value {
        Value::Array(list) => list,
        one => vec![one],
    };
    if list.is_empty() {
        return Err(Failure::nothing("there is no conflict in it").hint("an empty list declares nothing"));
    }
    let mut found = Vec::new();
    for (n, one) in list.into_iter().enumerate() {
        let input: ConflictInput =
            typed::read(&one).map_err(|error| wrong(format!("conflict {}: {error}", n + 1)))?;
        if !input.rest.is_empty() {
            let names: Vec<&str> = input.rest.keys().map(String::as_str).collect();
            context.warn(&format!("conflict {}: not kept: {}", n + 1, names.join(", ")));
        }
        found.push(input);
    }
    Ok(found)
}

/// Plans that are named, in one queue; `queue` is set to it.
fn plans(
    store: &Store,
    tx: &Tx<'_>,
    texts: &[String],
    queue: &mut Option<QueueId>,
) -> Result<Vec<SolutionId>, Failure> {
    let mut found: Vec<SolutionId> = Vec::new();
    for text in texts {
        let (of, item) = match &queue {
            Some(queue) if !text.contains(':') => resolve::item(tx, &format!("{queue}:{text}"))?,
            _ => item(store, tx, text)?,
        };
        if let Some(queue) = queue.as_ref().filter(|queue| **queue != of) {
            return Err(Failure::new(
                "other-queue",
                format!("`{text}` is an item of `{of}`, not of `{queue}`"),
            )
            .hint("`git wf queue merge` makes one queue of two"));
        }
        *queue = Some(of);
        if !found.contains(&item.solution_id) {
            found.push(item.solution_id);
        }
    }
    Ok(found)
}

fn read(
    store: &Store,
    tx: &Tx<'_>,
    input: &ConflictInput,
    queue: Option<&str>,
    place: &str,
) -> Result<(QueueId, QueueConflict), Failure> {
    let wrong = |why: String| {
        Failure::new("invalid-conflict", format!("{place}{why}"))
            .hint("`git wf queue conflict add --help` shows what is needed")
    };
    let kind =
        parse_type(&input.kind).map_err(|why| wrong(format!("`{}` is not a type: {why}", input.kind)))?;
    let mut queue = queue.map(|text| resolve::queue(tx, text)).transpose()?;
    let mut solutions = plans(store, tx, &input.solutions, &mut queue)?;
    let Some(queue_id) = queue.clone().filter(|_| solutions.len() >= 2) else {
        return Err(wrong("a conflict is between two items or more".into()));
    };
    let order = plans(store, tx, &input.resolution_order, &mut queue)?;
    let is_whole = order.len() == solutions.len() && order.iter().all(|id| solutions.contains(id));
    if !order.is_empty() && !is_whole {
        return Err(wrong("the order names each item of the conflict once, and no other".into()));
    }
    let file = input.file.as_deref().map(one_line).filter(|file| !file.is_empty());
    let file = match (kind, file) {
        (ConflictType::File, None) => return Err(wrong("a conflict of the type file names the file".into())),
        (ConflictType::File, Some(file)) => {
            let path =
                RepoPath::parse(&file).map_err(|fault| wrong(format!("file `{file}`: expected {fault}")))?;
            Some(path.to_string())
        }
        (_, file) => file,
    };
    let severity = input.severity.unwrap_or(kind.severity());
    let resolution = match input.resolved {
        Some(false) => Resolution::Manual,
        Some(true) if severity == Severity::High && order.is_empty() => {
            return Err(wrong("it is marked as resolved, but has no order".into()));
        }
        _ => input.resolution.unwrap_or(Resolution::Sequential),
    };
    solutions.sort();
    let rationale = rationale(input.rationale.as_deref())?;
    // It gets its place among the others when it is told.
    let conflict = entry_at(&tx.stamper().fresh(), |id| QueueConflict {
        id,
        kind,
        severity,
        solutions,
        file,
        resolution,
        resolution_order: order,
        rationale,
        resolves: None,
        author: tx.person().to_owned(),
        created_at: tx.stamper().now(),
    });
    Ok((queue_id, conflict))
}

/// A rationale that says something, and not too much.
pub(super) fn rationale(text: Option<&str>) -> Result<Option<String>, Failure> {
    let text = text.map(text_input::checked).transpose()?;
    Ok(text.filter(|text| !text.trim().is_empty()))
}

/// Declares it, unless it is declared already. Answers with how it is called, and whether that is new.
fn tell(tx: &mut Tx<'_>, queue: &QueueId, conflict: &QueueConflict) -> Result<(String, bool), Failure> {
    let told = records::queue_alone(tx, queue)?.map(|folder| folder.conflicts).unwrap_or_default();
    let standing = standing(&told);
    // Whether it was decided since or not: what changes how it is dealt with is a decision.
    let known = standing.iter().find(|it| Subject::of(it.told) == Subject::of(conflict));
    if let Some(known) = known {
        return Ok((known.name(), false));
    }
    tx.tell_conflict(queue, |id| QueueConflict { id, ..conflict.clone() })?;
    Ok((format!("CFT-{}", standing.len() + 1), true))
}
