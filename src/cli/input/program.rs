//! Where this program is.

use std::path::PathBuf;

use crate::cli::Failure;
use crate::model::code::Code;

/// The absolute path of this program, which the hooks call.
///
/// # Errors
/// `no-program`: the system does not know it.
pub(in crate::cli) fn path() -> Result<PathBuf, Failure> {
    std::env::current_exe().and_then(std::path::absolute).map_err(|error| {
        Failure::new(Code::NoProgram, format!("cannot find the path of this program: {error}"))
            .hint("start `git-wf` by its full path")
    })
}
