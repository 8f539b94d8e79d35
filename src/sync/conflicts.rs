//! Fields that two sides set apart from each other. Read off the merge commits; nothing is stored for it. A conflict is
//! open as long as the field still bears the stamp that won: whoever writes the field afterwards has seen it.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use serde::Serialize;
use serde_json::Value;

use crate::model::doc::{Apart, Doc, Written};
use crate::model::schema::Schema;
use crate::model::stamp::Stamp;
use crate::model::time::Time;
use crate::store::layout::{Form, form};
use crate::store::redact::Redactions;
use crate::store::{Read, Snapshot, Store, StoreError};

/// The key of a record that was born twice.
pub(crate) const WHOLE: &str = "*";

/// What one side wrote, and who.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub(crate) struct Side {
    /// The value; null where it was taken away.
    pub(crate) value: Value,
    /// Who wrote it; none where its commit cannot be found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<String>,
    /// When, by the writer's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<Time>,
}

/// A field with two values, of which one stands.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub(crate) struct Conflict {
    /// The record's file in the tree of the ref.
    pub(crate) path: String,
    /// The record's id.
    pub(crate) record: String,
    /// `title`, `tags/auth`, `extended_context/notes`; `*` where the whole record was born twice.
    pub(crate) field: String,
    /// What stands.
    pub(crate) stands: Side,
    /// What does not.
    pub(crate) other: Side,
    /// The merge that decided.
    pub(crate) merge: String,
}

/// What identifies a conflict, however many merges show it.
type Key = (String, String, Option<String>, Option<String>);

/// All conflicts that are open, in order of their paths and fields.
pub(crate) fn open(store: &Store) -> Result<Vec<Conflict>, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let now = store.snapshot()?;
    let mut found: BTreeMap<Key, Conflict> = BTreeMap::new();
    for info in store.repo().rev_walk([now.commit()]).all().map_err(&failed)? {
        let info = info.map_err(|error| failed(error.into()))?;
        let parents: Vec<ObjectId> = info.parent_ids().map(gix::Id::detach).collect();
        if let [one, two] = parents[..] {
            of_merge(store, &now, info.id, one, two, &mut found)?;
        }
    }
    Ok(found.into_values().collect())
}

fn of_merge(
    store: &Store,
    now: &Snapshot<'_>,
    merge: ObjectId,
    one: ObjectId,
    two: ObjectId,
    found: &mut BTreeMap<Key, Conflict>,
) -> Result<(), StoreError> {
    // A parent that is no store was emptied by somebody, and set nothing.
    let (Ok(first), Ok(second)) = (store.snapshot_at(one), store.snapshot_at(two)) else { return Ok(()) };
    let bases = store.merge_bases(one, two)?;
    for file in store.differences(Some(first.tree()), second.tree())? {
        let (Form::Doc(schema), _) = form(&file.path) else { continue };
        let (Some((EntryKind::Blob, _)), Some((EntryKind::Blob, _))) = (file.old, file.new) else { continue };
        // What is hidden now was not hidden then.
        let hidden = Redactions::at(now, &file.path)?;
        let (Some(a), Some(b), Some(current)) = (
            read(&first, schema, &file.path, &hidden)?,
            read(&second, schema, &file.path, &hidden)?,
            read(now, schema, &file.path, &hidden)?,
        ) else {
            continue;
        };
        for apart in apart_since(store, &bases, schema, &file.path, &a, &b)? {
            let first_won = rank(&apart.sides[0]) > rank(&apart.sides[1]);
            let (won, lost) = if first_won { (0, 1) } else { (1, 0) };
            let winner = if first_won { &a } else { &b };
            let is_open = if apart.key == WHOLE {
                current.to_bytes() == winner.to_bytes()
            } else {
                current.stamp(&apart.key) == apart.sides[won].stamp.as_ref()
            };
            let key = key(&file.path, &apart, won, lost);
            if !is_open || found.contains_key(&key) {
                continue;
            }
            let heads = [one, two];
            let side = |n: usize| side(store, &apart.sides[n], heads[n], schema, &file.path, &apart.key);
            let conflict = Conflict {
                record: record_id(&current),
                field: apart.key.clone(),
                stands: side(won)?,
                other: side(lost)?,
                merge: merge.to_string(),
                path: file.path.clone(),
            };
            found.insert(key, conflict);
        }
    }
    Ok(())
}

fn key(path: &str, apart: &Apart, won: usize, lost: usize) -> Key {
    let stamp = |n: usize| apart.sides[n].stamp.as_ref().map(Stamp::to_string);
    (path.to_owned(), apart.key.clone(), stamp(won), stamp(lost))
}

fn rank(side: &Written) -> (Option<&Stamp>, Option<String>) {
    (side.stamp.as_ref(), side.value.as_ref().map(Value::to_string))
}

fn record_id(doc: &Doc) -> String {
    let fields = doc.fields();
    let id = fields.get("id").or_else(|| fields.get("solution_id")).and_then(Value::as_str);
    id.unwrap_or("wf.json").to_owned()
}

fn read(
    state: &impl Read,
    schema: &'static Schema,
    path: &str,
    hidden: &Redactions,
) -> Result<Option<Doc>, StoreError> {
    // What cannot be read did not win anything; `fsck` names it.
    let mut doc = state.file(path)?.and_then(|bytes| Doc::parse(schema, &bytes).ok());
    doc.iter_mut().for_each(|doc| hidden.doc(path, doc));
    Ok(doc)
}

/// What is apart whichever of the merge bases one starts from: after a criss-cross there are several, and what an
/// earlier merge has decided is not apart any more.
fn apart_since(
    store: &Store,
    bases: &[ObjectId],
    schema: &'static Schema,
    path: &str,
    a: &Doc,
    b: &Doc,
) -> Result<Vec<Apart>, StoreError> {
    let mut apart = Doc::apart(None, a, b);
    for base in bases {
        let Ok(state) = store.snapshot_at(*base) else { continue };
        let base = read(&state, schema, path, &Redactions::default())?;
        let keys: BTreeSet<String> = Doc::apart(base.as_ref(), a, b).into_iter().map(|it| it.key).collect();
        apart.retain(|it| keys.contains(&it.key));
    }
    Ok(apart)
}

/// Who wrote a value: the author of the commit of that side's history in which the field first bears its stamp.
fn side(
    store: &Store,
    written: &Written,
    head: ObjectId,
    schema: &'static Schema,
    path: &str,
    key: &str,
) -> Result<Side, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let bears = |commit: ObjectId| -> Result<bool, StoreError> {
        let Ok(state) = store.snapshot_at(commit) else { return Ok(false) };
        Ok(read(&state, schema, path, &Redactions::default())?
            .is_some_and(|doc| doc.stamp(key) == written.stamp.as_ref()))
    };
    let mut at = head;
    let author = loop {
        let commit = store.repo().find_commit(at).map_err(&failed)?;
        let mut earlier = None;
        for parent in commit.parent_ids() {
            if bears(parent.detach())? {
                earlier = Some(parent.detach());
                break;
            }
        }
        match earlier {
            Some(parent) => at = parent,
            None => break commit.author().ok().map(|who| format!("{} <{}>", who.name, who.email)),
        }
    };
    Ok(Side {
        value: written.value.clone().unwrap_or_default(),
        author,
        at: written.stamp.as_ref().map(Stamp::time),
    })
}
