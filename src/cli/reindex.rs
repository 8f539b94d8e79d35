use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Context, Exit, Failure, Outcome};
use crate::index;

/// Rebuild the index from the store
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// What `reindex` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reindexed {
    /// Where it lies.
    path: String,
}

pub(super) fn run(_: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let mut progress = None;
    let path = index::remake_all(&store, &mut |doing, done, total| {
        super::context::show(&mut progress, doing, done, total);
    })?;
    drop(progress);
    let Some(path) = path else {
        return Err(Failure::new("index", "the index can be written neither beside the repository nor in the cache")
            .hint("everything works without it, only slower; see to it that one of the two folders can be written, and that no command is still reading the index"));
    };
    if context.json() {
        context.screen.print_json(&Reindexed { path })?;
    } else if context.screen.is_terminal() {
        writeln!(context.screen, "made {} anew", crate::ui::text::clean_line(&path))?;
    }
    Ok(Exit::Done)
}
