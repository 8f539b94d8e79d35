//! git in a work tree whose files an agent made. Settings of the user may name programs by paths relative to the work tree: there,
//! these would be programs of the agent.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Args, Git, GitError};

/// The settings that name programs which git runs while it checks out, merges or commits, as `git config --get-regexp` takes them.
const PROGRAMS: &str = r"^(core\.(hookspath|fsmonitor)|filter\..*\.(clean|smudge|process)|merge\..*\.driver|gpg\.(.*\.)?program)$";
/// The merge of text that git does itself, in place of a driver.
const PLAIN_MERGE: &str = "git merge-file --marker-size=%L %A %O %B";
/// Programs that run what their arguments name.
const INTERPRETERS: &[&str] = &[
    "awk", "bun", "bundle", "busybox", "cargo", "deno", "dotnet", "env", "find", "gawk", "go", "java",
    "just", "lua", "make", "nice", "nohup", "node", "npm", "npx", "perl", "php", "pnpm", "poetry", "pwsh",
    "ruby", "sed", "sudo", "tclsh", "time", "timeout", "uv", "uvx", "xargs", "yarn",
];

/// Settings that hold for each command: `-c` and `key=value`.
pub(crate) type ForeignSettings = Vec<OsString>;

impl Git {
    /// A git with these settings for each command.
    pub(crate) fn with_settings(mut self, settings: &ForeignSettings) -> Self {
        self.settings.clone_from(settings);
        self
    }

    /// The settings for each command.
    pub(crate) fn settings(&self) -> &ForeignSettings {
        &self.settings
    }

    /// Sets a value for each command. git can set nothing in this way for a name with `=`, which only the user can have chosen.
    fn add_setting(&mut self, key: &str, value: &str) {
        // No hook runs for an agent of a run.
        let is_kept = self.is_for_agent && key == "core.hooksPath";
        if !key.contains('=') && !is_kept {
            self.settings.extend(["-c".into(), format!("{key}={value}").into()]);
        }
    }

    /// This git, for a work tree with files that an agent made. The hooks of a relative `core.hooksPath` are those of the user's
    /// own work tree, and filters, merge drivers and watchers that could be files of the agent do not run.
    ///
    /// # Errors
    /// If git cannot read its settings.
    pub(crate) fn in_foreign_tree(&self) -> Result<Self, GitError> {
        let mut git = self.clone();
        if !git.settings().is_empty() {
            return Ok(git);
        }
        let programs = match self.run(Args::new(&["config", "--null", "--get-regexp"]).value(PROGRAMS)) {
            Ok(programs) => programs,
            // There are none.
            Err(GitError::Failed { code: Some(1), .. }) => return Ok(git),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&programs);
        let (mut own_top, mut filters, mut hooks) = (None, BTreeSet::new(), None);
        for entry in text.split_terminator('\0') {
            let (key, value) = entry.split_once('\n').unwrap_or((entry, ""));
            match key.split_once('.') {
                // The last value counts.
                Some(("core", "hookspath")) => hooks = Some(value),
                Some(("core", _)) => git.add_setting(key, "false"),
                Some(("filter", rest)) if !is_installed(value) => {
                    filters.extend(rest.rsplit_once('.').map(|(name, _)| name));
                }
                Some(("merge", _)) if !is_installed(value) => git.add_setting(key, PLAIN_MERGE),
                Some(("gpg", _)) if value.contains('/') && !is_absolute(value) => {
                    let program = self.users_own(&mut own_top, value)?;
                    git.add_setting(key, &program.to_string_lossy());
                }
                _ => {}
            }
        }
        for name in filters {
            for (part, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
                git.add_setting(&format!("filter.{name}.{part}"), value);
            }
        }
        if let Some(hooks) = hooks.filter(|hooks| !hooks.is_empty() && !is_absolute(hooks)) {
            let hooks = self.users_own(&mut own_top, hooks)?;
            git.add_setting("core.hooksPath", &hooks.to_string_lossy());
        }
        Ok(git)
    }

    /// A relative path, in the main work tree; `/dev/null` if there is none.
    fn users_own(&self, top: &mut Option<PathBuf>, relative: &str) -> Result<PathBuf, GitError> {
        if top.is_none() {
            let common = self.absolute_path(&["--git-common-dir"])?;
            let main = common.parent().filter(|_| common.ends_with(".git"));
            *top = Some(main.unwrap_or(Path::new("")).to_owned());
        }
        let top = top.as_deref().filter(|top| top.is_absolute());
        Ok(top.map_or_else(|| PathBuf::from("/dev/null"), |top| top.join(relative)))
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.starts_with("%(prefix)/")
}

/// Whether a command runs an installed program, and names no file in the work tree but those that git names. A command that
/// cannot be told apart from one that does counts as such.
fn is_installed(command: &str) -> bool {
    let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let Some(program) = words.next() else { return true };
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_interpreter = INTERPRETERS.contains(&name) || name.starts_with("python") || name.ends_with("sh");
    let is_plain = |word: &str, others: &str| {
        word.chars().all(|letter| letter.is_ascii_alphanumeric() || others.contains(letter))
    };
    (program.starts_with('/') || !program.contains('/'))
        && is_plain(program, "/-_.+")
        && !is_interpreter
        && words.all(|word| is_plain(word, "-_=") || (word.len() == 2 && word.starts_with('%')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_could_be_a_file_of_the_work_tree_is_not_installed() {
        for command in [
            "git-lfs smudge -- %f",
            "git-lfs filter-process",
            "\"/usr/bin/git-crypt\" clean",
            "git lfs clean -- '%f'",
            "expand --tabs=4",
            "",
        ] {
            assert!(is_installed(command), "{command}");
        }
        for command in [
            "./tools/clean",
            "tools/clean %f",
            "sh clean",
            "/bin/bash clean",
            "python3 -m clean",
            "X=1 git-lfs clean",
            "git-lfs clean; ./x",
            "cat $(./x)",
            "indent -style.cfg",
            "nl tools/x",
            "%f",
        ] {
            assert!(!is_installed(command), "{command}");
        }
    }
}
