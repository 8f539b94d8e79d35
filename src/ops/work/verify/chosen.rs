//! Which execution is verified, and with which commands.

use super::Test;
use crate::model::words::its_tasks;
use crate::model::{Code, Op, Other, Plan, RemedyCall, SolutionId, exact};
use crate::ops::issues::existing;
use crate::ops::work::{WorktreeClaim, own};
use crate::ops::{Refusal, Session, queue};
use crate::rules::{CommandLine, ExecutionFolder, IssueFolder, evidence, facts, toward};
use crate::store::{ReadState, resolve};

/// The named execution, else the one that holds the named issue, else this worktree's own.
pub(in crate::ops::work) fn named_execution(
    session: &Session,
    read: &impl ReadState,
    text: Option<&str>,
) -> Result<(IssueFolder, ExecutionFolder), Refusal> {
    let store = session.store();
    let Some(text) = text else {
        let own = own(store, read)?;
        let notice = own.notice();
        return match own {
            WorktreeClaim::Held(execution, _) => {
                session.notice_all(notice);
                Ok((existing(read, &execution.execution.issue_id)?, *execution))
            }
            WorktreeClaim::Lost(active, why) => Err(Refusal::new(
                Code::ClaimLost,
                format!("this worktree no longer executes `{}`: {why}", active.issue_id),
            )
            .remedy(RemedyCall::new(Op::Verify, [active.execution_id.short()]), "tests it anyway")),
            WorktreeClaim::Ended(active, how) => {
                let id = active.execution_id.short();
                Err(Refusal::new(Code::Ended, format!("`{id}` was {how}"))
                    .remedy(RemedyCall::new(Op::Verify, [id]), "tests it anyway"))
            }
            WorktreeClaim::Nothing => Err(Refusal::new(Code::NoClaim, "this worktree executes nothing")
                .remedy(Op::Next, "claims an item")
                .remedy(RemedyCall::new(Op::Verify, ["ITEM"]), "tests another execution")),
        };
    };
    let known = match resolve::any(read, text) {
        Err(_) if text.starts_with("S-") => {
            let (queue, item) = queue::item(store, read, text)?;
            resolve::KnownRecord::Item(queue, item.solution_id)
        }
        other => other?,
    };
    let Some(issue) = known.issue() else {
        return Err(Refusal::new(Code::NotFound, format!("`{text}` is a queue, and a queue has no tests"))
            .remedy(Other::Queue, "shows its items"));
    };
    let folder = existing(read, &issue)?;
    let found = match &known {
        resolve::KnownRecord::Execution(id) => {
            folder.executions.iter().find(|execution| execution.execution.id == *id)
        }
        _ => facts::holder(&folder),
    };
    let found = found.cloned().ok_or_else(|| {
        Refusal::new(
            Code::NotExecuting,
            format!("nobody executed issue `{issue}`; it is {}", facts::status(&folder)),
        )
        .next_step(toward::execution(&folder))
    })?;
    Ok((folder, found))
}

/// The commands to run, each once, in the order of the tasks.
pub(super) fn tests(plan: &Plan, only: &[String], solution: &SolutionId) -> Result<Vec<Test>, Refusal> {
    if let Some(unknown) = only.iter().find(|id| plan.task(id).is_none()) {
        let ids: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
        return Err(Refusal::new(Code::NotFound, format!("plan `{solution}` has no task `{unknown}`"))
            .hint(its_tasks(&ids))
            .remedy(RemedyCall::new(Other::TaskList, [solution]), "shows them"));
    }
    let mut tests: Vec<Test> = Vec::new();
    for (task, command) in evidence::commands(plan) {
        if !only.is_empty() && !only.iter().any(|id| *task == **id) {
            continue;
        }
        let command = CommandLine::parse(command).map_err(|unseen| {
            let message = format!("a test command of task `{task}` cannot be run: {unseen}");
            Refusal::new(Code::UnseenCommand, message)
                .details(vec![exact(command).into_owned()])
                .hint("a test command is one line of visible characters")
                .remedy(
                    RemedyCall::new(Op::TaskEdit, [solution.as_str(), task.as_str()]),
                    "changes the plan; to skip this task, name the others",
                )
        })?;
        match tests.iter_mut().find(|test| test.command == command) {
            Some(test) if test.tasks.iter().any(|id| id == task) => {}
            Some(test) => test.tasks.push(task.to_owned()),
            None => tests.push(Test { command, tasks: vec![task.to_owned()] }),
        }
    }
    if tests.is_empty() {
        return Err(Refusal::nothing("the plan has no test commands").remedy(
            RemedyCall::new(Op::Accept, ["TASK", "CRITERION"]).option("message", "TEXT"),
            "confirms a criterion that no test covers",
        ));
    }
    Ok(tests)
}
