//! Prints the overview, and what to do next.

use std::borrow::Cow;
use std::io::{self, Write};

use super::remedy;
use crate::model::{EntryId, Remedy};
use crate::ops::issues::{Attention, AttentionItem, AttentionKind, Home, HomeIssues, HomeItems, SyncState};
use crate::ops::work::PrimedExecution;
use crate::page::looks::issue_style;
use crate::page::remedy::{spelled, with_remedies};
use crate::rules::Blocker;
use crate::ui::{Cell, Column, Screen, Table, UiSettings, clean_line, count, style, time, truncate, width};

/// A shorter title would say nothing.
const LEAST_TITLE: usize = 12;

pub(in crate::cli) fn home(screen: &mut Screen, home: &Home) -> io::Result<()> {
    place(screen, home)?;
    if home.tip.is_none() {
        no_store(screen, home)?;
        return next(screen, &home.next);
    }
    match (&home.execution, &home.lost) {
        (Some(it), _) => execution(screen, it)?,
        (None, Some(why)) => {
            writeln!(screen, "this worktree no longer executes {}", clean_line(why))?;
        }
        (None, None) if home.is_bare => {}
        (None, None) => writeln!(screen, "this worktree executes nothing")?,
    }
    for place in &home.workplaces {
        writeln!(screen, "{}", super::run::workplace(place))?;
    }
    items(screen, "ready", &home.ready)?;
    items(screen, "blocked", &home.blocked)?;
    outside(screen, "not queued", &home.unblocked)?;
    outside(screen, "waiting for other issues", &home.waiting)?;
    if !home.attention.is_empty() {
        heading(screen, "waiting for you", home.attention.iter().map(|it| it.count).sum())?;
    }
    for group in &home.attention {
        attention(screen, group)?;
    }
    writeln!(screen)?;
    issues(screen, home)?;
    sync(screen, &home.sync)?;
    next(screen, &home.next)
}

fn place(screen: &mut Screen, home: &Home) -> io::Result<()> {
    let worktree = match &home.worktree {
        None if home.is_bare => "bare repository".to_owned(),
        Some(name) => format!("worktree {}", clean_line(name)),
        None => "main worktree".to_owned(),
    };
    let branch = match &home.branch {
        Some(name) => format!("on {}", clean_line(name.short())),
        None => "with a detached HEAD".to_owned(),
    };
    let role = home.role.map(|role| format!(", as {role}")).unwrap_or_default();
    let line = if home.is_bare { format!("{worktree}{role}") } else { format!("{worktree} {branch}{role}") };
    writeln!(screen, "{}", screen.painter().paint(style::DIM, &line))
}

fn no_store(screen: &mut Screen, home: &Home) -> io::Result<()> {
    writeln!(screen, "there is no store here yet: {} does not exist", home.reference)?;
    let fetches = match &home.sync.remote {
        Some(remote) => {
            let remote = clean_line(remote);
            format!(
                "fetches the store of {remote}, or creates an empty one, and configures `git fetch` to fetch it too"
            )
        }
        None => "creates it".to_owned(),
    };
    writeln!(screen, "`git wf init` {fetches}; branches and files stay as they are")
}

fn heading(screen: &mut Screen, name: &str, count: usize) -> io::Result<()> {
    writeln!(screen, "\n{} ({count})", screen.painter().paint(style::HEADING, name))
}

fn execution(screen: &mut Screen, it: &PrimedExecution) -> io::Result<()> {
    let painter = screen.painter();
    let id = screen.id(it.issue_id.as_str());
    let issue = painter.paint(style::ID, id);
    let title = fitting(screen, width("executing  ") + width(id), &it.title);
    writeln!(screen, "executing {issue} {title}")?;
    let branch =
        it.branch.as_ref().map(|name| format!(" on {}", clean_line(name.short()))).unwrap_or_default();
    let left = match it.open_count {
        0 if it.tasks == 1 => "the task has a commit; verify, then finish".to_owned(),
        0 => format!("all {} have commits; verify, then finish", count(it.tasks, "task")),
        open => format!("{open} of {} to do", count(it.tasks, "task")),
    };
    writeln!(screen, "  {}{branch}: {left}", painter.paint(style::ID, screen.id(it.solution_id.as_str())))?;
    if let Some(task) = &it.task {
        let title = fitting(screen, width("  task : ") + width(&task.id), &task.title);
        writeln!(screen, "  task {}: {title}", painter.paint(style::ID, &task.id))?;
    }
    Ok(())
}

/// A title at the end of a line, cut to what the terminal has left for it.
fn fitting(screen: &Screen, taken: usize, title: &str) -> String {
    let title = clean_line(title);
    match screen.columns() {
        Some(columns) => truncate(&title, columns.saturating_sub(taken).max(LEAST_TITLE)),
        None => title.into_owned(),
    }
}

/// Prints items, each with what it waits for.
fn items(screen: &mut Screen, name: &str, items: &HomeItems) -> io::Result<()> {
    if items.count == 0 {
        return Ok(());
    }
    heading(screen, name, items.count)?;
    let mut table = Table::new([Column::left(""), Column::left(""), Column::left(""), Column::flexible("")]);
    for it in &items.first {
        table.row([
            Cell::from(""),
            Cell::new(screen.ids_in(&it.item.to_string()), style::ID),
            Cell::from(screen.id(it.issue_id.as_str())),
            Cell::from(it.title.as_str()),
        ]);
        for blocker in &it.blocked_by {
            table.row([
                Cell::from(""),
                Cell::from(""),
                Cell::from(""),
                Cell::new(screen.ids_in(&said(blocker)), style::WARN),
            ]);
        }
    }
    table.print(screen)?;
    more(screen, items.count, items.first.len())
}

/// Prints issues that are in no queue, each with the issues that it waits for.
fn outside(screen: &mut Screen, name: &str, issues: &HomeIssues) -> io::Result<()> {
    if issues.count == 0 {
        return Ok(());
    }
    heading(screen, name, issues.count)?;
    let mut table = Table::new([Column::left(""), Column::left(""), Column::left(""), Column::flexible("")]);
    for it in &issues.first {
        let waits_for: Vec<&str> = it.waits_for.iter().map(|id| screen.id(id.as_str())).collect();
        let state = match waits_for[..] {
            _ if it.is_in_cycle => Cell::new("in a cycle", style::BAD),
            [] => Cell::new(it.status.as_str(), issue_style(it.status)),
            [one] => Cell::new(format!("after {one}"), style::WARN),
            [one, ..] => Cell::new(format!("after {one} and {} more", waits_for.len() - 1), style::WARN),
        };
        table.row([
            Cell::from(""),
            Cell::new(screen.id(it.issue_id.as_str()), style::ID),
            state,
            Cell::from(it.title.as_str()),
        ]);
    }
    table.print(screen)?;
    more(screen, issues.count, issues.first.len())
}

fn said(blocker: &Blocker) -> String {
    with_remedies(&blocker.reason, &blocker.remedies)
}

fn more(screen: &mut Screen, count: usize, shown: usize) -> io::Result<()> {
    match count - shown {
        0 => Ok(()),
        more => writeln!(screen, "{}", screen.painter().paint(style::DIM, &format!("  and {more} more"))),
    }
}

/// The id of what waits; of an entry of a log the part that suffices to type it.
fn name(screen: &Screen, id: &str) -> String {
    match EntryId::parse(id) {
        Ok(entry) if screen.is_terminal() => entry.short().to_owned(),
        _ => screen.ids_in(id).into_owned(),
    }
}

/// What waits, and whose lease expired.
fn about(it: &AttentionItem) -> Cow<'_, str> {
    match (&it.actor, it.expired_at) {
        (Some(actor), Some(at)) => {
            format!("{} (claimed by {actor}; the lease expired at {})", it.what, time::point(at)).into()
        }
        _ => it.what.as_str().into(),
    }
}

/// Prints a group of things that wait for the user, each with its remedies.
fn attention(screen: &mut Screen, group: &Attention) -> io::Result<()> {
    let verb = match group.kind {
        AttentionKind::Decision => "decide",
        AttentionKind::Cycle => "cycle",
        AttentionKind::Conflict => "resolve",
        AttentionKind::Lease => "expired",
        AttentionKind::Run => "resume",
        AttentionKind::Failure => "failed",
        AttentionKind::Review => "review",
        AttentionKind::Choice => "choose",
        AttentionKind::Landing => "land",
        AttentionKind::Question => "answer",
    };
    let mut table = Table::new([Column::left(""), Column::left(""), Column::left(""), Column::flexible("")]);
    for it in &group.first {
        // People know an execution by its issue.
        let id = match (&it.issue_id, group.kind) {
            (Some(issue), AttentionKind::Lease) => screen.id(issue.as_str()).to_owned(),
            _ => name(screen, &it.id),
        };
        table.row([
            Cell::from(""),
            Cell::new(verb, style::WARN),
            Cell::new(id, style::ID),
            Cell::from(screen.ids_in(&about(it)).into_owned()),
        ]);
    }
    table.print(screen)?;
    let first = group.first.iter().flat_map(|it| &it.remedies).next();
    if let Some(line) = first.and_then(|it| spelled(std::slice::from_ref(it))) {
        writeln!(screen, "    {}", screen.painter().paint(style::DIM, &line))?;
    }
    more(screen, group.count, group.first.len())
}

fn issues(screen: &mut Screen, home: &Home) -> io::Result<()> {
    let painter = screen.painter();
    let mut counts: Vec<String> = Vec::new();
    for (status, count) in &home.issues {
        counts.push(format!("{count} {}", painter.paint(issue_style(*status), status.as_str())));
    }
    if home.broken > 0 {
        counts.push(painter.paint(style::BAD, &format!("{} that cannot be read", home.broken)).to_string());
    }
    let counts = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
    writeln!(screen, "issues: {counts}")
}

fn sync(screen: &mut Screen, sync: &SyncState) -> io::Result<()> {
    let Some(remote) = &sync.remote else { return writeln!(screen, "sync: no remote") };
    let remote = clean_line(remote);
    let state = match (sync.ahead, sync.behind) {
        (None, _) | (_, None) => format!("never synced with {remote}"),
        (Some(0), Some(0)) => format!("up to date with {remote} as of the last fetch"),
        (Some(ahead), Some(0)) => format!("{} to push to {remote}", count(ahead, "commit")),
        (Some(0), Some(behind)) => format!("{} to merge from {remote}", count(behind, "commit")),
        (Some(ahead), Some(behind)) => {
            format!("{} to push to {remote}, {behind} to merge", count(ahead, "commit"))
        }
    };
    writeln!(screen, "sync: {state}")
}

fn next(screen: &mut Screen, steps: &[Remedy]) -> io::Result<()> {
    writeln!(screen)?;
    if UiSettings::get().is_plain {
        // The label is not a cell, so nothing is read out between it and the command.
        for step in steps {
            let Some(call) = &step.call else { continue };
            writeln!(screen, "next: {}: {}", remedy::command(call), clean_line(&step.words))?;
        }
        return Ok(());
    }
    let mut table = Table::new([Column::left(""), Column::left(""), Column::flexible("").spare()]);
    for (n, step) in steps.iter().enumerate() {
        let Some(call) = &step.call else { continue };
        let label = if n == 0 { "next:" } else { "" };
        table.row([
            Cell::new(label, style::HEADING),
            Cell::new(screen.ids_in(&remedy::command(call)), style::GOOD),
            Cell::new(step.words.as_str(), style::DIM),
        ]);
    }
    table.print(screen)
}
