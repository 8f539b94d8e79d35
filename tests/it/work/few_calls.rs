//! What it costs an agent to plan and execute an issue, from its context to `done`: four calls, and few tokens of answers.

use serde_json::{Value, json};

use crate::support::{Sandbox, column, plan};

/// At most this many bytes for four answers: 2,500 tokens, at three bytes a token. A tokenizer needs fewer tokens than a third
/// of the bytes of English text, ids and commands.
const MOST: usize = 3 * 2_500;

fn two_tasks() -> Value {
    let mut plan = plan();
    for task in plan["tasks"].as_array_mut().unwrap() {
        task["test"]["commands"] = json!(["test -s src/limit/bucket.rs"]);
    }
    plan
}

#[test]
fn a_plan_of_two_tasks_takes_four_calls() {
    for json in [&[][..], &["--json"]] {
        let sandbox = Sandbox::new();
        let repo = sandbox.store("a");
        repo.wf(&["hooks", "install"]).ok();
        repo.issue("ISS-001");
        let (mut calls, mut cost) = (0, 0);
        let mut call = |input: String, args: &[&str]| {
            let ran = repo.wf_in(input, &[args, json].concat()).ok();
            calls += 1;
            cost += ran.stdout.len() + ran.stderr.len();
            ran.stdout
        };
        let plan = two_tasks();
        let titles: Vec<&str> =
            plan["tasks"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap()).collect();

        let context = call(String::new(), &["context", "ISS-001"]);
        assert!(context.contains("ISS-001"), "{context}");
        call(plan.to_string(), &["solution", "add", "ISS-001", "--queue"]);
        // All that the first task needs is in the first answer.
        let first = call(String::new(), &["next"]);
        for needed in
            ["T1", titles[0], "regains them evenly", "test -s src/limit/bucket.rs", "src/limit/mod.rs"]
        {
            assert!(first.contains(needed), "{needed}: {first}");
        }
        // The planner knows the second task; hooks link the commits to the tasks whose files they change.
        repo.commit("src/limit/bucket.rs", "pub struct Bucket;\n", "Add a token bucket");
        repo.commit("src/middleware/mod.rs", "pub mod limit;\n", titles[1]);
        let accepted = ["--accept", "T1.1=the test of 101 requests", "--accept", "T2.1=the test of two keys"];
        let done = ["done", "--verify", "--yes", "-m", "Both are in"];
        call(String::new(), &[&done[..], &accepted].concat());

        assert_eq!(repo.status("ISS-001"), "completed");
        let linked = &repo.json(&["show", "ISS-001"])["executions"][0]["commits"];
        assert_eq!(column(linked, "task_id"), ["T1", "T2"]);
        assert_eq!(calls, 4);
        assert!(cost < MOST, "{cost} bytes");
    }
}
