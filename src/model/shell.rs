//! Words of a command that is shown to be copied into a shell, and what a shell makes of a command line.

pub(crate) mod line;

use std::borrow::Cow;

/// A word quoted for a shell: unchanged if every character stands for itself, else in single quotes.
pub(crate) fn word(text: &str) -> Cow<'_, str> {
    if !text.is_empty() && text.bytes().all(needs_no_quotes) {
        return Cow::Borrowed(text);
    }
    let mut quoted = String::from("'");
    for c in text.chars() {
        // Shells expand `!` also between quotes.
        if matches!(c, '\'' | '!') {
            quoted.extend(["'\\", c.encode_utf8(&mut [0; 4]), "'"]);
        } else {
            quoted.push(c);
        }
    }
    quoted.push('\'');
    Cow::Owned(quoted)
}

fn needs_no_quotes(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'@' | b':' | b'+' | b',' | b'%' | b'=')
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
