//! While a lease lasts, only its holder ends the claim.

use serde_json::json;

use super::claims::two_clones;
use crate::support::{Repo, Sandbox, column};

const LEASE: i64 = 4 * 3600 + 11 * 60;

/// Two clones, the first of which executes the one item, and the second knows it.
fn executed(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let (one, two) = two_clones(sandbox);
        one.wf(&["next"]).ok();
        two.wf(&["sync"]).ok();
        (one, two)
    })
}

#[test]
fn another_person_ends_nothing() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    for args in [
        &["done", "S-1"][..],
        &["fail", "S-1", "-m", "no"],
        &["lease", "release", "S-1"],
        &["lease", "renew", "S-1"],
    ] {
        let error = two.refused(1, args);
        assert_eq!(error["code"], "claim-of-another", "{args:?}");
        assert!(error["message"].as_str().unwrap().contains("Ada <ada@example.org>"), "{error}");
    }
    assert_eq!(two.refused(1, &["queue", "hold", "S-1", "-m", "wait"])["code"], "begun");
    one.wf(&["fail", "-m", "no"]).ok();
}

#[test]
fn nor_records_what_carries_it_out() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    one.wf(&["link", "HEAD", "ISS-001"]).ok();
    one.wf(&["accept", "T1", "1", "-m", "seen by Ada"]).ok();
    one.wf(&["sync"]).ok();
    two.wf(&["sync"]).ok();
    let other = two.commit("src/b.rs", "b", "another");
    let all = [
        &["link", &other, "ISS-001"][..],
        &["link", "--remove", "HEAD~1", "ISS-001"],
        &["link", "--remove", "HEAD~1"],
        &["accept", "T1", "1", "--item", "ISS-001", "-m", "seen by Grace"],
    ];
    for args in all {
        let error = two.refused(1, args);
        assert_eq!(error["code"], "claim-of-another", "{args:?}");
        assert!(error["message"].as_str().unwrap().contains("Ada <ada@example.org>"), "{error}");
    }
    for args in [all[0], all[2], all[3]] {
        two.wf(&[args, &["--force", "--reason", "Ada asked for it"]].concat()).ok();
        assert_eq!(two.json(&["log", "-n", "1"])[0]["force"], "Ada asked for it", "{args:?}");
    }
    // A link that already exists harms nobody, and anyone may change the links of an ended execution.
    one.changes_nothing(&["link", "HEAD", "ISS-001"]);
    one.wf(&["fail", "-m", "no"]).ok();
    two.wf(&["sync"]).ok();
    two.wf(&["link", "HEAD~1", "ISS-001"]).ok();
}

#[test]
fn whose_claim_was_ended_by_another_is_told() {
    for (end, so) in
        [(&["done", "-m", "It holds"][..], "completed"), (&["fail", "-m", "no"], "ended as failed")]
    {
        let sandbox = Sandbox::new();
        let (one, two) = executed(&sandbox);
        two.wf(&[&end[..1], &["S-1"], &end[1..], &["--force", "--reason", "Ada is away"]].concat()).ok();
        let told = format!("{so} by Grace <grace@example.org> at 2026-");
        let ran = one.wf(&["sync"]).ok();
        assert!(ran.stderr.contains(&told) && ran.stderr.contains("Ada is away"), "{}", ran.stderr);
        // It is told once.
        assert_eq!(one.wf(&["sync"]).ok().stderr, "");
        let ran = one.wf(&["status"]).ok();
        assert!(ran.stderr.contains(&told) && ran.stderr.contains("Ada is away"), "{}", ran.stderr);
        let error = one.refused(1, &["done"]);
        assert_eq!(error["code"], "ended");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(&told) && message.contains("Ada is away"), "{error}");
        let ran = one.wf(&["next"]).fails(3);
        assert!(ran.stderr.contains(&told), "{}", ran.stderr);
        assert_eq!(one.wf(&["status"]).ok().stderr, "");
    }
}

#[test]
fn who_lost_a_claim_by_force_is_told_who_took_it() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    two.wf(&["lease", "release", "S-1", "--force", "--reason", "Ada is away"]).ok();
    one.wf(&["sync"]).ok();
    let told = "released by Grace <grace@example.org> at 2026-";
    let error = one.refused(1, &["done"]);
    assert!(error["message"].as_str().unwrap().contains(told), "{error}");
    let ran = one.wf(&["status"]).ok();
    assert!(ran.stderr.contains(told) && ran.stderr.contains("Ada is away"), "{}", ran.stderr);
}

#[test]
fn nor_does_the_same_person_in_another_clone() {
    let sandbox = Sandbox::new();
    let (_, two) = executed(&sandbox);
    let two = two.as_person("Ada", "ada@example.org");
    for args in [&["done", "S-1"][..], &["fail", "S-1", "-m", "no"]] {
        let error = two.refused(1, args);
        assert!(error["message"].as_str().unwrap().contains("in no worktree of this clone"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("git wf lease release ISS-001"), "{error}");
    }
    two.wf(&["lease", "release", "S-1"]).ok();
    assert_eq!(two.status("ISS-001"), "queued");
}

#[test]
fn another_agent_of_the_same_clone_is_another_person() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.with_env("WF_ACTOR", "agent-1").wf(&["next"]).ok();
    let beside = repo.worktree("b", "side").with_env("WF_ACTOR", "agent-2");
    assert_eq!(beside.refused(1, &["fail", "S-1", "-m", "no"])["code"], "claim-of-another");
    // Anyone who works in the worktree may end what it executes.
    repo.with_env("WF_ACTOR", "agent-2").wf(&["fail", "-m", "no"]).ok();
}

#[test]
fn what_nobody_renews_can_be_ended() {
    let sandbox = Sandbox::new();
    let (_, two) = executed(&sandbox);
    sandbox.advance(LEASE);
    two.wf(&["fail", "S-1", "-m", "nobody is there"]).ok();
    assert_eq!(two.status("ISS-001"), "failed");
}

#[test]
fn who_ended_it_is_shown_wherever_the_end_is() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    two.wf(&["done", "S-1", "-m", "It holds", "--force", "--reason", "Ada is away"]).ok();
    one.wf(&["sync"]).ok();
    let grace = "Grace <grace@example.org>";
    let shown = one.json(&["show", "ISS-001"]);
    assert_eq!(column(&shown["executions"], "ended_by"), [grace]);
    assert_eq!(column(&shown["executions"], "actor"), ["Ada <ada@example.org>"]);
    let trace = one.json(&["trace", "ISS-001"]);
    assert!(trace.to_string().contains(&json!({"ended_by": grace}).to_string()[1..38]), "{trace}");
    assert_eq!(one.json(&["detail", "S-1"])["ended_by"], grace);
    assert_eq!(one.json(&["status", "ISS-001"])["executions"][0]["ended_by"], grace);
    assert_eq!(column(&shown["executions"], "forced"), ["Ada is away"]);
    let item = one.json(&["show", "S-1"]);
    assert_eq!((&item["ended_by"], &item["forced"]), (&json!(grace), &json!("Ada is away")));
    assert_eq!(one.json(&["detail", "S-1"])["forced"], "Ada is away");
    let execution = shown["executions"][0]["id"].as_str().unwrap();
    for args in [
        &["show", "ISS-001"][..],
        &["show", execution],
        &["trace", "ISS-001"],
        &["detail", "S-1"],
        &["status", "ISS-001"],
        &["log", "ISS-001"],
        &["show", "S-1"],
        &["queue", "show"],
    ] {
        let ran = one.wf(args).ok();
        assert!(ran.stdout.contains(grace), "{args:?}: {}", ran.stdout);
        // The reason for the override is beside it.
        let is_told = ran.stdout.contains("Ada is away") || args[0] == "status";
        assert!(is_told, "{args:?}: {}", ran.stdout);
    }
    assert!(one.wf(&["queue", "show"]).ok().stdout.contains(
        "S-1 completed (by Ada <ada@example.org>, ended by Grace <grace@example.org>, gate overridden: Ada is away)"
    ));
    assert!(one.wf(&["status", "ISS-001"]).ok().stdout.contains("by Ada <ada@example.org>, ended by Grace"));
}

#[test]
fn why_a_line_is_there_tells_who_ended_the_work() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    one.wf(&["hooks", "install"]).ok();
    one.wf(&["next"]).ok();
    one.commit("src/a.rs", "fn a() {}\n", "Write it");
    one.wf(&["sync"]).ok();
    two.wf(&["sync"]).ok();
    two.wf(&["done", "S-1", "-m", "It holds", "--force", "--reason", "Ada is away"]).ok();
    one.wf(&["sync"]).ok();
    let origin = &one.json(&["why", "src/a.rs:1"])["spans"][0]["origins"][0];
    assert_eq!(
        (&origin["ended_by"], &origin["forced"]),
        (&json!("Grace <grace@example.org>"), &json!("Ada is away"))
    );
    let text = one.wf(&["why", "src/a.rs:1"]).ok().stdout;
    assert!(text.contains(", ended by Grace <grace@example.org>, gate overridden: Ada is away"), "{text}");
}

#[test]
fn a_claim_that_was_given_up_by_force_tells_why() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    two.wf(&["lease", "release", "S-1", "--force", "--reason", "Ada is away"]).ok();
    one.wf(&["sync"]).ok();
    let shown = one.json(&["show", "ISS-001"]);
    assert_eq!(column(&shown["executions"], "forced"), ["Ada is away"]);
    assert!(one.wf(&["show", "ISS-001"]).ok().stdout.contains("gate overridden: Ada is away"));
}

#[test]
fn a_lease_that_ended_is_not_said_to_last() {
    let sandbox = Sandbox::new();
    let (_, two) = executed(&sandbox);
    let soon = two.ahead(4 * 3600 + 5 * 60);
    for args in [&["done", "S-1"][..], &["lease", "release", "S-1"]] {
        let error = soon.refused(1, args);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("the lease ended at 2026-11-21T"), "{error}");
        assert!(message.contains(", and others may take the item over from 2026-11-21T"), "{error}");
    }
    let execution = two.json(&["show", "ISS-001"])["executions"][0]["id"].clone();
    let shown = soon.wf(&["show", execution.as_str().unwrap()]).ok().stdout;
    assert!(shown.contains("lease ended") && !shown.contains("lease until"), "{shown}");
}
