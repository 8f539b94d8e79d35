//! The graph of a queue: as text, JSON, Graphviz and Mermaid.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::print::queue::status_style;
use crate::cli::{Context, Exit, Failure, Outcome};
use crate::model::id::{IssueId, ItemId, QueueId, SolutionId};
use crate::model::status::ItemStatus;
use crate::ops::queue::{World, active_ids};
use crate::rules::dag::reduced;
use crate::rules::readiness::{ItemView, QueueView, Why};
use crate::store::resolve;
use crate::ui::lanes::{Strokes, draw};
use crate::ui::picture::{Picture, Stroke};
use crate::ui::style;
use crate::ui::text::{clean_line, truncate};

/// A title is cut to so many columns.
const TITLE: usize = 48;
/// The colours of items in a picture.
const CLASSES: &[(&str, &str, &str)] = &[
    ("completed", "palegreen", "#cfc"),
    ("executing", "lightgoldenrod", "#ffc"),
    ("failed", "lightpink", "#fcc"),
    ("blocked", "lightpink", "#fcc"),
    ("ready", "white", "#fff"),
    ("pending", "white", "#eee"),
];
/// Of more items every edge is drawn, also those that show through others.
const MOST_REDUCED: usize = 5_000;

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Dag {
    /// The queue (default: the first active queue)
    queue: Option<String>,
    /// Print Graphviz
    #[arg(long)]
    dot: bool,
    /// Print Mermaid
    #[arg(long, conflicts_with = "dot")]
    mermaid: bool,
}

/// What `queue dag` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DagAnswer {
    queue_id: QueueId,
    /// The items in the order of execution.
    nodes: Vec<Node>,
    /// Which comes before which.
    edges: Vec<Link>,
    /// Which can be carried out side by side.
    groups: Vec<Group>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Node {
    item_id: ItemId,
    issue_id: IssueId,
    solution_id: SolutionId,
    /// The title of the issue.
    title: String,
    status: ItemStatus,
    /// From 1.
    execution_order: usize,
    execution_group: String,
    semantic_priority: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Link {
    /// The plan that comes first.
    from: SolutionId,
    /// The plan that comes after it.
    to: SolutionId,
    /// The reason.
    #[serde(rename = "type")]
    why: Why,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Group {
    /// P1, P2, … or S1, S2, …
    id: String,
    /// parallel: they share no file; sequential: they share files, and run in order.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["parallel", "sequential"]))]
    kind: &'static str,
    /// Its items in the order of execution.
    item_ids: Vec<ItemId>,
    /// Their plans.
    solutions: Vec<SolutionId>,
}

pub(super) fn dag(args: &Dag, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let (index, world) = World::now(&session)?;
    let snapshot = index.snapshot()?;
    let id = match &args.queue {
        Some(text) => resolve::queue(&snapshot, text)?,
        None => active_ids(&world)?[0].clone(),
    };
    let views = world.views();
    let Some(view) = views.iter().find(|view| view.queue.id == id) else {
        return Err(Failure::unreadable(&format!("queue `{id}`")));
    };
    if context.json() {
        context.screen.print_json(&answer(&world, view))?;
    } else if args.dot {
        write!(context.screen, "{}", picture(&world, view).dot())?;
    } else if args.mermaid {
        write!(context.screen, "{}", picture(&world, view).mermaid())?;
    } else {
        text(&world, view, context)?;
    }
    Ok(Exit::Done)
}

fn title(world: &World, it: &ItemView) -> String {
    world.facts.get(&it.item.issue_id).map(|issue| issue.title.clone()).unwrap_or_default()
}

fn groups(view: &QueueView) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut place = std::collections::BTreeMap::new();
    for it in &view.items {
        let at = *place.entry(&it.execution_group).or_insert_with(|| {
            let kind = if it.execution_group.starts_with('P') { "parallel" } else { "sequential" };
            let id = it.execution_group.clone();
            groups.push(Group { id, kind, item_ids: vec![], solutions: vec![] });
            groups.len() - 1
        });
        groups[at].item_ids.push(it.item.item_id.clone());
        groups[at].solutions.push(it.item.solution_id.clone());
    }
    groups
}

fn answer(world: &World, view: &QueueView) -> DagAnswer {
    let node = |it: &ItemView| Node {
        item_id: it.item.item_id.clone(),
        issue_id: it.item.issue_id.clone(),
        solution_id: it.item.solution_id.clone(),
        title: title(world, it),
        status: it.status,
        execution_order: it.execution_order,
        execution_group: it.execution_group.clone(),
        semantic_priority: it.semantic_priority,
    };
    let plan = |at: usize| view.items[at].item.solution_id.clone();
    DagAnswer {
        queue_id: view.queue.id.clone(),
        nodes: view.items.iter().map(node).collect(),
        edges: view
            .edges
            .iter()
            .map(|edge| Link { from: plan(edge.from), to: plan(edge.to), why: edge.why })
            .collect(),
        groups: groups(view),
    }
}

fn text(world: &World, view: &QueueView, context: &mut Context) -> Result<(), Failure> {
    let strokes = Strokes::from_env();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); view.items.len()];
    // What only shares a file waits for no more than that the other ends; the group says so.
    for edge in view.edges.iter().filter(|edge| edge.why != Why::File) {
        before[edge.to].push(edge.from);
    }
    if before.len() <= MOST_REDUCED {
        before = reduced(&before);
    }
    let painter = context.screen.painter();
    let name = view.queue.name.as_deref().map(|name| format!("  {name}")).unwrap_or_default();
    let (id, status) = (painter.paint(style::ID, view.queue.id.as_str()), view.status);
    writeln!(context.screen, "{id} ({status}){}", clean_line(&name))?;
    for (it, drawn) in view.items.iter().zip(draw(&before, strokes)) {
        if let Some(link) = &drawn.link {
            writeln!(context.screen, "{}", painter.paint(style::DIM, link))?;
        }
        let (left, right) = (&drawn.left, &drawn.right);
        let mark = painter.paint(status_style(it.status), mark(it.status, strokes));
        let item = painter.paint(style::ID, it.item.item_id.as_str());
        let state = painter.paint(status_style(it.status), it.status.as_str());
        let issue = painter.paint(style::ID, it.item.issue_id.as_str());
        let title = truncate(&clean_line(&title(world, it)), TITLE);
        writeln!(
            context.screen,
            "{left}{mark}{right}  {item} {} {state}  {issue} {title}",
            painter.paint(style::DIM, &it.execution_group)
        )?;
    }
    if !view.items.is_empty() {
        let done = view.items.iter().filter(|it| it.status == ItemStatus::Completed).count();
        let marks = ItemStatus::ALL.iter().map(|status| format!("{} {status}", mark(*status, strokes)));
        let legend =
            format!("{done} of {} done;  {}", view.items.len(), marks.collect::<Vec<_>>().join("  "));
        writeln!(context.screen, "{}", painter.paint(style::DIM, &legend))?;
    }
    Ok(())
}

fn mark(status: ItemStatus, strokes: Strokes) -> &'static str {
    let (unicode, ascii) = match status {
        ItemStatus::Completed => ("●", "*"),
        ItemStatus::Executing => ("◉", "@"),
        ItemStatus::Failed => ("✗", "x"),
        ItemStatus::Blocked => ("⊘", "!"),
        ItemStatus::Ready => ("○", "o"),
        ItemStatus::Pending => ("·", "."),
    };
    if strokes == Strokes::Unicode { unicode } else { ascii }
}

fn picture(world: &World, view: &QueueView) -> Picture {
    let mut picture = Picture::new(view.queue.id.as_str(), CLASSES);
    for it in &view.items {
        let name = format!("{} {}", it.item.item_id, it.item.issue_id);
        picture.node(&name, &[&title(world, it), it.status.as_str()], it.status.as_str());
    }
    for edge in &view.edges {
        let stroke = match edge.why {
            Why::DependsOn => Stroke::Plain,
            Why::Conflict => Stroke::Strong,
            Why::File => Stroke::Dashed,
        };
        picture.edge(edge.from, edge.to, stroke);
    }
    picture
}
