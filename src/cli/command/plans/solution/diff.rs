use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::print::diff as diff_print;
use crate::cli::{Context, Exit, Failure, Outcome, plan_named};
use crate::index::Needs;
use crate::model::digest::DIGEST_PATTERN;
use crate::model::id::SolutionId;
use crate::model::time::Time;
use crate::rules::record_diff::{FieldChange, differences};
use crate::store::Store;
use crate::trail::versions::{self, Version};
use crate::ui::style;
use crate::ui::text::{clean_line, count};

/// Show how two plans differ, or how one changed, task by task
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an earlier version: SOL@{1} is the one before the last change
    #[arg(value_name = "SOLUTION[@{N}]")]
    from: String,
    /// The plan to compare with (default: the version before the last change)
    #[arg(value_name = "SOLUTION[@{N}]")]
    to: Option<String>,
    /// Compare with the plan at this time: a date, or a commit of the store or of the project
    #[arg(long, value_name = "DATE|COMMIT", conflicts_with = "to")]
    since: Option<String>,
}

/// What `solution diff` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanDiff {
    /// The one side.
    from: Side,
    /// The other.
    to: Side,
    /// What differs, field by field; nothing where the plans are the same.
    changes: Vec<PlanChange>,
}

/// A version of a plan.
#[derive(Debug, Serialize, JsonSchema)]
struct Side {
    /// The plan.
    solution_id: SolutionId,
    /// Its digest in this version.
    #[schemars(regex(pattern = DIGEST_PATTERN))]
    plan_digest: String,
    /// The commit of the store that brought this version.
    commit: String,
    /// When that was.
    at: Time,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PlanChange {
    /// The task, where it is a field of one, or one that is new or gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    #[serde(flatten)]
    change: FieldChange,
}

impl From<&Version> for Side {
    fn from(version: &Version) -> Self {
        Self {
            solution_id: version.solution.id.clone(),
            plan_digest: version.solution.plan_digest(),
            commit: version.commit.clone(),
            at: version.at,
        }
    }
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (from, to) = sides(&store, &args, context)?;
    let changes = differences(&from.solution.plan, &to.solution.plan);
    if context.json() {
        let task = |change: &FieldChange| Some(change.member().filter(|it| it.0 == "tasks")?.1.to_owned());
        let changes = changes.into_iter().map(|change| PlanChange { task_id: task(&change), change });
        let answer = PlanDiff { from: (&from).into(), to: (&to).into(), changes: changes.collect() };
        context.screen.print_json(&answer)?;
        return Ok(Exit::Done);
    }
    print_sides(&from, &to, context)?;
    if changes.is_empty() {
        writeln!(context.screen, "no difference")?;
        return Ok(Exit::Done);
    }
    let heading = |_: &str, id: &str| {
        let title = |version: &Version| version.solution.typed_plan().task(id).map(|task| task.title.clone());
        format!("{id} {}", title(&to).or_else(|| title(&from)).unwrap_or_default())
    };
    diff_print::print(&changes, 0, heading, &mut context.screen)?;
    Ok(Exit::Done)
}

fn print_sides(from: &Version, to: &Version, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    for (sign, look, side) in [("---", style::BAD, from), ("+++", style::GOOD, to)] {
        let at = side.at.to_string().replace(".000Z", "Z");
        let description = side.solution.typed_plan().description.unwrap_or_default();
        let sign = painter.paint(look, sign);
        let id = painter.paint(style::ID, side.solution.id.as_str());
        writeln!(context.screen, "{sign} {id} ({at})  {}", clean_line(&description))?;
    }
    Ok(())
}

fn sides(store: &Store, args: &Args, context: &Context) -> Result<(Version, Version), Failure> {
    let (from, number) = named(&args.from)?;
    let (id, all) = load(store, from, context)?;
    if let Some(since) = &args.since {
        let then = versions::at_moment(store, &all, since)?.ok_or_else(|| {
            let first = all.last().map(|version| version.at.to_string()).unwrap_or_default();
            Failure::new("not-found", format!("at `{since}` there was no plan `{id}` yet"))
                .hint(format!("it was added at {first}"))
        })?;
        return Ok((then.clone(), pick(&id, &all, number.unwrap_or(0))?));
    }
    match &args.to {
        Some(text) => {
            let (to, other) = named(text)?;
            let (to, others) = load(store, to, context)?;
            Ok((pick(&id, &all, number.unwrap_or(0))?, pick(&to, &others, other.unwrap_or(0))?))
        }
        // A plan that never changed is what it was.
        None => {
            let before = number.unwrap_or_else(|| usize::from(all.len() > 1));
            Ok((pick(&id, &all, before)?, pick(&id, &all, 0)?))
        }
    }
}

/// `SOL-…@{2}`: the plan, and how many changes ago.
fn named(text: &str) -> Result<(&str, Option<usize>), Failure> {
    let Some((id, rest)) = text.split_once("@{") else { return Ok((text, None)) };
    match rest.strip_suffix('}').map(str::parse) {
        Some(Ok(number)) => Ok((id, Some(number))),
        _ => Err(Failure::usage(format!("`{text}` is not of the form SOLUTION@{{N}}"))
            .hint("SOLUTION@{1} is the plan before its last change; --since takes a date or a commit")),
    }
}

/// The plan that is named, and its earlier version where one is.
pub(super) fn version(
    store: &Store,
    text: &str,
    context: &Context,
) -> Result<(SolutionId, Option<Version>), Failure> {
    let (plan, number) = named(text)?;
    let Some(number) = number else { return Ok((plan_named(&store.snapshot()?, plan)?, None)) };
    let (id, all) = load(store, plan, context)?;
    let version = pick(&id, &all, number)?;
    Ok((id, Some(version)))
}

fn load(store: &Store, text: &str, context: &Context) -> Result<(SolutionId, Vec<Version>), Failure> {
    let id = plan_named(&store.snapshot()?, text)?;
    let (_, all) = context.ask(store, Needs::LOG, |index| versions::of_plan(store, index, &id))?;
    if all.is_empty() {
        return Err(Failure::unreadable(&format!("plan `{id}`")));
    }
    Ok((id, all))
}

fn pick(id: &SolutionId, all: &[Version], number: usize) -> Result<Version, Failure> {
    all.get(number).cloned().ok_or_else(|| {
        Failure::new(
            "not-found",
            format!("plan `{id}` has {}, so there is no `{id}@{{{number}}}`", count(all.len(), "version")),
        )
        .hint(format!("`{id}@{{0}}` is the plan as it is; `git wf log {id}` shows its changes"))
    })
}
