//! The manual pages, and their installation where `man` finds them: `cargo install` installs only the program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{CliContext, Exit, Failure, Outcome, system_words};
use crate::model::Code;
use crate::ops::Refusal;
use crate::ui::{clean_line, count};

/// Every page of `man/`, by its file name.
pub(super) const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// What `help --install` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InstalledPages {
    /// The directory; the pages are in its `man1`, `man5` and `man7`.
    folder: String,
    /// The pages: `git-wf.1`.
    pages: Vec<String>,
}

/// Writes the pages below `to`, or beside the program.
pub(in crate::cli) fn install(to: Option<PathBuf>, context: &mut CliContext) -> Outcome {
    let folder = match to {
        Some(to) => std::path::absolute(&to).unwrap_or(to),
        None => beside_the_program()?,
    };
    for (name, text) in PAGES {
        write(&folder, name, text).map_err(|error| {
            Refusal::new(
                Code::CannotWrite,
                format!("cannot write `{name}` below `{}`: {}", folder.display(), system_words(&error)),
            )
            .hint("`git wf help --install --to DIR` installs them elsewhere, such as in ~/.local/share/man")
        })?;
    }
    for old in outdated(&folder) {
        if let Err(error) = std::fs::remove_file(&old) {
            context.warn(&format!(
                "cannot remove `{}`, a page of another version: {}",
                old.display(),
                system_words(&error)
            ));
        }
    }
    if !is_found(&folder) {
        context.warn(&format!(
            "`man` does not look in `{}`: add it to MANPATH, or the program's directory to PATH",
            folder.display()
        ));
    }
    let folder = folder.display().to_string();
    if context.json() {
        let pages = PAGES.iter().map(|(name, _)| (*name).to_owned()).collect();
        context.screen.print_json(&InstalledPages { folder, pages })?;
    } else {
        let pages = count(PAGES.len(), "manual page");
        writeln!(context.screen, "installed {pages} in {}", clean_line(&folder))?;
    }
    Ok(Exit::Done)
}

/// `share/man` beside the program's directory `bin`: `man` looks there for each directory of PATH.
pub(super) fn beside_the_program() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().unwrap_or_default();
    match program
        .parent()
        .filter(|folder| folder.file_name().is_some_and(|name| name == "bin"))
        .and_then(Path::parent)
    {
        Some(prefix) => Ok(prefix.join("share/man")),
        None => Err(Refusal::new(
            Code::NoManualFolder,
            format!(
                "`{}` is not in a directory called bin, so `man` finds no pages beside it",
                program.display()
            ),
        )
        .hint("`git wf help --install --to DIR` installs them in DIR, one of those that `manpath` lists")
        .into()),
    }
}

pub(super) fn write(folder: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let section = name.rsplit('.').next().unwrap_or_default();
    let folder = folder.join(format!("man{section}"));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(name), text)
}

/// Pages below `folder` that another version installed, for commands or guides that no longer exist. Only our pages
/// have such names and mention the program.
pub(super) fn outdated(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (section, begin) in [("1", "git-wf-"), ("5", "gitwf-"), ("7", "gitwf-")] {
        let entries = std::fs::read_dir(folder.join(format!("man{section}"))).into_iter().flatten();
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = name.starts_with(begin) && name.ends_with(&format!(".{section}"));
            let is_known = PAGES.iter().any(|(page, _)| *page == name);
            if is_ours
                && !is_known
                && entry.file_type().is_ok_and(|kind| kind.is_file())
                && std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("git\\-wf"))
            {
                found.push(entry.path());
            }
        }
    }
    found
}

/// Whether `man` is installed and does not find the page of the program, so that `git wf --help` fails.
pub(super) fn are_missing() -> bool {
    let mut asked = Command::new("man");
    asked.args(["-w", "git-wf"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| !status.success())
}

/// Whether `man` finds a page there. True if `man` is not installed, since nobody will look for the page.
pub(super) fn is_found(folder: &Path) -> bool {
    let asked =
        Command::new("man").args(["-w", "git-wf"]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let Ok(asked) = asked else { return true };
    let found = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
    let (Ok(found), Ok(folder)) = (found.canonicalize(), folder.canonicalize()) else { return false };
    found.starts_with(folder)
}
