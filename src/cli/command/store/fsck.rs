use std::io::Write;

use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::store::{self, FsckSeverity};
use crate::ui::clean_line;

/// Check the records, their references, and the history of the store
///
/// With `--verbose`, it also shows notes about things that are not wrong.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Restore deleted or unreadable records from the history, and repair stamps from the future and records in
    /// non-canonical form, in one commit
    #[arg(long)]
    repair: bool,
    /// Trust this machine's clock, even if commits are dated more than a day after it
    #[arg(long, requires = "repair")]
    trust_clock: bool,
    /// Rebuild the index from the store, and check nothing
    #[arg(long, conflicts_with = "repair")]
    reindex: bool,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    if args.reindex {
        let done = store::reindex(&session)?;
        return context.answer(done, |view, _, screen| {
            if screen.is_terminal() { writeln!(screen, "rebuilt {}", clean_line(&view.path)) } else { Ok(()) }
        });
    }
    if args.repair {
        let done = store::repair(&session, args.trust_clock)?;
        context.show_notices(done.notices);
        // With `--json`, only the remaining findings are printed.
        if !context.json() {
            print::fsck::repaired(&mut context.screen, &done.view)?;
        }
    }
    let done = store::fsck(&session)?;
    let is_sound = done.view.iter().all(|finding| finding.severity != FsckSeverity::Error);
    let is_verbose = context.is_verbose();
    context.answer(done, |found, _, screen| print::fsck::findings(screen, found, is_verbose))?;
    Ok(if is_sound { Exit::Done } else { Exit::Failed })
}
