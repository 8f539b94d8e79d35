//! Declared conflicts between the items of a queue, and what a person still has to decide.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    ConflictType, EntryId, ItemId, Person, QueueConflict, RepoPath, Resolution, Severity, SolutionId, Time,
};

/// A declared conflict, with the entry that counts. However often it was declared, it is one conflict: a decision
/// applies to all of its declarations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EffectiveConflict<'a> {
    /// `CFT-<n>`: its place among the declared conflicts, from 1.
    pub(crate) number: usize,
    /// The first entry about it.
    pub(crate) declared: &'a QueueConflict,
    /// The entry that counts: the latest decision, or else the strictest declaration.
    pub(crate) entry: &'a QueueConflict,
    /// Whether `entry` is a decision.
    is_decided: bool,
    /// Whether two declarations give different orders, and nobody has decided between them.
    pub(crate) is_disputed: bool,
    /// The first declaration with an order.
    ordered: Option<&'a QueueConflict>,
}

impl<'a> EffectiveConflict<'a> {
    /// The name of the conflict.
    pub(crate) fn name(&self) -> String {
        format!("CFT-{}", self.number)
    }

    /// The decided order; empty if a person has not decided yet, or need not.
    pub(crate) fn order(&self) -> Vec<&'a SolutionId> {
        if self.entry.resolution == Resolution::Manual || self.is_disputed {
            return Vec::new();
        }
        order_of(self.entry)
    }

    /// Whether a person has to decide.
    pub(crate) fn is_undecided(&self) -> bool {
        self.is_disputed
            || self.entry.resolution == Resolution::Manual
            || (self.entry.severity == Severity::High && self.order().len() < 2)
    }

    /// Whether its plans are executed in the order of the queue, since nobody decided on another.
    pub(crate) fn goes_by_queue(&self) -> bool {
        !self.is_undecided() && self.entry.resolution == Resolution::Sequential && self.order().len() < 2
    }

    /// Applies a later entry about the same conflict.
    fn join(&mut self, later: &'a QueueConflict) {
        if later.resolves.is_some() {
            (self.entry, self.is_decided, self.is_disputed) = (later, true, false);
        } else if !self.is_decided {
            // Declared by someone who did not know of the other declaration.
            if !order_of(later).is_empty() {
                self.is_disputed |= self.ordered.is_some_and(|first| order_of(first) != order_of(later));
                self.ordered = self.ordered.or(Some(later));
            }
            if weight(later) > weight(self.entry) {
                self.entry = later;
            }
        }
    }
}

/// The order that an entry gives to its plans, each once. Other plans have no part in it, and a single plan has no order.
fn order_of(entry: &QueueConflict) -> Vec<&SolutionId> {
    let mut order: Vec<&SolutionId> = Vec::new();
    for id in &entry.resolution_order {
        if entry.solutions.contains(id) && !order.contains(&id) {
            order.push(id);
        }
    }
    if order.len() < 2 { Vec::new() } else { order }
}

/// How strict a declaration is.
fn weight(entry: &QueueConflict) -> impl Ord {
    let is_manual = entry.resolution == Resolution::Manual;
    (is_manual, std::cmp::Reverse(entry.severity), !order_of(entry).is_empty())
}

/// What identifies a conflict: the type, the file, and the plans in any order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject<'a> {
    kind: ConflictType,
    /// A text that is not a path is compared as it is.
    file: Option<Result<RepoPath, &'a str>>,
    solutions: BTreeSet<&'a SolutionId>,
}

impl<'a> Subject<'a> {
    /// What an entry is about.
    pub(crate) fn new(entry: &'a QueueConflict) -> Self {
        let file = entry.file.as_deref().map(|text| RepoPath::parse(text).map_err(|_| text));
        Self { kind: entry.kind, file, solutions: entry.solutions.iter().collect() }
    }
}

/// The declared conflicts in the order of their first entries, whatever the order of `entries`. If an entry decides one
/// that is missing or not earlier, it decides the conflict about its own subject.
pub(crate) fn standing(entries: &[QueueConflict]) -> Vec<EffectiveConflict<'_>> {
    let mut sorted: Vec<&QueueConflict> = entries.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id));
    let mut root_of: BTreeMap<&EntryId, usize> = BTreeMap::new();
    let mut about: BTreeMap<Subject<'_>, usize> = BTreeMap::new();
    let mut found: Vec<EffectiveConflict<'_>> = Vec::new();
    for entry in sorted {
        let subject = Subject::new(entry);
        let decided = entry.resolves.as_ref().and_then(|earlier| root_of.get(earlier).copied());
        let root = decided.or_else(|| about.get(&subject).copied()).unwrap_or(found.len());
        match found.get_mut(root) {
            Some(known) => known.join(entry),
            None => {
                let is_decided = entry.resolves.is_some();
                found.push(EffectiveConflict {
                    number: root + 1,
                    declared: entry,
                    entry,
                    is_decided,
                    is_disputed: false,
                    ordered: (!order_of(entry).is_empty()).then_some(entry),
                });
            }
        }
        if decided.is_none() {
            about.entry(subject).or_insert(root);
        }
        root_of.insert(&entry.id, root);
    }
    found
}

/// One way to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct QueueChoice {
    /// The plans, first to last: what `queue resolve --order` takes.
    pub(crate) order: Vec<SolutionId>,
    /// A description.
    pub(crate) description: String,
}

/// What a person has to decide before the items continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Clarification {
    /// A description.
    pub(crate) question: String,
    /// Some of the possible decisions; any other order of the same plans is allowed, too.
    pub(crate) options: Vec<QueueChoice>,
}

/// A conflict in its current state.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ConflictView {
    /// `CFT-<n>`, its number among declared conflicts; absent if it is derived from the plans.
    #[schemars(regex(pattern = "^CFT-[1-9][0-9]*$"))]
    pub(crate) id: Option<String>,
    /// The entry that counts; absent if it is derived from the plans.
    pub(crate) entry_id: Option<EntryId>,
    /// What the plans conflict over.
    #[serde(rename = "type")]
    pub(crate) kind: ConflictType,
    /// How severe it is.
    pub(crate) severity: Severity,
    /// The plans.
    pub(crate) solutions: Vec<SolutionId>,
    /// Their items in the queue, without removed ones.
    pub(crate) item_ids: Vec<ItemId>,
    /// The file, if the conflict is about one.
    pub(crate) file: Option<String>,
    /// How it is resolved.
    pub(crate) resolution: Resolution,
    /// The order: as decided, else that of the queue; empty while a decision is needed.
    pub(crate) resolution_order: Vec<SolutionId>,
    /// Why.
    pub(crate) rationale: Option<String>,
    /// Whether no decision by a person is needed.
    pub(crate) resolved: bool,
    /// What a person has to decide.
    pub(crate) clarification: Option<Clarification>,
    /// Who declared it, or last decided it; absent if it is derived from the plans.
    pub(crate) author: Option<Person>,
    /// The time.
    pub(crate) created_at: Option<Time>,
}

/// For up to this many plans, every order is offered.
const ALL_ORDERS: usize = 3;

/// A question names this many items and counts the others.
pub(super) const MOST_NAMED: usize = 8;

/// The question about `members` (plan and name, in the order of the queue).
pub(super) fn clarification(why: &str, members: &[(SolutionId, String)]) -> Clarification {
    let mut orders: Vec<Vec<usize>> = vec![vec![]];
    if members.len() <= ALL_ORDERS {
        for _ in members {
            let longer = orders.iter().flat_map(|order| {
                let rest = (0..members.len()).filter(|n| !order.contains(n));
                rest.map(|n| order.iter().copied().chain([n]).collect()).collect::<Vec<_>>()
            });
            orders = longer.collect();
        }
    } else {
        orders = vec![(0..members.len()).collect(), (0..members.len()).rev().collect()];
    }
    let options = orders.into_iter().map(|order| QueueChoice {
        order: order.iter().map(|n| members[*n].0.clone()).collect(),
        description: order.iter().map(|n| members[*n].1.as_str()).collect::<Vec<_>>().join(", then "),
    });
    let names: Vec<&str> = members.iter().take(MOST_NAMED).map(|(_, name)| name.as_str()).collect();
    let more = (members.len() > MOST_NAMED).then(|| format!("{} more", members.len() - MOST_NAMED));
    let (last, first) = match (&more, names.split_last()) {
        (Some(more), _) => (more.as_str(), names.as_slice()),
        (None, Some((last, first))) => (*last, first),
        (None, None) => ("", [].as_slice()),
    };
    let question = format!("{why}: in which order are {} and {last} executed?", first.join(", "));
    Clarification { question, options: options.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;

    fn entry(n: usize, resolves: Option<usize>, order: &[&str]) -> QueueConflict {
        let id = |n: usize| entry_id(&format!("20261121T0214051{n:02}Z-00000"));
        let plan = |id: &str| SolutionId::parse(&format!("SOL-{id}-1-a")).unwrap();
        QueueConflict {
            id: id(n),
            kind: ConflictType::Api,
            severity: Severity::High,
            solutions: vec![plan("A"), plan("B")],
            file: None,
            resolution: Resolution::Sequential,
            resolution_order: order.iter().map(|id| plan(id)).collect(),
            rationale: None,
            resolves: resolves.map(id),
            author: "a".into(),
            created_at: Time::from_seconds(0).unwrap(),
        }
    }

    #[test]
    fn the_latest_decision_counts_in_whatever_order_entries_come() {
        let other = QueueConflict { kind: ConflictType::Data, ..entry(2, None, &["A", "B"]) };
        let all = [
            entry(1, None, &[]),
            other,
            entry(3, Some(1), &["A", "B"]),
            entry(4, Some(3), &["B", "A"]),
            // Another clone decided without knowing of the one before.
            entry(5, Some(1), &["A", "B"]),
        ];
        let mut turned = all.clone();
        turned.reverse();
        for entries in [all, turned] {
            let found = standing(&entries);
            let shown: Vec<_> = found.iter().map(|conflict| (conflict.number, &conflict.entry.id)).collect();
            assert_eq!(shown[0], (1, &entry_id("20261121T021405105Z-00000")));
            assert_eq!(shown[1], (2, &entry_id("20261121T021405102Z-00000")));
            assert_eq!(shown.len(), 2);
        }
    }

    #[test]
    fn a_conflict_declared_twice_is_one_and_a_decision_about_either_is_one_about_it() {
        let mut turned = entry(2, None, &[]);
        turned.solutions.reverse();
        let twice = [entry(1, None, &[]), turned];
        assert_eq!(standing(&twice).len(), 1);
        let about_the_second = [&twice[..], &[entry(3, Some(2), &["A", "B"])]].concat();
        let about_both = [&about_the_second[..], &[entry(4, Some(1), &["B", "A"])]].concat();
        for (entries, first) in [(about_the_second, "SOL-A-1-a"), (about_both, "SOL-B-1-a")] {
            let found = standing(&entries);
            assert_eq!((found.len(), found[0].order()[0].as_str()), (1, first));
            assert!(!found[0].is_undecided());
        }
        let late = [entry(1, None, &[]), entry(2, Some(1), &["A", "B"]), entry(3, None, &["B", "A"])];
        let found = standing(&late);
        assert_eq!(
            found[0].entry.id, late[1].id,
            "a decision counts, even if the conflict is declared again later"
        );
    }

    #[test]
    fn other_files_types_or_plans_make_another_conflict() {
        let file =
            |n, name: Option<&str>| QueueConflict { file: name.map(str::to_owned), ..entry(n, None, &[]) };
        let mut third = entry(4, None, &[]);
        third.solutions.push(SolutionId::parse("SOL-C-1-a").unwrap());
        let data = QueueConflict { kind: ConflictType::Data, ..entry(5, None, &[]) };
        let all = [file(1, None), file(2, Some("a")), file(3, Some("b")), third, data];
        assert_eq!(standing(&all).len(), 5);
    }

    #[test]
    fn declarations_that_contradict_each_other_wait_for_a_person() {
        let medium =
            |n, order: &[&str]| QueueConflict { severity: Severity::Medium, ..entry(n, None, order) };
        let apart = [medium(1, &["A", "B"]), medium(2, &["B", "A"])];
        assert!(standing(&apart)[0].is_undecided());
        let decided = [&apart[..], &[entry(3, Some(1), &["B", "A"])]].concat();
        assert!(!standing(&decided)[0].is_undecided());
        // A stricter declaration without an order comes between the two.
        let between = [medium(1, &["A", "B"]), entry(2, None, &[]), medium(3, &["B", "A"])];
        assert!(standing(&between)[0].is_disputed);
        // Repeated plans, and those that the conflict is not about, have no part in an order.
        let same = [medium(1, &["A", "B"]), medium(2, &["A", "C", "A", "B"])];
        assert!(!standing(&same)[0].is_disputed && !standing(&same)[0].is_undecided());
        let none = [medium(1, &["A", "B"]), medium(2, &["B", "C"])];
        assert!(!standing(&none)[0].is_disputed);
        let one_knows = [medium(1, &[]), medium(2, &["B", "A"])];
        assert_eq!(standing(&one_knows)[0].order()[0].as_str(), "SOL-B-1-a");
        let graver = [medium(1, &["A", "B"]), entry(2, None, &[])];
        assert!(standing(&graver)[0].is_undecided(), "high, and without an order");
    }

    #[test]
    fn a_decision_about_something_that_is_not_here_decides_its_own_subject() {
        let entries =
            [entry(1, Some(2), &[]), entry(2, Some(2), &["A", "B"]), entry(3, Some(9), &["B", "A"])];
        let found = standing(&entries);
        assert_eq!((found.len(), found[0].entry.id.as_str()), (1, entries[2].id.as_str()));
    }

    #[test]
    fn high_without_an_order_and_manual_wait_for_a_person() {
        let undecided = |entry: QueueConflict| standing(&[entry])[0].is_undecided();
        assert!(undecided(entry(1, None, &[])));
        assert!(undecided(entry(1, None, &["A", "A"])), "one plan is not an order");
        assert!(!undecided(entry(1, None, &["B", "A"])));
        let medium = QueueConflict { severity: Severity::Medium, ..entry(1, None, &[]) };
        assert!(!undecided(medium.clone()));
        assert!(standing(std::slice::from_ref(&medium))[0].goes_by_queue());
        assert!(undecided(QueueConflict { resolution: Resolution::Manual, ..entry(1, None, &["B", "A"]) }));
        let merge = QueueConflict { resolution: Resolution::Merge, ..medium };
        assert!(!standing(&[merge])[0].goes_by_queue());
    }

    #[test]
    fn every_order_of_few_plans_is_offered() {
        let members: Vec<(SolutionId, String)> =
            (1..4).map(|n| (SolutionId::parse(&format!("SOL-A-{n}-a")).unwrap(), format!("S-{n}"))).collect();
        let asked = clarification("api", &members);
        assert_eq!(asked.question, "api: in which order are S-1, S-2 and S-3 executed?");
        assert_eq!(asked.options.len(), 6);
        assert_eq!(asked.options[5].description, "S-3, then S-2, then S-1");
        assert_eq!(clarification("api", &members[..2]).options.len(), 2);
    }
}
