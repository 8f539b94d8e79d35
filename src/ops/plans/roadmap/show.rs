//! Showing roadmaps.

use std::collections::{BTreeMap, BTreeSet};

use super::find::{Twin, existing, named, twins};
use super::items::{hidden_item, is_hidden};
use super::view::{AcceptedCriterion, RiskOf, RoadmapIssue, RoadmapSummary, RoadmapView, WaveView};
use crate::model::{
    Code, Event, IssueStatus, Plan, Roadmap, RoadmapDocument, RoadmapEvent, RoadmapId, Solution,
};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::{IssueFolder, Item, RoadmapFolder, facts, roadmap, shown};
use crate::store::{ReadState, StoreError, records};

/// A roadmap; if none is named, the only one, or the only one that is not done.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `choice-needed`; nothing to do without any roadmap.
pub(crate) fn show(session: &Session, text: Option<&str>) -> Answer<RoadmapView> {
    let snapshot = session.store().snapshot()?;
    let folder = named(&snapshot, text)?;
    session.notice_all(folder.broken.iter().map(|(path, why)| Notice::warning(format!("`{path}`: {why}"))));
    let view = view_of(&snapshot, &folder)?;
    Ok(session.done(view, None))
}

/// The view of a roadmap whose id was resolved.
pub(crate) fn view(read: &impl ReadState, id: &RoadmapId) -> Result<RoadmapView, Refusal> {
    view_of(read, &existing(read, id)?)
}

/// Every roadmap, the latest first.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn list(session: &Session) -> Answer<Vec<RoadmapSummary>> {
    let snapshot = session.store().snapshot()?;
    let (mut all, mut of_files) = (Vec::new(), Vec::new());
    for id in records::roadmap_ids(&snapshot)? {
        let view = match records::roadmap(&snapshot, &id).map_err(Refusal::from) {
            Ok(Some(folder)) => view_of(&snapshot, &folder),
            Ok(None) => continue,
            Err(refusal) => Err(refusal),
        };
        let view = match view {
            Err(refusal) if refusal.code == Code::BrokenRecord => {
                session.notice(Notice::warning(format!("roadmap `{id}` cannot be read")));
                continue;
            }
            view => view?,
        };
        of_files.push(Twin::new(&view));
        let RoadmapView { id, title, mode, status, waves, done, total, created_at, .. } = view;
        all.push(RoadmapSummary { id, title, mode, status, waves: waves.len(), done, total, created_at });
    }
    session.notice_all(twins(&of_files));
    all.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(session.done(all, None))
}

/// The document of a stored roadmap.
///
/// # Errors
/// `broken-record`.
pub(super) fn document(record: &Roadmap) -> Result<RoadmapDocument, Refusal> {
    record.read().map_err(|error| {
        let refusal = Refusal::unreadable(&format!("the document of roadmap `{}`", record.id));
        refusal.details(vec![error.to_string()])
    })
}

pub(super) fn view_of(read: &impl ReadState, folder: &RoadmapFolder) -> Result<RoadmapView, Refusal> {
    let record = &folder.roadmap.record;
    let document = document(record)?;
    let items = roadmap::items(&document);
    let mut issues = Vec::new();
    let mut known = Vec::new();
    let mut hidden = Vec::new();
    for id in &record.issue_ids {
        let Some(issue) = readable(read, id)? else { continue };
        if is_hidden(record, id) {
            hidden.push(issue);
            continue;
        }
        if let Some(found) = super::items::known(record, &issue.issue.record, &items) {
            known.push(found.known);
            issues.push(issue);
        }
    }
    let mut waves: BTreeMap<u64, Vec<RoadmapIssue>> = BTreeMap::new();
    let mut left: BTreeSet<usize> = (0..issues.len()).collect();
    for (item, found) in items.iter().zip(roadmap::same(roadmap::mode(&document), &items, &known)) {
        // Another clone may have it.
        let Some((n, issue)) = found.and_then(|n| Some((n, issues.get(n)?))) else { continue };
        left.remove(&n);
        let wave = shown::wave(&issue.issue.record).unwrap_or(item.wave);
        waves.entry(wave).or_default().push(of_issue(item, issue));
    }
    for issue in &hidden {
        let item = hidden_item(&issue.issue.record);
        waves.entry(item.wave).or_default().push(of_issue(&item, issue));
    }
    let gone = left.iter().map(|n| of_issue(&known[*n].item, &issues[*n])).collect();
    let waves: Vec<WaveView> = waves
        .into_iter()
        .map(|(wave, issues)| {
            let (done, total) = progress(&issues);
            WaveView { wave, done, total, issues }
        })
        .collect();
    let mode = roadmap::known_mode(folder);
    let revised = folder.log.iter().rev().find(|entry| matches!(entry.event, RoadmapEvent::Revision(_)));
    Ok(RoadmapView {
        id: record.id.clone(),
        title: record.title.clone(),
        requirement: document.requirement.clone(),
        mode,
        status: roadmap::status(folder),
        author: record.author.clone(),
        created_at: record.created_at,
        updated_at: revised.map(|entry| entry.at),
        assessed: document.assessment.as_ref().map(|assessment| roadmap::assess(&assessment.factors)),
        done: waves.iter().map(|wave| wave.done).sum(),
        total: waves.iter().map(|wave| wave.total).sum(),
        waves,
        gone,
        risks: risks(&document, &items),
        rounds: roadmap::rounds(folder),
        codebase_context: document.codebase_context.clone(),
        assessment: document.assessment,
        document: record.whole(mode),
    })
}

/// The risks of a roadmap, and those of its layers or tasks.
fn risks(document: &RoadmapDocument, items: &[Item]) -> Vec<RiskOf> {
    let of_all = document.risks.iter().map(|risk| RiskOf { item: None, risk: risk.clone() });
    let of_items = items.iter().flat_map(|item| {
        item.risks.iter().map(|risk| RiskOf { item: Some(item.id.clone()), risk: risk.clone() })
    });
    of_all.chain(of_items).collect()
}

fn readable(read: &impl ReadState, id: &crate::model::id::IssueId) -> Result<Option<IssueFolder>, Refusal> {
    match records::issue(read, id) {
        Err(StoreError::Broken { .. }) => Ok(None),
        other => Ok(other?),
    }
}

fn progress(issues: &[RoadmapIssue]) -> (usize, usize) {
    let count = |is: &dyn Fn(IssueStatus) -> bool| issues.iter().filter(|issue| is(issue.status)).count();
    (count(&is_done), issues.len() - count(&|status| status == IssueStatus::Cancelled))
}

/// Whether nothing is left to do for an issue, and something was done.
pub(super) fn is_done(status: IssueStatus) -> bool {
    matches!(status, IssueStatus::Completed | IssueStatus::Closed)
}

fn of_issue(item: &Item, folder: &IssueFolder) -> RoadmapIssue {
    let issue = &folder.issue.record;
    RoadmapIssue {
        item: item.id.clone(),
        label: item.label.clone(),
        issue_id: issue.id.clone(),
        title: issue.title.clone(),
        goal: item.goal.clone(),
        status: facts::status(folder),
        priority: issue.priority,
        depends_on: issue.depends_on.iter().cloned().collect(),
        solution_id: issue.bound_solution_id.clone(),
        criteria: item.convergence.criteria.0.clone(),
        verification: item.convergence.verification.0.clone(),
        definition_of_done: item.convergence.definition_of_done.clone(),
        accepted: accepted(folder),
    }
}

/// The criteria confirmed in the execution that holds the issue.
fn accepted(folder: &IssueFolder) -> Vec<AcceptedCriterion> {
    let Some(holder) = facts::holder(folder) else { return vec![] };
    let plan = folder.solution(&holder.execution.solution_id).map(Solution::typed_plan);
    let entries = holder.log.iter().filter_map(|entry| match &entry.event {
        Event::Accept(accept) => Some(accept),
        _ => None,
    });
    entries
        .map(|entry| AcceptedCriterion {
            task_id: entry.task_id.clone(),
            criterion: plan
                .as_ref()
                .and_then(|plan| criterion(plan, &entry.task_id, entry.criterion))
                .unwrap_or_else(|| entry.criterion.to_string()),
            evidence: entry.evidence.clone(),
        })
        .collect()
}

/// The criterion of a task with this number, counted from 1.
fn criterion(plan: &Plan, task: &str, number: u64) -> Option<String> {
    let at = usize::try_from(number).ok()?.checked_sub(1)?;
    plan.task(task)?.criteria().get(at).map(|text| (*text).to_owned())
}
