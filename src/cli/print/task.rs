//! The tasks of a plan for people: complete, so that nobody needs the JSON to execute them.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::solution;
use crate::model::hidden::exact;
use crate::model::plan::{Plan, PlannedCommit, Task, TouchedPlace};
use crate::ops::plans::{ChangedTask, Tasks};
use crate::ui::text::{clean_line, indent};
use crate::ui::{Cell, Column, Screen, Table, UiSettings, style};

/// The columns reserved for the names of a task's lists.
const NAME: usize = 12;

/// One task per line.
pub(in crate::cli) fn table(screen: &mut Screen, tasks: &Tasks) -> io::Result<()> {
    if tasks.typed.is_empty() {
        return screen.nothing("the plan has no tasks; `git wf task add` adds one");
    }
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("ACTION"),
        Column::flexible("AFTER"),
        Column::left("ESTIMATE").spare(),
        Column::right("CRITERIA").spare(),
        Column::flexible("FILES").spare(),
        Column::flexible("TITLE"),
    ]);
    for task in &tasks.typed {
        let files: BTreeSet<&str> = task.places().map(|place| place.path).collect();
        let more = if files.len() > 1 { format!(" +{}", files.len() - 1) } else { String::new() };
        let files = format!("{}{more}", files.iter().next().copied().unwrap_or_default());
        table.row([
            Cell::new(task.id.as_str(), style::ID),
            Cell::from(task.action.as_str()),
            Cell::from(task.depends_on.join(", ")),
            Cell::from(task.estimates().next().map(|it| it.to_string()).unwrap_or_default()),
            Cell::from(task.criteria().len().to_string()),
            Cell::from(files),
            Cell::from(task.title.as_str()),
        ]);
    }
    table.print(screen)
}

/// A task that was added; for programs only its id.
pub(in crate::cli) fn added(screen: &mut Screen, it: &ChangedTask) -> io::Result<()> {
    match screen.is_terminal() {
        true => done(screen, it, "added"),
        false => writeln!(screen, "{}", it.task),
    }
}

/// The result of editing a task.
pub(in crate::cli) fn changed(screen: &mut Screen, it: &ChangedTask, is_changed: bool) -> io::Result<()> {
    if is_changed {
        return done(screen, it, "changed");
    }
    let painter = screen.painter();
    let (task, plan) = (painter.paint(style::ID, &it.task), painter.paint(style::ID, it.plan.id.as_str()));
    writeln!(screen, "{task} of {plan} already has these values; nothing changed")
}

fn done(screen: &mut Screen, it: &ChangedTask, verb: &str) -> io::Result<()> {
    let painter = screen.painter();
    let (task, plan) = (painter.paint(style::ID, &it.task), painter.paint(style::ID, it.plan.id.as_str()));
    let quality = solution::quality(screen, &it.plan);
    writeln!(screen, "{verb} {task} of {plan} (quality {quality})")
}

/// The description and approach of a plan, without its tasks.
pub(in crate::cli) fn purpose(plan: &Plan, screen: &mut Screen) -> io::Result<()> {
    for text in [&plan.description, &plan.approach].into_iter().flatten() {
        writeln!(screen, "\n{}", indent(text, 4))?;
    }
    exploration(plan, screen)
}

/// What the planner found in the code.
pub(in crate::cli) fn exploration(plan: &Plan, screen: &mut Screen) -> io::Result<()> {
    let Some(found) = plan.exploration_context.as_ref().and_then(|found| found.as_object()) else {
        return Ok(());
    };
    for (name, value) in found {
        let heading = screen.painter().paint(style::HEADING, &clean_line(&name.replace('_', " ")));
        let text = match value {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Array(items) if items.iter().all(serde_json::Value::is_string) => {
                items.iter().filter_map(serde_json::Value::as_str).collect::<Vec<_>>().join("\n")
            }
            other => format!("{other:#}"),
        };
        writeln!(screen, "\n{heading}\n{}", indent(&text, 4))?;
    }
    Ok(())
}

/// The tasks of a plan in full.
pub(in crate::cli) fn tasks(plan: &Plan, screen: &mut Screen) -> io::Result<()> {
    for task in &plan.tasks {
        writeln!(screen)?;
        print_task(task, screen)?;
    }
    Ok(())
}

fn print_task(task: &Task, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let after = if task.depends_on.is_empty() {
        String::new()
    } else {
        format!(" (after {})", task.depends_on.join(", "))
    };
    let title = painter.paint(style::HEADING, &task.title);
    let id = painter.paint(style::ID, &task.id);
    writeln!(screen, "{id} {}: {title}{}", clean_line(&task.action), clean_line(&after))?;
    if let Some(description) = &task.description {
        writeln!(screen, "{}", indent(description, 4))?;
    }
    let priority = task.priority().map(|priority| priority.name().to_owned());
    let facts: Vec<String> = priority.into_iter().chain(task.estimates().map(|it| it.to_string())).collect();
    if !facts.is_empty() {
        writeln!(screen, "{}", painter.paint(style::DIM, &format!("    {}", facts.join(", "))))?;
    }
    for (name, items) in lists(task) {
        for (n, item) in items.iter().enumerate() {
            let shown = if n == 0 || UiSettings::get().is_plain { name } else { "" };
            let label = format!("    {}", painter.label(shown));
            if name == "tests" {
                // These commands will be run, so nothing in them may be hidden.
                writeln!(screen, "{label} {}", exact(item))?;
                continue;
            }
            let (first, rest) = item.split_once('\n').unwrap_or((item, ""));
            writeln!(screen, "{label} {}", clean_line(first))?;
            if !rest.trim().is_empty() {
                writeln!(screen, "{}", indent(rest, NAME + 5))?;
            }
        }
    }
    Ok(())
}

/// The lists of a task by name, in the order in which they are needed.
fn lists(task: &Task) -> Vec<(&'static str, Vec<String>)> {
    let test = |of: fn(&crate::model::plan::TaskTest) -> &[String]| -> Vec<String> {
        task.test.iter().flat_map(|test| of(test).to_vec()).collect()
    };
    // `git wf accept` takes these numbers.
    let criteria = task.criteria().into_iter().enumerate().map(|(n, text)| format!("{}. {text}", n + 1));
    let verification = task.verification().into_iter().map(str::to_owned);
    let coverage = task.test.as_ref().and_then(|test| test.coverage_target).map(|target| target.to_string());
    let definition = task.convergence.as_ref().and_then(|it| it.definition_of_done.clone());
    vec![
        ("scope", task.scope.clone().into_iter().collect()),
        ("files", task.places().map(place).collect()),
        ("steps", task.implementation.clone()),
        ("tests", test(|test| &test.commands)),
        ("unit tests", test(|test| &test.unit)),
        ("integration", test(|test| &test.integration)),
        ("coverage", coverage.into_iter().collect()),
        ("changes tests", changed_tests(task)),
        ("by hand", test(|test| &test.manual_checks)),
        ("metrics", test(|test| &test.success_metrics)),
        ("regression", task.regression.clone().unwrap_or_default()),
        ("done when", criteria.collect()),
        ("verified by", verification.collect()),
        ("done means", definition.into_iter().collect()),
        ("commit", task.commit.iter().filter_map(PlannedCommit::subject).collect()),
    ]
}

/// Each test that the task changes, with the reason.
fn changed_tests(task: &Task) -> Vec<String> {
    let all = task.test.iter().flat_map(|test| &test.changes);
    all.map(|change| format!("{}: {}", change.path, change.reason)).collect()
}

/// `src/a.rs, fn main (modify): Call it`, and further changes below.
fn place(place: TouchedPlace<'_>) -> String {
    let risk = place.conflict_risk.map(|risk| format!("{risk} conflict risk"));
    let facts: Vec<String> = place.action.map(str::to_owned).into_iter().chain(risk).collect();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    let is_given = |text: &&str| !text.trim().is_empty();
    let target = place.target.filter(is_given).map(|target| format!(", {target}")).unwrap_or_default();
    let change = place.change.filter(is_given).map(|change| format!(": {change}")).unwrap_or_default();
    let changes: String = place.changes.iter().map(|change| format!("\n{change}")).collect();
    format!("{}{target}{facts}{change}{changes}", place.path)
}
