//! Trees of every kind of record, in versions that this program writes: created, edited and imported by several
//! clones with clocks of their own, entries under one name with different bytes, and additions of a later format.

use serde_json::Value;

mod roadmaps;
mod runs;

use self::runs::{execution, review, run};
use super::*;
use crate::git::{ObjectId, Repository};
use crate::model::{
    ActionDone, Aside, AsideReason, CodeReview, Comment, ConflictType, Doc, End, Entry, EntryId, Event,
    Execution, ExecutionMethod, ExecutionStatus, Feedback, FeedbackDetail, FeedbackType, ISSUE, ITEM, Issue,
    Item, ItemId, LogEntry, QUEUE, Queue, QueueConflict, QueueDecision, QueueId, ROOT, Resolution, Review,
    Run, RunAgents, RunEvent, RunId, RunLimits, RunLogEntry, RunMode, RunStep, SOLUTION, Schema, Score,
    Scores, Severity, SolutionId, Stage, Stamp, Stamper, Time, Uid, Verdict, entry_at, entry_bytes,
};
use crate::store::Form;
use crate::store::layout::{entry_file, form};

const KINDS: usize = 17;

/// One write: by which clone, at what time by its clock, and what.
#[derive(Debug, Clone)]
struct Write {
    who: u8,
    second: i64,
    what: u8,
}

/// The history of one version of a record.
#[derive(Debug, Clone)]
struct Life {
    birth: Write,
    writes: Vec<Write>,
    imported: bool,
    /// For a write-once record: whether someone changed its content and kept its name.
    rewritten: bool,
}

fn writes() -> impl Strategy<Value = Write> {
    (0u8..3, 0i64..4, 0u8..12).prop_map(|(who, second, what)| Write { who, second, what })
}

fn lives() -> impl Strategy<Value = Life> {
    // Few births, so that most versions are of the same record.
    let birth = (prop_oneof![4 => Just(0u8), 1 => Just(1)], Just(0), 0u8..2);
    (birth, vec(writes(), 0..5), prop::bool::weighted(0.2), prop::bool::weighted(0.3)).prop_map(
        |((who, second, what), writes, imported, rewritten)| Life {
            birth: Write { who, second, what },
            writes,
            imported,
            rewritten,
        },
    )
}

fn time(second: i64) -> Time {
    Time::from_seconds(1_795_226_400 + second).unwrap()
}

fn stamper(by: &Write) -> Stamper {
    Stamper::new(time(by.second), Uid::from_bits([0, 0, 0, 0, by.who]))
}

fn issue_id() -> IssueId {
    IssueId::parse("GH-1").unwrap()
}

fn solution_id() -> SolutionId {
    SolutionId::parse("SOL-GH-1-1").unwrap()
}

fn queue_id() -> QueueId {
    QueueId::parse("QUE-1").unwrap()
}

fn run_id() -> RunId {
    RunId::parse("RUN-1").unwrap()
}

/// A record with stamps: created from `start`, then changed field by field.
fn doc(schema: &'static Schema, life: &Life, start: &Value, change: impl Fn(&mut Value, u8)) -> Vec<u8> {
    let birth = stamper(&life.birth).fresh();
    let mut doc = if life.imported {
        Doc::imported(schema, start, Stamp::import(time(0)), &Stamp::import(time(life.birth.second)))
    } else if schema.name == "wf" {
        Doc::parse(schema, &crate::model::doc::file_bytes(start)).unwrap()
    } else {
        Doc::born(schema, start, birth)
    };
    for write in &life.writes {
        let mut data = doc.fields();
        change(&mut data, write.what);
        if write.what == 11 {
            // Someone resolves a conflict by keeping the current value.
            let Some(key) = doc.registers().next().map(str::to_owned) else { continue };
            doc.decide(&key, doc.value(&key).cloned(), &stamper(write)).unwrap();
        } else {
            doc.update(&data, &stamper(write)).unwrap();
        }
    }
    doc.to_bytes()
}

fn issue(life: &Life) -> Vec<u8> {
    let mut start =
        Issue::new(issue_id(), format!("author {}", life.birth.who).into(), time(0), "as it was".into());
    start.tags = ["auth".to_owned()].into();
    doc(&ISSUE, life, &serde_json::to_value(start).unwrap(), |data, what| match what {
        0..=2 => data["title"] = json!(format!("title {what}")),
        3 => data["tags"] = json!(["ui"]),
        4 => data["tags"] = json!(["auth", "a/b", "-c"]),
        5 => data["depends_on"] = json!(["GH-2", "GH-3"]),
        6 => data["extended_context"] = json!({"notes": "n", "location": "l"}),
        7 => data["extended_context"] = json!({"notes": "m"}),
        8 => data["status"] = json!("closed"),
        9 => data["imported"] = json!({"z": 1.50, "a": [1]}),
        _ => data["of_a_later_version"] = json!({"b": what, "a": null}),
    })
}

fn solution(life: &Life) -> Vec<u8> {
    let start = json!({"id": "SOL-GH-1-1", "issue_id": "GH-1", "author": "a", "created_at": time(0),
        "plan": {"description": "first", "tasks": []}});
    doc(&SOLUTION, life, &start, |data, what| {
        let task = json!({"id": "T1", "title": "t", "action": "Modify", "scope": "src", "zoo": what});
        data["plan"] = json!({"description": format!("way {}", what % 3), "tasks": [task]});
    })
}

fn queue(life: &Life) -> Vec<u8> {
    let start =
        Queue { id: queue_id(), created_at: time(0), name: None, status: QueueDecision::Active, priority: 0 };
    doc(&QUEUE, life, &serde_json::to_value(start).unwrap(), |data, what| match what {
        0..=3 => data["name"] = json!(format!("queue {what}")),
        4..=6 => data["status"] = json!("paused"),
        _ => data["priority"] = json!(what),
    })
}

fn item(life: &Life) -> Vec<u8> {
    let start = Item {
        item_id: ItemId::numbered(u64::from(life.birth.who) + 1),
        issue_id: issue_id(),
        solution_id: solution_id(),
        plan_digest: "sha256:0".into(),
        position: format!("0000{}0", life.birth.what),
        depends_on: Default::default(),
        forced: None,
        held: None,
        removed: None,
        queued_at: time(life.birth.second),
    };
    doc(&ITEM, life, &serde_json::to_value(start).unwrap(), |data, what| match what {
        0..=2 => data["removed"] = json!(true),
        3..=5 => drop(data.as_object_mut().unwrap().remove("removed")),
        6 => data["depends_on"] = json!(["SOL-GH-2-1"]),
        7 => data["held"] = json!("later"),
        8 => data["forced"] = json!("sha256:1"),
        _ => data["position"] = json!(format!("0000{what}0")),
    })
}

fn root_record(life: &Life) -> Vec<u8> {
    let life = Life { imported: false, ..life.clone() };
    doc(&ROOT, &life, &json!({"format": 1, "policy": {"commits": "required"}}), |data, what| match what {
        0..=4 => data["policy"] = json!({"review": format!("{what}")}),
        _ => data["project"] = json!({"tech_stack": [what], "guidelines": {"b": 1, "a": 2}}),
    })
}

/// An entry in a directory, as its history left it: if it was rewritten, it keeps its original name.
fn entry<T: Entry>(folder: &str, life: &Life, make: impl FnOnce(EntryId) -> T) -> (String, Vec<u8>) {
    let entry = entry_at(&stamper(&life.birth).fresh(), make);
    (layout::entry(folder, entry.id()), left(life, entry_bytes(&entry)))
}

fn left(life: &Life, bytes: Vec<u8>) -> Vec<u8> {
    if !life.rewritten {
        return bytes;
    }
    let mut value: Value = serde_json::from_slice(&bytes).unwrap();
    let who = if value.get("actor").is_some() { "actor" } else { "author" };
    value[who] = json!("zzz");
    crate::model::doc::file_bytes(&value)
}

/// One of four entries of a log; each has as many versions as there are texts.
fn logged(kind: usize, life: &Life) -> (String, Vec<u8>) {
    let (text, at) = (format!("text {}", life.writes.len()), time(0));
    let event = |event| {
        let folder = layout::execution_log(&execution(&Life { rewritten: false, ..life.clone() }).id);
        entry(&folder, life, |id| LogEntry { id, event, actor: text.as_str().into(), at })
    };
    let author = || "a".to_owned();
    match kind {
        0 => entry(&layout::comments(&issue_id()), life, |id| Comment {
            id,
            body: text,
            author: author().into(),
            created_at: at,
            edits: None,
            source_id: None,
        }),
        1 => entry(&layout::feedback(&issue_id()), life, |id| Feedback {
            id,
            kind: FeedbackType::Failure,
            stage: Stage::Execute,
            content: text,
            detail: FeedbackDetail::default(),
            author: author().into(),
            created_at: at,
        }),
        2 => event(Event::End(End {
            status: ExecutionStatus::Failed,
            result: None,
            failure: None,
            patch_id: None,
            forced: None,
            onto: None,
        })),
        3 => event(Event::Aside(Aside {
            status: ExecutionStatus::Failed,
            reason: AsideReason::Retry,
            forced: None,
        })),
        5 => entry(&layout::queue_conflicts(&queue_id()), life, |id| QueueConflict {
            id,
            kind: ConflictType::Api,
            severity: Severity::High,
            solutions: vec![solution_id(), SolutionId::parse("SOL-ISS-002-1").unwrap()],
            file: None,
            resolution: Resolution::Sequential,
            resolution_order: vec![],
            rationale: Some(text),
            resolves: None,
            author: author().into(),
            created_at: at,
        }),
        _ => entry(&layout::run_log(&run_id()), life, |id| RunLogEntry {
            id,
            event: RunEvent::Action(ActionDone::plain(RunStep::Plan, Some(issue_id()))),
            actor: text.into(),
            at,
        }),
    }
}

/// The path of a record of some kind, and this version of it.
fn record(kind: usize, life: &Life) -> (String, Vec<u8>) {
    let unknown = || format!("version {}", life.birth.what).into_bytes();
    match kind {
        0 => (layout::ROOT_PATH.into(), root_record(life)),
        1 => (layout::issue(&issue_id()), issue(life)),
        2 => (layout::solution(&solution_id()), solution(life)),
        3 => (layout::queue(&queue_id()), queue(life)),
        4 => (layout::item(&queue_id(), &solution_id()), item(life)),
        5 => {
            let execution = execution(life);
            (layout::execution(&execution.id), left(life, entry_bytes(&execution)))
        }
        6 => logged(0, life),
        7 => logged(1, life),
        8 => logged(2, life),
        9 => logged(3, life),
        10 => review(life),
        11 => logged(5, life),
        12 => (format!("{}/later/entry.json", layout::issue_folder(&issue_id())), unknown()),
        13 => (layout::run(&run_id()), run(life)),
        14 => (layout::roadmap(&roadmaps::id()), roadmaps::roadmap(life)),
        15 => roadmaps::logged(life),
        _ => logged(6, life),
    }
}

/// A replica: the records that it has, and their histories.
fn replicas() -> impl Strategy<Value = BTreeMap<usize, Life>> {
    btree_map(0..KINDS, lives(), 3..KINDS)
}

fn state(repo: &Repository, replica: &BTreeMap<usize, Life>) -> ObjectId {
    let mut editor = repo.raw().empty_tree().edit().unwrap();
    for (kind, life) in replica {
        let (path, bytes) = record(*kind, life);
        let blob = repo.raw().write_blob(bytes).unwrap().detach();
        editor.upsert(path, EntryKind::Blob, blob).unwrap();
    }
    editor.write().unwrap().detach()
}

/// Every file of a tree, with its bytes.
fn files(repo: &Repository, tree: ObjectId) -> BTreeMap<String, Vec<u8>> {
    let found = repo.raw().find_tree(tree).unwrap().traverse().breadthfirst.files().unwrap();
    let blobs = found.into_iter().filter(|entry| entry.mode.is_blob());
    blobs.map(|blob| (blob.filepath.to_string(), repo.object(blob.oid).unwrap().detach().data)).collect()
}

/// Whether the bytes are what this program would write at this path.
fn is_as_written(path: &str, bytes: &[u8]) -> bool {
    match form(path) {
        (Form::Unknown, _) => true,
        (Form::Doc(schema), id) => Doc::parse(schema, bytes)
            .is_ok_and(|doc| doc.to_bytes() == bytes && id.is_none_or(|id| doc.id() == Some(&id))),
        (Form::Entry(once), id) => {
            entry_file(once, id.as_deref(), bytes).is_ok_and(|file| file.canonical == bytes)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn all_kinds_of_records_join(replicas in vec(replicas(), 3)) {
        let repo = repo();
        let [a, b, c] = [0, 1, 2].map(|n| state(&repo, &replicas[n]));
        let (ab, bc) = (join(&repo, a, b), join(&repo, b, c));
        let all = join(&repo, ab, c);
        prop_assert_eq!(ab, join(&repo, b, a), "the order does not matter");
        prop_assert_eq!(all, join(&repo, a, bc), "nor does the grouping");
        prop_assert_eq!(all, join(&repo, join(&repo, c, a), b));
        for earlier in [a, b, c, ab, bc, all] {
            prop_assert_eq!(join(&repo, all, earlier), all, "nor does what is there already");
        }
        let merged = files(&repo, all);
        for path in [a, b, c].iter().flat_map(|tree| files(&repo, *tree).into_keys()) {
            prop_assert!(merged.contains_key(&path), "{} is gone", path);
        }
        let ours = [a, b, c].map(|tree| files(&repo, tree));
        for (path, bytes) in merged {
            // A rewritten version may only remain if no replica has the original.
            if ours.iter().all(|files| files.get(&path).is_none_or(|bytes| !is_as_written(&path, bytes))) {
                continue;
            }
            prop_assert!(is_as_written(&path, &bytes), "{}: {}", path, String::from_utf8_lossy(&bytes));
        }
    }

    /// Each side removes members of maps and objects and elements of sets, which the other side can have kept.
    #[test]
    fn records_with_a_clock_can_be_read_whatever_was_removed(versions in vec(lives(), 3)) {
        let hash = repo().hash_kind();
        for kind in [0, 1, 2, 3, 4, 14] {
            let (path, _) = record(kind, &versions[0]);
            let (Form::Doc(schema), _) = form(&path) else { unreachable!() };
            let [a, b, c] = [0, 1, 2].map(|n| record(kind, &versions[n]).1);
            let join = |one: &[u8], two: &[u8]| join::join(&path, one, two, hash).unwrap();
            let left = join(&join(&a, &b), &c);
            prop_assert_eq!(&left, &join(&a, &join(&b, &c)), "{}", path);
            let read = Doc::parse(schema, &left).map(|doc| doc.to_bytes());
            prop_assert_eq!(read.as_ref(), Ok(&left), "{}", String::from_utf8_lossy(&left));
        }
    }

    #[test]
    fn who_saw_a_value_and_changed_it_wins_whatever_the_clocks(ours in lives(), seen in lives(), write in writes()) {
        let (path, ours) = record(1, &ours);
        let (_, seen) = record(1, &seen);
        let (Form::Doc(schema), _) = form(&path) else { unreachable!() };
        let parse = |bytes: &[u8]| Doc::parse(schema, bytes).unwrap();
        let merged = parse(&ours).merge(parse(&seen));
        let mut after = merged.clone();
        let mut data = after.fields();
        data["title"] = json!("written last");
        after.update(&data, &stamper(&write)).unwrap();
        for again in [after.clone().merge(parse(&seen)), merged.merge(after)] {
            prop_assert_eq!(again.value("title"), Some(&json!("written last")));
        }
    }
}
