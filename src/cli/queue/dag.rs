//! The graph of a queue: as text, JSON, Graphviz and Mermaid.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::queues::active_ids;
use crate::cli::queue_print::status_style;
use crate::cli::world::World;
use crate::cli::{Context, Exit, Failure, Outcome};
use crate::model::id::{IssueId, ItemId, QueueId, SolutionId};
use crate::model::status::ItemStatus;
use crate::rules::dag::reduced;
use crate::rules::readiness::{ItemView, QueueView, Why};
use crate::store::resolve;
use crate::ui::lanes::{Strokes, draw};
use crate::ui::style;
use crate::ui::text::{clean_line, truncate};

/// A title in a picture is cut to so many columns.
const TITLE: usize = 48;
/// Of more items every edge is drawn, also those that show through others.
const MOST_REDUCED: usize = 5_000;

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Dag {
    /// The queue; the active one that is served first unless given
    queue: Option<String>,
    /// For Graphviz
    #[arg(long)]
    dot: bool,
    /// For Mermaid
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
    /// Why.
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
    let store = context.store()?;
    let (index, world) = World::now(&store, context)?;
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
        write!(context.screen, "{}", dot(&world, view))?;
    } else if args.mermaid {
        write!(context.screen, "{}", mermaid(&world, view))?;
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

/// What stands in a picture of an item.
fn label(world: &World, it: &ItemView) -> [String; 3] {
    let title = truncate(&clean_line(&title(world, it)), TITLE);
    [format!("{} {}", it.item.item_id, it.item.issue_id), title, it.status.to_string()]
}

fn dot(world: &World, view: &QueueView) -> String {
    // Within quotes only these two are more than themselves.
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut lines = vec![
        format!("digraph \"{}\" {{", quoted(view.queue.id.as_str())),
        "  rankdir=LR;".to_owned(),
        "  node [shape=box, fontname=\"sans-serif\"];".to_owned(),
    ];
    for (n, it) in view.items.iter().enumerate() {
        let label = label(world, it).map(|part| quoted(&part)).join("\\n");
        let colour = match it.status {
            ItemStatus::Completed => "palegreen",
            ItemStatus::Executing => "lightgoldenrod",
            ItemStatus::Failed | ItemStatus::Blocked => "lightpink",
            ItemStatus::Ready | ItemStatus::Pending => "white",
        };
        lines.push(format!("  n{n} [label=\"{label}\", style=filled, fillcolor={colour}];"));
    }
    for edge in &view.edges {
        let style = match edge.why {
            Why::DependsOn => "",
            Why::Conflict => " [color=red]",
            Why::File => " [style=dashed]",
        };
        lines.push(format!("  n{} -> n{}{style};", edge.from, edge.to));
    }
    lines.push("}\n".to_owned());
    lines.join("\n")
}

fn mermaid(world: &World, view: &QueueView) -> String {
    let mut lines = vec!["flowchart LR".to_owned()];
    for (n, it) in view.items.iter().enumerate() {
        let label = label(world, it).map(|part| entities(&part)).join("<br/>");
        lines.push(format!("  n{n}[\"{label}\"]:::{}", it.status));
    }
    for edge in &view.edges {
        let arrow = match edge.why {
            Why::DependsOn => "-->",
            Why::Conflict => "==>",
            Why::File => "-.->",
        };
        lines.push(format!("  n{} {arrow} n{}", edge.from, edge.to));
    }
    for (status, colour) in [
        ("completed", "#cfc"),
        ("executing", "#ffc"),
        ("failed", "#fcc"),
        ("blocked", "#fcc"),
        ("ready", "#fff"),
        ("pending", "#eee"),
    ] {
        lines.push(format!("  classDef {status} fill:{colour},color:#000"));
    }
    lines.join("\n") + "\n"
}

/// Mermaid knows no backslash: whatever could end a label, begin markup or an entity is written as an entity.
fn entities(text: &str) -> String {
    let escaped = |c: char| match c {
        c if c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | ':' | '/' | '…') => {
            c.to_string()
        }
        c => format!("#{};", u32::from(c)),
    };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::entities;

    #[test]
    fn no_title_can_end_its_label() {
        assert_eq!(entities("a\"]; click n0 \"x\" <b>`"), "a#34;#93;#59; click n0 #34;x#34; #60;b#62;#96;");
    }
}
