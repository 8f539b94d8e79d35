//! The guard of an agent in a run: hooks that stop what its role may not do, and a trace of the git commands that it
//! runs. Both are given to it in its environment alone, so nobody else's git sees them.
//!
//! It is a rail, not a wall: an agent that calls git with another `core.hooksPath`, or clears its environment, evades
//! it. What evaded it is found by looking at the repository afterwards.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::in_hook::HOOKS;
use super::traced::{GitAct, acts};
use crate::model::shell::word;
use crate::model::words::count;
use crate::process::watch::program;
use crate::rules::run::Bounds;

/// The hooks that check something before they pass to the repository's own: their names, and how they read stdin.
const CHECKED: &[(&str, Input)] =
    &[("pre-commit", Input::None), ("pre-push", Input::Lines), ("reference-transaction", Input::Lines)];

/// The stdin of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    None,
    Lines,
}

/// The file of refusals by hooks, one reason per line.
const REFUSED: &str = "refused";
/// How much of that file is read, in bytes.
const MOST_REFUSED: u64 = 64 * 1024;
/// How many reasons are reported.
pub(crate) const MOST_REASONS: usize = 20;

/// The first line of a trace.
const BEGIN: &str = "{\"event\":\"begin\"}\n";

/// The guard of one agent.
#[derive(Debug, Clone)]
pub(crate) struct AgentGuard {
    folder: PathBuf,
    bounds: Bounds,
    /// Its files, as they were written.
    written: BTreeMap<PathBuf, Vec<u8>>,
    /// The number of the file of the trace.
    trace: u64,
}

impl AgentGuard {
    /// Writes the hooks into `folder`, which is replaced. `own` is the repository's own directory of hooks, which are
    /// still called; `links_commits` is whether its `post-commit` calls this program.
    pub(crate) fn set(folder: &Path, bounds: Bounds, own: &Path, links_commits: bool) -> io::Result<Self> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut guard = Self { folder: folder.to_owned(), bounds, written: BTreeMap::new(), trace: 0 };
        let hooks = guard.hooks();
        fs::create_dir_all(&hooks)?;
        guard.write(guard.file(), serde_json::to_vec_pretty(&guard.bounds)?)?;
        fs::write(guard.trace(), BEGIN)?;
        guard.trace = guard.trace().symlink_metadata()?.ino();
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
            guard.write(path.clone(), script.into_bytes())?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(guard)
    }

    fn write(&mut self, path: PathBuf, bytes: Vec<u8>) -> io::Result<()> {
        fs::write(&path, &bytes)?;
        self.written.insert(path, bytes);
        Ok(())
    }

    /// How the agent tampered with its guard; `None` if it did not.
    pub(crate) fn changed(&self) -> Option<&'static str> {
        let is_as_written =
            |(path, bytes): (&PathBuf, &Vec<u8>)| fs::read(path).is_ok_and(|now| now == *bytes);
        if !self.written.iter().all(is_as_written) {
            return Some("it changed or removed the hooks that hold it to its role");
        }
        let begins = || -> io::Result<bool> {
            let mut begin = vec![0; BEGIN.len()];
            fs::File::open(self.trace())?.read_exact(&mut begin)?;
            Ok(begin == BEGIN.as_bytes() && self.trace().symlink_metadata()?.ino() == self.trace)
        };
        (!begins().unwrap_or(false)).then_some("it changed or removed the trace of its git commands")
    }

    /// Adds the variables to the agent's environment that make git call these hooks and write the trace.
    pub(crate) fn guard(&self, environment: &mut Vec<(OsString, OsString)>) {
        let count = environment.iter().find(|(name, _)| name == "GIT_CONFIG_COUNT");
        let count: u32 = count.and_then(|(_, value)| value.to_str()?.parse().ok()).unwrap_or(0);
        for (name, value) in [
            ("GIT_CONFIG_COUNT".to_owned(), OsString::from((count + 1).to_string())),
            (format!("GIT_CONFIG_KEY_{count}"), "core.hooksPath".into()),
            (format!("GIT_CONFIG_VALUE_{count}"), self.hooks().into()),
            ("GIT_TRACE2_EVENT".to_owned(), self.trace().into()),
        ] {
            environment.retain(|(other, _)| *other != *name);
            environment.push((name.into(), value));
        }
    }

    /// What the agent may do.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// What the agent did with git, according to git's trace.
    pub(crate) fn acts(&self) -> Vec<GitAct> {
        acts(&self.trace())
    }

    /// The distinct reasons for which its hooks refused something, in order; of many, the first, and how many more there are.
    pub(crate) fn refused(&self) -> Vec<String> {
        let Ok(file) = fs::File::open(self.folder.join(REFUSED)) else { return vec![] };
        let mut bytes = Vec::new();
        // What cannot be read is not reported.
        let _ = file.take(MOST_REFUSED).read_to_end(&mut bytes);
        let mut refused: Vec<String> = Vec::new();
        for line in String::from_utf8_lossy(&bytes).lines() {
            if !line.is_empty() && !refused.iter().any(|known| known == line) {
                refused.push(line.to_owned());
            }
        }
        let more = refused.len().saturating_sub(MOST_REASONS);
        refused.truncate(MOST_REASONS);
        if more > 0 {
            refused.push(format!("its hooks stopped it {}", count(more as u64, "more time")));
        }
        refused
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

    fn trace(&self) -> PathBuf {
        self.folder.join("git.jsonl")
    }
}

/// Records in the directory of a guard's bounds that a hook refused something. The refusal holds even if this fails.
pub(crate) fn note_refused(bounds: &Path, why: &str) {
    let line = why.replace(char::is_control, " ");
    let path = bounds.with_file_name(REFUSED);
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    // A single write, so that lines of two hooks do not mix.
    let _ = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
}

/// A hook that asks this program first, and then runs the repository's own.
fn check(program: &Path, bounds: &Path, name: &str, input: Input, earlier: Option<&Path>) -> String {
    let ask = format!("{} hook guard {} {name} \"$@\"", quoted(program), quoted(bounds));
    // Only while the ref can still be refused; git runs this hook several times.
    let skips = match (name, earlier) {
        ("reference-transaction", None) => "[ \"$1\" = prepared ] || exit 0\n".to_owned(),
        ("reference-transaction", Some(earlier)) => {
            format!("[ \"$1\" = prepared ] || exec {} \"$@\"\n", quoted(earlier))
        }
        _ => String::new(),
    };
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
    format!("#!/bin/sh\n# It calls git-wf.\n{skips}{body}")
}

fn quoted(path: &Path) -> String {
    word(&path.to_string_lossy()).into_owned()
}

fn is_executable(hook: &Path) -> bool {
    hook.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::hash::CommitHash;
    use crate::rules::roles::Role;

    #[test]
    fn many_refusals_are_counted_and_not_listed() {
        let folder = tempfile::tempdir().unwrap();
        let base = CommitHash::parse(&"1".repeat(40)).unwrap();
        let bounds = Bounds { role: Role::Planner, branch: None, base, named: BTreeSet::new() };
        let folder = folder.path().to_owned();
        let guard = AgentGuard { folder, bounds, written: BTreeMap::new(), trace: 0 };
        for n in 0..MOST_REASONS {
            note_refused(&guard.file(), &format!("reason {n}"));
            note_refused(&guard.file(), "reason 0");
        }
        assert_eq!(guard.refused().len(), MOST_REASONS);
        note_refused(&guard.file(), "another");
        note_refused(&guard.file(), "a last one");
        let refused = guard.refused();
        assert_eq!(refused.len(), MOST_REASONS + 1);
        assert_eq!(refused[MOST_REASONS], "its hooks stopped it 2 more times");
    }
}
