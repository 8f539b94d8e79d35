//! Comments that change in their source after they were imported.

use serde_json::{Value, json};

use super::{comments, import, lines, record, store};
use crate::support::{Repo, Sandbox, Two};

/// The issue at a day of January, with this comment.
fn state(day: u32, text: &str) -> String {
    let comment = json!({"id": 7, "author": "Bea", "text": text, "created_at": "2026-01-01T10:00:00Z"});
    at(day, &json!({"comments": [comment]}))
}

fn at(day: u32, more: &Value) -> String {
    let mut record = record("zoo-1", more);
    record["updated_at"] = format!("2026-01-{day:02}T08:00:00Z").into();
    lines(&[record])
}

fn shown(repo: &Repo) -> Vec<Value> {
    repo.json(&["show", "zoo-1"])["comments"].as_array().unwrap().clone()
}

fn texts(repo: &Repo) -> Vec<String> {
    shown(repo).iter().map(|it| it["body"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_text_that_changed_there_is_an_edit_of_the_comment() {
    let repo = store(&Sandbox::new(), "a");
    import(&repo, &state(2, "Hm."));
    let report = import(&repo, &state(3, "Hm!"));
    assert_eq!((&report["comments"], &report["edited_comments"]), (&json!(0), &json!(1)), "{report}");
    let all = shown(&repo);
    assert_eq!((texts(&repo), all[0]["replaces"].as_array().unwrap().len()), (vec!["Hm!".to_owned()], 1));
    assert_eq!(all[0]["source_id"], "Bea");
    assert_eq!(all[0]["created_at"], "2026-01-01T10:00:00.000Z");
    assert!(repo.wf(&["show", "zoo-1"]).ok().stdout.contains(", edited"));
    let subject = repo.git(&["log", "--format=%s", "-1", "refs/wf/main"]).ok();
    assert_eq!(subject.line(), "import: 1 issue from beads (1 updated, 1 edited comment)");
    let tip = repo.tip();
    import(&repo, &state(3, "Hm!"));
    import(&repo, &state(2, "Hm."));
    assert_eq!(repo.tip(), tip, "the same again, or an older state, changes nothing");
    // Another field changed there: the comment is as it was.
    let comment = json!({"id": 7, "author": "Bea", "text": "Hm!", "created_at": "2026-01-01T10:00:00Z"});
    let report = import(&repo, &at(4, &json!({"assignee": "Cal", "comments": [comment]})));
    assert_eq!((&report["updated"], &report["edited_comments"]), (&json!(1), &json!(0)));
    assert_eq!(comments(&repo, "zoo-1").len(), 2);
    let exported: Value = serde_json::from_str(&repo.wf(&["export", "beads"]).ok().stdout)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(exported["comments"][0]["text"], "Hm!");
    assert_eq!(exported["comments"].as_array().unwrap().len(), 1);
}

#[test]
fn clones_that_read_different_states_show_the_later_text() {
    let two = Two::new();
    import(&two.ada, &state(2, "Hm."));
    import(&two.bea, &state(3, "Hm!"));
    two.meet();
    for repo in [&two.ada, &two.bea] {
        assert_eq!(texts(repo), ["Hm!"]);
        assert_eq!(repo.json(&["conflicts"]), json!([]));
        repo.wf(&["fsck"]).ok();
    }
    let tree = |repo: &Repo| repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned();
    assert_eq!(tree(&two.ada), tree(&two.bea));
    import(&two.ada, &state(4, "Ha."));
    assert_eq!(texts(&two.ada), ["Ha."]);
}

#[test]
fn a_comment_that_is_gone_there_stays_and_the_report_says_so_once() {
    let repo = store(&Sandbox::new(), "a");
    import(&repo, &state(2, "Hm."));
    let report = import(&repo, &at(3, &json!({"comments": []})));
    assert_eq!(report["notes"][0]["note"], "the source no longer has 1 comment, which stays here");
    assert_eq!(texts(&repo), ["Hm."]);
    assert_eq!(import(&repo, &at(4, &json!({"assignee": "Cal"})))["notes"], json!([]));
}

#[test]
fn a_redacted_comment_stays_hidden_when_the_issue_changes_there() {
    let repo = store(&Sandbox::new(), "a");
    import(&repo, &state(2, "secret"));
    let id = shown(&repo)[0]["id"].as_str().unwrap().to_owned();
    repo.wf(&["redact", "zoo-1", &format!("comments/{id}"), "-m", "a secret"]).ok();
    import(&repo, &state(3, "secret"));
    assert_eq!(texts(&repo), ["[redacted]"]);
    assert_eq!(comments(&repo, "zoo-1").len(), 1);
}

#[test]
fn an_issue_with_more_comments_than_one_field_holds_comes_in_and_goes_out() {
    let repo = store(&Sandbox::new(), "a");
    let said = |n: u64| {
        let at = format!("2026-01-01T{:02}:{:02}:{:02}Z", 10 + n / 3600, n / 60 % 60, n % 60);
        json!({"id": n, "issue_id": "zoo-1", "author": "Bea", "text": format!("Comment {n}"), "created_at": at})
    };
    let all: Vec<Value> = (1..=3_500).map(said).collect();
    let file = at(2, &json!({"comments": all}));
    let report = import(&repo, &file);
    assert_eq!(
        (&report["created"], &report["comments"], &report["skipped"]),
        (&json!(1), &json!(3_500), &json!([]))
    );
    assert_eq!(
        report["kept"][0]["what"],
        "it has too many `comments` to keep whole: only their texts, authors and times were imported"
    );
    assert_eq!(texts(&repo).len(), 3_500);
    let again = import(&repo, &file);
    assert_eq!(
        (&again["unchanged"], &again["notes"], &again["commit"]),
        (&json!(1), &json!([]), &Value::Null)
    );
    let later = at(3, &json!({"comments": all.iter().cloned().chain([said(3_501)]).collect::<Vec<_>>()}));
    assert_eq!(import(&repo, &later)["comments"], 1);
    let exported: Value = serde_json::from_str(&repo.wf(&["export", "beads"]).ok().stdout).unwrap();
    let given = exported["comments"].as_array().unwrap();
    let numbers: std::collections::BTreeSet<u64> =
        given.iter().map(|it| it["id"].as_u64().unwrap()).collect();
    assert_eq!((given.len(), numbers.len(), numbers.last()), (3_501, 3_501, Some(&3_501)));
    let other = store(&Sandbox::new(), "b");
    assert_eq!(import(&other, &exported.to_string())["comments"], 3_501);
}

/// The issue with these comments: id, author, text and minute.
fn with_comments(day: u32, said: &[(u64, &str, &str, u32)]) -> String {
    let comment = |(id, author, text, minute): &(u64, &str, &str, u32)| json!({"id": id, "author": author, "text": text, "created_at": format!("2026-01-01T10:{minute:02}:00Z")});
    at(day, &json!({"comments": said.iter().map(comment).collect::<Vec<_>>()}))
}

#[test]
fn a_comment_that_another_clone_numbers_otherwise_is_the_same() {
    let repo = store(&Sandbox::new(), "a");
    let (ada, bea) = ((1, "ada", "It roars", 30), (1, "bea", "It sleeps", 10));
    import(&repo, &with_comments(2, &[ada]));
    assert_eq!(import(&repo, &with_comments(3, &[bea, (2, ada.1, ada.2, ada.3)]))["comments"], 1);
    let swapped = import(&repo, &with_comments(4, &[ada, (2, bea.1, bea.2, bea.3)]));
    assert_eq!((&swapped["comments"], &swapped["edited_comments"]), (&json!(0), &json!(0)), "{swapped}");
    let renumbered = import(&repo, &with_comments(4, &[bea, (2, ada.1, ada.2, ada.3)]));
    assert_eq!(renumbered["notes"], json!([]));
    assert_eq!(texts(&repo), ["It sleeps", "It roars"]);
    let exported: Value = serde_json::from_str(&repo.wf(&["export", "beads"]).ok().stdout).unwrap();
    assert_eq!(exported["comments"].as_array().unwrap().len(), 2);
}

#[test]
fn a_comment_that_travels_by_beads_and_by_a_sync_arrives_once() {
    let two = Two::new();
    import(&two.ada, &at(2, &json!({})));
    two.meet();
    two.ada.wf(&["comment", "zoo-1", "only once"]).ok();
    let exported = two.ada.wf(&["export", "beads"]).ok().stdout;
    import(&two.bea, &exported);
    two.meet();
    for repo in [&two.ada, &two.bea] {
        assert_eq!(texts(repo), ["only once"]);
        assert!(!repo.wf(&["show", "zoo-1"]).ok().stdout.contains("edited"));
        let exported: Value = serde_json::from_str(&repo.wf(&["export", "beads"]).ok().stdout).unwrap();
        assert_eq!(exported["comments"].as_array().unwrap().len(), 1, "{exported}");
    }
}

#[test]
fn a_comment_of_ours_gets_an_id_of_the_kind_that_the_tracker_has() {
    let repo = store(&Sandbox::new(), "a");
    let comment = json!({"id": "u-1", "author": "bea", "text": "one", "created_at": "2026-01-01T10:00:00Z"});
    import(&repo, &at(2, &json!({"comments": [comment], "comment_count": 1})));
    repo.wf(&["comment", "zoo-1", "two"]).ok();
    let exported: Value = serde_json::from_str(&repo.wf(&["export", "beads"]).ok().stdout).unwrap();
    assert_eq!((&exported["comments"][0]["id"], exported.get("comment_count")), (&json!("u-1"), None));
    assert!(exported["comments"][1]["id"].is_string(), "{exported}");
}

#[test]
fn what_an_undo_withdrew_comes_back_with_the_next_import() {
    let repo = store(&Sandbox::new(), "a");
    import(&repo, &at(2, &json!({"labels": ["a"], "assignee": "Cal"})));
    repo.wf(&["edit", "zoo-1", "--assignee", "Dan"]).ok();
    let comment = json!({"id": 1, "author": "bea", "text": "one", "created_at": "2026-01-01T10:00:00Z"});
    let more = json!({"title": "New", "labels": ["b"], "assignee": "Eve", "comments": [comment]});
    let news = |day| at(day, &more);
    let state = |repo: &Repo| {
        let issue = repo.json(&["show", "zoo-1"]);
        json!([issue["title"], issue["tags"], issue["assignee"], texts(repo)])
    };
    import(&repo, &news(3));
    let imported = state(&repo);
    assert_eq!(imported, json!(["New", ["b"], "Dan", ["one"]]));
    repo.wf(&["undo"]).ok();
    assert_eq!(state(&repo), json!(["About zoo-1", ["a"], "Dan", [""]]));
    let report = import(&repo, &news(3));
    assert_eq!((state(&repo), &report["updated"]), (imported.clone(), &json!(1)), "{report}");
    let tip = repo.tip();
    import(&repo, &news(3));
    assert_eq!(repo.tip(), tip, "once is enough");
    // Also what the source changed before the undo comes in.
    let mut later = more.clone();
    later["title"] = "Newer".into();
    import(&repo, &at(4, &later));
    assert_eq!(state(&repo), json!(["Newer", ["b"], "Dan", ["one"]]));
    // Withdrawn by hand, it stays so.
    let id = shown(&repo)[0]["id"].as_str().unwrap().to_owned();
    repo.wf(&["comment", "zoo-1", "--withdraw", &id]).ok();
    import(&repo, &at(5, &later));
    assert_eq!(texts(&repo), [""]);
}

#[test]
fn a_union_merged_file_loses_nothing() {
    let repo = store(&Sandbox::new(), "a");
    let with = |day, label: &str, text: &str| {
        let comment = json!({"id": 1, "author": "bea", "text": text, "created_at": format!("2026-01-01T10:0{day}:00Z")});
        at(
            day,
            &json!({"labels": [label], "comments": [comment], "title": label,
            "dependencies": [{"issue_id": "zoo-1", "depends_on_id": format!("zoo-{day}"), "type": "blocks"}]}),
        )
    };
    let file = format!("{}{}", with(4, "b", "second"), with(3, "a", "first"));
    let report = import(&repo, &file);
    assert_eq!(report["comments"], 2, "{report}");
    let issue = repo.json(&["show", "zoo-1"]);
    assert_eq!((&issue["title"], &issue["tags"]), (&json!("b"), &json!(["a", "b"])));
    assert_eq!(issue["depends_on"], json!(["zoo-3", "zoo-4"]));
    assert_eq!(texts(&repo), ["first", "second"]);
    let tip = repo.tip();
    import(&repo, &file);
    assert_eq!(repo.tip(), tip);
}
