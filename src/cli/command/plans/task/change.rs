//! A change of a plan by hand: what it needs, what it must not do, and what is said of it.

use std::io::Write;

use serde_json::Value;

use crate::cli::{Context, Exit, Failure, Force, Outcome, existing, print};
use crate::model::digest::digest;
use crate::model::id::SolutionId;
use crate::model::redaction::REDACTED;
use crate::model::status::IssueStatus;
use crate::ops::plans;
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::rules::plan_check::{self, Setting};
use crate::rules::quality::LEAST;
use crate::store::{Store, Tx};
use crate::ui::style;
use crate::ui::text::count;

/// The plan as it is stored.
pub(super) fn plan_of(folder: &IssueFolder, id: &SolutionId) -> Result<Value, Failure> {
    let solution = folder.solution(id).ok_or_else(|| Failure::unreadable(&format!("plan `{id}`")))?;
    Ok(solution.plan.clone())
}

/// Runs one change of a plan as a transaction. `change` answers with the task and what happened to it.
pub(super) fn plan(
    store: &Store,
    id: &SolutionId,
    op: &'static str,
    force: &Force,
    context: &Context,
    change: impl Fn(&mut Vec<Value>) -> Result<String, Failure>,
) -> Result<(String, bool), Failure> {
    let committed = context.transact(store, |tx| {
        let folder = existing(tx, &id.issue())?;
        let old = plan_of(&folder, id)?;
        let mut new = old.clone();
        let Some(tasks) = new.get_mut("tasks").and_then(Value::as_array_mut) else {
            return Err(Failure::unreadable(&format!("plan `{id}`")));
        };
        let task = change(tasks)?;
        if digest(&new) != digest(&old) {
            store_plan(tx, &folder, id, &old, &new, force)?;
        }
        tx.note.force = force.why();
        let verb = op.strip_prefix("task ").unwrap_or(op);
        tx.describe(op, format!("solution: {verb} task {task} of {id}"));
        Ok(task)
    })?;
    Ok((committed.answer, committed.commit.is_some()))
}

fn store_plan(
    tx: &mut Tx<'_>,
    folder: &IssueFolder,
    id: &SolutionId,
    old: &Value,
    new: &Value,
    force: &Force,
) -> Result<(), Failure> {
    if is_hidden(old) {
        return Err(Failure::new("redacted", format!("parts of plan `{id}` are hidden, and would be lost"))
            .hint(format!("`git wf solution add {} FILE` adds another plan", id.issue())));
    }
    if force.why().is_none() {
        refuse_in_work(folder, id)?;
    }
    let report = plan_check::examine(new, Setting::default());
    let errors = report.findings.iter().filter(|finding| finding.is_error());
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    if !errors.is_empty() {
        let things = count(errors.len(), "fault");
        return Err(Failure::new(
            "invalid-plan",
            format!("the plan would have {things}; nothing was changed"),
        )
        .details(errors)
        .hint("`git wf schema task` says what a task holds"));
    }
    let is_bound = folder.issue.record.bound_solution_id.as_ref() == Some(id);
    if is_bound
        && force.why().is_none()
        && !report.quality.suffices()
        && report.quality.total() < plan_check::quality(old).total()
    {
        let costly = report.findings.iter().filter(|finding| finding.cost.is_some());
        return Err(Failure::new(
            "low-quality",
            format!(
                "the bound plan `{id}` would have a quality of {:.2}; binding requires {LEAST} or more",
                report.quality.total()
            ),
        )
        .details(costly.map(ToString::to_string).collect())
        .hint("say what is missing in the same command"));
    }
    tx.edit_plan(id, &report.checked().map_err(|_| Failure::unreadable("the plan"))?.plan)?;
    Ok(())
}

/// A plan that waits, is carried out or was is not changed under the hands of who relies on it.
fn refuse_in_work(folder: &IssueFolder, id: &SolutionId) -> Result<(), Failure> {
    let live = folder.items.iter().find(|it| !it.item.is_removed() && it.item.solution_id == *id);
    let holds = facts::holder(folder).is_some_and(|it| it.execution.solution_id == *id);
    let status = facts::status(folder);
    match (live, status) {
        (Some(it), IssueStatus::Queued) => Err(Failure::new(
            "queued",
            format!("plan `{id}` waits in queue `{}` as {}", it.queue, it.item.item_id),
        )
        .hint(format!(
            "`git wf queue remove {}:{}` takes it out; queue it again once it is changed",
            it.queue, it.item.item_id
        ))),
        (_, IssueStatus::Executing | IssueStatus::Completed) if holds => Err(Failure::new(
            "in-work",
            format!("plan `{id}` is {status}"),
        )
        .hint(format!(
            "`git wf solution add {} FILE` adds another plan; the execution keeps the plan that it claimed",
            id.issue()
        ))),
        _ => Ok(()),
    }
}

fn is_hidden(value: &Value) -> bool {
    match value {
        Value::String(text) => text == REDACTED,
        Value::Array(items) => items.iter().any(is_hidden),
        Value::Object(map) => map.values().any(is_hidden),
        _ => false,
    }
}

/// Says what came of it.
pub(super) fn show(
    store: &Store,
    id: &SolutionId,
    (task, changed): (&str, bool),
    verb: &str,
    context: &mut Context,
) -> Outcome {
    let folder = existing(&store.snapshot()?, &id.issue())?;
    let plan_view = plans::view_in(&folder, id)?;
    if context.json() {
        context.screen.print_json(&plan_view)?;
        return Ok(Exit::Done);
    }
    let painter = context.screen.painter();
    let (shown, plan) = (painter.paint(style::ID, task), painter.paint(style::ID, id.as_str()));
    if !changed {
        writeln!(context.screen, "{shown} of {plan} is so already; nothing was written")?;
        return Ok(Exit::Done);
    }
    let quality = print::solution::quality(&context.screen, &plan_view);
    writeln!(context.screen, "{verb} {shown} of {plan} (quality {quality})")?;
    let queued = folder.items.iter().any(|it| {
        !it.item.is_removed() && it.item.solution_id == *id && it.item.plan_digest != plan_view.plan_digest
    });
    if queued {
        context.warn(&format!(
            "it was queued as it was before; `git wf queue add {}` queues it as it is now",
            id.issue()
        ));
    }
    Ok(Exit::Done)
}
