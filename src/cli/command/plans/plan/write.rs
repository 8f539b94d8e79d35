use clap::{ArgMatches, Command, FromArgMatches};

use crate::cli::input::editor;
use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Failure, Force, Outcome, print};
use crate::model::Code;
use crate::ops::plans::{self, AddPlans, PlanInput};
use crate::ops::{Refusal, issues};
use crate::rules::plan_text::{self, PlanText, TaskText};

/// How a plan is written by hand.
#[derive(Debug, clap::Args)]
pub(super) struct WriteArgs {
    /// The issue
    #[arg(required = true)]
    issue: Option<String>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    tasks: TaskArgs,
    /// The risk: low, medium or high
    #[arg(long, value_name = "LEVEL")]
    risk: Option<String>,
    /// The impact: low, medium or high
    #[arg(long, value_name = "LEVEL")]
    impact: Option<String>,
    /// The complexity: low, medium or high
    #[arg(long, value_name = "LEVEL")]
    complexity: Option<String>,
    /// Leave the plan unbound
    #[arg(long)]
    no_bind: bool,
    /// Queue the plan in the same commit, if it is bound and no gate forbids it
    #[arg(long, conflicts_with = "no_bind")]
    queue: bool,
    #[command(flatten)]
    force: Force,
}

/// The tasks, in the order in which they were given.
#[derive(Debug, Clone, Default)]
struct TaskArgs(Vec<TaskText>);

/// The options of a task: their names, those of their values, and their help.
const OPTIONS: [(&str, &str, &str); 7] = [
    ("task", "TITLE", "A task: what it does, in one line; repeat for more"),
    ("step", "TEXT", "A step of this task; repeat for more (default: its title)"),
    (
        "done-when",
        "TEXT",
        "A criterion: what holds once the task is done; repeat for more (default: its title)",
    ),
    ("verify", "TEXT", "How to check the criteria; repeat for more"),
    ("test", "COMMAND", "A test command that must pass; repeat for more"),
    ("path", "PATH", "A file that the task changes; repeat, or separate several with commas"),
    ("after", "TASK", "The tasks it depends on: T1,T2"),
];

impl clap::Args for TaskArgs {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, (name, value, help)| {
            let arg = clap::Arg::new(*name).long(*name).value_name(*value).help(*help);
            let arg = arg.action(clap::ArgAction::Append).help_heading("Tasks");
            command.arg(if *name == "task" { arg } else { arg.requires("task") })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TaskArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given: Vec<(usize, &str, &String)> = Vec::new();
        for (name, ..) in OPTIONS {
            let values = matches.get_many::<String>(name).into_iter().flatten();
            given.extend(
                matches
                    .indices_of(name)
                    .into_iter()
                    .flatten()
                    .zip(values)
                    .map(|(at, value)| (at, name, value)),
            );
        }
        given.sort_unstable();
        let mut tasks: Vec<TaskText> = Vec::new();
        for (_, name, value) in given {
            if name == "task" {
                tasks.push(TaskText { title: value.trim().to_owned(), ..TaskText::default() });
                continue;
            }
            let Some(task) = tasks.last_mut() else {
                return Err(clap::Error::raw(
                    clap::error::ErrorKind::ArgumentConflict,
                    format!("`--{name}` must follow the `--task` that it belongs to"),
                ));
            };
            let several =
                || value.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
            match name {
                "step" => task.steps.push(value.clone()),
                "done-when" => task.criteria.push(value.clone()),
                "verify" => task.verify.push(value.clone()),
                "test" => task.tests.push(value.clone()),
                "path" => task.files.extend(several()),
                _ => task.after.extend(several()),
            }
        }
        Ok(Self(tasks))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(super) fn run(args: WriteArgs, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let WriteArgs { issue, text, tasks, risk, impact, complexity, no_bind, queue, force } = args;
    // Only a subcommand does without it.
    let issue = issue.unwrap_or_default();
    // A missing issue is reported before an editor opens.
    let stored = issues::stored(&session, &issue)?;
    let said = text.flags_text()?;
    // Nobody has seen the commands in a file.
    let is_typed = text.file.is_none() || (!tasks.0.is_empty() && !text.edit);
    let add = |plan: &PlanText| {
        let commands: Vec<String> = plan.tasks.iter().flat_map(|task| task.tests.iter().cloned()).collect();
        let plan = PlanInput { place: "the plan".into(), plan: plan.plan(), is_by_hand: true };
        let issue = stored.id.to_string();
        let done = plans::add(
            &session,
            AddPlans { issue, plans: vec![plan], no_bind, add_reply_task: false, queue, force: force.why() },
        )?;
        if is_typed {
            for plan in done.view.plans.iter().filter(|plan| done.view.added.contains(&plan.id)) {
                plans::agree_to_typed(&session, plan, &commands, None);
            }
        }
        Ok::<_, Refusal>(done)
    };
    let ratings = [("risk", risk), ("impact", impact), ("complexity", complexity)];
    let ratings = ratings.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let given = if tasks.0.is_empty() {
        None
    } else {
        Some(plan_of(said.as_deref().unwrap_or(&stored.title), ratings, tasks.0))
    };
    let done = match given {
        Some(plan) if !text.edit => add(&plan)?,
        given => {
            let said = given.map(|plan| plan_text::written(&plan)).or(said);
            let help = |becomes: &str| format!("{}\n{becomes}", plan_text::HELP);
            let written = match said {
                Some(said) if text.edit => editor::edit(&session, &said, &help(plan_text::AS_IT_STANDS))?,
                Some(said) => editor::EditedText::given(said),
                None if !text.edit && !context.screen.can_edit() => {
                    return Err(Refusal::usage("a plan needs tasks")
                        .hint("--task TITLE, -F FILE, or -e for your editor")
                        .into());
                }
                None => {
                    let template = plan_text::template(&stored.title);
                    editor::fill_in(&session, &template, &help(plan_text::UNCHANGED))?
                }
            };
            written.stored(|text| {
                let plan = plan_text::parse(&text).map_err(|fault| {
                    Refusal::new(Code::InvalidPlan, format!("the plan cannot be read: {fault}"))
                        .hint("`git wf help plan` describes the text; `git wf plan add` takes JSON")
                })?;
                Ok::<_, Failure>(add(&plan)?)
            })?
        }
    };
    print::added::answer(context, done, no_bind)
}

/// The plan with these tasks; the text says in its first line what it does, and then how and why.
fn plan_of(said: &str, ratings: Vec<(&'static str, String)>, tasks: Vec<TaskText>) -> PlanText {
    let (description, approach) = said.trim().split_once('\n').unwrap_or((said.trim(), ""));
    PlanText {
        description: description.trim().to_owned(),
        approach: approach.trim().to_owned(),
        ratings,
        tasks,
    }
}
