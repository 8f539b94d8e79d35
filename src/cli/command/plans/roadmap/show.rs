use crate::cli::{CliContext, Outcome, print};
use crate::ops::plans::roadmap;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The roadmap (default: the only one, or the only one that is not done)
    #[arg(value_name = "RMAP")]
    roadmap: Option<String>,
    /// Print a Markdown document
    #[arg(long)]
    markdown: bool,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let now = session.now()?.millis();
    let done = roadmap::show(&session, args.roadmap.as_deref())?;
    context.answer(done, |view, _, screen| {
        if args.markdown {
            print::roadmap_document::document(screen, view)
        } else {
            print::roadmap::show(screen, view, now)
        }
    })
}
