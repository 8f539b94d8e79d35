//! Several issues at once, and what would land.

use serde_json::json;

use super::{Work, project, work};
use crate::support::{Sandbox, column};

#[test]
fn a_red_batch_is_halved_until_the_culprit_is_known_and_the_rest_lands() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    for n in 1..=5 {
        let (issue, file) = (format!("ISS-00{n}"), format!("{n}.txt"));
        repo.complete(&work(&issue, &file, "text\n"));
    }
    repo.git(&["config", "wf.land.test", "echo run >>../ran; test ! -f 4.txt"]).ok();
    let answer = repo.wf(&["land", "--all", "--batch", "5", "--yes", "--json"]).fails(1).json();
    assert_eq!(column(&answer["landed"], "issue_id"), ["ISS-001", "ISS-002", "ISS-003", "ISS-005"]);
    assert_eq!(column(&answer["not_landed"], "issue_id"), ["ISS-004"]);
    assert_eq!(answer["not_landed"][0]["why"], "tests");
    assert!(!repo.path().join("4.txt").exists() && repo.path().join("5.txt").exists());
    // 5, then 2; 3, then 1; 2, then 1 and 1.
    let ran = std::fs::read_to_string(sandbox.root().join("ran")).unwrap();
    assert_eq!(ran.lines().count(), 7);
}

#[test]
fn a_batch_is_tested_and_recorded_once() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    for n in 1..=3 {
        repo.complete(&work(&format!("ISS-00{n}"), &format!("{n}.txt"), "text\n"));
    }
    repo.git(&["config", "wf.land.test", "echo run >>../ran"]).ok();
    let steps = repo.steps();
    repo.wf(&["land", "--all", "--batch", "10", "--yes"]).ok();
    assert_eq!(repo.steps(), steps + 1);
    assert!(repo.last_message().starts_with("land: 3 issues on main\n"), "{}", repo.last_message());
    assert_eq!(std::fs::read_to_string(sandbox.root().join("ran")).unwrap(), "run\n");
    assert_eq!(repo.subjects("main").len(), 3 + 2, "one merge for each issue");
}

#[test]
fn a_dry_run_shows_the_order_the_conflicts_and_the_tests() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "base", "1\nfirst\n3\n"));
    repo.complete(&work("ISS-002", "base", "1\nsecond\n3\n"));
    repo.complete(&Work { issue: "ISS-003", file: "c.txt", text: "c\n", test: "exit 9" });
    repo.wf(&["edit", "ISS-003", "--depends-on", "ISS-002"]).ok();
    let (tip, main) = (repo.tip(), repo.id("main"));
    let answer = repo.wf(&["land", "--all", "--dry-run", "--json"]).fails(1).json();
    assert_eq!((repo.tip(), repo.id("main")), (tip, main), "nothing has moved");
    assert_eq!((&answer["dry_run"], &answer["landed"][0]["issue_id"]), (&json!(true), &json!("ISS-001")));
    assert_eq!(answer["landed"][0]["tests"], json!(["true"]));
    assert_eq!(column(&answer["not_landed"], "why"), ["conflict", "dependency"]);
    assert_eq!(answer["not_landed"][1]["message"], "it depends on `ISS-002`, which did not land");
    let shown = repo.wf(&["land", "--all", "--dry-run"]).fails(1).stdout;
    assert!(shown.contains("would land ISS-001 on main by merge (1 commit): About ISS-001"), "{shown}");
    assert!(shown.contains("would not land ISS-002: About ISS-002: conflict with SOL-ISS-001-"), "{shown}");
}

#[test]
fn without_arguments_what_the_branch_has_lands() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.complete(&work("ISS-002", "b.txt", "b\n"));
    repo.wf(&["land", "--yes"]).fails(3);
    repo.git(&["switch", "--quiet", "work-ISS-002"]).ok();
    let answer = repo.wf(&["land", "--yes", "--json"]).ok().json();
    assert_eq!(column(&answer["landed"], "issue_id"), ["ISS-002"]);
}
