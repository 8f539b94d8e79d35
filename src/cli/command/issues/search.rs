use crate::cli::input::fields::FieldArgs;
use crate::cli::print::rows::Rows;
use crate::cli::{CliContext, Exit, Outcome, print};
use crate::model::typed;
use crate::ops::fields::{FieldNames, known};
use crate::ops::issues::FoundIssue;
use crate::ops::{Notice, issues};

/// Search issues, plans, comments, feedback, explorations and linked commits, ranked by relevance
///
/// Combine words with AND, OR, NOT, NEAR(…) and parentheses. "several words" in double quotes match as a phrase,
/// `word*` matches a prefix, and `title: word` searches one field: title, context, comments, plans, commits,
/// feedback or explorations. Anything else is plain text, such as `src/a.rs` or `bd-0v1`. If the text is an id, a shortened id
/// or an item, its match comes first.
///
/// If more than 10,000 issues match, only the 1,000 newest of them are ranked, unless --limit is greater.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The words to search for; all must match
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Show at most N issues
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let rows = Rows::wanted(&args.fields, false, known::<FoundIssue>)?;
    let done = issues::search(&*context.session()?, &args.text.join(" "), args.limit)?;
    let (shown, total) = (done.view.hits.len(), done.view.total);
    if shown < total && (!context.screen.is_terminal() || rows.is_some()) {
        context
            .show_notices([Notice::note(format!("{shown} of {total} issues; `--limit {total}` shows all"))]);
    }
    let Some(mut rows) = rows else {
        return context.answer(done, |found, _, screen| print::search::found(screen, found));
    };
    context.show_notices(done.notices);
    if context.json() {
        // Some fields of the issues are where the issues would.
        let fields = FieldNames::parse::<FoundIssue>(&args.fields.fields)?;
        let mut whole = typed::own_json(&done.view);
        whole["hits"] = done.view.hits.iter().map(|hit| fields.pick(hit)).collect();
        context.screen.print_json(&whole)?;
        return Ok(Exit::Done);
    }
    for hit in &done.view.hits {
        rows.add(hit, &mut context.screen)?;
    }
    rows.end(&mut context.screen)?;
    Ok(Exit::Done)
}
