//! Reads issues from JSON: an array of them, one page after the other, or one issue for each line. An issue that cannot be
//! read, or that two programs would read in two ways, is named, and the others are read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Each, FoundRecord, Records, RefusedRecord};
use crate::model::strict;

/// The text of a file of JSON.
pub(crate) struct IssuePages {
    text: String,
    /// The bytes that are not UTF-8, by their places in the text.
    foreign: BTreeMap<usize, u8>,
    /// The limit that the program was given; `None` without a limit.
    most: Option<u64>,
    remarks: Vec<String>,
    /// Whether it has an array, even an empty one.
    is_list: bool,
}

impl IssuePages {
    /// The content of a file. If a program wrote it, `most` is how many issues it was asked for at most, unless the user
    /// set a limit.
    pub(crate) fn of(bytes: &[u8], most: Option<u64>) -> Self {
        let (mut text, mut foreign) = (String::with_capacity(bytes.len()), BTreeMap::new());
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if let Some(byte) = chunk.invalid().first() {
                foreign.insert(text.len(), *byte);
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Self { text, foreign, most, remarks: vec![], is_list: false }
    }
}

impl Records for IssuePages {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        let Self { text, foreign, most, remarks, is_list } = self;
        remarks.clear();
        let (at, named, place) = (0, (0, 1, 1), Place::Top);
        Ok(Box::new(Issues { text, foreign, at, named, place, number: 0, most: *most, remarks, is_list }))
    }

    fn is_list(&self) -> bool {
        self.is_list
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before a page, or before an issue outside of any.
    Top,
    /// After the `[` of a page.
    Begun,
    /// After an issue of a page.
    Issue,
    /// After the comma behind it.
    Comma,
}

struct Issues<'a> {
    text: &'a str,
    foreign: &'a BTreeMap<usize, u8>,
    at: usize,
    /// The place that was named last, with its line and column, so that no text is counted twice.
    named: (usize, u64, u64),
    place: Place,
    number: u64,
    most: Option<u64>,
    remarks: &'a mut Vec<String>,
    is_list: &'a mut bool,
}

impl<'a> Issues<'a> {
    /// The text of the next issue, or why it is none; `None` at the end.
    fn next_text(&mut self) -> Option<Result<&'a str, String>> {
        loop {
            let rest = self.text[self.at..].trim_start_matches([' ', '\n', '\r', '\t']);
            self.at = self.text.len() - rest.len();
            self.place = match (self.place, rest.bytes().next()) {
                (Place::Top, None) => return None,
                (Place::Top, Some(b'[')) => {
                    *self.is_list = true;
                    Place::Begun
                }
                (Place::Begun | Place::Issue, Some(b']')) => Place::Top,
                (Place::Issue, Some(b',')) => Place::Comma,
                (Place::Issue, Some(_)) => return Some(Err(self.skip(self.at, "expected `,` or `]`"))),
                _ => break,
            };
            self.at += 1;
        }
        let (start, rest) = (self.at, &self.text[self.at..]);
        match <&RawValue>::deserialize(&mut Deserializer::from_str(rest)) {
            Ok(issue) => {
                self.at += issue.get().len();
                self.place = if self.place == Place::Top { Place::Top } else { Place::Issue };
                Some(match self.foreign.range(start..self.at).next() {
                    Some((at, byte)) => Err(not_utf8(&self.name(*at), *byte)),
                    None => Ok(issue.get()),
                })
            }
            Err(error) => {
                let lines = rest.split_inclusive('\n').take(error.line().saturating_sub(1));
                let at = start + lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
                let at = if error.is_eof() { self.text.len() } else { at.min(self.text.len()) };
                let text = error.to_string();
                let why = text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why);
                Some(Err(self.skip(at, why)))
            }
        }
    }

    /// Goes on with the next line that begins an issue or a page, if there is one; returns what is wrong at `at`.
    fn skip(&mut self, at: usize, why: &str) -> String {
        let at = (0..=at).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let place = self.name(at);
        let why = match self.foreign.get(&at) {
            Some(byte) => not_utf8(&place, *byte),
            None if self.text[at..].trim_start().is_empty() => {
                format!("{place}: the JSON ends half-way: {why}")
            }
            None => format!("{place}: not JSON: {why}"),
        };
        let bytes = self.text.as_bytes();
        let mut lines = (at.max(self.at + 1)..bytes.len()).filter(|n| bytes[n - 1] == b'\n');
        let next = lines.find(|n| matches!(bytes[*n], b'{' | b'['));
        self.place = match next {
            Some(n) if self.place != Place::Top && bytes[n] == b'{' => Place::Comma,
            _ => Place::Top,
        };
        self.at = next.unwrap_or(self.text.len());
        if next.is_some() { why } else { format!("the rest cannot be read: {why}") }
    }

    /// `line 3, column 14`; never before the place that was named last.
    fn name(&mut self, at: usize) -> String {
        let (before, mut line, mut column) = self.named;
        for sign in self.text.get(before..at).unwrap_or("").chars() {
            (line, column) = if sign == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        self.named = (before.max(at), line, column);
        format!("line {line}, column {column}")
    }
}

fn not_utf8(place: &str, byte: u8) -> String {
    format!("{place}: the byte 0x{byte:02x} is not UTF-8")
}

impl Iterator for Issues<'_> {
    type Item = Result<FoundRecord, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.next_text()?.and_then(|issue| {
            strict::parse_text(issue).map_err(|fault| {
                let why = strict::strict_fault(&fault);
                // The position counts from the beginning of the issue.
                why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why).to_owned()
            })
        });
        self.number += 1;
        if self.most == Some(self.number) {
            self.remarks.push(format!(
                "`gh` was asked for at most {} issues and returned that many: there may be more; --limit asks for more",
                self.number
            ));
        }
        let record = record.map_err(|why| RefusedRecord::fault(None, why));
        Some(Ok(FoundRecord { unit: "issue".into(), number: self.number, record }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: impl AsRef<[u8]>) -> Vec<String> {
        let mut pages = IssuePages::of(bytes.as_ref(), Some(3));
        let mut all = || -> Vec<String> {
            let each = pages.each().unwrap().map(Result::unwrap);
            each.map(|found| match found.record {
                Ok(value) => format!("{} {value}", found.number),
                Err(refused) => format!("{} {}", found.number, refused.reason),
            })
            .collect()
        };
        let once = all();
        assert_eq!(all(), once, "it can be read twice");
        assert_eq!(pages.remarks().len(), usize::from(once.len() >= 3), "it says once that it may be cut");
        once
    }

    #[test]
    fn pages_lines_and_single_issues() {
        assert_eq!(read("[1, 2]\n[3]"), ["1 1", "2 2", "3 3"]);
        assert_eq!(read("[{\"a\":1}][\n]\r\n[ {} ]"), ["1 {\"a\":1}", "2 {}"]);
        assert_eq!(read("\u{feff}{\"a\":1}\r\n{\"b\":2}\n"), ["1 {\"a\":1}", "2 {\"b\":2}"]);
        assert!(read("").is_empty() && read("[]\n[]").is_empty());
    }

    #[test]
    fn an_issue_that_cannot_be_read_is_named_and_the_others_are_read() {
        let found = read(r#"[{"a":1}, {"b":1,"b":2}, {"c":"\ud800"}, {"d":1e5}]"#);
        assert_eq!(found[..2], ["1 {\"a\":1}", "2 the key `b` appears twice in one object"]);
        assert_eq!(found[2..], ["3 unexpected end of hex escape", "4 {\"d\":1e5}"]);
        let broken = [
            &b"{\"a\":\"\xc3\xa7\xff\"}\n{\"b\":2 \"c\"}\n{\"d\": \"cut\n{\"e\":"[..],
            b"\n{\"f\":1}, {}\n[{\"g\":1},\n{\"h\":x},\n{\"i\":1}]\n{\"j\":1}\n",
        ];
        assert_eq!(
            read(broken.concat()),
            [
                "1 line 1, column 8: the byte 0xff is not UTF-8",
                "2 line 2, column 8: not JSON: expected `,` or `}`",
                "3 line 3, column 10: not JSON: control character (\\u0000-\\u001F) found while parsing a string",
                "4 line 5, column 10: not JSON: key must be a string",
                "5 {\"g\":1}",
                "6 line 7, column 6: not JSON: expected value",
                "7 {\"i\":1}",
                "8 {\"j\":1}",
            ]
        );
    }

    #[test]
    fn what_ends_half_way_is_named_and_what_came_before_stays() {
        for (cut, why) in [
            (
                "[1]\n[2, ",
                "2 2; 3 the rest cannot be read: line 2, column 5: the JSON ends half-way: EOF while parsing a value",
            ),
            (
                "[1,\n2",
                "2 2; 3 the rest cannot be read: line 2, column 2: the JSON ends half-way: EOF while parsing a value",
            ),
            ("[1\n{\"a\"", "2 the rest cannot be read: line 2, column 1: not JSON: expected `,` or `]`"),
            (
                "1 {\"a\": \"b",
                "2 the rest cannot be read: line 1, column 11: the JSON ends half-way: EOF while parsing a string",
            ),
        ] {
            let found = read(cut).join("; ");
            assert_eq!(found.strip_prefix("1 1; "), Some(why), "{cut}");
        }
        let utf16 = read(b"\xff\xfe{\0");
        assert_eq!(utf16, ["1 the rest cannot be read: line 1, column 1: the byte 0xff is not UTF-8"]);
    }
}
