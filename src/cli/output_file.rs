//! Files that a command writes at the user's request.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::{Failure, system_words};
use crate::model::Code;
use crate::ops::Refusal;
use crate::ui::JsonLines;

/// Writes JSON, in which control and invisible characters are escaped; see [`to_file`].
pub(in crate::cli) fn json_to_file<V>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<V, Failure>,
) -> Result<V, Failure> {
    to_file(path, |out| write(&mut JsonLines::new(out)))
}

/// Writes to a temporary file beside it first, so that an existing file is replaced only by a complete one.
pub(in crate::cli) fn to_file<V>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<V, Failure>,
) -> Result<V, Failure> {
    let refused = |why: String| {
        Refusal::new(Code::CannotWrite, format!("cannot write `{}`: {why}", path.display()))
            .hint("name a file in an existing directory that you can write to")
    };
    if path.is_dir() {
        return Err(refused("it is a directory".to_owned()).into());
    }
    let failed = |error: &std::io::Error| refused(system_words(error));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Like any new file: others may read it if the user's umask allows it.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    let file = tempfile::Builder::new().prefix(".wf-export-").permissions(mode).tempfile_in(folder);
    let file = file.map_err(|error| failed(&error))?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let written = write(&mut out)?;
    let file = out.into_inner().map_err(|error| failed(error.error()))?;
    file.persist(path).map_err(|error| failed(&error.error))?;
    Ok(written)
}
