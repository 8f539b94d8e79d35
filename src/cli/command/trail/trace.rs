use std::io::Write;

use crate::cli::{CliContext, Outcome, print};
use crate::ops::trail;
use crate::page::{self, terminal};

/// Follow commits to their tasks, plans and issues, or an issue to its commits
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An id, a commit, a range, or a branch (its commits that are not on the main branch); default: what this worktree
    /// executes, else HEAD
    #[arg(value_name = "ID|COMMIT|BRANCH|A..B")]
    of: Option<String>,
    /// Print Graphviz
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    /// Print Mermaid
    #[arg(long, conflicts_with_all = ["dot", "json"])]
    mermaid: bool,
}

pub(in crate::cli) fn run(Args { of, dot, mermaid }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let of = match of {
        Some(of) => of,
        None => trail::own(&session)?,
    };
    let done = trail::trace(&session, &of, context.json())?;
    context.answer(done, |trace, _, screen| {
        if dot || mermaid {
            screen.verbatim()?;
        }
        if dot {
            write!(screen, "{}", print::trace_picture::draw(trace).dot())
        } else if mermaid {
            write!(screen, "{}", print::trace_picture::draw(trace).mermaid())
        } else {
            terminal::print(screen, &page::trace::page(trace))
        }
    })
}
