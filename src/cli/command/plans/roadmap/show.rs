use std::io::Write;

use crate::cli::{CliContext, Outcome};
use crate::ops::plans::roadmap;
use crate::page::{self, markdown, terminal};

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
    let done = roadmap::show(&session, args.roadmap.as_deref())?;
    context.answer(done, |view, _, screen| {
        let page = page::roadmap::page(view);
        if args.markdown {
            write!(screen, "{}", markdown::document(&page))
        } else {
            terminal::print(screen, &page)
        }
    })
}
