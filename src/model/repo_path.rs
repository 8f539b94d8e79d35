//! A path in the repository, in the one form in which two of them can be compared.

use std::borrow::{Borrow, Cow};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// No path that a system can open is longer.
const LONGEST: usize = 4096;

/// What a pattern is made of, as shells and git read it.
const PATTERN: [char; 4] = ['*', '?', '[', '{'];

/// A path from the top of the repository: its names with one `/` between each two, and no step that leads nowhere or
/// upwards. Two are equal if their bytes are: whether a file system forgives case is known to one clone only, and all
/// clones must come to the same answer.
///
/// The empty path is the top itself. No plan may name that; it stands for what cannot be read as a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(from = "Cow<'_, str>")]
pub(crate) struct RepoPath(String);

/// Why a text is no path of a file or folder in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathFault {
    /// Nothing, or nothing but steps that lead nowhere.
    #[error("a file or a folder below the repository's root, which is not named itself")]
    Top,
    /// From the root of a system, a home folder or a drive.
    #[error("a path relative to the repository's root, without a leading `/`, `~` or drive letter")]
    Absolute,
    /// A step upwards.
    #[error("a path inside the repository, without `..`")]
    Upwards,
    /// git's own folder.
    #[error("a path outside of `.git`, which git keeps to itself")]
    Git,
    /// A pattern.
    #[error("a path of one file or folder; `{0}` makes it a pattern")]
    Pattern(char),
    /// The separator of another system, or an escape.
    #[error("a path with `/` between its parts, without `\\`")]
    Backslash,
    /// What no terminal shows.
    #[error("a path without control characters")]
    Control,
    /// Easily overlooked, and another file.
    #[error("a path that neither begins nor ends with a space")]
    Space,
    /// Too long for any system.
    #[error("a path of at most {LONGEST} bytes")]
    Long,
}

impl RepoPath {
    /// Reads a path as a planner writes it: `./src//new.ts`, `src/./new.ts` and `src/new.ts/` are `src/new.ts`.
    pub(crate) fn parse(text: &str) -> Result<Self, PathFault> {
        let has_drive = matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        if text.starts_with(['/', '~']) || has_drive {
            return Err(PathFault::Absolute);
        }
        if text.contains(char::is_control) {
            return Err(PathFault::Control);
        }
        if text.contains('\\') {
            return Err(PathFault::Backslash);
        }
        if let Some(sign) = text.chars().find(|c| PATTERN.contains(c)) {
            return Err(PathFault::Pattern(sign));
        }
        if text.starts_with(' ') || text.ends_with(' ') {
            return Err(PathFault::Space);
        }
        if text.len() > LONGEST {
            return Err(PathFault::Long);
        }
        let names = || text.split('/').filter(|name| !matches!(*name, "" | "."));
        for name in names() {
            if name == ".." {
                return Err(PathFault::Upwards);
            }
            if name.eq_ignore_ascii_case(".git") {
                return Err(PathFault::Git);
            }
        }
        let path = names().collect::<Vec<_>>().join("/");
        if path.is_empty() { Err(PathFault::Top) } else { Ok(Self(path)) }
    }

    /// Reads a path that may have been stored before there were rules for it, or by another program. What is no path
    /// stands for the whole repository, since nobody can tell which files it means.
    pub(crate) fn covering(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self(String::new()))
    }

    /// The path; empty for the whole repository.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The folders above it, the nearest first and the top, as an empty path, last. The top has none.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        folders(self.as_str())
    }

    /// Whether a path, in git's form, is this one or lies in it.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let Some(rest) = path.strip_prefix(self.as_str()) else { return false };
        self.0.is_empty() || rest.is_empty() || rest.starts_with('/')
    }

    /// Whether one is the other, or lies in it.
    #[cfg(test)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.holds(other.as_str()) || other.holds(self.as_str())
    }
}

/// The folders above a path in git's form, the nearest first and the top, as an empty path, last.
pub(crate) fn folders(path: &str) -> impl Iterator<Item = &str> {
    fn above<'p>(path: &&'p str) -> Option<&'p str> {
        match path.rsplit_once('/') {
            Some((folder, _)) => Some(folder),
            None => (!path.is_empty()).then_some(""),
        }
    }
    std::iter::successors(above(&path), above)
}

/// For people and programs: the top is `.`.
impl std::fmt::Display for RepoPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<Cow<'_, str>> for RepoPath {
    fn from(text: Cow<'_, str>) -> Self {
        Self::covering(&text)
    }
}

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for RepoPath {
    fn schema_name() -> Cow<'static, str> {
        "RepoPath".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    #[test]
    fn one_file_has_one_path_however_it_is_written() {
        for text in
            ["src/new.ts", "./src/new.ts", "src//new.ts", "src/./new.ts", "src/new.ts/", ".//src/new.ts/."]
        {
            assert_eq!(path(text).as_str(), "src/new.ts", "{text}");
        }
        for text in [
            ".gitignore",
            ".github/x",
            "a b/c",
            "...",
            "src/a..b",
            "Übung.md",
            "xy:z",
            "a~",
            "git",
            "(group)/x",
        ] {
            assert_eq!(path(text).as_str(), text);
        }
    }

    #[test]
    fn what_is_no_path_of_a_file_in_the_repository_is_refused() {
        for (text, fault) in [
            ("", PathFault::Top),
            (".", PathFault::Top),
            ("././/", PathFault::Top),
            ("/etc/passwd", PathFault::Absolute),
            ("~/x", PathFault::Absolute),
            ("C:/x", PathFault::Absolute),
            ("c:x", PathFault::Absolute),
            ("..", PathFault::Upwards),
            ("a/../b", PathFault::Upwards),
            (".git", PathFault::Git),
            ("sub/.GIT/config", PathFault::Git),
            ("src/*.ts", PathFault::Pattern('*')),
            ("src/new.?s", PathFault::Pattern('?')),
            ("src/[ab].ts", PathFault::Pattern('[')),
            ("src/{a,b}.ts", PathFault::Pattern('{')),
            ("src\\new.ts", PathFault::Backslash),
            ("src/\u{7}new.ts", PathFault::Control),
            ("src/new.ts\n", PathFault::Control),
            (" src/new.ts", PathFault::Space),
            ("src/new.ts ", PathFault::Space),
        ] {
            assert_eq!(RepoPath::parse(text), Err(fault), "{text:?}");
            assert_eq!(RepoPath::covering(text).to_string(), ".", "{text:?}");
        }
        assert_eq!(RepoPath::parse(&"a/".repeat(LONGEST)), Err(PathFault::Long));
    }

    #[test]
    fn a_folder_overlaps_what_lies_in_it_and_nothing_beside_it() {
        let overlaps = |a: &str, b: &str| {
            let (a, b) = (RepoPath::covering(a), RepoPath::covering(b));
            assert_eq!(a.overlaps(&b), b.overlaps(&a));
            a.overlaps(&b)
        };
        for (a, b) in
            [("src", "src/new.ts"), ("src/", "src/a/b"), ("src", "src"), ("*", "src"), ("../x", "/y")]
        {
            assert!(overlaps(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("src", "src2/new.ts"),
            ("src", "src-x"),
            ("a/src", "src"),
            ("src/a", "src/A"),
            ("src/a", "src/b"),
        ] {
            assert!(!overlaps(a, b), "{a} {b}");
        }
    }

    #[test]
    fn the_folders_above_a_path_end_with_the_top() {
        assert_eq!(path("a/b/c").folders().collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(path("a").folders().collect::<Vec<_>>(), [""]);
        assert_eq!(RepoPath::covering("*").folders().count(), 0);
    }

    #[test]
    fn it_is_written_and_read_as_text() {
        for text in ["src/new.ts", "."] {
            let json = serde_json::to_string(text).unwrap();
            let read: RepoPath = serde_json::from_str(&json).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), json);
        }
    }
}
