//! Texts as browsers send them. A browser has one kind of line end and no NUL, so a text that was edited there does not come
//! back as it is stored, even where nobody touched it.

use std::time::{Duration, Instant};

use similar::DiffOp;

use crate::rules::text_diff::{TextDiff, characters};

/// How long to look for what was not edited between the first edit and the last one.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// Replaces the CRLF that browsers send with LF.
pub(super) fn unfolded(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Whether a browser shows both texts as the same.
pub(super) fn is_shown_as(text: &str, other: &str) -> bool {
    TextAsShown::new(text).chars == TextAsShown::new(other).chars
}

/// A text that was edited in a browser, with everything outside of the edited parts as it is in `stored`.
pub(super) fn restored(stored: &str, typed: &str) -> String {
    let shown = TextAsShown::new(stored);
    let typed: Vec<char> = unfolded(typed).chars().collect();
    let same = shown.chars.iter().zip(&typed).take_while(|(a, b)| a == b).count();
    let rest = shown.chars.len().min(typed.len()) - same;
    let same_end =
        shown.chars.iter().rev().zip(typed.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let old: String = shown.chars[same..shown.chars.len() - same_end].iter().collect();
    let new: String = typed[same..typed.len() - same_end].iter().collect();
    let (old, new) = (characters(&old), characters(&new));
    // New lines end as the others do.
    let folded = stored.matches("\r\n").count();
    let is_folded = folded > 0 && folded == stored.matches('\n').count();
    let mut text = stored[..shown.ends[same]].to_owned();
    let deadline = Some(Instant::now() + LONGEST_LOOK);
    for part in TextDiff::until(deadline, &old, &new).ops() {
        if let DiffOp::Equal { old_index, len, .. } = part {
            let begin = same + old_index;
            text.push_str(&stored[shown.ends[begin]..shown.ends[begin + len]]);
            continue;
        }
        let added = new[part.new_range()].concat();
        text.push_str(&if is_folded { added.replace('\n', "\r\n") } else { added });
    }
    text.push_str(&stored[shown.ends[shown.chars.len() - same_end]..]);
    text
}

/// A text as a browser shows it and sends it back.
struct TextAsShown {
    chars: Vec<char>,
    /// Where each character ends in the text, after a 0 for its beginning.
    ends: Vec<usize>,
}

impl TextAsShown {
    fn new(text: &str) -> Self {
        let (mut chars, mut ends) = (Vec::with_capacity(text.len()), vec![0]);
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            if c == '\r' && text[end..].starts_with('\n') {
                continue;
            }
            chars.push(match c {
                '\r' => '\n',
                '\0' => char::REPLACEMENT_CHARACTER,
                c => c,
            });
            ends.push(end);
        }
        Self { chars, ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_edited_part_of_a_text_changes() {
        let stored = "a\r\nb\rc\0d\ne";
        for (typed, wanted) in [
            ("a\r\nb\r\nc\u{fffd}d\r\ne", stored),
            ("a\r\nb\r\nc\u{fffd}dx\r\ne", "a\r\nb\rc\0dx\ne"),
            ("xa\r\nb\r\nc\u{fffd}d\r\ne", "xa\r\nb\rc\0d\ne"),
            ("a\r\nb\r\nc\u{fffd}d\r\nex", "a\r\nb\rc\0d\nex"),
            ("a\r\nc\u{fffd}d\r\ne", "a\r\nc\0d\ne"),
            ("xa\r\nb\r\nc\u{fffd}d\r\nex", "xa\r\nb\rc\0d\nex"),
            ("a\r\nxb\r\nc\u{fffd}xd\r\ne", "a\r\nxb\rc\0xd\ne"),
            ("", ""),
            ("new", "new"),
        ] {
            assert_eq!(restored(stored, typed), wanted, "{typed:?}");
        }
        assert_eq!(restored("", "a\r\nb"), "a\nb");
        assert_eq!(restored("aa", "aaa"), "aaa");
        assert_eq!(restored("a\r\n\r\nb", "a\r\nb"), "a\r\nb");
    }

    #[test]
    fn a_new_line_ends_as_the_others() {
        assert_eq!(restored("a\r\nb", "a\r\nx\r\nb"), "a\r\nx\r\nb");
        assert_eq!(restored("a\nb", "a\r\nx\r\nb"), "a\nx\nb");
    }
}
