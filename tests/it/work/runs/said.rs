//! What the agents of a run say: their transcripts, what they used, and what they learned.

use serde_json::{Value, json};

use super::world::{BUILDS, PLANS, World};
use crate::support::plan_on;

/// The names of the transcripts that are kept, sorted.
fn kept(world: &World) -> Vec<String> {
    let run = world.repo.json(&["run", "show"]);
    let Some(folder) = run["transcripts"].as_str() else { return vec![] };
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn transcripts_are_kept_of_what_failed_and_of_everything_if_asked_for() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent("planner", &format!("if grep -q '^    \"issue_id\": \"ISS-2\"'; then exit 3; fi; {PLANS}"));
    world.run(1, &["ISS-1", "ISS-2"]);
    assert_eq!(kept(&world), ["plan-ISS-2-1.jsonl", "plan-ISS-2-2.jsonl"]);
    let shown = world.repo.wf(&["run", "show"]).ok().stdout;
    assert!(shown.contains("transcripts of the agents: "), "{shown}");
    for (option, setting) in [(&["--keep-transcripts"][..], "false"), (&[], "true")] {
        let world = World::new();
        world.repo.git(&["config", "wf.run.keepTranscripts", setting]).ok();
        world.run(0, &[&["ISS-1"], option].concat());
        assert_eq!(kept(&world), ["execute-ISS-1-1.jsonl", "plan-ISS-1-1.jsonl"]);
        let folder = world.repo.json(&["run", "show"])["transcripts"].as_str().unwrap().to_owned();
        let digest =
            world.repo.sh(&["-c", &format!("sha256sum '{folder}/execute-ISS-1-1.jsonl'")]).ok().stdout;
        let execution = world.repo.json(&["show", "ISS-1"])["executions"][0].clone();
        let told = execution["sessions"][0]["transcript_sha256"].as_str().unwrap();
        assert!(digest.starts_with(told), "{digest} {told}");
    }
    let world = World::new();
    world.run(0, &["ISS-1"]);
    assert_eq!(kept(&world), Vec::<String>::new());
}

/// Lets the planner add this to its plan.
fn adds(world: &World, added: &Value) {
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["test -s a.txt"]);
    plan.as_object_mut().unwrap().extend(added.as_object().unwrap().clone());
    std::fs::write(world.sandbox.root().join("plan.json"), plan.to_string()).unwrap();
}

#[test]
fn what_agents_used_is_counted_whatever_came_of_it() {
    let world = World::new();
    let cost = |amount: f64| json!({"amount": amount, "currency": "USD"});
    adds(&world, &json!({"session": {"model": "m-1", "tokens": 5, "cost": cost(0.5)}}));
    let session = "\"session\": {\"tokens\": 7, \"cost\": {\"amount\": 1, \"currency\": \"EUR\"}}";
    world.agent(
        "executor",
        &BUILDS.replace("{\"status\": \"completed\"}", &format!("{{\"status\": \"completed\", {session}}}")),
    );
    world.run(0, &["ISS-1"]);
    let log = world.repo.json(&["run", "log"]);
    let planned = log.as_array().unwrap().iter().find(|it| it["type"] == "action" && it["action"] == "plan");
    let planned = planned.unwrap();
    assert_eq!((&planned["tokens"], &planned["cost"]), (&json!(5), &cost(0.5)), "{log:#}");
    let totals = world.repo.json(&["run", "report"])["totals"].clone();
    let spent = json!([totals["tokens"], totals["costs"]]);
    assert_eq!(spent, json!([12, [{"amount": 1.0, "currency": "EUR"}, {"amount": 0.5, "currency": "USD"}]]));
    let said = world.repo.wf(&["run", "report"]).ok().stdout;
    assert!(said.contains("12 tokens"), "{said}");
    world.repo.wf(&["fsck"]).ok();
}

#[test]
fn what_an_agent_learned_is_kept_and_told_to_those_after_it() {
    let world = World::new();
    let learned = json!([
        {"type": "convention", "text": "One line for each number", "tags": ["files"]},
        {"type": "question", "text": "Who reads a.txt?"},
    ]);
    adds(&world, &json!({"wisdom": learned}));
    let again = r#"[{"type": "question", "text": "Who reads a.txt?"}, {"type": "learning", "text": "date is there"}]"#;
    let answer = format!("{{\"status\": \"completed\", \"wisdom\": {again}}}");
    let builds = BUILDS.replace("{\"status\": \"completed\"}", &answer);
    world.agent("executor", &format!("cat > \"$HERE/asked.json\"; {builds}"));
    world.run(0, &["ISS-1"]);
    let asked = std::fs::read_to_string(world.sandbox.root().join("asked.json")).unwrap();
    let asked: Value = serde_json::from_str(&asked).unwrap();
    let told = &asked["input"]["wisdom"];
    assert_eq!(told[0]["text"], "One line for each number", "{told:#}");
    assert!(asked["answer_schema"]["properties"]["wisdom"].is_object(), "{}", asked["answer_schema"]);
    let wisdom = world.repo.json(&["wisdom"]);
    let texts: Vec<&str> = wisdom.as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["date is there", "Who reads a.txt?", "One line for each number"]);
    let run = world.repo.json(&["run", "show"])["id"].clone();
    for (it, author) in wisdom.as_array().unwrap().iter().zip(["executor", "planner", "planner"]) {
        assert_eq!((&it["issue_id"], &it["run_id"]), (&json!("ISS-1"), &run));
        assert!(it["author"].as_str().unwrap().contains(author), "{it}");
    }
    assert_eq!(wisdom[2]["tags"], json!(["files"]));
    // It is no part of the plan.
    let plan = world.repo.json(&["solution", "list", "ISS-1"])[0].clone();
    assert!(!plan.to_string().contains("One line for each number"), "{plan:#}");
    world.repo.wf(&["fsck"]).ok();
}

#[test]
fn wisdom_that_does_not_fit_goes_back_with_its_faults() {
    let world = World::new();
    adds(&world, &json!({"wisdom": [{"type": "joke", "text": "x"}]}));
    let state = world.run(1, &["ISS-1"]);
    let (kind, message) = World::error(&state);
    assert_eq!(kind, "unfit-answer", "{state:#}");
    assert!(message.contains("$.wisdom[0].type"), "{message}");
    assert_eq!(message.matches("$.wisdom[0].type").count(), 1, "{message}");
    assert_eq!(world.repo.json(&["wisdom"]), json!([]));
}

#[test]
fn the_run_commits_for_an_agent_that_cannot() {
    let world = World::new();
    let edits = |file: &str| format!("date >> {file}; echo '{{\"status\": \"completed\"}}'");
    world.agent("executor", &edits("a.txt"));
    world.repo.git(&["config", "wf.agent.executor.commits", "false"]).ok();
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let issue = world.repo.json(&["show", "ISS-1"]);
    let commit = &issue["executions"][0]["commits"][0];
    assert_eq!((&commit["subject"], &commit["task_id"]), (&issue["title"], &json!("T1")), "{issue:#}");
    assert_eq!(commit["made_by"]["agent"], "executor", "{issue:#}");
    world.is_untouched();
    let listed = world.repo.json(&["agents", "list"]);
    let commits = |name: &str| {
        let of = listed.as_array().unwrap().iter().find(|it| it["name"] == name);
        of.unwrap()["commits"]["value"].clone()
    };
    assert_eq!(
        (commits("executor"), commits("opencode"), commits("gemini")),
        (false.into(), true.into(), false.into())
    );
}
