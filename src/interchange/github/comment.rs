//! The comment for a GitHub issue after its plan was executed: approach, tasks, commits, changed files, verification.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::model::hidden::visibly;
use crate::model::{Event, ExecutionStatus, Plan, Task};
use crate::rules::{ExecutionFolder, LinkedCommit, reply_task};

/// Longer lists of files are cut, and end in a number.
const MOST_FILES: usize = 50;

/// The comment, in Markdown. It quotes the plan and the commits, never what a test printed.
pub(crate) fn completion(plan: &Plan, execution: &ExecutionFolder) -> String {
    let mut text = String::new();
    let head = match execution.outcome() {
        ExecutionStatus::Completed => "## Completed",
        ExecutionStatus::Failed => "## Attempted, without success",
        // The reply is the last task.
        ExecutionStatus::Executing if reply_task::open_work(plan, execution).is_empty() => "## Completed",
        ExecutionStatus::Executing | ExecutionStatus::Superseded => "## In progress",
    };
    let _ = writeln!(text, "{head}");
    let summary = execution.result().and_then(|result| result.summary.as_deref());
    paragraph(&mut text, None, summary.or(plan.description.as_deref()));
    paragraph(&mut text, Some("Approach"), plan.approach.as_deref());
    let commits = execution.commits();
    let tasks: Vec<&Task> = plan.tasks.iter().filter(|task| !reply_task::is_reply(task)).collect();
    section(&mut text, "Tasks", tasks.iter().map(|task| task_line(task, &commits)));
    section(&mut text, "Commits", commits.iter().map(commit_line));
    section(&mut text, "Changed files", changed(execution, &commits).into_iter());
    section(&mut text, "Verification", verification(execution).into_iter());
    let _ = writeln!(text, "\n{}", reply_task::mark(&execution.execution.id));
    visibly(&text).into_owned()
}

fn paragraph(text: &mut String, heading: Option<&str>, body: Option<&str>) {
    let Some(body) = body.map(str::trim).filter(|body| !body.is_empty()) else { return };
    if let Some(heading) = heading {
        let _ = write!(text, "\n### {heading}\n");
    }
    let _ = writeln!(text, "\n{body}");
}

fn section(text: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        let _ = write!(text, "\n### {heading}\n\n");
    }
    for line in lines {
        let _ = writeln!(text, "- {line}");
    }
}

/// `**T1** Keep tokens longer (`src/a.rs`) — abc1234567`
fn task_line(task: &Task, commits: &[LinkedCommit]) -> String {
    let files: BTreeSet<&str> = task.places().map(|place| place.path).collect();
    let files: Vec<String> = files.into_iter().map(code).collect();
    let files = if files.is_empty() { String::new() } else { format!(" ({})", files.join(", ")) };
    let own = commits.iter().filter(|commit| commit.link.tasks().any(|id| *id == task.id));
    let hashes: Vec<String> = own.map(short).collect();
    let hashes = if hashes.is_empty() { String::new() } else { format!(" — {}", hashes.join(", ")) };
    format!("**{}** {}{files}{hashes}", line(&task.id), line(&task.title))
}

fn commit_line(commit: &LinkedCommit) -> String {
    format!("{} {}", short(commit), line(&commit.link.subject))
}

fn short(commit: &LinkedCommit) -> String {
    commit.link.hash.short().to_owned()
}

/// The files that the execution reports, or else those of its commits.
fn changed(execution: &ExecutionFolder, commits: &[LinkedCommit]) -> Vec<String> {
    let reported = execution.result().map(|result| result.files_modified.as_slice()).unwrap_or_default();
    let mut files: BTreeSet<&str> = reported.iter().map(String::as_str).collect();
    if files.is_empty() {
        files = commits.iter().flat_map(|commit| &commit.link.files).map(String::as_str).collect();
    }
    let more = files.len().saturating_sub(MOST_FILES);
    let mut lines: Vec<String> = files.into_iter().take(MOST_FILES).map(code).collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The last check of each test command, and the criteria that someone confirmed.
fn verification(execution: &ExecutionFolder) -> Vec<String> {
    let accepted = execution.log.iter().filter_map(|entry| match &entry.event {
        Event::Accept(accept) => Some(format!(
            "{}, criterion {}: {}",
            line(&accept.task_id),
            accept.criterion,
            line(&accept.evidence)
        )),
        _ => None,
    });
    execution
        .last_checks()
        .into_iter()
        .map(|(check, _)| format!("{} {}", code(&check.command), check.outcome()))
        .chain(accepted)
        .collect()
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as inline code that nothing in it can end.
fn code(text: &str) -> String {
    let text = line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}
