//! What is redacted of imported plans and queues stays hidden, whatever the source says later.

use std::fs;

use serde_json::{Value, json};

use super::ccw::{AT, import, issue, item, queue, write};
use super::store;
use crate::support::{Repo, Sandbox};

const SECRET: &str = "hunter2-is-the-password";
const QUEUE: &str = "QUE-20260101080000";
const PLAN: &str = "SOL-ISS-001-1";

#[track_caller]
fn assert_hidden(repo: &Repo, what: &str) {
    for args in [
        &["queue", "show", QUEUE, "--json"][..],
        &["show", PLAN, "--json"],
        &["export", "jsonl"],
        &["log", "-p"],
    ] {
        let ran = repo.wf(args).ok();
        assert!(!ran.stdout.contains(SECRET), "{what}: {args:?}\n{}", ran.stdout);
    }
}

#[test]
fn a_redacted_plan_and_name_stay_hidden_with_a_later_import() {
    for is_purged in [false, true] {
        let sandbox = Sandbox::new();
        let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
        let state = |status: &str, updated: &str, other: &str| {
            let mut queue = queue(&[item(1, 1, "pending", &json!({}))], updated);
            queue["name"] = format!("{SECRET}{other}").into();
            queue["status"] = status.into();
            let issue = issue(1, "queued", &json!({"updated_at": updated}));
            write(&project, &[issue], &[], &[queue]);
            let plans = project.join(".workflow/issues/solutions/ISS-001.jsonl");
            let text = fs::read_to_string(&plans).unwrap();
            let mut lines: Vec<Value> =
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            lines[0]["description"] = format!("{SECRET}{other}").into();
            fs::write(plans, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        };
        state("active", AT, "");
        import(&repo, &project);
        repo.wf(&["redact", QUEUE, "name", "-m", "a password"]).ok();
        repo.wf(&["redact", PLAN, "plan", "-m", "a password"]).ok();
        assert_hidden(&repo, "redacted");
        if is_purged {
            repo.wf(&["redact", "--purge", "--yes"]).ok();
        }
        let (later, latest) = ("2026-01-02T08:00:00.000Z", "2026-01-03T08:00:00.000Z");
        // The same; other contents of the same time, until one of them is the greater; a later time; another text.
        let same = ["active", "paused", "archived", "active", "paused"].map(|status| (status, AT, ""));
        let others = [("paused", later, ""), ("active", latest, " again")];
        let mut report = Value::Null;
        for (status, updated, other) in same.into_iter().chain(others) {
            state(status, updated, other);
            report = import(&repo, &project);
            assert_hidden(&repo, &format!("{status} {updated}{other}, purged: {is_purged}"));
        }
        assert_eq!(repo.json(&["queue", "show", QUEUE])["status"], "active", "the rest follows");
        let notes = report["notes"].to_string();
        for part in ["`name` is redacted here", "redacted here; no longer follows its source"] {
            assert!(notes.contains(part), "{part}: {notes}");
        }
        assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
    }
}

/// The conflicts of the queue, by their files.
fn conflicts(repo: &Repo) -> Vec<(String, String)> {
    let shown = repo.json(&["queue", "show", QUEUE]);
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let declared = shown["conflicts"].as_array().unwrap().iter();
    declared.map(|it| (text(it, "file"), text(it, "rationale"))).collect()
}

#[test]
fn a_redacted_conflict_is_hidden_in_every_entry_of_it_and_others_come() {
    for is_purged in [false, true] {
        let sandbox = Sandbox::new();
        let [ada, bea] = ["ada", "bea"].map(|name| store(&sandbox, name));
        let project = sandbox.root().join("project");
        let state = |updated: &str, why: &str, files: &[&str]| {
            let conflict = |file: &&str| {
                json!({"type": "file_conflict", "solutions": ["S-1", "S-2"], "file": file, "rationale": why,
                    "resolution": "sequential", "created_at": AT})
            };
            let items = [1, 2].map(|n| item(n, n, "pending", &json!({})));
            let mut queue = queue(&items, updated);
            queue["conflicts"] = files.iter().map(conflict).collect();
            let issues = [1, 2].map(|n| issue(n, "queued", &json!({"updated_at": updated})));
            write(&project, &issues, &[], &[queue]);
        };
        state(AT, SECRET, &["src/a.rs"]);
        import(&ada, &project);
        let entry = ada.store_path_in(&format!("{QUEUE}/conflicts/"));
        let entry = entry.rsplit('/').next().unwrap().trim_end_matches(".json").to_owned();
        ada.wf(&["redact", QUEUE, &format!("conflicts/{entry}"), "-m", "a password"]).ok();
        if is_purged {
            ada.wf(&["redact", "--purge", "--yes"]).ok();
        }
        // An import on another day, in a clone that knows of no redaction.
        state("2026-01-02T08:00:00.000Z", &format!("{SECRET} again"), &["src/a.rs"]);
        import(&bea, &project);
        let export = bea.wf(&["export", "jsonl"]).ok().stdout;
        assert!(export.contains(SECRET));
        ada.wf_in(export, &["import", "jsonl", "-"]).ok();
        assert_hidden(&ada, "imported");
        // And here, with another one.
        state("2026-01-03T08:00:00.000Z", "they meet", &["src/b.rs"]);
        import(&ada, &project);
        state("2026-01-04T08:00:00.000Z", &format!("{SECRET} for ever"), &["src/a.rs"]);
        let report = import(&ada, &project);
        assert!(report["notes"].to_string().contains("a conflict is redacted here"), "{report}");
        assert_hidden(&ada, "imported again");
        let found = conflicts(&ada);
        assert!(found.contains(&("src/b.rs".into(), "they meet".into())), "{found:?}");
        assert_eq!(ada.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
    }
}

#[test]
fn the_items_of_a_redacted_issue_stay_in_their_queue() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let state = |numbers: &[u32], updated: &str| {
        let items: Vec<Value> = numbers.iter().map(|n| item(*n, *n, "pending", &json!({}))).collect();
        let issues = [1, 2].map(|n| issue(n, "queued", &json!({"updated_at": updated})));
        write(&project, &issues, &[], &[queue(&items, updated)]);
    };
    state(&[1, 2], AT);
    import(&repo, &project);
    repo.wf(&["redact", "ISS-001", "context", "-m", "a password"]).ok();
    state(&[], "2026-01-02T08:00:00.000Z");
    import(&repo, &project);
    let queue = repo.json(&["queue", "show", QUEUE]);
    let left: Vec<&Value> = queue["items"].as_array().unwrap().iter().map(|it| &it["issue_id"]).collect();
    assert_eq!(left, ["ISS-001"], "it is as it was, and the other one is no longer there");
}
