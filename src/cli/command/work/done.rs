use crate::cli::command::work::ended::{self, Then};
use crate::cli::input::text as text_input;
use crate::cli::{Context, Failure, Force, Outcome, named, print, read_text, strict_fault};
use crate::model::strict;
use crate::ops::work::{self, Complete, Report};

/// Complete the execution of this worktree
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item (default: the one this worktree executes)
    item: Option<String>,
    /// A summary of the work (a single word needs -m; `-` for stdin)
    text: Option<String>,
    /// A summary of the work; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT")]
    message: Vec<String>,
    /// Read the executor's report from a JSON file (`-` for stdin) or from JSON text, and compare it with git
    #[arg(long, value_name = "FILE|JSON")]
    result: Option<String>,
    #[command(flatten)]
    then: Then,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let (item, text) = text_input::item_and_text(args.item, args.text);
    let lone = item.clone().filter(|_| text.is_none() && args.message.is_empty());
    let summary = text_input::said(&args.message, text.as_deref())?;
    let report = args.result.as_deref().map(report).transpose()?;
    let input = Complete {
        item,
        summary,
        report,
        made: vec![],
        take_next: args.then.take_next(),
        force: args.force.why(),
    };
    let done = work::complete(&session, &input)
        .map_err(|refusal| text_input::or_text(refusal.into(), lone.as_deref(), "git wf done -m"))?;
    ended::answer(done, context, print::work::completed)
}

/// Reads the report from a file, from stdin for `-`, or from the text itself if that is an object.
fn report(given: &str) -> Result<Report, Failure> {
    let (text, of) = match given.trim_start().starts_with('{') {
        true => (given.to_owned(), "`--result`".to_owned()),
        false => (read_text(given)?, named(given)),
    };
    let value = strict::parse_text(&text).map_err(|fault| Report::unfit(&of, &strict_fault(&fault)))?;
    Ok(Report::parse(value, &of)?)
}
