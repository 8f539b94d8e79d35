//! Whether this process was started from a git hook, where no command of a plan may run: a plan comes from others, and
//! nobody watches a hook.
//!
//! git marks some hooks in their environment, but not all: `pre-push`, `post-checkout` and `post-rewrite` see the same
//! as an alias or `git rebase --exec`, which a user asked for. So the processes that started this one are examined.

use std::path::Path;

use crate::git::Environment;
use crate::process::ancestors::{self, Ancestor};

/// Variables that are set for hooks around a commit, for `pre-receive`, for hooks after a push, and by our own shims
/// for the hooks that they call.
const MARKS: &[&str] =
    &["GIT_INDEX_FILE", "GIT_QUARANTINE_PATH", "GIT_PUSH_OPTION_COUNT", "GIT_WF_EARLIER", "GIT_WF_PRE_PUSH"];

/// The hooks that githooks(5) names.
pub(super) const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// Commands of git that start hooks, but nothing that a user asked for: below them, a hook is recognized even if it
/// replaced itself with the program that it started (`exec`). `rebase`, which has `--exec`, and `bisect` are not among
/// them.
const ONLY_HOOKS: &[&str] = &[
    "am",
    "checkout",
    "cherry-pick",
    "clone",
    "commit",
    "hook",
    "merge",
    "pull",
    "push",
    "receive-pack",
    "revert",
    "switch",
    "worktree",
];

/// Global options of git that take the next word.
const WITH_VALUE: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--exec-path"];

/// The evidence that a hook started this process; none if there is none.
pub(crate) fn shown_by(environment: &Environment) -> Option<String> {
    if let Some(name) = MARKS.iter().find(|name| environment.filled(name).is_some()) {
        return Some(format!("{name} is set"));
    }
    hook_of(&crate::process::ancestors::commands()).map(|name| format!("`{name}` started it"))
}

/// Whether this program itself started the git command whose hook this is.
pub(crate) fn is_of_this_program() -> bool {
    is_started_by_this(&ancestors::all())
}

fn is_started_by_this(chain: &[Ancestor]) -> bool {
    let mut above = chain.iter().skip_while(|process| !is_git(process));
    above.find(|process| !is_git(process)).is_some_and(|process| process.is_this_program)
}

fn is_git(process: &Ancestor) -> bool {
    !process.is_this_program && git_command(&process.args).is_some()
}

/// Whether the `git push` that started this process is a dry run, in which git runs the hook as well and does not say
/// so. An alias hides that.
pub(crate) fn is_in_dry_push() -> bool {
    is_dry_push(&crate::process::ancestors::commands())
}

fn is_dry_push(chain: &[Vec<String>]) -> bool {
    let Some(push) = chain.iter().find(|args| git_command(args) == Some("push")) else { return false };
    push.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| {
        let short = arg.strip_prefix('-').filter(|short| !short.starts_with('-'));
        // The rest after `o` is its value.
        let letters = short.map_or("", |short| short.split('o').next().unwrap_or_default());
        arg == "--dry-run" || letters.contains('n')
    })
}

/// The hook, or the git command, among these processes, which are given by their arguments, nearest first.
fn hook_of(chain: &[Vec<String>]) -> Option<String> {
    for (n, args) in chain.iter().enumerate() {
        // A hook that outlives git becomes a child of the first process.
        let is_orphan = n + 2 >= chain.len();
        if (is_orphan || git_command(&chain[n + 1]).is_some())
            && let Some(hook) = hook_file(args)
        {
            return Some(hook);
        }
        if let Some(command) = git_command(args).filter(|command| ONLY_HOOKS.contains(command)) {
            return Some(format!("git {command}"));
        }
    }
    None
}

/// The hook whose file this is, if it was started as git does: by its path, or by an interpreter with that path.
fn hook_file(args: &[String]) -> Option<String> {
    let script = args.iter().skip(1).find(|arg| !arg.starts_with('-'));
    args.first().into_iter().chain(script).find_map(|arg| {
        let path = Path::new(arg);
        let name = path.file_name()?.to_str()?.trim_end_matches(".exe");
        // `./update` is a user's own script; git names the directory of hooks.
        let in_folder = path.parent().and_then(Path::file_name).is_some();
        (in_folder && HOOKS.contains(&name)).then(|| name.to_owned())
    })
}

/// The subcommand of a git process; none if it is not git. For an alias, that is its name.
fn git_command(args: &[String]) -> Option<&str> {
    let program = Path::new(args.first()?).file_name()?.to_str()?.trim_end_matches(".exe");
    if let Some(command) = program.strip_prefix("git-") {
        return Some(command);
    }
    if program != "git" {
        return None;
    }
    let mut rest = args.iter().skip(1);
    loop {
        match rest.next().map(String::as_str) {
            Some(option) if WITH_VALUE.contains(&option) => drop(rest.next()),
            Some(option) if option.starts_with('-') => {}
            other => return Some(other.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_chain(chain: &[&str]) -> Option<String> {
        let words = |line: &&str| line.split(' ').map(str::to_owned).collect();
        hook_of(&chain.iter().map(words).collect::<Vec<_>>())
    }

    #[test]
    fn a_hook_is_known_by_its_file_under_git() {
        let name = |text: &str| Some(text.to_owned());
        assert_eq!(
            in_chain(&["git wf verify", "/bin/sh .git/hooks/pre-push o u", "git p"]),
            name("pre-push")
        );
        assert_eq!(in_chain(&["/srv/x.git/hooks/update r a b", "git-receive-pack x"]), name("update"));
        assert_eq!(in_chain(&["sh -e .husky/_/post-merge 0", "/usr/bin/git mrg"]), name("post-merge"));
        let left = &["git wf verify", "/bin/sh .git/hooks/post-checkout a b 1", "/sbin/init"];
        assert_eq!(in_chain(left), name("post-checkout"));
        assert_eq!(in_chain(&["git wf verify", "git -C x -c a=b push"]), name("git push"));
        assert_eq!(in_chain(&["git wf verify", "/usr/lib/git-core/git checkout -q x"]), name("git checkout"));
    }

    #[test]
    fn what_this_program_commits_is_told_from_what_it_lets_others_commit() {
        let is_ours = |chain: &[&str]| {
            let called = |line: &&str| Ancestor::called(line.split(' ').map(str::to_owned).collect());
            is_started_by_this(&chain.iter().map(called).collect::<Vec<_>>())
        };
        assert!(is_ours(&[
            "/bin/sh .git/hooks/commit-msg x",
            "git commit -q",
            "/bin/git-wf run",
            "git wf run"
        ]));
        assert!(is_ours(&["/bin/sh .git/hooks/commit-msg x", "git commit", "git merge x", "git-wf run"]));
        assert!(!is_ours(&["/bin/sh .git/hooks/commit-msg x", "git commit", "bash", "/bin/git-wf run"]));
        assert!(!is_ours(&["git-wf hook commit-msg x", "bash"]));
    }

    #[test]
    fn a_push_that_only_tries_is_known_by_its_options() {
        let is_dry =
            |line: &str| is_dry_push(&[vec!["sh".into()], line.split(' ').map(str::to_owned).collect()]);
        for line in ["git push -n", "git -C x push -q --dry-run origin main", "git push -fn origin"] {
            assert!(is_dry(line), "{line}");
        }
        for line in
            ["git push origin main", "git push -on origin", "git push --no-verify -- -n", "git pull -n"]
        {
            assert!(!is_dry(line), "{line}");
        }
    }

    #[test]
    fn what_somebody_asked_for_is_none() {
        for chain in [
            &["git wf verify", "bash", "sshd"][..],
            &["git wf verify", "sh -c git wf verify", "git rebase --exec x main", "bash"],
            &["/bin/sh -c ./t", "git bisect run ./t"],
            // A script of that name, and a hook that someone starts by hand.
            &["/bin/sh ./update", "git al"],
            &["/bin/sh .git/hooks/pre-push", "bash", "/sbin/init"],
            &["git -C push wf verify", "bash"],
            &["git --exec-path=/x wf verify", "vim .git/hooks/pre-push", "bash", "/sbin/init"],
            &[],
        ] {
            assert_eq!(in_chain(chain), None, "{chain:?}");
        }
    }
}
