//! What git will remove from a message after `commit-msg`, as far as a hook can tell.
//!
//! git passes neither `--cleanup` nor `-v` nor `-t` to the hook. If a removed line counts as text, the trailers
//! create a commit that its author meant to abort by emptying the message. In the other case a commit lacks its
//! trailers, and `post-commit` still links it. So any line that git *may* remove counts as removed, with one
//! exception: a line such as `#42 repair the login` counts as text if everything visible says that git keeps it.

use std::borrow::Cow;
use std::ffi::OsStr;

use bstr::{BString, ByteSlice};

use crate::git::{Config, Git, GitError};
use crate::store::Store;
use crate::trail::trailers::own_trailer;

/// git's default, and the fallback of `auto`.
const HASH: &str = "#";
/// The characters that `auto` chooses from, in git's source.
const CANDIDATES: &[u8] = b"#;@!$%^&|:";
const SCISSORS: &str = "------------------------ >8 ------------------------\n";
const SIGNED_OFF: &[u8] = b"Signed-off-by: ";

/// What the configuration says about comments in a message, and how git was called, as far as that can be seen.
#[derive(Debug, Clone)]
pub(crate) struct CommentRule {
    prefix: Prefix,
    keeps: Keeps,
    /// The content of `commit.template`: git refuses a message that equals it.
    template: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Prefix {
    Fixed(String),
    /// `core.commentChar=auto`: chosen for each message.
    Auto,
}

/// Whether lines with the comment prefix stay in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Always,
    Never,
    /// The default mode: they stay unless the message was edited.
    Unedited {
        edited: bool,
    },
}

impl CommentRule {
    /// Reads the configuration. `editor` is the hook's `GIT_EDITOR`, which git sets to `:` for a commit without an
    /// editor. Needs a git process only if a comment prefix is configured.
    pub(crate) fn read(store: &Store, editor: Option<&OsStr>) -> Result<Self, GitError> {
        let config = store.repo().config();
        let cleanup = config.text("commit.cleanup");
        let mut rule = Self::new(HASH, cleanup.as_deref(), editor);
        match comment_prefix(&config) {
            Some(auto) if auto.eq_ignore_ascii_case(b"auto") => rule.prefix = Prefix::Auto,
            Some(_) => rule.prefix = Prefix::Fixed(installed_prefix(&store.git())?),
            None => {}
        }
        if let Some(path) = config.path("commit.template") {
            // git resolves it relative to the work tree.
            let base = store.work_dir().unwrap_or_default();
            rule.template = std::fs::read(base.join(path)).ok();
        }
        Ok(rule)
    }

    /// A rule with this comment prefix (`auto` chooses for each message) and this `commit.cleanup`.
    pub(crate) fn new(prefix: &str, cleanup: Option<&str>, editor: Option<&OsStr>) -> Self {
        let prefix = match prefix {
            "auto" => Prefix::Auto,
            fixed => Prefix::Fixed(fixed.to_owned()),
        };
        Self { prefix, keeps: Keeps::from(cleanup, editor), template: None }
    }

    /// Splits the message at its scissors line; git removes the second part.
    pub(crate) fn at_scissors<'a>(&self, message: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let line = format!("\n{} {SCISSORS}", self.prefix(message));
        let end = match message.strip_prefix(&line.as_bytes()[1..]) {
            Some(_) => 0,
            None => message.find(&line).map_or(message.len(), |at| at + 1),
        };
        message.split_at(end)
    }

    /// The comment prefix of this message.
    pub(super) fn prefix(&self, message: &[u8]) -> Cow<'_, str> {
        match &self.prefix {
            Prefix::Fixed(prefix) => Cow::Borrowed(prefix),
            Prefix::Auto => guess(message).map_or(Cow::Borrowed(HASH), |c| Cow::Owned(char::from(c).into())),
        }
    }

    /// Whether git will keep the lines with the comment prefix in `text`, the part of a message above its scissors.
    pub(super) fn keeps_comments(&self, text: &[u8], prefix: &str) -> bool {
        // git's instructions in an editor always contain a line with only the prefix. They are above the scissors
        // only if git will remove them, or leaves that to the user. If there is such a line, then the user has set
        // `GIT_EDITOR=:`, or the configured mode was overridden.
        let advised = || text.lines().any(|line| line.trim_end() == prefix.as_bytes());
        match self.keeps {
            Keeps::Never | Keeps::Unedited { edited: true } => false,
            Keeps::Always | Keeps::Unedited { edited: false } => !advised(),
        }
    }

    /// The text of a message without its comments, as far as they can be recognized.
    pub(crate) fn written(&self, message: &[u8]) -> Vec<u8> {
        let (text, _) = self.at_scissors(message);
        let prefix = self.prefix(message);
        self.content(text, self.keeps_comments(text, &prefix), &prefix).join(&b'\n')
    }

    /// The lines that count, without trailing white space.
    fn content<'a>(&self, text: &'a [u8], keeps_comments: bool, prefix: &str) -> Vec<&'a [u8]> {
        text.lines()
            .filter(|line| keeps_comments || !line.starts_with(prefix.as_bytes()))
            .map(ByteSlice::trim_end)
            .filter(|line| !line.is_empty())
            .collect()
    }
}

impl Keeps {
    fn from(cleanup: Option<&str>, editor: Option<&OsStr>) -> Self {
        match cleanup {
            Some("strip") => Self::Never,
            Some("whitespace" | "verbatim" | "scissors") => Self::Always,
            _ => Self::Unedited { edited: editor.is_none_or(|editor| editor != ":") },
        }
    }
}

/// Whether git would, or might, refuse the message as empty or as an unchanged template.
///
/// As in git, a message of nothing but `Signed-off-by` lines counts as empty. So does one with only our own trailers:
/// they may be left from an earlier attempt, and must not cause more trailers.
pub(crate) fn is_empty_after_cleanup(message: &[u8], comment: &CommentRule) -> bool {
    let (text, _) = comment.at_scissors(message);
    let prefix = comment.prefix(message);
    let keeps_comments = comment.keeps_comments(text, &prefix);
    let lines = comment.content(text, keeps_comments, &prefix);
    let template = comment.template.as_ref().map(|text| comment.content(text, keeps_comments, &prefix));
    let written = template.and_then(|template| lines.strip_prefix(&template[..])).unwrap_or(&lines);
    written.iter().all(|line| line.starts_with(SIGNED_OFF) || own_trailer(line).is_some())
}

/// The comment prefix that the installed git uses: before 2.45 it did not know `core.commentString`.
fn installed_prefix(git: &Git) -> Result<String, GitError> {
    let out = git.commented(b"x\n")?;
    let out = out.to_str_lossy();
    Ok(out.strip_suffix(" x\n").unwrap_or(HASH).to_owned())
}

/// The last value of `core.commentChar` or `core.commentString`, which override each other.
pub(super) fn comment_prefix(config: &Config<'_>) -> Option<BString> {
    config.last_of("core", &["commentchar", "commentstring"])
}

/// The character that `auto` chose, guessed from what git wrote: the scissors line, or else the last line.
fn guess(message: &[u8]) -> Option<u8> {
    let written_with = |line: &[u8], rest: &dyn Fn(&[u8]) -> bool| {
        line.split_first().filter(|(c, after)| CANDIDATES.contains(c) && rest(after)).map(|(c, _)| *c)
    };
    let scissors = |after: &[u8]| after.strip_prefix(b" ") == Some(SCISSORS.as_bytes());
    let comment = |after: &[u8]| matches!(after.trim_end_with(|c| c == '\n'), [] | [b' ' | b'\t', ..]);
    let last = || message.lines().rev().find(|line| !line.trim().is_empty());
    message
        .lines_with_terminator()
        .find_map(|line| written_with(line, &scissors))
        .or_else(|| written_with(last()?, &comment))
}

#[cfg(test)]
impl CommentRule {
    pub(super) fn with_template(self, template: &[u8]) -> Self {
        Self { template: Some(template.to_owned()), ..self }
    }
}
