//! Records with bytes changed at random: nothing panics, versions join in any order, and valid records survive.

mod forms;

use serde_json::{Value, json};

use super::*;
use crate::git::{ObjectId, Repository};
use crate::model::record::{execution_fingerprint, renamed};
use crate::model::{
    Doc, EntryId, ExecutionId, QueueId, Redaction, RoadmapId, RunId, SolutionId, file_bytes, fixtures, strict,
};
use crate::store::layout::{entry_file, form};
use crate::store::snapshot::read_blob;
use crate::store::{Form, Redactions, layout, records};

const PLACE: &str = "20261121T021405123Z-00000";
const AT: &str = "2026-11-21T02:14:05.123Z";
const BIRTH: &str = "2026-11-21T02:14:05.123Z/00000/00000001";

/// A generator that gives the same numbers in every run (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most.max(1) as u64).unwrap_or_default()
    }
}

/// One record of each kind.
fn store() -> Vec<(String, Vec<u8>)> {
    let issue = crate::model::id::IssueId::parse("ISS-001").unwrap();
    let solution = SolutionId::parse("SOL-ISS-001-1").unwrap();
    let (execution, claim) = fixtures::execution(
        json!({"nonce": "a", "issue_id": issue, "solution_id": solution, "plan_digest": "sha256:0",
            "plan_commit": "0".repeat(40), "attempt": 1, "actor": "a", "started_at": AT, "lease_expires_at": AT}),
    );
    let queue = QueueId::parse("QUE-1").unwrap();
    let run = RunId::parse("RUN-1").unwrap();
    let roadmap = RoadmapId::parse("RMAP-roadmap-20261121-00000001").unwrap();
    let entry = |folder: String, record: Value| {
        let (id, record) = fixtures::entry(PLACE, record);
        (layout::entry(&folder, &id), record)
    };
    let log = layout::execution_log(&execution);
    let redactions = format!("{}/{}", layout::issue_folder(&issue), layout::REDACTIONS);
    let all: Vec<(String, Value)> = vec![
        ("wf.json".into(), json!({"format": 1, "policy": {"review": "required"}})),
        (
            layout::issue(&issue),
            json!({"id": issue, "author": "a", "created_at": AT, "title": "t", "status": "registered", "priority": 3,
                "tags": ["a", "b"], "extended_context": {"notes": {"x": [1, 2.5]}}, "zoo": {"k": null},
                "clock": {"*": BIRTH, "-tags/c": BIRTH, "title": "2026-11-21T02:14:06.123Z/00000/00000001"}}),
        ),
        (
            layout::solution(&solution),
            json!({"id": solution, "issue_id": issue, "author": "a", "created_at": AT, "clock": {"*": BIRTH},
                "plan": {"description": "d", "tasks": [{"id": "T1", "title": "t", "action": "Create", "scope": "s", "depends_on": [], "priority": 2}]}}),
        ),
        (
            layout::queue(&queue),
            json!({"id": queue, "created_at": AT, "status": "active", "priority": 1, "clock": {"*": BIRTH}}),
        ),
        (
            layout::item(&queue, &solution),
            json!({"item_id": "S-1", "issue_id": issue, "solution_id": solution, "plan_digest": "sha256:0",
                "position": "m", "depends_on": ["SOL-ISS-002-1"], "queued_at": AT, "clock": {"*": BIRTH}}),
        ),
        entry(
            layout::queue_conflicts(&queue),
            json!({"type": "api", "severity": "high", "solutions": [solution, "SOL-ISS-002-1"],
                "resolution": "sequential", "resolution_order": ["SOL-ISS-002-1", solution], "rationale": "r",
                "author": "a", "created_at": AT}),
        ),
        entry(layout::comments(&issue), json!({"body": "b", "author": "a", "created_at": AT})),
        entry(
            layout::feedback(&issue),
            json!({"type": "failure", "stage": "execute", "content": "c", "author": "a", "created_at": AT,
                "detail": {"message": "m"}}),
        ),
        (layout::execution(&execution), claim),
        entry(
            log,
            json!({"type": "end", "status": "failed", "failure": {"message": "m"}, "actor": "a", "at": AT}),
        ),
        (
            layout::run(&run),
            json!({"id": run, "mode": "quick", "issue_ids": [issue], "steps": ["plan", "execute"],
                "agents": {"planner": "p"}, "limits": {"explore_jobs": 5, "plan_jobs": 3, "jobs": 1, "retries": 0},
                "execution_method": "agent", "code_review": "skip", "actor": "a", "created_at": AT}),
        ),
        entry(
            layout::run_log(&run),
            json!({"type": "issue", "issue_id": issue, "status": "failed", "solution_id": solution,
                "error": {"message": "m"}, "actor": "a", "at": AT}),
        ),
        (
            layout::roadmap(&roadmap),
            json!({"id": roadmap, "author": "a", "created_at": AT, "title": "t", "document": {"title": "t"},
                "clock": {"*": BIRTH, "document/requirement": "2026-11-21T02:14:06.123Z/00000/00000001"}}),
        ),
        entry(
            redactions,
            json!({"target": "issue.json", "field": "title", "stamp": BIRTH, "reason": "r", "author": "a",
                "created_at": AT}),
        ),
        entry(
            layout::explorations(&issue),
            json!({"depth": "search", "issue_id": issue, "relevant_files": [{"path": "a", "relevance": 0.5}],
                "dependencies": [], "impact_scope": "low", "existing_patterns": [], "key_findings": ["k"],
                "complexity_assessment": "low", "author": "a", "created_at": AT}),
        ),
    ];
    all.into_iter().map(|(path, value)| (path, file_bytes(&value))).collect()
}

/// Rewrites an entry but keeps its name: other content, or another kind of entry.
fn rewrite(bytes: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<Value>(bytes) else { return bytes.to_vec() };
    match numbers.below(3) {
        0 => value["actor"] = json!("zzz"),
        1 => value["author"] = json!("zzz"),
        _ => {
            value["type"] = json!("renew");
            value["lease_expires_at"] = json!("9000-01-01T00:00:00.000Z");
        }
    }
    file_bytes(&value)
}

/// One to four changes: a bit, a byte, a part removed or moved, a digit, a token.
fn mutate(bytes: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    const TOKENS: &[&str] = &[
        "null",
        "-1",
        "1e999",
        "[]",
        "{}",
        "\"\"",
        "9999",
        "\\u0000",
        "99999999999999999999",
        "\"clock\"",
        ",",
        "\u{202e}",
        "..",
        "/",
    ];
    let mut bytes = bytes.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len());
        let end = (at + 1 + numbers.below(12)).min(bytes.len());
        match numbers.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
            1 if at < bytes.len() => bytes[at] = u8::try_from(numbers.below(256)).unwrap_or_default(),
            2 => drop(bytes.drain(at.min(end)..end)),
            3 => {
                let piece = bytes[at.min(end)..end].to_vec();
                let to = numbers.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            4 => {
                let token = TOKENS[numbers.below(TOKENS.len())].bytes();
                bytes.splice(at.min(end)..end, token);
            }
            5 => bytes.truncate(at),
            _ => {
                if let Some(digit) = bytes.iter().skip(at).position(u8::is_ascii_digit) {
                    bytes[at + digit] = b'0' + u8::try_from(numbers.below(10)).unwrap_or_default();
                }
            }
        }
    }
    bytes
}

fn is_sound(path: &str, bytes: &[u8]) -> bool {
    let (kind, id) = form(path);
    match kind {
        Form::Unknown => true,
        Form::Doc(schema) => {
            Doc::parse(schema, bytes).is_ok_and(|doc| id.is_none_or(|id| doc.id() == Some(&id)))
        }
        Form::Entry(once) => entry_file(once, id.as_deref(), bytes).is_ok(),
    }
}

#[test]
fn what_somebody_changed_at_random() {
    let folder = tempfile::tempdir().unwrap();
    Repository::init_bare(folder.path());
    let open = || Repository::open_isolated(folder.path()).in_memory();
    let store = store();
    for (path, bytes) in &store {
        assert!(is_sound(path, bytes), "{path}");
    }
    let rounds = if std::env::var_os("WF_LONG").is_some() { 40_000 } else { 600 };
    let mut numbers = Numbers(20_261_121);
    let mut repo = open();
    let mut sound = 0;
    for round in 0..rounds {
        if round % 1_000 == 0 {
            repo = open();
        }
        let (path, original) = &store[round % store.len()];
        let mut other = || match numbers.below(4) {
            0 => rewrite(original, &mut numbers),
            _ => mutate(original, &mut numbers),
        };
        let versions = [other(), other(), original.clone()];
        let blobs = versions.each_ref().map(|bytes| repo.raw().write_blob(bytes).unwrap().detach());
        let join = |one: ObjectId, two: ObjectId| TreeMerge::new(&repo).files(one, two, path).unwrap();
        let [a, b, c] = blobs;
        let shown = || String::from_utf8_lossy(&versions[0]).into_owned();
        assert_eq!(join(a, b), join(b, a), "{path} {round}: {}", shown());
        assert_eq!(join(join(a, b), c), join(a, join(b, c)), "{path} {round}: {}", shown());
        assert_eq!(join(join(a, c), a), join(a, c), "{path} {round}: {}", shown());
        let merged = read_blob(&repo, join(a, c), path).unwrap();
        assert!(is_sound(path, &merged), "{path} {round}: {}", shown());
        if let Form::Entry(_) = form(path).0
            && !path.ends_with("run.json")
            && !path.ends_with("execution.json")
        {
            // The content survives, whatever the other version says.
            let read =
                |bytes: &[u8]| crate::model::digest::canonical(&serde_json::from_slice(bytes).unwrap());
            assert_eq!(read(&merged), read(original), "{path} {round}: {}", shown());
        }
        sound += usize::from(is_sound(path, &versions[0]));
        read_all(path, &versions[0]);
    }
    assert!(sound > rounds / 100, "only {sound} of {rounds} could be read: the changes are too coarse");
}

/// Everything that a command does with such a record, including showing it with values hidden.
fn read_all(path: &str, bytes: &[u8]) {
    struct One<'a>(&'a str, &'a [u8]);
    impl crate::store::ReadState for One<'_> {
        fn file(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
            Ok((path == self.0).then(|| self.1.to_vec()))
        }
        fn names(&self, path: &str) -> Result<Vec<String>, StoreError> {
            let inside = self
                .0
                .strip_prefix(path)
                .and_then(|rest| rest.strip_prefix('/').or(path.is_empty().then_some(rest)));
            Ok(inside.map(|rest| rest.split('/').next().unwrap_or_default().to_owned()).into_iter().collect())
        }
    }
    let one = One(path, bytes);
    for id in records::issue_ids(&one).unwrap() {
        let _ = records::issue(&one, &id);
        let _ = records::has_redactions(&one, &id);
    }
    let _ = records::queues(&one);
    let _ = records::root(&one);
    if let Ok(redaction) = serde_json::from_slice::<Redaction>(bytes) {
        let _ = redaction.hides(None);
    }
    let _ = Redactions::at(&one, path).map(|hidden| hidden.text(path, bytes));
}
