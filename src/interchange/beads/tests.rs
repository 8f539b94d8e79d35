//! Records that come in.

use serde_json::json;

use super::*;
use crate::rules::limits::LONGEST_TITLE;

mod export;

fn arrive(record: &Value) -> Arrival {
    read(record).unwrap_or_else(|refused| panic!("{refused:?}"))
}

/// A minimal valid record with these additional fields.
fn record(more: &Value) -> Value {
    let mut record = json!({
        "id": "zoo-1", "title": "Feed the okapi", "created_at": "2026-01-01T08:00:00.123456Z",
        "updated_at": "2026-01-02T08:00:00Z"
    });
    for (name, value) in more.as_object().unwrap() {
        record[name] = value.clone();
    }
    record
}

fn with(more: &Value) -> Arrival {
    arrive(&record(more))
}

#[test]
fn every_field_with_a_place_goes_there() {
    let source = record(&json!({
        "description": "It is hungry.", "design": "Leaves.", "acceptance_criteria": "It sleeps.", "notes": "Twice.",
        "status": "in_progress", "priority": 0, "issue_type": "chore", "labels": ["b", " a ", "", "b"],
        "assignee": "Bea", "created_by": "Ada", "owner": "ada@example.org", "close_reason": "",
        "external_ref": "HTTPS://example.org/zoo/7", "estimated_minutes": 15
    }));
    let arrival = arrive(&source);
    let mut issue = Issue::new(
        IssueId::parse("zoo-1").unwrap(),
        "Ada".into(),
        Time::parse("2026-01-01T08:00:00.123Z").unwrap(),
        "Feed the okapi".into(),
    );
    issue.source = Some(Source::Import);
    issue.status = StoredStatus::Planning;
    issue.priority = Priority::new(1).unwrap();
    issue.issue_type = Some("chore".into());
    issue.context = Some("It is hungry.".into());
    issue.expected_behavior = Some("It sleeps.".into());
    issue.extended_context.design = Some("Leaves.".into());
    issue.extended_context.notes = Some("Twice.".into());
    issue.tags = ["a", "b"].map(str::to_owned).into();
    issue.assignee = Some("Bea".into());
    issue.source_url = Some("HTTPS://example.org/zoo/7".into());
    issue.imported = Some(source);
    assert_eq!(arrival.issue, issue);
    assert_eq!(arrival.changed, Time::parse("2026-01-02T08:00:00Z").unwrap());
    assert!(arrival.notes.is_empty() && arrival.comments.is_empty());
    assert_eq!(
        said(&arrival),
        [
            "`estimated_minutes` has no field here",
            "`owner` has no field here",
            "the status `in_progress` became `planning`"
        ]
    );
}

fn said(arrival: &Arrival) -> Vec<&str> {
    arrival.kept.iter().map(AsRef::as_ref).collect()
}

#[test]
fn statuses() {
    for (there, here) in [
        ("open", StoredStatus::Registered),
        ("in_progress", StoredStatus::Planning),
        ("blocked", StoredStatus::Registered),
        ("deferred", StoredStatus::Paused),
        ("closed", StoredStatus::Closed),
        ("tombstone", StoredStatus::Cancelled),
    ] {
        let arrival = with(&json!({"status": there}));
        assert_eq!((arrival.issue.status, arrival.notes.len()), (here, 0), "{there}");
        let is_stated = matches!(there, "in_progress" | "blocked");
        assert_eq!(arrival.kept.len(), usize::from(is_stated), "{there}: {:?}", arrival.kept);
    }
    let pinned = with(&json!({"status": "pinned"}));
    assert_eq!(pinned.issue.status, StoredStatus::Paused);
    assert_eq!(said(&pinned), ["the status `pinned` became `paused`"]);
    for (more, status) in [
        (json!({"status": "hooked"}), StoredStatus::Planning),
        (json!({"status": "draft"}), StoredStatus::Paused),
        (json!({"pinned": true}), StoredStatus::Paused),
        (json!({"is_template": true}), StoredStatus::Paused),
        (json!({"issue_type": "gate"}), StoredStatus::Paused),
        (json!({"issue_type": "gate", "status": "closed"}), StoredStatus::Closed),
        (json!({"defer_until": "2099-01-01T00:00:00Z"}), StoredStatus::Paused),
        (json!({"defer_until": "2026-01-01T00:00:00Z"}), StoredStatus::Registered),
        (json!({"defer_until": "2099-01-01T00:00:00Z", "status": "in_progress"}), StoredStatus::Planning),
        (json!({"pinned": false, "issue_type": "epic"}), StoredStatus::Registered),
    ] {
        assert_eq!(with(&more).issue.status, status, "{more}");
    }
}

#[test]
fn when_it_was_closed_is_known() {
    let at = |more: &Value| with(more).issue.closed_at.map(|at| at.to_string());
    let times = json!({"closed_at": "2026-01-02T09:00:00Z", "deleted_at": "2026-01-02T10:00:00Z"});
    let with_status = |status: &str| {
        let mut more = times.clone();
        more["status"] = status.into();
        at(&more)
    };
    assert_eq!(with_status("closed").as_deref(), Some("2026-01-02T09:00:00.000Z"));
    assert_eq!(with_status("tombstone").as_deref(), Some("2026-01-02T10:00:00.000Z"));
    assert_eq!(with_status("open"), None, "it was reopened");
    assert_eq!(at(&json!({"status": "closed"})), None);
}

#[test]
fn what_has_no_field_is_named_once_and_kept() {
    let more = json!({
        "estimated_minutes": 15, "ephemeral": false, "compaction_level": 0, "original_size": 0, "due_at": "2026-02-01",
        "await_type": "gh:run", "external_ref": "JIRA-7", "owner": "ada@example.org", "created_by": "Ada",
        "metadata": {}, "waiters": [], "status": "hooked", "pinned": true
    });
    let arrival = with(&more);
    let names = ["await_type", "due_at", "estimated_minutes", "external_ref", "owner", "pinned"];
    let mut expected = names.map(|name| format!("`{name}` has no field here")).to_vec();
    expected.push("the status `hooked` became `planning`".into());
    assert_eq!(said(&arrival), expected);
    let kept = (BEADS.kept)(&record(&more));
    let mut keys: Vec<&str> = kept.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        ["await_type", "due_at", "estimated_minutes", "external_ref", "owner", "pinned", "status"]
    );
    assert_eq!(kept["estimated_minutes"], 15);
    assert!((BEADS.kept)(&record(&json!({"owner": "ada"}))).is_empty(), "the owner is the author");
}

#[test]
fn why_it_was_deleted_is_why_it_was_cancelled() {
    let reasons = json!({"status": "tombstone", "delete_reason": "a double", "close_reason": "done"});
    assert_eq!(with(&reasons).issue.close_reason.as_deref(), Some("a double"));
    let one = json!({"status": "tombstone", "close_reason": "done"});
    assert_eq!(with(&one).issue.close_reason.as_deref(), Some("done"));
    let closed = json!({"status": "closed", "delete_reason": "a double", "close_reason": "done"});
    assert_eq!(with(&closed).issue.close_reason.as_deref(), Some("done"));
}

#[test]
fn priorities_are_one_more_here() {
    for (there, here, notes) in [
        (json!(0), 1, 0),
        (json!(4), 5, 0),
        (json!(2.0), 3, 0),
        (json!(null), 3, 0),
        (json!(5), 5, 1),
        (json!(-1), 1, 1),
        (json!(1.5), 2, 1),
        (json!("high"), 3, 1),
    ] {
        let arrival = with(&json!({"priority": there}));
        assert_eq!((arrival.issue.priority.number(), arrival.notes.len()), (here, notes), "{there}");
    }
    assert_eq!(
        with(&json!({"priority": 9})).notes,
        ["the priority 9 is not one of 0 to 4; it became trivial"]
    );
}

#[test]
fn a_dependency_goes_where_its_type_says() {
    let on = |id: &str, kind: &str| json!({"issue_id": "zoo-1", "depends_on_id": id, "type": kind});
    let arrival = with(&json!({"dependencies": [
        on("zoo-2", "blocks"), on("far-away", "blocks"), on("zoo-3", "parent-child"), on("zoo-3", "parent_child"),
        on("zoo-4", "discovered_from"), on("zoo-5", "relates-to"), on("zoo-6", "related"), on("zoo-7", "duplicates"),
        on("zoo-8", "supersedes"), on("zoo-9", "waits-for"), on("zoo-9", "conditional-blocks"), on("zoo-9", "tracks"),
    ]}));
    let depends_on: Vec<&str> = arrival.issue.depends_on.iter().map(IssueId::as_str).collect();
    assert_eq!(depends_on, ["far-away", "zoo-2"]);
    let relations: Vec<&str> = arrival.issue.relations.iter().map(String::as_str).collect();
    assert_eq!(
        relations,
        [
            "conditional-blocks:zoo-9",
            "discovered-from:zoo-4",
            "duplicates:zoo-7",
            "parent-child:zoo-3",
            "relates-to:zoo-5",
            "relates-to:zoo-6",
            "supersedes:zoo-8",
            "tracks:zoo-9",
            "waits-for:zoo-9"
        ]
    );
    assert!(arrival.notes.is_empty());
    assert_eq!(
        said(&arrival),
        [
            "the dependency type `conditional-blocks` became a relation, which does not block",
            "the dependency type `tracks` became a relation without a meaning here",
            "the dependency type `waits-for` became a relation, which does not block"
        ]
    );
}

#[test]
fn a_dependency_without_a_place_is_noted() {
    for (dependency, why) in [
        (json!({"depends_on_id": "zoo-2", "type": "a:b"}), "has the type `a:b`"),
        (json!({"depends_on_id": "zoo-2"}), "has no `type`"),
        (json!({"depends_on_id": "../zoo-2", "type": "blocks"}), "`../zoo-2` cannot be the id"),
        (json!({"depends_on_id": "zoo-1", "type": "blocks"}), "depends on itself"),
        (json!({"issue_id": "zoo-9", "depends_on_id": "zoo-2", "type": "blocks"}), "belongs to `zoo-9`"),
        (json!({"type": "blocks"}), "no `depends_on_id`"),
        (json!("zoo-2"), "no `depends_on_id`"),
    ] {
        let arrival = with(&json!({"dependencies": [dependency]}));
        assert!(arrival.issue.depends_on.is_empty() && arrival.issue.relations.is_empty());
        assert_eq!(arrival.notes.len(), 1, "{dependency}");
        assert!(arrival.notes[0].contains(why), "{}", arrival.notes[0]);
        assert!(arrival.notes[0].ends_with("; `show ID --imported` shows it"), "{}", arrival.notes[0]);
        let imported = arrival.issue.imported.unwrap();
        assert_eq!(imported["dependencies"][0], dependency);
        assert_eq!(kept(&imported)["dependencies"], json!([dependency]), "and is shown");
    }
}

#[test]
fn a_comment_is_named_after_its_time_and_what_it_says() {
    let comment = json!({"id": 7, "issue_id": "zoo-1", "author": "Bea", "text": "Done?", "created_at": "2026-01-03T09:00:00.5Z"});
    let arrival = with(&json!({"comments": [comment, comment]}));
    let [made] = arrival.comments.as_slice() else { panic!("one comment, not {:?}", arrival.comments) };
    assert_eq!((made.body.as_str(), made.author.as_str(), &made.edits), ("Done?", "Bea", &None));
    assert!(made.id.as_str().starts_with("20260103T090000500Z-00000-"), "{}", made.id);
    assert!(!made.id.as_str().contains("import"));

    let mut reordered = comment.clone();
    let text = reordered.as_object_mut().unwrap().shift_remove("text").unwrap();
    reordered["text"] = text;
    assert_eq!(
        with(&json!({"comments": [reordered]})).comments[0].id,
        made.id,
        "the order of keys does not matter"
    );
    let mut other = comment.clone();
    other["text"] = json!("Done.");
    assert_ne!(with(&json!({"comments": [other]})).comments[0].id, made.id);
}

#[test]
fn a_comment_that_lacks_something() {
    let arrival = with(&json!({"comments": [{"text": "When?"}, {"author": "Bea"}, "hm", {"text": " "}]}));
    let shown = kept(arrival.issue.imported.as_ref().unwrap());
    assert_eq!(shown["comments"], json!([{"author": "Bea"}, "hm", {"text": " "}]));
    assert_eq!(arrival.comments.len(), 1);
    assert_eq!(arrival.comments[0].author, UNKNOWN);
    assert_eq!(arrival.comments[0].created_at, arrival.issue.created_at);
    assert_eq!(arrival.notes.len(), 4);
}

#[test]
fn who_wrote_it() {
    let author = |more: &Value| with(more).issue.author;
    assert_eq!(author(&json!({"created_by": "", "owner": "ada@example.org"})), "ada@example.org");
    assert_eq!(author(&json!({})), "unknown");
}

#[test]
fn it_never_changed_before_it_was_born() {
    let times = |more: &Value| {
        let arrival = with(more);
        (arrival.issue.created_at.to_string(), arrival.changed.to_string(), arrival.notes.len())
    };
    let (born, changed) = ("2026-01-01T08:00:00.123Z".to_owned(), "2026-01-02T08:00:00.000Z".to_owned());
    assert_eq!(times(&json!({"updated_at": "2025-01-01T00:00:00Z"})), (born.clone(), born.clone(), 0));
    assert_eq!(times(&json!({"updated_at": null})), (born.clone(), born.clone(), 0));
    assert_eq!(times(&json!({"updated_at": "yesterday"})), (born.clone(), born, 1));
    let epoch = "1970-01-01T00:00:00.000Z".to_owned();
    assert_eq!(
        times(&json!({"created_at": null})),
        (epoch.clone(), changed, 1),
        "it says when it changed, not its birth"
    );
    assert_eq!(times(&json!({"created_at": null, "updated_at": null})), (epoch.clone(), epoch, 1));
}

#[test]
fn a_title_is_one_line_that_can_be_shown() {
    assert_eq!(with(&json!({"title": " Feed\r\n the\n\nokapi "})).issue.title, "Feed the okapi");
    let long = with(&json!({"title": "ç".repeat(1_000_000)}));
    assert_eq!(long.issue.title.chars().count(), LONGEST_TITLE);
    assert_eq!(long.notes.len(), 1);
    assert_eq!(with(&json!({"title": "ç".repeat(LONGEST_TITLE)})).notes.len(), 0);
}

#[test]
fn labels_and_titles_keep_to_the_limits_of_any_issue() {
    let long = "a".repeat(201);
    let arrival = with(&json!({"labels": [" auth ", "two\nlines", long], "title": "a\u{1b}[31mb\tc"}));
    assert_eq!(arrival.issue.tags.into_iter().collect::<Vec<_>>(), ["auth"]);
    assert_eq!(arrival.notes.len(), 2, "{:?}", arrival.notes);
    assert_eq!(arrival.issue.title, "a [31mb c");
}

#[test]
fn only_web_addresses_are_links() {
    for text in ["github:zoo/okapi#7", "javascript:alert(1)", "http://", "https://example.org/ x", "JIRA-7"] {
        let arrival = with(&json!({"external_ref": text}));
        assert_eq!(arrival.issue.source_url, None, "{text}");
        assert_eq!(arrival.issue.imported.unwrap()["external_ref"], text);
    }
}

#[test]
fn a_field_of_another_type_is_noted_and_kept() {
    let more = json!({"assignee": 7, "labels": "a", "comments": {}, "dependencies": 1, "design": ["x"]});
    let arrival = with(&more);
    assert_eq!(arrival.notes.len(), 5, "{:?}", arrival.notes);
    assert_eq!(
        with(&json!({"labels": ["a", 7]})).notes,
        ["a label is a number, not a string; `show ID --imported` shows it"]
    );
    assert_eq!(arrival.issue.imported, Some(record(&more)));
}

#[test]
fn what_cannot_be_an_issue_is_refused_with_the_reason() {
    for (source, id, why) in [
        (json!([1]), None, "it is a list, not an object"),
        (json!(null), None, "it is null, not an object"),
        (json!({"title": "t"}), None, "it has no `id`"),
        (json!({"id": 7, "title": "t"}), None, "it has no `id`"),
        (json!({"id": "zoo-1"}), Some("zoo-1"), "it has no `title`"),
        (json!({"id": "zoo-1", "title": " \n"}), Some("zoo-1"), "it has no `title`"),
        (json!({"id": "../etc", "title": "t"}), Some("../etc"), "`../etc` cannot be the id of an issue"),
        (json!({"id": "SOL-a-1", "title": "t"}), Some("SOL-a-1"), "begin other kinds of ids"),
    ] {
        let refused = read(&source).unwrap_err();
        assert_eq!(refused.id.as_deref(), id);
        assert!(refused.reason.contains(why), "{}", refused.reason);
    }
}

#[test]
fn other_kinds_of_lines_are_counted_and_counts_are_dropped() {
    for (kind, reason) in [("memory", "memory"), ("no word", "other record")] {
        let refused = read(&json!({"_type": kind, "key": "build", "value": "use make"})).unwrap_err();
        assert_eq!((refused.reason.as_str(), refused.is_fault), (reason, false));
    }
    let arrival =
        with(&json!({"_type": "issue", "dependency_count": 1, "dependent_count": 2, "comment_count": 3}));
    assert_eq!(said(&arrival), Vec::<&str>::new());
    assert!(arrival.issue.imported.unwrap().get("comment_count").is_none());
}
