//! Claims.

use std::io::{self, Write};

use crate::cli::print::with_remedies;
use crate::model::{Branch, IssueStatus};
use crate::ops::work::{
    Accepted, ChangedExecution, ClaimView, Lease, PlaceView, PreparedView, PrimedTask, Retried, Started,
};
use crate::ui::{Cell, Column, Screen, Table, clean_line, count, style, time};

/// Prints a claim for people.
pub(in crate::cli) fn claim(screen: &mut Screen, claim: &ClaimView) -> io::Result<()> {
    let painter = screen.painter();
    let verb = match (claim.is_new, claim.supersedes.is_empty()) {
        (true, true) => "claimed",
        (true, false) => "took over",
        (false, _) => "already claimed",
    };
    let item = claim.item_id.as_ref().map(|item| format!(" {item}")).unwrap_or_default();
    let on = claim.branch.as_ref().map(|branch| format!(" on branch {}", clean_line(branch.short())));
    let on = on.unwrap_or_default();
    writeln!(
        screen,
        "{verb}{item}{on}: {} (attempt {})",
        painter.paint(style::ID, claim.solution_id.as_str()),
        claim.attempt
    )?;
    writeln!(screen, "  {}", painter.paint(style::HEADING, &claim.title))?;
    if let Some(path) = &claim.path {
        writeln!(screen, "  in {}", clean_line(&path.to_string_lossy()))?;
    }
    if let Some(prepared) = &claim.prepared {
        preparation(screen, prepared)?;
    }
    writeln!(
        screen,
        "  lease {} {}{}{}",
        if claim.has_expired { "expired at" } else { "until" },
        time::point(claim.lease_expires_at),
        renewed_by(claim),
        match (claim.attempt > 1, &claim.task) {
            (true, _) => "; `git wf show` shows the plan and how earlier attempts ended",
            (false, None) => "; `git wf show` shows the plan",
            (false, Some(_)) => "",
        }
    )?;
    if !claim.hooks_installed && !claim.hooks_are_off {
        let lost = "the hooks are not installed, so commits are not linked and do not renew the lease";
        writeln!(screen, "  {lost}; `git wf hooks install` installs them")?;
    }
    claim.task.as_ref().map_or(Ok(()), |it| task(screen, it))
}

/// What renews the lease of a claim, after a comma.
fn renewed_by(claim: &ClaimView) -> &'static str {
    match (claim.hooks_installed, &claim.via) {
        (true, None) => ", renewed by each commit",
        (true, Some(_)) => ", renewed by each commit, which others see once it is pushed",
        (false, _) => "",
    }
}

/// How a worktree was prepared; nothing if it needed nothing.
fn preparation(screen: &mut Screen, prepared: &PreparedView) -> io::Result<()> {
    let counts = [
        (prepared.files, "ignored file"),
        (prepared.submodules.len(), "submodule"),
        (prepared.commands, "setup command"),
    ];
    let counted = counts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| count(*number, what));
    let counted = counted.collect::<Vec<_>>().join(", ");
    if counted.is_empty() {
        return Ok(());
    }
    write!(screen, "  prepared: {counted}")?;
    if let Some(PlaceView { slot, port, name }) = &prepared.place {
        write!(screen, "; WF_SLOT={slot} WF_PORT={port} WF_NAME={name}")?;
    }
    writeln!(screen)
}

/// A task to work on, with its criteria, tests and files.
fn task(screen: &mut Screen, it: &PrimedTask) -> io::Result<()> {
    let painter = screen.painter();
    writeln!(screen, "\n{}: {}", painter.paint(style::ID, &it.id), clean_line(&it.title))?;
    if let Some(text) = &it.description {
        writeln!(screen, "  {}", clean_line(text))?;
    }
    for criterion in &it.criteria {
        let mark = if criterion.is_accepted { " (accepted)" } else { "" };
        writeln!(
            screen,
            "  {}.{} {}{mark}",
            clean_line(&it.id),
            criterion.number,
            clean_line(&criterion.text)
        )?;
    }
    for test in &it.tests {
        writeln!(screen, "  test: {}", clean_line(test))?;
    }
    if !it.files.is_empty() {
        let files: Vec<_> = it.files.iter().map(|file| clean_line(file)).collect();
        writeln!(screen, "  files: {}", files.join(", "))?;
    }
    let more = if it.left_out > 0 { format!("{} more of these and ", it.left_out) } else { String::new() };
    writeln!(screen, "  `git wf show` shows {more}the whole plan")
}

/// The task that was started.
pub(in crate::cli) fn started(screen: &mut Screen, it: &Started) -> io::Result<()> {
    let painter = screen.painter();
    let (task, plan) =
        (painter.paint(style::ID, &it.task_id), painter.paint(style::ID, it.solution_id.as_str()));
    writeln!(screen, "working on {task} of {plan}")?;
    self::task(screen, &it.task)
}

/// A criterion that was confirmed.
pub(in crate::cli) fn accepted(screen: &mut Screen, it: &Accepted) -> io::Result<()> {
    let (number, task) = (it.number, clean_line(&it.task));
    writeln!(screen, "confirmed criterion {number} of {task}: {}", clean_line(&it.criterion))
}

/// Work that someone vouched for.
pub(in crate::cli) fn vouched(screen: &mut Screen, it: &ChangedExecution) -> io::Result<()> {
    writeln!(screen, "vouched for {}", it.execution.execution.solution_id)
}

/// An execution that was completed.
pub(in crate::cli) fn completed(screen: &mut Screen, it: &ChangedExecution) -> io::Result<()> {
    let (of, commits) = (&it.execution.execution, count(it.effective_commits.unwrap_or(0), "commit"));
    let (plan, issue, status) = (&of.solution_id, &of.issue_id, it.issue_status);
    writeln!(screen, "completed {plan} with {commits}; {issue} is {status}")
}

/// An execution that failed, and the next steps for its issue.
pub(in crate::cli) fn failed(screen: &mut Screen, it: &ChangedExecution) -> io::Result<()> {
    let (issue, status) = (&it.execution.execution.issue_id, it.issue_status);
    writeln!(
        screen,
        "{issue} {}; `git wf retry {issue}` queues it again, `git wf plan add {issue} FILE` adds another plan",
        if status == IssueStatus::Failed { "failed".to_owned() } else { format!("is {status}") }
    )
}

/// Issues that are queued again, and what their items wait for.
pub(in crate::cli) fn retried(screen: &mut Screen, all: &[Retried]) -> io::Result<()> {
    for Retried { issue, waits_for } in all {
        writeln!(screen, "{} is {} again", issue.issue.id, issue.derived.status)?;
        for it in waits_for {
            writeln!(screen, "  waiting: {}", clean_line(&with_remedies(&it.reason, &it.remedies)))?;
        }
    }
    Ok(())
}

/// A claim that was renewed.
pub(in crate::cli) fn renewed(screen: &mut Screen, lease: &Lease) -> io::Result<()> {
    writeln!(screen, "{} is yours until {}", lease.solution_id, time::point(lease.lease_expires_at))
}

/// A claim that was released.
pub(in crate::cli) fn released(screen: &mut Screen, it: &ChangedExecution) -> io::Result<()> {
    let of = &it.execution.execution;
    writeln!(screen, "released {}; {} is {}", of.solution_id, of.issue_id, it.issue_status)
}

/// The claims, one per line; `now` in milliseconds.
pub(in crate::cli) fn leases(screen: &mut Screen, leases: &[Lease], now: i64) -> io::Result<()> {
    if leases.is_empty() {
        return screen.nothing("no claims; `git wf next` makes one");
    }
    let mut table = Table::new([
        Column::left("ITEM"),
        Column::left("PLAN"),
        Column::left("UNTIL"),
        Column::flexible("BRANCH"),
        Column::flexible("WORKTREE").spare(),
        Column::left("REMOTE").spare(),
        Column::flexible("HOLDER").spare(),
    ]);
    for lease in leases {
        let until = time::ago(now, lease.lease_expires_at.millis());
        let until =
            if lease.expired { Cell::new(format!("expired {until}"), style::BAD) } else { Cell::from(until) };
        table.row([
            Cell::from(lease.item_id.as_ref().map(ToString::to_string).unwrap_or_default()),
            Cell::new(screen.id(lease.solution_id.as_str()), style::ID),
            until,
            Cell::from(lease.branch.as_ref().map_or_else(String::new, Branch::to_string)),
            Cell::from(lease.worktree.clone().unwrap_or_default()),
            Cell::from(lease.via.clone().unwrap_or_default()),
            Cell::from(lease.actor.as_str()),
        ]);
    }
    table.print(screen)
}
