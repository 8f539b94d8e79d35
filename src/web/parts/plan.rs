//! A plan: its tasks with their criteria, and their dependency graph.

use maud::{Markup, html};

use super::{badge, fact, long, one_line, picture};
use crate::model::plan::{Plan, Task};
use crate::ui::svg::{Arrow, Boxed, dag};
use crate::web::place::{FilePath, Place};
use crate::web::view::View;

/// The dependency graph of the tasks, if there are any dependencies.
pub(in crate::web) fn plan_dag(plan: &Plan) -> Markup {
    let boxed = |task: &Task| Boxed {
        name: task.id.to_string(),
        title: task.title.clone(),
        class: "task",
        href: Some(format!("#task-{}", anchor(task))),
    };
    let place = |id: &crate::model::task_id::TaskId| plan.tasks.iter().position(|task| task.id == *id);
    let arrows: Vec<Arrow> = plan
        .tasks
        .iter()
        .enumerate()
        .flat_map(|(to, task)| task.depends_on.iter().filter_map(place).map(move |from| (from, to)))
        .filter(|(from, to)| from != to)
        .map(|(from, to)| Arrow { from, to, class: "depends_on" })
        .collect();
    html! {
        @if !arrows.is_empty() {
            (picture("order of the tasks", dag("order of the tasks", &plan.tasks.iter().map(boxed).collect::<Vec<_>>(), &arrows)))
            details.alternative {
                summary { "As a list" }
                ul {
                    @for arrow in &arrows {
                        li { (plan.tasks[arrow.to].id) " comes after " (plan.tasks[arrow.from].id) }
                    }
                }
            }
        }
    }
}

/// The anchor of a task, whose id can be any text.
fn anchor(task: &Task) -> String {
    task.id.to_string().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// The whole plan; `is_brief` folds each task to its first line.
pub(in crate::web) fn plan_body(view: &View<'_>, plan: &Plan, is_brief: bool) -> Markup {
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
        (plan_dag(plan))
        @for task in &plan.tasks {
            details.task id=(format!("task-{}", anchor(task))) open[!is_brief] {
                summary { span.id { (task.id) } " " strong { (one_line(&task.title)) } " " span.quiet { (task.action) } }
                (task_part(view, task))
            }
        }
    }
}

fn task_part(view: &View<'_>, task: &Task) -> Markup {
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
                @for id in &task.depends_on { (id) " " }
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

/// A file of the project; on a server, a link to its page.
pub(in crate::web) fn file(view: &View<'_>, path: &str) -> Markup {
    match FilePath::parse(path).filter(|_| !view.is_export()) {
        Some(parsed) => html! { a.file href=(view.href(&Place::File(parsed))) { (path) } },
        None => html! { code { (path) } },
    }
}

fn list(view: &View<'_>, lines: &[&String]) -> Option<Markup> {
    (!lines.is_empty()).then(|| html! { ol.plain { @for line in lines { li { (long(view, line)) } } } })
}
