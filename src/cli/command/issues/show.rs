use crate::cli::{Context, Outcome, print};
use crate::ops::issues::{self, Record};

/// Show an issue, plan, execution, queue, item or roadmap
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or an unambiguous prefix of it or of its last part
    id: String,
    /// For an imported issue, also show the source's record as last imported
    #[arg(long)]
    imported: bool,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let now = session.now()?;
    let done = issues::show(&session, &args.id, args.imported)?;
    context.answer(done, |record, _, screen| match record {
        Record::Issue(issue) => print::issue::show(screen, issue, now.millis()),
        Record::Plan(plan) => print::solution::show(screen, plan),
        Record::Execution(execution) => print::issue::execution(screen, execution, now),
        Record::Queue(queue) => print::queue::queue(screen, queue, now.millis()),
        Record::Item(item) => print::queue::item(screen, item),
        Record::Roadmap(roadmap) => print::roadmap::show(screen, roadmap, now.millis()),
    })
}
