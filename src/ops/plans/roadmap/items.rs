//! The layers and tasks of a document as records for the importer, and those that a document no longer has.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::interchange::roadmap::{Fate, ROADMAP, RoadmapRecord, issue_id};
use crate::model::code::Code;
use crate::model::id::{IssueId, RoadmapId};
use crate::model::issue::{ISSUE, Issue};
use crate::model::op::Op;
use crate::model::person::Person;
use crate::model::remedy::Call;
use crate::model::roadmap::{RoadmapDocument, RoadmapMode};
use crate::model::stamp::Stamp;
use crate::model::status::IssueStatus;
use crate::model::time::Time;
use crate::model::typed;
use crate::model::words::count;
use crate::ops::Refusal;
use crate::rules::facts;
use crate::rules::folder::RoadmapFolder;
use crate::rules::roadmap::Item;
use crate::rules::shown::object;
use crate::store::{Tx, layout, records};

/// The record of a layer or task, as it would be if it changed never.
pub(super) fn record(
    (roadmap, author, created_at): (&RoadmapId, &Person, Time),
    mode: RoadmapMode,
    document: &RoadmapDocument,
    stored: &Value,
    item: &Item,
) -> RoadmapRecord {
    let list = if mode == RoadmapMode::Progressive { "layers" } else { "tasks" };
    let all = stored.get(list).and_then(Value::as_array).into_iter().flatten();
    let given = all.into_iter().find(|it| it.get("id").and_then(Value::as_str) == Some(item.id.as_str()));
    let of = |item: &str| issue_id(roadmap, created_at, item);
    RoadmapRecord {
        roadmap: roadmap.clone(),
        mode,
        issue_id: of(&item.id),
        author: author.clone(),
        created_at,
        changed: created_at,
        wave: item.wave,
        depends_on: item.depends_on.iter().map(|id| of(id)).collect(),
        gone: None,
        lifecycle_requirements: document.lifecycle_requirements.clone(),
        item: given.cloned().unwrap_or_default(),
    }
}

/// The record with the time of its last change: if it says what it said before, that of before, else one that is later
/// than everything in its issue.
pub(super) fn dated(tx: &Tx<'_>, record: RoadmapRecord) -> Result<RoadmapRecord, Refusal> {
    let now = tx.stamper().now();
    let Some(doc) = records::doc(tx, &ISSUE, &layout::issue(&record.issue_id))? else {
        return Ok(RoadmapRecord { changed: now, ..record });
    };
    let before = doc.read::<Issue>().ok().and_then(|issue| RoadmapRecord::of(&issue));
    if let Some(before) = before.as_ref().filter(|before| before.is_like(&record)) {
        return Ok(before.clone());
    }
    let last = doc.changed().filter(|stamp| !stamp.is_far_future()).map(Stamp::time);
    let last = last.max(before.map(|before| before.changed));
    let changed = last.map_or(now, |last| now.max(last.plus_millis(1)));
    Ok(RoadmapRecord { changed, ..record })
}

/// The issues that lose their layer or task, as they will be.
pub(super) fn orphans(
    tx: &Tx<'_>,
    before: Option<&RoadmapFolder>,
    current: &BTreeSet<IssueId>,
    fate: Option<Fate>,
) -> Result<Vec<RoadmapRecord>, Refusal> {
    let (mut found, mut unsettled, mut at_work) = (Vec::new(), Vec::new(), Vec::new());
    let all = before.map(|it| it.roadmap.record.issue_ids.clone()).unwrap_or_default();
    for id in all.difference(current) {
        let Some(folder) = records::outline(tx, id)? else { continue };
        let issue = &folder.issue.record;
        let Some(record) = RoadmapRecord::of(issue) else { continue };
        let status = facts::status(&folder);
        let is_over = matches!(status, IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled);
        if is_over || (record.gone.is_some() && fate.is_none_or(|fate| record.gone == Some(fate))) {
            continue;
        }
        let line = format!("{}  {id}  {status}  {}", record.item_id(), issue.title);
        match fate {
            None => unsettled.push(line),
            Some(Fate::Cancel) if status == IssueStatus::Executing => at_work.push(line),
            Some(fate) => found.push(dated(tx, RoadmapRecord { gone: Some(fate), ..record })?),
        }
    }
    if !unsettled.is_empty() {
        let issues = count(unsettled.len(), "open issue");
        let add = Call::new(Op::RoadmapAdd, ["FILE"]);
        let message = format!("the document no longer has the layer or task of {issues}; nothing was stored");
        return Err(Refusal::new(Code::WouldOrphan, message)
            .details(unsettled)
            .remedy(add.clone().option("gone", "keep"), "leaves them open, in no wave")
            .remedy(add.option("gone", "cancel"), "cancels them"));
    }
    if !at_work.is_empty() {
        let message =
            format!("{} cannot be cancelled while somebody executes it", count(at_work.len(), "issue"));
        return Err(Refusal::new(Code::Executing, message)
            .details(at_work)
            .remedy(Op::LeaseRelease, "ends the execution")
            .remedy(
                Call::new(Op::RoadmapAdd, ["FILE"]).option("gone", "keep"),
                "leaves them open, in no wave",
            ));
    }
    Ok(found)
}

/// A field that people and the document both changed: what the document says is newer, and stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Overridden {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The field, such as `title` or `lifecycle_requirements.test_strategy`.
    pub(crate) field: String,
    /// What it was here.
    pub(crate) value: Value,
}

/// What was changed here since the document was last added, and is changed by it, too. Sets are joined element by element.
pub(super) fn overridden(tx: &Tx<'_>, records: &[RoadmapRecord]) -> Result<Vec<Overridden>, Refusal> {
    let mut found = Vec::new();
    for record in records {
        let Some(folder) = records::outline(tx, &record.issue_id)? else { continue };
        let here = &folder.issue.record;
        let Some(before) = RoadmapRecord::of(here).filter(|before| !before.is_like(record)) else { continue };
        let read =
            |record: &RoadmapRecord| (ROADMAP.read)(&typed::own_json(record)).map(|it| fields(&it.issue));
        let (Ok(base), Ok(new)) = (read(&before), read(record)) else { continue };
        for (field, value) in fields(here) {
            let of = |all: &[(String, Value)]| {
                all.iter().find(|(name, _)| *name == field).map(|(_, value)| value.clone())
            };
            let (base, new) = (of(&base), of(&new));
            if base != new && base.as_ref() != Some(&value) && new.as_ref() != Some(&value) {
                found.push(Overridden { issue_id: here.id.clone(), field, value });
            }
        }
    }
    Ok(found)
}

/// The registers of an issue that a roadmap sets, with the leaves of its objects.
fn fields(issue: &Issue) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (name, value) in object(issue) {
        match value {
            _ if ["imported", "bound_solution_id"].contains(&name.as_str()) => {}
            Value::Array(_) => {}
            Value::Object(leaves) => {
                found.extend(leaves.into_iter().map(|(leaf, value)| (format!("{name}.{leaf}"), value)));
            }
            scalar => found.push((name, scalar)),
        }
    }
    found
}
