//! Finds commits that no hook saw: made while the program was missing, squashed by a forge, applied from a mail,
//! rebased without hooks, or made on another machine. They are recognized by their trailers and by git's patch id.

mod by_issue;
mod earlier;
mod patches;
mod replaced;
mod split;
mod squash;

use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::by_issue::AmbiguousCommit;
use self::patches::PatchIndex;
use super::links::{files, link, solutions, tasks};
use super::sources::Sources;
use super::trailers;
use crate::git::{ObjectId, Revisions};
use crate::model::{
    Branch, CommitHash, Event, ExecutionId, IssueId, LinkedBy, Rewrite, SolutionId, TaskId, Time,
};
use crate::rules::ExecutionFolder;
use crate::store::{CodeCommit, ReadState, Store, StoreError, Tx, object_id, records};

/// Clocks differ: a commit may seem to be this many milliseconds older than its claim.
const SKEW: i64 = 24 * 60 * 60 * 1000;

/// What shows that a commit belongs to an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RelinkEvidence {
    /// Its trailers name the plan.
    Trailers,
    /// Its trailers name the issue, and only this execution of the issue fits.
    Issue,
    /// Its message says that it reverts, copies or squashes commits of the execution.
    Message,
    /// It makes the same change as a commit that is linked.
    Patch,
    /// It makes the same change as all commits of the execution together.
    WholePatch,
    /// It is an earlier version of a linked commit that no branch has any more.
    Earlier,
    /// It is linked, and holds the changes of linked commits that no branch has any more.
    Squash,
    /// With the commits beside it, it makes the same change as a linked one, which no branch has any more.
    Split,
}

#[serde_with::skip_serializing_none]
/// A commit that is not linked and should be.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct UnlinkedCommit {
    /// The full object id.
    pub(crate) commit: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The task, if it is known.
    pub(crate) task_id: Option<TaskId>,
    /// Its other tasks, if it belongs to several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) other_task_ids: Vec<TaskId>,
    /// What shows that it belongs there.
    pub(crate) shown_by: RelinkEvidence,
    /// The commits of the execution that it reverts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reverts: Vec<CommitHash>,
    /// The linked commit that it replaces and that no branch has any more.
    pub(crate) replaces: Option<CommitHash>,
    /// The other linked commits that it replaces, if it is a squash of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also_replaces: Vec<CommitHash>,
}

impl UnlinkedCommit {
    /// Its tasks.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &TaskId> {
        self.task_id.iter().chain(&self.other_task_ids)
    }
}

/// The commits of a git range, oldest first; without one, of all branches and HEAD. None if git does not accept the
/// range.
pub(crate) fn commits(store: &Store, range: Option<&str>) -> Result<Option<Vec<CommitHash>>, StoreError> {
    let wanted = match range {
        Some(range) => Revisions::of(range),
        None => {
            let own = Branch::parse(store.reference());
            store.head()?.into_iter().fold(Revisions::none().and_own_branches(own.as_ref()), Revisions::and)
        }
    };
    let found = store.git().named_revisions(wanted.oldest_first())?.ok();
    Ok(found.map(|found| found.into_iter().map(CommitHash::from).collect()))
}

/// The result of [`lost`].
#[derive(Debug, Default)]
pub(crate) struct RelinkResult {
    /// Commits that belong to an execution, oldest first.
    pub(crate) links: Vec<UnlinkedCommit>,
    /// Commits that belong to an issue, but a person must say to which execution of it.
    pub(crate) undecided: Vec<AmbiguousCommit>,
    /// Commits that cannot be read, and so belong to nothing.
    pub(crate) unreadable: Vec<ObjectId>,
}

/// Every execution of the store, with the commits in its log.
struct Known {
    executions: Vec<ExecutionFolder>,
    of_issue: HashMap<IssueId, Vec<usize>>,
    /// The executions whose logs name a commit in any way, so that a removed link is not added again.
    naming: HashMap<CommitHash, Vec<usize>>,
}

impl Known {
    fn read(read: &impl ReadState) -> Result<Self, StoreError> {
        let mut executions = Vec::new();
        for issue in records::issue_ids(read)? {
            executions.extend(records::executions(read, &issue)?);
        }
        let mut naming: HashMap<CommitHash, Vec<usize>> = HashMap::new();
        let mut of_issue: HashMap<IssueId, Vec<usize>> = HashMap::new();
        for (n, execution) in executions.iter().enumerate() {
            of_issue.entry(execution.execution.issue_id.clone()).or_default().push(n);
            for hash in named(execution) {
                naming.entry(hash.clone()).or_default().push(n);
            }
        }
        Ok(Self { executions, of_issue, naming })
    }

    fn of_issue(&self, issue: &IssueId) -> &[usize] {
        self.of_issue.get(issue).map_or(&[], Vec::as_slice)
    }

    fn of_plan(&self, plan: &SolutionId) -> Vec<usize> {
        self.of_issue(&plan.issue())
            .iter()
            .copied()
            .filter(|n| self.executions[*n].execution.solution_id == *plan)
            .collect()
    }

    fn names(&self, hash: &str) -> &[usize] {
        self.naming.get(hash).map_or(&[], Vec::as_slice)
    }

    /// The execution of a commit that could belong to several: the last one that had started when the commit was
    /// authored.
    fn at(&self, of: impl Iterator<Item = usize>, authored: Time) -> Option<usize> {
        let of: Vec<usize> = of.collect();
        let key = |n: &usize| (self.executions[*n].execution.started_at, &self.executions[*n].execution.id);
        // Commits have whole seconds: one of the second in which an execution started may be its own.
        let second = authored.millis().div_euclid(1000);
        let begun = of.iter().filter(|n| key(n).0.millis().div_euclid(1000) <= second).max_by_key(|n| key(n));
        begun.or(of.iter().min_by_key(|n| key(n))).copied()
    }
}

/// Every commit that some execution links, or linked before it was rewritten.
pub(crate) fn linked(read: &impl ReadState) -> Result<HashSet<CommitHash>, StoreError> {
    let mut all = HashSet::new();
    for issue in records::issue_ids(read)? {
        for execution in records::executions(read, &issue)? {
            all.extend(execution.links_by_hash().into_keys());
        }
    }
    Ok(all)
}

/// The executions that link each commit, or linked it before it was rewritten.
pub(super) fn linking(read: &impl ReadState) -> Result<HashMap<CommitHash, Vec<ExecutionId>>, StoreError> {
    let mut all: HashMap<CommitHash, Vec<ExecutionId>> = HashMap::new();
    for issue in records::issue_ids(read)? {
        for execution in records::executions(read, &issue)? {
            for hash in execution.links_by_hash().into_keys() {
                all.entry(hash).or_default().push(execution.execution.id.clone());
            }
        }
    }
    Ok(all)
}

/// The commits that a log names.
fn named(execution: &ExecutionFolder) -> impl Iterator<Item = &CommitHash> {
    execution.log.iter().flat_map(|entry| match &entry.event {
        Event::Commit(link) => vec![&link.hash],
        Event::Rewrite(rewrite) => vec![&rewrite.old, &rewrite.new],
        Event::Unlink(unlink) => vec![&unlink.hash],
        _ => vec![],
    })
}

/// Those of `commits` (full ids, oldest first) that belong to an execution and that no log names. `at` hears how many were
/// looked at.
pub(crate) fn lost(
    store: &Store,
    read: &impl ReadState,
    commits: &[CommitHash],
    at: &mut dyn FnMut(u64),
) -> Result<RelinkResult, StoreError> {
    let known = Known::read(read)?;
    let sources = Sources::new(store, read);
    let mut found = Vec::new();
    let mut silent = Vec::new();
    let mut of_issues = Vec::new();
    let mut unreadable = Vec::new();
    let earliest = known.executions.iter().map(|execution| execution.execution.started_at.millis()).min();
    for (n, hash) in (0..).zip(commits) {
        at(n);
        let Some(id) = object_id(hash) else { continue };
        let Some(commit) = store.sound_commit(id)? else {
            unreadable.push(id);
            continue;
        };
        let trailers = trailers::parse(&commit.message);
        let named = solutions(read, &trailers)?;
        for solution in &named {
            let of_plan = known.of_plan(solution);
            if known.names(hash).iter().any(|n| of_plan.contains(n)) {
                continue;
            }
            if let Some(n) = known.at(of_plan.into_iter(), commit.authored_at) {
                let tasks = tasks(read, solution, &trailers, vec![], || files(store, &commit))?;
                found.push((n, lost_as(&known, n, &commit, tasks, RelinkEvidence::Trailers), commit.clone()));
            }
        }
        let mut is_stated = false;
        if named.is_empty() && known.names(hash).is_empty() {
            for source in sources.by_message(&commit.message, commit.parents.first().copied())? {
                let Some(n) = known
                    .executions
                    .iter()
                    .position(|execution| execution.execution.id == source.execution_id)
                else {
                    continue;
                };
                let mut unlinked = lost_as(&known, n, &commit, source.tasks, RelinkEvidence::Message);
                unlinked.reverts = source.reverts;
                found.push((n, unlinked, commit.clone()));
                is_stated = true;
            }
        }
        if !is_stated
            && named.is_empty()
            && commit.parents.len() < 2
            && known.names(hash).is_empty()
            && earliest.is_some_and(|at| committed(store, id) >= at - SKEW)
        {
            silent.push(commit.clone());
        }
        let issues = by_issue::issues(read, &trailers)?;
        of_issues.extend(issues.into_iter().map(|issue| (issue, commit.clone(), trailers.clone())));
    }
    let traced: Vec<_> = found
        .iter()
        .map(|(n, unlinked, _)| (*n, unlinked.commit.clone(), unlinked.tasks().cloned().collect()))
        .collect();
    let patches = PatchIndex::build(store, &known, traced, &silent)?;
    let mut left = Vec::new();
    for commit in silent {
        if let Some((n, tasks, shown_by, same)) = patches.find(&known, &commit) {
            let mut unlinked = lost_as(&known, n, &commit, tasks, shown_by);
            unlinked.replaces = same;
            found.push((n, unlinked, commit));
        } else {
            left.push(commit);
        }
    }
    let by_change = found.iter().filter(|(_, unlinked, _)| {
        matches!(unlinked.shown_by, RelinkEvidence::Patch | RelinkEvidence::WholePatch)
    });
    let same_change: HashSet<CommitHash> =
        by_change.map(|(_, unlinked, _)| unlinked.commit.clone()).collect();
    let mut undecided = Vec::new();
    for (issue, commit, trailers) in of_issues {
        let hash = CommitHash::from(commit.id);
        let is_known = known.names(&hash).iter().any(|n| known.of_issue(&issue).contains(n));
        // Its change is stronger evidence than its subject.
        if is_known || same_change.contains(&hash) {
            continue;
        }
        match by_issue::execution(read, &known, &issue, &commit)? {
            Some(n) => {
                let plan = &known.executions[n].execution.solution_id;
                let tasks = tasks(read, plan, &trailers, vec![], || files(store, &commit))?;
                found.push((n, lost_as(&known, n, &commit, tasks, RelinkEvidence::Issue), commit));
            }
            None => undecided.push(by_issue::undecided(&known, &issue, &commit)),
        }
    }
    replaced::find(store, &known, &mut found)?;
    split::find(store, read, &known, &left, &mut found)?;
    earlier::find(store, &known, commits, &mut found)?;
    squash::find(store, &known, commits, &mut found)?;
    let order: HashMap<&str, usize> =
        commits.iter().enumerate().map(|(n, hash)| (hash.as_str(), n)).collect();
    found.sort_by_key(|(_, unlinked, _)| order.get(unlinked.commit.as_str()).copied());
    Ok(RelinkResult {
        links: found.into_iter().map(|(_, unlinked, _)| unlinked).collect(),
        undecided,
        unreadable,
    })
}

fn lost_as(
    known: &Known,
    n: usize,
    commit: &CodeCommit,
    tasks: Vec<TaskId>,
    shown_by: RelinkEvidence,
) -> UnlinkedCommit {
    let execution = &known.executions[n].execution;
    let mut tasks = tasks.into_iter();
    UnlinkedCommit {
        commit: commit.id.into(),
        subject: commit.subject.clone(),
        execution_id: execution.id.clone(),
        solution_id: execution.solution_id.clone(),
        task_id: tasks.next(),
        other_task_ids: tasks.collect(),
        shown_by,
        reverts: vec![],
        replaces: None,
        also_replaces: vec![],
    }
}

/// When a commit was made, in milliseconds; the largest number if unknown.
fn committed(store: &Store, id: ObjectId) -> i64 {
    let seconds = store.repo().commit(id).and_then(|commit| commit.seconds()).ok();
    seconds.map_or(i64::MAX, |seconds| seconds.saturating_mul(1000))
}

/// Links the found commits that no log names in the meantime. Returns the number of links, and the plans.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    store: &Store,
    lost: &[UnlinkedCommit],
) -> Result<(usize, BTreeSet<SolutionId>), StoreError> {
    let mut plans = BTreeSet::new();
    let mut count = 0;
    let mut named_by: HashMap<&ExecutionId, HashSet<CommitHash>> = HashMap::new();
    for unlinked in lost {
        if !named_by.contains_key(&unlinked.execution_id) {
            let execution = records::execution(tx, &unlinked.execution_id, &mut Vec::new())?;
            let names = execution.iter().flat_map(named).cloned().collect();
            named_by.insert(&unlinked.execution_id, names);
        }
        let is_named =
            named_by.get(&unlinked.execution_id).is_none_or(|names| names.contains(&unlinked.commit));
        // An earlier version has a link already, which the rewrite brings back.
        let is_earlier = unlinked.shown_by == RelinkEvidence::Earlier;
        if is_named != (is_earlier || unlinked.shown_by == RelinkEvidence::Squash) {
            continue;
        }
        let Some(id) = object_id(&unlinked.commit) else { continue };
        let commit = store.code_commit(id)?;
        if !is_earlier {
            let files = files(store, &commit)?;
            let entry = link(&commit, &files, unlinked.tasks().cloned().collect(), LinkedBy::Relink);
            let entry = entry.taking_back(unlinked.reverts.clone());
            tx.log(&unlinked.execution_id, Event::Commit(entry))?;
        }
        for old in unlinked.replaces.iter().chain(&unlinked.also_replaces) {
            let tree = Some(commit.tree.into());
            let rewrite = Rewrite { old: old.clone(), new: unlinked.commit.clone(), tree };
            tx.log(&unlinked.execution_id, Event::Rewrite(rewrite))?;
        }
        plans.insert(unlinked.solution_id.clone());
        count += 1;
    }
    Ok((count, plans))
}
