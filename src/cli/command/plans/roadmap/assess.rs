use super::{asked_mode, document};
use crate::cli::{CliContext, Failure, Outcome, named, print};
use crate::model::{Extent, Factors, RoadmapChoice};
use crate::ops::plans::roadmap::{self, Assess};

/// How a requirement is assessed.
#[derive(Debug, clap::Args)]
pub(super) struct AssessArgs {
    /// Only assess the requirement, from the options below and from FILE, an assessment or a roadmap in JSON (`-` for stdin)
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        conflicts_with_all = ["text", "planner", "mode", "message", "file", "edit"]
    )]
    #[expect(clippy::option_option, reason = "clap's type of an option that may have a value")]
    pub(super) assess: Option<Option<String>>,
    /// Uncertainty of the scope: low, medium or high
    #[arg(long, value_name = "HOW", requires = "assess", help_heading = "Assessment")]
    scope_clarity: Option<Extent>,
    /// Uncertainty of the implementation
    #[arg(long, value_name = "HOW", requires = "assess", help_heading = "Assessment")]
    technical_risk: Option<Extent>,
    /// Uncertainty of the dependencies
    #[arg(long, value_name = "HOW", requires = "assess", help_heading = "Assessment")]
    dependency_unknown: Option<Extent>,
    /// Unfamiliarity of the team with the domain
    #[arg(long, value_name = "HOW", requires = "assess", help_heading = "Assessment")]
    domain_familiarity: Option<Extent>,
    /// Likelihood that the requirement changes
    #[arg(long, value_name = "HOW", requires = "assess", help_heading = "Assessment")]
    requirement_stability: Option<Extent>,
}

/// Assesses a requirement.
pub(super) fn assess(file: Option<String>, args: AssessArgs, context: &mut CliContext) -> Outcome {
    let document = file.map(|file| Ok::<_, Failure>((named(&file), document(&file)?))).transpose()?;
    let factors = Factors {
        scope_clarity: args.scope_clarity,
        technical_risk: args.technical_risk,
        dependency_unknown: args.dependency_unknown,
        domain_familiarity: args.domain_familiarity,
        requirement_stability: args.requirement_stability,
    };
    let mut input = Assess { document, factors, chosen: None };
    let done = roadmap::assess(&input).or_else(|refusal| {
        input.chosen = asked_mode(&refusal, context)?.and_then(RoadmapChoice::mode);
        match input.chosen {
            Some(_) => Ok(roadmap::assess(&input)?),
            None => Err(Failure::from(refusal)),
        }
    })?;
    context.answer(done, |assessed, _, screen| print::roadmap::assessed(screen, assessed))
}
