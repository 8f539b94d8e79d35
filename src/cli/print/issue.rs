//! An issue and an execution in full.

use std::io::{self, Write};

use crate::cli::print::execution::{agent_note, session_line};
use crate::cli::print::feedback::heading;
use crate::cli::print::issues::status_style;
use crate::cli::print::{review, with_remedies};
use crate::model::branch::Branch;
use crate::model::id::SolutionId;
use crate::model::status::{ExecutionStatus, IssueStatus};
use crate::model::task_id::listed;
use crate::model::time::Time;
use crate::ops::issues::{CommentView, Contents, IssueView, Related, ShownExecution};
use crate::ops::work::{CommitView, ExecutionView};
use crate::rules::readiness;
use crate::ui::settings::UiSettings;
use crate::ui::text::{clean_line, count, indent};
use crate::ui::{Cell, Column, Screen, Table, markdown, style, time};

fn field(screen: &mut Screen, name: &str, value: &str) -> io::Result<()> {
    let label = screen.painter().label(name);
    writeln!(screen, "{label} {}", clean_line(value))
}

/// An issue with everything in its directory.
pub(in crate::cli) fn show(screen: &mut Screen, view: &IssueView, now: i64) -> io::Result<()> {
    let issue = &view.issue;
    let status = view.derived.status;
    let painter = screen.painter();
    writeln!(
        screen,
        "{}  {}",
        painter.paint(style::ID, issue.id.as_str()),
        painter.paint(style::HEADING, &issue.title)
    )?;
    let label = painter.label("status");
    let words = match status {
        IssueStatus::Cancelled => "closed as cancelled".into(),
        _ => view.derived.status_words(),
    };
    writeln!(screen, "{label} {}", painter.paint(status_style(status), &words))?;
    field(screen, "priority", issue.priority.name())?;
    field(screen, "author", &format!("{}, {}", issue.author, time::ago(now, issue.created_at.millis())))?;
    let optional = [
        ("type", issue.issue_type.clone()),
        ("assignee", issue.assignee.clone()),
        ("tags", joined(&issue.tags)),
        ("components", joined(&issue.affected_components)),
        ("depends on", joined(&issue.depends_on)),
        ("relations", joined(&issue.relations)),
        ("closed", closed(view, now)),
        ("changed", view.derived.updated_at.map(|at| time::ago(now, at.millis()))),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            field(screen, name, &value)?;
        }
    }
    if let Some(id) = &issue.bound_solution_id {
        bound_plan(screen, view, id)?;
    }
    if let Some(url) = &issue.source_url {
        let label = painter.label("url");
        writeln!(screen, "{label} {}", painter.link(url, clean_line(url).into_owned()))?;
    }
    let written = [
        (None, issue.context.clone()),
        (Some("expected"), issue.expected_behavior.clone()),
        (Some("actual"), issue.actual_behavior.clone()),
        (Some("location"), issue.extended_context.location.clone()),
        (Some("suggested fix"), issue.extended_context.suggested_fix.clone()),
        (Some("design"), issue.extended_context.design.clone()),
        (Some("notes"), issue.extended_context.notes.as_ref().map(note_text)),
    ];
    for (heading, text) in written {
        if let Some(text) = text {
            section(screen, heading)?;
            let text = markdown::indented(screen, &text, 4);
            writeln!(screen, "{text}")?;
        }
    }
    let from_the_source =
        [("other fields of the source", kept(view)), ("imported", issue.imported.as_ref().map(note_text))];
    for (heading, text) in from_the_source {
        if let Some(text) = text {
            section(screen, Some(heading))?;
            writeln!(screen, "{}", indent(&text, 4))?;
        }
    }
    let Some(contents) = &view.contents else { return Ok(()) };
    related(screen, "parts", &contents.children)?;
    related(screen, "needed by", &contents.dependents)?;
    for it in &contents.comments {
        let CommentView { comment, is_withdrawn, hidden, replaces } = it;
        let edited = match replaces.first() {
            Some(first) if first.author != comment.author => {
                format!(", replacing a comment by {}", first.author)
            }
            Some(_) => ", edited".to_owned(),
            None => String::new(),
        };
        let edited = if *is_withdrawn { ", withdrawn".to_owned() } else { edited };
        let hidden = hidden.as_ref().map(|why| format!(", hidden by moderators: {why}")).unwrap_or_default();
        let heading =
            format!("{}, {}{edited}{hidden}", comment.author, time::ago(now, comment.created_at.millis()));
        let painter = screen.painter();
        writeln!(
            screen,
            "\n{} {}",
            painter.paint(style::HEADING, &heading),
            painter.paint(style::DIM, &format!("(comment {})", contents.name_of(it).short()))
        )?;
        if !is_withdrawn {
            writeln!(screen, "{}", markdown::indented(screen, &comment.body, 4))?;
        }
    }
    work(screen, contents, now)?;
    left_out(screen, view, contents)
}

/// The bound plan. If it was withdrawn, which only a merge can bring about, says what to do.
fn bound_plan(screen: &mut Screen, view: &IssueView, id: &SolutionId) -> io::Result<()> {
    field(screen, "plan", id.as_str())?;
    let mut plans = view.contents.iter().flat_map(|it| &it.solutions);
    let Some(why) = plans.find(|it| it.id == *id).and_then(|it| it.withdrawn.as_ref()) else {
        return Ok(());
    };
    let what = format!("it was withdrawn: {why}");
    let line = with_remedies(&what, &readiness::withdrawn(&view.issue.id, id).into_vec());
    let painter = screen.painter();
    writeln!(screen, "{} {}", painter.label(""), painter.paint(style::WARN, &line))
}

/// Names what is not shown, and the commands that show it.
fn left_out(screen: &mut Screen, view: &IssueView, contents: &Contents) -> io::Result<()> {
    let bound = view.issue.bound_solution_id.as_ref();
    let plan = bound.or_else(|| contents.solutions.last().map(|plan| &plan.id));
    let plan = plan.map(|id| format!("`git wf show {id}` shows the tasks of the plan"));
    let ended = contents.executions.last().filter(|it| !it.checks.is_empty() || !it.sessions.is_empty());
    let ended = ended.map(|it| format!("`git wf show {}` shows its last execution", it.execution.id.short()));
    let all: Vec<String> = plan.into_iter().chain(ended).collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(screen, "\n{}", screen.painter().paint(style::DIM, &all.join("; ")))
}

/// Lists related issues, one per line.
fn related(screen: &mut Screen, heading: &str, issues: &[Related]) -> io::Result<()> {
    if issues.is_empty() {
        return Ok(());
    }
    section(screen, Some(heading))?;
    let mut table = Table::new([Column::left(""), Column::left(""), Column::left(""), Column::flexible("")]);
    for it in issues {
        table.row([
            Cell::from("  "),
            Cell::new(screen.id(it.id.as_str()), style::ID),
            Cell::new(it.status.as_str(), status_style(it.status)),
            Cell::from(it.title.as_str()),
        ]);
    }
    table.print(screen)
}

/// When and why it was closed or cancelled.
fn closed(view: &IssueView, now: i64) -> Option<String> {
    let at = view.derived.closed_at.map(|at| time::ago(now, at.millis()));
    let parts: Vec<String> = at.into_iter().chain(view.issue.close_reason.clone()).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What the source's record says and no field here can hold, one line each.
fn kept(view: &IssueView) -> Option<String> {
    let line = |(name, value): (&String, &serde_json::Value)| {
        format!("{name}: {}", clean_line(&value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
    };
    (!view.kept.is_empty()).then(|| view.kept.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn note_text(notes: &serde_json::Value) -> String {
    notes.as_str().map_or_else(|| format!("{notes:#}"), str::to_owned)
}

fn section(screen: &mut Screen, heading: Option<&str>) -> io::Result<()> {
    writeln!(screen)?;
    if let Some(heading) = heading {
        let shown = screen.painter().paint(style::HEADING, heading);
        writeln!(screen, "{shown}")?;
    }
    Ok(())
}

fn work(screen: &mut Screen, contents: &Contents, now: i64) -> io::Result<()> {
    let painter = screen.painter();
    if !contents.solutions.is_empty() {
        section(screen, Some("plans"))?;
    }
    for plan in &contents.solutions {
        let bound = match (plan.is_bound, &plan.withdrawn) {
            (true, Some(_)) => " (bound, but withdrawn)",
            (true, None) => " (bound)",
            (false, Some(_)) => " (withdrawn)",
            (false, None) => "",
        };
        let reviewed = review::suffix(plan, screen);
        let (margin, gap) = margin_and_gap();
        writeln!(
            screen,
            "{margin}{}{bound}{gap}{}{reviewed}{gap}{}",
            painter.paint(style::ID, plan.id.as_str()),
            count(plan.task_count, "task"),
            clean_line(plan.typed.description.as_deref().unwrap_or_default())
        )?;
        review::reviews(&plan.reviews, &plan.plan_digest, 8, screen)?;
    }
    if !contents.executions.is_empty() {
        section(screen, Some("executions"))?;
    }
    let completed = contents.executions.iter().filter(|it| it.status == ExecutionStatus::Completed).count();
    for it in &contents.executions {
        attempt(screen, it, completed > 1, now)?;
    }
    if !contents.feedback.is_empty() {
        section(screen, Some("feedback"))?;
    }
    for feedback in &contents.feedback {
        let line = clean_line(&feedback.content);
        let when = time::ago(now, feedback.created_at.millis());
        writeln!(screen, "    {}, {when}: {line}", heading(feedback))?;
    }
    if !contents.explorations.is_empty() {
        section(screen, Some("explorations"))?;
    }
    for it in &contents.explorations {
        let (who, when) = (clean_line(&it.author), time::ago(now, it.created_at.millis()));
        let complexity = it.found.complexity_assessment;
        writeln!(screen, "    {} by {who}, {when}: {complexity} complexity", it.depth)?;
        for finding in &it.found.key_findings {
            writeln!(screen, "        {}", clean_line(finding))?;
        }
        let files: Vec<&str> = it.found.relevant_files.iter().map(|file| file.path.as_str()).collect();
        if !files.is_empty() {
            writeln!(screen, "        {}", clean_line(&files.join(", ")))?;
        }
    }
    if !contents.overrides.is_empty() {
        section(screen, Some("overrides"))?;
    }
    for it in &contents.overrides {
        let when = time::ago(now, it.at.millis());
        let (operation, person, reason) =
            (clean_line(&it.operation), clean_line(&it.person), clean_line(&it.reason));
        writeln!(screen, "    {operation} by {person}, {when}: {reason}")?;
    }
    Ok(())
}

/// What comes before a row, and between its parts; nothing is aligned for screen readers.
fn margin_and_gap() -> (&'static str, &'static str) {
    if UiSettings::get().is_plain { ("", ", ") } else { ("    ", "  ") }
}

/// One execution in the list of its issue. If there are several results, each is shown with the person who reported
/// it.
fn attempt(screen: &mut Screen, it: &ExecutionView, is_one_of_several: bool, now: i64) -> io::Result<()> {
    let execution = &it.execution;
    let painter = screen.painter();
    let (margin, gap) = margin_and_gap();
    writeln!(
        screen,
        "{margin}{}{gap}attempt {}, {}, by {}, {}{}",
        painter.paint(style::ID, execution.id.short()),
        execution.attempt,
        it.status_words(),
        clean_line(&execution.actor),
        time::ago(now, execution.started_at.millis()),
        clean_line(&it.end_note())
    )?;
    for commit in &it.commits {
        print_commit(commit, 8, screen)?;
    }
    if let Some(message) = it.failure.as_ref().and_then(|failure| failure.message.as_ref()) {
        writeln!(screen, "        {}", painter.paint(style::BAD, message))?;
    }
    if let Some(summary) = it.result.as_ref().and_then(|result| result.summary.as_ref())
        && (is_one_of_several || !it.other_ends.is_empty())
    {
        writeln!(screen, "        done: {}", clean_line(summary))?;
    }
    for landing in &it.lands {
        writeln!(screen, "        {}", clean_line(&landing.words()))?;
    }
    for end in &it.other_ends {
        writeln!(screen, "        {}", clean_line(&end.note()))?;
    }
    Ok(())
}

/// One execution in full.
pub(in crate::cli) fn execution(screen: &mut Screen, shown: &ShownExecution, now: Time) -> io::Result<()> {
    let it = &shown.execution;
    let execution = &it.execution;
    let painter = screen.painter();
    writeln!(
        screen,
        "{}  {}",
        painter.paint(style::ID, execution.id.short()),
        painter.paint(style::HEADING, &shown.title)
    )?;
    let branch = execution.branch.as_ref();
    let lease = if now > execution.lease_expires_at { "lease ended" } else { "lease until" };
    let fields = [
        ("status", Some(it.status.to_string())),
        ("attempt", Some(execution.attempt.to_string())),
        ("plan", Some(format!("{} at {}", execution.solution_id, execution.plan_digest))),
        ("by", Some(execution.actor.to_string())),
        ("role", execution.role.clone()),
        ("branch", branch.map(Branch::to_string)),
        ("worktree", execution.worktree.clone()),
        ("began", Some(time::when(execution.started_at))),
        (lease, it.finished_at.is_none().then(|| time::point(execution.lease_expires_at))),
        ("ended", it.finished_at.map(time::when)),
        ("ended by", it.ended_by.as_ref().map(ToString::to_string)),
        ("override", it.forced.clone()),
        ("done", it.result.as_ref().and_then(|result| result.summary.clone())),
        ("failed", it.failure.as_ref().and_then(|failure| failure.message.clone())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            field(screen, name, &value)?;
        }
    }
    for landing in &it.lands {
        field(screen, "landed", &format!("{} ({})", landing.words(), time::when(landing.landed_at)))?;
    }
    for end in &it.other_ends {
        writeln!(screen, "{}", clean_line(&end.note()))?;
    }
    if !it.sessions.is_empty() {
        section(screen, Some("agents"))?;
    }
    for session in &it.sessions {
        writeln!(screen, "    {}", clean_line(&session_line(session)))?;
    }
    if !it.commits.is_empty() {
        section(screen, Some("commits"))?;
    }
    for commit in &it.commits {
        print_commit(commit, 4, screen)?;
    }
    Ok(())
}

fn print_commit(commit: &CommitView, indent: usize, screen: &mut Screen) -> io::Result<()> {
    let hash = commit.link.hash.short();
    let hash = screen.painter().paint(style::WARN, hash);
    let task =
        listed(commit.link.tasks()).map_or(String::new(), |tasks| format!(" [{}]", clean_line(&tasks)));
    let subject = clean_line(&commit.link.subject);
    let agent = agent_note(commit.made_by.as_ref());
    let agent = clean_line(&agent);
    writeln!(screen, "{:indent$}{hash}{task} {subject}{agent}{}", "", commit.location_note())
}

fn joined<T: ToString>(set: &std::collections::BTreeSet<T>) -> Option<String> {
    (!set.is_empty()).then(|| set.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}
