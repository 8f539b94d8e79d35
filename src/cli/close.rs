use super::edit::show_change;
use super::issue_fields::some;
use super::{Context, Force, Outcome, claim, existing};
use crate::model::execution::AsideReason;
use crate::model::issue::StoredStatus;
use crate::model::status::IssueStatus;
use crate::rules::{facts, moves};
use crate::store::resolve;

/// Close an issue: it is done with, whether or not it was executed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    id: String,
    /// Why
    #[arg(short = 'm', long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let id = resolve::issue(&store.snapshot()?, &args.id)?;
    let reason = args.message.as_deref().map(str::trim).map(str::to_owned).and_then(some);
    let committed = context.transact(&store, |tx| {
        let folder = existing(tx, &id)?;
        if folder.issue.record.status != StoredStatus::Closed && args.force.why().is_none() {
            moves::permit(&id, facts::status(&folder), "close")?;
        }
        if facts::status(&folder) == IssueStatus::Executing {
            claim::set_aside(tx, &folder, AsideReason::Release)?;
        }
        tx.edit_issue(&id, |issue| {
            issue.status = StoredStatus::Closed;
            if reason.is_some() {
                issue.close_reason.clone_from(&reason);
            }
        })?;
        tx.note.force = args.force.why();
        let why = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        tx.describe("close", format!("issue: close {id}{why}"));
        Ok(())
    })?;
    show_change(context, &store, &id, committed.commit.is_some(), "closed")
}
