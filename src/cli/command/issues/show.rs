use crate::cli::{Context, Outcome, print};
use crate::ops::{issues, plans, queue};
use crate::store::resolve::Known;

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
    let (snapshot, known) = issues::named(&session, &args.id)?;
    let now = session.store().now()?;
    match known {
        Known::Issue(id) => {
            let done = issues::show(&session, &snapshot, &id, args.imported)?;
            context.answer(done, |issue, _, screen| print::issue::show(screen, issue, now.millis()))
        }
        Known::Solution(id) => {
            let done = session.done(plans::view(&snapshot, &id)?, None);
            context.answer(done, |plan, _, screen| print::solution::show(screen, plan))
        }
        Known::Execution(id) => {
            let done = issues::show_execution(&session, &snapshot, &id)?;
            context.answer(done, |execution, _, screen| print::issue::execution(screen, execution, now))
        }
        Known::Queue(id) => {
            let done = queue::show(&session, Some(id.as_str()))?;
            context.answer(done, |queue, _, screen| print::queue::queue(screen, queue, now.millis()))
        }
        Known::Roadmap(id) => {
            let done = session.done(plans::roadmap::view(&snapshot, &id)?, None);
            context.answer(done, |roadmap, _, screen| print::roadmap::show(screen, roadmap, now.millis()))
        }
        Known::Item(of, solution) => {
            let done = queue::show_item(&session, &of, &solution)?;
            context.answer(done, |item, _, screen| print::queue::item(screen, item))
        }
    }
}
