//! Stores of ccw with faults, and stores that are imported again, later or elsewhere.

use std::fs;

use serde_json::{Value, json};

use super::ccw::{AT, import, issue, item, queue, solution, statuses, write};
use super::store;
use crate::support::{Sandbox, Two};

#[test]
fn faults_are_named_with_file_and_line_and_the_rest_comes_in() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let older = issue(1, "completed", &json!({"title": "Older"}));
    let newer = issue(1, "completed", &json!({"updated_at": "2026-01-02T08:00:00.000Z"}));
    let items = [item(1, 2, "pending", &json!({})), item(1, 3, "pending", &json!({"depends_on": ["S-9"]}))];
    write(
        &project,
        &[issue(2, "queued", &json!({})), issue(3, "queued", &json!({}))],
        &[older, newer],
        &[queue(&items, AT)],
    );
    let folder = project.join(".workflow/issues");
    let mut text = fs::read_to_string(folder.join("issues.jsonl")).unwrap();
    text.insert_str(0, "not json\n");
    text.push_str("{\"id\": \"ISS-009\", \"ti");
    fs::write(folder.join("issues.jsonl"), text).unwrap();
    let history = fs::read_to_string(folder.join("issue-history.jsonl")).unwrap();
    fs::write(folder.join("issue-history.jsonl"), format!("{history}{{}}\n")).unwrap();
    fs::remove_file(folder.join("solutions/ISS-003.jsonl")).unwrap();
    fs::write(folder.join("solutions/ISS-002.jsonl"), format!("{}\n{{}}\n", solution("ISS-002", 1, true)))
        .unwrap();
    fs::write(folder.join("solutions/ISS-008.jsonl"), format!("{}\n", solution("ISS-008", 1, true))).unwrap();
    fs::write(folder.join("queues/QUE-broken.json"), "{").unwrap();
    let index = fs::read_to_string(folder.join("queues/index.json")).unwrap();
    let mut index: Value = serde_json::from_str(&index).unwrap();
    index["queues"].as_array_mut().unwrap().push(json!({"id": "QUE-gone"}));
    fs::write(folder.join("queues/index.json"), index.to_string()).unwrap();

    let tip = repo.tip();
    let refused = repo.refused(1, &["import", "ccw", "--strict", project.to_str().unwrap()]);
    assert_eq!((refused["code"].as_str(), repo.tip()), (Some("not-strict"), tip.clone()));
    repo.json(&["import", "ccw", "-n", project.to_str().unwrap()]);
    assert_eq!(repo.tip(), tip, "a dry run writes nothing");

    let report = import(&repo, &project);
    let skipped: Vec<String> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!("{} {}: {}", it["unit"].as_str().unwrap(), it["line"], it["reason"].as_str().unwrap())
        })
        .collect();
    let has = |start: &str, why: &str| {
        assert!(
            skipped.iter().any(|line| line.starts_with(start) && line.contains(why)),
            "{start} {why}: {skipped:#?}"
        );
    };
    let of_files: Vec<&str> = skipped.iter().filter_map(|line| line.split([' ', ':']).next()).collect();
    assert_eq!(
        of_files,
        [
            "issues.jsonl",
            "issues.jsonl",
            "issue-history.jsonl",
            "solutions/ISS-002.jsonl",
            "solutions/ISS-008.jsonl",
            "queues/QUE-broken.json",
            "queues/QUE-gone.json"
        ],
        "in the order of the source"
    );
    has("issues.jsonl line 1:", "invalid JSON");
    has("issues.jsonl line 4:", "is cut off");
    has("solutions/ISS-002.jsonl line 2:", "no `id`");
    has("solutions/ISS-008.jsonl 0:", "no such issue");
    has("queues/QUE-broken.json 0:", "the JSON is cut off");
    has("queues/QUE-gone.json 0:", "the file is missing");
    assert_eq!(skipped.len(), 7, "{skipped:#?}");
    let said = format!("{} {}", report["notes"], report["remarks"]);
    for part in [
        "issue-history.jsonl lines 1 and 2 have this id",
        "its plan `SOL-ISS-003-1` is missing, so none is bound",
        "the item was left out",
        "two of its items have the id `S-1`",
        "depends on `S-9`, which is not in the queue",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let expected = [("ISS-001", "closed"), ("ISS-002", "queued"), ("ISS-003", "registered")];
    assert_eq!(statuses(&repo), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
    assert_eq!(repo.json(&["show", "ISS-001"])["title"], "Issue 1");
    // What is left out stays named until it is there.
    let again = import(&repo, &project);
    assert_eq!(again["commit"], Value::Null);
    assert!(again["notes"].to_string().contains("its plan `SOL-ISS-003-1` is missing"), "{again:#}");
    let quiet = repo.wf(&["import", "ccw", "-q", project.to_str().unwrap()]).ok().stdout;
    assert!(quiet.contains("issues.jsonl line 1") && !quiet.contains("notes"), "{quiet}");
}

#[test]
fn files_of_other_systems_and_broken_ones_are_read_as_far_as_they_can_be() {
    let sandbox = Sandbox::new();
    let project = sandbox.root().join("project");
    let begun = [item(1, 2, "executing", &json!({}))];
    write(&project, &[issue(2, "executing", &json!({}))], &[], &[queue(&begun, AT)]);
    let folder = project.join(".workflow/issues");
    let plain = import(&store(&sandbox, "plain"), &project);
    assert_eq!(
        (&plain["created"], &plain["executions"], &plain["skipped"]),
        (&json!(1), &json!(1), &json!([]))
    );
    for (path, text) in super::ccw::files(&folder) {
        fs::write(folder.join(path), format!("\u{feff}{}", text.replace('\n', "\r\n"))).unwrap();
    }
    let mut marked = import(&store(&sandbox, "marked"), &project);
    marked["commit"] = plain["commit"].clone();
    assert_eq!(marked, plain, "byte order marks and other line ends");
    for (text, why) in [
        (&b""[..], "it is empty"),
        (b"{\"id\": \"\xff\"}", "the byte 0xff is not UTF-8"),
        (b"[x]", "not JSON: expected value at line 1 column 2"),
    ] {
        fs::write(folder.join("queues/index.json"), text).unwrap();
        let report = import(&store(&sandbox, &why.replace([' ', ':', '-'], "")), &project);
        assert_eq!(report["skipped"][0]["reason"], why);
    }
    let repo = store(&sandbox, "none");
    for (path, why) in [
        ("nowhere", "no such file or directory"),
        ("project/.workflow/issues/issues.jsonl", "issues.jsonl` is a file, not a directory of ccw"),
    ] {
        let refused = repo.refused(1, &["import", "ccw", sandbox.root().join(path).to_str().unwrap()]);
        assert!(refused["message"].as_str().unwrap().contains(why), "{refused}");
    }
    let refused = repo.refused(2, &["import", "ccw", "-"]);
    assert_eq!(refused["message"], "issues of ccw are read from a directory, not from stdin");
    fs::create_dir_all(sandbox.root().join("bare/issues")).unwrap();
    fs::write(sandbox.root().join("bare/issues/issues.jsonl"), "").unwrap();
    let refused = repo.refused(1, &["import", "ccw", sandbox.root().join("bare").to_str().unwrap()]);
    assert_eq!(refused["code"], "empty");
    assert!(
        refused["message"].as_str().unwrap().ends_with("bare` contains no issues, so nothing was imported")
    );
}

#[test]
fn a_later_state_brings_what_changed_and_leaves_what_was_changed_here() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let begun = |more: &Value| {
        item(1, 1, "executing", &json!({"started_at": "2026-01-02T08:00:00.000Z"}))
            .as_object()
            .unwrap()
            .iter()
            .chain(more.as_object().unwrap())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
    };
    write(
        &project,
        &[issue(1, "executing", &json!({})), issue(2, "queued", &json!({}))],
        &[],
        &[queue(&[begun(&json!({})).into(), item(2, 2, "pending", &json!({}))], "2026-01-02T08:00:00.000Z")],
    );
    import(&repo, &project);
    repo.wf(&["edit", "ISS-002", "--title", "Mine"]).ok();
    repo.wf(&["queue", "hold", "S-2", "-m", "wait"]).ok();

    // It failed, and was queued again; the other one left the queue.
    let failed = json!({"error_type": "e", "message": "no", "timestamp": "2026-01-03T08:00:00.000Z"});
    let ended =
        json!({"status": "failed", "completed_at": "2026-01-03T07:59:59.999Z", "failure_details": failed});
    let later = json!({"updated_at": "2026-01-03T08:00:00.000Z", "tags": ["new"]});
    write(
        &project,
        &[issue(1, "failed", &later), issue(2, "planned", &later)],
        &[],
        &[queue(&[begun(&ended).into()], "2026-01-03T08:00:00.000Z")],
    );
    let report = import(&repo, &project);
    assert_eq!(
        (&report["updated"], &report["executions"], &report["items"]),
        (&json!(2), &json!(1), &json!(1)),
        "{report:#}"
    );
    let words = |expected: [&str; 2]| {
        let expected = [("ISS-001", expected[0]), ("ISS-002", expected[1])];
        assert_eq!(statuses(&repo), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
    };
    words(["failed", "planned"]);
    let shown = repo.json(&["show", "ISS-002"]);
    assert_eq!((&shown["title"], &shown["tags"]), (&json!("Mine"), &json!(["new"])));

    let again = json!({"updated_at": "2026-01-04T08:00:00.000Z"});
    let retried = item(1, 1, "pending", &json!({"failure_history": [failed]}));
    write(
        &project,
        &[issue(1, "queued", &again), issue(2, "planned", &later)],
        &[],
        &[queue(&[retried], "2026-01-04T08:00:00.000Z")],
    );
    import(&repo, &project);
    words(["queued", "planned"]);
    let executions = repo.json(&["show", "ISS-001"])["executions"].as_array().unwrap().len();
    assert_eq!(executions, 1, "the attempt is known again after it was retried");
    assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
}

#[test]
fn two_clones_that_import_different_states_end_alike() {
    let two = Two::new();
    let project = two.ada.path().join("../project");
    let state = |n: usize| {
        let at = format!("2026-01-0{}T08:00:00.000Z", n + 2);
        let more = json!({"updated_at": at, "tags": if n == 0 { json!(["a", "b"]) } else { json!(["b"]) }});
        let items = match n {
            0 => vec![item(1, 1, "pending", &json!({})), item(2, 2, "pending", &json!({}))],
            _ => vec![item(1, 1, "completed", &json!({"started_at": at, "completed_at": at}))],
        };
        let status = if n == 0 { "queued" } else { "completed" };
        write(&project, &[issue(1, status, &more), issue(2, "planned", &more)], &[], &[queue(&items, &at)]);
    };
    for (ada, bea) in [(0, 1), (1, 0), (0, 0)] {
        let two = Two::new();
        state(ada);
        import(&two.ada, &project);
        state(bea);
        import(&two.bea, &project);
        two.meet();
        state(1);
        import(&two.ada, &project);
        import(&two.bea, &project);
        two.meet();
        two.assert_one_state();
        let expected = [("ISS-001", "completed"), ("ISS-002", "planned")];
        assert_eq!(statuses(&two.ada), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
        assert_eq!(two.ada.json(&["show", "ISS-001"])["tags"], json!(["b"]), "the removal stands");
        let report = import(&two.bea, &project);
        assert_eq!(report["commit"], Value::Null, "nothing is left to import");
    }
}

#[test]
fn only_what_was_asked_for_comes_in_with_its_plans_and_queues() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let more = json!({"tags": ["other"]});
    write(
        &project,
        &[issue(1, "queued", &json!({})), issue(2, "planned", &more)],
        &[],
        &[queue(&[item(1, 1, "pending", &json!({}))], AT)],
    );
    let report = repo.json(&["import", "ccw", "--label", "other", project.to_str().unwrap()]);
    assert_eq!((&report["created"], &report["plans"], &report["queues"]), (&json!(1), &json!(2), &json!(0)));
    assert_eq!(report["left_out"][0]["reason"], "without the label other");
    let refused = repo.refused(1, &["import", "ccw", sandbox.root().to_str().unwrap()]);
    assert_eq!(refused["code"], "cannot-read");
}

#[test]
fn what_depends_on_a_missing_file_comes_in_when_it_is_back() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let items = [1, 2].map(|n| item(n, n, "pending", &json!({})));
    let issues = [1, 2].map(|n| issue(n, "queued", &json!({})));
    write(&project, &issues, &[], &[queue(&items, AT)]);
    let back = [1, 2].map(|n| {
        let file = project.join(format!(".workflow/issues/solutions/ISS-00{n}.jsonl"));
        let text = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        (file, text)
    });
    import(&repo, &project);
    repo.wf(&["edit", "ISS-002", "--status", "paused"]).ok();
    for (file, text) in back {
        fs::write(file, text).unwrap();
    }
    let report = import(&repo, &project);
    assert_eq!((&report["updated"], &report["items"], &report["notes"]), (&json!(2), &json!(2), &json!([])));
    assert_eq!(repo.json(&["show", "ISS-001"])["bound_solution_id"], "SOL-ISS-001-1");
    let expected = [("ISS-001", "queued"), ("ISS-002", "paused")];
    assert_eq!(statuses(&repo), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
    assert_eq!(import(&repo, &project)["commit"], Value::Null);
    // And it stays if the file is missing again.
    fs::remove_file(project.join(".workflow/issues/solutions/ISS-001.jsonl")).unwrap();
    import(&repo, &project);
    assert_eq!(repo.json(&["show", "ISS-001"])["bound_solution_id"], "SOL-ISS-001-1");
}
