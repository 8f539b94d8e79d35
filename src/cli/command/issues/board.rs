use std::path::PathBuf;

use crate::board::{self, Lent};
use crate::cli::input::{board_filter, editor};
use crate::cli::{CliContext, Exit, Failure, Outcome, acting, environment, print};
use crate::model::Code;
use crate::ops::Refusal;
use crate::ui::UiSettings;
use crate::ui::fullscreen::{self, NoFullscreen};

/// Help below a text of the board in the editor.
const IN_EDITOR: &str = "Markdown. The board continues with this text when you close the editor.";

/// Show issues by status in a full-screen view
///
/// Shows the issues in columns by status, and one issue with its plan, tasks, trail, code changes and log. Keys create,
/// move, assign, prioritise, comment, bind, queue, claim and review. Changes, including those of others, appear as they
/// happen. `?` lists all keys; the mouse works, too.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to show: words, or filters of `git wf list` such as tag:api, priority:high, @ada or --mine
    #[arg(allow_hyphen_values = true)]
    filter: Vec<String>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    if context.json() {
        return Err(Refusal::usage("`board` shows a screen, so it has no --json")
            .hint("`git wf list --json` lists the issues")
            .into());
    }
    if UiSettings::get().is_plain {
        return Err(Refusal::usage("`board` draws a screen, so it has no --plain")
            .hint("`git wf list --plain` lists the issues")
            .into());
    }
    let filter = args.filter.join(" ");
    board_filter::parse(&filter).map_err(|fault| {
        Refusal::usage(format!("`{filter}` is not a filter: {fault}"))
            .hint("use words, or filters of `git wf list` such as tag:api")
    })?;
    // Without a store there is nothing to show; say so before checking the terminal.
    context.session()?.check_store()?;
    fullscreen::check().map_err(unfit)?;
    let lent = Lent {
        filter: board_filter::parse,
        edit: |session, text| editor::text_of(session, text, IN_EDITOR).map_err(Failure::into_words),
        step: print::log::step,
    };
    let folder = PathBuf::from(".");
    board::run(&board::BoardSettings { folder, environment: environment(), acting: acting(), filter, lent })?;
    Ok(Exit::Done)
}

fn unfit(unfit: NoFullscreen) -> Failure {
    let why = match unfit {
        NoFullscreen::NoTerminal => "`board` needs a terminal on stdin and stdout",
        NoFullscreen::Dumb => "`board` needs a terminal that can move its cursor, and TERM says it cannot",
    };
    Refusal::new(Code::NoTerminal, why)
        .hint("`git wf list` lists the issues, and `git wf show ID` shows one")
        .into()
}
