use super::plan::replanned;
use crate::cli::{CliContext, Outcome, print};
use crate::interchange::roadmap::Fate;
use crate::model::RoadmapFeedback;
use crate::ops::plans::roadmap::{self, Revise};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The roadmap (default: the only one, or the only one that is not done)
    #[arg(value_name = "RMAP")]
    roadmap: Option<String>,
    /// Approve it as it is
    #[arg(long, conflicts_with_all = ["scope", "convergence", "redecompose", "planner"])]
    approve: bool,
    /// How its scope should change
    #[arg(long, value_name = "TEXT")]
    scope: Option<String>,
    /// How its criteria, verification or definitions of done should change
    #[arg(long, value_name = "TEXT")]
    convergence: Option<String>,
    /// Why and how to split the requirement differently
    #[arg(long, value_name = "TEXT")]
    redecompose: Option<String>,
    /// Send all feedback to this agent, and apply its answer; without new feedback, send what was given before
    #[arg(long, value_name = "AGENT")]
    planner: Option<String>,
    /// What to do with open issues that are no longer in the answer: keep or cancel
    #[arg(long, value_name = "WHAT", requires = "planner")]
    gone: Option<Fate>,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { roadmap, approve, scope, convergence, redecompose, planner, gone } = args;
    let roadmap = roadmap::meant(&session, roadmap.as_deref())?;
    let feedback = RoadmapFeedback { scope, convergence, redecompose };
    let has_feedback = feedback.parts().next().is_some();
    if has_feedback || planner.is_none() {
        let done = roadmap::revise(&session, &Revise { roadmap: roadmap.clone(), feedback, approve })?;
        if planner.is_none() {
            return context
                .answer(done, |view, changed, screen| print::roadmap::revised(screen, view, changed));
        }
        context.show_notices(done.notices);
    }
    let done = replanned(&session, roadmap, planner, gone, context)?;
    context.answer(done, |added, changed, screen| print::roadmap::added(screen, added, changed))
}
