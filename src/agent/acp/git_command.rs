//! Which commands of git an executor may run when it asks.

mod settings;

use self::settings::{Setting, setting};
use super::git_options::{self, PROGRAMS};
use super::program::{CLEARED, DELETES, Judge, PLANS, SETTINGS, Verdict};
use crate::model::shell::line::UNKNOWN;

/// The commands of git that change nothing but the agent's own branch and work tree, except by some options.
const HARMLESS: &[&str] = &[
    "add",
    "am",
    "annotate",
    "apply",
    "archive",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "cherry",
    "cherry-pick",
    "column",
    "commit",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "format-patch",
    "get-tar-commit-id",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "merge-tree",
    "mv",
    "name-rev",
    "patch-id",
    "range-diff",
    "rebase",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "stripspace",
    "var",
    "verify-commit",
    "verify-tag",
    "version",
    "whatchanged",
];

/// What an executor may do with `git wf`: look, test, and write about its own work. Everything else is the run's.
const ITS: &[&str] = &[
    "accept", "audit", "blame", "comment", "context", "detail", "diff", "feedback", "help", "list", "log",
    "prime", "schema", "search", "show", "status", "trace", "verify", "version", "why", "wisdom",
];
/// Commands of `git wf` of which it may use some: with these words after them.
const ITS_IN_PART: &[(&str, &[&str])] = &[
    ("plan", &["check", "list", "show", "diff"]),
    ("queue", &["forecast", "graph", "list", "overlaps", "show"]),
    ("roadmap", &["list", "show"]),
    ("solution", &["check", "list", "show", "diff"]),
    ("task", &["list", "show", "start"]),
];
/// The options of `git wf` whose value can be the next word.
const WITH_VALUE: &[&str] = &["--color", "--date"];
/// Its other options that can come before a command.
const ALONE: &[&str] =
    &["--json", "--plain", "--quiet", "-q", "--verbose", "-v", "--help", "-h", "--version", "-V"];

const VERIFIES: &str = "agents may not verify work with a person's key";
const PUSHES: &str = "agents may not push";
const REFS: &str = "agents may not rewrite refs";
const REMOTES: &str = "agents may not change remotes";
const FETCHES: &str = "agents may not fetch into branches of their choice";
const HIDDEN_FETCH: &str = "the command does not show what it fetches";
const WORKTREES: &str = "agents may not change worktrees";
const SUBMODULES: &str = "agents may not change submodules, or run commands in them";
const BRANCHES: &str = "agents may not delete or move branches";
const STAYS: &str = "agents stay on their branch";
const STASH: &str = "the stash is shared by all worktrees";
const OTHER: &str = "agents may not run this command of git";

/// Judges git by the words after its name.
pub(super) fn judged(judge: &Judge<'_>, words: &[String]) -> Verdict {
    if judge.is_cleared {
        return judge.refuse(CLEARED);
    }
    let mut rest = words.iter().map(String::as_str);
    let command = loop {
        let Some(word) = rest.next() else { return Ok(()) };
        if word == "-c" {
            let (key, value) = rest.next().unwrap_or_default().split_once('=').unwrap_or_default();
            match setting(key) {
                Setting::Forbidden => return judge.refuse(SETTINGS),
                Setting::Command => judge.inner_line(value.trim_start_matches('!'))?,
                Setting::Harmless => {}
            }
        } else if let Some(attached) = word.strip_prefix("--config-env") {
            // Its value is in a variable, which is not seen here.
            let given = attached.strip_prefix('=').or_else(|| rest.next()).unwrap_or_default();
            let (key, _) = given.rsplit_once('=').unwrap_or_default();
            if !matches!(setting(key), Setting::Harmless) {
                return judge.refuse(SETTINGS);
            }
        } else if word.starts_with("--exec-path=") {
            return judge.refuse(PROGRAMS);
        } else if matches!(word, "-C" | "--work-tree") {
            judge.directory(rest.next().unwrap_or_default())?;
        } else if let Some(directory) = word.strip_prefix("--work-tree=") {
            judge.directory(directory)?;
        } else if word == "--git-dir" {
            judge.file(rest.next().unwrap_or_default())?;
        } else if let Some(directory) = word.strip_prefix("--git-dir=") {
            judge.file(directory)?;
        } else if matches!(word, "--namespace" | "--super-prefix" | "--attr-source") {
            rest.next();
        } else if !word.starts_with('-') {
            break word;
        }
    };
    let arguments: Vec<&str> = rest.collect();
    git_options::judged(judge, command, &arguments)?;
    if command == "wf" {
        wf_files(judge, &arguments)?;
    }
    subcommand(command, &arguments).map_or(Ok(()), |why| judge.refuse(why))
}

/// The options of `git branch` that change branches.
const BRANCH_CHANGES: &[&str] = &["delete", "force", "move", "copy", "set", "unset", "edit"];
/// The options of `git checkout` and `git switch` that make a branch.
const NEW_BRANCHES: &[&str] = &["orphan", "create", "force-create"];

/// Whether one of these arguments is, or may be, an option with one of these letters or names.
fn has_option(arguments: &[&str], letters: &str, names: &[&str]) -> bool {
    // What is not known can also be an option.
    let mut options = arguments.iter().filter(|word| word.starts_with(['-', UNKNOWN]));
    options.any(|word| match word.strip_prefix("--") {
        // git accepts the beginning of an option.
        Some(name) => names.iter().any(|known| name.starts_with(known) || known.starts_with(name)),
        None => word.starts_with(UNKNOWN) || word.contains(|letter| letters.contains(letter)),
    })
}

/// Why an agent may not run this command of git.
fn subcommand(command: &str, arguments: &[&str]) -> Option<&'static str> {
    let end = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
    let first = arguments.iter().find(|word| !word.starts_with('-')).copied();
    let reads = |verbs: &[&str]| first.is_none_or(|word| verbs.contains(&word));
    match command {
        // A helper of that name is run for such an address.
        "fetch" | "pull" | "ls-remote" if arguments.iter().any(|word| word.contains("::")) => Some(PROGRAMS),
        _ if HARMLESS.contains(&command) => None,
        "push" | "send-pack" => Some(PUSHES),
        "remote" => (!reads(&["show", "get-url"])).then_some(REMOTES),
        "branch" if has_option(&arguments[..end], "dDfmMcCu", BRANCH_CHANGES) => Some(BRANCHES),
        "checkout" | "switch" if has_option(&arguments[..end], "bBcC", NEW_BRANCHES) => Some(STAYS),
        "branch" | "checkout" | "switch" => None,
        "fetch" | "pull" => fetch(arguments, first),
        "stash" if matches!(first, Some("list" | "show")) => None,
        "stash" => Some(STASH),
        "tag" if first.is_none() || is_tag_list(arguments) => None,
        "symbolic-ref" if is_one_name(arguments, &["-q", "--quiet", "--short"]) => None,
        "reflog" if !first.is_some_and(is_reflog_write) => None,
        "notes" if reads(&["list", "show", "get-ref"]) => None,
        "replace" if first.is_none() => None,
        "tag" | "update-ref" | "symbolic-ref" | "reflog" | "gc" | "prune" | "replace" | "notes" => Some(REFS),
        "clean" if is_dry_run(arguments) => None,
        "rm" if arguments[..end].contains(&"--cached") => None,
        "rm" | "clean" => Some(DELETES),
        "config" => (!is_config_read(arguments, first)).then_some(SETTINGS),
        "worktree" => (first != Some("list")).then_some(WORKTREES),
        "submodule" => (!reads(&["status", "summary"])).then_some(SUBMODULES),
        "wf" if arguments.contains(&"--as-verifier") => Some(VERIFIES),
        "wf" => (!is_its(arguments)).then_some(PLANS),
        // It may be an alias.
        _ => Some(OTHER),
    }
}

/// Judges the files that arguments of `git wf` name: it reads texts from some and writes to others.
fn wf_files(judge: &Judge<'_>, arguments: &[&str]) -> Verdict {
    const LONG: &[&str] = &["--output", "--file", "--from-json", "--result", "--against"];
    const SHORT: &[&str] = &["-o", "-F"];
    for (n, word) in arguments.iter().enumerate() {
        let next = arguments.get(n + 1).copied().unwrap_or_default();
        if LONG.contains(word) || SHORT.contains(word) {
            judge.file(next)?;
        } else if let Some((name, file)) = word.split_once('=')
            && LONG.contains(&name)
        {
            judge.file(file)?;
        } else if let Some(file) = SHORT.iter().find_map(|name| word.strip_prefix(name)) {
            judge.file(file)?;
        }
    }
    // A plan that is checked is a file, or the id of one.
    if let [.., "plan" | "solution", "check", plan] = arguments {
        judge.file(plan)?;
    }
    Ok(())
}

/// Whether an executor may give these arguments to `git wf`.
fn is_its(arguments: &[&str]) -> bool {
    let mut words = arguments.iter().copied();
    let command = loop {
        match words.next() {
            // Without a command it only shows what is there.
            None => return true,
            Some(word) if WITH_VALUE.contains(&word) => drop(words.next()),
            Some(word) if ALONE.contains(&word) => {}
            Some(word) if word.split_once('=').is_some_and(|(name, _)| WITH_VALUE.contains(&name)) => {}
            Some(word) => break word,
        }
    };
    let verb = words.find(|word| !word.starts_with('-'));
    ITS.contains(&command)
        || ITS_IN_PART
            .iter()
            .any(|(name, verbs)| *name == command && verb.is_some_and(|verb| verbs.contains(&verb)))
}

/// Why an agent may not fetch this: git would write what it fetches to a ref that the command names.
fn fetch(arguments: &[&str], first: Option<&str>) -> Option<&'static str> {
    if arguments.iter().any(|word| word.contains(UNKNOWN)) {
        return Some(HIDDEN_FETCH);
    }
    for word in arguments.iter().filter(|word| word.contains(':')) {
        let is_repository = is_url(word) || (first == Some(*word) && is_account(word));
        if !is_repository {
            return Some(FETCHES);
        }
    }
    None
}

/// Whether a word is a URL, and no refspec.
fn is_url(word: &str) -> bool {
    let scheme = word.split_once("://").map(|(scheme, _)| scheme);
    matches!(scheme, Some("https" | "http" | "git" | "ssh" | "file"))
}

/// Whether a word begins with an account on a host, as in `git@example.org:path`.
fn is_account(word: &str) -> bool {
    let account = word.split_once(':').and_then(|(account, _)| account.split_once('@'));
    account.is_some_and(|(user, host)| is_host(user) && is_host(host))
}

fn is_host(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
}

fn is_reflog_write(word: &str) -> bool {
    matches!(word, "expire" | "delete" | "drop" | "write") || word.contains(UNKNOWN)
}

fn is_tag_list(arguments: &[&str]) -> bool {
    const LISTS: &[&str] =
        &["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];
    arguments.iter().any(|word| LISTS.contains(&word.split('=').next().unwrap_or_default()))
}

/// Whether the arguments are one name after some of these options, of which each is a word.
fn is_one_name(arguments: &[&str], options: &[&str]) -> bool {
    let mut names = arguments.iter().filter(|word| !options.contains(*word));
    names.next().is_some_and(|name| !name.starts_with('-') && !name.contains(UNKNOWN))
        && names.next().is_none()
}

/// Whether `git clean` only shows what it would delete.
fn is_dry_run(arguments: &[&str]) -> bool {
    let mut shows = false;
    for word in arguments {
        let letters = if *word == "--dry-run" { "n" } else { word.strip_prefix('-').unwrap_or_default() };
        if word.contains(UNKNOWN) || !letters.chars().all(|letter| "dfnqxX".contains(letter)) {
            return false;
        }
        shows |= letters.contains('n');
    }
    shows
}

/// Whether `git config` only reads.
fn is_config_read(arguments: &[&str], first: Option<&str>) -> bool {
    const READS: &[&str] = &[
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--get-color",
        "--get-colorbool",
        "--list",
        "-l",
    ];
    const ABOUT: &[&str] = &[
        "--global",
        "--local",
        "--system",
        "--worktree",
        "--bool",
        "--int",
        "--path",
        "--show-origin",
        "--show-scope",
        "--null",
        "-z",
        "--includes",
        "--no-includes",
    ];
    // git refuses a second action.
    arguments.first().is_some_and(|word| matches!(*word, "get" | "list"))
        || arguments.iter().any(|word| READS.contains(word))
        || (first.is_some_and(|name| name.contains('.')) && is_one_name(arguments, ABOUT))
}

#[cfg(test)]
mod tests;
