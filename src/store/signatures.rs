//! Verifies the commits of the ref: git checks their signatures, and commits that every clone makes identically are
//! recomputed.

use std::collections::{HashMap, HashSet};

use super::error::StoreError;
use super::history::{Link, Step};
use super::merge;
use super::repo::{Store, object_id};
use super::root;
use crate::git::ObjectId;
use crate::model::text_enum;

text_enum!(
    /// What vouches for a commit of the ref.
    Vouching {
        /// A signature by a key that git here trusts.
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
        /// It is what a merge of its parents makes.
        Recomputed = "recomputed",
        /// It looks like a merge, but merging its parents makes another commit.
        Differs = "differs",
        /// It is the constant first commit of every store.
        Root = "root",
    }
);

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
    pub(crate) step: Step,
    /// What vouches for it.
    pub(crate) vouching: Vouching,
    /// The signer, as git names them; `None` if there is no signature or git does not know.
    pub(crate) signer: Option<String>,
    /// The key, as git names it.
    pub(crate) key: Option<String>,
}

/// What git reports about a signature.
struct Verdict {
    vouching: Vouching,
    signer: Option<String>,
    key: Option<String>,
    fingerprints: Vec<String>,
}

impl Verdict {
    fn without_signer(vouching: Vouching) -> Self {
        Self { vouching, signer: None, key: None, fingerprints: vec![] }
    }
}

/// What the signature of a commit proves here.
#[derive(Debug)]
pub(crate) enum Signature {
    /// Made by a key that git trusts here.
    By(Signed),
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
pub(crate) struct Signed {
    /// Fingerprints: of the key, and of its primary key.
    fingerprints: Vec<String>,
    /// The principal that the file of allowed signers names for the key. The name in a GnuPG key does not count here,
    /// since only its owner vouches for it.
    principal: Option<String>,
}

impl Signed {
    /// Whether a setting that names a fingerprint, or an SSH principal, means this signer.
    pub(crate) fn is_by(&self, name: &str) -> bool {
        let is_key = |known: &String| match known.starts_with(SSH) {
            true => known == name,
            // Hexadecimal digits, spaced as people copy them.
            false => known.eq_ignore_ascii_case(&name.replace(' ', "")),
        };
        self.fingerprints.iter().any(is_key) || self.principal.as_deref() == Some(name)
    }

    /// The name by which a setting would refer to this signer.
    pub(crate) fn name(&self) -> &str {
        self.principal
            .as_deref()
            .or(self.fingerprints.first().map(String::as_str))
            .unwrap_or("an unnamed key")
    }
}

/// The prefix of SSH key fingerprints.
const SSH: &str = "SHA256:";

impl Store {
    /// The commits of the ref, parents before children, each with what vouches for it; with `only`, just these. Also
    /// returns what git complained about while checking.
    pub(crate) fn vouched(
        &self,
        only: Option<&HashSet<ObjectId>>,
    ) -> Result<(Vec<Vouched>, Option<String>), StoreError> {
        let Some(tip) = self.tip()? else { return Ok((vec![], None)) };
        let first = root::make(&self.in_memory())?;
        let mut links = self.commits_between(None, tip)?;
        links.retain(|link| only.is_none_or(|only| only.contains(&link.commit)));
        let mut signed = Vec::new();
        for link in links.iter().filter(|link| link.parents.len() < 2) {
            if self.bears_signature(link.commit)? {
                signed.push(link.commit);
            }
        }
        let (mut verdicts, complaint) = self.verdicts(&signed)?;
        let mut since_purge: Option<HashSet<ObjectId>> = None;
        let vouched = links.iter().map(|link| {
            let verdict = if link.commit == first {
                Verdict::without_signer(Vouching::Root)
            } else if link.parents.len() > 1 {
                Verdict::without_signer(self.made_again(link)?)
            } else {
                let unsigned = || Verdict::without_signer(Vouching::Unsigned);
                verdicts.remove(&link.commit).unwrap_or_else(unsigned)
            };
            let Verdict { mut vouching, signer, key, .. } = verdict;
            if vouching == Vouching::Unsigned {
                let since = match &mut since_purge {
                    Some(since) => since,
                    None => since_purge.insert(self.since_purge()?),
                };
                if since.contains(&link.commit) {
                    vouching = Vouching::Purged;
                }
            }
            Ok(Vouched { step: self.step(link.commit)?, vouching, signer, key })
        });
        Ok((vouched.collect::<Result<_, StoreError>>()?, complaint))
    }

    /// What the signatures of these commits prove; commits without a signature are left out.
    pub(crate) fn signatures(&self, ids: &[ObjectId]) -> Result<HashMap<ObjectId, Signature>, StoreError> {
        let mut signed = Vec::new();
        for id in ids {
            if self.bears_signature(*id)? {
                signed.push(*id);
            }
        }
        let (verdicts, _) = self.verdicts(&signed)?;
        let of = |Verdict { vouching, signer, key, fingerprints }| match vouching {
            Vouching::Good => Signature::By(Signed {
                principal: signer.filter(|_| fingerprints.iter().any(|it: &String| it.starts_with(SSH))),
                fingerprints,
            }),
            Vouching::Expired => Signature::Expired,
            Vouching::UnknownKey => {
                let name = fingerprints.into_iter().next().or(key);
                Signature::Untrusted(name.unwrap_or_else(|| "an unnamed key".to_owned()))
            }
            Vouching::Unchecked => Signature::Unchecked,
            _ => Signature::Nobodys,
        };
        Ok(verdicts.into_iter().map(|(id, verdict)| (id, of(verdict))).collect())
    }

    /// Compares a merge or restoring commit with the one that its parents make.
    fn made_again(&self, link: &Link) -> Result<Vouching, StoreError> {
        let [one, two] = link.parents[..] else { return Ok(Vouching::Differs) };
        if [one, two].iter().any(|parent| self.repo.header(*parent).is_err()) {
            // In a shallow clone this cannot be checked.
            return Ok(Vouching::Unchecked);
        }
        let made = merge::of_parents(&self.in_memory(), [one, two])?;
        Ok(if made == link.commit { Vouching::Recomputed } else { Vouching::Differs })
    }

    fn bears_signature(&self, id: ObjectId) -> Result<bool, StoreError> {
        let failed = StoreError::object("cannot read a commit of the store");
        let commit = self.repo.commit(id).map_err(&failed)?;
        let decoded = commit.decode().map_err(&failed)?;
        Ok(decoded.extra_headers.iter().any(|(name, _)| name.starts_with(b"gpgsig")))
    }

    /// Asks git about signed commits in one process. Also returns git's messages on stderr about what it could not
    /// check.
    fn verdicts(&self, ids: &[ObjectId]) -> Result<(HashMap<ObjectId, Verdict>, Option<String>), StoreError> {
        if ids.is_empty() {
            return Ok((HashMap::new(), None));
        }
        let list: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let output = self.asked("--format=%H%x00%G?%x00%GS%x00%GK%x00%GF%x00%GP", &list)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut verdicts: HashMap<_, _> = text.lines().filter_map(verdict).collect();
        self.tell_expired(&mut verdicts)?;
        let words = String::from_utf8_lossy(&output.stderr);
        let is_unchecked = verdicts.values().any(|it| it.vouching == Vouching::Unchecked);
        let complaint = words.lines().map(str::trim).find(|line| !line.is_empty()).filter(|_| is_unchecked);
        let complaint = complaint.map(|line| line.trim_start_matches("error: ").to_owned());
        Ok((verdicts, complaint))
    }

    /// git reports an expired SSH key like an unknown one; only the message of ssh-keygen tells which it is.
    fn tell_expired(&self, verdicts: &mut HashMap<ObjectId, Verdict>) -> Result<(), StoreError> {
        let is_ssh = |it: &Verdict| it.key.as_deref().is_some_and(|key| key.starts_with(SSH));
        let unknown = verdicts.iter().filter(|(_, it)| it.vouching == Vouching::UnknownKey && is_ssh(it));
        let list: String = unknown.map(|(id, _)| format!("{id}\n")).collect();
        if list.is_empty() {
            return Ok(());
        }
        let output = self.asked("--format=%x00%H%x00%GG", &list)?;
        for id in expired(&String::from_utf8_lossy(&output.stdout)) {
            if let Some(verdict) = verdicts.get_mut(&id) {
                verdict.vouching = Vouching::Expired;
            }
        }
        Ok(())
    }

    /// git's output for each listed commit.
    fn asked(&self, format: &'static str, list: &str) -> Result<std::process::Output, StoreError> {
        let args = ["log", "--no-walk=unsorted", "--no-show-signature", "--no-color", format, "--stdin"];
        Ok(crate::git::fed(self.git().command(&args), list.as_bytes())?)
    }
}

/// The commits in `words` whose key had expired. In `words`, each commit is followed by the message of ssh-keygen.
fn expired(words: &str) -> impl Iterator<Item = ObjectId> + '_ {
    let mut parts = words.split('\0').skip(1);
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
        .filter(|(_, said)| said.contains(": key has expired: "))
        .filter_map(|(id, _)| object_id(id))
}

/// Reads one line of git's answer about a signed commit.
fn verdict(line: &str) -> Option<(ObjectId, Verdict)> {
    let mut parts = line.split('\0');
    let id = object_id(parts.next()?)?;
    // The letters are those of git-log(1).
    let vouching = match parts.next()? {
        "G" => Vouching::Good,
        "B" => Vouching::Bad,
        // Valid, but the signer is not trusted here; or the key is not here.
        "U" | "E" => Vouching::UnknownKey,
        "X" | "Y" => Vouching::Expired,
        "R" => Vouching::Revoked,
        _ => Vouching::Unchecked,
    };
    let mut text = || parts.next().map(str::to_owned).filter(|text| !text.is_empty());
    let (signer, key) = (text(), text());
    Some((
        id,
        Verdict { vouching, signer, key, fingerprints: [text(), text()].into_iter().flatten().collect() },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_of_a_signature_is_read() {
        let id = "1".repeat(40);
        let of = |rest: &str| verdict(&format!("{id}\0{rest}")).unwrap().1;
        let good = of("G\0ada@example.org\0SHA256:abc");
        assert_eq!(
            (good.vouching, good.signer.as_deref(), good.key.as_deref()),
            (Vouching::Good, Some("ada@example.org"), Some("SHA256:abc"))
        );
        for (letter, vouching) in [
            ("B", Vouching::Bad),
            ("U", Vouching::UnknownKey),
            ("E", Vouching::UnknownKey),
            ("Y", Vouching::Expired),
            ("R", Vouching::Revoked),
            ("N", Vouching::Unchecked),
        ] {
            let it = of(&format!("{letter}\0\0"));
            assert_eq!((it.vouching, it.signer), (vouching, None));
            assert!(!vouching.is_sound());
        }
        assert!(verdict("nothing").is_none());
    }

    #[test]
    fn an_expired_key_is_told_from_an_unknown_one() {
        let [one, two, three] = ["1", "2", "3"].map(|digit| digit.repeat(40));
        let words = format!(
            "\0{one}\0Good \"git\" signature with ED25519 key SHA256:x\nsigners:1: key has expired: verify time 2 > \
             valid-before 1\nNo principal matched.\n\n\0{two}\0No principal matched.\n\n\0{three}\0"
        );
        assert_eq!(expired(&words).collect::<Vec<_>>(), [object_id(&one).unwrap()]);
        assert_eq!(expired("").count(), 0);
    }

    #[test]
    fn a_signer_is_known_by_a_fingerprint_and_by_nothing_that_the_key_says_itself() {
        let ssh =
            Signed { fingerprints: vec!["SHA256:aBc".into()], principal: Some("ada@example.org".into()) };
        assert!(ssh.is_by("SHA256:aBc") && ssh.is_by("ada@example.org"));
        assert!(!ssh.is_by("SHA256:abc") && !ssh.is_by("ADA@example.org") && !ssh.is_by(""));
        let gpg = Signed { fingerprints: vec!["0A1B".into(), "2C3D".into()], principal: None };
        assert!(gpg.is_by("0a1b") && gpg.is_by("2C 3D") && !gpg.is_by("") && !gpg.is_by("1B"));
    }
}
