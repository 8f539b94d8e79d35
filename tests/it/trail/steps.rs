//! `trace` and `log`: from a commit to its issue and back, and everything in between.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, column, plan, record};

/// Links a commit to the execution of ISS-001, as a hook would.
fn link(repo: &Repo, hash: &str, place: &str, more: &Value) {
    let folder = repo.store_path("/execution.json").replace("/execution.json", "/log");
    let mut record = json!({
        "type": "commit",
        "hash": hash,
        "subject": "extend token lifetime",
        "author": "Ada <ada@example.org>",
        "authored_at": "2026-11-21T02:00:00.000Z",
        "files": ["src/a.rs"],
        "linked_by": "hook",
        "actor": "Ada <ada@example.org>",
        "at": "2026-11-21T02:00:00.000Z"
    });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let (id, record) = record::entry(place, record);
    repo.plumb(&[(&format!("{folder}/{id}.json"), &format!("{record}\n"))]);
}

fn executing(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        repo.planned("ISS-001", &plan());
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        repo
    })
}

#[test]
fn a_commit_leads_to_its_issue_and_the_issue_to_its_commits() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let hash = repo.commit("src/a.rs", "x", "extend token lifetime");
    link(&repo, &hash, "20261121T021405123Z-00000", &json!({"task_id": "T2"}));
    // The same link twice counts once.
    link(&repo, &hash, "20261121T021405124Z-00000", &json!({"task_id": "T2"}));
    repo.done();
    let claim = repo.stored_json(&repo.store_path("/execution.json"));
    for query in ["HEAD", "main", &hash, &hash[..8]] {
        let trace = repo.json(&["trace", query]);
        assert_eq!(trace["query"], hash);
        assert_eq!(trace["commit"]["subject"], "extend token lifetime");
        assert_eq!(trace["linked_by"], json!([claim["id"]]));
        assert_eq!(trace["issues"][0]["issue"]["id"], "ISS-001");
    }
    let down = repo.json(&["trace", "ISS-001"]);
    let up = repo.json(&["trace", "HEAD"]);
    assert_eq!(down["issues"], up["issues"], "up and down are one way");
    assert_eq!((&down["commit"], &down["linked_by"]), (&Value::Null, &Value::Null));
    let traced = &down["issues"][0];
    assert_eq!(traced["solutions"][0]["id"], claim["solution_id"]);
    assert_eq!(
        (&traced["items"][0]["item_id"], &traced["items"][0]["queue_id"]),
        (&json!("S-1"), &claim["queue_id"])
    );
    let commits = &traced["executions"][0]["commits"];
    assert_eq!(column(commits, "hash"), std::slice::from_ref(&hash));
    assert_eq!(commits[0]["task_id"], "T2");
    assert_eq!(traced["executions"][0]["result"]["files_modified"], json!(["src/a.rs"]));
    for id in ["solution_id", "id", "queue_id"] {
        assert_eq!(repo.json(&["trace", claim[id].as_str().unwrap()])["issues"], down["issues"], "{id}");
    }
    assert_eq!(repo.json(&["trace", "S-1"])["issues"], down["issues"]);
    repo.screen("trail/trace-a-linked-commit", &["trace", "HEAD"]);
}

#[test]
fn a_rewritten_commit_is_found_by_both_names() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let old = repo.commit("src/a.rs", "x", "extend token lifetime");
    link(&repo, &old, "20261121T021405123Z-00000", &json!({}));
    repo.git(&["commit", "--quiet", "--amend", "-m", "extend it"]).ok();
    let new = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    link(&repo, &new, "20261121T021405124Z-00000", &json!({"type": "rewrite", "old": old, "new": new}));
    for hash in [&old, &new] {
        let trace = repo.json(&["trace", hash]);
        let commits = &trace["issues"][0]["executions"][0]["commits"];
        assert_eq!(
            (&commits[0]["hash"], &commits[0]["rewritten_from"]),
            (&json!(new), &json!([old])),
            "{trace}"
        );
    }
    assert!(repo.wf(&["trace", &old]).ok().stdout.contains("rewritten since: now"));
}

#[test]
fn a_commit_of_nobody_and_a_word_that_is_nothing() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let trace = repo.json(&["trace", "HEAD"]);
    assert_eq!((&trace["issues"], &trace["commit"]["subject"]), (&json!([]), &json!("first")));
    repo.commit("a", "x", "by trailers\n\nWf-Issue: ISS-404\n");
    assert_eq!(repo.json(&["trace", "HEAD"])["commit"]["trailers"], json!(["Wf-Issue: ISS-404"]));
    for wrong in ["nothing-here", "deadbeef", "--all", "HEAD:a", ""] {
        let error = repo.refused(if wrong == "--all" { 2 } else { 1 }, &["trace", wrong]);
        assert!(["not-found", "usage"].contains(&error["code"].as_str().unwrap()), "{error}");
    }
}

#[test]
fn the_log_has_every_step_of_one_issue_and_no_other() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.issue("ISS-002");
    let bo = repo.as_person("Bo", "bo@example.org").with_env("WF_ROLE", "reviewer");
    bo.wf(&["comment", "ISS-001", "-m", "hello"]).ok();
    repo.done();
    let log = repo.json(&["log", "ISS-001"]);
    assert_eq!(column(&log, "op"), ["done", "comment", "next", "queue add", "plan add", "new"]);
    assert_eq!((&log[1]["author"], &log[1]["role"]), (&json!("Bo <bo@example.org>"), &json!("reviewer")));
    assert_eq!(log[0]["commit"], repo.tip().unwrap());
    assert!(log.as_array().unwrap().windows(2).all(|two| two[0]["at"].as_str() > two[1]["at"].as_str()));
    let claim = repo.stored_json(&repo.store_path("/execution.json"));
    let of = |id: &Value| column(&repo.json(&["log", id.as_str().unwrap()]), "op");
    assert_eq!(of(&claim["id"]), ["done", "next"]);
    assert_eq!(of(&claim["solution_id"]), ["queue add", "plan add"]);
    assert_eq!(of(&claim["queue_id"]), ["queue add"]);
    assert_eq!(of(&json!("S-1")), ["queue add"]);
    assert_eq!(column(&repo.json(&["log", "-n", "2"]), "op"), ["done", "comment"]);
    assert_eq!(repo.json(&["log"]).as_array().unwrap().len(), repo.steps());
    assert_eq!(repo.refused(1, &["log", "ISS-404"])["code"], "not-found");
    // With -p, the changes of that record alone.
    let patch = repo.json(&["log", "ISS-001", "-p"]);
    let path = repo.store_path("/ISS-001/issue.json");
    let created = &patch[5]["changes"];
    assert_eq!(created.as_array().unwrap().len(), 1);
    assert_eq!((&created[0]["path"], &created[0]["before"]), (&json!(path), &Value::Null));
    assert_eq!(
        created[0]["after"].as_str().unwrap(),
        repo.git(&["show", &format!("{}:{path}", patch[5]["commit"].as_str().unwrap())]).ok().stdout
    );
    assert!(!patch.to_string().contains("ISS-002"));
    let text = repo.wf(&["log", "ISS-001", "-p"]).ok().stdout;
    assert!(
        text.contains("    + issue ISS-001 About ISS-001\n        source: + text\n")
            && text.contains("Bo <bo@example.org> as reviewer"),
        "{text}"
    );
}

#[test]
fn evidence_is_judged_by_the_plan_that_was_claimed() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let hash = repo.commit("src/a.rs", "x", "extend token lifetime");
    link(&repo, &hash, "20261121T021405123Z-00000", &json!({}));
    let path = repo.store_path("/solution.json");
    let text = repo.stored(&path).replace("sh tests/bucket.sh\"", "true\"");
    let policy = "{\n  \"format\": 1,\n  \"policy\": {\n    \"evidence\": \"required\"\n  }\n}\n";
    repo.plumb(&[(&path, &text), ("wf.json", policy)]);
    let error = repo.refused(1, &["done"]);
    assert_eq!(error["code"], "no-evidence");
    let first = error["details"][0].as_str().unwrap();
    assert!(first.starts_with("T1: `sh tests/bucket.sh` has no passing check"), "{error}");
}
