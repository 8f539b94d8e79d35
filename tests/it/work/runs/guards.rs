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
    let code = world.repo.path().display();
    let refs =
        world.repo.git(&["for-each-ref", "refs/heads/spare", "refs/heads/main", "refs/tags"]).ok().stdout;
    let nested = "git wf queue new lifted && touch \"$(dirname \"$0\")/lifted\"";
    std::fs::write(world.sandbox.root().join("nested.sh"), nested).unwrap();
    let deep = "if [ $1 -gt 0 ]; then sh \"$0\" $(($1 - 1)); else git wf close ISS-1 -m done; fi; exit $?";
    std::fs::write(world.sandbox.root().join("deep.sh"), deep).unwrap();
    for (trial, words) in [
        ("git push -q origin HEAD".to_owned(), "an executor does not push"),
        ("git branch -D spare".to_owned(), "an executor does not delete `spare`"),
        ("git branch -f main HEAD".to_owned(), ""),
        ("git tag v1".to_owned(), "does not change `refs/tags/v1`"),
        ("git checkout -q -b mine".to_owned(), "does not change `mine`"),
        ("echo x > a.txt; git stash".to_owned(), "share the stash"),
        (format!("git -C '{code}' commit -q --allow-empty -m Mine"), "commits only on the branch `wf/SOL-"),
        (format!("git -C '{code}' commit -q --no-verify --allow-empty -m Mine"), "does not change `main`"),
        ("git update-ref -d refs/wf/main".to_owned(), "does not delete `refs/wf/main`"),
        (
            "env -u WF_ROLE -u WF_ACTOR git wf close ISS-1 -m done".to_owned(),
            "an executor may not run `close`",
        ),
        // A program whose name is not UTF-8, and more processes than anybody needs, between it and its watcher.
        (
            "odd=$(printf \"$HERE/odd\\377\"); cp \"$(command -v sh)\" \"$odd\"; \
             env -u WF_ROLE -u WF_ACTOR \"$odd\" -c 'git wf close ISS-1 -m done; exit $?'"
                .to_owned(),
            "an executor may not run `close`",
        ),
        ("env -u WF_ROLE -u WF_ACTOR sh \"$HERE/deep.sh\" 300".to_owned(), "an executor may not run `close`"),
        ("git wf done".to_owned(), "an agent of a run may not run `done`"),
        ("git wf fail ISS-1 -m sabotage".to_owned(), "an agent of a run may not run `fail`"),
        ("git wf edit ISS-1 -m evil".to_owned(), "an agent of a run may not run `edit`"),
        ("echo '{}' | git wf import jsonl -".to_owned(), "an agent of a run may not run `import jsonl`"),
        ("git wf sync".to_owned(), "an agent of a run may not run `merge`"),
        (
            "git wf agent test --role integrator \"sh $HERE/nested.sh\"; test -e \"$HERE/lifted\"".to_owned(),
            "",
        ),
        (
            "bash -c 'exec -a git-wf bash -c \"git push -q origin HEAD\"'".to_owned(),
            "an executor does not push",
        ),
        ("git wf queue new mine".to_owned(), "an executor may not run `queue new`"),
    ] {
        let (out, is_through) = tried(&world, "executor", &trial);
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

/// Begins a pid namespace, or a container as far as git-wf can tell.
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
fn who_cannot_be_seen_writes_nothing_while_a_run_is_driven() {
    let world = world();
    if !can_hide(&world) {
        return;
    }
    let bare = "env -u WF_ROLE -u WF_ACTOR PATH=\"$PATH\"";
    let none = "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec \"$@\"' sh";
    for (trial, is_through) in [
        (format!("{NAMESPACE} {bare} git wf close ISS-1 -m pwned"), false),
        (format!("{NAMESPACE} env WF_ROLE=integrator git wf queue new pwned"), false),
        (format!("{NAMESPACE} {bare} git wf hooks uninstall"), false),
        (format!("{NAMESPACE} {bare} git wf init --remote origin"), false),
        (format!("{none} {bare} git wf close ISS-1 -m pwned"), false),
        (format!("{NAMESPACE} {bare} git wf show ISS-1"), true),
    ] {
        let (out, came_through) = tried(&world, "executor", &trial);
        assert_eq!(came_through, is_through, "{trial}: {out}");
        let words = "cannot see whether an agent of the run `RUN-";
        assert_eq!(out.contains(words), !is_through, "{trial}: {out}");
    }
    // Once nobody drives a run, a container is a place like any other.
    let ran = world.repo.sh(&["-c", &format!("{NAMESPACE} git wf comment ISS-1 -m 'From a container'")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
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
        ("git commit -q --no-verify --allow-empty -m Mine", "a planner only reads `"),
        ("git push -q origin HEAD:refs/heads/x", "a planner does not push"),
        ("git branch -D spare", "a planner only reads, and does not change `spare`"),
        ("env -i PATH=\"$PATH\" git wf next ISS-1", "a planner may not run `next`"),
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
    own(
        "reference-transaction",
        &format!("while read -r old new name; do echo \"$1 $name\"; done >> '{here}/refs'"),
    );
    own("post-checkout", "exit 0");
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let seen = |name: &str| std::fs::read_to_string(world.sandbox.root().join(name)).unwrap();
    assert!(seen("pre-commit").starts_with("wf/SOL-ISS-1"), "{}", seen("pre-commit"));
    let refs = seen("refs");
    for state in ["prepared", "committed"] {
        assert!(refs.lines().any(|line| line.starts_with(&format!("{state} refs/heads/wf/SOL-"))), "{refs}");
    }
    // The hook that links commits is one of them.
    let execution = world.repo.json(&["show", "ISS-1"])["executions"][0].clone();
    assert_eq!(execution["commits"][0]["linked_by"], "hook", "{execution:#}");
}

#[test]
fn a_copy_of_the_program_does_not_lift_a_role() {
    let world = world();
    let trial = "cp \"$(git wf --version >/dev/null; command -v git-wf)\" \"$HERE/mine\"; \
                 env -i PATH=\"$PATH\" \"$HERE/mine\" close ISS-1 -m done";
    let (out, is_through) = tried(&world, "executor", trial);
    assert!(!is_through && out.contains("an executor may not run `close`"), "{out}");
}

#[test]
fn a_guard_that_an_agent_takes_away_stops_it_and_is_named() {
    let world = world();
    for (act, words, is_stopped) in [
        ("rm \"$GUARD/bounds.json\"", "the hooks that hold it to its role", true),
        (": > \"$GUARD/git.jsonl\"", "the trace of its git commands", true),
        ("rm \"$GUARD/git.jsonl\"", "the trace of its git commands", true),
        ("rm -r \"$GUARD\"", "the hooks that hold it to its role", false),
        ("echo '#!/bin/sh' > \"$GUARD/hooks/pre-push\"", "the hooks that hold it to its role", false),
    ] {
        let guard = "GUARD=$(dirname \"$GIT_TRACE2_EVENT\")";
        let trial = format!("{guard}; {act}; git push -q origin HEAD:refs/heads/x");
        world.agent(
            "executor",
            &format!("{{ {trial}; }} 2>\"$HERE/out\" && touch \"$HERE/through\"\n{BUILDS}"),
        );
        let issue = format!("ISS-{}", world.repo.json(&["list", "--all"]).as_array().unwrap().len() + 1);
        world.repo.issue(&issue);
        // Whether it can commit depends on what it did.
        world.repo.wf(&["run", "--yes", &issue]);
        let out = std::fs::read_to_string(world.sandbox.root().join("out")).unwrap();
        assert!(!(is_stopped && world.sandbox.root().join("through").exists()), "{act}: {out}");
        let log = world.repo.json(&["run", "log"]);
        let named = |it: &serde_json::Value| {
            it["type"] == "breach"
                && it["agent"] == "executor"
                && it["what"].as_str().unwrap().contains(words)
        };
        assert!(log.as_array().unwrap().iter().any(named), "{act}: {log:#}");
        let _ = std::fs::remove_file(world.sandbox.root().join("through"));
    }
}

#[test]
fn what_the_hooks_refuse_is_on_record() {
    let world = world();
    world.agent(
        "executor",
        &format!("for _ in 1 2; do git push -q origin HEAD:refs/heads/x 2> /dev/null; done\n{BUILDS}"),
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
    assert!(log.contains("agent executor was stopped during execution of ISS-1: "), "{log}");
    // There is nothing to undo.
    world.repo.wf(&["audit", "main"]).ok();
}
