//! Worktrees that `next --worktree` creates are prepared: ignored files, submodules, setup commands, variables.

use std::os::unix::fs::symlink;

use crate::support::{Repo, Sandbox, plan_on};

/// A store with a queued plan whose test prints the variables of its place.
fn project(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        repo.commit(".gitignore", ".env*\nnode_modules\nsecret\n", "Ignore files");
        queue(&repo, "ISS-001", "src/a.rs");
        repo
    })
}

fn queue(repo: &Repo, issue: &str, file: &str) {
    let mut plan = plan_on(file);
    plan["tasks"][0]["test"]["commands"] = serde_json::json!(["echo $WF_SLOT $WF_PORT $WF_NAME"]);
    repo.planned(issue, &plan);
    repo.wf(&["queue", "add", issue]).ok();
}

/// The worktree of the next item, and the answer about it.
fn claimed(sandbox: &Sandbox, repo: &Repo) -> (Repo, serde_json::Value) {
    let claim = repo.json(&["next", "--worktree", "--yes"]);
    (sandbox.at(claim["path"].as_str().unwrap()), claim)
}

#[test]
fn ignored_files_that_are_named_come_along() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit(".worktreeinclude", ".env\nnode_modules\n*.txt\n", "Name them");
    repo.write(".env", "KEY=1\n");
    repo.write("node_modules/pkg/index.js", "1\n");
    symlink("pkg", repo.path().join("node_modules/alias")).unwrap();
    repo.write("secret", "not named\n");
    repo.write("new.txt", "named and not ignored\n");
    let (place, claim) = claimed(&sandbox, &repo);
    assert_eq!(claim["prepared"]["files"], 3);
    assert_eq!(place.read(".env"), "KEY=1\n");
    assert_eq!(place.read("node_modules/alias/index.js"), "1\n");
    assert!(!place.path().join("secret").exists() && !place.path().join("new.txt").exists());
    place.write(".env", "KEY=2\n");
    assert_eq!(repo.read(".env"), "KEY=1\n", "the copy is a file of its own");
}

#[test]
fn empty_directories_come_along_and_repositories_are_named_as_such() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit(".gitignore", "tmp/\ncache\nother\nnested\n", "Ignore directories");
    repo.commit(".worktreeinclude", "tmp\ncache/\nnested\n", "Name them");
    for folder in ["tmp", "cache/a/empty", "other"] {
        std::fs::create_dir_all(repo.path().join(folder)).unwrap();
    }
    repo.write("cache/b", "1\n");
    repo.git(&["init", "-q", "nested"]).ok();
    std::fs::create_dir_all(repo.path().join("nested/within")).unwrap();
    let ran = repo.wf(&["next", "--worktree", "../w"]).ok();
    assert!(ran.stderr.contains("`nested/` was not copied: it is a repository of its own"), "{}", ran.stderr);
    let there = |path: &str| sandbox.root().join("w").join(path).is_dir();
    assert!(there("tmp") && there("cache/a/empty"));
    assert!(!there("other") && !there("nested"));
}

#[test]
fn settings_are_read_where_work_lands() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.write(".env", "KEY=1\n");
    repo.git(&["switch", "--quiet", "-c", "feature"]).ok();
    repo.commit(".worktreeinclude", ".env\n", "An agent may have written this");
    let (place, claim) = claimed(&sandbox, &repo);
    assert_eq!(claim["prepared"]["files"], 0);
    assert!(!place.path().join(".env").exists());
    repo.git(&["config", "wf.land.onto", "feature"]).ok();
    queue(&repo, "ISS-002", "src/b.rs");
    let (place, _) = claimed(&sandbox, &repo);
    assert_eq!(place.read(".env"), "KEY=1\n");
}

#[test]
fn setup_commands_run_once_someone_agreed_to_them() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let config = "[wf \"workplace\"]\n\tsetup = echo installed >.env.local\n\tsetup = cat .env.local\n";
    repo.commit(".wfconfig", config, "Set up worktrees");
    let refused = repo.wf(&["next", "--worktree"]).fails(1);
    assert!(
        refused.stderr.contains("the setup commands of worktrees need your consent"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("echo installed >.env.local"), "{}", refused.stderr);
    assert_eq!(repo.status("ISS-001"), "queued", "nothing was claimed");
    let (place, claim) = claimed(&sandbox, &repo);
    assert_eq!(claim["prepared"]["commands"], 2);
    assert_eq!(place.read(".env.local"), "installed\n");
    // Consent is to these commands, here; others are shown again.
    queue(&repo, "ISS-002", "src/b.rs");
    repo.wf(&["next", "--worktree"]).ok();
    queue(&repo, "ISS-003", "src/c.rs");
    repo.git(&["config", "wf.workplace.setup", "echo other"]).ok();
    let refused = repo.wf(&["next", "--worktree"]).fails(1);
    assert!(
        refused.stderr.contains("echo other") && !refused.stderr.contains("installed"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_setup_command_that_fails_is_told_with_its_last_words() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    for command in ["true", "echo no network >&2; exit 7", "touch later"] {
        repo.git(&["config", "--add", "wf.workplace.setup", command]).ok();
    }
    let ran = repo.wf(&["next", "--worktree", "--yes"]).ok();
    let told =
        "setup command `echo no network >&2; exit 7` exited with 7, so the worktree is not ready: no network";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let place = ran.stdout.lines().find_map(|line| line.strip_prefix("  in ")).unwrap();
    assert!(!std::path::Path::new(place).join("later").exists());
    assert_eq!(repo.status("ISS-001"), "executing");
}

#[test]
fn settings_that_cannot_be_used_are_refused_before_the_claim() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit(".wfconfig", "[wf \"workplace\"]\n\tsetup = \"echo a\\nrm b\"\n", "Hide a command");
    let refused = repo.wf(&["next", "--worktree", "--yes"]).fails(1);
    assert!(refused.stderr.contains("a command of `wf.workplace.setup` cannot be run"), "{}", refused.stderr);
    repo.commit(".wfconfig", "[wf \"workplace\"\n", "Break it");
    let refused = repo.wf(&["next", "--worktree", "--yes"]).fails(1);
    assert!(
        refused.stderr.contains("error: `.wfconfig` cannot be read: bad config line 2\n"),
        "{}",
        refused.stderr
    );
    assert_eq!(repo.status("ISS-001"), "queued");
}

#[test]
fn each_place_has_its_own_slot_and_tests_see_it() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    queue(&repo, "ISS-002", "src/b.rs");
    let (first, claim) = claimed(&sandbox, &repo);
    let (second, other) = claimed(&sandbox, &repo);
    assert_eq!((&claim["prepared"]["slot"], &claim["prepared"]["port"]), (&0.into(), &21_000.into()));
    assert_eq!((&other["prepared"]["slot"], &other["prepared"]["port"]), (&1.into(), &21_010.into()));
    let name = claim["prepared"]["name"].as_str().unwrap();
    let checks = first.wf(&["verify", "--yes", "--json"]).ok().json();
    assert_eq!(checks["checks"][0]["output_tail"], format!("0 21000 {name}\n"));
    drop(second);
    // A directory that is gone gives its slot back.
    repo.git(&["worktree", "remove", "--force", first.path().to_str().unwrap()]).ok();
    queue(&repo, "ISS-003", "src/c.rs");
    assert_eq!(claimed(&sandbox, &repo).1["prepared"]["slot"], 0);
}

#[test]
fn submodules_come_from_this_machine() {
    let sandbox = Sandbox::new();
    let (inner, outer) = (sandbox.repo("inner"), sandbox.repo("outer"));
    inner.commit("i", "inner\n", "Start");
    let from_disk = ["-c", "protocol.file.allow=always"];
    let add = |repo: &Repo, url: &Repo, path: &str| {
        let url = url.path().to_str().unwrap();
        repo.git(&[&from_disk[..], &["submodule", "--quiet", "add", url, path]].concat()).ok();
        repo.git(&["commit", "--quiet", "-m", "Add a submodule"]).ok();
    };
    outer.commit("o", "outer\n", "Start");
    add(&outer, &inner, "nested");
    let repo = project(&sandbox);
    add(&repo, &outer, "lib/outer");
    repo.git(&[&from_disk[..], &["submodule", "--quiet", "update", "--init", "--recursive"]].concat()).ok();
    for gone in ["inner", "outer"] {
        std::fs::rename(sandbox.root().join(gone), sandbox.root().join(format!("{gone}.gone"))).unwrap();
    }
    let (place, claim) = claimed(&sandbox, &repo);
    assert_eq!(claim["prepared"]["submodules"], serde_json::json!(["lib/outer", "lib/outer/nested"]));
    assert_eq!(place.read("lib/outer/nested/i"), "inner\n");
    assert_eq!(place.git(&["status", "--porcelain"]).ok().stdout, "");
    let remote = place.git(&["-C", "lib/outer", "remote", "get-url", "origin"]).ok();
    assert_eq!(remote.line(), outer.path().to_str().unwrap());
}

#[test]
fn a_submodule_that_is_not_here_is_named() {
    let sandbox = Sandbox::new();
    let other = sandbox.repo("other");
    other.commit("o", "o\n", "Start");
    let repo = project(&sandbox);
    let url = other.path().to_str().unwrap();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "lib"]).ok();
    repo.git(&["commit", "--quiet", "-m", "Add a submodule"]).ok();
    let clone = sandbox.clone(&repo, "clone");
    clone.wf(&["init"]).ok();
    let ran = clone.wf(&["next", "--worktree"]).ok();
    assert!(
        ran.stderr.contains("submodule `lib` is empty, since it is not checked out here either"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_test_that_lacks_a_module_says_how_worktrees_are_prepared() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut plan = plan_on("src/a.rs");
    plan["tasks"][0]["test"]["commands"] =
        serde_json::json!(["echo \"Error: Cannot find module 'tape'\"; exit 1"]);
    repo.planned("ISS-001", &plan);
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    let (place, _) = claimed(&sandbox, &repo);
    let ran = place.wf(&["verify", "--yes"]).fails(1);
    assert!(
        ran.stderr.contains("`wf.workplace.setup` names commands that prepare worktrees"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_claim_that_was_interrupted_is_prepared_when_it_is_found_again() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit(".wfconfig", "[wf \"workplace\"]\n\tsetup = touch prepared\n", "Set up");
    let args = ["next", "--worktree=../there", "--yes"];
    assert_ne!(repo.with_env("WF_FAULT", "claimed").wf(&args).code, 0);
    repo.wf(&args).ok();
    assert!(sandbox.root().join("there/prepared").exists());
}

#[test]
fn a_target_that_only_the_remote_has_counts_and_one_that_nobody_has_is_refused() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit(".wfconfig", "[wf \"workplace\"]\n\tsetup = touch prepared\n", "Set up");
    repo.git(&["update-ref", "refs/remotes/origin/release", "HEAD"]).ok();
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    repo.git(&["config", "wf.land.onto", "release"]).ok();
    let refused = repo.wf(&["next", "--worktree=../there"]).fails(1);
    assert!(refused.stderr.contains("touch prepared"), "{}", refused.stderr);
    assert!(refused.stderr.contains("/there --yes` agrees to them"), "{}", refused.stderr);
    repo.git(&["config", "wf.land.onto", "nowhere"]).ok();
    let refused = repo.wf(&["next", "--worktree=../there", "--yes"]).fails(1);
    assert!(refused.stderr.contains("work is to land on `nowhere`"), "{}", refused.stderr);
    assert_eq!(repo.status("ISS-001"), "queued");
}
