//! The position of an item in its queue.

use std::io::Write;

use crate::cli::{CliContext, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(group(clap::ArgGroup::new("place").required(true).args(["before", "after"])))]
pub(super) struct Order {
    /// The item: S-1, QUE-…:S-1, or the id of a plan or issue
    item: String,
    /// Move it directly before this item
    #[arg(long, value_name = "ITEM")]
    before: Option<String>,
    /// Move it directly after this item and its dependencies
    #[arg(long, value_name = "ITEM")]
    after: Option<String>,
}

pub(super) fn order(args: Order, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Order { item, before, after } = args;
    let is_before = before.is_some();
    let beside = before.or(after).unwrap_or_default();
    let input = queue::OrderItem { item, beside, before: is_before };
    let done = queue::order(&session, &input)?;
    let now = session.now()?.millis();
    context.answer(done, |queue, is_changed, screen| {
        if is_changed {
            print::queue::queue(screen, queue, now)
        } else {
            writeln!(screen, "{} is already there; nothing changed", input.item)
        }
    })
}
