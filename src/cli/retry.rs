use std::io::Write;

use super::world::World;
use super::{Context, Exit, Failure, Outcome, answer, claim, existing, feedback};
use crate::model::execution::AsideReason;
use crate::model::id::IssueId;
use crate::model::status::{IssueStatus, ItemStatus};
use crate::rules::facts;
use crate::store::{Read, Store, Tx, records, resolve};
use crate::ui::text::clean_line;

/// Queue failed issues again; what failed stays in their history
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue, or an item of it; all that failed unless given
    #[arg(value_name = "ISSUE|ITEM")]
    issue: Option<String>,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let named = args.issue.as_deref().map(|text| named(&store, &snapshot, text)).transpose()?;
    let committed = context.transact(&store, |tx| {
        let ids = match &named {
            Some(id) => vec![id.clone()],
            None => records::issue_ids(tx)?,
        };
        let mut retried = Vec::new();
        for id in ids {
            if retry(tx, &id)? {
                retried.push(id);
            }
        }
        if retried.is_empty() {
            return Err(nothing(tx, named.as_ref())?);
        }
        let names: Vec<&str> = retried.iter().map(IssueId::as_str).collect();
        tx.describe("retry", format!("execution: retry {}", names.join(", ")));
        Ok(retried)
    })?;
    let snapshot = store.snapshot()?;
    let mut folders = Vec::new();
    for id in &committed.answer {
        folders.push(existing(&snapshot, id)?);
    }
    if context.json() {
        context.screen.print_json(&folders.iter().map(answer::issue).collect::<Vec<_>>())?;
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

/// Sets the failed attempt aside; its item waits again. Whether there was one.
fn retry(tx: &mut Tx<'_>, id: &IssueId) -> Result<bool, Failure> {
    // Issues without an execution, and those that cannot be read, have nothing to retry.
    if records::execution_ids(tx, id)?.is_empty() {
        return Ok(false);
    }
    let Ok(Some(folder)) = records::issue(tx, id) else { return Ok(false) };
    if facts::status(&folder) != IssueStatus::Failed {
        return Ok(false);
    }
    feedback::keep_failure(tx, &folder)?;
    claim::set_aside(tx, &folder, AsideReason::Retry)
}

fn nothing(tx: &Tx<'_>, named: Option<&IssueId>) -> Result<Failure, Failure> {
    let Some(id) = named else {
        return Ok(
            Failure::nothing("nothing has failed").hint("`git wf status` shows how many issues stand where")
        );
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
