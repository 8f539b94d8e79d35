//! Runs.

use std::io::{self, Write};

use super::run_lines::text_lines;
use crate::model::{Branch, IssueId, OrderKind, Run, RunStep};
use crate::page;
use crate::page::looks::stage_style;
use crate::page::run_report::{crew, left_out, waiting_words};
use crate::rules::Counts;
use crate::rules::run::breach_words;
use crate::run::{AnsweredRun, Driven, LoggedView, RunDiff, RunSummary, RunView, SteeredRun};
use crate::ui::{Cell, Column, Screen, Table, clean_line, count, style, time};

/// Prints runs, one per line; `now` is in milliseconds.
pub(in crate::cli) fn list(screen: &mut Screen, runs: &[RunSummary], now: i64) -> io::Result<()> {
    if runs.is_empty() {
        return screen.nothing("no runs; `git wf run ISSUE` starts one");
    }
    let mut table = Table::new([
        Column::left("RUN"),
        Column::left("MODE").spare(),
        Column::left("STATUS"),
        Column::left("ISSUES"),
        Column::left("CHANGED").spare(),
        Column::flexible("STARTED BY"),
    ]);
    for run in runs {
        table.row([
            Cell::new(screen.id(run.id.as_str()), style::ID),
            Cell::from(run.mode.as_str()),
            Cell::from(run.words()),
            Cell::from(outcome(run.counts, run.waiting_count + run.question_count)),
            Cell::from(time::ago(now, run.updated_at.millis())),
            Cell::from(run.actor.as_str()),
        ]);
    }
    table.print(screen)
}

/// Who drives a run that has not ended, and how it continues.
fn driver(screen: &mut Screen, view: &RunView) -> io::Result<()> {
    let id = &view.run.id;
    match view.driven {
        Driven::Ended => Ok(()),
        Driven::Here => match view.process {
            Some(process) => writeln!(screen, "  process {process} drives it"),
            None => Ok(()),
        },
        Driven::Interrupted => {
            let why = match &view.stopped_by {
                Some(who) => format!("{} stopped it", clean_line(who)),
                None => "the process that drove it is gone".to_owned(),
            };
            writeln!(screen, "  {why}; `git wf run resume {id}` continues it")
        }
        Driven::Elsewhere => {
            writeln!(
                screen,
                "  another clone drives it, or was the last to; `git wf sync` fetches its progress"
            )
        }
    }
}

/// Prints what an agent has changed so far.
pub(in crate::cli) fn diff(screen: &mut Screen, diff: &RunDiff) -> io::Result<()> {
    if diff.patch.is_empty() {
        return screen.nothing("nothing is changed yet");
    }
    screen.verbatim()?;
    diff.patch.lines().try_for_each(|line| writeln!(screen, "{}", clean_line(line)))
}

/// The branch of a run, if any work was merged into it.
fn branch_with_work(view: &RunView) -> Option<&Branch> {
    let has_work = view.state.completed_actions.iter().any(|action| action.starts_with("integrate"));
    if has_work { view.branch.as_ref() } else { None }
}

/// `3 of 5 completed, 1 failed`
fn outcome(counts: Counts, waiting: usize) -> String {
    let Counts { total_issues, completed_count, failed_count } = counts;
    let failed = if failed_count > 0 { format!(", {failed_count} failed") } else { String::new() };
    format!("{completed_count} of {total_issues} completed{failed}{}", waiting_words(waiting))
}

/// A run in one line of text, for someone who chooses one.
pub(in crate::cli) fn in_one_line(run: &RunSummary, now: i64) -> String {
    let (id, mode, ago) = (&run.id, run.mode, time::ago(now, run.updated_at.millis()));
    let waiting = run.waiting_count + run.question_count;
    format!("{id}  {mode}, {}, changed {ago}", outcome(run.counts, waiting))
}

/// Prints what a run was told.
pub(in crate::cli) fn steered(screen: &mut Screen, told: &SteeredRun) -> io::Result<()> {
    let run = screen.id(told.run_id.as_str());
    let issues: Vec<&str> = told.issue_ids.iter().map(IssueId::as_str).collect();
    let issues = issues.join(", ");
    match told.order {
        OrderKind::Stop => writeln!(screen, "{run} stops the work on {issues}")?,
        OrderKind::Pause => writeln!(screen, "{run} starts no further step")?,
        OrderKind::Resume => writeln!(screen, "{run} continues")?,
        OrderKind::Add => writeln!(screen, "{run} adds {issues}")?,
    }
    if told.driven == Driven::Elsewhere {
        writeln!(screen, "  its driver sees that when it next fetches")?;
    }
    Ok(())
}

/// Prints what a run was answered.
pub(in crate::cli) fn answered(screen: &mut Screen, told: &AnsweredRun) -> io::Result<()> {
    let run = screen.id(told.run_id.as_str());
    writeln!(screen, "{run} is answered `{}` about {}", clean_line(&told.answer), told.issue_id)?;
    if told.driven == Driven::Elsewhere {
        writeln!(screen, "  its driver sees that when it next fetches")?;
    }
    Ok(())
}

/// Prints a run with its issues; `now` is in milliseconds.
pub(in crate::cli) fn run(screen: &mut Screen, view: &RunView, now: i64) -> io::Result<()> {
    let (painter, run, state) = (screen.painter(), &view.run, &view.state);
    writeln!(
        screen,
        "{} {}, {}, started {} by {}",
        painter.paint(style::ID, run.id.as_str()),
        painter.paint(style::HEADING, &view.words()),
        run.mode,
        time::ago(now, run.created_at.millis()),
        clean_line(&run.actor)
    )?;
    let steps: Vec<&str> = run.steps.iter().map(|step: &RunStep| step.verb()).collect();
    writeln!(
        screen,
        "  {}; {}",
        outcome(state.context, view.waiting_count + view.questions.len()),
        steps.join(" → ")
    )?;
    agents(screen, run)?;
    if let Some(confinement) = &view.confinement {
        writeln!(screen, "  {}", clean_line(confinement))?;
    }
    driver(screen, view)?;
    if view.is_paused {
        writeln!(screen, "  it is paused; `git wf run resume {}` continues it", run.id)?;
    }
    for question in &view.questions {
        let (issue, id) = (&question.issue_id, screen.painter().paint(style::ID, question.issue_id.as_str()));
        writeln!(screen, "  {id}: {}", question.question)?;
        for plan in &question.plans {
            writeln!(screen, "    `git wf run answer {issue} {plan}` executes this plan")?;
        }
        if question.plans.is_empty() {
            writeln!(screen, "    `git wf run answer {issue} retry` tries it again")?;
            writeln!(screen, "    `git wf run answer {issue} skip` goes on without it")?;
            writeln!(screen, "    `git wf run answer {issue} abort` stops the run")?;
        }
    }
    for limited in &view.limited_agents {
        let until = time::point(limited.until);
        writeln!(screen, "  agent {} is limited until {until}", clean_line(&limited.agent))?;
    }
    for place in &view.workplaces {
        let line = page::terminal::painted(screen, &page::home::workplace(place));
        writeln!(screen, "  {line}")?;
    }
    if let Some(branch) = branch_with_work(view) {
        let place = if view.lacks_branch {
            ", which is not in this clone: push it from the clone of the run".to_owned()
        } else {
            String::new()
        };
        writeln!(
            screen,
            "  the work of completed issues is on the branch {}{place}",
            clean_line(branch.short())
        )?;
    }
    issues(screen, view)?;
    if let Some(folder) = &view.transcripts {
        writeln!(screen, "transcripts of the agents: {}", clean_line(folder))?;
    }
    for line in view.left_out.iter().map(left_out) {
        writeln!(screen, "{}", painter.paint(style::WARN, &line))?;
    }
    for breach in &view.breaches {
        let words = breach_words(breach, str::to_owned);
        writeln!(screen, "{} {}", painter.paint(style::WARN, "breach:"), clean_line(&words))?;
    }
    if !state.errors.is_empty() {
        let (were, them) = if state.errors.len() == 1 { ("was", "it") } else { ("were", "them") };
        let errors = count(state.errors.len(), "error");
        writeln!(screen, "{errors} {were} recorded; `git wf run log {}` shows {them}", run.id)?;
    }
    Ok(())
}

/// The issues of a run, and what went wrong with them.
fn issues(screen: &mut Screen, view: &RunView) -> io::Result<()> {
    let issues: Vec<_> = view.run.issue_ids.iter().filter_map(|id| view.state.issues.get(id)).collect();
    let mut table = Table::new([
        Column::left("ISSUE"),
        Column::left("STATUS"),
        Column::left("PLAN").spare(),
        Column::flexible("TITLE"),
    ]);
    for issue in &issues {
        table.row([
            Cell::new(issue.id.as_str(), style::ID),
            Cell::new(issue.status.as_str(), stage_style(issue.status)),
            Cell::from(issue.solution_id.as_ref().map_or("", |id| screen.id(id.as_str()))),
            match issue.title.as_str() {
                "" => Cell::new("missing here", style::DIM),
                title => Cell::from(title),
            },
        ]);
    }
    table.print(screen)?;
    for issue in issues {
        if let Some(error) = &issue.error
            && !view.chosen_since.contains(&issue.id)
        {
            let id = screen.painter().paint(style::BAD, issue.id.as_str());
            writeln!(screen, "{id}: {}", text_lines(error))?;
        }
    }
    Ok(())
}

/// Who takes part.
pub(super) fn agents(screen: &mut Screen, run: &Run) -> io::Result<()> {
    crew(&run.agents).map_or(Ok(()), |crew| writeln!(screen, "  {crew}"))
}

/// Prints the log of a run, one entry per line.
pub(in crate::cli) fn log(screen: &mut Screen, entries: &[LoggedView]) -> io::Result<()> {
    if entries.is_empty() {
        return writeln!(screen, "the log is empty");
    }
    for entry in entries {
        let at = screen.painter().paint(style::DIM, &entry.entry.at.to_string());
        writeln!(screen, "{at} {}", clean_line(&entry.words))?;
    }
    Ok(())
}

/// What the last lines of a run depend on.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct RunEnd {
    /// Whether the repository has no work tree.
    pub(in crate::cli) is_bare: bool,
    /// Whether completed work waits to be landed, as far as this clone can tell.
    pub(in crate::cli) waits: bool,
}

/// A run that came to its end, and how its work is taken over.
pub(in crate::cli) fn ended(screen: &mut Screen, view: &RunView, now: i64, end: RunEnd) -> io::Result<()> {
    run(screen, view, now)?;
    if view.waiting_count > 0 || view.state.context.failed_count > 0 {
        writeln!(
            screen,
            "`git wf run report {}` shows what waits for you, and the command for each",
            view.run.id
        )?;
    }
    let branch = if end.waits && !view.lacks_branch { branch_with_work(view) } else { None };
    let Some(branch) = branch else { return Ok(()) };
    writeln!(screen, "`git wf land {}` tests the work and lands it", view.run.id)?;
    // A bare repository has nothing checked out to merge into.
    if !end.is_bare {
        writeln!(
            screen,
            "`git merge {}` merges the work into the current branch",
            clean_line(&branch.operand())
        )?;
    }
    Ok(())
}
