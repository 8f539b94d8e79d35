//! `bind` and `unbind`.

use serde_json::{Value, json};

use crate::support::{Sandbox, plan, plan_on};

#[test]
fn one_of_several_must_be_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    assert_eq!(repo.refused(1, &["bind", "ISS-001"])["code"], "no-solution");
    let plans = json!([plan_on("a"), plan_on("b")]).to_string();
    let added = repo.json_in(plans, &["solution", "add", "ISS-001"])["added"].clone();
    let (one, two) = (added[0].as_str().unwrap(), added[1].as_str().unwrap());
    let error = repo.refused(1, &["bind", "ISS-001"]);
    assert_eq!(error["code"], "choice-needed");
    for id in [one, two] {
        assert!(error["details"].to_string().contains(id), "{error}");
    }
    // A start of the last part is enough.
    let issue = repo.json(&["bind", "ISS-001", &one[12..]]);
    assert_eq!((&issue["status"], &issue["bound_solution_id"]), (&json!("planned"), &json!(one)));
    repo.changes_nothing(&["bind", "ISS-001"]);
    repo.changes_nothing(&["bind", "ISS-001", one]);
    assert_eq!(repo.json(&["bind", "ISS-001", two])["bound_solution_id"], two);
    let issue = repo.json(&["plan", "choose", "ISS-001", "--none"]);
    assert_eq!((&issue["status"], &issue["bound_solution_id"]), (&json!("planning"), &Value::Null));
    repo.changes_nothing(&["plan", "choose", "ISS-001", "--none"]);
}

#[test]
fn a_plan_of_another_issue_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let other = repo.planned("ISS-002", &plan());
    repo.planned("ISS-001", &plan());
    let error = repo.refused(1, &["bind", "ISS-001", &other]);
    assert_eq!(error["code"], "other-issue");
    assert_eq!(error["message"], format!("plan `{other}` belongs to issue `ISS-002`, not `ISS-001`"));
    assert_eq!(repo.refused(1, &["bind", "ISS-001", "SOL-ISS-001-zz"])["code"], "not-found");
}

#[test]
fn binding_another_plan_takes_the_item_out_of_the_queue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = repo.queued("ISS-001", "src/a.rs");
    let two = repo.wf_in(plan_on("src/b.rs").to_string(), &["solution", "add", "ISS-001"]).ok();
    assert_eq!(repo.json(&["bind", "ISS-001", two.line()])["status"], "planned");
    assert!(repo.items().is_empty());
    assert_eq!(repo.wf(&["next"]).fails(3).stdout, "");
    // Queued again, it is the next item, and the first plan can come back with its old number.
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.items(), [("S-2".into(), "ready".into())]);
    repo.wf(&["bind", "ISS-001", &one]).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "ready".into())]);
    repo.wf(&["plan", "choose", "ISS-001", "--none"]).ok();
    assert!(repo.items().is_empty());
}

#[test]
fn a_plan_in_work_is_not_exchanged_but_by_force() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let two = repo.wf_in(plan_on("src/b.rs").to_string(), &["solution", "add", "ISS-001"]).ok();
    let claim = repo.json(&["next"]);
    assert_eq!(repo.refused(1, &["bind", "ISS-001", two.line()])["code"], "illegal-move");
    assert_eq!(repo.refused(1, &["plan", "choose", "ISS-001", "--none"])["code"], "illegal-move");
    repo.wf(&["bind", "ISS-001", two.line(), "--force", "--reason", "wrong plan"]).ok();
    assert_eq!(repo.status("ISS-001"), "planned");
    let execution = repo.json(&["show", claim["execution_id"].as_str().unwrap()]);
    assert_eq!(execution["status"], "superseded");
    // Its executor is told.
    let error = repo.refused(1, &["done"]);
    assert!(["not-executing", "claim-lost"].contains(&error["code"].as_str().unwrap()), "{error}");
}

/// A plan typed without steps and criteria cannot be chosen, and does not stand in the way of one that can.
#[test]
fn the_only_plan_of_sufficient_quality_is_bound_beside_weaker_ones() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("src/a.rs", "one\n", "Begin");
    repo.issue("ISS-001");
    for (task, left) in [("Fix the race", 1), ("Fix the clock", 2)] {
        let said = repo.wf(&["plan", "ISS-001", "--task", task]).ok().stderr;
        // A second one is merely not bound.
        assert!(left == 2 || said.contains("T1 --step: expected"), "{said}");
        assert!(!said.contains("tasks[") && !said.contains("task edit"), "{said}");
        // What can be done names what is there: no plan can be chosen yet.
        let refused = repo.wf(&["queue", "add", "ISS-001"]).fails(1).stderr;
        let hint = if left == 1 { "git wf plan check SOL-ISS-001-" } else { "git wf plan list ISS-001" };
        assert!(refused.contains(hint) && !refused.contains("plan choose"), "{refused}");
    }
    let error = repo.refused(1, &["plan", "choose", "ISS-001"]);
    assert!(error["message"].as_str().unwrap().starts_with("none of the 2 plans"), "{error}");
    let good = repo.wf_in(plan_on("src/a.rs").to_string(), &["plan", "add", "ISS-001", "--no-bind"]).ok();
    // The exact command, wherever only one plan can be meant.
    let choose = format!("git wf plan choose ISS-001 {}", good.line());
    for args in [&["queue", "add", "ISS-001"][..], &["edit", "ISS-001", "--status", "queued"]] {
        let refused = repo.wf(args).fails(1).stderr;
        assert!(refused.contains(&choose), "{args:?}: {refused}");
    }
    assert!(good.stderr.contains(&choose), "{}", good.stderr);
    assert!(repo.wf(&[]).ok().stdout.contains(&choose));
    assert_eq!(repo.json(&["plan", "choose", "ISS-001"])["bound_solution_id"], good.line());
    repo.wf(&["plan", "choose", "ISS-001", "--none"]).ok();
    repo.wf(&["plan", "withdraw", good.line(), "-m", "too large"]).ok();
    // The same with more options is bound at once.
    let better = repo.json_in(plan_on("src/b.rs").to_string(), &["plan", "add", "ISS-001"]);
    assert_eq!(better["bound"][0]["solution_id"], better["added"][0], "{better}");
    // A second good one needs a choice.
    let third = repo.json_in(plan_on("src/c.rs").to_string(), &["plan", "add", "ISS-001"]);
    assert_eq!(third["bound"], json!([]), "{third}");
}
