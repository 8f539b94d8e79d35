use std::io::Write;

use crate::cli::input::chosen::WhereArgs;
use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Outcome};
use crate::ops::Refusal;
use crate::ops::issues::{self, Many};

/// Comment on an issue, or edit or withdraw a comment
///
/// `git wf show ISSUE` shows the ids of its comments; the first few characters suffice. Earlier versions of an edited or
/// withdrawn comment stay in the log; `git wf redact` hides them everywhere.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    #[arg(required_unless_present = "query")]
    id: Option<String>,
    #[command(flatten)]
    chosen: WhereArgs,
    /// The comment (`-` for stdin); or use -m, -F FILE, or -e
    #[arg(value_name = "TEXT")]
    last: Option<String>,
    /// The comment; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Vec<String>,
    /// Read the text from a file (`-` for stdin)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "message")]
    file: Option<String>,
    /// Write the comment in your editor, or edit an existing one
    #[arg(short, long, value_name = "COMMENT", num_args = 0..=1, default_missing_value = "")]
    edit: Option<String>,
    /// Withdraw this comment
    #[arg(long, value_name = "COMMENT", conflicts_with_all = ["edit", "message", "file", "last"])]
    withdraw: Option<String>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let named = match args.id.as_deref() {
        Some(named) if args.chosen.query.is_none() => named,
        _ => {
            if args.last.is_some() {
                return Err(Refusal::usage("give either an issue or --where")
                    .hint("`git wf comment --where OPTIONS TEXT`")
                    .into());
            }
            if args.edit.is_some() || args.withdraw.is_some() {
                return Err(Refusal::usage("--where can only add a comment")
                    .hint("`git wf comment --where OPTIONS TEXT`")
                    .into());
            }
            let text = TextArgs { message: args.message, file: args.file, edit: false };
            let body = text.given_or(args.id.as_deref())?.unwrap_or_default();
            return args.chosen.change(Many::Comment(body), "commented on", context);
        }
    };
    // A missing issue is reported before an editor opens.
    let id = issues::id(&session, named)?;
    if let Some(comment) = &args.withdraw {
        let input = issues::CommentEdit { issue: id.to_string(), comment: comment.clone(), body: None };
        let done = issues::edit_comment(&session, &input)?;
        return context.answer(done, |comment, is_changed, screen| {
            if is_changed {
                writeln!(screen, "withdrew comment {} on {}", comment.known_as.short(), comment.issue)
            } else {
                writeln!(screen, "that comment is already withdrawn; nothing changed")
            }
        });
    }
    let replaced = args.edit.clone().filter(|comment| !comment.is_empty());
    let opens = context.screen.can_edit();
    let text =
        TextArgs { message: args.message, file: args.file, edit: args.edit.is_some() && replaced.is_none() };
    let Some(comment) = replaced else {
        let help = format!("A comment on {id}, in Markdown.");
        let written = text.written(args.last.as_deref(), &session, opens, "the comment", &help)?;
        let done = written.stored(|body| issues::comment(&session, id.as_str(), &body))?;
        return context.answer(done, |comment, _, screen| writeln!(screen, "commented on {}", comment.issue));
    };
    let old = issues::comment_text(&session, &id, &comment)?;
    let help = format!("Comment {comment} on {id}, in Markdown.");
    let written = text.rewritten(args.last.as_deref(), &session, opens, &old, "the comment", &help)?;
    let done = written.stored(|body| {
        issues::edit_comment(
            &session,
            &issues::CommentEdit { issue: id.to_string(), comment: comment.clone(), body: Some(body) },
        )
    })?;
    context.answer(done, |comment, is_changed, screen| {
        if is_changed {
            writeln!(screen, "changed comment {} on {}", comment.known_as.short(), comment.issue)
        } else {
            writeln!(screen, "that comment already has this text; nothing changed")
        }
    })
}
