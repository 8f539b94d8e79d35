//! Feedback, approval, and handing over wave after wave.

use serde_json::{Value, json};

use super::{add, direct, issue_of};
use crate::support::{Sandbox, column, plan_on};

#[test]
fn feedback_is_kept_in_at_most_five_rounds() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let added = add(&repo, &direct(), &[]);
    let id = added["id"].as_str().unwrap();
    let revise = |args: &[&str]| repo.json(&[&["roadmap", "revise", id], args].concat());
    let view = revise(&["--scope", "without PDF", "--redecompose", "one task for each format"]);
    assert_eq!((&view["status"], &view["rounds"][0]["status"]), (&json!("refining"), &json!("open")));
    assert_eq!(repo.refused(1, &["roadmap", "next"])["code"], "open-feedback");
    let mut changed = direct();
    changed["tasks"][1]["title"] = json!("Write HTML");
    add(&repo, &changed, &[]);
    let view = repo.json(&["roadmap", "show"]);
    assert_eq!((&view["status"], &view["rounds"][0]["status"]), (&json!("refining"), &json!("answered")));
    assert_eq!(view["rounds"][0]["changes"], json!(["changed T2"]));
    let view = revise(&["--approve"]);
    assert_eq!(view["status"], "ready");
    let tip = repo.tip();
    revise(&["--approve"]);
    assert_eq!(repo.tip(), tip);
    for n in 2..=5 {
        revise(&["--convergence", &format!("round {n}")]);
    }
    assert_eq!(repo.refused(1, &["roadmap", "revise", id, "--scope", "more"])["code"], "too-many-rounds");
    assert_eq!(revise(&["--approve"])["status"], "ready");
    for args in [&["--scope", " "][..], &[]] {
        let refused = repo.refused(2, &[&["roadmap", "revise", id], args].concat());
        assert_eq!(refused["code"], "usage");
        assert!(refused["hint"].as_str().unwrap().contains("--planner"), "{refused}");
    }
    let executor = repo.with_env("WF_ROLE", "executor");
    assert_eq!(executor.refused(1, &["roadmap", "revise", id, "--approve"])["code"], "not-your-role");
    assert!(
        repo.wf(&["log", "-p", id])
            .ok()
            .stdout
            .contains("feedback: scope: without PDF; re-decompose: one task")
    );
    repo.wf(&["fsck"]).ok();
}

#[test]
fn wave_after_wave_is_handed_over() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("src/csv.rs", "one\n", "Begin");
    assert_eq!(repo.refused(3, &["roadmap", "next"])["code"], "nothing-to-do");
    let added = add(&repo, &direct(), &[]);
    let id = added["id"].as_str().unwrap();
    let [one, two, three] = ["T1", "T2", "T3"].map(|item| issue_of(&added, item));
    repo.wf_in(plan_on("src/csv.rs").to_string(), &["solution", "add", &one]).ok();
    let handed = repo.json(&["roadmap", "next"]);
    assert_eq!((&handed["wave"], handed["queued"][0]["issue_id"].as_str()), (&json!(1), Some(one.as_str())));
    assert_eq!(handed["queued"][0]["title"], "[feature] Write CSV");
    assert_eq!(column(&handed["without_plan"], "issue_id"), [two.as_str()]);
    let call = &handed["remedies"][0];
    assert_eq!((&call["operation"], &call["options"][0]["value"]), (&json!("run"), &json!("1")));
    assert_eq!(repo.status(&one), "queued");
    let again = repo.json(&["roadmap", "next", id]);
    assert_eq!(column(&again["under_way"], "issue_id"), [one.as_str()]);
    repo.wf_in(plan_on("src/pdf.rs").to_string(), &["solution", "add", &two]).ok();
    repo.wf(&["queue", "add", "--wave", "1"]).ok();
    let waits = repo.refused(3, &["roadmap", "next"]);
    assert!(waits["message"].as_str().unwrap().contains("is under way"), "{waits}");
    // The next wave begins once this one is done.
    for issue in [&one, &two] {
        repo.wf(&["close", issue]).ok();
    }
    let handed = repo.json(&["roadmap", "next"]);
    assert_eq!(
        (&handed["wave"], column(&handed["without_plan"], "issue_id")),
        (&json!(2), vec![three.clone()])
    );
    let progress = repo.json(&["roadmap", "list"]);
    assert_eq!((&progress[0]["done"], &progress[0]["total"]), (&json!(2), &json!(3)));
    // Another roadmap has such a wave, too.
    add(&repo, &direct(), &["--new"]);
    let handed = repo.json(&["roadmap", "next", id]);
    assert_eq!(handed["remedies"][0]["values"], json!([three]));
    repo.wf(&["close", &three]).ok();
    assert_eq!(repo.refused(3, &["roadmap", "next", id])["code"], "nothing-to-do");
    // Only the other one has anything left.
    assert_ne!(repo.json(&["roadmap", "next"])["roadmap_id"], id);
    assert_ne!(repo.json(&["roadmap", "show"])["id"], id);
}

#[test]
fn work_on_another_branch_has_to_be_merged_first() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("src/csv.rs", "one\n", "Begin");
    let added = add(&repo, &direct(), &[]);
    let [one, two, three] = ["T1", "T2", "T3"].map(|item| issue_of(&added, item));
    repo.wf(&["close", &two]).ok();
    repo.wf_in(plan_on("src/csv.rs").to_string(), &["solution", "add", &one]).ok();
    repo.wf(&["queue", "add", &one]).ok();
    let main = repo.git(&["symbolic-ref", "--short", "HEAD"]).ok().line().to_owned();
    repo.git(&["switch", "--quiet", "--create", "wf/RUN-1"]).ok();
    repo.wf(&["next"]).ok();
    repo.commit("src/csv.rs", "two\n", "Write CSV");
    repo.wf(&["link", "HEAD", &one]).ok();
    repo.done();
    assert_eq!(repo.status(&one), "completed");
    repo.git(&["switch", "--quiet", &main]).ok();
    let refused = repo.refused(3, &["roadmap", "next"]);
    assert!(
        refused["message"].as_str().unwrap().contains("waits until the work of the waves before it"),
        "{refused}"
    );
    let remedy = &refused["remedies"][0];
    assert_eq!((&remedy["operation"], &remedy["values"]), (&json!("land"), &json!([one])), "{refused}");
    repo.git(&["merge", "--quiet", "wf/RUN-1"]).ok();
    let handed = repo.json(&["roadmap", "next"]);
    assert_eq!((&handed["wave"], column(&handed["without_plan"], "issue_id")), (&json!(2), vec![three]));
    assert_eq!((&handed["unmerged"], &handed["remedies"][0]["operation"]), (&Value::Null, &json!("run")));
}

/// A wave waits for the landing of the one before, not for a branch.
#[test]
fn a_wave_begins_when_the_work_before_it_is_there_in_any_form() {
    for how in ["squash", "delete"] {
        let sandbox = Sandbox::new();
        let repo = sandbox.store("a");
        repo.wf(&["hooks", "install"]).ok();
        repo.commit("src/csv.rs", "one\n", "Begin");
        let added = add(&repo, &direct(), &[]);
        let [one, two, three] = ["T1", "T2", "T3"].map(|item| issue_of(&added, item));
        repo.wf(&["close", &two]).ok();
        repo.wf_in(plan_on("src/csv.rs").to_string(), &["solution", "add", &one]).ok();
        repo.wf(&["queue", "add", &one]).ok();
        let main = repo.git(&["symbolic-ref", "--short", "HEAD"]).ok().line().to_owned();
        repo.git(&["switch", "--quiet", "--create", "work"]).ok();
        repo.wf(&["next"]).ok();
        repo.commit("src/csv.rs", "two\n", "Write CSV");
        repo.done();
        repo.git(&["switch", "--quiet", &main]).ok();
        if how == "squash" {
            repo.commit("other.txt", "other\n", "Other");
            repo.git(&["merge", "--quiet", "--squash", "work"]).ok();
            repo.git(&["commit", "--quiet", "--no-edit"]).ok();
            let handed = repo.json(&["roadmap", "next"]);
            assert_eq!(
                (&handed["wave"], column(&handed["without_plan"], "issue_id")),
                (&json!(2), vec![three])
            );
        } else {
            repo.git(&["branch", "--quiet", "-D", "work"]).ok();
            let refused = repo.refused(3, &["roadmap", "next"]);
            assert!(refused["details"][0].as_str().unwrap().contains(&one), "{refused}");
        }
    }
}
