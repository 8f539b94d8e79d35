use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{CliContext, Outcome, system_words};
use crate::model::Code;
use crate::ops::Refusal;
use crate::ops::store::{self, CcwExport, CcwStore};
use crate::ui::{JsonLines, count};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Export only these issues, with their plans and items
    issues: Vec<String>,
    /// The project's directory; the files go into its `.workflow/issues`, which must not exist yet or be empty
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// What `export ccw` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct CcwAnswer {
    /// The directory with the files.
    output: String,
    #[serde(flatten)]
    handed: CcwExport,
}

pub(in crate::cli) fn run(Args { issues, output }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = store::export_ccw(&session, &issues)?;
    let folder = output.join(done.view.folder);
    write(&folder, &done.view).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => {
            let message = format!("`{}` exists already, so nothing was written", folder.display());
            Refusal::new(Code::Exists, message).hint("name another directory, or move that one away")
        }
        _ => {
            let message = format!("cannot write `{}`: {}", folder.display(), system_words(&error));
            Refusal::new(Code::CannotWrite, message).hint("name a directory that you can write to")
        }
    })?;
    let output = folder.to_string_lossy().into_owned();
    let done = done.map(|store| CcwAnswer { output, handed: store.handed });
    context.answer(done, |view, _, screen| {
        let CcwExport { issues, plans, queues, items, .. } = view.handed;
        writeln!(screen, "exported {} to {}", count(issues, "issue"), view.output)?;
        for (word, count) in [("plans", plans), ("queues", queues), ("items", items)] {
            if count > 0 {
                writeln!(screen, "  {word:<12} {count:>6}")?;
            }
        }
        Ok(())
    })
}

/// Writes to a new directory beside it first, so that all files are there or none.
fn write(folder: &Path, store: &CcwStore) -> io::Result<()> {
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    let new = tempfile::Builder::new().prefix(".wf-export-").permissions(mode).tempdir_in(parent)?;
    for file in &store.files {
        let path = new.path().join(&file.path);
        if let Some(inside) = path.parent() {
            fs::create_dir_all(inside)?;
        }
        let mut out = fs::File::create(path)?;
        JsonLines::new(&mut out).write_all(&file.content)?;
    }
    // An empty directory is replaced, any other is not.
    fs::rename(new.path(), folder)
}
