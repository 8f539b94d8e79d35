//! What a workplace is given, and what of the user it leaves alone.

use std::path::Path;

use super::{asked, assert_nothing_is_left, store};
use crate::support::Sandbox;

#[test]
fn a_workplace_keeps_what_it_was_given() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.git(&["tag", "-a", "-m", "v", "v1"]).ok();
    let script = "git -C $root tag -d v1; git -C $root gc -q --prune=now; git fsck --strict && git describe > $root/described";
    asked(&repo, script).ok();
    assert_eq!(repo.read("described"), "v1\n");
}

#[test]
fn tools_find_the_branches_of_remotes() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]).ok();
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]).ok();
    asked(&repo, "git rev-parse --symbolic-full-name origin > $root/found; git remote >> $root/found").ok();
    assert_eq!(repo.read("found"), "refs/remotes/origin/main\n");
}

#[test]
fn a_workplace_is_prepared() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.commit(".gitignore", ".env\n", "Ignore a file");
    repo.commit(".worktreeinclude", ".env\n", "Bring it");
    repo.commit(".wfconfig", "[wf \"workplace\"]\n\tsetup = touch made\n", "Set up worktrees");
    repo.write(".env", "KEY=1\n");
    let script = "cat .env > $root/found; echo $WF_SLOT $WF_PORT $WF_NAME | sed 's/_[^_]*$//' >> $root/found; ls >> $root/found";
    let ran = asked(&repo, script).ok();
    assert!(ran.stderr.contains("the setup commands were not run"), "{}", ran.stderr);
    assert_eq!(repo.read("found"), "KEY=1\n0 21000 wf_roadmap\nsrc\n");
    // Somebody agrees.
    repo.planned("ISS-003", &crate::support::plan_on("src/x.rs"));
    repo.wf(&["queue", "add", "ISS-003"]).ok();
    repo.wf(&["next", "--worktree", "--yes"]).ok();
    let ran = asked(&repo, script).ok();
    assert!(!ran.stderr.contains("the setup commands"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("changed its work tree"), "{}", ran.stderr);
    assert_eq!(repo.read("found"), "KEY=1\n1 21010 wf_roadmap\nmade\nsrc\n");
}

#[test]
fn what_changes_beside_the_workplace_is_reported_and_stays() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let ran =
        asked(&repo, "git -C $root branch other; echo two > $root/src/csv.rs; git -C $root tag v9").ok();
    let told = "someone changed this repository: refs/heads/other is new, refs/tags/v9 is new, M src/csv.rs";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(repo.read("src/csv.rs"), "two\n");
    let ran = asked(&repo, "git -C $root branch -q -D other; git -C $root checkout -q -b third").ok();
    for told in ["HEAD is on third", "refs/heads/third is new", "refs/heads/other is gone"] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
}

#[test]
fn a_partial_clone_is_refused() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.git(&["config", "remote.origin.promisor", "true"]).ok();
    let ran = asked(&repo, "true").fails(1);
    assert!(ran.stderr.contains("partial clone") && ran.stderr.contains("--filter"), "{}", ran.stderr);
    assert!(!repo.path().join(".git/wf/workplaces").exists());
}

#[test]
fn an_agent_works_in_a_shallow_clone() {
    let sandbox = Sandbox::new();
    let origin = store(&sandbox);
    origin.commit("src/csv.rs", "two\n", "Go on");
    let url = format!("file://{}", origin.path().display());
    origin.git(&["clone", "-q", "--depth=1", &url, "../shallow"]).ok();
    let repo = sandbox.at(sandbox.root().join("shallow").to_str().unwrap());
    repo.wf(&["init"]).ok();
    let script = "git log --oneline | wc -l | tr -d ' ' > $root/found; git fsck; git wf comment ISS-001 -m x";
    let ran = asked(&repo, script).ok();
    assert!(!ran.stderr.contains("was not recorded"), "{}", ran.stderr);
    assert_eq!(repo.read("found"), "1\n");
    assert_eq!(repo.json(&["show", "ISS-001"])["comments"][0]["body"], "x");
}

#[test]
fn workplaces_are_where_the_user_wants_them() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let root = sandbox.root().join("places");
    repo.git(&["config", "wf.workplace.root", root.to_str().unwrap()]).ok();
    asked(&repo, "pwd > $root/where; stat -c %a . .. > $root/modes").ok();
    assert!(Path::new(repo.read("where").trim()).starts_with(&root), "{}", repo.read("where"));
    assert_eq!(repo.read("modes"), "700\n700\n");
    std::fs::remove_dir(&root).unwrap();
    std::os::unix::fs::symlink(repo.path(), &root).unwrap();
    let ran = asked(&repo, "true").fails(1);
    assert!(ran.stderr.contains("places") && ran.stderr.contains("link"), "{}", ran.stderr);
}

#[test]
fn what_a_killed_process_left_behind_goes() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let folder = sandbox.root().join("a-roadmap-0");
    std::fs::create_dir_all(folder.join("locked")).unwrap();
    repo.write(".git/wf/workplaces/roadmap-0/lock", "");
    repo.git(&["update-ref", "refs/wf-kept/roadmap-0/x", "HEAD"]).ok();
    // One that is in use stays.
    let used = sandbox.root().join("a-roadmap-1");
    std::fs::create_dir(&used).unwrap();
    repo.write(".git/wf/workplaces/roadmap-1/lock", "");
    let lock = std::fs::File::open(repo.path().join(".git/wf/workplaces/roadmap-1/lock")).unwrap();
    lock.lock().unwrap();
    asked(&repo, "true").ok();
    assert!(!folder.exists() && used.exists());
    drop(lock);
    asked(&repo, "true").ok();
    assert_nothing_is_left(&sandbox, &repo);
}
