use crate::cli::input::text as text_input;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::work::{self, Vouch};

/// Vouch for the tests of someone else's work, where git wf cannot prove that they test it
///
/// `git wf verify --fresh`, runs and `land` test the tests of a plan: they must pass as they were before the work, and fail
/// without it. Some work cannot show that, such as new tests that do not compile without it, or tests in the same file as
/// the code. Then someone other than the executor looks at it and vouches for it, once: your word counts as long as the
/// changes stay the same, also after a rebase or a squash.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The execution, or its issue, plan or item
    execution: String,
    /// What shows that the tests hold (`-` for stdin)
    text: Option<String>,
    /// What shows that the tests hold; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Vec<String>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Some(reason) = text_input::said(&args.message, args.text.as_deref())? else {
        return Err(text_input::lone_word(
            "vouching for tests needs a reason",
            None,
            "git wf vouch ISSUE -m",
        )
        .into());
    };
    let session = context.session()?;
    let done = work::vouch(&session, &Vouch { execution: args.execution, reason })?;
    context.answer(done, |vouched, _, screen| print::work::vouched(screen, vouched))
}
