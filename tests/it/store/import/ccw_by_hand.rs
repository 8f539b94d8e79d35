//! Stores of ccw in which people and other programs wrote: words and ids that ccw itself does not make, and times that
//! change afterwards.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::ccw::{AT, files, import, issue, item, queue, statuses, write};
use super::store;
use crate::support::{Repo, Sandbox};

/// Writes the store that `repo` exports to a new directory.
fn export(repo: &Repo, to: &Path) -> Vec<(String, String)> {
    repo.json(&["export", "ccw", "-o", to.to_str().unwrap()]);
    files(&to.join(".workflow/issues"))
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn edit(path: &Path, edit: impl FnOnce(&mut Value)) {
    let mut value = read(path);
    edit(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

#[test]
fn statuses_that_ccw_itself_does_not_write_keep_their_meaning() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let unbound = json!({"bound_solution_id": null});
    let issues = [
        issue(1, "resolved", &json!({"bound_solution_id": null, "resolved_at": "2026-01-03T08:00:00.000Z"})),
        issue(2, "closed", &unbound),
        issue(3, "in-progress", &unbound),
        issue(4, "cancelled", &unbound),
        issue(5, "odd", &unbound),
    ];
    write(&project, &issues, &[], &[]);
    // Without plans, nothing is bound.
    fs::remove_dir_all(project.join(".workflow/issues/solutions")).unwrap();
    let report = import(&repo, &project);
    let expected = ["closed", "closed", "planning", "cancelled", "registered"];
    let words: Vec<String> = statuses(&repo).into_iter().map(|(_, status)| status).collect();
    assert_eq!(words, expected);
    let kept: Vec<&str> =
        report["kept"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert_eq!(
        kept,
        [
            "`in-progress` without an execution became planning",
            "`resolved` without an execution became closed",
            "the status `odd` became `registered`"
        ]
    );
    let resolved = repo.json(&["show", "ISS-001"]);
    assert_eq!(
        (&resolved["close_reason"], &resolved["closed_at"]),
        (&json!("resolved in ccw"), &json!("2026-01-03T08:00:00.000Z"))
    );
    assert!(repo.wf(&["show", "ISS-003"]).ok().stdout.contains("in-progress"));

    // They go back as they came, until someone changes them here.
    repo.wf(&["reopen", "ISS-002"]).ok();
    let out = sandbox.root().join("out");
    let first = export(&repo, &out);
    let text: String = first.iter().map(|(_, text)| text.as_str()).collect();
    let mut words: Vec<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|it| Some(format!("{} {}", it["id"].as_str()?, it["status"].as_str()?)))
        .collect();
    words.sort();
    assert_eq!(
        words,
        ["ISS-001 resolved", "ISS-002 registered", "ISS-003 in-progress", "ISS-004 cancelled", "ISS-005 odd"]
    );
    let other = store(&sandbox, "b");
    import(&other, &out);
    assert_eq!(statuses(&other), statuses(&repo));
    assert_eq!(export(&other, &sandbox.root().join("again")), first);
}

#[test]
fn the_state_of_an_issue_is_what_became_of_its_plan() {
    let sandbox = Sandbox::new();
    let project = sandbox.root().join("project");
    let done = json!({"started_at": AT, "completed_at": AT});
    let items = [item(1, 1, "completed", &done), item(2, 2, "pending", &json!({}))];
    let issues =
        [issue(2, "queued", &json!({})), issue(3, "resolved", &json!({})), issue(4, "paused", &json!({}))];
    write(&project, &issues, &[issue(1, "completed", &json!({}))], &[queue(&items, AT)]);
    for (name, state, expected) in
        [("a", "closed", ["ISS-001", "ISS-003"]), ("b", "open", ["ISS-002", "ISS-004"])]
    {
        let repo = store(&sandbox, name);
        repo.json(&["import", "ccw", "--state", state, project.to_str().unwrap()]);
        let ids: Vec<String> = statuses(&repo).into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, expected, "{state}");
    }
}

#[test]
fn a_short_id_of_a_plan_becomes_one_here_and_goes_back() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let bound = json!({"bound_solution_id": "SOL-1"});
    let short = |item: Value| {
        let mut item = item;
        item["solution_id"] = json!("SOL-1");
        item
    };
    let items = [short(item(1, 1, "pending", &json!({}))), short(item(2, 2, "pending", &json!({})))];
    let mut queue = queue(&items, AT);
    queue["conflicts"] = json!([{"type": "file_conflict", "solutions": ["S-1", "S-2"], "file": "src/a.rs",
        "resolution": "sequential", "resolution_order": ["S-2", "S-1"], "resolved": true}]);
    write(&project, &[issue(1, "queued", &bound), issue(2, "queued", &bound)], &[], &[queue]);
    for id in ["ISS-001", "ISS-002"] {
        let file = project.join(format!(".workflow/issues/solutions/{id}.jsonl"));
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace(&format!("SOL-{id}-"), "SOL-")).unwrap();
    }
    let report = import(&repo, &project);
    assert_eq!((&report["plans"], &report["items"], &report["skipped"]), (&json!(4), &json!(2), &json!([])));
    let notes = report["notes"].to_string();
    assert!(notes.contains("its plan `SOL-1` became `SOL-ISS-002-sol1`"), "{notes}");
    let shown = repo.json(&["show", "ISS-002"]);
    assert_eq!(
        (&shown["status"], &shown["bound_solution_id"]),
        (&json!("queued"), &json!("SOL-ISS-002-sol1"))
    );
    assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");

    let out = sandbox.root().join("out");
    let first = export(&repo, &out);
    assert!(first.iter().all(|(_, text)| !text.contains("-sol1")), "{first:#?}");
    for name in ["issues.jsonl", "solutions/ISS-001.jsonl"] {
        let lines = |project: &Path| -> Vec<Value> {
            let text = fs::read_to_string(project.join(".workflow/issues").join(name)).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        assert_eq!(lines(&out), lines(&project), "{name}");
    }
    let other = store(&sandbox, "b");
    import(&other, &out);
    assert_eq!(export(&other, &sandbox.root().join("again")), first);
}

#[test]
fn the_queue_that_ccw_works_on_is_served_first() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let named = |id: &str, item: Value| {
        let mut queue = queue(&[item], AT);
        queue["id"] = json!(id);
        queue
    };
    let queues = [
        named("QUE-20260101080000", item(1, 1, "pending", &json!({}))),
        named("QUE-20260102080000", item(1, 2, "pending", &json!({}))),
    ];
    write(&project, &[issue(1, "queued", &json!({})), issue(2, "queued", &json!({}))], &[], &queues);
    let index = project.join(".workflow/issues/queues/index.json");
    edit(&index, |index| index["active_queue_id"] = json!("QUE-20260102080000"));
    import(&repo, &project);
    assert_eq!(repo.json(&["queue", "show"])["id"], "QUE-20260102080000");
    let refused = repo.refused(1, &["queue", "hold", "S-1", "-m", "wait"]);
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.starts_with("name one of them, as in `QUE-2026010") && hint.ends_with(":S-1`"), "{hint}");
    assert_eq!(repo.json(&["next", "--local"])["issue_id"], "ISS-002");

    let again = store(&sandbox, "b");
    import(&again, &project);
    let out = sandbox.root().join("out");
    let first = export(&again, &out);
    let written = read(&out.join(".workflow/issues/queues/index.json"));
    assert_eq!(written["active_queue_id"], "QUE-20260102080000");
    assert!(written["queues"][0].get("priority").is_none(), "{written:#}");
    let other = store(&sandbox, "c");
    import(&other, &out);
    assert_eq!(export(&other, &sandbox.root().join("again")), first);

    // Which queue is active has no time of change there.
    edit(&index, |index| index["active_queue_ids"] = json!(["QUE-20260102080000"]));
    let report = import(&again, &project);
    let said = report["notes"].to_string();
    let status = &again.json(&["queue", "show", "QUE-20260101080000"])["status"];
    let is_listed = said.contains("`status` differs in the source");
    assert_eq!(is_listed, status != "paused", "applied or listed: {status} {said}");
}

#[test]
fn times_that_change_later_are_applied_or_listed() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let state = |bound_at: &str, queued_at: &str| {
        let queued = item(1, 1, "pending", &json!({"queued_at": queued_at}));
        write(&project, &[issue(1, "queued", &json!({}))], &[], &[queue(&[queued], AT)]);
        let file = project.join(".workflow/issues/solutions/ISS-001.jsonl");
        let text = fs::read_to_string(&file).unwrap();
        let bound = format!("\"is_bound\":true,\"bound_at\":\"{bound_at}\"");
        fs::write(&file, text.replace("\"is_bound\":true", &bound)).unwrap();
    };
    state("2026-01-02T08:00:00.000Z", "2026-01-02T09:00:00.000Z");
    import(&repo, &project);
    state("2026-01-03T08:00:00.000Z", "2026-01-03T09:00:00.000Z");
    let report = import(&repo, &project);
    assert_eq!(report["updated"], 1, "{report:#}");
    let notes: Vec<&str> =
        report["notes"].as_array().unwrap().iter().map(|it| it["note"].as_str().unwrap()).collect();
    assert_eq!(
        notes,
        [
            "the item `QUE-20260101080000:S-1`: `queued_at` differs in the source, but is written only once here; it stays as it is"
        ]
    );
    let out = sandbox.root().join("out");
    export(&repo, &out);
    let inside = out.join(".workflow/issues");
    let plans = fs::read_to_string(inside.join("solutions/ISS-001.jsonl")).unwrap();
    assert!(plans.contains("\"bound_at\":\"2026-01-03T08:00:00.000Z\""), "{plans}");
    let queue = read(&inside.join("queues/QUE-20260101080000.json"));
    assert_eq!(queue["solutions"][0]["queued_at"], "2026-01-03T09:00:00.000Z");
}

#[test]
fn the_one_queue_of_earlier_versions_keeps_its_groups_and_what_was_decided() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let issues = [1, 2, 3].map(|n| issue(n, "queued", &json!({})));
    write(&project, &issues, &[], &[]);
    let item = |n: u32| json!({"issue_id": format!("ISS-00{n}"), "solution_id": format!("SOL-ISS-00{n}-1")});
    let queue = json!({"queue": [item(1), item(2), item(3)],
        "conflicts": [{"issues": ["ISS-001", "ISS-002"], "files": ["a.ts"], "resolution": "ISS-001 first"}],
        "parallel_groups": [{"group": 1, "issues": ["ISS-001", "ISS-003"]}, {"group": 2, "issues": ["ISS-002"]}, null]});
    let folder = project.join(".workflow/issues");
    fs::create_dir_all(folder.join("queue")).unwrap();
    fs::write(folder.join("queue/execution-queue.json"), queue.to_string()).unwrap();
    let report = import(&repo, &project);
    let said = report["remarks"].to_string();
    assert!(said.contains("the resolution `ISS-001 first` of a conflict became its reason"), "{said}");
    assert!(!said.contains("parallel_groups"), "{said}");
    assert!(said.contains("QUE-execution-queue: it does not say when it was created"), "{said}");
    let shown = repo.json(&["queue", "show", "QUE-execution-queue"]);
    assert_eq!(shown["created_at"], "1970-01-01T00:00:00.000Z");
    assert_eq!(shown["items"][0]["queued_at"], AT, "that of its issue");
    // An older issue makes no other queue of it.
    let older =
        issue(4, "registered", &json!({"created_at": "2025-01-01T08:00:00.000Z", "bound_solution_id": null}));
    write(&project, &[older, issues[0].clone(), issues[1].clone(), issues[2].clone()], &[], &[]);
    let again = import(&repo, &project);
    assert_eq!((&again["created"], &again["queues"], &again["items"]), (&json!(1), &json!(0), &json!(0)));
    assert!(!again["notes"].to_string().contains("a different one"), "{again:#}");
    let out = sandbox.root().join("out");
    export(&repo, &out);
    let written = read(&out.join(".workflow/issues/queues/QUE-execution-queue.json"));
    let mut groups: Vec<String> = written["solutions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["issue_id"].as_str().unwrap(), it["execution_group"].as_str().unwrap()))
        .collect();
    groups.sort();
    assert_eq!(groups, ["ISS-001 P1", "ISS-002 S2", "ISS-003 P1"]);
    assert_eq!(written["conflicts"][0]["rationale"], "ISS-001 first");
    // A group of something else is named as left out.
    let mut other = queue;
    other["parallel_groups"] = json!([{"group": 1, "issues": ["ISS-009"]}]);
    fs::write(folder.join("queue/execution-queue.json"), other.to_string()).unwrap();
    let said = import(&store(&sandbox, "b"), &project)["remarks"].to_string();
    assert!(said.contains("no field here for the `parallel_groups`"), "{said}");
}
