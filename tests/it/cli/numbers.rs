//! JSON without a type in the program: its numbers stay as they were written, in every answer.

use serde_json::json;

use crate::support::{Repo, Sandbox, plan};

const ODD: &str = "[1E+05,1e5,1e400]";

/// The text of a document with [`ODD`] in place of `"ODD"`.
fn odd(document: &serde_json::Value) -> String {
    document.to_string().replace("\"ODD\"", ODD)
}

/// How often the numbers occur in an answer; none of them may be written in another way.
#[track_caller]
fn count(repo: &Repo, args: &[&str]) -> usize {
    let shown: String = repo.wf(args).ok().stdout.split_whitespace().collect();
    for other in ["1e+05", "1e+5", "1E+5", "e+400", "100000"] {
        assert!(!shown.contains(other), "{args:?} has {other}: {shown}");
    }
    shown.matches(ODD).count()
}

#[test]
fn every_answer_has_numbers_as_they_were_written() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["settings", "tech_stack", "-m", &odd(&json!({"n": "ODD"}))]).ok();
    let issue = odd(&json!({"title": "t", "extended_context": {"notes": {"n": "ODD"}}}));
    repo.wf_in(issue, &["new", "--from-json", "-", "--id", "ISS-001"]).ok();
    let mut planned = plan();
    planned["x_odd"] = json!("ODD");
    planned["tasks"][0]["x_odd"] = json!("ODD");
    repo.wf_in(odd(&planned), &["solution", "add", "ISS-001"]).ok();
    let solution = repo.json(&["solution", "list", "ISS-001"])[0]["id"].as_str().unwrap().to_owned();
    repo.wf(&["solution", "bind", &solution]);
    repo.wf(&["bind", "ISS-001", &solution]);
    repo.wf(&["feedback", "ISS-001", "see 1"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "one"]).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    let execution = repo.json(&["next"])["execution_id"].as_str().unwrap().to_owned();
    let commit = repo.commit("src/a.rs", "1\n", "do it");
    for args in [&["context", &solution, "--json"][..], &["detail", &solution, "--json"]] {
        assert!(count(&repo, args) > 0 || args[0] == "context", "{args:?}");
    }
    let report = odd(&json!({"status": "completed", "commit_hash": commit, "tasks": "ODD"}));
    let ran = repo.wf_in(report, &["done", "--result", "-", "--json"]).ok();
    assert!(ran.stdout.split_whitespace().collect::<String>().contains(ODD), "{}", ran.stdout);
    for (args, least) in [
        (&["show", "ISS-001", "--json"][..], 4),
        (&["status", "ISS-001", "--json"], 4),
        (&["show", &execution, "--json"], 1),
        (&["show", &solution, "--json"], 2),
        (&["solution", "list", "ISS-001", "--json"], 2),
        (&["task", "list", &solution, "--json"], 1),
        (&["list", "--all", "--json"], 1),
        (&["edit", "ISS-001", "--title", "u", "--json"], 1),
        (&["context", "ISS-001", "--json"], 2),
        (&["settings", "--json"], 1),
        (&["export", "jsonl"], 4),
        (&["detail", &solution, "--json"], 1),
        (&["queue", "show", "--json"], 0),
        (&["feedback", "ISS-001", "--json"], 0),
        (&["trace", &commit, "--json"], 0),
        (&["trace", "ISS-001", "--json"], 0),
        (&["diff", "--json"], 0),
        (&["log", "--json"], 0),
        (&["search", "t", "--json"], 0),
        (&["conflicts", "--json"], 0),
        (&["fsck", "--json"], 0),
    ] {
        let found = count(&repo, args);
        assert!(found >= least, "{args:?}: {found}");
    }
}

#[test]
fn both_sides_of_a_conflict_have_their_numbers() {
    let two = crate::support::Two::new();
    two.ada.wf(&["new", "First", "--id", "ISS-001"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    for repo in [&two.ada, &two.bea] {
        let who = if std::ptr::eq(repo, &two.ada) { "ada" } else { "bea" };
        let text = odd(&json!({ who: "ODD" }));
        repo.wf(&["settings", "tech_stack", "-m", &text]).ok();
    }
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    assert_eq!(count(&two.bea, &["conflicts", "--json"]), 2);
}
