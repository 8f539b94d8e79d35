//! An issue of which something is redacted no longer follows its source, so no hidden text comes back.

use serde_json::{Value, json};

use super::git_bug::{Bug, bug};
use super::{ccw, import, lines, record};
use crate::support::{Repo, Sandbox, Two};

const SECRET: &str = "hunter2-is-the-password";

pub(super) fn source(day: u32, more: &Value) -> String {
    let comments = json!([
        {"id": 7, "author": "Ada", "text": format!("It is {SECRET}."), "created_at": "2026-01-01T09:00:00Z"},
        {"id": 8, "author": "Bea", "text": "Hm.", "created_at": "2026-01-01T10:00:00Z"},
    ]);
    let mut record =
        record("zoo-1", &json!({"description": SECRET, "estimated_minutes": 15, "comments": comments}));
    record["updated_at"] = format!("2026-01-0{day}T08:00:00Z").into();
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    lines(&[record])
}

#[track_caller]
fn assert_hidden(repo: &Repo) {
    for args in [
        &["show", "zoo-1", "--imported"][..],
        &["show", "zoo-1", "--imported", "--json"],
        &["export", "jsonl"],
        &["export", "beads"],
        &["export", "csv"],
        &["list", "--json"],
        &["log", "-p"],
        &["diff", "1960-01-01.."],
    ] {
        let ran = repo.wf(args).ok();
        assert!(!ran.stdout.contains(SECRET), "{args:?}\n{}", ran.stdout);
    }
    assert_eq!(repo.json(&["search", SECRET])["hits"], json!([]));
}

/// With a hidden description and a hidden comment.
fn redact(repo: &Repo) {
    repo.wf(&["redact", "zoo-1", "context", "-m", "a password"]).ok();
    let shown = repo.json(&["show", "zoo-1"]);
    let comment = shown["comments"][0]["id"].as_str().unwrap();
    repo.wf(&["redact", "zoo-1", &format!("comments/{comment}/body"), "-m", "a password"]).ok();
}

pub(super) const REASON: &str = "redacted here; no longer follows its source";

#[test]
fn an_issue_with_something_redacted_stays_as_it_is() {
    for is_purged in [false, true] {
        let sandbox = Sandbox::new();
        let repo = super::store(&sandbox, "a");
        import(&repo, &source(2, &json!({})));
        let told = repo.wf(&["redact", "zoo-1", "context", "-m", "a password"]).ok();
        assert!(told.stderr.contains("`zoo-1` no longer follows its source"), "{}", told.stderr);
        redact(&repo);
        assert_hidden(&repo);
        if is_purged {
            repo.wf(&["redact", "--purge", "--yes"]).ok();
            let objects = repo.git(&["log", "-p", "--format=", "refs/wf/main"]).ok().stdout;
            assert!(!objects.contains(SECRET), "{objects}");
        }
        let tip = repo.tip();
        let comments = json!([{"id": 9, "author": "Ada", "text": format!("{SECRET}?"),
            "created_at": "2026-01-01T11:00:00Z"}]);
        let escaped = json!({"title": "Other", "notes": format!("a \"{SECRET}\""), "comments": comments});
        for (day, more) in [(2, json!({})), (3, json!({"labels": ["new"]})), (4, escaped)] {
            let report = import(&repo, &source(day, &more));
            assert_hidden(&repo);
            assert_eq!(report["left_out"], json!([{"reason": REASON, "issues": 1}]));
            assert_eq!(report["notes"], json!([{"id": "zoo-1", "note": REASON}]));
        }
        let strict = source(5, &json!({}));
        let told = repo.wf_in(strict, &["import", "beads", "--strict", "-"]).ok().stdout;
        assert!(told.contains("left out          1"), "{told}");
        assert_eq!(repo.tip(), tip);
        let shown = repo.json(&["show", "zoo-1", "--imported"]);
        for field in ["context", "imported"] {
            assert_eq!(shown[field], "[redacted]", "{field}");
        }
        assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
    }
}

/// The execution and the field of an entry in its log, if this is one.
fn logged(path: &str) -> Option<(String, String)> {
    let (_, inside) = path.split_once("/executions/")?;
    let (execution, entry) = inside.strip_suffix(".json")?.split_once("/log/")?;
    Some((execution.to_owned(), format!("log/{entry}")))
}

#[test]
fn it_is_so_with_every_source_and_whatever_is_redacted() {
    let sandbox = Sandbox::new();
    let github = |repo: &Repo, day: u32| {
        let record = json!([{"number": 7, "title": "About 7", "body": SECRET, "author": {"login": "ada"}, "state": "OPEN",
            "labels": [{"name": format!("day-{day}")}], "url": "https://github.com/zoo/okapi/issues/7",
            "createdAt": "2026-01-01T08:00:00Z", "updatedAt": format!("2026-01-0{day}T08:00:00Z"),
            "comments": [{"author": {"login": "bea"}, "body": SECRET, "createdAt": "2026-01-01T09:00:00Z"}]}]);
        repo.json_in(record.to_string(), &["import", "github", "-"])
    };
    let git_bug = |repo: &Repo, day: u32| {
        let label = |day: u32| Bug::Labels {
            added: vec![format!("{SECRET}-{day}")],
            removed: vec![],
            at: day.into(),
        };
        bug(repo, &(0..day).map(label).collect::<Vec<_>>());
        repo.json(&["import", "git-bug"])
    };
    let project = sandbox.root().join("project");
    let ccw = |repo: &Repo, day: u32| {
        let at = format!("2026-01-0{day}T08:00:00.000Z");
        let item = ccw::item(1, 1, "failed", &json!({"failure_details": {"message": SECRET}}));
        let issue = ccw::issue(1, "queued", &json!({"context": SECRET, "updated_at": at}));
        ccw::write(&project, &[issue], &[], &[ccw::queue(&[item], &at)]);
        ccw::import(repo, &project)
    };
    type Import<'a> = &'a dyn Fn(&Repo, u32) -> Value;
    let sources: [(&str, Import<'_>, &[[&str; 2]]); 3] = [
        ("github", &github, &[["GH-7", "context"], ["GH-7", "comments"]]),
        ("git-bug", &git_bug, &[["GB", "tags"]]),
        ("ccw", &ccw, &[["ISS-001", "context"], ["SOL-ISS-001-1", "plan"], ["ISS-001", "log"]]),
    ];
    for (name, import, redacted) in sources {
        let repo = super::store(&sandbox, name);
        import(&repo, 2);
        let id = repo.json(&["list"])[0]["id"].as_str().unwrap().to_owned();
        for [of, field] in redacted {
            let of = if *of == "GB" { &id } else { *of };
            let mut wanted = vec![(of.to_owned(), (*field).to_owned())];
            if *field == "comments" {
                let comment = repo.json(&["show", &id])["comments"][0]["id"].as_str().unwrap().to_owned();
                wanted = vec![(of.to_owned(), format!("comments/{comment}"))];
            }
            if *field == "log" {
                wanted = repo
                    .store_paths()
                    .iter()
                    .filter_map(|path| {
                        logged(path).filter(|_| repo.stored_json(path).to_string().contains(SECRET))
                    })
                    .collect();
                assert!(!wanted.is_empty());
            }
            for (of, field) in wanted {
                repo.wf(&["redact", &of, &field, "-m", "a password"]).ok();
                assert_eq!(repo.json(&["show", &id, "--imported"])["imported"], "[redacted]", "{of} {field}");
            }
        }
        let before = repo.json(&["show", &id]);
        for day in [3, 4] {
            let report = import(&repo, day);
            assert_eq!(report["left_out"], json!([{"reason": REASON, "issues": 1}]), "{name}");
            let shown = repo.json(&["show", &id]);
            for field in ["title", "context", "tags", "comments", "updated_at"] {
                assert_eq!(shown[field], before[field], "{name}: {field}");
            }
            let all = repo.wf(&["export", "jsonl"]).ok().stdout;
            assert!(!all.contains(SECRET), "{name}: {all}");
            assert_eq!(repo.json(&["show", &id, "--imported"])["imported"], "[redacted]", "{name}");
        }
        assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes", "{name}");
    }
}

#[test]
fn what_is_not_hidden_goes_out_again() {
    let sandbox = Sandbox::new();
    let repo = super::store(&sandbox, "a");
    import(&repo, &source(2, &json!({})));
    redact(&repo);
    let out: Value = serde_json::from_str(repo.wf(&["export", "beads"]).ok().stdout.trim()).unwrap();
    assert_eq!((&out["description"], &out["title"]), (&json!("[redacted]"), &json!("About zoo-1")));
    let comments: Vec<&Value> = out["comments"].as_array().unwrap().iter().map(|it| &it["text"]).collect();
    assert_eq!(comments, ["[redacted]", "Hm."]);
}

/// A later record whose texts changed, as a clone reads it that knows of no redaction.
fn later() -> String {
    source(3, &json!({"description": format!("{SECRET} again"), "labels": ["new"]}))
}

#[test]
fn a_merge_brings_nothing_back() {
    for is_purged in [false, true] {
        let two = Two::new();
        import(&two.ada, &source(2, &json!({})));
        two.meet();
        redact(&two.ada);
        import(&two.bea, &later());
        two.meet();
        two.assert_one_state();
        for repo in [&two.ada, &two.bea] {
            if is_purged {
                repo.wf(&["redact", "--purge", "--yes"]).ok();
            }
            assert_hidden(repo);
            assert_eq!(repo.json(&["show", "zoo-1"])["tags"], json!(["new"]));
            assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
        }
    }
}

#[test]
fn an_export_of_a_clone_that_did_not_know_brings_nothing_back() {
    for is_purged in [false, true] {
        let sandbox = Sandbox::new();
        let [ada, bea] = ["ada", "bea"].map(|name| super::store(&sandbox, name));
        import(&ada, &source(2, &json!({})));
        import(&bea, &source(2, &json!({})));
        redact(&ada);
        if is_purged {
            ada.wf(&["redact", "--purge", "--yes"]).ok();
        }
        for _ in 0..2 {
            let export = bea.wf(&["export", "jsonl"]).ok().stdout;
            assert!(export.contains(SECRET));
            ada.wf_in(export, &["import", "jsonl", "-"]).ok();
            assert_hidden(&ada);
            import(&bea, &later());
        }
        // Nor does it stay in the clone that learns of the redaction.
        let export = ada.wf(&["export", "jsonl"]).ok().stdout;
        bea.wf_in(export, &["import", "jsonl", "-"]).ok();
        assert_hidden(&bea);
        import(&bea, &source(4, &json!({})));
        assert_hidden(&bea);
    }
}

/// The comments of an issue as another clone reads them that knows of no redaction: later, and changed around the text.
fn commented_later(text: &str) -> String {
    let comments = json!([
        {"id": 7, "author": "Ada", "text": text, "created_at": "2026-01-01T09:00:00Z"},
        {"id": 8, "author": "Bea", "text": "Hm.", "created_at": "2026-01-01T10:00:00Z"},
    ]);
    source(3, &json!({"comments": comments}))
}

#[test]
fn a_redacted_comment_is_hidden_in_every_entry_of_it() {
    let same = format!("It is {SECRET}.");
    let changed = format!("Now it is {SECRET}, too.");
    for (is_purged, is_synced, text) in
        [(false, true, &same), (true, true, &changed), (false, false, &changed), (true, false, &same)]
    {
        let two = Two::new();
        import(&two.ada, &source(2, &json!({})));
        redact(&two.ada);
        if is_purged {
            two.ada.wf(&["redact", "--purge", "--yes"]).ok();
        }
        import(&two.bea, &commented_later(text));
        if is_synced {
            two.meet();
            two.assert_one_state();
            assert_hidden(&two.bea);
        } else {
            let export = two.bea.wf(&["export", "jsonl"]).ok().stdout;
            assert!(export.contains(SECRET));
            two.ada.wf_in(export, &["import", "jsonl", "-"]).ok();
        }
        assert_hidden(&two.ada);
        let shown = two.ada.json(&["show", "zoo-1"]);
        let texts: Vec<&Value> = shown["comments"].as_array().unwrap().iter().map(|it| &it["body"]).collect();
        assert_eq!(texts, ["[redacted]", "Hm."]);
        two.ada.wf(&["redact", "--purge", "--yes"]).ok();
        let objects = two.ada.git(&["log", "-p", "--format=", "refs/wf/main"]).ok().stdout;
        assert!(!objects.contains(SECRET), "{objects}");
        assert_hidden(&two.ada);
        assert_eq!(two.ada.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
    }
}
