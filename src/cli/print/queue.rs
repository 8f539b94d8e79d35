//! Queues and items for people.

use std::collections::BTreeMap;
use std::io::Write;

use crate::cli::{Context, Failure, answer};
use crate::model::id::{ItemId, QueueId, SolutionId};
use crate::model::status::{ExecutionStatus, ItemStatus};
use crate::ops::queue::{World, item_name};
use crate::rules::facts::Holder;
use crate::rules::readiness::{ItemView, QueueView};
use crate::ui::{Cell, Column, Table, style};

/// The queues, one a line.
pub(in crate::cli) fn table(views: &[QueueView], context: &mut Context) -> Result<(), Failure> {
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("STATUS"),
        Column::right("PRIORITY"),
        Column::right("ITEMS"),
        Column::right("DONE"),
        Column::flexible("NAME"),
    ]);
    for view in views {
        let done = view.items.iter().filter(|it| it.status == ItemStatus::Completed).count();
        table.row([
            Cell::new(view.queue.id.as_str(), style::ID),
            Cell::from(view.status),
            Cell::from(view.queue.priority.to_string()),
            Cell::from(view.items.len().to_string()),
            Cell::from(done.to_string()),
            Cell::from(view.queue.name.clone().unwrap_or_default()),
        ]);
    }
    table.print(&mut context.screen)?;
    Ok(())
}

/// One queue with its items; `now` in milliseconds, for leases.
pub(in crate::cli) fn show(
    world: &World,
    id: &QueueId,
    now: i64,
    context: &mut Context,
) -> Result<(), Failure> {
    let views = world.views();
    let Some(view) = views.iter().find(|view| view.queue.id == *id) else {
        return Err(Failure::unreadable(&format!("queue `{id}`")));
    };
    for (path, why) in world.queues.iter().filter(|it| it.queue.id == *id).flat_map(|it| &it.broken) {
        context.warn(&format!("`{path}`: {why}"));
    }
    if context.json() {
        context.screen.print_json(&answer::queue_with_items(view))?;
        return Ok(());
    }
    let painter = context.screen.painter();
    let name = view.queue.name.as_deref().map(|name| format!("  {name}")).unwrap_or_default();
    writeln!(
        context.screen,
        "{} ({}){}",
        painter.paint(style::ID, id.as_str()),
        view.status,
        crate::ui::text::clean_line(&name)
    )?;
    items(world, view, now, context)?;
    for it in &view.items {
        let name = item_name(views.len(), &view.queue.id, &it.item);
        reasons(&name, it, context)?;
        ended(&name, it, context)?;
    }
    for conflict in &view.conflicts {
        crate::cli::command::queue::decision(conflict, context)?;
    }
    let mut numbers: BTreeMap<&ItemId, usize> = BTreeMap::new();
    for it in &view.items {
        *numbers.entry(&it.item.item_id).or_default() += 1;
    }
    for (number, count) in numbers.into_iter().filter(|(_, count)| *count > 1) {
        let note = format!(
            "{count} items have the number {number}, because clones assigned it independently: name them by their plans"
        );
        writeln!(context.screen, "{}", painter.paint(style::WARN, &note))?;
    }
    Ok(())
}

/// The items in the order of execution; who carries them out, and until when, where anybody does.
fn items(world: &World, view: &QueueView, now: i64, context: &mut Context) -> Result<(), Failure> {
    let is_executing = |it: &ItemView| it.status == ItemStatus::Executing;
    let has_holders = view.items.iter().any(is_executing);
    let mut columns = vec![
        Column::left("ITEM"),
        Column::left("STATUS"),
        Column::left("GROUP"),
        Column::right("PRIORITY"),
        Column::left("PLAN"),
        Column::right("TASKS"),
    ];
    if has_holders {
        columns.extend([Column::left("HOLDER"), Column::left("LEASE")]);
    }
    columns.push(Column::flexible("ISSUE"));
    let mut table = Table::new(columns);
    for it in &view.items {
        let title = world.facts.get(&it.item.issue_id).map(|issue| issue.title.clone()).unwrap_or_default();
        let mut cells = vec![
            Cell::new(it.item.item_id.as_str(), style::ID),
            Cell::new(it.status.as_str(), status_style(it.status)),
            Cell::from(it.execution_group.as_str()),
            Cell::from(format!("{:.2}", it.semantic_priority)),
            Cell::from(it.item.solution_id.as_str()),
            Cell::from(it.task_count.to_string()),
        ];
        if has_holders {
            let holder = it.holder.as_ref().filter(|_| is_executing(it));
            let until = holder.map(|holder| holder.lease_expires_at.millis());
            let lease = match until {
                Some(until) if until < now => {
                    Cell::new(format!("ran out {}", crate::ui::time::ago(now, until)), style::BAD)
                }
                Some(until) => Cell::from(crate::ui::time::ago(now, until)),
                None => Cell::from(""),
            };
            cells.extend([
                Cell::from(holder.map(|holder| short_name(&holder.actor)).unwrap_or_default()),
                lease,
            ]);
        }
        cells.push(Cell::from(title));
        table.row(cells);
    }
    table.print(&mut context.screen)?;
    Ok(())
}

/// `Ada (planner)` of `Ada <ada@example.org> (planner)`.
fn short_name(actor: &str) -> String {
    match (actor.split_once(" <"), actor.rsplit_once("> (")) {
        (Some((name, _)), Some((_, more))) => format!("{name} ({more}"),
        (Some((name, _)), None) => name.to_owned(),
        _ => actor.to_owned(),
    }
}

/// Who ended the execution of this very plan for the one who began it, and what was overridden.
fn ended(name: &str, it: &ItemView, context: &mut Context) -> Result<(), Failure> {
    let is_over = |holder: &&Holder| {
        holder.solution_id == it.item.solution_id && holder.status != ExecutionStatus::Executing
    };
    let Some(holder) = it.holder.as_ref().filter(is_over) else { return Ok(()) };
    let note = answer::end_note(&holder.actor, holder.ended_by.as_deref(), holder.forced.as_deref());
    if !note.is_empty() {
        let line = format!("{name} {} (by {}{note})", holder.status, holder.actor);
        let line = context.screen.painter().paint(style::DIM, &line);
        writeln!(context.screen, "{line}")?;
    }
    Ok(())
}

fn reasons(name: &str, it: &ItemView, context: &mut Context) -> Result<(), Failure> {
    for blocker in &it.blocked_by {
        let line = format!("{name} waits: {}", blocker.reason);
        let line = context.screen.painter().paint(style::DIM, &line);
        writeln!(context.screen, "{line}")?;
    }
    Ok(())
}

/// One item.
pub(in crate::cli) fn show_item(
    world: &World,
    queue: &QueueId,
    solution: &SolutionId,
    context: &mut Context,
) -> Result<(), Failure> {
    let views = world.views();
    let view = views.iter().find(|view| view.queue.id == *queue);
    let Some(it) = view.and_then(|view| view.items.iter().find(|it| it.item.solution_id == *solution)) else {
        return Err(Failure::new("not-found", format!("queue `{queue}` has no item of `{solution}`"))
            .hint(format!("`git wf queue show {queue}` shows its items")));
    };
    if context.json() {
        context.screen.print_json(&answer::item_in(queue, it))?;
        return Ok(());
    }
    let painter = context.screen.painter();
    writeln!(
        context.screen,
        "{} of {queue}: {}, {}",
        painter.paint(style::ID, it.item.item_id.as_str()),
        it.item.solution_id,
        painter.paint(status_style(it.status), it.status.as_str())
    )?;
    if let Some(holder) = it.holder.as_ref().filter(|holder| holder.solution_id == it.item.solution_id) {
        let ended_by = holder.ended_by.as_deref();
        for (name, value) in [
            ("by", Some(holder.actor.as_str())),
            ("ended by", ended_by),
            ("override", holder.forced.as_deref()),
        ] {
            if let Some(value) = value {
                let label = painter.paint(style::DIM, &format!("{name:<12}"));
                writeln!(context.screen, "{label} {}", crate::ui::text::clean_line(value))?;
            }
        }
    }
    reasons(&item_name(views.len(), queue, &it.item), it, context)
}

/// How the status of an item is coloured.
pub(in crate::cli) fn status_style(status: ItemStatus) -> style::Style {
    match status {
        ItemStatus::Completed => style::GOOD,
        ItemStatus::Failed | ItemStatus::Blocked => style::BAD,
        ItemStatus::Executing => style::WARN,
        ItemStatus::Ready => style::PLAIN,
        ItemStatus::Pending => style::DIM,
    }
}
