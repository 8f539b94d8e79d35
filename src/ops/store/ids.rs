//! The ids that start with what a user has typed, for completion on the command line. The user waits for the answer, so
//! nothing here builds an index, and without one only a limited number of records is read.

use crate::index::{self, Use};
use crate::model::id::short;
use crate::model::{IssueId, QueueDecision, SolutionId};
use crate::ops::{Answer, Refusal, Session, work};
use crate::rules::QueueFolder;
use crate::store::{ReadState, Snapshot, layout, records};
use crate::trail::active;

/// At most this many candidates are listed.
const MOST: usize = 500;
/// At most this many records are read for their titles if there is no index.
const MOST_READ: usize = 100;
/// At most this many issues are searched for plans and executions if there is no index.
const MOST_SEARCHED: usize = 2000;

/// The kinds of records to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdKind {
    /// Issues.
    Issue,
    /// Plans.
    Plan,
    /// Executions.
    Execution,
    /// Issues and plans.
    Record,
    /// Queues that are not archived.
    Queue,
    /// Items of active queues.
    Item,
    /// Tasks of the plan that was typed before, or of the one that this worktree executes.
    Task,
    /// Runs, the latest first.
    Run,
    /// Roadmaps, the latest first.
    Roadmap,
    /// Entries of what was learned, the latest first.
    Wisdom,
    /// Agents.
    Agent,
}

/// An id, and the title of its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownId {
    /// The id.
    pub(crate) id: String,
    /// The title of its issue or task, or the name of the queue; empty if it is not known.
    pub(crate) title: String,
}

impl KnownId {
    fn new(id: &impl ToString, title: impl Into<String>) -> Self {
        Self { id: id.to_string(), title: title.into() }
    }
}

/// Whether the id starts with `begin`, in any case.
fn begins(id: &str, begin: &str) -> bool {
    id.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin))
}

/// What was typed, to be completed to an id.
#[derive(Debug)]
pub(crate) struct CompleteId {
    /// What the id names.
    pub(crate) kind: IdKind,
    /// Its beginning, in any case.
    pub(crate) begin: String,
    /// The words that were typed earlier.
    pub(crate) before: Vec<String>,
}

/// Lists the ids that continue what was typed. An id whose short form does so is listed in that form, since shells drop
/// candidates that do not.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn ids(session: &Session, input: &CompleteId) -> Answer<Vec<KnownId>> {
    let CompleteId { kind, begin, before } = input;
    let kind = *kind;
    let snapshot = session.store().snapshot()?;
    let mut found = match kind {
        IdKind::Issue | IdKind::Plan | IdKind::Execution | IdKind::Record => {
            match indexed(session, kind, begin)? {
                Some(found) => found,
                None => in_tree(&snapshot, kind, begin)?,
            }
        }
        IdKind::Queue => queues(&snapshot)?
            .into_iter()
            .map(|queue| KnownId::new(&queue.queue.id, queue.queue.name.unwrap_or_default()))
            .collect(),
        IdKind::Item => items(&snapshot)?,
        IdKind::Task => tasks(session, &snapshot, before)?,
        IdKind::Run => {
            records::run_ids(&snapshot)?.into_iter().rev().map(|id| KnownId::new(&id, "")).collect()
        }
        IdKind::Roadmap => roadmaps(&snapshot)?,
        IdKind::Wisdom => wisdom(&snapshot)?,
        IdKind::Agent => {
            let agents = work::agents(session)?.view.into_iter();
            agents.map(|agent| KnownId::new(&agent.name, agent.about.unwrap_or_default())).collect()
        }
    };
    found.retain_mut(|known| {
        if !begins(&known.id, begin) {
            known.id = short(&known.id).to_owned();
        }
        begins(&known.id, begin)
    });
    found.truncate(MOST);
    Ok(session.done(found, None))
}

/// Reads the ids from the index; `None` if that would take long.
fn indexed(session: &Session, kind: IdKind, begin: &str) -> Result<Option<Vec<KnownId>>, Refusal> {
    let Some(index) = index::at_hand(session.store(), Use::IfQuick, &mut |_, _, _| {})? else {
        return Ok(None);
    };
    let mut found = Vec::new();
    if matches!(kind, IdKind::Issue | IdKind::Record) {
        found.extend(index.issues_that_begin(begin, MOST)?);
    }
    if matches!(kind, IdKind::Plan | IdKind::Record) {
        found.extend(index.plans_that_begin(begin, MOST)?);
    }
    if kind == IdKind::Execution {
        found.extend(index.executions_that_begin(begin, MOST)?);
    }
    Ok(Some(found.into_iter().map(|(id, title)| KnownId { id, title }).collect()))
}

/// Reads the ids from the tree.
fn in_tree(snapshot: &Snapshot<'_>, kind: IdKind, begin: &str) -> Result<Vec<KnownId>, Refusal> {
    let issues = records::issue_ids(snapshot)?;
    let mut found = Vec::new();
    let is_fitting = |id: &str| begins(id, begin) || begins(short(id), begin);
    if matches!(kind, IdKind::Issue | IdKind::Record) {
        let fitting = issues.iter().filter(|id| is_fitting(id.as_str())).take(MOST);
        found.extend(fitting.map(|id| (id.to_string(), id)));
    }
    let (mark, is_plan) = match kind {
        IdKind::Execution => ("EXR-", false),
        _ => ("SOL-", true),
    };
    let can_be_short = !begin.contains('-') && found.is_empty();
    if kind != IdKind::Issue && (begins(begin, mark) || begins(mark, begin) || can_be_short) {
        // The id of the issue follows, except in the short form.
        let of_issue = if begins(begin, mark) { begin.get(mark.len()..).unwrap_or_default() } else { "" };
        for issue in issues
            .iter()
            .filter(|id| begins(id.as_str(), of_issue) || begins(of_issue, id.as_str()))
            .take(MOST_SEARCHED)
        {
            let ids: Vec<String> = if is_plan {
                records::solution_ids(snapshot, issue)?.iter().map(ToString::to_string).collect()
            } else {
                records::execution_ids(snapshot, issue)?.iter().map(ToString::to_string).collect()
            };
            found.extend(ids.into_iter().filter(|id| is_fitting(id)).map(|id| (id, issue)));
            if found.len() >= MOST {
                break;
            }
        }
    }
    Ok(found
        .into_iter()
        .enumerate()
        .map(|(n, (id, issue))| {
            let title = if n < MOST_READ {
                records::outline(snapshot, issue).ok().flatten().map(|outline| outline.issue.record.title)
            } else {
                // With this many candidates, titles do not help: the user types on.
                None
            };
            KnownId { id, title: title.unwrap_or_default() }
        })
        .collect())
}

/// The queues that are not archived, in order, without their items.
fn queues(snapshot: &Snapshot<'_>) -> Result<Vec<QueueFolder>, Refusal> {
    let mut queues = Vec::new();
    for id in records::queue_ids(snapshot)? {
        queues.extend(records::queue_head(snapshot, &id)?);
    }
    queues.retain(|queue| queue.queue.status != QueueDecision::Archived);
    QueueFolder::sort(&mut queues);
    Ok(queues)
}

/// If there is only one active queue, the number of an item is enough. The items of a queue that is too long to be read
/// are listed by their issues.
fn items(snapshot: &Snapshot<'_>) -> Result<Vec<KnownId>, Refusal> {
    let mut queues = queues(snapshot)?;
    queues.retain(|queue| queue.queue.status == QueueDecision::Active);
    let is_alone = queues.len() == 1;
    let mut found = Vec::new();
    for queue in queues {
        let id = queue.queue.id;
        let mut plans = Vec::new();
        for fan in snapshot.names(&layout::items(&id))? {
            plans.extend(snapshot.names(&format!("{}/{fan}", layout::items(&id)))?);
            if plans.len() > MOST {
                break;
            }
        }
        if plans.len() > MOST {
            let plans = plans.iter().filter_map(|name| SolutionId::parse(name.strip_suffix(".json")?).ok());
            found.extend(plans.map(|plan| KnownId::new(&plan.issue(), "")));
            continue;
        }
        for item in records::queue(snapshot, &id)?.into_iter().flat_map(|queue| queue.items) {
            if item.is_removed() {
                continue;
            }
            let name = if is_alone { item.item_id.to_string() } else { format!("{id}:{}", item.item_id) };
            found.push(KnownId::new(&name, item.issue_id.as_str()));
        }
    }
    Ok(found)
}

/// The tasks of the last plan or issue among `before`; without one, of the plan that this worktree executes.
fn tasks(session: &Session, snapshot: &Snapshot<'_>, before: &[String]) -> Result<Vec<KnownId>, Refusal> {
    let mut plan = None;
    for word in before.iter().rev() {
        if let Ok(id) = SolutionId::parse(word) {
            plan = records::solution(snapshot, &id)?;
        } else if let Ok(id) = IssueId::parse(word)
            && let Some(folder) = records::outline(snapshot, &id)?
            && let Some(bound) = folder.issue.record.bound_solution_id
        {
            plan = records::solution(snapshot, &bound)?;
        }
        if plan.is_some() {
            break;
        }
    }
    if plan.is_none()
        && let Some(active) = active::read(session.store())?
    {
        plan = records::solution(snapshot, &active.solution_id)?;
    }
    let tasks = plan.into_iter().flat_map(|plan| plan.typed_plan().tasks);
    Ok(tasks.map(|task| KnownId::new(&task.id, task.title)).collect())
}

/// By when they were made; the words of the title come before the date in an id.
fn roadmaps(snapshot: &Snapshot<'_>) -> Result<Vec<KnownId>, Refusal> {
    let mut found = Vec::new();
    for id in records::roadmap_ids(snapshot)? {
        // A roadmap that cannot be read is still listed.
        let record = records::roadmap(snapshot, &id).ok().flatten().map(|roadmap| roadmap.roadmap.record);
        let made = record.as_ref().map(|record| record.created_at);
        found.push((made, KnownId::new(&id, record.map(|record| record.title).unwrap_or_default())));
    }
    found.sort_by_key(|(made, _)| std::cmp::Reverse(*made));
    Ok(found.into_iter().map(|(_, known)| known).collect())
}

fn wisdom(snapshot: &Snapshot<'_>) -> Result<Vec<KnownId>, Refusal> {
    let names = snapshot.names(&layout::wisdom())?;
    if names.len() > MOST {
        let ids = names.iter().rev().filter_map(|name| name.strip_suffix(".json"));
        return Ok(ids.map(|id| KnownId::new(&id, "")).collect());
    }
    let all = records::wisdom(snapshot, &mut Vec::new())?;
    Ok(all.into_iter().rev().map(|wisdom| KnownId::new(&wisdom.id, wisdom.text)).collect())
}
