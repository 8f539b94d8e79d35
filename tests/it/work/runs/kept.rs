//! What becomes of the branches of attempts, and of what only they have.

use serde_json::{Value, json};

use super::live::{Live, WAITS, branches, gate, latest, open};
use super::world::{BUILDS, PLANS, World};

/// The breaches of the latest run whose text has these words.
fn breaches(world: &World, words: &str) -> Vec<Value> {
    let log = world.repo.json(&["run", "log"]);
    let is_it = |it: &&Value| it["type"] == "breach" && it["what"].as_str().unwrap().contains(words);
    log.as_array().unwrap().iter().filter(is_it).cloned().collect()
}

#[test]
fn a_merge_that_a_killed_run_did_not_record_is_its_own() {
    for point in ["run-merged", "run-merged:2"] {
        let world = World::new();
        world.repo.issue("ISS-2");
        let mut plan = crate::support::plan_on("b.txt");
        plan["tasks"][0]["test"]["commands"] = json!(["true"]);
        std::fs::write(world.sandbox.root().join("plan-2.json"), plan.to_string()).unwrap();
        let of_two = |two: &str, one: &str| {
            format!("if grep -q '\"issue_id\": *\"ISS-2\"'; then {two}; else {one}; fi")
        };
        world.agent("planner", &of_two("cat \"$HERE/plan-2.json\"", PLANS));
        world.agent(
            "executor",
            &of_two(
                "echo 2 > b.txt; git add b.txt; git commit -q -m Two; echo '{\"status\": \"completed\"}'",
                BUILDS,
            ),
        );
        let killed = world.repo.with_env("WF_FAULT", point).wf(&["run", "ISS-1", "ISS-2", "--yes"]);
        assert_ne!(killed.code, 0, "{}", killed.stdout);
        let run = latest(&world.repo);
        world.repo.wf(&["run", "resume", "--yes"]).ok();
        assert!(breaches(&world, "").is_empty(), "{:#?}", breaches(&world, ""));
        let merged = world.repo.git(&["log", "--format=%s", &format!("wf/{run}")]).ok().stdout;
        for work in ["Change\n", "Two\n"] {
            assert_eq!(merged.matches(work).count(), 1, "{point}: {merged}");
        }
    }
}

#[test]
fn a_branch_of_a_failed_attempt_that_someone_checked_out_stays() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.retries", "1"]).ok();
    let fails = "if once failed; then
            branch=$(git symbolic-ref --short HEAD)
            env -i PATH=\"$PATH\" git -C \"$HERE/code\" worktree add -f -q \"$HERE/mine\" \"$branch\" >&2
            echo '{\"status\": \"failed\"}'; exit
        fi";
    world.agent("executor", &format!("{fails}\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let mine = world.sandbox.at("mine");
    mine.git(&["rev-parse", "--verify", "--quiet", "HEAD"]).ok();
    let shown = world.repo.json(&["show", "ISS-1"]);
    let branches: Vec<&str> =
        shown["executions"].as_array().unwrap().iter().map(|it| it["branch"].as_str().unwrap()).collect();
    assert_eq!(json!(branches[1]), json!(format!("{}+2", branches[0])), "{shown:#}");
}

#[test]
fn a_branch_of_a_failed_attempt_that_someone_is_rebasing_stays() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.retries", "1"]).ok();
    // The user looks at the attempt, and stops in the middle of a rebase of its commit.
    let fails = "if once failed; then
            branch=$(git symbolic-ref --short HEAD)
            env -i PATH=\"$PATH\" GIT_SEQUENCE_EDITOR='sed -i 1s/^pick/edit/' HOME=\"$HOME\" sh -c \"
                git -C '$HERE/code' worktree add -f -q '$HERE/mine' $branch && cd '$HERE/mine' &&
                git -c core.hooksPath=/dev/null commit -q --allow-empty -m Half && git rebase -q -i HEAD~1\" >&2
            echo '{\"status\": \"failed\"}'; exit
        fi";
    world.agent("executor", &format!("{fails}\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let mine = world.sandbox.at("mine");
    mine.git(&["-c", "core.hooksPath=/dev/null", "rebase", "--continue"]).ok();
    assert_eq!(mine.git(&["log", "-1", "--format=%s", "HEAD"]).ok().stdout, "Half\n");
    assert!(mine.git(&["symbolic-ref", "HEAD"]).ok().line().starts_with("refs/heads/wf/SOL-ISS-1-"));
}

#[test]
fn a_merged_branch_that_someone_checked_out_stays() {
    let world = World::new();
    let act = "env -i PATH=\"$PATH\" git -C \"$HERE/code\" worktree add -q -f \"$HERE/mine\" \"$(git symbolic-ref --short HEAD)\" >&2";
    world.agent("executor", &format!("{act}\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    world.sandbox.at("mine").git(&["rev-parse", "--verify", "--quiet", "HEAD"]).ok();
}

#[test]
fn a_branch_in_the_way_of_what_is_kept_stops_no_attempt() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.retries", "1"]).ok();
    let fails = "if once failed; then
            : > a.txt; git commit -q -a -m Empty
            git rev-parse HEAD^ > \"$HERE/code/.git/refs/heads/wf/kept\"
            echo '{\"status\": \"completed\"}'; exit
        fi";
    world.agent("executor", &format!("{fails}\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let kept =
        world.repo.git(&["for-each-ref", "--format=%(refname) %(subject)", "refs/heads/wf"]).ok().stdout;
    assert!(
        kept.lines().any(|it| it.starts_with("refs/heads/wf/kept-EXR-") && it.ends_with(" Empty")),
        "{kept}"
    );
}

#[test]
fn what_a_person_left_of_a_failed_attempt_stays_and_costs_no_retry() {
    let world = World::new();
    let repo = &world.repo;
    repo.git(&["config", "wf.run.retries", "1"]).ok();
    gate(&world);
    world.agent("planner", &format!("if once planning; then {WAITS}; fi\n{PLANS}"));
    // Its test fails.
    let fails = "if once failed; then : > a.txt; git commit -q -a -m Empty; echo '{\"status\": \"completed\"}'; exit; fi";
    world.agent("executor", &format!("{fails}\n{BUILDS}"));
    let live = Live::until("ISS-1 About ISS-1: planning by planner", repo, &["run", "ISS-1", "--yes"]);
    let plan = std::fs::read(world.sandbox.root().join("plan.json")).unwrap();
    repo.wf_in(plan, &["solution", "add", "ISS-1"]).ok();
    repo.wf(&["next", "ISS-1", "--worktree", "../person"]).ok();
    let person = world.sandbox.at("person");
    person.commit("a.txt", "two\n", "Work of a person");
    person.wf(&["fail", "-m", "by hand"]).ok();
    let branch = person.git(&["symbolic-ref", "HEAD"]).ok().line().to_owned();
    person.git(&["switch", "-q", "--detach"]).ok();
    open(&world);
    live.ends();
    assert_eq!(repo.git(&["log", "-1", "--format=%s", &branch]).ok().stdout, "Work of a person\n");
    let shown = repo.json(&["show", "ISS-1"]);
    let ended: Vec<&str> =
        shown["executions"].as_array().unwrap().iter().map(|it| it["status"].as_str().unwrap()).collect();
    assert_eq!(ended, ["failed", "failed", "completed"], "{shown:#}");
}

#[test]
fn a_run_that_stops_at_its_first_step_says_how_it_goes_on() {
    let world = World::new();
    let lock = world.repo.path().join(".git/config.lock");
    std::fs::write(&lock, "").unwrap();
    let ended = world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
    std::fs::remove_file(&lock).unwrap();
    let run = latest(&world.repo);
    assert!(
        ended.stderr.contains(&format!("`git wf run resume {run}` continues the run")),
        "{}",
        ended.stderr
    );
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!(world.repo.json(&["show", "ISS-1"])["status"], "completed");
}

#[test]
fn what_an_agent_left_uncommitted_is_kept_on_a_branch_that_the_log_names() {
    let world = World::new();
    gate(&world);
    // It has written the file when the gate opens, and waits there once more.
    let script = format!("if once killed; then echo half >> a.txt; {WAITS}; {WAITS}; fi; {BUILDS}");
    world.agent("executor", &script);
    let live =
        Live::until("ISS-1 About ISS-1: execution by executor", &world.repo, &["run", "ISS-1", "--yes"]);
    open(&world);
    live.kill();
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let kept = branches(&world.repo).lines().find(|name| name.starts_with("wf/kept/")).map(str::to_owned);
    let kept = kept.expect("a branch");
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains(&format!("uncommitted changes are on the branch {kept}")), "{log}");
    assert!(world.repo.git(&["show", &format!("{kept}:a.txt")]).ok().stdout.contains("half"));
}

#[test]
fn a_run_that_integrates_nothing_leaves_no_branch() {
    let world = World::new();
    world.agent("planner", "exit 3");
    let ran = world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
    assert!(!ran.stdout.contains("wf/RUN-"), "{}", ran.stdout);
    assert_eq!(branches(&world.repo), "");
    let show = world.repo.wf(&["run", "show"]).ok().stdout;
    assert!(!show.contains("wf/RUN-"), "{show}");
}

#[test]
fn commits_are_not_lost_with_files_that_cannot_be_kept() {
    let world = World::new();
    world.agent("executor", &format!("{BUILDS}\nmkfifo .gitattributes"));
    let state = world.run(1, &["ISS-1"]);
    let message = World::error(&state).1;
    assert!(message.contains("its commits are on the branch wf/kept/EXR-"), "{message}");
    let branch = message.split_whitespace().find(|word| word.starts_with("wf/kept/")).unwrap();
    let kept = world.repo.git(&["log", "--format=%s", &format!("main..{}", branch.trim_end_matches(';'))]);
    assert_eq!(kept.ok().line(), "Change");
}
