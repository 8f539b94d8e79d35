//! What could be better in a plan, what it costs, and what a poor plan cannot be used for.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, column, plan, plan_on};

/// A plan that can be stored and is too poor to be bound.
fn poor() -> Value {
    let mut plan = plan_on("src/a.rs");
    plan["tasks"][0]["acceptance"] = json!({"criteria": ["works correctly", "没问题"]});
    plan["analysis"] = json!(null);
    plan
}

#[test]
fn the_score_is_printed_as_a_table_above_the_findings() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.write("plan.json", poor().to_string());
    let printed = repo.wf(&["solution", "check", "plan.json"]).ok().stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "plan.json: 1 task, 1 file, low complexity (by size), no errors, 6 warnings");
    assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["QUALITY", "WEIGHT", "SHARE", "SCORE"]);
    assert_eq!(lines[4], "  testable criteria            0.3     0%  0.000");
    assert_eq!(lines[6].split_whitespace().collect::<Vec<_>>(), ["total", "1", "0.50"]);
    assert!(printed.contains("warning  tasks[0].acceptance.criteria[1]: expected "), "{printed}");
    assert!(printed.contains("; found \"没问题\""), "{printed}");
    assert!(printed.contains(" (quality -0.1)\n         name a number"), "{printed}");
    let answer = repo.json(&["solution", "check", "plan.json"]);
    assert_eq!((&answer["valid"], &answer["quality"]), (&json!(true), &json!(0.5)));
    assert_eq!(answer["plans"][0]["computed_complexity"], "low");
    let parts = &answer["plans"][0]["parts"];
    assert_eq!(column(parts, "part")[2], "testable-acceptance");
    assert_eq!(parts[2]["score"], 0.0);
    let lost: f64 = answer["findings"].as_array().unwrap().iter().filter_map(|it| it["cost"].as_f64()).sum();
    assert!((lost - 0.5).abs() < 0.01, "{lost}");
}

#[test]
fn a_poor_plan_is_stored_and_not_bound() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let ran = repo.wf_in(poor().to_string(), &["solution", "add", "ISS-001"]).ok();
    let id = ran.line().to_owned();
    assert!(
        ran.stderr.contains(&format!("{id} is not bound: its quality is 0.50; binding requires 0.8 or more")),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("works correctly") && ran.stderr.contains("git wf plan check"),
        "{}",
        ran.stderr
    );
    assert_eq!(repo.status("ISS-001"), "planning");
    assert_eq!(repo.json(&["show", &id])["quality"], 0.5);
    // The first screen does not send anyone to `bind`, which would refuse it.
    let home = repo.wf(&[]).ok().stdout;
    assert!(home.contains("git wf plan check SOL-") && !home.contains("git wf plan choose"), "{home}");
    let error = repo.refused(1, &["bind", "ISS-001"]);
    assert_eq!(error["code"], "low-quality");
    assert!(error["details"].to_string().contains("没问题"), "{error}");
    assert_eq!(repo.refused(1, &["queue", "add", "ISS-001"])["code"], "not-bound");
    repo.wf(&["bind", "ISS-001", "--force", "--reason", "it is a trial"]).ok();
    assert!(repo.last_message().contains("Wf-Force: it is a trial"));
    repo.changes_nothing(&["bind", "ISS-001"]);
    // Forced at once.
    repo.issue("ISS-002");
    let args = ["solution", "add", "ISS-002", "--force", "--reason", "a trial"];
    let added = repo.json_in(poor().to_string(), &args);
    assert_eq!(added["bound"][0]["task_count"], 1);
    assert!(column(&added["findings"], "rule").contains(&"vague-criterion".to_owned()));
}

#[test]
fn of_several_plans_each_is_shown_with_what_one_chooses_by() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("GH-123");
    let plans = json!([plan(), plan_on("src/other.rs"), poor()]);
    let ran = repo.json_in(plans.to_string(), &["solution", "add", "GH-123"]);
    assert_eq!(ran["bound"], json!([]));
    assert_eq!(ran["pending_selection"][0]["issue_id"], "GH-123");
    let candidates = ran["pending_selection"][0]["solutions"].as_array().unwrap();
    // All three are described alike.
    let good = candidates.iter().find(|it| it["quality"] == 1.0 && it["task_count"] == 2).unwrap();
    assert_eq!((&good["score"], &good["risk"]), (&json!(0.9), &json!("low")));
    assert_eq!(good["files_touched"].as_array().unwrap().len(), 3);
    let id = good["id"].as_str().unwrap();
    assert_eq!(repo.json(&["bind", "GH-123", id])["bound_solution_id"], id);
    let listed = repo.json(&["solution", "list", "GH-123"]);
    assert!(listed.as_array().unwrap().iter().all(|it| it["quality"].is_number()), "{listed}");
}

#[test]
fn a_file_to_change_that_is_not_in_the_commit_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let unknown = |repo: &Repo| -> Vec<String> {
        let answer = repo.json_in(plan().to_string(), &["solution", "check", "-"]);
        assert_eq!((&answer["valid"], &answer["quality"]), (&json!(true), &json!(1.0)));
        let findings = answer["findings"].as_array().unwrap();
        findings.iter().map(|it| format!("{} {}", it["rule"].as_str().unwrap(), it["found"])).collect()
    };
    // Without a commit, nobody can tell.
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/unborn"]).ok();
    assert!(unknown(&repo).is_empty());
    repo.commit("README", "x\n", "start");
    assert_eq!(unknown(&repo), [r#"unknown-file "\"src/middleware/mod.rs\"""#]);
    repo.commit("src/middleware/mod.rs", "x\n", "more");
    assert!(unknown(&repo).is_empty());
}

#[test]
fn files_that_plans_share_are_named_before_anything_is_queued() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = repo.planned("ISS-001", &plan_on("src/a.rs"));
    let two = repo.planned("ISS-002", &plan_on("./src/a.rs"));
    repo.planned("ISS-003", &plan_on("src/c.rs"));
    repo.issue("ISS-004");
    let shared = |args: &[&str]| repo.json(&[&["solution", "check"], args].concat())["shared_files"].clone();
    let both = json!([{"file": "src/a.rs", "plans": [one, two]}]);
    assert_eq!(shared(&["--with", "ISS-001", "ISS-002", "ISS-003"]), both);
    assert_eq!(shared(&["--all-bound"]), both);
    assert_eq!(shared(&[&one, "--with", &two]), both);
    assert_eq!(shared(&[&one, "--with", "ISS-003"]), json!([]));
    assert_eq!(shared(&["--with", "ISS-001", "ISS-001"]), json!([]));
    repo.write("new.json", plan_on("src/c.rs").to_string());
    let new = shared(&["new.json", "--all-bound"]);
    assert_eq!(new[1]["file"], "src/c.rs");
    assert_eq!(new[1]["plans"][0], "new.json");
    // Another plan of the same issue is not compared.
    assert_eq!(shared(&["new.json", "--issue", "ISS-003", "--all-bound"]), both);
    let printed = repo.wf(&["solution", "check", "--all-bound"]).ok().stdout;
    assert!(printed.lines().nth(1).unwrap().starts_with("src/a.rs"), "{printed}");
    assert!(repo.wf(&["solution", "check", "--with", "ISS-003"]).ok().stdout.contains("share no file"));
    assert_eq!(repo.refused(1, &["solution", "check", "--with", "ISS-004"])["code"], "not-bound");
    assert_eq!(repo.refused(1, &["solution", "check", "--with", "ISS-404"])["code"], "not-found");
    repo.wf(&["solution", "check"]).fails(2);
}
