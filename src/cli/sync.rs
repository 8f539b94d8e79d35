use std::io::Write;

use super::{Context, Exit, Failure, Outcome, claim};
use crate::store::{ObjectId, Store};
use crate::sync::{self, Moved, Synced};
use crate::ui::text;

/// At most this many records are named in a warning; `--json` names all.
const NAMED: usize = 10;

/// Fetch, merge and push the store
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The remote (default: `wf.remote`, or the remote of the fetch refspec, or the only remote)
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
}

pub(super) fn run(Args { remote }: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let before = Some(store.snapshot()?.commit());
    let remote = sync::remote::to_sync(&store, remote.as_deref())?;
    let mut synced = sync::sync(&store, &remote)?;
    if let Err(error) = sync::remote::remember(&store, &remote) {
        // The exchange took place; only the next one will not know by itself where to go.
        context.warn(&format!("`{remote}` could not be recorded as the remote of the store: {error}"));
    }
    warn_of_losses(&synced, context);
    note_rewritten(&store, &mut synced, before, context)?;
    warn_of_conflicts(&store, &synced, before, context)?;
    claim::warn_if_lost(&store, &store.snapshot()?, context)?;
    if context.json() {
        context.screen.print_json(&synced)?;
    } else if synced.is_idle() {
        writeln!(context.screen, "{}: up to date", text::clean_line(&remote))?;
    } else {
        let incoming = commits(synced.incoming);
        let remote = text::clean_line(&remote);
        writeln!(context.screen, "synced with {remote}: {incoming} in, {} out", synced.outgoing)?;
    }
    catch_up(&store, &synced, context)?;
    Ok(Exit::Done)
}

/// Brings the index up to date with what came in. The exchange took place, so that its report comes first.
pub(super) fn catch_up(store: &Store, synced: &Synced, context: &mut Context) -> Result<(), Failure> {
    if synced.merged != Moved::None {
        context.screen.flush()?;
        context.catch_up(store, synced.incoming);
    }
    Ok(())
}

/// Says on stderr what the remote would have taken away.
pub(super) fn warn_of_losses(synced: &Synced, context: &Context) {
    let remote = &synced.remote;
    if synced.rewound {
        context.warn(&format!("`{remote}` was reset to an earlier state; its later commits are kept"));
    }
    if !synced.restored.is_empty() {
        context.warn(&format!(
            "restored records that `{remote}` had lost or damaged: {}",
            some(&synced.restored)
        ));
    }
    if !synced.refused.is_empty() {
        context.warn(&format!(
            "skipped or repaired entries of `{remote}` that do not belong in a store: {}",
            some(&synced.refused)
        ));
    }
}

/// The first of them, and how many there are beside.
pub(super) fn some(paths: &[String]) -> String {
    let mut named: Vec<&str> = paths.iter().take(NAMED).map(String::as_str).collect();
    let rest = format!("and {} more", paths.len() - named.len());
    if paths.len() > NAMED {
        named.push(&rest);
    }
    named.join(", ")
}

/// Finds changes among what was brought in that no command makes, and says who made them.
pub(super) fn note_rewritten(
    store: &Store,
    synced: &mut Synced,
    before: Option<ObjectId>,
    context: &Context,
) -> Result<(), Failure> {
    let (Some(before), Some(now)) = (before, store.tip()?) else { return Ok(()) };
    synced.rewritten = store.rewritten(before, now, &synced.restored)?;
    for it in synced.rewritten.iter().take(NAMED) {
        let commit = it.commit.get(..10).unwrap_or(&it.commit);
        context.error(&format!("`{}`: {} {} in commit {commit}", it.path, it.author, it.what));
    }
    if synced.rewritten.len() > NAMED {
        context.error(&format!(
            "and {} more such changes; `git wf fsck` lists them all",
            synced.rewritten.len() - NAMED
        ));
    }
    Ok(())
}

/// Says how many fields two clones set apart from each other, in what was merged into the state `before`.
pub(super) fn warn_of_conflicts(
    store: &Store,
    synced: &Synced,
    before: Option<ObjectId>,
    context: &Context,
) -> Result<(), Failure> {
    if synced.merged == Moved::None {
        return Ok(());
    }
    let open = sync::conflicts::count_since(store, before)?;
    if open > 0 {
        let open = text::count(open, "field");
        context
            .warn(&format!("{open} changed differently in two clones; `git wf conflicts` shows both values"));
    }
    Ok(())
}

/// `1 commit`, `2 commits`.
pub(super) fn commits(n: u64) -> String {
    format!("{n} commit{}", if n == 1 { "" } else { "s" })
}
