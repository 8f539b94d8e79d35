use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::command::work::claim::{self, Intent, Meant};
use crate::cli::input::text as text_input;
use crate::cli::{Context, Exit, Failure, Force, Outcome, answer, existing};
use crate::model::execution::{AsideReason, Event, Renew};
use crate::model::id::{ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::status::IssueStatus;
use crate::model::time::Time;
use crate::ops::work;
use crate::rules::facts;
use crate::rules::folder::ExecutionFolder;
use crate::store::Store;
use crate::ui::{Cell, Column, Table, style, time};

/// List, renew or release the leases of claims
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: LeaseCommand,
}

#[derive(Debug, clap::Subcommand)]
enum LeaseCommand {
    /// Renew a lease for another `wf.lease` (4h), as each commit does
    Renew {
        /// The item (default: the one this worktree executes)
        item: Option<String>,
    },
    /// List all claims, their holders, and when they expire
    List,
    /// Give up a claim: its item is queued again, and its commits stay in the trail
    Release {
        /// The item (default: the one this worktree executes)
        item: Option<String>,
        #[command(flatten)]
        force: Force,
    },
}

/// A claim that is under way, as `lease list` answers it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Lease {
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_id: Option<QueueId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_id: Option<ItemId>,
    issue_id: IssueId,
    solution_id: SolutionId,
    execution_id: ExecutionId,
    /// Who executes.
    actor: String,
    /// The remote that the claim was made through; none within one clone.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    /// Until when the claim is good.
    lease_expires_at: Time,
    /// Whether that is over; ten minutes later `next` hands the item to others.
    expired: bool,
}

impl Lease {
    fn of(folder: &ExecutionFolder, now: Time) -> Self {
        let (it, until) = (&folder.execution, folder.lease_expires_at());
        Self {
            queue_id: it.queue_id.clone(),
            item_id: it.item_id.clone(),
            issue_id: it.issue_id.clone(),
            solution_id: it.solution_id.clone(),
            execution_id: it.id.clone(),
            actor: it.actor.clone(),
            via: it.via.clone(),
            lease_expires_at: until,
            expired: now > until,
        }
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command {
        LeaseCommand::Renew { item } => renew(item.as_deref(), context),
        LeaseCommand::List => list(context),
        LeaseCommand::Release { item, force } => release(item.as_deref(), &force, context),
    }
}

fn renew(item: Option<&str>, context: &mut Context) -> Outcome {
    text_input::refuse_text(item, "git wf lease renew")?;
    let store = context.store()?;
    let before = claim::meant(&store, &store.snapshot()?, item)?;
    let lease = store.lease()?;
    // A claim that others keep alive would never expire.
    claim::refuse_foreign(&store, &before.execution, Intent::Keep, &Force::default())?;
    work::confirm(&*context.session()?, &before.execution)?;
    let committed = context.transact(&store, |tx| {
        let Meant { execution, .. } = claim::meant(&store, tx, item)?;
        let it = &execution.execution;
        let lease_expires_at = tx.stamper().now().plus_millis(lease);
        // A shorter lease than what is left takes nothing away.
        if lease_expires_at > execution.lease_expires_at() {
            tx.log(&it.id, Event::Renew(Renew { lease_expires_at }))?;
            tx.describe(
                "lease renew",
                format!("execution: renew {} until {lease_expires_at}", it.solution_id),
            );
        }
        Ok(it.id.clone())
    })?;
    work::publish(&*context.session()?, &before.execution.execution)?;
    let id = committed.answer;
    let folder = existing(&store.snapshot()?, &id.issue())?;
    let Some(execution) = folder.executions.iter().find(|it| it.execution.id == id) else {
        return Err(Failure::unreadable(&format!("execution `{id}`")));
    };
    let lease = Lease::of(execution, store.now()?);
    if context.json() {
        context.screen.print_json(&lease)?;
    } else {
        writeln!(context.screen, "{} is yours until {}", lease.solution_id, lease.lease_expires_at)?;
    }
    Ok(Exit::Done)
}

fn leases(store: &Store) -> Result<Vec<Lease>, Failure> {
    let now = store.now()?;
    let mut leases = Vec::new();
    for folder in crate::ops::issues::all(&store.snapshot()?)?.0 {
        if facts::status(&folder) == IssueStatus::Executing
            && let Some(holder) = facts::holder(&folder)
        {
            leases.push(Lease::of(holder, now));
        }
    }
    leases.sort_by(|a, b| (a.lease_expires_at, &a.execution_id).cmp(&(b.lease_expires_at, &b.execution_id)));
    Ok(leases)
}

fn list(context: &mut Context) -> Outcome {
    let store = context.store()?;
    let leases = leases(&store)?;
    if context.json() {
        context.screen.print_json(&leases)?;
        return Ok(Exit::Done);
    }
    let now = store.now()?.millis();
    let mut table = Table::new([
        Column::left("ITEM"),
        Column::left("SOLUTION"),
        Column::left("UNTIL"),
        Column::left("VIA"),
        Column::flexible("HOLDER"),
    ]);
    for lease in leases {
        let until = time::ago(now, lease.lease_expires_at.millis());
        let until = match lease.expired {
            true => Cell::new(format!("expired {until}"), style::BAD),
            false => Cell::from(until),
        };
        table.row([
            Cell::from(lease.item_id.map(|item| item.to_string()).unwrap_or_default()),
            Cell::new(lease.solution_id.as_str(), style::ID),
            until,
            Cell::from(lease.via.unwrap_or_default()),
            Cell::from(lease.actor),
        ]);
    }
    table.print(&mut context.screen)?;
    Ok(Exit::Done)
}

fn release(item: Option<&str>, force: &Force, context: &mut Context) -> Outcome {
    text_input::refuse_text(item, "git wf lease release")?;
    let store = context.store()?;
    let before = claim::meant(&store, &store.snapshot()?, item)?;
    let execution = &before.execution.execution;
    context.transact(&store, |tx| {
        let Meant { folder, execution: now } = claim::meant(&store, tx, item)?;
        claim::refuse_foreign(&store, &now, Intent::Keep, force)?;
        work::set_aside(tx, &folder, AsideReason::Release, force.why().as_deref())?;
        tx.note.force = force.why();
        tx.describe("lease release", format!("execution: release {}", execution.solution_id));
        Ok(())
    })?;
    work::unbind_worktree(&*context.session()?, &execution.id);
    work::publish(&*context.session()?, execution)?;
    let folder = existing(&store.snapshot()?, &execution.issue_id)?;
    if context.json() {
        let executions = answer::executions(&folder);
        context.screen.print_json(&executions.iter().find(|it| it.execution.id == execution.id))?;
    } else {
        let status = facts::status(&folder);
        writeln!(context.screen, "released {}; {} is {status}", execution.solution_id, execution.issue_id)?;
    }
    Ok(Exit::Done)
}
