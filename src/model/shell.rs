//! Words of a command that is shown to be copied into a shell, and what a shell makes of a command line.

pub(crate) mod line;

use std::borrow::Cow;

/// A word quoted for a shell: unchanged if every character stands for itself, else in single quotes.
pub(crate) fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'@' | b':' | b'+' | b',' | b'%' | b'=')
    };
    if !text.is_empty() && text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(gix_quote::single(text.into()).to_string())
}

/// The first operand of a command, such as a remote or a branch: after `--` if it looks like an option.
pub(crate) fn operand(text: &str) -> Cow<'_, str> {
    if text.starts_with('-') { Cow::Owned(format!("-- {}", word(text))) } else { word(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_command_means_what_it_names() {
        for (text, shown) in [
            ("origin", "origin"),
            ("refs/heads/a_b-1.2", "refs/heads/a_b-1.2"),
            ("", "''"),
            ("a b", "'a b'"),
            ("x;reboot", "'x;reboot'"),
            ("$(reboot)", "'$(reboot)'"),
            ("it's", "'it'\\''s'"),
            // Some shells use it for history expansion.
            ("now!", "'now'\\!''"),
            ("~/x", "'~/x'"),
            ("äö", "'äö'"),
        ] {
            assert_eq!((word(text), operand(text)), (shown.into(), shown.into()));
        }
        assert_eq!(operand("--upload-pack=x"), "-- --upload-pack=x");
        assert_eq!(operand("-x y"), "-- '-x y'");
    }
}
