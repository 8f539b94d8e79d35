use std::collections::BTreeMap;
use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::print::issues as issues_print;
use crate::cli::{Context, Exit, Outcome};
use crate::index::{self, Freshness, Needs};
use crate::model::id::{ExecutionId, IssueId, QueueId, SolutionId};
use crate::model::status::{IssueStatus, ItemStatus};
use crate::ops::issues::IssueView;
use crate::ops::queue::World;
use crate::ops::work::{self, Own};
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::store::Store;
use crate::ui::text::clean_line;
use crate::ui::{Cell, Column, Table, style};

/// Show issue counts, queues, and this worktree's execution
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show the state of this issue instead
    id: Option<String>,
}

/// What `status` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Overview {
    /// The ref that holds everything.
    reference: String,
    /// The commit it points to.
    tip: String,
    /// How many issues there are.
    total: usize,
    /// How many stand where.
    issues: BTreeMap<IssueStatus, usize>,
    /// Issues that cannot be read.
    broken: usize,
    /// The queues with how many of their items stand where.
    queues: Vec<QueueOverview>,
    /// The index that answers `list`, `search` and `log`, as it was before this question.
    index: Freshness,
    /// What this worktree executes.
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<ActiveOverview>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct QueueOverview {
    id: QueueId,
    status: String,
    items: BTreeMap<ItemStatus, usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ActiveOverview {
    issue_id: IssueId,
    solution_id: SolutionId,
    execution_id: ExecutionId,
    branch: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    if let Some(text) = &args.id {
        let (index, id) = context.ask(&store, Needs::ROWS, |index| index.resolve_issue(text))?;
        return one(&store, &crate::cli::existing(&index.snapshot()?, &id?)?, context);
    }
    let freshness = index::freshness(&store)?;
    let (index, ((counts, broken), known)) =
        context.ask(&store, Needs::ROWS, |index| Ok((index.counts()?, index.queues()?)))?;
    let snapshot = index.snapshot()?;
    let issues: BTreeMap<IssueStatus, usize> = counts.into_iter().collect();
    let views = World::from(known).views();
    let queues = views.iter().map(|view| {
        let mut items: BTreeMap<ItemStatus, usize> = BTreeMap::new();
        for item in &view.items {
            *items.entry(item.status).or_default() += 1;
        }
        QueueOverview { id: view.queue.id.clone(), status: view.status.to_owned(), items }
    });
    let overview = Overview {
        reference: store.reference().to_owned(),
        tip: snapshot.commit().to_string(),
        total: issues.values().sum(),
        issues,
        broken,
        index: freshness,
        queues: queues.collect(),
        active: match work::own(&store, &snapshot)? {
            Own::Held(it) => Some(ActiveOverview {
                issue_id: it.execution.issue_id,
                solution_id: it.execution.solution_id,
                execution_id: it.execution.id,
                branch: it.execution.branch.unwrap_or_default(),
            }),
            Own::Nothing | Own::Lost(..) => None,
        },
    };
    context.tell(work::notice_of_loss(&store, &snapshot)?);
    if context.json() {
        context.screen.print_json(&overview)?;
        return Ok(Exit::Done);
    }
    print(&overview, context)
}

fn one(store: &Store, folder: &IssueFolder, context: &mut Context) -> Outcome {
    if context.json() {
        context.screen.print_json(&IssueView::in_full(store, folder))?;
    } else {
        let status = facts::status(folder);
        let id = context.screen.painter().paint(style::ID, folder.issue.record.id.as_str());
        let shown = context.screen.painter().paint(issues_print::status_style(status), status.as_str());
        let shows_work =
            matches!(status, IssueStatus::Executing | IssueStatus::Completed | IssueStatus::Failed);
        let holder = facts::holder(folder).filter(|_| shows_work);
        let by = holder.map_or(String::new(), |it| {
            let other = it.ended_by_another().map(|person| format!(", ended by {person}"));
            format!(" (by {}{})", it.execution.actor, other.unwrap_or_default())
        });
        writeln!(context.screen, "{id} {shown}{}", clean_line(&by))?;
    }
    Ok(Exit::Done)
}

fn print(overview: &Overview, context: &mut Context) -> Outcome {
    let painter = context.screen.painter();
    let short = overview.tip.get(..10).unwrap_or(&overview.tip);
    writeln!(
        context.screen,
        "{} at {short}: {}",
        overview.reference,
        crate::ui::text::count(overview.total, "issue")
    )?;
    let mut table = Table::new([Column::left(""), Column::right("")]);
    for (status, count) in &overview.issues {
        table.row([
            Cell::new(format!("  {status}"), issues_print::status_style(*status)),
            Cell::from(count.to_string()),
        ]);
    }
    table.print(&mut context.screen)?;
    if overview.broken > 0 {
        writeln!(
            context.screen,
            "{}",
            painter.paint(style::BAD, &format!("  {} cannot be read", overview.broken))
        )?;
    }
    let index = match &overview.index {
        Freshness { path: None, .. } => "there was no index yet".to_owned(),
        Freshness { commit: None, .. } => "the index was empty".to_owned(),
        Freshness { is_fresh: true, .. } => "the index is fresh".to_owned(),
        Freshness { commit: Some(commit), .. } => {
            format!("the index was at {}, and is fresh now", commit.get(..10).unwrap_or(commit))
        }
    };
    writeln!(context.screen, "{}", painter.paint(style::DIM, &index))?;
    for queue in &overview.queues {
        let counts: Vec<String> =
            queue.items.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let counts = if counts.is_empty() { "empty".to_owned() } else { counts.join(", ") };
        writeln!(
            context.screen,
            "queue {} ({}): {counts}",
            painter.paint(style::ID, queue.id.as_str()),
            queue.status
        )?;
    }
    match &overview.active {
        Some(active) => writeln!(
            context.screen,
            "this worktree executes {} on {}",
            painter.paint(style::ID, active.solution_id.as_str()),
            clean_line(active.branch.strip_prefix("refs/heads/").unwrap_or(&active.branch))
        )?,
        None => {
            writeln!(context.screen, "this worktree executes nothing; `git wf next` takes the next item")?;
        }
    }
    Ok(Exit::Done)
}
