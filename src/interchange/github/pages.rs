//! Reads issues from JSON: an array of them, one page after the other, or one issue for each line. An issue that cannot be
//! read, or that two programs would read in two ways, is named, and the others are read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Each, FoundRecord, Records, RefusedRecord};
use crate::model::{JsonFault, strict};

/// The text of a file of JSON.
pub(crate) struct IssuePages {
    text: String,
    /// The bytes that are not UTF-8, by their places in the text.
    foreign: BTreeMap<usize, u8>,
    /// The limit that the program was given; `None` without a limit.
    most: Option<u64>,
    remarks: Vec<String>,
    /// The members that the program that wrote it does not know.
    lacks: Vec<String>,
    /// Whether it has an array, even an empty one.
    is_list: bool,
}

impl IssuePages {
    /// The content of a file. If a program wrote it, `most` is how many issues it was asked for at most, unless the user
    /// set a limit.
    pub(crate) fn parse(bytes: &[u8], most: Option<u64>) -> Self {
        let (mut text, mut foreign) = (String::with_capacity(bytes.len()), BTreeMap::new());
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if let Some(byte) = chunk.invalid().first() {
                foreign.insert(text.len(), *byte);
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Self { text, foreign, most, remarks: vec![], lacks: vec![], is_list: false }
    }

    /// Says which members the program that wrote it does not know.
    pub(super) fn lack(&mut self, members: &[&str]) {
        self.lacks = members.iter().map(|name| (*name).to_owned()).collect();
    }

    /// Whether the types of issues are not known.
    pub(crate) fn lacks_types(&self) -> bool {
        self.lacks.iter().any(|name| name == "issueType")
    }
}

impl Records for IssuePages {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        let Self { text, foreign, most, remarks, lacks, is_list } = self;
        remarks.clear();
        if !lacks.is_empty() {
            remarks.push(format!("`gh` is older than 2.94 and does not know {}", lacks.join(", ")));
        }
        let (at, named, state) = (0, (0, 1, 1), ReaderState::Top);
        let (most, lacks_comma) = (*most, false);
        Ok(Box::new(Issues {
            text,
            foreign,
            at,
            named,
            state,
            number: 0,
            most,
            remarks,
            is_list,
            lacks_comma,
        }))
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
enum ReaderState {
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
    /// The place that was located last, with its line and column, so that no text is counted twice.
    named: (usize, u64, u64),
    state: ReaderState,
    number: u64,
    most: Option<u64>,
    remarks: &'a mut Vec<String>,
    is_list: &'a mut bool,
    /// Whether the remarks say that a comma is missing.
    lacks_comma: bool,
}

impl<'a> Issues<'a> {
    /// The text of the next issue, or why it is none; `None` at the end.
    fn next_text(&mut self) -> Option<Result<&'a str, String>> {
        loop {
            let rest = self.text[self.at..].trim_start_matches([' ', '\n', '\r', '\t']);
            self.at = self.text.len() - rest.len();
            self.state = match (self.state, rest.bytes().next()) {
                (ReaderState::Top, None) => return None,
                (ReaderState::Top, Some(b'[')) => {
                    *self.is_list = true;
                    ReaderState::Begun
                }
                (ReaderState::Begun | ReaderState::Issue, Some(b']')) => ReaderState::Top,
                (ReaderState::Issue, Some(b',')) => ReaderState::Comma,
                (ReaderState::Issue, Some(b'{')) => {
                    self.state = ReaderState::Comma;
                    self.miss_comma();
                    break;
                }
                (ReaderState::Issue, Some(_)) => return Some(Err(self.skip(self.at, "expected `,` or `]`"))),
                _ => break,
            };
            self.at += 1;
        }
        let (start, rest) = (self.at, &self.text[self.at..]);
        match <&RawValue>::deserialize(&mut Deserializer::from_str(rest)) {
            Ok(issue) => {
                self.at += issue.get().len();
                self.state =
                    if self.state == ReaderState::Top { ReaderState::Top } else { ReaderState::Issue };
                Some(match self.foreign.range(start..self.at).next() {
                    Some((at, byte)) => Err(not_utf8(&self.name(*at), *byte)),
                    None => Ok(issue.get()),
                })
            }
            Err(error) => {
                let lines = rest.split_inclusive('\n').take(error.line().saturating_sub(1));
                let at = start + lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
                let at = if error.is_eof() { self.text.len() } else { at.min(self.text.len()) };
                Some(Err(self.skip(at, &strict::without_place(&error))))
            }
        }
    }

    /// Says once that a comma is missing before the next issue.
    fn miss_comma(&mut self) {
        if !self.lacks_comma {
            self.lacks_comma = true;
            let place = self.name(self.at);
            self.remarks.push(format!(
                "{place}: a comma is missing between two issues; here and below, it is read as if it were there"
            ));
        }
    }

    /// Goes on with the next line that begins an issue or a page, if there is one; returns what is wrong at `at`, and which
    /// lines are left out if they are several.
    fn skip(&mut self, at: usize, why: &str) -> String {
        let at = (0..=at).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let (first, _) = self.locate(self.at);
        let (line, _) = self.locate(at);
        let place = self.name(at);
        let why = match self.foreign.get(&at) {
            Some(byte) => not_utf8(&place, *byte),
            None if self.text[at..].trim_start().is_empty() => format!("{place}: the JSON is cut off"),
            None => format!("{place}: not JSON: {why}"),
        };
        let bytes = self.text.as_bytes();
        let mut lines = (at.max(self.at + 1)..bytes.len()).filter(|n| bytes[n - 1] == b'\n');
        // After a colon it is a member of the issue that cannot be read, and no issue.
        let next =
            lines.find(|n| matches!(bytes[*n], b'{' | b'[') && !bytes[..*n].trim_ascii_end().ends_with(b":"));
        self.state = match next {
            Some(n) if self.state != ReaderState::Top && bytes[n] == b'{' => ReaderState::Comma,
            _ => ReaderState::Top,
        };
        self.at = next.unwrap_or(self.text.len());
        if next.is_none() {
            let from = if line > first { format!(", from line {first} on") } else { String::new() };
            return format!("the rest cannot be read{from}: {why}");
        }
        let (next, _) = self.locate(self.at);
        if next - first > 1 { format!("{why}; lines {first} to {} are left out", next - 1) } else { why }
    }

    /// `line 3, column 14`.
    fn name(&mut self, at: usize) -> String {
        let (line, column) = self.locate(at);
        format!("line {line}, column {column}")
    }

    /// The line and the column; never before the place that was located last.
    fn locate(&mut self, at: usize) -> (u64, u64) {
        let (before, mut line, mut column) = self.named;
        for sign in self.text.get(before..at).unwrap_or("").chars() {
            (line, column) = if sign == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        self.named = (before.max(at), line, column);
        (line, column)
    }
}

fn not_utf8(place: &str, byte: u8) -> String {
    format!("{place}: the byte 0x{byte:02x} is not UTF-8")
}

impl Iterator for Issues<'_> {
    type Item = Result<FoundRecord, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.next_text()?.and_then(|issue| {
            strict::parse_text(issue).map_err(|fault| match fault {
                // Its place counts from the beginning of the issue.
                JsonFault::Json(error) => strict::without_place(&error),
                JsonFault::Unsound(why) => why,
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
        let mut pages = IssuePages::parse(bytes.as_ref(), Some(3));
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
        let cut = pages.remarks().iter().filter(|remark| remark.contains("there may be more")).count();
        assert_eq!(cut, usize::from(once.len() >= 3), "it says once that it may be cut");
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
                "4 line 5, column 10: not JSON: key must be a string; lines 4 to 5 are left out",
                "5 {\"g\":1}",
                "6 line 7, column 6: not JSON: expected value",
                "7 {\"i\":1}",
                "8 {\"j\":1}",
            ]
        );
    }

    #[test]
    fn every_line_that_a_broken_issue_takes_with_it_is_named() {
        assert_eq!(
            read("{\"a\":1}\n{\"number\":10,\"user\":\n{\"number\":11}\n{\"number\":12}\n{\"number\":13}\n"),
            [
                "1 {\"a\":1}",
                "2 line 4, column 1: not JSON: expected `,` or `}`; lines 2 to 3 are left out",
                "3 {\"number\":12}",
                "4 {\"number\":13}",
            ]
        );
    }

    #[test]
    fn a_member_of_a_broken_issue_is_no_issue() {
        let broken = "{\n\"number\":31,\n\"x\":oops,\n\"m\":\n{\"number\":3}\n}";
        assert_eq!(
            read(format!("[{{\"a\":1}},\n{broken},\n{{\"b\":2}}]")),
            [
                "1 {\"a\":1}",
                "2 line 4, column 5: not JSON: expected value; lines 2 to 7 are left out",
                "3 {\"b\":2}",
            ]
        );
    }

    #[test]
    fn a_missing_comma_costs_no_issue_and_is_said_once() {
        let mut pages = IssuePages::parse(b"[{\"a\":1}\n{\"b\":2}\n{\"c\":3}]", None);
        assert_eq!(pages.each().unwrap().filter(|it| it.as_ref().unwrap().record.is_ok()).count(), 3);
        let said = "line 2, column 1: a comma is missing between two issues; here and below, it is read as if it were there";
        assert_eq!(pages.remarks(), [said]);
    }

    #[test]
    fn a_key_of_the_user_is_named_whole() {
        let found = read(r#"{"b at line 1 column 2":1,"b at line 1 column 2":2}"#);
        assert_eq!(found, ["1 the key `b at line 1 column 2` appears twice in one object"]);
    }

    #[test]
    fn what_ends_half_way_is_named_and_what_came_before_stays() {
        for (cut, why) in [
            ("[1]\n[2, ", "2 2; 3 the rest cannot be read: line 2, column 5: the JSON is cut off"),
            ("[1,\n2", "2 2; 3 the rest cannot be read: line 2, column 2: the JSON is cut off"),
            ("[1\n\"a\"", "2 the rest cannot be read: line 2, column 1: not JSON: expected `,` or `]`"),
            (
                "1 {\"a\":\n{\"b\":1}\n",
                "2 the rest cannot be read, from line 1 on: line 3, column 1: the JSON is cut off",
            ),
            ("1 {\"a\": \"b", "2 the rest cannot be read: line 1, column 11: the JSON is cut off"),
        ] {
            let found = read(cut).join("; ");
            assert_eq!(found.strip_prefix("1 1; "), Some(why), "{cut}");
        }
        let utf16 = read(b"\xff\xfe{\0");
        assert_eq!(utf16, ["1 the rest cannot be read: line 1, column 1: the byte 0xff is not UTF-8"]);
    }
}
