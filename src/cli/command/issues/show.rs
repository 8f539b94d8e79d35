use crate::cli::input::fields::FieldArgs;
use crate::cli::{Context, Outcome, print};
use crate::ops::Refusal;
use crate::ops::fields::Fields;
use crate::ops::issues::{self, IssueView, Record, ShownExecution};
use crate::ops::plans::SolutionView;
use crate::ops::plans::roadmap::RoadmapView;
use crate::ops::queue::{ItemAnswer, QueueAnswer};

/// Show an issue, plan, execution, queue, item or roadmap
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or an unambiguous prefix of it or of its last part
    id: String,
    /// For an imported issue, also show the source's record as last imported
    #[arg(long)]
    imported: bool,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let now = session.now()?;
    let done = issues::show(&session, &args.id, args.imported)?;
    check(&done.view, &args.fields.fields)?;
    context.only(args.fields);
    context.answer(done, |record, _, screen| match record {
        Record::Issue(issue) => print::issue::show(screen, issue, now.millis()),
        Record::Plan(plan) => print::solution::show(screen, plan),
        Record::Execution(execution) => print::issue::execution(screen, execution, now),
        Record::Queue(queue) => print::queue::queue(screen, queue, now.millis()),
        Record::Item(item) => print::queue::item(screen, item),
        Record::Roadmap(roadmap) => print::roadmap::show(screen, roadmap, now.millis()),
    })
}

/// Refuses fields that this kind of record does not have.
fn check(record: &Record, fields: &[String]) -> Result<(), Refusal> {
    if fields.is_empty() {
        return Ok(());
    }
    let checked = match record {
        Record::Issue(_) => Fields::of::<IssueView>(fields),
        Record::Plan(_) => Fields::of::<SolutionView>(fields),
        Record::Execution(_) => Fields::of::<ShownExecution>(fields),
        Record::Queue(_) => Fields::of::<QueueAnswer>(fields),
        Record::Item(_) => Fields::of::<ItemAnswer>(fields),
        Record::Roadmap(_) => Fields::of::<RoadmapView>(fields),
    };
    checked.map(drop)
}
