//! A remote with several URLs to push to: the one that is fetched from decides whether a claim holds.

use super::*;

/// A second URL for the pushes of a clone, before or after that of the hub: a mirror of it that refuses every push. The hub may
/// be spelled differently for pushes.
fn refusing_mirror(sandbox: &Sandbox, clone: &Repo, is_first: bool, is_same: bool) {
    let mirror = sandbox.root().join("mirror");
    let mirror = mirror.to_str().unwrap();
    clone.git(&["clone", "-q", "--mirror", "../hub", mirror]).ok();
    let hook = sandbox.root().join("mirror/hooks/pre-receive");
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let hub = if is_same {
        clone.git(&["config", "remote.origin.url"]).ok().line().to_owned()
    } else {
        format!("file://{}", sandbox.root().join("hub").display())
    };
    let urls = if is_first { [mirror, &hub] } else { [&hub, mirror] };
    for url in urls {
        clone.git(&["remote", "set-url", "--add", "--push", "origin", url]).ok();
    }
}

#[test]
fn a_mirror_that_refuses_a_push_takes_no_claim_away() {
    for (is_first, is_same) in [(true, true), (false, true), (true, false), (false, false)] {
        let sandbox = Sandbox::new();
        let (one, two) = two_clones(&sandbox);
        refusing_mirror(&sandbox, &one, is_first, is_same);
        let ran = one.wf(&["next"]).ok();
        assert!(ran.stderr.contains("another URL of `origin` did not take the push: `"), "{}", ran.stderr);
        assert!(ran.stderr.contains("mirror` (pre-receive hook declined)"), "{}", ran.stderr);
        assert_eq!(Some(published(&one)), one.tip());
        two.wf(&["sync"]).ok();
        assert_eq!(two.status("ISS-001"), "executing");
        one.wf(&["comment", "ISS-001", "-m", "x"]).ok();
        let ran = one.wf(&["sync"]).ok();
        assert!(ran.stderr.contains("another URL of `origin`"), "{}", ran.stderr);
        one.wf(&["comment", "ISS-001", "-m", "y"]).ok();
        let ran = one.wf(&["push"]).ok();
        assert!(ran.stderr.contains("another URL of `origin`"), "{}", ran.stderr);
        assert_eq!(Some(published(&one)), one.tip());
    }
}

#[test]
fn a_mirror_that_cannot_be_reached_is_named() {
    let sandbox = Sandbox::new();
    let (one, _) = two_clones(&sandbox);
    let hub = one.git(&["config", "remote.origin.url"]).ok().line().to_owned();
    let gone = sandbox.root().join("gone");
    for url in [hub.as_str(), gone.to_str().unwrap()] {
        one.git(&["remote", "set-url", "--add", "--push", "origin", url]).ok();
    }
    let said = one.wf(&["next"]).ok().stderr;
    assert!(said.contains("another URL of `origin` did not take the push: `"), "{said}");
    assert!(said.contains("gone` ("), "{said}");
    assert_eq!(Some(published(&one)), one.tip());
}
