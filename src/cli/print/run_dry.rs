//! What a run would do.

use std::io::{self, Write};

use super::run::agents;
use crate::model::{IssueId, RunPhase};
use crate::run::{DryIssue, DryRun};
use crate::ui::{Cell, Column, Screen, Table, count, style};

/// Each issue on a line, with its steps in each phase.
pub(in crate::cli) fn dry(screen: &mut Screen, dry: &DryRun) -> io::Result<()> {
    let (run, limits) = (&dry.run, dry.run.limits);
    let tried = match limits.retries {
        0 => String::new(),
        1 => ", and retries a failure once".to_owned(),
        n => format!(", and retries a failure at most {n} times"),
    };
    writeln!(screen, "mode {}, {}", run.mode, count(dry.issues.len(), "issue"))?;
    writeln!(
        screen,
        "  plans {} and executes {} at a time{tried}",
        limits.plan_jobs,
        count(usize::try_from(limits.jobs).unwrap_or(usize::MAX), "issue")
    )?;
    for (budget, of) in [(&run.budget, "the run"), (&run.issue_budget, "each issue")] {
        if let Some(budget) = budget {
            writeln!(screen, "  a budget of {budget} for {of}")?;
        }
    }
    agents(screen, run)?;
    let mut table = Table::new([
        Column::left("ISSUE"),
        Column::left("STATUS"),
        Column::left("FIRST").spare(),
        Column::left("PLANNING"),
        Column::left("EXECUTING"),
        Column::left("WAITS FOR"),
        Column::flexible("TITLE"),
    ]);
    for issue in &dry.issues {
        let steps = |phase: RunPhase| {
            let taken = issue.steps.iter().filter(|step| step.phase == phase);
            Cell::from(taken.map(|step| step.action.verb()).collect::<Vec<_>>().join(", "))
        };
        table.row([
            Cell::new(issue.issue_id.as_str(), style::ID),
            Cell::from(issue.status.as_str()),
            steps(RunPhase::Listing),
            steps(RunPhase::Planning),
            steps(RunPhase::Executing),
            Cell::new(waits_for(issue), style::WARN),
            Cell::from(issue.title.as_str()),
        ]);
    }
    table.print(screen)?;
    writeln!(screen, "nothing was started")
}

/// Why it is not executed, or else what it is executed after.
fn waits_for(issue: &DryIssue) -> String {
    let DryIssue { waits_for, blocked, person, .. } = issue;
    let stops = blocked.as_ref().or(person.as_ref()).cloned();
    stops.unwrap_or_else(|| waits_for.iter().map(IssueId::as_str).collect::<Vec<_>>().join(", "))
}
