//! Plans without JSON, and plans that are withdrawn.

use serde_json::json;

use crate::support::{Sandbox, Two, column};

#[test]
fn a_plan_is_made_from_options() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "Limit requests", "--id", "ISS-001"]).ok();
    repo.commit("src/a.rs", "one\n", "Begin");
    let args = "plan ISS-001 --risk low --impact low --complexity low --task Add_a_bucket --step write_it --step call_it \
        --path src/a.rs --done-when the_101st_call_fails_with_429 --verify run_cargo_test_and_see_2_pass --test true \
        --task Describe_it --after T1 --step say_it --step link_it --done-when README_names_100 \
        --verify grep_100_in_README.md --test true --path README.md";
    let args: Vec<String> = args.split_whitespace().map(|word| word.replace('_', " ")).collect();
    repo.wf(&args.iter().map(String::as_str).collect::<Vec<_>>()).ok();
    let plan = repo.json(&["solution", "show", "ISS-001"]);
    assert_eq!((&plan["description"], &plan["is_bound"]), (&json!("Limit requests"), &json!(true)));
    assert_eq!(column(&plan["tasks"], "title"), ["Add a bucket", "Describe it"]);
    assert_eq!(plan["tasks"][0]["files"], json!([{"path": "src/a.rs"}]));
    assert_eq!(plan["tasks"][1]["depends_on"], json!(["T1"]));
    // A title alone is a task, too, but not good enough to be bound.
    repo.wf(&["new", "Fix it", "--id", "ISS-002"]).ok();
    repo.wf(&["plan", "ISS-002", "--task", "Fix the race", "--task", "Test it"]).ok();
    let plan = repo.json(&["solution", "show", "ISS-002"]);
    assert_eq!((&plan["task_count"], &plan["is_bound"]), (&json!(2), &json!(false)));
    // The names of `task add` are known here, too; its help names what makes a plan good enough.
    repo.wf(&["new", "Slow", "--id", "ISS-003"]).ok();
    let args = "plan ISS-003 --risk low --impact low --complexity low --task Fix_the_clock --step read_it_once \
        --step pass_it_on --path src/a.rs --done-when two_reads_within_1_ms_are_equal \
        --verify run_cargo_test_and_see_2_pass --test true --task Test_it --after T1";
    let args: Vec<String> = args.split_whitespace().map(|word| word.replace('_', " ")).collect();
    repo.wf(&args.iter().map(String::as_str).collect::<Vec<_>>()).ok();
    let plan = repo.json(&["solution", "show", "ISS-003"]);
    assert_eq!(plan["tasks"][0]["test"]["commands"], json!(["true"]));
    assert_eq!(plan["tasks"][1]["depends_on"], json!(["T1"]));
    repo.refused(2, &["plan", "ISS-001", "--step", "x"]);
    repo.refused(2, &["plan", "ISS-001"]);
}

#[test]
fn a_plan_is_written_in_the_editor() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "Limit requests", "--id", "ISS-001"]).ok();
    let unchanged = repo.with_env("GIT_EDITOR", "true").refused(1, &["plan", "ISS-001", "-e"]);
    assert_eq!(unchanged["code"], "empty");
    repo.write("editor", "sed -i -e 's/^## $/## Add a bucket/' -e 's/^steps:$/stepps:/' \"$1\"\n");
    let editor = repo.with_env("GIT_EDITOR", "sh ./editor");
    let error = editor.refused(1, &["plan", "ISS-001", "-e"]);
    assert!(error["message"].as_str().unwrap().contains("did you mean `steps:`?"), "{error}");
    repo.write("editor", "sed -i -e 's/^## $/## Add a bucket/' -e 's/^files: $/files: src\\/a.rs/' \"$1\"\n");
    editor.wf(&["plan", "ISS-001", "-e"]).ok();
    let plan = repo.json(&["solution", "show", "ISS-001"]);
    assert_eq!(
        (&plan["description"], &plan["tasks"][0]["action"]),
        (&json!("Limit requests"), &json!("Add"))
    );
    assert_eq!(plan["analysis"]["risk"], "low");
    // What was given by options is there to be completed.
    repo.wf(&["new", "Fix it", "--id", "ISS-002"]).ok();
    repo.write(
        "editor",
        "cp \"$1\" seen; sed -i -e 's/^risk:.*/risk: high/' -e 's/^- look$/&\\n- think/' \"$1\"\n",
    );
    editor.wf(&["plan", "ISS-002", "--task", "Fix the race", "--step", "look", "--impact", "low", "-e"]).ok();
    let seen = repo.read("seen");
    assert!(seen.starts_with("Fix it\n") && seen.contains("added as it stands; delete everything"), "{seen}");
    assert!(!seen.contains("adds no plan"), "{seen}");
    let plan = repo.json(&["solution", "show", "ISS-002"]);
    assert_eq!(plan["tasks"][0]["implementation"], json!(["look", "think"]));
    assert_eq!((&plan["analysis"]["risk"], &plan["analysis"]["impact"]), (&json!("high"), &json!("low")));
    // Nothing of it is taken for a rating or for another task.
    repo.wf(&["new", "Slow", "--id", "ISS-003"]).ok();
    let said = "Be fast\n\n## Background\n\nRisk: none that we know";
    let same = repo.with_env("GIT_EDITOR", "true");
    same.wf(&["plan", "ISS-003", "--task", "Cache\nit", "-m", said, "--risk", "low", "-e"]).ok();
    let plan = repo.json(&["solution", "show", "ISS-003"]);
    assert_eq!(plan["approach"], "## Background\n\nRisk: none that we know");
    assert_eq!(column(&plan["tasks"], "title"), ["Cache it"]);
    assert_eq!(plan["analysis"], json!({"risk": "low"}));
    let error = repo.refused(2, &["plan", "ISS-002", "--step", "x", "--task", "y"]);
    assert!(error["message"].as_str().unwrap().starts_with("`--step` must follow the `--task`"), "{error}");
}

#[test]
fn a_withdrawn_plan_is_no_candidate_and_is_not_lost() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let first = repo.planned("ISS-001", &crate::support::plan());
    assert_eq!(repo.json(&["show", "ISS-001"])["status"], "planned");
    let gone = repo.json(&["solution", "withdraw", &first, "-m", "too slow"]);
    assert_eq!((&gone["withdrawn"], &gone["is_bound"]), (&json!("too slow"), &json!(false)));
    let issue = repo.json(&["show", "ISS-001"]);
    assert_eq!((&issue["status"], &issue["solution_count"]), (&json!("registered"), &json!(0)));
    assert!(!repo.wf(&[]).ok().stdout.contains("git wf plan choose"), "nobody is asked to choose it");
    repo.changes_nothing(&["solution", "withdraw", &first, "-m", "too slow"]);
    let error = repo.refused(1, &["bind", "ISS-001", &first]);
    assert_eq!(error["code"], "withdrawn");
    assert_eq!(repo.refused(1, &["bind", "ISS-001"])["code"], "no-solution");
    assert!(repo.wf(&["solution", "show", &first]).ok().stdout.contains("withdrawn    too slow"));
    repo.wf(&["solution", "withdraw", &first, "--undo"]).ok();
    repo.wf(&["bind", "ISS-001"]).ok();
    // What is queued leaves its queue first.
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.refused(1, &["solution", "withdraw", &first, "-m", "x"])["code"], "queued");
}

/// One clone withdraws the plan that the other binds and queues: the merge keeps both, and the withdrawal counts.
#[test]
fn a_plan_that_another_clone_withdrew_is_bound_but_not_handed_out() {
    let two = Two::new();
    two.ada.wf(&["new", "Limit requests", "--id", "ISS-001"]).ok();
    let add = ["solution", "add", "ISS-001", "--no-bind"];
    let plan = two.ada.wf_in(crate::support::plan().to_string(), &add).ok().line().to_owned();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["solution", "withdraw", &plan, "-m", "too slow"]).ok();
    two.bea.wf(&["bind", "ISS-001", &plan]).ok();
    two.bea.wf(&["queue", "add", "ISS-001"]).ok();
    for repo in [&two.ada, &two.bea, &two.ada] {
        repo.wf(&["sync"]).ok();
    }
    for repo in [&two.ada, &two.bea] {
        let item = &repo.json(&["queue", "show"])["items"][0];
        assert_eq!(
            (&item["status"], &item["blocked_by"][0]["kind"]),
            (&json!("blocked"), &json!("withdrawn"))
        );
        let ran = repo.wf(&["next"]).fails(3);
        assert!(ran.stderr.contains("its plan was withdrawn"), "{}", ran.stderr);
        assert_eq!(repo.refused(1, &["next", "ISS-001"])["code"], "withdrawn");
        assert_eq!(repo.refused(1, &["queue", "add", "ISS-001"])["code"], "withdrawn");
        let refused = repo.refused(1, &["bind", "ISS-001", &plan, "--force", "--reason", "x"]);
        assert_eq!(refused["code"], "withdrawn", "its withdrawal can be taken back instead");
        let shown = repo.wf(&["show", "ISS-001"]).ok().stdout;
        assert!(shown.contains("it was withdrawn: too slow") && shown.contains("--undo"), "{shown}");
        assert!(shown.contains("(bound, but withdrawn)"), "{shown}");
        let home = repo.wf(&[]).ok().stdout;
        assert!(home.contains("its plan was withdrawn: Limit requests"), "{home}");
    }
    // Either way out works in one clone, and then in both.
    two.ada.wf(&["solution", "withdraw", &plan, "--undo"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    assert_eq!(two.bea.json(&["queue", "show"])["items"][0]["status"], "ready");
}

#[test]
fn another_plan_takes_the_place_of_one_that_was_withdrawn_elsewhere() {
    let two = Two::new();
    two.ada.wf(&["new", "Limit requests", "--id", "ISS-001"]).ok();
    let add = ["solution", "add", "ISS-001", "--no-bind"];
    let plan = two.ada.wf_in(crate::support::plan().to_string(), &add).ok().line().to_owned();
    let other = crate::support::plan_on("src/b.rs").to_string();
    let other = two.ada.wf_in(other, &add).ok().line().to_owned();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["solution", "withdraw", &plan, "-m", "too slow"]).ok();
    two.bea.wf(&["bind", "ISS-001", &plan]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    let home = two.bea.wf(&[]).ok().stdout;
    assert!(home.contains(&format!("git wf plan choose ISS-001 {other}")), "{home}");
    two.bea.wf(&["bind", "ISS-001", &other]).ok();
    assert!(!two.bea.wf(&[]).ok().stdout.contains("was withdrawn"));
    two.bea.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(two.bea.json(&["queue", "show"])["items"][0]["status"], "ready");
}

#[test]
fn a_withdrawal_is_taken_back_by_undo() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("ISS-001", &crate::support::plan());
    repo.wf(&["solution", "withdraw", &plan, "-m", "too slow"]).ok();
    repo.wf(&["undo"]).ok();
    let plan = repo.json(&["solution", "show", &plan]);
    assert_eq!((&plan["withdrawn"], &plan["is_bound"]), (&json!(null), &json!(true)));
}
