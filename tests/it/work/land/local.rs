//! Landing in a repository without a remote.

use serde_json::json;

use super::{Work, project, work};
use crate::support::Sandbox;

#[test]
fn work_is_merged_once_its_tests_have_passed_on_the_merged_tree() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    // The test needs a file that only the branch has, and one that only main has.
    let test = "test -f a.txt && test -f later.txt && echo tested >>../../ran";
    let own = repo.complete(&Work { issue: "ISS-001", file: "a.txt", text: "a\n", test });
    let before = repo.commit("later.txt", "later\n", "Later");
    let answer = repo.wf(&["land", "ISS-001", "--yes", "--json"]).ok().json();
    let landed = &answer["landed"][0];
    assert_eq!(landed["issue_id"], "ISS-001");
    assert_eq!((&landed["how"], &landed["before"]), (&json!("merge"), &json!(before)));
    assert_eq!(landed["commits"], json!([own]));
    assert_eq!(answer["not_landed"], json!([]));
    assert_eq!(repo.subjects("main")[..2], ["Merge ISS-001: About ISS-001", "Later"]);
    assert_eq!(repo.id("HEAD"), landed["after"].as_str().unwrap());
    assert_eq!(repo.read("a.txt"), "a\n", "the work tree follows");
    assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, "");
    let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
    assert!(!message.contains("Wf-"), "{message}");
    assert_eq!(repo.git(&["worktree", "list"]).ok().stdout.lines().count(), 1);
    assert!(repo.last_message().starts_with("land: ISS-001 on main\n\n"), "{}", repo.last_message());
    let error = repo.wf(&["land", "ISS-001", "--yes"]).fails(3);
    assert!(error.stderr.contains("`ISS-001` is already on `main`"), "{}", error.stderr);
    repo.wf(&["fsck"]).ok();
}

#[test]
fn a_landing_and_the_tests_that_passed_are_recorded() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.commit("later.txt", "later\n", "Later");
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    let path = |end: &str| {
        let paths = repo.store_paths().into_iter().filter(|it| it.contains("/log/"));
        let mut found: Vec<_> =
            paths.map(|it| repo.stored_json(&it)).filter(|it| it["type"] == end).collect();
        found.pop().unwrap_or_else(|| panic!("no entry `{end}`"))
    };
    let tree = repo.id("main^{tree}");
    assert_eq!((&path("land")["how"], &path("land")["tree"]), (&json!("merge"), &json!(tree)));
    assert_eq!(path("land")["onto"], "refs/heads/main");
    let check = path("check");
    assert_eq!(
        (&check["tree"], &check["dirty"], &check["exit_code"]),
        (&json!(tree), &json!(false), &json!(0))
    );
    repo.assert_ids();
}

#[test]
fn a_failed_test_keeps_work_off_the_branch() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    // It passes where the work was done, and not with what landed meanwhile.
    let test = "! test -f later.txt || { echo both are there; exit 4; }";
    repo.complete(&Work { issue: "ISS-001", file: "a.txt", text: "a\n", test });
    let before = repo.commit("later.txt", "later\n", "Later");
    let ran = repo.wf(&["land", "ISS-001", "--yes"]).fails(1);
    assert!(ran.stdout.contains("not landed ISS-001"), "{}", ran.stdout);
    assert!(ran.stdout.contains("failed with exit code 4 on the merged tree"), "{}", ran.stdout);
    assert!(ran.stdout.contains("both are there"), "{}", ran.stdout);
    assert_eq!(repo.id("main"), before);
    assert_eq!(repo.status("ISS-001"), "completed");
}

#[test]
fn the_tests_of_the_project_run_for_every_landing() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.git(&["config", "wf.land.test", "test ! -f a.txt"]).ok();
    let error = repo.refused(1, &["land", "ISS-001"]);
    assert_eq!(error["code"], "not-agreed");
    assert_eq!(error["details"], json!(["ISS-001 T1: true", "wf.land.test: test ! -f a.txt"]));
    let ran = repo.wf(&["land", "ISS-001", "--yes"]).fails(1);
    assert!(ran.stdout.contains("`test ! -f a.txt` failed with exit code 1"), "{}", ran.stdout);
    repo.git(&["config", "wf.land.test", "test -f a.txt"]).ok();
    let error = repo.refused(1, &["land", "ISS-001"]);
    assert_eq!(error["details"], json!(["wf.land.test: test -f a.txt"]), "only what is new is asked");
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
}

#[test]
fn a_branch_that_is_not_checked_out_moves_alone() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.git(&["switch", "--quiet", "-c", "elsewhere"]).ok();
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(repo.subjects("main")[0], "Merge ISS-001: About ISS-001");
    assert!(!repo.path().join("a.txt").exists());
    assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, "");
}

#[test]
fn issues_land_after_those_that_they_depend_on() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-002", "b.txt", "b\n"));
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    repo.wf(&["land", "--all", "--yes"]).ok();
    let subjects = repo.subjects("main");
    assert_eq!(subjects[..2], ["Merge ISS-002: About ISS-002", "Merge ISS-001: About ISS-001"]);
}

#[test]
fn commits_are_signed_where_git_is_configured_so() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    if repo.sh(&["-c", "command -v ssh-keygen"]).code != 0 {
        eprintln!("skipped: there is no `ssh-keygen`");
        return;
    }
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let key = sandbox.root().join("key").display().to_string();
    repo.sh(&["-c", &format!("ssh-keygen -q -t ed25519 -N '' -f '{key}'")]).ok();
    for (name, value) in [("gpg.format", "ssh"), ("user.signingKey", &key), ("commit.gpgSign", "true")] {
        repo.git(&["config", name, value]).ok();
    }
    for (how, branch) in [("merge", "one"), ("rebase", "two"), ("squash", "three")] {
        repo.git(&["branch", branch, "main"]).ok();
        repo.wf(&["land", "ISS-001", "--how", how, "--onto", branch, "--yes"]).ok();
        let commit = repo.git(&["cat-file", "commit", branch]).ok().stdout;
        assert!(commit.contains("gpgsig -----BEGIN SSH SIGNATURE-----"), "{how}: {commit}");
    }
}

#[test]
fn tests_are_confined_where_that_works() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let inside = repo.path().join("made-by-a-test");
    let test = format!("! touch '{}' 2>/dev/null && touch here", inside.display());
    repo.complete(&Work { issue: "ISS-001", file: "a.txt", text: "a\n", test: &test });
    repo.git(&["config", "wf.run.sandbox", "auto"]).ok();
    let ran = repo.wf(&["land", "ISS-001", "--yes"]);
    if ran.stderr.contains("the tests are not confined: ") {
        eprintln!("skipped: {}", ran.stderr);
        return;
    }
    ran.ok();
    assert!(!inside.exists());
}
