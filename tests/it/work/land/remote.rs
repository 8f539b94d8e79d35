//! Landing where a remote shares the branch.

use super::{clones, work};

#[test]
fn the_remote_gets_the_code_and_the_store_and_this_clone_follows() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    let merged = two.origin.id("main");
    assert_eq!(two.ada.id("main"), merged);
    assert_eq!(two.ada.id("refs/remotes/origin/main"), merged);
    assert_eq!(two.origin.tip(), two.ada.tip());
    assert_eq!(two.origin.text_at("main", "a.txt"), "a\n");
    assert_eq!(two.origin.subjects("main")[0], "Merge ISS-001: About ISS-001");
    two.bea.wf(&["sync"]).ok();
    assert_eq!(two.bea.tip(), two.ada.tip());
}

#[test]
fn two_clones_land_one_after_the_other() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.bea.complete(&work("ISS-002", "b.txt", "b\n"));
    two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    // What this clone knows of the remote is old.
    two.bea.wf(&["land", "ISS-002", "--yes"]).ok();
    let subjects = two.origin.subjects("main");
    assert_eq!(subjects[..2], ["Merge ISS-002: About ISS-002", "Merge ISS-001: About ISS-001"]);
    two.meet();
    two.assert_one_state();
    for repo in [&two.ada, &two.bea] {
        let lands = repo.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
        assert_eq!(lands.lines().filter(|it| it.starts_with("land: ")).count(), 2, "{lands}");
    }
}

#[test]
fn a_branch_that_moves_while_tests_run_is_tested_again() {
    let two = clones();
    // The first time that the tests run, someone else pushes.
    let race = two.bea.path().display().to_string();
    let test = format!(
        "echo run >>{race}.ran; test -f {race}/c.txt || {{ cd {race} && git switch -q main && touch c.txt && git add c.txt && \
         git -c core.hooksPath=/dev/null commit -qm Race && git -c core.hooksPath=/dev/null push -q origin main; }}"
    );
    two.ada.complete(&super::Work { issue: "ISS-001", file: "a.txt", text: "a\n", test: &test });
    two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    let ran = std::fs::read_to_string(format!("{race}.ran")).unwrap();
    assert_eq!(ran.lines().count(), 2, "tested on each tree");
    assert_eq!(two.origin.subjects("main")[..2], ["Merge ISS-001: About ISS-001", "Race"]);
    assert_eq!(two.ada.id("main"), two.origin.id("main"));
}
