//! `git wf hooks`, and hooks beside other hooks, or without the program.

use super::{Bound, id, message, script, with_hooks};
use crate::support::Sandbox;
use crate::support::store_writer::claim;

#[test]
fn status_tells_what_is_there() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let before = repo.wf(&["hooks", "status", "--json"]).ok().json();
    let names: Vec<&str> = before.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(
        ["commit-msg", "post-commit", "post-rewrite"].iter().all(|name| names.contains(name)),
        "{names:?}"
    );
    assert!(before.as_array().unwrap().iter().all(|it| it["installed"] == "absent"));
    let ran = repo.wf(&["hooks", "install"]).ok();
    assert!(ran.stdout.contains("commit-msg") && ran.stdout.contains("installed"), "{}", ran.stdout);
    let after = repo.wf(&["hooks", "status", "--json"]).ok().json();
    for hook in after.as_array().unwrap() {
        assert_eq!((&hook["installed"], &hook["change"]), (&"current".into(), &"none".into()));
        assert!(hook["calls"].as_str().unwrap().ends_with("git-wf"), "{hook}");
    }
    let ran = repo.wf(&["hooks", "uninstall"]).ok();
    assert!(ran.stdout.contains("removed"), "{}", ran.stdout);
    assert_eq!(repo.wf(&["hooks", "status", "--json"]).ok().json(), before);
}

#[test]
fn outside_a_repository_there_is_nothing_to_install() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    std::fs::remove_dir_all(repo.path().join(".git")).unwrap();
    assert_eq!(repo.wf(&["hooks", "install", "--json"]).fails(1).json_error()["code"], "not-a-repository");
    let ran = repo.wf(&["hook", "post-commit"]).ok();
    assert_eq!(ran.stderr, "");
}

#[test]
fn hooks_shared_with_other_repositories_need_force() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let shared = sandbox.root().join("shared");
    repo.git(&["config", "core.hooksPath", shared.to_str().unwrap()]).ok();
    assert_eq!(repo.wf(&["hooks", "install", "--json"]).fails(1).json_error()["code"], "hooks-outside");
    repo.wf(&["hooks", "install", "--force"]).ok();
    assert!(shared.join("commit-msg").is_file());
}

#[test]
fn an_earlier_hook_goes_on_working_and_is_given_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.commit("README", "a project\n", "begin");
    let earlier = script(
        &sandbox,
        "repo/.git/hooks/commit-msg",
        "printf '\\nEarlier: hook\\n' >> \"$1\"; ! grep -q forbidden \"$1\"",
    );
    let bytes = std::fs::read(&earlier).unwrap();
    repo.wf(&["hooks", "install"]).ok();
    let claim = claim(&repo, "ISS-001");
    let commit = repo.commit("a", "1\n", "work");
    assert_eq!(message(&repo, "HEAD"), format!("work\n\nEarlier: hook\n{}", claim.trailers()));
    repo.git(&["commit", "--allow-empty", "-m", "forbidden"]).fails(1);
    assert_eq!(claim.linked(&repo), [commit]);
    repo.wf(&["hooks", "uninstall"]).ok();
    assert_eq!(std::fs::read(&earlier).unwrap(), bytes);
    repo.commit("a", "2\n", "as before");
    assert_eq!(message(&repo, "HEAD"), "as before\n\nEarlier: hook\n");
    assert_eq!(claim.linked(&repo).len(), 1);
}

#[test]
fn without_a_store_the_hooks_are_silent() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    let plain = sandbox.repo("plain");
    let commit = |args: &[&str]| {
        let ran = repo.git(args).ok();
        assert_eq!(ran.stderr, "");
        assert_eq!(ran.stdout, plain.git(args).ok().stdout.replace("(root-commit) ", ""));
    };
    plain.commit("README", "a project\n", "begin");
    commit(&["commit", "-q", "--allow-empty", "-m", "ISS-001"]);
    commit(&["commit", "-q", "--amend", "--allow-empty", "-m", "again"]);
    commit(&["rebase", "-q", "HEAD~1"]);
    assert_eq!(message(&repo, "HEAD"), "again\n");
    assert_eq!(repo.tip(), None);
}

#[test]
fn without_the_program_a_commit_works_in_silence() {
    let it = Bound::new();
    // A shim whose recorded program is gone, with none on the PATH either.
    let hooks = it.repo.path().join(".git/hooks");
    for name in ["commit-msg", "post-commit", "post-rewrite"] {
        let text = std::fs::read_to_string(hooks.join(name)).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let recorded = lines.iter().position(|line| line.starts_with("git_wf='")).unwrap();
        lines[recorded] = "git_wf='/gone/git-wf'";
        std::fs::write(hooks.join(name), lines.join("\n") + "\n").unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let repo = it.repo.with_env("PATH", &path);
    let tip = repo.tip();
    let ran = repo.git(&["commit", "-q", "--allow-empty", "-m", "alone"]).ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    let ran = repo.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "alone again"]).ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert_eq!((message(&repo, "HEAD"), repo.tip()), ("alone again\n".to_owned(), tip));
    let status = repo.wf(&["hooks", "status", "--json"]).ok().json();
    assert_eq!(status[0]["installed"], "outdated");
}

#[test]
fn the_recorded_program_is_called_where_the_path_has_none() {
    let it = Bound::new();
    let path = std::env::var("PATH").unwrap();
    it.repo.with_env("PATH", &path).git(&["commit", "-q", "--allow-empty", "-m", "from a menu"]).ok();
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
}

#[test]
fn an_edited_hook_is_not_lost() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    let hooks = repo.path().join(".git/hooks");
    let text = std::fs::read_to_string(hooks.join("post-commit")).unwrap();
    let text = text.replace("git_wf_code=0\n", "git_wf_code=0\necho mine\n");
    std::fs::write(hooks.join("post-commit"), &text).unwrap();
    let ran = repo.wf(&["hooks", "uninstall"]).ok();
    assert!(ran.stderr.contains("`post-commit` had been edited"), "{}", ran.stderr);
    assert!(ran.stderr.contains(".git/hooks/post-commit.edited-git-wf"), "{}", ran.stderr);
    assert!(!hooks.join("post-commit").exists());
    assert_eq!(std::fs::read_to_string(hooks.join("post-commit.edited-git-wf")).unwrap(), text);
    assert_eq!(repo.wf(&["hooks", "uninstall"]).ok().stderr, "");
}

#[test]
fn a_hook_that_only_mentions_the_program_does_not_call_it() {
    let it = Bound::new();
    script(&it.sandbox, "repo/.git/hooks/post-commit", "# we do not call git wf here any more");
    let said = it.repo.wf(&["status"]).ok().stderr;
    assert!(said.contains("`post-commit` does not call git-wf"), "{said}");
    script(&it.sandbox, "repo/.git/hooks/post-commit", "git wf hook post-commit \"$@\"");
    let said = it.repo.wf(&["status"]).ok().stderr;
    assert!(!said.contains("does not call git-wf"), "{said}");
}

#[test]
fn a_branch_in_the_way_of_the_records_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.commit("README", "1\n", "begin");
    repo.git(&["branch", "wf"]).ok();
    repo.git(&["config", "wf.ref", "refs/heads/wf/main"]).ok();
    let said = repo.wf(&["init"]).fails(1).stderr;
    assert!(said.contains("`refs/heads/wf/main` cannot exist beside `refs/heads/wf`"), "{said}");
    assert!(said.contains("`git config wf.ref refs/heads/wf-main`"), "{said}");
    repo.git(&["config", "wf.ref", "refs/heads/wf-main"]).ok();
    repo.wf(&["init"]).ok();
}
