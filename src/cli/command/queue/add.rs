use std::io::Write;

use crate::cli::{Context, Exit, Force, Outcome, answer};
use crate::ops::queue::{self, Queued, World};

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
pub(super) struct Add {
    #[command(flatten)]
    selection: Selection,
    /// The queue (default: the first active queue)
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    force: Force,
}

impl From<Add> for queue::Add {
    fn from(Add { selection, queue, force }: Add) -> Self {
        let Selection { issues, all_planned, wave, tag } = selection;
        Self { which: queue::Selection { issues, all_planned, wave, tag }, queue, force: force.why() }
    }
}

pub(super) fn add(args: Add, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let done = queue::add(&session, &args.into())?;
    context.tell(done.notices);
    if context.json() {
        let views = World::after(session.store())?.views();
        let items: Vec<_> = done
            .view
            .iter()
            .filter_map(|it| {
                let view = views.iter().find(|view| view.queue.id == it.queue)?;
                let item = view.items.iter().find(|item| item.item.solution_id == it.solution)?;
                Some(answer::item_in(&it.queue, item))
            })
            .collect();
        context.screen.print_json(&items)?;
        return Ok(Exit::Done);
    }
    for Queued { queue, item, solution, is_old } in &done.view {
        let verb = if *is_old { "queued already:" } else { "queued" };
        writeln!(context.screen, "{verb} {solution} as {item} of {queue}")?;
    }
    Ok(Exit::Done)
}
