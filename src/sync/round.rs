//! Sync, pull and push, and their results.

use schemars::JsonSchema;
use serde::Serialize;

use super::counting::{Counting, count};
use super::exchange::{self, Exchanged, Trust, Waiting, WantedPush, exchange};
use super::shown::{self, Unshown};
use super::watch::RemoteWatch;
use super::{SyncError, transfer, turnstile};
use crate::git::ObjectId;
use crate::model::CommitHash;
use crate::store::{EqualTrees, HeadSide, Merged, Rewritten, Store, StoreError, Unpublished, Unpurged};

/// How often a push is tried. Of several clones that push at the same time, one always succeeds, so this many tries are
/// needed only if many clones do nothing but push: with six of them, about one in two hundred loses 30 times in a row,
/// and one in a hundred million loses 100 times.
pub(super) const TRIES: u32 = 100;

/// How often the remote may report its ref as locked while the ref does not move: do not wait for a lock that a
/// killed process left there.
pub(super) const HELD: u32 = 8;

/// How often a push may fail while the ref of the remote does not move: then it was not that someone else pushed.
pub(super) const REFUSED: u32 = 3;

/// How the local ref moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Moved {
    /// It stayed.
    None,
    /// It moved to the remote's head.
    FastForward,
    /// It moved to a new commit that holds both sides.
    Merge,
}

/// The result of an exchange with a remote.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Synced {
    /// The remote.
    pub(crate) remote: String,
    /// Whether the remote was asked and has the ref.
    pub(crate) fetched: bool,
    /// How the local ref changed.
    pub(crate) merged: Moved,
    /// What the remote's head had lost or damaged and was restored: paths of files, and of the directories of whole
    /// records.
    pub(crate) restored: Vec<String>,
    /// What was left out of the remote's head because git refuses it: names such as `..`, and directories that are
    /// nested too deep.
    pub(crate) refused: Vec<String>,
    /// Incoming changes that no command makes, such as a record that was created again or a change of a field that is
    /// written once, with their authors.
    pub(crate) rewritten: Vec<Rewritten>,
    /// The other URLs of the remote that did not take the last push, each with the reason.
    #[serde(skip)]
    pub(crate) apart: Vec<String>,
    /// Whether the remote's ref had been reset to a state that lacks commits which it had before.
    pub(crate) rewound: bool,
    /// Whether anything was pushed.
    pub(crate) pushed: bool,
    /// Seconds spent waiting because the host of the remote limits requests.
    pub(crate) waited_seconds: u64,
    /// Commits that were not here before.
    pub(crate) incoming: u64,
    /// Commits that the remote did not have before, merges included.
    pub(crate) outgoing: u64,
    /// The commit that the local ref points to now; null if neither side has a store.
    pub(crate) tip: Option<CommitHash>,
}

impl Synced {
    pub(super) fn with(remote: &str) -> Self {
        Self {
            remote: remote.to_owned(),
            fetched: false,
            merged: Moved::None,
            restored: Vec::new(),
            refused: Vec::new(),
            rewritten: Vec::new(),
            apart: Vec::new(),
            rewound: false,
            pushed: false,
            waited_seconds: 0,
            incoming: 0,
            outgoing: 0,
            tip: None,
        }
    }

    /// Whether both sides were already up to date.
    pub(crate) fn is_idle(&self) -> bool {
        !self.pushed && self.merged == Moved::None
    }

    fn note(&mut self, merged: Option<Merged>) {
        let Some(merged) = merged else { return };
        if !merged.is_fast_forward {
            self.merged = Moved::Merge;
        } else if self.merged == Moved::None {
            self.merged = Moved::FastForward;
        }
        self.note_paths(merged.restored, merged.refused);
    }

    fn note_paths(&mut self, restored: Vec<String>, refused: Vec<String>) {
        for (named, more) in [(&mut self.restored, restored), (&mut self.refused, refused)] {
            named.extend(more);
            named.sort();
            named.dedup();
        }
    }

    /// Adds another exchange with the same remote, made right after this one.
    pub(crate) fn went_on(&mut self, next: Self) {
        self.note_paths(next.restored, next.refused);
        if self.merged == Moved::None || next.merged == Moved::Merge {
            self.merged = next.merged;
        }
        self.rewound |= next.rewound;
        self.pushed |= next.pushed;
        self.waited_seconds += next.waited_seconds;
        self.incoming += next.incoming;
        self.outgoing += next.outgoing;
        self.tip = next.tip;
    }

    pub(super) fn finish(mut self, store: &Store) -> Result<Self, SyncError> {
        self.tip = store.tip()?.map(CommitHash::from);
        Ok(self)
    }
}

/// Fetches, merges and pushes until both refs are the same commit. A push that came too late starts again and
/// discards the merge that it offered; the lock of the store is never held meanwhile.
pub(crate) fn sync(store: &Store, remote: &str, watch: RemoteWatch<'_>) -> Result<Synced, SyncError> {
    let start = ready(store)?;
    let mut synced = Synced::with(remote);
    let counts = both(store, &mut synced, watch, Trust::Asked, start, Want::Equal)?;
    synced.incoming = counts.incoming.wait()?;
    synced.outgoing = counts.outgoing.wait()?;
    synced.finish(store)
}

/// Publishes the local state: by a push alone if nobody else wrote there, else by a whole exchange. What other
/// processes of this clone add meanwhile is theirs to publish, and what they have published already is not pushed again.
pub(crate) fn publish(store: &Store, remote: &str, watch: RemoteWatch<'_>) -> Result<Synced, SyncError> {
    let start = ready(store)?;
    let mut synced = Synced::with(remote);
    if !is_published(store, remote, start)? {
        both(store, &mut synced, watch, Trust::Known, start, Want::Published)?;
    }
    Ok(synced)
}

/// Whether the remote has a commit, as far as this clone knows.
pub(crate) fn is_published(store: &Store, remote: &str, commit: ObjectId) -> Result<bool, SyncError> {
    contains(store, store.read_ref(&store.tracking(remote))?, commit)
}

/// What an exchange is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Want {
    /// Both refs are the same commit.
    Equal,
    /// The remote has the commit that the local ref pointed to at the start.
    Published,
}

/// The commits that an exchange brought and took.
#[derive(Default)]
struct Counts {
    incoming: Counting,
    outgoing: Counting,
}

/// Makes both refs the same commit. If that fails, what was fetched stays merged.
fn both(
    store: &Store,
    synced: &mut Synced,
    watch: RemoteWatch<'_>,
    trust: Trust,
    start: ObjectId,
    want: Want,
) -> Result<Counts, SyncError> {
    let remote = synced.remote.clone();
    let tracking = store.tracking(&remote);
    let mut is_merge = false;
    let mut waiting = Waiting { remote: watch, again: &mut || false };
    let exchanged = exchange(store, synced, &mut waiting, trust, EqualTrees::Join, |head| {
        if want == Want::Published
            && let Some(head) = head
            && contains(store, Some(head), start)?
        {
            // Another process has pushed it, or has handed it in.
            let is_pushed = turnstile::last_shown(store, &remote)? == Some(head);
            return Ok((Counts::default(), (!is_pushed).then_some(WantedPush::Tip(head))));
        }
        let ahead = match head {
            Some(head) => store.merge_unpublished(head, &tracking).map_err(theirs_are(store, &remote))?,
            None => None,
        };
        is_merge = ahead.is_some();
        let wanted = match ahead {
            Some(ahead) => Some(WantedPush::Ahead(ahead)),
            None => {
                let tip = ready(store)?;
                let is_there = head.is_some_and(|head| contains(store, Some(head), tip).unwrap_or(false));
                (!is_there).then_some(WantedPush::Tip(tip))
            }
        };
        let incoming = count(store, head, Some(start));
        let outgoing = count(store, wanted.as_ref().map(WantedPush::commit), head);
        Ok::<_, SyncError>((Counts { incoming, outgoing }, wanted))
    });
    let done = exchanged.and_then(Exchanged::shown);
    if want == Want::Published
        && synced.pushed
        && done.as_ref().is_err_and(|error: &SyncError| error.is_busy() || error.is_stopped())
    {
        // The remote has it. Only the local ref could not follow, which the next exchange brings about.
        return Ok(Counts::default());
    }
    if done.is_err() && is_merge {
        let theirs = turnstile::last_shown(store, &remote)?;
        merge(store, synced, theirs, EqualTrees::Join)?;
    }
    done.map_err(|error| match error {
        SyncError::Unknown { words, .. } => lost(store, remote, words),
        error => error,
    })
}

/// The connection ended during a push. Commits that are not there yet are pushed the next time.
pub(super) fn lost(store: &Store, remote: String, words: String) -> SyncError {
    if store.environment().is_stopped() {
        SyncError::PushStopped { remote }
    } else {
        SyncError::Unreachable { remote, words }
    }
}

/// Moves the local ref to what was pushed.
pub(super) fn adopt(store: &Store, synced: &mut Synced, ahead: &mut Unpublished) -> Result<(), SyncError> {
    let merged = store.adopt(ahead, &store.tracking(&synced.remote))?;
    synced.note(Some(merged));
    Ok(())
}

/// Fetches and merges. If there is no store here yet, it starts from the remote's, if there is one.
pub(crate) fn pull(store: &Store, remote: &str, watch: RemoteWatch<'_>) -> Result<Synced, SyncError> {
    store.refuse_mirror()?;
    let start = store.tip()?;
    let mut synced = Synced::with(remote);
    let theirs = exchange::ask_once(store, &mut synced, watch)?;
    merge(store, &mut synced, theirs, EqualTrees::Leave)?;
    synced.incoming = count(store, theirs, start).wait()?;
    synced.finish(store)
}

/// Merges what an earlier fetch brought, without asking the remote.
pub(crate) fn merge_fetched(store: &Store, remote: &str) -> Result<Synced, SyncError> {
    let mut synced = Synced::with(remote);
    let theirs = store.read_ref(&store.tracking(remote))?;
    merge(store, &mut synced, theirs, EqualTrees::Leave)?;
    synced.finish(store)
}

/// The error about a push that the remote refused.
pub(super) fn refused(store: &Store, remote: &str, words: String) -> SyncError {
    let (remote, reference) = (remote.to_owned(), store.reference().to_owned());
    SyncError::Refused { remote, reference, words, hint: None }
}

/// The error about a push that failed while the ref of the remote stayed where it was.
pub(super) fn refused_there(store: &Store, remote: &str, words: String) -> Result<SyncError, SyncError> {
    let words = match shown::pushed_elsewhere(store, remote)? {
        Some(Unshown::Elsewhere { pushed_to, fetched_from }) => {
            format!("{words}; it is pushed to `{pushed_to}`, and fetched from `{fetched_from}`")
        }
        _ => words,
    };
    Ok(refused(store, remote, words))
}

/// The error about a push that came too late, while the remote shows what it showed before. `shown`: the head that it
/// shows.
pub(super) fn unseen_there(
    store: &Store,
    remote: &str,
    shown: Option<ObjectId>,
) -> Result<SyncError, SyncError> {
    let where_to = match (shown::pushed_elsewhere(store, remote)?, shown) {
        (Some(elsewhere), _) => elsewhere,
        (None, Some(_)) => Unshown::Earlier,
        (None, None) => Unshown::Hidden,
    };
    let (remote, reference) = (remote.to_owned(), store.reference().to_owned());
    Ok(SyncError::Unseen { remote, reference, where_to })
}

/// The tip of a valid store that may be written to.
pub(super) fn ready(store: &Store) -> Result<ObjectId, SyncError> {
    store.refuse_mirror()?;
    Ok(store.snapshot()?.commit())
}

/// Fetches. Returns the head of the store at the remote, or `None`. Commits that the remote showed `before` and no longer
/// has are merged at once.
pub(super) fn fetch(
    store: &Store,
    synced: &mut Synced,
    before: Option<ObjectId>,
    equal: EqualTrees,
    watch: RemoteWatch<'_>,
) -> Result<Option<ObjectId>, SyncError> {
    let tracking = store.tracking(&synced.remote);
    let theirs = transfer::fetch(store, &synced.remote, watch)?;
    synced.fetched = theirs.is_some();
    let known: Vec<ObjectId> = store.tip()?.into_iter().collect();
    if let Some(theirs) = theirs.filter(|head| !known.contains(head)) {
        // This comes before any walk of the history, even for counting commits. The remote-tracking ref may still have
        // what was refused last time.
        let checked = store.refuse_large_commits(theirs, &known, &tracking);
        checked.map_err(theirs_are(store, &synced.remote))?;
    }
    if let Some(before) = before
        && theirs != Some(before)
        && is_readable(store, before, &tracking)?
        && !contains(store, theirs, before)?
    {
        // The remote's ref was reset. A plain `git fetch` may have fetched its earlier state here without merging it.
        match store.merge_head(before, &tracking, equal) {
            Ok(merged) => {
                synced.rewound = true;
                synced.note(merged);
            }
            // Its earlier state was not a store, could not be merged, or was purged here: nothing to do.
            Err(StoreError::NotAStore { .. } | StoreError::NewerFormat { .. }) => {}
            Err(StoreError::Unmergeable { whose, .. }) if matches!(*whose, HeadSide::Theirs(..)) => {}
            Err(StoreError::Purged { side: Unpurged::Theirs, .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(theirs)
}

/// Merges the remote's head into the local ref.
pub(super) fn merge(
    store: &Store,
    synced: &mut Synced,
    theirs: Option<ObjectId>,
    equal: EqualTrees,
) -> Result<(), SyncError> {
    if let Some(theirs) = theirs {
        let tracking = store.tracking(&synced.remote);
        let merged = store.merge_head(theirs, &tracking, equal).map_err(theirs_are(store, &synced.remote))?;
        synced.note(merged);
    }
    Ok(())
}

/// Attributes a failed merge to the remote's head, since ours was checked before.
pub(super) fn theirs_are(store: &Store, remote: &str) -> impl Fn(StoreError) -> SyncError {
    let (remote, tracking) = (remote.to_owned(), store.tracking(remote));
    move |error| match error {
        why @ (StoreError::NotAStore { .. } | StoreError::NewerFormat { .. }) => {
            SyncError::Theirs { remote: remote.clone(), tracking: tracking.clone(), why }
        }
        error => error.into(),
    }
}

/// Whether a state that was fetched before can be merged; if not, it was already refused when it was fetched.
pub(super) fn is_readable(store: &Store, before: ObjectId, tracking: &str) -> Result<bool, SyncError> {
    let known: Vec<ObjectId> = store.tip()?.into_iter().collect();
    match store.refuse_large_commits(before, &known, tracking) {
        Ok(()) => Ok(true),
        Err(StoreError::NotAStore { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn contains(store: &Store, head: Option<ObjectId>, commit: ObjectId) -> Result<bool, SyncError> {
    match head {
        Some(head) if head == commit => Ok(true),
        Some(head) => Ok(store.is_ancestor(commit, head)?),
        None => Ok(false),
    }
}
