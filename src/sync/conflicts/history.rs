//! Conflicts along the history: a merge finds them, and a write by someone who has that merge in their history
//! resolves them.

use std::collections::HashMap;

use super::WHOLE;
use super::kept::Kept;
use crate::git::ObjectId;
use crate::model::doc::{Apart, Doc, Written};
use crate::model::schema::Schema;
use crate::model::stamp::Made;
use crate::store::layout::{Form, form};
use crate::store::{Did, Lineage, Own, Read, SharedMap, Snapshot, Store, StoreError, Wrote};

/// Two values of a field that a merge found.
#[derive(Clone)]
pub(super) struct Met {
    /// The record's file.
    pub(super) path: String,
    /// The kind of record.
    pub(super) schema: &'static Schema,
    /// The field; `*` if the record was born twice.
    pub(super) key: String,
    /// When the value that won was written.
    pub(super) won: Option<Made>,
    /// The value that lost.
    pub(super) lost: Written,
    /// The head that brought it.
    pub(super) lost_head: ObjectId,
    /// The commit that decided.
    pub(super) merge: ObjectId,
    /// Whether it is not a merge: someone replaced the record with another.
    pub(super) is_rewritten: bool,
}

/// Identifies a conflict, however many merges find it: path, field, both stamps, and the value that lost, since a record
/// that was born twice can be edited without another birth.
type Key = (String, String, Option<Made>, Option<Made>, Option<String>);

/// The conflicts in the history of a commit by their number, and whether each is resolved there.
type Known = SharedMap<bool>;

pub(super) struct History<'a> {
    store: &'a Store,
    lineage: Lineage<'a>,
    met: Vec<Met>,
    by_key: HashMap<Key, u32>,
    /// The numbers of the conflicts at a path.
    by_path: HashMap<String, Vec<u32>>,
    /// The commit from which the walk went on, and how many of the events were known there.
    began: Option<(ObjectId, usize)>,
    /// What commits did to conflicts: found them, or resolved them. A conflict is known in the history of each commit that
    /// descends from such an event, and resolved if one of these events resolved it.
    events: Vec<Event>,
    /// Whether records were deleted or damaged, so that a walk from here on would not know all of what it needs.
    has_gaps: bool,
}

/// What a commit did to the conflict with a number: whether it resolved it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event {
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
    let mut history = History::new(store);
    let last = history.walk(tip, since)?;
    Ok(history.unsettled(&last))
}

/// The conflicts in the whole history of `tip` that nobody who could have seen them has resolved, and what to keep for
/// the next time. `kept` is what an earlier call returned.
pub(super) fn unsettled(
    store: &Store,
    tip: ObjectId,
    kept: Option<Kept>,
) -> Result<(Vec<Met>, Option<Kept>), StoreError> {
    let mut history = History::new(store);
    // After a purge, the old history is no longer one of this commit.
    let since = match kept {
        Some(kept) if store.is_ancestor(kept.commit, tip).unwrap_or(false) => {
            let since = kept.commit;
            history.go_on_from(kept);
            Some(since)
        }
        _ => None,
    };
    let last = history.walk(tip, since)?;
    let unsettled = history.unsettled(&last);
    let History { met, events, has_gaps, .. } = history;
    Ok((unsettled, (!has_gaps).then_some(Kept { commit: tip, met, events })))
}

impl<'a> History<'a> {
    fn new(store: &'a Store) -> Self {
        Self {
            store,
            lineage: Lineage::over(store, []),
            met: Vec::new(),
            by_key: HashMap::new(),
            by_path: HashMap::new(),
            began: None,
            events: Vec::new(),
            has_gaps: false,
        }
    }

    /// Goes on where an earlier walk ended.
    fn go_on_from(&mut self, kept: Kept) {
        let Kept { commit, met, events } = kept;
        for met in met {
            self.add(met);
        }
        self.began = Some((commit, events.len()));
        self.events = events;
    }

    /// Walks what is in the history of `tip` but not of `since`. Returns which conflicts are known there, and whether each
    /// is resolved.
    fn walk(&mut self, tip: ObjectId, since: Option<ObjectId>) -> Result<Known, StoreError> {
        let commits = self.store.parents_first(&[tip], since)?;
        let parents = commits.iter().map(|(commit, parents)| (*commit, &parents[..]));
        self.lineage = Lineage::over(self.store, parents).without_births();
        let mut states: HashMap<ObjectId, Known> = HashMap::new();
        for (commit, parents) in &commits {
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
        let numbered = (0..).zip(&self.met);
        numbered.filter(|(n, _)| last.get(*n) == Some(&false)).map(|(_, met)| met.clone()).collect()
    }

    /// Notes what a commit does to a conflict.
    fn set(&mut self, state: &mut Known, commit: ObjectId, number: u32, resolves: bool) {
        state.set(number, Some(resolves));
        self.events.push(Event { commit, number, resolves });
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
            for n in self.by_path.get(&own.path).cloned().unwrap_or_default() {
                let met = &self.met[n as usize];
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
                found.push(self.note_lost(commit, heads, schema, &own.path, (key, sides), true));
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
            let is_settled = self.replaces_lost(&self.met[n as usize], unaware, &bases)?;
            self.set(&mut state, merge, n, is_settled);
        }
        let trees: Vec<ObjectId> = bases.iter().map(Snapshot::tree).collect();
        for path in self.store.repo().changed_on_both(one.tree(), two.tree(), &trees)? {
            let (Form::Doc(schema), _) = form(&path) else { continue };
            let (Some(a), Some(b)) = (read(&one, schema, &path)?, read(&two, schema, &path)?) else {
                continue;
            };
            for apart in apart_since(&bases, schema, &path, &a, &b)? {
                if self.has_replaced_import(heads, schema, &path, &apart)? {
                    continue;
                }
                let n = self.note(merge, heads, schema, &path, apart);
                if state.get(n).is_none() {
                    self.set(&mut state, merge, n, false);
                }
            }
        }
        Ok(state)
    }

    /// Whether the lost value comes from an import, and the value in force was written over that same imported value:
    /// then the two clones did not change the field differently.
    fn has_replaced_import(
        &self,
        heads: [ObjectId; 2],
        schema: &'static Schema,
        path: &str,
        apart: &Apart,
    ) -> Result<bool, StoreError> {
        let [first, second] = &apart.sides;
        let (won, lost, head) = match rank(first) > rank(second) {
            true => (first, second, heads[0]),
            false => (second, first, heads[1]),
        };
        let is_import = |stamp: Option<&Made>| stamp.is_some_and(Made::is_import);
        if apart.key == WHOLE || !is_import(lost.stamp.as_ref()) || is_import(won.stamp.as_ref()) {
            return Ok(false);
        }
        let failed = StoreError::object("cannot read the history of the store");
        let (mut at, mut stamp) = (head, won.stamp.clone());
        loop {
            let commit = self.store.repo().commit(at).map_err(&failed)?;
            let here = self.store.snapshot_at(at).ok().map(|state| state.entry(path)).transpose()?;
            let mut before = None;
            for parent in commit.parents() {
                let Ok(state) = self.store.snapshot_at(parent) else { continue };
                // Most commits do not change the file.
                if here == Some(state.entry(path)?) {
                    before = Some((parent, stamp.clone()));
                    break;
                }
                let Some(doc) = read(&state, schema, path)? else { continue };
                let made = doc.made(&apart.key);
                if made == stamp {
                    before = Some((parent, made));
                    break;
                }
                if is_import(made.as_ref()) && doc.value(&apart.key) == lost.value.as_ref() {
                    return Ok(true);
                }
                before = before.or(Some((parent, made)));
            }
            match before {
                // If an earlier import had another value, the lost value was never replaced.
                Some((parent, made)) if !is_import(made.as_ref()) => (at, stamp) = (parent, made),
                _ => return Ok(false),
            }
        }
    }

    /// The number of a conflict; a new one if no other merge has found it.
    fn note(
        &mut self,
        merge: ObjectId,
        heads: [ObjectId; 2],
        schema: &'static Schema,
        path: &str,
        apart: Apart,
    ) -> u32 {
        let [first, second] = apart.sides;
        let (sides, heads) = match rank(&first) > rank(&second) {
            true => ([first, second], heads),
            false => ([second, first], [heads[1], heads[0]]),
        };
        self.note_lost(merge, heads, schema, path, (apart.key, sides), false)
    }

    /// Like [`Self::note`], if the first side is known to win.
    fn note_lost(
        &mut self,
        merge: ObjectId,
        [_, lost_head]: [ObjectId; 2],
        schema: &'static Schema,
        path: &str,
        (field, [won, lost]): (String, [Written; 2]),
        is_rewritten: bool,
    ) -> u32 {
        let (path, won) = (path.to_owned(), won.stamp);
        self.add(Met { path, schema, key: field, won, lost, lost_head, merge, is_rewritten })
    }

    /// The number of a conflict, a new one if it was not met before.
    fn add(&mut self, met: Met) -> u32 {
        let text = met.lost.value.as_ref().map(serde_json::Value::to_string);
        let key = (met.path.clone(), met.key.clone(), met.won.clone(), met.lost.stamp.clone(), text);
        if let Some(known) = self.by_key.get(&key) {
            return *known;
        }
        // Nobody resolves one of four thousand million conflicts.
        let n = u32::try_from(self.met.len()).unwrap_or(u32::MAX);
        self.by_path.entry(met.path.clone()).or_default().push(n);
        self.by_key.insert(key, n);
        self.met.push(met);
        n
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

/// The order by which a merge decides.
fn rank(side: &Written) -> (Option<&Made>, Option<String>) {
    (side.stamp.as_ref(), side.value.as_ref().map(serde_json::Value::to_string))
}

/// The record at `path` of a state; `None` if it cannot be read, since then it did not win, and `fsck` reports it.
pub(super) fn read(
    state: &Snapshot<'_>,
    schema: &'static Schema,
    path: &str,
) -> Result<Option<Doc>, StoreError> {
    Ok(state.file(path)?.and_then(|bytes| Doc::parse(schema, &bytes).ok()))
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
        let keys: Vec<String> = Doc::apart(base.as_ref(), a, b).into_iter().map(|it| it.key).collect();
        apart.retain(|it| keys.contains(&it.key));
    }
    Ok(apart)
}
