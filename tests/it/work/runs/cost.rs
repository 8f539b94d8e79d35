//! What a run costs besides its agents.

use std::os::unix::fs::PermissionsExt;

use super::world::World;

/// What a run needs.
struct Cost {
    /// Commits of the store.
    commits: usize,
    /// Started gits, those of agents and hooks included.
    gits: Vec<String>,
}

/// Runs so many issues, one after another, each with one commit.
fn cost(issues: usize) -> Cost {
    let world = World::new();
    // Nothing inside a sandbox could count.
    world.repo.git(&["config", "wf.run.sandbox", "off"]).ok();
    for n in 2..=issues {
        world.repo.issue(&format!("ISS-{n}"));
    }
    let path = std::env::var("PATH").unwrap();
    let git =
        std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file()).unwrap();
    let counting = world.sandbox.root().join("counting");
    let log = world.sandbox.root().join("gits");
    std::fs::create_dir(&counting).unwrap();
    let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n", log.display(), git.display());
    let shim = counting.join("git");
    std::fs::write(&shim, script).unwrap();
    std::fs::set_permissions(&shim, std::fs::Permissions::from_mode(0o755)).unwrap();
    let before = world.repo.steps();
    let repo = world.repo.with_env("PATH", &format!("{}:{path}", counting.display()));
    let run = ["run", "--yes", "--all-pending", "--mode", "batch", "--skip-review", "--jobs", "1"];
    repo.wf(&[&run[..], &["--plan-jobs", "1"]].concat()).ok();
    let gits = std::fs::read_to_string(log).unwrap();
    assert_eq!(world.repo.git(&["log", "--format=%s", "main"]).ok().stdout, "Begin\n");
    Cost { commits: world.repo.steps() - before, gits: gits.lines().map(str::to_owned).collect() }
}

#[test]
fn an_issue_costs_five_commits_of_the_store_and_few_gits() {
    let (one, three) = (cost(1), cost(3));
    // Each is planned, gets a plan, is claimed, completed and merged.
    assert_eq!(three.commits - one.commits, 2 * 5);
    let more = three.gits.len() - one.gits.len();
    assert!(more <= 2 * 30, "{more} more:\n{}", three.gits.join("\n"));
}
