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

#[test]
fn a_remote_that_takes_one_ref_at_a_time_gets_the_code_and_then_the_store() {
    let two = clones();
    two.origin.git(&["config", "receive.advertiseAtomic", "false"]).ok();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(two.origin.id("main"), two.ada.id("main"));
    assert_eq!(two.origin.subjects("main")[0], "Merge ISS-001: About ISS-001");
    assert_eq!(two.origin.tip(), two.ada.tip());
    assert!(two.ada.last_message().starts_with("land: ISS-001 on main\n"));
}

#[test]
fn the_code_may_have_another_remote_than_the_store() {
    let two = clones();
    let code = two.sandbox.bare("code.git");
    two.ada.git(&["remote", "add", "code", code.path().to_str().unwrap()]).ok();
    two.ada.git(&["push", "--quiet", "--set-upstream", "code", "main"]).ok();
    let before = two.origin.id("main");
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(code.subjects("main")[0], "Merge ISS-001: About ISS-001");
    assert_eq!((two.origin.id("main"), two.origin.tip()), (before, two.ada.tip()));
}

#[test]
fn a_branch_that_only_the_remote_has_moves_there() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.ada.git(&["switch", "--quiet", "--detach"]).ok();
    two.ada.git(&["branch", "-D", "main"]).ok();
    two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(two.origin.subjects("main")[0], "Merge ISS-001: About ISS-001");
    assert_ne!(two.ada.git(&["rev-parse", "--verify", "--quiet", "refs/heads/main"]).code, 0);
}

#[test]
fn a_local_branch_with_commits_of_its_own_stays_and_that_is_told() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    let own = two.ada.commit("own.txt", "own\n", "Not pushed yet");
    let ran = two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    assert!(
        ran.stderr.contains("`main` of this clone has commits that are not at the remote"),
        "{}",
        ran.stderr
    );
    assert_eq!(two.ada.id("main"), own);
    assert_eq!(two.origin.subjects("main")[0], "Merge ISS-001: About ISS-001");
}

#[test]
fn work_done_on_the_branch_itself_is_pushed_as_it_is() {
    let two = clones();
    two.ada.planned("ISS-001", &super::tested(crate::support::plan_on("a.txt")));
    two.ada.wf(&["next", "ISS-001"]).ok();
    let own = two.ada.commit("a.txt", "a\n", "Work on main");
    two.ada.wf(&["done"]).ok();
    two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!((two.origin.id("main"), two.ada.id("main")), (own.clone(), own));
}

#[test]
fn two_clones_that_land_at_the_same_time_lose_nothing_and_land_nothing_twice() {
    let two = clones();
    for n in 0..3 {
        two.ada.complete(&work(&format!("ISS-A{n}"), &format!("a{n}.txt"), "a\n"));
        two.bea.complete(&work(&format!("ISS-B{n}"), &format!("b{n}.txt"), "b\n"));
    }
    std::thread::scope(|scope| {
        for repo in [&two.ada, &two.bea] {
            scope.spawn(|| repo.wf(&["land", "--all", "--yes"]).ok());
        }
    });
    two.meet();
    let mut merges = two.origin.subjects("main");
    merges.retain(|subject| subject.starts_with("Merge ISS-"));
    merges.sort();
    let all = ["A0", "A1", "A2", "B0", "B1", "B2"].map(|id| format!("Merge ISS-{id}: About ISS-{id}"));
    assert_eq!(merges, all);
    two.assert_one_state();
}

/// A hook of the remote that counts how often it runs.
fn pre_receive(origin: &crate::support::Repo, text: &str) {
    let hook = origin.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\necho >>tried\n{text}\n")).unwrap();
    std::fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_push_that_never_gets_through_ends_in_the_words_of_git() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    pre_receive(&two.origin, "kill -9 $PPID");
    for atomic in ["true", "false"] {
        two.origin.git(&["config", "receive.advertiseAtomic", atomic]).ok();
        std::fs::remove_file(two.origin.path().join("tried")).unwrap_or_default();
        let told = two.ada.wf(&["land", "ISS-001", "--yes"]).fails(1).stderr;
        assert!(told.contains("error: `origin` cannot be reached: "), "{atomic}: {told}");
        assert!(told.contains("disconnect") || told.contains("hung up"), "{atomic}: {told}");
        assert_eq!(two.origin.read("tried").lines().count(), 3, "{atomic}");
    }
}

#[test]
fn a_landing_waits_as_long_as_the_host_asks() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    let limit = "[ -e once ] || { touch once; echo 'Too many requests. Retry-After: 1' >&2; exit 1; }";
    pre_receive(&two.origin, limit);
    two.ada.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(two.origin.read("tried").lines().count(), 2);
    assert_eq!(two.ada.id("main"), two.origin.id("main"));
}

/// The remote is not at fault if this clone cannot write what it fetched.
#[test]
fn a_lock_that_a_dead_process_left_here_is_named() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.bea.commit("b.txt", "b\n", "Other");
    two.bea.git(&["push", "--quiet", "origin", "main"]).ok();
    two.ada.write(".git/refs/remotes/origin/main.lock", "");
    let told = two.ada.wf(&["land", "ISS-001", "--yes"]).fails(1).stderr;
    assert!(told.contains("main.lock` exists: a git process is running"), "{told}");
    assert!(!told.contains("cannot be reached"), "{told}");
}
