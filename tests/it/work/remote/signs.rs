//! What shows that a claim goes on although its lease, as others know it, has run out.

use super::*;

/// A clone with hooks that has claimed the item, and another one.
fn one_at_work(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let (one, two) = two_clones(sandbox);
        one.wf(&["hooks", "install"]).ok();
        let next = one.wf(&["next"]).ok().stdout;
        assert!(next.contains(", renewed by each commit, which others see once it is pushed"), "{next}");
        two.wf(&["sync"]).ok();
        (one, two)
    })
}

fn until(repo: &Repo) -> String {
    repo.json(&["lease"])[0]["lease_expires_at"].as_str().unwrap().to_owned()
}

#[test]
fn a_commit_that_others_can_see_is_a_sign_of_life() {
    let sandbox = Sandbox::new();
    let (one, two) = one_at_work(&sandbox);
    sandbox.advance(LEASE - 60);
    one.commit("a.txt", "1\n", "work");
    // Without the hook, the push carries no records.
    one.git(&["push", "-q", "--no-verify", "origin", "main"]).ok();
    sandbox.advance(SKEW + 120);
    two.git(&["fetch", "-q"]).ok();
    for args in [&["next"][..], &["next", "ISS-001"]] {
        let refused = two.refused(3, args);
        assert!(refused["details"].to_string().contains("the work seems to go on"), "{refused}");
    }
    sandbox.advance(LEASE);
    assert_eq!(two.json(&["next"])["attempt"], 2);
}

#[test]
fn a_commit_from_the_far_future_holds_nothing() {
    let sandbox = Sandbox::new();
    let (one, two) = one_at_work(&sandbox);
    one.ahead(10 * 365 * 24 * 3600).commit("a.txt", "1\n", "work");
    one.git(&["push", "-q", "--no-verify", "origin", "main"]).ok();
    two.git(&["fetch", "-q"]).ok();
    sandbox.advance(LEASE + SKEW + 60);
    assert_eq!(two.json(&["next"])["attempt"], 2);
}

#[test]
fn a_push_of_code_publishes_a_renewal_before_it_is_too_late() {
    let sandbox = Sandbox::new();
    let (one, two) = one_at_work(&sandbox);
    let claimed = until(&two);
    one.commit("a.txt", "1\n", "work");
    let early = one.git(&["push", "-q", "origin", "main"]).ok().stderr;
    assert!(early.contains("2 records of refs/wf/main are not at origin yet"), "{early}");
    assert!(early.contains("`git wf sync origin` sends them"), "{early}");
    sandbox.advance(LEASE / 2 + 60);
    one.commit("a.txt", "2\n", "more work");
    let due = one.git(&["push", "-q", "origin", "main"]).ok().stderr;
    assert!(due.contains("git-wf: pushed "), "{due}");
    two.wf(&["sync"]).ok();
    assert!(until(&two) > claimed);
    assert_eq!(until(&two), until(&one));
    // Nothing is left to send.
    assert_eq!(one.git(&["push", "-q", "origin", "main:again"]).ok().stderr, "");
}

#[test]
fn whoever_wants_to_hear_nothing_of_records_says_so() {
    let sandbox = Sandbox::new();
    let (one, _) = one_at_work(&sandbox);
    one.git(&["config", "remote.origin.wfPush", "false"]).ok();
    one.commit("a.txt", "1\n", "work");
    assert_eq!(one.git(&["push", "-q", "origin", "main"]).ok().stderr, "");
}

#[test]
fn a_copy_that_somebody_else_committed_is_no_sign() {
    let sandbox = Sandbox::new();
    let (one, two) = one_at_work(&sandbox);
    one.commit("a.txt", "1\n", "work");
    one.git(&["push", "-q", "--no-verify", "origin", "main:work"]).ok();
    sandbox.advance(LEASE - 60);
    let bea = two.as_person("Bea", "bea@example.org");
    bea.git(&["fetch", "-q"]).ok();
    bea.git(&["cherry-pick", "origin/work"]).ok();
    sandbox.advance(SKEW + 120);
    assert_eq!(bea.json(&["next"])["attempt"], 2);
}

#[test]
fn a_push_of_code_elsewhere_publishes_a_renewal_too() {
    let sandbox = Sandbox::new();
    let (one, two) = one_at_work(&sandbox);
    sandbox.bare("fork");
    one.git(&["remote", "add", "mine", "../fork"]).ok();
    let claimed = until(&two);
    sandbox.advance(LEASE / 2 + 60);
    one.commit("a.txt", "1\n", "work");
    one.git(&["config", "remote.origin.wfPush", "false"]).ok();
    assert_eq!(one.git(&["push", "-q", "mine", "main"]).ok().stderr, "");
    one.git(&["config", "--unset", "remote.origin.wfPush"]).ok();
    let due = one.git(&["push", "-q", "mine", "main:again"]).ok().stderr;
    assert!(due.contains("git-wf: pushed ") && due.contains("to origin"), "{due}");
    two.wf(&["sync"]).ok();
    assert!(until(&two) > claimed);
}
