//! The words of many issues are indexed in portions.

use serde_json::json;

use crate::support::{Repo, Sandbox};

/// Three portions.
const MANY: usize = 1500;

/// A store with many issues that have a word in common, and an index without words.
fn many(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        let issue =
            |n| format!("{}\n", json!({"id": format!("M-{n:04}"), "title": "Otter", "status": "open"}));
        repo.wf_in((0..MANY).map(issue).collect::<String>(), &["import", "beads", "-"]).ok();
        repo.wf(&["list"]).ok();
        repo
    })
}

fn total(repo: &Repo, text: &str) -> u64 {
    repo.json(&["search", text])["total"].as_u64().unwrap()
}

#[test]
fn a_search_that_is_killed_leaves_less_to_the_next_one() {
    let sandbox = Sandbox::new();
    let repo = many(&sandbox);
    repo.with_env("WF_FAULT", "words:2").wf(&["search", "otter"]).fails(-1);
    // One portion is left, so this does not come to a second one.
    let rest = repo.with_env("WF_FAULT", "words:2");
    assert_eq!(total(&rest, "otter"), MANY as u64);
    assert_eq!(total(&repo, "otter"), MANY as u64);
}

#[test]
fn a_first_search_without_an_index_reads_each_issue_once() {
    let sandbox = Sandbox::new();
    let repo = many(&sandbox);
    repo.sh(&["-c", "rm .git/wf/index.*"]).ok();
    // There are no portions.
    let searching = repo.with_env("WF_FAULT", "words:1");
    assert_eq!(total(&searching, "otter"), MANY as u64);
}

#[test]
fn between_two_portions_others_write_and_read_the_index() {
    let sandbox = Sandbox::new();
    let repo = many(&sandbox);
    let meanwhile = "set -e; exec >../said 2>&1
        git wf new Meanwhile --id N-1
        for n in 0000 0700 1499; do git wf edit M-$n --title Badger; done
        git wf list --limit 1
        git wf list --json >../listed.json";
    let searching = repo.with_env("WF_FAULT", "words:2").with_env("WF_FAULT_RUN", meanwhile);
    let found = searching.json(&["search", "otter"]);
    let listed = std::fs::read_to_string(sandbox.root().join("listed.json")).unwrap();
    assert!(listed.contains("\"N-1\""), "the index has what was written meanwhile");
    assert_eq!(found["total"], MANY - 3);
    assert_eq!((total(&repo, "badger"), total(&repo, "meanwhile")), (3, 1));
    repo.wf(&["fsck", "--reindex"]).ok();
    assert_eq!((total(&repo, "otter"), total(&repo, "badger")), (MANY as u64 - 3, 3));
}

#[test]
fn two_searches_share_the_portions_and_both_find_everything() {
    let sandbox = Sandbox::new();
    let repo = many(&sandbox);
    // The other one waits for this one. Both have the same stderr, which ends when both have ended.
    let meanwhile = "git wf search otter --json >../other.json &";
    let searching = repo.with_env("WF_FAULT", "words:2").with_env("WF_FAULT_RUN", meanwhile);
    assert_eq!(total(&searching, "otter"), MANY as u64);
    let other = std::fs::read_to_string(sandbox.root().join("other.json")).unwrap();
    let other: serde_json::Value = serde_json::from_str(&other).unwrap();
    assert_eq!(other["total"], MANY);
}

#[test]
fn an_issue_that_goes_and_comes_back_between_two_portions_keeps_its_words() {
    let sandbox = Sandbox::new();
    let repo = many(&sandbox);
    let tip = repo.tip().unwrap();
    repo.wf(&["new", "Heron", "--id", "N-1"]).ok();
    let with = repo.tip().unwrap();
    let meanwhile = format!(
        "set -e; exec >../said 2>&1
        git update-ref refs/wf/main {tip}; git wf list --limit 1
        git update-ref refs/wf/main {with}; git wf list --limit 1"
    );
    let searching = repo.with_env("WF_FAULT", "words:2").with_env("WF_FAULT_RUN", &meanwhile);
    assert_eq!(total(&searching, "otter"), MANY as u64);
    assert_eq!(total(&repo, "heron"), 1);
}

#[test]
fn a_search_that_is_overtaken_goes_on_and_both_find_everything() {
    let sandbox = Sandbox::new();
    let repo = many(&sandbox);
    // Without the lock, the other one does not wait.
    let meanwhile = "rm .git/wf/words.lock; git wf search otter --json >../other.json";
    let searching = repo.with_env("WF_FAULT", "words:1").with_env("WF_FAULT_RUN", meanwhile);
    assert_eq!(total(&searching, "otter"), MANY as u64);
    let other = std::fs::read_to_string(sandbox.root().join("other.json")).unwrap();
    let other: serde_json::Value = serde_json::from_str(&other).unwrap();
    assert_eq!(other["total"], MANY);
}

#[test]
fn an_index_whose_lock_cannot_be_taken_is_not_used() {
    let sandbox = Sandbox::new();
    let repo = many(&sandbox);
    std::fs::create_dir(repo.path().join(".git/wf/words.lock")).unwrap();
    // Another index is made as a whole, so there are no portions.
    let searching = repo.with_env("WF_FAULT", "words:1");
    assert_eq!(total(&searching, "otter"), MANY as u64);
}
