//! Runs prepare the worktrees of their executors.

use super::live::{Live, branches};
use super::world::{BUILDS, World};

/// The test of the plan needs an installed dependency and a file that git ignores.
const TEST: &str = "test -f node_modules/dep/index.js && test -f .env && test -n \"$WF_SLOT\"";

fn project() -> World {
    let world = World::new();
    world.plan("plan.json", TEST);
    let repo = &world.repo;
    repo.write(".gitignore", "node_modules\n.env\n");
    repo.write(".worktreeinclude", ".env\n");
    let setup = "mkdir -p node_modules/dep && touch node_modules/dep/index.js";
    repo.write(".wfconfig", format!("[wf \"workplace\"]\n\tsetup = {setup}\n"));
    repo.git(&["add", "--all"]).ok();
    repo.git(&["commit", "--quiet", "--amend", "--no-edit"]).ok();
    repo.write(".env", "KEY=1\n");
    world
}

#[test]
fn tests_find_what_git_does_not_track() {
    let world = project();
    world.agent("executor", &format!("test \"$WF_SLOT$WF_PORT\" = 021000 || exit 1\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state}");
    world.is_untouched();
}

#[test]
fn without_consent_to_the_setup_no_run_begins() {
    let world = project();
    let refused = world.repo.wf(&["run", "ISS-1"]).fails(1);
    let told = "nobody here has agreed to run the setup commands of worktrees";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    assert!(refused.stderr.contains("touch node_modules/dep/index.js"), "{}", refused.stderr);
    assert_eq!(world.repo.json(&["run", "list"]), serde_json::json!([]));
}

#[test]
fn what_was_set_up_is_torn_down_before_a_workplace_goes() {
    let world = project();
    let torn = world.sandbox.root().join("torn");
    let config = world.repo.read(".wfconfig");
    let teardown = format!("echo $WF_NAME >> '{}'; test -e a.txt", torn.display());
    world.repo.write(".wfconfig", format!("{config}\tteardown = \"{teardown}\"\n"));
    world.repo.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]).ok();
    world.run(0, &["ISS-1"]);
    let run = world.repo.json(&["run", "show"])["id"].as_str().unwrap().to_owned();
    let lines = || std::fs::read_to_string(&torn).unwrap().lines().count();
    // At least that of the executor and that of the tests.
    let before = lines();
    assert!(before >= 2, "{before}");
    world.repo.wf(&["land", &run, "--yes"]).ok();
    assert_eq!(lines(), before + 1);
    // Agents that belong to no run have workplaces as well.
    let silent = "sh:cat > /dev/null; exit 3";
    world.repo.wf_in("{}", &["agents", "test", silent, "--role", "reviewer", "--input", "-"]).fails(1);
    assert_eq!(lines(), before + 2);
    world.repo.wf(&["roadmap", "plan", "Export", "--planner", silent]).fails(1);
    assert_eq!(lines(), before + 3);
}

/// A file of a commit can name the server from which Git LFS fetches, so nothing is fetched for what an agent committed.
#[test]
fn large_files_of_an_agents_commit_are_not_fetched() {
    let world = World::new();
    let repo = &world.repo;
    let (filter, seen) = (world.sandbox.root().join("large-files"), world.sandbox.root().join("seen"));
    let script = format!("#!/bin/sh\necho \"server: $(git config lfs.url)\" >> '{}'; cat\n", seen.display());
    std::fs::write(&filter, script).unwrap();
    std::fs::set_permissions(&filter, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    repo.git(&["config", "filter.lfs.smudge", filter.to_str().unwrap()]).ok();
    repo.write(".gitattributes", "a.txt filter=lfs\n");
    repo.commit("b.txt", "b\n", "Attributes");
    repo.git(&["add", ".gitattributes"]).ok();
    repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    let asked = || -> Vec<String> {
        let text = std::fs::read_to_string(&seen).unwrap_or_default();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines.dedup();
        lines
    };
    // What the user has checked out is theirs.
    repo.wf(&["run", "ISS-1", "--plan-only", "--yes"]).ok();
    assert_eq!(asked(), ["server: "]);
    std::fs::remove_file(&seen).unwrap();
    world.agent("executor", &format!("rm \"$HERE/seen\"; {BUILDS}"));
    repo.wf(&["run", "ISS-1", "--yes"]).ok();
    // Its tests run on its commit.
    assert!(asked().contains(&"server: file:///dev/null".to_owned()), "{:?}", asked());
}

/// With the real Git LFS, if it is installed.
#[test]
fn large_files_that_are_here_are_where_tests_run() {
    let world = World::new();
    let repo = &world.repo;
    if repo.git(&["lfs", "version"]).code != 0 {
        return;
    }
    world.plan("plan.json", "test $(wc -c < big.bin) = 100000");
    repo.git(&["lfs", "install", "--local", "--skip-repo"]).ok();
    repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    repo.write("big.bin", "x".repeat(100_000));
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-q", "-m", "A large file"]).ok();
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    assert_eq!(repo.json(&["show", "ISS-1"])["executions"].as_array().unwrap().len(), 1);
}

/// What setup made is not taken for the work of an agent that was killed.
#[test]
fn what_setup_made_is_told_apart_after_a_kill() {
    let world = World::new();
    let repo = &world.repo;
    let setup = "echo gen > gen.txt; echo more >> a.txt";
    repo.git(&["config", "wf.workplace.setup", setup]).ok();
    world.agent("executor", &format!("if once begun; then cat \"$HERE/never\"; fi; {BUILDS}"));
    repo.sh(&["-c", "mkfifo ../never"]).ok();
    let run = Live::until("execution by executor", repo, &["run", "ISS-1", "--yes"]);
    let begun = world.sandbox.root().join("begun");
    while !begun.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    run.kill();
    repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!(repo.status("ISS-1"), "completed");
    assert!(!branches(repo).contains("wf/kept"), "{}", branches(repo));
    let log = repo.wf(&["run", "log"]).ok().stdout;
    assert!(!log.contains("uncommitted"), "{log}");
}
