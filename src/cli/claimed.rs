//! What `next` and `start` answer: the claim.

use std::io::Write;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::take::Taken;
use super::{Context, Exit, Failure, Outcome, existing_outline};
use crate::model::execution::Supersedes;
use crate::model::id::{ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::time::Time;
use crate::store::Store;
use crate::ui::style;
use crate::ui::text::clean_line;

/// What `next` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Claim {
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_id: Option<QueueId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_id: Option<ItemId>,
    issue_id: IssueId,
    solution_id: SolutionId,
    /// The plan as it was claimed.
    plan_digest: String,
    execution_id: ExecutionId,
    /// 1 for the first attempt at the issue.
    attempt: u64,
    /// The full name of the branch; only commits on it are bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// The worktree that was made for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    /// The remote that the claim was made through.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    /// The attempts that it takes the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<Supersedes>,
    /// Until when the claim is good; each commit renews it.
    lease_expires_at: Time,
    /// Whether that is over.
    #[serde(skip)]
    has_expired: bool,
}

fn short_branch(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

/// What was taken, and the title of its issue.
pub(super) fn claim(store: &Store, taken: &Taken, context: &Context) -> Result<(Claim, String), Failure> {
    let id = &taken.execution;
    let folder = existing_outline(&store.snapshot()?, &id.issue())?;
    let Some(found) = folder.executions.iter().find(|it| it.execution.id == *id) else {
        return Err(Failure::unreadable(&format!("execution `{id}`")));
    };
    let it = found.execution.clone();
    if let Some(bound) = it.branch.as_deref()
        && taken.path.is_none()
        && store.branch()?.as_deref() != Some(bound)
    {
        context.warn(&format!("commits here are not linked: only those on `{}` are", short_branch(bound)));
    }
    let claim = Claim {
        queue_id: it.queue_id,
        item_id: it.item_id,
        issue_id: it.issue_id,
        solution_id: it.solution_id,
        plan_digest: it.plan_digest,
        execution_id: it.id,
        attempt: it.attempt,
        branch: it.branch,
        path: taken.path.clone(),
        via: it.via,
        supersedes: it.supersedes,
        lease_expires_at: found.lease_expires_at(),
        has_expired: store.now()? > found.lease_expires_at(),
    };
    Ok((claim, folder.issue.record.title))
}

/// Prints what was taken.
pub(super) fn answer(store: &Store, taken: &Taken, context: &mut Context) -> Outcome {
    let (claim, title) = claim(store, taken, context)?;
    if context.json() {
        context.screen.print_json(&claim)?;
    } else {
        print(&claim, &title, taken.is_new, context)?;
    }
    Ok(Exit::Done)
}

/// Prints a claim for people.
pub(super) fn print(claim: &Claim, title: &str, is_new: bool, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let verb = match (is_new, claim.supersedes.is_empty()) {
        (true, true) => "took",
        (true, false) => "took over",
        (false, _) => "still has",
    };
    let item = claim.item_id.as_ref().map(|item| format!(" {item}")).unwrap_or_default();
    writeln!(
        context.screen,
        "{verb}{item}: {} (attempt {}) on {}",
        painter.paint(style::ID, claim.solution_id.as_str()),
        claim.attempt,
        clean_line(claim.branch.as_deref().map_or("no branch", short_branch))
    )?;
    writeln!(context.screen, "  {}", painter.paint(style::HEADING, title))?;
    if let Some(path) = &claim.path {
        writeln!(context.screen, "  in {}", clean_line(&path.to_string_lossy()))?;
    }
    writeln!(
        context.screen,
        "  {} {}, renewed by each commit; `git wf detail` shows the plan{}",
        if claim.has_expired { "expired at" } else { "until" },
        claim.lease_expires_at,
        if claim.attempt > 1 { " and how earlier attempts ended" } else { "" }
    )?;
    Ok(())
}
