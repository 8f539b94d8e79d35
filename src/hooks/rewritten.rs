//! The rewritten commits, if git's list of them did not reach the hook: a program that runs the hook of another, as
//! pre-commit does, may not pass on stdin.

use std::io::ErrorKind;

use crate::git::ObjectId;
use crate::ops::trail::RewriteKind;
use crate::store::{Store, StoreError};

/// Where a rebase keeps the list, in the form that git passes on, until its hooks have run.
const LISTS: [&str; 2] = ["rebase-merge/rewritten-list", "rebase-apply/rewritten"];

/// The list as git would have written it to stdin; empty if git keeps no trace of it.
pub(super) fn find(store: &Store, kind: RewriteKind) -> Result<Vec<u8>, StoreError> {
    match kind {
        RewriteKind::Rebase => {
            for name in LISTS {
                let path = store.git_dir().join(name);
                match std::fs::read(&path) {
                    Ok(list) => return Ok(list),
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(StoreError::io(path)(error)),
                }
            }
            Ok(vec![])
        }
        RewriteKind::Amend => {
            Ok(amended(store)?.map_or_else(Vec::new, |(old, new)| format!("{old} {new}\n").into_bytes()))
        }
    }
}

/// The commit that was amended last and its replacement, from the reflog of HEAD.
fn amended(store: &Store) -> Result<Option<(ObjectId, ObjectId)>, StoreError> {
    let moves = store.repo().reflog("HEAD", 2)?;
    let [last, before] = &moves[..] else { return Ok(None) };
    let is_amend = last.why.starts_with("commit (amend)") && store.head()? == Some(last.commit);
    Ok(is_amend.then_some((before.commit, last.commit)))
}
