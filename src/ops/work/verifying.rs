//! One verification at a time in a work tree: tests that run at once would use the same files and disturb each other.

use std::fs::{File, TryLockError};
use std::io::{Read, Write};

use crate::model::{Code, ExecutionId, Other, RemedyCall};
use crate::ops::Refusal;
use crate::store::{Store, StoreError};

/// Keeps other verifications in the work tree of `store` from starting until the returned file is dropped or the process
/// ends, however it ends. It is refused instead of waiting: the tests may take hours, and their results are recorded for
/// everyone.
///
/// # Errors
/// `verifying`.
pub(super) fn hold(store: &Store, execution: &ExecutionId) -> Result<File, Refusal> {
    let folder = store.git_dir().join("wf");
    let shared = store.repo().shared_mode();
    shared.create_folder(&folder).map_err(StoreError::io(&folder))?;
    let path = folder.join("verifying.lock");
    let mut file = shared.open(&path).map_err(StoreError::io(&path))?;
    match file.try_lock() {
        Ok(()) => {
            let note = format!("{} {}\n", std::process::id(), execution.short());
            let noted = file.set_len(0).and_then(|()| file.write_all(note.as_bytes()));
            noted.map_err(StoreError::io(&path))?;
            Ok(file)
        }
        Err(TryLockError::Error(error)) => Err(StoreError::io(&path)(error).into()),
        Err(TryLockError::WouldBlock) => Err(busy(&holder(&mut file), execution)),
    }
}

/// The note of the process that holds the lock; empty if it has not written it yet.
fn holder(file: &mut File) -> String {
    let mut note = String::new();
    // Without a note, the refusal says less.
    let _ = file.take(256).read_to_string(&mut note);
    note
}

fn busy(note: &str, execution: &ExecutionId) -> Refusal {
    let (by, of) = match note.trim().split_once(' ') {
        Some((process, of)) => (format!("process {process}"), of),
        None => ("another process".to_owned(), execution.short()),
    };
    Refusal::new(Code::Verifying, format!("{by} is already running the tests of `{of}` in this work tree"))
        .hint("wait until they have ended")
        .remedy(RemedyCall::new(Other::Show, [of]), "then shows their results")
}
