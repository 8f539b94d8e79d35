//! `import jsonl`: what belongs to a record that is skipped is skipped with it.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan};

const HEAD: &str = "{\"format\":\"git-wf-export\",\"version\":1}";

/// Two issues with plans and comments, of which one is in the queue.
fn exported(sandbox: &Sandbox) -> Vec<String> {
    let repo = sandbox.store("one");
    for id in ["GH-1", "GH-2"] {
        repo.wf(&["new", "--id", id, "Tokens expire"]).ok();
        repo.wf(&["comment", id, "-m", "Hm."]).ok();
        repo.wf_in(plan().to_string(), &["solution", "add", id, "-"]).ok();
    }
    repo.wf(&["queue", "add", "GH-1"]).ok();
    let whole = repo.wf(&["export", "jsonl"]).ok().stdout;
    let lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    lines[1..lines.len() - 1].to_vec()
}

fn text(lines: &[String]) -> String {
    format!("{HEAD}\n{}\n{{\"files\":{}}}\n", lines.join("\n"), lines.len())
}

fn import(repo: &Repo, text: &str) -> Value {
    repo.wf_in(text, &["--json", "import", "jsonl", "-"]).ok().json()
}

/// The lines without the title of the record at a path that contains `part`.
fn broken(lines: &[String], part: &str, field: &str) -> Vec<String> {
    let mut lines = lines.to_vec();
    let line = lines.iter_mut().find(|line| line.contains(part)).unwrap();
    let mut value: Value = serde_json::from_str(line).unwrap();
    value["record"].as_object_mut().unwrap().remove(field).unwrap();
    *line = value.to_string();
    lines
}

#[test]
fn comments_plans_and_items_of_a_skipped_issue_are_skipped_and_counted() {
    let sandbox = Sandbox::new();
    let lines = exported(&sandbox);
    let text = text(&broken(&lines, "/GH-1/issue.json", "title"));
    let two = sandbox.store("two");
    let taken = import(&two, &text);
    let skipped = taken["skipped"].as_array().unwrap();
    let said: Vec<_> = skipped.iter().map(|it| (it["unit"].as_str().unwrap(), it["line"] == 0)).collect();
    assert_eq!(said, [("line", false), ("issue", true), ("plan", true)], "{taken}");
    assert_eq!(skipped[1]["id"], "GH-1");
    assert!(skipped[1]["reason"].as_str().unwrap().starts_with("2 files skipped"), "{taken}");
    assert!(skipped[2]["reason"].as_str().unwrap().starts_with("1 file skipped"), "{taken}");
    assert_eq!(taken["issues"], 1);
    assert!(!two.store_paths().iter().any(|path| path.contains("GH-1")), "{:?}", two.store_paths());
    assert_eq!(two.wf(&["fsck"]).ok().stdout, "0 errors, 0 notes\n");
    two.wf_in(&text, &["import", "jsonl", "--strict", "-"]).fails(1);
    // What is here already takes them.
    let three = sandbox.store("three");
    import(&three, &self::text(&lines));
    let tip = three.tip();
    assert_eq!(import(&three, &text)["skipped"].as_array().unwrap().len(), 1);
    assert_eq!(three.tip(), tip);
}

#[test]
fn the_item_of_a_skipped_plan_is_skipped_and_its_issue_is_not() {
    let sandbox = Sandbox::new();
    let lines = exported(&sandbox);
    let two = sandbox.store("two");
    // The first plan of the export is the one that is queued.
    let taken = import(&two, &text(&broken(&lines, "/solution.json", "issue_id")));
    let units: Vec<&Value> = taken["skipped"].as_array().unwrap().iter().map(|it| &it["unit"]).collect();
    assert_eq!(units, [&json!("line"), &json!("plan")], "{taken}");
    assert_eq!(taken["issues"], 2);
    assert!(!two.store_paths().iter().any(|path| path.contains("/items/")), "{:?}", two.store_paths());
}

#[test]
fn an_export_without_the_line_of_an_issue_brings_nothing_of_it() {
    let sandbox = Sandbox::new();
    let mut lines = exported(&sandbox);
    lines.retain(|line| !line.contains("/GH-2/issue.json"));
    let two = sandbox.store("two");
    let taken = import(&two, &text(&lines));
    assert_eq!((&taken["skipped"][0]["unit"], &taken["skipped"][0]["id"]), (&json!("issue"), &json!("GH-2")));
    assert!(!two.store_paths().iter().any(|path| path.contains("GH-2")), "{:?}", two.store_paths());
    assert_eq!(two.wf(&["fsck"]).ok().stdout, "0 errors, 0 notes\n");
}
