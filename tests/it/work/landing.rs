//! What waits for completed work until its commits are where the next item begins.

use crate::support::{Repo, Sandbox, Two, column, reasons};

/// A repository on main with two files, and ISS-002, which depends on ISS-001; ISS-001 is completed in a worktree.
fn completed_elsewhere(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.commit("a.txt", "1\n", "start");
        repo.queued("ISS-001", "a.txt");
        repo.queued("ISS-002", "b.txt");
        repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
        let work = repo.worktree("work", "work");
        work.wf(&["next", "ISS-001"]).ok();
        work.commit("a.txt", "2\n", "work");
        work.done();
        (repo, work)
    })
}

fn ready(repo: &Repo) -> Vec<String> {
    column(&repo.json(&["list", "--ready"]), "id")
}

/// Why the item of an issue waits.
fn waits(repo: &Repo, id: &str) -> String {
    let queue = repo.json(&["queue", "show"]);
    let items = queue["items"].as_array().unwrap();
    reasons(items.iter().find(|it| it["issue_id"] == id).unwrap())
}

#[test]
fn what_depends_on_completed_work_waits_until_it_is_here() {
    let sandbox = Sandbox::new();
    let (repo, work) = completed_elsewhere(&sandbox);
    let why = "depends on `ISS-001`, which is completed, but not in `main`: its commits are on `work`";
    assert!(waits(&repo, "ISS-002").starts_with(why), "{}", waits(&repo, "ISS-002"));
    assert!(waits(&repo, "ISS-002").contains("git wf land ISS-001"), "{}", waits(&repo, "ISS-002"));
    for args in [&["next"][..], &["next", "ISS-002"], &["next", "ISS-002"]] {
        let told = repo.wf(args).fails(3).stderr;
        assert!(told.contains(why), "{args:?}: {told}");
    }
    assert_eq!(ready(&repo), [] as [&str; 0]);
    let home = repo.json(&[]);
    assert_eq!((&home["ready"]["count"], &home["blocked"]["count"]), (&0.into(), &1.into()), "{home:#}");

    // Where the work is, everything goes on as it did.
    assert_eq!(ready(&work), ["ISS-002"]);
    assert!(work.json(&["next"])["solution_id"].as_str().unwrap().starts_with("SOL-ISS-002-"));
    work.wf(&["lease", "release"]).ok();

    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work"]).ok();
    assert_eq!(ready(&repo), ["ISS-002"]);
    repo.wf(&["next"]).ok();
}

#[test]
fn the_reason_on_another_branch_is_a_merge() {
    let sandbox = Sandbox::new();
    let (repo, _) = completed_elsewhere(&sandbox);
    repo.git(&["checkout", "-q", "-b", "feature"]).ok();
    let item = repo.json(&["queue", "show"])["items"][1].clone();
    assert_eq!(item["blocked_by"][0]["kind"], "absent-work", "{item:#}");
    assert_eq!(item["blocked_by"][0]["remedies"][0]["command"], "git merge work", "{item:#}");
}

#[test]
fn a_squash_is_the_same_work_for_what_follows() {
    let sandbox = Sandbox::new();
    let (repo, _) = completed_elsewhere(&sandbox);
    repo.git(&["merge", "-q", "--squash", "work"]).ok();
    repo.git(&["-c", "core.hooksPath=/nowhere", "commit", "-qm", "All of it"]).ok();
    assert_eq!(ready(&repo), ["ISS-002"]);
}

#[test]
fn a_declared_order_waits_for_the_commits_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "1\n", "start");
    repo.queued("ISS-001", "a.txt");
    repo.queued("ISS-002", "b.txt");
    let declared = ["queue", "overlaps", "--add", "api", "--items", "S-1,S-2"];
    repo.wf(&[&declared[..], &["--order", "S-1,S-2"]].concat()).ok();
    let work = repo.worktree("work", "work");
    work.wf(&["next", "ISS-001"]).ok();
    work.commit("a.txt", "2\n", "work");
    work.done();
    let why = waits(&repo, "ISS-002");
    assert!(why.contains("comes after `S-1`") && why.contains("not in `main`"), "{why}");
    assert_eq!((ready(&repo), ready(&work)), (vec![], vec!["ISS-002".to_owned()]));
}

#[test]
fn allow_missing_overrides_on_the_record() {
    let sandbox = Sandbox::new();
    let (repo, _) = completed_elsewhere(&sandbox);
    let claimed = repo.json(&["next", "--allow-missing"]);
    let shown = repo.json(&["show", claimed["execution_id"].as_str().unwrap()]);
    assert_eq!(shown["missing"], serde_json::json!(["ISS-001"]), "{shown:#}");
    let log = repo.git(&["log", "-1", "--format=%s", "refs/wf/main"]).ok().stdout;
    assert!(log.contains(", without ISS-001"), "{log}");
}

#[test]
fn a_worktree_begins_at_the_target_or_on_another_branch() {
    let sandbox = Sandbox::new();
    let (repo, work) = completed_elsewhere(&sandbox);
    let tip = work.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    // What is checked out has the work, but the worktree would not.
    let path = repo.path().parent().unwrap().join("made");
    work.wf(&["next", "--worktree", path.to_str().unwrap()]).fails(3);
    work.wf(&["next", "--worktree", path.to_str().unwrap(), "--on", "nowhere"]).fails(1);
    work.wf(&["next", "--worktree", path.to_str().unwrap(), "--on", "work"]).ok();
    let made = Repo::clone(&work);
    let head = made.git(&["-C", path.to_str().unwrap(), "rev-parse", "HEAD"]).ok().line().to_owned();
    assert_eq!(head, tip);
}

#[test]
fn work_that_only_another_clone_has_is_named() {
    let two = Two::new();
    two.ada.wf(&["hooks", "install"]).ok();
    two.ada.commit("a.txt", "1\n", "start");
    two.ada.git(&["push", "-q", "origin", "HEAD:main"]).ok();
    two.ada.queued("ISS-001", "a.txt");
    two.ada.queued("ISS-002", "b.txt");
    two.ada.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    two.ada.git(&["checkout", "-q", "-b", "work"]).ok();
    two.ada.wf(&["next"]).ok();
    two.ada.commit("a.txt", "2\n", "work");
    two.ada.done();
    two.meet();
    two.bea.git(&["pull", "-q", "origin", "main"]).ok();
    let why = waits(&two.bea, "ISS-002");
    assert!(why.contains("its commits are in another clone"), "{why}");
    let told = two.bea.wf(&["next"]).fails(3).stderr;
    assert!(told.contains("git fetch"), "{told}");
    two.ada.git(&["push", "-q", "origin", "work:main"]).ok();
    two.bea.git(&["pull", "-q", "origin", "main"]).ok();
    two.bea.wf(&["next"]).ok();
}

#[test]
fn a_shared_file_puts_a_plan_behind_others_and_is_told() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "1\n", "start");
    for (id, file) in [("ISS-001", "a.txt"), ("ISS-002", "a.txt"), ("ISS-003", "b.txt")] {
        repo.queued(id, file);
    }
    let work = repo.worktree("work", "work");
    work.wf(&["next", "ISS-001"]).ok();
    work.commit("a.txt", "2\n", "work");
    work.done();
    // The second shares a file with what is not here, so the third goes first; but it does not wait.
    let issue = |repo: &Repo| repo.json(&["next"])["issue_id"].as_str().unwrap().to_owned();
    assert_eq!(
        (ready(&repo), issue(&repo)),
        (vec!["ISS-002".to_owned(), "ISS-003".to_owned()], "ISS-003".into())
    );
    let other = repo.worktree("other", "other");
    let told = other.wf(&["next"]).ok().stderr;
    let why = "`ISS-001` changed `a.txt`, too, and is completed, but not in `other`: its commits are on `work`; \
        both merge without conflicts as they are now";
    assert!(told.contains(why), "{told}");
    assert!(told.contains("--on work"), "{told}");
    other.wf(&["lease", "release"]).ok();
    other.commit("a.txt", "3\n", "another change");
    let told = other.wf(&["next", "ISS-002"]).ok().stderr;
    assert!(told.contains("a merge of both conflicts in a.txt"), "{told}");
    other.wf(&["lease", "release"]).ok();
    // On the branch that has the work there is nothing to tell.
    assert_eq!(issue(&work), "ISS-002");
    work.wf(&["lease", "release"]).ok();
    let path = repo.path().parent().unwrap().join("made");
    let told =
        other.wf(&["next", "ISS-002", "--on", "work", "--worktree", path.to_str().unwrap()]).ok().stderr;
    assert!(!told.contains("too, and is completed"), "{told}");
}

/// Otherwise the claims of a day would each look at all work of that day.
#[test]
fn a_claim_keeps_what_it_found_out_about_completed_work() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "1\n", "start");
    for id in ["ISS-001", "ISS-002", "ISS-003"] {
        repo.queued(id, "a.txt");
    }
    repo.wf(&["list"]).ok();
    let known = || {
        let index = rusqlite::Connection::open(repo.path().join(".git/wf/index.db")).unwrap();
        index.query_row("SELECT count(*) FROM landing", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    for n in 1..=2 {
        repo.wf(&["next"]).ok();
        assert_eq!(known(), n - 1);
        repo.commit("a.txt", &format!("work {n}\n"), "work");
        repo.done();
    }
    repo.wf(&["next"]).ok();
    assert_eq!(known(), 2);
}

#[test]
fn what_has_landed_since_the_base_was_made_is_not_there() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "1\n", "start");
    for (id, file) in [("ISS-001", "a.txt"), ("ISS-002", "a.txt"), ("ISS-003", "b.txt")] {
        repo.queued(id, file);
    }
    let (old, work) = (repo.worktree("old", "old"), repo.worktree("work", "work"));
    work.wf(&["next", "ISS-001"]).ok();
    work.commit("a.txt", "2\n", "work");
    work.done();
    // The index knows main as it was.
    repo.wf(&["list"]).ok();
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work"]).ok();
    assert_eq!(old.json(&["next"])["issue_id"], "ISS-003");
}

/// Work that was completed before anything was recorded as landed may have landed unseen. A clone without an index knows that, too.
#[test]
fn very_old_work_keeps_nobody_waiting_with_or_without_an_index() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "1\n", "start");
    // Nothing says on which branch work lands, so its completion does not either.
    repo.git(&["branch", "-q", "-m", "trunk"]).ok();
    for (id, file) in [("ISS-001", "a.txt"), ("ISS-002", "b.txt"), ("ISS-003", "c.txt")] {
        repo.queued(id, file);
    }
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    let work = repo.worktree("work", "work");
    work.wf(&["next", "ISS-001"]).ok();
    work.commit("a.txt", "2\n", "work");
    work.done();
    repo.git(&["worktree", "remove", "--force", work.path().to_str().unwrap()]).ok();
    repo.git(&["branch", "-q", "-D", "work"]).ok();
    repo.git(&["branch", "-q", "-m", "main"]).ok();
    repo.wf(&["next", "ISS-003"]).ok();
    repo.commit("c.txt", "1\n", "more");
    repo.done();
    let each_way = |what: &dyn Fn(&str)| {
        repo.wf(&["list"]).ok();
        what("with an index");
        repo.sh(&["-c", "rm .git/wf/index.*"]).ok();
        what("without one");
    };
    let waits = |how: &str| {
        let ran = repo.wf(&["next", "ISS-002"]).fails(3);
        assert!(ran.stderr.contains("on no branch"), "{how}: {}", ran.stderr);
    };
    each_way(&waits);
    let before = repo.tip().unwrap();
    repo.wf(&["land", "ISS-003", "--none", "-m", "an experiment"]).ok();
    each_way(&|how| {
        assert_eq!(repo.json(&["next", "ISS-002"])["issue_id"], "ISS-002", "{how}");
        repo.wf(&["lease", "release"]).ok();
    });
    // Without that landing it is lost again.
    repo.wf(&["list"]).ok();
    repo.git(&["update-ref", "refs/wf/main", &before]).ok();
    each_way(&waits);
}
