//! `import beads`: what is imported, and what a second import changes.

mod again;
mod ccw;
mod ccw_again;
mod ccw_ahead;
mod ccw_by_hand;
mod ccw_incomplete;
mod ccw_redacted;
mod ccw_same_time;
mod ccw_sessions;
mod comments;
mod concurrent;
mod exported;
mod git_bug;
mod github;
mod github_links;
mod github_sync;
mod options;
mod parted;
mod plan_changes;
mod plan_forms;
mod plan_identity;
mod plan_progress;
mod plan_tools;
mod redacted;
mod refused;
mod removals;
mod sound;

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

/// A repository with a store.
fn store(sandbox: &Sandbox, name: &str) -> Repo {
    sandbox.begin(name, |sandbox| {
        let repo = sandbox.repo(name);
        repo.wf(&["init"]).ok();
        repo
    })
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// An open issue, changed a day after its creation, with these additional fields.
fn record(id: &str, more: &Value) -> Value {
    let mut record = json!({
        "id": id, "title": format!("About {id}"), "status": "open", "priority": 2, "issue_type": "task",
        "created_at": "2026-01-01T08:00:00.123456789Z", "updated_at": "2026-01-02T08:00:00Z", "created_by": "Ada"
    });
    for (name, value) in more.as_object().unwrap() {
        record[name] = value.clone();
    }
    record
}

fn dependency(id: &str, on: &str, kind: &str) -> Value {
    json!({"issue_id": id, "depends_on_id": on, "type": kind, "created_at": "2026-01-01T08:00:00Z"})
}

#[track_caller]
fn import(repo: &Repo, file: &str) -> Value {
    repo.wf_in(file, &["--json", "import", "beads", "-"]).ok().json()
}

fn paths(repo: &Repo) -> Vec<String> {
    let tree = repo.git(&["ls-tree", "-r", "--name-only", "refs/wf/main"]).ok();
    tree.stdout.lines().map(str::to_owned).collect()
}

#[track_caller]
fn path_of(repo: &Repo, id: &str) -> String {
    let end = format!("/{id}/issue.json");
    paths(repo).into_iter().find(|path| path.ends_with(&end)).unwrap_or_else(|| panic!("no {end}"))
}

#[track_caller]
fn issue(repo: &Repo, id: &str) -> Value {
    let path = path_of(repo, id);
    serde_json::from_str(&repo.git(&["cat-file", "-p", &format!("refs/wf/main:{path}")]).ok().stdout).unwrap()
}

/// The comments of an issue in the order of their ids, which must be the names of their files.
fn comments(repo: &Repo, id: &str) -> Vec<Value> {
    let folder = format!("/{id}/comments/");
    let of_issue = |path: &String| path.contains(&folder);
    let read = |path: String| {
        let text = repo.git(&["cat-file", "-p", &format!("refs/wf/main:{path}")]).ok().stdout;
        let comment: Value = serde_json::from_str(&text).unwrap();
        assert!(path.ends_with(&format!("/{}.json", comment["id"].as_str().unwrap())), "{path}");
        comment
    };
    paths(repo).into_iter().filter(of_issue).map(read).collect()
}

/// Replaces the record at a path, as a write by someone else would.
fn put(repo: &Repo, path: &str, text: &str) {
    let repo = repo.with_env("GIT_INDEX_FILE", repo.path().join("index-of-test").to_str().unwrap());
    let blob = repo.git_in(text, &["hash-object", "-w", "--stdin"]).ok();
    repo.git(&["read-tree", "refs/wf/main"]).ok();
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{},{path}", blob.line())]).ok();
    let tree = repo.git(&["write-tree"]).ok();
    let commit = repo.git(&["commit-tree", "-p", "refs/wf/main", "-m", "edit", tree.line()]).ok();
    repo.git(&["update-ref", "refs/wf/main", commit.line()]).ok();
}

/// Sets one field of an issue, with the stamp of a command at that time.
fn edit(repo: &Repo, id: &str, field: &str, value: &str, time: &str) {
    let mut record = issue(repo, id);
    record[field] = value.into();
    record["clock"][field] = format!("{time}/00000/7k3m2pq9").into();
    put(repo, &path_of(repo, id), &format!("{record:#}\n"));
}

#[test]
fn everything_comes_in_and_once() {
    let repo = store(&Sandbox::new(), "a");
    let before = repo.tip();
    let file = lines(&[
        record(
            "zoo_1-a",
            &json!({
                "description": "It is hungry.", "labels": ["zoo", "food"], "status": "in_progress", "priority": 0,
                "estimated_minutes": 15, "dependencies": [
                    dependency("zoo_1-a", "zoo-2", "blocks"), dependency("zoo_1-a", "far-away", "blocks"),
                    dependency("zoo_1-a", "zoo-3", "parent_child"), dependency("zoo_1-a", "zoo-4", "relates-to"),
                    dependency("zoo_1-a", "zoo-5", "waits-for"), dependency("zoo_1-a", "no good", "blocks"),
                ],
                "comments": [
                    {"id": 2, "issue_id": "zoo_1-a", "author": "Bea", "text": "second", "created_at": "2026-01-03T09:00:00Z"},
                    {"id": 1, "issue_id": "zoo_1-a", "author": "Ada", "text": "first", "created_at": "2026-01-02T09:00:00Z"},
                ]
            }),
        ),
        record("zoo-2", &json!({"status": "closed", "close_reason": "fed"})),
        record("zoo-3", &json!({"status": "deferred"})),
        record("zoo-4", &json!({"status": "tombstone", "delete_reason": "a double"})),
        record("zoo-5", &json!({"status": "blocked"})),
        record("zoo-6", &json!({"status": "hooked", "priority": 7})),
    ]);
    let report = import(&repo, &file);
    assert_eq!(report["commit"].as_str(), repo.tip().as_deref());
    let counts = ["created", "updated", "unchanged", "comments", "dependencies", "relations"]
        .map(|name| &report[name]);
    assert_eq!(counts, [6, 0, 0, 2, 2, 3]);
    assert_eq!(report["skipped"], json!([]));
    let notes: Vec<String> = report["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| format!("{}: {}", note["id"].as_str().unwrap(), note["note"].as_str().unwrap()))
        .collect();
    assert_eq!(
        notes,
        [
            "zoo_1-a: a dependency: `no good` cannot be the id of an issue: an id looks like GH-123: 3 to 80 letters, digits, `.`, `_` or `-`, beginning with a letter, with at least one `-`; `show ID --imported` shows it",
            "zoo_1-a: it depends on `far-away`, which is neither in the source nor here",
            "zoo-6: the priority 7 is not one of 0 to 4; it became trivial",
        ]
    );

    let kept = |what: &str| json!({"what": what, "issues": 1});
    assert_eq!(
        report["kept"],
        json!([
            kept("`estimated_minutes` has no field here"),
            kept("the dependency type `waits-for` became a relation, which does not block"),
            kept("the status `blocked` became `registered`"),
            kept("the status `hooked` became `planning`"),
            kept("the status `in_progress` became `planning`"),
        ])
    );

    let read = issue(&repo, "zoo_1-a");
    for (name, value) in [
        ("id", json!("zoo_1-a")),
        ("author", json!("Ada")),
        ("created_at", json!("2026-01-01T08:00:00.123Z")),
        ("source", json!("import")),
        ("status", json!("planning")),
        ("priority", json!(1)),
        ("context", json!("It is hungry.")),
        ("tags", json!(["food", "zoo"])),
        ("depends_on", json!(["far-away", "zoo-2"])),
        ("relations", json!(["parent-child:zoo-3", "relates-to:zoo-4", "waits-for:zoo-5"])),
    ] {
        assert_eq!(read[name], value, "{name}");
    }
    let source: Value = serde_json::from_str(file.lines().next().unwrap()).unwrap();
    assert_eq!(read["imported"], source);
    assert_eq!(read["clock"]["*"], "2026-01-01T08:00:00.123Z/00000/import");
    assert_eq!(read["clock"]["tags/zoo"], "2026-01-02T08:00:00.000Z/00000/import");
    let statuses = ["zoo-2", "zoo-3", "zoo-4", "zoo-5", "zoo-6"].map(|id| issue(&repo, id)["status"].clone());
    assert_eq!(statuses, ["closed", "paused", "cancelled", "registered", "planning"]);
    assert_eq!(issue(&repo, "zoo-4")["close_reason"], "a double");
    let comments = comments(&repo, "zoo_1-a");
    let bodies: Vec<&Value> = comments.iter().map(|comment| &comment["body"]).collect();
    assert_eq!(bodies, ["first", "second"]);

    let log = repo.git(&["log", "--format=%P%n%B", "-1", "refs/wf/main"]).ok();
    let expected = format!(
        "{}\nimport: 6 issues from beads (6 new, 2 comments)\n\nWf-Op: import beads",
        before.unwrap()
    );
    assert_eq!(log.line(), expected);

    let tip = repo.tip();
    let again = import(&repo, &file);
    assert_eq!(
        (&again["unchanged"], &again["commit"], &again["notes"]),
        (&json!(6), &Value::Null, &json!([]))
    );
    assert_eq!(repo.tip(), tip);
}

/// 40 issues in the form of a real tracker's export: its statuses and types, both spellings of its relations, targets
/// that are not in the file, ids of parts, nanoseconds, and empty fields.
#[test]
fn a_real_export() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/beads-export.jsonl");
    let repo = store(&Sandbox::new(), "a");
    let file = file.to_str().unwrap();
    let report = repo.wf(&["--json", "import", "beads", file]).ok().json();
    let counts = ["created", "comments", "dependencies", "relations"].map(|name| &report[name]);
    assert_eq!(counts, [40, 12, 32, 14]);
    assert_eq!(report["skipped"], json!([]));
    let count = repo.git(&["rev-list", "--count", "refs/wf/main"]).ok();
    assert_eq!(count.line(), "2", "the root and one commit");
    let records = paths(&repo);
    assert_eq!(records.iter().filter(|path| path.ends_with("/issue.json")).count(), 40);
    assert_eq!(records.iter().filter(|path| path.contains("/comments/")).count(), 12);
    repo.git(&["fsck", "--strict", "--no-dangling"]).ok();
    let tip = repo.tip();
    let again = repo.wf(&["--json", "import", "beads", file]).ok().json();
    assert_eq!((&again["unchanged"], &again["commit"]), (&json!(40), &Value::Null));
    assert_eq!(repo.tip(), tip);
}

#[test]
fn issues_that_depend_on_each_other_are_noted() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let on =
        |id: &str, target: &str| record(id, &json!({"dependencies": [dependency(id, target, "blocks")]}));
    let file =
        lines(&[on("zoo-1", "zoo-2"), on("zoo-2", "zoo-3"), on("zoo-3", "zoo-2"), on("zoo-4", "zoo-1")]);
    let report = import(&repo, &file);
    assert_eq!(report["created"], 4);
    assert_eq!(
        report["notes"],
        json!([{
            "id": "zoo-2",
            "note": "the issues depend on each other in a cycle: zoo-2 → zoo-3 → zoo-2",
            "remedies": [{"operation": "edit", "options": [{"name": "depends-on", "value": "-zoo-3"}], "values": ["zoo-2"], "words": "removes a dependency"}]
        }])
    );
    // Importing the same again changes nothing, and reports nothing.
    assert_eq!(import(&repo, &file)["notes"], json!([]));
    repo.wf(&["edit", "zoo-2", "--depends-on=-zoo-3"]).ok();
    // A cycle that is closed by an existing issue.
    let report = import(&repo, &lines(&[on("zoo-9", "zoo-8")]));
    assert_eq!(report["notes"].as_array().unwrap().len(), 1, "the missing one alone: {report}");
    let report = import(&repo, &lines(&[on("zoo-8", "zoo-9")]));
    assert!(report["notes"][0]["note"].as_str().unwrap().contains("zoo-8 → zoo-9 → zoo-8"), "{report}");
}
