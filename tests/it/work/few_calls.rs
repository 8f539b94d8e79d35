//! What it costs an agent to execute a plan: four calls, and few tokens of answers.

use serde_json::{Value, json};

use crate::support::{Sandbox, plan};

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
        repo.wf_in(two_tasks().to_string(), &["solution", "add", "ISS-001", "--queue"]).ok();
        let mut cost = 0;
        let mut call = |args: &[&str]| {
            let ran = repo.wf(&[args, json].concat()).ok();
            cost += ran.stdout.len() + ran.stderr.len();
            ran.stdout
        };
        // All that the first task needs is in the first answer.
        let first = call(&["next"]);
        for needed in [
            "T1",
            "Add a token bucket",
            "regains them evenly",
            "test -s src/limit/bucket.rs",
            "src/limit/mod.rs",
        ] {
            assert!(first.contains(needed), "{needed}: {first}");
        }
        call(&["task", "start", "T1"]);
        repo.commit("src/limit/bucket.rs", "pub struct Bucket;\n", "Add a token bucket");
        let second = call(&["task", "start", "T2"]);
        let title = two_tasks()["tasks"][1]["title"].as_str().unwrap().to_owned();
        assert!(second.contains(&title), "{second}");
        repo.commit("src/middleware/limit.rs", "pub fn limit() {}\n", &title);
        let accepted = ["--accept", "T1.1=the test of 101 requests", "--accept", "T2.1=the test of two keys"];
        call(&[&["done", "--verify", "--yes", "-m", "Both are in"][..], &accepted].concat());
        assert_eq!(repo.status("ISS-001"), "completed");
        assert!(cost < MOST, "{cost} bytes");
    }
}
