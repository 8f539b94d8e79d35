//! Where this program is.

use std::path::PathBuf;

use crate::model::Code;
use crate::ops::Refusal;

/// The absolute path of this program, which the hooks call.
///
/// # Errors
/// `no-program`: the system does not know it.
pub(in crate::cli) fn path() -> Result<PathBuf, Refusal> {
    std::env::current_exe().and_then(std::path::absolute).map_err(|error| {
        Refusal::new(Code::NoProgram, format!("cannot find the path of this program: {error}"))
            .hint("start `git-wf` by its full path")
    })
}
