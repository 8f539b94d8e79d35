//! Plans for people.

use std::io::{self, Write};

use crate::cli::print::{diff as diff_print, review};
use crate::ops::plans::{PlanDiff, SolutionView};
use crate::page::plan::quality_style;
use crate::rules::FieldChange;
use crate::ui::{Cell, Column, Screen, Table, clean_line, style, time};

/// Plans, one per line.
pub(in crate::cli) fn table(screen: &mut Screen, plans: &[SolutionView]) -> io::Result<()> {
    if plans.is_empty() {
        return screen.nothing("no plans; `git wf plan ISSUE --task TITLE` makes one");
    }
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("BOUND"),
        Column::left("REVIEW").spare(),
        Column::right("TASKS").spare(),
        Column::right("OWN SCORE").spare(),
        Column::right("QUALITY"),
        Column::left("RISK").spare(),
        Column::flexible("DESCRIPTION"),
    ]);
    for it in plans {
        let risk = it.typed.analysis.as_ref().and_then(|analysis| analysis.risk.clone()).unwrap_or_default();
        table.row([
            Cell::new(screen.id(it.id.as_str()), style::ID),
            match (it.is_bound, &it.withdrawn) {
                (true, None) => Cell::new("bound", style::GOOD),
                (true, Some(_)) => Cell::new("bound, withdrawn", style::WARN),
                (false, Some(_)) => Cell::new("withdrawn", style::DIM),
                (false, None) => Cell::from(""),
            },
            review::cell(it),
            Cell::from(it.task_count.to_string()),
            Cell::from(it.typed.score.map(|score| score.to_string()).unwrap_or_default()),
            Cell::new(format!("{:.2}", it.quality), quality_style(it)),
            Cell::from(risk),
            Cell::from(it.typed.description.clone().unwrap_or_default()),
        ]);
    }
    table.print(screen)
}

/// The quality of a plan.
pub(in crate::cli) fn quality(screen: &Screen, plan: &SolutionView) -> String {
    screen.painter().paint(quality_style(plan), &format!("{:.2}", plan.quality)).to_string()
}

/// A plan that was withdrawn, or is a candidate again.
pub(in crate::cli) fn withdrawn(screen: &mut Screen, it: &SolutionView, is_changed: bool) -> io::Result<()> {
    let id = screen.painter().paint(style::ID, screen.id(it.id.as_str()));
    match (&it.withdrawn, is_changed) {
        (Some(_), true) => writeln!(screen, "withdrew {id}"),
        (None, true) => writeln!(screen, "{id} can be bound again"),
        (Some(_), false) => writeln!(screen, "{id} is already withdrawn; nothing changed"),
        (None, false) => writeln!(screen, "{id} is not withdrawn; nothing changed"),
    }
}

/// How two plans differ, task by task.
pub(in crate::cli) fn diff(screen: &mut Screen, it: &PlanDiff) -> io::Result<()> {
    let painter = screen.painter();
    for (sign, look, side) in [("---", style::BAD, &it.from), ("+++", style::GOOD, &it.to)] {
        let at = time::when(side.at);
        let sign = painter.paint(look, sign);
        let id = painter.paint(style::ID, side.solution_id.as_str());
        writeln!(screen, "{sign} {id} ({at})  {}", clean_line(&side.description))?;
    }
    if it.changes.is_empty() {
        return writeln!(screen, "no difference");
    }
    let changes: Vec<FieldChange> = it.changes.iter().map(|it| it.change.clone()).collect();
    let heading =
        |_: &str, id: &str| format!("{id} {}", it.titles.get(id).map(String::as_str).unwrap_or_default());
    diff_print::print(&changes, 0, heading, screen)
}
