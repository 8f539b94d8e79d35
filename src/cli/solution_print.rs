//! Plans for people.

use std::collections::BTreeSet;
use std::io::Write;

use super::{Context, Failure, answer, review_print};
use crate::model::hidden::exact;
use crate::model::id::SolutionId;
use crate::model::plan::{Plan, Task};
use crate::rules::complexity;
use crate::rules::folder::IssueFolder;
use crate::rules::plan_check;
use crate::rules::quality::Quality;
use crate::ui::text::{clean_line, count, indent};
use crate::ui::{Cell, Column, Table, style};

/// The plans of these issues, one a line.
pub(super) fn table(folders: &[IssueFolder], context: &mut Context) -> Result<(), Failure> {
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("BOUND"),
        Column::left("REVIEW"),
        Column::right("TASKS"),
        Column::right("SCORE"),
        Column::right("QUALITY"),
        Column::left("RISK"),
        Column::flexible("DESCRIPTION"),
    ]);
    for folder in folders {
        for solution in folder.solutions.iter().map(|s| &s.record) {
            let plan = solution.typed_plan();
            let bound = folder.issue.record.bound_solution_id.as_ref() == Some(&solution.id);
            let risk = plan.analysis.as_ref().and_then(|analysis| analysis.risk.clone()).unwrap_or_default();
            table.row([
                Cell::new(solution.id.as_str(), style::ID),
                Cell::new(if bound { "bound" } else { "" }, style::GOOD),
                review_print::cell(folder, solution),
                Cell::from(plan.tasks.len().to_string()),
                Cell::from(plan.score.map(|score| score.to_string()).unwrap_or_default()),
                quality_cell(&plan_check::quality(&solution.plan)),
                Cell::from(risk),
                Cell::from(plan.description.unwrap_or_default()),
            ]);
        }
    }
    table.print(&mut context.screen)?;
    Ok(())
}

/// Green where it is enough to bind the plan.
pub(super) fn quality_cell(quality: &Quality) -> Cell {
    let look = if quality.suffices() { style::GOOD } else { style::BAD };
    Cell::new(format!("{:.2}", quality.total()), look)
}

/// One plan in full.
pub(super) fn show(folder: &IssueFolder, id: &SolutionId, context: &mut Context) -> Result<(), Failure> {
    let Some(solution) = folder.solution(id) else {
        return Err(Failure::unreadable(&format!("plan `{id}`")));
    };
    if context.json() {
        context.screen.print_json(&answer::solution(folder, solution))?;
        return Ok(());
    }
    let painter = context.screen.painter();
    let plan = solution.typed_plan();
    let bound =
        if folder.issue.record.bound_solution_id.as_ref() == Some(id) { "bound" } else { "not bound" };
    writeln!(context.screen, "{}  {bound}", painter.paint(style::ID, id.as_str()))?;
    writeln!(
        context.screen,
        "{}",
        painter.paint(style::HEADING, plan.description.as_deref().unwrap_or_default())
    )?;
    writeln!(context.screen, "by {}, {}", clean_line(&solution.author), solution.created_at)?;
    writeln!(context.screen, "{}", painter.paint(style::DIM, &solution.plan_digest()))?;
    let complexity = complexity::of_plan(&plan);
    let (on, steps) = (count(plan.touches().len(), "file"), count(plan.tasks.len(), "task"));
    writeln!(context.screen, "{steps} on {on}: {complexity} complexity by size")?;
    let quality = plan_check::quality(&solution.plan);
    let look = if quality.suffices() { style::GOOD } else { style::BAD };
    let shown = painter.paint(look, &format!("{:.2}", quality.total()));
    let score = plan.score.map_or(String::new(), |score| format!("; the planner's own score is {score}"));
    writeln!(context.screen, "quality {shown}{score}")?;
    if let Some(analysis) = &plan.analysis {
        let level = |level: &Option<String>| clean_line(level.as_deref().unwrap_or("not given")).into_owned();
        writeln!(
            context.screen,
            "risk {}, impact {}, complexity {}",
            level(&analysis.risk),
            level(&analysis.impact),
            level(&analysis.complexity)
        )?;
    }
    review_print::reviews(folder, solution, 0, context)?;
    if let Some(approach) = &plan.approach {
        writeln!(context.screen, "\n{}", indent(approach, 4))?;
    }
    tasks(&plan, context)
}

/// The tasks of a plan in full.
pub(super) fn tasks(plan: &Plan, context: &mut Context) -> Result<(), Failure> {
    for task in &plan.tasks {
        writeln!(context.screen)?;
        print_task(task, context)?;
    }
    Ok(())
}

fn print_task(task: &Task, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let after = if task.depends_on.is_empty() {
        String::new()
    } else {
        format!(" (after {})", task.depends_on.join(", "))
    };
    let title = painter.paint(style::HEADING, &task.title);
    let id = painter.paint(style::ID, &task.id);
    writeln!(context.screen, "{id} {}: {title}{}", clean_line(&task.action), clean_line(&after))?;
    if let Some(description) = &task.description {
        writeln!(context.screen, "{}", indent(description, 4))?;
    }
    let facts = [
        task.priority().map(|priority| priority.name().to_owned()),
        task.estimated_minutes.map(|minutes| format!("{minutes} minutes")),
        task.effort.as_ref().map(|effort| format!("{effort} effort")),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    if !facts.is_empty() {
        writeln!(context.screen, "{}", painter.paint(style::DIM, &format!("    {}", facts.join(", "))))?;
    }
    let touches: Vec<&str> = task.places().collect::<BTreeSet<_>>().into_iter().collect();
    let lists = [
        ("files", touches),
        ("steps", task.implementation.iter().map(String::as_str).collect()),
        ("tests", task.test.iter().flat_map(|test| &test.commands).map(String::as_str).collect()),
        ("done when", task.criteria()),
        ("shown by", task.verification()),
    ];
    for (name, items) in lists {
        for (n, item) in items.iter().enumerate() {
            let label = painter.paint(style::DIM, &format!("    {:<10}", if n == 0 { name } else { "" }));
            let item = if name == "tests" { exact(item) } else { clean_line(item) };
            writeln!(context.screen, "{label} {item}")?;
        }
    }
    Ok(())
}
