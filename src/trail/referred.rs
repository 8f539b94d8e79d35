//! The other commits that a message names in git's own words: those that it reverts, copies or squashes.

use bstr::ByteSlice;

/// The trailer for a reverted commit, in messages without git's own sentence.
pub(crate) const REVERTS: &str = "Wf-Reverts";
/// `git revert` writes this, even if it reverts a revert ("Reapply").
const TAKES_BACK: &[u8] = b"This reverts commit";
/// `git cherry-pick -x` writes this.
const COPIES: &[u8] = b"(cherry picked from commit ";
/// How `git merge --squash` begins its list of messages, which are indented.
pub(crate) const SQUASHED: &[u8] = b"Squashed commit of the following:";
/// Each message of that list starts with this.
const SQUASHES: &[u8] = b"commit ";
/// `git commit --fixup` and `--squash` begin a subject with these, possibly several times.
const FIXES: [&str; 3] = ["fixup! ", "squash! ", "amend! "];
/// An abbreviated id is at least this long.
const SHORTEST: usize = 7;
/// At most this many are looked up.
const MOST: usize = 1_000;

/// The ids of other commits in a message, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Referred {
    /// Reverted commits.
    pub(crate) reverts: Vec<String>,
    /// Copied or squashed commits.
    pub(crate) copies: Vec<String>,
}

impl Referred {
    /// Parses a message. Indented lines belong to a squashed commit.
    pub(crate) fn parse(message: &[u8]) -> Self {
        let mut found = Self::default();
        let mut is_list = false;
        for line in message.lines() {
            is_list |= line.starts_with(SQUASHED);
            if let Some(rest) = line.strip_prefix(TAKES_BACK) {
                found.reverts.extend(ids(rest.strip_prefix(b"s").unwrap_or(rest)));
            } else if let Some(rest) =
                line.strip_prefix(REVERTS.as_bytes()).and_then(|rest| rest.strip_prefix(b":"))
            {
                found.reverts.extend(id(rest.trim()));
            } else if let Some(rest) = line.strip_prefix(COPIES) {
                found.copies.extend(rest.strip_suffix(b")").and_then(id));
            } else if let Some(rest) = line.strip_prefix(SQUASHES)
                && is_list
            {
                // git writes the full id and nothing after it.
                found.copies.extend(id(rest).filter(|id| id.len() >= 40));
            }
        }
        found.reverts.truncate(MOST);
        found.copies.truncate(MOST);
        found
    }
}

/// The subject, the beginning of one, or the id of the commit that `git rebase --autosquash` will squash a commit with this
/// message into.
pub(crate) fn fixed(message: &[u8]) -> Option<&str> {
    let subject = message.trim_ascii_start().lines().next()?.to_str().ok()?;
    let mut rest = subject;
    while let Some(shorter) = FIXES.iter().find_map(|fixes| rest.strip_prefix(fixes)) {
        rest = shorter.trim_start();
    }
    (rest.len() < subject.len() && !rest.is_empty()).then_some(rest)
}

/// The ids at the start of the rest of a sentence: `1234567.`, `1234567, reversing`, `1234567 (subject, date)`,
/// `1234567 and 89abcde`.
fn ids(rest: &[u8]) -> Vec<String> {
    let words = rest.fields().map(|word| word.trim_end_with(|c| matches!(c, '.' | ',' | ';')));
    words
        .map_while(|word| (word == b"and").then_some(None).or_else(|| id(word).map(Some)))
        .flatten()
        .collect()
}

fn id(word: &[u8]) -> Option<String> {
    let word = word.to_str().ok()?;
    let is_id = (SHORTEST..=64).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit());
    is_id.then(|| word.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "0123456789abcdef0123456789abcdef01234567";
    const B: &str = "89abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn what_git_writes_of_other_commits_is_read() {
        for (message, reverts, copies) in [
            (format!("Revert \"x\"\n\nThis reverts commit {A}.\n"), vec![A], vec![]),
            (format!("Reapply \"x\"\n\nThis reverts commit {A}.\n"), vec![A], vec![]),
            (
                format!("Revert \"x\"\n\nThis reverts commit {A}, reversing\nchanges made to {B}.\n"),
                vec![A],
                vec![],
            ),
            ("Revert\n\nThis reverts commit 0123456 (x, 2026-11-21).\n".into(), vec!["0123456"], vec![]),
            (format!("Back out\n\nThis reverts commits {A} and {B}.\r\n"), vec![A, B], vec![]),
            (format!("Back out\n\nWf-Solution: SOL-ISS-001-1\nWf-Reverts: {A}\n"), vec![A], vec![]),
            (format!("x\n\n(cherry picked from commit {A})\n"), vec![], vec![A]),
            (
                format!("Squashed commit of the following:\n\ncommit {A}\nAuthor: x\n\n    x\n"),
                vec![],
                vec![A],
            ),
            (format!("As `git log` shows:\n\ncommit {A}\nAuthor: x\n"), vec![], vec![]),
            (format!("x\n\n    This reverts commit {A}.\n> commit {B}\n"), vec![], vec![]),
            ("x\n\ncommit often\nThis reverts commit of yesterday\n".into(), vec![], vec![]),
        ] {
            let found = Referred::parse(message.as_bytes());
            assert_eq!(
                (&found.reverts[..], &found.copies[..]),
                (&to_owned(reverts)[..], &to_owned(copies)[..]),
                "{message}"
            );
        }
    }

    #[test]
    fn a_fixup_names_the_commit_that_it_goes_into() {
        for (message, target) in [
            ("fixup! add x\n", Some("add x")),
            ("\nsquash! fixup! add x\n\nmore\n", Some("add x")),
            ("amend! add x\n\nadd y\n", Some("add x")),
            ("fixup! 0123456", Some("0123456")),
            ("fixup!\n", None),
            ("fixup! \n\nadd x\n", None),
            ("add x\n\nfixup! add y\n", None),
            ("", None),
        ] {
            assert_eq!(fixed(message.as_bytes()), target, "{message}");
        }
    }

    fn to_owned(ids: Vec<&str>) -> Vec<String> {
        ids.into_iter().map(str::to_owned).collect()
    }
}
