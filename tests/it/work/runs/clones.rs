//! Runs in two clones of one remote.

use serde_json::json;

use super::live::{Live, WAITS, gate, latest, open};
use super::remedied::{remedies_in, typed_in};
use super::world::{BUILDS, PLANS, World};
use crate::support::{Repo, foreign, record};

/// A second clone of what the world has, with the same agents. The first knows the remote by a relative path.
pub(super) fn second(world: &World) -> Repo {
    let (sandbox, ada) = (&world.sandbox, &world.repo);
    sandbox.bare("origin.git");
    ada.git(&["remote", "add", "origin", "../origin.git"]).ok();
    ada.git(&["push", "-q", "origin", "main"]).ok();
    ada.wf(&["sync", "origin"]).ok();
    let bea = sandbox.clone(sandbox.root().join("origin.git"), "bea").as_person("Bea", "bea@example.org");
    bea.git(&["switch", "-q", "-C", "main", "origin/main"]).ok();
    bea.wf(&["init", "--hooks"]).ok();
    for role in ["planner", "executor"] {
        let key = format!("wf.agent.{role}.command");
        let command = ada.git(&["config", &key]).ok().line().to_owned();
        bea.git(&["config", &key, &command]).ok();
        bea.git(&["config", &format!("wf.run.{role}"), role]).ok();
    }
    bea
}

#[test]
fn the_end_of_a_run_reaches_the_remote_even_by_a_relative_path() {
    let world = World::new();
    let bea = second(&world);
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["context"]["completed_count"], 1, "{state:#}");
    bea.wf(&["sync"]).ok();
    let runs = bea.json(&["run", "list"]);
    assert_eq!((&runs[0]["status"], &runs[0]["driven"]), (&json!("completed"), &json!("ended")));
    // So does a claim that is made in another worktree.
    let ada = &world.repo;
    ada.queued("ISS-2", "b.txt");
    ada.wf(&["next", "--worktree", "../tree"]).ok();
    bea.wf(&["sync"]).ok();
    assert_eq!(bea.status("ISS-2"), "executing");
    let tree = world.sandbox.at("tree");
    tree.wf(&["sync"]).ok();
    tree.wf(&["fail", "-m", "a test"]).ok();
    assert_eq!(ada.tip(), world.sandbox.at("origin.git").tip());
}

#[test]
fn an_issue_that_another_clone_plans_is_left_to_it() {
    let world = World::new();
    world.repo.issue("ISS-2");
    gate(&world);
    world.agent("planner", &format!("if once planning; then {WAITS}; fi; {PLANS}"));
    let bea = second(&world);
    let args = ["run", "ISS-1", "--plan-only", "--yes"];
    let live = Live::until("ISS-1 About ISS-1: planning by planner", &world.repo, &args);
    // It does not know yet of what the other does.
    let ran = bea.wf(&["run", "ISS-1", "ISS-2", "--plan-only", "--yes", "--json"]).fails(1).json();
    let (state, run) = (&ran["state"], latest(&world.repo));
    let error = state["issues"]["ISS-1"]["error"].as_str().unwrap();
    assert!(error.contains(&run) && error.contains("in another clone plans it"), "{error}");
    assert_eq!(state["issues"]["ISS-2"]["status"], "planned", "{state:#}");
    assert_eq!(state["context"]["failed_count"], 0, "{state:#}");
    let report = bea.json(&["run", "report"]);
    assert_eq!(report["waiting"][0]["issue_id"], "ISS-1", "{report:#}");
    // Later it knows.
    let skipped = bea.wf(&["run", "ISS-1", "--yes"]).fails(3).stderr;
    assert!(skipped.contains(&format!("skipped `ISS-1`: run `{run}`")), "{skipped}");
    open(&world);
    assert_eq!(live.ends().0, 0);
    let commands = remedies_in(&bea, "ISS-1", "it was left to others");
    assert_eq!(commands, ["git wf sync", "git wf run ISS-1"]);
    typed_in(&bea, &commands[0]).ok();
    assert_eq!(bea.json(&["solution", "list", "ISS-1"]).as_array().unwrap().len(), 1);
    assert_eq!(bea.json(&["conflicts"]), json!([]));
    typed_in(&bea, &commands[1]).ok();
    assert_eq!(bea.status("ISS-1"), "completed");
}

#[test]
fn no_planner_is_asked_about_a_cycle_that_arrives_while_the_run_is_at_work() {
    let world = World::new();
    let ada = &world.repo;
    ada.issue("G-1");
    ada.issue("G-2");
    gate(&world);
    world.agent("planner", &format!("echo >> \"$HERE/asked\"; if once planning; then {WAITS}; fi; {PLANS}"));
    let bea = second(&world);
    ada.wf(&["edit", "G-1", "--depends-on", "G-2"]).ok();
    bea.wf(&["edit", "G-2", "--depends-on", "G-1"]).ok();
    bea.wf(&["sync"]).ok();
    let args = ["run", "ISS-1", "G-1", "G-2", "--yes"];
    let live = Live::until("ISS-1 About ISS-1: planning by planner", ada, &args);
    ada.wf(&["sync"]).ok();
    open(&world);
    let (code, told) = live.ends();
    let asked = std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap();
    assert_eq!((code, asked.lines().count()), (1, 1), "{told}");
    assert!(
        told.contains("G-1 About G-1: waits: it waits for a dependency cycle: G-1 → G-2 → G-1"),
        "{told}"
    );
    assert_eq!((ada.status("ISS-1"), ada.status("G-1")), ("completed".into(), "registered".into()));
    let commands = remedies_in(ada, "G-2", "it waits for a dependency cycle: G-1 → G-2 → G-1");
    assert_eq!(commands, ["git wf show G-2", "git wf run G-1 G-2"]);
    let told = typed_in(ada, &commands[0]).ok().stderr;
    assert!(told.contains("git wf edit --depends-on=-G-2 G-1"), "{told}");
    ada.wf(&["edit", "--depends-on=-G-2", "G-1"]).ok();
    typed_in(ada, &commands[1]).ok();
}

#[test]
fn a_run_of_another_clone_is_resumed_only_on_purpose() {
    let world = World::new();
    gate(&world);
    world.agent("executor", &format!("if once executing; then {WAITS}; fi; {BUILDS}"));
    let (ada, bea) = (&world.repo, second(&world));
    let live = Live::until("ISS-1 About ISS-1: execution by executor", ada, &["run", "ISS-1", "--yes"]);
    let run = latest(ada);
    assert_eq!(ada.json(&["run", "list"])[0]["driven"], "here");
    let shown = ada.wf(&["run", "show"]).ok().stdout;
    assert!(shown.contains("process ") && shown.contains("drives it"), "{shown}");
    let refused = ada.wf(&["run", "resume"]).fails(1).stderr;
    assert!(refused.contains(" already drives run ") && refused.contains(&run), "{refused}");

    bea.wf(&["sync"]).ok();
    assert_eq!(bea.json(&["run", "list"])[0]["driven"], "elsewhere");
    for (code, args) in [(3, vec!["run", "resume"]), (1, vec!["run", "resume", &run])] {
        let refused = bea.wf(&args).fails(code).stderr;
        assert!(refused.contains(&format!("another clone drives run `{run}`")), "{refused}");
        assert!(refused.contains(&format!("git wf run resume --take-over {run}")), "{refused}");
    }
    let skipped = bea.wf(&["run", "ISS-1", "--yes"]).fails(3).stderr;
    assert!(skipped.contains(&format!("skipped `ISS-1`: run `{run}`")), "{skipped}");

    // What the other clone has claimed stays its own, and the run does not end meanwhile.
    let refused = bea.wf(&["run", "resume", &run, "--take-over", "--yes"]).fails(1).stderr;
    assert!(refused.contains("claimed in another clone"), "{refused}");
    assert_eq!(bea.json(&["run", "show"])["state"]["status"], "running");
    assert_eq!(bea.json(&["run", "show"])["driven"], "interrupted");

    // The first driver stops when it learns of that.
    bea.wf(&["sync"]).ok();
    ada.wf(&["sync"]).ok();
    let (code, told) = live.ends();
    assert!(code == 1 && told.contains(&format!("another clone drives run `{run}` now")), "{told}");
}

#[test]
fn a_takeover_is_noticed_when_the_next_issue_is_reserved() {
    let world = World::new();
    world.repo.issue("ISS-2");
    gate(&world);
    world.agent("planner", &format!("if once planning; then {WAITS}; fi; {PLANS}"));
    let (ada, bea) = (&world.repo, second(&world));
    let args = ["run", "ISS-1", "ISS-2", "--plan-only", "--yes"];
    let live = Live::until("ISS-1 About ISS-1: planning by planner", ada, &args);
    let run = latest(ada);
    bea.wf(&["sync"]).ok();
    bea.wf(&["run", "resume", &run, "--take-over", "--yes"]).ok();
    // The first driver fetches that only with its next reservation.
    open(&world);
    let (code, told) = live.ends();
    assert!(code == 1 && told.contains(&format!("another clone drives run `{run}` now")), "{told}");
}

#[test]
fn planning_goes_on_without_the_remote_and_says_what_that_means() {
    let world = World::new();
    second(&world);
    let root = world.sandbox.root();
    std::fs::rename(root.join("origin.git"), root.join("gone.git")).unwrap();
    let ran = world.repo.wf(&["run", "ISS-1", "--plan-only", "--yes"]).ok();
    for words in ["other clones may plan the same issues", "not yet at `origin`"] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    assert_eq!(world.repo.status("ISS-1"), "planned");
}

#[test]
fn a_run_pushes_once_for_each_item_and_once_for_each_plan() {
    let world = World::new();
    let ada = &world.repo;
    let issues = ["ISS-1", "ISS-2", "ISS-3"];
    for issue in &issues[1..] {
        ada.issue(issue);
    }
    second(&world);
    let origin = world.sandbox.at("origin.git");
    let hook = origin.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho >>pushes\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let state = world.run(0, &issues);
    assert_eq!(state["context"]["completed_count"], 3, "{state:#}");
    let pushes = std::fs::read_to_string(origin.path().join("pushes")).unwrap().lines().count();
    // For each issue, one push when it is planned and one when it is claimed, which also carries the end before; then
    // those at the end of the run.
    assert!(pushes <= 2 * issues.len() + 2, "{pushes}");
    assert_eq!(origin.tip(), ada.tip());
    // Issues that are already planned need only the second push.
    for n in 4..8 {
        let id = format!("ISS-{n}");
        ada.issue(&id);
        ada.wf(&["solution", "add", &id, "../plan.json"]).ok();
        ada.wf(&["queue", "add", &id]).ok();
    }
    ada.wf(&["sync"]).ok();
    std::fs::remove_file(origin.path().join("pushes")).unwrap();
    let state = world.run(0, &["ISS-4", "ISS-5", "ISS-6", "ISS-7"]);
    assert_eq!(state["context"]["completed_count"], 4, "{state:#}");
    let pushes = std::fs::read_to_string(origin.path().join("pushes")).unwrap().lines().count();
    assert!(pushes <= 4 + 2, "{pushes}");
}

/// The branch of a run follows from its id. Whoever can write a record could otherwise have any branch taken for it, and a run
/// that ends without work deletes its own.
#[test]
fn a_branch_that_a_record_names_is_not_taken_for_the_one_of_the_run() {
    let world = World::new();
    let repo = &world.repo;
    repo.git(&["branch", "precious"]).ok();
    repo.wf(&["close", "ISS-1"]).ok();
    let run = "RUN-20261121-7k3m2pq9";
    let (path, mut record) = record::run(run, &["ISS-1"], &[]).remove(0);
    record["agents"] = json!({"planner": "planner", "executor": "executor"});
    record["steps"] = json!(["plan", "queue", "execute"]);
    record["branch"] = json!("refs/heads/precious");
    record["base_commit"] = json!(repo.git(&["rev-parse", "main"]).ok().line());
    foreign::write(repo, &path, &record);
    assert_eq!(repo.json(&["run", "show", run])["branch"], format!("refs/heads/wf/{run}"));
    repo.wf(&["run", "resume", run, "--take-over", "--yes"]).ok();
    assert_eq!(repo.json(&["run", "show", run])["state"]["status"], "completed");
    repo.git(&["rev-parse", "--verify", "--quiet", "refs/heads/precious"]).ok();
}

/// Taking an item merges what others have pushed.
#[test]
fn tests_that_come_with_the_claim_are_not_run_before_someone_agrees() {
    let world = World::new();
    let (ada, bea) = (&world.repo, second(&world));
    ada.wf_in(std::fs::read(world.sandbox.root().join("plan.json")).unwrap(), &["solution", "add", "ISS-1"])
        .ok();
    let solution = ada.json(&["show", "ISS-1"])["bound_solution_id"].as_str().unwrap().to_owned();
    // Ada agrees to the tests of the plan; the attempt fails.
    world.agent("executor", "exit 1");
    ada.wf(&["run", "ISS-1", "--execute-only", "--yes"]).fails(1);
    ada.wf(&["retry", "ISS-1"]).ok();
    ada.wf(&["sync"]).ok();

    bea.wf(&["sync"]).ok();
    let item = bea.json(&["queue", "show"])["items"][0]["item_id"].as_str().unwrap().to_owned();
    bea.wf(&["queue", "remove", &item]).ok();
    let outside = world.sandbox.root().join("outside");
    let test = format!("touch '{}'", outside.display());
    bea.wf(&["task", "edit", &solution, "T1", "--test", &test]).ok();
    bea.wf(&["queue", "add", "ISS-1"]).ok();
    bea.wf(&["sync"]).ok();

    world.agent("executor", &format!("touch \"$HERE/asked\"; {BUILDS}"));
    let refused = ada.wf(&["run", "ISS-1", "--execute-only"]).fails(1);
    assert!(refused.stdout.contains("nobody here has agreed"), "{} {}", refused.stdout, refused.stderr);
    assert!(!outside.exists(), "the test was run");
    assert!(!world.sandbox.root().join("asked").exists(), "the agent worked in vain");
    assert_eq!(ada.status("ISS-1"), "queued");
    world.run(0, &["ISS-1", "--execute-only"]);
    assert!(outside.exists(), "--yes agrees to what comes with the claim, too");
}

#[test]
fn what_a_person_claims_meanwhile_is_neither_merged_nor_deleted() {
    for has_own_worktree in [false, true] {
        let world = World::new();
        gate(&world);
        world.agent("planner", &format!("if once planning; then {WAITS}; fi; {PLANS}"));
        let (ada, bea) = (&world.repo, second(&world));
        let live = Live::until("ISS-1 About ISS-1: planning by planner", ada, &["run", "ISS-1", "--yes"]);
        let run = latest(ada);
        bea.wf(&["sync"]).ok();
        bea.wf_in(
            std::fs::read(world.sandbox.root().join("plan.json")).unwrap(),
            &["solution", "add", "ISS-1"],
        )
        .ok();
        // The second branch has the name that the run would give it.
        let at = if has_own_worktree {
            bea.wf(&["next", "ISS-1", "--worktree", "../person"]).ok();
            world.sandbox.at("person").as_person("Bea", "bea@example.org")
        } else {
            bea.git(&["switch", "-q", "-c", "develop"]).ok();
            bea.wf(&["next", "ISS-1"]).ok();
            world.sandbox.at("bea").as_person("Bea", "bea@example.org")
        };
        at.commit("a.txt", "two\n", "Work of a person");
        at.done();
        let branch = at.git(&["symbolic-ref", "HEAD"]).ok().line().to_owned();
        at.git(&["switch", "-q", "--detach"]).ok();
        let ended = bea.wf(&["run", "resume", &run, "--take-over", "--yes"]);
        open(&world);
        live.ends();
        let before = bea.git(&["rev-parse", "--verify", &branch]).ok();
        let all =
            bea.git(&["for-each-ref", "--contains", before.line(), "--format=%(refname)", "refs/heads"]).ok();
        assert_eq!(all.line(), branch, "{} {}", ended.stdout, ended.stderr);
    }
}
