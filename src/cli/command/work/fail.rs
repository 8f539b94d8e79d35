use crate::cli::command::work::ended::{self, Then};
use crate::cli::input::text as text_input;
use crate::cli::{Context, Failure, Force, Outcome, print};
use crate::model::shell;
use crate::ops::work::{self, Fail, Told};

/// Fail the execution of this worktree
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item (default: the one this worktree executes)
    item: Option<String>,
    /// What went wrong: a text, or a JSON object with task_id, error_type, message, stack_trace (a single word needs -m; `-` for stdin)
    #[arg(value_name = "TEXT|JSON")]
    text: Option<String>,
    /// What went wrong; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT|JSON")]
    message: Vec<String>,
    #[command(flatten)]
    then: Then,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let (item, text) = text_input::item_and_text(args.item, args.text);
    let text = text_input::said(&args.message, text.as_deref())?.ok_or_else(|| {
        let what = item.as_ref().map(|word| format!(": `{word}` is taken for an item")).unwrap_or_default();
        let text = item.as_deref().map_or_else(|| "TEXT".into(), shell::word);
        Failure::usage(format!("a failure needs a text{what}"))
            .hint(format!("`git wf fail -m {text}`, or `git wf fail ITEM TEXT`"))
    })?;
    let session = context.session()?;
    let (told, take_next) = (Told::parse(&text)?, args.then.take_next());
    let done = work::fail(&session, &Fail { item, told, take_next, force: args.force.why() })?;
    ended::answer(done, context, print::work::failed)
}
