//! From commits to their tasks, plans and issues, and from an issue to its commits.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::trace_view::{CarriesOut, Queued, TraceView, TracedCommit, TracedIssue};
use crate::index::{Index, IndexError, Needs};
use crate::model::{
    Code, CommitHash, CommitLink, ExecutionId, IssueId, IssueStatus, MadeBy, Other, Provenance, RemedyCall,
};
use crate::ops::issues::{Override, existing};
use crate::ops::queue::{ItemAnswer, QueueWorld};
use crate::ops::{Answer, Refusal, Session, unreached};
use crate::rules::readiness::in_order;
use crate::rules::undoing::undoing;
use crate::rules::{ExecutionFolder, IssueFolder, Undoing};
use crate::store::{KnownRecord, ResolveError, Snapshot, Store, records};
use crate::trail::provenance::Provenances;
use crate::trail::reach::Unreached;
use crate::trail::trace::{CommitFacts, commit, commit_facts, issues_of, range};
use crate::trail::{active, landed};

/// The object of a trace, and what was found.
struct TraceHits {
    query: String,
    commit: Option<CommitFacts>,
    commits: Option<Vec<TracedCommit>>,
    issues: Vec<Traced>,
}

/// An issue, with its executions that link what was asked for.
struct Traced {
    folder: IssueFolder,
    links: Vec<ExecutionId>,
}

impl Traced {
    fn without_links(folder: IssueFolder) -> Self {
        Self { folder, links: vec![] }
    }
}

/// What is traced unless something is named: the issue that this worktree executes, else HEAD.
///
/// # Errors
/// Any error from reading the claim.
pub(crate) fn own(session: &Session) -> Result<String, Refusal> {
    let active = active::read(session.store())?;
    Ok(active.map_or_else(|| "HEAD".to_owned(), |active| active.issue_id.to_string()))
}

/// Follows commits to their tasks, plans and issues, or an issue to its commits: `of` is an id, a commit, a range, or a
/// branch, for its commits that the main branch lacks. `with_items` includes items with everything derived from their
/// queues, instead of their status alone.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `usage` for something that cannot be traced.
pub(crate) fn trace(session: &Session, of: &str, with_items: bool) -> Answer<TraceView> {
    let store = session.store();
    let index = session.index(Needs::LOG)?;
    let TraceHits { query, commit, commits, issues: found } = find(store, &index, of)?;
    let unreached = unreached_in(
        session,
        &found,
        commit.iter().chain(commits.iter().flatten().map(|commit| &commit.commit)),
    );
    let linked_by = found.iter().flat_map(|issue| issue.links.clone());
    let linked_by = if commit.is_some() { linked_by.collect() } else { vec![] };
    let mut issues: Vec<TracedIssue> =
        found.iter().map(|issue| TracedIssue::new(store, &issue.folder, &unreached)).collect();
    if let Some(world) = world(&found, &index, with_items)? {
        if with_items {
            add_items(&mut issues, &world);
        } else {
            add_queued(&mut issues, &world);
        }
    }
    let target = landed::refresh(store, &index)?;
    for traced in &mut issues {
        if target.is_some() && traced.issue.derived.status == IssueStatus::Completed {
            let proof = index.landing_of(&traced.issue.issue.id)?;
            traced.issue.derived.landed = proof.map(|proof| proof.landed);
        }
        traced.overrides = Override::about(&index, &traced.issue.issue.id)?;
    }
    let provenance = provenance(store, &found);
    Ok(session.done(TraceView { query, commit, linked_by, commits, issues, provenance, unreached }, None))
}

/// What other tools recorded about the commits of these issues. A commit that is not here has nothing to say.
fn provenance(store: &Store, issues: &[Traced]) -> BTreeMap<CommitHash, Vec<Provenance>> {
    let provenances = Provenances::find(store);
    let mut found = BTreeMap::new();
    for linked in issues.iter().flat_map(|issue| &issue.folder.executions).flat_map(ExecutionFolder::commits)
    {
        let hash = linked.link.hash;
        let Some(id) = store.commit_here(&hash) else { continue };
        if let Ok((facts, _)) = commit_facts(store, &provenances, id)
            && !facts.provenance.is_empty()
        {
            found.insert(hash, facts.provenance);
        }
    }
    found
}

fn unreached_in<'a>(
    session: &Session,
    issues: &'a [Traced],
    asked: impl Iterator<Item = &'a CommitFacts>,
) -> Unreached {
    let executions = issues.iter().flat_map(|issue| &issue.folder.executions);
    let linked = executions.flat_map(ExecutionFolder::known_commits);
    unreached(session, linked.chain(asked.map(|commit| &commit.hash)))
}

/// An id of the store takes precedence over a revision of git: ids are longer and unambiguous.
fn find(store: &Store, index: &Index<'_>, text: &str) -> Result<TraceHits, Refusal> {
    let snapshot = index.snapshot()?;
    // An id never contains two dots.
    if text.contains("..") {
        return of_commits(index, text, range(store, text)?.unwrap_or_default());
    }
    match index.resolve(text)? {
        Ok(known) => of_id(&snapshot, &known, text),
        Err(ResolveError::Store(error)) => Err(error.into()),
        Err(other) => {
            if let Some(commits) = range(store, text)? {
                return of_commits(index, text, commits);
            }
            match commit(store, text)? {
                Some(commit) => of_commit(index, commit),
                None if matches!(other, ResolveError::Ambiguous { .. }) => Err(other.into()),
                None => Err(Refusal::new(Code::NotFound, format!("`{text}` is neither an id nor a commit"))
                    .remedy(
                        RemedyCall::from(Other::List).flag("all"),
                        "shows the issues; `git log --oneline` shows the commits",
                    )
                    .remedy(
                        RemedyCall::new(Other::Why, ["FILE"]),
                        "shows where the lines of a file come from",
                    )),
            }
        }
    }
}

/// The data that the state of the items depends on; `None` if no item will be shown. With `in_full`, or if many issues
/// are shown, covers all queues; otherwise only the items of these issues.
fn world(found: &[Traced], index: &Index<'_>, in_full: bool) -> Result<Option<QueueWorld>, IndexError> {
    /// Up to this many issues are read one by one, with their dependencies.
    const FEW: usize = 32;
    let mut issues = Vec::new();
    for issue in found {
        let id = &issue.folder.issue.record.id;
        if index.has_items(id)? {
            issues.push(id.clone());
        }
    }
    if issues.is_empty() {
        return Ok(None);
    }
    if !in_full
        && issues.len() <= FEW
        && let Some(known) = index.items_of(&index.queue_heads()?, issues)?
    {
        return Ok(Some(known));
    }
    index.queues().map(Some)
}

/// Adds the items of the issues, complete.
fn add_items(issues: &mut [TracedIssue], world: &QueueWorld) {
    let views = world.views();
    for view in &views {
        for item in &view.items {
            let item = ItemAnswer::new(&view.queue.id, views.len(), item);
            issues
                .iter_mut()
                .filter(|issue| issue.issue.issue.id == item.item.issue_id)
                .for_each(|issue| issue.items.push(item.clone()));
        }
    }
}

/// Adds the status of the issues' items. The text output shows nothing else about an item, and deriving the rest in a
/// long queue would double the time.
fn add_queued(issues: &mut [TracedIssue], world: &QueueWorld) {
    let mut places: HashMap<IssueId, usize> = HashMap::new();
    for (n, traced) in issues.iter().enumerate() {
        places.insert(traced.issue.issue.id.clone(), n);
    }
    for queue in in_order(&world.queues, &world.facts, &world.policy) {
        for (at, item) in queue.items().iter().enumerate() {
            let Some(n) = places.get(&item.issue_id) else { continue };
            issues[*n].queued.push(Queued {
                queue_id: queue.queue().id.clone(),
                item_id: item.item_id.clone(),
                solution_id: item.solution_id.clone(),
                status: queue.state(at).0,
            });
        }
    }
}

fn of_id(snapshot: &Snapshot<'_>, known: &KnownRecord, text: &str) -> Result<TraceHits, Refusal> {
    let mut found = TraceHits { query: text.to_owned(), commit: None, commits: None, issues: Vec::new() };
    if let Some(issue) = known.issue() {
        found.issues.push(Traced::without_links(existing(snapshot, &issue)?));
        return Ok(found);
    }
    if let KnownRecord::Roadmap(id) = known {
        let folder = records::roadmap(snapshot, id)?;
        for issue in folder.into_iter().flat_map(|folder| folder.roadmap.record.issue_ids) {
            found.issues.extend(records::issue(snapshot, &issue)?.map(Traced::without_links));
        }
        found.query = id.to_string();
        return Ok(found);
    }
    let KnownRecord::Queue(queue) = known else {
        return Err(Refusal::usage(format!("`{text}` cannot be traced")).hint(
            "trace an issue, a plan, an execution, an item, a queue, a roadmap, a commit, a branch or a range",
        ));
    };
    let folder = records::queue(snapshot, queue)?;
    for item in folder.iter().flat_map(|queue| &queue.items).filter(|item| !item.is_removed()) {
        let folder = records::issue(snapshot, &item.issue_id)?;
        found.issues.extend(folder.map(Traced::without_links));
    }
    found.query = queue.to_string();
    Ok(found)
}

fn of_commit(index: &Index<'_>, commit: CommitFacts) -> Result<TraceHits, Refusal> {
    let issues = issues_of(index, &commit.hash)?.into_iter();
    let issues = issues.map(|(folder, links)| Traced { folder, links }).collect();
    Ok(TraceHits { query: commit.hash.to_string(), commit: Some(commit), commits: None, issues })
}

fn of_commits(index: &Index<'_>, text: &str, commits: Vec<CommitFacts>) -> Result<TraceHits, Refusal> {
    let snapshot = index.snapshot()?;
    let mut issues: Vec<Traced> = Vec::new();
    let mut places: HashMap<IssueId, usize> = HashMap::new();
    let mut known: HashMap<ExecutionId, OfExecution> = HashMap::new();
    let mut listed = Vec::new();
    for commit in commits {
        let mut carries_out = Vec::new();
        for (issue, execution) in index.executions_of(&commit.hash)? {
            let at = match places.get(&issue) {
                Some(at) => *at,
                None => {
                    let Some(folder) = records::issue(&snapshot, &issue)? else { continue };
                    for execution in &folder.executions {
                        known.insert(execution.execution.id.clone(), OfExecution::new(execution));
                    }
                    places.insert(issue, issues.len());
                    issues.push(Traced::without_links(folder));
                    issues.len() - 1
                }
            };
            carries_out.extend(carried_out(
                &issues[at].folder,
                &execution,
                &commit.hash,
                known.get(&execution),
            ));
            if !issues[at].links.contains(&execution) {
                issues[at].links.push(execution);
            }
        }
        listed.push(TracedCommit { commit, carries_out });
    }
    Ok(TraceHits { query: text.to_owned(), commit: None, commits: Some(listed), issues })
}

/// The commits of an execution, by their hashes.
struct OfExecution {
    links: HashMap<CommitHash, Arc<CommitLink>>,
    agents: HashMap<CommitHash, MadeBy>,
}

impl OfExecution {
    fn new(folder: &ExecutionFolder) -> Self {
        Self { links: folder.links_by_hash(), agents: folder.agents_by_hash() }
    }
}

/// How the commit with this hash relates to an execution.
fn carried_out(
    folder: &IssueFolder,
    id: &ExecutionId,
    hash: &CommitHash,
    known: Option<&OfExecution>,
) -> Option<CarriesOut> {
    let execution = folder.executions.iter().find(|execution| execution.execution.id == *id)?;
    let find = |hash: &CommitHash| known?.links.get(hash).map(Arc::as_ref);
    let link = find(hash);
    let (reverts, reapplies) = Undoing::split(link.map(|link| undoing(link, find)).unwrap_or_default());
    Some(CarriesOut {
        issue_id: folder.issue.record.id.clone(),
        solution_id: execution.execution.solution_id.clone(),
        task_id: link.and_then(|link| link.task_id.clone()),
        other_task_ids: link.map(|link| link.other_task_ids.clone()).unwrap_or_default(),
        execution_id: id.clone(),
        made_by: known.and_then(|known| known.agents.get(hash)).cloned(),
        reverts,
        reapplies,
    })
}
