//! Which branches of items would collide if somebody merged them now.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{Context, Exit, Failure, Outcome, existing};
use crate::model::hash::CommitHash;
use crate::model::id::{ItemId, QueueId, SolutionId};
use crate::model::queue::QueueDecision;
use crate::model::status::ItemStatus;
use crate::ops::queue::World;
use crate::rules::facts;
use crate::rules::folder::ExecutionFolder;
use crate::store::{Read, Store, resolve};
use crate::trail::collisions::{self, FileCollision, Lines};
use crate::ui::{Progress, style};

#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Find branches of items that conflict, by merging them in memory
    ///
    /// Nothing is checked out and no branch moves. The branches are merged with each other and with the
    /// current branch; branches that the current one contains already are skipped.
    #[arg(long, required = true)]
    merge: bool,
    /// The queue (default: all queues that are not archived)
    queue: Option<String>,
}

/// What `queue conflict check` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckAnswer {
    /// What was merged with each other.
    sides: Vec<Side>,
    /// Items whose commits are not in this clone.
    missing: Vec<Unknown>,
    /// Pairs that would collide.
    collisions: Vec<Collision>,
}

/// A branch, or the last commit of what is done.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Side {
    /// The item; none for the branch that is checked out here.
    #[serde(skip_serializing_if = "Option::is_none")]
    item_id: Option<ItemId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_id: Option<QueueId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution_id: Option<SolutionId>,
    /// The branch, without refs/heads/.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// The commit that was merged.
    commit: CommitHash,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Unknown {
    queue_id: QueueId,
    item_id: ItemId,
    solution_id: SolutionId,
    /// The branch that it is said to be on.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Collision {
    /// The place of the one side among `sides`, from 0.
    first: usize,
    /// The place of the other.
    second: usize,
    /// The files over which they collide.
    files: Vec<FileCollision>,
}

pub(super) fn check(args: &Check, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let queue = args.queue.as_deref().map(|text| resolve::queue(&snapshot, text)).transpose()?;
    let mut answer = CheckAnswer { sides: vec![], missing: vec![], collisions: vec![] };
    gather(&store, &snapshot, queue.as_ref(), &mut answer)?;
    if args.merge {
        compare(&store, &mut answer)?;
    }
    let exit = if answer.collisions.is_empty() { Exit::Done } else { Exit::Failed };
    if context.json() {
        context.screen.print_json(&answer)?;
    } else {
        print(&answer, context)?;
    }
    Ok(exit)
}

/// The branch that is checked out here, and those of items.
fn gather(
    store: &Store,
    read: &impl Read,
    queue: Option<&QueueId>,
    answer: &mut CheckAnswer,
) -> Result<(), Failure> {
    let head = store.head()?.map(CommitHash::from);
    if let Some(commit) = &head {
        let branch = store.branch()?.map(|name| short(&name));
        let none = Side { item_id: None, queue_id: None, solution_id: None, branch, commit: commit.clone() };
        answer.sides.push(none);
    }
    for view in World::read(read)?.views() {
        let is_meant = match queue {
            Some(id) => view.queue.id == *id,
            None => view.queue.status != QueueDecision::Archived,
        };
        let items = view
            .items
            .iter()
            .filter(|it| is_meant && matches!(it.status, ItemStatus::Executing | ItemStatus::Completed));
        for it in items {
            let folder = existing(read, &it.item.issue_id)?;
            let Some(holder) = facts::holder(&folder) else { continue };
            let branch = holder.execution.branch.as_deref().map(short);
            let (queue_id, item_id) = (view.queue.id.clone(), it.item.item_id.clone());
            let solution_id = it.item.solution_id.clone();
            match commit(store, holder, it.status)? {
                Some(commit)
                    if head.as_ref().is_some_and(|head| collisions::is_merged(store, &commit, head)) => {}
                Some(commit) => answer.sides.push(Side {
                    item_id: Some(item_id),
                    queue_id: Some(queue_id),
                    solution_id: Some(solution_id),
                    branch,
                    commit,
                }),
                // Nothing was committed, so that nothing can collide.
                None if holder.commits().is_empty() && holder.execution.base_commit.is_none() => {}
                None => answer.missing.push(Unknown { queue_id, item_id, solution_id, branch }),
            }
        }
    }
    Ok(())
}

fn short(branch: &str) -> String {
    branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned()
}

/// Of what is under way the tip of its branch, of what is done its last commit: the branch may have gone on since.
fn commit(
    store: &Store,
    holder: &ExecutionFolder,
    status: ItemStatus,
) -> Result<Option<CommitHash>, Failure> {
    let last = holder.work().last().map(|commit| commit.link.hash.clone());
    let last = last.filter(|hash| store.commit_here(hash).is_some());
    let tip = match &holder.execution.branch {
        Some(branch) => collisions::branch_tip(store, branch)?,
        None => None,
    };
    Ok(if status == ItemStatus::Completed { last.or(tip) } else { tip.or(last) })
}

fn compare(store: &Store, answer: &mut CheckAnswer) -> Result<(), Failure> {
    let count = answer.sides.len();
    let mut progress = Progress::start("merging", Some((count * count.saturating_sub(1) / 2) as u64));
    let mut done = 0;
    for first in 0..count {
        for second in first + 1..count {
            let (one, two) = (&answer.sides[first].commit, &answer.sides[second].commit);
            if one != two {
                let files = collisions::between(store, one, two)?;
                if !files.is_empty() {
                    answer.collisions.push(Collision { first, second, files });
                }
            }
            done += 1;
            progress.at(done);
        }
    }
    Ok(())
}

fn name(side: &Side) -> String {
    let branch = side.branch.as_deref().unwrap_or("a detached HEAD");
    match (&side.item_id, &side.solution_id) {
        (Some(item), Some(plan)) => format!("{item} ({plan}) on {branch}"),
        _ => format!("{branch}, which is checked out here"),
    }
}

fn print(answer: &CheckAnswer, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    for collision in &answer.collisions {
        let (one, two) = (&answer.sides[collision.first], &answer.sides[collision.second]);
        let line = format!("{} and {} collide", name(one), name(two));
        writeln!(context.screen, "{}", painter.paint(style::BAD, &line))?;
        for file in &collision.files {
            let path = painter.paint(style::ID, &file.path);
            let kind = if file.kind == "contents" { String::new() } else { format!(" ({})", file.kind) };
            writeln!(context.screen, "  {path}{}", crate::ui::text::clean_line(&kind))?;
            if file.hunks.is_empty() {
                writeln!(context.screen, "    {}", crate::ui::text::clean_line(&file.message))?;
            }
            for hunk in &file.hunks {
                writeln!(
                    context.screen,
                    "    {} of the one, {} of the other",
                    lines(hunk.first),
                    lines(hunk.second)
                )?;
            }
        }
    }
    for it in &answer.missing {
        let branch = it.branch.as_deref().unwrap_or("no branch");
        let line = format!(
            "{} ({}) on {branch} is not in this clone; `git fetch` may bring it",
            it.item_id, it.solution_id
        );
        writeln!(context.screen, "{}", painter.paint(style::WARN, &line))?;
    }
    let items =
        crate::ui::text::count(answer.sides.iter().filter(|side| side.item_id.is_some()).count(), "item");
    let collisions = match answer.collisions.len() {
        0 => "no collisions".to_owned(),
        count => crate::ui::text::count(count, "collision"),
    };
    writeln!(context.screen, "branches of {items} merged in memory: {collisions}")?;
    Ok(())
}

fn lines(lines: Lines) -> String {
    match lines.count {
        0 => format!("what stood behind line {}", lines.start),
        1 => format!("line {}", lines.start),
        count => format!("lines {} to {}", lines.start, lines.start + count - 1),
    }
}
