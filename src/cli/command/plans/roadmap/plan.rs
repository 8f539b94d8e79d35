use super::asked_mode;
use super::assess::{AssessArgs, assess};
use crate::cli::input::consent::refuse_agents_in_hook;
use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Failure, Outcome, print};
use crate::interchange::roadmap::Fate;
use crate::model::RoadmapChoice;
use crate::ops::plans::roadmap::{self, PlanRoadmap, Replan, RoadmapAdded};
use crate::ops::{Done, Refusal, Session};
use crate::process::supervise::Interrupts;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What is required (`-` for stdin); or use -m, -F FILE, or -e
    text: Option<String>,
    /// The agent: its name, or a command line (default: wf.run.planner in git config)
    #[arg(long, value_name = "AGENT")]
    planner: Option<String>,
    /// How the requirement is split: progressive, direct or auto
    #[arg(long, value_name = "MODE", default_value = "auto")]
    mode: RoadmapChoice,
    #[command(flatten)]
    given: TextArgs,
    #[command(flatten)]
    assessment: AssessArgs,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Args { text, planner, mode, given, mut assessment } = args;
    if let Some(file) = assessment.assess.take() {
        return assess(file, assessment, context);
    }
    refuse_agents_in_hook("roadmap plan")?;
    let session = context.session()?;
    let planner = roadmap::named_planner(&session, planner)?;
    let help = "What is required, in your own words.";
    let written = given.written(text.as_deref(), &session, false, "the requirement", help)?;
    let done = written.stored(|requirement| {
        let planner = planner.clone();
        let mut input = PlanRoadmap { planner, requirement, mode, roadmap: None, gone: None };
        match asked(&session, &input, context)? {
            Err(refusal) => match asked_mode(&refusal, context)? {
                Some(mode) => {
                    input.mode = mode;
                    Ok(asked(&session, &input, context)??)
                }
                None => Err(Failure::from(refusal)),
            },
            Ok(done) => Ok(done),
        }
    })?;
    context.answer(done, |added, changed, screen| print::roadmap::added(screen, added, changed))
}

/// Has the roadmap planned; what the agent says is shown meanwhile.
fn asked(
    session: &Session,
    input: &PlanRoadmap,
    context: &CliContext,
) -> Result<Result<Done<RoadmapAdded>, Refusal>, Failure> {
    let mut running =
        print::agent::RunningAgent::new(Interrupts::catch_within(session.environment())?, context.json());
    let done = roadmap::plan(session, input, &mut running);
    running.finish();
    Ok(done)
}

/// Has a roadmap changed as the feedback on it says.
pub(super) fn replanned(
    session: &Session,
    roadmap: String,
    planner: Option<String>,
    gone: Option<Fate>,
    context: &CliContext,
) -> Result<Done<RoadmapAdded>, Failure> {
    refuse_agents_in_hook("roadmap revise")?;
    let planner = roadmap::named_planner(session, planner)?;
    let mut running =
        print::agent::RunningAgent::new(Interrupts::catch_within(session.environment())?, context.json());
    let done = roadmap::replan(session, Replan { roadmap, planner, gone }, &mut running);
    running.finish();
    Ok(done?)
}
