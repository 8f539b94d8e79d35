//! What an executor committed, what it only left in its worktree, and what it reports of that.

use super::world::{BUILDS, World};

/// Commits the file of the plan, and answers with `report` as the other fields.
fn builds(report: &str) -> String {
    format!(
        "date >> a.txt; git add a.txt; git commit -q -m Change; echo '{{\"status\": \"completed\"{report}}}'"
    )
}

fn kept(world: &World, file: &str) -> bool {
    let branches =
        world.repo.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/wf/kept"]).ok().stdout;
    branches.lines().any(|branch| world.repo.git(&["show", &format!("{branch}:{file}")]).code == 0)
}

#[test]
fn a_report_may_name_files_without_commits() {
    for commits in ["true", "false"] {
        let world = World::new();
        world.repo.git(&["config", "wf.agent.executor.commits", commits]).ok();
        let script = match commits {
            "true" => builds(", \"files_modified\": [\"a.txt\"], \"commits\": []"),
            _ => "date >> a.txt; echo '{\"status\": \"completed\", \"files_modified\": [\"a.txt\"]}'"
                .to_owned(),
        };
        world.agent("executor", &script);
        let state = world.run(0, &["ISS-1"]);
        assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{commits}: {state:#}");
    }
    let world = World::new();
    world.agent("executor", &builds(", \"files_modified\": [\"a.txt\", \"b.txt\"]"));
    let state = world.run(1, &["ISS-1"]);
    assert!(World::error(&state).1.contains("no commit of this execution touches `b.txt`"), "{state:#}");
}

#[test]
fn tests_do_not_see_a_file_that_was_not_committed() {
    let world = World::new();
    world.plan("plan.json", "test -s helper.txt");
    world.agent("executor", &format!("echo helps > helper.txt\n{BUILDS}"));
    let state = world.run(1, &["ISS-1"]);
    let (kind, message) = World::error(&state);
    assert_eq!(kind, "test_failure", "{state:#}");
    assert!(message.contains("without what was not committed: helper.txt"), "{message}");
    assert!(kept(&world, "helper.txt"));
}

#[test]
fn a_file_that_was_not_committed_is_kept() {
    let world = World::new();
    world.agent("executor", &format!("echo notes > notes.txt\n{BUILDS}"));
    let ran = world.repo.wf(&["run", "--yes", "ISS-1"]).ok();
    assert!(ran.stderr.contains("ISS-1: 1 file not committed, now on the branch wf/kept/"), "{}", ran.stderr);
    assert!(kept(&world, "notes.txt"));
    let report = world.repo.wf(&["run", "report"]).ok().stdout;
    assert!(report.contains("wf/kept/"), "{report}");
}

#[test]
fn an_executor_that_removes_its_worktree_fails_and_is_recorded() {
    let world = World::new();
    world.agent("executor", "git worktree remove --force .; rm -rf \"$PWD\"");
    let state = world.run(1, &["ISS-1"]);
    let (kind, _) = World::error(&state);
    assert_eq!(kind, "workplace-changed", "{state:#}");
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(!log.contains("cannot be inspected") && !log.contains("could not be recorded"), "{log}");
    let shown = world.repo.json(&["show", "ISS-1"]);
    assert_eq!(shown["status"], "failed", "{shown:#}");
    world.is_untouched();
}
