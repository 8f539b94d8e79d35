//! `run --land`: each issue lands as soon as it is completed, and later issues begin with what has landed.

use super::pair::five_bugs;
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
