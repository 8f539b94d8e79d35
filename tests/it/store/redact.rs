//! A hidden value shows nowhere, whatever is merged later.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, entry_id, plan};

const SECRET: &str = "hunter2";
const REF: &str = "refs/wf/main";

fn two() -> (Sandbox, Repo, Repo) {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    ada.wf(&["init"]).ok();
    ada.wf(&["new", &format!("The password is {SECRET}"), "--id", "ISS-001"]).ok();
    ada.wf(&["sync"]).ok();
    let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    (sandbox, ada, bea)
}

#[track_caller]
fn assert_hidden(repo: &Repo, ids: &[&str]) {
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["list"],
        vec!["log"],
        vec!["log", "-p"],
        vec!["diff"],
        vec!["diff", "1960-01-01.."],
        vec!["conflicts"],
        vec!["status"],
        vec!["fsck", "-v"],
    ];
    for id in ids {
        commands.extend([vec!["show", id], vec!["log", "-p", id], vec!["trace", id]]);
    }
    for args in commands {
        for args in [args.clone(), [args, vec!["--json"]].concat()] {
            let ran = repo.wf(&args).ok();
            assert!(
                !ran.stdout.contains(SECRET) && !ran.stderr.contains(SECRET),
                "{args:?}\n{}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
}

#[test]
fn a_title_is_hidden_everywhere_and_stays_so() {
    let (_sandbox, ada, bea) = two();
    bea.wf(&["edit", "ISS-001", "--priority", "1"]).ok();
    let ran = ada.wf(&["redact", "ISS-001", "title", "-m", "a password", "--json"]).ok().json();
    assert_eq!(
        (&ran[0]["target"], &ran[0]["field"], &ran[0]["reason"]),
        (&"issue.json".into(), &"title".into(), &"a password".into())
    );
    assert_hidden(&ada, &["ISS-001"]);
    assert_eq!(ada.wf(&["show", "ISS-001", "--json"]).ok().json()["title"], "[redacted]");
    let tip = ada.tip();
    ada.wf(&["redact", "ISS-001", "title", "-m", "again"]).ok();
    assert_eq!(ada.tip(), tip, "repeating it changes nothing");

    // Other fields can be changed, and the hidden value is not overwritten.
    ada.wf(&["edit", "ISS-001", "--priority", "2", "--tag", "seen"]).ok();
    let stored = ada.git(&["log", "-p", "-1", REF]).ok().stdout;
    assert!(!stored.contains("[redacted]"), "{stored}");
    for repo in [&ada, &bea, &ada] {
        repo.wf(&["sync"]).ok();
        // Whether or not it knew of the redaction.
    }
    assert_hidden(&ada, &["ISS-001"]);
    assert_hidden(&bea, &["ISS-001"]);
    ada.wf(&["fsck"]).ok();

    // What is written afterwards shows.
    bea.wf(&["edit", "ISS-001", "--title", "A new title"]).ok();
    assert_eq!(bea.wf(&["show", "ISS-001", "--json"]).ok().json()["title"], "A new title");
    assert_hidden(&bea, &["ISS-001"]);
}

#[test]
fn an_older_value_that_a_merge_brings_is_hidden_too() {
    let (_sandbox, ada, bea) = two();
    // Bea writes the secret again. Ada, whose write is later, hides everything up to hers without having seen Bea's.
    bea.wf(&["edit", "ISS-001", "--title", &format!("Still {SECRET}")]).ok();
    ada.wf(&["edit", "ISS-001", "--title", &format!("Really {SECRET}")]).ok();
    ada.wf(&["redact", "ISS-001", "title", "-m", "a password"]).ok();
    for repo in [&ada, &bea, &ada] {
        repo.wf(&["sync"]).ok();
    }
    assert_hidden(&ada, &["ISS-001"]);
    assert_hidden(&bea, &["ISS-001"]);
}

#[test]
fn comments_sets_leaves_and_plans() {
    let (_sandbox, ada, _) = two();
    ada.wf(&["edit", "ISS-001", "--title", "harmless", "--tag", SECRET]).ok();
    ada.wf(&["redact", "ISS-001", "title", "-m", "r"]).ok();
    ada.wf(&["edit", "ISS-001", "--title", "harmless again"]).ok();
    ada.wf(&["redact", "ISS-001", "tags", "-m", "r"]).ok();
    ada.wf(&["edit", "ISS-001", "--tag", "kept"]).ok();
    let tags = ada.wf(&["show", "ISS-001", "--json"]).ok().json()["tags"].clone();
    assert_eq!(tags, serde_json::json!(["[redacted]", "kept"]));

    let entry = ada.wf(&["comment", "ISS-001", "-m", SECRET, "--json"]).ok().json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    ada.wf(&["comment", "ISS-001", "-m", "to be kept"]).ok();
    ada.wf(&["redact", "ISS-001", &format!("comments/{entry}"), "-m", "r"]).ok();

    let mut text = plan();
    text["description"] = SECRET.into();
    let added = ada.wf_in(text.to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    let solution = added.line().to_owned();
    ada.wf(&["redact", &solution, "plan", "-m", "r"]).ok();
    let hidden = ada.wf(&["solution", "show", &solution, "--json"]).ok().json();
    // Of the shown plan: {"description":"[redacted]","tasks":[]}.
    let digest = "sha256:4c2a38a4b40a64c9f5fcfbe975f171fd784d650d4ac0a8c1afc1d25450f19198";
    assert_eq!((&hidden["plan_digest"], &hidden["task_count"]), (&digest.into(), &0.into()));
    assert_hidden(&ada, &["ISS-001", &solution]);
    let shown = ada.wf(&["show", "ISS-001", "--json"]).ok().json();
    assert_eq!(shown["comments"][0]["body"], "[redacted]");
    assert_eq!(shown["comments"][1]["body"], "to be kept");
    ada.wf(&["fsck"]).ok();
}

#[test]
fn the_plan_of_a_claim_and_what_came_of_it() {
    let (_sandbox, ada, _) = two();
    ada.wf(&["redact", "ISS-001", "title", "-m", "r"]).ok();
    let mut text = plan();
    text["description"] = SECRET.into();
    let solution = ada.wf_in(text.to_string(), &["solution", "add", "ISS-001", "-"]).ok().line().to_owned();
    ada.commit("a.txt", "a\n", "first");
    ada.wf(&["bind", "ISS-001", &solution]).ok();
    ada.wf(&["queue", "add", "ISS-001"]).ok();
    ada.wf(&["next"]).ok();
    ada.wf(&["fail", "-m", SECRET]).ok();
    let shown = ada.wf(&["show", "ISS-001", "--json"]).ok().json();
    let execution = shown["executions"][0]["id"].as_str().unwrap().to_owned();
    let log = ada.git(&["ls-tree", "-r", "--name-only", REF]).ok().stdout;
    let end = log.lines().rfind(|path| path.contains("/log/")).unwrap();
    let entry = end.rsplit('/').next().unwrap();
    ada.wf(&["redact", &execution, &format!("log/{entry}"), "-m", "r"]).ok();
    for feedback in shown["feedback"].as_array().unwrap() {
        let field = format!("feedback/{}", feedback["id"].as_str().unwrap());
        ada.wf(&["redact", "ISS-001", &field, "-m", "r"]).ok();
    }
    ada.wf(&["redact", &solution, "plan", "-m", "r"]).ok();
    assert_hidden(&ada, &["ISS-001", &solution, &execution]);
    for args in [&["detail", &solution][..], &["solution", "show", &solution], &["queue", "show"]] {
        let ran = ada.wf(args).ok();
        assert!(!ran.stdout.contains(SECRET), "{args:?}: {}", ran.stdout);
    }
    ada.wf(&["fsck"]).ok();
}

#[test]
fn what_cannot_be_hidden_is_an_error() {
    let (_sandbox, ada, _) = two();
    let tip = ada.tip();
    for field in ["id", "status", "priority", "created_at", "nonsense", "context", "comments/2026", "clock"] {
        let error = ada.wf(&["redact", "ISS-001", field, "-m", "r", "--json"]).fails(1).json_error();
        assert!(
            ["not-redactable", "not-found"].contains(&error["code"].as_str().unwrap()),
            "{field}: {error}"
        );
    }
    ada.wf(&["redact", "ISS-404", "title", "-m", "r"]).fails(1);
    ada.wf(&["redact", "ISS-001", "title"]).fails(2);
    ada.wf(&["redact", "ISS-001", "title", "-m", " "]).fails(2);
    assert_eq!(ada.tip(), tip);
}

/// A redaction made by hand, in a form that no command writes.
fn redaction(repo: &Repo, folder: &str, place: &str, mut redaction: Value) -> String {
    redaction.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    redaction["reason"] = json!("no");
    redaction["author"] = json!("Eve <eve@example.org>");
    redaction["created_at"] = json!("2026-11-21T02:00:00.000Z");
    let id = entry_id(place, &redaction);
    let mut entry = serde_json::Map::new();
    entry.insert("id".into(), json!(id));
    entry.extend(redaction.as_object().unwrap().clone());
    let path = format!("{folder}/redactions/{id}.json");
    repo.plumb(&[(&path, &format!("{:#}\n", Value::Object(entry)))]);
    path
}

#[test]
fn a_redaction_that_names_no_stamp_of_its_field_hides_nothing() {
    for stamp in [
        Value::Null,
        json!(".998/2020-01-01T00:00:00.000Z/00000/00000000"),
        json!("2099-01-01T00:00:00.000Z/00000/00000000"),
        json!("8999-01-01T00:00:00.000Z/00000/00000000"),
    ] {
        let (_sandbox, ada, bea) = two();
        ada.wf(&["edit", "ISS-001", "-t", "one"]).ok();
        let folder = format!("issues/{}/ISS-001", ada.fan("ISS-001"));
        let place = |n: u8| format!("20261121T02000{n}000Z-00000");
        for (n, field) in [(0, "title"), (1, "tags"), (2, "author"), (3, "context")] {
            redaction(
                &ada,
                &folder,
                &place(n),
                json!({"target": "issue.json", "field": field, "stamp": stamp}),
            );
        }
        let shown = ada.wf(&["show", "ISS-001", "--json"]).ok().json();
        assert_eq!(shown["title"], format!("The password is {SECRET}"), "{stamp}");
        assert_eq!(shown["tags"], json!(["one"]), "{stamp}");
        ada.wf(&["edit", "ISS-001", "--title", "Another", "-t", "two", "-m", "A context"]).ok();
        ada.wf(&["sync"]).ok();
        bea.wf(&["sync"]).ok();
        for repo in [&ada, &bea] {
            let shown = repo.wf(&["show", "ISS-001", "--json"]).ok().json();
            let expected = json!(["Another", ["one", "two"], "A context"]);
            assert_eq!(json!([shown["title"], shown["tags"], shown["context"]]), expected, "{stamp}");
            assert!(shown["author"].as_str().unwrap().contains('@'), "{stamp}");
        }
        // Subjects of commits may quote the text that was to be hidden.
        let log = ada.wf(&["log", "-p", "ISS-001"]).ok();
        let is_subject = |line: &&str| line.contains(" issue: ");
        assert!(
            !log.stdout.lines().filter(|line| !is_subject(line)).any(|line| line.contains("[redacted]")),
            "{stamp}: {}",
            log.stdout
        );
        let found = ada.wf(&["fsck", "--json"]).ok().json();
        let hides_nothing =
            |it: &&Value| it["what"].as_str().unwrap().starts_with("hides nothing of `issue.json`");
        assert_eq!(found.as_array().unwrap().iter().filter(hides_nothing).count(), 4, "{found:#}");
        // An honest one still hides what it names.
        ada.wf(&["redact", "ISS-001", "title", "-m", "r"]).ok();
        assert_eq!(ada.wf(&["show", "ISS-001", "--json"]).ok().json()["title"], "[redacted]");
    }
}

#[test]
fn another_record_under_the_same_id_does_not_show_what_was_hidden_of_the_first() {
    let (sandbox, ada, bea) = two();
    bea.wf(&["sync"]).ok();
    ada.wf(&["new", "as it was", "--id", "GH-5"]).ok();
    sandbox.advance(60);
    bea.wf(&["new", "by Bea", "--id", "GH-5"]).ok();
    sandbox.advance(60);
    ada.wf(&["edit", "GH-5", "--title", SECRET]).ok();
    ada.wf(&["redact", "GH-5", "title", "-m", "a password"]).ok();
    ada.wf(&["sync"]).ok();
    bea.wf(&["sync"]).ok();
    ada.wf(&["sync"]).ok();
    for repo in [&ada, &bea] {
        assert_eq!(repo.wf(&["show", "GH-5", "--json"]).ok().json()["title"], "by Bea");
        for args in [&["conflicts"][..], &["log", "-p", "GH-5"], &["conflicts", "--json"]] {
            let ran = repo.wf(args).ok();
            assert!(!ran.stdout.contains(SECRET), "{args:?}: {}", ran.stdout);
        }
    }
}

#[test]
fn a_conflict_of_two_records_shows_no_hidden_leaf_of_either() {
    let (sandbox, ada, bea) = two();
    ada.wf(&["redact", "ISS-001", "title", "-m", "a password"]).ok();
    ada.wf(&["sync"]).ok();
    bea.wf(&["sync"]).ok();
    let notes = json!({"extended_context": {"notes": SECRET, "location": "src/a.rs"}}).to_string();
    ada.wf_in(&notes, &["new", "by Ada", "--id", "GH-5", "--from-json", "-"]).ok();
    sandbox.advance(60);
    bea.wf_in(&notes, &["new", "by Bea", "--id", "GH-5", "--from-json", "-"]).ok();
    ada.wf(&["sync"]).ok();
    bea.wf(&["sync"]).ok();
    bea.wf(&["redact", "GH-5", "extended_context/notes", "-m", "a password"]).ok();
    bea.wf(&["sync"]).ok();
    ada.wf(&["sync"]).ok();
    for repo in [&ada, &bea] {
        assert_eq!(repo.json(&["conflicts"])[0]["field"], "*");
        assert_hidden(repo, &["GH-5"]);
    }
    let refused = bea.refused(1, &["conflicts", "take", "GH-5"]);
    assert_eq!(refused["code"], "redacted");
    assert!(refused["hint"].as_str().unwrap().contains("git wf conflicts keep GH-5"), "{refused}");
    bea.wf(&["conflicts", "keep", "GH-5"]).ok();
    assert_eq!(
        (bea.json(&["conflicts"]), &bea.json(&["show", "GH-5"])["title"]),
        (json!([]), &json!("by Bea"))
    );
    assert_hidden(&bea, &["GH-5"]);
}

#[test]
fn purged_tags_stay_hidden_where_an_older_copy_of_one_comes_back() {
    let (_sandbox, ada, _) = two();
    ada.wf(&["edit", "ISS-001", "-t", "early"]).ok();
    ada.wf(&["edit", "ISS-001", "-t", "late"]).ok();
    let path = format!("issues/{}/ISS-001/issue.json", ada.fan("ISS-001"));
    let before = ada.stored_json(&path);
    ada.wf(&["redact", "ISS-001", "tags", "-m", "r"]).ok();
    ada.wf(&["redact", "--purge", "--yes"]).ok();
    let mut record = ada.stored_json(&path);
    assert_eq!(record["tags"], json!(["[redacted]"]));
    assert_eq!(
        record["clock"]["tags/[redacted]"], before["clock"]["tags/late"],
        "the latest of their stamps"
    );
    record["tags"] = json!(["[redacted]", "early"]);
    record["clock"]["tags/early"] = before["clock"]["tags/early"].clone();
    ada.plumb(&[(&path, &format!("{record:#}\n"))]);
    assert_eq!(ada.wf(&["show", "ISS-001", "--json"]).ok().json()["tags"], json!(["[redacted]"]));
}
