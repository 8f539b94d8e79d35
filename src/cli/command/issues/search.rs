use serde_json::Value;

use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Exit, Outcome, print};
use crate::model::typed;
use crate::ops::fields::{FieldNames, known};
use crate::ops::format::Format;
use crate::ops::issues::{FoundIssue, SearchResult};
use crate::ops::{Done, Notice, issues};

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
    let format = args.fields.format.as_deref();
    let format = format.map(|format| Format::parse(format, &known::<FoundIssue>())).transpose()?;
    let fields = match args.fields.fields.as_slice() {
        [] => None,
        names => Some(FieldNames::of::<FoundIssue>(names)?),
    };
    let done = issues::search(&*context.session()?, &args.text.join(" "), args.limit)?;
    let (shown, total) = (done.view.hits.len(), done.view.total);
    if shown < total && (!context.screen.is_terminal() || fields.is_some() || format.is_some()) {
        context
            .show_notices([Notice::note(format!("{shown} of {total} issues; `--limit {total}` shows all"))]);
    }
    if let Some(format) = format {
        context.show_notices(done.notices);
        for hit in &done.view.hits {
            print::fields::in_form(&mut context.screen, &format, &format.fields.pick(hit))?;
        }
        return Ok(Exit::Done);
    }
    match fields {
        None => context.answer(done, |found, _, screen| print::search::found(screen, found)),
        Some(fields) => some_fields(&fields, done, context),
    }
}

/// Some fields of each issue that was found. As JSON, they stand where the issues would.
fn some_fields(fields: &FieldNames, done: Done<SearchResult>, context: &mut CliContext) -> Outcome {
    let Done { view, notices, .. } = done;
    context.show_notices(notices);
    let hits: Vec<Value> = view.hits.iter().map(|hit| fields.pick(hit)).collect();
    if context.json() {
        let mut whole = typed::own_json(&view);
        whole["hits"] = hits.into();
        context.screen.print_json(&whole)?;
    } else {
        print::fields::lines(&mut context.screen, fields, &hits)?;
    }
    Ok(Exit::Done)
}
