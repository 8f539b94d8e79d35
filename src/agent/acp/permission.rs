//! What an agent may do when it asks, by its role. These are guard rails: an agent that does not ask is only noticed
//! by its effects.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, SelectedPermissionOutcome, ToolKind,
};

use crate::rules::roles::Role;

/// What the agent asks for.
#[derive(Debug, Clone, Default)]
pub(super) struct Wish {
    pub(super) kind: ToolKind,
    pub(super) title: String,
    /// The files involved.
    pub(super) files: Vec<PathBuf>,
    /// All texts of its input, including the command if it is one.
    pub(super) texts: Vec<String>,
}

/// Whether a role may do this in the work tree `root`; the error says why not.
pub(super) fn decide(role: Role, root: &Path, wish: &Wish) -> Result<(), &'static str> {
    let edits = role == Role::Executor;
    match wish.kind {
        ToolKind::Read | ToolKind::Search | ToolKind::Think | ToolKind::Fetch => Ok(()),
        ToolKind::Edit | ToolKind::Move if !edits => Err("only an executor may change files"),
        ToolKind::Edit | ToolKind::Move if wish.files.iter().any(|file| is_outside(root, file)) => {
            Err("the file is outside the work tree")
        }
        ToolKind::Edit | ToolKind::Move => Ok(()),
        ToolKind::Delete => Err("agents may not delete files"),
        ToolKind::Execute if !edits => Err("only an executor may run commands"),
        ToolKind::Execute => match wish.texts.iter().chain([&wish.title]).find_map(|text| forbidden(text)) {
            Some(why) => Err(why),
            None => Ok(()),
        },
        _ => Err("its effect is unknown"),
    }
}

fn is_outside(root: &Path, file: &Path) -> bool {
    let climbs = file.components().any(|part| matches!(part, std::path::Component::ParentDir));
    climbs || (file.is_absolute() && !file.starts_with(root))
}

/// Why no agent may run a command. The command is checked word by word, whatever its shell.
fn forbidden(command: &str) -> Option<&'static str> {
    let is_end = |c: char| c.is_whitespace() || ";|&()`\"'$<>{}[],".contains(c);
    let words: Vec<&str> = command.split(is_end).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().find_map(|(n, word)| {
        let rest = &words[n + 1..];
        match word.rsplit('/').next().unwrap_or_default() {
            "git" => forbidden_git(rest),
            "rm" | "rmdir" | "unlink" | "shred" => Some("agents may not delete files"),
            "gh" | "glab" => Some("agents may not act on the forge"),
            "git-wf" => Some("agents may not change plans or queues this way"),
            _ => None,
        }
    })
}

fn forbidden_git(words: &[&str]) -> Option<&'static str> {
    let mut words = words.iter();
    let command = loop {
        match words.next() {
            Some(&("-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace")) => drop(words.next()),
            Some(word) if word.starts_with('-') => {}
            other => break *other?,
        }
    };
    let has = |options: &[&str]| words.clone().any(|word| options.contains(word));
    match command {
        "push" | "send-pack" | "remote" => Some("agents may not push"),
        "branch" if has(&["-d", "-D", "--delete", "-f", "-M", "-m", "--move"]) => {
            Some("agents may not delete or move branches")
        }
        "update-ref" | "symbolic-ref" | "reflog" | "gc" | "prune" => Some("agents may not rewrite refs"),
        "rm" | "clean" => Some("agents may not delete files"),
        "config" | "worktree" | "submodule" => Some("agents may not change the repository's settings"),
        "wf" if words
            .clone()
            .any(|word| ["queue", "policy", "bind", "unbind", "close", "solution"].contains(word)) =>
        {
            Some("agents may not change plans or queues this way")
        }
        _ => None,
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
        let wish = Wish { kind, texts: vec![text.to_owned()], ..Wish::default() };
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
        ] {
            assert!(!may(Role::Executor, ToolKind::Execute, command), "{command}");
        }
        for command in
            ["cargo test push", "git commit -m 'push it'", "git branch", "git status", "npm run rm-logs"]
        {
            assert!(may(Role::Executor, ToolKind::Execute, command), "{command}");
        }
    }

    #[test]
    fn files_outside_of_the_work_tree_are_not_edited() {
        let edits = |file: &str| {
            let wish = Wish { kind: ToolKind::Edit, files: vec![file.into()], ..Wish::default() };
            decide(Role::Executor, Path::new("/tree"), &wish).is_ok()
        };
        assert!(edits("/tree/src/a.rs") && edits("src/a.rs"));
        assert!(!edits("/etc/passwd") && !edits("/tree/../x") && !edits("../x"));
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
