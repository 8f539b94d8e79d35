//! What parts an imported issue from its source: each kind of text, a record that cannot be read, an earlier redaction.

use serde_json::json;

use super::redacted::{REASON, source};
use super::{import, lines};
use crate::support::{Repo, Sandbox, foreign, plan_on, record};

const SECRET: &str = "hunter2-is-the-password";

/// No command and no page shows the secret.
#[track_caller]
fn assert_hidden(repo: &Repo, plan: &str) {
    for args in [
        &["show", "zoo-1", "--imported"][..],
        &["show", "zoo-1", "--imported", "--json"],
        &["show", plan],
        &["solution", "list", "zoo-1", "--json"],
        &["feedback", "--json"],
        &["queue", "show", "--json"],
        &["context", "zoo-1"],
        &["export", "jsonl"],
        &["log", "-p"],
        &["diff", "1960-01-01.."],
        &["search", SECRET],
    ] {
        // Without a queue there is nothing to show, and a search repeats what it looked for.
        let ran = repo.wf(args);
        let ran = if args[..2] == ["queue", "show"] { ran } else { ran.ok() };
        for said in [ran.stdout, ran.stderr] {
            assert!(!said.replace(&format!("`{SECRET}`"), "").contains(SECRET), "{args:?}\n{said}");
        }
    }
    let pages = repo.path().join("pages");
    repo.wf(&["web", "--export", "pages"]).ok();
    let mut folders = vec![pages.clone()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                assert!(!text.contains(SECRET), "{}: {text}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "{seen}");
    std::fs::remove_dir_all(pages).unwrap();
}

/// The name of the only entry in a log.
fn entry(repo: &Repo, log: &str) -> String {
    let path = repo.store_path_in(&format!("/{log}/"));
    format!("{log}/{}", path.rsplit('/').next().unwrap().trim_end_matches(".json"))
}

#[test]
fn a_redacted_review_feedback_or_item_parts_an_issue_from_its_source_and_shows_nowhere() {
    let plain = |day: u32| {
        let mut record = super::record("zoo-1", &json!({"description": format!("as on day {day}")}));
        record["updated_at"] = format!("2026-01-0{day}T08:00:00Z").into();
        lines(&[record])
    };
    for kind in ["review", "feedback", "item"] {
        let sandbox = Sandbox::new();
        let repo = super::store(&sandbox, "a");
        repo.commit("a.txt", "a\n", "begin");
        import(&repo, &plain(2));
        let plan = repo
            .wf_in(plan_on("a.txt").to_string(), &["solution", "add", "zoo-1", "-"])
            .ok()
            .line()
            .to_owned();
        let (of, field) = match kind {
            "review" => {
                let bea = repo.as_person("Bea", "bea@example.org");
                let scores = ["--technical", "90", "--risk", "90", "--completeness", "90"];
                bea.wf(&[&["solution", "review", &plan, "--finding", SECRET][..], &scores].concat()).ok();
                (plan.clone(), entry(&repo, "reviews"))
            }
            "feedback" => {
                repo.wf(&["feedback", "zoo-1", "-m", SECRET]).ok();
                ("zoo-1".to_owned(), entry(&repo, "feedback"))
            }
            _ => {
                repo.wf(&["bind", "zoo-1", &plan]).ok();
                repo.wf(&["queue", "add", "zoo-1"]).ok();
                repo.wf(&["queue", "hold", "S-1", "-m", SECRET]).ok();
                let queue = repo.json(&["queue", "manage", "list"])[0]["id"].as_str().unwrap().to_owned();
                (format!("{queue}:S-1"), "held".to_owned())
            }
        };
        assert!(repo.wf(&["export", "jsonl"]).ok().stdout.contains(SECRET), "{kind}: it was there");
        repo.wf(&["redact", &of, &field, "-m", "a password"]).ok();
        assert_eq!(repo.json(&["show", "zoo-1", "--imported"])["imported"], "[redacted]", "{kind}");
        assert_hidden(&repo, &plan);
        let report = import(&repo, &plain(3));
        assert_eq!(report["left_out"], json!([{"reason": REASON, "issues": 1}]), "{kind}");
        assert_hidden(&repo, &plan);
        assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes", "{kind}");
    }
}

#[test]
fn of_an_issue_that_cannot_be_read_nobody_says_that_it_was_imported() {
    let sandbox = Sandbox::new();
    let repo = super::store(&sandbox, "a");
    repo.issue("ISS-001");
    let comment = repo.json(&["comment", "ISS-001", "-m", SECRET])["id"].as_str().unwrap().to_owned();
    repo.plumb(&[(&repo.store_path("/ISS-001/issue.json"), "{")]);
    let told =
        repo.wf(&["redact", "ISS-001", &format!("comments/{comment}"), "-m", "a password"]).ok().stderr;
    assert!(told.contains("`ISS-001` cannot be read; if it was imported, it no longer follows"), "{told}");
}

#[test]
fn a_redaction_of_what_the_issue_does_not_have_hides_nothing_of_it() {
    let sandbox = Sandbox::new();
    let repo = super::store(&sandbox, "a");
    import(&repo, &source(2, &json!({"description": null})));
    let redaction = json!({"target": "issue.json", "field": "context",
        "stamp": "2026-01-01T00:00:00.000Z/00000/import", "reason": "r", "author": "Eve <eve@example.org>",
        "created_at": "2026-01-05T02:00:00.000Z"});
    let (id, redaction) = record::entry("20260105T020000000Z-00000", redaction);
    let issue = repo.store_path("/zoo-1/issue.json");
    let path = issue.replace("issue.json", &format!("redactions/{id}.json"));
    repo.plumb(&[(&path, &format!("{redaction:#}\n"))]);
    let noted = repo.wf(&["fsck", "--verbose"]).ok().stdout;
    assert!(!noted.contains("still follows its source"), "{noted}");
}

#[test]
fn an_issue_that_cannot_be_read_no_longer_follows_its_source_either() {
    let sandbox = Sandbox::new();
    let repo = super::store(&sandbox, "a");
    import(&repo, &source(2, &json!({})));
    let comment = repo.json(&["show", "zoo-1"])["comments"][0]["id"].as_str().unwrap().to_owned();
    let path = repo.store_path("/zoo-1/issue.json");
    let sound = repo.stored_json(&path);
    repo.plumb(&[(&path, "{")]);
    let told = repo.wf(&["redact", "zoo-1", &format!("comments/{comment}"), "-m", "a password"]).ok();
    assert!(
        told.stderr.contains("`zoo-1` cannot be read; if it was imported, it no longer follows its source"),
        "{}",
        told.stderr
    );
    repo.plumb(&[(&path, &format!("{sound:#}\n"))]);
    assert_eq!(repo.json(&["show", "zoo-1", "--imported"])["imported"], "[redacted]");
    let report = import(&repo, &source(3, &json!({})));
    assert_eq!(report["left_out"], json!([{"reason": REASON, "issues": 1}]));
    assert!(!repo.wf(&["fsck", "--verbose"]).ok().stdout.contains("still follows"));
}

#[test]
fn fsck_names_an_issue_that_still_follows_its_source() {
    let sandbox = Sandbox::new();
    let repo = super::store(&sandbox, "a");
    import(&repo, &source(2, &json!({})));
    let told = repo.json(&["redact", "zoo-1", "context", "-m", "a password"]);
    let of_source = told.as_array().unwrap().iter().find(|it| it["field"] == "imported").unwrap();
    // As an earlier version of this program left it.
    let entry = format!("/zoo-1/redactions/{}.json", of_source["id"].as_str().unwrap());
    foreign::drop_path(&repo, &repo.store_path(&entry));
    let noted = || repo.wf(&["fsck", "--verbose"]).stdout;
    assert!(
        noted().contains("still follows its source") && noted().contains("zoo-1 imported`"),
        "{}",
        noted()
    );
    repo.wf(&["redact", "zoo-1", "imported", "-m", "a password"]).ok();
    assert!(!noted().contains("still follows its source"), "{}", noted());
}
