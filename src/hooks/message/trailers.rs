//! Trailers in a commit message: git says where they belong, and the rest of the message stays as it is.

use std::ffi::OsString;
use std::fs;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use gix::bstr::ByteSlice;

use super::CommentRule;
use crate::model::Explain;
use crate::store::git::{Git, GitError};

/// Nobody begins a line with it, so that as a comment prefix it makes everything text.
const NO_COMMENT: &str = "\u{1}";

/// Why trailers were not added; the message is as it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MessageError {
    /// Git did not place them.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The message's file, or a temporary one.
    #[error("cannot {what} the commit message `{}`: {source}", .path.display())]
    File {
        /// A verb: read, write.
        what: &'static str,
        /// The message's file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Explain for MessageError {
    fn code(&self) -> &'static str {
        match self {
            Self::Git(error) => error.code(),
            Self::File { .. } => "message-file",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Git(error) => error.hint(),
            Self::File { .. } => Some("`commit-msg` takes the path of a commit message's file".into()),
        }
    }
}

/// Adds each trailer that the message's trailer block does not have yet with that value, in that order.
///
/// Not for a message that [`super::is_empty_after_cleanup`]: it would no longer be empty.
pub(crate) fn add_trailers(
    git: &Git,
    path: &Path,
    comment: &CommentRule,
    trailers: &[(&str, &str)],
) -> Result<(), MessageError> {
    let file = |what| move |source| MessageError::File { what, path: path.to_owned(), source };
    let message = fs::read(path).map_err(file("read"))?;
    let (text, below) = comment.at_scissors(&message);
    // Where `#42` begins a line of text, a trailer must not go above it.
    let prefix = comment.prefix(&message);
    let prefix = if comment.keeps_comments(text, &prefix) { NO_COMMENT } else { &prefix };
    let mut text = text.to_owned();
    if text.last().is_some_and(|last| *last != b'\n') {
        text.push(b'\n');
    }
    let placed = place(git, &text, prefix, trailers)?;
    if placed.lines.is_empty() {
        return Ok(());
    }
    let (above, under) = text.split_at(placed.at);
    let gap: &[u8] = if placed.gap { b"\n" } else { b"" };
    fs::write(path, [above, gap, &placed.lines, under, below].concat()).map_err(file("write"))
}

/// What git answers when asked to add trailers.
struct Placed {
    /// The offset in the text.
    at: usize,
    /// Whether they begin a paragraph.
    gap: bool,
    /// Those that were missing, a line each.
    lines: Vec<u8>,
}

/// Asks `git interpret-trailers`. It rewrites the trailers that it finds (`Fixes:#1` becomes `Fixes: #1`), so
/// only the lines between two marks are taken from its answer.
fn place(git: &Git, text: &[u8], prefix: &str, trailers: &[(&str, &str)]) -> Result<Placed, GitError> {
    let mark = (0..).map(|n| format!("Wf-Mark-{n}")).find(|mark| !text.contains_str(mark));
    let mark = mark.unwrap_or_default();
    let (begin, end) = (format!("{mark}: begin\n"), format!("{mark}: end\n"));
    let mut args = vec!["-c".into(), format!("core.commentChar={prefix}")];
    args.extend(
        ["interpret-trailers", "--no-divider", "--where", "end", "--if-missing", "add"].map(String::from),
    );
    let mut add = |when: &str, trailer: &str| {
        args.extend(["--if-exists", when, "--trailer", trailer.trim_end()].map(String::from));
    };
    add("add", &begin);
    for (key, value) in trailers {
        add("addIfDifferent", &format!("{key}: {value}"));
    }
    add("add", &end);
    // A carriage return would keep git from seeing a blank line; clean-up drops it anyway.
    let asked = text.replace("\r\n", "\n");
    let answer = sealed(git, &args, &asked)?;
    let placed = || {
        let (head, rest) = answer.split_once_str(&begin)?;
        let (lines, tail) = rest.split_once_str(&end)?;
        let above = asked.strip_suffix(tail)?.lines().count();
        let at = text.lines_with_terminator().take(above).map(<[u8]>::len).sum();
        let gap = ends_blank(head) && !ends_blank(&text[..at]);
        Some(Placed { at, gap, lines: lines.to_owned() })
    };
    placed().ok_or_else(|| GitError::Failed {
        command: args.join(" "),
        stderr: "its answer does not hold the message".into(),
        code: Some(0),
    })
}

/// Runs git without any configuration but `-c`: a configured `trailer.*` may rename trailers, drop them, or
/// run a command for its own, and no flag turns all of that off.
fn sealed(git: &Git, args: &[String], input: &[u8]) -> Result<Vec<u8>, GitError> {
    let start = |source| GitError::Start { command: args.join(" "), source };
    let mut file = tempfile::tempfile().map_err(start)?;
    file.write_all(input).and_then(|()| file.rewind()).map_err(start)?;
    let mut command = git.command(args);
    for name in ["GIT_DIR", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    for name in ["GIT_WORK_TREE", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"] {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_NOSYSTEM", OsString::from("1"));
    let output = command.stdin(Stdio::from(file)).output().map_err(start)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(GitError::Failed {
        command: args.join(" "),
        stderr: output.stderr.trim().to_str_lossy().into_owned(),
        code: output.status.code(),
    })
}

fn ends_blank(text: &[u8]) -> bool {
    text.lines().next_back().is_none_or(|line| line.trim().is_empty())
}
