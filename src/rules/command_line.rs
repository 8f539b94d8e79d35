//! A command that a plan names, as it may be shown, agreed to and run.

use crate::model::hidden::{is_hidden, is_odd_blank};

/// A command on one line without hidden characters: the shell gets exactly what the reader agreed to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CommandLine(String);

/// A character that a reader of the command would not see, or not in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it contains {} (character {})", name(*.character), .at + 1)]
pub(crate) struct HiddenCharacter {
    /// Which.
    pub(crate) character: char,
    /// How many characters come before it.
    pub(crate) at: usize,
}

impl CommandLine {
    /// A text of one line without hidden characters.
    pub(crate) fn parse(text: &str) -> Result<Self, HiddenCharacter> {
        match text.chars().enumerate().find(|(_, c)| is_hidden(*c) || is_odd_blank(*c)) {
            Some((at, character)) => Err(HiddenCharacter { character, at }),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// The text that the shell gets.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

fn name(c: char) -> String {
    let known = match c {
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => "a line break",
        '\t' => "a tab",
        c if c.is_whitespace() => "a white-space character other than a space",
        c if c.is_control() => "a control character",
        _ => "an invisible character",
    };
    format!("{known}, U+{:04X}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_line_of_what_can_be_seen() {
        for fine in ["cargo test limit::bucket", "printf '\\n\\u{a}' | grep é", "echo 漢字 🙂", ""] {
            assert_eq!(CommandLine::parse(fine).unwrap().as_str(), fine);
        }
        for (text, said) in [
            ("true # quick check\nrm -rf .", "it contains a line break, U+000A (character 19)"),
            ("a\tb", "it contains a tab, U+0009 (character 2)"),
            ("a\u{1b}[2K", "it contains a control character, U+001B (character 2)"),
            ("é\u{9b}2J", "it contains a control character, U+009B (character 2)"),
            ("a\u{202e}b", "it contains an invisible character, U+202E (character 2)"),
            ("a\u{200b}b", "it contains an invisible character, U+200B (character 2)"),
            ("a\u{a0}b", "it contains a white-space character other than a space, U+00A0 (character 2)"),
            ("a\u{2028}b", "it contains a line break, U+2028 (character 2)"),
        ] {
            assert_eq!(CommandLine::parse(text).unwrap_err().to_string(), said);
        }
    }
}
