//! What the hooks refuse to someone who set `WF_ROLE`.

use super::{Bound, id};

#[test]
fn a_commit_is_the_work_of_an_executor() {
    let it = Bound::new();
    let before = id(&it.repo, "HEAD");
    it.repo.write("a", "1\n");
    it.repo.git(&["add", "."]).ok();
    for (role, who) in [
        ("explorer", "an explorer"),
        ("planner", "a planner"),
        ("reviewer", "a reviewer"),
        ("integrator", "an integrator"),
        ("coordinator", "a coordinator"),
    ] {
        let ran = it.repo.with_env("WF_ROLE", role).git(&["commit", "-q", "-m", "work"]).fails(1);
        assert!(ran.stderr.contains(&format!("{who} may not commit")), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: only an executor or an owner may"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("--no-verify"), "{}", ran.stderr);
    }
    let ran = it.repo.with_env("WF_ROLE", "planer").git(&["commit", "-q", "-m", "work"]).fails(1);
    assert!(ran.stderr.contains("WF_ROLE is `planer`, which is not a role"), "{}", ran.stderr);
    assert_eq!(id(&it.repo, "HEAD"), before);
    it.repo.with_env("WF_ROLE", "executor").git(&["commit", "-q", "-m", "work"]).ok();
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
}

#[test]
fn a_push_of_code_is_the_work_of_an_executor() {
    let it = Bound::new();
    it.sandbox.bare("far.git");
    it.repo.git(&["remote", "add", "origin", "../far.git"]).ok();
    let planner = it.repo.with_env("WF_ROLE", "planner");
    let ran = planner.git(&["push", "-q", "origin", "main"]).fails(1);
    assert!(ran.stderr.contains("a planner may not push"), "{}", ran.stderr);
    assert_eq!(it.repo.git(&["ls-remote", "origin"]).ok().stdout, "");
    planner.git(&["push", "-q", "origin", "refs/wf/main"]).ok();
    planner.git(&["push", "-q", "origin", "refs/wf/main", "main"]).fails(1);
    it.repo.with_env("WF_ROLE", "executor").git(&["push", "-q", "origin", "main", "main:side"]).ok();
    planner.git(&["push", "-q", "origin", ":side"]).fails(1);
    it.repo.git(&["push", "-q", "origin", ":side"]).ok();
}

#[test]
fn without_a_store_a_role_means_nothing() {
    let sandbox = crate::support::Sandbox::new();
    let repo = super::with_hooks(&sandbox, "repo");
    repo.with_env("WF_ROLE", "planner").git(&["commit", "-q", "--allow-empty", "-m", "work"]).ok();
}
