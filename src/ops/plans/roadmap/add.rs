//! Adding a roadmap, or another version of it: its record and its issues in one commit.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::assess::chosen;
use super::find::{RoadmapTarget, existing, target};
use super::items::{Overridden, dated, orphans, overridden, parted, record, with_hidden};
use super::newest::{Newest, assigned_to, newest};
use crate::interchange::import::Batch;
use crate::interchange::roadmap::{AtHand, Fate, ROADMAP, RoadmapRecord};
use crate::interchange::selection::ImportSelection;
use crate::model::{
    Code, IssueId, IssueStatus, Op, Other, PlanDigest, RemedyCall, Roadmap, RoadmapChoice, RoadmapDocument,
    RoadmapEvent, RoadmapId, RoadmapMode, RoadmapRevision, count, typed,
};
use crate::ops::issues::{check_dependencies, existing_outline};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::roadmap::{self, RoadmapSetting};
use crate::rules::{Outdated, RoadmapFolder, Status, facts, limits, shown};
use crate::store::{ReadState, Store, StoreError, Tx, layout};

/// A document to add.
#[derive(Debug, Clone)]
pub(crate) struct AddRoadmap {
    /// The document as it was written.
    pub(crate) document: Value,
    /// The roadmap to update: its id, or an unambiguous prefix of it.
    pub(crate) roadmap: Option<String>,
    /// Whether it is a new roadmap, even if one has its title.
    pub(crate) is_new: bool,
    /// How the requirement is split, if the document does not say.
    pub(crate) mode: Option<RoadmapChoice>,
    /// What happens to issues whose layer or task is gone.
    pub(crate) gone: Option<Fate>,
    /// The agent that wrote it.
    pub(crate) agent: Option<String>,
    /// Whether parts that are as in an earlier version undo what someone else changed since.
    pub(crate) revert: bool,
    /// Say what would change, and change nothing.
    pub(crate) dry_run: bool,
}

impl AddRoadmap {
    /// A document without further information.
    pub(crate) fn new(document: Value) -> Self {
        Self {
            document,
            roadmap: None,
            is_new: false,
            mode: None,
            gone: None,
            agent: None,
            revert: false,
            dry_run: false,
        }
    }
}

/// What adding a roadmap changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RoadmapAdded {
    /// The roadmap.
    pub(crate) id: RoadmapId,
    /// Its title.
    pub(crate) title: String,
    /// Layers or tasks.
    pub(crate) mode: RoadmapMode,
    /// Its status.
    pub(crate) status: Status,
    /// Whether it was not here before.
    pub(crate) is_new: bool,
    /// Whether nothing was written.
    pub(crate) dry_run: bool,
    /// Issues that were made.
    pub(crate) created: Vec<AddedIssue>,
    /// Issues that changed.
    pub(crate) changed: Vec<AddedIssue>,
    /// Issues that are as they were.
    pub(crate) unchanged: Vec<AddedIssue>,
    /// Issues whose layer or task the document no longer has.
    pub(crate) gone: Vec<AddedIssue>,
    /// Issues in which something is redacted. They no longer follow the document, and stay as they were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) redacted: Vec<AddedIssue>,
    /// Fields that were changed both here and in the document, each with its value here. The document's value wins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) overridden: Vec<Overridden>,
    /// Parts of which the file has an earlier version. They keep what someone else has changed since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) outdated: Vec<Outdated>,
}

#[serde_with::skip_serializing_none]
/// An issue of a roadmap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AddedIssue {
    /// Its layer or task.
    pub(crate) item: String,
    /// Its previous number, if that has changed.
    pub(crate) was: Option<String>,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// Its wave; left out if it is in none.
    pub(crate) wave: Option<u64>,
    /// Its status.
    pub(crate) status: IssueStatus,
}

/// Adds a roadmap with an issue for each layer or task, or updates those of a roadmap that is here: what the document
/// changed since it was last added, field by field.
///
/// # Errors
/// `invalid-roadmap`, `undecided`, `other-mode`; `would-orphan` if an open issue would lose its layer or task; `executing`,
/// `cycle`; `not-found`, `ambiguous-id`, `choice-needed` for the roadmap.
pub(crate) fn add(session: &Session, input: &AddRoadmap) -> Answer<RoadmapAdded> {
    let permit = session.permit(Op::RoadmapAdd)?;
    let store = session.store();
    store.snapshot()?;
    let document = checked(Some(store), &input.document)?;
    let mut preview = None;
    let committed = session.transact(permit, |tx| {
        let added = apply(tx, input, store, &document)?;
        if input.dry_run {
            preview = Some(added);
            // A refused transaction writes nothing.
            return Err(Refusal::dry_run());
        }
        Ok(added)
    });
    match preview {
        Some(added) => Ok(session.done(added, None)),
        None => committed.map(|committed| session.done(committed.answer, committed.commit)),
    }
}

/// The document, if it is valid.
pub(super) fn checked(store: Option<&Store>, given: &Value) -> Result<RoadmapDocument, Refusal> {
    let code = store.map(Store::code_tree).transpose()?.flatten();
    // A path that cannot be looked up is not an error of the document.
    let known = |path: &str| code.as_ref().is_none_or(|code| code.has(path).unwrap_or(true));
    let known: Option<&dyn Fn(&str) -> bool> = if code.is_some() { Some(&known) } else { None };
    roadmap::examine(given, RoadmapSetting { known_files: known }).map_err(|findings| {
        let errors = count(findings.len(), "error");
        Refusal::new(Code::InvalidRoadmap, format!("the roadmap has {errors}; nothing was stored"))
            .details(findings.iter().map(|finding| format!("{finding}; {}", finding.remedy)).collect())
            .remedy(RemedyCall::new(Other::Schema, ["roadmap-document"]), "describes a roadmap")
    })
}

fn apply(
    tx: &mut Tx<'_>,
    input: &AddRoadmap,
    store: &Store,
    document: &RoadmapDocument,
) -> Result<RoadmapAdded, Refusal> {
    let target = target(tx, input.roadmap.as_deref(), input.is_new, &input.document, document)?;
    let Newest { document, stored, mode, parts, outdated } = newest(tx, input, store, document, &target)?;
    let RoadmapTarget { id, author, created_at, before } = &target;
    let title = limits::title(roadmap::title(&document).unwrap_or_default())?;
    let items = roadmap::items(&document);
    let assigned = assigned_to(tx, &target, mode, &items, &stored)?;
    let issues: BTreeMap<&str, IssueId> =
        items.iter().zip(&assigned).map(|(item, (issue, _))| (item.id.as_str(), issue.clone())).collect();
    let mut records = Vec::new();
    for (item, (issue, _)) in items.iter().zip(&assigned) {
        let new = record(&target, mode, &document, &stored, &issues, item, issue);
        records.push(dated(tx, new)?);
    }
    let current: BTreeSet<IssueId> = records.iter().map(|record| record.issue_id.clone()).collect();
    let orphans = orphans(tx, before.as_ref(), &current, input)?;
    let orphaned: BTreeSet<IssueId> = orphans.iter().map(|orphan| orphan.issue_id.clone()).collect();
    records.extend(orphans);
    let paths: Vec<String> = records.iter().map(|record| layout::issue(&record.issue_id)).collect();
    let earlier = files(tx, &paths)?;
    let overridden = overridden(tx, &records)?;
    let parted = parted(tx, before.as_ref(), &records)?;
    import(tx, records.iter().filter(|record| !parted.contains_key(&record.issue_id)))?;
    for record in &records {
        check_dependencies(tx, &record.issue_id, &BTreeSet::new())?;
    }
    let mut added = RoadmapAdded {
        id: id.clone(),
        title: title.clone(),
        mode,
        status: Status::Planning,
        is_new: before.is_none(),
        dry_run: input.dry_run,
        created: vec![],
        changed: vec![],
        unchanged: vec![],
        gone: vec![],
        redacted: vec![],
        overridden,
        outdated,
    };
    for (id, item) in &parted {
        let mut issue = added_issue(tx, id, item, &assigned)?;
        issue.wave =
            if current.contains(id) { shown::wave(&existing_outline(tx, id)?.issue.record) } else { None };
        added.redacted.push(issue);
    }
    for ((record, earlier), now) in records.iter().zip(earlier).zip(files(tx, &paths)?) {
        if parted.contains_key(&record.issue_id) {
            continue;
        }
        let mut issue = added_issue(tx, &record.issue_id, record.item_id(), &assigned)?;
        issue.wave = if record.gone.is_none() { Some(record.wave) } else { None };
        match (earlier, now) {
            _ if orphaned.contains(&record.issue_id) => added.gone.push(issue),
            (None, _) => added.created.push(issue),
            (before, now) if before == now => added.unchanged.push(issue),
            _ => added.changed.push(issue),
        }
    }
    let stored = with_hidden(Roadmap::divided(stored, &issues), before.as_ref(), &parted);
    let is_same = before.as_ref().is_some_and(|folder| {
        let record = &folder.roadmap.record;
        record.document == stored && record.title == title && current.is_subset(&record.issue_ids)
    });
    if !(is_same && added.created.is_empty() && added.changed.is_empty() && added.gone.is_empty()) {
        let roadmap = Roadmap {
            id: id.clone(),
            author: author.clone(),
            created_at: *created_at,
            title,
            document: stored,
            issue_ids: current,
        };
        write(tx, input, before.is_none(), &roadmap, &added, parts)?;
    }
    added.status = roadmap::status(&existing(tx, id)?);
    Ok(added)
}

/// The content of the files at these paths.
fn files(tx: &Tx<'_>, paths: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    paths.iter().map(|path| tx.file(path)).collect()
}

/// Stores the issues of layers or tasks.
fn import<'a>(tx: &mut Tx<'_>, records: impl Iterator<Item = &'a RoadmapRecord>) -> Result<(), Refusal> {
    let mut at_hand = AtHand(records.map(typed::own_json).collect());
    let batch = Batch::collect(&ROADMAP, &mut at_hand, &ImportSelection::default(), |_| {})?;
    let report = batch.write::<Refusal>(&mut at_hand, tx, |_| {})?;
    match report.skipped.first() {
        None => Ok(()),
        Some(skipped) => Err(Refusal::new(
            Code::CannotStore,
            format!("a layer or task cannot be stored: {}", skipped.reason),
        )
        .hint("shorten its texts, or look at the existing issue")),
    }
}

/// The issue of a layer or task as it is now, in no wave yet.
fn added_issue(
    tx: &Tx<'_>,
    id: &IssueId,
    item: &str,
    assigned: &[(IssueId, Option<String>)],
) -> Result<AddedIssue, Refusal> {
    let folder = existing_outline(tx, id)?;
    let was = assigned.iter().find(|(issue, _)| issue == id).and_then(|(_, was)| was.clone());
    let (title, status) = (folder.issue.record.title.clone(), facts::status(&folder));
    Ok(AddedIssue { item: item.to_owned(), was, issue_id: id.clone(), title, wave: None, status })
}

/// The mode of a roadmap, and the document to store: without an id, and with the mode if someone chose it.
pub(super) fn settled(
    input: &AddRoadmap,
    document: &RoadmapDocument,
    before: Option<&RoadmapFolder>,
) -> Result<(RoadmapMode, Value), Refusal> {
    let mut stored = input.document.clone();
    if let Some(members) = stored.as_object_mut() {
        members.shift_remove("id");
        members.shift_remove("session_id");
    }
    let by_itself = roadmap::choose(document, None);
    // The mode chosen for the previous version still holds; a document that cannot be read is about to be replaced.
    let known = before.and_then(|folder| folder.roadmap.record.read().ok()?.mode);
    let choice = input.mode.filter(|choice| choice.mode().is_some()).or(known);
    let mode = match by_itself {
        Ok(mode) if input.mode.and_then(RoadmapChoice::mode).is_none_or(|wanted| wanted == mode) => mode,
        _ => {
            let mode = chosen(document, choice)?;
            if let Some(members) = stored.as_object_mut() {
                members.shift_remove("strategy");
                members.insert("mode".into(), mode.as_str().into());
            }
            mode
        }
    };
    Ok((mode, stored))
}

fn items_of(issues: &[AddedIssue]) -> Vec<String> {
    issues.iter().map(|issue| issue.item.clone()).collect()
}

/// Writes the record of the roadmap, and describes the change.
fn write(
    tx: &mut Tx<'_>,
    input: &AddRoadmap,
    is_new: bool,
    roadmap: &Roadmap,
    added: &RoadmapAdded,
    parts: BTreeMap<String, PlanDigest>,
) -> Result<(), Refusal> {
    let (id, title) = (roadmap.id.clone(), roadmap.title.clone());
    let revision = RoadmapRevision {
        document_digest: roadmap.digest(),
        parts,
        created: items_of(&added.created),
        changed: items_of(&added.changed),
        gone: items_of(&added.gone),
        agent: input.agent.clone(),
    };
    if is_new {
        tx.create_roadmap(roadmap)?;
    } else {
        tx.edit_roadmap(&id, |known| {
            known.title.clone_from(&roadmap.title);
            known.document.clone_from(&roadmap.document);
            known.issue_ids.extend(roadmap.issue_ids.iter().cloned());
        })?;
    }
    tx.log_roadmap(&id, RoadmapEvent::Revision(revision))?;
    let parts = [(added.created.len(), "new"), (added.changed.len(), "changed"), (added.gone.len(), "gone")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let verb = if is_new { "add" } else { "update" };
    let issues = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    tx.describe(format!("roadmap: {verb} {id} \"{title}\"{issues}"));
    Ok(())
}
