use super::edit::show_change;
use super::{Context, Force, Outcome, claim, existing};
use crate::model::execution::AsideReason;
use crate::model::issue::StoredStatus;
use crate::rules::{facts, moves};
use crate::store::resolve;

/// Unbind the plan of an issue, and remove its items from their queues
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    issue: String,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let id = resolve::issue(&store.snapshot()?, &args.issue)?;
    let committed = context.transact(&store, |tx| {
        let folder = existing(tx, &id)?;
        let Some(bound) = folder.issue.record.bound_solution_id.clone() else { return Ok(()) };
        if args.force.why().is_none() {
            moves::permit(&id, facts::status(&folder), "unbind")?;
        }
        claim::set_aside(tx, &folder, AsideReason::Rebind, &args.force)?;
        for queued in folder.items.iter().filter(|queued| !queued.item.is_removed()) {
            tx.edit_item(&queued.queue, &queued.item.solution_id, |item| item.removed = Some(true))?;
        }
        tx.edit_issue(&id, |issue| {
            issue.bound_solution_id = None;
            if issue.status == StoredStatus::Planned {
                issue.status = StoredStatus::Registered;
            }
        })?;
        tx.note.force = args.force.why();
        tx.describe("unbind", format!("issue: unbind {id} from {bound}"));
        Ok(())
    })?;
    show_change(context, &store, &id, committed.commit.is_some(), "unbound")
}
