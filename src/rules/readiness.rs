//! The status of each item of the queues, and what blocks it. None of this is stored.

mod blocker;
mod clarify;
mod files;
mod graph;
mod groups;
mod state;
/// A group for people: `1 in order` of `S1`, `2 parallel` of `P2`. Items are called `S-1`, so people would take `S1` for one.
pub(crate) fn group_words(group: &str) -> String {
    let way = if group.starts_with('P') { "parallel" } else { "in order" };
    format!("{} {way}", group.trim_start_matches(['P', 'S']))
}

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use super::queue_conflicts::standing;
use super::{
    ByPath, Clarification, ConflictView, EffectiveConflict, Holder, IssueFacts, Overlap, QueueFolder, dag,
};
use crate::model::{
    ConflictType, IssueId, Item, ItemStatus, Op, Policy, Queue, QueueDecision, QueueStatus, Remedy,
    RemedyCall, RepoPath, SolutionId,
};

pub(crate) use blocker::{Blocker, BlockerKind, remedies_of_absent, withdrawn};
pub(crate) use graph::{Edge, OrderReason};

/// An item with what is derived of it.
#[derive(Debug, Clone)]
pub(crate) struct ItemView {
    /// The record.
    pub(crate) item: Item,
    /// Its status.
    pub(crate) status: ItemStatus,
    /// From 1, within the queue.
    pub(crate) execution_order: usize,
    /// `P<n>`: shares no file with another; `S<n>`: shares files with the others of that group and runs in order.
    pub(crate) execution_group: String,
    /// 0 to 1, from the issue's priority, the plan's size and what depends on it.
    pub(crate) semantic_priority: f64,
    /// How many tasks its plan has.
    pub(crate) task_count: usize,
    /// Files and directories that its plan touches.
    pub(crate) files_touched: BTreeSet<RepoPath>,
    /// What it waits for.
    pub(crate) blocked_by: Vec<Blocker>,
    /// The execution that holds its issue with this plan.
    pub(crate) holder: Option<Holder>,
}

/// A queue with what is derived of it.
#[derive(Debug, Clone)]
pub(crate) struct QueueView {
    /// The record.
    pub(crate) queue: Queue,
    /// active, paused, archived; completed or failed if nothing is left to do in an active one; unreadable.
    pub(crate) status: QueueStatus,
    /// Its items in the order of execution, without removed ones.
    pub(crate) items: Vec<ItemView>,
    /// Which item comes before which, by their indexes in `items`.
    pub(crate) edges: Vec<Edge>,
    /// The conflicts between its items: declared ones, then those derived from the plans.
    pub(crate) conflicts: Vec<ConflictView>,
}

/// Everything that the state of an item depends on.
pub(crate) type Facts = BTreeMap<IssueId, IssueFacts>;

/// Derives the state of all queues, with everything that is shown of them.
pub(crate) fn views(queues: &[QueueFolder], facts: &Facts, policy: &Policy) -> Vec<QueueView> {
    in_order(queues, facts, policy).into_iter().map(InOrder::view).collect()
}

/// Orders the items of each queue, so that the state of each can be queried. `facts` holds the issues of the items and,
/// as far as they exist, all issues that these depend on, directly or through others.
pub(crate) fn in_order<'a>(
    queues: &'a [QueueFolder],
    facts: &'a Facts,
    policy: &'a Policy,
) -> Vec<InOrder<'a>> {
    let in_work = Rc::new(state::InWork::new(queues, facts));
    let one = |folder: &'a QueueFolder| {
        let declared = standing(&folder.conflicts);
        let graph = graph::ItemGraph::new(&folder.items, facts, &declared);
        let asked = clarify::asked(&graph, &declared);
        InOrder { folder, facts, policy, in_work: Rc::clone(&in_work), declared, graph, asked }
    };
    queues.iter().map(one).collect()
}

/// A queue with its items in order. Groups, priorities and conflicts over files are only for display, so they are
/// derived when the view is requested.
pub(crate) struct InOrder<'a> {
    folder: &'a QueueFolder,
    facts: &'a Facts,
    policy: &'a Policy,
    in_work: Rc<state::InWork<'a>>,
    declared: Vec<EffectiveConflict<'a>>,
    graph: graph::ItemGraph<'a>,
    asked: clarify::QueueClarifications,
}

impl<'a> InOrder<'a> {
    /// The record.
    pub(crate) fn queue(&self) -> &'a Queue {
        &self.folder.queue
    }

    /// The items in the order of execution, without removed ones.
    pub(crate) fn items(&self) -> &[&'a Item] {
        &self.graph.items
    }

    /// Whether no item at `position` or later could come before the item at this index: that item and all before it
    /// have earlier positions. Then leaving out the rest of the queue makes no difference, unless one of these waits
    /// for something in it.
    pub(crate) fn is_in_front_of(&self, position: &str, at: usize) -> bool {
        self.graph.items[..=at].iter().all(|item| item.position.as_str() < position)
    }

    /// The state of the item at this index, and what it waits for.
    pub(crate) fn state(&self, at: usize) -> (ItemStatus, Vec<Blocker>) {
        state::state(at, &self.graph, &self.asked, self.folder, self.facts, self.policy, &self.in_work)
    }

    /// The items that are ready, first to last.
    pub(crate) fn ready(&self) -> impl Iterator<Item = &'a Item> {
        let all = self.graph.items.iter().enumerate();
        all.filter(|(at, _)| self.state(*at).0 == ItemStatus::Ready).map(|(_, item)| *item)
    }

    /// The ready items before the one at this index that share files with it: they go first.
    pub(crate) fn goes_after(&self, at: usize) -> Vec<(&'a Item, &'a RepoPath)> {
        let Some(plan) = self.graph.plans[at] else { return Vec::new() };
        let mut files = ByPath::default();
        for (n, plan) in self.graph.plans[..at].iter().enumerate() {
            plan.iter().flat_map(|plan| &plan.files).for_each(|file| files.add(file, n));
        }
        let mut first: BTreeMap<usize, &RepoPath> = BTreeMap::new();
        for file in &plan.files {
            for (theirs, n) in files.overlapping(file) {
                // For a directory and a file in it, the file.
                first.entry(*n).or_insert(if file.covers(theirs.as_str()) { theirs } else { file });
            }
        }
        let own = &self.graph.items[at].solution_id;
        // A declared conflict of two plans replaces the one derived from their files.
        let is_declared = |n: usize, file: &RepoPath| {
            let other = &self.graph.items[n].solution_id;
            let covers = |path: &str| {
                let path = RepoPath::covering(path);
                path.overlaps(file)
            };
            self.declared.iter().map(|declared| declared.entry).any(|entry| {
                entry.solutions.contains(own)
                    && entry.solutions.contains(other)
                    && entry.kind == ConflictType::File
                    && entry.file.as_deref().is_some_and(covers)
            })
        };
        let ready = first
            .into_iter()
            .filter(|(n, file)| self.state(*n).0 == ItemStatus::Ready && !is_declared(*n, file));
        ready.map(|(n, file)| (self.graph.items[n], file)).collect()
    }

    /// The state of each item, and what it waits for, in the order of the items.
    pub(crate) fn states(&self) -> Vec<(ItemStatus, Vec<Blocker>)> {
        (0..self.items().len()).map(|at| self.state(at)).collect()
    }

    /// The status of the queue, if its items have these states.
    pub(crate) fn status(&self, states: &[(ItemStatus, Vec<Blocker>)]) -> QueueStatus {
        let items = self.items().iter().zip(states).map(|(item, (status, _))| (*status, &item.issue_id));
        queue_status(self.folder, items, self.facts)
    }

    /// What someone has to decide on the order of items, by the name of the declared conflict.
    pub(crate) fn questions(&self) -> impl Iterator<Item = (String, &Clarification)> {
        let all = self.declared.iter().enumerate();
        all.filter_map(|(n, standing)| Some((standing.name(), self.asked.of_conflict(n)?)))
    }

    fn view(self) -> QueueView {
        let Self { folder, facts, ref declared, ref graph, .. } = self;
        let groups = groups::groups(graph);
        let wanted = groups::wanted(graph);
        let item = |(n, item): (usize, &&Item)| {
            let plan = graph.plans[n];
            let (status, blocked_by) = self.state(n);
            let holder = graph.issues[n].and_then(|issue| issue.holder.as_ref());
            ItemView {
                item: (*item).clone(),
                status,
                execution_order: n + 1,
                execution_group: groups[n].clone(),
                semantic_priority: groups::semantic_priority(n, graph, &wanted),
                task_count: plan.map_or(0, |plan| plan.task_count),
                files_touched: plan.map(|plan| plan.files.clone()).unwrap_or_default(),
                blocked_by,
                holder: holder.filter(|holder| holder.solution_id == item.solution_id).cloned(),
            }
        };
        let items: Vec<ItemView> = graph.items.iter().enumerate().map(item).collect();
        let files = files::Files::new(graph);
        let shared = files.shared(graph, declared);
        let edges = with_files(graph, &shared);
        let conflicts = clarify::conflicts(graph, declared, self.asked, &shared);
        let statuses = items.iter().map(|item| (item.status, &item.item.issue_id));
        QueueView {
            status: queue_status(folder, statuses, facts),
            queue: folder.queue.clone(),
            items,
            conflicts,
            edges,
        }
    }
}

/// The edges, including those of pairs that only a shared file orders.
fn with_files(graph: &graph::ItemGraph<'_>, shared: &[Overlap<'_, usize>]) -> Vec<Edge> {
    let ordered: HashSet<(usize, usize)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let pairs: BTreeSet<(usize, usize)> = shared.iter().flat_map(Overlap::pairs).collect();
    let more = pairs.into_iter().filter(|pair| !ordered.contains(pair));
    graph
        .edges
        .iter()
        .copied()
        .chain(more.map(|(from, to)| Edge { from, to, why: OrderReason::File }))
        .collect()
}

/// `items` are the statuses of the items and their issues.
fn queue_status<'a>(
    folder: &QueueFolder,
    items: impl Iterator<Item = (ItemStatus, &'a IssueId)>,
    facts: &Facts,
) -> QueueStatus {
    // Items that were given up, or whose issue was closed otherwise, are not left to do.
    let is_over = |issue| facts.get(issue).is_some_and(|issue| issue.status.is_terminal());
    let (mut is_empty, mut all_over, mut any_failed) = (true, true, false);
    for (status, issue) in items {
        is_empty = false;
        any_failed |= status == ItemStatus::Failed;
        all_over &= match status {
            ItemStatus::Completed | ItemStatus::Failed => true,
            ItemStatus::Executing => false,
            _ => is_over(issue),
        };
    }
    match folder.queue.status {
        _ if !folder.is_readable => QueueStatus::Unreadable,
        QueueDecision::Active if is_empty || !all_over => QueueStatus::Active,
        QueueDecision::Active if any_failed => QueueStatus::Failed,
        QueueDecision::Active => QueueStatus::Completed,
        QueueDecision::Paused => QueueStatus::Paused,
        QueueDecision::Archived => QueueStatus::Archived,
    }
}

/// The dependencies of the issue, and those of the item.
pub(crate) fn dependencies(item: &Item, issue: &IssueFacts) -> BTreeSet<IssueId> {
    let extra = item.depends_on.iter().map(SolutionId::issue);
    issue.depends_on.iter().cloned().chain(extra).filter(|id| *id != issue.id).collect()
}

/// A cycle of unmet dependencies through an issue, drawn with arrows.
pub(crate) fn dependency_cycle(start: &IssueId, facts: &Facts) -> Option<String> {
    let cycle = dag::cycle_through(start, |id| unmet(id, facts))?;
    Some(drawn(&cycle))
}

/// A cycle of unmet dependencies that can be reached from one of `ids`, drawn with arrows. Takes time linear in the
/// number of dependencies.
pub(crate) fn any_cycle(ids: &[IssueId], facts: &Facts) -> Option<String> {
    dag::cycles(ids, |id| unmet(id, facts)).first().map(|cycle| drawn(cycle))
}

/// Issues of which each depends on the next, and the last on the first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DependencyCycle(Vec<IssueId>);

impl DependencyCycle {
    /// From a path that ends where it begins; the smallest id comes first.
    pub(crate) fn new(mut path: Vec<IssueId>) -> Self {
        path.pop();
        let first = path.iter().enumerate().min_by_key(|(_, id)| *id).map_or(0, |(at, _)| at);
        path.rotate_left(first);
        Self(path)
    }

    /// Its issues, each once.
    pub(crate) fn issues(&self) -> &[IssueId] {
        &self.0
    }

    /// The command that ends it.
    pub(crate) fn remedy(&self) -> Remedy {
        let next = self.0.get(1).unwrap_or(&self.0[0]);
        let edit = RemedyCall::new(Op::Edit, [&self.0[0]]).option("depends-on", format!("-{next}"));
        Remedy::call(edit, "removes a dependency")
    }
}

impl std::fmt::Display for DependencyCycle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let whole: Vec<IssueId> = self.0.iter().chain(self.0.first()).cloned().collect();
        f.write_str(&drawn(&whole))
    }
}

/// The issues that cannot be executed because of a cycle of unmet dependencies, each with that cycle: those in it, and those
/// that wait for it. Takes time linear in the number of dependencies.
pub(crate) fn stuck_in_cycles(ids: &[IssueId], facts: &Facts) -> BTreeMap<IssueId, Rc<DependencyCycle>> {
    let is_unmet = |id: &&IssueId| facts.get(*id).is_some_and(|issue| !issue.is_met());
    let unmet = |id: &IssueId| {
        let needed = facts.get(id).filter(|issue| !issue.is_met()).map(|issue| &issue.depends_on);
        needed.into_iter().flatten().filter(is_unmet).cloned().collect()
    };
    let mut stuck: BTreeMap<IssueId, Rc<DependencyCycle>> = BTreeMap::new();
    let mut open: Vec<IssueId> = Vec::new();
    for path in dag::cycles(ids, unmet) {
        let cycle = Rc::new(DependencyCycle::new(path));
        for id in cycle.issues() {
            stuck.entry(id.clone()).or_insert_with(|| cycle.clone());
            open.push(id.clone());
        }
    }
    let mut dependents: BTreeMap<&IssueId, Vec<&IssueId>> = BTreeMap::new();
    if !open.is_empty() {
        for (id, issue) in facts.iter().filter(|(_, issue)| !issue.is_met()) {
            issue.depends_on.iter().for_each(|needed| dependents.entry(needed).or_default().push(id));
        }
    }
    while let Some(needed) = open.pop() {
        for id in dependents.get(&needed).into_iter().flatten() {
            if !stuck.contains_key(*id) {
                stuck.insert((*id).clone(), stuck[&needed].clone());
                open.push((*id).clone());
            }
        }
    }
    stuck
}

/// The issues for which this one waits; none if nobody waits for it.
fn unmet(id: &IssueId, facts: &Facts) -> Vec<IssueId> {
    let is_met = |id: &IssueId| facts.get(id).is_some_and(IssueFacts::is_met);
    let needed = facts.get(id).filter(|issue| !issue.is_met()).map(|issue| &issue.depends_on);
    needed.into_iter().flatten().filter(|other| !is_met(other)).cloned().collect()
}

/// More members than this are only counted.
const MOST_DRAWN: usize = 12;

/// A cycle with arrows; a long one is shortened.
pub(super) fn drawn(cycle: &[IssueId]) -> String {
    let names: Vec<&str> = cycle.iter().map(IssueId::as_str).collect();
    if names.len() <= MOST_DRAWN {
        return names.join(" → ");
    }
    let more = names.len() - MOST_DRAWN;
    format!("{} → ({more} more) → {}", names[..MOST_DRAWN - 1].join(" → "), names[names.len() - 1])
}
