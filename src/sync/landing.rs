//! Pushes a branch of the code, together with the store where the remote takes both at once.

use super::carry::carry;
use super::exchange::{ask, wait_for_rate_limit};
use super::round::{self, HELD, REFUSED, Synced, TRIES};
use super::shown::{self, Shown};
use super::transfer::{self, Limited, PushAnswers};
use super::turnstile::Turn;
use super::watch::{RemoteWatch, of_transfer};
use super::words::{self, RefAnswer, Trouble};
use super::{SyncError, backoff};
use crate::git::{ExpectedRef, GitError, ObjectId, PushedRef, TransportReply};
use crate::model::{Branch, Op};
use crate::store::{Offered, Store, StoreError, Tx};

/// A branch of the code to move at a remote.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodePush<'a> {
    /// The remote.
    pub(crate) remote: &'a str,
    /// The branch.
    pub(crate) branch: &'a Branch,
    /// Where it must be; `None` if it must not exist.
    pub(crate) expected: Option<ObjectId>,
    /// Where it goes, which descends from that.
    pub(crate) new: ObjectId,
}

impl CodePush<'_> {
    fn pushed(&self) -> PushedRef<'_> {
        PushedRef {
            reference: self.branch.as_str(),
            commit: self.new,
            expected: Some(ExpectedRef { at: self.expected }),
        }
    }
}

/// How the push of a branch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BranchPushed {
    /// The remote has it.
    Accepted,
    /// The branch was elsewhere.
    Moved,
}

/// How the push of a branch and the store ended.
#[derive(Debug)]
pub(crate) enum LandPushed<T> {
    /// The remote has both, and this is the answer of the change.
    Together(T),
    /// The branch was elsewhere, and the remote took nothing.
    Moved,
    /// The remote cannot take several refs at once, and took nothing.
    NotAtomic,
}

/// The branch of the code at a remote, which is fetched; `None` if the remote has no such branch.
pub(crate) fn fetch_branch(
    store: &Store,
    remote: &str,
    branch: &Branch,
    watch: RemoteWatch<'_>,
) -> Result<Option<ObjectId>, SyncError> {
    let tracking = format!("refs/remotes/{remote}/{}", branch.short());
    let refspec = format!("+{}:{tracking}", branch.as_str());
    let is_there = transfer::fetch_refs(store, remote, &refspec, watch)?;
    Ok(if is_there { store.read_ref(&tracking)? } else { None })
}

/// Pushes a branch of the code alone.
///
/// # Errors
/// [`SyncError::Refused`] in the words of the host, such as for a protected branch.
pub(crate) fn push_branch(
    store: &Store,
    push: &CodePush<'_>,
    watch: RemoteWatch<'_>,
) -> Result<BranchPushed, SyncError> {
    let mut futile = FutilePushes::default();
    let mut attempt = 0;
    loop {
        backoff::pause(attempt);
        attempt += 1;
        let reply =
            match store.transport().push_all(push.remote, &[push.pushed()], false, &of_transfer(watch)) {
                Err(GitError::Stopped { .. }) => {
                    return Err(SyncError::PushStopped { remote: push.remote.into() });
                }
                reply => reply.map_err(StoreError::Git)?,
            };
        let unclear = match answer(store, &reply, push.remote, push.branch.as_str())? {
            Answer::Accepted => {
                note_tracking(store, push);
                return Ok(BranchPushed::Accepted);
            }
            Answer::Behind => return Ok(BranchPushed::Moved),
            Answer::Unclear(unclear) => unclear,
        };
        // Either someone else writes there, or the connection was lost: the remote may have taken it.
        match fetch_branch(store, push.remote, push.branch, watch)? {
            Some(there) if there == push.new => return Ok(BranchPushed::Accepted),
            there if there == push.expected => futile.one_more(push, unclear)?,
            _ => return Ok(BranchPushed::Moved),
        }
    }
}

/// The pushes that did not get through while the branch stayed where it was.
#[derive(Default)]
struct FutilePushes {
    contended: u32,
    lost: u32,
}

impl FutilePushes {
    /// Counts one more.
    ///
    /// # Errors
    /// In git's words, once there is no point in another try.
    fn one_more(&mut self, push: &CodePush<'_>, unclear: Unclear) -> Result<(), SyncError> {
        let remote = push.remote.to_owned();
        match unclear {
            Unclear::Contended(words) => {
                self.contended += 1;
                if self.contended == HELD {
                    let reference = push.branch.as_str().to_owned();
                    return Err(SyncError::Refused { remote, reference, words, hint: None });
                }
            }
            Unclear::ByOneUrl(words) => {
                let reference = push.branch.as_str().to_owned();
                return Err(SyncError::Refused { remote, reference, words, hint: None });
            }
            Unclear::Lost(words) => {
                self.lost += 1;
                if self.lost == REFUSED {
                    return Err(SyncError::Unreachable { remote, words });
                }
            }
        }
        Ok(())
    }
}

/// Pushes a branch of the code and a change of the store to the same remote, both or none. If others wrote to the store
/// meanwhile, `change` runs again on the merged state. The local ref of the store follows once the remote has both.
///
/// # Errors
/// The errors of [`push_branch`], and those of `change`.
pub(crate) fn land<T, E: From<StoreError> + From<SyncError>>(
    store: &Store,
    push: &CodePush<'_>,
    op: Op,
    mut change: impl FnMut(&mut Tx<'_>) -> Result<T, E>,
    watch: RemoteWatch<'_>,
) -> Result<LandPushed<T>, E> {
    let mut synced = Synced::with(push.remote);
    let tracking = store.tracking(push.remote);
    let mut turn = Turn::wait(store, push.remote, watch)?;
    let mut futile = FutilePushes::default();
    for attempt in 0..TRIES {
        backoff::pause(attempt.min(6));
        // What other processes of this clone have handed in comes first: this push carries no one else's.
        for _ in 0..HELD {
            if turn.handed_in()?.is_none() {
                break;
            }
            carry(store, &mut turn, &mut synced)?;
        }
        ask(store, &mut turn, &mut synced)?;
        let head = turn.shown()?;
        let offer = store.offer(head, &tracking).map_err(round::theirs_are(store, push.remote))?;
        let Offered { answer: made, ahead, .. } = offer.change(op, &mut change)?;
        let Some(mut ahead) = ahead else {
            return Ok(match push_branch(store, push, watch)? {
                BranchPushed::Accepted => LandPushed::Together(made),
                BranchPushed::Moved => LandPushed::Moved,
            });
        };
        let records = ahead.merged.commit;
        wait_for_rate_limit(&mut turn, &mut synced)?;
        turn.begins_push()?;
        match push_both(store, push, records, watch) {
            Ok(Both::Accepted) => {}
            Ok(Both::CodeMoved) => return Ok(LandPushed::Moved),
            Ok(Both::NotAtomic) => return Ok(LandPushed::NotAtomic),
            Ok(Both::StoreMoved) => continue,
            Ok(Both::Unclear(unclear)) => {
                ask(store, &mut turn, &mut synced)?;
                let has_records = turn.shown()?.is_some_and(|shown| turn.contains(shown, records));
                if !has_records {
                    let there = fetch_branch_in_turn(store, push, &mut turn, &mut synced)?;
                    if there != push.expected {
                        return Ok(LandPushed::Moved);
                    }
                    futile.one_more(push, unclear)?;
                    continue;
                }
            }
            Err(SyncError::Limited { limited, .. }) => {
                turn.record_rate_limit(&limited)?;
                continue;
            }
            Err(error) => return Err(error.into()),
        }
        transfer::update_tracking(store, push.remote, records);
        note_tracking(store, push);
        match shown::until_shown(store, &mut turn, &mut synced, records)? {
            Shown::Yes | Shown::Others => {}
            Shown::No => return Err(shown::not_shown(store, push.remote, turn.shown()?)?.into()),
        }
        turn.has_pushed()?;
        round::adopt(store, &mut synced, &mut ahead)?;
        return Ok(LandPushed::Together(made));
    }
    Err(SyncError::Raced {
        remote: push.remote.to_owned(),
        reference: store.reference().to_owned(),
        times: TRIES,
        words: "others pushed first".into(),
    }
    .into())
}

/// Like [`fetch_branch`], but waits as long as the host asks.
fn fetch_branch_in_turn(
    store: &Store,
    push: &CodePush<'_>,
    turn: &mut Turn<'_>,
    synced: &mut Synced,
) -> Result<Option<ObjectId>, SyncError> {
    loop {
        wait_for_rate_limit(turn, synced)?;
        match fetch_branch(store, push.remote, push.branch, turn.watch()) {
            Err(SyncError::Limited { limited, .. }) => turn.record_rate_limit(&limited)?,
            there => return there,
        }
    }
}

/// How one push of both refs ended.
enum Both {
    Accepted,
    CodeMoved,
    StoreMoved,
    NotAtomic,
    Unclear(Unclear),
}

/// A push that may have got through, in git's words.
enum Unclear {
    /// Others were writing at the moment.
    Contended(String),
    /// The connection was lost.
    Lost(String),
    /// One URL of the remote took it, and another one did not: which of them is fetched from is not known.
    ByOneUrl(String),
}

fn push_both(
    store: &Store,
    push: &CodePush<'_>,
    records: ObjectId,
    watch: RemoteWatch<'_>,
) -> Result<Both, SyncError> {
    transfer::remove_symbolic_refs(store, push.remote)?;
    store.refuse_unmergeable(records, store.read_ref(&store.tracking(push.remote))?)?;
    let store_ref = store.reference();
    let refs = [push.pushed(), PushedRef { reference: store_ref, commit: records, expected: None }];
    let reply = match store.transport().push_all(push.remote, &refs, true, &of_transfer(watch)) {
        Err(GitError::Stopped { .. }) => {
            return Ok(Both::Unclear(Unclear::Lost("the push was stopped".to_owned())));
        }
        reply => reply.map_err(StoreError::Git)?,
    };
    if reply.output.status.success() {
        return Ok(Both::Accepted);
    }
    let said = String::from_utf8_lossy(&reply.output.stderr).to_lowercase();
    if said.contains("not support") && said.contains("atomic") {
        return Ok(Both::NotAtomic);
    }
    let code = answer(store, &reply, push.remote, push.branch.as_str())?;
    let records = answer(store, &reply, push.remote, store_ref)?;
    Ok(match (code, records) {
        (Answer::Behind, _) => Both::CodeMoved,
        (_, Answer::Behind) => Both::StoreMoved,
        (Answer::Unclear(unclear), _) | (Answer::Accepted, Answer::Unclear(unclear)) => {
            Both::Unclear(unclear)
        }
        (Answer::Accepted, Answer::Accepted) => Both::Accepted,
    })
}

/// What the remote says about one ref.
enum Answer {
    Accepted,
    /// It has something else.
    Behind,
    /// Someone else is writing there, another ref of the same push was refused, or the push did not get that far.
    Unclear(Unclear),
}

fn answer(store: &Store, reply: &TransportReply, remote: &str, reference: &str) -> Result<Answer, SyncError> {
    let output = &reply.output;
    let PushAnswers { own: status, is_unsure, others } =
        transfer::own_answer(store, remote, &output.stdout, reference)?;
    let remote = remote.to_owned();
    let said = words::from_stderr(&output.stderr);
    let Some(status) = status else {
        if let Some(limited) = Limited::from_reply(reply) {
            return Err(SyncError::Limited { remote, limited });
        }
        return match words::trouble(&said) {
            Trouble::Credentials => Err(SyncError::Credentials { remote, words: said }),
            _ if words::never_met(&output.stderr) => Err(SyncError::Unreachable { remote, words: said }),
            _ if words::denies_write(&said) => {
                Err(SyncError::Refused { remote, reference: reference.to_owned(), words: said, hint: None })
            }
            _ => Ok(Answer::Unclear(Unclear::Lost(said))),
        };
    };
    if is_unsure {
        let refused = others.into_iter().find_map(|(_, answer)| match answer {
            RefAnswer::Rejected(reason) | RefAnswer::Refused(reason) => Some(reason),
            RefAnswer::Updated | RefAnswer::Unchanged => None,
        });
        let words = words::with_the_remotes(&refused.unwrap_or_default(), &output.stderr);
        return Ok(Answer::Unclear(Unclear::ByOneUrl(words)));
    }
    Ok(match status {
        RefAnswer::Updated | RefAnswer::Unchanged => Answer::Accepted,
        RefAnswer::Rejected(reason) | RefAnswer::Refused(reason) if is_of_another(&reason) => {
            Answer::Unclear(Unclear::Contended(reason))
        }
        RefAnswer::Rejected(_) => Answer::Behind,
        RefAnswer::Refused(reason) => {
            let words = words::with_the_remotes(&reason, &output.stderr);
            let hint = words::hint_of_the_remote(&output.stderr);
            match (words::trouble(&words), Limited::from_reply(reply)) {
                (Trouble::Contended, _) => Answer::Unclear(Unclear::Contended(words)),
                // If the remote says what to do, a hook refused the push, whatever words it quotes.
                (_, Some(limited)) if hint.is_none() => return Err(SyncError::Limited { remote, limited }),
                _ => {
                    let reference = reference.to_owned();
                    return Err(SyncError::Refused { remote, reference, words, hint });
                }
            }
        }
    })
}

/// Whether a ref was refused only because another one of the same atomic push was.
fn is_of_another(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    reason.contains("atomic push fail") || reason.contains("atomic transaction fail")
}

/// git updates the remote-tracking branch only if the refspec is configured.
fn note_tracking(store: &Store, push: &CodePush<'_>) {
    let tracking = format!("refs/remotes/{}/{}", push.remote, push.branch.short());
    if store.read_ref(&tracking).ok().flatten() != Some(push.new) {
        // The push is done; if this fails, the next fetch updates it.
        let _ = store.git().set_ref(&tracking, push.new, "wf: land");
    }
}
