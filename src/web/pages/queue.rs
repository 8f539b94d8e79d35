//! Queues: items in order, the dependency graph, groups, and conflicts.

use std::collections::BTreeMap;
use std::ops::Range;

use maud::{Markup, html};

use crate::model::{ItemId, ItemStatus, QueueId, SolutionId, count};
use crate::ops::Refusal;
use crate::ops::queue::{self, DagAnswer, ItemAnswer, QueueAnswer};
use crate::rules::readiness::group_words;
use crate::rules::{ConflictView, OrderReason};
use crate::ui::svg::dag;
use crate::ui::{Arrow, Boxed};
use crate::web::forms::PageForm;
use crate::web::layout::one as one_value;
use crate::web::parts::{
    ListPosition, badge, counted, one_line, pager, person, picture, record_text, sentence, when,
};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

/// Items per page of a queue, and for each queue on the page of all.
const PAGE: usize = 100;
/// The most items in the picture; if a queue has more, completed ones are left out first.
const MOST_DRAWN: usize = 200;

/// The active queues, and the names of the others.
pub(super) fn all(view: &View<'_>) -> Result<PageContent, Refusal> {
    let drawn = queue::drawn(view.session, None)?;
    let body = html! {
        h1 { "Queue" }
        @if drawn.shown.is_empty() { p.quiet { "No queue is active." } }
        @for (queue, graph) in &drawn.shown { (part(view, queue, graph, None)) }
        @if !drawn.others.is_empty() {
            h2 { "Other queues" }
            ul.rows {
                @for it in &drawn.others {
                    li { (view.id(&Place::Queue(it.queue.id.clone()), it.queue.id.as_str())) " " (badge(it.status.as_str())) " "
                        (count(it.item_count, "item")) ", " (it.completed) " completed" }
                }
            }
        }
    };
    Ok(PageContent::new("Queue", body))
}

/// One queue.
pub(super) fn one(view: &View<'_>, id: &QueueId) -> Result<PageContent, Refusal> {
    let drawn = queue::drawn(view.session, Some(id.as_str()))?;
    let wanted = if view.query.get("page").is_none() { view.query.get("item") } else { None };
    let body = html! {
        h1 { "Queue" }
        @for (queue, graph) in &drawn.shown {
            @let row = wanted.and_then(|wanted| row_of(queue, wanted));
            @if let Some(wanted) = wanted && row.is_none() {
                p.notices role="status" { "There is no item " code { (one_line(wanted)) } " in this queue." }
            }
            @let asked = ListPosition::asked(view, PAGE);
            @let pages = row.map_or(asked, |row| ListPosition { page: row / PAGE + 1, ..asked });
            (part(view, queue, graph, Some(pages)))
        }
    };
    Ok(PageContent::new(id.to_string(), body))
}

/// The row of an item, by its short name.
fn row_of(queue: &QueueAnswer, item: &str) -> Option<usize> {
    let items = queue.items.as_deref().unwrap_or_default();
    items.iter().position(|shown| shown.item.item_id.as_str() == item)
}

/// A queue: a page of its items, or the first ones with a link to its own page. An export has all on that page.
fn part(view: &View<'_>, queue: &QueueAnswer, graph: &DagAnswer, pages: Option<ListPosition>) -> Markup {
    let items = queue.items.as_deref().unwrap_or_default();
    let conflicts = queue.conflicts.as_deref().unwrap_or_default();
    let is_whole = pages.is_some() && view.is_export();
    let from = pages.map_or(0, ListPosition::offset);
    let part = if is_whole { 0..usize::MAX } else { from..from + PAGE };
    let here = part.start.min(items.len())..part.end.min(items.len());
    let decisions = &conflicts[part.start.min(conflicts.len())..part.end.min(conflicts.len())];
    let total = items.len().max(conflicts.len());
    html! {
        section.queue {
            h2 {
                @if pages.is_none() { (view.id(&Place::Queue(queue.queue.id.clone()), queue.queue.id.as_str())) } @else { span.id { (queue.queue.id) } }
                @if let Some(name) = &queue.queue.name { " " (record_text(view, name)) }
                " " (badge(queue.status.as_str())) " " span.quiet { (queue.completed) " of " (queue.item_count) " completed" }
            }
            (graphic(view, &queue.queue.id, graph, &items[here.clone()]))
            (table(view, &queue.queue.id, items, here.clone()))
            @match pages {
                Some(pages) if !is_whole => (pager(view, ListPosition { total, ..pages })),
                None if total > PAGE => p { (view.link(&Place::Queue(queue.queue.id.clone()), &format!("All {} items", items.len()))) },
                _ => {}
            }
            @if !decisions.is_empty() {
                (counted("Conflicts between plans", conflicts.len()))
                @for it in decisions { (conflict(view, queue, &items[here.clone()], it)) }
            }
        }
    }
}

fn graphic(view: &View<'_>, id: &QueueId, graph: &DagAnswer, here: &[ItemAnswer]) -> Markup {
    let is_whole = graph.nodes.len() <= MOST_DRAWN;
    let wanted = graph.nodes.iter().filter(|node| is_whole || node.status != ItemStatus::Completed);
    let drawn: Vec<_> = wanted.take(MOST_DRAWN).collect();
    let nodes = drawn.iter().map(|node| Boxed {
        name: format!("{} {}", node.item_id, node.issue_id),
        title: node.title.clone(),
        class: node.status.as_str(),
        href: Some(view.href(&Place::Issue(node.issue_id.clone()))),
    });
    let nodes: Vec<Boxed> = nodes.collect();
    let places: BTreeMap<&SolutionId, usize> =
        drawn.iter().enumerate().map(|(at, node)| (&node.solution_id, at)).collect();
    let arrows = graph.edges.iter().filter_map(|edge| {
        let class = match edge.why {
            OrderReason::DependsOn => "depends_on",
            OrderReason::Conflict => "conflict",
            OrderReason::File => "file",
        };
        Some(Arrow { from: *places.get(&edge.from)?, to: *places.get(&edge.to)?, class })
    });
    let arrows: Vec<Arrow> = arrows.collect();
    let name = format!("dependency graph of {id}");
    let left_out = graph.nodes.len() - drawn.len();
    html! {
        @if !nodes.is_empty() {
            (picture(&name, dag(&name, &nodes, &arrows)))
            @if left_out > 0 { p.quiet { "without " (count(left_out, "more item")) } }
            p.legend { span.line.depends_on {} " dependency " span.line.conflict {} " decided conflict " span.line.file {} " same file" }
            details.alternative {
                summary { "As a list" }
                ul {
                    @for arrow in &arrows {
                        li { (item_link(view, id, here, &drawn[arrow.from].item_id)) " before " (item_link(view, id, here, &drawn[arrow.to].item_id)) ": "
                            (match arrow.class { "depends_on" => "dependency", "conflict" => "decided conflict", _ => "same file" }) }
                    }
                    @for group in &graph.groups {
                        @let items: Vec<&ItemId> = group.item_ids.iter().filter(|id| drawn.iter().any(|node| node.item_id == **id)).collect();
                        @if !items.is_empty() { li { (group_words(&group.id)) ": " @for item in items { (item_link(view, id, here, item)) " " } } }
                    }
                }
            }
        }
    }
}

/// The anchor of an item, which is unique on a page with several queues.
fn anchor(queue: &QueueId, item: &str) -> String {
    format!("{queue}-{item}")
}

/// An item, such as `S-1`, as a link to its row on the page of its queue, whichever part of the queue has it.
pub(in crate::web) fn item(view: &View<'_>, queue: &QueueId, item: &str, text: &str) -> Markup {
    let place = Place::Queue(queue.clone());
    html! {
        @if view.has(&place) {
            a.id href=(format!("{}#{}", view.href_with(&place, &one_value("item", item)), anchor(queue, item))) { (text) }
        } @else { span.id { (text) } }
    }
}

/// The id of an item as a link to its row: on this page if that is here.
fn item_link(view: &View<'_>, queue: &QueueId, here: &[ItemAnswer], id: &ItemId) -> Markup {
    html! {
        @if here.iter().any(|shown| shown.item.item_id == *id) { a.id href=(format!("#{}", anchor(queue, id.as_str()))) { (id) } }
        @else { (item(view, queue, id.as_str(), id.as_str())) }
    }
}

fn table(view: &View<'_>, id: &QueueId, items: &[ItemAnswer], shown: Range<usize>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("items of {id}")) {
            table {
                thead { tr { th { "Item" } th { "Status" } th { "Group" } th { "Issue" } th.wide { "Title" } th { "Waits for / executed by" } @if view.may_write() { th { "Change" } } } }
                tbody { @for n in shown { (row(view, id, items, n)) } }
            }
        }
    }
}

fn row(view: &View<'_>, queue: &QueueId, items: &[ItemAnswer], n: usize) -> Markup {
    let item = &items[n];
    html! {
        tr id=(anchor(queue, item.item.item_id.as_str())) {
            td { (item_link(view, queue, std::slice::from_ref(item), &item.item.item_id)) }
            td { (badge(item.status.as_str())) }
            td { (group_words(&item.execution_group)) }
            td { (view.id(&Place::Issue(item.item.issue_id.clone()), item.item.issue_id.as_str())) }
            td.wide {
                (record_text(view, &item.title))
                div.quiet { (view.id(&Place::Plan(item.item.solution_id.clone()), item.item.solution_id.as_str())) ", " (count(item.task_count, "task")) }
            }
            td {
                @for blocker in &item.blocked_by { div { (sentence(view, &blocker.reason)) } }
                @if let Some(holder) = &item.holder {
                    div { (view.link(&Place::Execution(holder.execution_id.clone()), holder.status.as_str())) " " (person(holder.actor.as_str()))
                        @if item.status == ItemStatus::Executing { " " span.quiet { "lease ends " (when(view, holder.lease_expires_at)) } } }
                }
            }
            @if view.may_write() { td.forms { (actions(view, items, n, item)) } }
        }
    }
}

fn actions(view: &View<'_>, items: &[ItemAnswer], n: usize, item: &ItemAnswer) -> Markup {
    let name = &item.name.to_string();
    let hold = PageForm::new(view, "queue-hold", name);
    let is_open = !matches!(item.status, ItemStatus::Completed | ItemStatus::Executing);
    html! {
        @if is_open {
            @if let Some(before) = n.checked_sub(1).and_then(|n| items.get(n)) { (order(view, name, "before", before, "↑ Up")) }
            @if let Some(after) = items.get(n + 1) { (order(view, name, "after", after, "↓ Down")) }
        }
        @if item.item.held.is_some() { (button(view, name, "queue-release", "Release")) }
        @else if is_open {
            details open[hold.is_refused()] { summary { "Hold" }
                (hold.small(html! { (hold.hidden("item", name)) (hold.text("reason", "Reason", "")) }, "Hold")) }
        }
        @if is_open { (button(view, name, "queue-remove", "Remove")) }
        @if item.status == ItemStatus::Executing { (button(view, name, "lease-release", "Release the claim")) }
    }
}

/// A button that moves an item to a side of another one.
fn order(view: &View<'_>, item: &str, side: &str, other: &ItemAnswer, label: &str) -> Markup {
    let form = PageForm::new(view, "queue-order", format!("{item}-{side}"));
    form.small(html! { (form.hidden("item", item)) (form.hidden("beside", other.name.to_string())) (form.hidden("side", side)) }, label)
}

/// A button for an operation on an item.
fn button(view: &View<'_>, item: &str, op: &'static str, label: &str) -> Markup {
    let form = PageForm::new(view, op, item);
    form.small(form.hidden("item", item), label)
}

fn conflict(view: &View<'_>, queue: &QueueAnswer, here: &[ItemAnswer], it: &ConflictView) -> Markup {
    let names: Vec<String> = it.item_ids.iter().map(ToString::to_string).collect();
    html! {
        article.entry {
            header {
                @if let Some(id) = &it.id { strong { (id) } " " }
                (badge(it.severity.as_str())) " " (it.kind) ": " @for item in &it.item_ids { (item_link(view, &queue.queue.id, here, item)) " " }
                (badge(if it.resolved { "resolved" } else { "undecided" }))
            }
            @if let Some(file) = &it.file { p { code { (one_line(file)) } } }
            @if let Some(why) = &it.rationale { p { (record_text(view, why)) } }
            @if let Some(id) = &it.id {
                @let form = PageForm::new(view, "queue-resolve", format!("{}-{id}", queue.queue.id));
                (form.small(html! {
                    (form.hidden("conflict", id)) (form.hidden("queue", &queue.queue.id))
                    (form.text("order", "Order, first to last", &names.join(" ")))
                    (form.choice("resolution", "How", &["sequential", "merge"], "sequential"))
                    (form.text("rationale", "Why", ""))
                }, "Decide"))
            }
        }
    }
}
