//! Characters that are invisible or that control a terminal: in a text from outside, they can hide what it says.

use std::borrow::Cow;

/// Whether `c` moves the cursor, is invisible, or reverses the line: the control characters (C0, DEL and C1), the
/// separators of lines and paragraphs, what Unicode calls `Default_Ignorable_Code_Point` (bidirectional controls,
/// joiners, variation selectors, tags) and the characters that it leaves to a program's own use.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || is_ignorable(c)
        || is_own(c)
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}')
}

/// Whether `c` is invisible. The bidirectional controls are among these, and the tag characters, with which a whole
/// text can hide in another.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Noncharacters that Unicode reserves for a program's own use. They do not occur in exchanged text, and this program
/// marks its colours with them.
fn is_own(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}')
}

/// Whether `c` is a space other than U+0020, which looks like one but is not one to a shell.
pub(crate) fn is_odd_blank(c: char) -> bool {
    c.is_whitespace() && c != ' '
}

/// An escape that stands for `c`, such as `\u{1b}`.
pub(crate) fn visible(c: char) -> String {
    c.escape_unicode().to_string()
}

/// A text in which each character matters, such as a command, on one line and with nothing left out. Every character
/// that does not show as itself is escaped, including line breaks and tabs. So is the backslash of anything that
/// looks like such an escape, so that no two texts look the same.
pub(crate) fn exact(text: &str) -> Cow<'_, str> {
    let is_seen = |at: usize, c: char| !(is_hidden(c) || is_odd_blank(c) || text[at..].starts_with("\\u{"));
    if text.char_indices().all(|(at, c)| is_seen(at, c)) {
        return Cow::Borrowed(text);
    }
    let shown = |(at, c)| if is_seen(at, c) { String::from(c) } else { visible(c) };
    Cow::Owned(text.char_indices().map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exact_is_like_nothing_else() {
        assert_eq!(exact("cargo test | grep 'a\\n'"), "cargo test | grep 'a\\n'");
        assert_eq!(exact("true # ok\nrm\t\u{200b}x"), "true # ok\\u{a}rm\\u{9}\\u{200b}x");
        assert_eq!(exact("printf '\\u{a}'"), "printf '\\u{5c}u{a}'");
        assert_eq!(exact("a\u{a0}👩\u{200d}💻"), "a\\u{a0}👩\\u{200d}💻");
    }
}
