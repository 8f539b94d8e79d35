//! Where trailers belong in a message: git's rules, as `git interpret-trailers` follows them. Pure.
//!
//! A message is a title, paragraphs, and maybe a last paragraph of trailers; below it, lines that git drops
//! (comments, the list of conflicts). The last paragraph consists of trailers if all its lines are trailers, or if at
//! least a quarter are and one of those is git's own.

use bstr::ByteSlice;

/// Lines that git itself adds; with one of them, a paragraph counts as trailers even if it contains other text.
const OF_GIT: &[&[u8]] = &[b"Signed-off-by: ", b"(cherry picked from commit "];

/// Where trailers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrailerPlace {
    /// The index of the line before which new trailers are inserted.
    pub(super) at: usize,
    /// The index of the first existing trailer; `at` if there are none.
    pub(super) first: usize,
}

/// Finds the place in a message above its scissors, given as lines without line ends. Lines that start with `comment`
/// are not text; without a prefix, all lines are text.
pub(super) fn find(lines: &[&[u8]], comment: Option<&[u8]>) -> TrailerPlace {
    let is_comment = |line: &[u8]| comment.is_some_and(|comment| line.starts_with(comment));
    let at = end_of_text(lines, &is_comment);
    TrailerPlace { at, first: first_trailer(&lines[..at], &is_comment) }
}

/// The index after the last line that git keeps. What follows are comments, empty lines, and the list of conflicts
/// that git wrote before version 1.8.
fn end_of_text(lines: &[&[u8]], is_comment: &impl Fn(&[u8]) -> bool) -> usize {
    let mut dropped: Option<usize> = None;
    let mut in_conflicts = false;
    for (n, line) in lines.iter().enumerate() {
        if is_comment(line) || line.is_empty() {
            // Like git, do not count line 0 as the start of a run of dropped lines: the run then starts at line 1.
            dropped = dropped.filter(|first| *first > 0).or(Some(n));
        } else if *line == b"Conflicts:" {
            in_conflicts = true;
            dropped = dropped.filter(|first| *first > 0).or(Some(n));
        } else if !(in_conflicts && line.starts_with(b"\t")) && dropped.is_some_and(|first| first > 0) {
            dropped = None;
            in_conflicts = false;
        }
    }
    dropped.filter(|first| *first > 0).unwrap_or(lines.len())
}

/// The first line of the last paragraph if that consists of trailers; otherwise the number of lines.
fn first_trailer(lines: &[&[u8]], is_comment: &impl Fn(&[u8]) -> bool) -> usize {
    let title = lines.iter().position(|line| !is_comment(line) && is_blank(line)).unwrap_or(lines.len());
    let (mut trailers, mut others, mut undecided) = (0, 0, 0);
    let mut is_of_git = false;
    let mut only_blank = true;
    for (n, line) in lines.iter().enumerate().skip(title).rev() {
        if is_comment(line) {
            others += undecided;
            undecided = 0;
        } else if is_blank(line) {
            if only_blank {
                continue;
            }
            others += undecided;
            let are_trailers = (is_of_git && trailers * 3 >= others) || (trailers > 0 && others == 0);
            return if are_trailers { n + 1 } else { lines.len() };
        } else {
            only_blank = false;
            if OF_GIT.iter().any(|own| line.starts_with(own)) {
                trailers += 1;
                undecided = 0;
                is_of_git = true;
            } else if begins_indented(line) {
                undecided += 1;
            } else if separator(line).is_some() {
                trailers += 1;
                undecided = 0;
            } else {
                others += 1 + undecided;
                undecided = 0;
            }
        }
    }
    lines.len()
}

/// The offset of the colon in a line such as `Key: value`.
pub(super) fn separator(line: &[u8]) -> Option<usize> {
    let colon = line.find_byte(b':').filter(|at| *at > 0)?;
    let key = line[..colon].trim_end_with(|c| c == ' ' || c == '\t');
    let is_key = |c: &u8| c.is_ascii_alphanumeric() || *c == b'-';
    (!key.is_empty() && key.iter().all(is_key)).then_some(colon)
}

/// Whether a line continues the one above it.
pub(super) fn begins_indented(line: &[u8]) -> bool {
    line.first().is_some_and(is_space)
}

/// Whether the line is blank.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(is_space)
}

/// White space as defined by C.
fn is_space(c: &u8) -> bool {
    matches!(c, b' ' | b'\t'..=b'\r')
}
