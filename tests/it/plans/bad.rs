//! Plans that are hostile or broken: refused with a reason or accepted as a whole, never in part.

use serde_json::{Value, json};

use crate::support::{Sandbox, plan, plan_on};

#[test]
fn a_key_that_stands_twice_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let text = plan().to_string();
    for key in ["description", "tasks", "title", "criteria", "depends_on", "score"] {
        let twice = text.replacen(&format!("\"{key}\":"), &format!("\"{key}\":null,\"{key}\":"), 1);
        assert_ne!(twice, text);
        let error = repo.refused_in(twice, 1, &["solution", "add", "ISS-001"]);
        assert_eq!(error["code"], "unsound-json");
        assert!(
            error["message"].as_str().unwrap().contains(&format!("the key `{key}` appears twice")),
            "{error}"
        );
    }
    // In the second of two lines, too.
    let lines = format!("{text}\n{}\n", text.replacen('{', "{\"x\": 1, \"x\": 2, ", 1));
    assert_eq!(repo.refused_in(lines, 1, &["solution", "check", "-"])["code"], "unsound-json");
}

#[test]
fn a_plan_of_nearly_a_megabyte_is_taken_and_given_back_whole() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let mut large = plan_on("src/a.rs");
    let text = "0123456789 ".repeat(90_000);
    large["exploration_context"] = json!({ "notes": text });
    repo.write("large.json", large.to_string());
    let id = repo.wf(&["solution", "add", "ISS-001", "large.json"]).ok().line().to_owned();
    assert_eq!(repo.json(&["show", &id])["exploration_context"]["notes"], text.as_str());
    assert_eq!(repo.json(&["solution", "check", &id])["quality"], 1.0);
    repo.wf(&["task", "edit", &id, "T1", "--minutes", "7"]).ok();
    repo.wf(&["solution", "diff", &id]).ok();
    // More than a field can hold.
    large["exploration_context"] = json!({ "notes": text.repeat(2) });
    repo.write("larger.json", large.to_string());
    assert_eq!(repo.refused(1, &["solution", "add", "ISS-001", "larger.json"])["code"], "too-large");
}

#[test]
fn a_criterion_of_megabytes_and_ten_thousand_of_them_come_to_an_end() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let mut many = plan_on("src/a.rs");
    many["tasks"][0]["acceptance"]["criteria"] = vec!["works"; 10_000].into();
    let answer = repo.json_in(many.to_string(), &["solution", "check", "-"]);
    assert_eq!((&answer["quality"], answer["findings"].as_array().unwrap().len()), (&json!(0.7), 1_000));
    many["tasks"][0]["acceptance"]["criteria"] = json!(["works 正确 ".repeat(200_000)]);
    let answer = repo.json_in(many.to_string(), &["solution", "check", "-"]);
    let found = answer["findings"][0]["found"].as_str().unwrap();
    assert!(found.chars().count() <= 60, "{}", found.len());
}

#[test]
fn a_thousand_tasks_are_too_many() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let mut many = plan();
    let task = |n: usize| {
        let mut task = plan()["tasks"][0].clone();
        task["id"] = json!(format!("T{n}"));
        task
    };
    many["tasks"] = (1..=1_000).map(task).collect();
    let error = repo.refused_in(many.to_string(), 1, &["solution", "add", "ISS-001"]);
    assert_eq!(error["details"], json!(["tasks: expected 1 to 10 tasks; found \"1000 tasks\""]));
    let mut files = plan_on("x");
    let point = |n: usize| json!({"file": format!("src/{n}.rs")});
    files["tasks"][0]["modification_points"] = (0..1_000).map(point).collect();
    repo.wf_in(files.to_string(), &["solution", "add", "ISS-001"]).ok();
}

#[test]
fn deep_nesting_is_refused_or_can_be_read_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let nested = |depth: usize| -> String {
        let inner = format!("{}0{}", "[".repeat(depth), "]".repeat(depth));
        plan_on("src/a.rs")
            .to_string()
            .replacen('{', &format!("{{\"exploration_context\": {inner}, \"x\": 1, "), 1)
            .replacen("\"exploration_context\":{", "\"y\":{", 1)
    };
    repo.issue("ISS-001");
    for depth in [101, 1_000, 100_000] {
        let error = repo.refused_in(nested(depth), 1, &["solution", "add", "ISS-001"]);
        assert_eq!(error["code"], "unsound-json", "{depth}");
        assert!(error["message"].as_str().unwrap().contains("nested deeper than 100"), "{error}");
    }
    for depth in 90..=100 {
        let id = format!("ISS-{depth}");
        repo.issue(&id);
        let ran = repo.wf_in(nested(depth), &["solution", "add", &id]);
        assert!(ran.code == 0 || ran.code == 1, "{}", ran.stderr);
        let stored = repo.json(&["solution", "list", &id]);
        assert_eq!(stored.as_array().unwrap().len(), usize::from(ran.code == 0), "{depth}: {}", ran.stderr);
    }
    assert_eq!(repo.wf(&["fsck"]).ok().code, 0);
}

#[test]
fn a_plan_of_another_issue_or_with_another_digest_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let id = repo.planned("ISS-001", &plan());
    repo.issue("ISS-002");
    let shown = repo.json(&["show", &id]);
    let details = |plan: &Value, issue: &str| -> String {
        let error = repo.refused_in(plan.to_string(), 1, &["solution", "add", issue]);
        assert_eq!(error["code"], "invalid-plan");
        error["details"].to_string()
    };
    let other = details(&shown, "ISS-002");
    assert!(other.contains("issue_id: expected") && other.contains("SOL-ISS-002-<uid>"), "{other}");
    // A plan as shown is the same plan, with the same digest.
    let again = repo.wf_in(shown.to_string(), &["solution", "add", "ISS-001"]).ok();
    assert_eq!(again.line(), id);
    let mut changed = shown.clone();
    changed["score"] = json!(0.1);
    assert!(details(&changed, "ISS-001").contains("the digest of this plan, sha256:"));
    changed["plan_digest"] = json!(null);
    changed["id"] = json!(null);
    assert_ne!(repo.wf_in(changed.to_string(), &["solution", "add", "ISS-001"]).ok().line(), id);
}

/// Characters that a terminal obeys are shown as escapes.
#[test]
fn nothing_of_a_plan_reaches_the_terminal_uncleaned() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let mut hostile = plan_on("src/a.rs");
    hostile["tasks"][0]["acceptance"]["criteria"] = json!(["\u{1b}[2Jworks\u{202e}"]);
    hostile["tasks"][0]["action"] = json!("\u{1b}]0;x\u{7}");
    repo.write("hostile.json", hostile.to_string());
    let checked = repo.wf(&["solution", "check", "hostile.json"]).fails(1);
    let refused = repo.wf(&["solution", "add", "ISS-001", "hostile.json"]).fails(1);
    hostile["tasks"][0]["action"] = json!("Fix");
    repo.write("hostile.json", hostile.to_string());
    let id = repo.wf(&["solution", "add", "ISS-001", "hostile.json", "--no-bind"]).ok().line().to_owned();
    repo.wf(&["task", "edit", &id, "T1", "--title", "a\u{1b}[1mb", "--step", "x\u{202e}y", "--step", "z"])
        .ok();
    for ran in
        [checked, refused, repo.wf(&["solution", "diff", &id]).ok(), repo.wf(&["task", "list", &id]).ok()]
    {
        for c in ['\u{1b}', '\u{202e}', '\u{7}'] {
            assert!(!ran.stdout.contains(c) && !ran.stderr.contains(c), "{ran:?}");
        }
    }
}
