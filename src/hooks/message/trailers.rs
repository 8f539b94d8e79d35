//! Trailers in a commit message: they go where git would put them, and the rest of the message is unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::CommentRule;
use super::gather::{self, gathered, in_order};
use super::placement::{self, TrailerPlace};
use crate::model::{Code, Explain, Remedies};
use crate::trail::trailers::own_trailer;

/// Why trailers were not added; the message is unchanged.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} the commit message `{}`: {source}", .path.display())]
pub(crate) struct MessageError {
    /// A verb: read, write.
    what: &'static str,
    /// The message's file.
    path: PathBuf,
    /// The system's error.
    source: std::io::Error,
}

impl Explain for MessageError {
    fn code(&self) -> Code {
        Code::MessageFile
    }

    fn remedies(&self) -> Remedies {
        "`commit-msg` takes the path of a commit message's file".into()
    }
}

/// Adds the trailers that the message's trailer block does not have yet with that value, in this order.
///
/// Trailers of squashed messages, which are above other text, move there, too, each once.
///
/// Does nothing for a message that [`super::is_empty_after_cleanup`]: it would no longer be empty.
pub(crate) fn add_trailers(
    path: &Path,
    comment: &CommentRule,
    trailers: &[(&str, &str)],
) -> Result<(), MessageError> {
    let file = |what| move |source| MessageError { what, path: path.to_owned(), source };
    let message = fs::read(path).map_err(file("read"))?;
    match with_trailers(&message, comment, trailers) {
        Some(text) => fs::write(path, text).map_err(file("write")),
        None => Ok(()),
    }
}

/// The message with its missing trailers; `None` if none are missing.
fn with_trailers(message: &[u8], comment: &CommentRule, trailers: &[(&str, &str)]) -> Option<Vec<u8>> {
    let (text, below) = comment.at_scissors(message);
    // If `#42` can start a line of text, trailers must not be inserted above such a line.
    let prefix = comment.prefix(message);
    let prefix = (!comment.keeps_comments(text, &prefix)).then_some(prefix.as_bytes());
    let mut text = text.to_owned();
    let mut present: Vec<(String, String)> = Vec::new();
    let mut is_rewritten = false;
    if let Some(gathered) = gathered(&text, prefix) {
        text = gathered.text;
        present = gathered.trailers;
        is_rewritten = true;
    }
    let mut wanted = wanted(&text, prefix, &present, trailers);
    if let Some(all) = wanted.instead.take() {
        text = gather::without_present(&text, prefix);
        wanted.missing = all;
        is_rewritten = true;
    }
    let lines: Vec<(&str, &str)> = wanted.missing.iter().map(|(key, value)| (&key[..], &value[..])).collect();
    if text.last().is_some_and(|last| *last != b'\n') {
        text.push(b'\n');
    }
    let placed = placed(&text, prefix, &lines);
    if placed.lines.is_empty() && !is_rewritten {
        return None;
    }
    let (above, under) = text.split_at(placed.at);
    let gap: &[u8] = if placed.gap { b"\n" } else { b"" };
    Some([above, gap, &placed.lines, under, below].concat())
}

/// Trailers that a text lacks.
struct Wanted {
    /// What to add below its last trailers.
    missing: Vec<(String, String)>,
    /// What to write in place of all our trailers instead, if a task would otherwise be below another plan.
    instead: Option<Vec<(String, String)>>,
}

/// What `text` lacks of the trailers that were `gathered` from it and of `trailers`. A task counts as present only below
/// its own plan: two plans may have a task `T1`.
fn wanted(
    text: &[u8],
    comment: Option<&[u8]>,
    gathered: &[(String, String)],
    trailers: &[(&str, &str)],
) -> Wanted {
    let present = gather::present(text, comment);
    let given = gathered.iter().map(|(key, value)| (&key[..], &value[..])).chain(trailers.iter().copied());
    let given: Vec<(&str, &str)> = given.collect();
    let own = given.iter().filter_map(|(key, value)| {
        let line = format!("{key}: {value}");
        own_trailer(line.as_bytes()).map(|(key, value)| (key, value.to_vec()))
    });
    let own: Vec<(&str, Vec<u8>)> = own.collect();
    let all = in_order(present.iter().chain(&own).map(|(key, value)| (*key, &value[..])));
    let others = given.iter().filter(|(key, _)| !own.iter().any(|(known, _)| known == key));
    let others = others.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let is_same = |(key, value): &(&str, Vec<u8>), (kept, of): &(String, String)| {
        key == kept && *value == of.as_bytes()
    };
    let begins_so =
        all.len() >= present.len() && present.iter().zip(&all).all(|(known, one)| is_same(known, one));
    // What is there already is not added once more.
    let is_again = |one: &(String, String)| present.iter().any(|known| is_same(known, one));
    if begins_so && !all[present.len()..].iter().any(is_again) {
        let missing = all[present.len()..].iter().cloned().chain(others).collect();
        Wanted { missing, instead: None }
    } else {
        Wanted { missing: vec![], instead: Some(all.into_iter().chain(others).collect()) }
    }
}

/// What to insert.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlacedTrailers {
    /// The offset in the text.
    pub(super) at: usize,
    /// Whether the lines start a new paragraph.
    pub(super) gap: bool,
    /// The missing trailers, one per line.
    pub(super) lines: Vec<u8>,
}

/// Where trailers go in a text whose last line is complete, and which of them are missing.
pub(super) fn placed(text: &[u8], comment: Option<&[u8]>, trailers: &[(&str, &str)]) -> PlacedTrailers {
    // `lines` also removes carriage returns: they would keep git from recognizing a blank line, and the clean-up
    // removes them anyway.
    let lines: Vec<&[u8]> = text.lines().collect();
    let TrailerPlace { at, first } = placement::find(&lines, comment);
    let present: Vec<(&[u8], &[u8])> =
        (first..at).filter_map(|n| trailer(&lines[..at], n, comment)).collect();
    let is_missing = |(key, value): &&(&str, &str)| {
        !present
            .iter()
            .any(|(known, of)| known.eq_ignore_ascii_case(key.as_bytes()) && *of == value.as_bytes())
    };
    let missing = trailers.iter().filter(is_missing);
    PlacedTrailers {
        at: text.lines_with_terminator().take(at).map(<[u8]>::len).sum(),
        gap: at > 0 && first == at && !placement::is_blank(lines[at - 1]),
        lines: missing.map(|(key, value)| format!("{key}: {value}\n")).collect::<String>().into_bytes(),
    }
}

/// Key and value of the trailer in line `n`; `None` if the line is not a complete trailer.
fn trailer<'a>(lines: &[&'a [u8]], n: usize, comment: Option<&[u8]>) -> Option<(&'a [u8], &'a [u8])> {
    let line = lines[n];
    let is_comment = comment.is_some_and(|comment| line.starts_with(comment));
    let below = lines[n + 1..].iter().take_while(|next| placement::begins_indented(next));
    let goes_on = below.into_iter().any(|next| !placement::is_blank(next));
    if is_comment || goes_on || placement::begins_indented(line) {
        return None;
    }
    let colon = placement::separator(line)?;
    Some((line[..colon].trim_end(), line[colon + 1..].trim()))
}
