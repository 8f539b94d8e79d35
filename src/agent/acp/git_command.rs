//! Which commands of git an executor may run when it asks.

use super::program::{DELETES, Forbidden, PLANS, PUSHES, SETTINGS};
use crate::model::shell::line::UNKNOWN;

/// The commands of git that change nothing but the agent's own branch and work tree, whatever their options.
const HARMLESS: &[&str] = &[
    "add",
    "am",
    "apply",
    "blame",
    "cat-file",
    "cherry-pick",
    "commit",
    "describe",
    "diff",
    "for-each-ref",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-tree",
    "merge",
    "merge-base",
    "mv",
    "name-rev",
    "rebase",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "version",
];

/// What `git wf` does to plans, queues and executions.
const NOT_ITS: &[&str] = &[
    "bind", "close", "done", "edit", "fail", "init", "lease", "next", "policy", "pull", "push", "queue",
    "redact", "reopen", "retry", "run", "solution", "sync", "unbind",
];

const REFS: &str = "agents may not rewrite refs";
const BRANCHES: &str = "agents may not delete or move branches";
const STAYS: &str = "agents stay on their branch";
const STASH: &str = "the stash is shared by all worktrees";
const OTHER: &str = "agents may not run this command of git";

/// Judges git by the words after its name. `line` judges a command line that git would run.
pub(super) fn judged(
    words: &[String],
    source: &str,
    line: &dyn Fn(&str) -> Result<(), Forbidden>,
) -> Result<(), Forbidden> {
    let forbidden = |why| Err(Forbidden { why, command: source.to_owned() });
    let mut rest = words.iter().map(String::as_str);
    let command = loop {
        let Some(word) = rest.next() else { return Ok(()) };
        if word == "-c" {
            let (key, value) = rest.next().unwrap_or_default().split_once('=').unwrap_or_default();
            match setting(key) {
                Setting::Forbidden => return forbidden(SETTINGS),
                Setting::Command => line(value.trim_start_matches('!'))?,
                Setting::Harmless => {}
            }
        } else if let Some(attached) = word.strip_prefix("--config-env") {
            // Its value is in a variable, which is not seen here.
            let given = attached.strip_prefix('=').or_else(|| rest.next()).unwrap_or_default();
            let (key, _) = given.rsplit_once('=').unwrap_or_default();
            if !matches!(setting(key), Setting::Harmless) {
                return forbidden(SETTINGS);
            }
        } else if word.starts_with("--exec-path=") {
            return forbidden(SETTINGS);
        } else if matches!(
            word,
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--attr-source"
        ) {
            rest.next();
        } else if !word.starts_with('-') {
            break word;
        }
    };
    let arguments: Vec<&str> = rest.collect();
    if command == "rebase" {
        scripts(&arguments).try_for_each(line)?;
    }
    subcommand(command, &arguments).map_or(Ok(()), forbidden)
}

/// What a setting of the command line can do.
enum Setting {
    Harmless,
    /// Its value is a command that git runs.
    Command,
    /// It changes which commands or hooks git runs.
    Forbidden,
}

fn setting(key: &str) -> Setting {
    const COMMANDS: &[&str] = &[
        "askpass",
        "clean",
        "cmd",
        "command",
        "driver",
        "editor",
        "external",
        "fsmonitor",
        "gitproxy",
        "helper",
        "pager",
        "process",
        "program",
        "smudge",
        "sshcommand",
        "textconv",
        "uploadpack",
        "receivepack",
    ];
    let key = key.to_ascii_lowercase();
    let (section, name) =
        (key.split('.').next().unwrap_or_default(), key.rsplit('.').next().unwrap_or_default());
    if key.contains(UNKNOWN)
        || matches!(section, "alias" | "include" | "includeif" | "url")
        || matches!(&*key, "core.hookspath" | "core.worktree" | "core.attributesfile")
    {
        Setting::Forbidden
    } else if section == "pager" || COMMANDS.contains(&name) {
        Setting::Command
    } else {
        Setting::Harmless
    }
}

/// The commands that a rebase runs between its steps.
fn scripts<'a>(arguments: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    arguments.iter().enumerate().filter_map(|(n, word)| match word.strip_prefix("--exec=") {
        Some(script) => Some(script),
        None if matches!(*word, "-x" | "--exec") => arguments.get(n + 1).copied(),
        None => word.strip_prefix("-x").filter(|script| !script.is_empty()),
    })
}

/// Why an agent may not run this command of git.
fn subcommand(command: &str, arguments: &[&str]) -> Option<&'static str> {
    let end = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
    // What is not known can also be an option.
    let is_option = |word: &&&str| word.starts_with(['-', UNKNOWN]);
    let has = |letters: &str, long: &[&str]| {
        arguments[..end].iter().filter(is_option).any(|word| match word.strip_prefix("--") {
            // git accepts the beginning of an option.
            Some(name) => long.iter().any(|known| name.starts_with(known) || known.starts_with(name)),
            None => word.starts_with(UNKNOWN) || word.contains(|letter| letters.contains(letter)),
        })
    };
    let first = arguments.iter().find(|word| !word.starts_with('-')).copied();
    match command {
        _ if HARMLESS.contains(&command) => None,
        "push" | "send-pack" | "remote" => Some(PUSHES),
        "branch" if has("dDfmMcCu", &["delete", "force", "move", "copy", "set", "unset", "edit"]) => {
            Some(BRANCHES)
        }
        "checkout" | "switch" if has("bBcC", &["orphan", "create", "force-create"]) => Some(STAYS),
        "branch" | "checkout" | "switch" => None,
        "fetch" | "pull" if arguments.iter().any(|word| word.contains([':', UNKNOWN])) => Some(REFS),
        "fetch" | "pull" if has("", &["upload-pack", "exec"]) => Some(SETTINGS),
        "fetch" | "pull" => None,
        "stash" if matches!(first, Some("list" | "show")) => None,
        "stash" => Some(STASH),
        "tag" if first.is_none() || arguments.iter().any(|word| matches!(*word, "-l" | "--list")) => None,
        "tag" | "update-ref" | "symbolic-ref" | "reflog" | "gc" | "prune" | "replace" | "notes" => Some(REFS),
        "rm" | "clean" => Some(DELETES),
        "config" | "worktree" | "submodule" => Some(SETTINGS),
        "wf" if first.is_some_and(|word| NOT_ITS.contains(&word) || word.contains(UNKNOWN)) => Some(PLANS),
        "wf" => None,
        // It may be an alias.
        _ => Some(OTHER),
    }
}
