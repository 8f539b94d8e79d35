//! One claim for each worktree, and what becomes of claims that others made first, took over or ended.

use crate::support::{Repo, Sandbox, plan_on};
use serde_json::json;

/// Two clones of one bare repository, with one issue queued and synced.
pub(super) fn two_clones(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        sandbox.bare("hub");
        let one = sandbox.clone(sandbox.root().join("hub"), "one");
        one.commit("a.txt", "a", "first");
        one.git(&["push", "-q", "origin", "HEAD:main"]).ok();
        one.wf(&["init"]).ok();
        one.queued("ISS-001", "src/a.rs");
        one.wf(&["sync"]).ok();
        let two = sandbox.clone(sandbox.root().join("hub"), "two").as_person("Grace", "grace@example.org");
        two.git(&["switch", "-q", "-C", "main", "origin/main"]).ok();
        two.wf(&["init"]).ok();
        (one, two)
    })
}

/// Both claim without knowing of each other; the first claim holds.
fn claimed_apart(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let (one, two) = two_clones(sandbox);
        one.wf(&["next", "--local"]).ok();
        two.wf(&["next", "--local"]).ok();
        one.wf(&["sync"]).ok();
        two.wf(&["sync"]).ok();
        one.wf(&["sync"]).ok();
        (one, two)
    })
}

#[test]
fn calls_at_once_in_one_worktree_take_one_item() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for n in 1..=4 {
        repo.queued(&format!("ISS-00{n}"), &format!("src/{n}.rs"));
    }
    let children: Vec<_> =
        (0..4).map(|_| repo.command("git-wf", &["next", "--json"]).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let executing = repo.json(&["list", "--status", "executing"]);
    assert_eq!(executing.as_array().unwrap().len(), 1, "{executing}");
    assert_eq!(repo.json(&["next"])["issue_id"], executing[0]["id"]);
}

#[test]
fn who_lost_a_claim_is_told_by_every_command() {
    let sandbox = Sandbox::new();
    let (_, two) = claimed_apart(&sandbox);
    for command in [&["detail"][..], &["sync"]] {
        let ran = two.wf(command).ok();
        assert!(ran.stderr.contains("no longer executes"), "{command:?}: {}", ran.stderr);
    }
    assert!(two.wf(&[]).ok().stdout.contains("no longer executes"));
    assert!(two.json(&["status"])["execution"].is_null());
    two.refused(1, &["done"]);
    let ran = two.wf(&["next"]).fails(3);
    assert!(ran.stderr.contains("no longer executes"), "{}", ran.stderr);
}

#[test]
fn a_superseded_claim_does_not_hold_again_after_a_reopening() {
    let sandbox = Sandbox::new();
    let (one, two) = claimed_apart(&sandbox);
    one.done();
    one.wf(&["reopen", "ISS-001"]).ok();
    nobody_holds(&one, &two, "planned");
}

#[test]
fn a_superseded_claim_does_not_hold_again_after_a_retry() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    two.wf(&["next", "--local"]).ok();
    for _ in 0..2 {
        one.wf(&["next", "--local"]).ok();
        one.wf(&["fail", "-m", "x"]).ok();
        if one.json(&["show", "ISS-001"])["executions"].as_array().unwrap().len() == 1 {
            one.wf(&["retry"]).ok();
        }
    }
    two.wf(&["sync"]).ok();
    one.wf(&["sync"]).ok();
    assert_eq!(one.status("ISS-001"), "failed", "the second attempt is the later one");
    one.wf(&["retry", "ISS-001"]).ok();
    nobody_holds(&one, &two, "queued");
}

/// In both clones, nobody holds the claim, whatever was claimed before.
fn nobody_holds(one: &Repo, two: &Repo, status: &str) {
    assert_eq!(one.status("ISS-001"), status);
    one.wf(&["sync"]).ok();
    two.wf(&["sync"]).ok();
    assert_eq!(two.status("ISS-001"), status, "in the other clone");
    two.refused(1, &["done"]);
}

#[test]
fn what_was_closed_over_its_execution_keeps_nobody_waiting() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/shared.rs");
    repo.queued("ISS-002", "src/shared.rs");
    repo.wf(&["next"]).ok();
    repo.refused(1, &["close", "ISS-001"]);
    repo.wf(&["close", "ISS-001", "--force", "--reason", "not wanted any more"]).ok();
    assert_eq!(repo.worktree("b", "b").json(&["next"])["issue_id"], "ISS-002");
}

#[test]
fn an_execution_whose_item_left_the_queue_can_still_be_ended() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    repo.wf(&["queue", "remove", "S-1", "--force", "--reason", "by mistake"]).ok();
    repo.wf(&["done", "ISS-001", "--force", "--reason", "a test"]).ok();
    assert_eq!(repo.status("ISS-001"), "completed");
}

#[test]
fn who_executes_a_plan_hears_that_another_one_was_chosen() {
    for command in ["bind", "unbind"] {
        let sandbox = Sandbox::new();
        let (one, two) = two_clones(&sandbox);
        one.wf(&["hooks", "install"]).ok();
        let plan = one.json(&["next", "--local"])["solution_id"].as_str().unwrap().to_owned();
        // The other clone does not know of the claim.
        let plan_of_theirs = plan_on("src/c.rs").to_string();
        let other = two.wf_in(plan_of_theirs, &["solution", "add", "ISS-001"]).ok().line().to_owned();
        let said = match command {
            "bind" => {
                two.wf(&["bind", "ISS-001", &other, "--force", "--reason", "a test"]).ok();
                format!("`{other}` is bound to `ISS-001` now, but the execution is of `{plan}`")
            }
            _ => {
                two.wf(&["plan", "choose", "ISS-001", "--none", "--force", "--reason", "a test"]).ok();
                format!("no plan is bound to `ISS-001` now, but the execution is of `{plan}`")
            }
        };
        two.wf(&["sync"]).ok();
        for command in [&["sync"][..], &["next", "--local"], &["status"]] {
            let ran = one.wf(command).ok();
            assert!(ran.stderr.contains(&said), "{command:?}: {}", ran.stderr);
        }
        one.commit("src/a.rs", "a\n", "Work");
        let ran = one.wf(&["done"]).ok();
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
}

#[test]
fn an_issue_that_is_over_leaves_its_claim_with_whoever_executes_it() {
    for status in ["closed", "cancelled", "paused"] {
        let sandbox = Sandbox::new();
        let (one, two) = two_clones(&sandbox);
        one.wf(&["hooks", "install"]).ok();
        one.wf(&["next", "--local"]).ok();
        // The other clone does not know of the claim.
        let end = match status {
            "closed" => &["close", "ISS-001"][..],
            _ => &["edit", "ISS-001", "--status", status],
        };
        two.wf(&[end, &["--force", "--reason", "a test"]].concat()).ok();
        two.wf(&["sync"]).ok();
        let notice = format!("issue `ISS-001` is {status}, but this worktree still executes `SOL-ISS-001-");
        let synced = one.wf(&["sync"]).ok();
        assert!(synced.stderr.contains(&notice), "{}", synced.stderr);
        assert!(one.json(&["status"])["execution"].is_object(), "{status}");
        // Nothing else is claimed over it.
        one.queued("ISS-002", "src/b.rs");
        for command in [&["next"][..], &["next", "ISS-002"]] {
            let refused = one.refused(1, command);
            assert!(refused["message"].as_str().unwrap().starts_with(&notice), "{refused}");
        }
        assert_eq!(one.json(&["lease"])[0]["issue_id"], "ISS-001", "{status}");
        assert!(one.json(&["status"])["execution"].is_object(), "{status}");
        // Every command agrees with the hooks, which link commits.
        one.commit("src/a.rs", "a\n", "Work");
        let started = one.wf(&["task", "start", "T1"]).ok();
        assert!(started.stderr.contains(&notice), "{}", started.stderr);
        one.wf(&["done"]).ok();
        let execution = &one.json(&["show", "ISS-001"])["executions"][0];
        let commits = execution["commits"].as_array().map_or(0, Vec::len);
        assert_eq!((execution["status"].as_str().unwrap(), commits), ("completed", 1), "{status}");
        assert_eq!(one.json(&["lease"]), json!([]), "{status}");
    }
}
