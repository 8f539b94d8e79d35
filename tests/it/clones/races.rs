//! Clones that sync in loops against one remote, while all of them write.

use crate::support::{Repo, Sandbox, is_long};

#[test]
fn clones_that_write_and_sync_in_loops_converge() {
    let (clones, rounds) = if is_long() { (6, 20) } else { (4, 4) };
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let repos: Vec<Repo> = (0..clones).map(|n| sandbox.clone(&origin, &format!("clone-{n}"))).collect();
    repos[0].wf(&["init"]).ok();
    repos[0].wf(&["new", "--id", "ALL-1", "Everyone edits"]).ok();
    repos[0].wf(&["sync"]).ok();
    for repo in &repos[1..] {
        repo.wf(&["init"]).ok();
    }
    std::thread::scope(|scope| {
        for (n, repo) in repos.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..rounds {
                    repo.wf(&["new", "--id", &format!("N-{n}-{round}"), "A title"]).ok();
                    repo.wf(&["comment", "ALL-1", "-m", &format!("{n}, {round}")]).ok();
                    repo.wf(&["edit", "ALL-1", "--tag", &format!("t{n}-{round}")]).ok();
                    repo.wf(&["sync"]).ok();
                }
            });
            // A second process of the same clone writes while the first one syncs.
            scope.spawn(move || {
                for round in 0..rounds {
                    repo.wf(&["new", "--id", &format!("M-{n}-{round}"), "A title"]).ok();
                }
            });
        }
    });
    // The last clone to sync has everything; the others must sync once more.
    for repo in repos.iter().chain(&repos) {
        repo.wf(&["sync"]).ok();
    }
    let head = origin.tip();
    for repo in &repos {
        assert_eq!(repo.tip(), head);
    }
    let issues = repos[0].wf(&["list", "--all", "--json"]).ok().json().as_array().unwrap().len();
    assert_eq!(issues, 1 + 2 * clones * rounds);
    let all = repos[0].wf(&["show", "ALL-1", "--json"]).ok().json();
    for what in ["comments", "tags"] {
        assert_eq!(all[what].as_array().unwrap().len(), clones * rounds, "{what}");
    }
    // A push that came too late leaves nothing in the history: there is at most one merge for each sync and each
    // write in between.
    let merges = origin.git(&["rev-list", "--count", "--merges", "refs/wf/main"]).ok();
    let merges: usize = merges.line().parse().unwrap();
    assert!(merges <= 2 * clones * (rounds + 2), "{merges} merges");
    origin.git(&["fsck", "--strict"]).ok();
    repos[0].wf(&["fsck"]).ok();
}
