//! Beside other programs that install hooks. The stand-ins have the layout of those programs: what matters is where a
//! hook is, which files it expects beside it, and which name it gives itself.

use super::{id, message, script};
use crate::support::store_writer::claim;
use crate::support::{Repo, Sandbox};

/// Installs our hooks over the existing ones, commits in a repository with a running execution, and checks the
/// result. The tool's own part adds a trailer `Tool: NAME` with the name of its hook.
fn check(sandbox: &Sandbox, repo: &Repo, force: bool) {
    let hooks = repo.git(&["rev-parse", "--git-path", "hooks"]).ok().line().to_owned();
    let hooks = repo.path().join(hooks);
    let before = std::fs::read(hooks.join("commit-msg")).unwrap();
    repo.wf(if force { &["hooks", "install", "--force"] } else { &["hooks", "install"] }).ok();
    let claim = claim(repo, "ISS-001");
    let commit = repo.commit("a", "1\n", "work");
    let with_tool = format!("work\n\nTool: commit-msg\n{}", claim.trailers());
    assert_eq!(message(repo, "HEAD"), with_tool);
    assert_eq!(claim.linked(repo), [commit]);
    // If the tool refuses a commit, git does too.
    repo.git(&["commit", "-q", "--allow-empty", "-m", "forbidden"]).fails(1);
    let deep = repo.path().join("some folder");
    std::fs::create_dir_all(&deep).unwrap();
    let below = sandbox.at(deep.strip_prefix(sandbox.root()).unwrap().to_str().unwrap());
    below.git(&["commit", "-q", "--allow-empty", "-m", "from below"]).ok();
    assert_eq!(message(repo, "HEAD"), with_tool.replace("work", "from below"));
    assert_eq!(claim.linked(repo).len(), 2);
    // Both are upgraded: each rewrites its own files.
    repo.wf(if force { &["hooks", "install", "--force"] } else { &["hooks", "install"] }).ok();
    let states = repo.wf(&["hooks", "status", "--json"]).ok().json();
    assert_eq!(states[0]["installed"], "current");
    assert!(states[0]["earlier"].as_str().unwrap().ends_with("before-git-wf/commit-msg"), "{states}");
    repo.wf(&["hooks", "uninstall"]).ok();
    assert_eq!(std::fs::read(hooks.join("commit-msg")).unwrap(), before);
    assert!(!hooks.join("before-git-wf").exists());
    repo.git(&["commit", "-q", "--allow-empty", "-m", "as before"]).ok();
    assert_eq!(message(repo, "HEAD"), "as before\n\nTool: commit-msg\n");
}

/// What a tool does with a message: it adds the trailer, or refuses it.
const PART: &str = "printf '\\nTool: %s\\n' \"$TOOL\" >> \"$1\"; ! grep -q forbidden \"$1\"";

fn repo(sandbox: &Sandbox) -> Repo {
    let repo = sandbox.repo("a repo");
    repo.git(&["commit", "-q", "--allow-empty", "-m", "begin"]).ok();
    repo
}

/// `.git/hooks/commit-msg` reads `husky.sh` beside it, which takes the hook's name from `$0`.
#[test]
fn husky_4() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    script(&sandbox, "a repo/.git/hooks/commit-msg", ". \"$(dirname \"$0\")/husky.sh\"");
    let body = format!("TOOL=$(basename \"$0\")\n. \"$(dirname \"$0\")/husky.local.sh\"\n{PART}");
    script(&sandbox, "a repo/.git/hooks/husky.sh", &body);
    script(&sandbox, "a repo/.git/hooks/husky.local.sh", "packageManager=npm");
    check(&sandbox, &repo, false);
}

/// `.husky/commit-msg`, which is committed, reads `_/husky.sh`, which starts the hook again through `$0`.
#[test]
fn husky_5_to_8() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    let again = "if [ -z \"$husky_skip_init\" ]; then\n\
                 hook_name=\"$(basename -- \"$0\")\"\n\
                 export readonly hook_name\n\
                 husky_skip_init=1\n\
                 export husky_skip_init\n\
                 sh -e \"$0\" \"$@\"\n\
                 exit $?\n\
                 fi";
    script(&sandbox, "a repo/.husky/_/husky.sh", again);
    let body = format!(". \"$(dirname -- \"$0\")/_/husky.sh\"\n\nTOOL=$hook_name\n{PART}");
    script(&sandbox, "a repo/.husky/commit-msg", &body);
    repo.git(&["config", "core.hooksPath", ".husky"]).ok();
    repo.write(".husky/_/.gitignore", "*\n");
    repo.git(&["add", ".husky/commit-msg"]).ok();
    repo.git(&["commit", "-q", "--no-verify", "-m", "husky"]).ok();
    assert_eq!(repo.wf(&["hooks", "install", "--json"]).fails(1).json_error()["code"], "hooks-tracked");
    check(&sandbox, &repo, true);
}

/// `.husky/_/commit-msg` reads `h` beside it, which looks for the user's part one directory above, by `$0`.
#[test]
fn husky_9() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    let names = ["commit-msg", "post-commit", "post-merge", "post-rewrite", "pre-push"];
    let install = || {
        for name in names {
            script(&sandbox, &format!("a repo/.husky/_/{name}"), ". \"$(dirname \"$0\")/h\"");
        }
    };
    install();
    let runner = "n=$(basename \"$0\")\n\
                  s=$(dirname \"$(dirname \"$0\")\")/$n\n\
                  [ ! -f \"$s\" ] && exit 0\n\
                  sh -e \"$s\" \"$@\"\n\
                  c=$?\n\
                  [ $c != 0 ] && echo \"husky - $n script failed (code $c)\"\n\
                  exit $c";
    script(&sandbox, "a repo/.husky/_/h", runner);
    repo.write(".husky/_/.gitignore", "*");
    script(&sandbox, "a repo/.husky/commit-msg", &format!("TOOL=commit-msg\n{PART}"));
    script(&sandbox, "a repo/.husky/post-commit", "echo ran >> .git/ran");
    repo.git(&["config", "core.hooksPath", ".husky/_"]).ok();
    repo.git(&["add", ".husky"]).ok();
    repo.git(&["commit", "-q", "--no-verify", "-m", "husky"]).ok();
    check(&sandbox, &repo, false);
    assert!(repo.read(".git/ran").lines().count() >= 3);
    // A package manager that runs husky again overwrites our hook with the same file that we had moved aside.
    repo.wf(&["hooks", "install"]).ok();
    install();
    assert_eq!(repo.wf(&["hooks", "status", "--json"]).ok().json()[0]["installed"], "foreign");
    repo.wf(&["hooks", "install"]).ok();
    assert_eq!(repo.wf(&["hooks", "status", "--json"]).ok().json()[0]["installed"], "current");
    repo.git(&["commit", "-q", "--allow-empty", "-m", "again"]).ok();
    assert!(message(&repo, "HEAD").contains("Tool: commit-msg"));
}

/// pre-commit's bash script, which passes on the directory of `$0`; the earlier hook is there, as
/// `commit-msg.legacy`.
fn pre_commit(sandbox: &Sandbox) {
    use std::os::unix::fs::PermissionsExt;
    let path = script(sandbox, "a repo/.git/hooks/commit-msg", "");
    let tool = script(
        sandbox,
        "bin/tool",
        &format!(
            "if [ -x \"$2/commit-msg.legacy\" ]; then \"$2/commit-msg.legacy\" \"$4\" || exit; fi\n\
             shift 3\nTOOL=commit-msg\n{PART}"
        ),
    );
    let text = format!(
        "#!/usr/bin/env bash\n# File generated by pre-commit, or rather by a stand-in\n\
         HERE=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\n\
         ARGS=(--hook-dir \"$HERE\" -- \"$@\")\nexec \"{tool}\" \"${{ARGS[@]}}\"\n"
    );
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_pre_commit_framework_with_a_hook_from_before_it() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    script(&sandbox, "a repo/.git/hooks/commit-msg.legacy", "echo legacy >> .git/legacy");
    pre_commit(&sandbox);
    let hooks = [".git/hooks/commit-msg", ".git/hooks/commit-msg.legacy"];
    let before = hooks.map(|hook| repo.read(hook));
    repo.wf(&["hooks", "install"]).ok();
    let claim = claim(&repo, "ISS-001");
    let commit = repo.commit("a", "1\n", "work");
    assert_eq!(message(&repo, "HEAD"), format!("work\n\n{}\nTool: commit-msg\n", claim.trailers()));
    assert_eq!(claim.linked(&repo), [commit]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "forbidden"]).fails(1);
    assert_eq!(repo.read(".git/legacy").lines().count(), 2, "once for each attempt");
    repo.wf(&["hooks", "uninstall"]).ok();
    assert_eq!(hooks.map(|hook| repo.read(hook)), before);
    assert!(!repo.path().join(".git/hooks/before-git-wf").exists());
}

/// The framework does not find a hook that another program moved, so it could not remove it.
#[test]
fn the_pre_commit_framework_can_be_removed() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    pre_commit(&sandbox);
    repo.wf(&["hooks", "install"]).ok();
    // Its uninstall moves the hook that it had found back.
    let hooks = repo.path().join(".git/hooks");
    std::fs::rename(hooks.join("commit-msg.legacy"), hooks.join("commit-msg")).unwrap();
    let claim = claim(&repo, "ISS-001");
    let commit = repo.commit("a", "1\n", "work");
    assert_eq!(message(&repo, "HEAD"), format!("work\n\n{}", claim.trailers()));
    assert_eq!(claim.linked(&repo), [commit]);
}

#[test]
fn the_pre_commit_framework_that_comes_after_us_calls_us() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    repo.wf(&["hooks", "install"]).ok();
    let hooks = repo.path().join(".git/hooks");
    std::fs::rename(hooks.join("commit-msg"), hooks.join("commit-msg.legacy")).unwrap();
    pre_commit(&sandbox);
    let claim = claim(&repo, "ISS-001");
    for (n, is_installed_again) in [false, true].into_iter().enumerate() {
        if is_installed_again {
            repo.wf(&["hooks", "install"]).ok();
        }
        repo.commit("a", &format!("{n}\n"), "work");
        let expected = format!("work\n\n{}\nTool: commit-msg\n", claim.trailers());
        assert_eq!(message(&repo, "HEAD"), expected);
        let status = repo.wf(&["hooks", "status"]).ok().stdout;
        assert!(status.contains("installed, called by pre-commit"), "{status}");
        assert!(!repo.wf(&["status"]).ok().stderr.contains("hooks"), "all of them are called");
    }
    assert_eq!(claim.linked(&repo).len(), 2);
}

/// A script that finds its program itself, and passes the hook's name.
#[test]
fn lefthook() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    let tool = script(&sandbox, "bin/lefthook", &format!("shift; TOOL=$1; shift\n{PART}"));
    let body = format!(
        "call_lefthook()\n{{\n  dir=\"$(git rev-parse --show-toplevel)\"\n  test -d \"$dir\" && \"{tool}\" \"$@\"\n}}\n\n\
         call_lefthook run \"commit-msg\" \"$@\""
    );
    script(&sandbox, "a repo/.git/hooks/commit-msg", &body);
    check(&sandbox, &repo, false);
}

/// Its `pre-push` reads the pushed refs from stdin.
#[test]
fn git_lfs() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox);
    sandbox.bare("far.git");
    repo.git(&["remote", "add", "origin", "../far.git"]).ok();
    let lfs = script(&sandbox, "bin/git-lfs", "printf '%s:' \"$@\" >> .git/lfs; cat >> .git/lfs");
    for name in ["post-commit", "post-merge", "pre-push"] {
        let body = format!("command -v \"{lfs}\" >/dev/null 2>&1 || exit 2\n\"{lfs}\" {name} \"$@\"");
        script(&sandbox, &format!("a repo/.git/hooks/{name}"), &body);
    }
    repo.wf(&["hooks", "install"]).ok();
    repo.git(&["config", "remote.origin.wfPush", "true"]).ok();
    repo.wf(&["init"]).ok();
    repo.commit("a", "1\n", "work");
    let head = id(&repo, "HEAD");
    repo.git(&["push", "-q", "origin", "main"]).ok();
    let line = format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40));
    assert_eq!(repo.read(".git/lfs"), format!("post-commit:pre-push:origin:../far.git:{line}"));
    let there = repo.git(&["ls-remote", "origin", "refs/wf/main"]).ok();
    assert!(there.stdout.starts_with(&repo.tip().unwrap()), "{}", there.stdout);
    script(&sandbox, "bin/git-lfs", "exit 3");
    repo.git(&["push", "-q", "origin", "main:other"]).fails(1);
}
