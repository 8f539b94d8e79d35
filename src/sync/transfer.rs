//! One fetch, one push, and what git said about it.

use std::time::Duration;

use super::watch::{RemoteWatch, of_transfer};
use super::words::{self, RefAnswer, Trouble};
use super::{SyncError, backoff, limit, partial, rate_words};
use crate::git::{GitError, ObjectId, TransportReply, lock_file};
use crate::store::{Store, StoreError};

/// How often a fetch starts again because another process fetches here at the same time.
const TRIES: u32 = 6;

/// How a push ended, unless it failed with an error.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pushed {
    /// The remote's ref points to the commit now.
    Accepted,
    /// The remote's ref already pointed to it.
    UpToDate,
    /// The remote has commits that this one does not descend from.
    Behind,
    /// Someone else was writing there at the same time; the remote's message.
    Contended(String),
    /// The connection ended before the remote answered; it may have accepted the commit.
    Lost(String),
    /// The host refused because of its rate limit, and accepted nothing.
    Limited(Limited),
}

/// A refusal because of a host's rate limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limited {
    /// How long the host asks to wait, if it says so.
    pub(super) wait: Option<Duration>,
    pub(super) words: String,
}

impl Limited {
    /// Reads the refusal from git's output; `None` if the request failed for another reason.
    pub(super) fn from_reply(reply: &TransportReply) -> Option<Self> {
        let stderr = String::from_utf8_lossy(&reply.output.stderr);
        let reported = rate_words::limit(&stderr);
        // Hosts send this header only with a rate limit, or if the server is down for a while.
        // Some words may also appear in a banner that a host shows before it refuses a login.
        if reply.retry_after.is_none() && (reported.is_none() || words::refuses_login(&stderr)) {
            return None;
        }
        let now = i64::try_from(limit::now() / 1000).unwrap_or(i64::MAX);
        let wait = reply.retry_after.as_deref().and_then(|line| rate_words::wait(line, now));
        let words = match (words::from_stderr(&reply.output.stderr), reported) {
            // git prints such a line of the host only indented.
            (said, Some(line)) if rate_words::limit(&said).is_none() => words::line_of(std::iter::once(line)),
            (said, _) => said,
        };
        Some(Self { wait: wait.or_else(|| rate_words::wait(&stderr, now)), words })
    }
}

/// Fetches the remote's `refs/wf/*`. Returns the head of the store there; `None` if it has no store.
pub(super) fn fetch(
    store: &Store,
    remote: &str,
    watch: RemoteWatch<'_>,
) -> Result<Option<ObjectId>, SyncError> {
    remove_symbolic_refs(store, remote)?;
    let is_first = store.read_ref(&store.tracking(remote))?.is_none();
    fetch_refs(store, remote, &store.fetch_refspec(remote), watch)?;
    let head = store.read_ref(&store.tracking(remote))?;
    // Work lands on the default branch of the remote, which older versions of git do not note when they fetch.
    if is_first && head.is_some() && store.repo().remote_head(remote).is_ok_and(|known| known.is_none()) {
        store.git().note_remote_head(remote);
    }
    if let Some(head) = head {
        partial::complete(store, remote, head)?;
    }
    Ok(head)
}

/// Fetches what a refspec names. Returns whether the remote has it; a pattern may match nothing.
pub(super) fn fetch_refs(
    store: &Store,
    remote: &str,
    refspec: &str,
    watch: RemoteWatch<'_>,
) -> Result<bool, SyncError> {
    let mut attempt = 0;
    loop {
        backoff::pause(attempt);
        attempt += 1;
        let reply = store.transport().fetch(remote, refspec, &of_transfer(watch)).map_err(StoreError::Git)?;
        if reply.output.status.success() {
            return Ok(true);
        }
        let said = words::from_stderr(&reply.output.stderr);
        if said.contains("couldn't find remote ref") {
            return Ok(false);
        }
        if let Some(limited) = Limited::from_reply(&reply) {
            return Err(SyncError::Limited { remote: remote.to_owned(), limited });
        }
        refuse_missing_objects(store, &reply.output.stderr)?;
        let is_last = attempt == TRIES;
        return Err(match words::trouble(&said) {
            Trouble::Contended if !is_last => continue,
            Trouble::Credentials => SyncError::Credentials { remote: remote.to_owned(), words: said },
            _ => match lock_file(&said).filter(|file| file.exists()) {
                // That ref is local, so this says nothing about the remote.
                Some(lock) => StoreError::Git(GitError::LockFile(lock)).into(),
                None => SyncError::Unreachable { remote: remote.to_owned(), words: said },
            },
        });
    }
}

/// Pushes one commit to the remote, never by force, and never one that other clones could not merge. If the remote has
/// several URLs to push to, the one that is fetched from decides; `apart` gets the others that did not take the commit.
pub(super) fn push(
    store: &Store,
    remote: &str,
    commit: ObjectId,
    watch: RemoteWatch<'_>,
    apart: &mut Vec<String>,
) -> Result<Pushed, SyncError> {
    remove_symbolic_refs(store, remote)?;
    store.refuse_unmergeable(commit, store.read_ref(&store.tracking(remote))?)?;
    let reference = store.reference();
    let reply = match store.transport().push(remote, commit, reference, &of_transfer(watch)) {
        Err(error @ GitError::Stopped { .. }) => return Ok(Pushed::Lost(error.to_string())),
        reply => reply.map_err(StoreError::Git)?,
    };
    let output = &reply.output;
    if !output.status.success() {
        refuse_missing_objects(store, &output.stderr)?;
    }
    let said = words::from_stderr(&output.stderr);
    let PushAnswers { own: status, others, .. } = own_answer(store, remote, &output.stdout, reference)?;
    *apart = others.into_iter().filter_map(|(url, answer)| untaken(&url, answer)).collect();
    apart.extend(unmet(store, remote, &reply, status.as_ref())?);
    let remote = remote.to_owned();
    let Some(status) = status else {
        if let Some(limited) = Limited::from_reply(&reply) {
            return Ok(Pushed::Limited(limited));
        }
        // A host that lets everyone read also answers so if it is only the write that it denies.
        if words::denies_write(&said) && !words::refuses_login(&said) {
            return Err(SyncError::Refused {
                remote,
                reference: reference.to_owned(),
                words: said,
                hint: None,
            });
        }
        return match words::trouble(&said) {
            Trouble::Credentials => Err(SyncError::Credentials { remote, words: said }),
            _ if words::never_met(&output.stderr) => Err(SyncError::Unreachable { remote, words: said }),
            _ => Ok(Pushed::Lost(said)),
        };
    };
    match status {
        RefAnswer::Updated => {
            update_tracking(store, &remote, commit);
            Ok(Pushed::Accepted)
        }
        RefAnswer::Unchanged => {
            update_tracking(store, &remote, commit);
            Ok(Pushed::UpToDate)
        }
        RefAnswer::Rejected(_) => Ok(Pushed::Behind),
        RefAnswer::Refused(reason) => {
            let reason = words::with_the_remotes(&reason, &output.stderr);
            let hint = words::hint_of_the_remote(&output.stderr);
            match (words::trouble(&reason), Limited::from_reply(&reply)) {
                (Trouble::Contended, _) => Ok(Pushed::Contended(reason)),
                // If the remote says what to do, a hook refused the push, whatever words it quotes.
                (_, Some(limited)) if hint.is_none() => Ok(Pushed::Limited(limited)),
                _ => {
                    let reference = reference.to_owned();
                    Err(SyncError::Refused { remote, reference, words: reason, hint })
                }
            }
        }
    }
}

/// What the URLs of a remote answered for one ref.
pub(super) struct PushAnswers {
    /// The one that is fetched from; `None` if the push did not get that far.
    pub(super) own: Option<RefAnswer>,
    /// Whether it is not known which one is fetched from, and they answered differently.
    pub(super) is_unsure: bool,
    /// The others.
    pub(super) others: Vec<(String, RefAnswer)>,
}

/// The answers for `reference` in the output of `git push --porcelain`. If no URL is spelled like the one that is fetched from, as
/// with a fetch by https and a push by ssh, one that took the commit counts, and the next fetch shows what is there.
pub(super) fn own_answer(
    store: &Store,
    remote: &str,
    stdout: &[u8],
    reference: &str,
) -> Result<PushAnswers, StoreError> {
    let mut answers = words::answers(stdout, reference);
    let (mut own, mut is_unsure) = (0, false);
    if answers.len() > 1 {
        let fetched = store.transport().fetch_url(remote)?.unwrap_or_default();
        match answers.iter().position(|(url, _)| is_url(url, &fetched)) {
            Some(same) => own = same,
            None => {
                own = answers.iter().position(|(_, answer)| is_taken(answer)).unwrap_or(0);
                is_unsure = is_taken(&answers[own].1) && !answers.iter().all(|(_, answer)| is_taken(answer));
            }
        }
    }
    let status = if answers.is_empty() { None } else { Some(answers.remove(own).1) };
    Ok(PushAnswers { own: status, is_unsure, others: answers })
}

/// Whether git, which leaves out the user, told of this URL.
fn is_url(told: &str, url: &str) -> bool {
    let (told, url) = (words::without_passwords(told), words::without_passwords(url));
    told == url || url.split_once('@').is_some_and(|(_, rest)| rest == told)
}

/// The URLs to push to that said nothing although the `own` one took the commit, and git's last words.
fn unmet(
    store: &Store,
    remote: &str,
    reply: &TransportReply,
    own: Option<&RefAnswer>,
) -> Result<Vec<String>, StoreError> {
    let output = &reply.output;
    if output.status.success() || !own.is_some_and(is_taken) {
        return Ok(vec![]);
    }
    let said = words::from_stderr(&output.stderr);
    let met = words::answers(&output.stdout, store.reference());
    let mut urls = store.transport().push_urls(remote)?;
    urls.retain(|url| !met.iter().any(|(told, _)| is_url(told, url)));
    Ok(urls.iter().map(|url| format!("`{}` ({said})", words::without_passwords(url))).collect())
}

fn is_taken(answer: &RefAnswer) -> bool {
    matches!(answer, RefAnswer::Updated | RefAnswer::Unchanged)
}

/// A URL that did not take a commit, and why.
fn untaken(url: &str, answer: RefAnswer) -> Option<String> {
    let url = words::without_passwords(url);
    match answer {
        RefAnswer::Rejected(why) | RefAnswer::Refused(why) => Some(format!("`{url}` ({why})")),
        RefAnswer::Updated | RefAnswer::Unchanged => None,
    }
}

/// If a transfer failed because objects of this clone are gone, such as those of a repository from which it borrows, the
/// remote is not at fault.
fn refuse_missing_objects(store: &Store, stderr: &[u8]) -> Result<(), SyncError> {
    if let Some(missing) = store.repo().missing_alternate() {
        return Err(StoreError::Git(GitError::MissingAlternate(missing)).into());
    }
    match words::broken_ref(stderr) {
        Some(said) => Err(StoreError::Git(GitError::MissingObjects(said)).into()),
        None => Ok(()),
    }
}

/// Removes symbolic refs among the tracking refs of a remote: git would move what they point to, such as a branch, and the
/// tracking ref would never show what the remote has.
pub(super) fn remove_symbolic_refs(store: &Store, remote: &str) -> Result<(), SyncError> {
    let symbolic = store.repo().symbolic_refs_under(&format!("refs/wf-remotes/{remote}/"));
    for name in symbolic.map_err(StoreError::Git)? {
        store.git().delete_symbolic_ref(&name).map_err(StoreError::Git)?;
    }
    Ok(())
}

/// git updates the remote-tracking ref only if the refspec is configured.
pub(super) fn update_tracking(store: &Store, remote: &str, commit: ObjectId) {
    let tracking = store.tracking(remote);
    if store.read_ref(&tracking).ok().flatten() == Some(commit) {
        return;
    }
    // The push is done; if this fails, the next fetch updates the tracking ref.
    let _ = store.git().set_ref(&tracking, commit, "wf: push");
}

/// Explains to a user why a git command that asked a remote failed.
pub(super) fn unreached(error: GitError, remote: &str) -> SyncError {
    let remote = remote.to_owned();
    match error {
        GitError::Failed { stderr, .. } => {
            let said = words::from_stderr(stderr.as_bytes());
            match words::trouble(&said) {
                Trouble::Credentials => SyncError::Credentials { remote, words: said },
                _ => SyncError::Unreachable { remote, words: said },
            }
        }
        error => StoreError::Git(error).into(),
    }
}
