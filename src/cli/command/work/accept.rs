use std::io::Write;

use crate::cli::command::work::claim::{self, Meant};
use crate::cli::command::work::detail;
use crate::cli::input::text as text_input;
use crate::cli::{Context, Exit, Failure, Outcome, answer, existing};
use crate::model::execution::{Accept, Event};
use crate::store::one_line;
use crate::ui::text::clean_line;

/// Confirm a criterion that no test covers, with evidence
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task, such as T1
    task: String,
    /// The number of the criterion within the task, from 1
    #[arg(value_parser = parse_criterion)]
    criterion: u64,
    /// The item (default: the one this worktree executes)
    item: Option<String>,
    /// The evidence that the criterion holds (a single word needs -e; `-` for stdin)
    text: Option<String>,
    /// The evidence that the criterion holds
    #[arg(short, long, value_name = "TEXT")]
    evidence: Vec<String>,
}

fn parse_criterion(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "a criterion is a number from 1 on, and follows its task: T1 1".into())
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let (item, text) = text_input::item_and_text(args.item, args.text);
    let Some(evidence) = text_input::said(&args.evidence, text.as_deref())? else {
        let word = item.as_deref().map(|word| format!(": `{word}` is taken for an item")).unwrap_or_default();
        return Err(Failure::usage(format!("a criterion is accepted with evidence{word}"))
            .hint("`-e TEXT` says what shows that it holds"));
    };
    let store = context.store()?;
    store.snapshot()?;
    let committed = context.transact(&store, |tx| {
        let Meant { folder, execution } = claim::meant(&store, tx, item.as_deref())?;
        let id = &execution.execution.solution_id;
        let plan = detail::as_claimed(&store, &folder, &execution.execution)?.typed_plan();
        let Some(task) = plan.task(&args.task) else {
            let ids: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
            return Err(Failure::new("not-found", format!("plan `{id}` has no task `{}`", args.task))
                .hint(format!("its tasks are {}", ids.join(", "))));
        };
        let criteria = task.criteria();
        let wanted = usize::try_from(args.criterion).ok().and_then(|n| criteria.get(n - 1));
        let Some(text) = wanted.map(|text| one_line(text)) else {
            let listed = criteria.iter().enumerate().map(|(n, text)| format!("{}. {text}", n + 1)).collect();
            return Err(Failure::new(
                "not-found",
                format!("task `{}` of `{id}` has no criterion {}", args.task, args.criterion),
            )
            .details(listed)
            .hint("criteria are numbered from 1, as `git wf detail` shows them"));
        };
        let accepted =
            Accept { task_id: args.task.clone(), criterion: args.criterion, evidence: evidence.clone() };
        let is_so = execution.log.iter().any(|entry| entry.event == Event::Accept(accepted.clone()));
        if !is_so {
            tx.log(&execution.execution.id, Event::Accept(accepted))?;
            tx.describe("accept", format!("execution: accept {} {} of {id}", args.task, args.criterion));
        }
        Ok((execution.execution.id.clone(), text))
    })?;
    let (id, criterion) = committed.answer;
    if context.json() {
        let folder = existing(&store.snapshot()?, &id.issue())?;
        let executions = answer::executions(&folder);
        context.screen.print_json(&executions.iter().find(|it| it.execution.id == id))?;
    } else {
        let (task, text) = (clean_line(&args.task), clean_line(&criterion));
        writeln!(context.screen, "accepted {task} {}: {text}", args.criterion)?;
    }
    Ok(Exit::Done)
}
