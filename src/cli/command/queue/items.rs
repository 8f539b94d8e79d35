//! Single items: taken out, held back, released.

use std::collections::BTreeSet;
use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::input::text as text_input;
use crate::cli::{Context, Exit, Failure, Force, Outcome, answer, existing};
use crate::model::id::{IssueId, ItemId, QueueId, SolutionId};
use crate::model::queue::Item;
use crate::model::shell;
use crate::model::status::{ExecutionStatus, IssueStatus};
use crate::ops::queue::{World, item};
use crate::rules::{facts, moves};
use crate::store::{Store, Tx};

/// Which items are held back, and why.
#[derive(Debug, clap::Args)]
pub(super) struct Hold {
    /// Items: S-1, QUE-…:S-1, or the id of a plan or issue; behind them why, where that is more than one word
    #[arg(required = true, value_names = ["ITEM", "TEXT"], num_args = 1..)]
    items: Vec<String>,
    /// The reason, shown with the item
    #[arg(short = 'm', long, value_name = "TEXT")]
    message: Vec<String>,
    #[command(flatten)]
    force: Force,
}

/// An item that left its queue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Removed {
    /// The queue.
    queue_id: QueueId,
    /// Its number there, under which it comes back if it is queued again.
    item_id: ItemId,
    /// Its issue.
    issue_id: IssueId,
    /// Its plan.
    solution_id: SolutionId,
    /// Where the issue stands now.
    issue_status: IssueStatus,
}

pub(super) fn remove(items: &[String], force: &Force, context: &mut Context) -> Outcome {
    text_input::refuse_text(items.iter().map(String::as_str), "git wf queue remove")?;
    let store = context.store()?;
    store.snapshot()?;
    let committed = context.transact(&store, |tx| {
        let mut removed: Vec<(QueueId, Item)> = Vec::new();
        for (queue, item) in meant(&store, tx, items)? {
            let folder = existing(tx, &item.issue_id)?;
            let in_work =
                facts::holder(&folder).is_some_and(|it| it.execution.solution_id == item.solution_id);
            if in_work && force.why().is_none() {
                moves::permit(&item.issue_id, facts::status(&folder), "queue remove")?;
            }
            tx.edit_item(&queue, &item.solution_id, |item| item.removed = Some(true))?;
            removed.push((queue, item));
        }
        tx.note.force = force.why();
        tx.describe("queue remove", format!("queue: remove {}", names(&removed)));
        let answer = removed.into_iter().map(|(queue_id, item)| {
            let issue_status = facts::status(&existing(tx, &item.issue_id)?);
            let Item { item_id, issue_id, solution_id, .. } = item;
            Ok(Removed { queue_id, item_id, issue_id, solution_id, issue_status })
        });
        answer.collect::<Result<Vec<_>, Failure>>()
    })?;
    if context.json() {
        context.screen.print_json(&committed.answer)?;
    } else {
        for it in &committed.answer {
            writeln!(context.screen, "removed {}; {} is {}", it.solution_id, it.issue_id, it.issue_status)?;
        }
    }
    Ok(Exit::Done)
}

/// The items that are named, each once.
fn meant(store: &Store, tx: &Tx<'_>, texts: &[String]) -> Result<Vec<(QueueId, Item)>, Failure> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for text in texts {
        let (queue, item) = item(store, tx, text)?;
        if seen.insert((queue.clone(), item.solution_id.clone())) {
            found.push((queue, item));
        }
    }
    Ok(found)
}

fn names(items: &[(QueueId, Item)]) -> String {
    items.iter().map(|(_, item)| item.solution_id.as_str()).collect::<Vec<_>>().join(", ")
}

pub(super) fn hold(args: Hold, context: &mut Context) -> Outcome {
    let Hold { mut items, message, force } = args;
    let last = items.pop_if(|last| text_input::is_text(last));
    let reason = crate::store::one_line(&text_input::said(&message, last.as_deref())?.unwrap_or_default());
    if reason.is_empty() || items.is_empty() {
        return Err(incomplete(&items, &reason));
    }
    let store = context.store()?;
    store.snapshot()?;
    let committed = context.transact(&store, |tx| {
        let meant = meant(&store, tx, &items)?;
        for (queue, item) in &meant {
            refuse_begun(tx, item)?;
            tx.edit_item(queue, &item.solution_id, |item| item.held = Some(reason.clone()))?;
        }
        tx.note.force = force.why();
        tx.describe("queue hold", format!("queue: hold {}", names(&meant)));
        Ok(meant)
    })?;
    report(&store, &committed.answer, committed.commit.is_some(), "held", context)
}

/// Why nothing is held: the reason is missing, or the items.
fn incomplete(items: &[String], reason: &str) -> Failure {
    if items.is_empty() {
        let hint = format!("`git wf queue hold ITEM -m {}`; {}", shell::word(reason), text_input::ITEM);
        return Failure::usage(format!("`{reason}` says why, and no item is named")).hint(hint);
    }
    let words: Vec<String> = items.iter().map(|item| shell::word(item).into_owned()).collect();
    let hint = match &words[..] {
        [items @ .., last] if !items.is_empty() => {
            format!("if `{last}` is the reason: `git wf queue hold {} -m {last}`", items.join(" "))
        }
        words => format!("`git wf queue hold {} -m TEXT`", words.join(" ")),
    };
    Failure::usage("holding an item back needs a reason, and each single word is taken for an item")
        .hint(hint)
}

/// What is carried out now, or done, cannot be held back any more.
fn refuse_begun(tx: &Tx<'_>, item: &Item) -> Result<(), Failure> {
    let folder = existing(tx, &item.issue_id)?;
    let holder = facts::holder(&folder).filter(|it| it.execution.solution_id == item.solution_id);
    match holder.map(crate::rules::folder::ExecutionFolder::outcome) {
        Some(status @ (ExecutionStatus::Executing | ExecutionStatus::Completed)) => {
            let name = &item.solution_id;
            let failure = Failure::new("begun", format!("`{name}` is {status}, so it cannot be held back"));
            Err(failure.hint(match status {
                ExecutionStatus::Completed => {
                    format!("`git wf reopen {}` takes the issue up again", item.issue_id)
                }
                _ => format!(
                    "`git wf show {}` tells who executes it; it can be held back once they have ended that",
                    item.issue_id
                ),
            }))
        }
        _ => Ok(()),
    }
}

pub(super) fn release(items: &[String], context: &mut Context) -> Outcome {
    text_input::refuse_text(items.iter().map(String::as_str), "git wf queue release")?;
    let store = context.store()?;
    store.snapshot()?;
    let committed = context.transact(&store, |tx| {
        let meant = meant(&store, tx, items)?;
        for (queue, item) in &meant {
            tx.edit_item(queue, &item.solution_id, |item| item.held = None)?;
        }
        tx.describe("queue release", format!("queue: release {}", names(&meant)));
        Ok(meant)
    })?;
    report(&store, &committed.answer, committed.commit.is_some(), "released", context)
}

/// The items as they are now.
fn report(
    store: &Store,
    items: &[(QueueId, Item)],
    is_changed: bool,
    verb: &str,
    context: &mut Context,
) -> Outcome {
    let views = World::after(store)?.views();
    let mut shown = Vec::new();
    for (queue, item) in items {
        let view = views.iter().find(|view| view.queue.id == *queue);
        let it = view.and_then(|view| view.items.iter().find(|it| it.item.solution_id == item.solution_id));
        shown.extend(it.map(|it| (queue, it)));
    }
    if context.json() {
        let items: Vec<_> = shown.iter().map(|(queue, it)| answer::item_in(queue, it)).collect();
        context.screen.print_json(&items)?;
        return Ok(Exit::Done);
    }
    for (_, it) in shown {
        let verb = if is_changed { verb.to_owned() } else { format!("{verb} already:") };
        writeln!(
            context.screen,
            "{verb} {} ({}); it is {}",
            it.item.item_id, it.item.solution_id, it.status
        )?;
    }
    Ok(Exit::Done)
}
