use crate::cli::input::{parse_criterion, text as text_input};
use crate::cli::{CliContext, Force, Outcome, print};
use crate::model::shell;
use crate::ops::work::{self, Accept};

/// Confirm a criterion that no test covers, with evidence
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task, such as T1
    task: String,
    /// The number of the criterion within the task, from 1
    #[arg(value_parser = parse_criterion)]
    criterion: u64,
    /// The item (default: the one this worktree executes)
    item: Option<String>,
    /// The evidence that the criterion holds (a single word needs -e; `-` for stdin)
    text: Option<String>,
    /// The evidence that the criterion holds
    #[arg(short, long, value_name = "TEXT")]
    evidence: Vec<String>,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let (item, text) = text_input::item_and_text(args.item, args.text);
    let Some(evidence) = text_input::said(&args.evidence, text.as_deref())? else {
        let command = format!("git wf accept {} {} -e", shell::word(&args.task), args.criterion);
        return Err(text_input::lone_word("a criterion needs evidence", item.as_deref(), &command).into());
    };
    let session = context.session()?;
    let Args { task, criterion, force, .. } = args;
    let input = Accept { item, task, criterion, evidence, force: force.why() };
    let done = work::accept(&session, &input)?;
    context.answer(done, |accepted, _, screen| print::work::accepted(screen, accepted))
}
