use std::path::Path;

use super::*;
use crate::agent::acp::place::{GIT_OWN, OUTSIDE};
use crate::agent::acp::program::of_line;

#[test]
fn what_only_reads_is_granted() {
    for line in [
        "git worktree list",
        "git worktree list --porcelain",
        "git config --get user.name",
        "git config user.name",
        "git config --global user.name",
        "git config --list --show-origin",
        "git config -l",
        "git config get user.name",
        "git config list",
        "git config --get-regexp '^remote'",
        "git remote",
        "git remote -v",
        "git remote show origin",
        "git remote get-url origin",
        "git reflog",
        "git reflog -5",
        "git reflog show main",
        "git notes",
        "git notes show",
        "git notes list",
        "git submodule",
        "git submodule status --recursive",
        "git submodule summary",
        "git check-ignore -v a.txt",
        "git ls-remote",
        "git ls-remote --heads origin",
        "git fetch https://example.org/x",
        "git fetch --depth 5 ssh://git@example.org/x main",
        "git fetch git@example.org:x/y.git main",
        "git fetch --prune origin",
        "git fetch --all",
        "git pull --rebase origin main",
        "git symbolic-ref HEAD",
        "git symbolic-ref --short -q HEAD",
        "git tag --contains HEAD",
        "git tag --points-at=HEAD",
        "git tag -n",
        "git replace",
        "git clean -n",
        "git clean -ndx src",
        "git clean --dry-run",
        "git rm --cached a.txt",
        "git stash show -p",
        "git archive HEAD",
        "git diff-tree -r HEAD",
        "git -C sub status",
        "git -C /tree/sub log",
        "git var GIT_EDITOR",
    ] {
        assert_eq!(of_line(Path::new("/tree"), line), Ok(()), "{line}");
    }
}

#[test]
fn a_refusal_of_git_says_why() {
    for (line, why) in [
        ("git worktree add ../x", WORKTREES),
        ("git worktree", WORKTREES),
        ("git worktree remove x", WORKTREES),
        ("git config user.name x", SETTINGS),
        ("git config --unset user.name", SETTINGS),
        ("git config --edit", SETTINGS),
        ("git config set user.name x", SETTINGS),
        ("git config user.$X", SETTINGS),
        ("git config --add user.name x", SETTINGS),
        ("git remote add x y", REMOTES),
        ("git remote set-url origin y", REMOTES),
        ("git remote -v update", REMOTES),
        ("git remote $X", REMOTES),
        ("git reflog expire --all", REFS),
        ("git reflog $X", REFS),
        ("git notes add -m x", REFS),
        ("git symbolic-ref HEAD refs/heads/x", REFS),
        ("git symbolic-ref -d HEAD", REFS),
        ("git symbolic-ref $X", REFS),
        ("git tag v1", REFS),
        ("git tag $X", REFS),
        ("git replace a b", REFS),
        ("git submodule foreach 'git push'", SUBMODULES),
        ("git submodule update --init", SUBMODULES),
        ("git fetch . +HEAD:main", FETCHES),
        ("git fetch https://example.org/x a:b", FETCHES),
        ("git fetch origin git@example.org:x", FETCHES),
        ("git fetch --refmap=a:b origin", FETCHES),
        ("git fetch origin $X", HIDDEN_FETCH),
        ("git fetch 'ext::sh -c x'", PROGRAMS),
        ("git ls-remote ext::x", PROGRAMS),
        ("git -c protocol.ext.allow=always fetch x", SETTINGS),
        ("git clean -f", DELETES),
        ("git clean -f -e -n", DELETES),
        ("git clean -n $X", DELETES),
        ("git rm a.txt", DELETES),
        ("git rm -- --cached", DELETES),
        ("git push", PUSHES),
        ("git init x", OTHER),
        ("git -C /etc status", OUTSIDE),
        ("git -C .git/hooks status", GIT_OWN),
        ("git --work-tree=/ status", OUTSIDE),
        ("env -i git status", CLEARED),
    ] {
        let refused = of_line(Path::new("/tree"), line).map_err(|forbidden| forbidden.why);
        assert_eq!(refused, Err(why), "{line}");
    }
}
