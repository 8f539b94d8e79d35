//! The only way to the terminal: everything that this program writes to a terminal, a pager or a pipe passes through
//! a filter that stops control characters, invisible characters and bidirectional controls. Colour passes through it
//! as marks that only the painter can make, and the filter turns them into terminal escapes. So if text from outside
//! reaches the screen by mistake, it is ugly at worst.

use std::io::{self, Write};

use super::{style, text};
use crate::model::hidden;

/// How a filtered character is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// Visible escapes, such as `\u{1b}`; marks become colour.
    Text,
    /// Escapes of JSON, such as `\u001b`: another spelling of the same value.
    Json,
}

/// Cleans a stream of bytes, however it is split into chunks. Invalid UTF-8 becomes U+FFFD.
#[derive(Debug)]
pub(super) struct OutletFilter {
    form: Replacement,
    /// The last character that passed.
    before: Option<char>,
    /// The start of a character or mark that is not complete yet.
    rest: Vec<u8>,
}

impl OutletFilter {
    /// A filter at the start of a stream.
    pub(super) fn new(form: Replacement) -> Self {
        Self { form, before: None, rest: Vec::new() }
    }

    /// Whether the bytes pass unchanged, as nearly everything does. If so, they count as passed.
    pub(super) fn passes(&mut self, bytes: &[u8]) -> bool {
        let passes = self.rest.is_empty() && bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~'));
        if passes {
            self.before = bytes.last().map(|byte| char::from(*byte)).or(self.before);
        }
        passes
    }

    /// Filters these bytes into `out`, except an incomplete end, which is kept for the next call.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.passes(bytes) {
            out.extend_from_slice(bytes);
            return;
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        self.pass(&all, false, out);
    }

    /// Ends the stream: what was kept is written too.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        let rest = std::mem::take(&mut self.rest);
        self.pass(&rest, true, out);
    }

    fn pass(&mut self, mut bytes: &[u8], is_end: bool, out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let (valid, skipped) = match std::str::from_utf8(bytes) {
                Ok(valid) => (valid, 0),
                Err(error) => {
                    let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                    (valid, error.error_len().unwrap_or(bytes.len() - error.valid_up_to()))
                }
            };
            // The start of a character that the next bytes complete.
            let is_torn =
                skipped > 0 && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none());
            let taken = self.text(valid, is_end || (skipped > 0 && !is_torn), out);
            if taken < valid.len() || (is_torn && !is_end) {
                self.rest = bytes[taken..].to_vec();
                return;
            }
            if skipped > 0 {
                self.emit(char::REPLACEMENT_CHARACTER, out);
            }
            bytes = &bytes[valid.len() + skipped..];
        }
    }

    /// Filters as much of the text as possible; returns how many bytes that was.
    fn text(&mut self, text: &str, is_end: bool, out: &mut Vec<u8>) -> usize {
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            if self.form == Replacement::Text {
                match style::read_mark(rest) {
                    style::Mark::None => {}
                    style::Mark::Torn if is_end => {}
                    style::Mark::Torn => return at,
                    style::Mark::Whole(escape, len) => {
                        out.extend_from_slice(escape.as_bytes());
                        at += len;
                        continue;
                    }
                }
                if c == '\r' {
                    match rest[1..].chars().next() {
                        // It only ends the line.
                        Some('\n') => {
                            at += 1;
                            continue;
                        }
                        None if !is_end => return at,
                        _ => {}
                    }
                }
            }
            self.emit(c, out);
            at += c.len_utf8();
        }
        at
    }

    fn emit(&mut self, c: char, out: &mut Vec<u8>) {
        let passes =
            c == '\n' || (c == '\t' && self.form == Replacement::Text) || !text::is_hidden(self.before, c);
        if passes {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            let escape = match self.form {
                Replacement::Text => hidden::visible(c),
                Replacement::Json => text::json_escape(c),
            };
            out.extend_from_slice(escape.as_bytes());
        }
        self.before = Some(c);
    }
}

/// Stderr, for everything but the answer. It is not buffered.
#[derive(Debug)]
pub(crate) struct Remarks {
    filter: OutletFilter,
}

impl Remarks {
    /// The filtered stderr.
    pub(crate) fn new() -> Self {
        Self { filter: OutletFilter::new(Replacement::Text) }
    }

    fn send(bytes: &[u8]) -> io::Result<()> {
        #[allow(clippy::disallowed_methods)] // One of the two places where output leaves the program.
        let mut stderr = io::stderr();
        stderr.write_all(bytes)?;
        stderr.flush()
    }
}

impl Write for Remarks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut cleaned = Vec::with_capacity(bytes.len());
        self.filter.push(bytes, &mut cleaned);
        Self::send(&cleaned).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Remarks {
    fn drop(&mut self) {
        let mut cleaned = Vec::new();
        self.filter.end(&mut cleaned);
        let _ = Self::send(&cleaned);
    }
}

/// Writes one line to stderr, beside the answer. Ignores errors; the macros of the standard library would panic.
pub(crate) fn say(line: &str) {
    // In one write, so that processes that share a terminal do not mix their lines.
    let _ = Remarks::new().write_all(format!("{line}\n").as_bytes());
}

/// Asks a question; the cursor stays after it.
pub(crate) fn ask(question: &str) {
    let _ = Remarks::new().write_all(question.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::Painter;
    use crate::ui::style::HEADING;

    /// The output, which must be the same however the input is split.
    #[track_caller]
    fn passed(form: Replacement, bytes: &[u8]) -> String {
        let in_pieces = |size: usize| {
            let (mut filter, mut out) = (OutletFilter::new(form), Vec::new());
            bytes.chunks(size).for_each(|piece| filter.push(piece, &mut out));
            filter.end(&mut out);
            String::from_utf8(out).unwrap()
        };
        let whole = in_pieces(bytes.len().max(1));
        for size in [1, 2, 3, 5] {
            assert_eq!(in_pieces(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn nothing_that_a_terminal_obeys_passes() {
        assert_eq!(passed(Replacement::Text, b"a\x1b[31mb\x07\x7f"), "a\\u{1b}[31mb\\u{7}\\u{7f}");
        assert_eq!(
            passed(Replacement::Text, "\u{9b}2J\u{202e}x\u{200b}\u{2028}\u{feff}".as_bytes()),
            "\\u{9b}2J\\u{202e}x\\u{200b}\\u{2028}\\u{feff}"
        );
        assert_eq!(passed(Replacement::Text, b"a\tb\r\nc\rd\r"), "a\tb\nc\\u{d}d\\u{d}");
        assert_eq!(passed(Replacement::Text, b"\xff\xe2\x82x\xe2\x82"), "\u{fffd}\u{fffd}x\u{fffd}");
        for c in (0..=0x10_ffff).filter_map(char::from_u32).filter(|c| hidden::is_hidden(*c)) {
            if !matches!(c, '\n' | '\t') {
                let out = passed(Replacement::Text, format!("a{c}").as_bytes());
                let shapes = crate::ui::text::clean(&format!("a{c}")) == format!("a{c}");
                assert!(shapes || !out.contains(c), "{c:?}: {out}");
            }
        }
    }

    #[test]
    fn only_the_painter_makes_colour() {
        let painted = Painter::ON.paint(HEADING, "a\u{1b}b");
        assert_eq!(passed(Replacement::Text, painted.as_bytes()), "\u{1b}[1ma\\u{1b}b\u{1b}[0m");
        // Someone who guesses the form of a mark does not know this run's key.
        let guessed = "\u{fdd0}\u{fdd2}\u{fde0}\u{fde0}\u{fde0}\u{fde0}\u{fde0}\u{fde0}\u{fde0}\u{fde0}x";
        let out = passed(Replacement::Text, guessed.as_bytes());
        assert!(out.is_ascii() && out.starts_with("\\u{fdd0}\\u{fdd2}\\u{fde0}"), "{out}");
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({"a\u{202e}": "x\u{7f}\u{9b}\u{e0041}\u{1b}\u{fdd0}é\n"});
        let line = format!("{value}\n");
        let out = passed(Replacement::Json, line.as_bytes());
        assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), value);
        assert!(out.contains("\\u202e") && out.contains("\\u009b") && out.contains('é'), "{out}");
    }

    #[test]
    fn joiners_pass_where_they_shape_something() {
        for fine in ["👩\u{200d}💻", "می\u{200c}خواهم"] {
            assert_eq!(passed(Replacement::Text, fine.as_bytes()), fine);
        }
        assert_eq!(passed(Replacement::Text, "pay\u{200d}pal".as_bytes()), "pay\\u{200d}pal");
    }
}
