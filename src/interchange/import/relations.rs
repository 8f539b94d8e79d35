//! Relations of a source that lead back to their own issue, which no command would write: those that close a circle
//! are left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::issue::UNDIRECTED_RELATION;
use crate::model::{ISSUE, Issue, IssueId, RELATIONS, Stamp};
use crate::rules::dag;
use crate::store::{ReadState, StoreError, layout, records};

/// The kinds of relation that have a direction.
pub(super) fn directed() -> impl Iterator<Item = &'static str> {
    RELATIONS.iter().copied().filter(|kind| *kind != UNDIRECTED_RELATION)
}

/// The relations of an issue that have a direction, as it stores them: `parent-child:A-1`.
pub(super) fn directed_of(issue: &Issue) -> BTreeSet<String> {
    directed().flat_map(|kind| issue.related(kind).map(move |to| format!("{kind}:{to}"))).collect()
}

/// The relations that are left out, by issue.
#[derive(Default)]
pub(super) struct LeftOutRelations(BTreeMap<IssueId, BTreeSet<String>>);

impl LeftOutRelations {
    /// Finds those that would close a circle. `wanted`: the directed relations that the source has, by issue. A
    /// relation that is here already is none of them.
    pub(super) fn find(
        read: &impl ReadState,
        wanted: &BTreeMap<IssueId, BTreeSet<String>>,
    ) -> Result<Self, StoreError> {
        let mut left_out = Self::default();
        for kind in directed() {
            let mut circles = Circles::load(read, kind, wanted)?;
            for (from, to) in circles.closing() {
                left_out.0.entry(from).or_default().insert(format!("{kind}:{to}"));
            }
        }
        Ok(left_out)
    }

    /// Finds those that would close a circle if an issue that is here became `now`.
    pub(super) fn of_issue(read: &impl ReadState, here: &Issue, now: &Issue) -> Result<Self, StoreError> {
        let new: BTreeSet<String> = directed_of(now).difference(&directed_of(here)).cloned().collect();
        if new.is_empty() {
            return Ok(Self::default());
        }
        Self::find(read, &BTreeMap::from([(here.id.clone(), directed_of(now))]))
    }

    /// Takes them out of what the source says of an issue. One that is `here` stays as it is.
    pub(super) fn leave_out(&self, issue: &mut Issue, here: Option<&Issue>) {
        for relation in self.0.get(&issue.id).into_iter().flatten() {
            if here.is_some_and(|here| here.relations.contains(relation)) {
                issue.relations.insert(relation.clone());
            } else {
                issue.relations.remove(relation);
            }
        }
    }

    /// What is said of an issue. `here` is the issue before the import.
    pub(super) fn notes(&self, id: &IssueId, here: Option<&Issue>) -> Vec<String> {
        let left_out = self.0.get(id).into_iter().flatten();
        left_out
            .filter(|relation| here.is_none_or(|here| !here.relations.contains(*relation)))
            .map(|relation| format!("`{relation}` was left out: it would lead back to `{id}` itself"))
            .collect()
    }
}

/// The relations of one kind, of the source and of what is here.
struct Circles {
    edges: BTreeMap<IssueId, BTreeSet<IssueId>>,
    /// Relations that are not here yet.
    new: BTreeSet<(IssueId, IssueId)>,
}

impl Circles {
    fn load(
        read: &impl ReadState,
        kind: &'static str,
        wanted: &BTreeMap<IssueId, BTreeSet<String>>,
    ) -> Result<Self, StoreError> {
        let mut circles = Self { edges: BTreeMap::new(), new: BTreeSet::new() };
        let mut open: Vec<IssueId> = wanted
            .iter()
            .filter(|(_, all)| !targets(kind, all).is_empty())
            .map(|(id, _)| id.clone())
            .collect();
        while let Some(id) = open.pop() {
            if circles.edges.contains_key(&id) {
                continue;
            }
            let source = wanted.get(&id).map(|all| targets(kind, all));
            let here = related_here(read, kind, &id, source.is_some())?;
            let mut next: BTreeSet<IssueId> = here.kept;
            for to in source.into_iter().flatten() {
                if !here.all.contains(&to) {
                    circles.new.insert((id.clone(), to.clone()));
                }
                next.insert(to);
            }
            open.extend(next.iter().cloned());
            circles.edges.insert(id, next);
        }
        Ok(circles)
    }

    fn next(&self, id: &IssueId) -> Vec<IssueId> {
        self.edges.get(id).into_iter().flatten().cloned().collect()
    }

    /// Removes new relations until they close no circle, and returns them.
    fn closing(&mut self) -> Vec<(IssueId, IssueId)> {
        let ids: Vec<IssueId> = self.edges.keys().cloned().collect();
        let mut closing = Vec::new();
        loop {
            let before = closing.len();
            for edge in dag::back_edges(&ids, |id| self.next(id)) {
                let new = if self.new.contains(&edge) { Some(edge) } else { self.new_in_circle(&edge.0) };
                if let Some((from, to)) = new {
                    self.edges.entry(from.clone()).or_default().remove(&to);
                    closing.push((from, to));
                }
            }
            if closing.len() == before {
                return closing;
            }
        }
    }

    /// The last new relation of a circle through an issue.
    fn new_in_circle(&self, id: &IssueId) -> Option<(IssueId, IssueId)> {
        let circle = dag::cycle_through(id, |id| self.next(id))?;
        let edges = circle.windows(2).rev().map(|edge| (edge[0].clone(), edge[1].clone()));
        edges.into_iter().find(|edge| self.new.contains(edge))
    }
}

fn targets(kind: &'static str, all: &BTreeSet<String>) -> Vec<IssueId> {
    let ids = all.iter().filter_map(|relation| relation.strip_prefix(kind)?.strip_prefix(':'));
    ids.filter_map(|id| IssueId::parse(id).ok()).collect()
}

/// What an issue that is here is related to.
#[derive(Default)]
struct RelatedHere {
    all: BTreeSet<IssueId>,
    /// Relations that stay after an import.
    kept: BTreeSet<IssueId>,
}

/// `is_imported`: whether the issue is imported again, so that what an earlier import wrote may go.
fn related_here(
    read: &impl ReadState,
    kind: &str,
    id: &IssueId,
    is_imported: bool,
) -> Result<RelatedHere, StoreError> {
    let doc = match records::doc(read, &ISSUE, &layout::issue(id)) {
        Ok(doc) => doc,
        // It leads nowhere; `fsck` names it.
        Err(StoreError::Broken { .. }) => None,
        Err(error) => return Err(error),
    };
    let Some(doc) = doc else { return Ok(RelatedHere::default()) };
    let Ok(issue) = doc.read::<Issue>() else { return Ok(RelatedHere::default()) };
    let all: BTreeSet<IssueId> = issue.related(kind).collect();
    Ok(RelatedHere {
        kept: all
            .iter()
            .filter(|to| {
                let stamp = doc.stamp(&format!("relations/{kind}:{to}"));
                !(is_imported && stamp.is_some_and(Stamp::is_import))
            })
            .cloned()
            .collect(),
        all,
    })
}
