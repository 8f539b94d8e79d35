//! Conflicts along the history: a merge finds them, and a write by someone who has that merge in their history settles
//! them.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use gix::ObjectId;

use super::WHOLE;
use crate::model::doc::{Apart, Doc, Written};
use crate::model::schema::Schema;
use crate::model::stamp::Made;
use crate::store::layout::{Form, form};
use crate::store::{Lineage, Read, Snapshot, Store, StoreError};

/// Two values of a field that a merge found.
pub(super) struct Met {
    /// The record's file.
    pub(super) path: String,
    /// The kind of record.
    pub(super) schema: &'static Schema,
    /// The field; `*` if the record was born twice.
    pub(super) key: String,
    /// The value that does not stand.
    pub(super) lost: Written,
    /// The head that brought it.
    pub(super) lost_head: ObjectId,
    /// The commit that decided.
    pub(super) merge: ObjectId,
    /// Whether that is not a merge: someone replaced the record with another.
    pub(super) is_rewritten: bool,
}

/// Identifies a conflict, however many merges find it: path, field, both stamps, and the value that lost, since a record
/// that was born twice can be edited without another birth.
type Key = (String, String, Option<Made>, Option<Made>, Option<String>);

/// The conflicts in the history of a commit, and whether each is settled there.
type Known = Rc<BTreeMap<usize, bool>>;

pub(super) struct History<'a> {
    store: &'a Store,
    lineage: Lineage<'a>,
    met: Vec<Met>,
    by_key: HashMap<Key, usize>,
}

/// The conflicts in the history of `tip` that are not settled by anyone who could have seen them, without those in the
/// history of `since`.
pub(super) fn unsettled(
    store: &Store,
    tip: ObjectId,
    since: Option<ObjectId>,
) -> Result<Vec<Met>, StoreError> {
    let commits = store.parents_first(&[tip], since)?;
    let lineage = Lineage::over(store, commits.iter().map(|(commit, parents)| (*commit, &parents[..])));
    let mut history = History { store, lineage, met: Vec::new(), by_key: HashMap::new() };
    let mut states: HashMap<ObjectId, Known> = HashMap::new();
    for (commit, parents) in &commits {
        let state = history.after(*commit, parents, &states)?;
        states.insert(*commit, state);
    }
    let last = states.remove(&tip).unwrap_or_default();
    let mut n = 0;
    history.met.retain(|_| {
        n += 1;
        last.get(&(n - 1)) == Some(&false)
    });
    Ok(history.met)
}

impl History<'_> {
    fn after(
        &mut self,
        commit: ObjectId,
        parents: &[ObjectId],
        states: &HashMap<ObjectId, Known>,
    ) -> Result<Known, StoreError> {
        let before =
            |n: usize| parents.get(n).and_then(|parent| states.get(parent)).cloned().unwrap_or_default();
        if let [parent] = *parents {
            return self.after_write(commit, parent, before(0));
        }
        self.lineage.pass(commit, parents);
        match *parents {
            [one, two] => self.after_merge(commit, [one, two], &[before(0), before(1)]),
            // Someone made it by hand.
            _ => Ok((0..parents.len()).fold(Known::default(), |state, n| union(&state, &before(n)))),
        }
    }

    /// Whoever writes the field has seen both values, or could have. This settles the conflict, unless they made it.
    fn after_write(&mut self, commit: ObjectId, parent: ObjectId, state: Known) -> Result<Known, StoreError> {
        let reborn = self.reborn(commit, parent)?;
        let (Ok(now), Ok(before)) = (self.store.snapshot_at(commit), self.store.snapshot_at(parent)) else {
            return Ok(state);
        };
        let mut next = (*state).clone();
        for (n, settled) in next.iter_mut().filter(|(_, settled)| !**settled) {
            let met = &self.met[*n];
            *settled = self.rewrites(met, &now, &before)? && !self.is_own(met, commit)?;
        }
        for n in reborn {
            next.entry(n).or_insert(false);
        }
        Ok(if next == *state { state } else { Rc::new(next) })
    }

    /// Whether the author of a commit is the one who replaced the record.
    fn is_own(&self, met: &Met, commit: ObjectId) -> Result<bool, StoreError> {
        Ok(met.is_rewritten && self.store.step(commit)?.author == self.store.step(met.merge)?.author)
    }

    /// The conflicts of a plain commit: records that it replaced with others under the same id.
    fn reborn(&mut self, commit: ObjectId, parent: ObjectId) -> Result<Vec<usize>, StoreError> {
        let mut found = Vec::new();
        for own in self.lineage.changes(commit, &[parent], &|_| true)? {
            let (Form::Doc(schema), _) = form(&own.path) else { continue };
            let (Some(old), Some(new), Some(head), Some(step)) = (&own.old, &own.new, own.head, own.step())
            else {
                continue;
            };
            if step.rebirth.is_some() {
                let sides = [new.whole(), old.whole()];
                let (key, heads) = (WHOLE.to_owned(), [commit, head]);
                found.push(self.note_lost(commit, heads, schema, &own.path, (key, sides), true));
            }
        }
        Ok(found)
    }

    fn after_merge(
        &mut self,
        merge: ObjectId,
        heads: [ObjectId; 2],
        known: &[Known; 2],
    ) -> Result<Known, StoreError> {
        let mut state = (*union(&known[0], &known[1])).clone();
        // Someone emptied a parent that is not a store; it set nothing.
        let (Ok(one), Ok(two)) = (self.store.snapshot_at(heads[0]), self.store.snapshot_at(heads[1])) else {
            return Ok(Rc::new(state));
        };
        if one.tree() == two.tree() {
            return Ok(Rc::new(state));
        }
        let mut bases = Vec::new();
        for base in self.store.merge_bases(heads[0], heads[1])? {
            bases.extend(self.store.snapshot_at(base).ok());
        }
        for (n, settled) in state.iter_mut().filter(|(_, settled)| !**settled) {
            let unaware = match (known[0].contains_key(n), known[1].contains_key(n)) {
                (true, false) => &two,
                (false, true) => &one,
                _ => continue,
            };
            *settled = self.replaces_lost(&self.met[*n], unaware, &bases)?;
        }
        let trees: Vec<ObjectId> = bases.iter().map(Snapshot::tree).collect();
        for path in self.store.changed_on_both(one.tree(), two.tree(), &trees)? {
            let (Form::Doc(schema), _) = form(&path) else { continue };
            let (Some(a), Some(b)) = (read(&one, schema, &path)?, read(&two, schema, &path)?) else {
                continue;
            };
            for apart in apart_since(&bases, schema, &path, &a, &b)? {
                let n = self.note(merge, heads, schema, &path, apart);
                state.entry(n).or_insert(false);
            }
        }
        Ok(Rc::new(state))
    }

    /// The number of a conflict; a new one if no other merge has found it.
    fn note(
        &mut self,
        merge: ObjectId,
        heads: [ObjectId; 2],
        schema: &'static Schema,
        path: &str,
        apart: Apart,
    ) -> usize {
        let [first, second] = apart.sides;
        let (sides, heads) = match rank(&first) > rank(&second) {
            true => ([first, second], heads),
            false => ([second, first], [heads[1], heads[0]]),
        };
        self.note_lost(merge, heads, schema, path, (apart.key, sides), false)
    }

    /// As [`Self::note`], if the first side is known to stand.
    fn note_lost(
        &mut self,
        merge: ObjectId,
        [_, lost_head]: [ObjectId; 2],
        schema: &'static Schema,
        path: &str,
        (field, [won, lost]): (String, [Written; 2]),
        is_rewritten: bool,
    ) -> usize {
        let text = lost.value.as_ref().map(serde_json::Value::to_string);
        let key = (path.to_owned(), field.clone(), won.stamp, lost.stamp.clone(), text);
        let met = Met { path: path.to_owned(), schema, key: field, lost, lost_head, merge, is_rewritten };
        *self.by_key.entry(key).or_insert_with(|| {
            self.met.push(met);
            self.met.len() - 1
        })
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

/// A conflict is settled if it is settled on one side.
fn union(one: &Known, two: &Known) -> Known {
    if Rc::ptr_eq(one, two) || two.is_empty() {
        return Rc::clone(one);
    }
    let mut both = (**one).clone();
    for (n, settled) in two.iter() {
        *both.entry(*n).or_insert(false) |= settled;
    }
    Rc::new(both)
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
