use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{Context, Exit, Failure, Outcome};
use crate::interchange::jsonl::Exported;
use crate::ops::{Done, Session, store};

/// Export the store for other programs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    to: To,
}

#[derive(Debug, clap::Subcommand)]
enum To {
    /// Export everything as JSON lines, for `git wf import jsonl`
    ///
    /// The first line is {"format":"git-wf-export","version":1}. Then each file of the store has a line, in
    /// the order of the tree: its `path`, and its content as `record` (JSON as it is stored, with its clock),
    /// as `text` if it is not JSON, or as `hex` digits if it is not text. The last line counts the `files`.
    /// Equal states give equal exports. Redacted values are exported as `[redacted]`; the history is not
    /// exported.
    Jsonl(Jsonl),
}

#[derive(Debug, clap::Args)]
struct Jsonl {
    /// Export only these issues, with their plans, executions and comments
    issues: Vec<String>,
    /// Write to this file; it is written completely or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What `export` answers with `--json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct ExportAnswer {
    /// The file.
    output: String,
    #[serde(flatten)]
    exported: Exported,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let To::Jsonl(Jsonl { issues, output }) = args.to;
    if context.json() && output.is_none() {
        return Err(Failure::usage("an export is many JSON documents, and --json asks for one")
            .hint("add --output FILE, or leave out --json"));
    }
    let session = context.session()?;
    let Some(path) = output else {
        let mut out = BufWriter::with_capacity(1 << 16, context.screen.json_lines()?);
        let done = store::export::<Failure>(&session, &issues, &mut out)?;
        out.flush()?;
        drop(out);
        context.tell(done.notices);
        return Ok(Exit::Done);
    };
    let Done { view: exported, commit, notices } = to_file(&session, &issues, &path)?;
    let view = ExportAnswer { output: path.to_string_lossy().into_owned(), exported };
    context.answer(Done { view, commit, notices }, |view, _, screen| {
        writeln!(screen, "exported {} files to {}", view.exported.files, view.output)
    })
}

/// Writes to a temporary file beside it first, so that an existing file is replaced only by a complete one.
fn to_file(session: &Session, issues: &[String], path: &Path) -> Result<Done<Exported>, Failure> {
    let failed = |error: &std::io::Error| {
        Failure::new("cannot-write", format!("cannot write `{}`: {error}", path.display()))
            .hint("name a file in an existing directory that you can write to")
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Like any new file: others may read it if the user's umask allows it.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    let file = tempfile::Builder::new().prefix(".wf-export-").permissions(mode).tempfile_in(folder);
    let file = file.map_err(|error| failed(&std::io::Error::from(error.kind())))?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let done = store::export::<Failure>(session, issues, &mut out)?;
    let file = out.into_inner().map_err(|error| failed(error.error()))?;
    file.persist(path).map_err(|error| failed(&error.error))?;
    Ok(done)
}
