//! The cost of repeating merges, and how much one push may cause. It is counted in files and bytes, not in
//! time, so that the answer is the same on any machine.

use std::collections::HashSet;

use crate::git::ObjectId;
use crate::rules::UnknownChange;
use crate::store::{CodeCommit, Store, StoreError};

/// Merges of more commits than this are not repeated.
const MOST_PARENTS: usize = 64;
/// A merge is not repeated if its parents, their common ancestors and so on make more pairs than this.
const MOST_BASES: usize = 32;
/// git compares at most this many deleted files with as many added ones, to find inexact renames.
pub(super) const MOST_RENAMES: u64 = 400;
/// The most bytes of a file whose versions git merges: each line takes up to 250 bytes of memory.
const LARGEST_FILE: u64 = 2 * 1024 * 1024;
/// The budget of one merge, in steps of some microseconds.
const MOST_STEPS: u64 = 2_000_000;
/// The budget of all merges of one push.
const STEPS_OF_A_PUSH: u64 = 8_000_000;
/// The cost of finding the common ancestors of two commits, and of starting.
const STEPS_OF_A_PAIR: u64 = 100;

/// The remaining budget.
#[derive(Debug)]
pub(crate) struct MergeBudget(Option<u64>);

impl MergeBudget {
    /// Bounds each merge, but not their number: the user started this, and can stop it.
    pub(crate) fn of_each() -> Self {
        Self(None)
    }

    /// Bounds all merges together, since a push makes the server work.
    pub(crate) fn of_a_push() -> Self {
        Self(Some(STEPS_OF_A_PUSH))
    }

    /// Subtracts these steps; false if there were not enough left.
    fn take(&mut self, steps: u64) -> bool {
        let Some(left) = &mut self.0 else { return true };
        let is_enough = *left >= steps;
        *left = left.saturating_sub(steps);
        is_enough
    }

    fn is_spent(&self) -> bool {
        self.0 == Some(0)
    }
}

/// Why a merge is not repeated; none if it can be. git would walk everything that the trees of the parents and of their
/// ancestors unfold to.
pub(super) fn unseen(
    store: &Store,
    merge: &CodeCommit,
    budget: &mut MergeBudget,
) -> Result<Option<UnknownChange>, StoreError> {
    if budget.is_spent() {
        return Ok(Some(UnknownChange::Spent));
    }
    let mut steps = 0;
    let found = weigh(store, merge, &mut steps)?;
    // This was checked before for trees that unfold without end.
    let is_enough = budget.take(if found == Some(UnknownChange::Unfolds) { MOST_STEPS } else { steps });
    Ok(found.or((!is_enough).then_some(UnknownChange::Spent)))
}

fn weigh(store: &Store, merge: &CodeCommit, steps: &mut u64) -> Result<Option<UnknownChange>, StoreError> {
    if merge.parents.len() > MOST_PARENTS {
        return Ok(Some(UnknownChange::Ancestry));
    }
    let tree = store.code_tree_of(merge.id)?;
    for parent in &merge.parents {
        if store.repo().exceeds_budget(Some(store.code_tree_of(*parent)?), tree)? {
            return Ok(Some(UnknownChange::Unfolds));
        }
    }
    let mut open: Vec<(ObjectId, ObjectId)> = merge.parents[..]
        .iter()
        .enumerate()
        .flat_map(|(n, one)| merge.parents[n + 1..].iter().map(|two| (*one, *two)))
        .collect();
    let mut seen: HashSet<(ObjectId, ObjectId)> = open.iter().copied().collect();
    let most = open.len() + MOST_BASES;
    while let Some((one, two)) = open.pop() {
        *steps += STEPS_OF_A_PAIR;
        let bases = store.merge_bases(one, two)?;
        if bases.is_empty() {
            store.require_whole(merge)?;
        }
        let sides = [store.code_tree_of(one)?, store.code_tree_of(two)?];
        let trees = bases.iter().map(|base| store.code_tree_of(*base).map(Some));
        let mut trees = trees.collect::<Result<Vec<_>, _>>()?;
        if trees.is_empty() {
            trees.push(None);
        }
        for base in trees {
            let Some(work) = store.merge_work(base, sides, MOST_RENAMES)? else {
                return Ok(Some(UnknownChange::Unfolds));
            };
            *steps += work.steps;
            if work.largest > LARGEST_FILE {
                return Ok(Some(UnknownChange::LargeFile));
            }
            if *steps > MOST_STEPS {
                return Ok(Some(UnknownChange::TooMuch));
            }
        }
        // git merges several common ancestors into one first.
        for (n, base) in bases.iter().enumerate() {
            open.extend(bases[n + 1..].iter().map(|other| (*base, *other)).filter(|pair| seen.insert(*pair)));
        }
        if seen.len() > most {
            return Ok(Some(UnknownChange::Ancestry));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_and_that_of_an_audit_does_not() {
        let mut budget = MergeBudget::of_a_push();
        assert!(budget.take(STEPS_OF_A_PUSH - 1) && !budget.is_spent());
        assert!(budget.take(1) && budget.is_spent());
        assert!(!budget.take(1) && budget.is_spent());
        let mut budget = MergeBudget::of_each();
        assert!(budget.take(u64::MAX) && budget.take(u64::MAX) && !budget.is_spent());
    }
}
