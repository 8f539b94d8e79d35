//! A claim counts only once the remote shows it where it is fetched from.

use super::*;
use crate::support::Ran;

/// What the server does after it has answered "ok".
fn afterwards(sandbox: &Sandbox, text: &str) {
    hook(sandbox, "post-receive", &format!("cat >/dev/null\n{text}\n"));
}

/// Both clones, with a claim of the second one that the hub does not show yet: once the first one pushes, the hub says
/// "ok", and shows the claim of the second one instead.
fn race_that_the_server_does_not_tell(sandbox: &Sandbox) -> (Repo, Repo) {
    let (one, two) = two_clones(sandbox);
    let hub = sandbox.root().join("hub");
    let before = published(&one);
    two.wf(&["next"]).ok();
    two.git(&["--git-dir", hub.to_str().unwrap(), "update-ref", "refs/heads/waiting", REF]).ok();
    two.git(&["--git-dir", hub.to_str().unwrap(), "update-ref", REF, &before]).ok();
    afterwards(sandbox, &format!("[ -e told ] || {{ : >told; git update-ref {REF} refs/heads/waiting; }}"));
    (one, two)
}

/// A fork of the hub to which this clone pushes.
fn fork(sandbox: &Sandbox, clone: &Repo, name: &str) {
    let fork = sandbox.root().join(name);
    clone.git(&["clone", "-q", "--mirror", "../hub", fork.to_str().unwrap()]).ok();
    clone.git(&["config", "remote.origin.pushurl", fork.to_str().unwrap()]).ok();
}

/// A mirror of the hub, from which this clone fetches: it is brought up to date when it is asked for the time with this number
/// after the hub took a push, or never.
fn mirror(sandbox: &Sandbox, clone: &Repo, at: Option<u32>) {
    let root = sandbox.root().display();
    clone.git(&["clone", "-q", "--mirror", "../hub", &format!("{root}/mirror")]).ok();
    clone.git(&["config", "remote.origin.url", &format!("{root}/mirror")]).ok();
    clone.git(&["config", "remote.origin.pushurl", &format!("{root}/hub")]).ok();
    afterwards(sandbox, ": >pushed");
    let at = at.map_or_else(|| "never".to_owned(), |at| at.to_string());
    let script = format!(
        "#!/bin/sh\nif [ -e {root}/hub/pushed ]; then\n  echo asked >>{root}/asked\n  \
         [ \"$(grep -c . {root}/asked)\" = {at} ] && git -C {root}/mirror fetch -q >&2\nfi\nexec git-upload-pack \"$@\"\n"
    );
    let path = sandbox.root().join("lags");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    clone.git(&["config", "remote.origin.uploadpack", path.to_str().unwrap()]).ok();
}

fn error_of(ran: Ran) -> Value {
    ran.fails(1).json_error()
}

#[test]
fn a_race_that_the_server_does_not_tell_is_lost() {
    let sandbox = Sandbox::new();
    let (one, two) = race_that_the_server_does_not_tell(&sandbox);
    assert_eq!(one.wf(&["next", "--json"]).fails(3).json_error()["code"], "nothing-to-do");
    assert!(sandbox.root().join("hub/told").exists());
    one.wf(&["sync"]).ok();
    assert_eq!(executions(&one, "ISS-001").len(), 1);
    assert_eq!((one.tip(), Some(published(&one))), (two.tip(), two.tip()));
}

#[test]
fn killed_before_such_a_server_was_asked_again() {
    let sandbox = Sandbox::new();
    let (one, two) = race_that_the_server_does_not_tell(&sandbox);
    one.with_env("WF_FAULT", "carried").wf(&["next"]).fails(-1);
    assert!(sandbox.root().join("hub/told").exists());
    // The claim that lost is in no ref but the tracking ref, which git itself moved.
    one.wf(&["sync"]).ok();
    assert_eq!(executions(&one, "ISS-001").len(), 1);
    assert_eq!(one.wf(&["next", "--json"]).fails(3).json_error()["code"], "nothing-to-do");
    assert_eq!(one.tip(), two.tip());
}

#[test]
fn killed_before_a_server_that_took_it_was_asked_again() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    one.with_env("WF_FAULT", "carried").wf(&["next"]).fails(-1);
    two.wf(&["next"]).fails(3);
    let claim = one.json(&["next"]);
    assert_eq!((&claim["issue_id"], &claim["attempt"]), (&json!("ISS-001"), &json!(1)));
    assert_eq!(executions(&one, "ISS-001").len(), 1);
    assert_eq!(Some(published(&one)), one.tip());
}

#[test]
fn nobody_holds_what_only_a_fork_has() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    for (clone, name) in [(&one, "fork-one"), (&two, "fork-two")] {
        fork(&sandbox, clone, name);
        let error = error_of(clone.wf(&["next", "--json"]));
        assert_eq!(error["code"], "not-shown", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("the claim was withdrawn: "), "{message}");
        for url in [name, "hub"] {
            assert!(message.contains(sandbox.root().join(url).to_str().unwrap()), "{message}");
        }
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains("git remote set-url --push origin"), "{hint}");
        assert_eq!(clone.status("ISS-001"), "queued");
        let shown = clone.wf(&["show", "ISS-001"]).ok().stdout;
        assert!(shown.contains("withdrawn, since the remote did not show it"), "{shown}");
        // The fork has both, or neither.
        let fork = published_at(clone, name);
        assert_eq!(Some(fork), clone.tip());
        assert!(!clone.path().join(".git/wf/claiming").exists());
        assert!(!clone.path().join(".git/wf/active.json").exists());
    }
    // Pushed to where it is fetched from, it counts.
    one.git(&["config", "--unset", "remote.origin.pushurl"]).ok();
    assert_eq!(one.json(&["next"])["via"], "origin");
    two.wf(&["sync"]).fails(1);
    two.git(&["config", "--unset", "remote.origin.pushurl"]).ok();
    two.wf(&["next"]).fails(3);
}

fn published_at(clone: &Repo, name: &str) -> String {
    clone.git(&["ls-remote", &format!("../{name}"), REF]).ok().line().split('\t').next().unwrap().to_owned()
}

#[test]
fn killed_before_a_claim_in_a_fork_was_withdrawn() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    fork(&sandbox, &one, "fork");
    one.with_env("WF_FAULT", "carried").wf(&["next"]).fails(-1);
    // A sync of the same clone, or another worktree, does not bring it to life.
    one.wf(&["sync"]).fails(1);
    assert!(executions(&one, "ISS-001").is_empty());
    two.wf(&["next"]).ok();
    one.git(&["config", "--unset", "remote.origin.pushurl"]).ok();
    one.wf(&["next"]).fails(3);
    assert_eq!(executions(&one, "ISS-001").len(), 1);
}

#[test]
fn killed_after_a_claim_came_here_that_the_remote_never_showed() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    fork(&sandbox, &one, "fork");
    // The remote shows the claim for a moment, and then is set back.
    let before = published(&two);
    one.git(&["config", "--unset", "remote.origin.pushurl"]).ok();
    one.with_env("WF_FAULT", "claimed").wf(&["next"]).fails(-1);
    let hub = sandbox.root().join("hub");
    two.git(&["--git-dir", hub.to_str().unwrap(), "update-ref", REF, &before]).ok();
    // Asked again, it has lost the claim, and this clone brings it back: it was shown, so it counts.
    assert_eq!(one.json(&["next"])["attempt"], 1);
    one.wf(&["sync"]).ok();
    two.wf(&["next"]).fails(3);
}

#[test]
fn a_mirror_that_lags_a_little_is_waited_for() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    mirror(&sandbox, &one, Some(2));
    let claim = one.json(&["next"]);
    assert_eq!((&claim["attempt"], &claim["via"]), (&json!(1), &json!("origin")));
    assert_eq!(Some(published(&two)), one.tip());
    two.wf(&["next"]).fails(3);
}

#[test]
fn a_claim_that_a_mirror_does_not_show_in_time_is_withdrawn_everywhere() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    mirror(&sandbox, &one, None);
    let error = error_of(one.wf(&["next", "--json"]));
    assert_eq!(error["code"], "not-shown", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("mirror"), "{error}");
    // The other clone sees the claim with its withdrawal, and takes the item.
    let claim = two.json(&["next"]);
    assert_eq!((&claim["issue_id"], &claim["attempt"]), (&json!("ISS-001"), &json!(2)));
    one.git(&["-C", "../mirror", "fetch", "-q"]).ok();
    one.wf(&["next"]).fails(3);
    let shown = json!(executions(&one, "ISS-001"));
    assert_eq!(column(&shown, "status"), ["superseded", "executing"]);
}

#[test]
fn who_lost_a_claim_behind_a_mirror_that_lags_is_not_offered_another_one_alone() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    mirror(&sandbox, &one, None);
    two.wf(&["next"]).ok();
    let error = error_of(one.wf(&["next", "--json"]));
    assert_eq!(error["code"], "raced", "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("others pushed to `refs/wf/main` of `origin` first"), "{message}");
    let mirror = sandbox.root().join("mirror");
    assert!(message.contains(&format!("`{}`, which is fetched from", mirror.display())), "{message}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("try again") && !hint.contains("--local"), "{hint}");
    one.git(&["-C", "../mirror", "fetch", "-q"]).ok();
    one.wf(&["next"]).fails(3);
}

#[test]
fn a_ref_that_the_server_hides_is_named_as_such() {
    let sandbox = Sandbox::new();
    let (one, _) = two_clones(&sandbox);
    one.git(&["-C", "../hub", "config", "uploadpack.hideRefs", "refs/wf"]).ok();
    one.wf(&["new", "Another", "--id", "ISS-009"]).ok();
    for args in [&["sync", "--json"][..], &["push", "--json"], &["next", "--json"]] {
        let error = error_of(one.wf(args));
        assert_eq!(error["code"], "not-shown", "{args:?}: {error}");
        assert!(error["message"].as_str().unwrap().contains("uploadpack.hideRefs"), "{args:?}: {error}");
        assert!(error["hint"].as_str().unwrap().contains("wf.ref refs/heads/wf/main"), "{args:?}: {error}");
    }
    one.git(&["-C", "../hub", "config", "--unset", "uploadpack.hideRefs"]).ok();
    assert_eq!(one.json(&["next"])["via"], "origin");
}

#[test]
fn a_ref_that_the_server_has_always_hidden_is_named_as_such() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    one.git(&["-C", "../hub", "config", "uploadpack.hideRefs", "refs/wf"]).ok();
    // This clone never saw what the other one pushed.
    two.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
    one.git(&["-C", "../hub", "update-ref", "refs/wf/main", "refs/heads/main"]).ok();
    two.wf(&["new", "Another", "--id", "ISS-010"]).ok();
    let error = error_of(two.wf(&["sync", "--json"]));
    assert!(error["message"].as_str().unwrap().contains("uploadpack.hideRefs"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("wf.ref refs/heads/wf/main"), "{error}");
}
