//! The signatures of the audit log itself.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::signatures::{Vouched, Vouching, vouched};
use crate::model::{Code, CommitHash, Other, Person, RemedyCall, Time, count};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::store::{ObjectId, Store};
use crate::trail::audit as trail;

/// What `audit --signatures` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Signatures {
    /// The range that was checked, as git takes it.
    pub(crate) range: String,
    /// How many commits of the ref were checked.
    pub(crate) commit_count: usize,
    /// How many of them are not vouched for: all except `good`, `recomputed` and `root`.
    pub(crate) fault_count: usize,
    /// How many there are of each kind of vouching.
    pub(crate) counts: BTreeMap<Vouching, usize>,
    /// git's message about signatures that it could not check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) complaint: Option<String>,
    /// The commits, parents first.
    pub(crate) commits: Vec<SignedCommit>,
}

#[serde_with::skip_serializing_none]
/// A commit of the ref.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SignedCommit {
    /// The full object id.
    pub(crate) hash: CommitHash,
    /// What vouches for it.
    pub(crate) vouching: Vouching,
    /// The signer; absent if git does not know.
    pub(crate) signer: Option<String>,
    /// The key of the signature, as git names it.
    pub(crate) key: Option<String>,
    /// Its author: `Name <email>`
    pub(crate) author: Person,
    /// The time.
    pub(crate) at: Time,
    /// The first line of its message.
    pub(crate) subject: String,
}

impl From<Vouched> for SignedCommit {
    fn from(vouched: Vouched) -> Self {
        Self {
            hash: vouched.step.commit,
            vouching: vouched.vouching,
            signer: vouched.signer,
            key: vouched.key,
            author: vouched.step.author,
            at: vouched.step.at,
            subject: vouched.step.subject,
        }
    }
}

/// Checks the commits of the ref in `range`, or all of them if it is empty.
///
/// # Errors
/// `not-of-the-ref` if the range contains other commits.
pub(crate) fn signatures(session: &Session, range: &[String]) -> Answer<Signatures> {
    let store = session.store();
    store.snapshot()?;
    let words: Vec<&str> = range.iter().map(String::as_str).collect();
    let only: Option<HashSet<ObjectId>> =
        if words.is_empty() { None } else { Some(trail::ids(store, &words)?.into_iter().collect()) };
    let (vouched, complaint) = vouched(store, only.as_ref())?;
    if let Some(only) = &only
        && vouched.len() < only.len()
    {
        let others = count(only.len() - vouched.len(), "commit");
        return Err(Refusal::new(
            Code::NotOfTheRef,
            format!("`{}` names {others} that `{}` does not have", words.join(" "), store.reference()),
        )
        .remedy(
            RemedyCall::new(Other::Audit, [format!("{0}~10..{0}", store.reference())]).flag("signatures"),
            "checks the signatures of its last commits",
        ));
    }
    let view = view(store, &words, vouched, complaint);
    session.notice_all(noticed(&view));
    Ok(session.done(view, None))
}

fn noticed(view: &Signatures) -> Vec<Notice> {
    let purged = view.counts.get(&Vouching::Purged).map(|purged| {
        format!(
            "`redact --purge` rewrote this history and removed its signatures: {} without one; only someone who kept \
             the old history can tell whether anything else changed",
            count(*purged, "commit")
        )
    });
    let complaint =
        view.complaint.as_ref().map(|complaint| format!("git could not check every signature: {complaint}"));
    purged.into_iter().chain(complaint).map(Notice::warning).collect()
}

fn view(store: &Store, words: &[&str], vouched: Vec<Vouched>, complaint: Option<String>) -> Signatures {
    let mut counts = BTreeMap::new();
    for commit in &vouched {
        *counts.entry(commit.vouching).or_default() += 1;
    }
    Signatures {
        range: if words.is_empty() { store.reference().to_owned() } else { words.join(" ") },
        commit_count: vouched.len(),
        fault_count: vouched.iter().filter(|vouched| !vouched.vouching.is_sound()).count(),
        counts,
        complaint,
        commits: vouched.into_iter().map(SignedCommit::from).collect(),
    }
}
