//! Where each record is in the tree of the ref. A path follows from ids alone, without a lookup.

mod form;
mod location;

use std::fmt;

use sha2::{Digest, Sha256};

use crate::model::{EntryId, ExecutionId, IssueId, QueueId, RoadmapId, RunId, SolutionId, Stamp};

pub(crate) use form::{
    Form, Sound, bears, canonical, entry_file, form, is_issue, is_place, largest, misplaced, own_doc, sound,
};
pub(crate) use location::{Folder, Location, LogKind, Owner, PathKind};

/// The store's root record.
pub(crate) const ROOT_PATH: &str = "wf.json";
/// The directory of all issues.
pub(crate) const ISSUES: &str = "issues";
/// The directory of all queues.
pub(crate) const QUEUES: &str = "queues";
/// The directory of all runs.
pub(crate) const RUNS: &str = "runs";
/// The directory of all roadmaps.
pub(crate) const ROADMAPS: &str = "roadmaps";
/// The log of what was learned, at the top.
pub(crate) const WISDOM: &str = "wisdom";
/// The file of an execution.
pub(crate) const CLAIM: &str = "execution.json";
/// The log of redactions, beside the records that they hide.
pub(crate) const REDACTIONS: &str = "redactions";

/// One of 256 directories, which keep every tree short: the first byte of the SHA-256 of an issue's id, written as
/// two hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fan(u8);

impl Fan {
    /// The fan directory of an issue.
    pub(crate) fn new(issue: &IssueId) -> Self {
        Self(Sha256::digest(issue.as_str().as_bytes())[0])
    }

    /// Parses the name of a fan directory.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let is_own = name.len() == 2 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if is_own { u8::from_str_radix(name, 16).ok().map(Self) } else { None }
    }
}

impl fmt::Display for Fan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x}", self.0)
    }
}

/// `issues/<xx>/<ISSUE>`
pub(crate) fn issue_folder(id: &IssueId) -> String {
    Owner::Issue(id.clone()).to_string()
}

/// `…/issue.json`
pub(crate) fn issue(id: &IssueId) -> String {
    Location::Record(Owner::Issue(id.clone())).to_string()
}

/// `…/comments`
pub(crate) fn comments(id: &IssueId) -> String {
    LogKind::Comments(id.clone()).to_string()
}

/// `…/feedback`
pub(crate) fn feedback(id: &IssueId) -> String {
    LogKind::Feedback(id.clone()).to_string()
}

/// `…/explorations`
pub(crate) fn explorations(id: &IssueId) -> String {
    LogKind::Explorations(id.clone()).to_string()
}

/// `…/solutions`
pub(crate) fn solutions(id: &IssueId) -> String {
    Folder::Solutions(id.clone()).to_string()
}

/// `…/solutions/<SOLUTION>/solution.json`
pub(crate) fn solution(id: &SolutionId) -> String {
    Location::Record(Owner::Solution(id.clone())).to_string()
}

/// `…/solutions/<SOLUTION>/reviews`
pub(crate) fn reviews(id: &SolutionId) -> String {
    LogKind::Reviews(id.clone()).to_string()
}

/// `…/executions`
pub(crate) fn executions(id: &IssueId) -> String {
    Folder::Executions(id.clone()).to_string()
}

/// `…/executions/<EXECUTION>/execution.json`
pub(crate) fn execution(id: &ExecutionId) -> String {
    Location::Record(Owner::Execution(id.clone())).to_string()
}

/// `…/executions/<EXECUTION>/log`
pub(crate) fn execution_log(id: &ExecutionId) -> String {
    LogKind::Events(id.clone()).to_string()
}

/// An entry of the log in `folder`.
pub(crate) fn entry(folder: &str, id: &EntryId) -> String {
    format!("{folder}/{id}.json")
}

/// `queues/<QUEUE>`
pub(crate) fn queue_folder(id: &QueueId) -> String {
    Owner::Queue(id.clone()).to_string()
}

/// `queues/<QUEUE>/queue.json`
pub(crate) fn queue(id: &QueueId) -> String {
    Location::Record(Owner::Queue(id.clone())).to_string()
}

/// `queues/<QUEUE>/items`
pub(crate) fn items(id: &QueueId) -> String {
    Folder::Items(id.clone()).to_string()
}

/// `queues/<QUEUE>/items/<xx>`: the directory that holds the items of an issue.
pub(crate) fn items_beside(queue: &QueueId, issue: &IssueId) -> String {
    Folder::ItemFan(queue.clone(), Fan::new(issue)).to_string()
}

/// `queues/<QUEUE>/items/<xx>/<SOLUTION>.json`
pub(crate) fn item(queue: &QueueId, solution: &SolutionId) -> String {
    Location::Item(queue.clone(), solution.clone()).to_string()
}

/// `queues/<QUEUE>/conflicts`
pub(crate) fn queue_conflicts(id: &QueueId) -> String {
    LogKind::Conflicts(id.clone()).to_string()
}

/// `runs/<RUN>/run.json`
pub(crate) fn run(id: &RunId) -> String {
    Location::Record(Owner::Run(id.clone())).to_string()
}

/// `runs/<RUN>/log`
pub(crate) fn run_log(id: &RunId) -> String {
    LogKind::RunEvents(id.clone()).to_string()
}

/// `roadmaps/<RMAP>/roadmap.json`
pub(crate) fn roadmap(id: &RoadmapId) -> String {
    Location::Record(Owner::Roadmap(id.clone())).to_string()
}

/// `roadmaps/<RMAP>/log`
pub(crate) fn roadmap_log(id: &RoadmapId) -> String {
    LogKind::RoadmapEvents(id.clone()).to_string()
}

/// `wisdom`
pub(crate) fn wisdom() -> String {
    LogKind::Wisdom.to_string()
}

/// The directory whose redactions hide values of the record at `path`, and the name by which they refer to that
/// record.
pub(crate) fn redacted_by(path: &str) -> Option<(String, String)> {
    let folder = Location::parse(path)?.redacted_by()?.to_string();
    let target = path.strip_prefix(&folder)?.strip_prefix('/')?.to_owned();
    Some((folder, target))
}

/// Whether the directory at `path` holds records, or directories of records. Any other directory is kept as it is and
/// not read: nothing limits how far it unfolds.
pub(crate) fn is_folder(path: &str) -> bool {
    Folder::parse(path).is_some()
}

/// The position in its log of the entry at `path`; `None` if the path is not that of an entry.
pub(crate) fn entry_stamp(path: &str) -> Option<Stamp> {
    match Location::parse(path)? {
        Location::Entry(_, id) => Some(id.stamp()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::form::LARGEST_ENTRY;
    use super::*;
    use crate::model::ITEM;
    use crate::model::doc::LARGEST_DOC;

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
