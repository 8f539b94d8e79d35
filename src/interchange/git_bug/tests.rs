use serde_json::json;

use super::*;

const BUG: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4d5e6f708192a3b4c5d6e7f809";

/// A bug with these operations after its creation; each has the next id and author, and happens a second later.
fn bug(operations: &[Value]) -> Value {
    let create = json!({"type": 1, "title": "Crash on start", "message": "It fails.", "files": []});
    let all: Vec<Value> = std::iter::once(&create)
        .chain(operations)
        .zip(0..)
        .map(|(op, n)| {
            let mut op = op.clone();
            if op.get("timestamp").is_none() {
                op["timestamp"] = json!(1_600_000_000 + n);
            }
            let id = if n == 0 { BUG.to_owned() } else { format!("op{n}") };
            json!({"id": id, "author": {"id": "i1", "name": "Ada", "email": "ada@example.org"}, "op": op})
        })
        .collect();
    json!({"git_bug": 4, "id": BUG, "operations": all})
}

fn arrive(operations: &[Value]) -> Arrival {
    read(&bug(operations)).unwrap_or_else(|refused| panic!("{refused:?}"))
}

#[test]
fn operations_are_applied_in_their_order() {
    let arrival = arrive(&[
        json!({"type": 2, "title": "Crash on first start", "was": "Crash on start"}),
        json!({"type": 5, "added": ["bug", "ui"], "removed": []}),
        json!({"type": 3, "message": "Here too."}),
        json!({"type": 4, "status": 2}),
        json!({"type": 4, "status": 1}),
        json!({"type": 5, "added": ["mac"], "removed": ["ui", "none"]}),
        json!({"type": 4, "status": 2}),
        json!({"type": 7}),
    ]);
    let issue = &arrival.issue;
    assert_eq!((issue.id.as_str(), issue.title.as_str()), ("GB-a1b2c3d4e5", "Crash on first start"));
    assert_eq!(
        (issue.author.as_str(), issue.context.as_deref()),
        ("Ada <ada@example.org>", Some("It fails."))
    );
    assert_eq!(issue.tags.iter().map(String::as_str).collect::<Vec<_>>(), ["bug", "mac"]);
    assert_eq!((issue.status, issue.closed_at), (StoredStatus::Closed, Time::from_seconds(1_600_000_007)));
    assert_eq!(issue.created_at, Time::from_seconds(1_600_000_000).unwrap());
    assert_eq!(arrival.comments.len(), 1);
    assert!(arrival.notes.is_empty() && arrival.kept.is_empty());
}

#[test]
fn edits_replace_the_text_before_them() {
    let arrival = arrive(&[
        json!({"type": 3, "message": "one"}),
        json!({"type": 6, "target": "op1", "message": "two"}),
        json!({"type": 6, "target": BUG, "message": "It always fails."}),
        json!({"type": 6, "target": "op1", "message": "three"}),
        json!({"type": 6, "target": "nothing", "message": "no"}),
    ]);
    assert_eq!(arrival.issue.context.as_deref(), Some("It always fails."));
    let [one, two, three] = arrival.comments.as_slice() else { panic!("{:?}", arrival.comments) };
    assert_eq!((one.body.as_str(), &one.edits), ("one", &None));
    assert_eq!((two.body.as_str(), two.edits.as_ref()), ("two", Some(&one.id)));
    assert_eq!((three.body.as_str(), three.edits.as_ref()), ("three", Some(&two.id)));
}

#[test]
fn comments_of_one_second_stay_in_their_order() {
    let at = |text: &str| json!({"type": 3, "message": text, "timestamp": 1_600_000_050});
    let texts: Vec<Value> = (0..9).map(|n| at(&n.to_string())).collect();
    let mut comments = arrive(&texts).comments;
    comments.sort_by(|one, two| one.id.cmp(&two.id));
    let bodies: String = comments.iter().map(|comment| comment.body.as_str()).collect();
    assert_eq!(bodies, "012345678");
}

#[test]
fn more_operations_are_a_later_state_whatever_their_times() {
    let one = arrive(&[json!({"type": 4, "status": 2, "timestamp": 1_700_000_000})]);
    let two = arrive(&[
        json!({"type": 3, "message": "offline", "timestamp": 1_650_000_000}),
        json!({"type": 4, "status": 2, "timestamp": 1_700_000_000}),
    ]);
    assert!(two.changed > one.changed);
}

#[test]
fn what_has_no_field_is_kept() {
    let arrival = arrive(&[
        json!({"type": 8, "target": BUG, "new_metadata": {"github-url": "https://github.com/a/b/issues/7", "origin": "github"}}),
        json!({"type": 3, "message": "see", "files": ["ff"]}),
        json!({"type": 11, "assignee": "x"}),
    ]);
    assert_eq!(arrival.issue.source_url.as_deref(), Some("https://github.com/a/b/issues/7"));
    let said: Vec<&str> = arrival.kept.iter().map(AsRef::as_ref).collect();
    assert_eq!(
        said,
        [
            "`metadata` has no field here",
            "attached files have no field here",
            "operations of the type 11 have no meaning here"
        ]
    );
    let kept = (GIT_BUG.kept)(arrival.issue.imported.as_ref().unwrap());
    assert_eq!((&kept["id"], &kept["metadata"]["origin"]), (&json!(BUG), &json!("github")));
}

#[test]
fn metadata_of_a_comment_is_not_that_of_the_bug() {
    let arrival = arrive(&[
        json!({"type": 3, "message": "see", "metadata": {"github-id": "C1"}}),
        json!({"type": 8, "target": BUG, "new_metadata": {"origin": "github"}}),
        json!({"type": 8, "target": "op1", "new_metadata": {"origin": "mail", "github-id": "C2", "a-url": "https://example.org/c"}}),
        json!({"type": 8, "target": BUG, "new_metadata": {"origin": "later"}}),
    ]);
    assert_eq!(arrival.issue.source_url, None);
    let said: Vec<&str> = arrival.kept.iter().map(AsRef::as_ref).collect();
    assert_eq!(said, [OF_BUG, OF_OPERATION]);
    let kept = (GIT_BUG.kept)(arrival.issue.imported.as_ref().unwrap());
    assert_eq!(kept["metadata"], json!({"origin": "github"}));
    let of_comment = json!({"github-id": "C1", "origin": "mail", "a-url": "https://example.org/c"});
    assert_eq!(kept["operation_metadata"], json!({"op1": of_comment}));
    assert_eq!(arrival.comments[0].source_id.as_deref(), Some("op1"));
}

#[test]
fn an_identity_without_a_name_is_noted_once() {
    let mut bug = bug(&[json!({"type": 3, "message": "a"}), json!({"type": 3, "message": "b"})]);
    for n in 1..3 {
        bug["operations"][n]["author"] = json!({"id": "i9"});
    }
    let arrival = read(&bug).unwrap();
    assert_eq!(arrival.comments[0].author.as_str(), UNKNOWN);
    assert_eq!(arrival.notes, ["the identity `i9` is missing or has no name, so its author is `unknown`"]);
}

#[test]
fn what_cannot_be_an_issue_is_refused() {
    let mut no_title = bug(&[]);
    no_title["operations"][0]["op"]["title"] = json!(" \n");
    let mut no_create = bug(&[]);
    no_create["operations"][0]["op"]["type"] = json!(3);
    let mut no_time = bug(&[]);
    no_time["operations"][0]["op"]["timestamp"] = json!("now");
    for (record, why) in [
        (no_title, "it has no title"),
        (no_create, "does not create a bug"),
        (no_time, "has no time"),
        (json!({"git_bug": 4, "id": BUG, "operations": []}), "it has no operations"),
        (json!({"git_bug": 4, "id": "../..", "operations": [1]}), "cannot be the id"),
    ] {
        let refused = read(&record).unwrap_err();
        assert!(refused.reason.contains(why), "{refused:?}");
    }
}
