//! Wraps the lines of an answer at words. A terminal would break them at its edge, in the middle of a word.

use super::text;

/// Later rows are indented at least so much: no text from outside may begin a line as if it were one of this program's.
const INDENT: usize = 2;
/// Ends every style.
const RESET: &str = "\u{1b}[0m";

/// Lines in which no row is wider than `columns`, unless a single word is. A command, in backquotes or in a column of its
/// own, counts as a word, so that it can still be copied. Later rows begin below the last column of the line that begins
/// in its first half.
pub(super) fn wrapped(lines: &str, columns: usize) -> String {
    let mut out = String::with_capacity(lines.len());
    for line in lines.split_inclusive('\n') {
        // No character is wider than its bytes.
        if line.len() <= columns {
            out.push_str(line);
        } else {
            wrap_line(line, columns, &mut out);
        }
    }
    out
}

/// A word of a line, with the escapes around it, and the blanks before it.
struct Word<'a> {
    blanks: usize,
    text: &'a str,
    width: usize,
}

fn wrap_line(line: &str, columns: usize, out: &mut String) {
    let words = words(line);
    let hang = hang(&words, columns);
    // The escapes of the style that is on.
    let mut style = String::new();
    let (mut used, mut is_first) = (0, true);
    for word in &words {
        if !is_first && word.width > 0 && used + word.blanks + word.width > columns {
            if !style.is_empty() {
                out.push_str(RESET);
            }
            let margin = hang.min(columns.saturating_sub(word.width)).max(INDENT);
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', margin));
            out.push_str(&style);
            used = margin;
        } else {
            out.extend(std::iter::repeat_n(' ', word.blanks));
            used += word.blanks;
        }
        out.push_str(word.text);
        used += word.width;
        is_first &= word.width == 0;
        for escape in word.text.split('\u{1b}').skip(1).filter(|escape| escape.starts_with('[')) {
            let end = escape.find('m').map_or(escape.len(), |at| at + 1);
            match &escape[..end] {
                "[0m" => style.clear(),
                other => style.push_str(&format!("\u{1b}{other}")),
            }
        }
    }
}

/// Where rows after the first begin.
fn hang(words: &[Word<'_>], columns: usize) -> usize {
    let (mut at, mut hang) = (0, 0);
    // Escapes may stand between blanks.
    let mut blanks = 0;
    for (n, word) in words.iter().enumerate() {
        at += word.blanks;
        blanks += word.blanks;
        if word.width > 0 {
            if (n == 0 || blanks > 1) && at <= columns / 2 {
                hang = at;
            }
            blanks = 0;
        }
        at += word.width;
    }
    hang
}

/// The words of a line, of which the last one has the line break.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        rest = &rest[blanks..];
        if rest.is_empty() {
            return words;
        }
        let is_command = (words.is_empty() || blanks > 1) && unstyled(rest).starts_with("git ");
        let (word, after) = rest.split_at(end_of_word(rest, is_command));
        words.push(Word { blanks, text: word, width: text::width(unstyled(word).trim_end()) });
        rest = after;
    }
}

/// Where the first word of a text ends. A command ends before two blanks.
fn end_of_word(text: &str, is_command: bool) -> usize {
    let mut at = 0;
    let mut is_quoted = false;
    while let Some(c) = text[at..].chars().next() {
        let after = &text[at + c.len_utf8()..];
        match c {
            ' ' if is_command && !after.starts_with(' ') => {}
            ' ' if !is_quoted => return at,
            '`' => is_quoted = !is_quoted && after.contains('`'),
            _ => {}
        }
        at += c.len_utf8();
    }
    at
}

/// A text without escapes.
fn unstyled(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_words() {
        assert_eq!(wrapped("one two three\nfour\n", 9), "one two\n  three\nfour\n");
        assert_eq!(wrapped("  one two three\n", 9), "  one two\n  three\n");
        assert_eq!(wrapped("one two\n", 7), "one two\n");
        assert_eq!(wrapped("a-long-word b\n\nc", 6), "a-long-word\n  b\n\nc");
        assert_eq!(wrapped("漢字 漢字 漢字", 9), "漢字 漢字\n  漢字");
    }

    #[test]
    fn later_rows_begin_below_the_last_column() {
        assert_eq!(wrapped("ada   one two three four\n", 16), "ada   one two\n      three four\n");
        assert_eq!(wrapped("a very long first  two words\n", 20), "a very long first\n  two words\n");
    }

    #[test]
    fn a_command_stays_in_one_piece() {
        assert_eq!(wrapped("say `git wf show A` to see it\n", 18), "say\n  `git wf show A`\n  to see it\n");
        assert_eq!(
            wrapped("next:  git wf done -m TEXT  completes the execution\n", 30),
            "next:  git wf done -m TEXT\n       completes the execution\n"
        );
        let example = "  git wf plan A --task one --step two\n";
        assert_eq!(wrapped(example, 20), example);
        assert_eq!(wrapped("a lone ` is no quote\n", 10), "a lone `\n  is no\n  quote\n");
    }

    #[test]
    fn a_style_ends_with_its_row_and_goes_on_in_the_next() {
        assert_eq!(
            wrapped("\u{1b}[1mone two\u{1b}[0m three\n", 6),
            "\u{1b}[1mone\u{1b}[0m\n  \u{1b}[1mtwo\u{1b}[0m\n  three\n"
        );
        let fits = "\u{1b}[33mISS-001\u{1b}[0m  \u{1b}[1ma title\u{1b}[0m\n";
        assert_eq!(wrapped(fits, 16), fits);
    }
}
