//! What a run asks a person on a terminal, and what it does where there is nobody to ask.

use serde_json::{Value, json};

use super::busy::remote;
use super::world::{BUILDS, World};
use crate::support::{column, plan_on};

const FAILS: &str = "echo '{\"status\": \"failed\", \"errors\": [{\"message\": \"no a\"}]}'";

/// Whoever asks for more gets no answer, instead of waiting forever.
const NO_MORE: &str = "\x04\x04\x04\x04\x04\x04\x04\x04";

impl World {
    fn decisions(&self) -> Vec<String> {
        let log = self.repo.json(&["run", "log"]);
        let is_decision = |it: &&Value| it["type"] == "decision";
        let decided: Vec<Value> = log.as_array().unwrap().iter().filter(is_decision).cloned().collect();
        column(&Value::from(decided), "choice")
    }

    fn attempts(&self, issue: &str) -> usize {
        self.repo.json(&["show", issue])["executions"].as_array().unwrap().len()
    }
}

#[test]
fn an_execution_that_failed_twice_is_for_a_person() {
    let world = World::new();
    world.agent("executor", FAILS);
    let (code, shown) = world.repo.on_terminal("y\nwhat\nr\ns\n", &["run", "ISS-1", "--retry", "1"]);
    assert_eq!(code, 1, "{shown}");
    assert_eq!(shown.matches("Retry it, skip it, or abort the run? [r/s/a]").count(), 3, "{shown}");
    assert!(shown.contains("ISS-1") && shown.contains("failed again: no a"), "{shown}");
    assert_eq!((world.decisions(), world.attempts("ISS-1")), (vec!["retry".into(), "skip".into()], 3));
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains("retry chosen after execution of ISS-1 failed"), "{log}");
    assert_eq!(world.repo.json(&["run", "show"])["state"]["status"], "completed");
    world.is_untouched();
}

#[test]
fn a_question_waits_until_nothing_else_can_be_done() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let mut plan = plan_on("b.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["test -s b.txt"]);
    world.repo.wf_in(plan.to_string(), &["solution", "add", "ISS-2"]).ok();
    let other = "sleep 2; echo b > b.txt; git add b.txt; git commit -q -m b; touch \"$HERE/done\"";
    world.agent(
        "executor",
        &format!(
            "case $PWD in *ISS-2*) {other}; echo '{{\"status\": \"completed\"}}'; exit ;; esac
            test -e \"$HERE/done\" || {{ {FAILS}; exit; }}
            {BUILDS}"
        ),
    );
    let args = ["run", "ISS-1", "ISS-2", "--retry", "0", "--jobs", "2"];
    let (code, shown) = world.repo.on_terminal(&format!("y\ny\nr\n{NO_MORE}"), &args);
    assert_eq!((code, world.decisions()), (0, vec!["retry".to_owned()]), "{shown}");
    assert_eq!(world.attempts("ISS-1"), 2);
}

#[test]
fn all_questions_are_asked_before_anything_else_is_done() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent(
        "executor",
        &format!("case $PWD in *ISS-2*) issue=two ;; *) issue=one ;; esac; if once $issue; then {FAILS}; exit; fi; {BUILDS}"),
    );
    let args = ["run", "ISS-1", "ISS-2", "--retry", "0", "--jobs", "2"];
    let (_, shown) = world.repo.on_terminal(&format!("y\nr\ns\n{NO_MORE}"), &args);
    assert_eq!(world.decisions(), ["retry", "skip"], "{shown}");
    let log = world.repo.json(&["run", "log"]);
    let types = column(&log, "type");
    let first = types.iter().position(|it| it == "decision").unwrap();
    let next = types[first + 1..].iter().find(|kind| *kind != "question");
    assert_eq!(next.map(String::as_str), Some("decision"), "{log:#}");
}

#[test]
fn with_yes_nothing_is_asked() {
    let world = World::new();
    world.agent("executor", FAILS);
    let (code, shown) = world.repo.on_terminal(NO_MORE, &["run", "ISS-1", "--yes", "--retry", "0"]);
    assert!(code == 1 && !shown.contains("Retry it"), "{shown}");
    assert_eq!(world.decisions(), Vec::<String>::new());
}

#[test]
fn an_end_is_published_before_anything_is_asked() {
    let world = World::new();
    let hub = remote(&world, "nothing");
    world.agent("executor", FAILS);
    let args = ["run", "ISS-1", "--retry", "0"];
    let (_, shown) = world.repo.interrupted_on_terminal("y\n", "Retry it, skip it, or abort", &args);
    let subjects = hub.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    assert!(subjects.contains("execution: fail "), "{shown}\n{subjects}");
}

#[test]
fn a_run_can_be_aborted_and_resumed() {
    let world = World::new();
    world.agent("executor", FAILS);
    let (code, shown) = world.repo.on_terminal("y\na\n", &["run", "ISS-1", "--retry", "1"]);
    assert!(code == 1 && shown.contains("was stopped") && shown.contains("git wf run resume"), "{shown}");
    assert_eq!(world.decisions(), ["abort"]);
    assert_eq!(world.repo.json(&["run", "show"])["state"]["status"], "running");
    // Without a terminal there is nobody to ask: the run goes on, and the report says what is left to do.
    world.repo.wf(&["run", "resume", "--yes"]).fails(1);
    // It is resumed to be tried again.
    assert_eq!((world.decisions(), world.attempts("ISS-1")), (vec!["abort".to_owned()], 3));
    let waiting = world.repo.json(&["run", "report"])["waiting"].clone();
    assert_eq!(waiting[0]["issue_id"], "ISS-1", "{waiting:#}");
    assert!(waiting.to_string().contains("retry"), "{waiting:#}");
}

#[test]
fn of_several_open_runs_one_is_chosen() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent("executor", FAILS);
    world.repo.on_terminal("y\na\n", &["run", "ISS-1", "--retry", "1"]);
    world.repo.on_terminal("y\na\n", &["run", "ISS-2", "--retry", "1"]);
    let runs = column(&world.repo.json(&["run", "list"]), "id");
    let refused = world.repo.refused(1, &["run", "resume"]);
    assert_eq!(refused["code"], "several-runs");
    assert_eq!(refused["details"].as_array().unwrap().len(), 2, "{refused}");
    let (code, shown) = world.repo.on_terminal("2\ny\ns\n", &["run", "resume"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("Resume which of these 2 interrupted runs? [1-2]"), "{shown}");
    let status = |run: &str| world.repo.json(&["run", "show", run])["state"]["status"].clone();
    assert_eq!((status(&runs[0]), status(&runs[1])), (json!("running"), json!("completed")));
}

#[test]
fn a_run_without_issues_asks_which() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let (code, shown) = world.repo.on_terminal("\n", &["run"]);
    assert!(code == 2 && shown.contains("no issue is named"), "{shown}");
    assert!(shown.contains(" 1  ISS-1  medium  About ISS-1") && shown.contains(" 2  ISS-2  "), "{shown}");
    let (code, shown) = world.repo.on_terminal("2\ny\n", &["run"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Run which of them? Numbers or ids, or `all` [none]"), "{shown}");
    assert_eq!(
        (world.repo.status("ISS-1"), world.repo.status("ISS-2")),
        ("registered".into(), "completed".into())
    );
    let (code, shown) = world.repo.on_terminal("all\ny\n", &["run"]);
    assert_eq!((code, world.repo.status("ISS-1")), (0, "completed".into()), "{shown}");
    let (code, shown) = world.repo.on_terminal("", &["run"]);
    assert!(code == 3 && shown.contains("there is no issue to run"), "{shown}");
    // A run that only executes lists those with a plan.
    world.repo.issue("ISS-3");
    let plan = std::fs::read(world.sandbox.root().join("plan.json")).unwrap();
    world.repo.wf_in(plan, &["solution", "add", "ISS-3"]).ok();
    let (code, shown) = world.repo.on_terminal("1\ny\n", &["run", "--execute-only"]);
    assert!(code == 0 && shown.contains(" 1  ISS-3  medium  About ISS-3"), "{shown}");
    assert_eq!(world.repo.status("ISS-3"), "completed");
}

#[test]
fn ctrl_c_at_a_question_ends_the_run_at_once() {
    let world = World::new();
    let (_, shown) =
        world.repo.interrupted_on_terminal("", "without asking for each plan?", &["run", "ISS-1"]);
    assert!(!shown.contains("planning"), "{shown}");
    assert_eq!(world.repo.json(&["run", "list"]), json!([]), "a run that nobody agreed to");

    world.agent("executor", FAILS);
    world.repo.interrupted_on_terminal("y\n", "Retry it, skip it, or abort", &["run", "ISS-1"]);
    assert_eq!(world.repo.json(&["run", "show"])["driven"], "interrupted");
    world.is_untouched();
}

/// Answers with two plans, the second of which is `Other`.
const TWO: &str = "python3 -c 'import json, sys\nfirst = json.load(open(sys.argv[1]))\nother = dict(first, description=\"Other\")\n\
     print(json.dumps({\"solutions\": [first, other]}))' \"$HERE/plan.json\"";

#[test]
fn of_several_plans_a_person_chooses_one() {
    let world = World::new();
    world.agent("planner", &TWO.replace("\\n", "\n"));
    let (code, shown) = world.repo.on_terminal("y\n7\n2\n", &["run", "ISS-1"]);
    assert!(code == 0 && shown.contains(" has 2 plans:"), "{shown}");
    assert_eq!(shown.matches("Execute which of them, or none for now? [1-2/n]").count(), 2, "{shown}");
    let issue = world.repo.json(&["show", "ISS-1"]);
    assert_eq!(issue["status"], "completed", "{issue:#}");
    world.is_untouched();
}

#[test]
fn without_anybody_to_ask_an_issue_with_several_plans_waits() {
    let world = World::new();
    world.agent("planner", &TWO.replace("\\n", "\n"));
    let ran = world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
    assert!(ran.stdout.contains("waiting for you, quick"), "{}", ran.stdout);
    assert!(ran.stderr.contains("waits: someone must choose one of its 2 plans"), "{}", ran.stderr);
    let run = world.repo.json(&["run", "show"]);
    assert_eq!(
        (&run["waiting_count"], &run["state"]["context"]["failed_count"]),
        (&1.into(), &0.into()),
        "{run:#}"
    );
    assert_eq!(run["state"]["issues"]["ISS-1"]["status"], "planning", "{run:#}");
    let waiting = world.repo.json(&["run", "report"])["waiting"].to_string();
    assert!(waiting.contains("one of its 2 plans must be chosen"), "{waiting}");
    // Once someone has chosen, a run executes the plan.
    let plan = world.repo.json(&["solution", "list", "ISS-1"])[0]["id"].as_str().unwrap().to_owned();
    world.repo.wf(&["bind", "ISS-1", &plan]).ok();
    let id = run["id"].as_str().unwrap();
    for args in [&["run", "resume", id][..], &["run", "resume"]] {
        let refused = world.repo.wf(args).stderr;
        assert!(refused.contains("`git wf run --execute-only ISS-1`"), "{refused}");
    }
    let shown = world.repo.wf(&["run", "show", id]).ok().stdout;
    assert!(shown.contains("waiting for you") && !shown.contains("someone must choose"), "{shown}");
    // If the plan fails, that is not for want of a choice, and the first run waits for nothing any more.
    world.agent("executor", FAILS);
    world.run(1, &["ISS-1"]);
    assert!(world.repo.json(&["run", "show", id])["waiting_count"].is_null());
    let waiting = world.repo.json(&["run", "report", id])["waiting"].to_string();
    assert!(
        waiting.contains("its execution failed") && !waiting.contains("someone must choose"),
        "{waiting}"
    );
    world.agent("executor", BUILDS);
    world.repo.wf(&["retry", "ISS-1"]).ok();
    let state = world.run(0, &["ISS-1", "--execute-only"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    // Then nothing of the first run waits any more.
    assert!(world.repo.json(&["run", "show", id])["waiting_count"].is_null());
    let list = world.repo.wf(&["run", "list"]).ok().stdout;
    assert!(!list.contains("waiting"), "{list}");
}

#[test]
fn a_question_is_answered_from_another_terminal() {
    let world = World::new();
    let repo = &world.repo;
    world.agent("executor", FAILS);
    let answers = || {
        let shown = repo.wf(&["run", "show"]).ok().stdout;
        assert!(shown.contains("ISS-1: its execution failed too often: retry it, skip it, or"), "{shown}");
        assert!(shown.contains("`git wf run answer ISS-1 retry` tries it again"), "{shown}");
        assert!(repo.wf(&["run", "list"]).ok().stdout.contains("waiting for you"));
        let home = repo.wf(&[]).ok().stdout;
        assert!(home.contains("git wf run answer ISS-1 retry"), "{home}");
        assert_eq!(repo.refused(2, &["run", "answer", "ISS-1", "SOL-1"])["code"], "usage");
        repo.wf(&["run", "answer", "ISS-1", "skip"]).ok();
        // The first answer counts.
        let late = repo.refused(1, &["run", "answer", "ISS-1", "retry"]);
        assert_eq!(late["code"], "changed-meanwhile", "{late}");
        assert!(late["message"].as_str().unwrap().contains("chose `skip`"), "{late}");
    };
    let args = ["run", "ISS-1", "--retry", "0"];
    let (code, shown) = repo.on_terminal_then("y\n", "Retry it, skip it, or abort", &answers, &args);
    assert_eq!(
        (code, world.decisions(), world.attempts("ISS-1")),
        (1, vec!["skip".to_owned()], 1),
        "{shown}"
    );
    assert!(shown.contains("skip was chosen"), "{shown}");
    // Once the run has gone on, too.
    let late = repo.refused(1, &["run", "answer", "ISS-1", "retry"]);
    assert!(late["message"].as_str().unwrap().contains("chose `skip`"), "{late}");
    assert_eq!(repo.json(&["run", "show"])["questions"], json!(null));
    repo.wf(&["fsck"]).ok();
}

#[test]
fn a_plan_that_is_chosen_elsewhere_is_executed() {
    let world = World::new();
    let repo = &world.repo;
    world.agent("planner", &TWO.replace("\\n", "\n"));
    let plans = || column(&repo.json(&["plan", "list", "ISS-1"]), "id");
    let chooses = || {
        let asked = repo.json(&["run", "show"])["questions"][0].clone();
        assert_eq!(asked["plans"].as_array().unwrap().len(), 2, "{asked}");
        repo.wf(&["run", "answer", "ISS-1", &plans()[1]]).ok();
        let late = repo.refused(1, &["run", "answer", "ISS-1", &plans()[0]]);
        assert!(late["message"].as_str().unwrap().contains(&plans()[1]), "{late}");
    };
    let (code, shown) = repo.on_terminal_then("y\n", "Execute which of them", &chooses, &["run", "ISS-1"]);
    assert_eq!(code, 0, "{shown}");
    let issue = repo.json(&["show", "ISS-1"]);
    assert_eq!((&issue["status"], &issue["bound_solution_id"]), (&json!("completed"), &json!(plans()[1])));
    world.is_untouched();
}

/// A question that was answered while no process drove the run is not asked again.
#[test]
fn an_answer_outlives_the_run_that_asked() {
    let world = World::new();
    let repo = &world.repo;
    world.agent("executor", &format!("if once failed; then {FAILS}; exit; fi; {BUILDS}"));
    let args = ["run", "ISS-1", "--retry", "0"];
    repo.interrupted_on_terminal("y\n", "Retry it, skip it, or abort", &args);
    assert_eq!(repo.json(&["run", "show"])["questions"], json!(null), "nobody waits for the answer");
    repo.wf(&["run", "answer", "ISS-1", "retry"]).ok();
    let (code, shown) = repo.on_terminal(NO_MORE, &["run", "resume"]);
    assert_eq!((code, world.attempts("ISS-1")), (0, 2), "{shown}");
    assert!(!shown.contains("Retry it, skip it"), "{shown}");
}
