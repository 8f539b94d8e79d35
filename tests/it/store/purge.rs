//! `redact --purge`: what is hidden is in no object that the ref reaches.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan, record};

pub(crate) const SECRET: &str = "hunter2";
const REF: &str = "refs/wf/main";
const ROOT: &str = "441dcc324b8c7eb6eb155294920f6f982538e215";

/// An issue with a secret in most of its texts, and a claim; and an issue without secrets.
pub(crate) fn store(repo: &Repo) {
    repo.commit("a.txt", "a\n", "first");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "Harmless", "--id", "ISS-000"]).ok();
    repo.wf(&["new", &format!("The password is {SECRET}"), "--id", "ISS-001"]).ok();
    repo.wf(&["comment", "ISS-000", "-m", "stays"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Not any more", "--tag", SECRET]).ok();
    repo.wf(&["edit", "ISS-001", "--tag", "other"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", SECRET]).ok();
    let mut text = plan();
    text["id"] = "SOL-ISS-001-1".into();
    text["description"] = SECRET.into();
    repo.wf_in(text.to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    text["id"] = "SOL-ISS-000-1".into();
    text["description"] = "harmless".into();
    repo.wf_in(text.to_string(), &["solution", "add", "ISS-000", "-"]).ok();
    for issue in ["ISS-000", "ISS-001"] {
        repo.wf(&["bind", issue]).ok();
        repo.wf(&["queue", "add", issue]).ok();
    }
    repo.wf(&["next", "SOL-ISS-001-1", "--allow-overlap"]).ok();
    repo.wf(&["fail", "-m", SECRET]).ok();
    repo.wf(&["next", "SOL-ISS-000-1"]).ok();
}

/// Hides the secret wherever it is.
pub(crate) fn hide(repo: &Repo) {
    repo.wf(&["redact", "ISS-001", "title", "-m", "a password"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "A new title"]).ok();
    repo.wf(&["redact", "ISS-001", "tags", "-m", "a password"]).ok();
    repo.wf(&["redact", "SOL-ISS-001-1", "plan", "-m", "a password"]).ok();
    let shown = repo.wf(&["show", "ISS-001", "--json"]).ok().json();
    for log in ["comments", "feedback"] {
        for entry in shown[log].as_array().unwrap() {
            let field = format!("{log}/{}", entry["id"].as_str().unwrap());
            repo.wf(&["redact", "ISS-001", &field, "-m", "a password"]).ok();
        }
    }
    let execution = shown["executions"][0]["id"].as_str().unwrap();
    let files = repo.git(&["ls-tree", "-r", "--name-only", REF]).ok().stdout;
    let end = files.lines().rfind(|path| path.contains(&format!("{execution}/log/"))).unwrap();
    let field = format!("log/{}", end.rsplit('/').next().unwrap());
    repo.wf(&["redact", execution, &field, "-m", "a password"]).ok();
}

/// Everything that the references reach, as text.
pub(crate) fn held(repo: &Repo, refs: &[&str]) -> String {
    let listed = repo.git(&[&["rev-list", "--objects", "--no-object-names"], refs].concat()).ok().stdout;
    repo.git_in(listed, &["cat-file", "--batch"]).ok().stdout
}

#[track_caller]
pub(crate) fn assert_purged(repo: &Repo) {
    assert!(!held(repo, &[REF]).contains(SECRET));
    repo.git(&["fsck", "--strict"]).ok();
    repo.wf(&["fsck"]).ok();
}

#[test]
fn what_is_hidden_is_in_no_commit_any_more() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    store(&repo);
    hide(&repo);
    let before = repo.git(&["log", "--format=%an %ae %at %cn %ce %ct", REF]).ok().stdout;
    let shown = |id: &str| repo.wf(&["show", id, "--json"]).ok().json();
    let (first, second) = (shown("ISS-000"), shown("ISS-001"));
    let old = repo.tip().unwrap();
    assert!(held(&repo, &[REF]).contains(SECRET));
    repo.wf(&["redact", "--purge"]).fails(2);
    assert_eq!(repo.tip().as_ref(), Some(&old));

    let answer = repo.wf(&["redact", "--purge", "--yes", "--json"]).ok().json();
    assert_eq!((&answer["from"], &answer["to"]), (&old.into(), &repo.tip().into()));
    assert_eq!((&answer["remotes"], &answer["held_by"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert_purged(&repo);
    assert_eq!(repo.git(&["reflog", "show", REF]).ok().stdout, "");
    assert_eq!(repo.git(&["rev-list", "--max-parents=0", REF]).ok().line(), ROOT);
    assert_eq!(repo.git(&["log", "--format=%an %ae %at %cn %ce %ct", REF]).ok().stdout, before);
    let subjects = repo.git(&["log", "--format=%s", REF]).ok().stdout;
    for subject in ["issue: create ISS-001: [redacted]", "issue: create ISS-000 \"Harmless\""] {
        assert!(subjects.contains(subject), "{subjects}");
    }
    // What has nothing to do with the secret shows as before; claims name the commits that now have their plans.
    let without_commit = |mut shown: Value| {
        shown["executions"][0].as_object_mut().unwrap().remove("plan_commit").unwrap();
        for log in ["comments", "feedback"] {
            for entry in shown[log].as_array_mut().unwrap() {
                entry.as_object_mut().unwrap().remove("id").unwrap();
            }
        }
        shown
    };
    assert_eq!(without_commit(shown("ISS-000")), without_commit(first));
    assert_eq!(without_commit(shown("ISS-001")), without_commit(second));
    repo.wf(&["detail"]).ok();
    let detail = repo.wf(&["detail", "SOL-ISS-001-1"]).ok().stdout;
    assert!(!detail.contains(SECRET), "{detail}");
    for args in [&["log", "-p"][..], &["trace", "ISS-001"], &["status"], &["queue", "show"]] {
        assert!(!repo.wf(args).ok().stdout.contains(SECRET), "{args:?}");
    }

    // Once is enough, and work continues.
    let tip = repo.tip();
    assert_eq!(repo.wf(&["redact", "--purge", "--yes", "--json"]).ok().json()["commits"], 0);
    assert_eq!(repo.tip(), tip);
    repo.done();
    repo.git(&["gc", "--quiet", "--prune=now"]).ok();
    assert_purged(&repo);
    assert!(!held(&repo, &["--all"]).contains(SECRET));
}

#[test]
fn across_clones() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    store(&ada);
    ada.wf(&["sync"]).ok();
    let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    // The history contains a merge.
    bea.wf(&["new", "Of Bea", "--id", "ISS-002"]).ok();
    ada.wf(&["new", "Of Ada", "--id", "ISS-003"]).ok();
    bea.wf(&["sync"]).ok();
    hide(&ada);
    bea.wf(&["comment", "ISS-002", "-m", "more"]).ok();
    bea.wf(&["sync"]).ok();

    // Records that others have and that are not here would be lost.
    ada.git(&["fetch", "--quiet"]).ok();
    let error = ada.wf(&["redact", "--purge", "--yes", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "unmerged", "{error}");
    ada.wf(&["sync"]).ok();
    let old = ada.tip().unwrap();
    ada.git(&["tag", "kept", &old]).ok();
    let answer = ada.wf(&["redact", "--purge", "--yes", "--json"]).ok().json();
    assert_purged(&ada);
    let merge = ada.git(&["rev-list", "--merges", "-1", "--parents", REF]).ok().stdout;
    let parents: Vec<&str> = merge.split_whitespace().skip(1).collect();
    assert!(parents.len() == 2 && parents.is_sorted(), "{merge}");
    assert_eq!(answer["held_by"], serde_json::json!(["refs/tags/kept"]));
    let remote = &answer["remotes"][0];
    assert_eq!(remote["remote"], "origin");
    ada.git(&["rev-parse", "--verify", "--quiet", remote["tracking"].as_str().unwrap()]).fails(1);

    // The commands that it prints do this.
    let run = |repo: &Repo, command: &Value| repo.sh(&["-c", command.as_str().unwrap()]).ok();
    assert_eq!(ada.refused(1, &["sync"])["code"], "purged");
    run(&ada, &remote["push"]);
    ada.wf(&["sync"]).ok();
    assert_eq!(bea.refused(1, &["sync"])["code"], "purged");
    run(&bea, &remote["clones"]);
    bea.wf(&["new", "Afterwards", "--id", "ISS-004"]).ok();
    for repo in [&bea, &ada, &bea] {
        repo.wf(&["sync"]).ok();
        assert_purged(repo);
    }
    assert_eq!(ada.tip(), bea.tip());
    assert_purged(&origin);
    assert_eq!(ada.wf(&["list", "--all", "--json"]).ok().json().as_array().unwrap().len(), 5);
}

#[test]
fn two_clones_that_purge_the_same_history_agree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    store(&repo);
    hide(&repo);
    repo.sh(&["-c", "cp -r . ../other"]).ok();
    let other = sandbox.at("other").as_person("Bea", "bea@example.org");
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    other.wf(&["redact", "--purge", "--yes"]).ok();
    assert_eq!(repo.tip(), other.tip());
}

#[test]
fn hide_and_purge_at_once() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", &format!("The password is {SECRET}"), "--id", "ISS-001"]).ok();
    repo.wf(&["close", "ISS-001", "--force", "--reason", &format!("it was {SECRET}")]).ok();
    let hide = ["redact", "ISS-001", "title", "-m", "r", "--purge"];
    repo.wf(&hide).fails(2);
    repo.wf(&[&hide[..], &["--yes"]].concat()).ok();
    assert_purged(&repo);
    assert!(!repo.wf(&["log", "--json"]).ok().stdout.contains(SECRET));
    repo.wf(&["redact", "--purge", "ISS-001", "--yes"]).fails(2);
    repo.wf(&["redact", "--yes"]).fails(2);
}

#[test]
fn killed_in_the_middle() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    store(&repo);
    hide(&repo);
    let old = repo.tip();
    for point in ["objects", "noted", "locked"] {
        repo.with_env("WF_FAULT", point).wf(&["redact", "--purge", "--yes"]).fails(-1);
        assert_eq!(repo.tip(), old, "{point}");
        repo.wf(&["fsck"]).ok();
    }
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    assert_purged(&repo);
}

#[test]
fn the_index_goes_with_what_was_ever_in_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    store(&repo);
    assert!(repo.wf(&["search", SECRET]).ok().stdout.contains("ISS-001"));
    let beside = repo.path().join(".git/wf");
    let holds = || {
        let files = beside.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let mut files = files.filter_map(|path| std::fs::read(path).ok());
        files.any(|bytes| bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()))
    };
    assert!(holds());
    hide(&repo);
    // Someone who deletes the database leaves its log.
    std::fs::remove_file(beside.join("index.db")).unwrap();
    std::fs::write(beside.join("index.db-wal"), SECRET).unwrap();
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    assert!(!holds());
    assert_eq!(repo.json(&["search", SECRET])["total"], 0);
    // The same with a complete one.
    assert!(beside.join("index.db").exists());
    repo.wf(&["redact", "ISS-000", "title", "-m", "a password"]).ok();
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    assert!(!beside.join("index.db").exists());
}

#[test]
fn what_is_hidden_of_a_queue_or_a_run_goes_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ada");
    repo.wf(&["init"]).ok();
    let queue =
        repo.wf(&["queue", "manage", "new", SECRET, "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    let at = "2026-11-21T02:14:05.123Z";
    let failed = json!({"type": "phase", "status": "running", "phase": "planning",
        "error": {"message": SECRET}, "actor": "Ada", "at": at});
    let (entry, failed) = record::entry(record::PLACE, failed);
    let redaction = json!({"target": format!("log/{entry}.json"), "field": "error/message",
        "reason": "a password", "author": "Ada", "created_at": at});
    let (hiding, redaction) = record::entry(record::PLACE, redaction);
    repo.plumb_records(&[
        record::run("RUN-1", &[], &[]).remove(0),
        (format!("runs/RUN-1/log/{entry}.json"), failed),
        (format!("runs/RUN-1/redactions/{hiding}.json"), redaction),
    ]);
    repo.wf(&["redact", &queue, "name", "-m", "a password"]).ok();
    let shown = repo.wf(&["log", "-p", "--json"]).ok().stdout;
    assert!(!shown.contains(SECRET), "{shown}");
    assert!(held(&repo, &[REF]).contains(SECRET));
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    assert!(!held(&repo, &[REF]).contains(SECRET));
    repo.wf(&["fsck"]).ok();
}
