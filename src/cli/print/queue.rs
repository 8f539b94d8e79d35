//! Queues and items for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::cli::print::with_remedies;
use crate::model::{ExecutionStatus, ItemId, ItemStatus, SolutionId};
use crate::ops::queue::{ActiveQueues, AddedItem, ItemAnswer, MergedQueue, QueueAnswer, Removed};
use crate::page::looks::item_style;
use crate::page::words;
use crate::rules::readiness::{BlockerKind, group_words};
use crate::rules::{Blocker, ConflictView, Holder};
use crate::ui::{Cell, Column, Screen, Table, clean_line, count, style};

/// The queues, one per line.
pub(in crate::cli) fn table(screen: &mut Screen, queues: &[QueueAnswer]) -> io::Result<()> {
    if queues.is_empty() {
        return screen.nothing("no queues; `git wf queue add ISSUE` creates one");
    }
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("STATUS"),
        Column::right("PRIORITY"),
        Column::right("ITEMS"),
        Column::right("DONE").spare(),
        Column::flexible("NAME"),
    ]);
    for it in queues {
        table.row([
            Cell::new(screen.id(it.queue.id.as_str()), style::ID),
            Cell::from(it.status.as_str()),
            Cell::from(it.queue.priority.to_string()),
            Cell::from(it.item_count.to_string()),
            Cell::from(it.completed.to_string()),
            Cell::from(it.queue.name.clone().unwrap_or_default()),
        ]);
    }
    table.print(screen)
}

/// The active queues with their items, or a hint if there are none; `now` in milliseconds, for leases.
pub(in crate::cli) fn active(screen: &mut Screen, active: &ActiveQueues, now: i64) -> io::Result<()> {
    if !active.queues.is_empty() {
        return queues(screen, &active.queues, now);
    }
    let hint = if active.are_any {
        "`git wf queue manage list --all` shows the others"
    } else {
        "`git wf queue add ISSUE` creates one"
    };
    writeln!(screen, "no queue is active; {hint}")
}

/// Queues with their items, separated by empty lines.
pub(in crate::cli) fn queues(screen: &mut Screen, queues: &[QueueAnswer], now: i64) -> io::Result<()> {
    for (n, it) in queues.iter().enumerate() {
        if n > 0 {
            writeln!(screen)?;
        }
        queue(screen, it, now)?;
    }
    Ok(())
}

/// One queue with its items.
pub(in crate::cli) fn queue(screen: &mut Screen, queue: &QueueAnswer, now: i64) -> io::Result<()> {
    let painter = screen.painter();
    let name = queue.queue.name.as_deref().map(|name| format!("  {name}")).unwrap_or_default();
    let id = painter.paint(style::ID, screen.id(queue.queue.id.as_str()));
    writeln!(screen, "{id} ({}){}", queue.status, clean_line(&name))?;
    let all = queue.items.as_deref().unwrap_or_default();
    if all.is_empty() {
        screen.nothing("no items; `git wf queue add ISSUE` adds one")?;
    }
    items(screen, all, now)?;
    for it in all {
        // What can be decided follows below.
        reasons(screen, it, |blocker| blocker.kind != BlockerKind::Undecided)?;
        ended(screen, it)?;
    }
    for conflict in queue.conflicts.iter().flatten() {
        decision(screen, conflict)?;
    }
    let mut numbers: BTreeMap<&ItemId, usize> = BTreeMap::new();
    for it in all {
        *numbers.entry(&it.item.item_id).or_default() += 1;
    }
    for (number, count) in numbers.into_iter().filter(|(_, count)| *count > 1) {
        let note = format!(
            "{count} items have the number {number}, because clones assigned it independently: name them by their plans"
        );
        writeln!(screen, "{}", painter.paint(style::WARN, &note))?;
    }
    Ok(())
}

/// The items in the order of execution; for a running item, its executor and the end of the lease.
fn items(screen: &mut Screen, items: &[ItemAnswer], now: i64) -> io::Result<()> {
    let is_executing = |it: &ItemAnswer| it.status == ItemStatus::Executing;
    let has_holders = items.iter().any(is_executing);
    let mut columns = vec![
        Column::left("ITEM"),
        Column::left("STATUS"),
        Column::left("GROUP").spare(),
        Column::right("RANK").spare(),
        Column::left("PLAN"),
    ];
    if has_holders {
        columns.extend([Column::flexible("HOLDER").spare(), Column::left("LEASE").spare()]);
    }
    columns.extend([Column::right("TASKS").spare(), Column::flexible("ISSUE")]);
    let mut table = Table::new(columns);
    let (done, open): (Vec<_>, Vec<_>) = items.iter().partition(|it| it.status == ItemStatus::Completed);
    for it in open.into_iter().chain(done) {
        let mut cells = vec![
            Cell::new(it.item.item_id.as_str(), style::ID),
            Cell::new(it.status.as_str(), item_style(it.status)),
            Cell::from(group_words(&it.execution_group)),
            Cell::from(format!("{:.2}", it.semantic_priority)),
            Cell::from(screen.id(it.item.solution_id.as_str())),
        ];
        if has_holders {
            let holder = if is_executing(it) { it.holder.as_ref() } else { None };
            let until = holder.map(|holder| holder.lease_expires_at.millis());
            let lease = match until {
                Some(until) if until < now => {
                    Cell::new(format!("expired {}", crate::ui::time::ago(now, until)), style::BAD)
                }
                Some(until) => Cell::from(crate::ui::time::ago(now, until)),
                None => Cell::from(""),
            };
            let name = holder.map(|holder| short_name(&holder.actor)).unwrap_or_default();
            cells.extend([Cell::from(name), lease]);
        }
        cells.extend([Cell::from(it.task_count.to_string()), Cell::from(it.title.as_str())]);
        table.row(cells);
    }
    table.print(screen)?;
    if items.is_empty() || !screen.is_terminal() {
        return Ok(());
    }
    let legend =
        "GROUP: items in order share files; parallel ones run side by side. RANK: up to 1, the most urgent";
    writeln!(screen, "{}", screen.painter().paint(style::DIM, legend))
}

/// `Ada (planner)` of `Ada <ada@example.org> (planner)`.
fn short_name(actor: &str) -> String {
    match (actor.split_once(" <"), actor.rsplit_once("> (")) {
        (Some((name, _)), Some((_, more))) => format!("{name} ({more}"),
        (Some((name, _)), None) => name.to_owned(),
        _ => actor.to_owned(),
    }
}

/// Notes for items whose execution was ended by someone else, or with a gate overridden.
fn ended(screen: &mut Screen, it: &ItemAnswer) -> io::Result<()> {
    let is_over = |holder: &&Holder| {
        holder.solution_id == it.item.solution_id && holder.status != ExecutionStatus::Executing
    };
    let Some(holder) = it.holder.as_ref().filter(is_over) else { return Ok(()) };
    let note = words::end_note(&holder.actor, holder.ended_by.as_deref(), holder.forced.as_deref());
    if !note.is_empty() {
        let line =
            format!("{} {} (by {}{note})", screen.ids_in(&it.name.to_string()), holder.status, holder.actor);
        let line = screen.painter().paint(style::DIM, &line);
        writeln!(screen, "{line}")?;
    }
    Ok(())
}

/// Why an item waits, with the remedies of those reasons for which they are wanted.
fn reasons(screen: &mut Screen, it: &ItemAnswer, is_wanted: fn(&Blocker) -> bool) -> io::Result<()> {
    for blocker in &it.blocked_by {
        let remedies = if is_wanted(blocker) { blocker.remedies.as_slice() } else { &[] };
        let line = format!("{} waits: {}", it.name, with_remedies(&blocker.reason, remedies));
        let line = screen.ids_in(&line).into_owned();
        let line = screen.painter().paint(style::DIM, &line);
        writeln!(screen, "{line}")?;
    }
    Ok(())
}

/// The decision that a conflict needs, and how to make it.
pub(in crate::cli) fn decision(screen: &mut Screen, it: &ConflictView) -> io::Result<()> {
    let (Some(asked), Some(name)) = (&it.clarification, &it.id) else { return Ok(()) };
    let painter = screen.painter();
    let question = painter.paint(style::BAD, &format!("{name} needs a decision: {}", asked.question));
    writeln!(screen, "{question}")?;
    for option in &asked.options {
        let order: Vec<&str> = option.order.iter().map(SolutionId::as_str).collect();
        let line =
            format!("  {}: git wf queue resolve {name} --order {}", option.description, order.join(","));
        writeln!(screen, "{}", painter.paint(style::PLAIN, &line))?;
    }
    Ok(())
}

/// One item.
pub(in crate::cli) fn item(screen: &mut Screen, it: &ItemAnswer) -> io::Result<()> {
    let painter = screen.painter();
    let queue = it.queue_id.as_ref().map(ToString::to_string).unwrap_or_default();
    writeln!(
        screen,
        "{} of {queue}: {}, {}",
        painter.paint(style::ID, it.item.item_id.as_str()),
        it.item.solution_id,
        painter.paint(item_style(it.status), it.status.as_str())
    )?;
    let is_over = matches!(it.status, ItemStatus::Completed | ItemStatus::Failed);
    let is_shown = |holder: &&Holder| is_over || holder.solution_id == it.item.solution_id;
    if let Some(holder) = it.holder.as_ref().filter(is_shown) {
        let ended_by = holder.ended_by.as_deref().or(is_over.then_some(holder.actor.as_str()));
        let other = (holder.solution_id != it.item.solution_id).then_some(holder.solution_id.as_str());
        for (name, value) in [
            ("by", Some(holder.actor.as_str())),
            ("with plan", other),
            ("ended by", ended_by),
            ("override", holder.forced.as_deref()),
        ] {
            if let Some(value) = value {
                let label = painter.label(name);
                writeln!(screen, "{label} {}", clean_line(value))?;
            }
        }
    }
    reasons(screen, it, |_| true)
}

/// Items that were queued.
pub(in crate::cli) fn queued(screen: &mut Screen, all: &[AddedItem]) -> io::Result<()> {
    for AddedItem { item, is_old } in all {
        let queue = item.queue_id.as_ref().map(ToString::to_string).unwrap_or_default();
        let (plan, id) = (&item.item.solution_id, &item.item.item_id);
        if *is_old {
            writeln!(screen, "{plan} is already queued as {id} of {queue}; nothing changed")?;
        } else {
            writeln!(screen, "queued {plan} as {id} of {queue}")?;
        }
    }
    Ok(())
}

/// Items that were removed from their queues.
pub(in crate::cli) fn removed(screen: &mut Screen, all: &[Removed]) -> io::Result<()> {
    for it in all {
        writeln!(screen, "removed {}; {} is {}", it.solution_id, it.issue_id, it.issue_status)?;
    }
    Ok(())
}

/// Items that were held or released.
pub(in crate::cli) fn held(
    screen: &mut Screen,
    items: &[ItemAnswer],
    is_changed: bool,
    verb: &str,
) -> io::Result<()> {
    for it in items {
        let (item, plan) = (&it.item.item_id, &it.item.solution_id);
        match (is_changed, verb) {
            (true, _) => writeln!(screen, "{verb} {item} ({plan}); it is {}", it.status)?,
            (false, "released") => writeln!(screen, "{item} ({plan}) is not held; nothing changed")?,
            (false, _) => writeln!(screen, "{item} ({plan}) is already {verb}; nothing changed")?,
        }
    }
    Ok(())
}

/// Queues that were changed.
pub(in crate::cli) fn decided(screen: &mut Screen, queues: &[QueueAnswer]) -> io::Result<()> {
    for it in queues {
        writeln!(screen, "{} is {}", it.queue.id, it.status)?;
    }
    Ok(())
}

/// A queue whose priority was set.
pub(in crate::cli) fn prioritized(screen: &mut Screen, queues: &[QueueAnswer]) -> io::Result<()> {
    for it in queues {
        writeln!(screen, "{} is {}, with priority {}", it.queue.id, it.status, it.queue.priority)?;
    }
    Ok(())
}

/// A queue that took over the items of another.
pub(in crate::cli) fn merged(screen: &mut Screen, it: &MergedQueue, is_changed: bool) -> io::Result<()> {
    let (from, to) = (&it.from, &it.queue.queue.id);
    if is_changed {
        writeln!(screen, "moved {} to {to}; {from} is archived", count(it.moved, "item"))
    } else {
        writeln!(screen, "{from} is already archived and empty; nothing changed")
    }
}
