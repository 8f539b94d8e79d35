//! `pre-push`: the store is pushed too if that is configured, and never prevents a push.

use super::{Bound, id, script};

fn there(it: &Bound) -> String {
    it.repo.git(&["ls-remote", "origin", "refs/wf/main"]).ok().line().split('\t').next().unwrap().to_owned()
}

fn with_remote() -> Bound {
    let it = Bound::new();
    it.sandbox.bare("far.git");
    it.repo.git(&["remote", "add", "origin", "../far.git"]).ok();
    it
}

#[test]
fn the_ref_goes_along_only_where_it_is_asked_for() {
    let it = with_remote();
    it.repo.commit("a", "1\n", "work");
    let ran = it.repo.git(&["push", "-q", "origin", "main"]).ok();
    assert_eq!((ran.stderr.as_str(), there(&it).as_str()), ("", ""));
    it.repo.git(&["config", "remote.origin.wfPush", "true"]).ok();
    it.repo.commit("a", "2\n", "more work");
    // git runs the hook without telling it that nothing is pushed.
    for only_tries in ["--dry-run", "-qn"] {
        it.repo.git(&["push", "-q", only_tries, "origin", "main"]).ok();
        assert_eq!(there(&it), "");
    }
    let ran = it.repo.git(&["push", "-q", "origin", "main"]).ok();
    assert!(ran.stderr.starts_with("git-wf: pushed "), "{}", ran.stderr);
    assert_eq!(there(&it), it.repo.tip().unwrap());
    let ran = it.repo.git(&["push", "-q", "origin", "main:again"]).ok();
    assert_eq!(ran.stderr, "", "nothing new");
    // A URL is not a remote, and one of several URLs is enough.
    let far = it.sandbox.root().join("far.git");
    it.repo.commit("a", "3\n", "still more");
    let before = there(&it);
    it.repo.git(&["push", "-q", far.to_str().unwrap(), "main"]).ok();
    assert_eq!(there(&it), before);
}

#[test]
fn with_several_addresses_it_runs_once() {
    let it = with_remote();
    it.sandbox.bare("farther.git");
    for url in ["../far.git", "../farther.git"] {
        it.repo.git(&["remote", "set-url", "--add", "--push", "origin", url]).ok();
    }
    it.repo.git(&["config", "remote.origin.wfPush", "true"]).ok();
    let ran = it.repo.git(&["push", "-q", "origin", "main"]).ok();
    assert_eq!(ran.stderr.matches("git-wf: ").count(), 1, "{}", ran.stderr);
}

#[test]
fn a_push_of_the_ref_itself_is_the_users() {
    let it = with_remote();
    it.repo.git(&["config", "remote.origin.wfPush", "true"]).ok();
    let ran = it.repo.git(&["push", "-q", "origin", "main", "refs/wf/main"]).ok();
    assert_eq!(ran.stderr, "");
    assert_eq!(there(&it), it.repo.tip().unwrap());
}

#[test]
fn what_others_pushed_is_merged() {
    let it = with_remote();
    it.repo.git(&["config", "remote.origin.wfPush", "true"]).ok();
    it.repo.git(&["push", "-q", "origin", "main"]).ok();
    let other = it.sandbox.clone("far.git", "other");
    other.wf(&["init"]).ok();
    other.wf(&["new", "--id", "ISS-900", "From afar"]).ok();
    other.wf(&["sync"]).ok();
    it.repo.commit("a", "1\n", "work");
    it.repo.git(&["push", "-q", "origin", "main"]).ok();
    it.repo.wf(&["show", "ISS-900"]).ok();
    assert_eq!(there(&it), it.repo.tip().unwrap());
}

#[test]
fn a_push_goes_on_whatever_becomes_of_the_ref() {
    let it = with_remote();
    it.repo.git(&["config", "remote.origin.wfPush", "true"]).ok();
    script(&it.sandbox, "far.git/hooks/update", "case $1 in refs/wf/*) echo not here >&2; exit 1;; esac");
    let ran = it.repo.git(&["push", "-q", "origin", "main"]).ok();
    assert!(ran.stderr.contains("git-wf: refs/wf/main was not pushed"), "{}", ran.stderr);
    assert!(ran.stderr.contains("git wf sync origin"), "{}", ran.stderr);
    let main = it.repo.git(&["ls-remote", "origin", "refs/heads/main"]).ok();
    assert!(main.stdout.starts_with(&id(&it.repo, "main")));
    assert_eq!(there(&it), "");
}
