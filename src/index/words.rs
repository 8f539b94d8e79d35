//! Text as full-text search sees it. FTS5 splits at what is no letter; Chinese, Japanese and Korean are written without
//! blanks between words, so that each of their characters is made a word, and a run of them in a query a phrase.

use std::borrow::Cow;

/// Stands between characters that are words. It is no letter, so FTS5 splits there, and no text in the index has it of its
/// own: what came out is what went in once these are gone.
pub(super) const BETWEEN: char = '\u{1f}';
/// Stand around a match while it comes out of the index, and are in no text there.
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

/// `text` with each such character a word.
pub(super) fn separated(text: &str) -> Cow<'_, str> {
    // Most texts have no other letters than English has.
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

/// The text from which [`separated`] made this.
pub(super) fn joined(words: &str) -> String {
    words.replace(BETWEEN, "")
}

/// A query in which such characters are found as they are stored: `過期 OR token` finds the phrase of 過 and 期.
pub(super) fn query(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => string_end(rest),
            first if is_bare(first) => rest.find(|c| !is_bare(c)).unwrap_or(rest.len()),
            first => first.len_utf8(),
        };
        let (part, after) = rest.split_at(end);
        match separated(part) {
            Cow::Borrowed(part) => made.push_str(part),
            Cow::Owned(part) if first == '"' => made.push_str(&part),
            Cow::Owned(part) => made.push_str(&format!("\"{part}\"")),
        }
        rest = after;
    }
    made
}

/// The words of a query, as a query for any of them: what it says of columns, order and distance is left out. None where it
/// has no word.
pub(super) fn any_of(text: &str) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (part, after) = match first {
            '"' => rest.split_at(string_end(rest)),
            first if is_bare(first) => rest.split_at(rest.find(|c| !is_bare(c)).unwrap_or(rest.len())),
            first => rest.split_at(first.len_utf8()),
        };
        let is_column = after.trim_start().starts_with(':');
        let is_operator = matches!(part, "AND" | "OR" | "NOT" | "NEAR");
        if part.contains(char::is_alphanumeric) && !is_column && !is_operator {
            let begins = if after.trim_start().starts_with('*') { "*" } else { "" };
            let words = part.split(|c: char| c.is_whitespace() || c == '"').filter(|word| !word.is_empty());
            found.extend(words.map(|word| format!("\"{}\"{begins}", separated(word))));
        }
        rest = after;
    }
    (!found.is_empty()).then(|| found.join(" OR "))
}

/// The same text as a query for nothing but its words.
pub(super) fn quoted(text: &str) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| format!("\"{}\"", word.replace('"', "")))
        .filter(|w| w.len() > 2)
        .collect();
    words.join(" ")
}

/// What FTS5 takes for part of a word that stands without quotes.
fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '\u{1a}' || !c.is_ascii()
}

/// Where a string in double quotes ends; a doubled quote is one inside it.
fn string_end(text: &str) -> usize {
    let mut at = 1;
    while let Some(quote) = text[at..].find('"') {
        at += quote + 1;
        if !text[at..].starts_with('"') {
            return at;
        }
        at += 1;
    }
    text.len()
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
    fn a_run_in_a_query_is_a_phrase() {
        assert_eq!(query("過期 OR token*"), "\"過\u{1f}期\" OR token*");
        assert_eq!(query("title: \"過期 了\""), "title: \"\u{1f}過\u{1f}期\u{1f} \u{1f}了\u{1f}\"");
        assert_eq!(query("abc漢字*"), "\"abc\u{1f}漢\u{1f}字\"*");
        assert_eq!(query("\"say \"\"漢字\"\"\""), "\"say \"\"\u{1f}漢\u{1f}字\u{1f}\"\"\"");
        assert_eq!(query("\"open"), "\"open");
        assert_eq!(query("a-b (c d)"), "a-b (c d)");
    }

    #[test]
    fn of_a_query_any_word_will_do() {
        let any = |text| any_of(text).unwrap_or_default();
        assert_eq!(any("title: (token OR \"two words\") NOT x*"), r#""token" OR "two" OR "words" OR "x"*"#);
        assert_eq!(any("過期了"), "\"過\u{1f}期\u{1f}了\"");
        assert_eq!(any("()"), "");
    }

    #[test]
    fn marks_of_ours_are_in_no_text() {
        assert_eq!(separated("a\u{2}b\u{3}c\u{1f}d"), "abcd");
    }

    #[test]
    fn what_is_no_query_can_be_one_in_quotes() {
        assert_eq!(quoted("src/auth.rs can\"t"), "\"src/auth.rs\" \"cant\"");
    }

    proptest! {
        #[test]
        fn what_comes_out_is_what_went_in(text in "[a-z 漢字かな한국\u{1f600}.]{0,40}") {
            prop_assert_eq!(joined(&separated(&text)), text);
        }

        #[test]
        fn any_text_can_be_taken_for_a_query(text in ".{0,60}") {
            let _ = query(&text);
        }
    }
}
