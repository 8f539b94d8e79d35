//! Roadmaps on the screen.

use std::io::{self, Write};

use super::spelled;
use crate::model::RoadmapMode;
use crate::ops::plans::roadmap::{HandOver, RoadmapAdded, RoadmapSummary, RoadmapView};
use crate::page::looks::issue_style;
use crate::page::roadmap::{bar, roadmap_style};
use crate::rules::{Assessed, RoundStatus, Status};
use crate::ui::{Cell, Column, Screen, Table, clean_line, count, style, time, truncate};

/// How many columns a value has that was replaced; `log` has all of it.
const LONGEST_VALUE: usize = 120;

/// What adding a roadmap changed.
pub(in crate::cli) fn added(screen: &mut Screen, it: &RoadmapAdded, is_changed: bool) -> io::Result<()> {
    let verb = match (it.dry_run, it.is_new, is_changed) {
        (true, true, _) => "would add",
        (true, false, _) => "would update",
        (false, true, _) => "added",
        (false, false, true) => "updated",
        (false, false, false) => "unchanged:",
    };
    let id = screen.painter().paint(style::ID, it.id.as_str());
    writeln!(screen, "{verb} {id} ({}) {}", it.mode, clean_line(&it.title))?;
    print_issues(screen, it)?;
    if !it.redacted.is_empty() {
        writeln!(
            screen,
            "redacted: parts of these issues are hidden, so the issues no longer follow the document and stay as they are"
        )?;
        if it.redacted.iter().any(|issue| issue.wave.is_none()) {
            writeln!(screen, "some of them are no longer in the document; `git wf close ISSUE` closes one")?;
        }
    }
    for was in &it.overridden {
        let id = screen.painter().paint(style::ID, was.issue_id.as_str());
        let value = was.value.as_str().map_or_else(|| was.value.to_string(), str::to_owned);
        let value = truncate(&clean_line(&value), LONGEST_VALUE);
        let field = if was.field == "context" { "description" } else { &was.field };
        writeln!(
            screen,
            "{id} {field}: was `{value}` here; the document changed it later, so the document's value wins"
        )?;
    }
    for outdated in &it.outdated {
        let author = outdated.author.as_deref().unwrap_or("someone else");
        writeln!(
            screen,
            "{}: the file has an earlier version, so the later change by {} stays; --revert undoes it",
            clean_line(&outdated.part),
            clean_line(author)
        )?;
    }
    Ok(())
}

/// The issues of an added roadmap, and what happened to them.
fn print_issues(screen: &mut Screen, it: &RoadmapAdded) -> io::Result<()> {
    let mut table = Table::new([
        Column::left(""),
        Column::right("WAVE"),
        Column::left("ISSUE"),
        Column::left("PART").spare(),
        Column::flexible("TITLE"),
        Column::left("STATUS"),
    ]);
    for (word, look, issues) in [
        ("new", style::GOOD, &it.created),
        ("changed", style::WARN, &it.changed),
        ("unchanged", style::DIM, &it.unchanged),
        ("gone", style::BAD, &it.gone),
        ("redacted", style::DIM, &it.redacted),
    ] {
        for issue in issues {
            table.row([
                Cell::new(word, look),
                Cell::from(issue.wave.map(|wave| wave.to_string()).unwrap_or_default()),
                Cell::new(screen.id(issue.issue_id.as_str()), style::ID),
                Cell::from(match &issue.was {
                    Some(was) => format!("{} (was {was})", issue.item),
                    None => issue.item.clone(),
                }),
                Cell::from(issue.title.as_str()),
                Cell::new(issue.status.as_str(), issue_style(issue.status)),
            ]);
        }
    }
    table.print(screen)
}

/// Prints the result of an assessment.
pub(in crate::cli) fn assessed(screen: &mut Screen, it: &Assessed) -> io::Result<()> {
    let mut table = Table::new([Column::left("FACTOR"), Column::left("UNCERTAINTY")]);
    for (name, extent) in it.factors.all() {
        table.row([Cell::from(name), Cell::from(extent.map_or("", |extent| extent.as_str()))]);
    }
    table.print(screen)?;
    let mode = it.recommended.map_or("open", |mode| mode.as_str());
    let painted = screen.painter().paint(style::HEADING, mode);
    writeln!(screen, "{} high, {} medium, {} low: {painted}", it.high, it.medium, it.low)
}

/// One roadmap per line.
pub(in crate::cli) fn list(screen: &mut Screen, all: &[RoadmapSummary], now: i64) -> io::Result<()> {
    if all.is_empty() {
        return screen.nothing("no roadmaps; `git wf roadmap plan TEXT` makes one");
    }
    let mut table = Table::new([
        Column::left("ROADMAP"),
        Column::left("STATUS"),
        Column::left("MODE").spare(),
        Column::right("WAVES").spare(),
        Column::left("PROGRESS").spare(),
        Column::left("ADDED").spare(),
        Column::flexible("TITLE"),
    ]);
    for it in all {
        table.row([
            Cell::new(screen.id(it.id.as_str()), style::ID),
            Cell::new(it.status.as_str(), roadmap_style(it.status)),
            Cell::from(it.mode.map_or("unknown", RoadmapMode::as_str)),
            Cell::from(it.waves.to_string()),
            Cell::from(bar(it.done, it.total)),
            Cell::from(time::ago(now, it.created_at.millis())),
            Cell::from(it.title.as_str()),
        ]);
    }
    table.print(screen)
}

/// A roadmap after feedback or approval.
pub(in crate::cli) fn revised(screen: &mut Screen, it: &RoadmapView, is_changed: bool) -> io::Result<()> {
    let painter = screen.painter();
    let (id, status) = (
        painter.paint(style::ID, it.id.as_str()),
        painter.paint(roadmap_style(it.status), it.status.as_str()),
    );
    match it.rounds.last().filter(|round| round.status == RoundStatus::Open) {
        Some(round) => writeln!(screen, "recorded feedback (round {}); {id} is now {status}", round.round),
        None if is_changed && it.status == Status::Ready => {
            writeln!(screen, "approved {id}; it is {status}")
        }
        None if is_changed => writeln!(screen, "{id} is {status}"),
        None => writeln!(screen, "{id} is already {status}; nothing changed"),
    }
}

/// A wave that was queued.
pub(in crate::cli) fn handed_over(screen: &mut Screen, it: &HandOver) -> io::Result<()> {
    let painter = screen.painter();
    let id = painter.paint(style::ID, it.roadmap_id.as_str());
    let parts = [
        (it.queued.len(), "queued"),
        (it.without_plan.len(), "without a plan"),
        (it.under_way.len(), "under way"),
        (it.stopped.len(), "failed or paused"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let all = it.queued.len() + it.without_plan.len() + it.under_way.len() + it.stopped.len();
    writeln!(screen, "wave {} of {id}, {} to do: {}", it.wave, count(all, "issue"), parts.join(", "))?;
    let item = (!it.queued.is_empty()).then(|| Column::left("ITEM").spare());
    let columns =
        [Some(Column::left("  ISSUE")), Some(Column::left("STATUS")), item, Some(Column::flexible("TITLE"))];
    let mut table = Table::new(columns.into_iter().flatten());
    for queued in &it.queued {
        let queue = queued.queue_id.as_ref().map(|queue| format!("{queue}:")).unwrap_or_default();
        table.row([
            Cell::new(format!("  {}", queued.issue_id), style::ID),
            Cell::new("queued", style::GOOD),
            Cell::from(format!("{queue}{}", queued.item_id)),
            Cell::from(queued.title.as_str()),
        ]);
    }
    for issue in it.without_plan.iter().chain(&it.under_way).chain(&it.stopped) {
        let id = Cell::new(format!("  {}", issue.issue_id), style::ID);
        let (status, title) =
            (Cell::new(issue.status.as_str(), issue_style(issue.status)), Cell::from(issue.title.as_str()));
        if it.queued.is_empty() {
            table.row([id, status, title]);
        } else {
            table.row([id, status, Cell::from(""), title]);
        }
    }
    table.print(screen)?;
    match spelled(&it.remedies) {
        Some(remedies) => writeln!(screen, "{remedies}"),
        None => Ok(()),
    }
}
