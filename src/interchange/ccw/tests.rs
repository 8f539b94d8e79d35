use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{
    Feedback, FeedbackDetail, FeedbackType, PlanJson, Solution, Stage, Stamp, StoredStatus, Uid, entry_at,
};
use crate::rules::{IssueFolder, Recorded};

const AT: &str = "2026-01-01T08:00:00.000Z";

fn recorded<T>(record: T, changed: Time) -> Recorded<T> {
    Recorded { record, changed: Some(changed), decided: None }
}

fn folder(issue: Issue, solutions: Vec<Solution>, feedback: Vec<Feedback>) -> IssueFolder {
    let at = issue.created_at;
    IssueFolder {
        issue: recorded(issue, at),
        comments: vec![],
        feedback,
        explorations: vec![],
        solutions: solutions.into_iter().map(|solution| recorded(solution, at)).collect(),
        reviews: BTreeMap::new(),
        executions: vec![],
        items: vec![],
        broken: vec![],
    }
}

/// The record as a store of ccw would hold it, with its plans.
fn composite(record: &Value, plans: &[Value], items: &Value) -> Value {
    let ids: Vec<Value> = plans.iter().map(|plan| plan["id"].clone()).collect();
    let mut composite = record.clone();
    composite[OWN] = json!({"plans": ids, "items": items, "solutions": plans, "changed": {}});
    composite
}

fn arrive(record: &Value) -> Arrival {
    read(record).unwrap()
}

fn with(more: &Value) -> Arrival {
    let mut record =
        json!({"id": "ISS-001", "title": "T", "status": "registered", "priority": 3, "created_at": AT});
    for (name, value) in more.as_object().unwrap() {
        record[name] = value.clone();
    }
    arrive(&composite(&record, &[], &json!([])))
}

fn plan(id: &str) -> Value {
    json!({"id": id, "description": "d", "tasks": [{"id": "T1", "title": "t", "action": "Fix"}], "is_bound": true,
        "created_at": AT})
}

/// An issue with one plan, one item and this status of both.
fn tried(status: &str, item: &Value) -> Arrival {
    let record = json!({"id": "ISS-001", "title": "T", "status": status, "bound_solution_id": "SOL-ISS-001-1",
        "created_at": AT});
    let item = json!([{"queue_id": "QUE-1", "number": "S-1", "position": 1, "queued_at": AT, "plan_digest": "sha256:1",
        "item": item}]);
    arrive(&composite(&record, &[plan("SOL-ISS-001-1")], &item))
}

fn item(more: &Value) -> Value {
    let mut item = json!({"item_id": "S-1", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-1"});
    for (name, value) in more.as_object().unwrap() {
        item[name] = value.clone();
    }
    item
}

#[test]
fn the_scale_of_priorities_is_turned() {
    for (there, here) in [(json!(5), 1), (json!(4), 2), (json!(1), 5), (json!("4"), 2), (Value::Null, 3)] {
        let arrival = with(&json!({"priority": there}));
        assert_eq!((arrival.issue.priority.number(), arrival.notes), (here, vec![]), "{there}");
    }
    let arrival = with(&json!({"priority": 9}));
    assert_eq!(arrival.issue.priority.number(), 1);
    assert_eq!(arrival.notes, ["the priority 9 is not one of 1 to 5; it became critical"]);
}

#[test]
fn a_status_without_an_execution_is_said_to_be_another() {
    for (word, stored, kept) in [
        ("registered", StoredStatus::Registered, None),
        ("planning", StoredStatus::Planning, None),
        ("paused", StoredStatus::Paused, None),
        ("completed", StoredStatus::Closed, Some("`completed` without an execution became closed")),
        ("executing", StoredStatus::Planning, Some("`executing` without an execution became planning")),
        ("in-progress", StoredStatus::Planning, Some("`in-progress` without an execution became planning")),
        ("resolved", StoredStatus::Closed, Some("`resolved` without an execution became closed")),
        ("closed", StoredStatus::Closed, None),
        ("cancelled", StoredStatus::Cancelled, None),
        ("open", StoredStatus::Registered, None),
        ("odd", StoredStatus::Registered, Some("the status `odd` became `registered`")),
    ] {
        let arrival = with(&json!({"status": word}));
        assert_eq!(arrival.issue.status, stored, "{word}");
        assert_eq!(arrival.kept.iter().map(AsRef::as_ref).next(), kept, "{word}");
        let is_over = matches!(stored, StoredStatus::Closed | StoredStatus::Cancelled);
        let reason = is_over.then(|| format!("{word} in ccw"));
        assert_eq!((arrival.is_terminal(), &arrival.issue.close_reason), (is_over, &reason), "{word}");
        // It goes back as it came.
        let written = issue(&folder(arrival.issue.clone(), vec![], vec![]));
        assert_eq!(
            (&written.record["status"], written.is_over),
            (&json!(word), stored == StoredStatus::Closed)
        );
        let shown = super::kept(arrival.issue.imported.as_ref().unwrap());
        let is_kept = ["executing", "in-progress", "odd"].contains(&word);
        assert_eq!(shown.get("status"), is_kept.then(|| json!(word)).as_ref(), "{word}");
    }
}

#[test]
fn a_status_with_an_execution_is_that_of_its_item() {
    let ended = json!({"status": "completed", "started_at": AT, "completed_at": "2026-01-01T09:00:00Z"});
    for (word, item, is_over) in [
        ("resolved", &ended, true),
        ("completed", &ended, true),
        ("in-progress", &json!({"status": "executing", "started_at": AT}), false),
        ("queued", &json!({"status": "pending"}), false),
    ] {
        let arrival = tried(word, &self::item(item));
        assert_eq!((arrival.issue.status, arrival.is_terminal()), (StoredStatus::Planned, is_over), "{word}");
        assert_eq!((&arrival.notes, &arrival.issue.close_reason), (&vec![], &None), "{word}");
        let is_aside = arrival.work.attempts.iter().any(|attempt| attempt.log.len() > 1);
        assert!(!is_aside, "{word}");
    }
}

#[test]
fn a_plan_may_have_any_id_there() {
    let issue = IssueId::parse("ISS-001").unwrap();
    let named = |given: &str| plan::named(&issue, given).unwrap().to_string();
    assert_eq!(named("SOL-ISS-001-1"), "SOL-ISS-001-1");
    assert_eq!(named("SOL-1"), "SOL-ISS-001-sol1");
    let others =
        ["SOL-ISS-002-1", "SOL-ISS-001-A7", "SOL-A", "SOL-a-b", "plan", "SOL-", "SOL-12345678901234"];
    for given in others {
        let uid = Uid::from_content(&[given.as_bytes()]);
        assert_eq!(named(given), format!("SOL-ISS-001-{uid}"), "{given}");
    }
    assert_eq!(plan::named(&issue, " "), None);
}

#[test]
fn a_plan_with_another_id_goes_back_under_its_own() {
    let record = json!({"id": "ISS-001", "title": "T", "status": "planned", "bound_solution_id": "SOL-1",
        "created_at": AT, "updated_at": AT});
    let given = plan("SOL-1");
    let mut composite = composite(&record, std::slice::from_ref(&given), &json!([]));
    composite[OWN]["plans"] = json!(["SOL-ISS-001-sol1"]);
    composite[OWN][RENAMED] = json!({"SOL-ISS-001-sol1": "SOL-1"});
    composite[OWN][BOUND_AT] = Value::Null;
    let arrival = arrive(&composite);
    assert_eq!(arrival.issue.bound_solution_id.as_ref().unwrap().as_str(), "SOL-ISS-001-sol1");
    assert_eq!(
        arrival.notes,
        ["its plan `SOL-1` became `SOL-ISS-001-sol1`: here, the id of a plan contains that of its issue"]
    );
    let handed = issue(&folder(arrival.issue, arrival.work.plans, vec![]));
    assert_eq!((handed.record, handed.solutions), (record, vec![given]));
}

#[test]
fn the_queue_that_is_worked_on_comes_first() {
    use super::queue::CcwQueueIndex;
    let listed =
        |priority: Value| json!([{"id": "QUE-2", "priority": priority}, {"id": "QUE-1"}, {"id": "QUE-3"}]);
    let index = |active: &str, all: &Value, priority: Value| {
        let given = json!({"active_queue_id": active, "active_queue_ids": all, "queues": listed(priority)});
        let index = CcwQueueIndex::new(&given);
        ["QUE-1", "QUE-2", "QUE-3"].map(|id| index.priority(id))
    };
    let all = json!(["QUE-1", "QUE-2"]);
    assert_eq!(index("QUE-2", &all, Value::Null), [1, 0, 1]);
    assert_eq!(index("QUE-1", &all, Value::Null), [0, 0, 0], "it is the first by its id");
    assert_eq!(index("QUE-3", &all, Value::Null), [0, 0, 0], "it is not served");
    assert_eq!(index("QUE-1", &all, json!(4)), [5, 4, 5], "a priority decides");
}

#[test]
fn an_item_that_was_begun_is_an_execution() {
    let arrival =
        tried("executing", &item(&json!({"status": "executing", "started_at": "2026-01-02T08:00:00.000Z"})));
    let [attempt] = &arrival.work.attempts[..] else { panic!("{:?}", arrival.work.attempts) };
    assert_eq!((attempt.claim.attempt, attempt.log.len()), (1, 0));
    assert_eq!(attempt.claim.started_at.to_string(), "2026-01-02T08:00:00.000Z");
    assert_eq!(attempt.claim.item_id.as_ref().unwrap().as_str(), "S-1");
    assert_eq!(arrival.changed, attempt.claim.started_at, "the issue changed when its item did");
    assert!(tried("queued", &item(&json!({"status": "pending"}))).work.attempts.is_empty());
}

#[test]
fn how_an_execution_ended_comes_from_the_item() {
    use crate::model::Event;
    let ended = json!({"status": "completed", "started_at": AT, "completed_at": "2026-01-01T09:00:00Z",
        "result": {"summary": "s", "files_modified": ["a"], "tests_passed": true, "commit_hash": "abc"}});
    let arrival = tried("completed", &item(&ended));
    let Event::End(end) = &arrival.work.attempts[0].log[0].event else { panic!() };
    let result = end.result.as_ref().unwrap();
    assert_eq!((result.summary.as_deref(), result.tests_passed), (Some("s"), Some(true)));
    assert!(arrival.kept.contains("`commit_hash` of a result has no field here"));

    let reason = r#"{"task_id": "T1", "error_type": "timeout", "message": "slow"}"#;
    for details in [
        json!({"failure_reason": reason}),
        json!({"failure_details": serde_json::from_str::<Value>(reason).unwrap()}),
    ] {
        let mut failed =
            json!({"status": "failed", "started_at": AT, "completed_at": "2026-01-01T09:00:00Z"});
        failed.as_object_mut().unwrap().extend(details.as_object().unwrap().clone());
        let arrival = tried("failed", &item(&failed));
        let Event::End(end) = &arrival.work.attempts[0].log[0].event else { panic!() };
        let failure = end.failure.as_ref().unwrap();
        assert_eq!((failure.task_id.as_deref(), failure.message.as_deref()), (Some("T1"), Some("slow")));
    }
}

#[test]
fn earlier_failures_are_executions_that_were_set_aside() {
    let history = json!([{"error_type": "e", "message": "one", "timestamp": "2026-01-02T08:00:00Z"}]);
    let arrival = tried("queued", &item(&json!({"status": "pending", "failure_history": history})));
    let log: Vec<&str> = arrival.work.attempts[0].log.iter().map(|entry| entry.event.name()).collect();
    assert_eq!((arrival.work.attempts.len(), log), (1, vec!["end", "aside"]));
    let again =
        json!({"status": "executing", "started_at": "2026-01-03T08:00:00Z", "failure_history": history});
    let arrival = tried("executing", &item(&again));
    let numbers: Vec<u64> = arrival.work.attempts.iter().map(|attempt| attempt.claim.attempt).collect();
    assert_eq!((numbers, arrival.work.attempts[1].log.len()), (vec![1, 2], 0));
}

#[test]
fn an_item_and_its_issue_that_disagree_are_named() {
    let arrival = tried("completed", &item(&json!({"status": "failed", "started_at": AT})));
    assert_eq!(
        arrival.lasting,
        ["the issue says `completed`, but its item `QUE-1:S-1` says `failed`, which counts"]
    );
    assert_eq!(arrival.work.attempts[0].log.len(), 1, "it is not set aside");
}

#[test]
fn an_item_without_its_plan_is_left_out() {
    let record = json!({"id": "ISS-001", "title": "T", "status": "queued", "bound_solution_id": "SOL-ISS-001-1",
        "created_at": AT});
    let item = json!([{"queue_id": "QUE-1", "item": {"item_id": "S-1", "solution_id": "SOL-ISS-001-1"}}]);
    let arrival = arrive(&composite(&record, &[], &item));
    assert_eq!(arrival.issue.bound_solution_id, None);
    assert_eq!(
        arrival.lasting,
        [
            "its plan `SOL-ISS-001-1` is missing, so none is bound",
            "the plan `SOL-ISS-001-1` of its item `QUE-1:S-1` is missing; the item was left out"
        ]
    );
    assert!(arrival.work.items.is_empty());
}

#[test]
fn feedback_is_read_from_its_json_and_kept_as_it_was_written() {
    let text = r#"{"task_id": "T2", "message": "broken", "solution_id": "SOL-ISS-001-1"}"#;
    let given = json!([{"type": "failure", "stage": "execute", "content": text, "created_at": AT}]);
    let arrival = with(&json!({"feedback": given}));
    let [piece] = &arrival.work.feedback[..] else { panic!() };
    assert_eq!((piece.content.as_str(), piece.detail.task_id.as_deref()), (text, Some("T2")));
    assert_eq!(feedback::write(&arrival.issue, piece), given[0]);
    // Details that cannot be read stay in the text.
    let text = r#"{"task_id": 5, "content": "broken"}"#;
    let arrival = with(&json!({"feedback": [{"type": "failure", "content": text, "created_at": AT}]}));
    assert_eq!(arrival.work.feedback[0].content, text);
    assert!(arrival.notes.iter().any(|it| it.contains("stay in its text")), "{:?}", arrival.notes);
}

#[test]
fn an_issue_of_ccw_goes_back_as_its_own_record() {
    let record = json!({"id": "ISS-001", "title": "T", "status": "paused", "priority": 4, "context": "", "mood": "odd",
        "tags": ["b", "a"], "bound_solution_id": null, "created_at": AT, "updated_at": AT});
    let mut arrival = arrive(&composite(&record, &[], &json!([])));
    assert!(arrival.kept.contains("`mood` has no field here"));
    assert_eq!(issue(&folder(arrival.issue.clone(), vec![], vec![])).record, record);
    arrival.issue.title = "New".into();
    let written = issue(&folder(arrival.issue, vec![], vec![])).record;
    assert_eq!(
        (&written["title"], &written["mood"], &written["tags"]),
        (&json!("New"), &json!("odd"), &json!(["b", "a"]))
    );
}

/// An issue with its feedback and its plan.
fn ours() -> impl Strategy<Value = (Issue, Vec<Feedback>)> {
    let text = || proptest::option::of("[a-zç]{1,6}( [a-z\"\\\\]{1,6}){0,2}");
    let set = || proptest::collection::btree_set("[a-z]{1,5}", 0..3);
    let status = prop_oneof![
        Just(StoredStatus::Registered),
        Just(StoredStatus::Planning),
        Just(StoredStatus::Planned),
        Just(StoredStatus::Paused),
        Just(StoredStatus::Cancelled),
        Just(StoredStatus::Closed),
    ];
    let source =
        prop_oneof![Just(Source::Text), Just(Source::Github), Just(Source::Discovery), Just(Source::Import)];
    let texts = (text(), text(), text(), text(), text(), text());
    let sets = (set(), set(), proptest::collection::btree_set("zoo-[1-9]", 0..3));
    let pieces = proptest::collection::vec((text(), text(), text()), 0..3);
    (texts, sets, status, source, 1u64..6, pieces, 0i64..4_000_000_000_000).prop_map(
        |(texts, (tags, components, depends), status, source, priority, pieces, at)| {
            let at = Time::from_millis(at).unwrap();
            let id = IssueId::parse("ISS-001").unwrap();
            let mut issue = Issue::new(id, "Ada <ada@example.org>".into(), at, "A title".into());
            (issue.context, issue.expected_behavior, issue.actual_behavior) = (texts.0, texts.1, texts.2);
            (issue.assignee, issue.issue_type) = (texts.3, texts.4);
            (issue.status, issue.source) = (status, Some(source));
            issue.priority = Priority::new(priority).unwrap();
            issue.extended_context.location = texts.5.clone();
            issue.lifecycle_requirements.test_strategy = texts.5.clone();
            if matches!(status, StoredStatus::Closed | StoredStatus::Cancelled) {
                (issue.close_reason, issue.closed_at) = (texts.5, Some(at.plus_millis(7)));
            }
            if status == StoredStatus::Planned {
                issue.bound_solution_id = SolutionId::parse("SOL-ISS-001-a").ok();
            }
            (issue.tags, issue.affected_components) = (tags, components);
            issue.relations = depends.iter().map(|id| format!("relates-to:{id}")).collect();
            issue.depends_on = depends.iter().map(|id| IssueId::parse(id).unwrap()).collect();
            let pieces = pieces.into_iter().enumerate().filter_map(|(n, (content, task, message))| {
                let created_at = at.plus_millis(i64::try_from(n).unwrap());
                let detail =
                    FeedbackDetail { task_id: task.map(Into::into), message, ..FeedbackDetail::default() };
                let content = content?;
                Some(entry_at(&Stamp::import(created_at), |id| Feedback {
                    id,
                    kind: FeedbackType::Failure,
                    stage: Stage::Execute,
                    content,
                    detail,
                    author: "Bea".into(),
                    created_at,
                }))
            });
            (issue, pieces.collect())
        },
    )
}

proptest! {
    #[test]
    fn an_issue_of_ours_comes_back_as_it_went((issue, feedback) in ours()) {
        let solution = Solution {
            id: SolutionId::parse("SOL-ISS-001-a").unwrap(),
            issue_id: issue.id.clone(),
            author: "Bea".into(),
            created_at: issue.created_at.plus_millis(1),
            plan: PlanJson::new(json!({"description": "d", "more": [1.50], "tasks": [{"id": "T1", "title": "t", "action": "Fix"}]})).unwrap(),
            withdrawn: None,
        };
        let handed = super::issue(&folder(issue.clone(), vec![solution.clone()], feedback.clone()));
        let mut back = arrive(&composite(&handed.record, &handed.solutions, &json!([])));
        back.issue.imported = None;
        prop_assert_eq!(&back.notes, &Vec::<String>::new());
        prop_assert_eq!(back.issue, issue);
        prop_assert_eq!(back.work.plans, vec![solution]);
        prop_assert_eq!(back.work.feedback, feedback);
    }

    #[test]
    fn no_record_is_too_odd(fields in proptest::collection::btree_map("(id|title|status|priority|tags|feedback|created_at|ccw|depends_on|extended_context)", odd(), 0..8)) {
        let record: Value = fields.into_iter().collect::<Map<_, _>>().into();
        if let Ok(arrival) = read(&record) {
            let again = read(arrival.issue.imported.as_ref().unwrap()).unwrap();
            prop_assert_eq!(again.issue, arrival.issue);
        }
    }
}

fn odd() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!("ISS-001")),
        Just(json!("x")),
        Just(json!(7)),
        Just(json!(["a", 1, {}])),
        Just(json!({"items": [1, {"queue_id": "QUE-1", "item": {}}], "plans": [1], "content": 1})),
        Just(json!([{"content": "x"}, {"content": {"task_id": "T1"}}, 3])),
    ]
}
