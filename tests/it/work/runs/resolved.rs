//! Conflicts of completed work with the branch of the run: its agent is asked, then a person.

use serde_json::{Value, json};

use super::world::{PLANS, World};
use crate::support::{Repo, column, plan_on};

/// What an agent answers that cannot resolve a conflict.
pub(super) const REFUSES: &str =
    "echo '{\"status\": \"failed\", \"errors\": [{\"message\": \"both cannot hold\"}]}'";
/// Resolves a conflict with a text that has both sides.
const RESOLVES: &str = "test -e .git/MERGE_HEAD && echo both > shared.txt && git add shared.txt && git commit -q --no-edit; \
    echo '{\"status\": \"completed\"}'";

/// The start of a script: if a conflict is to be resolved, it notes the request, does this, and ends.
pub(super) fn on_resolve(script: &str) -> String {
    let note = "echo asked >> \"$HERE/asked\"; printf %s \"$request\" > \"$HERE/request.json\"";
    format!("request=$(cat); case \"$request\" in *'\"kind\": \"resolve\"'*) {note}; {script}; exit;; esac")
}

/// Two issues whose agents both write a file that no plan names.
pub(super) fn conflicting(resolve: &str) -> World {
    let world = World::new();
    world.repo.commit("b.txt", "one\n", "Begin");
    world.repo.issue("ISS-2");
    let mut other = plan_on("b.txt");
    other["tasks"][0]["test"]["commands"] = json!(["test -s b.txt"]);
    std::fs::write(world.sandbox.root().join("other.json"), other.to_string()).unwrap();
    // What the planner is given names the other issue, too.
    let other = "*ISS-2) cat \"$HERE/other.json\"";
    world.agent("planner", &format!("case \"$PWD\" in {other};; *) {PLANS};; esac"));
    let work =
        "pwd > shared.txt; git add shared.txt; git commit -q -m Share; echo '{\"status\": \"completed\"}'";
    world.agent("executor", &format!("{}\n{work}", on_resolve(resolve)));
    world
}

pub(super) const BOTH: [&str; 7] = ["ISS-1", "ISS-2", "--mode", "batch", "--skip-review", "--jobs", "2"];

/// How often the agent was asked to resolve a conflict.
fn times_asked(world: &World) -> usize {
    std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap_or_default().lines().count()
}

/// The id and the branch of the only run.
fn run(repo: &Repo) -> (String, String) {
    let run = repo.json(&["run", "show"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&run["id"]), text(&run["branch"]))
}

#[test]
fn the_agent_that_made_it_resolves_a_conflict() {
    let world = conflicting(RESOLVES);
    let state = world.run(0, &BOTH);
    assert_eq!((&state["context"]["completed_count"], times_asked(&world)), (&json!(2), 1), "{state:#}");
    let error = &state["errors"][0];
    let words = error["message"].as_str().unwrap();
    assert_eq!(error["error_type"], "merge-conflict");
    assert!(words.contains("conflict with SOL-ISS-") && words.contains("shared.txt"), "{words}");
    // It knows whose work it meets, and what conflicts.
    let request = std::fs::read_to_string(world.sandbox.root().join("request.json")).unwrap();
    let request: Value = serde_json::from_str(&request).unwrap();
    let conflict = &request["input"]["conflict"];
    assert_eq!((conflict["with"].as_array().unwrap().len(), &conflict["files"]), (1, &json!(["shared.txt"])));
    assert!(conflict["hunks"].as_str().unwrap().contains("<<<<<<<"), "{conflict:#}");
    // Nothing is carried out again.
    for issue in ["ISS-1", "ISS-2"] {
        assert_eq!(world.repo.json(&["show", issue])["executions"].as_array().unwrap().len(), 1, "{issue}");
    }
    let (run, branch) = run(&world.repo);
    assert_eq!(world.repo.git(&["show", &format!("{branch}:shared.txt")]).ok().stdout, "both\n");
    // The tests that passed on the merge are its evidence.
    world.repo.wf(&["settings", "evidence=required"]).ok();
    let audit = world.repo.wf(&["audit", &branch]).ok().stdout;
    assert!(!audit.contains("no passing check"), "{audit}");
    world.repo.wf(&["land", &run, "--yes"]).ok();
    assert_eq!(world.repo.read("shared.txt"), "both\n");
    assert_eq!(column(&world.repo.json(&["list", "--unlanded"]), "id"), [""; 0]);
    world.repo.wf(&["fsck"]).ok();
}

#[test]
fn a_conflict_that_its_agent_cannot_resolve_waits_for_a_person() {
    let world = conflicting(REFUSES);
    let state = world.run(1, &BOTH);
    assert_eq!(times_asked(&world), 2);
    let issue = ["ISS-1", "ISS-2"].into_iter().find(|id| state["issues"][*id]["status"] == "failed").unwrap();
    let last = state["errors"].as_array().unwrap().iter().rfind(|it| it["issue_id"] == issue).unwrap();
    let words = last["message"].as_str().unwrap();
    assert!(words.contains("waits for a person: conflict with SOL-ISS-"), "{words}");
    assert_eq!(world.repo.status(issue), "completed");
    let feedback = world.repo.json(&["show", issue])["feedback"].to_string();
    assert!(feedback.contains("<<<<<<<"), "{feedback}");
    // The others land; then the person resolves the merge that stands half done.
    let (run, _) = run(&world.repo);
    let left = world.repo.wf(&["land", &run, "--yes", "--json"]).fails(1).json();
    assert_eq!(column(&left["not_landed"], "issue_id"), [issue]);
    let place = world.sandbox.at(&format!("code-land-{issue}"));
    place.write("shared.txt", "by a person\n");
    place.git(&["add", "shared.txt"]).ok();
    world.repo.wf(&["land", issue, "--continue", "--yes"]).ok();
    assert_eq!(world.repo.read("shared.txt"), "by a person\n");
    assert_eq!(column(&world.repo.json(&["list", "--unlanded"]), "id"), [""; 0]);
}

#[test]
fn a_merge_that_breaks_the_tests_of_the_plan_is_no_resolution() {
    let broken = ": > a.txt; : > b.txt; git add a.txt b.txt; ";
    let world = conflicting(&format!("{broken}{RESOLVES}"));
    let state = world.run(1, &BOTH);
    assert_eq!(times_asked(&world), 2, "{state:#}");
    let told = state["errors"].to_string();
    assert!(told.contains("`test -s") && told.contains("failed with exit code 1"), "{told}");
}

/// A run that is killed once an agent has resolved a conflict goes on from there, or asks again; nothing is lost, and nothing is
/// there twice.
#[test]
fn a_run_that_is_killed_while_a_conflict_is_resolved_goes_on() {
    for point in ["run-resolved", "run-merged:2"] {
        let world = conflicting(RESOLVES);
        let killed = world.repo.with_env("WF_FAULT", point).wf(&[&["run"], &BOTH[..], &["--yes"]].concat());
        assert_ne!(killed.code, 0, "{point}: {}", killed.stdout);
        world.repo.wf(&["run", "resume", "--yes"]).ok();
        for issue in ["ISS-1", "ISS-2"] {
            assert_eq!(world.repo.status(issue), "completed", "{point}");
        }
        let (run, branch) = run(&world.repo);
        assert_eq!(
            world.repo.git(&["show", &format!("{branch}:shared.txt")]).ok().stdout,
            "both\n",
            "{point}"
        );
        let merges = world.repo.git(&["log", "--merges", "--format=%s", &branch]).ok().stdout;
        assert!(merges.lines().count() <= 3, "{point}: {merges}");
        world.repo.wf(&["land", &run, "--yes"]).ok();
        assert_eq!(world.repo.read("shared.txt"), "both\n", "{point}");
        world.repo.wf(&["fsck"]).ok();
    }
}

/// Somebody lands between the merge into the branch of the run and its landing.
#[test]
fn a_conflict_that_comes_while_work_lands_goes_to_its_agent() {
    for (resolve, asked, code) in [(RESOLVES, 1, 0), (REFUSES, 2, 1)] {
        let world = World::new();
        let work = "echo mine > shared.txt; git add shared.txt; git commit -q -m Share; echo '{\"status\": \"completed\"}'";
        world.agent("executor", &format!("{}\n{work}", on_resolve(resolve)));
        let race = format!(
            "cd '{}' && echo theirs > shared.txt && git add shared.txt && git commit -q --no-verify -m Theirs",
            world.repo.path().display()
        );
        let repo = world.repo.with_env("WF_FAULT", "run-merged").with_env("WF_FAULT_RUN", &race);
        let ran = repo.wf(&["run", "ISS-1", "--land", "--yes"]);
        assert_eq!(ran.code, code, "{}\n{}", ran.stdout, ran.stderr);
        assert_eq!(times_asked(&world), asked, "{}", ran.stderr);
        let place = world.sandbox.at("code-land-ISS-1");
        if resolve == RESOLVES {
            assert_eq!(world.repo.read("shared.txt"), "both\n", "{}", ran.stderr);
            assert!(!place.path().exists());
        } else {
            assert_eq!(world.repo.read("shared.txt"), "theirs\n", "{}", ran.stderr);
            assert!(place.path().exists() && ran.stderr.contains("--continue"), "{}", ran.stderr);
            assert!(ran.stdout.contains("`git wf land RUN-"), "{}", ran.stdout);
        }
    }
}
