//! What git reports about the signatures of commits.

use std::collections::HashMap;
use std::process::Output;

use super::process::fed;
use super::{Args, Fault, Git, GitError, ObjectId, Repository};

/// The prefix of SSH key fingerprints.
pub(crate) const SSH: &str = "SHA256:";

/// git's verdict on a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureStatus {
    /// By a key that git trusts here.
    Good,
    /// It does not match the commit.
    Bad,
    /// By a key that git does not know or trust here.
    UnknownKey,
    /// It was made after it or its key had expired.
    Expired,
    /// By a key that was revoked.
    Revoked,
    /// git is not set up to check it here.
    Unchecked,
}

/// What git reports about a signature.
#[derive(Debug)]
pub(crate) struct SignatureVerdict {
    /// Whether the signature is valid.
    pub(crate) verified: SignatureStatus,
    /// The signer, as git names them.
    pub(crate) signer: Option<String>,
    /// The key, as git names it.
    pub(crate) key: Option<String>,
    /// Fingerprints: of the key, and of its primary key.
    pub(crate) fingerprints: Vec<String>,
}

impl Repository {
    /// Whether a commit has a signature, good or not.
    pub(crate) fn bears_signature(&self, id: ObjectId) -> Result<bool, Fault> {
        let commit = self.commit(id)?;
        let decoded = commit.decode()?;
        Ok(decoded.extra_headers.iter().any(|(name, _)| name.starts_with(b"gpgsig")))
    }
}

/// Who makes a commit, and when: `@seconds offset`.
pub(crate) struct CommitIdentity<'a> {
    pub(crate) name: &'a str,
    pub(crate) email: &'a str,
    pub(crate) date: String,
}

impl Git {
    /// Makes a signed commit of a tree on the disk, as git is configured.
    pub(crate) fn signed_commit(
        &self,
        tree: ObjectId,
        parent: ObjectId,
        message: &str,
        by: &CommitIdentity<'_>,
    ) -> Result<ObjectId, GitError> {
        let args = Args::new(&["commit-tree", "-S"]).with("-p", parent).value(tree.to_string());
        let mut command = self.with_keys().command(args);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), by.name);
            command.env(format!("GIT_{who}_EMAIL"), by.email);
            command.env(format!("GIT_{who}_DATE"), &by.date);
        }
        let output = fed(command, message.as_bytes())?.stdout;
        let text = String::from_utf8_lossy(&output);
        ObjectId::from_hex(text.trim().as_bytes()).map_err(|_| GitError::Failed {
            command: "commit-tree -S".into(),
            stderr: format!("answered `{}`, which is not an object id", text.trim()),
            code: Some(0),
        })
    }

    /// Asks git about signed commits in one process. Also returns git's messages on stderr about what it could not
    /// check.
    pub(crate) fn verdicts(
        &self,
        ids: &[ObjectId],
    ) -> Result<(HashMap<ObjectId, SignatureVerdict>, Option<String>), GitError> {
        if ids.is_empty() {
            return Ok((HashMap::new(), None));
        }
        let list: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let output = self.asked("--format=%H%x00%G?%x00%GS%x00%GK%x00%GF%x00%GP", &list)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut verdicts: HashMap<_, _> = text.lines().filter_map(verdict).collect();
        self.tell_expired(&mut verdicts)?;
        let words = String::from_utf8_lossy(&output.stderr);
        let is_unchecked = verdicts.values().any(|verdict| verdict.verified == SignatureStatus::Unchecked);
        let complaint =
            if is_unchecked { words.lines().map(str::trim).find(|line| !line.is_empty()) } else { None };
        let complaint = complaint.map(|line| line.trim_start_matches("error: ").to_owned());
        Ok((verdicts, complaint))
    }

    /// git reports an expired SSH key like an unknown one; only the message of ssh-keygen tells which it is.
    fn tell_expired(&self, verdicts: &mut HashMap<ObjectId, SignatureVerdict>) -> Result<(), GitError> {
        let unknown = verdicts.iter().filter(|(_, verdict)| {
            verdict.verified == SignatureStatus::UnknownKey
                && verdict.key.as_deref().is_some_and(|key| key.starts_with(SSH))
        });
        let list: String = unknown.map(|(id, _)| format!("{id}\n")).collect();
        if list.is_empty() {
            return Ok(());
        }
        let output = self.asked("--format=%x00%H%x00%GG", &list)?;
        for id in expired(&String::from_utf8_lossy(&output.stdout)) {
            if let Some(verdict) = verdicts.get_mut(&id) {
                verdict.verified = SignatureStatus::Expired;
            }
        }
        Ok(())
    }

    /// git's output for each listed commit.
    fn asked(&self, format: &'static str, list: &str) -> Result<Output, GitError> {
        let args = ["log", "--no-walk=unsorted", "--no-show-signature", "--no-color", format, "--stdin"];
        fed(self.command(&args), list.as_bytes())
    }
}

/// The commits in `words` whose key had expired. In `words`, each commit is followed by the message of ssh-keygen.
fn expired(words: &str) -> impl Iterator<Item = ObjectId> + '_ {
    let mut parts = words.split('\0').skip(1);
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
        .filter(|(_, said)| said.contains(": key has expired: "))
        .filter_map(|(id, _)| ObjectId::from_hex(id.as_bytes()).ok())
}

/// Reads one line of git's answer about a signed commit.
fn verdict(line: &str) -> Option<(ObjectId, SignatureVerdict)> {
    let mut parts = line.split('\0');
    let id = ObjectId::from_hex(parts.next()?.as_bytes()).ok()?;
    // The letters are those of git-log(1).
    let verified = match parts.next()? {
        "G" => SignatureStatus::Good,
        "B" => SignatureStatus::Bad,
        // Valid, but the signer is not trusted here; or the key is not here.
        "U" | "E" => SignatureStatus::UnknownKey,
        "X" | "Y" => SignatureStatus::Expired,
        "R" => SignatureStatus::Revoked,
        _ => SignatureStatus::Unchecked,
    };
    let mut text = || parts.next().map(str::to_owned).filter(|text| !text.is_empty());
    let (signer, key) = (text(), text());
    Some((
        id,
        SignatureVerdict {
            verified,
            signer,
            key,
            fingerprints: [text(), text()].into_iter().flatten().collect(),
        },
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
            (good.verified, good.signer.as_deref(), good.key.as_deref()),
            (SignatureStatus::Good, Some("ada@example.org"), Some("SHA256:abc"))
        );
        for (letter, verified) in [
            ("B", SignatureStatus::Bad),
            ("U", SignatureStatus::UnknownKey),
            ("E", SignatureStatus::UnknownKey),
            ("Y", SignatureStatus::Expired),
            ("R", SignatureStatus::Revoked),
            ("N", SignatureStatus::Unchecked),
        ] {
            let verdict = of(&format!("{letter}\0\0"));
            assert_eq!((verdict.verified, verdict.signer), (verified, None));
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
        assert_eq!(expired(&words).collect::<Vec<_>>(), [ObjectId::from_hex(one.as_bytes()).unwrap()]);
        assert_eq!(expired("").count(), 0);
    }
}
