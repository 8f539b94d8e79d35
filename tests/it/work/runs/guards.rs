//! What the hooks of a run's agents stop: each refusal says why, and the work goes on.

use super::world::{BUILDS, PLANS, World};

/// A world with a remote and a branch `spare` of the user's, whose only commit no other branch has.
fn world() -> World {
    let world = World::new();
    let origin = world.sandbox.bare("origin");
    world.repo.git(&["remote", "add", "origin", origin.path().to_str().unwrap()]).ok();
    world.repo.git(&["checkout", "-q", "-b", "spare"]).ok();
    world.repo.commit("spare.txt", "spare\n", "Spare");
    world.repo.git(&["checkout", "-q", "main"]).ok();
    world
}

/// Runs ISS-1 with an agent that tries something and then does its work; what the trial wrote to stderr, and whether it
/// came through.
#[track_caller]
fn tried(world: &World, role: &str, trial: &str) -> (String, bool) {
    let work = if role == "executor" { BUILDS } else { PLANS };
    let trial = format!("if {{ {trial}; }} >\"$HERE/out\" 2>&1; then touch \"$HERE/through\"; fi\n{work}");
    world.agent(role, &trial);
    let issue = format!("ISS-{}", world.repo.json(&["list", "--all"]).as_array().unwrap().len() + 1);
    world.repo.issue(&issue);
    let state = world.run(0, &[&issue]);
    assert_eq!(state["issues"][&issue]["status"], "completed", "{state:#}");
    world.is_untouched();
    let here = world.sandbox.root();
    let out = std::fs::read_to_string(here.join("out")).unwrap();
    (out, std::fs::remove_file(here.join("through")).is_ok())
}

#[test]
fn an_executor_keeps_to_its_branch_and_its_plan() {
    let world = world();
    let refs =
        world.repo.git(&["for-each-ref", "refs/heads/spare", "refs/heads/main", "refs/tags"]).ok().stdout;
    for (trial, words) in [
        ("git push -q origin HEAD", ""),
        ("git push -q \"$HERE/origin\" HEAD:refs/heads/x", "an executor does not push"),
        ("git branch -D spare", ""),
        (
            "git checkout -q -b mine && git commit -q --allow-empty -m Mine; r=$?; git checkout -q -; (exit $r)",
            "commits only on the branch `wf/SOL-",
        ),
        ("git wf close ISS-1 -m done", "an executor may not run `close`"),
        ("git wf done", "an agent of a run may not run `done`"),
        ("git wf fail ISS-1 -m sabotage", "an agent of a run may not run `fail`"),
        ("git wf edit ISS-1 -m evil", "an agent of a run may not run `edit`"),
        ("echo '{}' | git wf import jsonl -", "an agent of a run may not run `import jsonl`"),
        ("git wf sync", "an agent of a run may not run `merge`"),
        ("git wf queue manage new mine", "an executor may not run `queue manage new`"),
    ] {
        let (out, is_through) = tried(&world, "executor", trial);
        assert!(!is_through && out.contains(words), "{trial}: {out}");
    }
    let after =
        world.repo.git(&["for-each-ref", "refs/heads/spare", "refs/heads/main", "refs/tags"]).ok().stdout;
    assert_eq!(after, refs);
    assert_eq!(world.repo.git(&["ls-remote", "origin"]).ok().stdout, "");
    for run in world.repo.json(&["run", "list"]).as_array().unwrap() {
        let log = world.repo.json(&["run", "log", run["id"].as_str().unwrap()]);
        let mut breaches = log.as_array().unwrap().iter().filter(|entry| entry["type"] == "breach");
        assert!(breaches.all(|it| it["what"].as_str().unwrap().starts_with("refused: ")), "{log:#}");
    }
}

/// Begins a pid namespace.
const NAMESPACE: &str = "unshare --user --map-root-user --pid --fork --mount-proc";

/// Whether this system lets anybody begin one.
fn can_hide(world: &World) -> bool {
    let is_possible = world.repo.sh(&["-c", &format!("{NAMESPACE} true")]).code == 0;
    if !is_possible {
        eprintln!("skipped: no pid namespace can be made here");
    }
    is_possible
}

#[test]
fn an_agent_in_a_sandbox_commits_its_work() {
    let world = world();
    if !can_hide(&world) {
        return;
    }
    std::fs::write(world.sandbox.root().join("work.sh"), BUILDS).unwrap();
    world.agent("executor", &format!("exec {NAMESPACE} sh \"$HERE/work.sh\""));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let execution = world.repo.json(&["show", "ISS-1"])["executions"][0].clone();
    assert_eq!(execution["commits"].as_array().map(Vec::len), Some(1), "{execution:#}");
}

#[test]
fn an_executor_deletes_only_what_its_plan_names() {
    let world = world();
    world.repo.commit("b.txt", "b\n", "More");
    let trial = "git rm -q b.txt && git commit -q -m Delete";
    world.agent(
        "executor",
        &format!("if ! {{ {trial}; }} 2>\"$HERE/out\"; then git reset -q --hard; fi\n{BUILDS}"),
    );
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let out = std::fs::read_to_string(world.sandbox.root().join("out")).unwrap();
    assert!(out.contains("no task of the plan names `b.txt`"), "{out}");
    // What it made itself it may delete.
    let trial =
        "echo c > c.txt; git add c.txt; git commit -q -m Add; git rm -q c.txt; git commit -q -m Delete";
    assert!(tried_on(&world, trial));
}

/// Whether an executor came through with this, in ISS-2.
fn tried_on(world: &World, trial: &str) -> bool {
    world.repo.issue("ISS-2");
    world.agent("executor", &format!("{{ {trial}; }} && touch \"$HERE/through\"\n{BUILDS}"));
    world.run(0, &["ISS-2"]);
    world.sandbox.root().join("through").exists()
}

#[test]
fn a_planner_only_reads() {
    let world = world();
    for (trial, words) in [
        ("git commit -q --allow-empty -m Mine", "a planner only reads, and does not commit"),
        ("git push -q \"$HERE/origin\" HEAD:refs/heads/x", "a planner does not push"),
        ("git wf next ISS-1", "a planner may not run `next`"),
    ] {
        let (out, is_through) = tried(&world, "planner", trial);
        assert!(!is_through && out.contains(words), "{trial}: {out}");
    }
}

#[test]
fn the_hooks_of_the_repository_are_called_all_the_same() {
    let world = world();
    let here = world.sandbox.root().display();
    let own = |name: &str, script: &str| {
        let path = world.repo.path().join(".git/hooks").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::os::unix::fs::PermissionsExt::set_mode(&mut path.metadata().unwrap().permissions(), 0o755);
        world.repo.sh(&["-c", &format!("chmod +x '{}'", path.display())]).ok();
    };
    own("pre-commit", &format!("git branch --show-current >> '{here}/pre-commit'"));
    own("post-commit", &format!("git rev-parse HEAD > '{here}/post-commit'"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let seen = |name: &str| std::fs::read_to_string(world.sandbox.root().join(name)).unwrap();
    assert!(seen("pre-commit").starts_with("wf/SOL-ISS-1"), "{}", seen("pre-commit"));
    assert_eq!(seen("post-commit").len(), 41);
    // The run links what it takes, whatever a hook says.
    let execution = world.repo.json(&["show", "ISS-1"])["executions"][0].clone();
    assert_eq!(execution["commits"].as_array().map(Vec::len), Some(1), "{execution:#}");
}

#[test]
fn what_the_hooks_refuse_is_on_record() {
    let world = world();
    world.agent(
        "executor",
        &format!(
            "for _ in 1 2; do git push -q \"$HERE/origin\" HEAD:refs/heads/x 2> /dev/null; done\n{BUILDS}"
        ),
    );
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let log = world.repo.json(&["run", "log"]);
    let refused: Vec<&serde_json::Value> =
        log.as_array().unwrap().iter().filter(|it| it["type"] == "breach").collect();
    assert_eq!(refused.len(), 1, "{refused:#?}");
    let what = refused[0]["what"].as_str().unwrap();
    assert!(what.starts_with("refused: an executor does not push"), "{what}");
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains("agent executor was refused during execution of ISS-1: "), "{log}");
    // There is nothing to undo.
    world.repo.wf(&["audit", "main"]).ok();
}

#[test]
fn whom_a_commit_names_besides_the_user_is_on_record() {
    let world = world();
    let grace = "export GIT_AUTHOR_NAME=Grace GIT_AUTHOR_EMAIL=grace@example.org";
    world.agent("executor", &format!("{grace}\n{BUILDS}"));
    world.run(0, &["ISS-1"]);
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains("commits of its agent name Grace <grace@example.org>"), "{log}");
    assert!(!log.contains("Ada <"), "{log}");
}
