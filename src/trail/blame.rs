//! Finds the commit of each line of a file, using `git blame`.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};

use crate::git::{GitError, ObjectId, unquoted};
use crate::model::{Code, CommitHash, Other, Remedies, RemedyCall};
use crate::store::{Store, StoreError, object_id};

/// Consecutive lines from one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlameSpan {
    /// The first and the last line in the current file, from 1.
    pub(crate) lines: RangeInclusive<u64>,
    /// The commit; `None` if the lines are not committed yet.
    pub(crate) commit: Option<ObjectId>,
    /// The file's name there.
    pub(crate) path: String,
    /// The numbers of the lines there.
    pub(crate) numbers: Vec<u64>,
    /// The lines themselves.
    pub(crate) text: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BlameError {
    /// git does not have the file.
    #[error("git does not track `{0}`")]
    NoFile(String),
    /// The file was deleted.
    #[error("`{path}` was deleted in {}", .commit.short())]
    Deleted {
        /// The file.
        path: String,
        /// The commit that deleted it.
        commit: CommitHash,
    },
    /// The file has fewer lines.
    #[error("`{path}` has no line {asked}; its last is {has}")]
    TooShort {
        /// The file.
        path: String,
        /// The line asked for.
        asked: u64,
        /// The number of its lines.
        has: u64,
    },
    /// The file is not in the repository.
    #[error("`{}` is outside the repository", .0.display())]
    Outside(PathBuf),
    /// The store or git failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl crate::model::Explain for BlameError {
    fn code(&self) -> Code {
        match self {
            Self::NoFile(_) | Self::Deleted { .. } | Self::TooShort { .. } | Self::Outside(_) => {
                Code::NotFound
            }
            Self::Store(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::NoFile(_) | Self::Outside(_) => {
                Remedies::command("git ls-files", "lists the committed files")
                    .or_call(RemedyCall::new(Other::Why, ["FILE:LINE"]), "explains a line of one")
            }
            Self::Deleted { commit, .. } => Remedies::call(
                RemedyCall::new(Other::Trace, [commit.short()]),
                "shows why; its lines are explained where it is checked out",
            ),
            Self::TooShort { .. } => "lines are counted from 1, in the file as it is now".into(),
            Self::Store(error) => error.remedies(),
        }
    }
}

/// The path from the top of the work tree, with `/` between its parts, of a file that was named from `here`.
pub(crate) fn path_from_top(store: &Store, here: &Path, file: &str) -> Result<String, BlameError> {
    let Some(top) = store.work_dir() else { return Ok(file.to_owned()) };
    let outside = || BlameError::Outside(PathBuf::from(file));
    let whole = here.join(file);
    // To git, a symbolic link is itself a file, so only the links in the path of its directory are followed.
    let folder = real(whole.parent().ok_or_else(outside)?);
    let name = whole.file_name().ok_or_else(outside)?;
    let inside = folder.join(name);
    let inside = inside.strip_prefix(real(&top)).map_err(|_| outside())?;
    let parts: Vec<_> = inside
        .components()
        .map(|part| match part {
            Component::Normal(part) => Ok(part.to_string_lossy()),
            _ => Err(outside()),
        })
        .collect::<Result<_, _>>()?;
    Ok(parts.join("/"))
}

/// The path without symbolic links, or the path itself if it does not exist.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Blames `lines` of the file as it is in the work tree (in a bare repository, at HEAD), or all of them.
///
/// If the file is new, git compares whole trees to see whether it was renamed, and would walk everything that they
/// unfold to. So it first runs without renames. If there are any, it runs again, and stops at commits that changed more
/// files than can be examined.
pub(crate) fn blame(
    store: &Store,
    path: &str,
    lines: Option<&RangeInclusive<u64>>,
) -> Result<Vec<BlameSpan>, BlameError> {
    let failed = |error| match explained(error, path, lines) {
        BlameError::NoFile(path) => deleted(store, path),
        other => other,
    };
    let spans = parse(&store.git().blame(path, lines, None).map_err(failed)?);
    let Some(ends) = renames(store, &spans)? else { return Ok(spans) };
    Ok(parse(&store.git().blame(path, lines, Some(&ends)).map_err(failed)?))
}

/// Maximum renames of one file that are followed.
const MOST_RENAMES: usize = 32;

/// The commits at which the search for renames must stop, since they changed too much to examine; `None` if no line
/// comes from a file of another name.
fn renames(store: &Store, spans: &[BlameSpan]) -> Result<Option<Vec<ObjectId>>, StoreError> {
    let mut open = spans.first().map(|span| origins(spans, &span.path)).unwrap_or_default();
    let mut seen = HashSet::new();
    let (mut ends, mut count) = (Vec::new(), 0);
    while let Some((commit, path)) = open.pop() {
        if !seen.insert((commit, path.clone())) {
            continue;
        }
        for parent in store.code_commit(commit)?.parents {
            // git does not look beyond the end of a shallow clone either.
            if !store.repo().has_object(parent) || store.has_path(parent, path.as_str().into())? {
                continue;
            }
            let trees = (store.code_tree_of(parent)?, store.code_tree_of(commit)?);
            if count == MOST_RENAMES || store.repo().exceeds_budget(Some(trees.0), trees.1)? {
                ends.push(commit);
            } else if let Some(source) = store.git().renamed_from(parent, commit, &path)? {
                count += 1;
                open.extend(origins(&parse(&store.git().blame_at(&source, parent)?), &source));
            }
        }
    }
    Ok((count > 0).then_some(ends))
}

/// The commits that the lines come from, each with the file's path.
fn origins(spans: &[BlameSpan], path: &str) -> Vec<(ObjectId, String)> {
    spans.iter().filter_map(|span| Some((span.commit?, path.to_owned()))).collect()
}

/// For a missing file, whether it ever existed.
fn deleted(store: &Store, path: String) -> BlameError {
    // Run at the root of the work tree, to which the path is relative.
    match store.git().deletion_of(&path) {
        Ok(Some(commit)) => BlameError::Deleted { path, commit: commit.into() },
        _ => BlameError::NoFile(path),
    }
}

/// The number of lines that a file has, where git says that they are too few.
fn lines_of(stderr: &str) -> Option<u64> {
    stderr.split("has only ").nth(1)?.split(' ').next()?.parse().ok()
}

fn explained(error: GitError, path: &str, lines: Option<&RangeInclusive<u64>>) -> BlameError {
    if let GitError::Failed { stderr, .. } = &error {
        if let Some(has) = lines_of(stderr) {
            let asked = lines.map_or(1, |lines| *lines.start());
            return BlameError::TooShort { path: path.to_owned(), asked, has };
        }
        // Before the first commit there is no HEAD to search.
        let unknown = ["no such path", "annot stat path", "bad revision 'HEAD'", "no such ref: HEAD"];
        if unknown.iter().any(|words| stderr.contains(words)) {
            return BlameError::NoFile(path.to_owned());
        }
    }
    BlameError::Store(StoreError::Git(error))
}

/// Parses the output of `--porcelain`: for each line a header `<commit> <line there> <line here> [<lines of the
/// group>]`, the facts about the commit when it comes first, and the line itself after a tab.
fn parse(text: &str) -> Vec<BlameSpan> {
    let mut spans: Vec<BlameSpan> = Vec::new();
    let mut paths: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    let mut at: Option<(String, u64, u64)> = None;
    for line in text.split('\n') {
        if let Some(content) = line.strip_prefix('\t') {
            let Some((commit, there, number)) = at.take() else { continue };
            let path = paths.get(&commit).cloned().unwrap_or_default();
            let known = object_id(&commit).filter(|id| !id.is_null());
            match spans.last_mut() {
                Some(span) if span.commit == known && span.path == path && span.lines.end() + 1 == number => {
                    span.lines = *span.lines.start()..=number;
                    span.numbers.push(there);
                    span.text.push(content.to_owned());
                }
                _ => spans.push(BlameSpan {
                    lines: number..=number,
                    commit: known,
                    path,
                    numbers: vec![there],
                    text: vec![content.to_owned()],
                }),
            }
        } else if let Some((commit, ..)) = &at {
            if let Some(path) = line.strip_prefix("filename ") {
                paths.insert(commit.clone(), unquoted(path));
            }
        } else {
            let mut words = line.split(' ');
            let commit = words.next().filter(|word| word.len() >= 40).map(str::to_owned);
            let mut number = || words.next().and_then(|word| word.parse().ok());
            at = commit.and_then(|commit| Some((commit, number()?, number()?)));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_commit_become_one_span() {
        let (a, b) = ("a".repeat(40), "0".repeat(40));
        let text = format!(
            "{a} 1 1 2\nauthor A\nsummary s\nfilename old name.rs\n\tone\n{a} 2 2\n\t\ttwo\n{b} 3 3 1\nauthor B\nfilename new.rs\n\tthree\n{a} 4 4 1\n\tfour\n"
        );
        let spans = parse(&text);
        let found: Vec<_> =
            spans.iter().map(|s| (s.lines.clone(), s.commit.is_some(), s.path.as_str())).collect();
        assert_eq!(
            found,
            [(1..=2, true, "old name.rs"), (3..=3, false, "new.rs"), (4..=4, true, "old name.rs")]
        );
        assert_eq!(spans[0].text, ["one", "\ttwo"]);
        assert_eq!((&spans[0].numbers, &spans[1].numbers), (&vec![1, 2], &vec![3]));
    }
}
