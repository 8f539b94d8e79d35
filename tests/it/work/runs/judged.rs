//! What an agent of a run hands in, or puts in the place of its workplace, as the gate judges it.

use super::world::{BUILDS, World};

/// A file that git ignores and agents get, with content that is no secret in other places.
#[test]
fn only_what_is_the_users_own_is_a_secret() {
    let world = World::new();
    let repo = &world.repo;
    repo.write(".gitignore", ".env\nnode_modules\n");
    repo.write(".worktreeinclude", ".env\nnode_modules\n");
    repo.write("sample.env", "KEY=sample\n");
    repo.git(&["add", "--all"]).ok();
    repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    repo.write(".env", "KEY=sample\n");
    repo.write("node_modules/dep/package.json", "{\"type\":\"module\"}\n");
    let acts =
        "cp .env other.env; cp node_modules/dep/package.json package.json; git add other.env package.json";
    world.agent("executor", &format!("{{ {acts}; }} >&2\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
}

#[test]
fn a_commit_that_the_user_merely_has_is_judged() {
    let world = World::new();
    let repo = &world.repo;
    repo.write(".gitignore", ".env\n");
    repo.write(".worktreeinclude", ".env\n");
    repo.git(&["add", "--all"]).ok();
    repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    repo.write(".env", "KEY=secret\n");
    let leak = repo.commit("leak.txt", "KEY=secret\n", "Add it by mistake");
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    world.agent("executor", &format!("git merge -q --no-ff -m Merge {leak} >&2\n{BUILDS}"));
    let state = world.run(1, &["ISS-1"]);
    let error = state["issues"]["ISS-1"]["error"].as_str().unwrap();
    assert!(error.contains("`leak.txt` the content of `.env`"), "{error}");
}

#[test]
fn what_was_given_may_be_merged() {
    let world = World::new();
    let repo = &world.repo;
    let main = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    let release = repo.commit("release.txt", "1\n", "Release");
    repo.git(&["update-ref", "refs/remotes/origin/release", &release]).ok();
    repo.git(&["reset", "-q", "--hard", &main]).ok();
    world.agent("executor", &format!("git merge -q --no-ff -m Merge origin/release >&2\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
}

#[test]
fn a_link_in_the_place_of_a_workplace_leaves_the_users_repository_alone() {
    let world = World::new();
    let git_dir = world.repo.path().join(".git/HEAD");
    let script =
        "echo left > left.txt; d=$PWD; cd ..; mv $d \"$HERE/moved\"; ln -s \"$HERE/code\" $d; cd \"$HERE\"";
    world.agent("executor", &format!("{{ {script}; }} >&2\necho '{{\"status\": \"failed\"}}'"));
    world.run(1, &["ISS-1"]);
    assert!(git_dir.is_file());
    assert_eq!(world.repo.git(&["for-each-ref", "refs/heads/wf/kept"]).ok().stdout, "");
    world.is_untouched();
}

#[test]
fn a_repository_without_a_commit_among_the_leftovers_does_no_harm() {
    let world = World::new();
    world.agent("executor", &format!("git init -q inner >&2; echo 1 > left.txt\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let kept = world.repo.git(&["for-each-ref", "--format=%(refname)", "refs/heads/wf/kept"]).ok();
    let listed = world.repo.git(&["ls-tree", "--name-only", kept.line()]).ok().stdout;
    assert!(listed.contains("left.txt") && !listed.contains("inner"), "{listed}");
}
