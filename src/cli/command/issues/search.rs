use crate::cli::{Context, Outcome, print};
use crate::ops::{Notice, issues};

/// Search issues, plans, comments, feedback, explorations and linked commits, ranked by relevance
///
/// Combine words with AND, OR, NOT, NEAR(…) and parentheses. "several words" in double quotes match as a phrase,
/// `word*` matches a prefix, and `title: word` searches one field: title, context, comments, plans, commits,
/// feedback or explorations. Anything else is plain text, such as `src/a.rs` or `bd-0v1`. If the text is an id, a shortened id
/// or an item, its match comes first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The words to search for; all must match
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Show at most N issues
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let done = issues::search(&*context.session()?, &args.text.join(" "), args.limit)?;
    let (shown, total) = (done.view.hits.len(), done.view.total);
    if shown < total && !context.screen.is_terminal() {
        context
            .show_notices([Notice::note(format!("{shown} of {total} issues; `--limit {total}` shows all"))]);
    }
    context.answer(done, |found, _, screen| print::search::found(screen, found))
}
