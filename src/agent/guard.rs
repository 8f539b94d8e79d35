//! The hooks of an agent's workplace: the repository's own, and two that tell an agent early what would be refused when it
//! hands in. It can evade them; what counts is judged then.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::in_hook::HOOKS;
use crate::model::json_text;
use crate::model::shell::word;
use crate::process::watch::program;
use crate::rules::Bounds;

/// The hooks that check something before they pass to the repository's own: their names, and how they read stdin.
const CHECKED: &[(&str, Input)] = &[("pre-commit", Input::None), ("pre-push", Input::Lines)];

/// The stdin of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    None,
    Lines,
}

/// The directory and the file in the git directory of a workplace with refusals by hooks, one reason per line.
pub(crate) const REFUSED: (&str, &str) = ("wf", "refused");
/// How many reasons are reported.
pub(crate) const MOST_REASONS: usize = 20;

/// The hooks of one agent.
#[derive(Debug, Clone)]
pub(crate) struct AgentGuard {
    folder: PathBuf,
    bounds: Bounds,
}

impl AgentGuard {
    /// Writes the hooks into `folder`, which is replaced. `own` is the repository's own directory of hooks, which are
    /// still called; `links_commits` is whether its `post-commit` calls this program.
    pub(crate) fn set(folder: &Path, bounds: Bounds, own: &Path, links_commits: bool) -> io::Result<Self> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let guard = Self { folder: folder.to_owned(), bounds };
        let hooks = guard.hooks();
        fs::create_dir_all(&hooks)?;
        fs::write(guard.file(), json_text::pretty(&guard.bounds)?)?;
        let program = program()?;
        for name in HOOKS {
            let earlier = own.join(name);
            let earlier = is_executable(&earlier).then_some(earlier.as_path());
            let checked = CHECKED.iter().find(|(checked, _)| checked == name);
            let script = match (checked, earlier) {
                (Some((_, input)), _) => check(&program, &guard.file(), name, *input, earlier),
                (None, Some(earlier)) => {
                    // `git wf done` looks whether the hook calls it.
                    let mark = if links_commits { "# It calls git-wf.\n" } else { "" };
                    format!("#!/bin/sh\n{mark}exec {} \"$@\"\n", quoted(earlier))
                }
                (None, None) => continue,
            };
            let path = hooks.join(name);
            fs::write(&path, script)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(guard)
    }

    /// Adds the variables to the agent's environment that make git call these hooks.
    pub(crate) fn guard(&self, environment: &mut Vec<(OsString, OsString)>) {
        let count = environment.iter().find(|(name, _)| name == "GIT_CONFIG_COUNT");
        let count: u32 = count.and_then(|(_, value)| value.to_str()?.parse().ok()).unwrap_or(0);
        for (name, value) in [
            ("GIT_CONFIG_COUNT".to_owned(), OsString::from((count + 1).to_string())),
            (format!("GIT_CONFIG_KEY_{count}"), "core.hooksPath".into()),
            (format!("GIT_CONFIG_VALUE_{count}"), self.hooks().into()),
        ] {
            environment.retain(|(other, _)| *other != *name);
            environment.push((name.into(), value));
        }
    }

    /// What the agent may do.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Removes it.
    pub(crate) fn remove(&self) {
        // The next guard replaces what is left.
        let _ = fs::remove_dir_all(&self.folder);
    }

    fn hooks(&self) -> PathBuf {
        self.folder.join("hooks")
    }

    fn file(&self) -> PathBuf {
        self.folder.join("bounds.json")
    }
}

/// Records in the git directory of a workplace that a hook refused something. The refusal holds even if this fails.
pub(crate) fn note_refused(git_dir: &Path, why: &str) {
    let line = why.replace(char::is_control, " ");
    let (folder, name) = REFUSED;
    let path = git_dir.join(folder).join(name);
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    // A single write, so that lines of two hooks do not mix.
    let _ = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
}

/// The distinct reasons in what hooks noted, in order; at most [`MOST_REASONS`].
pub(crate) fn refusals(noted: &[u8]) -> Vec<String> {
    let mut refused: Vec<String> = Vec::new();
    for line in String::from_utf8_lossy(noted).lines() {
        let line = line.replace(char::is_control, " ");
        if !line.is_empty() && !refused.contains(&line) {
            refused.push(line);
        }
    }
    refused.truncate(MOST_REASONS);
    refused
}

/// A hook that asks this program first, and then runs the repository's own.
fn check(program: &Path, bounds: &Path, name: &str, input: Input, earlier: Option<&Path>) -> String {
    let ask = format!("{} hook guard {} {name} \"$@\"", quoted(program), quoted(bounds));
    let body = match (earlier, input) {
        (None, _) => format!("exec {ask}\n"),
        (Some(earlier), Input::None) => format!("{ask} || exit\nexec {} \"$@\"\n", quoted(earlier)),
        // Both read the same stdin; the dot preserves trailing newlines.
        (Some(earlier), Input::Lines) => format!(
            "input=$(cat; echo .)\ninput=${{input%.}}\nprintf %s \"$input\" | {ask} || exit\n\
             printf %s \"$input\" | {} \"$@\"\n",
            quoted(earlier)
        ),
    };
    format!("#!/bin/sh\n# It calls git-wf.\n{body}")
}

fn quoted(path: &Path) -> String {
    word(&path.to_string_lossy()).into_owned()
}

fn is_executable(hook: &Path) -> bool {
    hook.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_once_and_are_not_many() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("wf")).unwrap();
        for n in 0..=MOST_REASONS {
            note_refused(folder.path(), &format!("reason\t{n}"));
            note_refused(folder.path(), "reason\u{7}0");
        }
        let refused = refusals(&fs::read(folder.path().join("wf/refused")).unwrap());
        assert_eq!(refused.len(), MOST_REASONS);
        assert_eq!(refused[1], "reason 1");
    }
}
