//! `queue forecast`: which branches would conflict, before anyone merges.

use serde_json::json;

use crate::support::{Repo, Sandbox};

/// Every reference, the files of the work tree, and every object of the repository.
fn everything(repo: &Repo) -> [String; 3] {
    let git = |args: &[&str]| repo.git(args).ok().stdout;
    [
        git(&["for-each-ref"]),
        git(&["status", "--porcelain"]),
        git(&["cat-file", "--batch-all-objects", "--batch-check", "--unordered"]).lines().count().to_string(),
    ]
}

#[test]
fn branches_that_would_collide_are_named_with_their_lines() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let lines: Vec<String> = (1..=30).map(|n| format!("line {n}\n")).collect();
    let text = |changes: &[(usize, &str)]| {
        let mut lines = lines.clone();
        changes.iter().for_each(|(n, to)| lines[n - 1] = format!("{to}\n"));
        lines.concat()
    };
    repo.commit("shared.txt", &text(&[]), "start");
    repo.commit("gone.txt", "old\n", "more");
    let clean = repo.json(&["queue", "forecast"]);
    assert_eq!((&clean["collisions"], clean["sides"].as_array().unwrap().len()), (&json!([]), 1));
    let mut worktrees = Vec::new();
    for (id, file) in [("A-1", "src/a.rs"), ("A-2", "src/b.rs"), ("A-3", "src/c.rs")] {
        repo.queued(id, file);
        let tree = repo.worktree(&format!("tree-{id}"), &format!("work-{id}"));
        tree.wf(&["hooks", "install"]).ok();
        tree.wf(&["next", id]).ok();
        worktrees.push(tree);
    }
    worktrees[0].commit("shared.txt", &text(&[(3, "one\nmore"), (20, "one")]), "one");
    worktrees[1].commit("shared.txt", &text(&[(10, "apart"), (20, "two")]), "two");
    worktrees[1].git(&["rm", "--quiet", "gone.txt"]).ok();
    worktrees[1].git(&["commit", "--quiet", "-m", "drop it"]).ok();
    worktrees[2].commit("gone.txt", "new\n", "three");
    // A completed item is judged by its last commit, whatever its branch does afterwards.
    worktrees[0].done();
    let before = everything(&repo);
    let found = repo.wf(&["queue", "forecast", "--json"]).fails(1).json();
    assert_eq!(everything(&repo), before, "it wrote something");
    let items: Vec<&str> = found["sides"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["item_id"].as_str().unwrap_or("HEAD"))
        .collect();
    assert_eq!(items, ["HEAD", "S-1", "S-2", "S-3"]);
    let pairs: Vec<(u64, u64)> = found["collisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["first"].as_u64().unwrap(), it["second"].as_u64().unwrap()))
        .collect();
    assert_eq!(pairs, [(1, 2), (2, 3)]);
    let file = &found["collisions"][0]["files"][0];
    assert_eq!((&file["path"], &file["kind"]), (&json!("shared.txt"), &json!("contents")));
    assert_eq!(
        file["hunks"],
        json!([{"first": {"start": 21, "count": 1}, "second": {"start": 20, "count": 1}}])
    );
    let file = &found["collisions"][1]["files"][0];
    assert_eq!((&file["path"], &file["kind"]), (&json!("gone.txt"), &json!("modify/delete")));
    let printed = repo.wf(&["queue", "forecast"]).fails(1).stdout;
    for part in
        ["S-1 (SOL-A-1-", "on work-A-1 and S-2", "line 21 of the first, line 20 of the second", "2 conflicts"]
    {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
    // What was merged here is no longer a side of its own, and conflicts as this branch.
    repo.git(&["merge", "--quiet", "--no-edit", "work-A-1"]).ok();
    let found = repo.wf(&["queue", "forecast", "--json"]).fails(1).json();
    assert_eq!(found["sides"].as_array().unwrap().len(), 3);
    assert_eq!((&found["collisions"][0]["first"], &found["collisions"][0]["second"]), (&json!(0), &json!(1)));
}

#[test]
fn a_git_that_cannot_merge_in_memory_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "src/a.rs");
    let tree = repo.worktree("tree", "work");
    tree.wf(&["next"]).ok();
    tree.commit("a.txt", "a\n", "work");
    let git = std::process::Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
    let git = String::from_utf8(git.stdout).unwrap();
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in merge-tree) exit 129;; version) echo git version 2.31.0;; *) exec {} \"$@\";; esac\n",
        git.trim()
    );
    repo.write("bin/git", script);
    repo.sh(&["-c", "chmod +x bin/git"]).ok();
    let ran = repo.sh(&["-c", "PATH=\"$PWD/bin:$PATH\" git-wf queue forecast"]).fails(1);
    assert!(
        ran.stderr.contains("git version 2.31.0 cannot merge") && ran.stderr.contains("2.38"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_branch_is_found_under_the_name_that_it_was_given_since() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("shared.txt", "one\n", "start");
    let mut trees = Vec::new();
    for (id, file) in [("A-1", "src/a.rs"), ("A-2", "src/b.rs")] {
        repo.queued(id, file);
        let tree = repo.worktree(&format!("tree-{id}"), &format!("work-{id}"));
        tree.wf(&["hooks", "install"]).ok();
        tree.wf(&["next", id]).ok();
        tree.commit("shared.txt", &format!("{id}\n"), "work");
        trees.push(tree);
    }
    trees[0].git(&["branch", "-m", "work-A-1", "renamed"]).ok();
    // A commit that is not linked, since it bypassed the hooks, is still on the branch.
    trees[0].write("more.txt", "more\n");
    trees[0].git(&["add", "more.txt"]).ok();
    trees[0].git(&["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "more"]).ok();
    let tip = trees[0].git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    let side = |repo: &Repo| {
        let found = repo.wf(&["queue", "forecast", "--json"]).fails(1).json();
        let sides = found["sides"].as_array().unwrap();
        sides.iter().find(|it| it["item_id"] == "S-1").unwrap().clone()
    };
    for from in [&repo, &trees[1]] {
        let side = side(from);
        assert_eq!((&side["branch"], &side["commit"]), (&json!("renamed"), &json!(tip)), "{side:#}");
    }
    // If something else is checked out, the work is on the one new branch.
    trees[0].git(&["checkout", "--quiet", "--detach"]).ok();
    assert_eq!(side(&repo)["branch"], "renamed");
}

#[test]
fn who_ends_work_hears_who_else_is_at_its_files() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("src/a.rs", "one\n", "Begin");
    for id in ["A-1", "A-2"] {
        repo.queued(id, "src/a.rs");
    }
    repo.wf(&["next", "A-1", "--worktree", "../beside"]).ok();
    repo.wf(&["next", "A-2", "--allow-overlap"]).ok();
    let commit = repo.commit("src/a.rs", "two\n", "Work");
    repo.wf(&["link", &commit, "A-2"]).ok();
    // What an index knows is told.
    repo.wf(&["list"]).ok();
    let told = repo.wf(&["done", "-m", "It holds"]).ok().stderr;
    assert!(told.contains("`A-1` is being executed and changes `src/a.rs`, too"), "{told}");
    assert!(told.contains("`git wf queue forecast` shows"), "{told}");
}
