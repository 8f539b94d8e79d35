//! A run while it is under way: lines that are drawn again on a terminal, a line for each thing elsewhere, events for programs.

use serde_json::Value;

use super::world::{BUILDS, PLANS, World};

#[test]
fn a_terminal_shows_a_line_for_each_issue_and_a_bar() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent("planner", &format!("printf '\\033[2J\\033]0;evil\\007\\n' >&2; {PLANS}"));
    world.agent("executor", &format!("git wf task start T1; {BUILDS}"));
    let (code, shown) = world.repo.on_terminal("y\ny\n", &["run", "ISS-1", "ISS-2"]);
    assert_eq!(code, 0, "{shown}");
    for words in [
        "ISS-1  About ISS-1  plan  0.0 s",
        "ISS-2  About ISS-2  registered\n",
        "[....................] 0 of 2 completed, ",
        "[##########..........] 1 of 2 completed, ",
        "\r\u{1b}[3A\u{1b}[J",
    ] {
        assert!(shown.contains(words), "{words:?}: {shown}");
    }
    // What is drawn is gone at the end, and what is said stays.
    let left = shown.rsplit("\u{1b}[J").next().unwrap();
    assert!(left.contains("2 of 2 completed;") && !left.contains("[#"), "{left}");
    assert!(shown.contains(" About ISS-1: planned: SOL-ISS-1-"), "{shown}");
    assert!(!shown.contains("\u{1b}[2J") && !shown.contains('\u{7}'), "{shown}");
}

#[test]
fn programs_get_events_on_stderr_and_the_run_on_stdout() {
    let world = World::new();
    world.agent("planner", &format!("printf 'one\\ntwo \\033[2J\\n' >&2; {PLANS}"));
    let ran = world.repo.wf(&["run", "--yes", "--json", "ISS-1"]).ok();
    assert_eq!(ran.json()["state"]["status"], "completed");
    let events: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in &events {
        crate::cli::schema::fits(&world.repo, "run-event", event);
    }
    assert_eq!((&events[0]["event"], &events[0]["issue_ids"][0]), (&"started".into(), &"ISS-1".into()));
    let of = |kind: &str| events.iter().filter(|it| it["event"] == kind).collect::<Vec<_>>();
    let began: Vec<&str> = of("began").iter().map(|it| it["action"].as_str().unwrap()).collect();
    assert_eq!(began, ["plan", "execute"]);
    assert_eq!(of("ended").len(), 2);
    let said: String = of("said").iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert!(said.contains("two \u{1b}[2J"), "{said:?}");
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
    // The entries are those of the log.
    let logged: Vec<&Value> = of("logged").iter().map(|it| &it["entry"]).collect();
    let log = world.repo.json(&["run", "log"]);
    assert_eq!(logged, log.as_array().unwrap().iter().skip(1).collect::<Vec<_>>());
}

#[test]
fn a_pipe_gets_a_line_for_each_thing() {
    let world = World::new();
    let ran = world.repo.wf(&["run", "--yes", "ISS-1"]).ok();
    let run = super::live::latest(&world.repo);
    let head =
        format!("{run}: quick, 1 issue\n  planner: planner, executor: executor\n  ISS-1  About ISS-1\n");
    assert!(ran.stderr.starts_with(&head), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nISS-1 About ISS-1: planning by planner\n"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with(&format!("ISS-1 About ISS-1: merged into wf/{run}\n")), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains("[..."), "{}", ran.stderr);
}

#[test]
fn a_step_tried_again_says_why_and_the_output_of_tests_keeps_its_lines() {
    let world = World::new();
    world.agent("planner", &format!("if once said; then echo no; exit 0; fi\n{PLANS}"));
    world.plan("plan.json", "printf 'one\\ntwo\\n'; false");
    let ran = world.repo.wf(&["run", "--yes", "ISS-1", "ISS-9"]).fails(1);
    let told: Vec<&str> = ran.stderr.lines().collect();
    let at = |line: &str| {
        told.iter().position(|it| it.starts_with(line)).unwrap_or_else(|| panic!("{line}: {told:#?}"))
    };
    // What is skipped is told first, and a setback before the next try.
    assert_eq!(at("warning: skipped `ISS-9`"), 0, "{told:#?}");
    let vain = at("ISS-1 About ISS-1: planning failed: agent `planner` exited without an answer: no");
    assert_eq!(told[vain + 1], "ISS-1 About ISS-1: planning by planner, second attempt", "{told:#?}");
    let failed = told.iter().position(|it| it.ends_with("false` ended with 1:")).unwrap();
    assert_eq!(&told[failed + 1..=failed + 2], ["    one", "    two"], "{told:#?}");
    assert_eq!(*told.last().unwrap(), "ISS-1 About ISS-1: failed", "{told:#?}");
    assert!(
        ran.stdout.contains(" failed, quick, started") && !ran.stdout.contains("completed ("),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("ended with 1:\n    one\n    two\n"), "{}", ran.stdout);
}

#[test]
fn the_only_task_of_a_plan_is_told_though_nobody_sets_it() {
    let world = World::new();
    world.agent("executor", &format!("sleep 2; {BUILDS}"));
    let told = world.repo.wf(&["run", "ISS-1", "--yes", "--json"]).ok();
    let is_task = |line: &&str| line.contains(r#""event":"task""#) && line.contains(r#""task_id":"T1""#);
    assert_eq!(told.stderr.lines().filter(is_task).count(), 1, "{}", told.stderr);
}
