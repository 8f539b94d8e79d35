//! Which item of a queue comes before which, and the order that follows.

use std::collections::{BTreeMap, HashMap};

use super::{Facts, dependencies, drawn};
use crate::model::id::{IssueId, SolutionId};
use crate::model::queue::Item;
use crate::model::status::{ExecutionStatus, IssueStatus};
use crate::rules::dag;
use crate::rules::facts::{IssueFacts, PlanFacts};
use crate::rules::queue_conflicts::Standing;

/// Why one item comes before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Why {
    /// The issue or the item depends on it.
    DependsOn,
    /// A conflict that was told is dealt with in that order.
    Conflict,
    /// Both touch a file: they are not carried out at once, and the first is handed out first where it is ready.
    File,
}

/// One item before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// The place in the order of execution of the one that comes first.
    pub(crate) from: usize,
    /// The place of the one that comes after it.
    pub(crate) to: usize,
    /// Why.
    pub(crate) why: Why,
}

/// The items of one queue in the order of execution, with what orders them.
pub(super) struct ItemGraph<'a> {
    /// In the order of execution.
    pub(super) items: Vec<&'a Item>,
    /// What is known of the issue of each; none where it is not here.
    pub(super) issues: Vec<Option<&'a IssueFacts>>,
    /// What is known of the plan of each; none where the issue or the plan is not here.
    pub(super) plans: Vec<Option<&'a PlanFacts>>,
    /// How many items come one after the other before each; a cycle counts for nothing.
    pub(super) depths: Vec<usize>,
    /// Each edge once.
    pub(super) edges: Vec<Edge>,
    /// For each item those that told conflicts put directly before it, with the place of the conflict among those told.
    pub(super) after: Vec<Vec<(usize, usize)>>,
    /// For each item whether it still has a part in conflicts: it is neither over nor given up.
    pub(super) in_play: Vec<bool>,
    /// The cycles.
    pub(super) cycles: Vec<Cycle>,
    /// Of each item the cycle that it is in.
    pub(super) cycle_of: Vec<Option<usize>>,
    /// Cycles of dependencies alone that items wait for without being in them: the issues, drawn with arrows.
    pub(super) circles: Vec<String>,
    /// Of each item the circle that it waits for, directly or through others.
    pub(super) behind: Vec<Option<usize>>,
}

/// Items each of which comes before each other.
pub(super) struct Cycle {
    /// Their places.
    pub(super) items: Vec<usize>,
    /// Conflicts (their places among those told) whose orders have a part in it.
    pub(super) told: Vec<usize>,
    /// The issues, drawn with arrows.
    pub(super) drawn: String,
}

/// Whether an item still has a part in conflicts.
fn is_in_play(item: &Item, issue: Option<&IssueFacts>) -> bool {
    let Some(issue) = issue else { return false };
    let is_completed = issue.holder.as_ref().is_some_and(|holder| {
        holder.solution_id == item.solution_id && holder.status == ExecutionStatus::Completed
    });
    !is_completed && !issue.is_met() && issue.status != IssueStatus::Cancelled
}

impl<'a> ItemGraph<'a> {
    /// Orders the items that are not removed: each behind what it depends on and what conflicts put before it; of those
    /// that could be next, the one with the earliest position.
    pub(super) fn of(items: &'a [Item], facts: &'a Facts, told: &[Standing<'_>]) -> Self {
        let mut live: Vec<&Item> = items.iter().filter(|item| !item.is_removed()).collect();
        live.sort_by(|a, b| (&a.position, &a.solution_id).cmp(&(&b.position, &b.solution_id)));
        let issues: Vec<Option<&IssueFacts>> = live.iter().map(|item| facts.get(&item.issue_id)).collect();
        let in_play: Vec<bool> =
            live.iter().zip(&issues).map(|(item, issue)| is_in_play(item, *issue)).collect();
        let mut nodes = Nodes::of(&live, &issues, facts);
        let orders = told_orders(&live, &in_play, told);
        for (first, second, _) in &orders {
            nodes.before[*second].push(*first);
        }
        let component = dag::components(&nodes.before);
        let keys: Vec<(bool, usize)> = (0..nodes.before.len()).map(|n| (n < live.len(), n)).collect();
        let order: Vec<usize> = dag::ordered(&nodes.before, &component, &keys)
            .into_iter()
            .filter(|node| *node < live.len())
            .collect();
        let mut place = vec![0; live.len()];
        for (at, node) in order.iter().enumerate() {
            place[*node] = at;
        }
        let plan_of = |node: &usize| issues[*node]?.plans.get(&live[*node].solution_id).map(Box::as_ref);
        let mut graph = Self {
            items: order.iter().map(|node| live[*node]).collect(),
            issues: order.iter().map(|node| issues[*node]).collect(),
            plans: order.iter().map(plan_of).collect(),
            depths: Vec::new(),
            edges: Vec::new(),
            after: vec![Vec::new(); live.len()],
            in_play: order.iter().map(|node| in_play[*node]).collect(),
            cycles: Vec::new(),
            cycle_of: vec![None; live.len()],
            circles: Vec::new(),
            behind: vec![None; live.len()],
        };
        for (first, second, conflict) in &orders {
            graph.after[place[*second]].push((place[*first], *conflict));
        }
        graph.find_cycles(&nodes, &component, &place, &orders);
        graph.find_circles(&nodes, &component, &order, &orders, facts);
        let by_queue = graph.by_queue(told);
        for (first, second, conflict) in by_queue {
            graph.after[second].push((first, conflict));
            nodes.before[order[second]].push(order[first]);
        }
        // What goes by the queue leads on in the order that was found, so that it makes no new component.
        let depths = dag::depths(&nodes.before, &component, &nodes.weights(live.len()));
        graph.depths = order.iter().map(|node| depths[*node]).collect();
        graph.edges = graph.all_edges(&nodes, &place);
        graph
    }

    fn all_edges(&self, nodes: &Nodes<'_>, place: &[usize]) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (to, earlier) in nodes.depends.iter().enumerate() {
            let from = earlier.iter().filter(|from| **from < place.len());
            edges.extend(from.map(|from| Edge { from: place[*from], to: place[to], why: Why::DependsOn }));
        }
        for (to, earlier) in self.after.iter().enumerate() {
            edges.extend(earlier.iter().map(|(from, _)| Edge { from: *from, to, why: Why::Conflict }));
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The pairs that go one after the other as the queue has them.
    fn by_queue(&self, told: &[Standing<'_>]) -> Vec<(usize, usize, usize)> {
        if !told.iter().any(Standing::goes_by_queue) {
            return Vec::new();
        }
        let places = self.places();
        let mut pairs = Vec::new();
        for (conflict, standing) in told.iter().enumerate().filter(|(_, it)| it.goes_by_queue()) {
            let members = self.members(standing, &places);
            pairs.extend(members.windows(2).map(|pair| (pair[0], pair[1], conflict)));
        }
        pairs
    }

    /// Where each plan stands.
    pub(super) fn places(&self) -> HashMap<&'a SolutionId, usize> {
        self.items.iter().enumerate().map(|(n, item)| (&item.solution_id, n)).collect()
    }

    /// The items of a conflict that still have a part in it, in the order of execution.
    pub(super) fn members(
        &self,
        standing: &Standing<'_>,
        places: &HashMap<&SolutionId, usize>,
    ) -> Vec<usize> {
        let all = standing.entry.solutions.iter().filter_map(|id| places.get(id).copied());
        let mut members: Vec<usize> = all.filter(|n| self.in_play[*n]).collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    fn find_cycles(
        &mut self,
        nodes: &Nodes<'_>,
        component: &[usize],
        place: &[usize],
        orders: &[(usize, usize, usize)],
    ) {
        let mut sizes: HashMap<usize, usize> = HashMap::new();
        for number in component {
            *sizes.entry(*number).or_default() += 1;
        }
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        let mut by_place: Vec<(usize, usize)> = place.iter().copied().zip(0..).collect();
        by_place.sort_unstable();
        for (at, node) in by_place {
            let number = component[node];
            if sizes[&number] < 2 {
                continue;
            }
            let cycle = *known.entry(number).or_insert_with(|| {
                let mut told: Vec<usize> = orders
                    .iter()
                    .filter(|(first, second, _)| component[*first] == number && component[*second] == number)
                    .map(|(_, _, conflict)| *conflict)
                    .collect();
                told.sort_unstable();
                told.dedup();
                self.cycles.push(Cycle { items: vec![], told, drawn: nodes.drawn(node, component) });
                self.cycles.len() - 1
            });
            self.cycles[cycle].items.push(at);
            self.cycle_of[at] = Some(cycle);
        }
    }
}

impl ItemGraph<'_> {
    /// What waits for a cycle of dependencies that it is not part of. Through an issue that is over nothing waits.
    fn find_circles(
        &mut self,
        nodes: &Nodes<'_>,
        component: &[usize],
        order: &[usize],
        orders: &[(usize, usize, usize)],
        facts: &Facts,
    ) {
        let mut sizes = vec![0; component.len()];
        component.iter().for_each(|number| sizes[*number] += 1);
        // Where an order that was decided has a part in a cycle, deciding otherwise opens it.
        for (first, second, _) in orders.iter().filter(|(a, b, _)| component[*a] == component[*b]) {
            (sizes[component[*first]], sizes[component[*second]]) = (0, 0);
        }
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        let mut behind: Vec<Option<usize>> = vec![None; component.len()];
        let mut by_component: Vec<usize> = (0..component.len()).collect();
        by_component.sort_by_key(|node| component[*node]);
        for node in by_component {
            for earlier in &nodes.before[node] {
                let number = component[*earlier];
                let is_over = facts.get(nodes.issues[*earlier]).is_some_and(IssueFacts::is_met);
                if number == component[node] || is_over {
                    continue;
                }
                behind[node] = if sizes[number] < 2 {
                    behind[*earlier]
                } else {
                    Some(*known.entry(number).or_insert_with(|| {
                        self.circles.push(nodes.drawn(*earlier, component));
                        self.circles.len() - 1
                    }))
                };
                if behind[node].is_some() {
                    break;
                }
            }
        }
        self.behind = order.iter().map(|node| behind[*node]).collect();
    }
}

/// The pairs that decided orders put one before the other, with the place of the conflict among those told. What is
/// over or given up is left out: nothing comes before or behind it any more.
fn told_orders(live: &[&Item], in_play: &[bool], told: &[Standing<'_>]) -> Vec<(usize, usize, usize)> {
    if told.is_empty() {
        return Vec::new();
    }
    let node: HashMap<&SolutionId, usize> = live
        .iter()
        .enumerate()
        .filter(|(n, _)| in_play[*n])
        .map(|(n, item)| (&item.solution_id, n))
        .collect();
    let mut pairs = Vec::new();
    for (conflict, standing) in told.iter().enumerate().filter(|(_, it)| !it.is_undecided()) {
        let order: Vec<usize> = standing.order().into_iter().filter_map(|id| node.get(id).copied()).collect();
        pairs.extend(order.windows(2).map(|pair| (pair[0], pair[1], conflict)));
    }
    pairs
}

/// Items, and behind them the issues that stand between items without being queued.
struct Nodes<'a> {
    /// What comes before each.
    before: Vec<Vec<usize>>,
    /// The part of it that is dependencies, of items only.
    depends: Vec<Vec<usize>>,
    issues: Vec<&'a IssueId>,
}

impl<'a> Nodes<'a> {
    fn of(live: &[&'a Item], known: &[Option<&IssueFacts>], facts: &'a Facts) -> Self {
        let mut items_of: HashMap<&IssueId, Vec<usize>> = HashMap::new();
        for (n, item) in live.iter().enumerate() {
            items_of.entry(&item.issue_id).or_default().push(n);
        }
        let outside: Vec<&IssueId> = facts.keys().filter(|id| !items_of.contains_key(id)).collect();
        for (n, id) in outside.iter().enumerate() {
            items_of.insert(id, vec![live.len() + n]);
        }
        let before_of = |ids: &mut dyn Iterator<Item = &IssueId>| -> Vec<usize> {
            ids.filter_map(|id| items_of.get(id)).flatten().copied().collect()
        };
        let mut before: Vec<Vec<usize>> = Vec::with_capacity(live.len() + outside.len());
        for (item, issue) in live.iter().zip(known) {
            let of = issue.map(|issue| dependencies(item, issue)).unwrap_or_default();
            before.push(before_of(&mut of.iter()));
        }
        let depends = before.clone();
        for id in &outside {
            before.push(before_of(&mut facts[*id].depends_on.iter().filter(|other| other != id)));
        }
        let issues = live.iter().map(|item| &item.issue_id).chain(outside).collect();
        Self { before, depends, issues }
    }

    fn weights(&self, items: usize) -> Vec<usize> {
        (0..self.before.len()).map(|n| usize::from(n < items)).collect()
    }

    /// A cycle through `node`, by the names of issues.
    fn drawn(&self, node: usize, component: &[usize]) -> String {
        let inside = |n: &usize| {
            let mut next: Vec<usize> = self.before[*n].clone();
            next.retain(|to| component[*to] == component[node]);
            next.sort_by_key(|to| self.issues[*to]);
            next
        };
        let cycle = dag::cycle_through(&node, inside).unwrap_or_default();
        drawn(&cycle.iter().map(|n| self.issues[*n].clone()).collect::<Vec<_>>())
    }
}
