//! What agents are told about earlier attempts, failed checks and reviews.

use super::*;

#[test]
fn the_second_attempt_is_told_how_the_first_ended() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.queued("ISS-001", "src/a.rs");
    let first = repo.json(&["next"]);
    repo.commit("src/a.rs", "x", "Begin with the bucket");
    repo.wf(&["link", "HEAD", &plan]).ok();
    let failure = json!({"task_id": "T1", "error_type": "test_failure", "message": "2 of 14 tests failed",
        "stack_trace": "at bucket.rs:7"});
    repo.wf(&["fail", "-m", &failure.to_string()]).ok();
    repo.wf(&["feedback", "ISS-001", "The clock goes backwards in this test", "--solution", &plan]).ok();
    repo.wf(&["retry", "ISS-001"]).ok();
    let as_bo = repo.as_person("Bo", "bo@example.org");
    let second = as_bo.json(&["next"]);
    assert_eq!(second["attempt"], 2);
    for args in [vec!["detail"], vec!["detail", "S-1"], vec!["context", &plan], vec!["context", "ISS-001"]] {
        let told = as_bo.json(&args);
        let attempts = told["attempts"].as_array().unwrap();
        let is_planner = args == ["context", "ISS-001"];
        // For its executor, the running attempt is not an earlier one.
        assert_eq!(attempts.len(), 1 + usize::from(is_planner), "{args:?}: {told:#}");
        let attempt = attempts.last().unwrap();
        assert_eq!(
            (&attempt["execution_id"], &attempt["attempt"], &attempt["status"], &attempt["set_aside"]),
            (&first["execution_id"], &json!(1), &json!("failed"), &json!("retry"))
        );
        assert_eq!(attempt["failure"], failure);
        assert_eq!(attempt["commits"][0]["subject"], "Begin with the bucket");
        assert!(attempt["actor"].as_str().unwrap().contains("Ada"), "{attempt}");
        assert_eq!(told["feedback"].as_array().unwrap().len(), 1, "{told:#}");
        assert_eq!(told["feedback"][0]["content"], "The clock goes backwards in this test");
        assert_eq!(told["feedback"][0]["solution_id"], plan.as_str());
        match args[..] {
            ["context", "ISS-001"] => as_bo.screen("plans/context-after-an-attempt", &args),
            ["context", _] => as_bo.screen("plans/context-of-a-second-attempt", &args),
            _ => as_bo.screen("work/detail-of-a-second-attempt", &["detail"]),
        };
    }
    // Failures that no attempt reported are feedback.
    let reason = json!({"error_type": "timeout", "message": "CI hangs"}).to_string();
    repo.wf(&["feedback", "ISS-001", &reason, "--type", "failure"]).ok();
    let told = as_bo.json(&["detail"]);
    assert_eq!(
        (&told["feedback"][0]["type"], &told["feedback"][0]["error_type"], &told["feedback"][0]["content"]),
        (&json!("failure"), &json!("timeout"), &json!("CI hangs"))
    );
    assert_eq!(repo.json(&["context", "ISS-001"])["failure_analysis"]["failures"][0]["message"], "CI hangs");
}

#[test]
fn findings_of_reviews_are_told_as_long_as_they_speak_of_the_plan_in_force() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let id = repo.planned("ISS-001", &plan());
    let bo = repo.as_person("Bo", "bo@example.org");
    let scores = ["--technical", "70", "--risk", "70", "--completeness", "70"];
    let review = ["solution", "review", &id, "--finding", "The limit is not configurable"];
    bo.wf(&[&review[..], &scores].concat()).ok();
    for args in [["context", &id], ["context", "ISS-001"]] {
        let told = repo.json(&args);
        let found = &told["reviews"][0];
        assert_eq!((&found["verdict"], &found["solution_id"]), (&json!("concerns"), &json!(id)));
        assert_eq!(found["findings"], json!(["The limit is not configurable"]));
        let people = repo.wf(&args).ok().stdout;
        assert!(people.contains("- The limit is not configurable"), "{people}");
    }
    repo.wf(&["task", "edit", &id, "T1", "--title", "Add a configurable token bucket"]).ok();
    for args in [["context", &id], ["context", "ISS-001"]] {
        assert_eq!(repo.json(&args)["reviews"], Value::Null);
    }
}

#[test]
fn reviews_of_a_plan_that_is_not_bound_stand_under_its_id() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let old = repo.planned("ISS-001", &plan());
    let new =
        repo.wf_in(plan_on("src/b.rs").to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
    repo.wf(&["bind", "ISS-001", &new, "--force", "--reason", "a test"]).ok();
    let bo = repo.as_person("Bo", "bo@example.org");
    for (plan, score, finding) in [(&old, "10", "Do not"), (&new, "90", "Do it")] {
        let scores = ["--technical", score, "--risk", score, "--completeness", score];
        bo.wf(&[&["solution", "review", plan, "--finding", finding][..], &scores].concat()).ok();
    }
    let told = repo.wf(&["context", "ISS-001"]).ok().stdout;
    let place = |text: &str| told.find(text).unwrap_or_else(|| panic!("{text}: {told}"));
    let other = format!("reviews of {old}, which is not bound");
    let places = [place("reviews of the current plan"), place("- Do it"), place(&other), place("- Do not")];
    assert!(places.is_sorted(), "{told}");
    // Another review of the unbound plan is not one of the current plan.
    bo.wf(&[
        "solution",
        "review",
        &old,
        "--finding",
        "Never",
        "--technical",
        "9",
        "--risk",
        "9",
        "--completeness",
        "9",
    ])
    .ok();
    let reviews = repo.json(&["context", "ISS-001"])["reviews"].clone();
    let bound: Vec<_> =
        reviews.as_array().unwrap().iter().map(|it| it["is_bound"].as_bool().unwrap()).collect();
    assert_eq!(bound, [false, true, false]);
}

#[test]
fn the_next_attempt_is_told_which_check_failed_and_how() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut plan = plan_on("src/a.rs");
    plan["tasks"][0]["test"]["commands"] =
        json!(["true", "echo 'left: 3, right: 4'; exit 7", "test -e src/a.rs || exit 9"]);
    let solution = repo.planned("ISS-001", &plan);
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    repo.wf(&["verify", "--yes"]).fails(1);
    repo.commit("src/a.rs", "1\n", "one");
    repo.wf(&["verify", "--yes"]).fails(1);
    repo.wf(&["fail", "-m", "the numbers differ"]).ok();
    repo.wf(&["retry"]).ok();
    repo.wf(&["next"]).ok();
    for args in [&["detail"][..], &["context", &solution], &["context", "ISS-001"]] {
        let told = repo.json(args);
        // For a planner, the running attempt is one of the attempts.
        let checks = &told["attempts"].as_array().unwrap().last().unwrap()["failed_checks"];
        assert_eq!(checks.as_array().unwrap().len(), 1, "{args:?}: {told}");
        assert_eq!((&checks[0]["task_id"], &checks[0]["exit_code"]), (&json!("T1"), &json!(7)));
        assert_eq!(checks[0]["output_tail"], "left: 3, right: 4\n");
        let text = repo.wf(args).ok().stdout;
        assert!(
            text.contains("failed with exit code 7") && text.contains("            left: 3, right: 4"),
            "{text}"
        );
        assert!(!text.contains("exit code 9"), "it passed later: {text}");
    }
}
