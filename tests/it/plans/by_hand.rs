//! Plans without JSON, and plans that are withdrawn.

use serde_json::json;

use crate::support::{Sandbox, column};

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
        --step pass_it_on --path src/a.rs --criterion two_reads_within_1_ms_are_equal \
        --verify run_cargo_test_and_see_2_pass --test-command true --task Test_it --depends-on T1";
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
    assert!(!repo.wf(&[]).ok().stdout.contains("git wf bind"), "nobody is asked to choose it");
    repo.changes_nothing(&["solution", "withdraw", &first, "-m", "too slow"]);
    let error = repo.refused(1, &["bind", "ISS-001", &first]);
    assert_eq!(error["code"], "withdrawn");
    assert_eq!(repo.refused(1, &["bind", "ISS-001"])["code"], "no-solution");
    assert!(repo.wf(&["solution", "show", &first]).ok().stdout.contains("withdrawn: too slow"));
    repo.wf(&["solution", "withdraw", &first, "--undo"]).ok();
    repo.wf(&["bind", "ISS-001"]).ok();
    // What is queued leaves its queue first.
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.refused(1, &["solution", "withdraw", &first, "-m", "x"])["code"], "queued");
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
