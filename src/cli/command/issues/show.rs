use std::io::Write;

use crate::cli::command::issues::list;
use crate::cli::print::queue as queue_print;
use crate::cli::print::review as review_print;
use crate::cli::print::solution as solution_print;
use crate::cli::{Context, Exit, Failure, Outcome, answer, existing};
use crate::index::Needs;
use crate::model::execution::Execution;
use crate::model::id::ExecutionId;
use crate::ops::queue::World;
use crate::rules::facts;
use crate::rules::folder::{IssueFolder, StandingComment};
use crate::store::resolve::{self, Known};
use crate::store::{Snapshot, Store};
use crate::trail::reach::Unreached;
use crate::ui::{self, style};

/// Show an issue, plan, execution, queue or item
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or an unambiguous prefix of it or of its last part
    id: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (snapshot, known) = named(&store, &args.id, context)?;
    match known {
        Known::Issue(id) => {
            let folder = existing(&snapshot, &id)?;
            warn_broken(&folder, context);
            let unreached = unreached(&store, &folder);
            if context.json() {
                context.screen.print_json(&answer::issue_with_all(&folder, &unreached))?;
            } else {
                print_issue(&folder, &unreached, store.now()?.millis(), context)?;
            }
        }
        Known::Solution(id) => solution_print::show(&existing(&snapshot, &id.issue())?, &id, context)?,
        Known::Execution(id) => show_execution(&store, &snapshot, &id, context)?,
        Known::Queue(id) => {
            let session = context.session()?;
            queue_print::show(&World::now(&session)?.1, &id, store.now()?.millis(), context)?;
        }
        Known::Item(queue, solution) => {
            let session = context.session()?;
            queue_print::show_item(&World::now(&session)?.1, &queue, &solution, context)?;
        }
    }
    Ok(Exit::Done)
}

/// The commits of an issue that nothing leads to. Where git cannot tell, the rest is shown all the same.
pub(in crate::cli) fn unreached(store: &Store, folder: &IssueFolder) -> Unreached {
    Unreached::of(store, folder.executions.iter()).unwrap_or_default()
}

/// What an id names, and the state in which it does. An exact one is looked up in the tree.
pub(in crate::cli) fn named<'a>(
    store: &'a Store,
    text: &str,
    context: &Context,
) -> Result<(Snapshot<'a>, Known), Failure> {
    let snapshot = store.snapshot()?;
    if let Some(known) = resolve::exact(&snapshot, text)? {
        return Ok((snapshot, known));
    }
    let (index, known) = context.ask(store, Needs::ROWS, |index| index.resolve(text))?;
    Ok((index.snapshot()?, known?))
}

fn warn_broken(folder: &IssueFolder, context: &Context) {
    for (path, why) in &folder.broken {
        context.warn(&format!("`{path}`: {why}"));
    }
}

fn field(context: &mut Context, name: &str, value: &str) -> std::io::Result<()> {
    let label = context.screen.painter().paint(style::DIM, &format!("{name:<12}"));
    writeln!(context.screen, "{label} {}", ui::text::clean_line(value))
}

fn print_issue(
    folder: &IssueFolder,
    unreached: &Unreached,
    now: i64,
    context: &mut Context,
) -> Result<(), Failure> {
    let issue = &folder.issue.record;
    let status = facts::status(folder);
    let times = facts::times(folder);
    let painter = context.screen.painter();
    writeln!(
        context.screen,
        "{}  {}",
        painter.paint(style::ID, issue.id.as_str()),
        painter.paint(style::HEADING, &issue.title)
    )?;
    let label = painter.paint(style::DIM, &format!("{:<12}", "status"));
    writeln!(context.screen, "{label} {}", painter.paint(list::status_style(status), status.as_str()))?;
    field(context, "priority", issue.priority.name())?;
    field(
        context,
        "author",
        &format!("{}, {}", issue.author, ui::time::ago(now, issue.created_at.millis())),
    )?;
    let optional = [
        ("type", issue.issue_type.clone()),
        ("assignee", issue.assignee.clone()),
        ("tags", joined(&issue.tags)),
        ("components", joined(&issue.affected_components)),
        ("depends on", joined(&issue.depends_on)),
        ("relations", joined(&issue.relations)),
        ("url", issue.source_url.clone()),
        ("closed", issue.close_reason.clone()),
        ("changed", times.updated_at.map(|at| ui::time::ago(now, at.millis()))),
        ("plan", issue.bound_solution_id.as_ref().map(ToString::to_string)),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            field(context, name, &value)?;
        }
    }
    let long = [
        (None, issue.context.clone()),
        (Some("expected"), issue.expected_behavior.clone()),
        (Some("actual"), issue.actual_behavior.clone()),
        (Some("location"), issue.extended_context.location.clone()),
        (Some("suggested fix"), issue.extended_context.suggested_fix.clone()),
        (Some("notes"), issue.extended_context.notes.as_ref().map(note_text)),
    ];
    for (heading, text) in long {
        if let Some(text) = text {
            section(context, heading)?;
            writeln!(context.screen, "{}", ui::text::indent(&text, 4))?;
        }
    }
    for StandingComment { comment, replaces } in folder.standing_comments() {
        let edited = match replaces.first() {
            Some(first) if first.author != comment.author => {
                format!(", in place of a comment by {}", first.author)
            }
            Some(_) => ", edited".to_owned(),
            None => String::new(),
        };
        let heading =
            format!("{}, {}{edited}", comment.author, ui::time::ago(now, comment.created_at.millis()));
        section(context, Some(&heading))?;
        writeln!(context.screen, "{}", ui::text::indent(&comment.body, 4))?;
    }
    print_work(folder, unreached, now, context)
}

fn note_text(notes: &serde_json::Value) -> String {
    notes.as_str().map_or_else(|| serde_json::to_string_pretty(notes).unwrap_or_default(), str::to_owned)
}

fn section(context: &mut Context, heading: Option<&str>) -> std::io::Result<()> {
    writeln!(context.screen)?;
    if let Some(heading) = heading {
        let shown = context.screen.painter().paint(style::HEADING, heading);
        writeln!(context.screen, "{shown}")?;
    }
    Ok(())
}

fn print_work(
    folder: &IssueFolder,
    unreached: &Unreached,
    now: i64,
    context: &mut Context,
) -> Result<(), Failure> {
    let painter = context.screen.painter();
    if !folder.solutions.is_empty() {
        section(context, Some("plans"))?;
    }
    for solution in folder.solutions.iter().map(|s| &s.record) {
        let plan = solution.typed_plan();
        let bound = if folder.issue.record.bound_solution_id.as_ref() == Some(&solution.id) {
            " (bound)"
        } else {
            ""
        };
        let review = review_print::suffix(folder, solution, context);
        writeln!(
            context.screen,
            "    {}{bound}  {}{review}  {}",
            painter.paint(style::ID, solution.id.as_str()),
            ui::text::count(plan.tasks.len(), "task"),
            ui::text::clean_line(plan.description.as_deref().unwrap_or_default())
        )?;
        review_print::reviews(folder, solution, 8, context)?;
    }
    let executions = answer::executions_within(folder, unreached);
    if !executions.is_empty() {
        section(context, Some("executions"))?;
    }
    for it in &executions {
        print_execution(&it.execution, it, now, context)?;
    }
    if !folder.feedback.is_empty() {
        section(context, Some("feedback"))?;
    }
    for feedback in &folder.feedback {
        let line = ui::text::clean_line(&feedback.content);
        let when = ui::time::ago(now, feedback.created_at.millis());
        writeln!(context.screen, "    {} ({}), {when}: {line}", feedback.kind, feedback.stage)?;
    }
    Ok(())
}

fn print_execution(
    execution: &Execution,
    it: &answer::ExecutionAnswer,
    now: i64,
    context: &mut Context,
) -> Result<(), Failure> {
    let painter = context.screen.painter();
    writeln!(
        context.screen,
        "    {}  attempt {}, {}, by {}, {}{}",
        painter.paint(style::ID, execution.id.short()),
        execution.attempt,
        it.status,
        ui::text::clean_line(&execution.actor),
        ui::time::ago(now, execution.started_at.millis()),
        ui::text::clean_line(&it.end_note())
    )?;
    for commit in &it.commits {
        print_commit(commit, 8, context)?;
    }
    if let Some(message) = it.failure.as_ref().and_then(|failure| failure.message.as_ref()) {
        writeln!(context.screen, "        {}", painter.paint(style::BAD, message))?;
    }
    Ok(())
}

fn show_execution(
    store: &Store,
    snapshot: &Snapshot<'_>,
    id: &ExecutionId,
    context: &mut Context,
) -> Result<(), Failure> {
    let folder = existing(snapshot, &id.issue())?;
    let executions = answer::executions_within(&folder, &unreached(store, &folder));
    let Some(it) = executions.iter().find(|it| it.execution.id == *id) else {
        return Err(Failure::unreadable(&format!("execution `{id}`")));
    };
    if context.json() {
        context.screen.print_json(it)?;
        return Ok(());
    }
    let execution = &it.execution;
    let painter = context.screen.painter();
    writeln!(
        context.screen,
        "{}  {}",
        painter.paint(style::ID, execution.id.short()),
        painter.paint(style::HEADING, &folder.issue.record.title)
    )?;
    let branch = execution.branch.as_deref().map(|name| name.strip_prefix("refs/heads/").unwrap_or(name));
    let lease = if store.now()? > execution.lease_expires_at { "lease ended" } else { "lease until" };
    let fields = [
        ("status", Some(it.status.to_string())),
        ("attempt", Some(execution.attempt.to_string())),
        ("plan", Some(format!("{} at {}", execution.solution_id, execution.plan_digest))),
        ("by", Some(execution.actor.clone())),
        ("role", execution.role.clone()),
        ("branch", branch.map(str::to_owned)),
        ("worktree", execution.worktree.clone()),
        ("began", Some(execution.started_at.to_string())),
        (lease, it.finished_at.is_none().then(|| execution.lease_expires_at.to_string())),
        ("ended", it.finished_at.map(|at| at.to_string())),
        ("ended by", it.ended_by.clone()),
        ("override", it.forced.clone()),
        ("done", it.result.as_ref().and_then(|result| result.summary.clone())),
        ("failed", it.failure.as_ref().and_then(|failure| failure.message.clone())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            field(context, name, &value)?;
        }
    }
    if !it.commits.is_empty() {
        section(context, Some("commits"))?;
    }
    for commit in &it.commits {
        print_commit(commit, 4, context)?;
    }
    Ok(())
}

fn print_commit(commit: &answer::CommitAnswer, indent: usize, context: &mut Context) -> std::io::Result<()> {
    let hash = commit.link.hash.short();
    let hash = context.screen.painter().paint(style::WARN, hash);
    let task = commit
        .link
        .task_id
        .as_deref()
        .map_or(String::new(), |task| format!(" [{}]", ui::text::clean_line(task)));
    let subject = ui::text::clean_line(&commit.link.subject);
    writeln!(context.screen, "{:indent$}{hash}{task} {subject}{}", "", commit.whereabouts())
}

fn joined<T: ToString>(set: &std::collections::BTreeSet<T>) -> Option<String> {
    (!set.is_empty()).then(|| set.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}
