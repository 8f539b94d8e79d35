//! Whether commands change, while they run, what they test.

use std::collections::BTreeSet;

use super::proof::test_files;
use crate::git::unquoted;
use crate::model::hidden::exact;
use crate::ops::{Notice, Refusal};
use crate::rules::{CommandLine, FileRole, TestFiles, is_prose};
use crate::store::Store;
use crate::workplace::Workplace;

/// The ends of the names of files that tests write besides texts.
const DATA: &[&str] = &[
    "out", "dat", "bin", "tsv", "json", "jsonl", "xml", "html", "svg", "yml", "yaml", "db", "sqlite",
    "sqlite3", "gz", "zip",
];

/// Looks after each command which files of a workplace it changed.
pub(super) struct PlaceWatch<'w> {
    workplace: &'w Workplace,
    files: TestFiles,
    /// What is known to differ from the commit, as git lists it.
    known: BTreeSet<String>,
}

/// What a command changed in its workplace.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    /// Tests, and what configures how they run: the result of the command is not that of the commit.
    pub(super) tests: Vec<String>,
    /// Other files that git tracks.
    others: Vec<String>,
}

impl<'w> PlaceWatch<'w> {
    /// What differs from the commit now, such as what prepared the workplace, counts as known.
    pub(super) fn new(
        store: &Store,
        workplace: &'w Workplace,
        commands: &[&CommandLine],
    ) -> Result<Self, Refusal> {
        let texts: Vec<&str> = commands.iter().map(|command| command.as_str()).collect();
        let tree = store.code_tree_of(workplace.start)?;
        let files = test_files(store, &[], &texts, Some(tree));
        Ok(Self { workplace, files, known: workplace.changed_content()?.into_iter().collect() })
    }

    /// What has changed since the last look. Whether a file can be executed does not matter.
    ///
    /// # Errors
    /// If something else is in the place of the workplace.
    pub(super) fn look(&mut self) -> Result<ChangedFiles, Refusal> {
        let mut found = ChangedFiles::default();
        for line in self.workplace.changed_content()? {
            if !self.known.insert(line.clone()) {
                continue;
            }
            match self.role(&line) {
                Some(FileRole::Test | FileRole::Runner) => found.tests.push(path(&line)),
                Some(_) => found.others.push(path(&line)),
                None => {}
            }
        }
        Ok(found)
    }

    /// What a changed file is to the tests. `None` for new files, unless they configure how later tests run, and for what
    /// Python compiles.
    fn role(&self, line: &str) -> Option<FileRole> {
        if line == "HEAD" {
            return Some(FileRole::Code);
        }
        if line.get(2..3) != Some(" ") {
            // A pipe, with which git sees nothing.
            return Some(FileRole::Runner);
        }
        let is_new = line.starts_with("??");
        let path = path(line);
        let mut role = self.files.role(&path, is_new);
        // What tests write may be below their directory, and git may track it.
        if role == FileRole::Test && is_data(&path) {
            role = FileRole::Code;
        }
        let is_counted = if is_new { role == FileRole::Runner } else { !path.contains("__pycache__/") };
        is_counted.then_some(role)
    }
}

/// Whether a file is nothing that runs, and no snapshot either.
fn is_data(path: &str) -> bool {
    is_prose(path) || path.rsplit_once('.').is_some_and(|(_, end)| DATA.contains(&end))
}

/// The path in a line of `git status`.
fn path(line: &str) -> String {
    match line.get(2..3) {
        Some(" ") => unquoted(&line[3..]),
        _ => line.to_owned(),
    }
}

impl ChangedFiles {
    /// Whether the next command tests something else than the commit. Reports and other texts do not matter.
    pub(super) fn spoils_next(&self) -> bool {
        !self.tests.is_empty() || self.others.iter().any(|path| !is_prose(path))
    }

    /// What is wrong with the result of the command, in words.
    pub(super) fn mark(&self, command: &CommandLine) -> Option<String> {
        let files = self.tests.join(", ");
        (!files.is_empty()).then(|| format!("`{}` changed {files} while it ran", exact(command.as_str())))
    }

    /// What to say if nothing refuses the result.
    pub(super) fn notice(&self, command: &CommandLine) -> Option<Notice> {
        if let Some(mark) = self.mark(command) {
            return Some(Notice::warning(format!("{mark}, so its result is not evidence")));
        }
        let files = self.others.join(", ");
        let command = exact(command.as_str());
        (!files.is_empty()).then(|| Notice::note(format!("`{command}` changes {files}, which git tracks")))
    }
}
