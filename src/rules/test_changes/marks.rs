//! Lines of the code that behave differently under test.

use super::{BTreeSet, ChangedFile};

/// What a program reads to find out whether a test runs it.
const SIGNS: &[&str] = &[
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "JEST_WORKER_ID",
    "VITEST",
    "NODE_TEST_CONTEXT",
    "MOCHA_",
    "NEXTEST",
    "RUST_TEST_THREADS",
    "CARGO_TARGET_TMPDIR",
    "BATS_TEST",
    "PHPUNIT",
    "WF_SLOT",
    "WF_PORT",
    "testing.Testing()",
];

/// Words that together with another one mean the same.
const PAIRS: &[(&str, &str)] = &[
    ("sys.modules", "pytest"),
    ("sys.modules", "unittest"),
    ("NODE_ENV", "test"),
    ("process.argv", "jest"),
    ("sys.argv", "pytest"),
    ("env::args", "--test-threads"),
];

/// The lines that a work added to a file.
pub(super) fn added_lines<E>(change: &ChangedFile<E>) -> Vec<String> {
    let Some(text) = change.new.as_ref().and_then(|side| side.text.as_deref()) else { return vec![] };
    let old = change.old.as_ref().and_then(|side| side.text.as_deref()).unwrap_or_default();
    let before: BTreeSet<&str> = old.lines().collect();
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !before.contains(line)) {
        let sign = SIGNS.iter().find(|sign| line.contains(**sign)).copied();
        let pair = PAIRS.iter().find(|(one, other)| line.contains(one) && line.contains(other));
        if let Some(sign) = sign.or(pair.map(|(one, _)| *one)) {
            found.push(format!("{}:{} reads {sign}", change.path, n + 1));
        }
    }
    found
}

/// A line that a work added to a shell script, and that ends a script which sources it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellExit {
    /// The script.
    pub(crate) path: String,
    /// The number of the line, from 1.
    pub(crate) line: usize,
}

impl ShellExit {
    /// The mark of a script that tests source.
    pub(crate) fn mark(&self) -> String {
        format!("{}:{} ends the test that sources it", self.path, self.line)
    }

    /// The name of the script, without its directory.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// The lines that a work added to a shell script outside of its functions, and that end the shell or replace it. Whether that
/// matters depends on who reads the script.
pub(super) fn exits<E>(change: &ChangedFile<E>) -> Vec<ShellExit> {
    let Some(text) = change.new.as_ref().and_then(|side| side.text.as_deref()) else { return vec![] };
    let is_shell = [".sh", ".bash"].iter().any(|end| change.path.ends_with(end))
        || !change.path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    if !is_shell {
        return vec![];
    }
    let old = change.old.as_ref().and_then(|side| side.text.as_deref()).unwrap_or_default();
    let before: BTreeSet<&str> = old.lines().collect();
    let added = text.lines().enumerate().filter(|(_, line)| !before.contains(line));
    added
        .filter(|(_, line)| ends_shell(line))
        .map(|(n, _)| ShellExit { path: change.path.clone(), line: n + 1 })
        .collect()
}

/// Words of the shell, and commands that run the next word, before a command.
const BEFORE: &[&str] =
    &["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "command", "builtin", "eval"];

/// The words of a command, from its own name on, without quotes.
fn command_words(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    words.skip_while(|word| BEFORE.contains(word) || word.is_empty())
}

/// Whether a line has a command that ends the shell which reads it.
fn ends_shell(line: &str) -> bool {
    let code = line.split_once(" #").map_or(line, |(code, _)| code);
    let has_exit = code
        .split([';', '&', '|', '(', ')'])
        .any(|part| matches!(command_words(part).next(), Some("exit" | "exec")));
    has_exit || (code.contains("trap ") && code.contains("EXIT"))
}

/// The names of the files that a shell script sources, without their directories.
pub(crate) fn sourced(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for command in text.split(['\n', ';', '&', '|', '(', ')']) {
        let mut words = command_words(command);
        if matches!(words.next(), Some("." | "source"))
            && let Some(file) = words.next()
        {
            found.insert(file.rsplit('/').next().unwrap_or(file).to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_shell_is_known() {
        for line in [
            "exit 0",
            "  exit",
            "[ -n \"$X\" ] && exit 0",
            "if x; then exit 0; fi",
            "trap 'exit 0' EXIT",
            "exec true",
            "command exit 0",
            "eval 'exit 0'",
            "{ exit 0; }",
        ] {
            assert!(ends_shell(line), "{line}");
        }
        for line in ["# exit 0", "echo exit", "exits=3", "find . -exec ls {} +", "on_exit() { :; } # exit"] {
            assert!(!ends_shell(line), "{line}");
        }
    }

    #[test]
    fn what_a_script_sources_is_known() {
        let text = ". ./lib.sh\nset -e; source \"$HERE/more.sh\"\necho . not.sh\n\
            if [ -f x ]; then . ./then.sh; fi\ncommand . \"$HERE/by_command.sh\" || exit 1\n";
        assert_eq!(
            sourced(text),
            BTreeSet::from(["by_command.sh", "lib.sh", "more.sh", "then.sh"].map(str::to_owned))
        );
    }
}
