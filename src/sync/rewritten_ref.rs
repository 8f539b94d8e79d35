//! A store whose ref was rewritten together with all others of the repository. Before an exchange it becomes what it was:
//! records that the tool changed keep their stamps, so in a merge they could win.

use super::round::theirs_are;
use super::watch::RemoteWatch;
use super::{SyncError, transfer};
use crate::git::{EntryKind, ObjectBatch, ObjectId};
use crate::store::{Store, StoreError, layout, object_id};

/// Where `git filter-repo` notes what happened to each ref: lines of `old new ref`.
const REF_MAP: &str = "filter-repo/ref-map";
/// How a file begins that `git lfs` left in place of another.
const POINTER: &[u8] = b"version https://git-lfs";
/// At most this many moves of the ref are looked at.
const MOST_MOVES: usize = 100;

/// What was brought back.
#[derive(Debug)]
pub(crate) struct BroughtBack {
    /// The tool that had rewritten it.
    pub(crate) by: &'static str,
    /// The commit that the ref had.
    pub(crate) from: ObjectId,
    /// The commit that it has now.
    pub(crate) to: ObjectId,
}

/// A ref that a tool rewrote.
struct RewrittenRef {
    by: &'static str,
    /// The commits that it may have had before, the likeliest first.
    before: Vec<ObjectId>,
    /// Whether it is a store anyway.
    is_store: bool,
}

/// Brings back what the store's ref was before a tool rewrote it, if nothing was written since: the commit that it had then,
/// which the remote may have; if nobody has it and the rewritten one is no store, what the remote has.
pub(crate) fn bring_back(
    store: &Store,
    remote: Option<&str>,
    watch: RemoteWatch<'_>,
) -> Result<Option<BroughtBack>, SyncError> {
    let Some(from) = store.tip()? else { return Ok(None) };
    let Some(rewritten) = RewrittenRef::find(store, from)? else { return Ok(None) };
    store.refuse_mirror()?;
    let theirs = match remote {
        // The remote-tracking ref was rewritten, too.
        Some(remote) => transfer::fetch(store, remote, watch)?,
        None => None,
    };
    if let Some(remote) = remote
        && let Some(theirs) = theirs
    {
        let tracking = store.tracking(remote);
        store.refuse_large_commits(theirs, &[], &tracking).map_err(theirs_are(store, remote))?;
    }
    let otherwise = if rewritten.is_store { None } else { theirs };
    let mut candidates = rewritten.before.into_iter().chain(otherwise);
    let Some(to) = candidates.find(|commit| is_store(store, *commit)) else { return Ok(None) };
    let (mut lock, mut objects) = (store.lock()?, ObjectBatch::default());
    let subject = "sync: bring back what was rewritten";
    let is_moved = store.publish(&mut lock, &mut objects, to, Some(from), subject)?;
    Ok(is_moved.then_some(BroughtBack { by: rewritten.by, from, to }))
}

impl RewrittenRef {
    fn find(store: &Store, tip: ObjectId) -> Result<Option<Self>, StoreError> {
        if let Some((old, new)) = filtered(store)
            && new == tip
            && old != new
        {
            return Ok(Some(Self { by: "git filter-repo", before: vec![old], is_store: true }));
        }
        if !is_migrated(store, tip)? {
            return Ok(None);
        }
        let moves = store.repo().reflog(store.reference(), MOST_MOVES).map_err(StoreError::Git)?;
        let before = moves.into_iter().map(|moved| moved.commit).filter(|commit| *commit != tip).collect();
        Ok(Some(Self { by: "git lfs migrate", before, is_store: false }))
    }
}

/// What `git filter-repo` made of the store's ref: its commit before, and after; the latter is null if it deleted the ref.
pub(crate) fn filtered(store: &Store) -> Option<(ObjectId, ObjectId)> {
    let map = std::fs::read_to_string(store.common_dir().join(REF_MAP)).ok()?;
    map.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let (old, new, name) = (words.next()?, words.next()?, words.next()?);
        if name == store.reference() { Some((object_id(old)?, object_id(new)?)) } else { None }
    })
}

/// Whether `git lfs` left pointers in place of the records of a commit.
pub(crate) fn is_migrated(store: &Store, commit: ObjectId) -> Result<bool, StoreError> {
    let repo = store.repo();
    let Ok(tree) = repo.tree_of(commit) else { return Ok(false) };
    let root = repo.look_up(tree, layout::ROOT_PATH.into()).map_err(StoreError::Git)?;
    let Some((EntryKind::Blob, blob)) = root else { return Ok(false) };
    let header = repo.header(blob).map_err(StoreError::object("cannot read a record"))?;
    Ok(header.size < 1024 && repo.bytes_of(blob).map_err(StoreError::Git)?.starts_with(POINTER))
}

fn is_store(store: &Store, commit: ObjectId) -> bool {
    let begins = store.first_commit().is_ok_and(|first| store.is_ancestor(first, commit).unwrap_or(false));
    begins && store.snapshot_at(commit).is_ok()
}
