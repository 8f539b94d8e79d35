//! What the work of an execution does to tests, read from two trees, and the trees that are tested because of it.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::git::{Difference, EntryKind, PathEdit};
use crate::ops::Refusal;
use crate::rules::test_changes::{
    ChangedFile, FileSide, ShellExit, TestChanges, TreeEdit, sourced, test_changes,
};
use crate::rules::{CommandLine, FileRole, TestFiles};
use crate::store::{ObjectId, Store, StoreError};

/// At most this many changed files are looked at; a work with more cannot be taken apart.
const MOST_FILES: usize = 20_000;
/// Larger files are compared as a whole.
const LARGEST_TEXT: usize = 512 * 1024;
/// No more than this is read in all.
const MOST_TEXT: usize = 64 * 1024 * 1024;

/// An entry of a tree.
type TreeEntry = (EntryKind, ObjectId);

/// The work between two commits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkRange {
    /// The commit with which it is compared; `None` for nothing.
    pub(crate) base: Option<ObjectId>,
    /// The commit that is tested.
    pub(crate) head: ObjectId,
}

/// What a work does to tests.
#[derive(Debug)]
pub(super) struct Examined {
    pub(super) changes: TestChanges<TreeEntry>,
    /// The SHA-256 of the changed paths with what they have now, in hex.
    pub(super) digest: String,
    /// The tree of the tested commit.
    tree: ObjectId,
}

impl Examined {
    /// Reads what differs; `None` if it is too much to be examined.
    pub(super) fn read(
        store: &Store,
        range: WorkRange,
        files: &TestFiles,
        declared: &[&str],
    ) -> Result<Option<Self>, Refusal> {
        let before = range.base.map(|base| store.code_tree_of(base)).transpose()?;
        let tree = store.code_tree_of(range.head)?;
        let found = store.repo().first_differences(before, tree, MOST_FILES).map_err(StoreError::Git)?;
        let Some(differences) = found.filter(|found| found.len() < MOST_FILES) else { return Ok(None) };
        let digest = digest(&differences);
        let mut reader = TextReader { store, left: MOST_TEXT };
        let mut changed: Vec<ChangedFile<TreeEntry>> = Vec::new();
        for it in differences {
            let is_in_new_folder = it.old.is_none()
                && it.path.rsplit_once('/').is_some_and(|(folder, _)| {
                    before.is_none_or(|tree| entry_at(store, tree, folder).is_none())
                });
            let (old, new) = (reader.side(it.old)?, reader.side(it.new)?);
            changed.push(ChangedFile { path: it.path, is_in_new_folder, old, new });
        }
        let mut changes = test_changes(&changed, files, declared);
        if !changes.shell_exits.is_empty() {
            let sourced = reader.sourced_by_tests(tree, files)?;
            let is_sourced =
                |exit: &&ShellExit| sourced.as_ref().is_none_or(|sourced| sourced.contains(exit.name()));
            let exits = changes.shell_exits.iter().filter(is_sourced);
            changes.marks.extend(exits.map(ShellExit::mark));
        }
        Ok(Some(Self { changes, digest, tree }))
    }

    /// The tested tree with the tests as they were; `None` if they are so.
    pub(super) fn with_base_tests(&self, store: &Store) -> Result<Option<ObjectId>, Refusal> {
        self.edited(store, &self.changes.base_tests)
    }

    /// The tested tree without the work; `None` if it consists of tests.
    pub(super) fn without_work(&self, store: &Store) -> Result<Option<ObjectId>, Refusal> {
        self.edited(store, &self.changes.without_work)
    }

    /// The same without the tests that the work added and that no command names; `None` if there are none, or only tests.
    pub(super) fn without_added_tests(
        &self,
        store: &Store,
        commands: &[&CommandLine],
    ) -> Result<Option<ObjectId>, Refusal> {
        let is_named = |path: &str| commands.iter().any(|command| names(command.as_str(), path));
        let unnamed = self.changes.added_tests.iter().filter(|path| !is_named(path)).cloned();
        let mut edits: Vec<TreeEdit<TreeEntry>> = unnamed.map(TreeEdit::Remove).collect();
        if edits.is_empty() || self.changes.without_work.is_empty() {
            return Ok(None);
        }
        edits.extend_from_slice(&self.changes.base_tests);
        self.edited(store, &edits)
    }

    /// Whether there were tests before the work.
    pub(super) fn has_old_tests(
        &self,
        store: &Store,
        range: WorkRange,
        files: &TestFiles,
    ) -> Result<bool, Refusal> {
        let Some(base) = range.base else { return Ok(false) };
        let tree = store.code_tree_of(base)?;
        let listed = store.repo().first_differences(None, tree, MOST_FILES).map_err(StoreError::Git)?;
        Ok(listed
            .is_none_or(|listed| listed.iter().any(|file| files.role(&file.path, false) == FileRole::Test)))
    }

    fn edited(&self, store: &Store, edits: &[TreeEdit<TreeEntry>]) -> Result<Option<ObjectId>, Refusal> {
        if edits.is_empty() {
            return Ok(None);
        }
        let edits: Vec<(&str, PathEdit<'_>)> = edits
            .iter()
            .map(|edit| match edit {
                TreeEdit::Put(path, (kind, id)) => (path.as_str(), PathEdit::Put(*kind, *id)),
                TreeEdit::Write(path, (kind, _), text) => (path.as_str(), PathEdit::Write(*kind, text)),
                TreeEdit::Remove(path) => (path.as_str(), PathEdit::Remove),
            })
            .collect();
        Ok(Some(store.repo().edited_tree(self.tree, &edits).map_err(StoreError::Git)?))
    }
}

/// Whether a command names a file, perhaps from a directory above it, or a test in it.
fn names(command: &str, path: &str) -> bool {
    command.split(|c: char| c.is_whitespace() || "'\"=;&|()".contains(c)).any(|word| {
        let word = word.split("::").next().unwrap_or_default();
        let word = word.strip_prefix("./").unwrap_or(word);
        let above = path.strip_suffix(word);
        word.contains(['.', '/']) && above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
    })
}

/// The entry of a tree at a path.
fn entry_at(store: &Store, tree: ObjectId, path: &str) -> Option<TreeEntry> {
    let (mut tree, mut found) = (tree, None);
    for name in path.split('/') {
        let entry = store.repo().look_up(tree, name.into()).ok().flatten()?;
        (tree, found) = (entry.1, Some(entry));
    }
    found
}

/// The text of a file of the base; `None` if there is no such file, or if it is a large one.
pub(super) fn base_text(store: &Store, base: Option<ObjectId>, path: &str) -> Option<String> {
    let entry = entry_at(store, base?, path)?;
    let mut reader = TextReader { store, left: LARGEST_TEXT };
    reader.side(Some(entry)).ok().flatten()?.text
}

/// Reads files until there have been enough.
struct TextReader<'a> {
    store: &'a Store,
    left: usize,
}

impl TextReader<'_> {
    /// The names of the files that the tests of a tree source; `None` if there are too many files to look.
    fn sourced_by_tests(
        &mut self,
        tree: ObjectId,
        files: &TestFiles,
    ) -> Result<Option<BTreeSet<String>>, Refusal> {
        let listed = self.store.repo().first_differences(None, tree, MOST_FILES).map_err(StoreError::Git)?;
        let Some(listed) = listed.filter(|listed| listed.len() < MOST_FILES) else { return Ok(None) };
        let mut found = BTreeSet::new();
        for file in listed {
            if files.role(&file.path, false) == FileRole::Test
                && let Some(FileSide { text: Some(text), .. }) = self.side(file.new)?
            {
                found.extend(sourced(&text));
            }
        }
        Ok(Some(found))
    }

    fn side(&mut self, entry: Option<TreeEntry>) -> Result<Option<FileSide<TreeEntry>>, Refusal> {
        let Some(entry) = entry else { return Ok(None) };
        let text = if matches!(entry.0, EntryKind::Blob | EntryKind::BlobExecutable) {
            self.text(entry.1)?
        } else {
            None
        };
        Ok(Some(FileSide { entry, text }))
    }

    fn text(&mut self, blob: ObjectId) -> Result<Option<String>, Refusal> {
        let bytes = self.store.repo().bytes_of(blob).map_err(StoreError::Git)?;
        if bytes.len() > LARGEST_TEXT.min(self.left) {
            return Ok(None);
        }
        self.left -= bytes.len();
        Ok(String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')))
    }
}

/// The same for the same work on top of another base, as long as no other work changes the same files: `gitwf-format(5)`
/// says of what it is the sum.
fn digest(differences: &[Difference]) -> String {
    let mut lines: Vec<(&str, String)> = differences.iter().map(|it| (it.path.as_str(), now(it))).collect();
    lines.sort_unstable();
    let mut sum = Sha256::new();
    for (path, now) in lines {
        sum.update(format!("{path}\0{now}\n"));
    }
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The mode and the id of what a path has now.
fn now(difference: &Difference) -> String {
    let Some((kind, id)) = difference.new else { return "-".to_owned() };
    let mode = match kind {
        EntryKind::Tree => "040000",
        EntryKind::Blob => "100644",
        EntryKind::BlobExecutable => "100755",
        EntryKind::Link => "120000",
        EntryKind::Commit => "160000",
    };
    format!("{mode} {id}")
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_command_names_the_file_that_it_runs() {
        let path = "web/test/three.test.js";
        for command in [
            "node --test web/test/three.test.js",
            "cd web && npx jest ./test/three.test.js",
            "pytest 'web/test/three.test.js::adds'",
            "run --file=three.test.js",
        ] {
            assert!(names(command, path), "{command}");
        }
        for command in
            ["node --test", "npm test", "jest three", "node --test e.test.js", "sh .", "sh web/test/"]
        {
            assert!(!names(command, path), "{command}");
        }
    }
}
