//! A section of a text file between two marker lines. It is appended, and taking it out again restores the file byte for
//! byte, whether the file ended with a newline or not.

use std::ops::Range;

use super::{AgentFileFault, State};

/// How the marker lines are written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Marks {
    /// Comments of Markdown.
    Markdown,
    /// Comments that begin with `#`.
    Hash,
}

/// The first marker also says whose the section is, which may be said otherwise one day.
const BEGIN: &str = "BEGIN git-wf";
const END: &str = "END git-wf";
const SAYS: &str = "BEGIN git-wf: written by `git wf agents setup`, which overwrites changes here";

impl Marks {
    fn line(self, text: &str) -> String {
        match self {
            Self::Markdown => format!("<!-- {text} -->"),
            Self::Hash => format!("# {text}"),
        }
    }

    fn is_begin(self, line: &str) -> bool {
        let start = match self {
            Self::Markdown => format!("<!-- {BEGIN}"),
            Self::Hash => format!("# {BEGIN}"),
        };
        line.strip_prefix(&start).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
    }

    fn section(self, body: &str, newline: &str) -> String {
        let text = format!("{}\n{}\n{}", self.line(SAYS), body.trim_end(), self.line(END));
        if newline == "\n" { text } else { text.replace('\n', newline) }
    }
}

/// The newline that a text uses first; `\n` if it has none.
pub(super) fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Where the section is, from its first marker to its last, without the newline after it.
pub(super) fn find(text: &str, marks: Marks) -> Result<Option<Range<usize>>, AgentFileFault> {
    let end_line = marks.line(END);
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let (bare, start) = match bare.strip_prefix('\u{feff}') {
            Some(rest) if at == 0 => (rest, '\u{feff}'.len_utf8()),
            _ => (bare, at),
        };
        if marks.is_begin(bare) {
            begins.push(start);
        } else if bare == end_line {
            ends.push(start + bare.len());
        }
        at += line.len();
    }
    match (&begins[..], &ends[..]) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some(*begin..*end)),
        ([_], [_]) => Err(AgentFileFault::Markers("the last one comes first")),
        ([], _) => Err(AgentFileFault::Markers("the first one is missing")),
        (_, []) => Err(AgentFileFault::Markers("the last one is missing")),
        _ => Err(AgentFileFault::Markers("there are several sections")),
    }
}

/// Whether the section is in the text, with this body.
pub(super) fn state(text: &str, marks: Marks, body: &str) -> Result<State, AgentFileFault> {
    let Some(range) = find(text, marks)? else { return Ok(State::Missing) };
    let section = &text[range];
    let is_current = section == marks.section(body, newline_of(section));
    Ok(if is_current { State::Current } else { State::Outdated })
}

/// The text with the section, which replaces an earlier one in its place.
pub(super) fn put_into(text: Option<&str>, marks: Marks, body: &str) -> Result<String, AgentFileFault> {
    let Some(text) = text else { return Ok(format!("{}\n", marks.section(body, "\n"))) };
    if let Some(range) = find(text, marks)? {
        let section = marks.section(body, newline_of(&text[range.clone()]));
        return Ok(format!("{}{section}{}", &text[..range.start], &text[range.end..]));
    }
    let newline = newline_of(text);
    let section = marks.section(body, newline);
    Ok(if text.ends_with('\n') {
        format!("{text}{newline}{section}{newline}")
    } else {
        format!("{text}{newline}{newline}{section}")
    })
}

/// The text without the section; `None` if it was all of a file.
pub(super) fn take_out_of(text: &str, marks: Marks) -> Result<Option<String>, AgentFileFault> {
    let Some(range) = find(text, marks)? else { return Ok(Some(text.to_owned())) };
    let newline = newline_of(&text[range.clone()]);
    let (before, after) = (&text[..range.start], &text[range.end..]);
    if before.is_empty() && (after.is_empty() || after == newline) {
        return Ok(None);
    }
    Ok(Some(match after.strip_prefix(newline) {
        // The file did not end with a newline.
        None => without_lines(newline, before, 2) + after,
        Some(rest) => without_lines(newline, before, 1) + rest,
    }))
}

fn without_lines(newline: &str, text: &str, times: usize) -> String {
    let end = newline.repeat(times);
    text.strip_suffix(end.as_str()).unwrap_or(text).to_owned()
}
