//! Conflicts along the history: a merge finds them, and a write by someone who has that merge in their history
//! resolves them.

use std::collections::HashMap;

use super::WHOLE;
use super::found::{FoundConflicts, Met};
use super::imported::has_replaced_import;
use super::kept::KeptConflicts;
use crate::git::ObjectId;
use crate::index::Refreshing;
use crate::model::{Apart, Doc, Schema};
use crate::store::layout::{form, own_doc};
use crate::store::{Did, Form, Lineage, Own, ReadState, SharedMap, Snapshot, Store, StoreError, Wrote};

/// The conflicts in the history of a commit by their number, and whether each is resolved there.
type Known = SharedMap<bool>;

pub(super) struct ConflictHistory<'a> {
    store: &'a Store,
    lineage: Lineage<'a>,
    found: FoundConflicts,
    /// The commit from which the walk went on, and how many of the events were known there.
    began: Option<(ObjectId, usize)>,
    /// What commits did to conflicts: found them, or resolved them. A conflict is known in the history of each commit that
    /// descends from such an event, and resolved if one of these events resolved it.
    events: Vec<ConflictEvent>,
    /// Whether records were deleted or damaged, so that a walk from here on would not know all of what it needs.
    has_gaps: bool,
}

/// What a commit did to the conflict with a number: whether it resolved it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConflictEvent {
    pub(super) commit: ObjectId,
    pub(super) number: u32,
    pub(super) resolves: bool,
}

/// The conflicts in the history of `tip` but not of `since` that nobody who could have seen them has resolved.
pub(super) fn unsettled_since(
    store: &Store,
    tip: ObjectId,
    since: Option<ObjectId>,
) -> Result<Vec<Met>, StoreError> {
    let mut history = ConflictHistory::new(store);
    let last = history.walk(tip, since, &mut |_, _, _| {})?;
    Ok(history.unsettled(&last))
}

/// The conflicts in the whole history of `tip` that nobody who could have seen them has resolved, and what to keep for
/// the next time. `kept` is what an earlier call returned.
pub(super) fn unsettled(
    store: &Store,
    tip: ObjectId,
    kept: Option<KeptConflicts>,
    watch: Refreshing<'_>,
) -> Result<(Vec<Met>, Option<KeptConflicts>), StoreError> {
    let mut history = ConflictHistory::new(store);
    // After a purge, the old history is no longer one of this commit.
    let since = match kept {
        Some(kept) if store.is_ancestor(kept.commit, tip).unwrap_or(false) => {
            let since = kept.commit;
            history.go_on_from(kept);
            Some(since)
        }
        _ => None,
    };
    let last = history.walk(tip, since, watch)?;
    let unsettled = history.unsettled(&last);
    let ConflictHistory { found, events, has_gaps, .. } = history;
    Ok((unsettled, (!has_gaps).then_some(KeptConflicts { commit: tip, met: found.all, events })))
}

impl<'a> ConflictHistory<'a> {
    fn new(store: &'a Store) -> Self {
        Self {
            store,
            lineage: Lineage::over(store, []),
            found: FoundConflicts::default(),
            began: None,
            events: Vec::new(),
            has_gaps: false,
        }
    }

    /// Goes on where an earlier walk ended.
    fn go_on_from(&mut self, kept: KeptConflicts) {
        let KeptConflicts { commit, met, events } = kept;
        for met in met {
            self.found.add(met);
        }
        self.began = Some((commit, events.len()));
        self.events = events;
    }

    /// Walks what is in the history of `tip` but not of `since`. Returns which conflicts are known there, and whether each
    /// is resolved.
    fn walk(
        &mut self,
        tip: ObjectId,
        since: Option<ObjectId>,
        watch: Refreshing<'_>,
    ) -> Result<Known, StoreError> {
        let commits = self.store.parents_first(&[tip], since)?;
        let parents = commits.iter().map(|(commit, parents)| (*commit, &parents[..]));
        self.lineage = Lineage::over(self.store, parents).without_births();
        let mut states: HashMap<ObjectId, Known> = HashMap::new();
        for (n, (commit, parents)) in commits.iter().enumerate() {
            watch("looking for conflicts in commits", n, Some(commits.len()));
            for parent in parents {
                if !states.contains_key(parent) {
                    states.insert(*parent, self.at_start(*parent));
                }
            }
            let state = self.after(*commit, parents, &states)?;
            states.insert(*commit, state);
        }
        Ok(states.remove(&tip).unwrap_or_else(|| self.at_start(tip)))
    }

    /// What is known at a commit that was walked earlier.
    fn at_start(&self, commit: ObjectId) -> Known {
        let mut known = Known::default();
        let Some((began, count)) = self.began else { return known };
        for event in &self.events[..count] {
            let is_here = commit == began || self.store.is_ancestor(event.commit, commit).unwrap_or(false);
            if is_here && (event.resolves || known.get(event.number).is_none()) {
                known.set(event.number, Some(event.resolves));
            }
        }
        known
    }

    fn unsettled(&self, last: &Known) -> Vec<Met> {
        let numbered = (0..).zip(&self.found.all);
        numbered.filter(|(n, _)| last.get(*n) == Some(&false)).map(|(_, met)| met.clone()).collect()
    }

    /// Notes what a commit does to a conflict.
    fn set(&mut self, state: &mut Known, commit: ObjectId, number: u32, resolves: bool) {
        state.set(number, Some(resolves));
        self.events.push(ConflictEvent { commit, number, resolves });
    }

    fn after(
        &mut self,
        commit: ObjectId,
        parents: &[ObjectId],
        states: &HashMap<ObjectId, Known>,
    ) -> Result<Known, StoreError> {
        let before =
            |n: usize| parents.get(n).and_then(|parent| states.get(parent)).cloned().unwrap_or_default();
        let own = self.lineage.changes(commit, parents, &|path| matches!(form(path).0, Form::Doc(_)))?;
        self.has_gaps |= own.iter().any(|own| !matches!(own.did, Did::Wrote(_)));
        let mut state = match *parents {
            [_] => self.settled_by(commit, &own, before(0))?,
            [one, two] => self.after_merge(commit, [one, two], &[before(0), before(1)])?,
            // Someone made it by hand.
            _ => (0..parents.len()).fold(Known::default(), |state, n| union(&state, &before(n))),
        };
        for n in self.reborn(commit, &own) {
            if state.get(n).is_none() {
                self.set(&mut state, commit, n, false);
            }
        }
        Ok(state)
    }

    /// Anyone who writes the field has seen both values, or could have. The write resolves the conflict, unless its
    /// author caused it.
    fn settled_by(&mut self, commit: ObjectId, own: &[Own], before: Known) -> Result<Known, StoreError> {
        let mut state = before;
        for own in own {
            let Did::Wrote(Wrote { old: Some((old, _)), new, .. }) = &own.did else { continue };
            for n in self.found.at(&own.path).to_vec() {
                let met = self.found.get(n);
                let is_open = state.get(n) == Some(&false);
                if is_open && new.rewrites(old, &met.key) && !self.is_own(met, commit)? {
                    self.set(&mut state, commit, n, true);
                }
            }
        }
        Ok(state)
    }

    /// Whether the author of a commit is the one who replaced the record.
    fn is_own(&self, met: &Met, commit: ObjectId) -> Result<bool, StoreError> {
        Ok(met.is_rewritten && self.store.step(commit)?.author == self.store.step(met.merge)?.author)
    }

    /// The conflicts that a commit causes by itself: records that it replaced with others under the same id. A merge
    /// made by this program causes none.
    fn reborn(&mut self, commit: ObjectId, own: &[Own]) -> Vec<u32> {
        let mut found = Vec::new();
        for own in own {
            let Did::Wrote(Wrote { old: Some((old, head)), new, .. }) = &own.did else { continue };
            let (Form::Doc(schema), Some(step)) = (form(&own.path).0, own.step()) else { continue };
            if step.rebirth.is_some() {
                let sides = [new.whole(), old.whole()];
                let (key, heads) = (WHOLE.to_owned(), [commit, *head]);
                found.push(self.found.note_lost(commit, heads, schema, &own.path, (key, sides), true));
            }
        }
        found
    }

    fn after_merge(
        &mut self,
        merge: ObjectId,
        heads: [ObjectId; 2],
        known: &[Known; 2],
    ) -> Result<Known, StoreError> {
        let mut state = union(&known[0], &known[1]);
        // A parent is not a store because someone emptied it; it wrote no values.
        let (Ok(one), Ok(two)) = (self.store.snapshot_at(heads[0]), self.store.snapshot_at(heads[1])) else {
            return Ok(state);
        };
        if one.tree() == two.tree() {
            return Ok(state);
        }
        let mut bases = Vec::new();
        for base in self.store.merge_bases(heads[0], heads[1])? {
            bases.extend(self.store.snapshot_at(base).ok());
        }
        let mut open_on_one = Vec::new();
        known[0].differing(&known[1], &mut |n, first, second| match (first, second) {
            (Some(false), None) => open_on_one.push((n, &two)),
            (None, Some(false)) => open_on_one.push((n, &one)),
            _ => {}
        });
        for (n, unaware) in open_on_one {
            let is_settled = self.replaces_lost(self.found.get(n), unaware, &bases)?;
            self.set(&mut state, merge, n, is_settled);
        }
        let trees: Vec<ObjectId> = bases.iter().map(Snapshot::tree).collect();
        for path in self.store.repo().changed_on_both(one.tree(), two.tree(), &trees)? {
            let (Form::Doc(schema), _) = form(&path) else { continue };
            let (Some(a), Some(b)) = (read(&one, schema, &path)?, read(&two, schema, &path)?) else {
                continue;
            };
            for apart in apart_since(&bases, schema, &path, &a, &b)? {
                if has_replaced_import(self.store, heads, schema, &path, &apart)? {
                    continue;
                }
                let n = self.found.note(merge, heads, schema, &path, apart);
                if state.get(n).is_none() {
                    self.set(&mut state, merge, n, false);
                }
            }
        }
        Ok(state)
    }

    fn rewrites(&self, met: &Met, now: &Snapshot<'_>, before: &Snapshot<'_>) -> Result<bool, StoreError> {
        if now.entry(&met.path)? == before.entry(&met.path)? {
            return Ok(false);
        }
        let docs = (read(now, met.schema, &met.path)?, read(before, met.schema, &met.path)?);
        Ok(matches!(docs, (Some(now), Some(before)) if now.rewrites(&before, &met.key)))
    }

    /// Whether a side that has not seen the conflict wrote over the value that lost: then only that newer value can be in
    /// conflict.
    fn replaces_lost(
        &self,
        met: &Met,
        side: &Snapshot<'_>,
        bases: &[Snapshot<'_>],
    ) -> Result<bool, StoreError> {
        for base in bases {
            let bears_lost =
                read(base, met.schema, &met.path)?.is_some_and(|doc| doc.made(&met.key) == met.lost.stamp);
            if bears_lost && self.rewrites(met, side, base)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A conflict is resolved if it is resolved on either side.
fn union(one: &Known, two: &Known) -> Known {
    one.union(two, |one, two| *one || *two)
}

/// The record at `path` of a state; `None` if a merge would not take it for that record, since then it did not win, and
/// `fsck` reports it.
pub(super) fn read(
    state: &Snapshot<'_>,
    schema: &'static Schema,
    path: &str,
) -> Result<Option<Doc>, StoreError> {
    let (_, id) = form(path);
    Ok(state.file(path)?.and_then(|bytes| own_doc(schema, id.as_deref(), &bytes).ok()))
}

/// The conflicts that remain whichever merge base one starts from: after a criss-cross there are several, and an earlier
/// merge has decided some.
fn apart_since(
    bases: &[Snapshot<'_>],
    schema: &'static Schema,
    path: &str,
    a: &Doc,
    b: &Doc,
) -> Result<Vec<Apart>, StoreError> {
    let mut apart = Doc::apart(None, a, b);
    for base in bases {
        let base = read(base, schema, path)?;
        let keys: Vec<String> =
            Doc::apart(base.as_ref(), a, b).into_iter().map(|difference| difference.key).collect();
        apart.retain(|difference| keys.contains(&difference.key));
    }
    Ok(apart)
}
