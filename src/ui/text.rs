//! Makes text from outside safe for a terminal: nothing in it moves the cursor, hides text, or reverses the line.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::model::hidden;
pub(crate) use crate::model::words::count;

const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// `text`, in which every character that a terminal obeys or does not show is a visible escape, such as `\u{1b}`.
/// Newlines and tabs stay; a carriage return before a newline is dropped, since it only ends the line.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    rewrite(text, |before, c, after| match c {
        '\n' | '\t' => None,
        '\r' if after == Some('\n') => Some(Cow::Borrowed("")),
        c if is_hidden(before, c) => Some(visible(c)),
        _ => None,
    })
}

/// Like [`clean`], on one line: each line end and each tab becomes a blank.
pub(crate) fn clean_line(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    rewrite(text, |before, c, after| match c {
        '\r' if after == Some('\n') => Some(Cow::Borrowed("")),
        '\n' | '\t' | '\r' => Some(Cow::Borrowed(" ")),
        c if is_hidden(before, c) => Some(visible(c)),
        _ => None,
    })
}

/// A JSON document in which the same characters are JSON escapes: another spelling of the same value. Apart from the
/// newlines of the layout, they can occur only in string literals.
pub(crate) fn clean_json(document: &str) -> Cow<'_, str> {
    // Most documents are long and contain no such character.
    if document.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
        return Cow::Borrowed(document);
    }
    rewrite(document, |before, c, _| (c != '\n' && is_hidden(before, c)).then(|| Cow::Owned(json_escape(c))))
}

/// The JSON escape of `c`.
pub(super) fn json_escape(c: char) -> String {
    let mut escape = String::new();
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(escape, "\\u{unit:04x}");
    }
    escape
}

/// `text` in lines of at most `columns`. A terminal would break it at its edge, so that the rest of a long line could
/// look like a line of its own. Without a limit, it is one line.
pub(crate) fn fold(text: &str, columns: Option<usize>) -> Vec<&str> {
    let Some(columns) = columns else { return vec![text] };
    let mut lines = Vec::new();
    let (mut begin, mut used) = (0, 0);
    for (at, cluster) in text.grapheme_indices(true) {
        let wide = width(cluster);
        if used + wide > columns && at > begin {
            lines.push(&text[begin..at]);
            (begin, used) = (at, 0);
        }
        used += wide;
    }
    lines.push(&text[begin..]);
    lines
}

/// The number of columns that a line takes on a terminal.
pub(crate) fn width(line: &str) -> usize {
    if is_plain(line) {
        return line.len();
    }
    UnicodeWidthStr::width(line)
}

/// `line` in at most `columns`, with `…` at the end if something was cut. What a reader sees as one character is
/// never split, so the result may be a column shorter than allowed.
pub(crate) fn truncate(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else { return String::new() };
    let mut used = 0;
    let kept: usize = line
        .graphemes(true)
        .take_while(|cluster| {
            used += width(cluster);
            used <= room
        })
        .map(str::len)
        .sum();
    format!("{}…", &line[..kept])
}

/// Longer text under a heading: cleaned, each line kept and indented by `by` blanks, empty lines empty, without a
/// line end at the end.
pub(crate) fn indent(text: &str, by: usize) -> String {
    let margin = " ".repeat(by);
    let text = clean(text);
    let lines = text.trim_end().lines().map(|line| match line.trim_end() {
        "" => String::new(),
        line => format!("{margin}{line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether there is nothing to clean and each byte is one column wide, as in nearly all lines.
fn is_plain(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Applies `replace(character before, character, character after)`; `None` keeps the character.
fn rewrite(
    text: &str,
    replace: impl Fn(Option<char>, char, Option<char>) -> Option<Cow<'static, str>>,
) -> Cow<'_, str> {
    let mut changed: Option<String> = None;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next();
        match replace(before, c, after) {
            Some(other) => changed.get_or_insert_with(|| text[..at].to_owned()).push_str(&other),
            None => {
                if let Some(changed) = &mut changed {
                    changed.push(c);
                }
            }
        }
        before = Some(c);
    }
    changed.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// An escape such as `\u{1b}`.
fn visible(c: char) -> Cow<'static, str> {
    Cow::Owned(hidden::visible(c))
}

/// Whether a reader would not see `c`. Joiners and variation selectors pass if they belong to the character before
/// them (Persian, Indic scripts, emoji), since there they shape it; elsewhere they only hide.
pub(super) fn is_hidden(before: Option<char>, c: char) -> bool {
    match c {
        '\u{200c}' | ZERO_WIDTH_JOINER => {
            !before.is_some_and(|p| !p.is_ascii() && (shapes(p) || is_selector(p)))
        }
        c if is_selector(c) => !before.is_some_and(shapes),
        c => hidden::is_hidden(c),
    }
}

fn shapes(c: char) -> bool {
    !c.is_whitespace() && !hidden::is_hidden(c)
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_becomes_visible() {
        assert_eq!(clean("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(clean("\u{9b}2J\u{7f}\0"), "\\u{9b}2J\\u{7f}\\u{0}");
        for hidden in
            "\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\u{200b}\u{feff}\u{e0041}".chars()
        {
            assert_eq!(clean(&format!("a{hidden}b")), format!("a{}b", hidden.escape_unicode()));
        }
    }

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(clean("a\tb\nç 漢字"), Cow::Borrowed("a\tb\nç 漢字")));
        assert!(matches!(clean_line("a b"), Cow::Borrowed("a b")));
    }

    #[test]
    fn folded_lines_lose_nothing() {
        assert_eq!(fold("abcdef", Some(4)), ["abcd", "ef"]);
        assert_eq!(fold("漢字漢", Some(5)), ["漢字", "漢"]);
        assert_eq!(fold("ab", None), ["ab"]);
        assert_eq!(fold("漢字", Some(1)), ["漢", "字"]);
        assert_eq!(fold("", Some(9)), [""]);
    }

    #[test]
    fn line_ends() {
        assert_eq!(clean("a\r\nb\rc"), "a\nb\\u{d}c");
        assert_eq!(clean_line("a\r\nb\rc\td\ne"), "a b c d e");
    }

    #[test]
    fn joiners_pass_only_where_they_shape_something() {
        for fine in ["👩\u{200d}💻", "❤\u{fe0f}\u{200d}🔥", "1\u{fe0f}\u{20e3}", "می\u{200c}خواهم"]
        {
            assert_eq!(clean(fine), fine);
        }
        assert_eq!(clean("pay\u{200d}pal"), "pay\\u{200d}pal");
        assert_eq!(clean("a\u{fe01}\u{fe02}"), "a\u{fe01}\\u{fe02}");
        assert_eq!(clean("\u{e0100}"), "\\u{e0100}");
    }

    #[test]
    fn json_means_the_same_after_cleaning() {
        let value = serde_json::json!({"a\u{202e}": "x\u{7f}\u{e0041}\u{1b}\n"});
        let document = serde_json::to_string_pretty(&value).unwrap();
        let cleaned = clean_json(&document);
        assert!(cleaned.contains(r#""a\u202e": "x\u007f\udb40\udc41\u001b\n""#), "{cleaned}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&cleaned).unwrap(), value);
    }

    #[test]
    fn truncation_counts_columns_and_keeps_characters_whole() {
        assert_eq!(truncate("abcdef", 6), "abcdef");
        assert_eq!(truncate("abcdef", 5), "abcd…");
        assert_eq!(truncate("漢字漢字", 8), "漢字漢字");
        assert_eq!(truncate("漢字漢字", 6), "漢字…");
        assert_eq!(truncate("漢字漢字", 2), "…");
        assert_eq!(truncate("ab", 1), "…");
        assert_eq!(truncate("ab", 0), "");
        assert_eq!(truncate("e\u{301}xyz", 2), "e\u{301}…");
        assert_eq!(truncate("👩\u{200d}💻👩\u{200d}💻ab", 4), "👩\u{200d}💻…");
        assert_eq!(truncate("🇫🇷🇫🇷x", 3), "🇫🇷…");
    }

    #[test]
    fn truncation_of_stacked_marks_is_linear() {
        let tower = format!("a{}bcd", "\u{301}".repeat(200_000));
        assert!(truncate(&tower, 2).ends_with('…'));
    }

    #[test]
    fn indented_text_keeps_its_lines() {
        assert_eq!(indent("a\n\n  b  \n\n", 2), "  a\n\n    b");
        assert_eq!(indent("", 2), "");
    }
}
