use crate::cli::input::text::MessageArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::model::Resolution;
use crate::ops::queue::{self, Decision};

#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The reason; repeat for more paragraphs")))]
pub(super) struct Resolve {
    /// The conflict: CFT-1, or QUE-…:CFT-1 if several queues have one with this number
    conflict: String,
    /// The items, first to last, separated by commas
    #[arg(long, value_name = "ITEM", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed, required = true)]
    order: Vec<String>,
    /// sequential, or merge (the later item is rebased onto the earlier one)
    #[arg(long, value_name = "WAY", value_parser = parse_way, default_value = "sequential")]
    resolution: Resolution,
    #[command(flatten)]
    reason: MessageArgs,
    /// The queue, if several have a conflict with this number
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
}

fn parse_way(text: &str) -> Result<Resolution, String> {
    match text.parse()? {
        Resolution::Manual => Err("expected sequential or merge".into()),
        way => Ok(way),
    }
}

pub(super) fn resolve(args: Resolve, context: &mut CliContext) -> Outcome {
    let Resolve { conflict, order, resolution, reason, queue } = args;
    let rationale = reason.said(None)?;
    let session = context.session()?;
    let done = queue::resolve(&session, &Decision { conflict, order, resolution, rationale, queue })?;
    context.answer(done, |all, _, screen| print::conflict::settled(screen, all))
}
