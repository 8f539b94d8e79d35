//! Matches the layers or tasks of a document with those of an earlier version. Numbers shift as soon as one is added or
//! removed, so the goal of a layer or the title of a task counts first, then the scope, and the number only if the
//! texts are similar.

use std::collections::BTreeSet;

use super::Item;
use super::check::plain;
use crate::model::RoadmapMode;

/// Items with the same number match from this similarity of their titles on, from 0 to 1.
const ALIKE: f64 = 0.6;

/// A layer or task that has an issue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownPart {
    /// The layer or task as it was added.
    pub(crate) item: Item,
    /// Whether the last version of the document has it. If not, only an item with the same goal matches.
    pub(crate) is_current: bool,
}

/// What two items have in common, most significant first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    goal: bool,
    current: bool,
    scope: bool,
    number: bool,
    /// How many features or files both scopes contain.
    shared: usize,
}

/// An item, prepared for comparison.
struct Compared<'a> {
    id: &'a str,
    goal: String,
    scope: BTreeSet<String>,
}

impl<'a> Compared<'a> {
    fn new(item: &'a Item) -> Self {
        Self {
            id: &item.id,
            goal: plain(&item.goal),
            scope: item.scope.iter().map(|scope| plain(scope)).collect(),
        }
    }
}

/// For each item, the index of the matching known one. No two items match the same known one.
pub(crate) fn same(mode: RoadmapMode, items: &[Item], known: &[KnownPart]) -> Vec<Option<usize>> {
    let old: Vec<Compared<'_>> = known.iter().map(|issue| Compared::new(&issue.item)).collect();
    let mut pairs: Vec<(Likeness, usize, usize)> = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let new = Compared::new(item);
        for (m, (old, known)) in old.iter().zip(known).enumerate() {
            pairs.extend(likeness(mode, &new, old, known.is_current).map(|likeness| (likeness, n, m)));
        }
    }
    // The most similar pairs first; among equal ones, in document order.
    pairs.sort_by_key(|(likeness, n, m)| (std::cmp::Reverse(*likeness), *n, *m));
    let mut found = vec![None; items.len()];
    let mut taken = BTreeSet::new();
    for (_, n, m) in pairs {
        if found[n].is_none() && taken.insert(m) {
            found[n] = Some(m);
        }
    }
    found
}

/// How similar two items are; `None` if they do not match.
fn likeness(mode: RoadmapMode, new: &Compared<'_>, old: &Compared<'_>, is_current: bool) -> Option<Likeness> {
    let likeness = Likeness {
        goal: new.goal == old.goal,
        current: is_current,
        scope: new.scope == old.scope,
        number: new.id == old.id,
        shared: new.scope.intersection(&old.scope).count(),
    };
    // A feature belongs to only one layer, while several tasks can touch one file.
    let is_layer = mode == RoadmapMode::Progressive && likeness.shared > 0;
    let is_same = likeness.goal
        || is_current
            && (likeness.scope
                || is_layer
                || likeness.number
                    && (likeness.shared > 0 || strsim::sorensen_dice(&new.goal, &old.goal) >= ALIKE));
    is_same.then_some(likeness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::typed;
    use crate::rules::roadmap::items;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn done() -> Value {
        json!({"criteria": ["c"], "verification": "v", "definition_of_done": "d"})
    }

    fn tasks(given: &[(&str, &str, &str)]) -> Vec<Item> {
        let task = |(id, title, scope): &(&str, &str, &str)| json!({"id": id, "title": title, "type": "t", "scope": scope, "convergence": done()});
        items(&typed::read(&json!({"tasks": given.iter().map(task).collect::<Vec<_>>()})).unwrap())
    }

    fn known(items: &[Item]) -> Vec<KnownPart> {
        items.iter().map(|item| KnownPart { item: item.clone(), is_current: true }).collect()
    }

    fn of_tasks(before: &[(&str, &str, &str)], now: &[(&str, &str, &str)]) -> Vec<Option<usize>> {
        same(RoadmapMode::Direct, &tasks(now), &known(&tasks(before)))
    }

    const BEFORE: &[(&str, &str, &str)] = &[
        ("T1", "Write CSV", "src/csv.rs"),
        ("T2", "Write PDF", "src/pdf.rs"),
        ("T3", "Offer both", "src/menu.rs"),
    ];

    #[test]
    fn a_task_is_the_same_whatever_its_number() {
        for (now, expected) in [
            // One task is removed, and the others move up.
            (
                vec![("T1", "Write PDF", "src/pdf.rs"), ("T2", "Offer both", "src/menu.rs")],
                vec![Some(1), Some(2)],
            ),
            // One task is inserted.
            (
                vec![
                    ("T1", "Write CSV", "src/csv.rs"),
                    ("T2", "Choose columns", "src/columns.rs"),
                    ("T3", "write  PDF.", "src/pdf"),
                    ("T4", "Offer all", "src/menu.rs"),
                ],
                vec![Some(0), None, Some(1), Some(2)],
            ),
            // Both texts changed a little.
            (vec![("T2", "Write PDF/A", "src/pdf2.rs")], vec![Some(1)]),
            // Only the number is the same.
            (vec![("T2", "Tell accounting", "docs/a.md")], vec![None]),
            // Two tasks with one title: the scope decides.
            (vec![("T1", "Write PDF", "x"), ("T9", "Write PDF", "src/pdf.rs")], vec![None, Some(1)]),
        ] {
            assert_eq!(of_tasks(BEFORE, &now), expected, "{now:?}");
        }
    }

    #[test]
    fn what_the_document_no_longer_had_is_the_same_only_by_its_goal() {
        let mut all = known(&tasks(BEFORE));
        all[1].is_current = false;
        let of = |title: &str| same(RoadmapMode::Direct, &tasks(&[("T2", title, "src/pdf.rs")]), &all);
        assert_eq!((of("Write PDF"), of("Write another PDF")), (vec![Some(1)], vec![None]));
    }

    #[test]
    fn a_layer_is_the_same_if_they_share_a_feature() {
        let layer = |id: &str, goal: &str, scope: &[&str]| json!({"id": id, "name": "n", "goal": goal, "scope": scope, "effort": "small", "convergence": done()});
        let read = |layers: Value| items(&typed::read(&json!({ "layers": layers })).unwrap());
        let before = known(&read(json!([
            layer("L0", "one", &["a", "b"]),
            layer("L1", "two", &["c"]),
            layer("L2", "three", &["d", "e"])
        ])));
        let now = read(json!([layer("L0", "uno", &["a", "c"]), layer("L1", "tres", &["d"])]));
        assert_eq!(same(RoadmapMode::Progressive, &now, &before), [Some(0), Some(2)]);
    }

    proptest! {
        /// A document matches itself in any order and with any numbers.
        #[test]
        fn a_document_is_itself_in_any_order(order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle()) {
            let names: Vec<(String, String, String)> =
                (0..6).map(|n| (format!("T{}", n + 1), format!("title {n}"), format!("src/{n}.rs"))).collect();
            let of = |n: usize, number: usize| (names[number].0.as_str(), names[n].1.as_str(), names[n].2.as_str());
            let before: Vec<_> = (0..6).map(|n| of(n, n)).collect();
            let now: Vec<_> = order.iter().enumerate().map(|(number, n)| of(*n, number)).collect();
            let expected: Vec<Option<usize>> = order.iter().map(|n| Some(*n)).collect();
            prop_assert_eq!(of_tasks(&before, &now), expected);
        }

        #[test]
        fn no_issue_is_that_of_two_items(
            before in prop::collection::vec((1usize..5, 0u8..3, 0u8..3), 0..6),
            now in prop::collection::vec((1usize..5, 0u8..3, 0u8..3), 0..6),
        ) {
            let text = |all: &[(usize, u8, u8)]| -> Vec<(String, String, String)> {
                all.iter().map(|(id, title, scope)| (format!("T{id}"), format!("t{title}"), format!("s{scope}"))).collect()
            };
            let (before, now) = (text(&before), text(&now));
            let plain = |all: &'_ [(String, String, String)]| -> Vec<Item> {
                let all: Vec<_> = all.iter().map(|it| (it.0.as_str(), it.1.as_str(), it.2.as_str())).collect();
                if all.is_empty() { vec![] } else { tasks(&all) }
            };
            let found = same(RoadmapMode::Direct, &plain(&now), &known(&plain(&before)));
            let taken: Vec<usize> = found.iter().flatten().copied().collect();
            prop_assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), taken.len());
        }
    }
}
