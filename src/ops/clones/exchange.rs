//! Fetch, merge and push.

use super::{follow_sources, noticed};
use crate::model::{CommitHash, Op};
use crate::ops::{Answer, Notice, Refusal, Session, work};
use crate::store::ObjectId;
use crate::sync::{self, Moved, Synced, remote};

/// Syncs with the given remote, or else with the store's own: fetches, merges and pushes.
///
/// # Errors
/// `no-remote` and the like; any reason why the remote cannot be reached or refuses the push.
pub(crate) fn sync(session: &Session, named: Option<&str>) -> Answer<Synced> {
    session.permit(Op::Merge)?;
    let store = session.store();
    let remote = remote_to_begin_from(session, named)?;
    let before = store.snapshot()?.commit();
    let mut synced = session.asking(|watch| sync::sync(store, &remote, watch))?;
    if synced.merged == Moved::Merge && follow_sources(session)? {
        let again = session.asking(|watch| sync::sync(store, &remote, watch))?;
        synced.went_on(again);
    }
    if let Err(error) = remote::remember(store, &remote) {
        // The exchange itself succeeded; only the next one will need the remote's name again.
        session.notice(Notice::warning(format!(
            "`{remote}` could not be recorded as the remote of the store: {error}"
        )));
    }
    came_in(session, synced, before)
}

/// Fetches and merges, like [`sync`].
///
/// # Errors
/// The errors of [`sync`].
pub(crate) fn pull(session: &Session, named: Option<&str>) -> Answer<Synced> {
    session.permit(Op::Merge)?;
    let store = session.store();
    let remote = remote_to_begin_from(session, named)?;
    let before = store.snapshot()?.commit();
    let mut synced = session.asking(|watch| sync::pull(store, &remote, watch))?;
    if synced.merged == Moved::Merge && follow_sources(session)? {
        synced.tip = store.tip()?.map(CommitHash::from);
    }
    came_in(session, synced, before)
}

/// Pushes the local state; fails if the remote has other commits.
///
/// # Errors
/// The errors of [`sync`].
pub(crate) fn push(session: &Session, named: Option<&str>) -> Answer<Synced> {
    session.permit(Op::Merge)?;
    let store = session.store();
    store.snapshot()?;
    let remote = remote::to_sync(store, named)?;
    let synced = session.asking(|watch| sync::push(store, &remote, watch))?;
    session.notice_all(noticed::waited(&synced).into_iter().chain(noticed::apart(&synced)));
    Ok(session.done(synced, None))
}

/// The remote. A tool that rewrites histories deletes a ref whose files it removes: then the store begins again with what
/// the remote has. A ref that such a tool rewrote is what it was before.
fn remote_to_begin_from(session: &Session, named: Option<&str>) -> Result<String, Refusal> {
    let store = session.store();
    if store.tip()?.is_some() || !store.was_written_here() {
        let remote = remote::to_sync(store, named).ok();
        let back =
            session.asking(|watch| sync::rewritten_ref::bring_back(store, remote.as_deref(), watch))?;
        if let Some(back) = back {
            let (reference, from, to) = (store.reference(), back.from, back.to);
            session.notice(Notice::note(format!(
                "`{}` rewrote `{reference}` to `{from}`; it is `{to}` again",
                back.by
            )));
        }
        store.snapshot()?;
        return Ok(remote::to_sync(store, named)?);
    }
    let remote = remote::to_sync(store, named)?;
    store.create()?;
    Ok(remote)
}

/// Reports unusual changes that came in.
fn came_in(session: &Session, mut synced: Synced, before: ObjectId) -> Answer<Synced> {
    let store = session.store();
    session.notice_all(noticed::came_with(store, &synced, Some(before))?);
    if let Some(now) = store.tip()? {
        synced.rewritten = store.rewritten(before, now, &synced.restored)?;
    }
    session.notice_all(noticed::rewritten(&synced.rewritten));
    if synced.merged != Moved::None {
        let open = sync::conflicts::count_since(store, Some(before))?;
        session.notice_all(noticed::conflicts(open));
        session.notice_all(noticed::unreadable(store, before)?);
        session.notice_all(noticed::cycles(store, before)?);
    }
    session.notice_all(work::notices_since(store, &store.snapshot_at(before)?, &store.snapshot()?)?);
    let commit = (synced.merged != Moved::None).then(|| store.tip()).transpose()?.flatten();
    Ok(session.done(synced, commit))
}

/// Updates the index with what came in, so that the next query is fast. The exchange is already complete, so a front
/// end should show its answer first.
pub(crate) fn catch_up(session: &Session, synced: &Synced) {
    if synced.merged != Moved::None {
        session.catch_up(synced.incoming);
    }
}
