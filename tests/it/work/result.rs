//! `done --result`: what an executor reports is compared with what git knows.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

struct Work {
    repo: Repo,
    base: String,
    commit: String,
}

/// An execution with one commit, which no hook linked.
fn work(sandbox: &Sandbox) -> Work {
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let base = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    repo.wf(&["next"]).ok();
    let commit = repo.commit("src/a.rs", "1\n", "do it");
    Work { repo, base, commit }
}

impl Work {
    fn report(&self) -> Value {
        json!({"status": "completed", "files_modified": ["src/a.rs"], "commit_hash": self.commit,
            "tests_passed": true, "acceptance_verified": true, "errors": []})
    }

    fn differs(&self, field: &str, value: Value) -> String {
        let mut report = self.report();
        report[field] = value;
        let error = self.repo.refused_in(report.to_string(), 1, &["done", "--result", "-"]);
        assert_eq!(error["code"], "result-differs", "{error}");
        error["details"].to_string()
    }
}

#[test]
fn a_report_that_is_true_is_recorded_and_its_commit_linked() {
    let sandbox = Sandbox::new();
    let work = work(&sandbox);
    let mut report = work.report();
    report["commit_hash"] = json!(work.commit[..12]);
    report["summary"] = json!("All of it");
    report["tasks"] = json!([{"id": "T1", "status": "completed"}]);
    let execution = work.repo.json_in(report.to_string(), &["done", "--result", "-"]);
    let expected = json!({"summary": "All of it", "files_modified": ["src/a.rs"], "tests_passed": true,
        "acceptance_verified": true, "tasks": [{"id": "T1", "status": "completed"}]});
    assert_eq!(execution["result"], expected);
    assert_eq!(execution["commits"][0]["hash"], work.commit);
    assert_eq!(
        (&execution["commits"][0]["linked_by"], &execution["commits"][0]["task_id"]),
        (&json!("manual"), &json!("T1"))
    );
    assert!(work.repo.wf(&["trace", &work.commit]).ok().stdout.contains("ISS-001"));
}

#[test]
fn what_is_not_so_is_refused_and_named() {
    let sandbox = Sandbox::new();
    let work = work(&sandbox);
    let nowhere = "0123456789abcdef0123456789abcdef01234567";
    assert!(work.differs("commit_hash", json!(nowhere)).contains("does not exist here"));
    let files = work.differs("files_modified", json!(["src/a.rs", "src/b.rs"]));
    assert_eq!(files, r#"["no commit of this execution touches `src/b.rs`"]"#);
    assert!(work.differs("errors", json!(["one"])).contains("lists errors"));
    assert!(work.differs("tests_passed", json!(false)).contains("`tests_passed` is false"));
    assert!(work.differs("acceptance_verified", json!(false)).contains("`acceptance_verified` is false"));
    let stray = work.repo.git(&["commit-tree", "HEAD^{tree}", "-m", "no parent"]).ok().line().to_owned();
    assert!(work.differs("commit_hash", json!(stray)).contains("does not descend from"));
    let mut report = work.report();
    report["commit_hash"] = json!(work.base);
    let error = work.repo.refused_in(report.to_string(), 1, &["done", "--result", "-"]);
    assert!(error["details"].to_string().contains("where the execution began"), "{error}");
    // A person may know better.
    let mut report = work.report();
    report["tests_passed"] = json!(false);
    let args = ["done", "--result", "-", "--force", "--reason", "the runner is broken"];
    let execution = work.repo.json_in(report.to_string(), &args);
    assert_eq!(execution["result"]["tests_passed"], false);
    assert!(work.repo.last_message().contains("Wf-Force: the runner is broken"));
}

#[test]
fn what_is_no_report_is_refused() {
    let sandbox = Sandbox::new();
    let work = work(&sandbox);
    for wrong in ["", "[]", r#"{"status": "maybe"}"#, r#"{"colour": 1}"#, r#"{"files_modified": "a"}"#] {
        let error = work.repo.refused_in(wrong, 1, &["done", "--result", "-"]);
        assert_eq!(error["code"], "invalid-json", "{wrong}");
    }
    let error = work.repo.refused_in(r#"{"status": "failed"}"#, 1, &["done", "--result", "-"]);
    assert_eq!(error["code"], "result-failed");
    assert!(error["hint"].as_str().unwrap().contains("git wf fail"));
    assert_eq!(work.repo.refused(1, &["done", "--result", "nowhere.json"])["code"], "cannot-read");
    assert_eq!(work.repo.status("ISS-001"), "executing");
}

#[test]
fn a_retry_can_name_the_item() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let solution = repo.queued("ISS-001", "src/a.rs");
    for name in ["S-1", &solution, "ISS-001"] {
        repo.wf(&["next"]).ok();
        repo.wf(&["fail", "-m", "no"]).ok();
        assert_eq!(repo.json(&["queue", "show"])["status"], "failed");
        repo.wf(&["retry", name]).ok();
        assert_eq!(repo.items(), [("S-1".into(), "ready".into())], "{name}");
    }
    assert_eq!(repo.json(&["show", "ISS-001"])["executions"].as_array().unwrap().len(), 3);
    assert_eq!(repo.refused(1, &["retry", "S-9"])["code"], "not-found");
}

/// The file in which a run keeps an execution.
#[test]
fn a_file_of_a_run_s_state_is_a_report_too() {
    let sandbox = Sandbox::new();
    let work = work(&sandbox);
    let plan = work.repo.json(&["solution", "list", "ISS-001"])[0]["id"].clone();
    let mut report = work.report();
    report.as_object_mut().unwrap().remove("status");
    report["summary"] = json!(null);
    let state = json!({"solution_id": plan, "status": "completed", "executed_at": "2026-11-21T02:14:05Z",
        "execution_result": report});
    let refused = |change: &dyn Fn(&mut Value), code: &str| {
        let mut bad = state.clone();
        change(&mut bad);
        let error = work.repo.refused_in(bad.to_string(), 1, &["done", "--result", "-"]);
        assert_eq!(error["code"], code, "{error}");
    };
    refused(&|it| it["solution_id"] = json!("SOL-ISS-001-other"), "other-plan");
    refused(&|it| it["status"] = json!("failed"), "result-failed");
    refused(&|it| it["executed_at"] = json!("yesterday"), "invalid-json");
    refused(&|it| it["execution_result"]["commit_hash"] = json!(work.base), "result-differs");
    refused(&|it| it["execution_result"]["files_modified"] = json!(["src/other.rs"]), "result-differs");
    refused(&|it| it["execution_result"]["tests_passed"] = json!(false), "result-differs");
    refused(&|it| it["execution_result"]["colour"] = json!(1), "invalid-json");
    refused(&|it| it["execution_result"]["status"] = json!("completed"), "invalid-json");
    refused(&|it| it["execution_result"] = json!([]), "invalid-json");
    refused(&|it| it["tests_passed"] = json!(true), "invalid-json");
    let execution = work.repo.json_in(state.to_string(), &["done", "--result", "-"]);
    assert_eq!(execution["result"]["files_modified"], json!(["src/a.rs"]));
    assert_eq!(execution["result"]["tests_passed"], json!(true));
    assert_eq!(execution["commits"][0]["hash"], work.commit);
}

#[test]
fn numbers_of_a_report_stay_as_they_were_written() {
    let sandbox = Sandbox::new();
    let work = work(&sandbox);
    let mut report = work.report();
    report["tasks"] = json!([{"id": "T1", "tokens": 0}]);
    let text = report.to_string().replace("\"tokens\":0", "\"tokens\":1e5");
    let twice = text.replace("\"tests_passed\":true", "\"tests_passed\":true,\"tests_passed\":false");
    assert_eq!(work.repo.refused_in(&twice, 1, &["done", "--result", "-"])["code"], "invalid-json");
    work.repo.wf_in(&text, &["done", "--result", "-"]).ok();
    let end = work.repo.store_paths().into_iter().filter(|path| path.contains("/log/"));
    let stored: String = end.map(|path| work.repo.stored(&path)).collect();
    assert!(stored.contains("\"tokens\": 1e5"), "{stored}");
}

/// `fail` takes unchanged what `done --result` refuses as a failure.
#[test]
fn a_report_of_a_failure_is_recorded_by_fail() {
    let sandbox = Sandbox::new();
    let work = work(&sandbox);
    let plan = work.repo.json(&["solution", "list", "ISS-001"])[0]["id"].clone();
    let mut report = work.report();
    report.as_object_mut().unwrap().remove("status");
    report["tests_passed"] = json!(false);
    report["errors"] = json!(["1 of 2 tests failed"]);
    let state = json!({"solution_id": plan, "status": "failed", "executed_at": "2026-11-21T02:14:05Z",
        "execution_result": report});
    let error = work.repo.refused_in(state.to_string(), 1, &["done", "--result", "-"]);
    assert_eq!(error["code"], "result-failed");
    assert!(error["hint"].as_str().unwrap().contains("git wf fail -m"), "{error}");
    let refused = |change: &dyn Fn(&mut Value), code: &str| {
        let mut bad = state.clone();
        change(&mut bad);
        let error = work.repo.refused(1, &["fail", "-m", &bad.to_string()]);
        assert_eq!(error["code"], code, "{error}");
    };
    refused(&|it| it["solution_id"] = json!("SOL-ISS-001-other"), "other-plan");
    refused(&|it| it["status"] = json!("completed"), "invalid-json");
    refused(&|it| it["execution_result"]["colour"] = json!(1), "invalid-json");
    refused(&|it| it["execution_result"] = json!({"tests_passed": false}), "invalid-json");
    let execution = work.repo.json(&["fail", "-m", &state.to_string()]);
    assert_eq!(execution["status"], "failed");
    assert_eq!(execution["failure"]["message"], "1 of 2 tests failed");
    assert_eq!(execution["result"]["tests_passed"], json!(false));
    assert_eq!(execution["commits"][0]["hash"], work.commit);
    let feedback = work.repo.json(&["feedback", "ISS-001"]);
    assert_eq!(feedback[0]["content"], "1 of 2 tests failed");
}
