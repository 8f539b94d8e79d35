//! What a run does when something goes wrong. Each agent is a few lines of shell.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::world::{BUILDS, PLANS, World};
use crate::support::plan_on;

#[test]
fn a_planner_that_fails_is_asked_once_more() {
    let world = World::new();
    world.agent("planner", &format!("if once failed; then echo no idea >&2; exit 3; fi; {PLANS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["errors"].as_array().unwrap().len(), 1, "{state:#}");
    assert_eq!(state["errors"][0]["error_type"], "agent-failed");
    assert!(state["errors"][0]["message"].as_str().unwrap().contains("no idea"), "{state:#}");
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed");
    world.is_untouched();
}

#[test]
fn a_plan_of_low_quality_that_is_given_again_is_not_said_to_have_failed() {
    let world = World::new();
    let mut poor = plan_on("a.txt");
    poor["tasks"][0]["acceptance"] = json!({"criteria": ["works"], "verification": []});
    std::fs::write(world.sandbox.root().join("plan.json"), poor.to_string()).unwrap();
    let state = world.run(1, &["ISS-1"]);
    assert!(World::error(&state).1.contains("quality"), "{state:#}");
    assert!(!state.to_string().contains("execution failed"), "{state:#}");
}

#[test]
fn an_issue_whose_planner_fails_twice_is_given_up_and_the_others_go_on() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent("planner", &format!("if grep -q ISS-1; then exit 3; fi; {PLANS}"));
    let state = world.run(1, &["ISS-1", "ISS-2"]);
    assert_eq!(World::error(&state).0, "agent-failed", "{state:#}");
    assert_eq!(state["issues"]["ISS-1"]["status"], "failed");
    assert_eq!(state["issues"]["ISS-2"]["status"], "completed", "{state:#}");
    assert_eq!(state["errors"].as_array().unwrap().len(), 2);
    world.is_untouched();
    // The commands of the report show what happened, and go on from there.
    let (report, run) = (world.repo.wf(&["run", "report"]).ok().stdout, state_of_last(&world));
    for command in
        ["`git wf run ISS-1` plans it".to_owned(), format!("`git wf run log {run}` shows what happened")]
    {
        assert!(report.contains(&command), "{command}: {report}");
    }
    let feedback = world.repo.json(&["feedback", "ISS-1"]);
    let kinds: Vec<_> = feedback.as_array().unwrap().iter().map(|it| (&it["type"], &it["stage"])).collect();
    assert_eq!(kinds, [(&json!("failure"), &json!("plan"))], "{feedback:#}");
    let shown = world.repo.wf(&["show", "ISS-1"]).ok().stdout;
    assert!(shown.contains("planner returned no plan: "), "{shown}");
    world.agent("planner", PLANS);
    world.run(0, &["ISS-1"]);
}

fn state_of_last(world: &World) -> String {
    world.repo.json(&["run", "show"])["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_planner_that_takes_too_long_gets_more_time_once() {
    let world = World::new();
    world.repo.git(&["config", "wf.agent.planner.timeout", "1s"]).ok();
    world.agent("planner", "sleep 600");
    let state = world.run(1, &["ISS-1"]);
    let messages: Vec<&str> =
        state["errors"].as_array().unwrap().iter().map(|it| it["message"].as_str().unwrap()).collect();
    assert!(messages[0].contains("within 1 s") && messages[1].contains("within 2 s"), "{messages:?}");
}

#[test]
fn a_plan_that_does_not_fit_goes_back_once_with_its_faults() {
    let world = World::new();
    // The second question bears what was wrong with the first answer.
    let script = format!("if grep -q '\"faults\"'; then {PLANS}; else echo '{{\"tasks\": []}}'; fi");
    world.agent("planner", &script);
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "unfit-answer", "{state:#}");
    let world = World::new();
    world.agent("planner", "echo '{\"tasks\": []}'");
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "failed");
    assert_eq!(world.repo.status("ISS-1"), "registered");
}

#[test]
fn a_plan_whose_tasks_wait_for_each_other_is_for_a_person() {
    let world = World::new();
    let mut plan = crate::support::plan();
    plan["tasks"][0]["depends_on"] = json!(["T2"]);
    std::fs::write(world.sandbox.root().join("plan.json"), plan.to_string()).unwrap();
    let state = world.run(1, &["ISS-1"]);
    let (kind, message) = World::error(&state);
    assert!(kind == "unfit-answer" && message.contains("cycle"), "{state:#}");
    assert_eq!(state["errors"].as_array().unwrap().last().unwrap()["error_type"], "all-failed");
}

#[test]
fn a_task_that_fails_fails_its_plan_and_tells_the_next_planner() {
    let world = World::new();
    world.agent(
        "executor",
        "echo '{\"status\": \"failed\", \"errors\": [{\"task_id\": \"T1\", \"message\": \"no a\"}]}'",
    );
    let state = world.run(1, &["ISS-1", "--retry", "0"]);
    assert!(World::error(&state).1.contains("no a"), "{state:#}");
    assert_eq!(world.repo.status("ISS-1"), "failed");
    let feedback = world.repo.json(&["feedback", "ISS-1"]);
    assert_eq!((&feedback[0]["type"], &feedback[0]["detail"]["task_id"]), (&json!("failure"), &json!("T1")));
    world.is_untouched();
}

#[test]
fn what_fails_its_tests_is_not_completed_whatever_its_agent_says() {
    let world = World::new();
    world.plan("plan.json", "grep -q never a.txt");
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "test_failure", "{state:#}");
    assert!(World::error(&state).1.contains("`grep -q never a.txt` ended with 1"), "{state:#}");
    assert_eq!(world.repo.status("ISS-1"), "failed");
    let execution = world.repo.json(&["show", "ISS-1"])["executions"][0].clone();
    assert_eq!(execution["checks"][0]["exit_code"], 1, "{execution:#}");
    world.is_untouched();
}

#[test]
fn what_was_not_committed_is_kept_on_a_branch() {
    let world = World::new();
    world.agent("executor", "echo two > a.txt; echo new > b.txt; echo '{\"status\": \"completed\"}'");
    let state = world.run(1, &["ISS-1"]);
    let (kind, message) = World::error(&state);
    assert_eq!(kind, "commit_failed", "{state:#}");
    let branch = message.split("on the branch ").nth(1).unwrap().trim_end_matches(')');
    assert_eq!(world.repo.git(&["show", &format!("{branch}:a.txt")]).ok().stdout, "two\n");
    assert_eq!(world.repo.git(&["show", &format!("{branch}:b.txt")]).ok().stdout, "new\n");
    assert_eq!(
        world.repo.git(&["worktree", "list", "--porcelain"]).ok().stdout.matches("worktree ").count(),
        1
    );
    world.is_untouched();
}

#[test]
fn an_agent_that_did_nothing_has_not_completed_anything() {
    let world = World::new();
    world.agent("executor", "echo '{\"status\": \"completed\"}'");
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "no-commit", "{state:#}");
    assert_eq!(world.repo.status("ISS-1"), "failed");
}

#[test]
fn a_failed_execution_is_tried_again_as_often_as_asked() {
    let world = World::new();
    world.agent(
        "executor",
        &format!("if once broken; then echo '{{\"status\": \"failed\"}}'; else {BUILDS}; fi"),
    );
    let state = world.run(0, &["ISS-1", "--retry", "1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    assert_eq!(world.repo.json(&["show", "ISS-1"])["executions"].as_array().unwrap().len(), 2);
    world.is_untouched();
}

#[test]
fn a_failed_execution_is_tried_again_once_if_nobody_says_otherwise() {
    let world = World::new();
    world.repo.git(&["config", "--unset", "wf.run.retries"]).ok();
    world.agent("executor", "echo '{\"status\": \"failed\"}'");
    world.run(1, &["ISS-1"]);
    assert_eq!(world.repo.json(&["show", "ISS-1"])["executions"].as_array().unwrap().len(), 2);
    // What took too long would take as long again.
    let world = World::new();
    world.repo.git(&["config", "--unset", "wf.run.retries"]).ok();
    world.repo.git(&["config", "wf.agent.executor.timeout", "1s"]).ok();
    world.agent("executor", "sleep 600");
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "agent-timeout", "{state:#}");
    assert_eq!(world.repo.json(&["show", "ISS-1"])["executions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_planner_that_changes_the_code_changes_nothing() {
    let world = World::new();
    world.agent(
        "planner",
        &format!("echo mine > a.txt; git commit -q -a -m Mine; echo more > b.txt; {PLANS}"),
    );
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let log = world.repo.json(&["run", "log"]);
    let is_it = |entry: &&serde_json::Value| {
        entry["type"] == "breach" && entry["what"].as_str().unwrap().contains("b.txt")
    };
    let breach = log.as_array().unwrap().iter().find(is_it).unwrap();
    assert_eq!((&breach["undone"], &breach["action"]), (&json!(true), &json!("plan")));
    world.is_untouched();
}

#[test]
fn a_stall_is_named_with_what_waits_for_what() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.repo.issue("ISS-9");
    world.repo.wf(&["edit", "ISS-1", "--depends-on", "ISS-2"]).ok();
    world.repo.wf(&["edit", "ISS-2", "--depends-on", "ISS-9"]).ok();
    let ran = world.repo.wf(&["run", "--yes", "--json", "ISS-1", "ISS-2"]).fails(1);
    // This could be seen before the run began.
    let warning = "`ISS-2` waits for `ISS-9`, which is registered and not in this run";
    assert!(ran.stderr.contains(warning) && ran.stderr.contains("git wf run ISS-9 ISS-2"), "{}", ran.stderr);
    let state = ran.json()["state"].clone();
    let error = World::error(&state).1;
    assert!(error.starts_with("ISS-1 → ISS-2: ") && error.contains("ISS-9"), "{state:#}");
    let last = state["errors"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["error_type"], &last["phase"]), (&json!("stalled"), &json!("complete")));
    assert_eq!(world.repo.status("ISS-1"), "queued");
}

#[test]
fn of_several_plans_a_person_chooses() {
    let world = World::new();
    world.plan("other.json", "test -s a.txt && true");
    let several =
        "printf '{\"solutions\": [%s, %s]}' \"$(cat \"$HERE/plan.json\")\" \"$(cat \"$HERE/other.json\")\"";
    world.agent("planner", several);
    let state = world.run(1, &["ISS-1"]);
    assert!(World::error(&state).1.contains("someone must choose one of its 2 plans"), "{state:#}");
    assert_eq!(world.repo.json(&["solution", "list", "ISS-1"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_rejected_plan_goes_back_to_its_planner_twice() {
    let world = World::new();
    world.plan("other.json", "test -s a.txt && true");
    world.plan("third.json", "test -s a.txt && test -e a.txt");
    let plans = "if once planned; then cat \"$HERE/plan.json\"; elif once again; then cat \"$HERE/other.json\"; \
                 else cat \"$HERE/third.json\"; fi";
    world.agent("planner", plans);
    world.agent(
        "reviewer",
        "echo '{\"technical\": 20, \"risk\": 20, \"completeness\": 20, \"findings\": [\"it is wrong\"]}'",
    );
    let state = world.run(1, &["ISS-1", "--mode", "full"]);
    assert!(World::error(&state).1.contains("rejected 3 times"), "{state:#}");
    let actions =
        ["plan:ISS-1", "review:ISS-1", "plan:ISS-1:2", "review:ISS-1:2", "plan:ISS-1:3", "review:ISS-1:3"];
    assert_eq!(state["completed_actions"], json!(actions));
    assert_eq!(world.repo.json(&["feedback", "ISS-1"]).as_array().unwrap().len(), 3);
}

#[test]
fn a_person_decides_about_a_plan_that_was_rejected() {
    for (way, status) in [
        (&["queue", "add", "ISS-1", "--force", "--reason", "it is good enough"][..], "queued"),
        (&["plan", "add", "ISS-1", "../mine.json"], "planned"),
        (&["close", "ISS-1"], "closed"),
    ] {
        let world = World::new();
        world.plan("other.json", "test -s a.txt && true");
        world.plan("mine.json", "test -s a.txt && test -e a.txt");
        world.agent(
            "planner",
            "if once planned; then cat \"$HERE/plan.json\"; else cat \"$HERE/other.json\"; fi",
        );
        world.agent("reviewer", "echo '{\"technical\": 20, \"risk\": 20, \"completeness\": 20}'");
        world.run(1, &["ISS-1", "--mode", "full"]);
        let report = world.repo.wf(&["run", "report"]).ok().stdout;
        assert!(report.contains("its plan was rejected"), "{report}");
        let command = way.iter().take_while(|word| **word != "ISS-1");
        let command = format!("`git wf {} ", command.copied().collect::<Vec<_>>().join(" "));
        assert!(report.contains(&command), "{command}: {report}");
        let done = world.repo.wf(way).ok();
        assert_eq!(world.repo.status("ISS-1"), status, "{way:?}");
        if status == "planned" {
            assert!(report.contains("`git wf plan choose ISS-1 PLAN` then chooses it"), "{report}");
            world.repo.wf(&["bind", "ISS-1", done.stdout.trim()]).ok();
            let report = world.repo.wf(&["run", "report"]).ok().stdout;
            assert!(report.contains("its plan can be executed now"), "{report}");
        }
        if status != "closed" {
            world.run(0, &["ISS-1", "--execute-only"]);
            assert_eq!(world.repo.status("ISS-1"), "completed", "{way:?}");
        }
    }
}

#[test]
fn a_plan_that_nobody_reviewed_waits_for_a_person() {
    let world = World::new();
    world.agent("reviewer", "exit 3");
    let state = world.run(1, &["ISS-1", "--mode", "full"]);
    assert_eq!(state["issues"]["ISS-1"]["error"], "its plan waits for a review", "{state:#}");
    assert_eq!(world.repo.status("ISS-1"), "planned");
    let report = world.repo.wf(&["run", "report"]).ok().stdout;
    assert!(
        report.contains("its plan was not reviewed") && report.contains("git wf plan review"),
        "{report}"
    );
    // A person reviews it, and the next run goes on.
    let scores = ["--technical", "90", "--risk", "90", "--completeness", "90"];
    let review = [&["solution", "review", "ISS-1"][..], &scores].concat();
    world.repo.with_env("WF_ACTOR", "bea").wf(&review).ok();
    let state = world.run(0, &["ISS-1", "--mode", "full"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
}

#[test]
fn an_agent_that_cannot_be_started_is_not_tried_twice() {
    let world = World::new();
    let path = world.sandbox.root().join("planner");
    std::fs::write(&path, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let state = world.run(1, &["ISS-1", "--planner", path.to_str().unwrap()]);
    assert_eq!(World::error(&state).0, "agent-not-started", "{state:#}");
    assert_eq!(state["errors"].as_array().unwrap().len(), 2, "{state:#}");
}
