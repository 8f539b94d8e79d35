//! Remotes that were renamed or removed: the store goes to no remote that nobody chose for it.

use super::executions;
use crate::support::{REF, Repo, Two};

fn tip(repo: &Repo) -> String {
    repo.git(&["rev-parse", REF]).ok().line().to_owned()
}

/// Bea's `origin` is called `upstream` now, and a public fork is `origin`.
fn renamed(two: &Two) -> Repo {
    let public = two.sandbox.bare("public.git");
    two.bea.git(&["remote", "rename", "origin", "upstream"]).ok();
    two.bea.git(&["remote", "add", "origin", "../public.git"]).ok();
    public
}

/// A claim names its remote as the clone knows it that made the claim.
#[test]
fn an_end_goes_to_the_remote_of_the_store_whatever_the_claim_calls_it() {
    let two = Two::new();
    let Two { origin, ada, bea, .. } = &two;
    ada.queued("ISS-001", "a.txt");
    ada.wf(&["sync"]).ok();
    ada.wf(&["next"]).ok();
    assert_eq!(executions(ada, "ISS-001")[0]["via"], "origin");
    let public = renamed(&two);
    bea.git(&["config", "wf.remote", "upstream"]).ok();
    bea.wf(&["sync"]).ok();
    bea.wf(&["lease", "release", "ISS-001", "--force", "--reason", "gone"]).ok();
    assert_eq!(public.git(&["for-each-ref"]).ok().stdout, "");
    assert_eq!(tip(origin), tip(bea));
}

#[test]
fn a_setting_that_names_the_remote_by_its_old_name_is_refused() {
    let two = Two::new();
    let Two { origin, ada, bea, .. } = &two;
    ada.queued("ISS-001", "a.txt");
    ada.wf(&["sync"]).ok();
    bea.git(&["config", "wf.remote", "origin"]).ok();
    bea.wf(&["sync"]).ok();
    let public = renamed(&two);
    for args in [&["sync"][..], &["next"], &["push"]] {
        let error = bea.refused(1, args);
        assert_eq!(error["code"], "unknown-remote", "{error}");
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains("`git config wf.remote upstream`"), "{hint}");
        assert!(hint.contains("`git wf init --remote origin`"), "{hint}");
    }
    assert_eq!(public.git(&["for-each-ref"]).ok().stdout, "");
    bea.git(&["config", "wf.remote", "upstream"]).ok();
    bea.wf(&["next"]).ok();
    assert_eq!(tip(origin), tip(bea));
    // Or the other one is meant.
    bea.git(&["config", "wf.remote", "origin"]).ok();
    bea.wf(&["init", "--remote", "origin"]).ok();
    bea.wf(&["sync"]).ok();
    assert_eq!(tip(&public), tip(bea));
}

#[test]
fn a_remote_that_was_renamed_is_still_the_one_of_the_store() {
    let two = Two::new();
    let Two { origin, ada, bea, .. } = &two;
    ada.queued("ISS-001", "a.txt");
    ada.wf(&["sync"]).ok();
    bea.git(&["config", "--unset", "wf.remote"]);
    let public = renamed(&two);
    let claim = bea.json(&["next"]);
    assert_eq!((&claim["issue_id"], &claim["via"]), (&"ISS-001".into(), &"upstream".into()));
    assert_eq!(tip(origin), tip(bea));
    assert_eq!(public.git(&["for-each-ref"]).ok().stdout, "");
}

#[test]
fn an_end_that_no_remote_gets_is_announced() {
    let two = Two::new();
    let Two { ada, bea, .. } = &two;
    ada.queued("ISS-001", "a.txt");
    ada.wf(&["sync"]).ok();
    bea.wf(&["next"]).ok();
    bea.git(&["config", "--unset", "wf.remote"]);
    bea.git(&["remote", "remove", "origin"]).ok();
    let ended = bea.done();
    assert!(ended.stderr.contains("this is recorded here only"), "{}", ended.stderr);
}

#[test]
fn an_end_that_two_remotes_could_get_says_which_there_are() {
    let two = Two::new();
    let Two { origin, ada, bea, .. } = &two;
    ada.queued("ISS-001", "a.txt");
    ada.wf(&["sync"]).ok();
    bea.wf(&["next"]).ok();
    bea.git(&["config", "--unset", "wf.remote"]);
    bea.git(&["remote", "add", "backup", origin.path().to_str().unwrap()]).ok();
    bea.git(&["config", "--add", "remote.backup.fetch", "+refs/wf/*:refs/wf-remotes/backup/*"]).ok();
    let ended = bea.done();
    for words in [
        "through the remote `origin`, and nothing says which remote `refs/wf/main` belongs to: `backup`, `origin`",
        "`git wf sync origin`",
    ] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    bea.wf(&["sync", "origin"]).ok();
    assert_eq!(tip(origin), tip(bea));
}
