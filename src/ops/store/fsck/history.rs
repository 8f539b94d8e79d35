//! Checks each commit of the ref against its parents, and finds what can be restored from the history.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Findings, FsckSeverity, files, repair_that, unchecked};
use crate::git::{EntryKind, ObjectId};
use crate::model::{Op, Other, Remedy, RemedyCall};
use crate::store::{
    Did, HistoryFault, Lineage, OriginJudge, REDIRECTED, Snapshot, Store, StoreError, TreeCheck,
    ill_formed_commit, layout, read_blob,
};
use crate::sync::rewritten_ref;

/// If one commit deleted more files than this, only the first is listed, with the number of all.
const MOST_LISTED: usize = 20;
/// At most this many imports are compared with each execution.
const MOST_IMPORTS: usize = 10;

/// The history of the newest state.
pub(super) struct CheckedHistory {
    /// All its commits.
    pub(super) commits: HashSet<ObjectId>,
    /// Whether it does not go back to its beginning, as in a shallow clone.
    pub(super) is_cut: bool,
    /// Whether a tool that rewrites histories made it.
    pub(super) is_rewritten: bool,
    /// The newest of its commits that brought an export, newest first.
    pub(super) imports: Vec<ObjectId>,
}

/// Reports the changes in each commit of the history that no command makes. A deleted path is an error while it
/// is missing, and a note once it is restored. Returns the history.
pub(super) fn check(
    store: &Store,
    snapshot: &Snapshot<'_>,
    found: &mut Findings,
) -> Result<CheckedHistory, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let walk = store.repo().walk([snapshot.commit()], []).map_err(&failed)?;
    let ours = ours(store, snapshot.commit());
    let mut known = HashSet::new();
    let mut roots = 0;
    let (mut is_whole, mut is_cut) = (true, false);
    let mut imports = Vec::new();
    let mut trees = TreeCheck::default();
    let mut history = Vec::new();
    for info in walk {
        let info = match info {
            Ok(info) => info,
            Err(error) => {
                let what = format!("cannot read a commit of its history: {error}");
                found.error(store.reference(), what);
                is_whole = false;
                break;
            }
        };
        known.insert(info.id);
        if !ours.contains(info.id) {
            continue;
        }
        if imports.len() < MOST_IMPORTS
            && store.step(info.id).is_ok_and(|step| step.op.as_deref() == Some(Op::ImportJsonl.as_str()))
        {
            imports.push(info.id);
        }
        check_commit(store, snapshot, &mut trees, info.id, found)?;
        let mut parents: Vec<ObjectId> = info.parents.to_vec();
        is_cut |= parents.iter().any(|parent| !store.repo().has_object(*parent));
        if parents.is_empty() {
            roots += 1;
        }
        parents.retain(|parent| {
            let is_stranger = store.repo().has_object(*parent) && !ours.contains(*parent);
            if is_stranger {
                let what = format!("merged {parent}, which is not a commit of a store");
                found.add(FsckSeverity::Error, store.reference(), Some(info.id), what);
            }
            !is_stranger
        });
        history.push((info.id, parents));
    }
    if is_whole {
        history = in_order(store, snapshot.commit(), history)?;
    } else {
        history.reverse();
    }
    check_changes(store, snapshot, &history, found)?;
    if is_whole {
        for entry in store.wrongly_aside(None, snapshot.commit())? {
            let commit = ObjectId::from_hex(entry.commit.as_bytes()).ok();
            let what = format!("{} {}", entry.author, entry.what);
            let remedy = Remedy::words("it stays in the history; ask its author");
            found.add_with(FsckSeverity::Error, &entry.path, commit, what, Some(remedy));
        }
    }
    let by = if is_whole && !is_cut { rewritten_by(store, &known)? } else { None };
    report_history(store, is_cut, by, roots, found);
    Ok(CheckedHistory { commits: known, is_cut, is_rewritten: by.is_some(), imports })
}

/// Reports what is odd about the history as a whole.
fn report_history(
    store: &Store,
    is_cut: bool,
    rewritten_by: Option<&'static str>,
    roots: usize,
    found: &mut Findings,
) {
    if is_cut {
        let what = "its history is cut, as in a shallow clone, so older commits were not checked";
        let remedy = Remedy::words("`git fetch --unshallow` fetches the rest");
        found.add_with(FsckSeverity::Note, store.reference(), None, what, Some(remedy));
    } else if let Some(by) = rewritten_by {
        let remedy = Remedy::call(
            RemedyCall::from(Other::Sync),
            "brings back the commit that it had, as far as this clone or the remote has it",
        );
        let what = format!("{by} rewrote its history");
        found.add_with(FsckSeverity::Note, store.reference(), None, what, Some(remedy));
    } else if roots > 1 {
        let what = format!(
            "its history has {roots} root commits, of which all stores share one; a tool that rewrites histories made the \
             others"
        );
        found.note(store.reference(), what);
    }
}

/// Reports what is wrong with a commit and its state, whatever it changed.
fn check_commit(
    store: &Store,
    now: &Snapshot<'_>,
    trees: &mut TreeCheck,
    commit: ObjectId,
    found: &mut Findings,
) -> Result<(), StoreError> {
    if let Ok(Some(why)) = store.ill_formed(commit) {
        let what = format!("{} {}", store.step(commit)?.author, ill_formed_commit(why));
        found.add(FsckSeverity::Error, store.reference(), Some(commit), what);
    }
    if let Ok(Some(tree)) = store.refused_tree(trees, commit) {
        let what = format!("{} made {tree}", store.step(commit)?.author);
        let remedy = Some(repair_that("rewrites the history without it"));
        found.add_with(FsckSeverity::Error, store.reference(), Some(commit), what, remedy);
    }
    if commit != now.commit()
        && let Err(error) = store.snapshot_at(commit)
    {
        // The newest state is a valid store, so someone repaired this.
        let severity = match error {
            StoreError::NotAStore { .. } => FsckSeverity::Note,
            _ => FsckSeverity::Error,
        };
        found.add(severity, store.reference(), Some(commit), error.to_string());
    }
    Ok(())
}

/// The tool that made this history out of another, if one did: what it keeps of the original is not in the history, or the
/// history begins with another commit than all stores.
fn rewritten_by(store: &Store, known: &HashSet<ObjectId>) -> Result<Option<&'static str>, StoreError> {
    let original = store.read_ref(&format!("refs/original/{}", store.reference()))?;
    if original.is_some_and(|original| !known.contains(&original)) {
        return Ok(Some("`git filter-branch`"));
    }
    let filtered = rewritten_ref::filtered(store);
    if filtered.is_some_and(|(old, new)| known.contains(&new) && !known.contains(&old)) {
        return Ok(Some("`git filter-repo`"));
    }
    let begins_as_all = known.contains(&store.first_commit()?);
    Ok((!begins_as_all).then_some("a tool such as `git lfs migrate`"))
}

/// The commits, parents before children.
fn in_order(
    store: &Store,
    tip: ObjectId,
    history: Vec<(ObjectId, Vec<ObjectId>)>,
) -> Result<Vec<(ObjectId, Vec<ObjectId>)>, StoreError> {
    let mut parents: HashMap<ObjectId, Vec<ObjectId>> = history.into_iter().collect();
    let order = store.parents_first(&[tip], None)?;
    Ok(order.into_iter().filter_map(|(commit, _)| Some((commit, parents.remove(&commit)?))).collect())
}

fn check_changes(
    store: &Store,
    now: &Snapshot<'_>,
    history: &[(ObjectId, Vec<ObjectId>)],
    found: &mut Findings,
) -> Result<(), StoreError> {
    let mut lineage = Lineage::over(store, history.iter().map(|(commit, parents)| (*commit, &parents[..])));
    let mut origins = OriginJudge::between(store, None, now.commit())?;
    for (commit, parents) in history {
        // Group the paths by message.
        let mut lost: BTreeMap<(FsckSeverity, String, Option<Remedy>), Vec<String>> = BTreeMap::new();
        for own in lineage.changes(*commit, parents, &|_| true)? {
            let faults = own.step().map(|step| step.faults()).unwrap_or_default();
            let mut faults: Vec<HistoryFault> =
                faults.into_iter().map(|what| HistoryFault { commit: *commit, what }).collect();
            faults.extend(origins.faults(&own, *commit, parents)?);
            for HistoryFault { commit, what } in faults {
                let what = format!("{} {what}", store.step(commit)?.author);
                found.add(FsckSeverity::Error, &own.path, Some(commit), what);
            }
            let done = match own.did {
                Did::Wrote(_) => continue,
                Did::Redirected => {
                    let what = format!("{} {REDIRECTED}", store.step(*commit)?.author);
                    found.add(FsckSeverity::Error, &own.path, Some(*commit), what);
                    continue;
                }
                Did::Deleted(_) => "deleted",
                Did::Unreadable => "made unreadable",
            };
            let is_back = match own.did {
                Did::Unreadable => files::has_sound(store, now, &own.path)?,
                _ => now.entry(&own.path)?.is_some(),
            };
            let is_restorable = match own.did {
                Did::Deleted(kind) => {
                    matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable) && layout::is_place(&own.path)
                }
                _ => true,
            };
            let (severity, what, remedy) = match (is_back, is_restorable) {
                (true, _) => (FsckSeverity::Note, ", and restored since", None),
                (false, true) => (FsckSeverity::Error, "", Some(repair_that("restores it"))),
                (false, false) => (FsckSeverity::Note, "; it is not a path of this format", None),
            };
            lost.entry((severity, format!("{done}{what}"), remedy)).or_default().push(own.path);
        }
        if lost.is_empty() {
            continue;
        }
        let author = &store.step(*commit)?.author;
        for ((severity, what, remedy), paths) in lost {
            // `deleted by Ada, and restored since`
            let at = what.find([',', ';']).unwrap_or(what.len());
            let what = format!("{} by {author}{}", &what[..at], &what[at..]);
            if paths.len() > MOST_LISTED {
                let what = format!("{what} (the first of {} files)", paths.len());
                found.add_with(severity, &paths[0], Some(*commit), what, remedy);
                continue;
            }
            for path in &paths {
                found.add_with(severity, path, Some(*commit), &what, remedy.clone());
            }
        }
    }
    Ok(())
}

/// What can be restored from the history: for each path that was deleted or whose record cannot be read, the
/// newest readable version.
pub(super) fn repairs(store: &Store) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let snapshot = unchecked(store, &mut Findings::default())?;
    let ours = ours(store, snapshot.commit());
    let mut repairs = BTreeMap::new();
    let walk = store.repo().walk([snapshot.commit()], []).map_err(&failed)?;
    for info in walk {
        // The readable part of a damaged history can still restore something.
        let Ok(info) = info else { break };
        if !ours.contains(info.id) {
            continue;
        }
        let Some(state) = store.state_at(info.id)? else { continue };
        for parent in info.parents.into_iter().filter(|id| store.repo().has_object(*id) && ours.contains(*id))
        {
            let Some(before) = store.state_at(parent)? else { continue };
            for file in store.differences(Some(before.tree()), state.tree())? {
                let Some(old) = file.old_file() else { continue };
                let is_wanted = layout::is_place(&file.path) && !repairs.contains_key(&file.path);
                if !is_wanted
                    || files::has_sound(store, &snapshot, &file.path)?
                    || is_in_the_way(&snapshot, &file.path)?
                {
                    continue;
                }
                let bytes = read_blob(store.repo(), old, &file.path)?;
                if layout::sound(&file.path, &bytes).is_ok() {
                    let bytes = layout::canonical(&file.path, &bytes).unwrap_or(bytes);
                    repairs.insert(file.path, bytes);
                }
            }
        }
    }
    Ok(repairs)
}

/// Whether restoring a file that the format does not know would remove others: a merge of a file with a directory of
/// that name keeps the directory.
fn is_in_the_way(snapshot: &Snapshot<'_>, path: &str) -> Result<bool, StoreError> {
    if !matches!(layout::form(path).0, layout::Form::Unknown) {
        return Ok(false);
    }
    if snapshot.entry(path)?.is_some_and(|(_, kind)| kind == EntryKind::Tree) {
        return Ok(true);
    }
    for (at, _) in path.match_indices('/') {
        if snapshot.entry(&path[..at])?.is_some_and(|(_, kind)| kind != EntryKind::Tree) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The commits of a history that belong to the store: those that descend from a first commit which is a store,
/// whether or not it is the first commit that all stores share. A commit of the code that someone merged does not
/// belong to it, and neither do its files.
struct Ours(Option<HashSet<ObjectId>>);

impl Ours {
    fn contains(&self, commit: ObjectId) -> bool {
        self.0.as_ref().is_none_or(|ours| ours.contains(&commit))
    }
}

/// Returns all commits if the history is incomplete.
fn ours(store: &Store, tip: ObjectId) -> Ours {
    let Ok(history) = store.parents_first(&[tip], None) else { return Ours(None) };
    let mut ours = HashSet::new();
    for (commit, parents) in history {
        // The history of a shallow clone starts where it was cut.
        if parents.iter().any(|parent| ours.contains(parent))
            || (!parents.iter().any(|parent| store.repo().has_object(*parent))
                && store.snapshot_at(commit).is_ok())
        {
            ours.insert(commit);
        }
    }
    Ours(ours.contains(&tip).then_some(ours))
}
