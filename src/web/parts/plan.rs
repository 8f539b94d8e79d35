//! A plan: its tasks with their criteria, and their dependency graph.

use maud::{Markup, html};

use super::{badge, fact, long, one_line, picture};
use crate::model::id::SolutionId;
use crate::model::plan::{Plan, Task};
use crate::model::task_id::TaskId;
use crate::ui::svg::{Arrow, Boxed, dag};
use crate::web::place::{FilePath, Place};
use crate::web::view::View;

/// A plan on a page.
#[derive(Clone, Copy)]
pub(in crate::web) struct Shown<'a> {
    pub(in crate::web) plan: &'a Plan,
    /// Distinguishes the plans of a page, and is a part of the addresses of their tasks; empty on a plan's own page.
    pub(in crate::web) key: &'a str,
    /// Whether each task is folded to its first line.
    pub(in crate::web) is_brief: bool,
}

/// The dependency graph of the tasks, if there are any dependencies.
fn plan_dag(shown: Shown<'_>) -> Markup {
    let plan = shown.plan;
    let boxed = |task: &Task| Boxed {
        name: task.id.to_string(),
        title: task.title.clone(),
        class: "task",
        href: Some(format!("#{}", anchor(shown.key, &task.id))),
    };
    let place = |id: &TaskId| plan.tasks.iter().position(|task| task.id == *id);
    let arrows: Vec<Arrow> = plan
        .tasks
        .iter()
        .enumerate()
        .flat_map(|(to, task)| task.depends_on.iter().filter_map(place).map(move |from| (from, to)))
        .filter(|(from, to)| from != to)
        .map(|(from, to)| Arrow { from, to, class: "depends_on" })
        .collect();
    let name = match shown.key {
        "" => "order of the tasks".to_owned(),
        key => format!("order of the tasks of {key}"),
    };
    html! {
        @if !arrows.is_empty() {
            (picture(&name, dag(&name, &plan.tasks.iter().map(boxed).collect::<Vec<_>>(), &arrows)))
            details.alternative {
                summary { "As a list" }
                ul {
                    @for arrow in &arrows {
                        li { (own_task(shown.key, &plan.tasks[arrow.to].id)) " comes after " (own_task(shown.key, &plan.tasks[arrow.from].id)) }
                    }
                }
            }
        }
    }
}

/// The anchor of a task, whose id can be any text.
fn anchor(key: &str, id: &str) -> String {
    let id: String = id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if key.is_empty() { format!("task-{id}") } else { format!("task-{key}-{id}") }
}

/// The id of a task as a link to it on the same page.
fn own_task(key: &str, id: &str) -> Markup {
    html! { a.id href=(format!("#{}", anchor(key, id))) { (id) } }
}

/// The id of a task as a link to it on the page of its plan.
pub(in crate::web) fn task(view: &View<'_>, plan: &SolutionId, id: &str) -> Markup {
    let place = Place::Plan(plan.clone());
    html! {
        @if view.has(&place) { a.id href=(format!("{}#{}", view.href(&place), anchor("", id))) { (id) } }
        @else { span.id { (id) } }
    }
}

/// The whole plan.
pub(in crate::web) fn plan_body(view: &View<'_>, shown: Shown<'_>) -> Markup {
    let plan = shown.plan;
    html! {
        @if let Some(text) = &plan.description { (long(view, text)) }
        @if let Some(text) = &plan.approach { p.quiet { "Approach" } (long(view, text)) }
        @if let Some(analysis) = &plan.analysis {
            p.facts {
                @for (name, level) in [("risk", &analysis.risk), ("impact", &analysis.impact), ("complexity", &analysis.complexity)] {
                    @if let Some(level) = level { span { (name) " " (badge(level)) } " " }
                }
            }
        }
        (plan_dag(shown))
        @for task in &plan.tasks {
            details.task id=(anchor(shown.key, &task.id)) open[!shown.is_brief] {
                summary { span.id { (task.id) } " " strong { (one_line(&task.title)) } " " span.quiet { (task.action) } }
                (task_part(view, task, shown.key))
            }
        }
    }
}

fn task_part(view: &View<'_>, task: &Task, key: &str) -> Markup {
    let criteria = task.acceptance.iter().flat_map(|it| &it.criteria);
    let criteria: Vec<&String> =
        criteria.chain(task.convergence.iter().flat_map(|it| &it.criteria)).collect();
    let verification = task.acceptance.iter().flat_map(|it| &it.verification);
    let verification: Vec<&String> =
        verification.chain(task.convergence.iter().filter_map(|it| it.verification.as_ref())).collect();
    let commands = task.test.as_ref().map(|test| test.commands.as_slice()).unwrap_or_default();
    html! {
        @if let Some(text) = &task.description { (long(view, text)) }
        dl.facts {
            (fact("depends on", (!task.depends_on.is_empty()).then(|| html! {
                @for id in &task.depends_on { (own_task(key, id)) " " }
            })))
            (fact("files", task.places().next().map(|_| html! {
                ul.plain {
                    @for place in task.places() {
                        li { (file(view, place.path)) @if let Some(what) = place.change { " " span.quiet { (one_line(what)) } } }
                    }
                }
            })))
            (fact("steps", list(view, &task.implementation.iter().collect::<Vec<_>>())))
            (fact("criteria", list(view, &criteria)))
            (fact("verification", list(view, &verification)))
            (fact("tests", (!commands.is_empty()).then(|| html! {
                @for command in commands { pre { code { (command) } } }
            })))
        }
    }
}

/// A file of the project; on a server, a link to its page if it is there.
pub(in crate::web) fn file(view: &View<'_>, path: &str) -> Markup {
    match FilePath::parse(path).filter(|path| !view.is_export() && view.has_file(path)) {
        Some(parsed) => html! { a.file href=(view.href(&Place::File(parsed))) { (path) } },
        None => html! { code { (path) } },
    }
}

fn list(view: &View<'_>, lines: &[&String]) -> Option<Markup> {
    (!lines.is_empty()).then(|| html! { ol.plain { @for line in lines { li { (long(view, line)) } } } })
}
