//! git in a work tree whose files an agent made. Settings of the user may name programs by paths relative to the work tree: there,
//! these would be programs of the agent.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Git, Repository};

/// The merge of text that git does itself, in place of a driver.
const PLAIN_MERGE: &str = "git merge-file --marker-size=%L %A %O %B";
/// What of a filter is a program.
const FILTERS: [&str; 3] = ["clean", "smudge", "process"];
/// Programs that run what their arguments name.
const INTERPRETERS: &[&str] = &[
    "awk", "bun", "bundle", "busybox", "cargo", "deno", "dotnet", "env", "find", "gawk", "go", "java",
    "just", "lua", "make", "nice", "nohup", "node", "npm", "npx", "perl", "php", "pnpm", "poetry", "pwsh",
    "ruby", "sed", "sudo", "tclsh", "time", "timeout", "uv", "uvx", "xargs", "yarn",
];

/// Settings that hold for each command: `-c` and `key=value`.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForeignSettings(Vec<OsString>);

impl ForeignSettings {
    /// The words of these settings, before those of a command.
    pub(super) fn words(&self) -> &[OsString] {
        &self.0
    }

    /// Adds a value. git can set nothing in this way for a name with `=`, which only the user can have chosen.
    fn add(&mut self, key: &str, value: &str) {
        if !key.contains('=') {
            self.0.extend(["-c".into(), format!("{key}={value}").into()]);
        }
    }
}

impl Git {
    /// A git with these settings for each command.
    pub(crate) fn with_settings(mut self, settings: &ForeignSettings) -> Self {
        self.settings.clone_from(settings);
        self
    }
}

impl Repository {
    /// The settings for a work tree with files that an agent made. The hooks of a relative `core.hooksPath` are those of the user's
    /// own work tree, and filters, merge drivers and watchers that could be files of the agent do not run. `keeps_hooks` leaves
    /// `core.hooksPath` as it is.
    pub(crate) fn foreign_settings(&self, keeps_hooks: bool) -> ForeignSettings {
        let config = self.config();
        let mut settings = ForeignSettings::default();
        if config.text("core.fsmonitor").is_some() || config.boolean("core.fsmonitor").is_some() {
            settings.add("core.fsmonitor", "false");
        }
        let mut filters = Vec::new();
        for (filter, name, value) in config.subsections("filter") {
            let is_program = FILTERS.iter().any(|program| name.eq_ignore_ascii_case(program));
            if is_program && !is_installed(&value) && !filters.contains(&filter) {
                filters.push(filter);
            }
        }
        for filter in filters {
            for (part, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
                settings.add(&format!("filter.{filter}.{part}"), value);
            }
        }
        for (driver, name, value) in config.subsections("merge") {
            if name.eq_ignore_ascii_case("driver") && !is_installed(&value) {
                settings.add(&format!("merge.{driver}.driver"), PLAIN_MERGE);
            }
        }
        let formats = config.subsections("gpg").into_iter();
        let formats = formats.filter(|(_, name, _)| name.eq_ignore_ascii_case("program"));
        let programs = formats.map(|(format, _, value)| (format!("gpg.{format}.program"), value));
        let program = config.text("gpg.program").map(|value| ("gpg.program".to_owned(), value));
        for (key, value) in programs.chain(program) {
            if value.contains('/') && !is_absolute(&value) {
                settings.add(&key, &self.users_own(&value).to_string_lossy());
            }
        }
        let hooks = config.text("core.hooksPath");
        if let Some(hooks) = hooks.filter(|hooks| !keeps_hooks && !hooks.is_empty() && !is_absolute(hooks)) {
            settings.add("core.hooksPath", &self.users_own(&hooks).to_string_lossy());
        }
        settings
    }

    /// A relative path, in the main work tree; `/dev/null` if there is none.
    fn users_own(&self, relative: &str) -> PathBuf {
        let common = self.common_dir();
        match common.parent() {
            Some(main) if common.ends_with(".git") => main.join(relative),
            _ => PathBuf::from("/dev/null"),
        }
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
