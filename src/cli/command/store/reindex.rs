use std::io::Write;

use crate::cli::{CliContext, Outcome};
use crate::ops::store;
use crate::ui::text::clean_line;

/// Rebuild the index from the store
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(in crate::cli) fn run(_: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = store::reindex(&session)?;
    context.answer(done, |view, _, screen| match screen.is_terminal() {
        true => writeln!(screen, "rebuilt {}", clean_line(&view.path)),
        false => Ok(()),
    })
}
