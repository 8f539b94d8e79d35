//! What comes after a failed attempt: the next one begins anew, and nothing that was left is lost or delivered.

use serde_json::{Value, json};

use super::live::{Live, WAITS, gate, open};
use super::resolved::{REFUSES, conflicting};
use super::world::{BUILDS, PLANS, World};

/// What waits for a person after the last run, a line for each.
fn waiting(world: &World) -> Vec<String> {
    let text = world.repo.wf(&["run", "report"]).ok().stdout;
    let lines = text.lines().skip_while(|line| *line != "waiting for a person").skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| line.trim_start().to_owned()).collect()
}

fn executions(world: &World, issue: &str) -> Vec<Value> {
    world.repo.json(&["show", issue])["executions"].as_array().unwrap().clone()
}

/// The branch of a run, without `refs/heads/`.
fn branch(world: &World) -> String {
    let branch = world.repo.json(&["run", "show"])["branch"].as_str().unwrap().to_owned();
    branch.trim_start_matches("refs/heads/").to_owned()
}

fn trees(world: &World) -> usize {
    world.repo.git(&["worktree", "list", "--porcelain"]).ok().stdout.matches("worktree ").count()
}

#[test]
fn nothing_of_a_failed_attempt_is_delivered_with_the_next() {
    let world = World::new();
    world.plan("plan.json", "grep -q two a.txt");
    let leaks = "echo secret > leak.env; git add leak.env; git commit -q -m Leak; echo more > junk.txt";
    let mends = "echo two >> a.txt; git commit -q -a -m Mend";
    world.agent(
        "executor",
        &format!("if once leaked; then {leaks}; else {mends}; fi; echo '{{\"status\": \"completed\"}}'"),
    );
    let state = world.run(0, &["ISS-1", "--retry", "1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let branch = branch(&world);
    let files = world.repo.git(&["ls-tree", "-r", "--name-only", &branch]).ok().stdout;
    assert_eq!(files, "a.txt\n");
    let subjects = world.repo.git(&["log", "--no-merges", "--format=%s", &format!("main..{branch}")]).ok();
    assert_eq!(subjects.stdout, "Mend\n");
    // It is kept, and told with the command that removes it.
    let message = executions(&world, "ISS-1")[0]["failure"]["message"].as_str().unwrap().to_owned();
    let kept = message.split("on the branch ").nth(1).unwrap().trim_end_matches(')').to_owned();
    let files = world.repo.git(&["ls-tree", "-r", "--name-only", &kept]).ok().stdout;
    assert_eq!(files, "a.txt\njunk.txt\nleak.env\n");
    let told = waiting(&world);
    assert!(told.iter().any(|line| line.contains(&format!("`git branch -D {kept}`"))), "{told:?}");
    assert_eq!(trees(&world), 1);
    world.is_untouched();
}

#[test]
fn an_issue_that_failed_is_run_again_at_the_commit_that_is_checked_out_now() {
    let world = World::new();
    world.plan("plan.json", "test -s b.txt");
    world.agent("executor", BUILDS);
    world.run(1, &["ISS-1"]);
    assert_eq!(trees(&world), 1);
    world.repo.commit("b.txt", "mended\n", "Mend what the plan could not");
    // The planner gives the same plan, is told so, and stands by it.
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    assert!(state["errors"][0]["message"].as_str().unwrap().contains("whose execution failed"), "{state:#}");
    let executions = executions(&world, "ISS-1");
    assert_eq!(executions[1]["base_commit"], world.repo.git(&["rev-parse", "main"]).ok().line());
    assert_eq!(executions[1]["commits"].as_array().unwrap().len(), 1);
    assert_eq!(world.repo.json(&["solution", "list", "ISS-1"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_retry_by_hand_is_executed_by_the_next_run() {
    let world = World::new();
    world.agent(
        "executor",
        &format!("if once failed; then date > c.txt; echo '{{\"status\": \"failed\"}}'; else {BUILDS}; fi"),
    );
    world.run(1, &["ISS-1"]);
    world.repo.wf(&["retry", "ISS-1"]).ok();
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    assert_eq!(executions(&world, "ISS-1").len(), 2);
}

#[test]
fn a_worktree_of_a_person_is_left_alone() {
    let world = World::new();
    let plan = std::fs::read_to_string(world.sandbox.root().join("plan.json")).unwrap();
    let solution = world.repo.planned("ISS-2", &serde_json::from_str(&plan).unwrap());
    world.repo.wf(&["queue", "add", "ISS-2"]).ok();
    let mine = world.sandbox.root().join("mine");
    world.repo.wf(&["next", "--worktree", mine.to_str().unwrap()]).ok();
    world.repo.wf(&["fail", "ISS-2", "-m", "no time"]).ok();
    world.repo.wf(&["retry", "ISS-2"]).ok();
    let state = world.run(0, &["ISS-2", "--execute-only"]);
    assert_eq!(state["issues"]["ISS-2"]["status"], "completed", "{state:#}");
    assert!(mine.join("a.txt").exists());
    assert_eq!(executions(&world, "ISS-2")[1]["branch"], format!("refs/heads/wf/{solution}+2"));
}

#[test]
fn what_cannot_be_merged_waits_for_a_person_with_the_commands_that_settle_it() {
    let world = conflicting(REFUSES);
    let state = world.run(1, &["ISS-1", "ISS-2", "--mode", "batch", "--skip-review", "--jobs", "2"]);
    let failed = ["ISS-1", "ISS-2"].iter().find(|id| state["issues"][**id]["status"] == "failed").unwrap();
    assert_eq!((world.repo.status(failed).as_str(), trees(&world)), ("completed", 2));
    let told = waiting(&world);
    let line = told.iter().find(|line| line.starts_with(failed)).unwrap();
    let (first, second) = (branch(&world), line.split("only on the branch `").nth(1).unwrap());
    let second = second.split('`').next().unwrap();
    let merges = format!("`git merge heads/{first}` and then `git merge heads/{second}` bring it here");
    assert!(line.contains(&merges) && line.contains(&format!("`git wf reopen {failed}`")), "{line}");
    // Another run says why it leaves the issue out.
    let ran = world.repo.wf(&["run", failed, "--yes"]).fails(3);
    assert!(ran.stderr.contains(&format!("its work is on the branch `{second}`")), "{}", ran.stderr);
    world.repo.git(&["merge", "-q", &first]).ok();
    world.repo.git(&["merge", "-q", "-X", "ours", second]).ok();
    assert_eq!(waiting(&world), Vec::<String>::new());
}

#[test]
fn an_issue_waits_for_work_that_is_on_another_branch() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.repo.wf(&["edit", "ISS-2", "--depends-on", "ISS-1"]).ok();
    world.run(0, &["ISS-1"]);
    let branch = branch(&world);
    let ran = world.repo.wf(&["run", "ISS-2", "--yes"]).fails(1);
    let why = format!("the work on ISS-1 is on the branch {branch}");
    assert!(ran.stderr.contains(&format!("`ISS-2` will not be executed: {why}")), "{}", ran.stderr);
    assert!(ran.stdout.contains(&why), "{}", ran.stdout);
    assert_eq!(executions(&world, "ISS-2").len(), 0);
    let told = waiting(&world);
    let merge = format!("`git merge heads/{branch}` first brings the work on ISS-1 here");
    assert!(told[0].contains(&merge) && told[0].contains("`git wf run ISS-2` executes it"), "{told:?}");
    world.repo.git(&["merge", "-q", &branch]).ok();
    world.run(0, &["ISS-2"]);
}

#[test]
fn what_waits_for_a_failed_issue_is_run_together_with_it() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.repo.issue("ISS-3");
    world.repo.wf(&["edit", "ISS-2", "--depends-on", "ISS-1"]).ok();
    world.repo.wf(&["edit", "ISS-3", "--depends-on", "ISS-2"]).ok();
    world.agent("executor", "exit 3");
    world.run(1, &["ISS-1", "ISS-2", "ISS-3"]);
    let told = waiting(&world);
    let of = |id: &str| told.iter().find(|line| line.starts_with(id)).unwrap();
    assert!(of("ISS-2").contains("`git wf run ISS-1 ISS-2` executes it"), "{told:?}");
    assert!(of("ISS-3").contains("`git wf run ISS-1 ISS-2 ISS-3` executes it"), "{told:?}");
    world.agent("executor", BUILDS);
    world.run(0, &["ISS-1", "ISS-2", "ISS-3"]);
    assert_eq!(world.repo.status("ISS-3"), "completed");
}

#[test]
fn a_report_names_the_commits_of_a_failed_attempt_without_hooks() {
    let world = World::new();
    world.repo.wf(&["hooks", "uninstall"]).ok();
    world.plan("plan.json", "grep -q two a.txt");
    world.run(1, &["ISS-1"]);
    let report = world.repo.json(&["run", "report"]);
    let commits = report["issues"][0]["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 1, "{report:#}");
    assert_eq!((&commits[0]["subject"], &report["totals"]["commit_count"]), (&json!("Change"), &json!(1)));
}

#[test]
fn a_commit_of_the_second_attempt_is_not_one_of_the_first_that_made_the_same_change() {
    let world = World::new();
    world.repo.wf(&["hooks", "uninstall"]).ok();
    let numbered = "echo x >> \"$HERE/asked\"; n=$(grep -c x \"$HERE/asked\")";
    let script = format!(
        "{numbered}; echo two >> a.txt; git commit -q -a -m \"Change $n\"; echo '{{\"status\": \"failed\"}}'"
    );
    world.agent("executor", &script);
    world.run(1, &["ISS-1", "--retry", "1"]);
    let subjects: Vec<Vec<Value>> = executions(&world, "ISS-1")
        .iter()
        .map(|it| it["commits"].as_array().unwrap().iter().map(|it| it["subject"].clone()).collect())
        .collect();
    assert_eq!(subjects, [[json!("Change 1")], [json!("Change 2")]]);
    assert_eq!(world.repo.json(&["run", "report"])["totals"]["commit_count"], 2);
}

#[test]
fn no_agent_is_asked_before_somebody_agreed_to_the_tests() {
    let world = World::new();
    world.agent("planner", "touch \"$HERE/asked\"; exit 3");
    let ran = world.repo.wf(&["run", "ISS-1"]).fails(1);
    // The whole command, to which only the consent is added.
    for hint in ["nobody here has agreed", "`git wf run --yes ISS-1`", "`git wf run --plan-only ISS-1`"] {
        assert!(ran.stderr.contains(hint), "{hint}: {}", ran.stderr);
    }
    assert!(!world.sandbox.root().join("asked").exists());
    assert_eq!(world.repo.json(&["run", "list"]), json!([]));
    // Who only plans runs no tests.
    world.agent("planner", PLANS);
    world.repo.wf(&["run", "ISS-1", "--plan-only"]).ok();
    let ran = world.repo.wf(&["run", "ISS-1", "--execute-only"]).fails(1);
    assert!(ran.stderr.contains("`test -s a.txt`") || ran.stderr.contains("test -s a.txt"), "{}", ran.stderr);
    assert_eq!(world.repo.status("ISS-1"), "planned");
}

#[test]
fn a_rejected_plan_is_replaced_in_a_later_run_and_the_same_one_is_refused() {
    let world = World::new();
    world.plan("third.json", "test -s a.txt && test -e a.txt");
    world.agent(
        "reviewer",
        "if grep -q 'test -e a.txt'; then n=95; else n=20; fi; \
         echo \"{\\\"technical\\\": $n, \\\"risk\\\": $n, \\\"completeness\\\": $n, \\\"findings\\\": [\\\"short\\\"]}\"",
    );
    let state = world.run(1, &["ISS-1", "--mode", "full"]);
    assert!(World::error(&state).1.contains("was rejected in review"), "{state:#}");
    let told = waiting(&world);
    assert!(told[0].starts_with("ISS-1: its plan was rejected"), "{told:?}");
    world.agent("planner", "cat \"$HERE/third.json\"");
    let state = world.run(0, &["ISS-1", "--mode", "full"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
}

#[test]
fn a_run_ends_if_each_agent_fails_whatever_it_is_asked() {
    let world = World::new();
    for n in 2..=5 {
        world.repo.issue(&format!("ISS-{n}"));
    }
    world.agent("executor", "exit 3");
    // The executions that are under way when the second one is given up fail, too.
    world.repo.git(&["config", "wf.run.retries", "1"]).ok();
    let state = world.run(1, &["--all-pending", "--jobs", "2"]);
    assert_eq!(state["context"]["completed_count"], 0);
    let last = state["errors"].as_array().unwrap().last().unwrap();
    assert_eq!(last["error_type"], "all-workers-failed", "{state:#}");
    assert_eq!(world.repo.status("ISS-5"), "queued");
    let is_executing = |it: &serde_json::Value| it["status"] == "executing";
    let issues = state["issues"].as_object().unwrap().values();
    let items = state["queue"].as_array().unwrap().iter();
    assert!(!issues.chain(items).any(is_executing), "{state:#}");
    let shown = world.repo.wf(&["run", "show"]).ok().stdout;
    assert!(shown.contains(" failed, batch"), "{shown}");
    let told = waiting(&world);
    let left = told.iter().find(|line| line.starts_with("ISS-5: "));
    assert!(left.is_some_and(|line| line.contains("git wf run --execute-only ISS-5")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("the run ended early: agent executor failed")), "{told:?}");
}

#[test]
fn a_program_that_is_missing_is_told_before_anything_begins() {
    let world = World::new();
    for args in [&["run", "ISS-1", "--yes"][..], &["run", "ISS-1", "--dry-run"]] {
        let ran = world.repo.wf(&[args, &["--executor", "/no/such/prog"]].concat()).fails(1);
        assert!(ran.stderr.contains("the program `/no/such/prog`"), "{}", ran.stderr);
    }
    world.repo.wf(&["run", "ISS-1", "--yes", "--planner", "no-such-prog-anywhere"]).fails(1);
    assert_eq!(world.repo.json(&["run", "list"]), json!([]));
}

#[test]
fn a_claim_that_someone_took_away_is_not_given_back() {
    let world = World::new();
    gate(&world);
    world.agent("executor", &format!("{WAITS}; {BUILDS}"));
    let repo = &world.repo;
    let live = Live::until("execution by executor", repo, &["run", "ISS-1", "--yes"]);
    repo.wf(&["lease", "release", "ISS-1", "--force", "--reason", "mine"]).ok();
    open(&world);
    let (code, told) = live.ends();
    assert!(code == 1 && !told.contains("given back"), "{told}");
    let log = repo.json(&["run", "log"]);
    let setback = log.as_array().unwrap().iter().find(|it| it["type"] == "setback").unwrap();
    assert_eq!(setback["error"]["error_type"], "not-executing", "{setback:#}");
    assert!(setback.get("unrecorded").is_none(), "{setback:#}");
    assert_eq!(executions(&world, "ISS-1")[0]["status"], "superseded");
}
