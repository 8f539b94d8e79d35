use crate::cli::input::text as text_input;
use crate::cli::input::then::ThenNext;
use crate::cli::{CliContext, Force, Outcome, print, read_text};
use crate::ops::work::{self, Fail, FailureReport};

/// Fail the execution of this worktree
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item (default: the one this worktree executes)
    item: Option<String>,
    /// What went wrong: a text, or a JSON object with task_id, error_type, message, stack_trace, or the report of `done --result` (a single word needs -m; `-` for stdin)
    #[arg(value_name = "TEXT|JSON")]
    text: Option<String>,
    /// What went wrong; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT|JSON", allow_hyphen_values = true)]
    message: Vec<String>,
    /// Read what went wrong from a file (`-` for stdin)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with_all = ["message", "text"])]
    file: Option<String>,
    #[command(flatten)]
    then: ThenNext,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let (item, text) = text_input::item_and_text(args.item, args.text);
    let message = match &args.file {
        Some(path) => vec![read_text(path)?],
        None => args.message,
    };
    let text = text_input::said(&message, text.as_deref())?.ok_or_else(|| {
        text_input::lone_word("a failure needs a reason", item.as_deref(), "git wf fail -m")
    })?;
    let session = context.session()?;
    let ((why, report), then) = (FailureReport::parse_with_report(&text)?, args.then.then());
    let fail = Fail { item, why, report, made: vec![], then, force: args.force.why() };
    print::ended::answer(work::fail(&session, &fail)?, context, print::work::failed)
}
