//! With a detached HEAD, as in every workspace of jj: the way to work is named, and it works.

use crate::support::{Repo, Sandbox};

#[test]
fn the_way_to_work_on_a_detached_head_is_named_and_works() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "1\n", "begin");
    repo.queued("ISS-001", "a.txt");
    repo.git(&["checkout", "-q", "--detach"]).ok();
    let home = repo.wf(&[]).ok().stdout;
    assert!(home.contains("next:  git wf next --worktree"), "{home}");
    let error = repo.refused(1, &["next"]);
    assert_eq!(error["code"], "detached-head");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.starts_with("`git wf next --worktree`") && hint.contains("`git switch -c NAME`"), "{hint}");
    let claimed = repo.json(&["next", "--worktree"]);
    let there: Repo = sandbox.at(std::path::Path::new(claimed["path"].as_str().unwrap())
        .file_name()
        .unwrap()
        .to_str()
        .unwrap());
    assert_eq!(there.git(&["rev-parse", "HEAD"]).ok().line(), repo.git(&["rev-parse", "HEAD"]).ok().line());
    there.commit("a.txt", "2\n", "work");
    there.wf(&["done"]).ok();
    assert_eq!(repo.status("ISS-001"), "completed");
    // HEAD is where it was.
    repo.git(&["symbolic-ref", "-q", "HEAD"]).fails(1);
}

#[test]
fn done_names_the_commits_that_were_left_on_a_detached_head() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "1\n", "begin");
    repo.queued("ISS-001", "a.txt");
    repo.wf(&["next"]).ok();
    repo.commit("a.txt", "2\n", "linked");
    repo.git(&["checkout", "-q", "--detach"]).ok();
    let left = repo.commit("a.txt", "3\n", "left behind");
    let ran = repo.wf(&["done"]).ok();
    let words =
        format!("HEAD is detached, and a commit on it is linked to no plan: {} \"left behind\"", &left[..10]);
    assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    assert!(ran.stderr.contains("git wf link COMMIT ISS-001"), "{}", ran.stderr);
}
