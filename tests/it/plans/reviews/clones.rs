//! Reviews in several clones, and reviews that no writer of ours makes.

use serde_json::{Value, json};

use super::{Planned, change_plan, review};
use crate::support::{Repo, Sandbox, plan, record};

/// Two clones with one plan by Ada, and a third person in the second clone.
fn two() -> (Sandbox, Repo, Repo, String) {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    ada.wf(&["init"]).ok();
    let plan = ada.planned("ISS-001", &plan());
    ada.wf(&["sync"]).ok();
    let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    (sandbox, ada, bea, plan)
}

fn meet(ada: &Repo, bea: &Repo) {
    for repo in [ada, bea, ada] {
        repo.wf(&["sync"]).ok();
    }
    assert_eq!(ada.tip(), bea.tip());
}

#[test]
fn reviews_of_clones_that_did_not_know_of_each_other_are_all_there() {
    let (_sandbox, ada, bea, plan) = two();
    let cem = ada.as_person("Cem", "cem@example.org");
    review(&cem, &plan, "95", &[]).ok();
    review(&bea, &plan, "40", &["--finding", "no"]).ok();
    cem.wf(&["queue", "add", "ISS-001"]).ok();
    meet(&ada, &bea);
    for repo in [&ada, &bea] {
        let shown = repo.json(&["solution", "show", &plan]);
        assert_eq!((&shown["review"], shown["reviews"].as_array().unwrap().len()), (&json!("rejected"), 2));
        assert_eq!(repo.wf(&["conflicts", "--json"]).ok().json(), json!([]));
        repo.wf(&["fsck"]).ok();
    }
    assert_eq!(ada.json(&["feedback"]).as_array().unwrap().len(), 1);
}

#[test]
fn two_clones_that_reject_one_digest_make_one_round() {
    let (_sandbox, ada, bea, plan) = two();
    review(&ada.as_person("Cem", "cem@example.org"), &plan, "30", &[]).ok();
    review(&bea, &plan, "40", &[]).ok();
    meet(&ada, &bea);
    assert_eq!(ada.refused(1, &["queue", "add", "ISS-001"])["code"], "review-rejected");
}

#[test]
fn a_review_of_the_plan_as_it_was_counts_no_more_after_a_sync() {
    let (_sandbox, ada, bea, plan) = two();
    ada.wf(&["settings", "review=required"]).ok();
    change_plan(&ada, &plan, 1);
    review(&bea, &plan, "95", &[]).ok();
    assert_eq!(bea.json(&["solution", "show", &plan])["review"], "approved");
    meet(&ada, &bea);
    for repo in [&ada, &bea] {
        assert_eq!(repo.json(&["solution", "show", &plan])["review"], "none");
        assert_eq!(repo.refused(1, &["queue", "add", "ISS-001"])["code"], "review-required");
    }
    review(&bea, &plan, "95", &[]).ok();
    bea.wf(&["queue", "add", "ISS-001"]).ok();
}

/// Puts a review beside a plan, as another program might.
fn plant(it: &Planned, place: &str, change: impl Fn(&mut Value)) -> String {
    let mut record = json!({
        "verdict": "approved", "scores": {"technical": 90, "risk": 90, "completeness": 90}, "total": 90,
        "plan_digest": it.shown()["plan_digest"], "author": "Eve <eve@example.org>",
        "created_at": "2026-11-21T03:00:00.000Z"
    });
    change(&mut record);
    let named = record.get("id").cloned();
    let (name, mut record) = record::entry(place, record);
    // With another id, if `change` sets one.
    record["id"] = named.unwrap_or(record["id"].clone());
    let plan = it.ada.store_path(&format!("/{}/solution.json", it.plan));
    let path = format!("{}/reviews/{name}.json", plan.strip_suffix("/solution.json").unwrap());
    it.ada.plumb(&[(&path, &format!("{record:#}\n"))]);
    path
}

const PLACE: &str = "20261121T030000000Z-00000";

#[test]
fn a_review_that_no_writer_makes_is_named_and_does_not_count() {
    for (what, change) in [
        ("0 to 100", (|it| it["total"] = json!(101)) as fn(&mut Value)),
        ("technical", |it| it["scores"] = json!({"risk": 1, "completeness": 1})),
        ("verdict", |it| it["verdict"] = json!(null)),
        ("splendid", |it| it["verdict"] = json!("splendid")),
        ("has the id of another", |it| it["id"] = json!("20261121T030000000Z-00000-0000000f")),
        ("expected a list", |it| it["findings"] = json!("none")),
    ] {
        let it = Planned::new();
        let path = plant(&it, PLACE, change);
        let found = it.ada.wf(&["fsck", "--json"]).fails(1).json();
        assert_eq!(found[0]["path"], json!(path), "{what}: {found}");
        let shown = it.ada.wf(&["solution", "show", &it.plan, "--json"]).ok().json();
        assert_eq!(shown["review"], "none", "{what}");
        it.ada.wf(&["show", "ISS-001"]).ok();
        it.review("70", &[]).ok();
        assert_eq!(it.shown()["review"], "concerns", "{what}");
    }
}

#[test]
fn a_verdict_that_its_scores_do_not_bear_out_counts_as_they_say() {
    let it = Planned::new();
    plant(&it, PLACE, |it| it["scores"] = json!({"technical": 10, "risk": 10, "completeness": 10}));
    let found = it.ada.wf(&["fsck", "--json"]).fails(1).json().to_string();
    assert!(found.contains("its total is 90, but its scores add up to 10"), "{found}");
    assert!(found.contains("its verdict is approved, but its scores give rejected"), "{found}");
    assert_eq!(it.shown()["review"], "rejected");
    assert_eq!(it.ada.refused(1, &["queue", "add", "ISS-001"])["code"], "review-rejected");
}

#[test]
fn a_review_is_later_than_every_one_that_its_writer_saw() {
    let it = Planned::new();
    // By someone whose clock is years ahead.
    plant(&it, "20301121T030000000Z-00000", |it| it["author"] = json!("Bea <bea@example.org>"));
    it.review("40", &[]).ok();
    assert_eq!(it.shown()["review"], "rejected", "what Bea says last counts");
    it.sandbox.advance(60);
    it.review("85", &[]).ok();
    assert_eq!(it.shown()["review"], "approved");
}

#[test]
fn a_rejection_that_the_one_who_queued_did_not_know_of_counts_once_they_meet() {
    let (_sandbox, ada, bea, plan) = two();
    ada.commit("a.txt", "a\n", "start");
    ada.wf(&["queue", "add", "ISS-001"]).ok();
    review(&bea, &plan, "40", &[]).ok();
    bea.wf(&["sync"]).ok();
    // The claim is made on the state of the remote.
    let ran = ada.wf(&["next"]).fails(3);
    assert!(ran.stderr.contains("was rejected in review"), "{}", ran.stderr);
    ada.wf(&["queue", "add", "ISS-001", "--force", "--reason", "it is late"]).ok();
    ada.wf(&["next"]).ok();
}
