//! Each kind of fault is reported once, and a store that commands made has none.

use serde_json::{Value, json};

use crate::support::foreign::{file, folder};
use crate::support::{Repo, Sandbox, plan, record};

const REF: &str = "refs/wf/main";
const AT: &str = "2026-11-21T02:00:00.000Z";
const BIRTH: &str = "2026-11-21T02:00:00.000Z/00000/0000000a";

fn store() -> (Sandbox, Repo) {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ada");
    repo.wf(&["init"]).ok();
    (sandbox, repo)
}

fn issue(id: &str) -> Value {
    json!({"id": id, "author": "Ada", "created_at": AT, "title": "t", "status": "registered", "priority": 3,
        "clock": {"*": BIRTH}})
}

fn solution(id: &str, issue: &str, plan: &Value) -> (String, Value) {
    let path = format!("{}/solutions/{id}/solution.json", folder(issue));
    (
        path,
        json!({"id": id, "issue_id": issue, "author": "Ada", "created_at": AT, "plan": plan, "clock": {"*": BIRTH}}),
    )
}

fn item(queue: &str, solution: &str, issue: &str) -> (String, Value) {
    let fan = &folder(issue)["issues/".len()..][..2];
    let path = format!("queues/{queue}/items/{fan}/{solution}.json");
    (
        path,
        json!({"item_id": "S-1", "issue_id": issue, "solution_id": solution, "plan_digest": "sha256:0",
        "position": "m", "queued_at": AT, "clock": {"*": BIRTH}}),
    )
}

/// The path and the record of an entry in a directory.
fn entry(folder: &str, record: Value) -> (String, Value) {
    let (id, record) = record::entry(record::PLACE, record);
    (format!("{folder}/{id}.json"), record)
}

/// Whether a finding of this severity at this path contains this text.
#[track_caller]
fn assert_found(repo: &Repo, severity: &str, path: &str, what: &str) {
    let found = repo.wf(&["fsck", "--json"]).fails(i32::from(severity == "error")).json();
    assert_among(&found, severity, path, what);
}

/// Whether one of these findings contains this text.
#[track_caller]
fn assert_among(found: &Value, severity: &str, path: &str, what: &str) {
    let fits = |it: &&Value| {
        it["severity"] == severity && it["path"] == path && it["what"].as_str().unwrap().contains(what)
    };
    assert_eq!(
        found.as_array().unwrap().iter().filter(fits).count(),
        1,
        "{severity} {path} {what}\n{found:#}"
    );
}

#[test]
fn a_store_that_commands_made_has_no_fault() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let repo = sandbox.clone(&origin, "ada");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "a\n", "first");
    for id in ["ISS-001", "ISS-002"] {
        repo.wf(&["new", "A title", "--id", id, "--tag", "x"]).ok();
        let added = repo.wf_in(plan().to_string(), &["solution", "add", id, "-"]).ok();
        repo.wf(&["bind", id, added.line()]).ok();
    }
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001", "--tag", "-x"]).ok();
    repo.wf(&["queue", "add", "ISS-001", "ISS-002"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "a remark"]).ok();
    repo.wf(&["next"]).ok();
    repo.commit("b.txt", "b\n", "work");
    repo.wf(&["fail", "-m", "no"]).ok();
    repo.wf(&["retry"]).ok();
    repo.wf(&["next"]).ok();
    repo.commit("c.txt", "c\n", "more work");
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    repo.wf(&["new", "Another"]).ok();
    repo.wf(&["redact", "ISS-002", "title", "-m", "a name"]).ok();
    repo.wf(&["close", "ISS-002", "--force", "--reason", "enough"]);
    repo.wf(&["sync"]).ok();
    assert_eq!(repo.wf(&["fsck", "--json"]).ok().json(), json!([]));
    assert_eq!(repo.wf(&["fsck"]).ok().stdout, "0 errors, 0 notes\n");
}

#[test]
fn what_records_say_of_each_other() {
    let (_sandbox, repo) = store();
    let with = |id: &str, field: &str, value: Value| {
        let mut record = issue(id);
        record[field] = value;
        (file(id), record)
    };
    let (one, two) = ("SOL-ISS-005-1", "SOL-ISS-005-2");
    let mut looped = item("QUE-1", one, "ISS-005");
    looped.1["depends_on"] = json!([two]);
    let mut back = item("QUE-1", two, "ISS-005");
    back.1["depends_on"] = json!([one]);
    let lost = format!("EXR-ISS-005-{:0>26}", 9);
    let mut bad_plan = plan();
    bad_plan["tasks"][0]["depends_on"] = json!(["T2"]);
    let mut foreign = solution("SOL-ISS-005-3", "ISS-005", &plan());
    foreign.1["issue_id"] = "ISS-001".into();
    let mut other_item = item("QUE-1", "SOL-ISS-005-3", "ISS-005");
    other_item.1["issue_id"] = "ISS-001".into();
    other_item.1["item_id"] = "S-2".into();
    let mut missing = item("QUE-1", "SOL-ISS-001-9", "ISS-001");
    missing.1["item_id"] = "S-3".into();
    let mut ahead = issue("ISS-006");
    ahead["clock"]["title"] = "2999-01-01T00:00:00.000Z/00000/0000000a".into();
    repo.plumb_records(&[
        with("ISS-001", "depends_on", json!(["ISS-002"])),
        with("ISS-002", "depends_on", json!(["ISS-001"])),
        with("ISS-003", "depends_on", json!(["ISS-404"])),
        with("ISS-004", "bound_solution_id", json!("SOL-ISS-004-1")),
        (file("ISS-005"), issue("ISS-005")),
        solution(one, "ISS-005", &plan()),
        solution(two, "ISS-005", &bad_plan),
        foreign,
        (
            "queues/QUE-1/queue.json".into(),
            json!({"id": "QUE-1", "created_at": AT, "status": "active", "priority": 1,
                "clock": {"*": BIRTH}}),
        ),
        looped,
        back,
        other_item,
        missing,
        (file("ISS-006"), ahead),
        entry(
            &format!("{}/comments", folder("ISS-007")),
            json!({"body": "b", "author": "a", "created_at": AT}),
        ),
        entry(
            &format!("{}/executions/{lost}/log", folder("ISS-005")),
            json!({"type": "unlink", "hash": "0".repeat(40), "actor": "a", "at": AT}),
        ),
        ("queues/QUE-2/items/00/x".into(), json!(1)),
        ("later/thing.json".into(), json!({"a": 1})),
    ]);
    let item_at = |solution: &str, issue: &str| item("QUE-1", solution, issue).0;
    for (severity, path, what) in [
        ("error", file("ISS-001"), "dependency cycle: ISS-001 → ISS-002"),
        ("note", file("ISS-003"), "depends on `ISS-404`, which is missing"),
        ("error", file("ISS-004"), "is bound to `SOL-ISS-004-1`, which is missing"),
        ("error", solution(two, "ISS-005", &plan()).0, "plan:"),
        (
            "error",
            solution("SOL-ISS-005-3", "ISS-005", &plan()).0,
            "names issue `ISS-001`, but is in the directory of `ISS-005`",
        ),
        ("error", item_at(one, "ISS-005"), "dependency cycle"),
        ("note", item_at(two, "ISS-005"), "`S-1` is also the number of `SOL-ISS-005-1`"),
        ("error", item_at("SOL-ISS-005-3", "ISS-005"), "names issue `ISS-001`"),
        ("note", item_at("SOL-ISS-001-9", "ISS-001"), "is missing"),
        ("error", file("ISS-006"), "stamps ahead of the clock of this machine"),
        ("error", file("ISS-007"), "although its directory exists"),
        (
            "error",
            format!("{}/executions/{lost}/execution.json", folder("ISS-005")),
            "although its directory exists",
        ),
        ("error", "queues/QUE-2/queue.json".into(), "although its directory exists"),
        ("note", "later".into(), "not a path of this format"),
    ] {
        let found = repo.wf(&["fsck", "--json"]).fails(1).json();
        assert_among(&found, severity, &path, what);
    }
}

#[test]
fn a_claim_names_a_commit_that_holds_its_plan() {
    let (_sandbox, repo) = store();
    repo.wf(&["new", "A title", "--id", "ISS-001"]).ok();
    let before = repo.tip().unwrap();
    let id = repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001", "-"]).ok().line().to_owned();
    let digest = repo.wf(&["show", "ISS-001", "--json"]).ok().json()["solutions"][0]["plan_digest"].clone();
    let with_plan = repo.tip().unwrap();
    let execution = |commit: &str, digest: &Value| {
        let (id, execution) =
            record::execution(json!({"nonce": "", "issue_id": "ISS-001", "solution_id": id,
            "plan_digest": digest, "plan_commit": commit, "attempt": 1, "actor": "a", "started_at": AT,
            "lease_expires_at": AT}));
        (format!("{}/executions/{id}/execution.json", folder("ISS-001")), execution)
    };
    for (commit, digest, what) in [
        (with_plan.as_str(), &digest, None),
        (&before, &digest, Some("holds no such plan")),
        (&with_plan, &json!("sha256:0"), Some("holds the plan `sha256:")),
        (&"0".repeat(40), &digest, Some("is not a commit of this history")),
        (&"0".repeat(64), &digest, Some("is not a commit of this history")),
        ("nonsense", &digest, Some("`nonsense` is not an object id")),
    ] {
        let file = execution(commit, digest);
        repo.plumb_records(std::slice::from_ref(&file));
        match what {
            None => assert_eq!(repo.wf(&["fsck", "--json"]).ok().json(), json!([])),
            Some(what) => assert_found(&repo, "error", &file.0, what),
        }
    }
}

#[test]
fn what_was_dropped_or_garbled_is_restored_in_one_commit() {
    let (_sandbox, repo) = store();
    for id in ["ISS-001", "ISS-002", "ISS-003"] {
        repo.wf(&["new", "A title", "--id", id]).ok();
    }
    let dropped = repo.plumb_records(&[(folder("ISS-001"), Value::Null)]);
    repo.plumb_records(&[(file("ISS-002"), json!({"id": "ISS-002"}))]);
    repo.plumb_records(&[(file("ISS-002"), json!("garbled again"))]);
    let found = repo.wf(&["fsck", "--json"]).fails(1).json();
    assert_eq!(found[0]["path"], file("ISS-002"));
    let mut of_dropped = found.as_array().unwrap().iter().filter(|it| it["path"] == file("ISS-001"));
    let of_dropped = of_dropped.next().unwrap();
    assert_eq!(of_dropped["commit"], dropped);
    assert_eq!(of_dropped["remedies"][0]["operation"], "fsck", "{found}");
    assert_eq!(of_dropped["remedies"][0]["options"], json!([{"name": "repair"}]), "{found}");

    let tip = repo.tip().unwrap();
    let ran = repo.wf(&["fsck", "--repair"]).ok();
    let mut named = [format!("restored {}", file("ISS-001")), format!("restored {}", file("ISS-002"))];
    named.sort();
    assert_eq!(ran.stdout.lines().take(2).collect::<Vec<_>>(), named);
    assert_eq!(repo.git(&["rev-parse", &format!("{REF}~1")]).ok().line(), tip);
    for id in ["ISS-001", "ISS-002", "ISS-003"] {
        assert_eq!(repo.wf(&["show", id, "--json"]).ok().json()["title"], "A title");
    }
    assert_found(&repo, "note", &file("ISS-001"), "restored since");
    let tip = repo.tip();
    repo.wf(&["fsck", "--repair"]).ok();
    assert_eq!(repo.tip(), tip, "nothing more to do");
}

#[test]
fn an_error_that_no_repair_removes_can_be_accepted() {
    let (_sandbox, repo) = store();
    repo.wf(&["new", "A title", "--id", "ISS-001"]).ok();
    let comments = format!("{}/comments", folder("ISS-001"));
    let (path, mut comment) = entry(&comments, json!({"body": "as it was", "author": "a", "created_at": AT}));
    comment["body"] = json!("as it was changed");
    repo.plumb_records(&[(path.clone(), comment)]);
    let found = repo.wf(&["fsck", "--repair", "--json"]).fails(1).json();
    assert_among(&found, "error", &path, "its id does not match its content");
    let accepts = format!("`git config --add wf.fsckAccepted {path}`");
    assert!(found[0]["remedies"].to_string().contains(&accepts), "{found:#}");
    repo.git(&["config", "--add", "wf.fsckAccepted", "another"]).ok();
    repo.git(&["config", "--add", "wf.fsckAccepted", &path]).ok();
    assert_found(&repo, "note", &path, "(accepted in `wf.fsckAccepted`)");
    repo.plumb_records(&[(file("ISS-001"), json!("garbled"))]);
    let found = repo.wf(&["fsck", "--json"]).fails(1).json();
    let mut garbled = found.as_array().unwrap().iter().filter(|it| it["path"] == file("ISS-001"));
    assert!(garbled.clone().count() > 0, "{found:#}");
    assert!(
        garbled.all(|it| !it["remedies"].to_string().contains("wf.fsckAccepted")),
        "it can be restored: {found:#}"
    );
}

#[test]
fn a_history_of_some_thousand_commits_takes_seconds() {
    let (_sandbox, repo) = store();
    let commits = if std::env::var_os("WF_LONG").is_some() { 20_000 } else { 1_000 };
    let mut stream = String::new();
    for n in 0..commits {
        let id = format!("ISS-{:03}", n % 300);
        let mut record = issue(&id);
        record["title"] = format!("t{n}").into();
        record["clock"]["title"] = format!("2026-11-21T02:00:00.000Z/{n:05}/0000000a").into();
        let text = format!("{record:#}\n");
        stream.push_str(&format!(
            "commit {REF}\ncommitter E <e@example.org> {} +0000\ndata 1\nx\n",
            1_795_226_400 + n
        ));
        if n == 0 {
            stream.push_str(&format!("from {}\n", repo.tip().unwrap()));
        }
        stream.push_str(&format!("M 100644 inline {}\ndata {}\n{text}\n", file(&id), text.len()));
    }
    repo.git_in(stream, &["fast-import", "--quiet"]).ok();
    let start = std::time::Instant::now();
    repo.wf(&["fsck"]).ok();
    // Two minutes for twenty thousand, on a machine that is also busy otherwise.
    assert!(start.elapsed().as_millis() < 6 * commits as u128 + 5_000, "{:?}", start.elapsed());
}

#[test]
fn runs_are_read_and_what_they_name_is_looked_for() {
    let (_sandbox, repo) = store();
    repo.plumb_records(&[(file("ISS-001"), issue("ISS-001"))]);
    let sound = [
        json!({"type": "phase", "status": "running", "phase": "listing"}),
        json!({"type": "issue", "issue_id": "ISS-001", "status": "planning"}),
        json!({"type": "action", "action": "explore", "issue_id": "ISS-001"}),
    ];
    repo.plumb_records(&record::run("RUN-20261121-9w1nx3h2", &["ISS-001"], &sound));
    assert_eq!(repo.wf(&["fsck", "--json"]).ok().json(), json!([]));

    let attempt = format!("EXR-ISS-001-{:0>26}", 1);
    let log = [
        json!({"type": "issue", "issue_id": "ISS-002", "status": "planning"}),
        json!({"type": "action", "action": "plan", "issue_id": "ISS-003"}),
        json!({"type": "issue", "issue_id": "ISS-001", "status": "planned", "solution_id": "SOL-ISS-002-1"}),
        json!({"type": "issue", "issue_id": "ISS-001", "status": "failed", "solution_id": "SOL-ISS-001-1",
            "queue_id": "QUE-1", "execution_id": attempt}),
        json!({"type": "phase", "status": "running", "phase": "dancing"}),
    ];
    let files = record::run("RUN-2", &["ISS-001", "ISS-404", "ISS-001"], &log);
    repo.plumb_records(&files);
    let at = |n: usize| files[n + 1].0.clone();
    for (severity, path, what) in [
        ("error", "runs/RUN-2/run.json".to_owned(), "names `ISS-001` twice"),
        ("note", "runs/RUN-2/run.json".to_owned(), "names `ISS-404`, which is missing"),
        ("error", at(0), "is about `ISS-002`, which is not an issue of the run"),
        ("error", at(1), "is about `ISS-003`, which is not an issue of the run"),
        ("error", at(2), "its plan `SOL-ISS-002-1` belongs to `ISS-002`"),
        ("note", at(3), "its plan `SOL-ISS-001-1` is missing"),
        ("note", at(3), "its queue `QUE-1` is missing"),
        ("note", at(3), &format!("its execution `{attempt}` is missing")),
        ("error", at(4), "unknown variant `dancing`"),
    ] {
        let found = repo.wf(&["fsck", "--json"]).fails(1).json();
        let fits = |it: &&Value| {
            it["severity"] == severity && it["path"] == path && it["what"].as_str().unwrap().contains(what)
        };
        assert_eq!(found.as_array().unwrap().iter().filter(fits).count(), 1, "{path}: {what}\n{found:#}");
    }
}

#[test]
fn a_run_lies_where_its_id_says() {
    let (_sandbox, repo) = store();
    let mut files = record::run("RUN-1", &[], &[]);
    files[0].1["id"] = "RUN-2".into();
    files.push(("runs/RUN-3/log/yesterday.json".into(), json!({})));
    files.push(("runs/1/run.json".into(), json!({})));
    repo.plumb_records(&files);
    for (severity, path, what) in [
        ("error", "runs/RUN-1/run.json", "has the id of another"),
        ("warning", "runs/RUN-3/log/yesterday.json", "`yesterday` cannot be the id of a log entry"),
        ("error", "runs/RUN-3/run.json", "missing, although its directory exists"),
        ("warning", "runs/1", "`1` cannot be the id of a run"),
    ] {
        let found = repo.wf(&["fsck", "--json"]).fails(1).json();
        assert_among(&found, severity, path, what);
    }
}

#[test]
fn of_many_files_that_one_commit_lost_the_first_is_named_with_their_number() {
    for (count, named) in [(20, 20), (21, 1)] {
        let (_sandbox, repo) = store();
        let ids: Vec<String> = (0..count).map(|n| format!("ISS-{n:03}")).collect();
        let records: Vec<(String, Value)> = ids.iter().map(|id| (file(id), issue(id))).collect();
        repo.plumb_records(&records);
        let gone: Vec<(String, Value)> = ids.iter().map(|id| (folder(id), Value::Null)).collect();
        let lost = repo.plumb_records(&gone);
        let found = repo.wf(&["fsck", "--json"]).fails(1).json();
        let of_lost: Vec<&Value> =
            found.as_array().unwrap().iter().filter(|it| it["commit"] == lost).collect();
        assert_eq!(of_lost.len(), named, "{found:#}");
        let what = of_lost[0]["what"].as_str().unwrap();
        assert_eq!(what.contains("(the first of 21 files)"), count > 20, "{what}");
        assert!(records.iter().any(|(path, _)| of_lost[0]["path"] == path.as_str()));
        // All of them come back, and this is reported in the same way.
        let repaired = repo.wf(&["fsck", "--repair"]).ok().stdout;
        assert_eq!(repaired.lines().filter(|line| line.starts_with("restored ")).count(), count);
        let notes = repo.wf(&["fsck", "--json"]).ok().json();
        let restored = notes.as_array().unwrap().iter().filter(|it| it["commit"] == lost);
        assert_eq!(restored.filter(|it| it["severity"] == "note").count(), named, "{notes:#}");
    }
}

/// Nothing is ever removed from the tree, so this must not fail forever.
#[test]
fn what_lies_where_nothing_reads_it_is_a_warning() {
    let (_sandbox, repo) = store();
    let path = "issues/00/ISS-001/issue.json";
    repo.plumb_records(&[(path.into(), issue("ISS-001"))]);
    let found = repo.wf(&["fsck", "--json"]).ok().json();
    assert_among(&found, "warning", "issues/00/ISS-001", "nothing reads it here");
    let shown = repo.wf(&["fsck"]).ok().stdout;
    assert!(shown.starts_with("warning issues/00/ISS-001: "), "{shown}");
    assert!(shown.ends_with("0 errors, 1 warning, 0 notes\n"), "{shown}");
}
