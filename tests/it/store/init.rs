//! `init` with and without a remote, and which remote it chooses.

use serde_json::json;

use crate::clones::tracking;
use crate::support::foreign::{create, file};
use crate::support::{REF, Repo, Sandbox, Two};

const ROOT: &str = "441dcc324b8c7eb6eb155294920f6f982538e215";

fn fetch_refspecs(repo: &Repo, remote: &str) -> Vec<String> {
    let ran = repo.git(&["config", "--get-all", &format!("remote.{remote}.fetch")]);
    ran.stdout.lines().map(str::to_owned).collect()
}

fn config(repo: &Repo, key: &str) -> String {
    repo.git(&["config", "--default", "", key]).ok().line().to_owned()
}

#[test]
fn all_stores_begin_with_one_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let ran = repo.wf(&["init", "--json"]).ok();
    assert_eq!(
        ran.json(),
        json!({"reference": REF, "created": true, "fetched": false, "remote": null, "tip": ROOT, "hooks": []})
    );
    let bare = sandbox.bare("b.git");
    assert_eq!(bare.wf(&["init"]).ok().stdout, "created refs/wf/main\n");
    assert_eq!([repo.tip().unwrap(), bare.tip().unwrap()], [ROOT, ROOT]);
    create(&bare, "ISS-001", 1);
    repo.git(&["remote", "add", "origin", bare.path().to_str().unwrap()]).ok();
    assert_eq!(repo.wf(&["sync"]).ok().stdout, "synced with origin: fetched 1 commit, pushed 0\n");
}

#[test]
fn twice_changes_nothing() {
    let two = Two::new();
    let before = (two.ada.read(".git/config"), two.ada.tip());
    create(&two.bea, "ISS-001", 1);
    two.bea.wf(&["sync"]).ok();
    assert_eq!(two.ada.wf(&["init"]).ok().stdout, "refs/wf/main already exists\n");
    assert_eq!((two.ada.read(".git/config"), two.ada.tip()), before);
    assert_eq!(
        fetch_refspecs(&two.ada, "origin"),
        ["+refs/heads/*:refs/remotes/origin/*", "+refs/wf/*:refs/wf-remotes/origin/*"]
    );
}

#[test]
fn a_clone_begins_with_what_the_remote_has() {
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    two.ada.wf(&["sync"]).ok();
    let carl = two.sandbox.clone(&two.origin, "carl");
    let ran = carl.wf(&["init"]).ok();
    assert_eq!(
        ran.stdout,
        "fetched refs/wf/main from origin: 2 commits\n`git fetch origin` also fetches it from now on\n"
    );
    assert_eq!(carl.tip(), two.origin.tip());
    assert_eq!(carl.wf(&["sync"]).ok().stdout, "origin: up to date\n");
    assert_eq!(carl.tip(), two.origin.tip());
    let reflog = carl.git(&["reflog", "show", REF]).ok();
    assert!(reflog.stdout.contains("wf: merge refs/wf-remotes/origin/main"), "{}", reflog.stdout);
}

#[test]
fn a_store_that_was_begun_apart_joins_the_remotes() {
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    two.ada.wf(&["sync"]).ok();
    let carl = two.sandbox.repo("carl");
    carl.wf(&["init"]).ok();
    create(&carl, "ISS-002", 2);
    carl.git(&["remote", "add", "origin", two.origin.path().to_str().unwrap()]).ok();
    let ran = carl.wf(&["init"]).ok();
    assert!(
        ran.stdout.starts_with("refs/wf/main already exists; fetched 1 commit from origin\n"),
        "{}",
        ran.stdout
    );
    carl.stored_json(&file("ISS-001"));
    carl.stored_json(&file("ISS-002"));
}

#[test]
fn a_plain_fetch_from_a_remote_without_the_ref_is_no_error() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    ada.wf(&["init"]).ok();
    ada.git(&["fetch"]).ok();
    assert_eq!(tracking(&ada), None);
    ada.commit("a", "a\n", "a");
    ada.git(&["push", "--quiet", "origin", "HEAD"]).ok();
    ada.git(&["pull", "--quiet"]).ok();
    assert_eq!(ada.wf(&["pull"]).ok().stdout, "origin has no `refs/wf/main` yet\n");
}

#[test]
fn a_remote_that_is_away_is_no_reason_to_wait() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.git(&["remote", "add", "origin", "../gone.git"]).ok();
    let ran = repo.wf(&["init"]).ok();
    assert!(ran.stderr.starts_with("warning: `origin` cannot be reached:"), "{}", ran.stderr);
    assert_eq!(repo.tip().unwrap(), ROOT);
    let other = sandbox.bare("gone.git");
    assert_eq!(repo.wf(&["sync"]).ok().stdout, "synced with origin: fetched 0 commits, pushed 1\n");
    assert_eq!(other.tip(), repo.tip());
}

#[test]
fn which_of_several_remotes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    for name in ["backup", "origin", "upstream"] {
        let remote = sandbox.bare(name);
        repo.git(&["remote", "add", name, remote.path().to_str().unwrap()]).ok();
    }
    assert_eq!(repo.wf(&["init", "--json"]).ok().json()["remote"], "origin");
    assert_eq!(config(&repo, "wf.remote"), "");
    repo.wf(&["init", "--remote", "upstream"]).ok();
    assert_eq!(config(&repo, "wf.remote"), "upstream");
    assert_eq!(repo.wf(&["sync", "--json"]).ok().json()["remote"], "upstream");

    let ran = repo.wf(&["init", "--remote", "nobody"]).fails(1);
    assert_eq!(
        ran.stderr,
        "error: there is no remote `nobody`; there are `backup`, `origin`, `upstream`\n\
         hint: `git remote add nobody URL` adds it\n"
    );
    repo.git(&["config", "wf.remote", "nobody"]).ok();
    let ran = repo.wf(&["sync", "--json"]).fails(1);
    assert_eq!(ran.json_error()["code"], "unknown-remote");
    assert!(ran.stderr.contains("`wf.remote` is wrong"), "{}", ran.stderr);
}

#[test]
fn the_first_sync_that_works_is_remembered() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.wf(&["init"]).ok();
    assert_eq!(repo.wf(&["sync", "--json"]).fails(1).json_error()["code"], "no-remote");
    for name in ["one", "two"] {
        let remote = sandbox.bare(name);
        repo.git(&["remote", "add", name, remote.path().to_str().unwrap()]).ok();
    }
    repo.git(&["remote", "add", "gone", "../gone.git"]).ok();
    assert_eq!(repo.wf(&["sync", "--json"]).fails(1).json_error()["code"], "which-remote");
    repo.wf(&["sync", "gone"]).fails(1);
    assert_eq!(config(&repo, "wf.remote"), "");
    repo.wf(&["sync", "two"]).ok();
    assert_eq!(config(&repo, "wf.remote"), "two");
    assert_eq!(fetch_refspecs(&repo, "two")[1..], ["+refs/wf/*:refs/wf-remotes/two/*"]);
    repo.wf(&["sync", "one"]).ok();
    assert_eq!(config(&repo, "wf.remote"), "two");
    assert_eq!(fetch_refspecs(&repo, "one").len(), 1);
    assert_eq!(repo.wf(&["sync"]).ok().stdout, "two: up to date\n");
}

#[test]
fn nothing_is_written_in_a_mirror() {
    let two = Two::new();
    let here = two.sandbox.root().join("mirror.git");
    two.ada
        .git(&["clone", "--quiet", "--mirror", two.origin.path().to_str().unwrap(), here.to_str().unwrap()])
        .ok();
    let mirror = two.sandbox.at("mirror.git");
    create(&two.ada, "ISS-001", 1);
    two.ada.wf(&["sync"]).ok();
    for args in [&["sync"][..], &["pull"], &["push"], &["init"]] {
        let ran = mirror.wf(args).fails(1);
        assert!(ran.stderr.contains("overwrites `refs/wf/main` with every fetch"), "{}", ran.stderr);
    }
    assert_eq!(mirror.tip().unwrap(), ROOT);
    assert_eq!(tracking(&mirror), None);
}

#[test]
fn a_store_that_was_created_is_announced_even_if_the_hooks_are_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let elsewhere = sandbox.root().join("elsewhere");
    repo.git(&["config", "core.hooksPath", elsewhere.to_str().unwrap()]).ok();
    let ran = repo.wf(&["init", "--hooks"]).fails(1);
    assert_eq!(ran.stdout, "created refs/wf/main\n");
    assert!(ran.stderr.contains("outside this repository"), "{}", ran.stderr);
    assert!(repo.tip().is_some());
}

#[test]
fn on_a_terminal_the_question_about_hooks_comes_first_and_once() {
    let sandbox = Sandbox::new();
    let hook = ".git/hooks/commit-msg";
    for (name, answer, is_installed) in [("a", "n\n", false), ("b", "\n", true)] {
        let repo = sandbox.repo(name);
        let (code, shown) = repo.on_terminal(answer, &["init"]);
        let (question, created) = (shown.find("Install the git hooks"), shown.find("created refs/wf/main"));
        assert!(code == 0 && question.is_some() && question < created, "{shown}");
        assert_eq!(repo.path().join(hook).exists(), is_installed, "{shown}");
        let (code, shown) = repo.on_terminal("y\n", &["init"]);
        assert!(code == 0 && !shown.contains("Install the git hooks"), "{shown}");
        assert_eq!(repo.path().join(hook).exists(), is_installed, "{shown}");
    }
    // Whoever stops there has no store.
    let repo = sandbox.repo("c");
    let (code, shown) = repo.interrupted_on_terminal("", "[Y/n]", &["init"]);
    assert!(code != 0 && repo.tip().is_none(), "{shown}");
}

#[test]
fn a_role_does_not_choose_where_the_store_is_pushed() {
    let two = Two::new();
    two.ada.git(&["remote", "add", "other", two.origin.path().to_str().unwrap()]).ok();
    let before = two.ada.read(".git/config");
    let planner = two.ada.with_env("WF_ROLE", "planner");
    for args in [&["init", "--remote", "other"][..], &["init"]] {
        let refused = planner.refused(1, args);
        assert_eq!(refused["code"], "not-your-role", "{refused}");
    }
    assert_eq!(two.ada.read(".git/config"), before);
    // A new clone may get the store that is there.
    let new = two.sandbox.clone(two.origin.path(), "new").with_env("WF_ROLE", "planner");
    new.wf(&["init"]).ok();
}

#[test]
fn without_its_remote_it_begins_with_what_a_fetch_brought() {
    let two = Two::new();
    two.ada.issue("ISS-001");
    two.ada.wf(&["sync"]).ok();
    let root = two.sandbox.root();
    let late = two.sandbox.clone(two.origin.path(), "late");
    late.git(&["fetch", "-q", "origin", "+refs/wf/*:refs/wf-remotes/origin/*"]).ok();
    std::fs::rename(two.origin.path(), root.join("away")).unwrap();
    let said = late.wf(&["init"]).ok().stderr;
    assert!(said.contains("git wf sync"), "{said}");
    assert_eq!(late.tip(), two.ada.tip());
}

#[test]
fn a_remote_whose_ref_is_a_branch_of_code_has_no_store() {
    let sandbox = Sandbox::new();
    let hub = sandbox.bare("hub");
    let one = sandbox.clone(hub.path(), "one");
    one.commit("a", "1\n", "code");
    one.git(&["push", "-q", "origin", &format!("HEAD:{REF}")]).ok();
    let error = sandbox.clone(hub.path(), "two").wf(&["init"]).fails(1).stderr;
    assert!(error.contains("cannot be merged") && error.contains("wf.json"), "{error}");
}
