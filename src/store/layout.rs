//! Where each record lies in the tree of the ref. A path follows from ids alone, with no look-up.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::model::digest::hex;
use crate::model::doc::{Doc, LARGEST_DOC, file_bytes};
use crate::model::execution::{self, Execution, LogEntry};
use crate::model::id::{EntryId, ExecutionId, IssueId, QueueId, RunId, SolutionId};
use crate::model::issue::{Comment, Feedback, ISSUE};
use crate::model::queue::{ITEM, QUEUE};
use crate::model::queue_conflict::{self, QueueConflict};
use crate::model::record::{check_id, ordered_as};
use crate::model::redaction::Redaction;
use crate::model::review::{self, Review};
use crate::model::root::ROOT;
use crate::model::run::{Run, RunLogEntry};
use crate::model::schema::Schema;
use crate::model::solution::SOLUTION;
use crate::model::stamp::Stamp;
use crate::model::strict;

/// The store's root record.
pub(crate) const ROOT_PATH: &str = "wf.json";
/// The folder of all issues.
pub(crate) const ISSUES: &str = "issues";
/// The folder of all queues.
pub(crate) const QUEUES: &str = "queues";
/// The folder of all runs.
pub(crate) const RUNS: &str = "runs";
/// The file of an execution.
pub(crate) const CLAIM: &str = "execution.json";
/// Beside what they hide: entries that say so.
pub(crate) const REDACTIONS: &str = "redactions";

/// The first two hex digits of sha256 of the issue id: 256 folders, so that no tree grows long.
pub(super) fn fan(issue: &IssueId) -> String {
    hex(&Sha256::digest(issue.as_str().as_bytes())[..1])
}

/// `issues/<xx>/<ISSUE>`
pub(crate) fn issue_folder(id: &IssueId) -> String {
    format!("{ISSUES}/{}/{id}", fan(id))
}

/// `…/issue.json`
pub(crate) fn issue(id: &IssueId) -> String {
    format!("{}/issue.json", issue_folder(id))
}

/// `…/comments`
pub(crate) fn comments(id: &IssueId) -> String {
    format!("{}/comments", issue_folder(id))
}

/// `…/feedback`
pub(crate) fn feedback(id: &IssueId) -> String {
    format!("{}/feedback", issue_folder(id))
}

/// `…/solutions`
pub(crate) fn solutions(id: &IssueId) -> String {
    format!("{}/solutions", issue_folder(id))
}

/// `…/solutions/<SOLUTION>/solution.json`
pub(crate) fn solution(id: &SolutionId) -> String {
    format!("{}/{id}/solution.json", solutions(&id.issue()))
}

/// `…/solutions/<SOLUTION>/reviews`
pub(crate) fn reviews(id: &SolutionId) -> String {
    format!("{}/{id}/reviews", solutions(&id.issue()))
}

/// `…/executions`
pub(crate) fn executions(id: &IssueId) -> String {
    format!("{}/executions", issue_folder(id))
}

/// `…/executions/<EXECUTION>/execution.json`
pub(crate) fn execution(id: &ExecutionId) -> String {
    format!("{}/{id}/{CLAIM}", executions(&id.issue()))
}

/// `…/executions/<EXECUTION>/log`
pub(crate) fn execution_log(id: &ExecutionId) -> String {
    format!("{}/{id}/log", executions(&id.issue()))
}

/// An entry of the log in `folder`.
pub(crate) fn entry(folder: &str, id: &EntryId) -> String {
    format!("{folder}/{id}.json")
}

/// `queues/<QUEUE>/queue.json`
pub(crate) fn queue(id: &QueueId) -> String {
    format!("{QUEUES}/{id}/queue.json")
}

/// `queues/<QUEUE>/items`
pub(crate) fn items(id: &QueueId) -> String {
    format!("{QUEUES}/{id}/items")
}

/// `queues/<QUEUE>/items/<xx>`: the folder in which the items of an issue are.
pub(crate) fn items_beside(queue: &QueueId, issue: &IssueId) -> String {
    format!("{}/{}", items(queue), fan(issue))
}

/// `queues/<QUEUE>/items/<xx>/<SOLUTION>.json`
pub(crate) fn item(queue: &QueueId, solution: &SolutionId) -> String {
    format!("{}/{solution}.json", items_beside(queue, &solution.issue()))
}

/// `queues/<QUEUE>/conflicts`
pub(crate) fn queue_conflicts(id: &QueueId) -> String {
    format!("{QUEUES}/{id}/conflicts")
}

/// `runs/<RUN>/run.json`
pub(crate) fn run(id: &RunId) -> String {
    format!("{RUNS}/{id}/run.json")
}

/// `runs/<RUN>/log`
pub(crate) fn run_log(id: &RunId) -> String {
    format!("{RUNS}/{id}/log")
}

/// The most bytes of a record that is written once, and of any other file; a larger one is broken. JSON of this size
/// takes some hundred megabytes once it is read.
const LARGEST_ENTRY: u64 = 16 * 1024 * 1024;

/// The most bytes of the file at `path` that are read or written. A record with a clock may have more: what two sides
/// wrote can come together in it.
pub(crate) fn largest(path: &str) -> u64 {
    let is_item = || path.starts_with(QUEUES) && path.split('/').nth(2) == Some("items");
    let is_doc = match path.rsplit('/').next() {
        Some("issue.json" | "solution.json" | "queue.json" | ROOT_PATH) => true,
        _ => is_item(),
    };
    if is_doc { LARGEST_DOC } else { LARGEST_ENTRY }
}

/// Whether an issue itself lies at `path`.
pub(crate) fn is_issue(path: &str) -> bool {
    path.ends_with("/issue.json") && matches!(form(path), (Form::Doc(schema), _) if schema.name == ISSUE.name)
}

/// A record that is written once with its members in order, or what is wrong with their types.
pub(crate) type Ordered = fn(&Value) -> Result<Value, String>;

/// How the file at a path merges, and what makes it sound.
pub(crate) enum Form {
    /// Fields with stamps.
    Doc(&'static Schema),
    /// Written once.
    Entry(Ordered),
    /// Of a later version of the format, or not ours at all.
    Unknown,
}

/// What lies at `path`, and the id that the record there must bear.
pub(crate) fn form(path: &str) -> (Form, Option<String>) {
    let parts: Vec<&str> = path.split('/').collect();
    let stem = |name: &str| name.strip_suffix(".json").map(str::to_owned);
    let entry = |name: &str| stem(name).filter(|id| EntryId::parse(id).is_ok());
    match parts.as_slice() {
        [ROOT_PATH] => (Form::Doc(&ROOT), None),
        [ISSUES, xx, id, rest @ ..] => match IssueId::parse(id) {
            Ok(issue) if fan(&issue) == *xx => issue_form(id, rest),
            _ => (Form::Unknown, None),
        },
        [RUNS, id, rest @ ..] if RunId::parse(id).is_ok() => match rest {
            ["run.json"] => (Form::Entry(ordered_as::<Run>), Some((*id).to_owned())),
            ["log", name] => entry(name)
                .map_or((Form::Unknown, None), |id| (Form::Entry(ordered_as::<RunLogEntry>), Some(id))),
            [REDACTIONS, name] => entry(name)
                .map_or((Form::Unknown, None), |id| (Form::Entry(ordered_as::<Redaction>), Some(id))),
            _ => (Form::Unknown, None),
        },
        [QUEUES, id, rest @ ..] if QueueId::parse(id).is_ok() => match rest {
            ["queue.json"] => (Form::Doc(&QUEUE), Some((*id).to_owned())),
            ["items", xx, name] => match stem(name).map(|id| SolutionId::parse(&id)) {
                Some(Ok(solution)) if fan(&solution.issue()) == *xx => {
                    (Form::Doc(&ITEM), Some(solution.to_string()))
                }
                _ => (Form::Unknown, None),
            },
            ["conflicts", name] => entry(name)
                .map_or((Form::Unknown, None), |id| (Form::Entry(ordered_as::<QueueConflict>), Some(id))),
            [REDACTIONS, name] => entry(name)
                .map_or((Form::Unknown, None), |id| (Form::Entry(ordered_as::<Redaction>), Some(id))),
            _ => (Form::Unknown, None),
        },
        _ => (Form::Unknown, None),
    }
}

/// The members of the entry at `path` by which something is decided, so that they cannot be hidden.
pub(crate) fn decided(path: &str) -> &'static [&'static str] {
    match path.split('/').collect::<Vec<_>>().as_slice() {
        [ISSUES, .., "reviews", _] => review::DECIDED,
        [ISSUES, .., "log", _] => execution::DECIDED,
        [QUEUES, .., "conflicts", _] => queue_conflict::DECIDED,
        _ => &[],
    }
}

/// The folder whose redactions hide what is in the file at `path`, and what they call that file.
pub(crate) fn redacted_by(path: &str) -> Option<(String, String)> {
    let parts: Vec<&str> = path.split('/').collect();
    let depth = match parts.as_slice() {
        [ISSUES, _, _, "solutions" | "executions", _, _, ..] => 5,
        [ISSUES, _, _, REDACTIONS, _] => return None,
        [ISSUES, _, _, _, ..] => 3,
        [QUEUES | RUNS, _, REDACTIONS, _] => return None,
        [QUEUES | RUNS, _, _, ..] => 2,
        _ => return None,
    };
    Some((parts[..depth].join("/"), parts[depth..].join("/")))
}

/// Whether the folder at `path` is one in which records lie, or folders of records. What lies in any other is kept as it
/// is and not looked into: nothing bounds how far it unfolds.
pub(crate) fn is_folder(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let is_fan = |xx: &str| xx.len() == 2 && xx.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match parts.as_slice() {
        [""] | [ISSUES] | [QUEUES] | [RUNS] => true,
        [ISSUES, xx] => is_fan(xx),
        [ISSUES, xx, id, rest @ ..] => {
            let Ok(issue) = IssueId::parse(id) else { return false };
            fan(&issue) == *xx && is_issue_folder(&issue, rest)
        }
        [QUEUES, id, rest @ ..] if QueueId::parse(id).is_ok() => match rest {
            [] | ["items" | "conflicts" | REDACTIONS] => true,
            ["items", xx] => is_fan(xx),
            _ => false,
        },
        [RUNS, id] | [RUNS, id, "log" | REDACTIONS] => RunId::parse(id).is_ok(),
        _ => false,
    }
}

fn is_issue_folder(issue: &IssueId, rest: &[&str]) -> bool {
    match rest {
        [] | ["comments" | "feedback" | "solutions" | "executions" | REDACTIONS] => true,
        ["solutions", id] | ["solutions", id, "reviews" | REDACTIONS] => {
            SolutionId::parse(id).is_ok_and(|id| id.issue() == *issue)
        }
        ["executions", id] | ["executions", id, "log" | REDACTIONS] => {
            ExecutionId::parse(id).is_ok_and(|id| id.issue() == *issue)
        }
        _ => false,
    }
}

/// A record that is written once, as its file reads.
pub(crate) struct EntryFile {
    /// What it says.
    pub(crate) value: Value,
    /// The one byte form of that.
    pub(crate) canonical: Vec<u8>,
}

/// Reads a file that is written once and must bear `id`; an error that says what is wrong if it is broken.
pub(crate) fn entry_file(order: Ordered, id: Option<&str>, bytes: &[u8]) -> Result<EntryFile, String> {
    let value = strict::parse(bytes)?;
    let canonical = file_bytes(&order(&value)?);
    if let Some(id) = id {
        check_id(id, &value)?;
    }
    Ok(EntryFile { value, canonical })
}

/// The one byte form of the record that the file at `path` holds; `None` if it is no record, or not a sound one.
pub(crate) fn canonical(path: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let (kind, id) = form(path);
    match kind {
        Form::Doc(schema) => Some(own_doc(schema, id.as_deref(), bytes).ok()?.to_bytes()),
        Form::Entry(order) => Some(entry_file(order, id.as_deref(), bytes).ok()?.canonical),
        Form::Unknown => None,
    }
}

/// Reads a record with a clock that must bear `id`.
pub(crate) fn own_doc(schema: &'static Schema, id: Option<&str>, bytes: &[u8]) -> Result<Doc, String> {
    let doc = Doc::parse(schema, bytes).map_err(|broken| broken.to_string())?;
    match id.is_none_or(|id| doc.id() == Some(id)) {
        true => Ok(doc),
        false => Err("it has the id of another record, not that of its path".to_owned()),
    }
}

/// The issue that what lies at `path` belongs to, as does an item of a queue; `None` if it belongs to none.
pub(crate) fn issue_of(path: &str) -> Option<IssueId> {
    match path.split('/').collect::<Vec<_>>().as_slice() {
        [ISSUES, _, id, ..] => IssueId::parse(id).ok(),
        [QUEUES, _, "items", _, name] => {
            let id = SolutionId::parse(name.strip_suffix(".json")?).ok()?;
            Some(id.issue())
        }
        _ => None,
    }
}

/// The place of the entry at `path` in its log; `None` if no entry lies there.
pub(crate) fn entry_stamp(path: &str) -> Option<Stamp> {
    let name = path.rsplit('/').next()?.strip_suffix(".json")?;
    EntryId::parse(name).ok().map(|id| id.stamp())
}

/// Whether the record says that it is the one which its path names.
pub(crate) fn bears(value: &Value, id: Option<&str>) -> bool {
    let Some(id) = id else { return true };
    // An item is named after its solution, everything else after itself.
    let own = value.get("id").or_else(|| value.get("solution_id"));
    own.and_then(Value::as_str) == Some(id)
}

fn issue_form(issue: &str, rest: &[&str]) -> (Form, Option<String>) {
    let entry =
        |order: Ordered, name: &str| match name.strip_suffix(".json").filter(|id| EntryId::parse(id).is_ok())
        {
            Some(id) => (Form::Entry(order), Some(id.to_owned())),
            None => (Form::Unknown, None),
        };
    let of_issue = |inner: IssueId| inner.as_str() == issue;
    match rest {
        ["issue.json"] => (Form::Doc(&ISSUE), Some(issue.to_owned())),
        ["comments", name] => entry(ordered_as::<Comment>, name),
        ["feedback", name] => entry(ordered_as::<Feedback>, name),
        [REDACTIONS, name] => entry(ordered_as::<Redaction>, name),
        ["solutions", id, rest @ ..] if SolutionId::parse(id).is_ok_and(|id| of_issue(id.issue())) => {
            match rest {
                ["solution.json"] => (Form::Doc(&SOLUTION), Some((*id).to_owned())),
                ["reviews", name] => entry(ordered_as::<Review>, name),
                [REDACTIONS, name] => entry(ordered_as::<Redaction>, name),
                _ => (Form::Unknown, None),
            }
        }
        ["executions", id, rest @ ..] if ExecutionId::parse(id).is_ok_and(|id| of_issue(id.issue())) => {
            match rest {
                [CLAIM] => (Form::Entry(ordered_as::<Execution>), Some((*id).to_owned())),
                ["log", name] => entry(ordered_as::<LogEntry>, name),
                [REDACTIONS, name] => entry(ordered_as::<Redaction>, name),
                _ => (Form::Unknown, None),
            }
        }
        _ => (Form::Unknown, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_follows_from_the_id_and_back() {
        let id = IssueId::parse("ISS-001").unwrap();
        let path = issue(&id);
        assert_eq!(path.split('/').count(), 4);
        assert!(
            matches!(form(&path), (Form::Doc(schema), Some(bears)) if schema.name == "issue" && bears == "ISS-001")
        );
        let solution_id = SolutionId::parse("SOL-ISS-001-a7x9").unwrap();
        assert!(matches!(form(&solution(&solution_id)), (Form::Doc(schema), _) if schema.name == "solution"));
        let queue_id = QueueId::parse("QUE-1").unwrap();
        assert!(
            matches!(form(&item(&queue_id, &solution_id)), (Form::Doc(schema), _) if schema.name == "item")
        );
    }

    #[test]
    fn records_with_a_clock_may_be_larger_than_what_is_written_once() {
        let id = IssueId::parse("ISS-001").unwrap();
        let solution_id = SolutionId::parse("SOL-ISS-001-a7x9").unwrap();
        let queue_id = QueueId::parse("QUE-1").unwrap();
        let docs = [
            ROOT_PATH.into(),
            issue(&id),
            solution(&solution_id),
            queue(&queue_id),
            item(&queue_id, &solution_id),
        ];
        for path in docs {
            assert!(matches!(form(&path).0, Form::Doc(_)), "{path}");
            assert_eq!(largest(&path), LARGEST_DOC, "{path}");
        }
        for path in [
            format!("{}/20261121T021405123Z-00000-00000000000000000000000001.json", comments(&id)),
            "notes/items/x".into(),
        ] {
            assert_eq!(largest(&path), LARGEST_ENTRY, "{path}");
        }
    }

    #[test]
    fn an_item_is_named_after_its_plan_whatever_else_it_says() {
        let at = "2026-11-21T02:14:05.123Z";
        let item = serde_json::json!({"item_id": "S-1", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-1",
            "plan_digest": "x", "position": "m", "queued_at": at, "id": "of a later version"});
        assert!(own_doc(&ITEM, Some("SOL-ISS-001-1"), item.to_string().as_bytes()).is_ok());
        assert!(own_doc(&ITEM, Some("of a later version"), item.to_string().as_bytes()).is_err());
    }

    #[test]
    fn a_record_that_is_written_once_has_one_form() {
        let folder = comments(&IssueId::parse("ISS-001").unwrap());
        let at = "2026-11-21T02:14:05.123Z";
        let said = serde_json::json!({"zoo": {"b": 1.50, "a": null}, "edits": null, "created_at": at, "author": "a", "body": "b"});
        let stamp = Stamp::import(crate::model::time::Time::parse(at).unwrap());
        let any = EntryId::parse(&format!("{}-{:0>26}", stamp.entry_place(), 0)).unwrap();
        let id = crate::model::record::renamed(&any, &said);
        let path = entry(&folder, &id);
        let text = format!(
            r#"{{"zoo":{{"b":1.50,"a":null}},"edits":null,"created_at":"{at}","author":"a","body":"b","id":"{id}"}}"#
        );
        let canonical = String::from_utf8(canonical(&path, text.as_bytes()).unwrap()).unwrap();
        let lines: Vec<&str> = canonical.lines().map(str::trim).collect();
        let ends = ["\"edits\": null,", "\"zoo\": {", "\"a\": null,", "\"b\": 1.50", "}", "}"];
        assert!(lines[1].starts_with("\"id\"") && lines[2].starts_with("\"body\""), "{canonical}");
        assert_eq!(&lines[5..], ends, "{canonical}");
        assert_eq!(super::canonical(&path, canonical.as_bytes()).unwrap(), canonical.as_bytes());
        assert_eq!(
            super::canonical(&path, text.replace("\"b\",", "\"c\",").as_bytes()),
            None,
            "no sound one"
        );
    }

    #[test]
    fn what_lies_in_the_wrong_place_is_not_a_record() {
        let right = issue(&IssueId::parse("ISS-001").unwrap());
        let xx = right.split('/').nth(1).unwrap();
        for path in [
            format!("issues/{}/ISS-001/issue.json", if xx == "00" { "01" } else { "00" }),
            format!("issues/{xx}/ISS-001/solutions/SOL-ISS-002-a/solution.json"),
            format!("issues/{xx}/ISS-001/comments/yesterday.json"),
            "issues/../x".into(),
            "notes.txt".into(),
        ] {
            assert!(matches!(form(&path).0, Form::Unknown), "{path}");
        }
    }
}
