//! Verifies the commits of the ref: git checks their signatures, and commits that every clone makes identically are
//! recomputed.

use std::collections::{HashMap, HashSet};

use crate::git::{ObjectId, SSH, SignatureStatus, SignatureVerdict};
use crate::model::text_enum;
use crate::store::{HistoryLink, HistoryStep, Store, StoreError, merge};

text_enum!(
    /// What vouches for a commit of the ref.
    Vouching {
        /// A valid signature by a key that git trusts here.
        Good = "good",
        /// Nothing: it is not signed.
        Unsigned = "unsigned",
        /// Nothing: it is not signed, because a purge rewrote it or an ancestor, which removes signatures.
        Purged = "purged",
        /// Nothing: its signature does not match the commit.
        Bad = "bad",
        /// A signature by a key that git does not know or trust here.
        UnknownKey = "unknown_key",
        /// A signature that was made after it or its key had expired.
        Expired = "expired",
        /// A signature by a key that was revoked.
        Revoked = "revoked",
        /// A signature that git is not configured to check here.
        Unchecked = "unchecked",
        /// It equals the merge of its parents.
        Recomputed = "recomputed",
        /// It looks like a merge, but merging its parents makes another commit.
        Differs = "differs",
        /// It is the constant first commit of every store.
        Root = "root",
    }
);

impl From<SignatureStatus> for Vouching {
    fn from(verified: SignatureStatus) -> Self {
        match verified {
            SignatureStatus::Good => Self::Good,
            SignatureStatus::Bad => Self::Bad,
            SignatureStatus::UnknownKey => Self::UnknownKey,
            SignatureStatus::Expired => Self::Expired,
            SignatureStatus::Revoked => Self::Revoked,
            SignatureStatus::Unchecked => Self::Unchecked,
        }
    }
}

impl Vouching {
    /// Whether the commit needs no explanation.
    pub(crate) fn is_sound(self) -> bool {
        matches!(self, Self::Good | Self::Recomputed | Self::Root)
    }
}

/// A commit of the ref with what vouches for it.
#[derive(Debug)]
pub(crate) struct Vouched {
    /// The commit.
    pub(crate) step: HistoryStep,
    /// What vouches for it.
    pub(crate) vouching: Vouching,
    /// The signer, as git names them; `None` if there is no signature or git does not know.
    pub(crate) signer: Option<String>,
    /// The key, as git names it.
    pub(crate) key: Option<String>,
}

/// What the signature of a commit proves here.
#[derive(Debug)]
pub(crate) enum Signature {
    /// Made by a key that git trusts here.
    By(TrustedSigner),
    /// The signature or its key had expired when the commit was made.
    Expired,
    /// Made by a key that git does not have or does not trust here; its fingerprint or id.
    Untrusted(String),
    /// git is not set up to check it here, for example without gpg.
    Unchecked,
    /// There is no signature, or none that git trusts here.
    Nobodys,
}

/// The trusted signer of a commit.
#[derive(Debug)]
pub(crate) struct TrustedSigner {
    /// Fingerprints: of the key, and of its primary key.
    fingerprints: Vec<String>,
    /// The principal that the file of allowed signers names for the key. The name in a GnuPG key does not count here,
    /// since only its owner vouches for it.
    principal: Option<String>,
}

impl TrustedSigner {
    /// Whether a setting that names a fingerprint, or an SSH principal, means this signer.
    pub(crate) fn is_by(&self, name: &str) -> bool {
        self.fingerprints.iter().any(|known| {
            if known.starts_with(SSH) {
                known == name
            } else {
                // Hexadecimal digits, spaced as people copy them.
                known.eq_ignore_ascii_case(&name.replace(' ', ""))
            }
        }) || self.principal.as_deref() == Some(name)
    }

    /// The name by which a setting would refer to this signer.
    pub(crate) fn name(&self) -> &str {
        self.principal
            .as_deref()
            .or(self.fingerprints.first().map(String::as_str))
            .unwrap_or("an unnamed key")
    }
}

/// The commits of the ref, parents before children, each with what vouches for it; with `only`, just these. Also returns
/// what git complained about while checking.
pub(crate) fn vouched(
    store: &Store,
    only: Option<&HashSet<ObjectId>>,
) -> Result<(Vec<Vouched>, Option<String>), StoreError> {
    let Some(tip) = store.tip()? else { return Ok((vec![], None)) };
    let first = store.first_commit()?;
    let mut links = store.commits_between(None, tip)?;
    links.retain(|link| only.is_none_or(|only| only.contains(&link.commit)));
    let single = links.iter().filter(|link| link.parents.len() < 2).map(|link| link.commit);
    let (mut verdicts, complaint) = verdicts(store, single)?;
    let mut since_purge: Option<HashSet<ObjectId>> = None;
    let vouched = links.iter().map(|link| {
        let (mut signer, mut key) = (None, None);
        let vouching = if link.commit == first {
            Vouching::Root
        } else if link.parents.len() > 1 {
            made_again(store, link)?
        } else if let Some(verdict) = verdicts.remove(&link.commit) {
            (signer, key) = (verdict.signer, verdict.key);
            verdict.verified.into()
        } else {
            let since = match &mut since_purge {
                Some(since) => since,
                None => since_purge.insert(store.since_purge()?),
            };
            if since.contains(&link.commit) { Vouching::Purged } else { Vouching::Unsigned }
        };
        Ok(Vouched { step: store.step(link.commit)?, vouching, signer, key })
    });
    Ok((vouched.collect::<Result<_, StoreError>>()?, complaint))
}

/// What the signatures of these commits prove; commits without a signature are left out.
pub(crate) fn signatures(
    store: &Store,
    ids: impl IntoIterator<Item = ObjectId>,
) -> Result<HashMap<ObjectId, Signature>, StoreError> {
    let (verdicts, _) = verdicts(store, ids)?;
    Ok(verdicts.into_iter().map(|(id, verdict)| (id, verdict.into())).collect())
}

impl From<SignatureVerdict> for Signature {
    fn from(verdict: SignatureVerdict) -> Self {
        let SignatureVerdict { verified, signer, key, fingerprints } = verdict;
        match verified {
            SignatureStatus::Good => Self::By(TrustedSigner {
                principal: if fingerprints.iter().any(|known| known.starts_with(SSH)) {
                    signer
                } else {
                    None
                },
                fingerprints,
            }),
            SignatureStatus::Expired => Self::Expired,
            SignatureStatus::UnknownKey => {
                let name = fingerprints.into_iter().next().or(key);
                Self::Untrusted(name.unwrap_or_else(|| "an unnamed key".to_owned()))
            }
            SignatureStatus::Unchecked => Self::Unchecked,
            SignatureStatus::Bad | SignatureStatus::Revoked => Self::Nobodys,
        }
    }
}

/// git's verdicts on those of these commits that have a signature, and what it complained about.
fn verdicts(
    store: &Store,
    ids: impl IntoIterator<Item = ObjectId>,
) -> Result<(HashMap<ObjectId, SignatureVerdict>, Option<String>), StoreError> {
    let mut signed = Vec::new();
    for id in ids {
        let failed = StoreError::object("cannot read a commit of the store");
        if store.repo().bears_signature(id).map_err(failed)? {
            signed.push(id);
        }
    }
    Ok(store.git().verdicts(&signed)?)
}

/// Compares a merge or restoring commit with the one that its parents make.
fn made_again(store: &Store, link: &HistoryLink) -> Result<Vouching, StoreError> {
    let [one, two] = link.parents[..] else { return Ok(Vouching::Differs) };
    if [one, two].iter().any(|parent| store.repo().header(*parent).is_err()) {
        // In a shallow clone this cannot be checked.
        return Ok(Vouching::Unchecked);
    }
    let made = merge::of_parents(&store.in_memory(), [one, two])?;
    Ok(if made == link.commit { Vouching::Recomputed } else { Vouching::Differs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signer_is_known_by_a_fingerprint_and_by_nothing_that_the_key_says_itself() {
        let ssh = TrustedSigner {
            fingerprints: vec!["SHA256:aBc".into()],
            principal: Some("ada@example.org".into()),
        };
        assert!(ssh.is_by("SHA256:aBc") && ssh.is_by("ada@example.org"));
        assert!(!ssh.is_by("SHA256:abc") && !ssh.is_by("ADA@example.org") && !ssh.is_by(""));
        let gpg = TrustedSigner { fingerprints: vec!["0A1B".into(), "2C3D".into()], principal: None };
        assert!(gpg.is_by("0a1b") && gpg.is_by("2C 3D") && !gpg.is_by("") && !gpg.is_by("1B"));
    }
}
