//! What a person has to decide before items can continue, and all current conflicts of a queue.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::OrderReason;
use super::blocker::Reason;
use super::graph::ItemGraph;
use crate::model::{ConflictType, ItemId, Resolution, Severity, SolutionId};
use crate::rules::queue_conflicts::{MOST_NAMED, clarification};
use crate::rules::{Clarification, ConflictView, EffectiveConflict, Overlap};

/// The clarifications of one queue.
pub(super) struct QueueClarifications {
    /// By the index of the declared conflict.
    questions: BTreeMap<usize, Clarification>,
    /// For each item, the conflicts that block it.
    waiting: Vec<Vec<usize>>,
}

impl QueueClarifications {
    /// What has to be decided on the declared conflict at this index.
    pub(super) fn of_conflict(&self, conflict: usize) -> Option<&Clarification> {
        self.questions.get(&conflict)
    }

    /// What blocks an item, with the remedy.
    pub(super) fn of_item(&self, at: usize) -> impl Iterator<Item = Reason<'_>> {
        self.waiting[at].iter().map(|conflict| {
            let asked = &self.questions[conflict];
            let orders = asked.options.iter().map(|option| {
                let order: Vec<&str> = option.order.iter().map(SolutionId::as_str).collect();
                if order.len() > MOST_NAMED { "PLAN,PLAN,…".to_owned() } else { order.join(",") }
            });
            let mut orders: Vec<String> = orders.collect();
            orders.dedup();
            Reason::Undecided { conflict: format!("CFT-{}", conflict + 1), question: &asked.question, orders }
        })
    }
}

/// Finds conflicts of high severity without an order, conflicts left to a person, and orders that form a cycle. In a
/// cycle, the newest conflict needs a decision.
pub(super) fn asked(graph: &ItemGraph<'_>, declared: &[EffectiveConflict<'_>]) -> QueueClarifications {
    // Without a declared order, there is nothing to decide.
    let places = if declared.is_empty() { HashMap::new() } else { graph.places() };
    let mut asked =
        QueueClarifications { questions: BTreeMap::new(), waiting: vec![Vec::new(); graph.items.len()] };
    let mut ask = |conflict: usize, why: &str, members: &[usize]| {
        let named: Vec<(SolutionId, String)> =
            members.iter().map(|n| (graph.items[*n].solution_id.clone(), name(graph, *n))).collect();
        asked.questions.insert(conflict, clarification(why, &named));
        members.iter().for_each(|n| asked.waiting[*n].push(conflict));
    };
    // The items that each item depends on.
    let mut needs = vec![Vec::new(); if declared.is_empty() { 0 } else { graph.items.len() }];
    if !needs.is_empty() {
        let edges = graph.edges.iter().filter(|edge| edge.why == OrderReason::DependsOn);
        edges.for_each(|edge| needs[edge.to].push(edge.from));
    }
    for (conflict, standing) in declared.iter().enumerate().filter(|(_, conflict)| conflict.is_undecided()) {
        let members = graph.members(standing, &places);
        // What depends on each other has its order.
        if members.len() >= 2 && !is_chain(&needs, &members) {
            let entry = standing.entry;
            ask(conflict, &format!("{} conflict of {} severity", entry.kind, entry.severity), &members);
        }
    }
    for cycle in &graph.cycles {
        if let Some(newest) = cycle.declared.iter().max_by_key(|n| &declared[**n].entry.id) {
            let why = format!("the orders form a cycle ({})", cycle.drawn);
            ask(*newest, &why, &cycle.items);
        }
    }
    asked
}

/// Whether each of these items, in the order of execution, depends on the one before it, directly or through other items.
/// `needs` has the items that each item depends on.
fn is_chain(needs: &[Vec<usize>], members: &[usize]) -> bool {
    members.windows(2).all(|pair| depends(needs, pair[1], pair[0]))
}

fn depends(needs: &[Vec<usize>], item: usize, on: usize) -> bool {
    let mut open = vec![item];
    let mut seen = BTreeSet::new();
    while let Some(at) = open.pop() {
        for from in &needs[at] {
            if *from == on {
                return true;
            }
            if seen.insert(*from) {
                open.push(*from);
            }
        }
    }
    false
}

/// `S-1`; followed by the plan if another item has the same number.
fn name(graph: &ItemGraph<'_>, at: usize) -> String {
    let item = graph.items[at];
    let others = graph.items.iter().filter(|other| other.item_id == item.item_id).count();
    if others > 1 { item.solution_id.to_string() } else { item.item_id.to_string() }
}

/// All conflicts: the declared ones, and a derived one for each file or directory that the plans of several items
/// share.
pub(super) fn conflicts(
    graph: &ItemGraph<'_>,
    declared: &[EffectiveConflict<'_>],
    asked: QueueClarifications,
    shared: &[Overlap<'_, usize>],
) -> Vec<ConflictView> {
    let mut questions = asked.questions;
    let places = graph.places();
    let of_declared = declared.iter().enumerate().map(|(n, standing)| {
        let entry = standing.entry;
        let clarification = questions.remove(&n);
        let is_by_dependency = standing.is_undecided() && clarification.is_none();
        let order = if standing.goes_by_queue() || is_by_dependency {
            graph.members(standing, &places).iter().map(|n| graph.items[*n].solution_id.clone()).collect()
        } else {
            standing.order().into_iter().cloned().collect()
        };
        ConflictView {
            id: Some(standing.name()),
            entry_id: Some(entry.id.clone()),
            kind: entry.kind,
            severity: entry.severity,
            solutions: entry.solutions.clone(),
            item_ids: item_ids(&places, graph, &entry.solutions),
            file: entry.file.clone(),
            resolution: entry.resolution,
            resolution_order: order,
            rationale: entry.rationale.clone(),
            resolved: clarification.is_none(),
            clarification,
            author: Some(entry.author.clone()),
            created_at: Some(entry.created_at),
        }
    });
    let mut all: Vec<ConflictView> = of_declared.collect();
    all.extend(shared.iter().map(|shared| derived(graph, &places, shared)));
    all
}

/// The conflict of items that share a file or directory.
fn derived(
    graph: &ItemGraph<'_>,
    places: &HashMap<&SolutionId, usize>,
    shared: &Overlap<'_, usize>,
) -> ConflictView {
    let members = shared.all().into_iter();
    let solutions: Vec<_> = members.map(|n| graph.items[n].solution_id.clone()).collect();
    ConflictView {
        id: None,
        entry_id: None,
        kind: ConflictType::File,
        severity: Severity::Medium,
        item_ids: item_ids(places, graph, &solutions),
        file: Some(shared.path.to_string()),
        resolution: Resolution::Sequential,
        resolution_order: solutions.clone(),
        solutions,
        rationale: None,
        resolved: true,
        clarification: None,
        author: None,
        created_at: None,
    }
}

fn item_ids(
    places: &HashMap<&SolutionId, usize>,
    graph: &ItemGraph<'_>,
    solutions: &[SolutionId],
) -> Vec<ItemId> {
    let known = solutions.iter().filter_map(|id| places.get(id));
    known.map(|n| graph.items[*n].item_id.clone()).collect()
}
