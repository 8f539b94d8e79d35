//! Programs that replace or delete our hooks when they write their own again, and what survives that.

use super::{Bound, id, message, script, with_hooks};
use crate::support::{Repo, Sandbox};

/// lefthook's hook, as far as it is recognized: it runs nothing.
const LEFTHOOK: &str = "call_lefthook() { :; }\ncall_lefthook run";
const HOOKS: [&str; 4] = ["commit-msg", "post-commit", "post-merge", "post-rewrite"];

/// Has a stand-in for lefthook take over these hooks, as its install does.
fn take_over(sandbox: &Sandbox, repo: &Repo, names: &[&str]) {
    for name in names {
        let hook = repo.path().join(".git/hooks").join(name);
        std::fs::rename(&hook, hook.with_extension("old")).unwrap();
        script(sandbox, &format!("repo/.git/hooks/{name}"), LEFTHOOK);
    }
}

fn lines(repo: &Repo, manager: &str) -> Vec<serde_json::Value> {
    repo.wf(&["hooks", "lines", manager, "--json"]).ok().json().as_array().unwrap().clone()
}

fn linked_without_shims(it: &Bound) {
    let before = it.linked().len();
    it.repo.commit("a", "1\n", "work");
    assert_eq!(message(&it.repo, "HEAD"), format!("work\n\n{}", it.claim.trailers()));
    it.repo.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
    let linked = it.linked();
    assert_eq!(linked.len(), before + 1);
    assert!(linked.contains(&id(&it.repo, "HEAD")), "the link follows the amend");
}

#[test]
fn every_command_about_the_work_says_which_hooks_are_not_called() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    repo.wf(&["init"]).ok();
    repo.queued("ISS-001", "a");
    repo.wf(&["next"]).ok();
    repo.commit("a", "1\n", "linked");
    take_over(&sandbox, &repo, &["commit-msg", "post-commit"]);
    repo.commit("a", "2\n", "unseen");
    let words = "the hooks are not all in place: `commit-msg`, `post-commit` do not call git-wf (replaced by lefthook), \
                 so commits are not linked and do not renew the lease";
    for args in [&["status"][..], &["audit"], &["link", "--find"]] {
        let ran = repo.wf(args);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
    let audit = repo.wf(&["audit", "--json"]).ok().json();
    assert!(audit["warnings"].to_string().contains(words), "{audit}");
    let prime = repo.wf(&["prime"]).ok().stdout;
    assert!(prime.contains(words) && prime.contains("`git wf hooks install`"), "{prime}");
    let next = repo.wf(&["next"]).ok();
    assert!(next.stdout.contains("the hooks are not installed"), "{}", next.stdout);
    let states = repo.wf(&["hooks", "status", "--json"]).ok().json();
    assert_eq!(states[0]["manager"], "lefthook");
    assert!(states[0]["replaced"].as_str().unwrap().ends_with("commit-msg.old"), "{states}");
    let status = repo.wf(&["hooks", "status"]).ok().stdout;
    assert!(status.contains("replaced by lefthook"), "{status}");
    repo.wf(&["hooks", "install"]).ok();
    let found = repo.wf(&["link", "--find"]).ok();
    assert!(!found.stderr.contains("do not call"), "{}", found.stderr);
    let commit = repo.commit("a", "3\n", "seen again");
    let linked = &repo.json(&["show", "ISS-001"])["executions"][0]["commits"];
    assert!(linked.to_string().contains(&commit), "{linked}");
    let left = repo.path().join(".git/hooks/commit-msg.old");
    assert!(!left.exists());
}

#[test]
fn every_command_about_the_work_says_that_hooks_are_off() {
    for value in ["", "/dev/null"] {
        let sandbox = Sandbox::new();
        let repo = with_hooks(&sandbox, "repo");
        repo.wf(&["init"]).ok();
        repo.queued("ISS-001", "a");
        repo.wf(&["next"]).ok();
        repo.git(&["config", "core.hooksPath", value]).ok();
        repo.commit("a", "1\n", "unseen");
        let named = if value.is_empty() { "empty" } else { "`/dev/null`" };
        let file = repo.path().join(".git/config");
        let words =
            format!("`core.hooksPath` is {named} (set in `{}`), so git runs no hooks", file.display());
        let way = "git config --local --unset-all core.hooksPath";
        for args in [&["status"][..], &["next"], &["audit"], &["link", "--find"], &["hooks", "status"], &[]] {
            let ran = repo.wf(args);
            assert!(ran.stderr.contains(&words) && ran.stderr.contains(way), "{args:?}: {}", ran.stderr);
            assert!(!ran.stdout.contains("not installed, so commits"), "{args:?}: {}", ran.stdout);
        }
        let prime = repo.wf(&["prime"]).ok().stdout;
        assert!(prime.contains(&words) && prime.contains(way), "{prime}");
        let refused = repo.refused(1, &["done"]);
        assert!(refused["hint"].to_string().contains(way), "{refused}");
        let refused = repo.refused(1, &["hooks", "install"]);
        assert_eq!(refused["code"], "hooks-off", "{refused}");
        repo.git(&["config", "--local", "--unset-all", "core.hooksPath"]).ok();
        assert_eq!(repo.wf(&["status"]).ok().stderr, "");
    }
}

#[test]
fn hooks_that_are_off_everywhere_are_turned_on_for_one_repository() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    repo.wf(&["init"]).ok();
    repo.queued("ISS-001", "a");
    repo.git(&["config", "--global", "core.hooksPath", ""]).ok();
    let ran = repo.wf(&["next"]).ok();
    assert!(ran.stderr.contains("is empty (set in `/"), "{}", ran.stderr);
    let hooks = repo.path().join(".git/hooks");
    repo.git(&["config", "core.hooksPath", hooks.to_str().unwrap()]).ok();
    assert!(!repo.wf(&["next"]).ok().stderr.contains("hooks"));
    let commit = repo.commit("a", "1\n", "seen");
    assert!(repo.json(&["show", "ISS-001"])["executions"][0]["commits"].to_string().contains(&commit));
}

#[test]
fn a_single_missing_hook_is_named() {
    let it = Bound::new();
    std::fs::remove_file(it.repo.path().join(".git/hooks/post-rewrite")).unwrap();
    let ran = it.repo.wf(&["next"]).ok();
    let words = "`post-rewrite` does not call git-wf, so links do not follow an amend or a rebase";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    let commit = it.repo.commit("a", "1\n", "work");
    assert_eq!(it.linked(), [commit]);
    assert!(it.repo.wf(&["done"]).ok().stderr.contains(words));
    let ran = it.repo.wf(&["audit"]);
    assert!(ran.stderr.contains(words), "also without a claim: {}", ran.stderr);
}

#[test]
fn a_pre_push_of_another_program_is_named() {
    let it = Bound::new();
    let hook = it.repo.path().join(".git/hooks/pre-push");
    std::fs::write(&hook, "#!/bin/sh\ngit lfs pre-push \"$@\"\n").unwrap();
    let said = it.repo.wf(&["audit"]).stderr;
    let words = "`pre-push` does not call git-wf (another hook is there), so pushes are not checked";
    assert!(said.contains(words), "{said}");
    std::fs::remove_file(&hook).unwrap();
    assert!(!it.repo.wf(&["audit"]).stderr.contains("pre-push"), "nothing depends on it");
}

#[test]
fn a_shim_whose_program_is_gone_is_named() {
    let it = Bound::new();
    let hook = it.repo.path().join(".git/hooks/post-commit");
    let text = std::fs::read_to_string(&hook).unwrap();
    let recorded = text.lines().find(|line| line.starts_with("git_wf='")).unwrap();
    std::fs::write(&hook, text.replace(recorded, "git_wf='/gone/git-wf'")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let ran = it.repo.with_env("PATH", &path).wf(&["status"]).ok();
    assert!(
        ran.stderr.contains("`post-commit` does not call git-wf (the program to run is gone)"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_clone_without_hooks_or_claim_hears_nothing() {
    let it = Bound::new();
    let commit = it.repo.commit("a", "1\n", "work");
    let clone = it.sandbox.clone(it.repo.path(), "clone");
    clone.wf(&["init"]).ok();
    let ran = clone.wf(&["audit", &format!("{commit}~1..")]);
    assert!(!ran.stderr.contains("hooks"), "{}", ran.stderr);
}

#[test]
fn a_commit_in_which_the_hooks_are_replaced_says_so() {
    let it = Bound::new();
    it.repo.wf(&["hooks", "uninstall"]).ok();
    let body = format!(
        "if [ -e .git/again ]; then cd .git/hooks; mv post-commit post-commit.old; cp commit-msg.new post-commit; fi\n{LEFTHOOK}"
    );
    script(&it.sandbox, "repo/.git/hooks/commit-msg", &body);
    script(&it.sandbox, "repo/.git/hooks/commit-msg.new", LEFTHOOK);
    it.repo.wf(&["hooks", "install"]).ok();
    it.repo.write(".git/again", "");
    it.repo.write("a", "1\n");
    it.repo.git(&["add", "."]).ok();
    let ran = it.repo.git(&["commit", "-q", "-m", "work"]).ok();
    assert!(
        ran.stderr.contains("`post-commit` does not call git-wf (replaced by lefthook)"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("`git wf hooks install`"), "{}", ran.stderr);
}

#[test]
fn lines_for_husky_work_without_our_shims() {
    let it = Bound::new();
    let shown = lines(&it.repo, "husky");
    for file in &shown {
        let text: Vec<&str> =
            file["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        it.repo.write(file["file"].as_str().unwrap(), text.join("\n") + "\n");
    }
    for name in HOOKS {
        script(&it.sandbox, &format!("repo/.husky/_/{name}"), ". \"$(dirname \"$0\")/h\"");
    }
    let runner = "s=$(dirname \"$(dirname \"$0\")\")/$(basename \"$0\")\nsh -e \"$s\" \"$@\"";
    script(&it.sandbox, "repo/.husky/_/h", runner);
    it.repo.git(&["config", "core.hooksPath", ".husky/_"]).ok();
    linked_without_shims(&it);
    let ran = it.repo.wf(&["hooks", "install"]).ok();
    assert!(ran.stdout.contains("called by .husky/commit-msg"), "{}", ran.stdout);
    assert!(
        !ran.stdout.contains("add these lines") && !ran.stderr.contains("husky"),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
    assert_eq!(it.repo.read(".husky/_/commit-msg"), "#!/bin/sh\n. \"$(dirname \"$0\")/h\"\n");
    assert!(!it.repo.wf(&["status"]).ok().stderr.contains("hooks"));
}

#[test]
fn lines_for_simple_git_hooks_work_without_our_shims() {
    let it = Bound::new();
    let shown = lines(&it.repo, "simple-git-hooks").remove(0);
    let text: Vec<&str> =
        shown["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let text = format!("{{{}}}", text.join("\n"));
    it.repo.write("package.json", &text);
    let package: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (name, command) in package["simple-git-hooks"].as_object().unwrap() {
        let body = format!(
            "if [ \"$SKIP_SIMPLE_GIT_HOOKS\" = \"1\" ]; then exit 0; fi\n{}",
            command.as_str().unwrap()
        );
        script(&it.sandbox, &format!("repo/.git/hooks/{name}"), &body);
    }
    linked_without_shims(&it);
    let states = it.repo.wf(&["hooks", "install", "--json"]).ok().json();
    assert!(states.as_array().unwrap().iter().all(|state| state["installed"] == "configured"), "{states}");
}

#[test]
fn install_shows_the_lines_for_a_program_that_is_configured_here() {
    let it = Bound::new();
    it.repo.write("lefthook.yml", "pre-commit: {}\n");
    let ran = it.repo.wf(&["hooks", "install"]).ok();
    assert!(ran.stderr.contains("lefthook can replace these hooks"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`git wf hooks lines` shows what to add to `lefthook.yml`"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("run: if command -v git-wf >/dev/null; then git-wf hook post-commit; fi"),
        "{}",
        ran.stdout
    );
    let shown = it.repo.wf(&["hooks", "lines", "--json"]).ok().json();
    assert_eq!((&shown[0]["manager"], &shown[0]["file"]), (&"lefthook".into(), &"lefthook.yml".into()));
    let text: Vec<&str> =
        shown[0]["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    it.repo.write("lefthook.yml", text.join("\n"));
    let ran = it.repo.wf(&["hooks", "install"]).ok();
    assert!(
        !ran.stderr.contains("lefthook") && !ran.stdout.contains("lefthook"),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn without_a_manager_there_are_no_lines() {
    let it = Bound::new();
    let ran = it.repo.wf(&["hooks", "lines"]).fails(3);
    assert!(
        ran.stderr.contains("name one: pre-commit, prek, lefthook, husky, simple-git-hooks"),
        "{}",
        ran.stderr
    );
    it.repo.wf(&["hooks", "lines", "overcommit"]).fails(2);
}

#[test]
fn a_hook_left_by_a_removed_program_is_named_and_discarded() {
    let it = Bound::new();
    it.repo.wf(&["hooks", "uninstall"]).ok();
    script(&it.sandbox, "repo/.git/hooks/commit-msg", &format!("echo gone >&2; exit 1; {LEFTHOOK}"));
    it.repo.wf(&["hooks", "install"]).ok();
    let status = it.repo.wf(&["hooks", "status"]).ok().stdout;
    assert!(status.contains("before-git-wf/commit-msg (lefthook)"), "{status}");
    let ran = it.repo.git(&["commit", "-q", "--allow-empty", "-m", "work"]).fails(1);
    assert!(ran.stderr.contains("before-git-wf/commit-msg failed"), "{}", ran.stderr);
    let refused = it.repo.wf(&["hooks", "discard", "post-commit", "--json"]).fails(1).json_error();
    assert_eq!(refused["code"], "not-found");
    it.repo.wf(&["hooks", "discard", "commit-msg"]).ok();
    let commit = it.repo.commit("a", "1\n", "work");
    assert_eq!(it.linked(), [commit]);
}

#[test]
fn a_new_worktree_without_the_hooks_is_named() {
    let it = Bound::new();
    it.repo.git(&["config", "core.hooksPath", "tools/hooks"]).ok();
    it.repo.wf(&["hooks", "install"]).ok();
    let commit = it.repo.commit("a", "1\n", "work");
    assert_eq!(it.linked(), [commit]);
    it.repo.git(&["worktree", "add", "-q", "../other", "-b", "other"]).ok();
    let other = it.sandbox.at("other");
    let states = other.wf(&["hooks", "status", "--json"]).ok().json();
    assert_eq!(states[0]["installed"], "absent");
}
