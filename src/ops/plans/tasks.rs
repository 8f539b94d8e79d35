//! Changing the tasks of a plan by hand.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::plan_input::faulty;
use super::{SolutionView, plan_named, view_in};
use crate::model::redaction::holds_hidden;
use crate::model::words::its_tasks;
use crate::model::{Code, IssueStatus, Op, Other, PlanDigest, Remedy, RemedyCall, SolutionId, Task, count};
use crate::ops::issues::existing;
use crate::ops::{Answer, Notice, Permit, Refusal, Session};
use crate::rules::quality::LEAST;
use crate::rules::task_edit::next_id;
use crate::rules::{IssueFolder, PlanSetting, TaskEdit, facts, plan_check};
use crate::store::Tx;

/// A plan with a changed task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedTask {
    /// The plan as it is now.
    #[serde(flatten)]
    pub(crate) plan: SolutionView,
    /// The task.
    #[serde(skip)]
    pub(crate) task: String,
    /// The digest of the plan before.
    #[serde(skip)]
    pub(crate) before: PlanDigest,
}

/// The tasks of a plan.
#[derive(Debug)]
pub(crate) struct Tasks {
    /// The tasks as stored.
    stored: Value,
    /// The tasks as typed records.
    pub(crate) typed: Vec<Task>,
}

impl Serialize for Tasks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored.serialize(serializer)
    }
}

impl JsonSchema for Tasks {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Tasks".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Task>::json_schema(generator)
    }
}

/// Lists the tasks of a plan, given by its id or that of its issue or item.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `no-solution`, `choice-needed`.
pub(crate) fn tasks(session: &Session, solution: &str) -> Answer<Tasks> {
    let snapshot = session.store().snapshot()?;
    let id = plan_named(&snapshot, solution)?;
    let view = view_in(&existing(&snapshot, &id.issue())?, &id)?;
    Ok(session.done(Tasks { stored: view.plan["tasks"].clone(), typed: view.typed.tasks }, None))
}

/// A task to add.
#[derive(Debug)]
pub(crate) struct AddTask {
    /// The plan: its id, or that of its issue or item.
    pub(crate) solution: String,
    /// The fields of the task.
    pub(crate) task: TaskEdit,
    /// The reason for overriding a gate.
    pub(crate) force: Option<String>,
}

/// A task to edit.
#[derive(Debug)]
pub(crate) struct EditTask {
    /// The plan: its id, or that of its issue or item.
    pub(crate) solution: String,
    /// The task: `T1`.
    pub(crate) task: String,
    /// The fields to change.
    pub(crate) edit: TaskEdit,
    /// The reason for overriding a gate.
    pub(crate) force: Option<String>,
}

/// Adds a task to the end of a plan that is not queued.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `redacted`, `queued`, `in-work`, `invalid-plan`, `low-quality`; usage if no field is
/// given.
pub(crate) fn add_task(
    session: &Session,
    AddTask { solution, task, force }: &AddTask,
) -> Answer<ChangedTask> {
    let permit = session.permit(Op::TaskAdd)?;
    if task.is_empty() {
        return Err(Refusal::usage("the task is empty")
            .hint("give at least a title, an action, a step and a criterion")
            .remedy(RemedyCall::new(Other::Help, ["task", "add"]), "lists the fields"));
    }
    let id = plan_named(&session.store().snapshot()?, solution)?;
    change(session, &id, permit, "add", force.as_deref(), |tasks| {
        let mut added = Map::new();
        added.insert("id".into(), json!(next_id(tasks)));
        task.apply(&mut added);
        // The id may come from the JSON; the checks report an invalid one.
        let name = added["id"].as_str().unwrap_or_default().to_owned();
        tasks.push(Value::Object(added));
        Ok(name)
    })
}

/// Edits a task of a plan that is not queued.
///
/// # Errors
/// The errors of [`add_task`]; `other-task`.
pub(crate) fn edit_task(session: &Session, input: &EditTask) -> Answer<ChangedTask> {
    let EditTask { solution, task, edit, force } = input;
    let permit = session.permit(Op::TaskEdit)?;
    if edit.is_empty() {
        return Err(Refusal::usage("nothing to change")
            .hint("name a field, such as the title")
            .remedy(RemedyCall::new(Other::Help, ["task", "edit"]), "lists the fields"));
    }
    let id = plan_named(&session.store().snapshot()?, solution)?;
    change(session, &id, permit, "edit", force.as_deref(), |tasks| {
        let wanted = task.trim();
        let Some(at) = tasks.iter().position(|task| name(task).eq_ignore_ascii_case(wanted)) else {
            let ids: Vec<String> = tasks.iter().map(name).collect();
            return Err(Refusal::new(Code::NotFound, format!("plan `{id}` has no task `{wanted}`"))
                .hint(its_tasks(&ids))
                .remedy(RemedyCall::new(Other::TaskList, [&id]), "shows them"));
        };
        let old = name(&tasks[at]);
        let Some(task) = tasks[at].as_object_mut() else {
            return Err(Refusal::unreadable(&format!("task `{old}`")));
        };
        edit.apply(task);
        let new = name(&tasks[at]);
        if new != old {
            return Err(Refusal::new(Code::OtherTask, format!("the input is task `{new}`, not `{old}`"))
                .hint("a task keeps its id; leave `id` out of the input")
                .remedy(RemedyCall::new(Op::TaskAdd, [&id]), "adds another task"));
        }
        Ok(old)
    })
}

fn name(task: &Value) -> String {
    task["id"].as_str().unwrap_or_default().to_owned()
}

/// Changes a plan in one transaction. `change` returns the id of the task.
fn change(
    session: &Session,
    id: &SolutionId,
    permit: Permit,
    verb: &str,
    force: Option<&str>,
    change: impl Fn(&mut Vec<Value>) -> Result<String, Refusal>,
) -> Answer<ChangedTask> {
    let committed = session.transact(permit, |tx| {
        let folder = existing(tx, &id.issue())?;
        let unreadable = || Refusal::unreadable(&format!("plan `{id}`"));
        let old: Value = folder.solution(id).ok_or_else(unreadable)?.plan.clone().into();
        let mut new = old.clone();
        let tasks = new.get_mut("tasks").and_then(Value::as_array_mut);
        let task = change(tasks.ok_or_else(unreadable)?)?;
        let before = PlanDigest::of_plan(&old);
        if PlanDigest::of_plan(&new) != before {
            store_plan(tx, &folder, id, &old, &new, force)?;
        }
        tx.note.force = force.map(str::to_owned);
        tx.describe(format!("solution: {verb} task {task} of {id}"));
        Ok((task, before))
    })?;
    let (task, before) = committed.answer;
    let folder = existing(&session.store().snapshot()?, &id.issue())?;
    let plan = view_in(&folder, id)?;
    let queued = folder.items.iter().find(|item| !item.item.is_removed() && item.item.solution_id == *id);
    if committed.commit.is_some() && queued.is_some_and(|queued| queued.item.plan_digest != plan.plan_digest)
    {
        let add = RemedyCall::new(Op::QueueAdd, [id.issue()]);
        session.notice(
            Notice::warning("the queue still has the earlier version").remedy(add, "queues this one"),
        );
    }
    Ok(session.done(ChangedTask { plan, task, before }, committed.commit))
}

fn store_plan(
    tx: &mut Tx<'_>,
    folder: &IssueFolder,
    id: &SolutionId,
    old: &Value,
    new: &Value,
    force: Option<&str>,
) -> Result<(), Refusal> {
    if holds_hidden(old) {
        return Err(Refusal::new(
            Code::Redacted,
            format!("parts of plan `{id}` are hidden and would be lost"),
        )
        .remedy(add_another(id), "adds another plan"));
    }
    if force.is_none() {
        refuse_in_work(folder, id)?;
    }
    let report = plan_check::examine(new, PlanSetting::default());
    let errors = report.findings.iter().filter(|finding| finding.is_error());
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    if !errors.is_empty() {
        let message = format!("the plan would have {}; nothing was changed", count(errors.len(), "error"));
        return Err(faulty(
            &message,
            errors,
            Remedy::call(RemedyCall::new(Other::Schema, ["task"]), "describes a task"),
        ));
    }
    let is_bound = folder.issue.record.bound_solution_id.as_ref() == Some(id);
    if is_bound
        && force.is_none()
        && !report.quality.suffices()
        && report.quality.total() < plan_check::quality(old).total()
    {
        let costly = report.findings.iter().filter(|finding| finding.cost.is_some());
        return Err(Refusal::new(
            Code::LowQuality,
            format!(
                "the bound plan `{id}` would have a quality of {:.2}; binding requires {LEAST} or more",
                report.quality.total()
            ),
        )
        .details(costly.map(ToString::to_string).collect())
        .hint("add what is missing in the same command"));
    }
    tx.edit_plan(id, &report.checked().map_err(|_| Refusal::unreadable("the plan"))?.plan)?;
    Ok(())
}

fn add_another(id: &SolutionId) -> RemedyCall {
    RemedyCall::new(Op::SolutionAdd, [id.issue().as_str(), "FILE"])
}

/// Refuses to change a plan that is queued, being executed, or was executed: others rely on it.
pub(super) fn refuse_in_work(folder: &IssueFolder, id: &SolutionId) -> Result<(), Refusal> {
    let live = folder.items.iter().find(|item| !item.item.is_removed() && item.item.solution_id == *id);
    let holds = facts::holder(folder).is_some_and(|holder| holder.execution.solution_id == *id);
    let status = facts::status(folder);
    match (live, status) {
        (Some(queued), IssueStatus::Queued) => {
            let item = format!("{}:{}", queued.queue, queued.item.item_id);
            Err(Refusal::new(
                Code::Queued,
                format!(
                    "plan `{id}` is queued as {} of `{}`, so it cannot be changed",
                    queued.item.item_id, queued.queue
                ),
            )
            .remedy(RemedyCall::new(Op::QueueRemove, [item]), "removes it")
            .hint("queue it again afterwards, if it should still be executed"))
        }
        (_, IssueStatus::Executing | IssueStatus::Completed) if holds => {
            Err(Refusal::new(Code::InWork, format!("plan `{id}` is {status}"))
                .remedy(add_another(id), "adds another plan")
                .hint("the execution keeps the plan that it claimed"))
        }
        _ => Ok(()),
    }
}
