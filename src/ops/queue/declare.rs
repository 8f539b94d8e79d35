//! Declares conflicts between items that shared files do not reveal; by hand or by a planner.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::conflicts::{ConflictAnswer, named};
use super::{QueueWorld, item};
use crate::model::strict::{self, strict_fault};
use crate::model::{
    Code, ConflictType, Op, Other, QueueConflict, QueueId, RemedyCall, RepoPath, Resolution, Severity,
    SolutionId, count, entry_at, typed,
};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::limits;
use crate::rules::queue_conflicts::{Subject, standing};
use crate::store::{Store, Tx, one_line, records, resolve};

/// A conflict as a planner declares it. Unknown fields are dropped, with a warning.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ConflictInput {
    /// file, api, data, dependency or architecture; a suffix `_conflict` is ignored.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// high, medium or low (default: by type).
    #[serde(default)]
    pub(crate) severity: Option<Severity>,
    /// The plans, by the ids of plans, issues or items of one queue.
    #[serde(alias = "items")]
    #[schemars(length(min = 2))]
    pub(crate) solutions: Vec<String>,
    /// The file, if the conflict is about one.
    #[serde(default)]
    pub(crate) file: Option<String>,
    /// The resolution (default: sequential).
    #[serde(default)]
    pub(crate) resolution: Option<Resolution>,
    /// The plans, first to last.
    #[serde(default)]
    pub(crate) resolution_order: Vec<String>,
    /// The reason.
    #[serde(default)]
    pub(crate) rationale: Option<String>,
    /// If false, a person must decide, whatever order is given.
    #[serde(default)]
    pub(crate) resolved: Option<bool>,
    /// Unknown fields.
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) rest: Map<String, Value>,
}

/// Conflicts to declare.
#[derive(Debug)]
pub(crate) struct DeclareConflicts<'t> {
    /// The conflicts.
    pub(crate) declared: Declared<'t>,
    /// The queue of those that name none; by default the one that has their plans.
    pub(crate) queue: Option<String>,
}

/// The declaration.
#[derive(Debug)]
pub(crate) enum Declared<'t> {
    /// A single conflict.
    One(Box<ConflictInput>),
    /// JSON: one object, a list of them, or `{"conflicts": […]}`.
    Json {
        /// What messages call the document.
        name: &'t str,
        /// The document.
        text: &'t str,
    },
}

/// Declares conflicts, all or none. A conflict that is already declared does not change.
///
/// # Errors
/// `invalid-json`, `invalid-conflict`, `other-queue`, `not-found`, `ambiguous-id`; nothing to do for an empty list.
pub(crate) fn declare(
    session: &Session,
    DeclareConflicts { declared, queue }: DeclareConflicts<'_>,
) -> Answer<Vec<ConflictAnswer>> {
    let permit = session.permit(Op::QueueConflictAdd)?;
    let inputs = match declared {
        Declared::One(input) => vec![*input],
        Declared::Json { name, text } => inputs(session, name, text)?,
    };
    let store = session.store();
    store.snapshot()?;
    let committed = session.transact(permit, |tx| {
        let mut declared = Vec::new();
        for (n, input) in inputs.iter().enumerate() {
            let place = if inputs.len() > 1 { format!("conflict {}: ", n + 1) } else { String::new() };
            let (queue, conflict) = read(store, tx, input, queue.as_deref(), &place)?;
            let (name, is_new) = declare_once(tx, &queue, &conflict)?;
            declared.push((queue, name, is_new));
        }
        let queues: BTreeSet<&str> = declared.iter().map(|(queue, ..)| queue.as_str()).collect();
        let queues = queues.into_iter().collect::<Vec<_>>().join(", ");
        let conflicts = count(declared.len(), "conflict");
        tx.describe(format!("queue: declare {conflicts} in {queues}"));
        Ok(declared)
    })?;
    let views = QueueWorld::after(session)?.views();
    for (_, name, _) in committed.answer.iter().filter(|(.., is_new)| !is_new) {
        session.notice(
            Notice::warning(format!("this conflict is already declared as {name}; nothing changed"))
                .remedy(RemedyCall::new(Op::QueueResolve, [name]).option("order", "ITEM,ITEM"), "decides it"),
        );
    }
    let names: Vec<(QueueId, String)> =
        committed.answer.into_iter().map(|(queue, name, _)| (queue, name)).collect();
    Ok(session.done(named(&views, &names), committed.commit))
}

/// One object, a list of them, or `{"conflicts": […]}`.
fn inputs(session: &Session, name: &str, text: &str) -> Result<Vec<ConflictInput>, Refusal> {
    let wrong = |why: String| {
        Refusal::new(Code::InvalidJson, format!("{name} holds no conflicts: {why}"))
            .remedy(RemedyCall::new(Other::Schema, ["queue-conflict-input"]), "prints what is allowed")
    };
    let mut value = strict::parse_text(text).map_err(|fault| wrong(strict_fault(&fault)))?;
    if let Some(inner) = value.get_mut("conflicts") {
        value = inner.take();
    }
    let list = match value {
        Value::Array(list) => list,
        one => vec![one],
    };
    if list.is_empty() {
        return Err(Refusal::nothing("the input declares no conflict")
            .hint("give a conflict as a JSON object, or a list of them")
            .remedy(RemedyCall::new(Other::Schema, ["queue-conflict-input"]).flag("example"), "shows one"));
    }
    let mut found = Vec::new();
    for (n, one) in list.into_iter().enumerate() {
        let input: ConflictInput =
            typed::read(&one).map_err(|error| wrong(format!("conflict {}: {error}", n + 1)))?;
        if !input.rest.is_empty() {
            let names: Vec<&str> = input.rest.keys().map(String::as_str).collect();
            session.notice(Notice::warning(format!(
                "conflict {}: ignored unknown fields: {}",
                n + 1,
                names.join(", ")
            )));
        }
        found.push(input);
    }
    Ok(found)
}

/// The named plans, which must be in one queue; sets `queue` to it.
fn plans(
    store: &Store,
    tx: &Tx<'_>,
    texts: &[String],
    queue: &mut Option<QueueId>,
) -> Result<Vec<SolutionId>, Refusal> {
    let mut found: Vec<SolutionId> = Vec::new();
    for text in texts {
        let (of, item) = match &queue {
            Some(queue) if !text.contains(':') => resolve::item(tx, &format!("{queue}:{text}"))?,
            _ => item(store, tx, text)?,
        };
        if let Some(queue) = queue.as_ref().filter(|queue| **queue != of) {
            let message = format!("`{text}` is an item of `{of}`, not of `{queue}`");
            return Err(Refusal::new(Code::OtherQueue, message)
                .remedy(RemedyCall::new(Op::QueueMerge, ["QUEUE", "INTO"]), "merges two queues"));
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
) -> Result<(QueueId, QueueConflict), Refusal> {
    let wrong = |why: String| {
        Refusal::new(Code::InvalidConflict, format!("{place}{why}"))
            .remedy(RemedyCall::new(Other::Help, ["queue", "overlaps"]), "shows what is needed")
    };
    let word = input.kind.strip_suffix("_conflict").unwrap_or(&input.kind);
    let Some(kind) = ConflictType::parse(word) else {
        return Err(wrong(format!(
            "`{}` is not a type: expected one of {}",
            input.kind,
            ConflictType::words()
        )));
    };
    let mut queue = queue.map(|text| resolve::queue(tx, text)).transpose()?;
    let mut solutions = plans(store, tx, &input.solutions, &mut queue)?;
    let queue_id = match &queue {
        Some(queue) if solutions.len() >= 2 => queue.clone(),
        _ => return Err(wrong("a conflict needs two or more items".into())),
    };
    let order = plans(store, tx, &input.resolution_order, &mut queue)?;
    let is_whole = order.len() == solutions.len() && order.iter().all(|id| solutions.contains(id));
    if !order.is_empty() && !is_whole {
        return Err(wrong("the order must name each item of the conflict once, and no other item".into()));
    }
    let file = file(kind, input).map_err(wrong)?;
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
    // It gets its final position when it is appended.
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

/// The file of a conflict, or what is wrong with it.
fn file(kind: ConflictType, input: &ConflictInput) -> Result<Option<String>, String> {
    let file = input.file.as_deref().map(one_line).filter(|file| !file.is_empty());
    if kind != ConflictType::File {
        return Ok(file);
    }
    let file = file.ok_or("a conflict of type file must name the file")?;
    let path = RepoPath::parse(&file).map_err(|fault| format!("file `{file}`: expected {fault}"))?;
    Ok(Some(path.to_string()))
}

/// A rationale with text in it, within the size limit.
pub(super) fn rationale(text: Option<&str>) -> Result<Option<String>, Refusal> {
    let text = text.map(limits::text).transpose()?;
    Ok(text.filter(|text| !text.trim().is_empty()))
}

/// Declares the conflict unless it is already declared. Returns its name, and whether it is new.
fn declare_once(
    tx: &mut Tx<'_>,
    queue: &QueueId,
    conflict: &QueueConflict,
) -> Result<(String, bool), Refusal> {
    let declared = records::queue_alone(tx, queue)?.map(|folder| folder.conflicts).unwrap_or_default();
    let standing = standing(&declared);
    // Whether or not it was resolved since: how it is resolved is changed only by a decision.
    let known = standing.iter().find(|standing| Subject::new(standing.declared) == Subject::new(conflict));
    if let Some(known) = known {
        return Ok((known.name(), false));
    }
    tx.declare_conflict(queue, |id| QueueConflict { id, ..conflict.clone() })?;
    Ok((format!("CFT-{}", standing.len() + 1), true))
}
