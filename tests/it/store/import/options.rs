//! What every import can do: a dry run, a selection, and answers that say what was kept.

use serde_json::{Value, json};

use super::{dependency, import, issue, lines, record, store};
use crate::support::Sandbox;

#[test]
fn a_dry_run_reports_the_same_and_writes_nothing() {
    let repo = store(&Sandbox::new(), "a");
    let file = lines(&[record("zoo-1", &json!({"owner": "ada"})), record("zoo-2", &json!({})), json!({})]);
    let tip = repo.tip();
    let mut told = repo.json_in(&file, &["import", "beads", "--dry-run", "-"]);
    assert_eq!((&told["dry_run"], &told["commit"], repo.tip()), (&json!(true), &Value::Null, tip.clone()));
    let shown = repo.wf_in(&file, &["import", "beads", "-n", "-"]).ok().stdout;
    assert!(shown.starts_with("would import 2 issues (dry run)\n"), "{shown}");
    assert!(shown.contains("line 3: it has no `id`"), "{shown}");
    assert_eq!(repo.tip(), tip);
    let done = import(&repo, &file);
    told["dry_run"] = json!(false);
    told["commit"] = done["commit"].clone();
    assert_eq!(told, done);
    let again = repo.wf_in(&file, &["import", "beads", "-n", "-"]).ok().stdout;
    assert!(again.starts_with("nothing new to import; 1 record was skipped"), "{again}");
}

#[test]
fn only_what_was_asked_for_comes_in_and_the_rest_is_counted() {
    let file = lines(&[
        record("zoo-1", &json!({"issue_type": "bug", "labels": ["auth"]})),
        record("zoo-2", &json!({"issue_type": "bug", "status": "closed"})),
        record("zoo-3", &json!({"issue_type": "event"})),
        record("zoo-4", &json!({"issue_type": "event", "updated_at": "2026-03-01T00:00:00Z"})),
    ]);
    for (options, came, left_out) in [
        (
            &["--skip-type", "event"][..],
            vec!["zoo-1", "zoo-2"],
            json!([{"reason": "type event", "issues": 2}]),
        ),
        (&["--only", "event,chore"], vec!["zoo-3", "zoo-4"], json!([{"reason": "type bug", "issues": 2}])),
        (&["--state", "closed"], vec!["zoo-2"], json!([{"reason": "open", "issues": 3}])),
        (&["-l", "auth"], vec!["zoo-1"], json!([{"reason": "without the label auth", "issues": 3}])),
        (
            &["--since", "2026-02-01"],
            vec!["zoo-4"],
            json!([{"reason": "not changed since then", "issues": 3}]),
        ),
        (
            &["--limit", "3"],
            vec!["zoo-1", "zoo-2", "zoo-3"],
            json!([{"reason": "beyond the limit", "issues": 1}]),
        ),
    ] {
        let repo = store(&Sandbox::new(), "a");
        let report = repo.json_in(&file, &[&["import", "beads", "-"], options].concat());
        assert_eq!((&report["created"], &report["left_out"]), (&json!(came.len()), &left_out), "{options:?}");
        let listed = repo.json(&["list", "--all"]);
        let mut ids: Vec<&str> =
            listed.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, came, "{options:?}");
    }
    let repo = store(&Sandbox::new(), "a");
    repo.wf_in(&file, &["import", "beads", "-", "--since", "once"]).fails(2);
}

#[test]
fn what_has_no_field_is_counted_once_shown_and_not_in_every_answer() {
    let repo = store(&Sandbox::new(), "a");
    let some = json!({"estimated_minutes": 15, "owner": "ada@example.org", "status": "in_progress",
        "dependencies": [dependency("zoo-1", "zoo-2", "tracks")]});
    let closed =
        json!({"status": "closed", "closed_at": "2026-01-02T07:00:00Z", "close_reason": "fed", "owner": "x"});
    let file = lines(&[record("zoo-1", &some), record("zoo-2", &closed)]);
    let shown = repo.wf_in(&file, &["import", "beads", "-"]).ok().stdout;
    let (_, kept) = shown.split_once("kept with the issues\n").unwrap();
    assert_eq!(
        kept,
        "       1  `estimated_minutes` has no field here\n       2  `owner` has no field here\n       \
         1  the dependency type `tracks` became a relation without a meaning here\n       \
         1  the status `in_progress` became `planning`\n"
    );
    let view = repo.json(&["show", "zoo-1"]);
    assert_eq!(
        view["kept"],
        json!({"estimated_minutes": 15, "owner": "ada@example.org", "status": "in_progress"})
    );
    assert_eq!(view["relations"], json!(["tracks:zoo-2"]));
    for args in [&["show", "zoo-1"][..], &["edit", "zoo-1", "--title", "Other"], &["trace", "zoo-1"]] {
        let answer = repo.json(args);
        assert!(answer.get("imported").is_none(), "{args:?}");
    }
    assert!(repo.json(&["list"])[0].get("imported").is_none());
    assert_eq!(repo.json(&["show", "zoo-1", "--imported"])["imported"]["estimated_minutes"], 15);
    assert_eq!(repo.json(&["show", "zoo-1", "--fields", "imported"])["imported"]["estimated_minutes"], 15);
    let text = repo.wf(&["show", "zoo-1"]).ok().stdout;
    assert!(
        text.contains("other fields of the source\n    estimated_minutes: 15\n    owner: ada@example.org\n"),
        "{text}"
    );
    assert!(!text.contains("created_by"), "{text}");

    // The time of closing comes from the source, until someone here closes it again.
    assert_eq!(repo.json(&["show", "zoo-2"])["closed_at"], "2026-01-02T07:00:00.000Z");
    assert_eq!(
        repo.json(&["list", "--all", "--status", "closed"])[0]["closed_at"],
        "2026-01-02T07:00:00.000Z"
    );
    assert!(repo.wf(&["show", "zoo-2"]).ok().stdout.contains(", fed\n"));
    assert!(repo.json(&["reopen", "zoo-2"]).get("closed_at").is_none());
    let closed = repo.json(&["close", "zoo-2"]);
    assert_ne!(closed["closed_at"], "2026-01-02T07:00:00.000Z");
    assert_eq!(closed["closed_at"], closed["updated_at"]);
}

#[test]
fn the_directory_of_a_tracker_is_as_good_as_its_file() {
    let repo = store(&Sandbox::new(), "a");
    repo.write("there/.beads/issues.jsonl", lines(&[record("zoo-1", &json!({"design": "Leaves."}))]));
    repo.wf(&["import", "beads", "there"]).ok();
    assert_eq!(repo.json(&["import", "beads", "there/.beads"])["unchanged"], 1);
    assert_eq!(issue(&repo, "zoo-1")["extended_context"]["design"], "Leaves.");
    repo.write("old/beads.jsonl", lines(&[record("zoo-2", &json!({}))]));
    repo.write("old/metadata.json", "{\"jsonl_export\": \"../../etc/passwd\"}");
    assert_eq!(repo.json(&["import", "beads", "old"])["created"], 1);
    repo.write("none/readme", "");
    let error = repo.refused(1, &["import", "beads", "none"]);
    assert_eq!(error["message"], "`none` contains no beads issues");
}
