//! A new plan after the bound one failed.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, column, plan_on};

/// An issue whose plan was executed and failed; returns the plan.
fn failed(repo: &Repo) -> String {
    let plan = repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    repo.wf(&["fail", "-m", "wrong way"]).ok();
    plan
}

#[track_caller]
fn add(repo: &Repo, plans: &Value, more: &[&str]) -> Value {
    repo.json_in(plans.to_string(), &[&["solution", "add", "ISS-001"], more].concat())
}

fn bound(repo: &Repo) -> Value {
    repo.json(&["show", "ISS-001"])["bound_solution_id"].clone()
}

#[test]
fn a_lone_new_plan_is_bound_where_the_old_one_failed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let old = failed(&repo);
    let added = add(&repo, &plan_on("src/b.rs"), &[]);
    let new = added["added"][0].clone();
    assert_eq!(added["bound"], json!([{"issue_id": "ISS-001", "solution_id": new, "task_count": 1}]));
    assert_eq!(added["pending_selection"], json!([]));
    assert_eq!(bound(&repo), new);
    assert_eq!((repo.status("ISS-001").as_str(), repo.items().len()), ("planned", 0));
    // No failed plan is left to retry.
    assert_eq!(repo.refused(3, &["retry", "ISS-001"])["code"], "nothing-to-do");
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.json(&["next"])["solution_id"], new);
    // It failed, too, and the earlier plan is not newer.
    repo.wf(&["fail", "-m", "no"]).ok();
    repo.wf(&["retry", "ISS-001"]).ok();
    assert_eq!(bound(&repo), new);
    assert_ne!(new, json!(old));
}

#[test]
fn of_several_new_plans_one_is_chosen() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let old = failed(&repo);
    let added = add(&repo, &json!([plan_on("src/b.rs"), plan_on("src/c.rs")]), &[]);
    assert_eq!(added["bound"], json!([]));
    let pending = &added["pending_selection"][0];
    assert_eq!(pending["issue_id"], "ISS-001");
    let mut new = column(&pending["solutions"], "id");
    new.sort();
    let mut both: Vec<String> = serde_json::from_value(added["added"].clone()).unwrap();
    both.sort();
    assert_eq!(new, both);
    assert_eq!((bound(&repo), repo.status("ISS-001").as_str()), (json!(old), "failed"));
    let error = repo.refused(1, &["bind", "ISS-001"]);
    assert_eq!(error["code"], "choice-needed");
    assert!(!error["details"].to_string().contains(&old), "{error}");
    repo.wf(&["bind", "ISS-001", &new[1]]).ok();
    assert_eq!(bound(&repo), json!(new[1]));
}

#[test]
fn retry_names_newer_plans_and_takes_the_failed_one_only_where_that_is_said() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let old = failed(&repo);
    let new = add(&repo, &plan_on("src/b.rs"), &["--no-bind"])["added"][0].as_str().unwrap().to_owned();
    for args in [&["retry"][..], &["retry", "ISS-001"], &["retry", "S-1"]] {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "newer-plan", "{args:?}");
        assert!(error["message"].as_str().unwrap().contains(&old), "{error}");
        assert!(error["details"][0].as_str().unwrap().starts_with(&new), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("git wf plan choose ISS-001"), "{error}");
    }
    // Other issues are retried meanwhile.
    repo.queued("ISS-002", "src/c.rs");
    repo.wf(&["next"]).ok();
    repo.wf(&["fail", "-m", "no"]).ok();
    let ran = repo.wf(&["retry"]).ok();
    assert!(
        ran.stdout.contains("ISS-002 is queued again") && !ran.stdout.contains("ISS-001"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("skipped ISS-001"), "{}", ran.stderr);
    repo.wf(&["retry", "ISS-001", "--same-plan"]).ok();
    assert_eq!((bound(&repo), repo.status("ISS-001").as_str()), (json!(old), "queued"));
    // After another failure, it is still newer.
    repo.wf(&["next", "S-1"]).ok();
    repo.wf(&["fail", "-m", "still the wrong way"]).ok();
    assert_eq!(repo.refused(1, &["retry"])["code"], "newer-plan");
    repo.refused(2, &["retry", "--same-plan"]);
}

#[test]
fn without_a_name_bind_takes_the_newer_plan() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    failed(&repo);
    let new = add(&repo, &plan_on("src/b.rs"), &["--no-bind"])["added"][0].clone();
    repo.wf(&["bind", "ISS-001"]).ok();
    assert_eq!(bound(&repo), new);
}

#[test]
fn a_poor_plan_takes_nobodys_place() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let old = failed(&repo);
    let mut poor = plan_on("src/b.rs");
    for part in ["risk", "impact", "complexity"] {
        poor["analysis"].as_object_mut().unwrap().remove(part);
    }
    poor["tasks"][0]["acceptance"] = json!({"criteria": ["works"], "verification": []});
    let ran = repo.wf_in(poor.to_string(), &["solution", "add", "ISS-001"]).ok();
    assert!(ran.stderr.contains("is not bound: its quality is"), "{}", ran.stderr);
    assert_eq!(bound(&repo), json!(old));
    assert_eq!(repo.refused(1, &["retry", "ISS-001"])["code"], "newer-plan");
}

#[test]
fn a_plan_that_is_bound_at_once_says_so_and_what_left_the_queue_for_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    // In a pipe, the answer is only the id.
    let first = repo.wf_in(plan_on("src/a.rs").to_string(), &["solution", "add", "ISS-001"]).ok();
    assert!(first.stderr.contains(&format!("note: bound {} to ISS-001", first.line())), "{}", first.stderr);
    assert!(!first.stderr.contains("queue"), "{}", first.stderr);
    for is_json in [false, true] {
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        repo.wf(&["fail", "-m", "wrong way"]).ok();
        let old = bound(&repo);
        let file = format!("src/{is_json}.rs");
        if is_json {
            let added = add(&repo, &plan_on(&file), &[]);
            let left = &added["left_queue"];
            assert_eq!(
                (left[0]["item_id"].clone(), &left[0]["solution_id"]),
                (json!("S-2"), &old),
                "{added:#}"
            );
            assert!(added["warnings"].to_string().contains("left the queue"), "{added:#}");
        } else {
            let ran = repo.wf_in(plan_on(&file).to_string(), &["solution", "add", "ISS-001"]).ok();
            let told = "ISS-001 left the queue: S-1 of ";
            assert!(ran.stderr.contains(told) && ran.stderr.contains("queue add ISS-001"), "{}", ran.stderr);
            assert!(ran.stderr.contains(&format!("note: bound {}", ran.line())), "{}", ran.stderr);
        }
        assert!(repo.items().is_empty());
    }
    // `bind` does the same.
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    let other =
        repo.wf_in(plan_on("src/c.rs").to_string(), &["solution", "add", "ISS-001", "--no-bind"]).ok();
    let ran = repo.wf(&["bind", "ISS-001", other.line()]).ok();
    assert!(ran.stderr.contains("ISS-001 left the queue: S-3 of "), "{}", ran.stderr);
}
