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

/// Whether `c` controls a terminal, breaks the line without being a line break, or reverses it.
fn is_controlling(c: char) -> bool {
    let is_bidirectional =
        matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        || matches!(c, '\u{2028}' | '\u{2029}')
        || is_bidirectional
}

/// A text for a file that has no escapes of its own: control and bidirectional characters are shown as escapes; line breaks
/// and tabs stay.
pub(crate) fn visibly(text: &str) -> Cow<'_, str> {
    if !text.contains(is_controlling) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_controlling(c) { visible(c) } else { c.to_string() }).collect())
}

/// A run of more spaces is shown by their number: they could push what follows out of sight.
const MOST_SPACES: usize = 8;

/// A text in which each character matters, such as a command, on one line and with nothing left out. Every character
/// that does not show as itself is escaped, including line breaks and tabs; of many spaces in a row, the first one, with
/// their number in braces. So is the backslash of anything that looks like such an escape, so that no two texts look the
/// same.
pub(crate) fn exact(text: &str) -> Cow<'_, str> {
    if text.char_indices().all(|(at, c)| is_seen(text, at, c)) && !text.contains(&" ".repeat(MOST_SPACES + 1))
    {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let spaces = text[at..].bytes().take_while(|byte| *byte == b' ').count();
        if spaces > MOST_SPACES {
            shown.push_str(&format!("{}{{{spaces}}}", visible(' ')));
            while rest.next_if(|(_, c)| *c == ' ').is_some() {}
        } else if is_seen(text, at, c) {
            shown.push(c);
        } else {
            shown.push_str(&visible(c));
        }
    }
    Cow::Owned(shown)
}

fn is_seen(text: &str, at: usize, c: char) -> bool {
    !(is_hidden(c) || is_odd_blank(c) || text[at..].starts_with("\\u{"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exact_is_like_nothing_else() {
        assert_eq!(exact("cargo test | grep 'a\\n'"), "cargo test | grep 'a\\n'");
        assert_eq!(exact("true # ok\nrm\t\u{200b}x"), "true # ok\\u{a}rm\\u{9}\\u{200b}x");
        assert_eq!(exact("printf '\\u{a}'"), "printf '\\u{5c}u{a}'");
        assert_eq!(exact(&format!("a{}b{}c", " ".repeat(8), " ".repeat(200))), "a        b\\u{20}{200}c");
        assert_eq!(exact("a\u{a0}👩\u{200d}💻"), "a\\u{a0}👩\\u{200d}💻");
    }
}
