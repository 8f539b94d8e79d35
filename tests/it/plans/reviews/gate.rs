//! How reviews affect the queue.

use serde_json::json;

use super::{Planned, change_plan, review};

const ADD: [&str; 3] = ["queue", "add", "ISS-001"];
const FORCE: [&str; 3] = ["--force", "--reason", "it is late"];

#[test]
fn a_rejected_plan_is_not_queued_whatever_the_policy() {
    let it = Planned::new();
    it.review("40", &[]).ok();
    let error = it.ada.refused(1, &ADD);
    assert_eq!(error["code"], "review-rejected");
    it.ada.wf(&[&ADD[..], &FORCE].concat()).ok();
    assert!(it.ada.last_message().contains("Wf-Force: it is late"), "{}", it.ada.last_message());
    assert_eq!(it.ada.status("ISS-001"), "queued");
    it.ada.changes_nothing(&ADD);
    let ran = it.review("41", &[]).ok();
    assert!(ran.stdout.contains("`git wf queue remove ISS-001` removes it"), "{}", ran.stdout);
}

#[test]
fn with_the_policy_a_plan_must_have_passed_as_it_is() {
    let it = Planned::new();
    it.ada.wf(&["settings", "review=required"]).ok();
    assert_eq!(it.ada.json(&["settings"])["policy"]["review"], "required");
    let error = it.ada.refused(1, &ADD);
    assert_eq!(error["code"], "review-required");
    assert!(error["message"].as_str().unwrap().contains("was not reviewed"), "{error}");
    it.review("70", &[]).ok();
    change_plan(&it.ada, &it.plan, 1);
    let error = it.ada.refused(1, &ADD);
    assert!(error["message"].as_str().unwrap().contains("changed since it was reviewed"), "{error}");
    it.review("70", &[]).ok();
    it.ada.wf(&ADD).ok();
    // A plan that changes in the queue is reviewed again before it is queued again.
    change_plan(&it.ada, &it.plan, 2);
    assert_eq!(it.ada.items(), [("S-1".into(), "blocked".into())]);
    assert_eq!(it.ada.refused(1, &ADD)["code"], "review-required");
    it.review("90", &[]).ok();
    it.ada.wf(&ADD).ok();
    assert_eq!(it.ada.items(), [("S-1".into(), "ready".into())]);
    it.ada.wf(&["settings", "review=none"]).ok();
    it.ada.refused(1, &["settings", "review=perhaps"]);
}

#[test]
fn one_reviewer_cannot_outvote_another_and_may_think_again() {
    let it = Planned::new();
    let cem = it.ada.as_person("Cem", "cem@example.org");
    it.review("40", &["--finding", "no"]).ok();
    let ran = review(&cem, &it.plan, "100", &[]).ok();
    assert!(ran.stdout.contains("another reviewer's verdict stands: rejected"), "{}", ran.stdout);
    assert_eq!(it.ada.refused(1, &ADD)["code"], "review-rejected");
    let answer = it.review("65", &["--json"]).ok().json();
    assert_eq!((&answer["standing"], &answer["rejected_rounds"]), (&json!("concerns"), &json!(0)));
    it.ada.wf(&ADD).ok();
}

#[test]
fn after_two_rejected_rounds_an_owner_decides() {
    let it = Planned::new();
    for round in 1..=2 {
        let answer = it.review("40", &["--json"]).ok().json();
        assert_eq!((&answer["round"], &answer["rejected_rounds"]), (&json!(round), &json!(round)));
        change_plan(&it.ada, &it.plan, round);
    }
    let answer = it.review("100", &["--json"]).ok().json();
    assert_eq!((&answer["standing"], &answer["round"]), (&json!("approved"), &json!(3)));
    assert!(answer["remarks"].to_string().contains("an owner decides"), "{answer}");
    assert_eq!(it.ada.refused(1, &ADD)["code"], "owner-decides");
    let forced = [&ADD[..], &FORCE].concat();
    // Queueing belongs to one of these roles, but this decision belongs to none.
    for (role, code) in
        [("integrator", "owner-decides"), ("planner", "not-your-role"), ("executor", "not-your-role")]
    {
        let agent = it.ada.with_env("WF_ROLE", role);
        assert_eq!(agent.refused(1, &forced)["code"], code, "{role}");
    }
    it.ada.wf(&forced).ok();
    assert_eq!(it.ada.status("ISS-001"), "queued");
}

#[test]
fn a_plan_without_tasks_passes_nothing() {
    let it = Planned::new();
    let path = it.ada.store_path(&format!("/{}/solution.json", it.plan));
    let mut record = it.ada.stored_json(&path);
    record["plan"]["tasks"] = json!([]);
    record["clock"]["plan"] = json!("2026-11-22T02:00:00.000Z/00000/0000000a");
    it.ada.plumb(&[(&path, &format!("{record:#}\n"))]);
    let args =
        ["solution", "review", &it.plan, "--technical", "100", "--risk", "100", "--completeness", "100"];
    let error = it.bea.refused(1, &[&args[..], &["--verdict", "approved"]].concat());
    assert_eq!(error["code"], "no-tasks");
    let answer = it.bea.json(&args);
    assert_eq!((&answer["review"]["verdict"], &answer["standing"]), (&json!("rejected"), &json!("rejected")));
    assert_eq!(it.ada.refused(1, &ADD)["code"], "no-tasks");
    assert_eq!(it.ada.refused(1, &[&ADD[..], &FORCE].concat())["code"], "no-tasks");
}

#[test]
fn a_rejection_is_handed_to_the_next_planner_in_the_same_commit() {
    let it = Planned::new();
    let steps = it.ada.steps();
    it.review("40", &["--finding", "No way back", "--finding", "No test"]).ok();
    assert_eq!(it.ada.steps(), steps + 1, "one command, one commit");
    let feedback = it.ada.json(&["feedback", "ISS-001"]);
    assert_eq!((&feedback[0]["type"], &feedback[0]["stage"]), (&json!("rejection"), &json!("review")));
    assert_eq!(feedback[0]["content"], "No way back\nNo test");
    assert_eq!(feedback[0]["detail"]["solution_id"], json!(it.plan));
    assert_eq!(it.ada.json(&["context", "ISS-001"])["feedback"][0]["content"], "No way back\nNo test");
    it.ada.wf(&["fsck"]).ok();
}

#[test]
fn what_is_hidden_of_a_review_is_hidden_of_the_feedback_that_it_became() {
    let it = Planned::new();
    let hidden = |what: &str| {
        for args in [&["show", "ISS-001"][..], &["feedback"], &["context", "ISS-001"], &["log", "-p"]] {
            let shown = it.ada.wf(args).ok().stdout;
            assert!(!shown.contains(what), "{args:?}: {shown}");
        }
    };
    let first = it.review("40", &["--finding", "hunter2 is known", "--json"]).ok().json();
    let entry = format!("reviews/{}", first["review"]["id"].as_str().unwrap());
    it.ada.wf(&["redact", &it.plan, &entry, "-m", "a password"]).ok();
    hidden("hunter2");
    it.ada.changes_nothing(&["redact", &it.plan, &entry, "-m", "a password"]);
    // And the other way round.
    it.review("41", &["--finding", "hunter3 is known"]).ok();
    let feedback = it.ada.json(&["feedback"]);
    let entry = format!("feedback/{}", feedback[1]["id"].as_str().unwrap());
    it.ada.wf(&["redact", "ISS-001", &entry, "-m", "a password"]).ok();
    hidden("hunter3");
    assert_eq!(it.shown()["review"], "rejected", "the verdict stands");
    it.ada.wf(&["fsck"]).ok();
}

#[test]
fn what_is_rejected_in_the_queue_is_handed_out_no_more() {
    let it = Planned::new();
    it.ada.commit("a.txt", "a\n", "start");
    it.ada.wf(&ADD).ok();
    let ran = it.review("40", &[]).ok();
    assert!(ran.stdout.contains("`next` will not take it"), "{}", ran.stdout);
    assert_eq!(it.ada.items(), [("S-1".into(), "blocked".into())]);
    for args in [&["next"][..], &["next", "S-1"]] {
        let error = it.ada.refused(3, args);
        assert!(error["details"].to_string().contains("was rejected in review"), "{error}");
    }
    assert_eq!(it.ada.refused(1, &["next", "ISS-001"])["code"], "review-rejected");
    assert_eq!(it.ada.refused(1, &ADD)["code"], "review-rejected");
    // The index agrees with the tree.
    it.ada.wf(&["fsck", "--reindex"]).ok();
    it.ada.refused(3, &["next"]);

    let forced = [&ADD[..], &FORCE].concat();
    it.ada.wf(&forced).ok();
    assert_eq!(it.ada.items(), [("S-1".into(), "ready".into())]);
    it.ada.changes_nothing(&forced);
    it.ada.changes_nothing(&ADD);
    let ran = it.review("30", &[]).ok();
    assert!(ran.stdout.contains("someone overrode the gate and queued it as it is"), "{}", ran.stdout);
    it.ada.wf(&["next"]).ok();
    // An override for this plan also applies to its next attempt, but to no other plan.
    it.ada.wf(&["fail", "-m", "no"]).ok();
    it.ada.wf(&["retry"]).ok();
    assert_eq!(it.ada.items(), [("S-1".into(), "ready".into())]);
    change_plan(&it.ada, &it.plan, 1);
    it.review("40", &[]).ok();
    assert_eq!(it.ada.items(), [("S-1".into(), "blocked".into())]);
    assert_eq!(it.ada.refused(1, &ADD)["code"], "owner-decides");
}

#[test]
fn a_plan_that_is_rejected_while_it_is_executed_is_not_tried_again() {
    let it = Planned::new();
    it.ada.commit("a.txt", "a\n", "start");
    it.ada.wf(&ADD).ok();
    it.ada.wf(&["next"]).ok();
    it.review("40", &[]).ok();
    it.ada.wf(&["fail", "-m", "no"]).ok();
    let ran = it.ada.wf(&["retry"]).ok();
    assert!(ran.stdout.contains("was rejected in review"), "{}", ran.stdout);
    it.ada.refused(3, &["next"]);
    it.ada.wf(&["next", "ISS-001", "--force", "--reason", "it is late"]).ok();
    assert!(it.ada.last_message().contains("Wf-Force: it is late"), "{}", it.ada.last_message());
    assert_eq!(it.ada.status("ISS-001"), "executing");
}

#[test]
fn a_policy_that_is_set_later_holds_for_what_waits() {
    let it = Planned::new();
    it.ada.commit("a.txt", "a\n", "start");
    it.ada.wf(&ADD).ok();
    let ready = || it.ada.json(&["list", "--ready"]).as_array().unwrap().len();
    assert_eq!(ready(), 1);
    it.ada.wf(&["settings", "review=required"]).ok();
    assert_eq!(it.ada.items(), [("S-1".into(), "blocked".into())]);
    let blocked = crate::support::reasons(&it.ada.json(&["queue", "show"])["items"][0]);
    for part in ["was not reviewed", &format!("git wf plan review {}", it.plan)] {
        assert!(blocked.contains(part), "{part}: {blocked}");
    }
    for args in [&["next"][..], &["next", "S-1"]] {
        let error = it.ada.refused(3, args);
        assert!(error["details"].to_string().contains("the policy requires a review"), "{error}");
    }
    for args in [&["next", "ISS-001"][..], &ADD] {
        assert_eq!(it.ada.refused(1, args)["code"], "review-required");
    }
    // The index, which was of an earlier state, agrees with one that is rebuilt.
    assert_eq!(ready(), 0);
    it.ada.wf(&["fsck", "--reindex"]).ok();
    assert_eq!(ready(), 0);
    it.ada.refused(3, &["next"]);

    it.ada.wf(&["settings", "review=none"]).ok();
    assert_eq!(ready(), 1);
    it.ada.wf(&["settings", "review=required"]).ok();
    it.review("70", &[]).ok();
    assert_eq!((ready(), it.ada.items()), (1, vec![("S-1".into(), "ready".into())]));
    it.ada.wf(&["next"]).ok();
}

#[test]
fn what_was_queued_without_a_review_by_force_stays_in_its_turn_for_that_plan() {
    let it = Planned::new();
    it.ada.commit("a.txt", "a\n", "start");
    it.ada.wf(&ADD).ok();
    it.ada.wf(&["settings", "review=required"]).ok();
    let forced = [&ADD[..], &FORCE].concat();
    it.ada.wf(&forced).ok();
    assert!(it.ada.last_message().contains("Wf-Force: it is late"), "{}", it.ada.last_message());
    assert_eq!(it.ada.items(), [("S-1".into(), "ready".into())]);
    it.ada.changes_nothing(&forced);
    it.ada.changes_nothing(&ADD);
    change_plan(&it.ada, &it.plan, 1);
    assert_eq!(it.ada.refused(1, &ADD)["code"], "review-required");
    it.ada.wf(&forced).ok();
    it.ada.wf(&["next"]).ok();
}

#[test]
fn what_a_review_decides_by_cannot_be_hidden_and_a_purge_keeps_it() {
    let it = Planned::new();
    it.review("10", &["--finding", "hunter2 is no password"]).ok();
    let review = || it.ada.store_path_in("/reviews/");
    let entry = review().rsplit('/').next().unwrap().replace(".json", "");
    for member in ["plan_digest", "author", "verdict", "total", "scores"] {
        let field = format!("reviews/{entry}/{member}");
        assert_eq!(it.ada.refused(1, &["redact", &it.plan, &field, "-m", "r"])["code"], "not-redactable");
    }
    assert_eq!(it.ada.refused(1, &["redact", &it.plan, "author", "-m", "r"])["code"], "not-redactable");
    it.ada.wf(&["redact", &it.plan, &format!("reviews/{entry}"), "-m", "a password"]).ok();
    for purge in [false, true] {
        if purge {
            it.ada.wf(&["redact", "--purge", "--yes"]).ok();
            assert!(!it.ada.stored(&review()).contains("hunter2"));
        }
        let shown = it.shown();
        assert_eq!(
            (&shown["review"], &shown["reviews"][0]["findings"]),
            (&json!("rejected"), &json!(["[redacted]"]))
        );
        assert_eq!(it.ada.refused(1, &ADD)["code"], "review-rejected");
    }
}
