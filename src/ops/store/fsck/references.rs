//! Checks references between records.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::history::CheckedHistory;
use super::{Findings, FsckSeverity, roadmaps, runs, sources, versions};
use crate::gate::received::MOST_TRACED;
use crate::git::ObjectId;
use crate::index::Refreshing;
use crate::model::{
    EntryId, Execution, ExecutionId, ISSUE, IssueId, Op, Remedy, RemedyCall, SOLUTION, Solution, SolutionId,
    Stamp,
};
use crate::rules::{IssueFolder, QueueFolder, Relations, dag, facts, plan_check, review};
use crate::store::{ReadState, Redactions, Snapshot, Store, StoreError, layout, object_id, records};
use crate::trail::claimed::{self, ClaimLookup};

/// Checks all references of the newest state; `known` is its history.
pub(super) fn check(
    store: &Store,
    snapshot: &Snapshot<'_>,
    known: &CheckedHistory,
    found: &mut Findings,
    watch: Refreshing<'_>,
) -> Result<(), StoreError> {
    let ids: BTreeSet<IssueId> = records::issue_ids(snapshot)?.into_iter().collect();
    let mut edges: BTreeMap<IssueId, Vec<IssueId>> = BTreeMap::new();
    let mut related = Relations::default();
    let mut comments = Vec::new();
    for (n, id) in ids.iter().enumerate() {
        watch("checking references", n, Some(ids.len()));
        check_orphans(snapshot, id, found)?;
        // An unreadable record was reported when its file was checked.
        let folder = match records::issue(snapshot, id) {
            Ok(Some(folder)) => folder,
            Ok(None) | Err(StoreError::Broken { .. }) => continue,
            Err(error) => return Err(error),
        };
        check_issue(snapshot, &folder, &ids, found)?;
        sources::check(snapshot, id, found)?;
        comments.extend(versions::partly_hidden(snapshot, id)?);
        for execution in folder.executions.iter().map(|execution| &execution.execution) {
            check_plan_commit(store, snapshot, execution, known, found)?;
        }
        let record = &folder.issue.record;
        // Nobody waits for an issue that is over, so no cycle leads through it.
        if !facts::status(&folder).frees_dependents() {
            edges.insert(id.clone(), record.depends_on.iter().cloned().collect());
        }
        related.add(record);
    }
    for cycle in related.cycles() {
        found.error_with(&layout::issue(&cycle.issues()[0]), cycle.to_string(), cycle.remedy());
    }
    versions::check(store, snapshot, &comments, found)?;
    for cycle in dag::cycle_of_each_part(&edges) {
        let drawn = cycle.iter().map(IssueId::as_str).collect::<Vec<_>>().join(" → ");
        let next = cycle.get(1).unwrap_or(&cycle[0]);
        let edit = RemedyCall::new(Op::Edit, [&cycle[0]]).option("depends-on", format!("-{next}"));
        let remedy = Remedy::call(edit, "removes a dependency");
        let (path, what) = (layout::issue(&cycle[0]), format!("dependency cycle: {drawn}"));
        let severity = if is_of_source(snapshot, &cycle)? { FsckSeverity::Note } else { FsckSeverity::Error };
        found.add_with(severity, &path, None, what, Some(remedy));
    }
    for id in records::queue_ids(snapshot)? {
        match records::queue(snapshot, &id) {
            Ok(Some(queue)) => check_queue(snapshot, &queue, found)?,
            Ok(None) => found.error(&layout::queue(&id), "missing, although its directory exists"),
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    runs::check(snapshot, &ids, found)?;
    roadmaps::check(snapshot, &ids, found)
}

/// Whether every dependency of a cycle is as a source has it.
fn is_of_source(snapshot: &Snapshot<'_>, cycle: &[IssueId]) -> Result<bool, StoreError> {
    for edge in cycle.windows(2) {
        let doc = records::doc(snapshot, &ISSUE, &layout::issue(&edge[0]))?;
        let key = format!("depends_on/{}", edge[1]);
        if !doc.is_some_and(|doc| doc.stamp(&key).is_some_and(Stamp::is_import)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reports directories without their record: nothing shows the plans, logs and comments in them.
fn check_orphans(snapshot: &Snapshot<'_>, issue: &IssueId, found: &mut Findings) -> Result<(), StoreError> {
    let mut records = vec![layout::issue(issue)];
    records.extend(records::solution_ids(snapshot, issue)?.iter().map(layout::solution));
    records.extend(records::execution_ids(snapshot, issue)?.iter().map(layout::execution));
    for path in records {
        if snapshot.entry(&path)?.is_none() {
            found.error(&path, "missing, although its directory exists");
        }
    }
    Ok(())
}

fn check_issue(
    snapshot: &Snapshot<'_>,
    folder: &IssueFolder,
    ids: &BTreeSet<IssueId>,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let issue = &folder.issue.record;
    let path = layout::issue(&issue.id);
    for other in issue.depends_on.iter().filter(|other| !ids.contains(other)) {
        found.note(&path, format!("depends on `{other}`, which is missing"));
    }
    if let Some(bound) = issue.bound_solution_id.as_ref().filter(|id| folder.solution(id).is_none()) {
        let what = format!("is bound to `{bound}`, which is missing or unreadable");
        let bind = RemedyCall::new(Op::Bind, [issue.id.as_str(), "PLAN"]);
        found.error_with(&path, what, Remedy::call(bind, "binds another"));
    }
    check_plans(snapshot, folder, found)?;
    check_reviews(folder, found);
    check_executions(folder, found);
    Ok(())
}

fn check_plans(
    snapshot: &Snapshot<'_>,
    folder: &IssueFolder,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let issue = &folder.issue.record.id;
    for solution in folder.solutions.iter().map(|solution| &solution.record) {
        let path = layout::solution(&solution.id);
        if solution.issue_id != *issue {
            let what = format!("names issue `{}`, but is in the directory of `{issue}`", solution.issue_id);
            found.error(&path, what);
        }
        // The plan as it is stored, before redactions.
        let stored = stored_plan(snapshot, &solution.id, snapshot)?;
        if matches!(stored, Stored::Purged) {
            continue;
        }
        let plan = stored.plan().unwrap_or_else(|| solution.clone()).plan;
        // A plan is imported as its source has it; nothing can bind it until it is mended.
        let is_imported = records::doc(snapshot, &SOLUTION, &path)?
            .is_some_and(|doc| doc.birth().is_some_and(Stamp::is_import));
        let severity = if is_imported { FsckSeverity::Note } else { FsckSeverity::Error };
        for finding in plan_check::check(&plan, None).err().unwrap_or_default() {
            found.add(severity, &path, None, format!("plan: {finding}"));
        }
    }
    Ok(())
}

fn check_reviews(folder: &IssueFolder, found: &mut Findings) {
    for (solution, review) in
        folder.reviews.iter().flat_map(|(id, all)| all.iter().map(move |review| (id, review)))
    {
        let path = layout::entry(&layout::reviews(solution), &review.id);
        let total = review.scores.total();
        if review.total != total {
            found.error(&path, format!("its total is {}, but its scores add up to {total}", review.total));
        }
        let counts = review::verdict(review);
        if review.verdict != counts {
            found.error(
                &path,
                format!("its verdict is {}, but its scores give {counts}, which counts", review.verdict),
            );
        }
    }
}

fn check_executions(folder: &IssueFolder, found: &mut Findings) {
    let issue = &folder.issue.record.id;
    let attempts: HashSet<&ExecutionId> =
        folder.executions.iter().map(|execution| &execution.execution.id).collect();
    for execution in folder.executions.iter().map(|execution| &execution.execution) {
        let path = layout::execution(&execution.id);
        if execution.issue_id != *issue || execution.solution_id.issue() != *issue {
            let what = format!(
                "names `{}` and `{}`, but is in the directory of `{issue}`",
                execution.issue_id, execution.solution_id
            );
            found.error(&path, what);
        } else if folder.solution(&execution.solution_id).is_none() {
            found.note(&path, format!("its plan `{}` is missing or unreadable", execution.solution_id));
        }
        for earlier in &execution.supersedes {
            if !attempts.contains(&earlier.execution_id) {
                found.note(&path, format!("supersedes `{}`, which is missing", earlier.execution_id));
            }
        }
    }
}

/// Checks that the claim names a commit of the ref that holds its plan, so that the plan can always be read.
fn check_plan_commit(
    store: &Store,
    now: &Snapshot<'_>,
    execution: &Execution,
    known: &CheckedHistory,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let path = layout::execution(&execution.id);
    let name = &execution.plan_commit;
    // An import writes plan and claim in one commit, which cannot name itself.
    if execution.is_imported() && name.as_str().bytes().all(|digit| digit == b'0') {
        return match claimed::stored_plan(store, now, execution)? {
            ClaimLookup::Plan(_) | ClaimLookup::Unreadable => Ok(()),
            ClaimLookup::NotThere => {
                let what = format!("no commit of this history holds the plan `{}`", execution.plan_digest);
                found.brought(store, now, &path, &what)
            }
        };
    }
    let Some(commit) = object_id(name).filter(|id| known.commits.contains(id)) else {
        let what = format!("its plan_commit `{name}` is not a commit of this history");
        if known.is_cut {
            return Ok(());
        }
        if known.is_rewritten || is_imported(store, now, &path, &known.imports)? {
            found.note(&path, format!("{what}, which a tool rewrote or an import left out"));
            return Ok(());
        }
        return found.brought(store, now, &path, &what);
    };
    let Some(state) = store.state_at(commit)? else { return Ok(()) };
    let stored = stored_plan(&state, &execution.solution_id, now)?;
    if matches!(stored, Stored::Purged) {
        return Ok(());
    }
    let digest = stored.plan().map(|plan| plan.plan_digest());
    if digest.as_ref() != Some(&execution.plan_digest) {
        let has = digest.map_or("no such plan".to_owned(), |digest| format!("the plan `{digest}`"));
        let what = format!("its plan_commit `{name}` holds {has}, not `{}`", execution.plan_digest);
        return found.brought(store, now, &path, &what);
    }
    Ok(())
}

/// Whether the current file is as one of these imports brought it.
fn is_imported(
    store: &Store,
    now: &Snapshot<'_>,
    path: &str,
    imports: &[ObjectId],
) -> Result<bool, StoreError> {
    let entry = now.entry(path)?;
    for import in imports {
        if let Some(state) = store.state_at(*import)?
            && state.entry(path)? == entry
        {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Findings {
    /// Reports an error with the commit that wrote the current file.
    fn brought(
        &mut self,
        store: &Store,
        now: &Snapshot<'_>,
        path: &str,
        what: &str,
    ) -> Result<(), StoreError> {
        self.traced += 1;
        // If the history cannot be walked, that was reported when its commits were checked.
        let by = match self.traced {
            ..=MOST_TRACED => store.commits_between(None, now.commit()).ok(),
            _ => None,
        };
        let commit = by.map(|steps| store.introducing_commit(&steps, now, path)).transpose()?.flatten();
        let what = match commit {
            Some(commit) => format!("{what}; {} wrote it", store.step(commit)?.author),
            None => what.to_owned(),
        };
        let remedy = "no repair can restore it, since only its author knows what it was; the plan is found by its digest \
                      wherever it is";
        self.add_with(FsckSeverity::Error, path, commit, what, Some(Remedy::words(remedy)));
        Ok(())
    }
}

/// A plan as it is stored.
enum Stored {
    /// There is no readable plan.
    None,
    /// Its text was purged from the history, so neither its digest nor its tasks can be checked.
    Purged,
    /// The plan as it was written.
    Plan(Box<Solution>),
}

impl Stored {
    fn plan(self) -> Option<Solution> {
        if let Self::Plan(plan) = self { Some(*plan) } else { None }
    }
}

/// The plan in a state, with the redactions of `now` applied.
fn stored_plan(state: &Snapshot<'_>, id: &SolutionId, now: &Snapshot<'_>) -> Result<Stored, StoreError> {
    let path = layout::solution(id);
    let doc = match records::doc(state, &SOLUTION, &path) {
        Err(StoreError::Broken { .. }) => None,
        other => other?,
    };
    let Some(doc) = doc else { return Ok(Stored::None) };
    if Redactions::at(now, &path)?.is_purged(&path, &doc) {
        return Ok(Stored::Purged);
    }
    Ok(doc.read().map_or(Stored::None, |plan| Stored::Plan(Box::new(plan))))
}

fn check_queue(snapshot: &Snapshot<'_>, queue: &QueueFolder, found: &mut Findings) -> Result<(), StoreError> {
    let id = &queue.queue.id;
    let mut numbers: BTreeMap<&str, &SolutionId> = BTreeMap::new();
    let mut edges: BTreeMap<SolutionId, Vec<SolutionId>> = BTreeMap::new();
    for item in &queue.items {
        let path = layout::item(id, &item.solution_id);
        if item.issue_id != item.solution_id.issue() {
            found.error(&path, format!("names issue `{}`, but its plan belongs to another", item.issue_id));
        } else if snapshot.file(&layout::solution(&item.solution_id))?.is_none() {
            found.note(
                &path,
                format!("its plan `{}` is missing; another clone may have it", item.solution_id),
            );
        }
        if item.is_removed() {
            continue;
        }
        if let Some(other) = numbers.insert(item.item_id.as_str(), &item.solution_id) {
            let (number, plan) = (&item.item_id, &item.solution_id);
            let what = format!(
                "`{number}` is also the number of `{other}`, which another clone added: name each by its plan, or remove one \
                 and add it again"
            );
            let remove = Remedy::call(RemedyCall::new(Op::QueueRemove, [plan]), "removes this one");
            found.add_with(FsckSeverity::Note, &path, None, what, Some(remove));
        }
        edges.insert(item.solution_id.clone(), item.depends_on.iter().cloned().collect());
    }
    check_queue_conflicts(queue, found);
    for cycle in dag::cycle_of_each_part(&edges) {
        let drawn = cycle.iter().map(SolutionId::as_str).collect::<Vec<_>>().join(" → ");
        found.error(&layout::item(id, &cycle[0]), format!("dependency cycle: {drawn}"));
    }
    Ok(())
}

fn check_queue_conflicts(queue: &QueueFolder, found: &mut Findings) {
    let folder = layout::queue_conflicts(&queue.queue.id);
    let items: HashSet<&SolutionId> = queue.items.iter().map(|item| &item.solution_id).collect();
    let known: HashSet<&EntryId> = queue.conflicts.iter().map(|conflict| &conflict.id).collect();
    for conflict in &queue.conflicts {
        let path = layout::entry(&folder, &conflict.id);
        for solution in &conflict.solutions {
            if !items.contains(solution) {
                found.note(&path, format!("names `{solution}`, which is not an item of this queue"));
            }
        }
        if conflict.resolution_order.iter().any(|solution| !conflict.solutions.contains(solution)) {
            found.error(&path, "its order names a plan that is not part of the conflict");
        }
        if let Some(earlier) = &conflict.resolves {
            if *earlier >= conflict.id {
                found.error(&path, format!("resolves `{earlier}`, which is not earlier"));
            } else if !known.contains(earlier) {
                found.note(&path, format!("resolves `{earlier}`, which is missing"));
            }
        }
    }
}
