//! The id of an execution does not cover its `plan_commit`, so anyone can change it. The executor can continue
//! nevertheless, and is told who did it.

use serde_json::json;

use crate::support::foreign::{self, folder};
use crate::support::store_writer::claim_plan;
use crate::support::{Repo, Sandbox, Two, plan_on};

/// Bea names a commit that nobody has, or `other`, as the one with the plan of Ada's execution, and changes that plan.
fn redirect(two: &Two, other: Option<&str>) -> (String, String) {
    two.ada.commit("a.txt", "one\n", "start");
    two.ada.wf(&["hooks", "install"]).ok();
    two.ada.wf(&["settings", "evidence=required"]).ok();
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["true"]);
    two.ada.planned("GH-1", &plan);
    two.ada.wf(&["queue", "add", "GH-1"]).ok();
    two.ada.wf(&["next"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    let (path, plan_path) = (two.bea.store_path("execution.json"), two.bea.store_path_in("/solution.json"));
    let (mut execution, mut plan) = (two.bea.stored_json(&path), two.bea.stored_json(&plan_path));
    // The greater one wins in a merge.
    execution["plan_commit"] = json!(other.map_or_else(|| "f".repeat(40), str::to_owned));
    plan["plan"]["description"] = json!("other");
    let clock = plan["clock"].as_object_mut().unwrap();
    clock.insert("plan".into(), json!("2026-11-21T12:00:00.000Z/00000/zzzzzzzz"));
    clock.sort_keys();
    let commit = two.bea.plumb_records(&[(path.clone(), execution), (plan_path, plan)]);
    two.bea.wf(&["push"]).ok();
    (path, commit)
}

#[track_caller]
fn assert_ada_completes(two: &Two) {
    two.ada.commit("a.txt", "two\n", "work");
    let verified = two.ada.wf(&["verify", "--yes"]).ok();
    assert!(verified.stdout.contains("true"), "{}", verified.stdout);
    let done = two.ada.wf(&["done", "--json"]).ok().json();
    assert!(!done["warnings"].to_string().contains("cannot be read"), "{done:#}");
    assert_eq!(two.ada.status("GH-1"), "completed");
}

#[test]
fn a_claimed_plan_is_found_wherever_plan_commit_points() {
    let two = Two::new();
    let (path, commit) = redirect(&two, None);
    let synced = two.ada.wf(&["sync", "--json"]).ok().json();
    let told = &synced["rewritten"];
    let named = told.as_array().unwrap().iter().find(|it| it["path"] == path.as_str());
    let named = named.unwrap_or_else(|| panic!("{told:#}"));
    assert_eq!((&named["commit"], &named["author"]), (&json!(commit), &json!("Bea <bea@example.org>")));
    assert!(named["what"].as_str().unwrap().contains("changed `plan_commit`"), "{named}");
    assert!(two.ada.stored(&path).contains(&"f".repeat(40)));
    assert_ada_completes(&two);
    let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
    let is_named = |what: &str| {
        found.as_array().unwrap().iter().any(|it| {
            let text = it["what"].as_str().unwrap();
            it["path"] == path.as_str()
                && it["commit"] == commit
                && text.contains("Bea")
                && text.contains(what)
        })
    };
    assert!(is_named("changed `plan_commit`") && is_named("is not a commit of this history"), "{found:#}");
    assert!(found[0]["remedies"].to_string().contains("wf.fsckAccepted"), "{found:#}");
    two.ada.git(&["config", "--add", "wf.fsckAccepted", &commit]).ok();
    let found = two.ada.wf(&["fsck", "--json"]).ok().json();
    let named = found.as_array().unwrap().iter().filter(|it| it["commit"] == commit.as_str());
    assert!(named.clone().count() > 1 && named.clone().all(|it| it["severity"] == "note"), "{found:#}");
    let audit = two.ada.wf(&["audit", "--json"]).ok().json();
    let named = audit["findings"].as_array().unwrap().iter();
    let named = named.filter(|it| it["commit"] == commit && it["kind"] == "rewritten");
    assert!(named.clone().any(|it| it["message"].as_str().unwrap().contains("plan_commit")), "{audit:#}");
}

#[test]
fn a_claimed_plan_is_found_where_plan_commit_names_a_commit_of_the_code() {
    let two = Two::new();
    let code = two.ada.commit("b.txt", "one\n", "a commit of the code");
    redirect(&two, Some(&code));
    two.ada.wf(&["sync"]).ok();
    assert_ada_completes(&two);
}

#[test]
fn whoever_writes_the_same_claim_on_a_fork_is_told() {
    let two = Two::new();
    two.ada.queued("GH-1", "a.txt");
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.commit("a.txt", "one\n", "start");
    two.ada.wf(&["next"]).ok();
    two.ada.wf(&["sync"]).ok();
    // Bea never had the claim.
    let path = two.ada.store_path("execution.json");
    let mut execution = two.ada.stored_json(&path);
    execution["plan_commit"] = json!("f".repeat(40));
    let commit = foreign::write(&two.bea, &path, &execution);
    two.bea.wf(&["sync"]).ok();
    let told = two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"].clone();
    assert_eq!((&told[0]["path"], &told[0]["commit"]), (&json!(path), &json!(commit)), "{told:#}");
    let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
    let names = found.as_array().unwrap().iter().any(|it| it["commit"] == commit);
    assert!(names && found.to_string().contains("Bea"), "{found:#}");
}

fn claimed_in_vain(policy: &str) -> (Sandbox, Repo) {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("repo");
    repo.commit("a.txt", "one\n", "start");
    repo.wf(&["hooks", "install"]).ok();
    repo.wf(&["settings", policy]).ok();
    // Nothing has the digest that this claim names.
    let claim = claim_plan(&repo, "GH-1", &plan_on("a.txt"));
    assert!(repo.store_paths().iter().any(|path| path.starts_with(&folder(&claim.issue))));
    repo.commit("a.txt", "two\n", "work");
    (sandbox, repo)
}

#[test]
fn a_plan_that_cannot_be_read_is_refused_or_warned_of() {
    let (_sandbox, repo) = claimed_in_vain("evidence=required");
    assert_eq!(repo.refused(1, &["verify"])["code"], "broken-record");
    assert_eq!(repo.refused(1, &["done"])["code"], "broken-record");
    let (_sandbox, repo) = claimed_in_vain("evidence=warn");
    assert_eq!(repo.refused(1, &["verify"])["code"], "broken-record");
    let done = repo.wf(&["done", "--json"]).ok().json();
    assert!(done["warnings"].to_string().contains("the claimed plan cannot be read"), "{done:#}");
}
