//! Budgets of runs and issues.

use serde_json::{Value, json};

use super::resolved::{BOTH, conflicting, on_resolve};
use super::sessions;
use super::world::World;
use crate::support::{column, plan_on};

/// The error of a run that stops, which is the last line of stderr.
fn refused(world: &World, args: &[&str]) -> Value {
    let ran = world.repo.wf(&[args, &["--yes", "--json"]].concat()).fails(1);
    let last: Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
    last["error"].clone()
}

/// A planner that says that each plan took 5 tokens and half a dollar.
fn counting() -> World {
    let world = World::new();
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["test -s a.txt"]);
    plan["session"] = json!({"tokens": 5, "cost": {"amount": 0.5, "currency": "USD"}});
    std::fs::write(world.sandbox.root().join("plan.json"), plan.to_string()).unwrap();
    world.repo.issue("ISS-2");
    let told = world.sandbox.root().join("told");
    world.repo.git(&["config", "wf.notify", &format!("cat >> '{}'", told.display())]).ok();
    world
}

fn told(world: &World) -> Vec<Value> {
    let text = std::fs::read_to_string(world.sandbox.root().join("told")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_issue_that_has_cost_what_it_may_waits_for_a_person() {
    let world = counting();
    let state = world.run(1, &["ISS-1", "ISS-2", "--issue-budget", "0.5 USD, 1M tokens"]);
    for issue in ["ISS-1", "ISS-2"] {
        assert_eq!(state["issues"][issue]["error"], "it spent 0.50 USD of 0.50 USD", "{state:#}");
        assert_eq!(world.repo.status(issue), "planned");
    }
    let told = told(&world);
    let budget: Vec<&Value> = told.iter().filter(|it| it["type"] == "budget").collect();
    assert_eq!(budget.len(), 2, "{told:#?}");
    assert_eq!(budget[0]["message"], "ISS-1 waits for you: it spent 0.50 USD of 0.50 USD");
    let waits = &world.repo.json(&["run", "report"])["waiting"][0];
    assert_eq!(waits["what"], "it was not executed: it spent 0.50 USD of 0.50 USD", "{waits:#}");
    // With the same budget, another run would begin nothing.
    let options = &waits["remedies"][0]["options"];
    assert_eq!(column(options, "name"), ["execute-only", "issue-budget"], "{waits:#}");
    // With more to spend, another run executes the plan.
    world.run(0, &["ISS-1", "--execute-only", "--issue-budget", "3 USD"]);
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn a_run_that_has_cost_what_it_may_stops_and_goes_on_with_more() {
    let world = counting();
    world.repo.git(&["config", "wf.run.budget", "5 tokens"]).ok();
    let error = refused(&world, &["run", "ISS-1", "ISS-2"]);
    assert_eq!(error["code"], "budget");
    assert!(error["message"].as_str().unwrap().ends_with("stopped: it spent 5 of 5 tokens"), "{error}");
    let run = world.repo.json(&["run", "show"]);
    assert_eq!((&run["driven"], &run["budget"]["tokens"]), (&json!("interrupted"), &json!(5)));
    // The step in hand ended, and no other one began.
    let statuses = ["ISS-1", "ISS-2"].map(|issue| world.repo.status(issue));
    assert_eq!(statuses, ["planned", "registered"]);
    assert_eq!(told(&world).iter().filter(|it| it["type"] == "budget").count(), 1);
    assert_eq!(refused(&world, &["run", "resume"])["code"], "budget");
    world.repo.wf(&["run", "resume", "--yes", "--budget", "200k tokens"]).ok();
    let statuses = ["ISS-1", "ISS-2"].map(|issue| world.repo.status(issue));
    assert_eq!(statuses, ["completed", "completed"]);
}

#[test]
fn no_agent_is_asked_once_more_beyond_the_budget() {
    let world = counting();
    let asks = "echo x >> \"$HERE/asked\"; echo '{\"tasks\": 1, \"session\": {\"tokens\": 5}}'";
    world.agent("planner", asks);
    let asked = || std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap().lines().count();
    assert_eq!(refused(&world, &["run", "ISS-1", "--budget", "5 tokens"])["code"], "budget");
    assert_eq!((asked(), world.repo.status("ISS-1")), (1, "registered".into()));
    // An invalid answer is an attempt, and its tokens are counted; with more to spend, there is another one.
    assert_eq!(refused(&world, &["run", "resume", "--budget", "9 tokens"])["code"], "budget");
    assert_eq!(asked(), 2);
    let log = world.repo.json(&["run", "log"]);
    let log = log.as_array().unwrap().iter();
    let tokens: Vec<&Value> = log.filter(|it| it["type"] == "setback").map(|it| &it["tokens"]).collect();
    assert_eq!(tokens, [&json!(5), &json!(5)]);
    // An issue waits for a person, and has not failed.
    world.repo.issue("ISS-3");
    let state = world.run(1, &["ISS-3", "--issue-budget", "5 tokens"]);
    assert_eq!(state["issues"]["ISS-3"]["error"], "it spent 5 of 5 tokens", "{state:#}");
    assert_eq!(asked(), 3);
}

#[test]
fn a_turn_without_an_answer_is_the_last_beyond_the_budget() {
    let world = World::new();
    if !sessions::agent(&world, "planner", "{}", "answer = None", "answer = None") {
        return;
    }
    assert_eq!(refused(&world, &["run", "ISS-1", "--budget", "1 tokens"])["code"], "budget");
    let asked = std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap();
    assert_eq!(asked.lines().count(), 1, "{asked}");
}

#[test]
fn an_executor_is_not_asked_again_beyond_the_budget() {
    let world = World::new();
    if !sessions::agent(&world, "executor", "{}", "answer = None", "answer = None") {
        return;
    }
    world.repo.wf(&["run", "ISS-1", "--yes", "--issue-budget", "1 tokens"]).fails(1);
    let asked = std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap();
    assert_eq!(asked.lines().count(), 1, "{asked}");
}

/// The agent says nothing of tokens, and each of its turns takes longer than the issue may.
#[test]
fn the_time_of_an_issue_is_looked_at_between_turns() {
    for (role, code) in [("planner", 1), ("executor", 1)] {
        let world = World::new();
        let turn = "import time; time.sleep(1.1); answer = None";
        if !sessions::agent(&world, role, "{}", turn, turn) {
            return;
        }
        let state = world.run(code, &["ISS-1", "--issue-budget", "1s", "--retry", "3"]);
        let asked = std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap();
        assert_eq!(asked.lines().count(), 1, "{role}: {asked}");
        let error = state["issues"]["ISS-1"]["error"].as_str().unwrap();
        assert!(error.starts_with("it took ") && error.ends_with(" of 1s"), "{role}: {error}");
    }
}

#[test]
fn an_issue_has_one_budget_in_all_runs() {
    let world = counting();
    let fails = "cat > /dev/null; echo '{\"status\": \"failed\", \"errors\": [{\"message\": \"no\"}], \
        \"session\": {\"tokens\": 7}}'";
    world.agent("executor", fails);
    world.run(1, &["ISS-1", "--issue-budget", "100 tokens"]);
    let state = world.run(1, &["ISS-1", "--issue-budget", "7 tokens"]);
    assert_eq!(state["issues"]["ISS-1"]["error"], "it spent 7 of 7 tokens", "{state:#}");
}

#[test]
fn a_new_limit_of_a_run_leaves_the_others() {
    let world = counting();
    assert_eq!(refused(&world, &["run", "ISS-1", "--budget", "5 tokens, 0.5 USD"])["code"], "budget");
    let error = refused(&world, &["run", "resume", "--budget", "200k tokens"]);
    assert!(error["message"].as_str().unwrap().ends_with("it spent 0.50 USD of 0.50 USD"), "{error}");
    let budget = world.repo.json(&["run", "show"])["budget"].clone();
    assert_eq!(
        (&budget["tokens"], &budget["costs"][0]["amount"]),
        (&json!(200_000), &json!(0.5)),
        "{budget}"
    );
}

#[test]
fn nobody_is_asked_about_a_conflict_beyond_the_budget() {
    let resolves = "echo both > shared.txt; git add shared.txt; git commit -q --no-edit; echo '{\"status\": \"completed\"}'";
    let world = conflicting(resolves);
    let answer = "echo '{\"status\": \"completed\", \"session\": {\"tokens\": 7}}'";
    let work = format!("pwd > shared.txt; git add shared.txt; git commit -q -m Share; {answer}");
    world.agent("executor", &format!("{}\n{work}", on_resolve(resolves)));
    let state = world.run(1, &[&BOTH[..], &["--issue-budget", "7 tokens"]].concat());
    assert!(!world.sandbox.root().join("asked").exists(), "{state:#}");
    let failed = column(&state["errors"], "error_type");
    assert_eq!(failed.last().map(String::as_str), Some("merge-conflict"), "{state:#}");
}

#[test]
fn an_execution_is_not_continued_beyond_the_budget() {
    let world = World::new();
    let first = "import glob, time\n            \
        while not any('tokens' in open(note).read() for note in glob.glob(HERE + '/code/.git/wf/runs/*/transcripts/*.open')): time.sleep(0.02)\n            \
        os.kill(int(open(HERE + '/run').read()), 9); sys.stdin.read()";
    if !sessions::agent(&world, "executor", "{}", first, first) {
        return;
    }
    let (program, here) = (env!("CARGO_BIN_EXE_git-wf"), world.sandbox.root().display());
    let run = format!("echo $$ > '{here}/run'; exec '{program}' run ISS-1 --yes --issue-budget '1 tokens'");
    assert_ne!(world.repo.sh(&["-c", &run]).code, 0);
    assert_eq!(world.repo.status("ISS-1"), "executing");
    world.repo.wf(&["run", "resume", "--yes"]).fails(1);
    let asked = std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap();
    assert_eq!(asked.lines().count(), 1, "{asked}");
    // The claim is given back, and a person decides.
    assert_eq!(world.repo.status("ISS-1"), "queued");
    let waits = &world.repo.json(&["run", "report"])["waiting"][0];
    let what = waits["what"].as_str().unwrap();
    assert!(
        what.starts_with("it was not executed: it spent ") && what.ends_with(" of 1 tokens"),
        "{waits:#}"
    );
}

#[test]
fn an_agent_that_reports_nothing_of_what_a_budget_counts_is_named_once() {
    let world = counting();
    let ran = world.repo.wf(&["run", "ISS-1", "ISS-2", "--yes", "--budget", "90 USD"]).ok();
    let words = "agent executor reports no USD: the budget does not count what it uses";
    assert_eq!(ran.stderr.matches(words).count(), 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("agent planner reports"), "{}", ran.stderr);
}

#[test]
fn what_is_no_budget_is_refused_before_anything_begins() {
    let world = World::new();
    let refused = world.repo.refused(2, &["run", "ISS-1", "--budget", "5"]);
    assert_eq!(
        refused["message"],
        "`5` is not a budget: expected an amount such as `5 USD`, `200k tokens` or `3h`"
    );
    world.repo.git(&["config", "wf.run.issueBudget", "much"]).ok();
    assert_eq!(world.repo.refused(1, &["run", "ISS-1"])["code"], "config");
    assert_eq!(world.repo.json(&["run", "list"]), json!([]));
}
