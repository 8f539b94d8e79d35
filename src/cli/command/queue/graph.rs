use std::io::Write;

use crate::cli::{CliContext, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Graph {
    /// The queue (default: the first active queue)
    queue: Option<String>,
    /// Print Graphviz
    #[arg(long)]
    dot: bool,
    /// Print Mermaid
    #[arg(long, conflicts_with = "dot")]
    mermaid: bool,
}

pub(super) fn graph(args: &Graph, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::dag(&session, args.queue.as_deref())?;
    context.answer(done, |dag, _, screen| {
        if args.dot {
            write!(screen, "{}", print::dag::picture(dag).dot())
        } else if args.mermaid {
            write!(screen, "{}", print::dag::picture(dag).mermaid())
        } else {
            print::dag::text(screen, dag)
        }
    })
}
