//! Runs as they are shown: the state of a run is derived from its log.

use serde_json::json;

use crate::support::{Sandbox, column, record};

#[test]
fn a_run_is_shown_with_the_state_that_its_log_makes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ada");
    repo.wf(&["init"]).ok();
    repo.issue("ISS-001");
    assert!(repo.wf(&["run", "show"]).fails(3).stderr.contains("there is no run"));
    assert_eq!(repo.json(&["run", "list"]), json!([]));
    let log = [
        json!({"type": "phase", "status": "running", "phase": "planning"}),
        json!({"type": "setback", "action": "plan", "issue_id": "ISS-001", "agent": "claude",
            "error": {"error_type": "agent-timeout", "message": "no answer\nwithin 5 s"}}),
        json!({"type": "action", "action": "plan", "issue_id": "ISS-001", "agent": "claude"}),
        json!({"type": "issue", "issue_id": "ISS-001", "status": "planned", "solution_id": "SOL-ISS-001-1"}),
    ];
    repo.plumb_records(&record::run("RUN-20261121-9w1nx3h2", &["ISS-001", "ISS-404"], &log));
    repo.plumb_records(&record::run("RUN-1", &[], &[]));

    // `show` names the command that shows a run; if there is no such run, the one that lists them.
    let told = repo.wf(&["show", "RUN-1"]).fails(1).stderr;
    assert!(told.contains("`RUN-1` is a run") && told.contains("`git wf run show RUN-1`"), "{told}");
    let told = repo.wf(&["show", "RUN-404"]).fails(1).stderr;
    assert!(told.contains("there is no record `RUN-404`") && told.contains("`git wf run list`"), "{told}");
    // By the unambiguous start of its last part, and by its whole id.
    let run = repo.json(&["run", "show", "9w1n"]);
    assert_eq!(run, repo.json(&["run", "show", "RUN-20261121-9w1nx3h2"]));
    assert_eq!((&run["mode"], &run["agents"]["planner"]), (&json!("full"), &json!("claude")));
    let state = &run["state"];
    assert!(state["work_dir"].as_str().unwrap().ends_with("/wf/runs/RUN-20261121-9w1nx3h2"), "{state}");
    assert_eq!(state["issues"]["ISS-001"]["status"], "planned");
    assert_eq!(state["issues"]["ISS-404"]["title"], "");
    assert_eq!(state["completed_actions"], json!(["plan:ISS-001"]));
    assert_eq!(run["history"].as_array().unwrap().len(), 5);

    let people = repo.wf(&["run", "show", "9w1n"]).ok().stdout;
    for words in ["planning, full", "0 of 2 completed", "planner: claude, executor: codex", "SOL-ISS-001-1"] {
        assert!(people.contains(words), "{words}: {people}");
    }
    let log = repo.wf(&["run", "log", "9w1n"]).ok().stdout;
    for words in ["planning of ISS-001 failed: no answer within 5 s", "ISS-001 planned"] {
        assert!(log.contains(words), "{words}: {log}");
    }
    assert_eq!(repo.json(&["run", "log", "9w1n"]).as_array().unwrap().len(), 4);

    assert_eq!(column(&repo.json(&["run", "list"]), "id"), ["RUN-20261121-9w1nx3h2", "RUN-1"]);
    for (args, words) in [
        (["run", "show", "RUN"], "is ambiguous"),
        (["run", "show", "RUN-9"], "there is no run `RUN-9`"),
        (["run", "show", "RUN-9"], "git wf run list"),
        (["show", "RUN-1", "--json"], "git wf run show RUN-1"),
    ] {
        let told = repo.wf(&args).fails(1).stderr;
        assert!(told.contains(words), "{words}: {told}");
    }
}
