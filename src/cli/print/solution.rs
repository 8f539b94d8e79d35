//! Plans for people.

use std::io::Write;

use crate::cli::print::review as review_print;
use crate::cli::print::task as task_print;
use crate::cli::{Context, Failure, answer};
use crate::model::id::SolutionId;
use crate::rules::complexity;
use crate::rules::folder::IssueFolder;
use crate::rules::plan_check;
use crate::rules::quality::Quality;
use crate::ui::text::{clean_line, count, indent};
use crate::ui::{Cell, Column, Table, style};

/// The plans of these issues, one a line.
pub(in crate::cli) fn table(folders: &[IssueFolder], context: &mut Context) -> Result<(), Failure> {
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
pub(in crate::cli) fn quality_cell(quality: &Quality) -> Cell {
    let look = if quality.suffices() { style::GOOD } else { style::BAD };
    Cell::new(format!("{:.2}", quality.total()), look)
}

/// One plan in full.
pub(in crate::cli) fn show(
    folder: &IssueFolder,
    id: &SolutionId,
    context: &mut Context,
) -> Result<(), Failure> {
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
    task_print::exploration(&plan, context)?;
    task_print::tasks(&plan, context)
}
