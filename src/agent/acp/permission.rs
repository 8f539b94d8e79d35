//! What an agent may do when it asks, by its role. These are guard rails: an agent that does not ask is only noticed
//! by its effects.

use std::path::{Component, Path, PathBuf};

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, SelectedPermissionOutcome, ToolKind,
};

use crate::rules::roles::Role;

/// What the agent asks for.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolRequest {
    pub(super) kind: ToolKind,
    pub(super) title: String,
    /// The files involved.
    pub(super) files: Vec<PathBuf>,
    /// All texts of its input, including the command if it is one.
    pub(super) texts: Vec<String>,
    /// The texts whose member is called a command.
    pub(super) commands: Vec<String>,
}

/// Whether a role may do this in the work tree `root`; the error says why not.
pub(super) fn decide(role: Role, root: &Path, wish: &ToolRequest) -> Result<(), &'static str> {
    let edits = role == Role::Executor;
    let leaves = || wish.files.iter().any(|file| is_outside(root, file));
    // What the agent calls it does not matter if it is a command.
    if let Some(why) = wish.commands.iter().find_map(|command| forbidden(command)) {
        return Err(why);
    }
    match wish.kind {
        ToolKind::Read | ToolKind::Search | ToolKind::Think | ToolKind::Fetch if leaves() => Err(OUTSIDE),
        ToolKind::Read | ToolKind::Search | ToolKind::Think | ToolKind::Fetch => {
            let runs = wish.commands.iter().any(|command| command.trim().contains(char::is_whitespace));
            if runs && !edits { Err(ONLY_EXECUTORS) } else { Ok(()) }
        }
        ToolKind::Edit | ToolKind::Move if !edits => Err("only an executor may change files"),
        ToolKind::Edit | ToolKind::Move if leaves() => Err(OUTSIDE),
        ToolKind::Edit | ToolKind::Move => Ok(()),
        ToolKind::Delete => Err("agents may not delete files"),
        ToolKind::Execute if !edits => Err(ONLY_EXECUTORS),
        ToolKind::Execute => match wish.texts.iter().chain([&wish.title]).find_map(|text| forbidden(text)) {
            Some(why) => Err(why),
            None => Ok(()),
        },
        _ => Err("its effect is unknown"),
    }
}

const OUTSIDE: &str = "the file is outside the work tree";
const ONLY_EXECUTORS: &str = "only an executor may run commands";

/// Whether a file is outside of the work tree, also by a link in its path, or is one of git's own.
fn is_outside(root: &Path, file: &Path) -> bool {
    // Agents also write paths as a shell or a browser reads them.
    let text = file.to_string_lossy();
    if text.starts_with('~') {
        return true;
    }
    if let Some((_, path)) = text.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file")) {
        let path = path.strip_prefix("//localhost").unwrap_or(path);
        let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        return is_outside(root, &Path::new("/").join(path.trim_start_matches('/')));
    }
    let is_climb = |part: Component<'_>| matches!(part, Component::ParentDir);
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    let (root, real) = (resolved(root), resolved(&root.join(file)));
    let inside = real.strip_prefix(&root).ok();
    file.components().any(is_climb) || inside.is_none_or(|inside| inside.components().any(is_git))
}

/// A path with the links in that part of it that is there.
fn resolved(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (known.canonicalize(), path.strip_prefix(known)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
        // A link that leads nowhere would be followed, too.
        if known.is_symlink() {
            return PathBuf::new();
        }
    }
    path.to_owned()
}

/// Why no agent may run a command. The command is checked word by word, whatever its shell, with and without the quotes
/// that a shell takes away.
fn forbidden(command: &str) -> Option<&'static str> {
    let bare: String = command.chars().filter(|c| !matches!(c, '\\' | '"' | '\'')).collect();
    forbidden_words(command).or_else(|| forbidden_words(&bare))
}

fn forbidden_words(command: &str) -> Option<&'static str> {
    let is_end = |c: char| c.is_whitespace() || ";|&()`\"'$<>{}[],".contains(c);
    let words: Vec<&str> = command.split(is_end).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().find_map(|(n, word)| {
        let rest = &words[n + 1..];
        match word.rsplit('/').next().unwrap_or_default() {
            "git" => forbidden_git(rest),
            "rm" | "rmdir" | "unlink" | "shred" | "-delete" => Some("agents may not delete files"),
            "gh" | "glab" => Some("agents may not act on the forge"),
            "scp" | "sftp" | "ssh" | "rsync" => Some("agents may not send files elsewhere"),
            "git-wf" => Some("agents may not change plans or queues this way"),
            _ => None,
        }
    })
}

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

fn forbidden_git(words: &[&str]) -> Option<&'static str> {
    const SETTINGS: Option<&str> = Some("agents may not change the repository's settings");
    let mut words = words.iter();
    let command = loop {
        match words.next() {
            Some(&"-c" | &"--config-env") => match words.next().map(|word| word.to_ascii_lowercase()) {
                Some(set) if set.starts_with("alias.") || set.starts_with("core.hookspath") => {
                    return SETTINGS;
                }
                _ => {}
            },
            Some(&("-C" | "--git-dir" | "--work-tree" | "--namespace")) => drop(words.next()),
            Some(word) if word.starts_with('-') => {}
            other => break *other?,
        }
    };
    let is_option = |word: &&&str| word.starts_with('-');
    let has = |letters: &str, long: &[&str]| {
        words.clone().filter(is_option).any(|word| match word.strip_prefix("--") {
            Some(name) => long.iter().any(|known| name.starts_with(known)),
            None => word.contains(|letter| letters.contains(letter)),
        })
    };
    let first = words.clone().find(|word| !word.starts_with('-')).copied();
    match command {
        _ if HARMLESS.contains(&command) => None,
        "push" | "send-pack" | "remote" => Some("agents may not push"),
        "branch" if has("dDfmMcCu", &["delete", "force", "move", "copy", "set", "unset", "edit"]) => {
            Some("agents may not delete or move branches")
        }
        "checkout" | "switch" if has("bBcC", &["orphan", "create", "force-create"]) => {
            Some("agents stay on their branch")
        }
        "branch" | "checkout" | "switch" => None,
        "fetch" | "pull" if words.clone().any(|word| word.contains(':')) => {
            Some("agents may not rewrite refs")
        }
        "fetch" | "pull" => None,
        "stash" if matches!(first, Some("list" | "show")) => None,
        "stash" => Some("the stash is shared by all worktrees"),
        "tag" if first.is_none() || has("l", &["list"]) => None,
        "tag" | "update-ref" | "symbolic-ref" | "reflog" | "gc" | "prune" | "replace" | "notes" => {
            Some("agents may not rewrite refs")
        }
        "rm" | "clean" => Some("agents may not delete files"),
        "config" | "worktree" | "submodule" => SETTINGS,
        "wf" if first.is_some_and(|word| NOT_ITS.contains(&word)) => {
            Some("agents may not change plans or queues this way")
        }
        "wf" => None,
        // It may be an alias.
        _ => Some("agents may not run this command of git"),
    }
}

/// The offered option for this decision; an option for a single call is preferred.
pub(super) fn outcome(options: &[PermissionOption], is_allowed: bool) -> RequestPermissionOutcome {
    let wanted = match is_allowed {
        true => [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways],
        false => [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways],
    };
    let found = wanted.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind));
    match found {
        Some(option) => {
            RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
        }
        None => RequestPermissionOutcome::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(role: Role, kind: ToolKind, text: &str) -> bool {
        let wish = ToolRequest { kind, texts: vec![text.to_owned()], ..ToolRequest::default() };
        decide(role, Path::new("/tree"), &wish).is_ok()
    }

    #[test]
    fn everybody_looks_and_only_an_executor_touches() {
        for role in Role::ALL {
            assert!(may(*role, ToolKind::Read, "") && may(*role, ToolKind::Search, ""), "{role}");
            assert_eq!(may(*role, ToolKind::Edit, ""), *role == Role::Executor, "{role}");
            assert_eq!(may(*role, ToolKind::Execute, "cargo test"), *role == Role::Executor, "{role}");
            assert!(!may(*role, ToolKind::Delete, "") && !may(*role, ToolKind::Other, ""), "{role}");
            assert!(!may(*role, ToolKind::SwitchMode, ""), "{role}");
        }
    }

    #[test]
    fn an_executor_does_not_push_delete_or_rewrite() {
        for command in [
            "git push",
            "git -C x -c a=b push origin main",
            "cargo test && /usr/bin/git push -f",
            "sh -c \"git push\"",
            "$(git push)",
            "gh pr create",
            "rm -rf src",
            "git branch -D main",
            "git update-ref refs/heads/main HEAD~3",
            "git clean -fdx",
            "git wf queue remove S-1",
            "git remote add x y",
            "git pu\"\"sh",
            "g\\it push",
            "git -c alias.p=push p",
            "git --exec-path /x push",
            "git -c core.hooksPath=/dev/null commit -m x",
            "git lfs push",
            "git subtree push",
            "git stash drop",
            "git tag -d v1",
            "git branch --delete=x",
            "git checkout -B main",
            "git replace a b",
            "git fetch . +HEAD:main",
            "git notes remove",
            "find . -delete",
            "git wf sync",
            "git wf --json fail ISS-2",
            "scp a.txt there:",
            "ls | xargs git push",
        ] {
            assert!(!may(Role::Executor, ToolKind::Execute, command), "{command}");
        }
        for command in [
            "cargo test push",
            "git commit -m 'push it'",
            "git commit -am \"done: it's said\"",
            "git branch",
            "git branch --show-current",
            "git checkout -- a.txt",
            "git stash list",
            "git tag -l",
            "git fetch -q origin",
            "git status",
            "git wf context ISS-1",
            "npm run rm-logs",
        ] {
            assert!(may(Role::Executor, ToolKind::Execute, command), "{command}");
        }
    }

    #[test]
    fn a_command_is_judged_whatever_it_is_called() {
        let decided = |role, kind, command: &str| {
            let wish = ToolRequest { kind, commands: vec![command.into()], ..ToolRequest::default() };
            decide(role, Path::new("/tree"), &wish).is_ok()
        };
        for kind in [ToolKind::Read, ToolKind::Edit, ToolKind::Fetch] {
            assert!(!decided(Role::Executor, kind, "git push") && !decided(Role::Planner, kind, "make x"));
        }
        // Some tools call what they do with a file a command.
        assert!(decided(Role::Planner, ToolKind::Read, "view"));
        assert!(decided(Role::Executor, ToolKind::Edit, "str_replace"));
    }

    #[test]
    fn a_link_leads_out_of_the_work_tree() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("etc")).unwrap();
        std::os::unix::fs::symlink("nowhere/x", root.path().join("dangling")).unwrap();
        for (file, outside) in
            [("etc/passwd", true), ("dangling", true), (".git/config", true), ("a/b", false), ("etc2", false)]
        {
            assert_eq!(is_outside(root.path(), Path::new(file)), outside, "{file}");
        }
    }

    #[test]
    fn files_outside_of_the_work_tree_are_neither_read_nor_edited() {
        for kind in [ToolKind::Read, ToolKind::Search, ToolKind::Edit] {
            let may = |file: &str| {
                let wish = ToolRequest { kind, files: vec![file.into()], ..ToolRequest::default() };
                decide(Role::Executor, Path::new("/tree"), &wish).is_ok()
            };
            assert!(may("/tree/src/a.rs") && may("src/a.rs") && may("/tree"), "{kind:?}");
            assert!(!may("/etc/passwd") && !may("/tree/../x") && !may("../x"), "{kind:?}");
            assert!(
                !may("~/.ssh/id_rsa") && !may("file:///etc/passwd") && !may("FILE:/etc/passwd"),
                "{kind:?}"
            );
            assert!(may("file:///tree/src/a%20b.rs") && !may("file:///tree/%2e%2e/x"), "{kind:?}");
        }
    }

    #[test]
    fn the_narrowest_option_is_taken() {
        let option = |id: &str, kind| PermissionOption::new(id.to_owned(), id.to_owned(), kind);
        let all = [
            option("always", PermissionOptionKind::AllowAlways),
            option("once", PermissionOptionKind::AllowOnce),
            option("never", PermissionOptionKind::RejectAlways),
        ];
        let chosen = |options: &[PermissionOption], is_allowed| match outcome(options, is_allowed) {
            RequestPermissionOutcome::Selected(selected) => Some(selected.option_id.to_string()),
            _ => None,
        };
        assert_eq!(chosen(&all, true).as_deref(), Some("once"));
        assert_eq!(chosen(&all, false).as_deref(), Some("never"));
        assert_eq!(chosen(&all[..2], false), None);
    }
}
