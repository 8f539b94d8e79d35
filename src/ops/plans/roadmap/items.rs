//! The layers and tasks of a document as records for the importer, and those that a document no longer has.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::add::AddRoadmap;
use super::find::RoadmapTarget;
use super::newest::given;
use crate::interchange::import::is_parted;
use crate::interchange::roadmap::{Fate, ROADMAP, RoadmapRecord, issue_id};
use crate::model::roadmap::TextList;
use crate::model::{
    Code, Convergence, ISSUE, Issue, IssueId, IssueStatus, Op, REDACTED, RemedyCall, Roadmap,
    RoadmapDocument, RoadmapId, RoadmapMode, Stamp, Time, count, typed,
};
use crate::ops::Refusal;
use crate::rules::roadmap::{self, KnownPart};
use crate::rules::shown::{self, object};
use crate::rules::{Item, RoadmapFolder, facts};
use crate::store::{StoreError, Tx, layout, records};

/// An issue of a roadmap, with its layer or task.
pub(super) struct KnownIssue {
    /// The issue.
    pub(super) id: IssueId,
    /// The layer or task, as last added.
    pub(super) known: KnownPart,
}

/// The layer or task of an issue, if it has one; `current` are those in the last version of the document.
pub(super) fn known(roadmap: &Roadmap, issue: &Issue, current: &[Item]) -> Option<KnownIssue> {
    let Some(record) = RoadmapRecord::from_issue(issue) else {
        // Part of the issue is redacted, and so is the record in it. The document also says whose it is.
        let part = part_of(roadmap, &issue.id)?;
        let item = current.iter().find(|item| item.id == part)?.clone();
        return Some(KnownIssue { id: issue.id.clone(), known: KnownPart { item, is_current: true } });
    };
    let item = record.read().ok()?;
    // Another clone may have changed the issue or the document.
    let is_current = record.gone.is_none()
        && current
            .iter()
            .any(|other| other.id == item.id && (other.goal == item.goal || other.scope == item.scope));
    Some(KnownIssue { id: issue.id.clone(), known: KnownPart { item, is_current } })
}

/// Whether the layer or task of an issue is hidden in the document, because part of the issue is.
pub(super) fn is_hidden(roadmap: &Roadmap, issue: &IssueId) -> bool {
    roadmap.document.get(issue.as_str()).is_some_and(|part| *part == REDACTED)
}

/// What is shown for a hidden layer or task: what its issue still says.
pub(super) fn hidden_item(issue: &Issue) -> Item {
    let redacted = TextList(vec![REDACTED.to_owned()]);
    let original = issue.extended_context.notes.as_ref().and_then(|notes| notes.get("original_id")?.as_str());
    Item {
        id: original.unwrap_or(issue.id.as_str()).to_owned(),
        label: REDACTED.to_owned(),
        goal: REDACTED.to_owned(),
        wave: shown::wave(issue).unwrap_or(1),
        scope: vec![],
        excludes: vec![],
        inputs: vec![],
        outputs: vec![],
        convergence: Convergence {
            criteria: redacted.clone(),
            verification: redacted,
            definition_of_done: REDACTED.to_owned(),
        },
        risks: vec![],
        priority: issue.priority,
        depends_on: vec![],
        lifecycle: issue.lifecycle_requirements.clone(),
    }
}

/// A document as it is to be stored: the layers and tasks of issues in which something is redacted are hidden, and those
/// that are hidden in the last version stay so.
pub(super) fn with_hidden(
    mut stored: Value,
    before: Option<&RoadmapFolder>,
    parted: &BTreeMap<IssueId, String>,
) -> Value {
    let roadmap = before.map(|folder| &folder.roadmap.record);
    let known =
        roadmap.into_iter().flat_map(|roadmap| roadmap.issue_ids.iter().filter(|id| is_hidden(roadmap, id)));
    for id in known.chain(parted.keys()) {
        if let Some(part) = stored.get_mut(id.as_str()) {
            *part = REDACTED.into();
        }
    }
    stored
}

/// The number of the layer or task of an issue in the last version of the document.
fn part_of<'a>(roadmap: &'a Roadmap, issue: &IssueId) -> Option<&'a str> {
    roadmap.document.get(issue.as_str())?.get("id")?.as_str()
}

/// The issues in which something is redacted, which stay as they are, with the numbers of their layers or tasks: those of
/// the new document, which are `records`, and those that it no longer has.
pub(super) fn parted(
    tx: &Tx<'_>,
    before: Option<&RoadmapFolder>,
    records: &[RoadmapRecord],
) -> Result<BTreeMap<IssueId, String>, Refusal> {
    let mut all = BTreeMap::new();
    for (roadmap, id) in before
        .map(|folder| &folder.roadmap.record)
        .into_iter()
        .flat_map(|record| record.issue_ids.iter().map(move |id| (record, id)))
    {
        if let Some(part) = part_of(roadmap, id) {
            all.insert(id.clone(), part.to_owned());
        } else if is_hidden(roadmap, id)
            && let Some(outline) = records::outline(tx, id)?
        {
            all.insert(id.clone(), hidden_item(&outline.issue.record).id);
        }
    }
    all.extend(records.iter().map(|record| (record.issue_id.clone(), record.item_id().to_owned())));
    let mut parted = BTreeMap::new();
    for (id, part) in all {
        if is_parted(tx, &id)? {
            parted.insert(id, part);
        }
    }
    Ok(parted)
}

/// The issues of a roadmap, except those whose layer or task is hidden.
pub(super) fn known_issues(tx: &Tx<'_>, before: Option<&RoadmapFolder>) -> Result<Vec<KnownIssue>, Refusal> {
    let Some(folder) = before else { return Ok(vec![]) };
    let record = &folder.roadmap.record;
    // A document that cannot be read is about to be replaced.
    let current = record.read().map(|document| roadmap::items(&document)).unwrap_or_default();
    let mut all = Vec::new();
    for id in record.issue_ids.iter().filter(|id| !is_hidden(record, id)) {
        match records::outline(tx, id) {
            Ok(Some(outline)) => all.extend(known(record, &outline.issue.record, &current)),
            Ok(None) | Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(all)
}

/// The issues of the last version of a roadmap.
#[derive(Clone, Copy)]
pub(super) struct EarlierIssues<'a> {
    /// Issues whose layer or task is known.
    pub(super) known: &'a [KnownIssue],
    /// All of them.
    pub(super) all: &'a BTreeSet<IssueId>,
    /// Issues whose layer or task is hidden.
    pub(super) hidden: &'a BTreeSet<IssueId>,
}

/// The issue of each layer or task, known or new, and the layer's or task's previous number if it has changed. One that is
/// `hidden` is known by the id of its issue, which was made of its goal or title.
pub(super) fn assigned(
    roadmap: &RoadmapId,
    created_at: Time,
    mode: RoadmapMode,
    items: &[Item],
    issues: EarlierIssues<'_>,
) -> Vec<(IssueId, Option<String>)> {
    let EarlierIssues { known, all, hidden } = issues;
    let of: Vec<KnownPart> = known.iter().map(|part| part.known.clone()).collect();
    let found = roadmap::same(mode, items, &of);
    let (mut taken, mut hidden) = (all.clone(), hidden.clone());
    let mut new = |item: &Item, taken: &mut BTreeSet<IssueId>| {
        let goal = item.goal.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut ids = (1..).map(|number| issue_id(roadmap, created_at, &goal, number));
        // Others with this goal may have the first numbers.
        let as_many = if hidden.is_empty() { 0 } else { all.len() };
        if let Some(id) = ids.clone().take(as_many).find(|id| hidden.contains(id)) {
            hidden.remove(&id);
            return Some(id);
        }
        let id = ids.find(|id| !taken.contains(id));
        taken.extend(id.clone());
        id
    };
    items
        .iter()
        .zip(&found)
        .filter_map(|(item, found)| match found.and_then(|n| known.get(n)) {
            Some(KnownIssue { id, known }) => {
                let was = (known.item.id != item.id).then(|| known.item.id.clone());
                Some((id.clone(), was))
            }
            None => Some((new(item, &mut taken)?, None)),
        })
        .collect()
}

/// The record of a layer or task, as if never changed since. `issues` maps the document's ids of all layers or tasks to
/// their issues.
pub(super) fn record(
    target: &RoadmapTarget,
    mode: RoadmapMode,
    document: &RoadmapDocument,
    stored: &Value,
    issues: &BTreeMap<&str, IssueId>,
    item: &Item,
    issue: &IssueId,
) -> RoadmapRecord {
    RoadmapRecord {
        roadmap: target.id.clone(),
        mode,
        issue_id: issue.clone(),
        author: target.author.clone(),
        created_at: target.created_at,
        changed: target.created_at,
        wave: item.wave,
        depends_on: item.depends_on.iter().filter_map(|id| issues.get(id.as_str()).cloned()).collect(),
        gone: None,
        lifecycle_requirements: document.lifecycle_requirements.clone(),
        item: given(stored, mode, &item.id).cloned().unwrap_or_default(),
    }
}

/// The record with the time of its last change: that of the earlier record if the content is the same, else a time
/// later than everything in its issue.
pub(super) fn dated(tx: &Tx<'_>, record: RoadmapRecord) -> Result<RoadmapRecord, Refusal> {
    let now = tx.stamper().now();
    let Some(doc) = records::doc(tx, &ISSUE, &layout::issue(&record.issue_id))? else {
        return Ok(RoadmapRecord { changed: now, ..record });
    };
    let before = doc.read::<Issue>().ok().and_then(|issue| RoadmapRecord::from_issue(&issue));
    if let Some(before) = before.as_ref().filter(|before| before.is_like(&record)) {
        return Ok(before.clone());
    }
    let last = doc.changed().filter(|stamp| !stamp.is_far_future()).map(Stamp::time);
    let last = last.max(before.map(|before| before.changed));
    let changed = last.map_or(now, |last| now.max(last.plus_millis(1)));
    Ok(RoadmapRecord { changed, ..record })
}

/// The new state of the issues that lose their layer or task.
pub(super) fn orphans(
    tx: &Tx<'_>,
    before: Option<&RoadmapFolder>,
    current: &BTreeSet<IssueId>,
    input: &AddRoadmap,
) -> Result<Vec<RoadmapRecord>, Refusal> {
    let fate = input.gone;
    let again = |gone: &str| again(input, before, gone);
    let (mut found, mut unsettled, mut at_work) = (Vec::new(), Vec::new(), Vec::new());
    let mut redacted = Vec::new();
    let all = before.map(|folder| folder.roadmap.record.issue_ids.clone()).unwrap_or_default();
    for id in all.difference(current) {
        let Some(folder) = records::outline(tx, id)? else { continue };
        let issue = &folder.issue.record;
        let status = facts::status(&folder);
        let is_over = matches!(status, IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled);
        let Some(record) = RoadmapRecord::from_issue(issue) else {
            // Part of it is redacted, so it stays as it is in any case.
            let part = before.filter(|folder| folder.roadmap.record.document.get(id.as_str()).is_some());
            if part.is_some() && !is_over && fate.is_none() {
                let part = part.and_then(|folder| part_of(&folder.roadmap.record, id)).map(str::to_owned);
                let part = part.unwrap_or_else(|| hidden_item(issue).id);
                redacted.push(id);
                unsettled.push(format!(
                    "{part}  {id}  {status}  {} (redacted, so it stays as it is)",
                    issue.title
                ));
            }
            continue;
        };
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
        let document = if input.agent.is_some() { "the planner's document" } else { "the document" };
        let message =
            format!("{document} no longer has the layer or task of {issues}; the roadmap was not changed");
        let refusal = Refusal::new(Code::WouldOrphan, message)
            .details(unsettled)
            .hint("a layer or task is recognized by its goal or title, or by its scope")
            .remedy(again("keep"), "leaves them open, in no wave")
            .remedy(again("cancel"), "cancels them");
        return Err(redacted.into_iter().fold(refusal, |refusal, id| {
            refusal.remedy(
                RemedyCall::new(Op::Close, [id]),
                "closes this redacted one, which the document cannot do",
            )
        }));
    }
    if !at_work.is_empty() {
        let message =
            format!("{} cannot be cancelled while someone is executing it", count(at_work.len(), "issue"));
        return Err(Refusal::new(Code::Executing, message)
            .details(at_work)
            .remedy(Op::LeaseRelease, "ends the execution")
            .remedy(again("keep"), "leaves them open, in no wave"));
    }
    Ok(found)
}

/// How to bring the document again: from its file, or from its planner.
fn again(input: &AddRoadmap, before: Option<&RoadmapFolder>, gone: &str) -> RemedyCall {
    match (&input.agent, before) {
        (Some(agent), Some(folder)) => {
            // A command line may hold a secret.
            let agent = if agent.contains([' ', '/']) { "AGENT" } else { agent };
            RemedyCall::new(Op::RoadmapRevise, [&folder.roadmap.record.id]).option("planner", agent)
        }
        _ => RemedyCall::new(Op::RoadmapAdd, ["FILE"]),
    }
    .option("gone", gone)
}

/// A field that was changed both here and in the document. The document's change is newer, so it wins.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Overridden {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The field, such as `title` or `lifecycle_requirements.test_strategy`.
    pub(crate) field: String,
    /// The value that it had here.
    pub(crate) value: Value,
}

/// Fields that were changed here since the document was last added, and that the new document changes, too. Sets are
/// joined element by element.
pub(super) fn overridden(tx: &Tx<'_>, records: &[RoadmapRecord]) -> Result<Vec<Overridden>, Refusal> {
    let mut found = Vec::new();
    for record in records {
        let Some(folder) = records::outline(tx, &record.issue_id)? else { continue };
        let here = &folder.issue.record;
        let Some(before) = RoadmapRecord::from_issue(here).filter(|before| !before.is_like(record)) else {
            continue;
        };
        let (Some(base), Some(new)) = (fields_of_record(&before), fields_of_record(record)) else { continue };
        for (field, value) in fields(here) {
            let [base, new] =
                [&base, &new].map(|all| all.iter().find(|(name, _)| *name == field).map(|(_, value)| value));
            if base != new && base != Some(&value) && new != Some(&value) {
                found.push(Overridden { issue_id: here.id.clone(), field, value });
            }
        }
    }
    Ok(found)
}

/// The registers of the issue that is made of the record; `None` if the record cannot be read.
fn fields_of_record(record: &RoadmapRecord) -> Option<Vec<(String, Value)>> {
    (ROADMAP.read)(&typed::own_json(record)).ok().map(|read| fields(&read.issue))
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
