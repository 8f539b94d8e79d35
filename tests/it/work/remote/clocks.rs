//! Claims between clones whose clocks differ.

use super::*;

/// A clone, and another one whose clock is five hours ahead.
fn one_ahead(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let (one, _) = two_clones(sandbox);
        let early = sandbox.clone(sandbox.root().join("hub"), "early").ahead(5 * 3600);
        early.git(&["switch", "-q", "-C", "main", "origin/main"]).ok();
        early.wf(&["init"]).ok();
        (one, early)
    })
}

#[test]
fn a_clock_that_is_hours_ahead_takes_nothing_over() {
    let sandbox = Sandbox::new();
    let (one, early) = one_ahead(&sandbox);
    one.wf(&["next"]).ok();
    early.wf(&["next"]).fails(3);
    sandbox.advance(LEASE);
    early.wf(&["next"]).fails(3);
    // Once the time has passed by its own clock, too, it counts as passed.
    sandbox.advance(SKEW + 60);
    assert_eq!(early.json(&["next"])["attempt"], 2);
}

#[test]
fn a_lease_that_was_renewed_is_as_young_as_its_renewal() {
    let sandbox = Sandbox::new();
    let (one, early) = one_ahead(&sandbox);
    one.wf(&["next"]).ok();
    early.wf(&["sync"]).ok();
    sandbox.advance(LEASE - 60);
    one.wf(&["lease", "renew"]).ok();
    sandbox.advance(SKEW);
    early.wf(&["next"]).fails(3);
    sandbox.advance(LEASE);
    early.wf(&["next"]).ok();
}

#[test]
fn a_clock_that_is_hours_ahead_takes_nothing_over_that_it_has_just_met() {
    let sandbox = Sandbox::new();
    let (one, early) = one_ahead(&sandbox);
    // Its last view of the remote is older than a whole lease.
    sandbox.advance(2 * LEASE);
    one.wf(&["next"]).ok();
    // A commit of its own does not confirm its clock.
    early.wf(&["comment", "ISS-001", "-m", "from five hours ahead"]).ok();
    early.wf(&["sync"]).ok();
    let refused = early.refused(3, &["next"]);
    assert!(refused.to_string().contains("only this machine's clock"), "{refused}");
    sandbox.advance(LEASE + SKEW + 60);
    assert_eq!(early.json(&["next"])["attempt"], 2);
}

#[test]
fn a_new_clone_needs_the_date_of_somebody_else() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    one.wf(&["next"]).ok();
    sandbox.advance(LEASE + SKEW + 60);
    let new = sandbox.clone(sandbox.root().join("hub"), "new");
    new.git(&["switch", "-q", "-C", "main", "origin/main"]).ok();
    new.wf(&["init"]).ok();
    new.wf(&["next"]).fails(3);
    new.refused(3, &["next", "ISS-001"]);
    two.wf(&["comment", "ISS-001", "-m", "is anyone there?"]).ok();
    two.wf(&["sync"]).ok();
    assert_eq!(new.json(&["next"])["attempt"], 2);
}

#[test]
fn the_only_clone_takes_over_by_its_own_clock() {
    let sandbox = Sandbox::new();
    sandbox.bare("hub");
    let one = sandbox.clone(sandbox.root().join("hub"), "one");
    one.commit("a.txt", "a", "first");
    one.wf(&["init"]).ok();
    one.queued("ISS-001", "src/a.rs");
    one.wf(&["next"]).ok();
    let beside = one.worktree("beside", "side");
    sandbox.advance(LEASE + SKEW - 60);
    beside.wf(&["next"]).fails(3);
    sandbox.advance(120);
    assert_eq!(beside.json(&["next"])["attempt"], 2);
}

/// Someone else decided meanwhile, which this clone does not know yet.
#[test]
fn a_release_and_a_retry_ask_the_remote_first() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    one.wf(&["next"]).ok();
    two.wf(&["sync"]).ok();
    two.wf(&["lease", "release", "ISS-001", "--force", "--reason", "she is away"]).ok();
    two.wf(&["sync"]).ok();
    two.wf(&["next"]).ok();
    let refused = one.wf(&["lease", "release"]).fails(1);
    assert_eq!(one.status("ISS-001"), "executing", "{}", refused.stderr);
    two.wf(&["fail", "-m", "no"]).ok();
    one.wf(&["sync"]).ok();
    two.wf(&["retry", "ISS-001"]).ok();
    two.wf(&["sync"]).ok();
    let tip = one.tip();
    one.wf(&["retry", "ISS-001"]).fails(3);
    assert_ne!(one.tip(), tip, "it brought in what the other did");
    assert_eq!(one.status("ISS-001"), "queued");
    // What cannot be asked does not stop anyone.
    two.wf(&["next"]).ok();
    two.wf(&["fail", "-m", "no"]).ok();
    one.wf(&["sync"]).ok();
    away(&sandbox);
    let retried = one.wf(&["retry", "ISS-001"]).ok();
    assert!(retried.stderr.contains("warning: could not fetch from `origin`"), "{}", retried.stderr);
}
