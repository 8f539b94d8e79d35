use crate::cli::{Context, Failure, Outcome, named, print};
use crate::interchange::lines::Source;
use crate::ops::store::{self, Import};

/// Import issues from another tracker, or from an export
///
/// A file is imported completely, in one commit, or not at all.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, clap::Subcommand)]
enum From {
    /// Import issues of beads (`bd`, `br`) from JSON lines, with labels, comments and dependencies
    ///
    /// Ids are kept. Importing the same file again changes nothing; a newer file brings what changed since,
    /// but does not overwrite fields that were edited here later.
    Beads(Beads),
    /// Import an export of git-wf, exactly as it was
    ///
    /// An empty store gets the same state. Records that exist already are merged, so nothing is lost;
    /// importing the same file again changes nothing.
    Jsonl(Jsonl),
}

#[derive(Debug, clap::Args)]
struct Beads {
    /// The output of `bd export`, such as `.beads/issues.jsonl` (`-` for stdin)
    file: String,
}

#[derive(Debug, clap::Args)]
struct Jsonl {
    /// The output of `git wf export jsonl` (`-` for stdin)
    file: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    match args.from {
        From::Beads(Beads { file }) => {
            let source = source(&file, "give the file that the other tracker wrote, or `-` for stdin")?;
            let done = store::import_beads(&session, Import { name: &named(&file), source })?;
            context.answer(done, |report, _, screen| print::import::beads(screen, report))
        }
        From::Jsonl(Jsonl { file }) => {
            let source = source(&file, "give the file that `git wf export jsonl` wrote, or `-` for stdin")?;
            let done = store::import_jsonl(&session, Import { name: &named(&file), source })?;
            context.answer(done, |taken, _, screen| print::import::export(screen, taken))
        }
    }
}

fn source(file: &str, hint: &str) -> Result<Source, Failure> {
    Source::open(file).map_err(|error| {
        Failure::new("cannot-read", format!("cannot read {}: {error}", named(file))).hint(hint)
    })
}
