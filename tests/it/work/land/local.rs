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
    let landing = &repo.json(&["show", "ISS-001"])["executions"][0]["lands"][0];
    assert_eq!((&landing["onto"], &landing["after"]), (&json!("refs/heads/main"), &json!(repo.id("main"))));
    assert!(landing["landed_by"].as_str().unwrap().starts_with("Ada "), "{landing}");
    let words = "1 commit landed on main by merge as ";
    for args in [["show", "ISS-001"], ["trace", "ISS-001"]] {
        let told = repo.wf(&args).ok().stdout;
        assert!(told.contains(words), "{args:?}: {told}");
    }
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

#[test]
fn a_hook_that_lands_does_not_run_at_once() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let hook = |word: &str| format!("#!/bin/sh\necho {word} >> ../ran\n");
    repo.commit(".githooks/post-merge", &hook("known"), "Add a hook");
    repo.sh(&["-c", "chmod +x .githooks/post-merge && git commit -qam 'Make it run'"]).ok();
    let ran = || std::fs::read_to_string(sandbox.root().join("ran")).unwrap_or_default();
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let changed = hook("new");
    repo.complete(&work("ISS-002", ".githooks/post-merge", &changed));
    repo.git(&["config", "core.hooksPath", ".githooks"]).ok();
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(ran(), "known\n");
    let landed = repo.wf(&["land", "ISS-002", "--yes"]).ok();
    assert_eq!((ran().as_str(), repo.read(".githooks/post-merge")), ("known\n", changed));
    assert!(landed.stderr.contains("`post-merge` did not run"), "{}", landed.stderr);
}

#[test]
fn what_names_nothing_is_no_item_unless_it_looks_like_one() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    assert_eq!(repo.refused(1, &["land", "I-9"])["message"], "there is no record `I-9`");
    assert_eq!(repo.refused(1, &["land", "S-9"])["message"], "there is no item `S-9`");
}

/// Ten issues whose branches each add a line to the changelog.
fn ten_with_a_changelog(repo: &crate::support::Repo) {
    for n in 0..10 {
        let (issue, file) = (format!("ISS-{n:03}"), format!("{n}.txt"));
        let mut plan = crate::support::plan_on(&file);
        plan["tasks"][0]["test"]["commands"] = json!([format!("grep -q '^- {issue}$' CHANGELOG.md")]);
        plan["tasks"][0]["modification_points"] = json!([
            {"file": file, "target": "all", "change": "all"},
            {"file": "CHANGELOG.md", "target": "the list", "change": "a line"}
        ]);
        repo.planned(&issue, &plan);
        repo.wf(&["queue", "add", &issue]).ok();
    }
    for n in 0..10 {
        let issue = format!("ISS-{n:03}");
        // Nothing waits for the review or the landing of another one that also adds a line.
        repo.git(&["switch", "--quiet", "-c", &format!("work-{issue}"), "main"]).ok();
        repo.wf(&["next"]).ok();
        repo.write(&format!("{n}.txt"), "text\n");
        let before = repo.read("CHANGELOG.md");
        repo.write("CHANGELOG.md", format!("{before}- {issue}\n"));
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "--quiet", "-m", &format!("Work on {issue}")]).ok();
        repo.wf(&["done"]).ok();
    }
    repo.git(&["switch", "--quiet", "main"]).ok();
}

#[test]
fn ten_branches_that_all_touch_the_changelog_land_by_the_attributes_of_the_target() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.write("CHANGELOG.md", "# Changes\n");
    repo.write(".gitattributes", "CHANGELOG.md merge=union\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "--quiet", "-m", "Begin a changelog"]).ok();
    ten_with_a_changelog(&repo);
    let answer = repo.wf(&["land", "--all", "--batch", "10", "--yes", "--json"]).ok().json();
    assert_eq!(answer["landed"].as_array().unwrap().len(), 10, "{answer:#}");
    let text = repo.read("CHANGELOG.md");
    assert_eq!(text.lines().filter(|line| line.starts_with("- ISS-")).count(), 10, "{text}");
}

#[test]
fn a_merge_driver_of_the_configuration_joins_what_attributes_name() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.write("CHANGELOG.md", "# Changes\n");
    repo.write(".gitattributes", "CHANGELOG.md merge=both\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "--quiet", "-m", "Begin a changelog"]).ok();
    // It can write its own files, and in a sandbox nothing else.
    let script =
        "cat %B >> %A; sort -u %A > joined; cat joined > %A; touch ../../../escaped 2>/dev/null; true";
    repo.git(&["config", "merge.both.driver", script]).ok();
    repo.complete(&work("ISS-001", "CHANGELOG.md", "# Changes\n- first\n"));
    repo.complete(&work("ISS-002", "CHANGELOG.md", "# Changes\n- second\n"));
    repo.wf(&["land", "--all", "--yes"]).ok();
    assert_eq!(repo.read("CHANGELOG.md"), "# Changes\n- first\n- second\n");
    repo.git(&["fsck", "--strict"]).ok();
}
