//! `import beads`: what comes in, and what a second reading changes.

mod refused;

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

/// A repository with a store.
fn store(sandbox: &Sandbox, name: &str) -> Repo {
    let repo = sandbox.repo(name);
    repo.wf(&["init"]).ok();
    repo
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// An open issue, changed a day after it was born, with these fields besides.
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

/// The comments of an issue in the order of their names, which must be the names of their files.
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

/// Puts a record in place of the one at its path, as a write by somebody else would.
fn put(repo: &Repo, path: &str, text: &str) {
    let repo = repo.with_env("GIT_INDEX_FILE", repo.path().join("index-of-test").to_str().unwrap());
    let blob = repo.git_in(text, &["hash-object", "-w", "--stdin"]).ok();
    repo.git(&["read-tree", "refs/wf/main"]).ok();
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{},{path}", blob.line())]).ok();
    let tree = repo.git(&["write-tree"]).ok();
    let commit = repo.git(&["commit-tree", "-p", "refs/wf/main", "-m", "edit", tree.line()]).ok();
    repo.git(&["update-ref", "refs/wf/main", commit.line()]).ok();
}

/// Sets one field of an issue, stamped as a command of that time would.
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
    assert_eq!(counts, [6, 0, 0, 2, 2, 2]);
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
            "zoo_1-a: the dependency on `zoo-5` has the type `waits-for`, which is not supported here; it is kept in `imported`",
            "zoo_1-a: a dependency: `no good` cannot be the id of an issue: an id has a `-` in it; it is kept in `imported`",
            "zoo_1-a: it depends on `far-away`, which is neither in the file nor here",
            "zoo-6: the status `hooked` is not known here; it became `registered`",
            "zoo-6: the priority 7 is not one of 0 to 4; it became trivial",
        ]
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
        ("relations", json!(["parent-child:zoo-3", "relates-to:zoo-4"])),
    ] {
        assert_eq!(read[name], value, "{name}");
    }
    let source: Value = serde_json::from_str(file.lines().next().unwrap()).unwrap();
    assert_eq!(read["imported"], source);
    assert_eq!(read["clock"]["*"], "2026-01-01T08:00:00.123Z/00000/import");
    assert_eq!(read["clock"]["tags/zoo"], "2026-01-02T08:00:00.000Z/00000/import");
    let statuses = ["zoo-2", "zoo-3", "zoo-4", "zoo-5", "zoo-6"].map(|id| issue(&repo, id)["status"].clone());
    assert_eq!(statuses, ["closed", "paused", "cancelled", "registered", "registered"]);
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

#[test]
fn a_later_file_brings_what_changed_there_and_leaves_what_was_edited_here() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let first = record("zoo-1", &json!({"labels": ["old"], "assignee": "Ada", "description": "one"}));
    import(&repo, &lines(&[first.clone(), record("zoo-2", &json!({}))]));
    edit(&repo, "zoo-1", "assignee", "Bea", "2026-02-01T00:00:00.000Z");
    edit(&repo, "zoo-1", "title", "Mine", "2026-02-01T00:00:00.000Z");
    let mut linked = issue(&repo, "zoo-1");
    linked["depends_on"] = json!(["far-away"]);
    linked["clock"]["depends_on/far-away"] = json!("2026-02-01T00:00:00.000Z/00000/7k3m2pq9");
    put(&repo, &path_of(&repo, "zoo-1"), &format!("{linked:#}\n"));

    let comment = json!({"id": 1, "author": "Bea", "text": "Hm.", "created_at": "2026-01-20T00:00:00Z"});
    let second = record(
        "zoo-1",
        &json!({
            "labels": ["new"], "assignee": "Cal", "description": "two", "updated_at": "2026-01-20T00:00:00Z",
            "comments": [comment], "dependencies": [dependency("zoo-1", "zoo-2", "blocks")]
        }),
    );
    let report = import(&repo, &lines(std::slice::from_ref(&second)));
    let counts = ["created", "updated", "unchanged", "comments", "dependencies"].map(|name| &report[name]);
    assert_eq!(
        counts,
        [0, 1, 0, 1, 1],
        "a dependency that was added here is not counted as one that came in"
    );
    assert_eq!(report["notes"], json!([]));
    let read = issue(&repo, "zoo-1");
    assert_eq!(
        (&read["title"], &read["assignee"], &read["context"]),
        (&json!("Mine"), &json!("Bea"), &json!("two"))
    );
    assert_eq!((&read["tags"], &read["depends_on"]), (&json!(["new"]), &json!(["far-away", "zoo-2"])));
    assert_eq!(read["clock"]["-tags/old"], "2026-01-20T00:00:00.000Z/00000/import");
    assert_eq!(
        read["clock"]["status"], "2026-01-02T08:00:00.000Z/00000/import",
        "what did not change keeps its stamp"
    );
    assert_eq!(read["imported"], second);
    assert_eq!(comments(&repo, "zoo-1").len(), 1);
    let subject = repo.git(&["log", "--format=%s", "-1", "refs/wf/main"]).ok();
    assert_eq!(subject.line(), "import: 1 issue from beads (1 updated, 1 comment)");

    let tip = repo.tip();
    for known in [second, first] {
        let report = import(&repo, &lines(&[known]));
        assert_eq!((&report["unchanged"], &report["commit"]), (&json!(1), &Value::Null));
    }
    assert_eq!(repo.tip(), tip, "what is older than what is here changes nothing");

    let third = record("zoo-1", &json!({"assignee": "Dee", "updated_at": "2026-03-01T00:00:00Z"}));
    import(&repo, &lines(&[third]));
    let read = issue(&repo, "zoo-1");
    assert_eq!(read["assignee"], "Dee", "the source changed it after it was edited here");
    assert_eq!(read["title"], "Mine");
    assert!(read.get("context").is_none() && read.get("tags").is_none());
}

#[test]
fn an_older_record_takes_nothing_back() {
    let repo = store(&Sandbox::new(), "a");
    import(&repo, &lines(&[record("zoo-1", &json!({}))]));
    let tip = repo.tip();
    let comment = json!({"id": 1, "author": "Bea", "text": "Hm.", "created_at": "2026-01-01T09:00:00Z"});
    let older = json!({
        "updated_at": "2026-01-01T12:00:00Z", "labels": ["dropped"], "notes": "dropped", "comments": [comment]
    });
    let report = import(&repo, &lines(&[record("zoo-1", &older)]));
    assert_eq!((&report["unchanged"], repo.tip()), (&json!(1), tip));
}

#[test]
fn of_two_records_of_one_time_the_greater_stands_whole_in_whatever_order_they_come() {
    let sandbox = Sandbox::new();
    let one = lines(&[record("zoo-1", &json!({"labels": ["a", "c"], "description": "one", "notes": "z"}))]);
    let two = lines(&[record("zoo-1", &json!({"labels": ["b", "c"], "description": "two", "notes": "a"}))]);
    let [left, right] = ["a", "b"].map(|name| store(&sandbox, name));
    import(&left, &one);
    assert_eq!(import(&left, &two)["updated"], 1);
    import(&right, &two);
    let report = import(&right, &one);
    assert_eq!(report["unchanged"], 1);
    assert!(report["notes"][0]["note"].as_str().unwrap().contains("same `updated_at`"), "{report}");
    let mut reads = [&left, &right].map(|repo| issue(repo, "zoo-1"));
    for read in &mut reads {
        read.as_object_mut().unwrap().remove("clock");
    }
    let [read, other] = reads;
    assert_eq!((&read["context"], &read["tags"]), (&json!("two"), &json!(["b", "c"])));
    assert_eq!(read["extended_context"]["notes"], "a");
    assert_eq!(read, other);
    for file in [&one, &two] {
        let tip = left.tip();
        import(&left, file);
        assert_eq!(left.tip(), tip);
    }
}

#[test]
fn of_an_issue_that_was_born_elsewhere_the_later_birth_stands() {
    let repo = store(&Sandbox::new(), "a");
    let file = lines(&[record(
        "zoo-1",
        &json!({"comments": [
            {"id": 1, "author": "Bea", "text": "Hm.", "created_at": "2026-01-20T00:00:00Z"}
        ]}),
    )]);
    import(&repo, &file);
    let path = path_of(&repo, "zoo-1");
    let born = |time: &str| {
        let record = json!({
            "id": "zoo-1", "author": "Bea", "created_at": time, "title": "Ours", "status": "registered", "priority": 3,
            "clock": {"*": format!("{time}/00000/7k3m2pq9")}
        });
        format!("{record:#}\n")
    };
    put(&repo, &path, &born("2026-05-01T00:00:00.000Z"));
    let tip = repo.tip();
    let report = import(&repo, &file);
    assert_eq!(issue(&repo, "zoo-1")["title"], "Ours");
    assert_eq!((&report["unchanged"], repo.tip()), (&json!(1), tip));
    let note = report["notes"][0]["note"].as_str().unwrap();
    assert!(note.contains("created here at 2026-05-01T00:00:00.000Z: it stays as it is"), "{note}");

    put(&repo, &path, &born("2025-05-01T00:00:00.000Z"));
    let report = import(&repo, &file);
    // An earlier one as well: only a merge decides between births.
    assert_eq!(issue(&repo, "zoo-1")["title"], "Ours");
    assert_eq!(report["unchanged"], 1);
    let note = report["notes"][0]["note"].as_str().unwrap();
    assert!(note.contains("the source's was left out"), "{note}");
    assert_eq!(comments(&repo, "zoo-1").len(), 1);
}

#[test]
fn two_clones_that_import_apart_hold_the_same_tree() {
    let sandbox = Sandbox::new();
    let comment = json!({"id": 1, "author": "Bea", "text": "Hm.", "created_at": "2026-01-20T00:00:00Z"});
    let records =
        [record("zoo-1", &json!({"labels": ["b", "a"], "comments": [comment]})), record("zoo-2", &json!({}))];
    let tree = |repo: &Repo| repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned();
    let ada = store(&sandbox, "ada");
    import(&ada, &lines(&records));
    sandbox.advance(3600);
    let bea = store(&sandbox, "bea").as_person("Bea", "bea@example.org");
    let mut reversed = records;
    reversed.reverse();
    import(&bea, &lines(&reversed));
    assert_ne!(ada.tip(), bea.tip());
    assert_eq!(tree(&ada), tree(&bea));
}

/// A real tracker's export, which is not part of the source: 508 issues.
#[test]
fn a_real_export() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/beads-issues.jsonl");
    if !file.is_file() {
        println!("skipped: there is no {}", file.display());
        return;
    }
    let repo = store(&Sandbox::new(), "a");
    let file = file.to_str().unwrap();
    let report = repo.wf(&["--json", "import", "beads", file]).ok().json();
    let counts = ["created", "comments", "dependencies", "relations"].map(|name| &report[name]);
    assert_eq!(counts, [508, 177, 287, 173]);
    assert_eq!(report["skipped"], json!([]));
    let count = repo.git(&["rev-list", "--count", "refs/wf/main"]).ok();
    assert_eq!(count.line(), "2", "the root and one commit");
    let records = paths(&repo);
    assert_eq!(records.iter().filter(|path| path.ends_with("/issue.json")).count(), 508);
    assert_eq!(records.iter().filter(|path| path.contains("/comments/")).count(), 177);
    repo.git(&["fsck", "--strict", "--no-dangling"]).ok();
    let tip = repo.tip();
    let again = repo.wf(&["--json", "import", "beads", file]).ok().json();
    assert_eq!((&again["unchanged"], &again["commit"]), (&json!(508), &Value::Null));
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
            "note": "the issues depend on each other in a cycle: zoo-2 → zoo-3 → zoo-2; `git wf edit zoo-2 --depends-on=-zoo-3` removes a dependency"
        }])
    );
    // The same again brings nothing, and so says nothing.
    assert_eq!(import(&repo, &file)["notes"], json!([]));
    repo.wf(&["edit", "zoo-2", "--depends-on=-zoo-3"]).ok();
    // One that is closed through what is here already.
    let report = import(&repo, &lines(&[on("zoo-9", "zoo-8")]));
    assert_eq!(report["notes"].as_array().unwrap().len(), 1, "the missing one alone: {report}");
    let report = import(&repo, &lines(&[on("zoo-8", "zoo-9")]));
    assert!(report["notes"][0]["note"].as_str().unwrap().contains("zoo-8 → zoo-9 → zoo-8"), "{report}");
}

#[test]
fn what_changed_without_another_time_comes_in_whole() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    // Of some fields the first value is the greater one, of others the second.
    let first =
        record("zoo-1", &json!({"title": "z", "assignee": "Ada", "labels": ["old"], "notes": "gone"}));
    let second = record("zoo-1", &json!({"title": "b", "assignee": "Zoe", "labels": ["new"]}));
    import(&repo, &lines(std::slice::from_ref(&first)));
    assert_eq!(import(&repo, &lines(std::slice::from_ref(&second)))["updated"], 1);
    let read = issue(&repo, "zoo-1");
    assert_eq!(
        (&read["title"], &read["assignee"], &read["tags"]),
        (&json!("b"), &json!("Zoe"), &json!(["new"]))
    );
    assert_eq!(read["extended_context"].get("notes").filter(|notes| !notes.is_null()), None);
    assert_eq!(read["imported"], second);
    assert_eq!(read["clock"]["title"], "2026-01-02T08:00:00.000Z/00001/import");
    assert_eq!(
        read["clock"]["priority"], "2026-01-02T08:00:00.000Z/00000/import",
        "what did not differ keeps its stamp"
    );
    // What was edited here stays.
    repo.wf(&["edit", "zoo-1", "--assignee", "Bea"]).ok();
    let tip = repo.tip();
    import(&repo, &lines(std::slice::from_ref(&second)));
    import(&repo, &lines(std::slice::from_ref(&first)));
    assert_eq!(repo.tip(), tip);
    let later = record("zoo-1", &json!({"title": "c", "assignee": "Zoe", "labels": ["new"]}));
    import(&repo, &lines(&[later]));
    let read = issue(&repo, "zoo-1");
    assert_eq!((&read["title"], &read["assignee"]), (&json!("c"), &json!("Bea")));
    assert_eq!(repo.wf(&["--json", "conflicts"]).ok().json(), json!([]));
}

#[test]
fn what_two_clones_read_apart_is_made_whole_by_the_next_import() {
    let first = record("zoo-1", &json!({"title": "z", "description": "a"}));
    let second = record("zoo-1", &json!({"title": "b", "description": "y"}));
    for next in [&first, &second] {
        let two = crate::clones::Two::new();
        import(&two.ada, &lines(std::slice::from_ref(&first)));
        import(&two.bea, &lines(std::slice::from_ref(&second)));
        for repo in [&two.ada, &two.bea, &two.ada] {
            repo.wf(&["sync"]).ok();
        }
        import(&two.ada, &lines(std::slice::from_ref(next)));
        let read = issue(&two.ada, "zoo-1");
        assert_eq!(
            (&read["title"], &read["context"], &read["imported"]),
            (&json!("b"), &json!("y"), &second)
        );
    }
}
