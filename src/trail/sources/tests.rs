#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::git::Repository;
use crate::model::fixtures;

const AT: &str = "2026-11-21T02:14:05.123Z";

/// A state of some files that counts how many are read.
struct Files {
    files: BTreeMap<String, Vec<u8>>,
    read: Cell<usize>,
}

impl ReadState for Files {
    fn file(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read.set(self.read.get() + 1);
        Ok(self.files.get(path).cloned())
    }

    fn names(&self, path: &str) -> Result<Vec<String>, StoreError> {
        let inside = self.files.keys().filter_map(|file| file.strip_prefix(path)?.strip_prefix('/'));
        let mut names: Vec<String> =
            inside.map(|rest| rest.split('/').next().unwrap_or_default().to_owned()).collect();
        names.dedup();
        Ok(names)
    }
}

/// The hash of the nth commit.
fn hash(n: usize) -> CommitHash {
    CommitHash::parse(&format!("{n:040x}")).unwrap()
}

/// An execution that links this many commits.
fn linking(commits: usize) -> (ExecutionId, Files) {
    let (id, claim) = fixtures::execution(json!({
        "nonce": "n", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-1", "plan_digest": "sha256:0",
        "plan_commit": hash(0), "base_commit": hash(0), "attempt": 1, "actor": "a", "started_at": AT,
        "lease_expires_at": AT,
    }));
    let bytes = |record: &Value| serde_json::to_vec(record).unwrap();
    let mut files = BTreeMap::from([(crate::store::layout::execution(&id), bytes(&claim))]);
    for n in 1..=commits {
        let link = json!({
            "type": "commit", "hash": hash(n), "subject": "s", "author": "a", "authored_at": AT, "linked_by": "hook",
            "actor": "a", "at": AT,
        });
        let (entry, link) = fixtures::entry(&format!("20261121T021405123Z-{n:05}"), link);
        let log = crate::store::layout::execution_log(&id);
        files.insert(crate::store::layout::entry(&log, &entry), bytes(&link));
    }
    (id, Files { files, read: Cell::new(0) })
}

#[test]
fn an_execution_is_read_once_for_all_of_its_commits() {
    let folder = tempfile::tempdir().unwrap();
    Repository::init_bare(folder.path());
    let store = Store::open(folder.path(), &Default::default()).unwrap();
    let (id, files) = linking(20);
    let sources = Sources::new(&store, &files);
    let links = |n| sources.links(&hash(n), std::slice::from_ref(&id)).unwrap();
    assert_eq!(links(1)[0].1.hash, hash(1));
    let once = files.read.get();
    for n in 1..=20 {
        let found = links(n);
        assert_eq!((found.len(), &found[0].0.id, &found[0].1.hash), (1, &id, &hash(n)));
    }
    assert!(links(21).is_empty());
    assert_eq!(files.read.get(), once);
}
