use super::{asked_mode, document};
use crate::cli::{CliContext, Failure, Outcome, named, print};
use crate::model::exploration::Extent;
use crate::model::roadmap::{Factors, RoadmapChoice};
use crate::ops::Done;
use crate::ops::plans::roadmap;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// An assessment or a roadmap, a JSON file (`-` for stdin); options override it
    file: Option<String>,
    /// Uncertainty of the scope: low, medium or high
    #[arg(long, value_name = "HOW", value_parser = parse_extent)]
    scope_clarity: Option<Extent>,
    /// Uncertainty of the implementation
    #[arg(long, value_name = "HOW", value_parser = parse_extent)]
    technical_risk: Option<Extent>,
    /// Uncertainty of the dependencies
    #[arg(long, value_name = "HOW", value_parser = parse_extent)]
    dependency_unknown: Option<Extent>,
    /// Unfamiliarity of the team with the domain
    #[arg(long, value_name = "HOW", value_parser = parse_extent)]
    domain_familiarity: Option<Extent>,
    /// Likelihood that the requirement changes
    #[arg(long, value_name = "HOW", value_parser = parse_extent)]
    requirement_stability: Option<Extent>,
}

fn parse_extent(text: &str) -> Result<Extent, String> {
    Extent::parse(text).ok_or_else(|| format!("expected one of {}", Extent::words()))
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let given = match &args.file {
        Some(file) => roadmap::assessment(&document(file)?)?,
        None => Factors::default(),
    };
    let factors = Factors {
        scope_clarity: args.scope_clarity.or(given.scope_clarity),
        technical_risk: args.technical_risk.or(given.technical_risk),
        dependency_unknown: args.dependency_unknown.or(given.dependency_unknown),
        domain_familiarity: args.domain_familiarity.or(given.domain_familiarity),
        requirement_stability: args.requirement_stability.or(given.requirement_stability),
    };
    if factors == Factors::default() {
        return Err(match &args.file {
            Some(file) => Failure::usage(format!("{} has no assessment", named(file)))
                .hint("give the five factors as options, or in `assessment.factors`"),
            None => Failure::usage("there is nothing to assess")
                .hint("name a file, or give the five factors as options"),
        });
    }
    let done = match roadmap::assess(&factors) {
        Ok(done) => done,
        Err(refusal) => match asked_mode(&refusal, context)?.and_then(RoadmapChoice::mode) {
            Some(mode) => {
                let mut view = crate::rules::roadmap::assess(&factors);
                view.recommended = Some(mode);
                Done { view, commit: None, notices: vec![] }
            }
            None => return Err(refusal.into()),
        },
    };
    context.answer(done, |assessed, _, screen| print::roadmap::assessed(screen, assessed))
}
