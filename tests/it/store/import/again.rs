//! A file that is imported again, later or elsewhere.

use super::*;

#[test]
fn a_later_file_brings_what_changed_there_and_leaves_what_was_edited_here() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let first = record("zoo-1", &json!({"labels": ["old"], "assignee": "Ada", "description": "one"}));
    import(&repo, &lines(&[first.clone(), record("zoo-2", &json!({}))]));
    edit(&repo, "zoo-1", "assignee", "Bea", "2026-02-01T00:00:00.000Z");
    edit(&repo, "zoo-1", "title", "Mine", "2026-02-01T00:00:00.000Z");
    let mut linked = issue(&repo, "zoo-1");
    linked["depends_on"] = json!(["far-away"]);
    linked["clock"]["depends_on/far-away"] = json!("2026-02-01T00:00:00.000Z/00000/7k3m2pq9");
    put(&repo, &path_of(&repo, "zoo-1"), &format!("{linked:#}\n"));

    let comment = json!({"id": 1, "author": "Bea", "text": "Hm.", "created_at": "2026-01-20T00:00:00Z"});
    let second = record(
        "zoo-1",
        &json!({
            "labels": ["new"], "assignee": "Cal", "description": "two", "updated_at": "2026-01-20T00:00:00Z",
            "comments": [comment], "dependencies": [dependency("zoo-1", "zoo-2", "blocks")]
        }),
    );
    let report = import(&repo, &lines(std::slice::from_ref(&second)));
    let counts = ["created", "updated", "unchanged", "comments", "dependencies"].map(|name| &report[name]);
    assert_eq!(
        counts,
        [0, 1, 0, 1, 1],
        "a dependency that was added here is not counted as one that came in"
    );
    assert_eq!(report["notes"], json!([]));
    let read = issue(&repo, "zoo-1");
    assert_eq!(
        (&read["title"], &read["assignee"], &read["context"]),
        (&json!("Mine"), &json!("Bea"), &json!("two"))
    );
    assert_eq!((&read["tags"], &read["depends_on"]), (&json!(["new"]), &json!(["far-away", "zoo-2"])));
    assert_eq!(read["clock"]["-tags/old"], "2026-01-20T00:00:00.000Z/00000/import");
    assert_eq!(
        read["clock"]["status"], "2026-01-02T08:00:00.000Z/00000/import",
        "what did not change keeps its stamp"
    );
    assert_eq!(read["imported"], second);
    assert_eq!(comments(&repo, "zoo-1").len(), 1);
    let subject = repo.git(&["log", "--format=%s", "-1", "refs/wf/main"]).ok();
    assert_eq!(subject.line(), "import: 1 issue from beads (1 updated, 1 comment)");

    let tip = repo.tip();
    let older = json!([{"reason": "older than what was last imported", "issues": 1}]);
    for (known, unchanged, left_out) in [(second, 1, json!([])), (first, 0, older)] {
        let report = import(&repo, &lines(&[known]));
        assert_eq!((&report["unchanged"], &report["commit"]), (&json!(unchanged), &Value::Null));
        assert_eq!(report["left_out"], left_out);
    }
    assert_eq!(repo.tip(), tip, "what is older than what is here changes nothing");

    let third = record("zoo-1", &json!({"assignee": "Dee", "updated_at": "2026-03-01T00:00:00Z"}));
    import(&repo, &lines(&[third]));
    let read = issue(&repo, "zoo-1");
    assert_eq!(read["assignee"], "Dee", "the source changed it after it was edited here");
    assert_eq!(read["title"], "Mine");
    assert!(read.get("context").is_none() && read.get("tags").is_none());
}

#[test]
fn an_older_record_takes_nothing_back() {
    let repo = store(&Sandbox::new(), "a");
    import(&repo, &lines(&[record("zoo-1", &json!({}))]));
    let tip = repo.tip();
    let comment = json!({"id": 1, "author": "Bea", "text": "Hm.", "created_at": "2026-01-01T09:00:00Z"});
    let older = json!({
        "updated_at": "2026-01-01T12:00:00Z", "labels": ["dropped"], "notes": "dropped", "comments": [comment]
    });
    let report = import(&repo, &lines(&[record("zoo-1", &older)]));
    assert_eq!((&report["left_out"][0]["issues"], repo.tip()), (&json!(1), tip));
}

#[test]
fn of_two_records_of_one_time_the_greater_stands_whole_in_whatever_order_they_come() {
    let sandbox = Sandbox::new();
    let one = lines(&[record("zoo-1", &json!({"labels": ["a", "c"], "description": "one", "notes": "z"}))]);
    let two = lines(&[record("zoo-1", &json!({"labels": ["b", "c"], "description": "two", "notes": "a"}))]);
    let [left, right] = ["a", "b"].map(|name| store(&sandbox, name));
    import(&left, &one);
    assert_eq!(import(&left, &two)["updated"], 1);
    import(&right, &two);
    let report = import(&right, &one);
    assert_eq!(report["unchanged"], 1);
    assert!(report["notes"][0]["note"].as_str().unwrap().contains("same time of change"), "{report}");
    let mut reads = [&left, &right].map(|repo| issue(repo, "zoo-1"));
    for read in &mut reads {
        read.as_object_mut().unwrap().remove("clock");
    }
    let [read, other] = reads;
    assert_eq!((&read["context"], &read["tags"]), (&json!("two"), &json!(["b", "c"])));
    assert_eq!(read["extended_context"]["notes"], "a");
    assert_eq!(read, other);
    for file in [&one, &two] {
        let tip = left.tip();
        import(&left, file);
        assert_eq!(left.tip(), tip);
    }
}

#[test]
fn of_an_issue_that_was_born_elsewhere_the_later_birth_stands() {
    let repo = store(&Sandbox::new(), "a");
    let file = lines(&[record(
        "zoo-1",
        &json!({"comments": [
            {"id": 1, "author": "Bea", "text": "Hm.", "created_at": "2026-01-20T00:00:00Z"}
        ]}),
    )]);
    import(&repo, &file);
    let path = path_of(&repo, "zoo-1");
    let born = |time: &str| {
        let record = json!({
            "id": "zoo-1", "author": "Bea", "created_at": time, "title": "Ours", "status": "registered", "priority": 3,
            "clock": {"*": format!("{time}/00000/7k3m2pq9")}
        });
        format!("{record:#}\n")
    };
    put(&repo, &path, &born("2026-05-01T00:00:00.000Z"));
    let tip = repo.tip();
    let report = import(&repo, &file);
    assert_eq!(issue(&repo, "zoo-1")["title"], "Ours");
    assert_eq!((&report["unchanged"], repo.tip()), (&json!(0), tip));
    let reason = report["skipped"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "another issue with this id, created at 2026-05-01T00:00:00.000Z, is already here");
    let refused = repo.wf_in(&file, &["import", "beads", "-", "--strict"]).fails(1);
    assert!(refused.stderr.contains(reason), "{}", refused.stderr);

    put(&repo, &path, &born("2025-05-01T00:00:00.000Z"));
    // A stranger's comments stay out, too.
    let mut longer = record("zoo-1", &json!({}));
    longer["comments"] =
        json!([{"id": 2, "author": "Bea", "text": "Again.", "created_at": "2026-01-21T00:00:00Z"}]);
    let report = import(&repo, &lines(&[longer]));
    // The same with an earlier birth: only a merge decides between births.
    assert_eq!(issue(&repo, "zoo-1")["title"], "Ours");
    assert_eq!(report["skipped"].as_array().unwrap().len(), 1);
    assert_eq!(comments(&repo, "zoo-1").len(), 1);
}

#[test]
fn two_clones_that_import_apart_hold_the_same_tree() {
    let sandbox = Sandbox::new();
    let comment = json!({"id": 1, "author": "Bea", "text": "Hm.", "created_at": "2026-01-20T00:00:00Z"});
    let records =
        [record("zoo-1", &json!({"labels": ["b", "a"], "comments": [comment]})), record("zoo-2", &json!({}))];
    let tree = |repo: &Repo| repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned();
    let ada = store(&sandbox, "ada");
    import(&ada, &lines(&records));
    sandbox.advance(3600);
    let bea = store(&sandbox, "bea").as_person("Bea", "bea@example.org");
    let mut reversed = records;
    reversed.reverse();
    import(&bea, &lines(&reversed));
    assert_ne!(ada.tip(), bea.tip());
    assert_eq!(tree(&ada), tree(&bea));
}

#[test]
fn what_changed_without_another_time_comes_in_whole() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    // In some fields the first value is greater, in others the second.
    let first =
        record("zoo-1", &json!({"title": "z", "assignee": "Ada", "labels": ["old"], "notes": "gone"}));
    let second = record("zoo-1", &json!({"title": "b", "assignee": "Zoe", "labels": ["new"]}));
    import(&repo, &lines(std::slice::from_ref(&first)));
    assert_eq!(import(&repo, &lines(std::slice::from_ref(&second)))["updated"], 1);
    let read = issue(&repo, "zoo-1");
    assert_eq!(
        (&read["title"], &read["assignee"], &read["tags"]),
        (&json!("b"), &json!("Zoe"), &json!(["new"]))
    );
    assert_eq!(read["extended_context"].get("notes").filter(|notes| !notes.is_null()), None);
    assert_eq!(read["imported"], second);
    assert_eq!(read["clock"]["title"], "2026-01-02T08:00:00.000Z/00001/import");
    assert_eq!(
        read["clock"]["priority"], "2026-01-02T08:00:00.000Z/00000/import",
        "what did not differ keeps its stamp"
    );
    // What was edited here stays.
    repo.wf(&["edit", "zoo-1", "--assignee", "Bea"]).ok();
    let tip = repo.tip();
    import(&repo, &lines(std::slice::from_ref(&second)));
    import(&repo, &lines(std::slice::from_ref(&first)));
    assert_eq!(repo.tip(), tip);
    let later = record("zoo-1", &json!({"title": "c", "assignee": "Zoe", "labels": ["new"]}));
    import(&repo, &lines(&[later]));
    let read = issue(&repo, "zoo-1");
    assert_eq!((&read["title"], &read["assignee"]), (&json!("c"), &json!("Bea")));
    assert_eq!(repo.wf(&["--json", "conflicts"]).ok().json(), json!([]));
}

#[test]
fn what_two_clones_read_apart_is_made_whole_by_the_next_import() {
    let first = record("zoo-1", &json!({"title": "z", "description": "a"}));
    let second = record("zoo-1", &json!({"title": "b", "description": "y"}));
    for next in [&first, &second] {
        let two = crate::support::Two::new();
        import(&two.ada, &lines(std::slice::from_ref(&first)));
        import(&two.bea, &lines(std::slice::from_ref(&second)));
        two.meet();
        import(&two.ada, &lines(std::slice::from_ref(next)));
        let read = issue(&two.ada, "zoo-1");
        assert_eq!(
            (&read["title"], &read["context"], &read["imported"]),
            (&json!("b"), &json!("y"), &second)
        );
    }
}

#[test]
fn what_was_created_here_is_not_called_another_issue() {
    let repo = store(&Sandbox::new(), "a");
    repo.wf(&["new", "Ours", "--id", "ISS-001"]).ok();
    let exported = repo.wf(&["export", "beads"]).ok().stdout;
    let report = import(&repo, &exported.replace("Ours", "Theirs"));
    let reason = report["skipped"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "it was created here, so what changed there has to be changed here, too");
    assert_eq!(issue(&repo, "ISS-001")["title"], "Ours");
}
