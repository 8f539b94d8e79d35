//! `run --land`: each issue lands as soon as it is completed, and later issues begin with what has landed.

use super::pair::five_bugs;
use super::world::World;
use crate::support::{Sandbox, column};

#[test]
fn a_run_lands_each_issue_as_it_completes() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    let told = repo.wf(&["run", "--all-pending", "--land", "--yes"]).ok();
    assert!(!told.stdout.contains("git merge"), "everything has landed: {}", told.stdout);
    let ran = repo.git(&["log", "--first-parent", "--format=%s", "main"]).ok().stdout;
    let merges = ran.lines().filter(|subject| subject.starts_with("Merge ISS-")).count();
    assert_eq!(merges, 5, "{ran}");
    repo.sh(&["-c", "python3 -B -m unittest tests"]).ok();
    assert_eq!(column(&repo.json(&["list", "--unlanded"]), "id"), [""; 0]);
    let lands = repo.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    assert_eq!(lands.lines().filter(|subject| subject.starts_with("land: ISS-")).count(), 5, "{lands}");
    repo.wf(&["fsck"]).ok();
}

/// The test of the first issue passes for its executor. When it lands, the same test ends only once the second issue is being
/// executed, which begins after the first is merged.
#[test]
fn work_is_tested_for_landing_beside_the_agents() {
    let world = World::new();
    let repo = &world.repo;
    repo.issue("ISS-2");
    repo.wf(&["edit", "ISS-2", "--depends-on", "ISS-1"]).ok();
    let here = world.sandbox.root().display().to_string();
    let wait = format!("n=0; until test -e '{here}/second' || test $n = 300; do n=$((n+1)); sleep 0.1; done");
    let test = format!("mkdir '{here}/tested' 2> /dev/null || {{ {wait}; test -e '{here}/second'; }}");
    world.plan("plan.json", &test);
    world.agent(
        "executor",
        "cat > /dev/null; case \"$PWD\" in *ISS-2*) touch \"$HERE/second\";; esac; date >> a.txt; git add a.txt; \
         git commit -q -m Change; echo '{\"status\": \"completed\"}'",
    );
    let ran = repo.wf(&["run", "ISS-1", "ISS-2", "--land", "--jobs", "2", "--yes"]).ok();
    assert!(ran.stderr.contains("ISS-1 About ISS-1: landing"), "{}", ran.stderr);
    // What the run itself moves meanwhile is not taken for a change by somebody else.
    assert_eq!(repo.json(&["run", "show"])["breaches"], serde_json::Value::Null);
    assert_eq!(column(&repo.json(&["list", "--unlanded"]), "id"), [""; 0]);
    let merges = repo.git(&["log", "--first-parent", "--format=%s", "main"]).ok().stdout;
    assert_eq!(merges.lines().filter(|subject| subject.starts_with("Merge ISS-")).count(), 2, "{merges}");
}

#[test]
fn a_run_that_does_not_land_says_how() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    let before = repo.git(&["rev-parse", "main"]).ok().line().to_owned();
    let ran = repo.wf(&["run", "ISS-3", "--yes"]).ok();
    let run = repo.json(&["run", "list"])[0]["id"].as_str().unwrap().to_owned();
    assert!(
        ran.stdout.contains(&format!("`git wf land {run}` tests the work and lands it")),
        "{}",
        ran.stdout
    );
    assert_eq!(repo.git(&["rev-parse", "main"]).ok().line(), before);
    repo.wf(&["land", &run, "--yes"]).ok();
    assert_eq!(
        repo.git(&["log", "-1", "--format=%s", "main"]).ok().line(),
        "Merge ISS-3: Mend products (ISS-3)"
    );
}
