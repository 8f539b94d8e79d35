//! The only writer of what other programs put into the store: records in the documented format, and anything else
//! that plain git can commit.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{REF, Repo};

pub(crate) fn folder(issue: &str) -> String {
    format!("issues/{:02x}/{issue}", Sha256::digest(issue)[0])
}

pub(crate) fn file(issue: &str) -> String {
    format!("{}/issue.json", folder(issue))
}

pub(crate) fn stamp(tick: u32) -> String {
    format!("2026-11-21T02:{:02}:{:02}.000Z/00000/0000000a", tick / 60, tick % 60)
}

/// An issue as a writer of the format makes it, born at `tick`.
pub(crate) fn issue(id: &str, tick: u32) -> Value {
    json!({
        "id": id, "author": "Ada <ada@example.org>", "created_at": "2026-11-21T02:00:00.000Z", "title": "as it was",
        "status": "registered", "priority": 3, "clock": {"*": stamp(tick)}
    })
}

/// Puts a new issue into the store, as one commit.
pub(crate) fn create(repo: &Repo, id: &str, tick: u32) -> String {
    write(repo, &file(id), &issue(id, tick))
}

/// Changes one field of an issue, as one commit.
pub(crate) fn edit(repo: &Repo, id: &str, field: &str, value: impl Into<Value>, tick: u32) -> String {
    let mut record = repo.stored_json(&file(id));
    record[field] = value.into();
    let clock = record["clock"].as_object_mut().unwrap();
    clock.insert(field.into(), stamp(tick).into());
    clock.sort_keys();
    write(repo, &file(id), &record)
}

/// Puts a record at its path, as one commit.
pub(crate) fn write(repo: &Repo, path: &str, record: &Value) -> String {
    repo.plumb_records(&[(path.to_owned(), record.clone())])
}

/// Deletes a file or a directory of the store, as one commit.
pub(crate) fn drop_path(repo: &Repo, path: &str) -> String {
    repo.plumb_records(&[(path.to_owned(), Value::Null)])
}

impl Repo {
    /// An object with these bytes.
    pub(crate) fn blob(&self, bytes: impl AsRef<[u8]>) -> String {
        self.git_in(bytes, &["hash-object", "-w", "--stdin"]).ok().line().to_owned()
    }

    /// Makes one commit with these texts in place, and returns it.
    pub(crate) fn plumb(&self, files: &[(&str, &str)]) -> String {
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        self.plumb_bytes(&files)
    }

    /// The same with files that need not be texts.
    pub(crate) fn plumb_bytes(&self, files: &[(&str, &[u8])]) -> String {
        let blobs: Vec<String> = files.iter().map(|(_, bytes)| self.blob(bytes)).collect();
        let files: Vec<_> =
            files.iter().zip(&blobs).map(|((path, _), blob)| ("100644", &blob[..], *path)).collect();
        self.plumb_modes(&files)
    }

    /// The same with existing objects, each with its mode.
    pub(crate) fn plumb_modes(&self, files: &[(&str, &str, &str)]) -> String {
        self.plumb_index(|index| {
            for (mode, blob, path) in files {
                index.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{blob},{path}")]).ok();
            }
        })
    }

    /// Makes one commit with these records in place; `null` removes a file or a directory.
    pub(crate) fn plumb_records(&self, files: &[(String, Value)]) -> String {
        self.plumb_index(|index| {
            for (path, record) in files {
                if record.is_null() {
                    index.git(&["rm", "--quiet", "-r", "--cached", "--", path]).ok();
                } else {
                    let entry = format!("100644,{},{path}", index.blob(format!("{record:#}\n")));
                    index.git(&["update-index", "--add", "--cacheinfo", &entry]).ok();
                }
            }
        })
    }

    /// Puts a commit with this tree onto the ref.
    pub(crate) fn plumb_tree(&self, tree: &str) -> String {
        let commit = self.git(&["commit-tree", tree, "-p", REF, "-m", "by hand"]).ok();
        self.git(&["update-ref", REF, commit.line()]).ok();
        commit.line().to_owned()
    }

    fn plumb_index(&self, change: impl FnOnce(&Self)) -> String {
        self.plumb_tree(&self.tree_from(REF, change))
    }

    /// The tree that results from `change`, applied to an index with the tree of a commit.
    pub(crate) fn tree_from(&self, commit: &str, change: impl FnOnce(&Self)) -> String {
        let git_dir = self.git(&["rev-parse", "--absolute-git-dir"]).ok();
        let file = format!("{}/foreign-index", git_dir.line());
        let index = self.with_env("GIT_INDEX_FILE", &file);
        index.git(&["read-tree", commit]).ok();
        change(&index);
        let tree = index.git(&["write-tree"]).ok();
        std::fs::remove_file(file).unwrap();
        tree.line().to_owned()
    }
}
