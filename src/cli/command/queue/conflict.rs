//! Conflicts between items of a queue, as they stand.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::print::queue::decision;
use crate::cli::{Context, Exit, Outcome};
use crate::model::id::{QueueId, SolutionId};
use crate::model::queue_conflict::Severity;
use crate::ops::queue::{World, active_ids};
use crate::rules::queue_conflicts::ConflictView;
use crate::rules::readiness::QueueView;
use crate::store::resolve;
use crate::ui::{Cell, Column, Table, style};

#[derive(Debug, clap::Subcommand)]
pub(super) enum ConflictCommand {
    /// Declare a conflict that shared files do not reveal
    Add(Box<super::conflict_add::Add>),
    /// List declared conflicts, and files that several plans touch
    List {
        /// The queue (default: the active queues)
        queue: Option<String>,
    },
    /// Find branches that conflict
    Check(super::check::Check),
}

/// A conflict with the queue that it is in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConflictAnswer {
    /// The queue.
    pub(super) queue_id: QueueId,
    #[serde(flatten)]
    pub(super) conflict: ConflictView,
}

pub(super) fn run(command: ConflictCommand, context: &mut Context) -> Outcome {
    match command {
        ConflictCommand::Add(args) => super::conflict_add::add(*args, context),
        ConflictCommand::List { queue } => list(queue.as_deref(), context),
        ConflictCommand::Check(args) => super::check::check(&args, context),
    }
}

/// The conflicts of these names as they stand.
pub(super) fn report(views: &[QueueView], names: &[(QueueId, String)], context: &mut Context) -> Outcome {
    let mut found: Vec<(&QueueView, &ConflictView)> = Vec::new();
    for (queue, name) in names {
        let view = views.iter().find(|view| view.queue.id == *queue);
        found.extend(
            view.and_then(|view| {
                Some((view, view.conflicts.iter().find(|it| it.id.as_ref() == Some(name))?))
            }),
        );
    }
    if context.json() {
        let answer = |(view, it): &(&QueueView, &ConflictView)| ConflictAnswer {
            queue_id: view.queue.id.clone(),
            conflict: (*it).clone(),
        };
        context.screen.print_json(&found.iter().map(answer).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    for (view, it) in found {
        let name = it.id.as_deref().unwrap_or_default();
        writeln!(context.screen, "{name} of {}: {}", view.queue.id, line(view, it))?;
        decision(&mut context.screen, it)?;
    }
    Ok(Exit::Done)
}

/// A conflict in words: `api, high: sequential: S-2 → S-1`.
fn line(view: &QueueView, it: &ConflictView) -> String {
    format!("{}, {}: {}", it.kind, it.severity, way(view, it))
}

/// `S-1`, or the plan where it has left the queue.
fn item_name(view: &QueueView, id: &SolutionId) -> String {
    let known = view.items.iter().find(|item| item.item.solution_id == *id);
    known.map_or_else(|| id.to_string(), |item| item.item.item_id.to_string())
}

/// How it is dealt with.
fn way(view: &QueueView, it: &ConflictView) -> String {
    let names = |ids: &[SolutionId]| ids.iter().map(|id| item_name(view, id)).collect::<Vec<_>>();
    match (&it.clarification, it.resolution_order.is_empty()) {
        (Some(_), _) => format!("undecided: {}", names(&it.solutions).join(", ")),
        (None, true) => format!("{}: {}", it.resolution, names(&it.solutions).join(", ")),
        (None, false) => format!("{}: {}", it.resolution, names(&it.resolution_order).join(" → ")),
    }
}

fn list(queue: Option<&str>, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let (index, world) = World::now(&session)?;
    let snapshot = index.snapshot()?;
    let ids: Vec<QueueId> = match queue {
        Some(text) => vec![resolve::queue(&snapshot, text)?],
        None => active_ids(&world)?.into_iter().cloned().collect(),
    };
    let views = world.views();
    let views: Vec<&QueueView> = views.iter().filter(|view| ids.contains(&view.queue.id)).collect();
    if context.json() {
        let of = |view: &&QueueView| {
            let id = view.queue.id.clone();
            let all = view.conflicts.clone();
            all.into_iter().map(move |conflict| ConflictAnswer { queue_id: id.clone(), conflict })
        };
        context.screen.print_json(&views.iter().flat_map(of).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    let is_empty = views.iter().all(|view| view.conflicts.is_empty());
    if is_empty && context.screen.is_terminal() {
        writeln!(context.screen, "no conflicts")?;
    }
    for view in views {
        let mut table = Table::new([
            Column::left("CONFLICT"),
            Column::left("TYPE"),
            Column::left("SEVERITY"),
            Column::left("RESOLUTION"),
            Column::flexible("OVER"),
        ]);
        for it in &view.conflicts {
            table.row(row(view, it));
        }
        if ids.len() > 1 && !view.conflicts.is_empty() {
            writeln!(
                context.screen,
                "{}",
                context.screen.painter().paint(style::ID, view.queue.id.as_str())
            )?;
        }
        table.print(&mut context.screen)?;
        for it in &view.conflicts {
            decision(&mut context.screen, it)?;
        }
    }
    Ok(Exit::Done)
}

fn row(view: &QueueView, it: &ConflictView) -> Vec<Cell> {
    let severity = match it.severity {
        Severity::High => style::BAD,
        Severity::Medium => style::PLAIN,
        Severity::Low => style::DIM,
    };
    let resolved = if it.clarification.is_some() { style::BAD } else { style::PLAIN };
    vec![
        Cell::new(it.id.as_deref().unwrap_or("-"), style::ID),
        Cell::from(it.kind.as_str()),
        Cell::new(it.severity.as_str(), severity),
        Cell::new(way(view, it), resolved),
        Cell::from(it.file.clone().or_else(|| it.rationale.clone()).unwrap_or_default()),
    ]
}
