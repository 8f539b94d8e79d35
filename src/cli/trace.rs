use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer_schema::{IssueShown, ItemShown, SolutionShown};
use super::world::World;
use super::{Context, Exit, Failure, Outcome, answer, existing, list, queue_print, review_print};
use crate::index::{Index, IndexError, Needs};
use crate::model::execution::{CommitLink, LinkedBy};
use crate::model::id::ExecutionId;
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::rules::readiness::{ItemView, QueueView};
use crate::store::resolve::{Known, ResolveError};
use crate::store::{Snapshot, Store};
use crate::trail::trace::{CommitFacts, commit, issues_of};
use crate::ui::style;
use crate::ui::text::{clean_line, count};

/// Follow the work: from a commit to its task, plan and issue, or from an issue down to its commits
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An id, or anything that git takes for a commit
    #[arg(value_name = "ID|COMMIT")]
    of: String,
}

/// What `trace` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Trace {
    /// What was asked for: an id, or the full hash of a commit.
    query: String,
    /// The commit, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<CommitFacts>,
    /// The executions that link it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    linked_by: Vec<ExecutionId>,
    /// The issues with their plans, items, executions and commits.
    issues: Vec<TracedIssue>,
}

/// An issue and all that came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TracedIssue {
    /// The issue as `list` shows it.
    #[schemars(with = "IssueShown")]
    issue: Value,
    /// Its plans as `solution show` shows them.
    #[schemars(with = "Vec<SolutionShown>")]
    solutions: Vec<Value>,
    /// Its items with their queues.
    #[schemars(with = "Vec<ItemShown>")]
    items: Vec<Value>,
    /// Its executions with their commits and checks.
    executions: Vec<answer::ExecutionAnswer>,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (mut index, known) = context.ask(&store, Needs::ROWS, |index| index.resolve(&args.of))?;
    let found = find(&store, &index, known, &args.of)?;
    let views = views(&found, &mut index, context)?;
    if context.json() {
        let issues = found.folders.iter().map(|(folder, _)| TracedIssue {
            issue: answer::issue(folder),
            solutions: folder.solutions.iter().map(|s| answer::solution(folder, &s.record)).collect(),
            items: items_of(folder, &views)
                .map(|(queue, it)| {
                    let mut value = answer::item(it);
                    value["queue_id"] = serde_json::json!(queue.queue.id);
                    value
                })
                .collect(),
            executions: answer::executions(folder),
        });
        let trace = Trace {
            issues: issues.collect(),
            linked_by: found.folders.iter().flat_map(|(_, links)| links.clone()).collect(),
            query: found.query,
            commit: found.commit,
        };
        context.screen.print_json(&trace)?;
        return Ok(Exit::Done);
    }
    if let Some(commit) = &found.commit {
        print_commit(commit, &found.folders, context)?;
    }
    for (folder, _) in &found.folders {
        print_issue(folder, &views, found.commit.as_ref(), context)?;
    }
    Ok(Exit::Done)
}

struct Found {
    query: String,
    commit: Option<CommitFacts>,
    folders: Vec<(IssueFolder, Vec<ExecutionId>)>,
}

/// An id of ours beats a name of git's: ids are longer and say what they are.
fn find(
    store: &Store,
    index: &Index<'_>,
    known: Result<Known, ResolveError>,
    text: &str,
) -> Result<Found, Failure> {
    let snapshot = index.snapshot()?;
    match known {
        Ok(known) => of_id(&snapshot, &known, text),
        Err(ResolveError::Store(error)) => Err(error.into()),
        Err(other) => match commit(store, text)? {
            Some(commit) => of_commit(index, commit),
            None if matches!(other, ResolveError::Ambiguous { .. }) => Err(other.into()),
            None => Err(Failure::new("not-found", format!("`{text}` is neither an id here nor a commit"))
                .hint("`git wf list --all` and `git log --oneline` show what there is")),
        },
    }
}

/// The state of all queues, on which that of each item depends; none where no item is to be shown.
fn views(found: &Found, index: &mut Index<'_>, context: &Context) -> Result<Vec<QueueView>, Failure> {
    if let Ok(views) = views_in(found, index) {
        return Ok(views);
    }
    context.replace(index, Needs::ROWS)?;
    Ok(views_in(found, index)?)
}

fn views_in(found: &Found, index: &Index<'_>) -> Result<Vec<QueueView>, IndexError> {
    for (folder, _) in &found.folders {
        if index.has_items(&folder.issue.record.id)? {
            let (queues, facts) = index.queues()?;
            return Ok(World { queues, facts }.views());
        }
    }
    Ok(Vec::new())
}

fn of_id(snapshot: &Snapshot<'_>, known: &Known, text: &str) -> Result<Found, Failure> {
    let Some(issue) = known.issue() else {
        let Known::Queue(queue) = known else {
            return Err(Failure::usage(format!("`{text}` cannot be traced"))
                .hint("trace an issue, a plan, an execution, an item, a queue or a commit"));
        };
        let folder = crate::store::records::queue(snapshot, queue)?;
        let mut folders = Vec::new();
        for item in folder.iter().flat_map(|queue| &queue.items).filter(|item| !item.is_removed()) {
            folders.extend(
                crate::store::records::issue(snapshot, &item.issue_id)?.map(|folder| (folder, vec![])),
            );
        }
        return Ok(Found { query: queue.to_string(), commit: None, folders });
    };
    Ok(Found { query: text.to_owned(), commit: None, folders: vec![(existing(snapshot, &issue)?, vec![])] })
}

fn of_commit(index: &Index<'_>, commit: CommitFacts) -> Result<Found, Failure> {
    let folders = issues_of(index, &commit.hash)?;
    Ok(Found { query: commit.hash.clone(), commit: Some(commit), folders })
}

fn items_of<'a>(
    folder: &'a IssueFolder,
    views: &'a [QueueView],
) -> impl Iterator<Item = (&'a QueueView, &'a ItemView)> {
    let issue = &folder.issue.record.id;
    views.iter().flat_map(move |view| {
        view.items.iter().filter(move |it| it.item.issue_id == *issue).map(move |it| (view, it))
    })
}

fn print_commit(
    commit: &CommitFacts,
    folders: &[(IssueFolder, Vec<ExecutionId>)],
    context: &mut Context,
) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let short = commit.hash.get(..10).unwrap_or(&commit.hash);
    writeln!(context.screen, "commit {} {}", painter.paint(style::WARN, short), clean_line(&commit.subject))?;
    writeln!(context.screen, "  by {}", clean_line(&commit.author))?;
    if folders.is_empty() {
        let line = match commit.trailers.as_slice() {
            [] => "no execution links this commit, and its message names none".to_owned(),
            trailers => {
                format!("no execution here links this commit; its message says {}", trailers.join(", "))
            }
        };
        writeln!(context.screen, "  {}", painter.paint(style::DIM, &line))?;
    }
    for (folder, links) in folders {
        for execution in folder.executions.iter().filter(|it| links.contains(&it.execution.id)) {
            let linked = execution
                .commits()
                .into_iter()
                .find(|it| it.link.hash == commit.hash || it.rewritten_from.contains(&commit.hash));
            let it = &execution.execution;
            let task = linked.as_ref().and_then(|commit| commit.link.task_id.clone());
            let task = task.map(|task| format!("task {task} of ")).unwrap_or_default();
            writeln!(
                context.screen,
                "  carries out {}{}{}",
                clean_line(&task),
                painter.paint(style::ID, it.solution_id.as_str()),
                linked.as_ref().map(|commit| how(&commit.link)).unwrap_or_default()
            )?;
            if let Some(now) = linked.filter(|linked| linked.link.hash != commit.hash) {
                let short = now.link.hash.get(..10).unwrap_or(&now.link.hash).to_owned();
                writeln!(context.screen, "  rewritten since: now {}", painter.paint(style::WARN, &short))?;
            }
        }
    }
    Ok(())
}

fn print_issue(
    folder: &IssueFolder,
    views: &[QueueView],
    asked: Option<&CommitFacts>,
    context: &mut Context,
) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let issue = &folder.issue.record;
    let status = facts::status(folder);
    writeln!(
        context.screen,
        "issue {} {} ({})",
        painter.paint(style::ID, issue.id.as_str()),
        painter.paint(style::HEADING, &issue.title),
        painter.paint(list::status_style(status), status.as_str())
    )?;
    for solution in folder.solutions.iter().map(|s| &s.record) {
        let bound = if issue.bound_solution_id.as_ref() == Some(&solution.id) { ", bound" } else { "" };
        let plan = solution.typed_plan();
        let digest = solution.plan_digest();
        writeln!(
            context.screen,
            "  plan {} ({}{bound}) {}",
            painter.paint(style::ID, solution.id.as_str()),
            count(plan.tasks.len(), "task"),
            painter.paint(style::DIM, digest.get(..19).unwrap_or(&digest))
        )?;
        for task in &plan.tasks {
            writeln!(
                context.screen,
                "    {} {}",
                painter.paint(style::ID, &task.id),
                clean_line(&task.title)
            )?;
        }
        review_print::reviews(folder, solution, 4, context)?;
        for (queue, it) in items_of(folder, views).filter(|(_, it)| it.item.solution_id == solution.id) {
            writeln!(
                context.screen,
                "    queued as {} of {} ({})",
                it.item.item_id,
                queue.queue.id,
                painter.paint(queue_print::status_style(it.status), it.status.as_str())
            )?;
        }
        for execution in
            answer::executions(folder).iter().filter(|it| it.execution.solution_id == solution.id)
        {
            print_execution(execution, asked, context)?;
        }
    }
    Ok(())
}

/// How a commit came to be linked, where no hook saw it being made.
fn how(link: &CommitLink) -> &'static str {
    match link.linked_by {
        LinkedBy::Hook => "",
        LinkedBy::Trailer => " (linked by its trailers)",
        LinkedBy::Manual => " (linked by hand)",
        LinkedBy::Relink => " (linked afterwards)",
    }
}

fn print_execution(
    it: &answer::ExecutionAnswer,
    asked: Option<&CommitFacts>,
    context: &mut Context,
) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let branch = it.execution.branch.as_deref().map(|name| name.strip_prefix("refs/heads/").unwrap_or(name));
    let on = branch.map(|branch| format!(" on {branch}")).unwrap_or_default();
    writeln!(
        context.screen,
        "    executed as {} (attempt {}, {}) by {}{}",
        painter.paint(style::ID, it.execution.id.as_str()),
        it.execution.attempt,
        it.status,
        clean_line(&it.execution.actor),
        clean_line(&on)
    )?;
    for commit in &it.commits {
        let short = commit.link.hash.get(..10).unwrap_or(&commit.link.hash);
        let task = commit.link.task_id.as_deref().map(|task| format!(" [{task}]")).unwrap_or_default();
        let is_asked = asked.is_some_and(|asked| asked.hash == commit.link.hash);
        writeln!(
            context.screen,
            "      commit {}{} {}{}{}",
            painter.paint(style::WARN, short),
            clean_line(&task),
            clean_line(&commit.link.subject),
            how(&commit.link),
            if is_asked { "  <- this one" } else { "" }
        )?;
        for old in &commit.rewritten_from {
            writeln!(context.screen, "        was {}", clean_line(old.get(..10).unwrap_or(old)))?;
        }
    }
    if let Some(message) = it.failure.as_ref().and_then(|failure| failure.message.as_ref()) {
        writeln!(context.screen, "      failed: {}", painter.paint(style::BAD, message))?;
    }
    if let Some(summary) = it.result.as_ref().and_then(|result| result.summary.as_ref()) {
        writeln!(context.screen, "      done: {}", clean_line(summary))?;
    }
    Ok(())
}
