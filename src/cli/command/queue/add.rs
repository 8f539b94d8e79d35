use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Args)]
#[group(id = "selection", required = true, multiple = true)]
pub(super) struct Selection {
    /// The issues
    issues: Vec<String>,
    /// All planned issues
    #[arg(long, conflicts_with_all = ["issues", "wave", "tag"])]
    all_planned: bool,
    /// All open issues of this roadmap wave (with the tag wave-N)
    #[arg(long, value_name = "N", conflicts_with = "issues")]
    wave: Option<u64>,
    /// All open issues with this tag
    #[arg(short, long, value_name = "TAG", conflicts_with = "issues")]
    tag: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct AddCommand {
    #[command(flatten)]
    selection: Selection,
    /// The queue (default: the first active queue)
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    force: Force,
}

impl From<AddCommand> for queue::AddItems {
    fn from(AddCommand { selection, queue, force }: AddCommand) -> Self {
        let Selection { issues, all_planned, wave, tag } = selection;
        Self { which: queue::QueueSelection { issues, all_planned, wave, tag }, queue, force: force.why() }
    }
}

pub(super) fn add(args: AddCommand, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::add(&session, &args.into())?;
    context.answer(done, |queued, _, screen| print::queue::queued(screen, queued))
}
