//! The page of a run: its report, and what steers it.

use serde_json::json;

use super::Served;
use crate::support::{Sandbox, plan_on, record};

#[test]
fn a_run_shows_its_report() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    repo.issue("ISS-002");
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    let log = [
        json!({"type": "phase", "status": "running", "phase": "planning"}),
        json!({"type": "issue", "issue_id": "ISS-001", "status": "failed", "error": {"message": "no <answer>"}}),
        json!({"type": "phase", "status": "completed", "phase": "complete"}),
    ];
    repo.plumb_records(&record::run("RUN-20261121-7k3m2pq9", &["ISS-001", "ISS-002"], &log));
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    assert!(browser.page("/runs").contains("href=\"/runs/RUN-20261121-7k3m2pq9\""));
    let page = browser.page("/runs/RUN-20261121-7k3m2pq9");
    assert!(page.contains("no &lt;answer&gt;") && !page.contains("no <answer>"), "{page}");
    assert_eq!(page.matches("<svg").count(), 2, "{page}");
}

#[test]
fn a_run_at_work_is_steered_from_its_page() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for issue in ["ISS-001", "ISS-002", "ISS-003"] {
        repo.issue(issue);
    }
    let failed = json!({"message": "no answer", "error_type": "no-answer"});
    let log = [
        json!({"type": "phase", "status": "running", "phase": "planning", "driver": "another"}),
        json!({"type": "issue", "issue_id": "ISS-001", "status": "planning"}),
        json!({"type": "issue", "issue_id": "ISS-002", "status": "failed", "error": failed}),
    ];
    let run = "RUN-20261121-7k3m2pq9";
    repo.plumb_records(&record::run(run, &["ISS-001", "ISS-002"], &log));
    let place = format!("/runs/{run}");
    let reader = Served::of(&repo, &[]);
    let page = reader.browser().page(&place);
    assert!(!page.contains("run-pause") && !page.contains("Try again"), "{page}");
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let page = browser.page(&place);
    assert!(page.contains("/do/run-pause") && page.contains("Try again"), "{page}");
    // An order that is refused binds no plan; one that is taken does.
    for (issue, status) in [("ISS-001", 422), ("ISS-002", 303)] {
        let [_, solution] = ["src/a.rs", "src/b.rs"].map(|file| {
            let plan = plan_on(file).to_string();
            repo.wf_in(plan, &["plan", "add", issue]).ok().line().to_owned()
        });
        // Only what is asked about has plans to choose from.
        let option = format!("<option value=\"{solution}\"");
        let page = browser.page(&place);
        assert_eq!(page.contains(&option), issue == "ISS-002", "{page}");
        let sent =
            browser.send("run-add", &place, &[("run", run), ("issue", issue), ("solution", &solution)]);
        assert_eq!(sent.status, status, "{}", sent.body);
        let bound = repo.json(&["show", issue])["bound_solution_id"].clone();
        assert_eq!(bound == json!(solution), status == 303, "{issue}: {bound}");
    }
    for (op, issue, order) in [
        ("run-pause", "", "pause"),
        ("run-resume", "", "resume"),
        ("run-add", "ISS-003", "add"),
        ("run-stop", "ISS-001", "stop"),
    ] {
        let sent = browser.send(op, &place, &[("run", run), ("issue", issue)]);
        assert_eq!(sent.status, 303, "{op}: {}", sent.body);
        let log = repo.json(&["run", "log", run]);
        let last = log.as_array().unwrap().last().unwrap();
        assert_eq!(last["order"], order, "{log:#}");
    }
    let refused = browser.send("run-stop", &place, &[("run", run), ("issue", "ISS-002")]);
    assert_eq!(refused.status, 422, "{}", refused.body);
    let shown = repo.json(&["run", "show", run]);
    assert_eq!(shown["issue_ids"], json!(["ISS-001", "ISS-002", "ISS-003"]));
}

#[test]
fn what_a_run_asks_is_answered_on_its_page() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    repo.issue("ISS-002");
    let plans = ["src/a.rs", "src/b.rs"].map(|file| {
        repo.wf_in(plan_on(file).to_string(), &["plan", "add", "ISS-002", "--no-bind"]).ok().line().to_owned()
    });
    let log = [
        json!({"type": "phase", "status": "running", "phase": "executing", "driver": "another"}),
        json!({"type": "question", "issue_id": "ISS-001"}),
        json!({"type": "question", "issue_id": "ISS-002", "plans": plans}),
    ];
    let run = "RUN-20261121-7k3m2pq9";
    repo.plumb_records(&record::run(run, &["ISS-001", "ISS-002"], &log));
    let place = format!("/runs/{run}");
    let reader = Served::of(&repo, &[]);
    let page = reader.browser().page(&place);
    assert!(page.contains("failed too often") && !page.contains("run-answer"), "{page}");
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let page = browser.page(&place);
    assert_eq!(page.matches("/do/run-answer").count(), 5, "{page}");
    for (issue, given, late) in
        [("ISS-001", "retry", "skip"), ("ISS-002", plans[1].as_str(), plans[0].as_str())]
    {
        let fields = |answer| [("run", run), ("issue", issue), ("answer", answer)];
        let sent = browser.send("run-answer", &place, &fields(given));
        assert_eq!(sent.status, 303, "{}", sent.body);
        let refused = browser.send("run-answer", &place, &fields(late));
        assert!(refused.status == 422 && refused.body.contains("is answered"), "{}", refused.body);
    }
    assert_eq!(repo.json(&["run", "log", run]).as_array().unwrap().last().unwrap()["choice"], "retry");
    assert_eq!(repo.json(&["show", "ISS-002"])["bound_solution_id"], plans[1]);
    assert!(!browser.page(&place).contains("/do/run-answer"));
}
