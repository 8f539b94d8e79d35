//! Relations that lead back to the issue where they began, as a merge of two clones can leave them.

use std::collections::BTreeMap;

use super::dag;
use super::readiness::drawn;
use crate::model::issue::{PART_RELATION, UNDIRECTED_RELATION};
use crate::model::{Issue, IssueId, Op, RELATIONS, Remedy, RemedyCall};

/// The relations of some issues, for each kind that has a direction.
#[derive(Debug, Default)]
pub(crate) struct Relations(BTreeMap<&'static str, BTreeMap<IssueId, Vec<IssueId>>>);

impl Relations {
    /// Adds those of an issue. Returns where they lead.
    pub(crate) fn add(&mut self, issue: &Issue) -> Vec<IssueId> {
        let mut all = Vec::new();
        for kind in RELATIONS.iter().copied().filter(|kind| *kind != UNDIRECTED_RELATION) {
            let to: Vec<IssueId> = issue.related(kind).collect();
            all.extend(to.iter().cloned());
            if !to.is_empty() {
                self.0.entry(kind).or_default().insert(issue.id.clone(), to);
            }
        }
        all
    }

    /// Adds one: an issue is a part of another.
    pub(crate) fn add_part(&mut self, part: IssueId, whole: IssueId) {
        self.0.entry(PART_RELATION).or_default().entry(part).or_default().push(whole);
    }

    /// The cycles among them, one for each part of the graph that has any.
    pub(crate) fn cycles(&self) -> Vec<RelationCycle> {
        let mut found = Vec::new();
        for (&kind, edges) in &self.0 {
            let paths = dag::cycle_of_each_part(edges).into_iter();
            found.extend(paths.map(|path| RelationCycle { kind, path }));
        }
        found
    }
}

/// Issues of which each has a relation of this kind to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelationCycle {
    kind: &'static str,
    /// The first issue is also the last.
    path: Vec<IssueId>,
}

impl RelationCycle {
    /// Its issues, the first of them twice.
    pub(crate) fn issues(&self) -> &[IssueId] {
        &self.path
    }

    /// The command that ends it.
    pub(crate) fn remedy(&self) -> Remedy {
        let (first, next) = (&self.path[0], self.path.get(1).unwrap_or(&self.path[0]));
        let edit = RemedyCall::new(Op::Edit, [first]).option("relation", format!("-{}:{next}", self.kind));
        Remedy::call(edit, "removes a relation")
    }
}

impl std::fmt::Display for RelationCycle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` in a circle: {}", self.kind, drawn(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Time;

    #[test]
    fn each_kind_has_its_own_circles() {
        let mut relations = Relations::default();
        for (id, to) in
            [("A-1", "parent-child:A-2"), ("A-2", "parent-child:A-1"), ("A-3", "duplicates:A-4"), ("A-4", "")]
        {
            let mut issue = Issue::new(IssueId::parse(id).unwrap(), "a".into(), Time::EPOCH, "t".into());
            issue.relations.extend((!to.is_empty()).then(|| to.to_owned()));
            assert_eq!(relations.add(&issue).len(), usize::from(!to.is_empty()));
        }
        let cycles = relations.cycles();
        assert_eq!(cycles.len(), 1, "{cycles:?}");
        assert_eq!(cycles[0].to_string(), "`parent-child` in a circle: A-1 → A-2 → A-1");
    }
}
