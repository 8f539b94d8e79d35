//! Which item of a queue comes before which, and the order that follows.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Facts, dependencies, drawn};
use crate::model::{ExecutionStatus, IssueId, Item, SolutionId};
use crate::rules::{EffectiveConflict, IssueFacts, PlanFacts, dag};

/// Why one item comes before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderReason {
    /// The issue or the item depends on it.
    DependsOn,
    /// A declared conflict is resolved in that order.
    Conflict,
    /// Both touch a file: they are not executed at the same time, and the first is claimed first if it is ready.
    File,
}

/// One item before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// The index, in the order of execution, of the one that comes first.
    pub(crate) from: usize,
    /// The index of the one that comes after it.
    pub(crate) to: usize,
    /// Why.
    pub(crate) why: OrderReason,
}

/// The items of one queue in the order of execution, with what orders them.
pub(super) struct ItemGraph<'a> {
    /// In the order of execution.
    pub(super) items: Vec<&'a Item>,
    /// The facts of the issue of each; none if it is missing.
    pub(super) issues: Vec<Option<&'a IssueFacts>>,
    /// The facts of the plan of each; none if the issue or the plan is missing.
    pub(super) plans: Vec<Option<&'a PlanFacts>>,
    /// The length of the longest chain of items before each; cycles are ignored.
    pub(super) depths: Vec<usize>,
    /// Each edge once.
    pub(super) edges: Vec<Edge>,
    /// For each item, those that declared conflicts put directly before it, with the index of the declared conflict.
    pub(super) after: Vec<Vec<(usize, usize)>>,
    /// For each item, whether it still counts in conflicts: it is neither finished nor given up.
    pub(super) in_play: Vec<bool>,
    /// The cycles that include decided orders: another decision breaks them.
    pub(super) cycles: Vec<Cycle>,
    /// For each item, the cycle that it is in.
    pub(super) cycle_of: Vec<Option<usize>>,
    /// Cycles of dependencies that items are in or wait for: the issues, drawn with arrows.
    pub(super) circles: Vec<String>,
    /// For each item, the dependency cycle that it is in.
    pub(super) circle_of: Vec<Option<usize>>,
    /// For each item, a dependency cycle that it waits for without being in it, directly or through others.
    pub(super) behind: Vec<Option<usize>>,
}

/// Items that wait for each other in a cycle.
pub(super) struct Cycle {
    /// Their indexes.
    pub(super) items: Vec<usize>,
    /// The declared conflicts (by index) whose orders are part of it.
    pub(super) declared: Vec<usize>,
    /// The issues, drawn with arrows.
    pub(super) drawn: String,
}

/// What waits for what. A met dependency no longer counts here, although it still determines the order.
struct Waiting {
    /// What each node waits for, by dependencies and decided orders.
    all: Vec<Vec<usize>>,
    /// The component of each node by these.
    component: Vec<usize>,
    /// The component of each node by dependencies alone.
    by_dependency: Vec<usize>,
    /// The components by dependencies alone that are cycles.
    circles: BTreeSet<usize>,
}

impl Waiting {
    fn new(nodes: &Nodes<'_>, orders: &[(usize, usize, usize)]) -> Self {
        let mut all = nodes.waits.clone();
        for (first, second, _) in orders {
            all[*second].push(*first);
        }
        let by_dependency = dag::components(&nodes.waits);
        let edges =
            nodes.waits.iter().enumerate().flat_map(|(to, all)| all.iter().map(move |from| (*from, to)));
        let within = edges.filter(|(from, to)| by_dependency[*from] == by_dependency[*to]);
        let circles = within.map(|(from, _)| by_dependency[from]).collect();
        Self { component: dag::components(&all), all, by_dependency, circles }
    }

    /// The dependency cycle that a node is in.
    fn circle(&self, node: usize) -> Option<usize> {
        Some(self.by_dependency[node]).filter(|number| self.circles.contains(number))
    }

    /// Whether an order closes a cycle. It adds none between issues that already depend on each other in one.
    fn closes(&self, order: &(usize, usize, usize)) -> bool {
        let (first, second, _) = order;
        self.component[*first] == self.component[*second]
            && self.by_dependency[*first] != self.by_dependency[*second]
    }
}

fn plan_of<'a>(issue: &'a IssueFacts, item: &Item) -> Option<&'a PlanFacts> {
    issue.plans.get(&item.solution_id).map(Box::as_ref)
}

/// Whether an item still counts in conflicts.
fn is_in_play(item: &Item, issue: Option<&IssueFacts>) -> bool {
    let Some(issue) = issue else { return false };
    let is_completed = issue.holder.as_ref().is_some_and(|holder| {
        holder.solution_id == item.solution_id && holder.status == ExecutionStatus::Completed
    });
    !is_completed && !issue.is_met()
}

impl<'a> ItemGraph<'a> {
    /// Orders the items that are not removed: each after what it depends on and what conflicts put before it; among
    /// those that could be next, the one with the earliest position comes first.
    pub(super) fn new(items: &'a [Item], facts: &'a Facts, declared: &[EffectiveConflict<'_>]) -> Self {
        let mut live: Vec<&Item> = items.iter().filter(|item| !item.is_removed()).collect();
        live.sort_by(|a, b| (&a.position, &a.solution_id).cmp(&(&b.position, &b.solution_id)));
        let issues: Vec<Option<&IssueFacts>> = live.iter().map(|item| facts.get(&item.issue_id)).collect();
        let in_play: Vec<bool> =
            live.iter().zip(&issues).map(|(item, issue)| is_in_play(item, *issue)).collect();
        let mut nodes = Nodes::new(&live, &issues, facts);
        // What comes after completed work needs its commits.
        let counts: Vec<bool> = in_play
            .iter()
            .zip(&issues)
            .map(|(in_play, issue)| *in_play || issue.is_some_and(|issue| issue.absent.is_some()))
            .collect();
        let orders = declared_orders(&live, &counts, declared);
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
        let mut graph = Self {
            items: order.iter().map(|node| live[*node]).collect(),
            issues: order.iter().map(|node| issues[*node]).collect(),
            plans: order.iter().map(|node| plan_of(issues[*node]?, live[*node])).collect(),
            depths: Vec::new(),
            edges: Vec::new(),
            after: vec![Vec::new(); live.len()],
            in_play: order.iter().map(|node| in_play[*node]).collect(),
            cycles: Vec::new(),
            cycle_of: vec![None; live.len()],
            circles: Vec::new(),
            circle_of: vec![None; live.len()],
            behind: vec![None; live.len()],
        };
        for (first, second, conflict) in &orders {
            graph.after[place[*second]].push((place[*first], *conflict));
        }
        let waiting = Waiting::new(&nodes, &orders);
        graph.find_cycles(&nodes, &waiting, &order, &orders);
        graph.find_circles(&nodes, &waiting, &order);
        for (first, second, conflict) in graph.by_queue(declared) {
            graph.after[second].push((first, conflict));
            nodes.before[order[second]].push(order[first]);
        }
        // Following the order of the queue adds edges, so the components have other numbers.
        let component = dag::components(&nodes.before);
        let depths = dag::depths(&nodes.before, &component, &nodes.weights(live.len()));
        graph.depths = order.iter().map(|node| depths[*node]).collect();
        graph.edges = graph.all_edges(&nodes, &place);
        graph
    }

    fn all_edges(&self, nodes: &Nodes<'_>, place: &[usize]) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (to, earlier) in nodes.depends.iter().enumerate() {
            let from = earlier.iter().filter(|from| **from < place.len());
            edges.extend(from.map(|from| Edge {
                from: place[*from],
                to: place[to],
                why: OrderReason::DependsOn,
            }));
        }
        for (to, earlier) in self.after.iter().enumerate() {
            edges.extend(earlier.iter().map(|(from, _)| Edge {
                from: *from,
                to,
                why: OrderReason::Conflict,
            }));
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The pairs that follow the order of the queue.
    fn by_queue(&self, declared: &[EffectiveConflict<'_>]) -> Vec<(usize, usize, usize)> {
        if !declared.iter().any(EffectiveConflict::goes_by_queue) {
            return Vec::new();
        }
        let places = self.places();
        let mut pairs = Vec::new();
        for (conflict, standing) in declared.iter().enumerate().filter(|(_, known)| known.goes_by_queue()) {
            let members = self.members(standing, &places);
            pairs.extend(members.windows(2).map(|pair| (pair[0], pair[1], conflict)));
        }
        pairs
    }

    /// The position of each plan.
    pub(super) fn places(&self) -> HashMap<&'a SolutionId, usize> {
        self.items.iter().enumerate().map(|(n, item)| (&item.solution_id, n)).collect()
    }

    /// The items of a conflict that still count, in the order of execution.
    pub(super) fn members(
        &self,
        standing: &EffectiveConflict<'_>,
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
        waiting: &Waiting,
        order: &[usize],
        orders: &[(usize, usize, usize)],
    ) {
        let mut declared_in: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (first, _, conflict) in orders.iter().filter(|order| waiting.closes(order)) {
            declared_in.entry(waiting.component[*first]).or_default().insert(*conflict);
        }
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, node) in order.iter().enumerate() {
            let number = waiting.component[*node];
            let Some(declared) = declared_in.get(&number) else { continue };
            let cycle = *known.entry(number).or_insert_with(|| {
                let drawn = nodes.drawn(*node, &waiting.all, &waiting.component);
                self.cycles.push(Cycle {
                    items: vec![],
                    declared: declared.iter().copied().collect(),
                    drawn,
                });
                self.cycles.len() - 1
            });
            self.cycles[cycle].items.push(at);
            self.cycle_of[at] = Some(cycle);
        }
    }

    /// Finds the items in dependency cycles, and those that wait for one.
    fn find_circles(&mut self, nodes: &Nodes<'_>, waiting: &Waiting, order: &[usize]) {
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        let mut number_of = |circles: &mut Vec<String>, node: usize, circle: usize| {
            *known.entry(circle).or_insert_with(|| {
                circles.push(nodes.drawn(node, &nodes.waits, &waiting.by_dependency));
                circles.len() - 1
            })
        };
        for (at, node) in order.iter().enumerate() {
            if let Some(circle) = waiting.circle(*node) {
                self.circle_of[at] = Some(number_of(&mut self.circles, *node, circle));
            }
        }
        // For each component, what any of its members waits for: earlier ones have smaller numbers.
        let mut behind: Vec<Option<usize>> = vec![None; waiting.all.len()];
        let mut by_component: Vec<usize> = (0..waiting.all.len()).collect();
        by_component.sort_by_key(|node| waiting.component[*node]);
        for node in by_component {
            let own = waiting.component[node];
            for earlier in &waiting.all[node] {
                if behind[own].is_some() {
                    break;
                }
                behind[own] = match waiting.circle(*earlier) {
                    Some(circle) if circle != waiting.by_dependency[node] => {
                        Some(number_of(&mut self.circles, *earlier, circle))
                    }
                    _ if waiting.component[*earlier] != own => behind[waiting.component[*earlier]],
                    _ => None,
                };
            }
        }
        self.behind = order.iter().map(|node| behind[waiting.component[*node]]).collect();
    }
}

/// The pairs that decided orders put one before the other, with the index of the declared conflict. Finished or
/// given-up items are left out: they no longer order anything.
fn declared_orders(
    live: &[&Item],
    in_play: &[bool],
    declared: &[EffectiveConflict<'_>],
) -> Vec<(usize, usize, usize)> {
    if declared.is_empty() {
        return Vec::new();
    }
    let node: HashMap<&SolutionId, usize> = live
        .iter()
        .enumerate()
        .filter(|(n, _)| in_play[*n])
        .map(|(n, item)| (&item.solution_id, n))
        .collect();
    let mut pairs = Vec::new();
    for (conflict, standing) in declared.iter().enumerate().filter(|(_, conflict)| !conflict.is_undecided()) {
        let order: Vec<usize> = standing.order().into_iter().filter_map(|id| node.get(id).copied()).collect();
        pairs.extend(order.windows(2).map(|pair| (pair[0], pair[1], conflict)));
    }
    pairs
}

/// Items, followed by the issues between items that are not queued.
struct Nodes<'a> {
    /// What comes before each.
    before: Vec<Vec<usize>>,
    /// The dependencies among them, of items only.
    depends: Vec<Vec<usize>>,
    /// The unmet dependencies of each, including one on itself. A finished item waits for nothing.
    waits: Vec<Vec<usize>>,
    issues: Vec<&'a IssueId>,
}

impl<'a> Nodes<'a> {
    fn new(live: &[&'a Item], known: &[Option<&IssueFacts>], facts: &'a Facts) -> Self {
        let mut items_of: HashMap<&IssueId, Vec<usize>> = HashMap::new();
        for (n, item) in live.iter().enumerate() {
            items_of.entry(&item.issue_id).or_default().push(n);
        }
        let outside: Vec<&IssueId> = facts.keys().filter(|id| !items_of.contains_key(id)).collect();
        for (n, id) in outside.iter().enumerate() {
            items_of.insert(id, vec![live.len() + n]);
        }
        let mut before: Vec<Vec<usize>> = Vec::with_capacity(live.len() + outside.len());
        for (item, issue) in live.iter().zip(known) {
            let of = issue.map(|issue| dependencies(item, issue)).unwrap_or_default();
            before.push(before_of(&items_of, &mut of.iter()));
        }
        let depends = before.clone();
        for id in &outside {
            before.push(before_of(&items_of, &mut facts[*id].depends_on.iter().filter(|other| other != id)));
        }
        let on_itself = live.iter().zip(known).map(|(item, issue)| {
            let own = issue.is_some_and(|issue| issue.depends_on.contains(&item.issue_id));
            own || item.depends_on.iter().any(|plan| plan.issue() == item.issue_id)
        });
        let on_itself: Vec<bool> =
            on_itself.chain(outside.iter().map(|id| facts[*id].depends_on.contains(*id))).collect();
        let issues: Vec<&IssueId> = live.iter().map(|item| &item.issue_id).chain(outside).collect();
        let mut waits = vec![Vec::new(); before.len()];
        for (node, earlier) in before.iter().enumerate().filter(|(node, _)| !is_met(facts, &issues, *node)) {
            let all = earlier.iter().copied().chain(on_itself[node].then_some(node));
            waits[node] = all.filter(|earlier| !is_met(facts, &issues, *earlier)).collect();
        }
        Self { before, depends, waits, issues }
    }

    fn weights(&self, items: usize) -> Vec<usize> {
        (0..self.before.len()).map(|n| usize::from(n < items)).collect()
    }

    /// A cycle along `edges` through `node`, by the names of issues.
    fn drawn(&self, node: usize, edges: &[Vec<usize>], component: &[usize]) -> String {
        let cycle = dag::cycle_through(&node, |n: &usize| {
            let mut next: Vec<usize> = edges[*n].clone();
            next.retain(|to| component[*to] == component[node]);
            next.sort_by_key(|to| self.issues[*to]);
            next
        })
        .unwrap_or_default();
        drawn(&cycle.iter().map(|n| self.issues[*n].clone()).collect::<Vec<_>>())
    }
}

fn is_met(facts: &Facts, issues: &[&IssueId], node: usize) -> bool {
    facts.get(issues[node]).is_some_and(IssueFacts::is_met)
}

fn before_of(items: &HashMap<&IssueId, Vec<usize>>, ids: &mut dyn Iterator<Item = &IssueId>) -> Vec<usize> {
    ids.filter_map(|id| items.get(id)).flatten().copied().collect()
}
