//! A path in the repository, in the one form in which two of them can be compared.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_lite::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;

/// The longest path that a system can open.
const LONGEST: usize = 4096;

/// The characters that make a pattern. Brackets and braces occur in real names, such as `app/[id]/page.tsx`; git gets
/// every path literally.
const PATTERN: [char; 2] = ['*', '?'];
/// A list of names in braces, which a shell reads as several.
pub(super) const BRACES: &str = r"\{[^{}]*,[^{}]*\}";

/// Line numbers after a path, as compilers, editors and forges write them: `:12`, `:12-20`, `:12:5`, `#L12-L20`.
pub(super) const LINES: &str = "(?::L?[0-9]+(?:[-,:]L?[0-9]+)*|#L[0-9]+(?:-L?[0-9]+)?)+";
/// The extension of a file, after which planners write other things.
macro_rules! extension {
    () => {
        r"\.[A-Za-z][A-Za-z0-9]*"
    };
}
/// Two or more paths, separated by a comma, a semicolon, a word, a sign or a space.
pub(super) const SEVERAL: &str = concat!(
    "[,;] |",
    extension!(),
    "(?:[,;]| (?:and|or|to|->|=>|→|&|[+]|[|]|-|–|—) [^/]*[./]| [^ /]+/[^ ]*",
    extension!(),
    "$)"
);
/// A remark after a path: in parentheses, or after a file's name.
pub(super) const REMARK: &str = concat!(r"[^/ ] ?\([^()]*\)$|", extension!(), " [^./]*$");
/// The name of something in a file, after the name of the file.
pub(super) const SYMBOL: &str = concat!(extension!(), "[:#]");
/// Characters that all of the above need and most paths do not have.
const ODD: [char; 6] = [' ', ',', ';', ':', '#', '('];
/// Quotation marks.
const QUOTES: [char; 3] = ['"', '\'', '`'];

static SEVERAL_PATHS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SEVERAL).ok());
static WITH_REMARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(REMARK).ok());
static WITH_SYMBOL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SYMBOL).ok());
static WITH_BRACES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(BRACES).ok());
static WITH_LINES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("[^/]({LINES})$")).ok());

/// A path relative to the repository's root: names separated by single slashes, without `.` and `..`. Two paths are
/// equal if their bytes are. Whether they overlap is decided by their folded forms: only one clone knows whether its
/// file system ignores case, but all clones must come to the same answer, so that no file is given to two executions.
///
/// The empty path is the root itself. No plan may name it; it stands for a text that cannot be read as a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(from = "Cow<'_, str>")]
pub(crate) struct RepoPath(String);

/// Why a text is not a path of a file or directory in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathFault {
    /// It is empty, or only `.` components.
    #[error("a file or directory inside the repository, not the root itself")]
    Top,
    /// A URL.
    #[error("a path, not an address with `file:` or `https:` in front")]
    Address,
    /// It starts at the root of a file system, a home directory or a drive.
    #[error("a path relative to the repository's root, without a leading `/`, `~` or drive letter")]
    Absolute,
    /// It has a `..` component.
    #[error("a path inside the repository, without `..`")]
    Upwards,
    /// It is in git's own directory.
    #[error("a path outside of `.git`")]
    Git,
    /// A pattern.
    #[error("a path of one file or directory; `{0}` makes it a pattern")]
    Pattern(char),
    /// The separator of another system, or an escape.
    #[error("a path with `/` between its parts, without `\\`")]
    Backslash,
    /// Invisible characters.
    #[error("a path without control characters")]
    Control,
    /// A space at its start or end, which is easily overlooked and names another file.
    #[error("a path that neither begins nor ends with a space")]
    Space,
    /// Quotation marks from the surrounding sentence.
    #[error("a path without quotation marks")]
    Quoted,
    /// Several paths in one text.
    #[error("one path; give each file an entry of its own")]
    Several,
    /// A remark after the path.
    #[error(
        "only the path, optionally with line numbers as in `src/a.ts:12-20`; a remark on it belongs in `change`"
    )]
    Remark,
    /// A function, a class or an anchor.
    #[error(
        "only the path, optionally with line numbers as in `src/a.ts:12-20`; what changes in it belongs in `target`"
    )]
    Symbol,
    /// Too long for any system.
    #[error("a path of at most {LONGEST} bytes")]
    Long,
}

/// The schemes of URLs.
const ADDRESSES: &[&str] = &["file:", "http:", "https:", "vscode:", "git:", "ssh:"];

impl RepoPath {
    /// Reads a path as a planner writes it: `./src//new.ts`, `src/./new.ts`, `src/new.ts/` and `src/new.ts:12` are
    /// `src/new.ts`.
    pub(crate) fn parse(text: &str) -> Result<Self, PathFault> {
        refuse_ends(text)?;
        if text.contains(char::is_control) {
            return Err(PathFault::Control);
        }
        if text.contains('\\') {
            return Err(PathFault::Backslash);
        }
        if let Some(sign) = text.chars().find(|c| PATTERN.contains(c)) {
            return Err(PathFault::Pattern(sign));
        }
        if text.contains('{') && WITH_BRACES.as_ref().is_some_and(|regex| regex.is_match(text)) {
            return Err(PathFault::Pattern('{'));
        }
        if text.len() > LONGEST {
            return Err(PathFault::Long);
        }
        let names: Vec<&str> = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        let mut path = names.join("/");
        if path.contains(ODD) {
            path.truncate(without_lines(&path).len());
            refuse_more(&path)?;
        }
        // Checks what is left after a `./`, or before the line numbers.
        refuse_ends(&path)?;
        for name in path.split('/') {
            match name {
                "" | "." => return Err(PathFault::Top),
                ".." => return Err(PathFault::Upwards),
                name if name.eq_ignore_ascii_case(".git") => return Err(PathFault::Git),
                _ => {}
            }
        }
        Ok(Self(path))
    }

    /// Reads a path that may have been stored before there were rules for it, or by another program. A text that is not
    /// a path stands for the whole repository, since nobody can tell which files it means.
    pub(crate) fn covering(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self(String::new()))
    }

    /// The path; empty for the whole repository.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The path as it is compared with those of other plans: in lower case, and with each accent in one way.
    pub(crate) fn folded(&self) -> Cow<'_, str> {
        folded(&self.0)
    }

    /// Whether a path in git's form is this path or inside it, on at least one system.
    pub(crate) fn covers(&self, path: &str) -> bool {
        let (own, path) = (self.folded(), folded(path));
        let Some(rest) = path.strip_prefix(&*own) else { return false };
        own.is_empty() || rest.is_empty() || rest.starts_with('/')
    }

    /// Whether one is the other, or inside it.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.covers(other.as_str()) || other.covers(self.as_str())
    }
}

/// Paths, compared as [`RepoPath::covers`] compares them: by their folded forms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FoldedPaths(BTreeSet<String>);

impl FoldedPaths {
    /// Whether a path in git's form is one of them, or inside one.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let path = folded(path);
        std::iter::once(&*path).chain(folders(&path)).any(|at| self.0.contains(at))
    }

    /// Whether a path in git's form is one of them.
    pub(crate) fn is_one(&self, path: &str) -> bool {
        self.0.contains(&*folded(path))
    }

    /// Whether a path is one of them, or one of them is inside it.
    pub(crate) fn reach(&self, path: &str) -> bool {
        let path = folded(path);
        let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
        let next = self.0.range(folder.clone()..).next();
        self.0.contains(&*path) || next.is_some_and(|next| next.starts_with(&folder))
    }
}

impl FromIterator<RepoPath> for FoldedPaths {
    fn from_iter<I: IntoIterator<Item = RepoPath>>(paths: I) -> Self {
        Self(paths.into_iter().map(|path| path.folded().into_owned()).collect())
    }
}

impl<'p> FromIterator<&'p String> for FoldedPaths {
    fn from_iter<I: IntoIterator<Item = &'p String>>(paths: I) -> Self {
        Self(paths.into_iter().map(|path| folded(path).into_owned()).collect())
    }
}

/// Whether two paths in git's form are one file on some system.
pub(crate) fn are_one(one: &str, other: &str) -> bool {
    one == other || folded(one) == folded(other)
}

/// See [`RepoPath::folded`]. Characters are replaced one by one, so that no letter depends on those around it.
fn folded(path: &str) -> Cow<'_, str> {
    if path.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(path.nfc().flat_map(char::to_lowercase).nfc().collect())
}

/// A path in git's form without the line numbers after it.
fn without_lines(path: &str) -> &str {
    let lines = WITH_LINES.as_ref().and_then(|lines| lines.captures(path)?.get(1));
    lines.map_or(path, |lines| &path[..lines.start()])
}

/// Refuses what a path in the repository cannot start or end with.
fn refuse_ends(path: &str) -> Result<(), PathFault> {
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if path.starts_with(['/', '~']) || has_drive {
        return Err(PathFault::Absolute);
    }
    if ADDRESSES
        .iter()
        .any(|scheme| path.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme)))
    {
        return Err(PathFault::Address);
    }
    if path.starts_with(' ') || path.ends_with(' ') {
        return Err(PathFault::Space);
    }
    if path.starts_with(QUOTES) { Err(PathFault::Quoted) } else { Ok(()) }
}

/// Refuses texts that planners write around a path and that a real path hardly ever contains.
fn refuse_more(path: &str) -> Result<(), PathFault> {
    if matches_place(path, &SEVERAL_PATHS) {
        return Err(PathFault::Several);
    }
    if matches_place(path, &WITH_REMARK) {
        return Err(PathFault::Remark);
    }
    if matches_place(path, &WITH_SYMBOL) {
        return Err(PathFault::Symbol);
    }
    Ok(())
}

fn matches_place(path: &str, pattern: &LazyLock<Option<Regex>>) -> bool {
    pattern.as_ref().is_some_and(|regex| regex.is_match(path))
}

/// The directories above a path in git's form, nearest first; the last one is the root, as an empty path.
pub(crate) fn folders(path: &str) -> impl Iterator<Item = &str> {
    fn above<'p>(path: &&'p str) -> Option<&'p str> {
        match path.rsplit_once('/') {
            Some((folder, _)) => Some(folder),
            None => (!path.is_empty()).then_some(""),
        }
    }
    std::iter::successors(above(&path), above)
}

/// For people and programs: the root is `.`.
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
mod tests;
