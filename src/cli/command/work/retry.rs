use std::io::Write;

use crate::cli::command::plans::feedback;
use crate::cli::command::work::claim;
use crate::cli::{Context, Exit, Failure, Outcome, existing};
use crate::model::execution::AsideReason;
use crate::model::id::{IssueId, SolutionId};
use crate::model::status::{IssueStatus, ItemStatus};
use crate::ops::issues::IssueView;
use crate::ops::queue::World;
use crate::ops::{plans, work};
use crate::rules::{facts, replan};
use crate::store::{Read, Store, Tx, records, resolve};
use crate::ui::text::{clean_line, count};

/// Queue failed issues again
///
/// An issue with plans newer than the failed one is skipped until one of them is bound.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue, or an item of it (default: all failed issues)
    #[arg(value_name = "ISSUE|ITEM")]
    issue: Option<String>,
    /// Run the failed plan again even if there are newer ones
    #[arg(long, requires = "issue")]
    same_plan: bool,
}

/// What came of an issue.
enum Came {
    /// It had not failed.
    Nothing,
    /// It waits in its queue again.
    Retried,
    /// Newer plans wait to be bound: the one that failed, and they in words.
    Newer(SolutionId, Vec<String>),
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let named = args.issue.as_deref().map(|text| named(&store, &snapshot, text)).transpose()?;
    let committed = context.transact(&store, |tx| {
        let ids = match &named {
            Some(id) => vec![id.clone()],
            None => records::issue_ids(tx)?,
        };
        let (mut retried, mut newer) = (Vec::new(), Vec::new());
        for id in ids {
            match retry(tx, &id, args.same_plan)? {
                Came::Nothing => {}
                Came::Retried => retried.push(id),
                Came::Newer(failed, plans) => newer.push((id, failed, plans)),
            }
        }
        if retried.is_empty() {
            return Err(match newer.is_empty() {
                true => nothing(tx, named.as_ref())?,
                false => unbound(&newer),
            });
        }
        let names: Vec<&str> = retried.iter().map(IssueId::as_str).collect();
        tx.describe("retry", format!("execution: retry {}", names.join(", ")));
        Ok((retried, newer))
    })?;
    let (retried, newer) = committed.answer;
    for (id, failed, plans) in &newer {
        let plans = count(plans.len(), "newer plan");
        context.warn(&format!(
            "skipped {id}: {failed} failed, and it has {plans}; `git wf bind {id} SOLUTION` chooses one"
        ));
    }
    let snapshot = store.snapshot()?;
    let mut folders = Vec::new();
    for id in &retried {
        folders.push(existing(&snapshot, id)?);
    }
    if context.json() {
        context.screen.print_json(&folders.iter().map(IssueView::of).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    let views = World::after(&store)?.views();
    for folder in &folders {
        let id = &folder.issue.record.id;
        writeln!(context.screen, "{id} is {} again", facts::status(folder))?;
        let items = views.iter().flat_map(|view| &view.items);
        for it in items.filter(|it| it.item.issue_id == *id && it.status == ItemStatus::Blocked) {
            for blocker in &it.blocked_by {
                writeln!(context.screen, "  it waits: {}", clean_line(&blocker.reason))?;
            }
        }
    }
    Ok(Exit::Done)
}

/// The issue that is meant by its id or by an item.
fn named(store: &Store, read: &impl Read, text: &str) -> Result<IssueId, Failure> {
    match resolve::issue(read, text) {
        Ok(issue) => Ok(issue),
        // What names no item either is told as no issue.
        Err(error) => claim::issue_of(store, read, text).map_err(|failure| match failure.code() {
            "not-found" => error.into(),
            _ => failure,
        }),
    }
}

/// Sets the failed attempt aside; its item waits again.
fn retry(tx: &mut Tx<'_>, id: &IssueId, same_plan: bool) -> Result<Came, Failure> {
    // Issues without an execution, and those that cannot be read, have nothing to retry.
    if records::execution_ids(tx, id)?.is_empty() {
        return Ok(Came::Nothing);
    }
    let Ok(Some(folder)) = records::issue(tx, id) else { return Ok(Came::Nothing) };
    if facts::status(&folder) != IssueStatus::Failed {
        return Ok(Came::Nothing);
    }
    let newer = replan::newer(&folder);
    if let (Some(failed), false, false) =
        (&folder.issue.record.bound_solution_id, newer.is_empty(), same_plan)
    {
        return Ok(Came::Newer(failed.clone(), plans::in_words(&newer)));
    }
    feedback::keep_failure(tx, &folder)?;
    let is_aside = work::set_aside(tx, &folder, AsideReason::Retry, None)?;
    Ok(if is_aside { Came::Retried } else { Came::Nothing })
}

/// Nothing is carried out again while a newer plan waits to be bound.
fn unbound(newer: &[(IssueId, SolutionId, Vec<String>)]) -> Failure {
    let plans = newer.iter().flat_map(|(_, _, plans)| plans.clone()).collect();
    let (what, hint) = match newer {
        [(id, failed, _)] => (
            format!("`{id}` has plans newer than `{failed}`, which failed"),
            format!(
                "`git wf bind {id} SOLUTION`, then `git wf queue add {id}`; `git wf retry {id} --same-plan` runs the \
                 failed plan again"
            ),
        ),
        several => (
            format!("{} failed and have newer plans", count(several.len(), "issue")),
            "`git wf bind ISSUE SOLUTION`, then `git wf queue add ISSUE`".to_owned(),
        ),
    };
    Failure::new("newer-plan", what).details(plans).hint(hint)
}

fn nothing(tx: &Tx<'_>, named: Option<&IssueId>) -> Result<Failure, Failure> {
    let Some(id) = named else {
        return Ok(Failure::nothing("nothing has failed").hint("`git wf status` shows issue counts"));
    };
    let status = facts::status(&existing(tx, id)?);
    // The item, where there is one, says what to do instead.
    let world = World::read(tx)?;
    let queued = world.views().iter().any(|view| view.items.iter().any(|it| it.item.issue_id == *id));
    let hint = if queued {
        "`git wf queue show` shows where it stands"
    } else {
        "`git wf queue add` queues a planned issue"
    };
    Ok(Failure::nothing(format!("issue `{id}` is {status}, not failed")).hint(hint))
}
