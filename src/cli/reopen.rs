use super::edit::show_change;
use super::{Context, Force, Outcome, claim, existing, text_input};
use crate::model::execution::AsideReason;
use crate::model::issue::StoredStatus;
use crate::model::status::IssueStatus;
use crate::rules::{facts, moves, replan};
use crate::store::resolve;

/// Reopen an issue
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    id: String,
    /// The reason
    text: Option<String>,
    /// The reason; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT")]
    message: Vec<String>,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let id = resolve::issue(&snapshot, &args.id)?;
    text_input::refuse_second_issue(&snapshot, args.text.as_deref(), "git wf reopen")?;
    let said = text_input::said(&args.message, args.text.as_deref())?;
    let mut newer: Vec<String> = Vec::new();
    let committed = context.transact(&store, |tx| {
        let folder = existing(tx, &id)?;
        let from = facts::status(&folder);
        if matches!(
            from,
            IssueStatus::Registered | IssueStatus::Planning | IssueStatus::Planned | IssueStatus::Queued
        ) {
            return Ok(()); // open already
        }
        if args.force.why().is_none() {
            moves::permit(&id, from, "reopen")?;
        }
        newer = replan::newer(&folder).into_iter().map(|plan| plan.id.to_string()).collect();
        // What was paused goes on where it stood; what had ended starts over.
        let begins_anew = from != IssueStatus::Paused;
        if begins_anew && claim::set_aside(tx, &folder, AsideReason::Reopen, &args.force)? {
            for queued in folder.items.iter().filter(|queued| !queued.item.is_removed()) {
                tx.edit_item(&queued.queue, &queued.item.solution_id, |item| item.removed = Some(true))?;
            }
        }
        let stored = folder.issue.record.status;
        tx.edit_issue(&id, |issue| {
            if matches!(stored, StoredStatus::Paused | StoredStatus::Cancelled | StoredStatus::Closed) {
                issue.status = if issue.bound_solution_id.is_some() {
                    StoredStatus::Planned
                } else {
                    StoredStatus::Registered
                };
                issue.close_reason = None;
            }
        })?;
        tx.note.force = args.force.why();
        let why = said.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        tx.describe("reopen", format!("issue: reopen {id}{why}"));
        Ok(())
    })?;
    if !newer.is_empty() {
        context.warn(&format!(
            "the plan that failed is still bound; newer: {}; `git wf bind {id} SOLUTION` chooses one",
            newer.join(", ")
        ));
    }
    show_change(context, &store, &id, committed.commit.is_some(), "reopened")
}
