//! A plan: its tasks with their criteria, and their dependency graph.

use maud::{Markup, html};

use super::{badge, fact, json_value, linked, long, one_line, picture, priority};
use crate::model::id::SolutionId;
use crate::model::plan::{Plan, PlannedCommit, Task, TaskTest, TouchedPlace};
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
        @if let Some(found) = plan.exploration_context.as_ref().filter(|_| !shown.is_brief) {
            details.entry { summary { "What the planner found" } (json_value(view, found)) }
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

/// Everything that a task says, so that nobody needs the JSON to review or execute it.
fn task_part(view: &View<'_>, task: &Task, key: &str) -> Markup {
    let test = |of: fn(&TaskTest) -> &[String]| -> Vec<&str> {
        task.test.iter().flat_map(of).map(String::as_str).collect()
    };
    let steps: Vec<&str> = task.implementation.iter().map(String::as_str).collect();
    let regression: Vec<&str> = task.regression.iter().flatten().map(String::as_str).collect();
    let coverage = task.test.as_ref().and_then(|test| test.coverage_target);
    let changes = task.test.iter().flat_map(|test| &test.changes);
    let changed: Vec<String> = changes.map(|it| format!("{}: {}", it.path, it.reason)).collect();
    let commands = test(|test| &test.commands);
    let is_done = task.convergence.as_ref().and_then(|it| it.definition_of_done.as_ref());
    let commit = task.commit.as_ref().and_then(PlannedCommit::subject);
    let effort: Vec<String> = task.estimates().map(|it| it.to_string()).collect();
    html! {
        @if let Some(text) = &task.description { (long(view, text)) }
        dl.facts {
            (fact("depends on", (!task.depends_on.is_empty()).then(|| html! {
                @for id in &task.depends_on { (own_task(key, id)) " " }
            })))
            (fact("priority", task.priority().map(priority)))
            (fact("effort", (!effort.is_empty()).then(|| html! { (effort.join(", ")) })))
            (fact("scope", task.scope.as_ref().map(|it| one_line(it))))
            (fact("files", task.places().next().map(|_| html! {
                ul.plain { @for it in task.places() { li { (place(view, it)) } } }
            })))
            (fact("steps", list(view, &steps)))
            (fact("tests", (!commands.is_empty()).then(|| html! {
                @for command in &commands { pre { code { (command) } } }
            })))
            (fact("unit tests", list(view, &test(|test| &test.unit))))
            (fact("integration", list(view, &test(|test| &test.integration))))
            (fact("coverage", coverage.map(|it| html! { (it) " %" })))
            (fact("changes tests", list(view, &changed.iter().map(String::as_str).collect::<Vec<_>>())))
            (fact("by hand", list(view, &test(|test| &test.manual_checks))))
            (fact("metrics", list(view, &test(|test| &test.success_metrics))))
            (fact("regression", list(view, &regression)))
            (fact("criteria", list(view, &task.criteria())))
            (fact("verification", list(view, &task.verification())))
            (fact("done means", is_done.map(|it| long(view, it))))
            (fact("commit", commit.map(|it| html! { code { (it) } })))
        }
    }
}

/// A place in the code that a task touches, and what changes there.
fn place(view: &View<'_>, it: TouchedPlace<'_>) -> Markup {
    let risk = it.conflict_risk.map(|risk| format!("{risk} conflict risk"));
    let facts: Vec<String> = it.action.map(str::to_owned).into_iter().chain(risk).collect();
    html! {
        (file(view, it.path))
        @if let Some(target) = it.target { " " code { (one_line(target)) } }
        @if !facts.is_empty() { " " span.quiet { "(" (facts.join(", ")) ")" } }
        @if let Some(what) = it.change { " " span.quiet { (linked(view, what)) } }
        @if !it.changes.is_empty() { ul { @for change in it.changes { li { (linked(view, change)) } } } }
    }
}

/// A file of the project; on a server, a link to its page if it is there.
pub(in crate::web) fn file(view: &View<'_>, path: &str) -> Markup {
    match FilePath::parse(path).filter(|path| !view.is_export() && view.has_file(path)) {
        Some(parsed) => html! { a.file href=(view.href(&Place::File(parsed))) { (path) } },
        None => html! { code { (path) } },
    }
}

fn list(view: &View<'_>, lines: &[&str]) -> Option<Markup> {
    (!lines.is_empty()).then(|| html! { ol.plain { @for line in lines { li { (long(view, line)) } } } })
}
