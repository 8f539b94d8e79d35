//! Judges the records that an agent hands in: which operation would have written each of them, whether the role of the agent may
//! perform it, and whether it speaks in the agent's own name.

use std::collections::BTreeMap;

use serde_json::Value;

use super::received::received_faults;
use crate::git::{Difference, EntryKind, ObjectId};
use crate::model::{ExecutionId, IssueField, IssueId, IssueStatus, Op, Person, strict};
use crate::rules::{Role, roles};
use crate::store::{Location, LogKind, Owner, ReadState, Snapshot, Store, StoreError, read_blob};

/// More records than an agent writes in one session.
const MOST_RECORDS: usize = 1_000;
/// The fields of an issue that an edit changes, beside those with one value. The others say how far it is, or where it comes from.
const EDITED: &[&str] = &[
    "actual_behavior",
    "affected_components",
    "context",
    "depends_on",
    "expected_behavior",
    "extended_context",
    "lifecycle_requirements",
    "relations",
    "source_url",
    "tags",
    "title",
];

/// The agent that hands something in.
#[derive(Debug)]
pub(crate) struct HandingAgent<'a> {
    /// In whose name its records must speak.
    pub(crate) person: &'a Person,
    /// Its role.
    pub(crate) role: Role,
    /// The issue that it works on; `None` if it was asked about no single one.
    pub(crate) issue: Option<&'a IssueId>,
    /// The execution whose plan it executes.
    pub(crate) execution: Option<&'a ExecutionId>,
}

/// A record that may be written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HandedRecord {
    /// Its path.
    pub(crate) path: String,
    /// The operation that writes it.
    pub(crate) op: Op,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

/// A record that is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RefusedRecord {
    /// Its path; the name of the ref for the whole store.
    pub(crate) path: String,
    /// Why.
    pub(crate) why: String,
}

/// The records that are taken and those that are refused.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct JudgedRecords {
    /// To be written.
    pub(crate) taken: Vec<HandedRecord>,
    /// Not taken.
    pub(crate) refused: Vec<RefusedRecord>,
}

/// How an accepted record is treated.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// This operation writes it.
    Written(Op),
    /// It is a claim that someone else confirms or replaces.
    Claim,
}

/// Judges what differs between the records that an agent was given and those that it has now. `store` sees both.
pub(crate) fn judge_records(
    store: &Store,
    given: ObjectId,
    new: ObjectId,
    agent: &HandingAgent<'_>,
) -> Result<JudgedRecords, StoreError> {
    let mut judged = JudgedRecords::default();
    let whole = |why: String| RefusedRecord { path: store.reference().to_owned(), why };
    let faults = received_faults(store, Some(given), new)?;
    if !faults.whole.is_empty() {
        judged.refused.extend(faults.whole.into_iter().map(|fault| whole(fault.message)));
        return Ok(judged);
    }
    // The others may be taken anyway.
    let mut broken: BTreeMap<String, String> =
        faults.records.into_iter().map(|(path, why)| (path, why.message)).collect();
    let (before, after) = (store.snapshot_at(given)?, store.snapshot_at(new)?);
    let (differences, is_all) = store.differences_within(Some(before.tree()), after.tree(), MOST_RECORDS)?;
    if !is_all {
        judged.refused.push(whole(format!("more than {MOST_RECORDS} records were changed")));
        return Ok(judged);
    }
    for file in differences {
        if let Some(why) = broken.remove(&file.path) {
            judged.refused.push(RefusedRecord { path: file.path, why });
            continue;
        }
        match judge(store, &before, &file, agent)? {
            Ok(record) => judged.taken.extend(record),
            Err(why) => judged.refused.push(RefusedRecord { path: file.path, why }),
        }
    }
    judged.refused.extend(broken.into_iter().map(|(path, why)| RefusedRecord { path, why }));
    Ok(judged)
}

/// The inner error is the reason for which the record is not taken; `None` if it is a claim.
fn judge(
    store: &Store,
    before: &Snapshot<'_>,
    file: &Difference,
    agent: &HandingAgent<'_>,
) -> Result<Result<Option<HandedRecord>, String>, StoreError> {
    let Some((EntryKind::Blob | EntryKind::BlobExecutable, id)) = file.new else {
        return Ok(Err("not a record".to_owned()));
    };
    let path = file.path.clone();
    let bytes = read_blob(store.repo(), id, &path)?;
    let old = if file.old.is_some() { before.file(&path)? } else { None };
    let judged = writing(&path, old.as_deref(), &bytes, agent).and_then(|verdict| {
        let Verdict::Written(op) = verdict else { return Ok(None) };
        let role = Some(agent.role.as_str());
        let admitted = roles::admit(role, op).and_then(|()| roles::admit_in_run(role, op));
        admitted.map(|()| Some(HandedRecord { path, op, bytes })).map_err(|error| error.to_string())
    });
    Ok(judged)
}

const OTHER_ISSUE: &str = "agents may only change the description of their own issues";
const NOT_THEIRS: &str = "agents may not write such records";

/// The operation that writes a record; the error says why no agent writes it.
fn writing(path: &str, old: Option<&[u8]>, new: &[u8], agent: &HandingAgent<'_>) -> Result<Verdict, String> {
    let new = strict::parse(new)?;
    match Location::parse(path).ok_or(NOT_THEIRS)? {
        Location::Entry(log, _) => {
            let op = match log {
                LogKind::Comments(_) => Op::Comment,
                LogKind::Feedback(_) => Op::FeedbackAdd,
                LogKind::Wisdom => Op::WisdomAdd,
                LogKind::Events(execution) if old.is_none() && agent.execution == Some(&execution) => {
                    return of_own_execution(&new, agent);
                }
                LogKind::Explorations(_)
                | LogKind::Reviews(_)
                | LogKind::Events(_)
                | LogKind::Conflicts(_)
                | LogKind::RunEvents(_)
                | LogKind::RoadmapEvents(_)
                | LogKind::Redactions(_) => return Err(NOT_THEIRS.into()),
            };
            refuse_other_author(&new, agent)?;
            Ok(Verdict::Written(op))
        }
        Location::Record(Owner::Issue(id)) => match old {
            Some(old) => {
                refuse_decisions(&strict::parse(old)?, &new)?;
                let is_other = agent.issue.is_some_and(|own| *own != id);
                if is_other { Err(OTHER_ISSUE.into()) } else { Ok(Verdict::Written(Op::Edit)) }
            }
            None => {
                refuse_other_author(&new, agent)?;
                refuse_progress(&new).map(|()| Verdict::Written(Op::New))
            }
        },
        Location::Root | Location::Record(_) | Location::Item(..) => Err(NOT_THEIRS.into()),
    }
}

/// Judges an entry in the log of the execution that the agent executes. Whether a commit, a test or an end is as it says,
/// the run finds out itself.
fn of_own_execution(entry: &Value, agent: &HandingAgent<'_>) -> Result<Verdict, String> {
    match entry["type"].as_str() {
        Some("accept") => match entry["actor"].as_str() {
            Some(actor) if actor == agent.person.as_str() => Ok(Verdict::Written(Op::Accept)),
            _ => Err(format!("it is not written in the name of `{}`", agent.person)),
        },
        Some("commit" | "rewrite" | "unlink" | "check" | "renew" | "session" | "end") => Ok(Verdict::Claim),
        Some("vouch") => Err("agents may not vouch for their own work".to_owned()),
        _ => Err("agents may not set executions aside".to_owned()),
    }
}

fn refuse_other_author(record: &Value, agent: &HandingAgent<'_>) -> Result<(), String> {
    match record["author"].as_str() {
        Some(author) if author == agent.person.as_str() => Ok(()),
        Some(author) => Err(format!("it is written in the name of `{author}`, not of `{}`", agent.person)),
        None => Err("it names no author".to_owned()),
    }
}

/// Refuses a change of a field that an edit does not change, and another stamp for it.
fn refuse_decisions(old: &Value, new: &Value) -> Result<(), String> {
    let changed = differing(old, new).find(|field| *field != "clock" && !is_edited(field));
    let stamped = differing(&old["clock"], &new["clock"]).find(|name| !is_edited(stamped_field(name)));
    match changed.or(stamped) {
        Some(field) => Err(format!("it changes `{field}`, which an edit does not")),
        None => Ok(()),
    }
}

fn is_edited(field: &str) -> bool {
    EDITED.contains(&field) || IssueField::named(field).is_some()
}

/// The names of the members of which two objects have different values.
fn differing<'a>(old: &'a Value, new: &'a Value) -> impl Iterator<Item = &'a str> {
    let removed = names(old).filter(|name| new.get(*name).is_none());
    names(new).filter(|name| old.get(*name) != new.get(*name)).chain(removed)
}

fn names(object: &Value) -> impl Iterator<Item = &str> {
    object.as_object().into_iter().flatten().map(|(name, _)| name.as_str())
}

/// The field of a name in a clock, such as `-tags/old`.
fn stamped_field(name: &str) -> &str {
    let name = name.strip_prefix('-').unwrap_or(name);
    name.split_once('/').map_or(name, |(field, _)| field)
}

/// Refuses a new issue that says more about its progress than that it is registered.
fn refuse_progress(new: &Value) -> Result<(), String> {
    let is_registered = new["status"] == IssueStatus::Registered.as_str();
    let told = ["bound_solution_id", "close_reason", "closed_at", "imported"];
    match told.iter().find(|field| !new[**field].is_null()) {
        Some(field) => Err(format!("a new issue has no `{field}`")),
        None if is_registered => Ok(()),
        None => Err(format!("a new issue is registered, not {}", new["status"])),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::EntryId;
    use crate::model::fixtures::entry;

    const ISSUE: &str = "ISS-20261121-7k3m2pq9";

    fn verdict(path: &str, old: Option<&Value>, new: &Value) -> Result<Op, String> {
        match judged(path, old, new, None)? {
            Verdict::Written(op) => Ok(op),
            Verdict::Claim => Err("a claim".to_owned()),
        }
    }

    fn judged(
        path: &str,
        old: Option<&Value>,
        new: &Value,
        execution: Option<&ExecutionId>,
    ) -> Result<Verdict, String> {
        let person = Person::from("Ada <ada@example.org> (codex)");
        let issue = IssueId::parse(ISSUE).unwrap();
        let agent = HandingAgent { person: &person, role: Role::Planner, issue: Some(&issue), execution };
        let old = old.map(|old| old.to_string().into_bytes());
        writing(path, old.as_deref(), new.to_string().as_bytes(), &agent)
    }

    fn folder() -> String {
        folder_of(ISSUE)
    }

    fn folder_of(issue: &str) -> String {
        crate::store::layout::issue_folder(&IssueId::parse(issue).unwrap())
    }

    #[test]
    fn a_planner_changes_no_issue_but_its_own() {
        let other = "ISS-20261121-8k3m2pq9";
        let titled = |title: &str| json!({"id": other, "title": title, "status": "registered"});
        let path = format!("{}/issue.json", folder_of(other));
        assert_eq!(verdict(&path, Some(&titled("a")), &titled("b")), Err(OTHER_ISSUE.to_owned()));
    }

    #[test]
    fn an_agent_speaks_in_its_own_name() {
        let comment =
            |author: &str| entry("20261121T021405123Z-00000", json!({"author": author, "body": "x"}));
        let path = |id: &EntryId, log: &str| format!("{}/{log}/{id}.json", folder());
        let (id, own) = comment("Ada <ada@example.org> (codex)");
        assert_eq!(verdict(&path(&id, "comments"), None, &own), Ok(Op::Comment));
        assert_eq!(verdict(&path(&id, "feedback"), None, &own), Ok(Op::FeedbackAdd));
        let (id, forged) = comment("Ada <ada@example.org>");
        let why = verdict(&path(&id, "comments"), None, &forged).unwrap_err();
        assert!(why.contains("in the name of `Ada <ada@example.org>`, not of"), "{why}");
        for log in ["solutions", "redactions", "explorations"] {
            assert!(verdict(&path(&id, log), None, &own).is_err(), "{log}");
        }
        assert!(
            verdict("wf.json", Some(&json!({"format": 1})), &json!({"format": 1, "policy": {}})).is_err()
        );
    }

    #[test]
    fn a_title_and_a_bound_plan_stand_in_one_file() {
        let path = format!("{}/issue.json", folder());
        let old = json!({"id": ISSUE, "title": "a", "status": "registered"});
        let with = |field: &str, value: &str| {
            let mut new = old.clone();
            new[field] = value.into();
            verdict(&path, Some(&old), &new)
        };
        assert_eq!(with("title", "b"), Ok(Op::Edit));
        for (field, value) in
            [("bound_solution_id", "SOL-x-1"), ("status", "closed"), ("author", "Grace"), ("unknown", "x")]
        {
            assert_eq!(with(field, value), Err(format!("it changes `{field}`, which an edit does not")));
        }
        let without = json!({"id": ISSUE, "title": "a"});
        assert!(verdict(&path, Some(&old), &without).unwrap_err().contains("`status`"));
        let author = "Ada <ada@example.org> (codex)";
        let new = json!({"id": ISSUE, "title": "a", "status": "registered", "author": author});
        assert_eq!(verdict(&path, None, &new), Ok(Op::New));
        for (field, value) in
            [("status", "planned"), ("bound_solution_id", "SOL-x-1"), ("close_reason", "no")]
        {
            let mut told = new.clone();
            told[field] = value.into();
            assert!(verdict(&path, None, &told).unwrap_err().starts_with("a new issue"), "{field}");
        }
    }

    #[test]
    fn the_stamp_of_a_decision_stays() {
        let path = format!("{}/issue.json", folder());
        let stamped = |clock: Value| json!({"id": ISSUE, "status": "planned", "clock": clock});
        let old = stamped(json!({"*": "1", "status": "2", "-tags/a": "2"}));
        let with = |name: &str| {
            let mut new = old.clone();
            new["clock"][name] = "3".into();
            verdict(&path, Some(&old), &new)
        };
        for name in ["-tags/a", "tags/b", "title", "extended_context/location"] {
            assert_eq!(with(name), Ok(Op::Edit), "{name}");
        }
        for name in ["*", "status", "bound_solution_id", "-unknown/x"] {
            assert!(with(name).is_err(), "{name}");
        }
        assert!(verdict(&path, Some(&old), &stamped(json!({"*": "1"}))).is_err());
    }
}
