//! A text field.

use unicode_segmentation::UnicodeSegmentation;

use crate::ui::Key;

/// In bytes; an insertion that would exceed it is ignored.
const LONGEST: usize = 100_000;

/// The text of a field, and the cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Editor {
    text: String,
    /// The cursor, in bytes, always at a grapheme boundary.
    at: usize,
    /// Whether the text may have several lines.
    is_long: bool,
}

impl Editor {
    /// A one-line text with the cursor at its end; line breaks and tabs become spaces.
    pub(super) fn new(text: &str) -> Self {
        let text = text.replace(['\n', '\r', '\t'], " ");
        Self { at: text.len(), text, is_long: false }
    }

    /// An empty multi-line text.
    pub(super) fn long() -> Self {
        Self { is_long: true, ..Self::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The cursor position in bytes.
    pub(super) fn cursor(&self) -> usize {
        self.at
    }

    /// Whether the text may have several lines.
    pub(super) fn is_long(&self) -> bool {
        self.is_long
    }

    /// Inserts text at the cursor, without control characters.
    pub(super) fn insert(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text: String = text
            .chars()
            .filter_map(|c| match c {
                '\n' if self.is_long => Some(c),
                '\t' | '\n' => Some(' '),
                c if c.is_control() => None,
                c => Some(c),
            })
            .collect();
        if self.text.len() + text.len() <= LONGEST {
            self.text.insert_str(self.at, &text);
            self.at += text.len();
        }
    }

    /// Replaces the text; returns `false` if it is too long, so that nothing is lost unnoticed.
    pub(super) fn replace(&mut self, text: &str) -> bool {
        if text.len() > LONGEST {
            return false;
        }
        self.text.clear();
        self.at = 0;
        self.insert(text);
        true
    }

    /// Where the character before the cursor begins.
    fn left(&self) -> usize {
        self.text[..self.at].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    /// Where the character at the cursor ends.
    fn right(&self) -> usize {
        self.at + self.text[self.at..].graphemes(true).next().map_or(0, str::len)
    }

    /// Handles a key; returns `false` if the key has no meaning in a text field.
    pub(super) fn key(&mut self, key: Key) -> bool {
        match key {
            Key::Char(c) => self.insert(c.encode_utf8(&mut [0; 4])),
            Key::AltEnter | Key::Ctrl('j') if self.is_long => self.insert("\n"),
            Key::Left | Key::Ctrl('b') => self.at = self.left(),
            Key::Right | Key::Ctrl('f') => self.at = self.right(),
            Key::Home | Key::Ctrl('a') => self.at = self.line_begin(),
            Key::End | Key::Ctrl('e') => self.at = self.line_end(),
            Key::Up if self.is_long => self.up(),
            Key::Down if self.is_long => self.down(),
            Key::Backspace | Key::Ctrl('h') => self.cut(self.left()),
            Key::Delete | Key::Ctrl('d') => drop(self.text.drain(self.at..self.right())),
            Key::Ctrl('u') => self.cut(self.line_begin()),
            Key::Ctrl('k') => drop(self.text.drain(self.at..self.line_end())),
            Key::Ctrl('w') => {
                let words = self.text[..self.at].trim_end();
                let begin = words
                    .rfind(char::is_whitespace)
                    .map_or(0, |at| at + words[at..].chars().next().map_or(0, char::len_utf8));
                self.cut(begin);
            }
            _ => return false,
        }
        true
    }

    /// Removes the text between `begin` and the cursor.
    fn cut(&mut self, begin: usize) {
        self.text.drain(begin..self.at);
        self.at = begin;
    }

    fn line_begin(&self) -> usize {
        self.text[..self.at].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.at..].find('\n').map_or(self.text.len(), |at| self.at + at)
    }

    fn up(&mut self) {
        let begin = self.line_begin();
        let column = self.text[begin..self.at].graphemes(true).count();
        if let Some(end) = begin.checked_sub(1) {
            let above = self.text[..end].rfind('\n').map_or(0, |at| at + 1);
            self.at = above + prefix(&self.text[above..end], column);
        }
    }

    fn down(&mut self) {
        let column = self.text[self.line_begin()..self.at].graphemes(true).count();
        let end = self.line_end();
        if end < self.text.len() {
            let below = end + 1;
            let last = self.text[below..].find('\n').map_or(self.text.len(), |at| below + at);
            self.at = below + prefix(&self.text[below..last], column);
        }
    }
}

/// The length in bytes of the first `characters` graphemes of a line.
fn prefix(line: &str, characters: usize) -> usize {
    line.graphemes(true).take(characters).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(mut editor: Editor, keys: &[Key]) -> (String, usize) {
        keys.iter().for_each(|key| assert!(editor.key(*key), "{key:?}"));
        (editor.text.clone(), editor.at)
    }

    #[test]
    fn characters_are_what_a_reader_sees() {
        let family = "a👩\u{200d}💻e\u{301}";
        assert_eq!(typed(Editor::new(family), &[Key::Backspace]).0, "a👩\u{200d}💻");
        assert_eq!(
            typed(Editor::new(family), &[Key::Left, Key::Left, Key::Backspace]).0,
            "👩\u{200d}💻e\u{301}"
        );
        assert_eq!(typed(Editor::new(family), &[Key::Home, Key::Right, Key::Delete]).0, "ae\u{301}");
    }

    #[test]
    fn words_and_lines_are_removed() {
        assert_eq!(typed(Editor::new("one  two "), &[Key::Ctrl('w')]).0, "one  ");
        assert_eq!(typed(Editor::new("one"), &[Key::Ctrl('w'), Key::Ctrl('w')]).0, "");
        assert_eq!(typed(Editor::new("one two"), &[Key::Home, Key::Right, Key::Ctrl('k')]).0, "o");
        assert_eq!(typed(Editor::new("one"), &[Key::Left, Key::Ctrl('u')]), ("e".into(), 0));
    }

    #[test]
    fn a_long_text_has_lines() {
        let mut editor = Editor::long();
        editor.insert("one\r\ntwo\rx\u{1b}[2J\n漢字");
        assert_eq!(editor.text, "one\ntwo\nx[2J\n漢字");
        let (_, at) = typed(editor.clone(), &[Key::Up, Key::Up, Key::Home]);
        assert_eq!(at, 4);
        let (text, _) =
            typed(editor, &[Key::Home, Key::Up, Key::End, Key::AltEnter, Key::Down, Key::Char('!')]);
        assert_eq!(text, "one\ntwo\nx[2J\n\n!漢字");
    }

    #[test]
    fn a_text_is_replaced_whole_or_not_at_all() {
        let mut editor = Editor::long();
        editor.insert("old");
        assert!(editor.replace("new\ntext") && editor.text() == "new\ntext" && editor.cursor() == 8);
        assert!(!editor.replace(&"x".repeat(LONGEST + 1)) && editor.text() == "new\ntext");
    }

    #[test]
    fn a_line_stays_one() {
        let mut editor = Editor::new("a\nb");
        editor.insert("\nc\td");
        assert_eq!(editor.text, "a b c d");
        assert!(!editor.key(Key::Up) && !editor.key(Key::AltEnter) && !editor.key(Key::Enter));
    }
}
