//! Lines of shell scripts that end a test which sources them.

use super::{BTreeSet, ChangedFile};

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

/// The lines that a work added to a shell script outside of its functions, and that end the shell, replace it, or change what
/// its commands do. Whether that matters depends on who reads the script.
pub(super) fn exits<E>(change: &ChangedFile<E>) -> Vec<ShellExit> {
    let Some(text) = change.new.as_ref().and_then(|side| side.text.as_deref()) else { return vec![] };
    let is_shell = [".sh", ".bash"].iter().any(|end| change.path.ends_with(end))
        || !change.path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    if !is_shell {
        return vec![];
    }
    let old = change.old.as_ref().and_then(|side| side.text.as_deref()).unwrap_or_default();
    let before: BTreeSet<&str> = old.lines().collect();
    let added = run_on_sourcing(text).into_iter().filter(|(_, line)| !before.contains(line));
    added
        .filter(|(_, line)| ends_shell(line))
        .map(|(line, _)| ShellExit { path: change.path.clone(), line })
        .collect()
}

/// The lines of a script that run when it is sourced, each with its number: those of a function only if the script calls it.
fn run_on_sourcing(text: &str) -> Vec<(usize, &str)> {
    let mut outside: Vec<(usize, &str)> = Vec::new();
    let mut functions: Vec<(&str, Vec<(usize, &str)>)> = Vec::new();
    let mut is_inside = false;
    for numbered in text.lines().enumerate().map(|(n, line)| (n + 1, line)) {
        if !is_inside && let Some(name) = function_name(numbered.1) {
            is_inside = !numbered.1.trim_end().ends_with(['}', ')']) || numbered.1.trim_end().ends_with("()");
            functions.push((name, vec![numbered]));
        } else if is_inside && let Some((_, lines)) = functions.last_mut() {
            lines.push(numbered);
            is_inside = !numbered.1.starts_with(['}', ')']);
        } else {
            outside.push(numbered);
        }
    }
    let called: Vec<(usize, &str)> = functions
        .into_iter()
        .filter(|(name, _)| outside.iter().any(|(_, line)| words(line).contains(name)))
        .flat_map(|(_, lines)| lines)
        .collect();
    outside.extend(called);
    outside.sort_unstable();
    outside
}

/// The name of the function whose definition begins in a line.
fn function_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("function ").unwrap_or(line);
    let end = line.find(|c: char| !(c.is_alphanumeric() || "_:-".contains(c)))?;
    let (name, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let is_definition = rest.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(')'));
    (is_definition && !name.is_empty()).then_some(name)
}

/// The words of a line, without what the shell does with them.
fn words(line: &str) -> Vec<&str> {
    let code = if line.trim_start().starts_with('#') { "" } else { line };
    let code = code.split_once(" #").map_or(code, |(code, _)| code);
    code.split(|c: char| c.is_whitespace() || ";&|()\"'`=:\\{}".contains(c))
        .map(|word| word.trim_start_matches(['-', '$']))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether a line ends the shell that reads it, or changes what all its commands do.
fn ends_shell(line: &str) -> bool {
    let code = line.trim_start();
    if code.starts_with('#') || code.starts_with("echo ") || code.starts_with("printf ") {
        return code.contains([';', '&', '|']) && code.split([';', '&', '|']).skip(1).any(ends_shell);
    }
    let is_find = code.contains("find ");
    words(code).into_iter().any(|word| match word {
        "exit" | "alias" | "trap" => true,
        "exec" => !is_find,
        _ => false,
    }) || code.contains("set -n")
}

/// Words of the shell, and commands that run the next word, before a command.
const BEFORE: &[&str] =
    &["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "command", "builtin", "eval"];

/// The names of the files that a shell script sources, without their directories.
pub(crate) fn sourced(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for command in text.split(['\n', ';', '&', '|', '(', ')']) {
        let words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        let mut words = words.skip_while(|word| BEFORE.contains(word) || word.is_empty());
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
            "trap : 0",
            "exec true",
            "command exit 0",
            "eval 'exit 0'",
            "{ exit 0; }",
            "\\exit 0",
            "e=exit; $e 0",
            "${x:-exit} 0",
            "set -n",
            "alias [=true",
            "echo done; exit 0",
        ] {
            assert!(ends_shell(line), "{line}");
        }
        for line in ["# exit 0", "echo exit", "exits=3", "find . -exec ls {} +", "on_exit() { :; } # exit"] {
            assert!(!ends_shell(line), "{line}");
        }
    }

    #[test]
    fn a_function_counts_if_the_script_calls_it() {
        let library = "die() { echo \"$1\"; exit 1; }\nstop() {\n  exit 1\n}\nadd() { echo 1; }\n";
        let ends = |text: &str| {
            run_on_sourcing(text).into_iter().filter(|(_, line)| ends_shell(line)).map(|(n, _)| n).collect()
        };
        let (none, one, two): (Vec<usize>, Vec<usize>, Vec<usize>) =
            (ends(library), ends(&format!("{library}exit 0\n")), ends(&format!("{library}stop\n")));
        assert_eq!((none, one, two), (vec![], vec![6], vec![3]));
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
