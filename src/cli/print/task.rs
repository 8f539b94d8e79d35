//! The tasks of a plan for people.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::solution;
use crate::ops::plans::{ChangedTask, Tasks};
use crate::ui::{Cell, Column, Screen, Table, style};

/// One task per line.
pub(in crate::cli) fn table(screen: &mut Screen, tasks: &Tasks) -> io::Result<()> {
    if tasks.typed.is_empty() {
        return screen.nothing("the plan has no tasks; `git wf task add` adds one");
    }
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("ACTION"),
        Column::flexible("AFTER"),
        Column::left("ESTIMATE").spare(),
        Column::right("CRITERIA").spare(),
        Column::flexible("FILES").spare(),
        Column::flexible("TITLE"),
    ]);
    for task in &tasks.typed {
        let files: BTreeSet<&str> = task.places().map(|place| place.path).collect();
        let more = if files.len() > 1 { format!(" +{}", files.len() - 1) } else { String::new() };
        let files = format!("{}{more}", files.iter().next().copied().unwrap_or_default());
        table.row([
            Cell::new(task.id.as_str(), style::ID),
            Cell::from(task.action.as_str()),
            Cell::from(task.depends_on.join(", ")),
            Cell::from(task.estimates().next().map(|it| it.to_string()).unwrap_or_default()),
            Cell::from(task.criteria().len().to_string()),
            Cell::from(files),
            Cell::from(task.title.as_str()),
        ]);
    }
    table.print(screen)
}

/// A task that was added; for programs only its id.
pub(in crate::cli) fn added(screen: &mut Screen, it: &ChangedTask) -> io::Result<()> {
    if screen.is_terminal() { done(screen, it, "added") } else { writeln!(screen, "{}", it.task) }
}

/// The result of editing a task.
pub(in crate::cli) fn changed(screen: &mut Screen, it: &ChangedTask, is_changed: bool) -> io::Result<()> {
    if is_changed {
        return done(screen, it, "changed");
    }
    let painter = screen.painter();
    let (task, plan) = (painter.paint(style::ID, &it.task), painter.paint(style::ID, it.plan.id.as_str()));
    writeln!(screen, "{task} of {plan} already has these values; nothing changed")
}

fn done(screen: &mut Screen, it: &ChangedTask, verb: &str) -> io::Result<()> {
    let painter = screen.painter();
    let (task, plan) = (painter.paint(style::ID, &it.task), painter.paint(style::ID, it.plan.id.as_str()));
    let quality = solution::quality(screen, &it.plan);
    writeln!(screen, "{verb} {task} of {plan} (quality {quality})")
}
