use std::io::Write;

use crate::cli::input::text::{TextArgs, edit};
use crate::cli::{Context, Exit, Failure, Outcome, existing, existing_outline};
use crate::model::issue::Comment;
use crate::store::{layout, resolve};

/// Comment on an issue
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    id: String,
    /// The comment (`-` for stdin); or use -m, -F FILE, or -e
    #[arg(value_name = "TEXT")]
    last: Option<String>,
    #[command(flatten)]
    text: TextArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let id = resolve::issue(&store.snapshot()?, &args.id)?;
    let given = args.text.given_or(args.last.as_deref())?;
    let body = match given {
        Some(text) if !args.text.edit => text,
        None if !args.text.edit && !context.screen.is_terminal() => {
            return Err(Failure::usage("a comment needs a text")
                .hint("TEXT, -m TEXT, -F FILE, or -e for your editor"));
        }
        start => {
            edit(&store, context, &start.unwrap_or_default(), &format!("A comment on {id}, in Markdown."))?
        }
    };
    if body.trim().is_empty() {
        return Err(Failure::new("empty-comment", "the comment is empty, so nothing was written")
            .hint("-m TEXT, -F FILE, or -e for your editor"));
    }
    let committed = context.transact(&store, |tx| {
        existing_outline(tx, &id)?;
        let (author, created_at, body) = (tx.person().to_owned(), tx.stamper().now(), body.clone());
        let comment = tx.append(&layout::comments(&id), |entry| Comment {
            id: entry,
            body,
            author,
            created_at,
            edits: None,
        })?;
        tx.describe("comment", format!("issue: comment on {id}"));
        Ok(comment.id)
    })?;
    if context.json() {
        let folder = existing(&store.snapshot()?, &id)?;
        let comment = folder.comments.iter().find(|comment| comment.id == committed.answer);
        context.screen.print_json(&comment)?;
    } else {
        writeln!(context.screen, "commented on {id}")?;
    }
    Ok(Exit::Done)
}
