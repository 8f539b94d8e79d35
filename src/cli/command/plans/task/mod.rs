//! `task`, but for `task start`, which is in `command/work`.

mod fields;

use crate::cli::command::work::task_start;
use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::plans;
use fields::TaskFieldArgs;

/// List, add, edit and start the tasks of a plan
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TaskCommand {
    Add(AddTask),
    Edit(EditTask),
    List(ListTasks),
    Start(task_start::Args),
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.command {
        TaskCommand::Add(args) => add(args, context),
        TaskCommand::Edit(args) => edit(args, context),
        TaskCommand::List(args) => list(args, context),
        TaskCommand::Start(args) => task_start::run(args, context),
    }
}

/// Add a task to the end of a plan that is not queued
#[derive(Debug, clap::Args)]
struct AddTask {
    /// The plan, or an issue for its bound or only plan
    #[arg(value_name = "PLAN")]
    solution: String,
    #[command(flatten)]
    fields: TaskFieldArgs,
    #[command(flatten)]
    force: Force,
}

fn add(args: AddTask, context: &mut CliContext) -> Outcome {
    let AddTask { solution, fields, force } = args;
    let typed = fields.typed_commands().to_vec();
    let input = plans::AddTask { solution, task: fields.edit()?, force: force.why() };
    let session = context.session()?;
    let done = plans::add_task(&session, &input)?;
    plans::agree_to_typed(&session, &done.view.plan, &typed, Some(&done.view.before));
    context.answer(done, |task, _, screen| print::task::added(screen, task))
}

/// Edit a task of a plan that is not queued
#[derive(Debug, clap::Args)]
struct EditTask {
    /// The plan, or an issue for its bound or only plan
    #[arg(value_name = "PLAN")]
    solution: String,
    /// The task, such as T1
    task: String,
    #[command(flatten)]
    fields: TaskFieldArgs,
    #[command(flatten)]
    force: Force,
}

fn edit(args: EditTask, context: &mut CliContext) -> Outcome {
    let EditTask { solution, task, fields, force } = args;
    let typed = fields.typed_commands().to_vec();
    let input = plans::EditTask { solution, task, edit: fields.edit()?, force: force.why() };
    let session = context.session()?;
    let done = plans::edit_task(&session, &input)?;
    plans::agree_to_typed(&session, &done.view.plan, &typed, Some(&done.view.before));
    context.answer(done, |task, is_changed, screen| print::task::changed(screen, task, is_changed))
}

/// List the tasks of a plan
#[derive(Debug, clap::Args)]
struct ListTasks {
    /// The plan, or an issue for its bound or only plan
    #[arg(value_name = "PLAN")]
    solution: String,
    #[command(flatten)]
    fields: FieldArgs,
}

fn list(args: ListTasks, context: &mut CliContext) -> Outcome {
    let done = plans::tasks(&*context.session()?, &args.solution)?;
    context.only(args.fields);
    context.answer(done, |tasks, _, screen| print::task::table(screen, tasks))
}
