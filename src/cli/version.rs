//! `--version`: what a bug report needs to say about this program.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;

use super::{CliContext, Exit, Failure};
use crate::git::git_version;
use crate::model::root::FORMAT;

#[serde_with::skip_serializing_none]
/// The answer of `--version`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VersionAnswer {
    /// The version of this program.
    version: &'static str,
    /// The commit that it was built from; absent in a development build.
    commit: Option<&'static str>,
    /// The version of the format that it reads and writes.
    format: u64,
    /// The version of the `git` on the PATH; absent if there is none.
    git: Option<String>,
}

/// Prints the version: one line for `-V`; for `--version` also the commit, the format and the version of git.
pub(super) fn print(words: &[OsString]) -> ExitCode {
    let is = |word: &str| words.iter().any(|it| it == word);
    let mut context = CliContext::new(is("--json"), false);
    let is_json = context.json();
    let is_short = is("-V") && !is_json;
    let answer = VersionAnswer {
        version: env!("CARGO_PKG_VERSION"),
        commit: option_env!("GIT_WF_BUILT_FROM").filter(|commit| !commit.is_empty()),
        format: FORMAT,
        git: if is_short { None } else { git_version() },
    };
    let screen = &mut context.screen;
    let written = if is_json {
        screen.print_json(&answer)
    } else if is_short {
        writeln!(screen, "git-wf {}", answer.version)
    } else {
        let commit =
            answer.commit.map_or_else(|| "development build".to_owned(), |it| format!("commit {it}"));
        let git = answer.git.as_deref().unwrap_or("not found");
        writeln!(screen, "git-wf {} ({commit})\nformat {}\ngit {git}", answer.version, answer.format)
    };
    let (shown, _) = context.finish();
    match written.and(shown) {
        Ok(()) => Exit::Done.into(),
        Err(error) => Failure::from(error).report(false, &[]).into(),
    }
}
