//! A rebase that is in progress or just ending, from the files in its directory.

use std::collections::HashSet;
use std::path::Path;

use super::progress::read_line;
use crate::git::ObjectId;
use crate::model::{Branch, Rewrite};
use crate::store::{Store, StoreError, object_id};

/// The directories of git's two ways to rebase.
const FOLDERS: [&str; 2] = ["rebase-merge", "rebase-apply"];
/// Where amended commits are noted until the rebase ends; git removes it with the directory, however the rebase ends.
const AMENDED: &str = "rebase-merge/wf-amended";
/// The files that git fills if it is going to report the rewritten commits at the end of a rebase.
const REPORTED: [&str; 3] =
    ["rebase-merge/stopped-sha", "rebase-merge/rewritten-list", "rebase-merge/rewritten-pending"];

/// The branch that is rebased, and where.
#[derive(Debug)]
pub(crate) struct Rebase {
    /// The branch; `None` if HEAD was detached.
    pub(crate) branch: Option<Branch>,
    /// The commit that it is rebased onto.
    pub(crate) onto: ObjectId,
    /// Its tip before the rebase. `ORIG_HEAD` would be simpler, but a `git reset` during the rebase changes it.
    pub(crate) before: ObjectId,
}

impl Rebase {
    /// The rebase in this git directory; `None` if there is none.
    pub(crate) fn read(git_dir: &Path) -> Option<Self> {
        FOLDERS.into_iter().find_map(|folder| {
            let branch = Branch::parse(&read_line(git_dir, &format!("{folder}/head-name"))?);
            let onto = object_id(&read_line(git_dir, &format!("{folder}/onto"))?)?;
            let before = object_id(&read_line(git_dir, &format!("{folder}/orig-head"))?)?;
            Some(Self { branch, onto, before })
        })
    }
}

/// The commit that a rebase is replaying at the moment, as it was before: one that stopped to be edited or for a
/// conflict, or one whose message is being edited. `None` between two commits, such as at a `break`.
pub(crate) fn replayed(git_dir: &Path) -> Option<ObjectId> {
    let stopped = ["rebase-merge/stopped-sha", "rebase-apply/original-commit"];
    let stopped = stopped.into_iter().find_map(|name| object_id(&read_line(git_dir, name)?));
    stopped.or_else(|| step(read_line(git_dir, "rebase-merge/done")?.lines().last()?))
}

/// The commits that a rebase replayed each as one of its own, not as a part of the one before.
pub(crate) fn picked(git_dir: &Path) -> HashSet<ObjectId> {
    let done = std::fs::read_to_string(git_dir.join("rebase-merge/done")).unwrap_or_default();
    let picks = done
        .lines()
        .filter(|line| ["pick ", "p ", "reword ", "r "].iter().any(|word| line.starts_with(word)));
    picks.filter_map(step).collect()
}

/// Whether git runs `post-rewrite` at the end of the rebase in this git directory. It does so if a commit was replayed; a
/// rebase that only ran commands on commits where they were reports nothing.
pub(crate) fn is_reported(git_dir: &Path) -> bool {
    let has_step = |name: &str, lines: fn(&str) -> Option<&str>| {
        read_line(git_dir, name).as_deref().and_then(lines).is_some_and(replays)
    };
    !git_dir.join("rebase-merge").is_dir()
        || REPORTED
            .iter()
            .any(|name| std::fs::metadata(git_dir.join(name)).is_ok_and(|about| about.len() > 0))
        || has_step("rebase-merge/done", |done| done.lines().last())
        || has_step("rebase-merge/git-rebase-todo", |todo| todo.lines().find(|line| replays(line)))
}

/// Whether a step of a rebase replays a commit.
fn replays(line: &str) -> bool {
    line.split(' ').next().is_some_and(|word| STEPS.contains(&word))
}

/// Notes that commits were amended during the rebase that is in progress: git reports only what it replayed, even if a
/// command amends that at once.
pub(crate) fn note_amended(store: &Store, amended: &[Rewrite]) -> Result<(), StoreError> {
    let path = store.git_dir().join(AMENDED);
    let mut text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(StoreError::io(path)(source)),
    };
    for pair in amended {
        text.push_str(&format!("{} {}\n", pair.old, pair.new));
    }
    store.repo().shared_mode().write(&path, text).map_err(StoreError::io(&path))
}

/// The noted commits that were amended during the rebase, in order.
pub(crate) fn amended(git_dir: &Path) -> Vec<Rewrite> {
    let text = read_line(git_dir, AMENDED).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let (old, new) = line.split_once(' ')?;
            Some(Rewrite { old: object_id(old)?.into(), new: object_id(new)?.into(), tree: None })
        })
        .collect()
}

/// The steps that replay a commit.
const STEPS: [&str; 12] =
    ["pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "merge", "m"];

/// The commit of a line such as `reword 0123… subject` or `merge -C 0123… label`; `None` for other steps.
fn step(line: &str) -> Option<ObjectId> {
    let mut words = line.split(' ');
    let commit = match words.next()? {
        "pick" | "p" | "reword" | "r" | "edit" | "e" | "squash" | "s" => words.next()?,
        "fixup" | "f" | "merge" | "m" => words.find(|word| !word.starts_with('-'))?,
        _ => return None,
    };
    object_id(commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_names_the_commit_that_it_replays() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        for line in
            ["pick ID x", "r ID", "edit ID a break", "fixup -C ID x", "fixup ID", "merge -C ID topic # x"]
        {
            assert_eq!(step(&line.replace("ID", id)), object_id(id), "{line}");
        }
        for line in ["break", "exec pick ID", "x true", "label ID", "merge topic", "pick abc x", ""] {
            assert_eq!(step(&line.replace("ID", id)), None, "{line}");
        }
    }
}
