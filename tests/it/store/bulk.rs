//! Much data at once: one pack, one commit, and nothing half-written whatever happens.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::json;

use crate::support::{REF, Repo, Sandbox};

/// This many megabytes of issues, more than a transaction keeps in memory.
fn issues(megabytes: usize) -> String {
    let text: String = (0..2_000).map(|n| format!("line {n} of a long report\n")).collect();
    let line = |n: usize| {
        json!({"id": format!("br-{n}"), "title": format!("Issue {n}"), "description": format!("{n}\n{text}"),
            "status": "open", "priority": 2, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z",
            "dependencies": [{"issue_id": format!("br-{n}"), "depends_on_id": format!("br-{}", (n + 1) % (20 * megabytes)), "type": "blocks"}],
            "comments": [{"id": n, "author": "Ada", "text": format!("Comment {n}"), "created_at": "2026-01-02T00:00:00Z"}]})
    };
    (0..20 * megabytes).map(|n| format!("{}\n", line(n))).collect()
}

fn packs(repo: &Repo) -> Vec<PathBuf> {
    let folder = repo.path().join(".git/objects/pack");
    let mut names: Vec<PathBuf> =
        folder.read_dir().into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

#[test]
fn one_pack_and_one_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let loose = || repo.git(&["count-objects"]).ok().stdout;
    let before = loose();
    repo.write("issues.jsonl", issues(2));
    let report = repo.wf(&["--json", "import", "beads", "issues.jsonl"]).ok().json();
    assert_eq!(
        (&report["created"], &report["comments"], &report["dependencies"]),
        (&json!(40), &json!(40), &json!(40))
    );
    // The cycle through all of them is found, whether in memory or not.
    assert_eq!(report["notes"].as_array().unwrap().len(), 1);
    assert_eq!((repo.steps(), loose()), (2, before));
    let endings: Vec<_> = packs(&repo).iter().map(|path| path.extension().unwrap().to_owned()).collect();
    assert_eq!(endings, ["idx", "pack"]);
    let index = packs(&repo)[0].to_str().unwrap().to_owned();
    let listed = repo.git(&["verify-pack", "-v", &index]).ok().stdout;
    assert_eq!(listed.lines().filter(|line| line.contains(" commit ")).count(), 1);
    repo.git(&["fsck", "--strict"]).ok();
    let shown = repo.wf(&["show", "br-39", "--json"]).ok().json();
    assert_eq!(shown["depends_on"], json!(["br-0"]));
    let again = repo.wf(&["--json", "import", "beads", "issues.jsonl"]).ok().json();
    assert_eq!((&again["unchanged"], packs(&repo).len()), (&json!(40), 2));
    // Existing files stay beside the new ones.
    repo.wf(&["new", "--id", "GH-1", "Here"]).ok();
    let other = issues(2).replace("\"br-", "\"bd-");
    repo.wf_in(other, &["import", "beads", "-"]).ok();
    assert_eq!(repo.wf(&["list", "--all", "--json"]).ok().json().as_array().unwrap().len(), 81);
    repo.git(&["fsck", "--strict"]).ok();
}

#[test]
fn much_work_comes_to_the_tree_that_little_by_little_makes() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.store("one"), sandbox.store("two"));
    let text = issues(2);
    one.wf_in(&text, &["import", "beads", "-"]).ok();
    let lines: Vec<&str> = text.lines().collect();
    for part in lines.chunks(12) {
        two.wf_in(part.join("\n"), &["import", "beads", "-"]).ok();
    }
    let tree = |repo: &Repo| repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().stdout;
    assert_eq!(tree(&one), tree(&two));
}

#[test]
fn killed_in_the_middle_of_a_pack() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.write("issues.jsonl", issues(4));
    let before = repo.tip();
    let mut child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["import", "beads", "issues.jsonl"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let is_unfinished =
        |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(".wf_unfinished_");
    while !packs(&repo).iter().any(is_unfinished) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(repo.tip(), before);
    assert_eq!(packs(&repo).len(), 1);
    repo.git(&["fsck", "--strict"]).ok();
    // A file that is old enough to belong to no process is removed with the next pack.
    repo.sh(&["-c", "touch -d '2 days ago' .git/objects/pack/.wf_unfinished_*"]).ok();
    repo.wf(&["import", "beads", "issues.jsonl"]).ok();
    assert_eq!((repo.steps(), packs(&repo).len()), (2, 2));
    repo.git(&["fsck", "--strict"]).ok();
}

#[test]
fn dead_at_each_point_of_a_large_import() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.write("issues.jsonl", issues(2));
    for (point, moved) in [("packed", false), ("noted", false), ("moved", true)] {
        let before = repo.tip();
        repo.with_env("WF_FAULT", point).wf(&["import", "beads", "issues.jsonl"]).fails(-1);
        assert_eq!(repo.tip() != before, moved, "{point}");
        repo.git(&["fsck", "--strict"]).ok();
    }
    let report = repo.wf(&["--json", "import", "beads", "issues.jsonl"]).ok().json();
    assert_eq!(report["unchanged"], 40);
}

#[test]
fn a_file_with_a_bad_line_at_its_end_leaves_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let before = repo.tip();
    let exported = {
        let other = sandbox.store("b");
        other.wf_in(issues(2), &["import", "beads", "-"]).ok();
        other.wf(&["export", "jsonl"]).ok().stdout
    };
    let cut = exported.rsplit_once("{\"files\"").unwrap().0;
    let ran = repo.wf_in(cut, &["import", "jsonl", "--strict", "-"]).fails(1);
    assert!(ran.stderr.contains("it is truncated after"), "{}", ran.stderr);
    repo.wf_in(issues(2) + "{\"id\":", &["import", "beads", "--strict", "-"]).fails(1);
    assert_eq!((repo.tip(), packs(&repo).len()), (before, 0));
    repo.wf_in(&exported, &["import", "jsonl", "-"]).ok();
    assert_eq!(repo.wf(&["export", "jsonl"]).ok().stdout, exported);
    assert_eq!((repo.steps(), packs(&repo).len()), (2, 2));
}
