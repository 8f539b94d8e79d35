//! The document to add: what was given, without what it only repeats from an earlier version.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::add::{AddRoadmap, checked, settled};
use super::find::RoadmapTarget;
use super::items::{EarlierIssues, KnownIssue, assigned, hidden_item, is_hidden, known_issues};
use crate::interchange::import::is_parted;
use crate::model::{IssueId, Other, PlanDigest, RemedyCall, Roadmap, RoadmapDocument, RoadmapMode};
use crate::ops::Refusal;
use crate::rules::{Item, Outdated, roadmap};
use crate::store::{Store, Tx, records};

/// A document to add.
pub(super) struct Newest {
    /// What it says.
    pub(super) document: RoadmapDocument,
    /// The document as its planner wrote it.
    pub(super) stored: Value,
    /// Layers or tasks.
    pub(super) mode: RoadmapMode,
    /// The digest of each part as it was given.
    pub(super) parts: BTreeMap<String, PlanDigest>,
    /// The parts that were given in an earlier version.
    pub(super) outdated: Vec<Outdated>,
}

/// The document to add to `target`. What someone else changed since the given version stays, unless the input says to
/// undo it.
pub(super) fn newest(
    tx: &Tx<'_>,
    input: &AddRoadmap,
    store: &Store,
    document: &RoadmapDocument,
    target: &RoadmapTarget,
) -> Result<Newest, Refusal> {
    let (mode, stored) = settled(input, document, target.before.as_ref())?;
    let items = roadmap::items(document);
    let assigned = assigned_to(tx, target, mode, &items, &stored)?;
    let issues: BTreeMap<&str, IssueId> =
        items.iter().zip(&assigned).map(|(item, (issue, _))| (item.id.as_str(), issue.clone())).collect();
    let divided = Roadmap::divided(stored.clone(), &issues);
    let parts = roadmap::parts(&divided);
    let as_given = Newest { document: document.clone(), stored, mode, parts, outdated: Vec::new() };
    if input.revert {
        return Ok(as_given);
    }
    let Some(folder) = target.before.as_ref() else { return Ok(as_given) };
    let known = &folder.roadmap.record;
    let (Some(given), Some(now)) = (divided.as_object(), known.document.as_object()) else {
        return Ok(as_given);
    };
    // Hidden parts stay hidden, whatever the input says.
    let mut shown = now.clone();
    for id in known.issue_ids.iter().filter(|id| is_hidden(known, id)) {
        match given.get(id.as_str()) {
            Some(part) => shown.insert(id.to_string(), part.clone()),
            None => shown.shift_remove(id.as_str()),
        };
    }
    let (renewed, outdated) = roadmap::renewed(given, &shown, &folder.log, tx.person());
    if outdated.is_empty() {
        return Ok(as_given);
    }
    let issue_ids = known.issue_ids.iter().cloned().chain(issues.into_values()).collect();
    let whole = Roadmap { document: Value::Object(renewed), issue_ids, ..known.clone() }.whole(Some(mode));
    let document = checked(Some(store), &whole).map_err(|refusal| {
        refusal
            .hint("some parts of the file are from an earlier version and do not fit what someone else has changed since")
            .remedy(RemedyCall::new(Other::RoadmapShow, [&target.id]).flag("json"), "shows the newest document")
    })?;
    let input = AddRoadmap { document: whole, ..input.clone() };
    let (mode, stored) = settled(&input, &document, Some(folder))?;
    Ok(Newest { document, stored, mode, outdated, ..as_given })
}

/// The issue of each layer or task of a document, and its previous number if that has changed.
pub(super) fn assigned_to(
    tx: &Tx<'_>,
    target: &RoadmapTarget,
    mode: RoadmapMode,
    items: &[Item],
    stored: &Value,
) -> Result<Vec<(IssueId, Option<String>)>, Refusal> {
    let RoadmapTarget { id, created_at, before, .. } = target;
    let known = known_issues(tx, before.as_ref())?;
    let none = BTreeSet::new();
    let Some(folder) = before else {
        let issues = EarlierIssues { known: &known, all: &none, hidden: &none };
        return Ok(assigned(id, *created_at, mode, items, issues));
    };
    let record = &folder.roadmap.record;
    let all = &record.issue_ids;
    let hidden = hidden_issues(tx, record, &known)?;
    let issues = EarlierIssues { known: &known, all, hidden: &hidden };
    let mut assigned = assigned(id, *created_at, mode, items, issues);
    // An earlier version of a layer or task can have little in common with the present one.
    for (n, item) in items.iter().enumerate() {
        if all.contains(&assigned[n].0) {
            continue;
        }
        let earlier =
            given(stored, mode, &item.id).and_then(|item| roadmap::earlier_issue(&folder.log, item));
        let issue = earlier.and_then(|id| IssueId::parse(id).ok()).filter(|id| all.contains(id));
        if let Some(issue) = issue.filter(|issue| assigned.iter().all(|(other, _)| other != issue)) {
            assigned[n].0 = issue;
        }
    }
    // If the goal of a hidden layer or task changed, only its number is known.
    for issue in hidden.iter().filter(|id| is_hidden(record, id)) {
        if assigned.iter().any(|(other, _)| other == issue) {
            continue;
        }
        let Some(outline) = records::outline(tx, issue)? else { continue };
        let number = hidden_item(&outline.issue.record).id;
        let numbered = items.iter().zip(&mut assigned).find(|(item, _)| item.id == number);
        if let Some((_, place)) = numbered.filter(|(_, place)| !all.contains(&place.0)) {
            place.0 = issue.clone();
        }
    }
    Ok(assigned)
}

/// The issues whose layers or tasks are hidden, or would be if the document had them. Only their ids tell of what they
/// were made.
fn hidden_issues(tx: &Tx<'_>, record: &Roadmap, known: &[KnownIssue]) -> Result<BTreeSet<IssueId>, Refusal> {
    let mut hidden = BTreeSet::new();
    for id in record.issue_ids.iter().filter(|id| known.iter().all(|item| item.id != **id)) {
        if is_hidden(record, id) || is_parted(tx, id)? {
            hidden.insert(id.clone());
        }
    }
    Ok(hidden)
}

/// A layer or task as its planner wrote it.
pub(super) fn given<'a>(stored: &'a Value, mode: RoadmapMode, id: &str) -> Option<&'a Value> {
    let list = if mode == RoadmapMode::Progressive { "layers" } else { "tasks" };
    let mut all = stored.get(list).and_then(Value::as_array).into_iter().flatten();
    all.find(|issue| issue.get("id").and_then(Value::as_str) == Some(id))
}
