//! Why lines of a file exist.

use std::io::{self, Write};

use crate::cli::print::remedy::command;
use crate::model::task_id::listed;
use crate::model::{Op, RemedyCall};
use crate::ops::trail::{Explained, Origin, Why};
use crate::page::words::{agent_note, end_note, provenance_line};
use crate::ui::{Cell, Column, Screen, Table, clean_line, count, style};

/// Each span of lines with the plan that it comes from.
pub(in crate::cli) fn why(screen: &mut Screen, why: &Why) -> io::Result<()> {
    match why.spans.as_slice() {
        [span] => one(&why.file, span, screen),
        many => table(why, many, screen),
    }
}

/// What is known about lines that do not come from an execution.
fn without_plan(span: &Explained) -> String {
    match (&span.commit, &span.unlinked_from) {
        (None, _) => "not committed yet".into(),
        (Some(commit), Some(plan)) => {
            let again = RemedyCall::new(Op::Link, [commit.hash.short(), plan.as_str()]);
            format!("its link to {plan} was removed by hand; `{}` links it again", command(&again))
        }
        (Some(commit), None) if commit.trailers.is_empty() => "no plan".into(),
        (Some(commit), None) => {
            format!(
                "its message says {}, but no execution here links it; `git wf link --find` may link it",
                commit.trailers.join(", ")
            )
        }
    }
}

fn one(file: &str, span: &Explained, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let lines = if span.first_line == span.last_line {
        format!("{file}:{}", span.first_line)
    } else {
        format!("{file}:{}-{}", span.first_line, span.last_line)
    };
    let text = match span.lines.first() {
        Some(line) if span.first_line == span.last_line => line.trim(),
        _ => "",
    };
    writeln!(screen, "{}  {}", painter.paint(style::HEADING, &clean_line(&lines)), clean_line(text))?;
    if let Some(commit) = &span.commit {
        writeln!(
            screen,
            "  commit {} {}",
            painter.paint(style::WARN, commit.hash.short()),
            clean_line(&commit.subject)
        )?;
        writeln!(screen, "    by {}", clean_line(&commit.author))?;
        for it in &commit.provenance {
            writeln!(screen, "    {}", clean_line(&provenance_line(it)))?;
        }
        if let Some(path) = &span.path_then {
            writeln!(screen, "    in {}, as the file was called then", clean_line(path))?;
        }
    }
    if span.origins.is_empty() {
        writeln!(screen, "  {}", painter.paint(style::DIM, &without_plan(span)))?;
    }
    span.origins.iter().try_for_each(|origin| print_origin(origin, screen))
}

fn print_origin(origin: &Origin, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    for (verb, hashes) in [("reverts", &origin.reverts), ("reapplies", &origin.reapplies)] {
        for hash in hashes {
            writeln!(screen, "  {verb} {}", painter.paint(style::WARN, hash.short()))?;
        }
    }
    if let Some(task) = &origin.task_id {
        let title = origin.task_title.as_deref().unwrap_or_default();
        writeln!(screen, "  task {} {}", painter.paint(style::ID, task), clean_line(title))?;
    }
    for task in &origin.other_task_ids {
        writeln!(screen, "  task {}", painter.paint(style::ID, &clean_line(task)))?;
    }
    let plan = origin.plan.as_deref().unwrap_or_default();
    writeln!(
        screen,
        "  plan {} {}",
        painter.paint(style::ID, origin.solution_id.as_str()),
        clean_line(plan)
    )?;
    writeln!(
        screen,
        "    executed as {} (attempt {}, {}) by {}{}{}",
        painter.paint(style::ID, origin.execution_id.short()),
        origin.attempt,
        origin.status,
        clean_line(&origin.actor),
        clean_line(&agent_note(origin.made_by.as_ref())),
        clean_line(&end_note(&origin.actor, origin.ended_by.as_deref(), origin.forced.as_deref()))
    )?;
    writeln!(
        screen,
        "  issue {} {}",
        painter.paint(style::ID, origin.issue_id.as_str()),
        clean_line(&origin.issue_title)
    )?;
    Ok(())
}

fn table(why: &Why, spans: &[Explained], screen: &mut Screen) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("LINES"),
        Column::left("COMMIT"),
        Column::left("ISSUE"),
        Column::left("TASK"),
        Column::flexible("WHY"),
    ]);
    for span in spans {
        let lines = if span.first_line == span.last_line {
            span.first_line.to_string()
        } else {
            format!("{}-{}", span.first_line, span.last_line)
        };
        let commit = span.commit.as_ref().map(|commit| commit.hash.short()).unwrap_or_default();
        let head = [Cell::from(lines), Cell::new(commit, style::WARN)];
        if span.origins.is_empty() {
            let why = Cell::new(without_plan(span), style::DIM);
            table.row(head.clone().into_iter().chain([Cell::from(""), Cell::from(""), why]));
        }
        for origin in &span.origins {
            let tasks = listed(origin.task_id.iter().chain(&origin.other_task_ids)).unwrap_or_default();
            let issue = Cell::new(origin.issue_id.as_str(), style::ID);
            let reason = Cell::from(origin.task_title.as_deref().unwrap_or(&origin.issue_title));
            table.row(head.clone().into_iter().chain([issue, Cell::from(tasks), reason]));
        }
    }
    table.print(screen)?;
    if screen.is_terminal() {
        let lines = count(usize::try_from(why.line_count).unwrap_or(usize::MAX), "line");
        let note = format!("{} of {lines} come from a plan", why.planned_line_count);
        let note = screen.painter().paint(style::DIM, &note);
        writeln!(screen, "{note}")?;
    }
    Ok(())
}
