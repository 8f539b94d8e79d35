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
