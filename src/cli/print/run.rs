//! Runs.

use std::io::{self, Write};

use crate::model::id::IssueId;
use crate::model::run::{Run, RunStep};
use crate::ops::work::run::{LoggedView, RunSummary, RunView};
use crate::rules::run::{Counts, IssueStage};
use crate::ui::style::{self, Style};
use crate::ui::text::{clean_line, count};
use crate::ui::{Cell, Column, Screen, Table, time};

/// Prints runs, one per line; `now` is in milliseconds.
pub(in crate::cli) fn list(screen: &mut Screen, runs: &[RunSummary], now: i64) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("RUN"),
        Column::left("MODE"),
        Column::left("STATUS"),
        Column::left("PHASE"),
        Column::left("ISSUES"),
        Column::left("CHANGED"),
        Column::flexible("STARTED BY"),
    ]);
    for run in runs {
        table.row([
            Cell::new(run.id.as_str(), style::ID),
            Cell::from(run.mode.as_str()),
            Cell::from(run.status.as_str()),
            Cell::from(run.phase.as_str()),
            Cell::from(outcome(run.counts)),
            Cell::from(time::ago(now, run.updated_at.millis())),
            Cell::from(run.actor.as_str()),
        ]);
    }
    table.print(screen)
}

/// `3 of 5 completed, 1 failed`
fn outcome(counts: Counts) -> String {
    let Counts { total_issues, completed_count, failed_count } = counts;
    let failed = if failed_count > 0 { format!(", {failed_count} failed") } else { String::new() };
    format!("{completed_count} of {total_issues} completed{failed}")
}

/// Prints a run with its issues; `now` is in milliseconds.
pub(in crate::cli) fn run(screen: &mut Screen, view: &RunView, now: i64) -> io::Result<()> {
    let (painter, run, state) = (screen.painter(), &view.run, &view.state);
    writeln!(
        screen,
        "{} {} ({}), {}, started {} by {}",
        painter.paint(style::ID, run.id.as_str()),
        painter.paint(style::HEADING, state.status.as_str()),
        state.phase,
        run.mode,
        time::ago(now, run.created_at.millis()),
        clean_line(&run.actor)
    )?;
    let steps: Vec<&str> = run.steps.iter().map(|step: &RunStep| step.as_str()).collect();
    writeln!(screen, "  {}; {}", outcome(state.context), steps.join(" → "))?;
    agents(screen, run)?;
    if let Some(branch) = &run.branch {
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        writeln!(screen, "  the work of completed issues is on the branch {}", clean_line(branch))?;
    }
    let mut table = Table::new([
        Column::left("ISSUE"),
        Column::left("STATUS"),
        Column::left("PLAN"),
        Column::flexible("TITLE"),
    ]);
    for issue in run.issue_ids.iter().filter_map(|id| state.issues.get(id)) {
        table.row([
            Cell::new(issue.id.as_str(), style::ID),
            Cell::new(issue.status.as_str(), colour(issue.status)),
            Cell::from(issue.solution_id.as_ref().map(ToString::to_string).unwrap_or_default()),
            Cell::from(issue.title.as_str()),
        ]);
    }
    table.print(screen)?;
    for issue in run.issue_ids.iter().filter_map(|id| state.issues.get(id)) {
        if let Some(error) = &issue.error {
            writeln!(screen, "{}: {}", painter.paint(style::BAD, issue.id.as_str()), clean_line(error))?;
        }
    }
    if !state.errors.is_empty() {
        let errors = count(state.errors.len(), "error");
        writeln!(screen, "{errors} in all; `git wf run log {}` shows them", run.id)?;
    }
    Ok(())
}

/// Who takes part.
fn agents(screen: &mut Screen, run: &Run) -> io::Result<()> {
    let agents = [
        ("explorer", &run.agents.explorer),
        ("planner", &run.agents.planner),
        ("reviewer", &run.agents.reviewer),
        ("executor", &run.agents.executor),
    ];
    let agents: Vec<String> = agents
        .into_iter()
        .filter_map(|(role, name)| name.as_ref().map(|name| format!("{role} {}", clean_line(name))))
        .collect();
    if !agents.is_empty() {
        writeln!(screen, "  {}", agents.join(", "))?;
    }
    Ok(())
}

fn colour(stage: IssueStage) -> Style {
    match stage {
        IssueStage::Completed => style::GOOD,
        IssueStage::Failed => style::BAD,
        IssueStage::Registered => style::DIM,
        IssueStage::Planning | IssueStage::Planned | IssueStage::Executing => style::PLAIN,
    }
}

/// Prints the log of a run, one entry per line.
pub(in crate::cli) fn log(screen: &mut Screen, entries: &[LoggedView]) -> io::Result<()> {
    for entry in entries {
        let at = screen.painter().paint(style::DIM, &entry.entry.at.to_string());
        writeln!(screen, "{at} {}", clean_line(&entry.words))?;
    }
    Ok(())
}

/// A run that would be begun.
pub(in crate::cli) fn dry(screen: &mut Screen, run: &Run) -> io::Result<()> {
    let issues: Vec<&str> = run.issue_ids.iter().map(IssueId::as_str).collect();
    let steps: Vec<&str> = run.steps.iter().map(|step| step.as_str()).collect();
    writeln!(screen, "{} over {}", run.mode, issues.join(", "))?;
    writeln!(screen, "  {}", steps.join(" → "))?;
    let limits = run.limits;
    let tried = match limits.retries {
        0 => String::new(),
        1 => ", a failed one tried again once".to_owned(),
        n => format!(", a failed one tried again at most {n} times"),
    };
    writeln!(screen, "  at once: {} planned, {} executed{tried}", limits.plan_jobs, limits.jobs)?;
    agents(screen, run)?;
    writeln!(screen, "nothing was started")
}

/// A run that came to its end, and how its work is taken over.
pub(in crate::cli) fn ended(screen: &mut Screen, view: &RunView, now: i64) -> io::Result<()> {
    run(screen, view, now)?;
    if let Some(branch) = view.run.branch.as_deref().filter(|_| view.state.context.completed_count > 0) {
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        writeln!(screen, "`git merge {}` merges the work into the current branch", clean_line(branch))?;
    }
    Ok(())
}
