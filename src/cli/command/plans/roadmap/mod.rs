mod add;
mod assess;
mod plan;
mod revise;
mod show;

use crate::cli::input::ask;
use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Failure, Outcome, named, print, read_text};
use crate::model::{Code, RoadmapChoice};
use crate::ops::Refusal;
use crate::ops::plans::roadmap;
use crate::ui;

/// Split a requirement into waves of issues, and track them
///
/// A roadmap is a document that a planner writes: two to four layers, of which the first is a usable version
/// (progressive), or groups of tasks that can be done in parallel (direct). Each layer or task is an issue, with real
/// dependencies and the tag wave-N; the document is described by `git wf schema roadmap-document`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: RoadmapCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RoadmapCommand {
    /// Add a roadmap from a file, or update one
    ///
    /// Creates the roadmap and its issues in one commit. Adding a changed file again applies only what changed in the
    /// file. Edits made here are kept, except in a field that the file changed as well: that one gets the file's value,
    /// and its old value is shown. A file updates the roadmap with its `id`, or else the one with its title.
    Add(add::Args),
    /// Have an agent plan a roadmap, and add it
    ///
    /// The agent reads the code in a clone of its own, which is thrown away.
    ///
    /// With --assess, only assess how uncertain a requirement is, to choose how to split it. If three of the five factors
    /// are high, it is split into layers; if three are low, into tasks; otherwise you choose.
    Plan(plan::Args),
    /// Show a roadmap with the state of its issues
    Show(show::Args),
    /// List the roadmaps, the latest first
    List(FieldArgs),
    /// Give feedback on a roadmap, or approve it
    ///
    /// There are at most five rounds of feedback. With --planner, an agent gets the feedback, and its answer is
    /// applied.
    Revise(revise::Args),
    /// Queue the first unfinished wave
    ///
    /// Queues the bound plans of the wave, and lists its issues that have no plan.
    Next {
        /// The roadmap (default: the only one, or the only one that is not done)
        #[arg(value_name = "RMAP")]
        roadmap: Option<String>,
    },
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.command {
        RoadmapCommand::Add(args) => add::run(args, context),
        RoadmapCommand::Plan(args) => plan::run(args, context),
        RoadmapCommand::Show(args) => show::run(args, context),
        RoadmapCommand::Revise(args) => revise::run(args, context),
        RoadmapCommand::List(fields) => {
            context.only(fields);
            let session = context.session()?;
            let now = session.now()?.millis();
            let done = roadmap::list(&session)?;
            context.answer(done, |all, _, screen| print::roadmap::list(screen, all, now))
        }
        RoadmapCommand::Next { roadmap } => {
            let session = context.session()?;
            let done = roadmap::next(&session, roadmap.as_deref())?;
            context.answer(done, |wave, _, screen| print::roadmap::handed_over(screen, wave))
        }
    }
}

/// Reads a document from a file, or from stdin.
fn document(file: &str) -> Result<serde_json::Value, Failure> {
    Ok(roadmap::read(&read_text(file)?, &named(file))?)
}

/// Asks how a requirement is split, if the assessment leaves that open and someone can answer.
fn asked_mode(refusal: &Refusal, context: &CliContext) -> Result<Option<RoadmapChoice>, Failure> {
    if refusal.code != Code::Undecided || context.json() || !ui::can_ask() {
        return Ok(None);
    }
    ui::say(&refusal.message);
    refusal.details.iter().for_each(|detail| ui::say(&format!("  {}", detail.message)));
    let answer = ask::answer("Split it into layers (progressive) or into tasks (direct)? [p/d] ")?;
    Ok(match answer.unwrap_or_default().to_lowercase().as_str() {
        "p" | "progressive" => Some(RoadmapChoice::Progressive),
        "d" | "direct" => Some(RoadmapChoice::Direct),
        _ => None,
    })
}
