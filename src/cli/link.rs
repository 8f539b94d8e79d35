use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Context, Exit, Failure, Outcome, existing, plan_of_issue};
use crate::model::execution::{Event, LinkedBy, Unlink};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, SolutionId};
use crate::model::plan::Plan;
use crate::rules::folder::ExecutionFolder;
use crate::store::resolve::{self, Known};
use crate::store::{CodeCommit, Read, Store, object_id, records};
use crate::trail::trace::{self, CommitFacts};
use crate::trail::{links, trailers};
use crate::ui::style;
use crate::ui::text::clean_line;

/// Link commits to a plan by hand
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The commits, followed by the plan (or an execution, item or issue of it)
    #[arg(required = true, num_args = 2.., value_names = ["COMMIT", "SOLUTION"])]
    ids: Vec<String>,
    /// The task the commits carry out
    #[arg(long, value_name = "ID")]
    task: Option<String>,
}

/// One commit that `link` or `unlink` was asked about.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkAnswer {
    /// The full object id.
    pub(super) commit: CommitHash,
    /// The first line of its message.
    pub(super) subject: String,
    /// The execution.
    pub(super) execution_id: ExecutionId,
    /// Its plan.
    pub(super) solution_id: SolutionId,
    /// The task, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task_id: Option<String>,
    /// Whether it was not so before.
    pub(super) changed: bool,
}

pub(super) fn run(Args { mut ids, task }: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let plan = ids.pop().unwrap_or_default();
    let (solution, execution) = target(&snapshot, &plan).map_err(|failure| {
        if failure.code() != "not-found" || commit(&store, &plan).is_err() {
            return failure;
        }
        Failure::usage(format!("`{plan}` is a commit, and the plan comes last"))
            .hint("`git wf link COMMIT SOLUTION`: the commits, then the plan or its issue")
    })?;
    if let Some(task) = &task {
        check_task(&snapshot, &solution, task)?;
    }
    let mut commits = Vec::new();
    for text in &ids {
        let facts = commit(&store, text)?;
        let Some(id) = object_id(&facts.hash) else { continue };
        let code = store.code_commit(id)?;
        let files = links::files(&store, &code)?;
        commits.push((code, files));
    }
    let committed = context.transact(&store, |tx| {
        let mut answers = Vec::new();
        for (commit, files) in &commits {
            answers.push(link_one(tx, (commit, files), &solution, &execution, task.as_deref())?);
        }
        let changed: Vec<&LinkAnswer> = answers.iter().filter(|it| it.changed).collect();
        let what = match &changed[..] {
            [only] => format!("{} \"{}\"", only.commit.get(..7).unwrap_or_default(), only.subject),
            all => format!("{} commits", all.len()),
        };
        tx.describe("link", format!("execution: link {what} to {solution}"));
        Ok(answers)
    })?;
    print(&committed.answer, ("linked", "is linked already:"), context)
}

fn link_one(
    tx: &mut crate::store::Tx<'_>,
    (commit, files): (&CodeCommit, &[String]),
    solution: &SolutionId,
    execution: &ExecutionId,
    task: Option<&str>,
) -> Result<LinkAnswer, Failure> {
    let hash = CommitHash::from(commit.id);
    let known = records::execution(tx, execution, &mut Vec::new())?;
    let present = known
        .iter()
        .flat_map(ExecutionFolder::commits)
        .find(|it| it.link.hash == hash)
        .map(|it| it.link.task_id);
    let task_id = match (task, &present) {
        (Some(task), _) => Some(task.to_owned()),
        (None, Some(present)) => present.clone(),
        (None, None) => links::task(tx, solution, &trailers::parse(&commit.message), None)?,
    };
    let changed = present.as_ref() != Some(&task_id);
    if changed {
        if present.as_ref().is_some_and(Option::is_some) {
            // The first link of a commit stays, so that another task needs a link of its own.
            tx.log(execution, Event::Unlink(Unlink { hash: hash.clone() }))?;
        }
        let link = links::link(commit, files, task_id.clone(), LinkedBy::Manual);
        tx.log(execution, Event::Commit(link))?;
    }
    Ok(LinkAnswer {
        commit: hash,
        subject: commit.subject.clone(),
        execution_id: execution.clone(),
        solution_id: solution.clone(),
        task_id,
        changed,
    })
}

/// The plan that is meant, and the execution that its commits go to.
pub(super) fn target(read: &impl Read, text: &str) -> Result<(SolutionId, ExecutionId), Failure> {
    let solution = match resolve::any(read, text)? {
        Known::Execution(id) => {
            let found = records::execution(read, &id, &mut Vec::new())?;
            return match found {
                Some(it) => Ok((it.execution.solution_id, id)),
                None => Err(Failure::unreadable(&format!("execution `{id}`"))),
            };
        }
        Known::Solution(id) | Known::Item(_, id) => id,
        Known::Issue(id) => plan_of_issue(&existing(read, &id)?, "name one of them")?,
        Known::Queue(_) => {
            return Err(Failure::new("not-a-plan", format!("`{text}` is not a plan"))
                .hint("`git wf solution list` shows the plans of an issue"));
        }
    };
    match links::execution_of(read, &solution)? {
        Some(execution) => Ok((solution, execution)),
        None => Err(Failure::new("not-executed", format!("plan `{solution}` was never executed"))
            .hint("commits are linked to an execution; `git wf next` begins one")),
    }
}

/// Refuses a task that the plan does not have.
pub(super) fn check_task(read: &impl Read, solution: &SolutionId, task: &str) -> Result<(), Failure> {
    match records::solution(read, solution)? {
        Some(record) => in_plan(&record.typed_plan(), solution, task),
        None => Err(Failure::unreadable(&format!("plan `{solution}`"))),
    }
}

/// The same of a plan that was read.
pub(super) fn in_plan(plan: &Plan, solution: &SolutionId, task: &str) -> Result<(), Failure> {
    if plan.tasks.iter().any(|it| it.id == task) {
        return Ok(());
    }
    let tasks: Vec<&str> = plan.tasks.iter().map(|it| it.id.as_str()).collect();
    Err(Failure::new("not-found", format!("plan `{solution}` has no task `{task}`"))
        .hint(format!("its tasks are {}", tasks.join(", "))))
}

/// The commit that is meant.
fn commit(store: &Store, text: &str) -> Result<CommitFacts, Failure> {
    trace::commit(store, text)?.ok_or_else(|| {
        Failure::new("not-found", format!("git knows no commit `{text}`"))
            .hint("`git log --oneline` shows the commits; the plan comes last")
    })
}

/// One line for each commit; `was` begins that of one for which nothing was to be done.
pub(super) fn print(answers: &[LinkAnswer], (done, was): (&str, &str), context: &mut Context) -> Outcome {
    if context.json() {
        context.screen.print_json(&answers)?;
        return Ok(Exit::Done);
    }
    for it in answers {
        let painter = context.screen.painter();
        let verb = if it.changed { done } else { was };
        let task = it.task_id.as_deref().map(|task| format!(" {}", clean_line(task))).unwrap_or_default();
        writeln!(
            context.screen,
            "{verb} {} {} -> {}{task}",
            painter.paint(style::WARN, it.commit.get(..10).unwrap_or(&it.commit)),
            clean_line(&it.subject),
            painter.paint(style::ID, it.solution_id.as_str())
        )?;
    }
    Ok(Exit::Done)
}
