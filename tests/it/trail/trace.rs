//! `trace` of branches and ranges, what it shows besides commits, and its graphs.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, column, plan_on};

const TITLE: &str = "Quote \"]; end --> <b> \\n `x`";

/// An issue that failed once, was forced, is executed on a branch, and was checked and accepted.
fn worked(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.commit("a.txt", "one\n", "start");
        let mut plan = plan_on("a.txt");
        plan["tasks"][0]["test"] = json!({"commands": ["true", "test -e missing"]});
        repo.wf(&["new", "--id", "ISS-001", TITLE]).ok();
        repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001"]).ok();
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.git(&["checkout", "-qb", "feature"]).ok();
        repo.wf(&["next"]).ok();
        repo.commit("a.txt", "two\n", "change it");
        repo.wf(&["verify", "--yes"]).fails(1);
        repo.wf(&["fail", "-m", "no such file"]).ok();
        repo.wf(&["retry", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        repo.commit("a.txt", "three\n", "change it again");
        repo.wf(&["accept", "T1", "1", "-m", "seen by eye"]).ok();
        repo.wf(&["done", "--force", "--reason", "the demo is today"]).ok();
        repo.git(&["commit", "--allow-empty", "-qm", "by hand"]).ok();
        repo
    })
}

#[test]
fn a_branch_and_a_range_are_their_commits_and_then_the_issues_once() {
    let sandbox = Sandbox::new();
    let repo = worked(&sandbox);
    let range = repo.json(&["trace", "main..feature"]);
    assert_eq!(range["query"], "main..feature");
    assert_eq!(column(&range["commits"], "subject"), ["change it", "change it again", "by hand"]);
    let carried = |n: usize| range["commits"][n]["carries_out"].clone();
    assert_eq!((&carried(0)[0]["issue_id"], &carried(2)), (&json!("ISS-001"), &json!([])));
    assert_ne!(carried(0)[0]["execution_id"], carried(1)[0]["execution_id"]);
    assert_eq!(range["issues"].as_array().unwrap().len(), 1, "each issue once");
    assert_eq!((&range["commit"], &range["linked_by"]), (&Value::Null, &Value::Null));
    let branch = repo.json(&["trace", "feature"]);
    assert_eq!((&branch["query"], &branch["commits"]), (&json!("feature"), &range["commits"]));
    // The main branch, and a branch without commits of its own, stand for their last commit.
    assert_eq!(repo.json(&["trace", "main"])["commit"]["subject"], "start");
    repo.git(&["branch", "old", "main"]).ok();
    assert_eq!(repo.json(&["trace", "old"])["commit"]["subject"], "start");
    assert_eq!(repo.json(&["trace", "feature..main"])["commits"], json!([]));
    let text = repo.screen("trail/trace-a-branch", &["trace", "feature"]).stdout;
    assert_eq!(text.matches("\nissue ISS-001").count(), 1, "{text}");
    assert_eq!(repo.refused(1, &["trace", "main..nowhere"])["code"], "not-found");
}

#[test]
fn it_shows_checks_criteria_overrides_and_feedback() {
    let sandbox = Sandbox::new();
    let repo = worked(&sandbox);
    let issue = repo.json(&["trace", "ISS-001"])["issues"][0].clone();
    assert_eq!(column(&issue["overrides"], "operation"), ["done"]);
    assert_eq!(column(&issue["overrides"], "reason"), ["the demo is today"]);
    assert_eq!(column(&issue["accepted"], "evidence"), ["seen by eye"]);
    assert_eq!(issue["feedback"][0]["type"], "failure");
    let first = &issue["executions"][0];
    assert_eq!(column(&first["checks"], "command"), ["true", "test -e missing"]);
    repo.screen("trail/trace-two-attempts", &["trace", "ISS-001"]);
}

#[test]
fn a_plan_that_changed_since_is_told_from_the_one_that_was_claimed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.queued("ISS-001", "a.txt");
    repo.wf(&["next"]).ok();
    let text = repo.wf(&["trace", "ISS-001"]).ok().stdout;
    assert!(!text.contains("of an earlier version of the plan"), "{text}");
    let path = repo.store_path("/solution.json");
    let claimed = repo.json(&["show", &plan])["plan_digest"].as_str().unwrap().to_owned();
    let changed = repo.stored(&path).replace("\"id\": \"T1\"", "\"id\": \"T7\"");
    repo.plumb(&[(&path, &changed)]);
    let text = repo.wf(&["trace", "ISS-001"]).ok().stdout;
    assert!(text.contains(&format!("of an earlier version of the plan, {}", &claimed[..19])), "{text}");
}

#[test]
fn it_is_drawn_for_other_programs_and_no_title_breaks_out() {
    let sandbox = Sandbox::new();
    let repo = worked(&sandbox);
    for of in ["ISS-001", "feature", "HEAD~1"] {
        let dot = repo.wf(&["trace", of, "--dot"]).ok().stdout;
        assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"), "{dot}");
        assert!(dot.contains("Quote \\\"]; end --> <b> \\\\n `x`"), "{dot}");
        let mermaid = repo.wf(&["trace", of, "--mermaid"]).ok().stdout;
        assert!(mermaid.starts_with("flowchart LR\n"), "{mermaid}");
        for line in mermaid.lines().filter(|line| line.contains('[')) {
            assert!(line.matches('"').count() == 2 && !line.contains("<b>"), "{line}");
        }
        for part in ["the demo is today", "seen by eye", "test -e missing", "attempt 2, completed"] {
            assert!(dot.contains(part) && mermaid.contains(part), "`{part}` is missing in\n{dot}\n{mermaid}");
        }
    }
    // A commit appears in it once.
    let dot = repo.wf(&["trace", "feature", "--dot"]).ok().stdout;
    assert_eq!(dot.matches("change it again").count(), 1, "{dot}");
    let nodes = dot.lines().filter(|line| line.contains("[label=")).count();
    for edge in dot.lines().filter(|line| line.contains(" -> ")) {
        let numbers = edge.split(" -> ").map(|part| {
            part.trim().trim_start_matches('n').split([' ', ';']).next().unwrap().parse::<usize>().unwrap()
        });
        assert!(numbers.into_iter().all(|n| n < nodes), "{edge}");
    }
    repo.refused(2, &["trace", "ISS-001", "--dot", "--mermaid"]);
}
