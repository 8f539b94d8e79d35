use super::context::parse_reason;
use super::edit::show_change;
use super::{Context, Force, Outcome, claim, existing, text_input};
use crate::model::execution::AsideReason;
use crate::model::issue::StoredStatus;
use crate::model::status::IssueStatus;
use crate::rules::{facts, moves};
use crate::store::resolve;

/// Close an issue, executed or not
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    id: String,
    /// The reason
    text: Option<String>,
    /// The reason; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT")]
    message: Vec<String>,
    /// Override a gate
    #[arg(long, requires = "reason")]
    force: bool,
    /// Why the gate is overridden; without --force, the reason for closing: completed, duplicate, …
    #[arg(long, value_name = "TEXT", value_parser = parse_reason)]
    reason: Option<String>,
}

/// Whoever closes an issue gives a reason, and it need not be one to override anything.
fn why_closed(said: Option<String>, reason: Option<String>) -> Option<String> {
    match (reason, said) {
        (Some(reason), Some(said)) => Some(format!("{reason}: {said}")),
        (reason, said) => reason.or(said),
    }
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let id = resolve::issue(&snapshot, &args.id)?;
    text_input::refuse_second_issue(&snapshot, args.text.as_deref(), "git wf close")?;
    let said = text_input::said(&args.message, args.text.as_deref())?;
    let (force, reason) = match args.force {
        true => (Force { force: true, reason: args.reason }, said),
        false => (Force::default(), why_closed(said, args.reason)),
    };
    let committed = context.transact(&store, |tx| {
        let folder = existing(tx, &id)?;
        if folder.issue.record.status != StoredStatus::Closed && force.why().is_none() {
            moves::permit(&id, facts::status(&folder), "close")?;
        }
        if facts::status(&folder) == IssueStatus::Executing {
            claim::set_aside(tx, &folder, AsideReason::Release, &force)?;
        }
        tx.edit_issue(&id, |issue| {
            issue.status = StoredStatus::Closed;
            if reason.is_some() {
                issue.close_reason.clone_from(&reason);
            }
        })?;
        tx.note.force = force.why();
        let why = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        tx.describe("close", format!("issue: close {id}{why}"));
        Ok(())
    })?;
    show_change(context, &store, &id, committed.commit.is_some(), "closed")
}
