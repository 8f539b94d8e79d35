use super::{asked_mode, document};
use crate::cli::{CliContext, Outcome, print};
use crate::interchange::roadmap::Fate;
use crate::model::RoadmapChoice;
use crate::ops::plans::roadmap::{self, AddRoadmap};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The document, a JSON file (`-` for stdin)
    file: String,
    /// Update this roadmap (default: the one with the file's id or title)
    #[arg(long, value_name = "RMAP", conflicts_with = "new")]
    roadmap: Option<String>,
    /// Add it as a new roadmap, even if there is one with its title
    #[arg(long)]
    new: bool,
    /// How the requirement is split, if the document leaves that open: progressive, direct or auto
    #[arg(long, value_name = "MODE")]
    mode: Option<RoadmapChoice>,
    /// What to do with open issues that are no longer in the document: keep (leave them open, without a wave) or cancel
    #[arg(long, value_name = "WHAT")]
    gone: Option<Fate>,
    /// Also restore earlier versions of parts that someone else has changed since
    #[arg(long)]
    revert: bool,
    /// Show what would change, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { file, roadmap, new, mode, gone, revert, dry_run } = args;
    let mut input =
        AddRoadmap { roadmap, is_new: new, mode, gone, revert, dry_run, ..AddRoadmap::new(document(&file)?) };
    let done = match roadmap::add(&session, &input) {
        Err(refusal) => match asked_mode(&refusal, context)? {
            Some(mode) => {
                input.mode = Some(mode);
                roadmap::add(&session, &input)?
            }
            None => return Err(refusal.into()),
        },
        Ok(done) => done,
    };
    context.answer(done, |added, changed, screen| print::roadmap::added(screen, added, changed))
}
