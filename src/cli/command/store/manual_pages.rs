//! The manual pages, and where `man` finds them: `cargo install` installs only the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every page of `man/`, by its file name.
pub(super) const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// `share/man` beside the program's directory, if that is called `bin`: `man` looks there for each directory of PATH.
pub(super) fn beside_the_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "bin"))?;
    Some(folder.parent()?.join("share/man"))
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
