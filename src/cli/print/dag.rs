//! The dependency graph of a queue: as text, Graphviz and Mermaid.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::model::{ItemStatus, SolutionId};
use crate::ops::queue::DagAnswer;
use crate::page::looks::item_style;
use crate::rules::OrderReason;
use crate::rules::dag::reduced;
use crate::rules::readiness::group_words;
use crate::ui::lanes::draw;
use crate::ui::{Picture, Screen, Stroke, Strokes, UiSettings, clean_line, style, truncate, width};

/// A title is cut to what the terminal has left for it, but a shorter one would say nothing.
const LEAST_TITLE: usize = 12;
/// The colours of items in a picture.
const CLASSES: &[(&str, &str, &str)] = &[
    ("completed", "palegreen", "#cfc"),
    ("executing", "lightgoldenrod", "#ffc"),
    ("failed", "lightpink", "#fcc"),
    ("blocked", "lightpink", "#fcc"),
    ("ready", "white", "#fff"),
    ("pending", "white", "#eee"),
];
/// With more items, every edge is drawn, including edges that follow from others.
const MOST_REDUCED: usize = 5_000;

/// Draws the graph as text.
pub(in crate::cli) fn text(screen: &mut Screen, dag: &DagAnswer) -> io::Result<()> {
    let strokes = Strokes::from_env();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); dag.nodes.len()];
    // Items that only share a file merely wait for each other to end; the group shows that.
    for (from, to, _) in edges(dag).filter(|(.., why)| *why != OrderReason::File) {
        before[to].push(from);
    }
    if before.len() <= MOST_REDUCED {
        before = reduced(&before);
    }
    let painter = screen.painter();
    let name = dag.name.as_deref().map(|name| format!("  {name}")).unwrap_or_default();
    let (id, status) = (painter.paint(style::ID, screen.id(dag.queue_id.as_str())), dag.status);
    writeln!(screen, "{id} ({status}){}", clean_line(&name))?;
    if UiSettings::get().is_plain {
        return spoken(screen, dag, &before);
    }
    for ((it, drawn), before) in dag.nodes.iter().zip(draw(&before, strokes)).zip(&before) {
        if let Some(link) = &drawn.link {
            writeln!(screen, "{}", painter.paint(style::DIM, link))?;
        }
        let (left, right) = (&drawn.left, &drawn.right);
        let mark = painter.paint(item_style(it.status), mark(it.status, strokes));
        let item = painter.paint(style::ID, it.item_id.as_str());
        let state = painter.paint(item_style(it.status), it.status.as_str());
        let issue = painter.paint(style::ID, screen.id(it.issue_id.as_str()));
        let first: Vec<&str> = before.iter().map(|n| dag.nodes[*n].item_id.as_str()).collect();
        let after = if first.is_empty() { String::new() } else { format!("  after {}", first.join(", ")) };
        let beside = format!(
            "{left}.{right}  {} {} ({})  {} {after}",
            it.item_id,
            it.status.as_str(),
            group_words(&it.execution_group),
            screen.id(it.issue_id.as_str())
        );
        let room = screen.columns().map(|columns| columns.saturating_sub(width(&beside)).max(LEAST_TITLE));
        let title = clean_line(&it.title);
        let title = room.map_or_else(|| title.to_string(), |room| truncate(&title, room));
        writeln!(
            screen,
            "{left}{mark}{right}  {item} {state} {}  {issue} {title}{}",
            painter.paint(style::DIM, &format!("({})", group_words(&it.execution_group))),
            painter.paint(style::DIM, &after)
        )?;
    }
    if !dag.nodes.is_empty() {
        let done = dag.nodes.iter().filter(|it| it.status == ItemStatus::Completed).count();
        let marks = ItemStatus::ALL.iter().map(|status| format!("{} {status}", mark(*status, strokes)));
        let legend = format!(
            "{done} of {} completed. Legend: {}",
            dag.nodes.len(),
            marks.collect::<Vec<_>>().join(", ")
        );
        writeln!(screen, "{}", painter.paint(style::DIM, &legend))?;
    }
    Ok(())
}

/// For screen readers: a line for each item, with the items that come before it.
fn spoken(screen: &mut Screen, dag: &DagAnswer, before: &[Vec<usize>]) -> io::Result<()> {
    for (it, before) in dag.nodes.iter().zip(before) {
        let mut before = before.clone();
        before.sort_unstable();
        let first: Vec<&str> = before.iter().map(|n| dag.nodes[*n].item_id.as_str()).collect();
        let after = if first.is_empty() { String::new() } else { format!(", after {}", first.join(" and ")) };
        let (item, group, status) = (&it.item_id, group_words(&it.execution_group), it.status);
        let title = clean_line(&it.title);
        writeln!(screen, "{item}, {status}, group {group}{after}, issue {}, title {title}", it.issue_id)?;
    }
    if dag.nodes.is_empty() {
        return Ok(());
    }
    let done = dag.nodes.iter().filter(|it| it.status == ItemStatus::Completed).count();
    writeln!(screen, "{done} of {} completed", dag.nodes.len())
}

/// The edges, by the positions of their items.
fn edges(dag: &DagAnswer) -> impl Iterator<Item = (usize, usize, OrderReason)> {
    let places: HashMap<&SolutionId, usize> =
        dag.nodes.iter().enumerate().map(|(n, node)| (&node.solution_id, n)).collect();
    dag.edges
        .iter()
        .filter_map(move |edge| Some((*places.get(&edge.from)?, *places.get(&edge.to)?, edge.why)))
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

/// The graph for Graphviz or Mermaid.
pub(in crate::cli) fn picture(dag: &DagAnswer) -> Picture {
    let mut picture = Picture::new(dag.queue_id.as_str(), CLASSES);
    for it in &dag.nodes {
        let name = format!("{} {}", it.item_id, it.issue_id);
        picture.node(&name, &[&it.title, it.status.as_str()], it.status.as_str());
    }
    for (from, to, why) in edges(dag) {
        let stroke = match why {
            OrderReason::DependsOn => Stroke::Plain,
            OrderReason::Conflict => Stroke::Strong,
            OrderReason::File => Stroke::Dashed,
        };
        picture.edge(from, to, stroke);
    }
    picture
}
