//! Work that others made, or that others picked.

use super::*;

#[test]
fn what_another_made_and_nobody_linked_is_not_the_executors_work() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    let beside = repo.worktree("b", "theirs").as_person("Grace", "grace@example.org");
    let one = beside.commit("src/one.rs", "1\n", "Grace's one");
    beside.commit("src/two.rs", "2\n", "Grace's two");
    sandbox.advance(60);
    // Cherry-picked, and cherry-picked with another message and author.
    for args in [&["cherry-pick", &one][..], &["cherry-pick", "-n", &one]] {
        repo.git(args).ok();
        if args.len() == 3 {
            repo.git(&["commit", "-q", "-m", "Mine"]).ok();
        }
        let told = idle(&repo);
        assert!(told.iter().any(|it| it.contains("repeats what Grace <grace@example.org> made")), "{told:?}");
        repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    }
    // Squashed, whatever the message says.
    for args in [&["commit", "-q", "--no-edit"][..], &["commit", "-q", "-m", "Mine"]] {
        repo.git(&["merge", "-q", "--squash", "theirs"]).ok();
        repo.git(args).ok();
        let told = idle(&repo);
        assert!(told.iter().any(|it| it.contains("repeats what Grace")), "{told:?}");
        repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    }
    // Changes on top are one's own, and linking the commit by hand says that it belongs to the plan.
    repo.git(&["cherry-pick", "-n", &one]).ok();
    repo.write("src/one.rs", "1\nand more\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-q", "-m", "Grace's and mine"]).ok();
    repo.wf(&["done"]).ok();
}

#[test]
fn ones_own_work_that_another_picked_is_ones_own() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    let work = repo.commit("src/a.rs", "1\n", "Mine");
    let beside = repo.worktree("b", "theirs").as_person("Grace", "grace@example.org");
    beside.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    sandbox.advance(60);
    beside.git(&["-c", "core.hooksPath=/dev/null", "cherry-pick", &work]).ok();
    sandbox.advance(60);
    repo.git(&["commit", "-q", "--amend", "-m", "Mine in better words"]).ok();
    repo.wf(&["done"]).ok();
}
