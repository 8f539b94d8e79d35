//! Text as full-text search sees it. FTS5 splits text at anything that is not a letter. Chinese, Japanese and Korean
//! have no spaces between words, so each character becomes a word, and a run of them in a query becomes a phrase.

use std::borrow::Cow;

/// Separates characters that are words. It is not a letter, so FTS5 splits there, and no text in the index has it
/// otherwise: removing it restores the original text.
pub(super) const BETWEEN: char = '\u{1f}';
/// These enclose a match in the output of the index, and are in no text there.
pub(super) const BEGIN: char = '\u{2}';
pub(super) const END: char = '\u{3}';

fn is_mark(c: char) -> bool {
    matches!(c, BETWEEN | BEGIN | END)
}

fn is_word(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' // Hangul
        | '\u{2e80}'..='\u{2fdf}' // radicals
        | '\u{3005}'..='\u{3007}' // iteration mark, zero
        | '\u{3040}'..='\u{30ff}' // Hiragana, Katakana
        | '\u{3100}'..='\u{318f}' // Bopomofo, Hangul
        | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' // Han
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}' // Hangul
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' // Han
        | '\u{ff66}'..='\u{ffdc}' // half width
        | '\u{1b000}'..='\u{1b16f}' // Kana
        | '\u{20000}'..='\u{3ffff}' // Han
    )
}

/// `text` with each such character as a word of its own.
pub(super) fn separated(text: &str) -> Cow<'_, str> {
    // Most texts have only English letters.
    let is_plain = text.is_ascii() && !text.bytes().any(|byte| is_mark(char::from(byte)));
    if is_plain || !text.contains(|c| is_word(c) || is_mark(c)) {
        return Cow::Borrowed(text);
    }
    let mut words = String::with_capacity(text.len() * 4 / 3);
    let mut before: Option<char> = None;
    for c in text.chars().filter(|c| !is_mark(*c)) {
        if before.is_some_and(|before| is_word(c) || is_word(before)) {
            words.push(BETWEEN);
        }
        words.push(c);
        before = Some(c);
    }
    Cow::Owned(words)
}

/// The original text, from the result of [`separated`].
pub(super) fn joined(words: &str) -> String {
    words.replace(BETWEEN, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_without_blanks_are_words() {
        assert_eq!(separated("plain text"), "plain text");
        assert_eq!(separated("早期token失效"), "早\u{1f}期\u{1f}token\u{1f}失\u{1f}效");
        assert_eq!(separated("한국어 문서"), "한\u{1f}국\u{1f}어\u{1f} \u{1f}문\u{1f}서");
    }

    #[test]
    fn marks_of_ours_are_in_no_text() {
        assert_eq!(separated("a\u{2}b\u{3}c\u{1f}d"), "abcd");
    }

    proptest! {
        #[test]
        fn what_comes_out_is_what_went_in(text in "[a-z 漢字かな한국\u{1f600}.]{0,40}") {
            prop_assert_eq!(joined(&separated(&text)), text);
        }
    }
}
