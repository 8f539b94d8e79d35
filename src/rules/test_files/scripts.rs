//! Which scripts decide how a line of shell ends, and the words of such a line.

use std::collections::BTreeSet;

/// What runs a script that is named after it.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "python", "python3", "node", "ruby", "php", "perl", "deno", "bun",
    "bats", "pytest", "tsx", "ts-node",
];

/// Words of the shell, and commands that run the rest of their line.
const BEFORE: &[&str] = &[
    "(", "{", "!", "if", "then", "elif", "else", "while", "until", "do", "time", "env", "exec", "command",
    "eval", "nice", "nohup", "setsid", "sudo", "stdbuf", "timeout", "xvfb-run", "chronic", "ionice",
];

/// Options whose value is the next word.
const WITH_VALUE: &[&str] =
    &["-o", "+o", "-O", "+O", "-W", "-X", "-r", "--require", "-I", "--import", "-k", "-s", "-u"];

/// The scripts of a line of shell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LineScripts {
    /// Scripts whose exit code the line ends with, or that must succeed for the rest to run: `sh a.sh`, `./a && b`.
    pub(super) verdicts: BTreeSet<String>,
    /// All words, as paths from the root.
    pub(super) words: BTreeSet<String>,
    /// The directories that it puts on `PATH`.
    pub(super) on_path: BTreeSet<String>,
}

/// Reads a line of shell that begins in a directory.
pub(super) fn line_scripts(line: &str, folder: &str) -> LineScripts {
    let mut found = LineScripts::default();
    let mut folder = folder.to_owned();
    let joins_pipes = line.contains("pipefail");
    for part in line.split([';', '\n']).flat_map(|part| part.split("&&")).flat_map(|part| part.split("||")) {
        let mut pipe: Vec<&str> = part.split('|').collect();
        found.words.extend(words(part).iter().filter_map(|word| path_in(&folder, word)));
        found.words.extend(words(part).iter().filter_map(|word| path_in("", word)));
        for word in part.split_whitespace() {
            let Some(value) = word.strip_prefix("PATH=") else { continue };
            found.on_path.extend(value.split(':').filter_map(|entry| path_in(&folder, entry)));
        }
        if !joins_pipes {
            pipe.drain(..pipe.len() - 1);
        }
        for command in pipe {
            let all: Vec<&str> = command.split_whitespace().map(opened).collect();
            if let ["cd" | "pushd", into, ..] = without_prefix(&all) {
                folder = path_in(&folder, into).unwrap_or_default();
                continue;
            }
            found.verdicts.extend(script(&all).and_then(|script| path_in(&folder, script)));
        }
    }
    found
}

/// The words of a command, without what the shell does with them.
pub(super) fn words(command: &str) -> Vec<String> {
    command
        .split(|c: char| c.is_whitespace() || "|&;<>()=\"'`".contains(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`'])
}

/// A word without quotes, and without the parenthesis or brace that a group of commands begins with.
fn opened(word: &str) -> &str {
    unquoted(word.trim_start_matches(['(', '{']))
}

/// Without assignments, words of the shell, and commands that run the rest.
fn without_prefix<'a, 'w>(words: &'a [&'w str]) -> &'a [&'w str] {
    let mut left = words;
    let mut is_wrapped = false;
    while let Some((first, rest)) = left.split_first() {
        let is_number = first.starts_with(|c: char| c.is_ascii_digit()) && !first.contains(['/', '.']);
        let is_assignment = first.split_once('=').is_some_and(|(name, _)| is_name(name));
        let is_of_wrapper = is_wrapped && (first.starts_with('-') || is_number);
        if !(is_assignment || is_of_wrapper || first.is_empty() || BEFORE.contains(first)) {
            break;
        }
        is_wrapped |= BEFORE.contains(first);
        let skipped = if is_of_wrapper && WITH_VALUE.contains(first) { 1 } else { 0 };
        left = rest.get(skipped..).unwrap_or_default();
    }
    left
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The script that a command runs, as it is written.
fn script<'w>(words: &[&'w str]) -> Option<&'w str> {
    let (first, rest) = without_prefix(words).split_first()?;
    let first = first.trim_start_matches(['(', '{', '@', '-']);
    let program = first.rsplit('/').next().unwrap_or(first);
    if !INTERPRETERS.contains(&program) {
        return first.contains('/').then_some(first);
    }
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        if *word == "-c" {
            let inner: Vec<&str> = rest.copied().collect();
            return script(&inner);
        }
        // A module, a runner's own mode, or only a look at the syntax.
        if matches!(*word, "-m" | "--test" | "-n" | "-e" | "test") {
            return None;
        }
        if WITH_VALUE.contains(word) {
            rest.next();
        } else if !word.starts_with(['-', '+']) && *word != "run" {
            return Some(word);
        }
    }
    None
}

/// A path from the root; `None` if it is outside, or unknown.
pub(super) fn path_in(folder: &str, path: &str) -> Option<String> {
    let path = unquoted(path).trim_end_matches([')', '}', '"', '\'']);
    let here =
        ["$PWD/", "${PWD}/", "$(pwd)/", "\"$PWD\"/"].iter().find_map(|prefix| path.strip_prefix(prefix));
    let (folder, path) = (if here.is_some() { "" } else { folder }, here.unwrap_or(path));
    if path.starts_with('/') || path.contains('$') {
        return None;
    }
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/")).filter(|path| !path.is_empty())
}

/// The lines of shell in a script, and in the recipes of a makefile.
pub(super) fn shell_lines(path: &str, text: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let first = text.lines().next().unwrap_or_default();
    let is_shell = match name.rsplit_once('.') {
        Some((_, end)) => matches!(end, "sh" | "bash" | "zsh" | "ksh"),
        None => true,
    };
    let is_shell = is_shell || first.starts_with("#!") && first.ends_with("sh");
    if !is_shell {
        return vec![];
    }
    let text = text.replace("\\\n", " ");
    text.lines().map(str::trim).filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(line: &str) -> Vec<String> {
        line_scripts(line, "").verdicts.into_iter().collect()
    }

    #[test]
    fn the_script_that_decides_is_found() {
        for (line, expected) in [
            ("./check", "check"),
            ("./gradlew test", "gradlew"),
            ("sh ci/check.sh", "ci/check.sh"),
            ("cd ci && sh check.sh", "ci/check.sh"),
            ("(cd ci && ./check)", "ci/check"),
            ("MODE=x sh ci/check.sh", "ci/check.sh"),
            ("env MODE=x sh ci/check.sh", "ci/check.sh"),
            ("timeout 60 sh ci/check.sh", "ci/check.sh"),
            ("timeout -k 5 60s ./check", "check"),
            ("bash -o pipefail ci/check.sh", "ci/check.sh"),
            ("bash -c './check'", "check"),
            ("sh check.sh > log 2>&1", "check.sh"),
            ("set -o pipefail; sh check.sh | tee log", "check.sh"),
            ("if ! sh ../a/check.sh; then exit 1; fi", ""),
            ("if ! sh a/../check.sh; then exit 1; fi", "check.sh"),
            ("python3 -W error scripts/run.py", "scripts/run.py"),
            ("node scripts/run.js", "scripts/run.js"),
            ("sh greet.sh | grep -q hello", ""),
            ("[ \"$(sh add.sh 1 2)\" = 3 ]", ""),
            ("out=$(sh add.sh 1 2)", ""),
            ("python3 -m unittest app.py", ""),
            ("bash -n add.sh", ""),
            ("cat add.sh", ""),
        ] {
            let expected: Vec<&str> = Some(expected).filter(|path| !path.is_empty()).into_iter().collect();
            assert_eq!(verdicts(line), expected, "{line}");
        }
    }

    #[test]
    fn what_a_command_puts_on_the_path_is_known() {
        let found = line_scripts("PATH=\"$PWD/bin:$PATH\" ctest", "");
        assert_eq!(found.on_path, BTreeSet::from(["bin".to_owned()]));
    }
}
