//! The report of a run: for people, as Markdown, as HTML and as JSON.

use serde_json::json;

use crate::support::{Repo, Sandbox, plan_on, record};

/// A run over an issue that was executed by an agent, one that failed, and one that is missing.
fn reported(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.commit("src/a.txt", "old\n", "start");
        let mut plan = plan_on("src/a.txt");
        plan["tasks"][0]["test"] = json!({"commands": ["true", "test -e missing"]});
        let solution = repo.planned("ISS-001", &plan);
        repo.wf(&["edit", "ISS-001", "--title", "Cut <b> | \"quotes\""]).ok();
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.issue("ISS-002");
        repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        repo.commit("src/a.txt", "new\n", "Write a line");
        repo.wf(&["verify", "--yes"]).fails(1);
        let execution = repo.json(&["show", "ISS-001"])["executions"][0]["id"].as_str().unwrap().to_owned();
        let session = json!({"type": "session", "agent": "claude", "model": "m-1", "protocol": "acp",
            "started_at": "2026-01-01T00:00:00.000Z", "ended_at": "2098-01-01T00:00:00.000Z", "tokens": 1200,
            "cost": {"amount": 0.25, "currency": "USD"}, "actor": "Ada", "at": "2026-11-21T02:14:05.123Z"});
        let (id, session) = record::entry(record::PLACE, session);
        let path = repo.store_path("/execution.json").replace("execution.json", &format!("log/{id}.json"));
        repo.plumb_records(&[(path, session)]);
        repo.wf(&["done", "--force", "--reason", "a test"]).ok();
        let log = [
            json!({"type": "phase", "status": "running", "phase": "planning"}),
            json!({"type": "issue", "issue_id": "ISS-001", "status": "planned", "solution_id": solution}),
            json!({"type": "setback", "action": "plan", "issue_id": "ISS-002", "agent": "claude",
                "error": {"error_type": "agent-timeout", "message": "no answer within 5 s"}}),
            json!({"type": "issue", "issue_id": "ISS-002", "status": "failed", "error": {"message": "no <answer>"}}),
            json!({"type": "phase", "status": "running", "phase": "executing"}),
            json!({"type": "issue", "issue_id": "ISS-001", "status": "executing", "execution_id": execution}),
            json!({"type": "issue", "issue_id": "ISS-001", "status": "completed"}),
            json!({"type": "phase", "status": "completed", "phase": "complete"}),
        ];
        repo.plumb_records(&record::run("RUN-1", &["ISS-001", "ISS-002", "ISS-404"], &log));
        repo
    })
}

#[test]
fn a_report_agrees_with_the_store() {
    let sandbox = Sandbox::new();
    let repo = reported(&sandbox);
    let report = repo.json(&["run", "report"]);
    let totals = &report["totals"];
    assert_eq!(
        *totals,
        json!({"issue_count": 3, "completed_count": 1, "failed_count": 1, "success_rate": 33, "commit_count": 1,
            "check_count": 2, "failed_check_count": 1, "setback_count": 1, "breach_count": 0, "tokens": 1200,
            "costs": [{"amount": 0.25, "currency": "USD"}]})
    );
    let issue = &report["issues"][0];
    assert_eq!(issue["commits"][0]["hash"], repo.git(&["rev-parse", "HEAD"]).ok().line());
    assert_eq!(issue["commits"][0]["made_by"], json!({"agent": "claude", "model": "m-1"}));
    assert_eq!(issue["checks"][1]["command"], "test -e missing");
    assert_eq!(report["issues"][1]["depends_on"], json!(["ISS-001"]));
    let scores: Vec<_> =
        report["quality"]["dimensions"].as_array().unwrap().iter().map(|it| it["score"].as_u64()).collect();
    assert_eq!((scores[0], scores[1], scores[2]), (Some(33), Some(100), Some(50)), "{report:#}");
    assert_eq!(report["waiting"][0]["issue_id"], "ISS-002");
    assert_eq!(report, repo.json(&["run", "report", "RUN-1"]));
    assert!(repo.wf(&["run", "report", "RUN-9"]).fails(1).stderr.contains("there is no run `RUN-9`"));
}

#[test]
fn a_report_is_read_in_three_forms() {
    let sandbox = Sandbox::new();
    let repo = reported(&sandbox);
    repo.screen("work/run-report", &["run", "report"]);
    repo.screen("work/run-show", &["run", "show"]);
    repo.screen("work/run-list", &["run", "list"]);
    repo.screen("work/run-log", &["run", "log"]);
    repo.screen("work/run-report-markdown", &["run", "report", "--markdown"]);
    let page = repo.screen("work/run-report-html", &["run", "report", "--html"]).stdout;
    assert!(
        page.contains("Cut &lt;b&gt; | &quot;quotes&quot;") && page.contains("no &lt;answer&gt;"),
        "{page}"
    );
    assert!(!page.contains("<b>") && !page.contains("<script") && !page.contains("src="), "{page}");
    assert_eq!(page.matches("<svg").count(), 2);
    assert_eq!(repo.wf(&["run", "report", "--html", "--markdown"]).code, 2);
}
