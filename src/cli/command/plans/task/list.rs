use std::collections::BTreeSet;

use super::change;
use crate::cli::{Context, Exit, Failure, Outcome, existing, plan_named};
use crate::ui::{Cell, Column, Table, style};

/// List the tasks of a plan
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an issue for its bound or only plan
    solution: String,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let id = plan_named(&snapshot, &args.solution)?;
    let folder = existing(&snapshot, &id.issue())?;
    if context.json() {
        let plan = change::plan_of(&folder, &id)?;
        context.screen.print_json(&plan["tasks"])?;
        return Ok(Exit::Done);
    }
    let Some(solution) = folder.solution(&id) else {
        return Err(Failure::unreadable(&format!("plan `{id}`")));
    };
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("ACTION"),
        Column::left("AFTER"),
        Column::right("MINUTES"),
        Column::right("CRITERIA"),
        Column::left("FILES"),
        Column::flexible("TITLE"),
    ]);
    for task in solution.typed_plan().tasks {
        let files: BTreeSet<&str> = task.places().collect();
        let more = if files.len() > 1 { format!(" +{}", files.len() - 1) } else { String::new() };
        let files = format!("{}{more}", files.iter().next().copied().unwrap_or_default());
        table.row([
            Cell::new(task.id.as_str(), style::ID),
            Cell::from(task.action.as_str()),
            Cell::from(task.depends_on.join(", ")),
            Cell::from(task.estimated_minutes.map(|minutes| minutes.to_string()).unwrap_or_default()),
            Cell::from(task.criteria().len().to_string()),
            Cell::from(files),
            Cell::from(task.title.as_str()),
        ]);
    }
    table.print(&mut context.screen)?;
    Ok(Exit::Done)
}
