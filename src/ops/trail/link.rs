//! Linking commits to plans by hand.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::words::its_tasks;
use crate::model::{
    Code, CommitHash, Event, ExecutionId, LinkedBy, Op, Other, Plan, Remedy, RemedyCall, SolutionId, Task,
    TaskId, Unlink,
};
use crate::ops::issues::existing;
use crate::ops::plans::plan_of_issue;
use crate::ops::work::refuse_foreign_record;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::ExecutionFolder;
use crate::store::{CodeCommit, KnownRecord, ReadState, Store, Tx, object_id, records, resolve};
use crate::trail::trace::{self, CommitFacts};
use crate::trail::{links, trailers};

/// What to link.
#[derive(Debug)]
pub(crate) struct LinkCommits {
    /// The commits, as git names them.
    pub(crate) commits: Vec<String>,
    /// The plan; or an execution, item or issue of it.
    pub(crate) plan: String,
    /// The task that they implement.
    pub(crate) task: Option<String>,
    /// The reason for changing someone else's claim.
    pub(crate) force: Option<String>,
}

/// One commit given to `link` or `link --remove`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkView {
    /// The full object id.
    pub(crate) commit: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The task, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<TaskId>,
    /// Whether its link changed.
    pub(crate) changed: bool,
}

/// Links commits to the execution of a plan.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `not-a-plan`, `not-executed`, `no-solution`, `choice-needed`, `claim-of-another`.
pub(crate) fn link(session: &Session, input: &LinkCommits) -> Answer<Vec<LinkView>> {
    let permit = session.permit(Op::Link)?;
    let store = session.store();
    let snapshot = store.snapshot()?;
    let (solution, execution) = target(&snapshot, &input.plan).map_err(|refusal| {
        if refusal.code != Code::NotFound || commit(store, &input.plan).is_err() {
            return refusal;
        }
        Refusal::usage(format!("`{}` is a commit, but the plan comes last", input.plan)).remedy(
            RemedyCall::new(Op::Link, ["COMMIT", "PLAN"]),
            "takes the commits first, then the plan or its issue",
        )
    })?;
    if let Some(task) = &input.task {
        check_task(&snapshot, &solution, task)?;
    }
    let mut commits = Vec::new();
    for text in &input.commits {
        let facts = commit(store, text)?;
        let Some(id) = object_id(&facts.hash) else { continue };
        let code = store.code_commit(id)?;
        let files = links::files(store, &code)?;
        commits.push((code, files));
    }
    let committed = session.transact(permit, |tx| {
        let mut views = Vec::new();
        for (commit, files) in &commits {
            views.push(link_one(tx, commit, files, &solution, &execution, input.task.as_deref())?);
        }
        let changed: Vec<&LinkView> = views.iter().filter(|view| view.changed).collect();
        let what = match &changed[..] {
            [only] => format!("{} \"{}\"", only.commit.short(), only.subject),
            all => format!("{} commits", all.len()),
        };
        if !changed.is_empty() {
            if let Some(folder) = records::execution(tx, &execution, &mut Vec::new())? {
                refuse_foreign_record(store, tx, &folder, input.force.as_deref())?;
            }
            tx.note.force.clone_from(&input.force);
        }
        tx.describe(format!("execution: link {what} to {solution}"));
        Ok(views)
    })?;
    Ok(session.done(committed.answer, committed.commit))
}

fn link_one(
    tx: &mut Tx<'_>,
    commit: &CodeCommit,
    files: &[String],
    solution: &SolutionId,
    execution: &ExecutionId,
    task: Option<&str>,
) -> Result<LinkView, Refusal> {
    let hash = CommitHash::from(commit.id);
    let known = records::execution(tx, execution, &mut Vec::new())?;
    let present = known
        .iter()
        .flat_map(ExecutionFolder::commits)
        .find(|commit| commit.link.hash == hash)
        .map(|commit| commit.link.tasks().cloned().collect::<Vec<_>>());
    let tasks = match (task, &present) {
        (Some(task), _) => vec![task.into()],
        (None, Some(present)) => present.clone(),
        (None, None) => {
            links::tasks(tx, solution, &trailers::parse(&commit.message), vec![], || Ok(files.to_vec()))?
        }
    };
    let changed = present.as_ref() != Some(&tasks);
    let task_id = tasks.first().cloned();
    if changed {
        if present.is_some_and(|present| !present.is_empty()) {
            // The first link of a commit is kept, so changing the task requires removing it first.
            tx.log(execution, Event::Unlink(Unlink { hash: hash.clone() }))?;
        }
        let link = links::link(commit, files, tasks, LinkedBy::Manual);
        tx.log(execution, Event::Commit(link))?;
    }
    Ok(LinkView {
        commit: hash,
        subject: commit.subject.clone(),
        execution_id: execution.clone(),
        solution_id: solution.clone(),
        task_id,
        changed,
    })
}

/// The plan that was named, and the execution that gets the links.
fn target(read: &impl ReadState, text: &str) -> Result<(SolutionId, ExecutionId), Refusal> {
    let solution = match resolve::any(read, text)? {
        KnownRecord::Execution(id) => {
            let found = records::execution(read, &id, &mut Vec::new())?;
            return match found {
                Some(execution) => Ok((execution.execution.solution_id, id)),
                None => Err(Refusal::unreadable(&format!("execution `{id}`"))),
            };
        }
        KnownRecord::Solution(id) | KnownRecord::Item(_, id) => id,
        KnownRecord::Issue(id) => plan_of_issue(
            &existing(read, &id)?,
            Remedy::words("give the id of a plan in place of the issue"),
        )?,
        KnownRecord::Queue(_) | KnownRecord::Roadmap(_) => {
            return Err(Refusal::new(Code::NotAPlan, format!("`{text}` is not a plan"))
                .remedy(Other::SolutionList, "shows the plans of an issue"));
        }
    };
    match links::execution_of(read, &solution)? {
        Some(execution) => Ok((solution, execution)),
        None => Err(Refusal::new(Code::NotExecuted, format!("plan `{solution}` was never executed"))
            .hint("commits are linked to an execution")
            .remedy(Op::Next, "starts one")),
    }
}

/// Refuses a task that the plan does not have.
fn check_task(read: &impl ReadState, solution: &SolutionId, task: &str) -> Result<(), Refusal> {
    match records::solution(read, solution)? {
        Some(record) => in_plan(&record.typed_plan(), solution, task).map(drop),
        None => Err(Refusal::unreadable(&format!("plan `{solution}`"))),
    }
}

/// The task of a plan that was already read.
pub(crate) fn in_plan<'a>(plan: &'a Plan, solution: &SolutionId, task: &str) -> Result<&'a Task, Refusal> {
    if let Some(found) = plan.tasks.iter().find(|planned| planned.id == task) {
        return Ok(found);
    }
    let tasks: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
    Err(Refusal::new(Code::NotFound, format!("plan `{solution}` has no task `{task}`"))
        .hint(its_tasks(&tasks))
        .remedy(RemedyCall::new(Other::TaskList, [solution]), "shows them"))
}

/// The commit that was named.
fn commit(store: &Store, text: &str) -> Result<CommitFacts, Refusal> {
    trace::commit(store, text)?.ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("there is no commit `{text}`"))
            .command("git log --oneline", "shows the commits; the plan comes last")
    })
}
