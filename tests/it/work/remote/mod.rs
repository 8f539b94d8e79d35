//! Claims through a remote: the remote's update of its ref is the lock, whatever happens on the way.

mod clocks;
mod mirrors;
mod renamed;
mod shown;
mod signs;

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::claims::two_clones;
use crate::support::{REF, Repo, Sandbox, column};

const LEASE: i64 = 4 * 3600;
const SKEW: i64 = 600;

/// The commit that the hub's ref points to.
fn published(repo: &Repo) -> String {
    repo.git(&["ls-remote", "origin", REF]).ok().line().split('\t').next().unwrap().to_owned()
}

fn executions(repo: &Repo, issue: &str) -> Vec<Value> {
    repo.json(&["show", issue])["executions"].as_array().unwrap().clone()
}

/// Installs a hook in the hub.
fn hook(sandbox: &Sandbox, name: &str, text: &str) {
    let path = sandbox.root().join("hub/hooks").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Once, the hub's receiving process dies when its ref transaction is in this state.
fn dies_once(sandbox: &Sandbox, state: &str, before: &str) {
    let text = format!(
        "[ \"$1\" = {state} ] || exit 0\ncat >/dev/null\n[ -e died ] && exit 0\n: > died\n{before}\nkill -9 $PPID\n"
    );
    hook(sandbox, "reference-transaction", &text);
}

fn away(sandbox: &Sandbox) {
    std::fs::rename(sandbox.root().join("hub"), sandbox.root().join("away")).unwrap();
}

fn back(sandbox: &Sandbox) {
    std::fs::rename(sandbox.root().join("away"), sandbox.root().join("hub")).unwrap();
}

#[test]
fn a_claim_is_published_with_all_that_it_stands_on() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    two.queued("ISS-002", "src/b.rs");
    let claim = one.json(&["next"]);
    assert_eq!((&claim["issue_id"], &claim["via"]), (&json!("ISS-001"), &json!("origin")));
    assert_eq!(Some(published(&one)), one.tip());
    // The other clone wrote meanwhile, and claims what is left.
    let claim = two.json(&["next"]);
    assert_eq!((&claim["issue_id"], &claim["attempt"]), (&json!("ISS-002"), &json!(1)));
    assert_eq!(Some(published(&two)), two.tip());
    assert_eq!(two.status("ISS-001"), "executing");
    // The same claim again, without asking the remote.
    away(&sandbox);
    assert_eq!(two.json(&["next"]), claim);
    let record = &executions(&two, "ISS-002")[0];
    two.git(&["merge-base", "--is-ancestor", record["plan_commit"].as_str().unwrap(), REF]).ok();
}

#[test]
fn clones_that_ask_at_once_get_different_items() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    for n in 2..=5 {
        one.queued(&format!("ISS-00{n}"), &format!("src/{n}.rs"));
    }
    one.wf(&["sync"]).ok();
    let three = sandbox.clone(sandbox.root().join("hub"), "three");
    three.wf(&["init"]).ok();
    let mut places = vec![one.clone(), two.clone(), three.clone()];
    for (n, repo) in [&one, &two, &three].into_iter().enumerate() {
        places.push(repo.worktree(&format!("beside-{n}"), &format!("side-{n}")));
    }
    let ran: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = places.iter().map(|repo| scope.spawn(|| repo.wf(&["next", "--json"]))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let (got, rest): (Vec<_>, Vec<_>) = ran.into_iter().partition(|ran| ran.code == 0);
    let mut issues: Vec<String> =
        got.iter().map(|ran| ran.json()["issue_id"].as_str().unwrap().to_owned()).collect();
    issues.sort();
    assert_eq!(issues, ["ISS-001", "ISS-002", "ISS-003", "ISS-004", "ISS-005"]);
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].clone().fails(3).json_error()["code"], "nothing-to-do");
    one.wf(&["sync"]).ok();
    for n in 1..=5 {
        assert_eq!(executions(&one, &format!("ISS-00{n}")).len(), 1);
    }
}

#[test]
fn a_claim_that_came_too_late_leaves_nothing() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    let before = two.steps();
    one.wf(&["next"]).ok();
    let ran = two.wf(&["next"]).fails(3);
    assert_eq!(ran.stderr.lines().next(), Some("no item is ready: 1 executing"));
    assert_eq!(executions(&two, "ISS-001").len(), 1);
    assert_eq!((two.tip(), two.steps()), (one.tip(), before + 1), "what came in stays, and is all");
    assert!(!two.path().join(".git/wf/claiming").exists());
}

#[test]
fn offline_it_says_so_and_how_to_go_on() {
    let sandbox = Sandbox::new();
    let (one, _) = two_clones(&sandbox);
    away(&sandbox);
    let error = one.refused(1, &["next"]);
    assert_eq!(error["code"], "unreachable");
    assert!(error["hint"].as_str().unwrap().contains("git wf next --local"), "{error}");
    let claim = one.json(&["next", "--local"]);
    assert_eq!(claim.get("via"), None);
    one.done();
    back(&sandbox);
    assert_eq!(one.status("ISS-001"), "completed");
}

#[test]
fn a_remote_that_refuses_leaves_everything_as_it_was() {
    let sandbox = Sandbox::new();
    let (one, _) = two_clones(&sandbox);
    hook(&sandbox, "pre-receive", "echo 'not today' >&2; exit 1\n");
    let error = one.refused(1, &["next"]);
    assert_eq!(error["code"], "refused");
    assert!(error["message"].as_str().unwrap().contains("not today"), "{error}");
    assert_eq!(one.status("ISS-001"), "queued");
}

#[test]
fn a_connection_that_is_lost_after_the_claim_was_taken() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    dies_once(&sandbox, "committed", "");
    let claim = one.json(&["next"]);
    assert!(sandbox.root().join("hub/died").exists());
    assert_eq!((&claim["issue_id"], &claim["attempt"]), (&json!("ISS-001"), &json!(1)));
    assert_eq!(Some(published(&one)), one.tip());
    two.wf(&["sync"]).ok();
    assert_eq!(executions(&two, "ISS-001").len(), 1);
}

#[test]
fn a_connection_that_is_lost_before_the_claim_was_taken() {
    let sandbox = Sandbox::new();
    let (one, _) = two_clones(&sandbox);
    dies_once(&sandbox, "prepared", "");
    std::fs::remove_file(sandbox.root().join("hub/refs/wf/main.lock")).unwrap_or_default();
    // The process that died locks the ref there until someone removes the lock.
    let first = one.wf(&["next"]);
    std::fs::remove_file(sandbox.root().join("hub/refs/wf/main.lock")).unwrap_or_default();
    if first.code != 0 {
        one.wf(&["next"]).ok();
    }
    assert_eq!(executions(&one, "ISS-001").len(), 1);
    assert_eq!(Some(published(&one)), one.tip());
}

#[test]
fn a_connection_that_is_lost_for_good_is_settled_by_the_next_call() {
    let sandbox = Sandbox::new();
    let (one, _) = two_clones(&sandbox);
    let before = one.tip();
    dies_once(&sandbox, "committed", "mv ../hub ../away");
    let ran = one.wf(&["next", "--json"]).fails(1);
    assert_eq!(ran.json_error()["code"], "unknown-outcome", "{}", ran.stderr);
    assert_eq!(one.tip(), before);
    assert_eq!(one.wf(&["next", "--json"]).fails(1).json_error()["code"], "unreachable");
    back(&sandbox);
    let taken = published(&one);
    let claim = one.json(&["next"]);
    assert_eq!((&claim["issue_id"], &claim["attempt"]), (&json!("ISS-001"), &json!(1)));
    assert_eq!((one.tip(), published(&one)), (Some(taken.clone()), taken), "the claim that was made then");
    assert!(!one.path().join(".git/wf/claiming").exists());
}

#[test]
fn killed_between_the_push_and_the_ref_here() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    let before = one.tip();
    one.with_env("WF_FAULT", "pushed").wf(&["next"]).fails(-1);
    assert_eq!(one.tip(), before);
    let taken = published(&one);
    two.wf(&["next"]).fails(3);
    assert_eq!(one.json(&["next"])["attempt"], 1);
    assert_eq!(one.tip(), Some(taken));
}

#[test]
fn ends_publish_themselves_or_say_that_they_could_not() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    for n in 2..=4 {
        one.queued(&format!("ISS-00{n}"), &format!("src/{n}.rs"));
    }
    one.wf(&["next"]).ok();
    two.wf(&["comment", "ISS-001", "-m", "meanwhile"]).ok();
    two.wf(&["sync"]).ok();
    assert_eq!(one.wf(&["lease", "renew"]).ok().stderr, "");
    assert_eq!(Some(published(&one)), one.tip());
    one.done();
    assert_eq!(Some(published(&one)), one.tip());
    one.wf(&["next"]).ok();
    one.wf(&["fail", "-m", "no"]).ok();
    assert_eq!(Some(published(&one)), one.tip());
    one.wf(&["next"]).ok();
    one.wf(&["lease", "release"]).ok();
    assert_eq!(Some(published(&one)), one.tip());
    one.wf(&["next"]).ok();
    away(&sandbox);
    let ran = one.done();
    assert!(ran.stderr.contains("recorded here but not yet at `origin`"), "{}", ran.stderr);
    back(&sandbox);
    assert_ne!(Some(published(&one)), one.tip());
    one.wf(&["sync"]).ok();
    two.wf(&["sync"]).ok();
    let stand = ["completed", "failed", "completed", "queued"];
    for (n, status) in stand.into_iter().enumerate() {
        assert_eq!(two.status(&format!("ISS-00{}", n + 1)), status, "ISS-00{}", n + 1);
    }
}

#[test]
fn a_lease_that_ran_out_is_taken_over_ten_minutes_later() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    let first = one.json(&["next"]);
    two.wf(&["sync"]).ok();
    sandbox.advance(LEASE + SKEW - 60);
    two.wf(&["next"]).fails(3);
    assert_eq!(two.json(&["lease"])[0]["expired"], true);
    sandbox.advance(120);
    two.wf(&["next", "--local"]).fails(3);
    let second = two.json(&["next"]);
    assert_eq!((&second["issue_id"], &second["attempt"]), (&json!("ISS-001"), &json!(2)));
    assert_eq!(second["supersedes"], json!([{"execution_id": first["execution_id"], "status": "executing"}]));
    // A clone that has lost its claim is told before anything counts.
    for args in [&["done"][..], &["fail", "-m", "x"], &["lease", "renew"]] {
        let ran = one.wf(&[args, &["--json"]].concat()).fails(1);
        assert_eq!(ran.json_error()["code"], "claim-lost", "{args:?}");
    }
    two.done();
    one.wf(&["sync"]).ok();
    assert_eq!(column(&json!(executions(&one, "ISS-001")), "status"), ["superseded", "completed"]);
}

#[test]
fn a_holder_whose_lease_ran_out_must_ask_before_its_end_counts() {
    let sandbox = Sandbox::new();
    let (one, _) = two_clones(&sandbox);
    one.wf(&["next"]).ok();
    sandbox.advance(LEASE + 10);
    away(&sandbox);
    assert_eq!(one.refused(1, &["done"])["code"], "lease-ran-out");
    back(&sandbox);
    one.done();
    assert_eq!(one.status("ISS-001"), "completed");
}

#[test]
fn commits_renew_a_lease_that_only_a_push_makes_known() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    one.wf(&["hooks", "install"]).ok();
    one.wf(&["next"]).ok();
    sandbox.advance(LEASE - 60);
    one.commit("src/a.rs", "1\n", "half of it");
    one.wf(&["sync"]).ok();
    sandbox.advance(LEASE - 60);
    two.wf(&["next"]).fails(3);
    sandbox.advance(SKEW + 120);
    assert_eq!(two.json(&["next"])["attempt"], 2);
}

#[test]
fn finished_work_is_never_set_aside_by_a_takeover_that_did_not_know_of_it() {
    let sandbox = Sandbox::new();
    let (one, two) = two_clones(&sandbox);
    one.wf(&["next"]).ok();
    away(&sandbox);
    one.done();
    back(&sandbox);
    sandbox.advance(LEASE + SKEW + 60);
    assert_eq!(two.json(&["next"])["attempt"], 2);
    one.wf(&["sync"]).ok();
    two.wf(&["sync"]).ok();
    for repo in [&one, &two] {
        assert_eq!(repo.status("ISS-001"), "completed");
        let shown = json!(executions(repo, "ISS-001"));
        assert_eq!(column(&shown, "status"), ["completed", "superseded"]);
    }
    two.refused(1, &["done"]);
}
