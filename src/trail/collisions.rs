//! Where branches would conflict if they were merged now. git merges them in memory: no work tree or reference is
//! touched, and its objects go to a temporary directory.

use schemars::JsonSchema;
use serde::Serialize;

use crate::git::{GitError, Remerge, ScratchGit};
use crate::model::{Branch, Code, CommitHash, Explain, Remedies};
use crate::store::{Store, StoreError};

/// At most this many places are reported for one file.
const MOST_HUNKS: usize = 20;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CollisionError {
    /// The installed git cannot merge in memory.
    #[error("{version} cannot merge branches in memory")]
    TooOld {
        /// Its version.
        version: String,
    },
    /// A `git` command failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The directory for the objects of the merge cannot be created.
    #[error("cannot create a temporary directory: {0}")]
    Folder(std::io::Error),
}

impl Explain for CollisionError {
    fn code(&self) -> Code {
        match self {
            Self::TooOld { .. } => Code::GitTooOld,
            Self::Git(error) => error.code(),
            Self::Folder(_) => Code::CannotWrite,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::TooOld { .. } => {
                "`git merge-tree --write-tree` came with git 2.38: install that or a later one".into()
            }
            Self::Git(error) => error.remedies(),
            Self::Folder(_) => "set TMPDIR to a directory that can be written to".into(),
        }
    }
}

/// Lines of one version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct VersionLines {
    /// The first line, from 1; if no line is left, the line before it.
    pub(crate) start: usize,
    /// The number of lines; 0 if they were deleted.
    pub(crate) count: usize,
}

/// A place that both sides changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Hunk {
    /// In the version of the first side.
    pub(crate) first: VersionLines,
    /// In the version of the second.
    pub(crate) second: VersionLines,
}

/// A file in which two sides conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct FileCollision {
    /// Its path.
    pub(crate) path: String,
    /// The kind, in git's words: contents, modify/delete, rename/rename, …
    pub(crate) kind: String,
    /// git's message.
    pub(crate) message: String,
    /// The places where both changed lines; at most 20.
    pub(crate) hunks: Vec<Hunk>,
}

/// The files in which two commits would conflict; empty if they merge without conflicts.
pub(crate) fn between(
    store: &Store,
    one: &CommitHash,
    two: &CommitHash,
) -> Result<Vec<FileCollision>, CollisionError> {
    let temporary = store.environment().temporary();
    let aside = ScratchGit::new(store.git(), &store.object_folders(), &temporary);
    let aside = aside.map_err(CollisionError::Folder)?;
    let mut found = match aside.attempt(one.as_str(), two.as_str())? {
        Remerge::Clean => return Ok(vec![]),
        Remerge::Conflicts(output) => conflicts(&output),
        Remerge::TooOld => return Err(CollisionError::TooOld { version: store.git().version()? }),
    };
    let base = aside.merge_base(one.as_str(), two.as_str())?;
    let base = base.unwrap_or_else(|| store.repo().empty_tree()).to_string();
    let changes = |to: &CommitHash, path: &str| -> Result<Vec<Change>, GitError> {
        let diff = aside.diff_of_file(&base, to.as_str(), path)?;
        Ok(diff.lines().filter_map(Change::parse).collect())
    };
    for file in found.iter_mut().filter(|file| file.kind == "contents") {
        let ours = changes(one, &file.path)?;
        let theirs = changes(two, &file.path)?;
        file.hunks = touching(&ours, &theirs);
    }
    Ok(found)
}

/// Lines of the old version, and those that replace them in the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    old: VersionLines,
    new: VersionLines,
}

impl VersionLines {
    /// Parses `3,2`; `3` is one line.
    fn parse(text: &str) -> Option<Self> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some(Self { start: start.parse().ok()?, count: count.parse().ok()? })
    }
}

impl Change {
    /// Parses `@@ -3,2 +3 @@ …`; `None` for any other line of a diff without context.
    fn parse(line: &str) -> Option<Self> {
        let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        Some(Self { old: VersionLines::parse(old)?, new: VersionLines::parse(new)? })
    }

    /// The lines of the old version as a half-open range; an insertion comes after its line.
    fn span(&self) -> (usize, usize) {
        let VersionLines { start, count } = self.old;
        if count == 0 { (start + 1, start + 1) } else { (start, start + count) }
    }
}

/// Whether they change the same lines or adjacent lines: git treats both as conflicts.
fn touching(ours: &[Change], theirs: &[Change]) -> Vec<Hunk> {
    let mut found = Vec::new();
    let mut from = 0;
    for mine in ours {
        let (start, end) = mine.span();
        from += theirs[from..].iter().take_while(|hunk| hunk.span().1 < start).count();
        let near = theirs[from..].iter().take_while(|hunk| hunk.span().0 <= end);
        found.extend(near.map(|hunk| Hunk { first: mine.new, second: hunk.new }));
        if found.len() >= MOST_HUNKS {
            found.truncate(MOST_HUNKS);
            break;
        }
    }
    found
}

/// Parses the conflicts in the output of `git merge-tree -z --name-only`: the tree and the names, an empty text, then
/// for each message the number of its paths, the paths, its kind and its text.
fn conflicts(output: &[u8]) -> Vec<FileCollision> {
    let mut parts = output
        .split(|byte| *byte == 0)
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .skip(1)
        .skip_while(|name| !name.is_empty())
        .skip(1);
    let mut found = Vec::new();
    while let Some(count) = parts.next().and_then(|count| count.parse::<usize>().ok()) {
        let paths: Vec<String> = parts.by_ref().take(count).collect();
        let (Some(kind), Some(message)) = (parts.next(), parts.next()) else { break };
        let kind = kind.strip_prefix("CONFLICT (").and_then(|kind| kind.strip_suffix(')'));
        if let (Some(kind), Some(path)) = (kind, paths.into_iter().next()) {
            let message = message.trim().to_owned();
            found.push(FileCollision { path, kind: kind.to_owned(), message, hunks: vec![] });
        }
    }
    found
}

/// Whether a commit is in the history of another; false if one of them is not here.
pub(crate) fn is_merged(store: &Store, commit: &CommitHash, into: &CommitHash) -> bool {
    match (store.commit_here(commit), store.commit_here(into)) {
        (Some(commit), Some(into)) => store.is_ancestor(commit, into).unwrap_or(false),
        _ => false,
    }
}

/// The tip of a branch in this clone.
pub(crate) fn branch_tip(store: &Store, branch: &Branch) -> Result<Option<CommitHash>, StoreError> {
    Ok(store.read_ref(branch.as_str())?.map(CommitHash::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_past_what_merged_by_itself() {
        let output = b"tree\0a.rs\0gone.rs\0\x001\0a.rs\0Auto-merging\0Auto-merging a.rs\n\x001\0a.rs\0CONFLICT (contents)\0CONFLICT (content): Merge conflict in a.rs\n\x002\0gone.rs\0other\0CONFLICT (modify/delete)\0gone\n\0";
        let found = conflicts(output);
        let shown: Vec<_> =
            found.iter().map(|collision| (collision.path.as_str(), collision.kind.as_str())).collect();
        assert_eq!(shown, [("a.rs", "contents"), ("gone.rs", "modify/delete")]);
        assert_eq!(found[0].message, "CONFLICT (content): Merge conflict in a.rs");
        assert!(conflicts(b"tree\0\0").is_empty() && conflicts(b"").is_empty());
    }

    #[test]
    fn changes_of_the_same_lines_and_of_lines_beside_each_other_touch() {
        let read = |lines: &[&str]| lines.iter().filter_map(|line| Change::parse(line)).collect::<Vec<_>>();
        let ours = read(&["@@ -3,2 +3,3 @@ fn a", "@@ -20 +21,0 @@", "+@@ -1 +1 @@"]);
        assert_eq!(ours.len(), 2);
        let theirs = read(&["@@ -1 +1 @@", "@@ -5 +5,2 @@", "@@ -10,0 +12 @@", "@@ -19,0 +22,4 @@"]);
        let starts: Vec<_> =
            touching(&ours, &theirs).iter().map(|pair| (pair.first.start, pair.second.start)).collect();
        assert_eq!(starts, [(3, 5), (21, 22)]);
    }
}
