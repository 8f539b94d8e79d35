use crate::cli::{Context, Exit, Outcome, print};
use crate::ops::queue::World;
use crate::ops::{issues, plans};
use crate::store::resolve::Known;

/// Show an issue, plan, execution, queue or item
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or an unambiguous prefix of it or of its last part
    id: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let (snapshot, known) = issues::named(&session, &args.id)?;
    let now = session.store().now()?;
    match known {
        Known::Issue(id) => {
            let done = issues::show(&session, &snapshot, &id)?;
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
            print::queue::show(&World::now(&session)?.1, &id, now.millis(), context)?;
            Ok(Exit::Done)
        }
        Known::Item(queue, solution) => {
            print::queue::show_item(&World::now(&session)?.1, &queue, &solution, context)?;
            Ok(Exit::Done)
        }
    }
}
