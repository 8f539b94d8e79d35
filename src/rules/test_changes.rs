//! What a work does to tests, and the two trees that show whether they hold: one with the tests as they were before, and one
//! without the work.

use std::collections::{BTreeMap, BTreeSet};

use super::test_files::ManifestKind;
use super::test_settings::{self, SettingsChange};
use super::{FileRole, TestFiles, inline_tests};

mod comparisons;
mod field_comparison;
mod fixtures;
mod marks;
mod prose;
mod renames;
mod shell_exits;

pub(crate) use self::prose::is_prose;
use self::renames::{Renames, Substitution};
pub(crate) use self::shell_exits::{ShellExit, sourced};

/// A file on one side. `E` says what git knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileSide<E> {
    /// Its entry in the tree.
    pub(crate) entry: E,
    /// Its text, if it is one of moderate length.
    pub(crate) text: Option<String>,
}

/// A path in which the base and the tested tree differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedFile<E> {
    /// The path.
    pub(crate) path: String,
    /// Whether the base has nothing in its directory.
    pub(crate) is_in_new_folder: bool,
    /// What the base has.
    pub(crate) old: Option<FileSide<E>>,
    /// What the tested tree has.
    pub(crate) new: Option<FileSide<E>>,
}

/// A change of the tested tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TreeEdit<E> {
    /// The path gets this entry.
    Put(String, E),
    /// The path gets this text, and otherwise what the entry says.
    Write(String, E, String),
    /// The path goes.
    Remove(String),
}

/// What a work does to tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestChanges<E> {
    /// Makes the tests what they were; nothing if they are.
    pub(crate) base_tests: Vec<TreeEdit<E>>,
    /// The files that this puts back, or takes away.
    pub(crate) changed_tests: Vec<String>,
    /// Tests that the work added.
    pub(crate) added_tests: Vec<String>,
    /// Tests that the plan says it changes, and that the work changed.
    pub(crate) declared: Vec<String>,
    /// Takes the work back, without its tests; nothing if it changes only tests.
    pub(crate) without_work: Vec<TreeEdit<E>>,
    /// Whether tests were added or changed.
    pub(crate) has_new_tests: bool,
    /// Whether one of those may compare something; only those of known languages are judged.
    pub(crate) compares: bool,
    /// Whether tests were changed in files of the code.
    pub(crate) is_inseparable: bool,
    /// Lines of the code that behave differently under test.
    pub(crate) marks: Vec<String>,
    /// Lines of scripts that end a test, if one sources the script.
    pub(crate) shell_exits: Vec<ShellExit>,
}

/// Finds what a work does to tests. `declared` are the paths of tests that its plan says it changes; a directory stands for
/// what is in it.
pub(crate) fn test_changes<E: Clone + PartialEq>(
    changes: &[ChangedFile<E>],
    files: &TestFiles,
    declared: &[&str],
) -> TestChanges<E> {
    let roles = changes.iter().map(|change| files.role(&change.path, change.old.is_none()));
    let roles: Vec<FileRole> = roles.collect();
    let renames = Renames::find(changes, &roles);
    let mut found = TestChanges::nothing();
    let mut compares: Vec<bool> = Vec::new();
    // A work on manifests alone is taken back as a whole.
    let takes_manifests = !roles.iter().any(|role| matches!(role, FileRole::Code));
    for (change, role) in changes.iter().zip(&roles) {
        let is_declared = declared.iter().any(|declared| covers(declared, &change.path));
        match role {
            FileRole::Test | FileRole::Runner => {
                let edits = put_back(change, *role, &renames);
                if *role == FileRole::Test && change.new.is_some() && !renames.is_pure(&change.path) {
                    found.has_new_tests = true;
                    compares.extend(comparisons::compares(&change.path, text_of(&change.new)));
                    let is_renamed = renames.origin(&change.path).is_some();
                    if change.old.is_none() && !is_renamed && edits.is_empty() {
                        found.added_tests.push(change.path.clone());
                    }
                }
                found.note_tests(edits, change, is_declared);
            }
            FileRole::Manifest(kind) => {
                let edit = settings_put_back(change, *kind, files);
                found.note_tests(edit.into_iter().collect(), change, is_declared);
                if takes_manifests {
                    found.without_work.push(base_or_removed(change));
                }
            }
            FileRole::Lock => {
                if takes_manifests {
                    found.without_work.push(base_or_removed(change));
                }
            }
            FileRole::Code => {
                found.is_inseparable |= changes_inline_tests(change);
                found.marks.extend(marks::added_lines(change));
                found.shell_exits.extend(shell_exits::exits(change));
                found.without_work.extend(taken_back(change, &renames));
            }
        }
    }
    found.compares = compares.is_empty() || compares.contains(&true);
    // A directory may have become a file, or the other way round.
    for edits in [&mut found.base_tests, &mut found.without_work] {
        edits.sort_by_key(|edit| !matches!(edit, TreeEdit::Remove(_)));
    }
    found
}

impl<E> TestChanges<E> {
    fn nothing() -> Self {
        Self {
            base_tests: vec![],
            changed_tests: vec![],
            added_tests: vec![],
            declared: vec![],
            without_work: vec![],
            has_new_tests: false,
            compares: false,
            is_inseparable: false,
            marks: vec![],
            shell_exits: vec![],
        }
    }

    fn note_tests(&mut self, edits: Vec<TreeEdit<E>>, change: &ChangedFile<E>, is_declared: bool) {
        if edits.is_empty() {
            return;
        }
        if is_declared {
            self.declared.push(change.path.clone());
        } else {
            self.base_tests.extend(edits);
            self.changed_tests.push(change.path.clone());
        }
    }
}

/// Puts back the settings of tests in a manifest, if the work changed them.
fn settings_put_back<E: Clone>(
    change: &ChangedFile<E>,
    kind: ManifestKind,
    files: &TestFiles,
) -> Option<TreeEdit<E>> {
    let Some(new) = &change.new else { return change.old.as_ref().map(|_| base_or_removed(change)) };
    let old_text = change.old.as_ref().and_then(|side| side.text.as_deref());
    match test_settings::compare(kind, old_text, new.text.as_deref().unwrap_or_default(), files) {
        SettingsChange::Same => None,
        SettingsChange::Restored(text) => Some(TreeEdit::Write(change.path.clone(), new.entry.clone(), text)),
        SettingsChange::Unclear => base(change),
    }
}

/// Whether a declared path, or directory, means a path.
fn covers(declared: &str, path: &str) -> bool {
    let declared = declared.strip_prefix("./").unwrap_or(declared).trim_end_matches('/');
    path.strip_prefix(declared).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A test, or the configuration of a runner, as it was. Added tests stay; added configuration goes.
fn put_back<E: Clone + PartialEq>(
    change: &ChangedFile<E>,
    role: FileRole,
    renames: &Renames<'_, E>,
) -> Vec<TreeEdit<E>> {
    let path = &change.path;
    let written = |side: &FileSide<E>| {
        let Some(text) = &side.text else { return TreeEdit::Put(path.clone(), side.entry.clone()) };
        let like = change.new.as_ref().and_then(|side| side.text.as_deref());
        let substituted = renames.names.apply(text, like);
        if substituted == *text {
            TreeEdit::Put(path.clone(), side.entry.clone())
        } else {
            TreeEdit::Write(path.clone(), side.entry.clone(), substituted)
        }
    };
    if let Some(origin) = renames.origin(path) {
        let Some(old) = &origin.old else { return vec![] };
        return if is_as_before(old, change, &renames.names) { vec![] } else { vec![written(old)] };
    }
    match &change.old {
        Some(_) if renames.has_moved(path) => vec![],
        Some(old) if is_as_before(old, change, &renames.names) => vec![],
        Some(old) => vec![written(old)],
        None if role == FileRole::Runner && !fixtures::is_of_new_tests(change) => {
            vec![TreeEdit::Remove(path.clone())]
        }
        None => vec![],
    }
}

/// Whether a test is what it was, but for the names of files of the code that were renamed.
fn is_as_before<E: PartialEq>(old: &FileSide<E>, change: &ChangedFile<E>, names: &Substitution) -> bool {
    let Some(new) = &change.new else { return false };
    if old.entry == new.entry {
        return true;
    }
    let (Some(old), Some(new)) = (&old.text, &new.text) else { return false };
    // Equal texts in another entry: the file can no longer be run, or is a link.
    old != new && names.apply(old, Some(new)) == *new
}

/// The file as it was.
fn base<E: Clone>(change: &ChangedFile<E>) -> Option<TreeEdit<E>> {
    change.old.as_ref().map(|old| TreeEdit::Put(change.path.clone(), old.entry.clone()))
}

fn base_or_removed<E: Clone>(change: &ChangedFile<E>) -> TreeEdit<E> {
    base(change).unwrap_or_else(|| TreeEdit::Remove(change.path.clone()))
}

/// A file of the code as it was; a renamed one under its new name, since tests follow it. Nothing if only names changed.
fn taken_back<E: Clone + PartialEq>(
    change: &ChangedFile<E>,
    renames: &Renames<'_, E>,
) -> Option<TreeEdit<E>> {
    if renames.has_moved(&change.path) {
        return None;
    }
    let old = match renames.origin(&change.path) {
        Some(origin) => &origin.old,
        None => &change.old,
    };
    let (Some(old), Some(new)) = (old, &change.new) else { return Some(base_or_removed(change)) };
    let path = change.path.clone();
    if let (Some(old_text), Some(new_text)) = (&old.text, &new.text) {
        let substituted = renames.names.apply(old_text, Some(new_text));
        if substituted == *new_text && old_text != new_text {
            return None;
        }
        if substituted != *old_text {
            return Some(TreeEdit::Write(path, old.entry.clone(), substituted));
        }
    }
    (old.entry != new.entry).then(|| TreeEdit::Put(path, old.entry.clone()))
}

/// Whether a work changes tests in a file of the code, or takes examples out of its comments that are tests, too.
fn changes_inline_tests<E>(change: &ChangedFile<E>) -> bool {
    let (old, new) = (text_of(&change.old), text_of(&change.new));
    let (old_examples, new_examples) =
        (inline_tests::examples_in(&change.path, old), inline_tests::examples_in(&change.path, new));
    inline_tests::tests_in(&change.path, old) != inline_tests::tests_in(&change.path, new)
        || !old_examples.is_subset(&new_examples)
}

fn text_of<E>(side: &Option<FileSide<E>>) -> &str {
    side.as_ref().and_then(|side| side.text.as_deref()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
