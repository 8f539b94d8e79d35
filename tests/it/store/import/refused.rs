//! Records of another tracker that are not an issue, or only in part.

use serde_json::{Value, json};

use super::{dependency, import, issue, lines, path_of, paths, put, record, store};
use crate::support::Sandbox;

#[test]
fn what_cannot_be_an_issue_is_left_out_with_its_line_and_the_reason() {
    let repo = store(&Sandbox::new(), "a");
    let file = format!(
        "{}\n[1]\n\n{}{}{}",
        record("zoo-1", &json!({})),
        lines(&[json!({"id": "zoo-2"}), json!({"title": "t"}), record("../../etc", &json!({}))]),
        lines(&[record("bad\u{1b}[31m-1", &json!({}))]),
        lines(&[record("SOL-zoo-1", &json!({}))]),
    );
    let report = import(&repo, &file);
    assert_eq!(report["created"], 1);
    let skipped: Vec<(u64, &str)> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skipped| (skipped["line"].as_u64().unwrap(), skipped["id"].as_str().unwrap_or("-")))
        .collect();
    assert_eq!(
        skipped,
        [(2, "-"), (4, "zoo-2"), (5, "-"), (6, "../../etc"), (7, "bad\u{1b}[31m-1"), (8, "SOL-zoo-1")]
    );
    assert_eq!(paths(&repo).len(), 2, "wf.json and the one issue");

    let shown = repo.wf_in(&file, &["import", "beads", "-"]).ok().stdout;
    assert!(shown.contains("line 4 (`zoo-2`): it has no `title`"), "{shown}");
    assert!(shown.contains("line 2: it is a list, not an object"), "{shown}");
    assert!(!shown.contains('\u{1b}') && shown.contains("bad\\u{1b}[31m-1"), "{shown}");
}

#[test]
fn a_record_without_times_is_the_same_in_every_clone() {
    let sandbox = Sandbox::new();
    let file = lines(&[
        json!({"id": "zoo-1", "title": "No times", "comments": [{"id": 1, "text": "Hm."}]}),
        json!({"id": "zoo-2", "title": "Bad time", "created_at": "yesterday", "status": "closed"}),
    ]);
    let trees = ["a", "b"].map(|name| {
        sandbox.advance(24 * 60 * 60);
        let repo = store(&sandbox, name);
        let report = import(&repo, &file);
        let why = "it does not say when it was created, so it counts as created on 1970-01-01";
        let told = report["notes"].as_array().unwrap().iter().filter(|it| it["note"] == why);
        assert_eq!(told.count(), 2, "{report:#}");
        assert_eq!(issue(&repo, "zoo-1")["created_at"], "1970-01-01T00:00:00.000Z");
        assert_eq!(import(&repo, &file)["unchanged"], 2);
        repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned()
    });
    assert_eq!(trees[0], trees[1]);
}

#[test]
fn of_one_id_that_stands_twice_the_later_record_counts() {
    let repo = store(&Sandbox::new(), "a");
    let late = record("zoo-1", &json!({"title": "late", "updated_at": "2026-01-09T00:00:00Z"}));
    let early = record("zoo-1", &json!({"title": "early"}));
    let report = import(&repo, &lines(&[late, early]));
    assert_eq!((&report["created"], &issue(&repo, "zoo-1")["title"]), (&json!(1), &json!("late")));
    assert_eq!(
        report["notes"],
        json!([{
            "id": "zoo-1",
            "note": "lines 1 and 2 have this id; line 1 changed last and was used, with what only line 2 lists"
        }])
    );
    let note = |records: &[Value]| {
        let report = import(&store(&Sandbox::new(), "b"), &lines(records));
        report["notes"][0]["note"].as_str().unwrap().to_owned()
    };
    let one = record("zoo-1", &json!({}));
    assert_eq!(note(&[one.clone(), one.clone()]), "lines 1 and 2 are the same and were imported once");
    assert_eq!(
        note(&[one, record("zoo-1", &json!({"title": "Other"}))]),
        "lines 1 and 2 have this id and the same time of change; line 2, which comes last, was used, with what only line 1 lists"
    );
}

#[test]
fn a_line_that_is_not_json_is_named_and_stops_nothing() {
    let repo = store(&Sandbox::new(), "a");
    let good = lines(&[record("zoo-1", &json!({}))]);
    let last = lines(&[record("zoo-2", &json!({}))]);
    let bad = b"{]\nzoo-2,a title\n{\"id\": \"\xff\"}\n{\"id\": \"zoo-3\", \"title\": \"cut o\n";
    repo.write("bad.jsonl", [good.as_bytes(), bad, last.as_bytes()].concat());
    let tip = repo.tip();
    let error = repo.refused(1, &["import", "beads", "--strict", "bad.jsonl"]);
    assert_eq!(error["code"], "not-strict");
    assert_eq!(error["message"], "4 records of `bad.jsonl` cannot be imported, so nothing was imported");
    assert_eq!(repo.tip(), tip);
    let report = repo.json(&["import", "beads", "bad.jsonl"]);
    assert_eq!(report["created"], 2);
    let skipped: Vec<String> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skipped| format!("{}: {}", skipped["line"], skipped["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(
        skipped,
        [
            "2: invalid JSON at column 2: key must be a string",
            "3: invalid JSON at column 1: expected value",
            "4: the byte 0xff at column 9 is not UTF-8",
            "5: the JSON is cut off, at column 31",
        ]
    );
}

#[test]
fn what_is_missing_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let error = repo.wf_in("", &["--json", "import", "beads", "-"]).fails(1).json_error();
    assert_eq!(error["code"], "not-initialised");
    repo.wf(&["init"]).ok();
    let tip = repo.tip();
    assert_eq!(repo.refused(1, &["import", "beads", "-"])["code"], "empty");
    let error = repo.wf(&["--json", "import", "beads", "no-such-file"]).fails(1).json_error();
    assert!(error["message"].as_str().unwrap().contains("`no-such-file`") && error["hint"].is_string());
    repo.wf(&["import", "beads"]).fails(2);
    repo.wf(&["import", "abacus", "-"]).fails(2);
    assert_eq!(repo.tip(), tip);
}

#[test]
fn a_broken_record_is_not_in_the_way_of_the_rest() {
    let repo = store(&Sandbox::new(), "a");
    let file = lines(&[record("zoo-1", &json!({})), record("zoo-2", &json!({}))]);
    import(&repo, &file);
    let path = path_of(&repo, "zoo-1");
    put(&repo, &path, "{");
    let later = file.replace("2026-01-02", "2026-01-03").replace("About", "On");
    let report = import(&repo, &later);
    assert_eq!(report["updated"], 1);
    assert_eq!(report["skipped"][0]["id"], "zoo-1");
    assert!(report["skipped"][0]["reason"].as_str().unwrap().contains("cannot be read"));
    assert_eq!(issue(&repo, "zoo-2")["title"], "On zoo-2");
}

#[test]
fn a_file_of_something_else_is_refused_with_what_its_lines_lack() {
    let repo = store(&Sandbox::new(), "a");
    let tip = repo.tip();
    let github = lines(&[json!({"number": 1, "title": "t"}), json!({"id": 7, "title": "t"}), json!([])]);
    let error = repo.refused_in(&github, 1, &["import", "beads", "-"]);
    assert_eq!(error["code"], "wrong-source");
    let shown = repo.wf_in(&github, &["import", "beads", "-"]).fails(1).stderr;
    for line in
        ["no line of stdin is a beads issue", "line 1: it has no `id`", "line 3: it is a list, not an object"]
    {
        assert!(shown.contains(line), "{shown}");
    }
    let many = lines(&vec![json!({}); 30]);
    let shown = repo.wf_in(&many, &["import", "beads", "-"]).fails(1).stderr;
    assert!(shown.contains("line 5: it has no `id`\n  … and 25 more; `--json` has them all"), "{shown}");
    let told = repo.refused_in(&many, 1, &["import", "beads", "--strict", "-"]);
    assert_eq!(told["details"].as_array().unwrap().len(), 30, "a program gets all");
    // An export of our own is another kind of source.
    let own = repo.wf(&["export", "jsonl"]).ok().stdout;
    assert_eq!(repo.refused_in(&own, 1, &["import", "beads", "-"])["code"], "wrong-source");
    assert_eq!(repo.refused_in(&github, 1, &["import", "jsonl", "-"])["code"], "not-an-export");
    assert_eq!(repo.tip(), tip);
}

#[test]
fn the_issues_of_ccw_are_not_taken_for_those_of_beads() {
    let repo = store(&Sandbox::new(), "a");
    let tip = repo.tip();
    let at = "2026-01-01T08:00:00Z";
    let by_field =
        json!({"id": "ISS-1", "title": "t", "priority": 5, "bound_solution_id": null, "created_at": at});
    let by_status =
        json!({"id": "ISS-2", "title": "t", "priority": 5, "status": "registered", "created_at": at});
    let store_of_ccw = lines(&[by_field.clone(), by_status]);
    let error = repo.refused_in(&store_of_ccw, 1, &["import", "beads", "-"]);
    assert_eq!(error["code"], "wrong-source");
    assert!(error["hint"].as_str().unwrap().contains("git wf import ccw DIR"), "{error:#}");
    assert_eq!(repo.tip(), tip);
    // Among those of beads, one of them is skipped.
    let of_beads = record("zoo-1", &json!({"status": "registered"}));
    let report = import(&repo, &lines(&[of_beads, by_field]));
    assert_eq!((&report["created"], &report["kept"]), (&json!(1), &json!([])), "{report:#}");
    assert_eq!(report["skipped"][0]["reason"], "it is an issue of ccw, not of beads");
}

#[test]
fn a_record_beyond_the_limits_is_left_out_with_the_reason_and_not_as_known() {
    let repo = store(&Sandbox::new(), "a");
    let many: Vec<Value> = (0..4_000).map(|n| dependency("zoo-1", &format!("zoo-x{n}"), "blocks")).collect();
    let large = lines(&[record("zoo-1", &json!({"dependencies": many}))]);
    let shown = repo.wf_in(&large, &["import", "beads", "-"]).ok().stdout;
    assert!(shown.starts_with("nothing new to import; 1 record was skipped"), "{shown}");
    assert!(!shown.contains("not here already"), "{shown}");
    for words in ["line 1 (`zoo-1`): it is too large to store", "`imported` holds", "at most 16384"] {
        assert!(shown.contains(words), "{shown}");
    }
    // It does not stop the others.
    let both = format!("{large}{}", lines(&[record("zoo-2", &json!({}))]));
    let report = import(&repo, &both);
    assert_eq!((&report["created"], &report["skipped"][0]["id"]), (&json!(1), &json!("zoo-1")));
    let again = repo.wf_in(&both, &["import", "beads", "-"]).ok().stdout;
    assert!(again.starts_with("nothing new to import; 1 record was skipped"), "{again}");
    // With fewer of them, it is imported.
    let fewer = record("zoo-1", &json!({"dependencies": many[..1_000]}));
    assert_eq!(import(&repo, &lines(&[fewer]))["dependencies"], 1_000);
}

#[test]
fn a_dependency_on_a_skipped_issue_is_named_with_the_number_of_those_that_have_it() {
    let repo = store(&Sandbox::new(), "a");
    let on = |id: &str, targets: &[&str]| {
        let links: Vec<Value> = targets.iter().map(|target| dependency(id, target, "blocks")).collect();
        record(id, &json!({"dependencies": links}))
    };
    let many: Vec<Value> = (0..4_000).map(|n| dependency("zoo-7", &format!("zoo-x{n}"), "blocks")).collect();
    let file = lines(&[
        on("zoo-1", &["zoo-8", "zoo-7"]),
        on("zoo-2", &["zoo-8", "zoo-9", "zoo-5"]),
        record("zoo-5", &json!({"issue_type": "event"})),
        record("zoo-7", &json!({"dependencies": many})),
        record("zoo-8", &json!({"title": ""})),
    ]);
    let arguments = ["import", "beads", "-", "--skip-type", "event"];
    let reasons = |report: &Value| -> Vec<String> {
        let all = report["skipped"].as_array().unwrap().iter();
        all.map(|it| format!("{} {}", it["id"], it["reason"])).collect()
    };
    let first = repo.json_in(&file, &arguments);
    let told = reasons(&first);
    assert!(told[0].starts_with("\"zoo-7\" \"it is too large"), "{told:#?}");
    assert!(told[0].ends_with("; 1 issue depends on it\""), "{told:#?}");
    assert_eq!(told[1], "\"zoo-8\" \"it has no `title`; 2 issues depend on it\"");
    let notes: Vec<&str> =
        first["notes"].as_array().unwrap().iter().map(|it| it["note"].as_str().unwrap()).collect();
    assert_eq!(
        notes,
        [
            "it depends on `zoo-5`, which the options left out",
            "it depends on `zoo-9`, which is neither in the source nor here"
        ]
    );
    // It stays named until the source is corrected.
    let again = repo.json_in(&file, &arguments);
    assert_eq!((reasons(&again), &again["commit"]), (told, &Value::Null));
}

#[test]
fn numbers_stay_as_the_source_wrote_them() {
    let repo = store(&Sandbox::new(), "a");
    let line =
        record("zoo-1", &json!({"estimate": 0})).to_string().replace("\"estimate\":0", "\"estimate\":1e5");
    import(&repo, &line);
    let stored = repo.git(&["cat-file", "-p", &format!("refs/wf/main:{}", path_of(&repo, "zoo-1"))]).ok();
    assert!(
        stored.stdout.contains("\"estimate\": 1e5,") || stored.stdout.contains("\"estimate\": 1e5\n"),
        "{}",
        stored.stdout
    );
    // A record that two programs would read differently is refused.
    let twice = line
        .replace("\"status\":\"open\"", "\"status\":\"open\",\"status\":\"closed\"")
        .replace("zoo-1", "zoo-3");
    let report = import(&repo, &format!("{line}\n{twice}\n"));
    assert!(report["skipped"][0]["reason"].as_str().unwrap().contains("status"), "{report}");
}

#[test]
fn a_file_with_nothing_in_it_is_an_error() {
    let repo = store(&Sandbox::new(), "a");
    for text in ["", "\n \n"] {
        let error = repo.refused_in(text, 1, &["import", "beads", "-"]);
        assert_eq!(error["code"], "empty", "{error}");
        let error = repo.refused_in(text, 1, &["import", "jsonl", "-"]);
        assert!(error["message"].as_str().unwrap().contains("is empty"), "{error}");
    }
    // An export of a store without issues is valid, and brings none.
    let export = store(&Sandbox::new(), "b").wf(&["export", "jsonl"]).ok().stdout;
    let told = repo.json_in(&export, &["import", "jsonl", "-"]);
    assert_eq!(told["warnings"], json!(["stdin contains no issues"]));
}
