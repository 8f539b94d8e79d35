//! Agents that change what git does in the repository: nothing of theirs runs with what the user has and they have not.

use serde_json::Value;

use super::world::{BUILDS, PLANS, World};
use crate::support::plan_on;

/// A world with a program that notes that it ran, and what it saw of the user's secret.
fn world() -> World {
    let world = World::new();
    let spy = world.sandbox.root().join("spy.sh");
    std::fs::write(
        &spy,
        format!("#!/bin/sh\necho \"$SECRET\" >> '{}/ran'\ncat\n", world.sandbox.root().display()),
    )
    .unwrap();
    world.repo.sh(&["-c", &format!("chmod +x '{}'", spy.display())]).ok();
    world
}

/// Runs ISS-1 while the user has a secret in the environment.
fn run(world: &World) -> Value {
    let ran = world.repo.with_env("SECRET", "s3cret").wf(&["run", "--yes", "--json", "ISS-1"]).ok();
    ran.json()["state"].clone()
}

fn breaches(world: &World) -> Vec<String> {
    let log = world.repo.json(&["run", "log"]);
    let breaches = log.as_array().unwrap().iter().filter(|entry| entry["type"] == "breach");
    breaches.map(|it| format!("{} {}", it["what"], it["undone"])).collect()
}

fn settings(world: &World) -> String {
    world
        .repo
        .sh(&[
            "-c",
            "cat .git/config; ls .git/hooks | grep -v sample; cat .git/info/attributes .git/worktrees/*/config.worktree 2>&1",
        ])
        .stdout
}

#[test]
fn settings_that_name_programs_are_put_back_before_git_starts_again() {
    for act in [
        "git config core.fsmonitor \"$SPY\"",
        "git config core.hooksPath \"$HERE\"; cp \"$SPY\" \"$HERE/post-merge\"",
        "git config filter.x.clean \"$SPY\"; git config filter.x.smudge \"$SPY\"; echo '* filter=x' > \"$GIT/info/attributes\"",
        "cp \"$SPY\" \"$GIT/hooks/post-merge\"; cp \"$SPY\" \"$GIT/hooks/post-checkout\"; cp \"$SPY\" \"$GIT/hooks/pre-auto-gc\"",
        "printf '[core]\\n\\tfsmonitor = %s\\n' \"$SPY\" > \"$HERE/more\"; git config include.path \"$HERE/more\"",
        "git config commit.gpgSign true; git config gpg.program \"$SPY\"",
        "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor \"$SPY\"",
        "rm -r \"$GIT/hooks\"; mkdir \"$HERE/evil\"; cp \"$SPY\" \"$HERE/evil/post-merge\"; ln -s \"$HERE/evil\" \"$GIT/hooks\"",
        "rm \"$GIT/config\"; ln -s \"$HERE/more\" \"$GIT/config\"",
    ] {
        let world = world();
        let before = settings(&world);
        let act = format!("SPY=\"$HERE/spy.sh\"; GIT=\"$HERE/code/.git\"; {{ {act}; }} >/dev/null 2>&1");
        world.agent("executor", &format!("{BUILDS} > \"$HERE/answer\"\n{act}\ncat \"$HERE/answer\""));
        let state = run(&world);
        assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{act}: {state:#}");
        assert!(!world.sandbox.root().join("ran").exists(), "{act}");
        assert_eq!(settings(&world), before, "{act}");
        let told = breaches(&world);
        assert!(!told.is_empty() && told.iter().all(|it| it.ends_with("true")), "{act}: {told:#?}");
        assert!(told.iter().any(|it| it.contains("of the git directory was changed")), "{act}: {told:#?}");
        world.is_untouched();
    }
}

#[test]
fn what_git_starts_beside_agents_sees_nothing_that_is_withheld_from_them() {
    let world = world();
    let spy = world.sandbox.root().join("spy.sh").display().to_string();
    // The user's own filter and hook, which the worktrees of agents choose.
    world.repo.git(&["config", "filter.spy.clean", &spy]).ok();
    world.repo.git(&["config", "filter.spy.smudge", &spy]).ok();
    let hook = world.repo.path().join(".git/hooks/post-checkout");
    std::fs::write(&hook, format!("#!/bin/sh\n'{spy}' </dev/null\n")).unwrap();
    world.repo.sh(&["-c", "chmod +x .git/hooks/post-checkout"]).ok();
    world.agent(
        "executor",
        &BUILDS
            .replace("git add a.txt", "echo '* filter=spy' > .gitattributes; git add a.txt .gitattributes"),
    );
    let state = run(&world);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let ran = std::fs::read_to_string(world.sandbox.root().join("ran")).unwrap();
    assert!(!ran.is_empty() && !ran.contains("s3cret"), "{ran}");
    assert_eq!(breaches(&world), [""; 0]);
    assert_eq!(world.repo.git(&["status", "--porcelain"]).ok().stdout, "");
}

#[test]
fn filters_of_the_user_go_on_working() {
    let world = World::new();
    world.repo.git(&["config", "filter.upper.clean", "tr a-z A-Z"]).ok();
    world.repo.git(&["config", "filter.upper.smudge", "tr A-Z a-z"]).ok();
    world.repo.git(&["config", "filter.upper.required", "true"]).ok();
    world.repo.git(&["config", "core.autocrlf", "true"]).ok();
    world.repo.write(".gitattributes", "a.txt filter=upper\n");
    world.repo.git(&["add", ".gitattributes"]).ok();
    world.repo.git(&["add", "--renormalize", "a.txt"]).ok();
    world.repo.git(&["commit", "-q", "--amend", "-m", "Begin"]).ok();
    world.agent("executor", &BUILDS.replace("date >> a.txt", "grep -q one a.txt && echo two >> a.txt"));
    // The run commits for it.
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let branch = world.repo.json(&["run", "show"])["branch"].as_str().unwrap().to_owned();
    assert_eq!(world.repo.git(&["show", &format!("{branch}:a.txt")]).ok().stdout, "ONE\nTWO\n");
    assert_eq!(breaches(&world), [""; 0]);
    world.is_untouched();
}

#[test]
fn records_are_signed_with_the_users_key_and_by_nobody_elses_program() {
    let world = world();
    let signer = world.sandbox.root().join("signer.sh");
    let script = "#!/bin/sh\ntest \"$SECRET\" = s3cret || exit 1\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED x' >&2\necho signed\n";
    std::fs::write(&signer, script).unwrap();
    world.repo.sh(&["-c", &format!("chmod +x '{}'", signer.display())]).ok();
    world.repo.git(&["config", "gpg.program", signer.to_str().unwrap()]).ok();
    world.repo.git(&["config", "commit.gpgSign", "true"]).ok();
    let evil = "git -c commit.gpgSign=false";
    world.agent(
        "executor",
        &format!(
            "{}; git config gpg.program \"$HERE/spy.sh\"; git wf --version >/dev/null",
            BUILDS.replace("git commit", &format!("{evil} commit"))
        ),
    );
    let state = run(&world);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    assert!(world.repo.git(&["cat-file", "commit", "refs/wf/main"]).ok().stdout.contains("gpgsig"));
    let ran = std::fs::read_to_string(world.sandbox.root().join("ran")).unwrap_or_default();
    assert!(!ran.contains("s3cret"), "{ran}");
}

#[test]
fn what_git_writes_for_a_branch_stays() {
    let world = World::new();
    world.agent("executor", &format!("git config branch.mine.remote origin\n{BUILDS}"));
    world.run(0, &["ISS-1"]);
    assert_eq!(world.repo.git(&["config", "branch.mine.remote"]).ok().line(), "origin");
    assert_eq!(breaches(&world), [""; 0]);
}

#[test]
fn a_policy_that_requires_reviews_makes_a_small_run_review() {
    let world = World::new();
    let mode = |args: &[&str]| {
        let dry = world.repo.wf(&[&["run", "ISS-1", "--dry-run", "--json"], args].concat()).ok().json();
        (dry["mode"].as_str().unwrap().to_owned(), dry["warnings"].to_string())
    };
    world.repo.wf(&["policy", "set", "review=required"]).ok();
    let (chosen, warnings) = mode(&[]);
    assert!(
        chosen == "full" && warnings.contains("the policy does not let a plan be queued without a review"),
        "{warnings}"
    );
    let (chosen, warnings) = mode(&["--mode", "quick"]);
    assert!(chosen == "quick" && warnings.contains("the policy does not let a plan be queued"), "{warnings}");
    // An agent should not judge its own plans.
    let (_, warnings) = mode(&["--reviewer", "planner"]);
    assert!(warnings.contains("the agent `planner` plans and also reviews these plans"), "{warnings}");
    let (_, warnings) = mode(&["--reviewer", "executor"]);
    assert_eq!(warnings, "null");
}

#[test]
fn a_mistyped_command_is_not_taken_for_an_issue() {
    let world = World::new();
    let wrong = world.repo.wf(&["run", "lst", "ISS-1", "--yes"]).fails(2).stderr;
    assert!(
        wrong.contains("`git wf run` has no command `lst`")
            && wrong.contains("did you mean `git wf run list`?"),
        "{wrong}"
    );
    assert_eq!(world.repo.json(&["run", "list"]), serde_json::json!([]));
    // An issue can have such an id.
    world.repo.issue("re-port");
    world.repo.wf(&["run", "re-port", "--dry-run"]).ok();
}

#[test]
fn an_agent_for_a_step_that_is_not_taken_is_mentioned_or_refused() {
    let world = World::new();
    world.repo.planned("ISS-2", &plan_on("a.txt"));
    for (flag, role, agent) in [
        ("--execute-only", "planner", "planner"),
        ("--execute-only", "explorer", "planner"),
        ("--execute-only", "reviewer", "planner"),
        ("--plan-only", "executor", "executor"),
    ] {
        let ran = world.repo.wf(&["run", "ISS-2", "--dry-run", flag, &format!("--{role}"), agent]).ok();
        assert!(ran.stderr.contains(&format!("`--{role}` is not used with `{flag}`")), "{}", ran.stderr);
    }
    let quick = ["run", "ISS-2", "--yes", "--mode", "quick", "--reviewer", "planner"];
    let wrong = world.repo.wf(&quick).fails(2).stderr;
    assert!(wrong.contains("so `--reviewer` would change nothing"), "{wrong}");
    assert!(wrong.contains("leave out `--reviewer`"), "{wrong}");
    assert_eq!(world.repo.json(&["run", "list"]), serde_json::json!([]));
}

#[test]
fn numbers_of_the_configuration_have_the_limits_of_the_options() {
    let world = World::new();
    for (key, text, limits) in [
        ("wf.run.jobs", "0", "from 1 to 64"),
        ("wf.run.jobs", "1000", "from 1 to 64"),
        ("wf.run.planJobs", "0", "from 1 to 64"),
        ("wf.run.retries", "11", "from 0 to 10"),
    ] {
        world.repo.git(&["config", key, text]).ok();
        let wrong = world.repo.wf(&["run", "ISS-1", "--dry-run"]).fails(1).stderr;
        assert!(wrong.contains(&format!("`{key}` is `{text}`, not a number {limits}")), "{wrong}");
        world.repo.git(&["config", "--unset", key]).ok();
    }
}

#[test]
fn a_quiet_run_tells_only_breaches() {
    let world = World::new();
    world.agent("planner", &format!("echo more >> a.txt; {PLANS}"));
    let told = world.repo.wf(&["run", "ISS-1", "--yes", "-q"]).ok().stderr;
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines.len() == 1 && lines[0].starts_with("breach: "), "{told}");
}
