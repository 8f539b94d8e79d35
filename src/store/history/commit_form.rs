//! Malformed commits, which git itself would not make. Most readers accept them, but a host with
//! `receive.fsckObjects` rejects every history that contains one. The checks are those of git-fsck(1).

use bstr::ByteSlice;

use super::commit_size;
use super::identity_steps::Rewritten;
use crate::git::ObjectId;
use crate::store::{Store, StoreError};

impl Store {
    /// What is malformed in a commit; `None` if it can be pushed to any host.
    pub(crate) fn ill_formed(&self, commit: ObjectId) -> Result<Option<&'static str>, StoreError> {
        let read = commit_size::read(&self.repo, self.reference(), commit)?;
        Ok(fault(read.bytes()))
    }

    /// The malformed commits among many, with their authors.
    pub(in crate::store) fn all_ill_formed(
        &self,
        commits: impl Iterator<Item = ObjectId>,
    ) -> Result<Vec<Rewritten>, StoreError> {
        let mut found = Vec::new();
        for commit in commits {
            if let Some(why) = self.ill_formed(commit)? {
                let author = self.step(commit)?.author;
                let (path, commit) = (self.reference().to_owned(), commit.into());
                found.push(Rewritten { path, what: finding(why), commit, author });
            }
        }
        Ok(found)
    }
}

/// The finding in words, to follow the author's name.
pub(crate) fn finding(why: &str) -> String {
    format!("made a malformed commit, which hosts that check objects refuse: {why}")
}

/// What is malformed in a commit with these bytes.
fn fault(commit: &[u8]) -> Option<&'static str> {
    if commit.contains(&0) {
        return Some("it has a NUL byte");
    }
    let headers = commit.split_once_str("\n\n").map_or(commit, |(headers, _)| headers);
    let mut people = 0;
    for line in headers.lines() {
        let Some((word @ (b"author" | b"committer"), person)) = line.split_once_str(b" ") else { continue };
        people += 1;
        // There is a second author where the committer should be.
        if word != [&b"author"[..], b"committer"][usize::from(people > 1)] || people > 2 {
            return Some("it has more than one author or committer");
        }
        if let Some(why) = fault_of_person(person) {
            return Some(why);
        }
    }
    (people < 2).then_some("it has no author or no committer")
}

/// `Ada <ada@example.org> 1795226400 +0100`
fn fault_of_person(person: &[u8]) -> Option<&'static str> {
    const NAME: &str = "its author or committer has no name and address as git writes them";
    const DATE: &str = "its date is not one that git writes";
    let Some(at) = person.find_byteset(b"<>") else { return Some(NAME) };
    let (name, rest) = person.split_at(at);
    if !rest.starts_with(b"<") || !name.ends_with(b" ") {
        return Some(NAME);
    }
    let rest = &rest[1..];
    let Some(at) = rest.find_byteset(b"<>").filter(|at| rest[*at] == b'>') else { return Some(NAME) };
    let Some(date) = rest[at + 1..].strip_prefix(b" ") else { return Some(DATE) };
    if date.starts_with(b"-") {
        return Some("it is dated before 1970");
    }
    let Some((seconds, zone)) = date.split_once_str(b" ") else { return Some(DATE) };
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_padded = seconds.len() > 1 && seconds.starts_with(b"0");
    let is_in_range = seconds.to_str().is_ok_and(|text| text.parse::<i64>().is_ok());
    if !is_number(seconds) || is_padded || !is_in_range {
        return Some(DATE);
    }
    match zone {
        [b'+' | b'-', digits @ ..] if digits.len() == 4 && is_number(digits) => None,
        _ => Some("its time zone is not one that git writes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_refuses_is_told_from_what_it_takes() {
        const FINE: &str = "E <e@x> 1795226400 +0000";
        let commit = |author: &str, committer: &str, message: &str| {
            let tree = "1".repeat(40);
            let text = format!("tree {tree}\nauthor {author}\ncommitter {committer}\n\n{message}");
            fault(text.as_bytes())
        };
        for fine in [FINE, "E F <> 0 -0130", " <e@x> 1 +0000", "E \u{1b}[31m <e@x> 1 +9999"] {
            assert_eq!(commit(fine, FINE, "m\n"), None, "{fine}");
        }
        assert_eq!(commit(FINE, FINE, ""), None);
        assert_eq!(commit(FINE, FINE, "author -5\n\ncommitter\n"), None);
        assert_eq!(commit(FINE, FINE, "a\0b"), Some("it has a NUL byte"));
        assert_eq!(commit("E <e@x> -5 +0000", FINE, "m"), Some("it is dated before 1970"));
        assert_eq!(commit(FINE, "E <e@x> -5 +0000", "m"), Some("it is dated before 1970"));
        let bad = [
            "E<e@x> 1 +0000",
            "<e@x> 1 +0000",
            "E 1 +0000",
            "E> <e@x> 1 +0000",
            "E <e<x> 1 +0000",
            "E <e@x>1 +0000",
            "E <e@x> z +0000",
            "E <e@x> 01 +0000",
            "E <e@x> 99999999999999999999 +0000",
            "E <e@x> 1 0000",
            "E <e@x> 1 +00",
            "E <e@x> 1",
            "E <e@x>",
        ];
        for bad in bad {
            assert!(commit(bad, FINE, "m").is_some(), "{bad}");
        }
        let twice = format!("author {FINE}\nauthor {FINE}\ncommitter {FINE}\n\nm");
        assert!(fault(twice.as_bytes()).is_some());
        assert!(fault(format!("author {FINE}\n\nm").as_bytes()).is_some());
    }
}
