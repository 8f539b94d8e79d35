//! A commit of the ref as it is rewritten: tree, parents and message; everything else stays byte for byte.

use bstr::{BStr, ByteSlice};

use crate::git::{CommitRef, Fault, HashKind, ObjectId};
use crate::model::REDACTED;
use crate::store::{StoreError, Subjects, root};

/// A signature covers the old bytes, so it is dropped.
const SIGNATURES: &[&[u8]] = &[b"gpgsig ", b"gpgsig-sha256 "];
const FORCE: &str = "Wf-Force: ";

pub(crate) struct RawCommit<'a> {
    pub(crate) tree: ObjectId,
    pub(crate) parents: Vec<ObjectId>,
    author: &'a BStr,
    /// The headers, without the empty line after them.
    headers: &'a BStr,
    message: String,
}

impl<'a> RawCommit<'a> {
    pub(crate) fn parse(data: &'a [u8], hash: HashKind) -> Result<Self, Fault> {
        let parsed = CommitRef::from_bytes(data, hash)?;
        let (tree, parents) = (parsed.tree(), parsed.parents().collect());
        let (headers, message) = data.split_once_str("\n\n").unwrap_or((data, b""));
        Ok(Self {
            tree,
            parents,
            author: parsed.author,
            headers: headers.as_bstr(),
            message: String::from_utf8_lossy(message).into_owned(),
        })
    }

    /// Whether it is a merge that every clone makes identically, with its parents sorted by id.
    pub(crate) fn is_merge_of_ours(&self) -> bool {
        self.parents.len() == 2 && self.author.contains_str(format!("<{}>", root::EMAIL))
    }

    /// Removes from the message what may quote a hidden value.
    pub(crate) fn hide(&mut self, subjects: &mut Subjects<'_>) -> Result<(), StoreError> {
        let (subject, rest) = self.message.split_once('\n').unwrap_or((&self.message, ""));
        let mut subject = subject.to_owned();
        if !subjects.hide(&mut subject)? {
            return Ok(());
        }
        let ends = if self.message.contains('\n') { "\n" } else { "" };
        let rest = rest
            .split('\n')
            .map(|line| if line.starts_with(FORCE) { format!("{FORCE}{REDACTED}") } else { line.to_owned() })
            .collect::<Vec<_>>()
            .join("\n");
        self.message = format!("{subject}{ends}{rest}");
        Ok(())
    }

    /// Its bytes, if they differ from those that it was read from.
    pub(crate) fn changed(&self, before: &[u8]) -> Option<Vec<u8>> {
        // Only the text of the message is compared: bytes that are not UTF-8 stay as long as nothing else changes.
        let (headers, message) = before.split_once_str("\n\n").unwrap_or((before, b""));
        let is_same = self.with_headers(true).strip_suffix(b"\n\n") == Some(headers)
            && String::from_utf8_lossy(message) == self.message;
        (!is_same).then(|| [self.with_headers(false), self.message.clone().into_bytes()].concat())
    }

    fn with_headers(&self, is_signed: bool) -> Vec<u8> {
        let mut bytes = format!("tree {}\n", self.tree).into_bytes();
        for parent in &self.parents {
            bytes.extend(format!("parent {parent}\n").into_bytes());
        }
        let mut is_left_out = false;
        for line in self.headers.lines() {
            if !line.starts_with(b" ") {
                is_left_out = line.starts_with(b"tree ")
                    || line.starts_with(b"parent ")
                    || (!is_signed && SIGNATURES.iter().any(|name| line.starts_with(name)));
            }
            if !is_left_out {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
        }
        bytes.push(b'\n');
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: &[u8] = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
        parent 441dcc324b8c7eb6eb155294920f6f982538e215\n\
        author A <a@b> 0 +0000\ncommitter A <a@b> 0 +0000\nencoding x\n\
        gpgsig -----BEGIN-----\n x\n \n -----END-----\nother y\n\nsubject\n\nWf-Op: new\n";

    #[test]
    fn a_commit_that_stays_keeps_its_signature_and_a_changed_one_loses_it() {
        let mut commit = RawCommit::parse(SIGNED, HashKind::Sha1).unwrap();
        assert_eq!(commit.changed(SIGNED), None);
        commit.parents = vec![commit.tree];
        let changed = String::from_utf8(commit.changed(SIGNED).unwrap()).unwrap();
        assert_eq!(
            changed,
            "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
             author A <a@b> 0 +0000\ncommitter A <a@b> 0 +0000\nencoding x\nother y\n\nsubject\n\nWf-Op: new\n"
        );
    }
}
