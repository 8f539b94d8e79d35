//! The id of an entry depends on texts that can be hidden: a purge and an export give such an entry another id, and
//! records that name it follow.

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox, column, record};

const SECRET: &str = "hunter2";

/// A comment with a secret that is replaced twice, and a resolved conflict with a secret; returns the names of the
/// five entries.
fn store(repo: &Repo) -> Vec<String> {
    repo.queued("ISS-001", "src/a.rs");
    repo.queued("ISS-002", "src/b.rs");
    repo.wf(&["comment", "ISS-001", "-m", SECRET]).ok();
    let first = repo.store_path_in("/comments/");
    let mut last = stem(&first);
    for (place, body) in [("20261121T120000000Z-00000", "better"), ("20261121T120000000Z-00001", "best")] {
        let comment = json!({"body": body, "author": "Bea <bea@example.org>",
            "created_at": "2027-01-01T00:00:00.000Z", "edits": last});
        let (id, comment) = record::entry(place, comment);
        let path = first.replace(&stem(&first), &id);
        repo.plumb(&[(&path, &format!("{comment:#}\n"))]);
        last = id;
    }
    let items = ["--items", "S-1,S-2"];
    repo.wf(&[&["queue", "overlaps", "--add", "api", "-m", SECRET], &items[..]].concat()).ok();
    repo.wf(&["queue", "resolve", "CFT-1", "--order", "S-2,S-1"]).ok();
    repo.wf(&["redact", "ISS-001", &format!("comments/{}", stem(&first)), "-m", "a password"]).ok();
    let queue = repo.json(&["queue", "manage", "list"])[0]["id"].as_str().unwrap().to_owned();
    let entries = named(repo);
    for path in entries.iter().filter(|path| path.contains("/conflicts/")) {
        repo.wf(&["redact", &queue, &format!("conflicts/{}", stem(path)), "-m", "a password"]).ok();
    }
    entries
}

fn stem(path: &str) -> String {
    path.rsplit('/').next().unwrap().trim_end_matches(".json").to_owned()
}

/// The paths of comments and conflicts.
fn named(repo: &Repo) -> Vec<String> {
    let mut paths = repo.store_paths();
    paths.retain(|path| path.contains("/comments/") || path.contains("/conflicts/"));
    paths
}

/// Five entries that name each other as before, and there are no others.
#[track_caller]
fn assert_follow(repo: &Repo) {
    repo.assert_ids();
    repo.wf(&["fsck"]).ok();
    let paths = named(repo);
    let read: Vec<Value> = paths.iter().map(|path| repo.stored_json(path)).collect();
    assert_eq!(read.len(), 5, "{paths:?}");
    let members = |member: &str| -> Vec<String> {
        read.iter().filter_map(|it| it[member].as_str().map(str::to_owned)).collect()
    };
    let (comments, conflicts) = (&members("id")[..3], &members("id")[3..]);
    assert_eq!(members("edits"), comments[..2]);
    assert_eq!(members("resolves"), conflicts[..1]);
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(column(&shown["comments"], "body"), ["best"]);
    let told = repo.json(&["queue", "overlaps"]);
    assert_eq!((&told[0]["rationale"], &told[0]["resolved"]), (&json!("[redacted]"), &json!(true)));
}

#[test]
fn a_purge_gives_new_names_and_says_which() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let before = store(&repo);
    let redactions = |repo: &Repo| repo.store_paths().iter().filter(|it| it.contains("/redactions/")).count();
    assert_eq!(redactions(&repo), 3);
    let answer = repo.wf(&["redact", "--purge", "--yes", "--json"]).ok().json();
    let mut old = column(&answer["renamed"], "from");
    old.sort();
    assert_eq!(old, before);
    let mut new = column(&answer["renamed"], "to");
    new.sort();
    assert_eq!(new, named(&repo));
    assert_follow(&repo);
    // Each redaction of an entry has a second one for its new id.
    assert_eq!(redactions(&repo), 6);
    // No commit has both.
    let touched = repo.git(&["log", "--format=", "--name-only", REF]).ok().stdout;
    assert!(touched.lines().all(|path| !before.contains(&path.to_owned())), "{touched}");
    let listed = repo.git(&["rev-list", "--objects", "--no-object-names", REF]).ok().stdout;
    assert!(!repo.git_in(listed, &["cat-file", "--batch"]).ok().stdout.contains(SECRET));
    assert_eq!(repo.json(&["redact", "--purge", "--yes"])["commits"], 0);
}

#[test]
fn people_are_told_how_many() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    store(&repo);
    let said = repo.wf(&["redact", "--purge", "--yes"]).ok().stdout;
    assert!(said.contains("5 entries have a new id;"), "{said}");
}

#[test]
fn whoever_did_not_purge_brings_back_what_stays_hidden() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    store(&repo);
    let unpurged = repo.tip().unwrap();
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    let purged = repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().stdout;
    let other = sandbox.bare("other.git");
    // The same content, in commits that cannot be matched with the earlier ones.
    let copy = super::purge_apart::flat(&repo, &unpurged);
    repo.git(&["push", "--quiet", other.path().to_str().unwrap(), &format!("{copy}:{REF}")]).ok();
    repo.git(&["remote", "add", "origin", "../other.git"]).ok();
    repo.wf(&["sync"]).ok();
    for args in [&["show", "ISS-001", "--json"][..], &["log", "-p"], &["export", "jsonl"], &["queue", "show"]]
    {
        assert!(!repo.wf(args).ok().stdout.contains(SECRET), "{args:?}");
    }
    // After another purge, the two ids are one again.
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    assert_eq!(repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().stdout, purged);
    assert_follow(&repo);
}

#[test]
fn an_export_of_what_is_hidden_makes_a_sound_store() {
    let sandbox = Sandbox::new();
    let (repo, other) = (sandbox.store("a"), sandbox.store("b"));
    let before = store(&repo);
    let text = repo.wf(&["export", "jsonl"]).ok().stdout;
    assert!(!text.contains(SECRET), "{text}");
    other.wf_in(&text, &["import", "jsonl", "-"]).ok();
    assert!(named(&other).iter().all(|path| !before.contains(path)));
    assert_follow(&other);
    assert_eq!(other.wf(&["export", "jsonl"]).ok().stdout, text);
}

#[test]
fn of_two_entries_that_say_the_same_without_their_secrets_one_is_left() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["comment", "ISS-001", "-m", "stays"]).ok();
    let folder = repo.store_path_in("/comments/");
    let folder = folder.rsplit_once('/').unwrap().0;
    for n in 1..=2 {
        let comment =
            json!({"body": format!("{SECRET} {n}"), "author": "a", "created_at": "2026-11-21T02:14:05.123Z"});
        let (id, comment) = record::entry(record::PLACE, comment);
        repo.plumb(&[(&format!("{folder}/{id}.json"), &format!("{comment:#}\n"))]);
        repo.wf(&["redact", "ISS-001", &format!("comments/{id}"), "-m", "r"]).ok();
    }
    let text = repo.wf(&["export", "jsonl"]).ok().stdout;
    let answer = repo.json(&["redact", "--purge", "--yes"]);
    assert_eq!(answer["renamed"].as_array().unwrap().len(), 2);
    assert_eq!(repo.json(&["show", "ISS-001"])["comments"].as_array().unwrap().len(), 2);
    repo.assert_ids();
    repo.git(&["fsck", "--strict"]).ok();
    let other = sandbox.store("b");
    other.wf_in(&text, &["import", "jsonl", "-"]).ok();
    assert_eq!(other.json(&["show", "ISS-001"])["comments"].as_array().unwrap().len(), 2);
}

#[test]
fn nothing_of_a_claim_itself_can_be_hidden() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let execution = repo.json(&["next"])["execution_id"].as_str().unwrap().to_owned();
    for field in ["actor", "branch", "worktree", "nonce"] {
        let error = repo.refused(1, &["redact", &execution, field, "-m", "a name"]);
        assert_eq!(error["code"], "not-redactable", "{field}: {error}");
        assert!(error["hint"].as_str().unwrap().contains("log/ENTRY"), "{error}");
    }
    // Nor by a redaction that someone else wrote.
    let claim = repo.store_path("/execution.json");
    let folder = claim.trim_end_matches("/execution.json");
    let redaction = json!({"target": "execution.json", "field": "actor", "reason": "r", "author": "Eve",
        "created_at": "2026-11-21T02:14:05.123Z"});
    let (id, redaction) = record::entry(record::PLACE, redaction);
    repo.plumb(&[(&format!("{folder}/redactions/{id}.json"), &format!("{redaction:#}\n"))]);
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    assert!(repo.stored(&claim).contains("\"actor\": \"Ada <ada@example.org>\""));
    assert_eq!(repo.json(&["show", &execution])["id"], execution);
    repo.assert_ids();
}

#[test]
fn an_import_does_not_bring_back_what_was_purged() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let line = json!({"id": "zoo-1", "title": "t", "status": "open", "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z", "comments": [{"id": 1, "issue_id": "zoo-1", "author": "Bea",
        "text": SECRET, "created_at": "2026-01-03T09:00:00Z"}]});
    let file = format!("{line}\n");
    repo.wf_in(&file, &["import", "beads", "-"]).ok();
    let comment = repo.store_path_in("/comments/");
    assert!(comment.contains("/20260103T090000000Z-00000-"), "{comment}");
    repo.assert_ids();
    repo.wf(&["redact", "zoo-1", &format!("comments/{}", stem(&comment)), "-m", "r", "--purge", "--yes"])
        .ok();
    repo.wf_in(&file, &["import", "beads", "-"]).ok();
    assert_eq!(column(&repo.json(&["show", "zoo-1"])["comments"], "body"), ["[redacted]"]);
    assert_ne!(repo.store_path_in("/comments/"), comment);
}

#[test]
fn an_import_mends_a_comment_that_somebody_rewrote() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let line = json!({"id": "zoo-1", "title": "t", "status": "open", "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z", "comments": [{"id": 1, "issue_id": "zoo-1", "author": "Bea",
        "text": "as it was", "created_at": "2026-01-03T09:00:00Z"}]});
    let file = format!("{line}\n");
    repo.wf_in(&file, &["import", "beads", "-"]).ok();
    let path = repo.store_path_in("/comments/");
    let text = repo.stored(&path);
    repo.plumb(&[(&path, &text.replace("as it was", "zzz"))]);
    repo.wf(&["fsck"]).fails(1);
    repo.wf_in(&file, &["import", "beads", "-"]).ok();
    assert_eq!(repo.stored(&path), text);
}
