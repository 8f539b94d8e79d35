//! JSON lines, one at a time. An export of our own with a line that is not JSON is refused as a whole, since nobody can
//! say what else is missing; an import from another tracker skips such a line and names it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};

use serde_json::Value;

use super::tracker::{Each, FoundRecord, Records, RefusedRecord};
use crate::git::cores;
use crate::model::strict;

mod unreadable;

pub(crate) use unreadable::Unreadable;
pub(super) use unreadable::unread;
use unreadable::{not_json, not_utf8};

/// Longer lines are not read. The largest record fits in one, however its text is written.
const LONGEST: usize = 112 << 20;
/// How many bytes are read at once.
const BUFFER: usize = 1 << 18;
/// How many bytes of lines are read ahead, to be parsed on all cores.
const AHEAD: usize = 1 << 20;

/// A file of JSON lines, which can be read more than once.
#[derive(Debug)]
pub(crate) struct JsonLinesFile {
    name: String,
    file: File,
}

impl JsonLinesFile {
    /// Opens the file at `path`. Input that cannot be read twice is copied to a temporary file.
    pub(crate) fn open(path: &str) -> io::Result<Self> {
        Ok(Self::new(&format!("`{path}`"), open(path)?))
    }

    /// An open file, and what messages call it.
    pub(crate) fn new(name: &str, file: File) -> Self {
        Self { name: name.to_owned(), file }
    }

    /// Its lines, from the first one.
    pub(crate) fn lines(&mut self) -> Result<JsonLineReader<'_>, Unreadable> {
        let Self { name, file } = self;
        file.rewind().map_err(|error| unread(name, 0, &error))?;
        let input = BufReader::with_capacity(BUFFER, &*file);
        Ok(JsonLineReader { name, input, number: 0, bytes: Vec::new(), is_over: false })
    }
}

impl Records for JsonLinesFile {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        Ok(Box::new(Values { lines: self.lines()?, ready: Vec::new().into_iter() }))
    }
}

/// The values of a file, one for each line that can be read.
struct Values<'a> {
    lines: JsonLineReader<'a>,
    ready: std::vec::IntoIter<Result<FoundRecord, Unreadable>>,
}

impl Iterator for Values<'_> {
    type Item = Result<FoundRecord, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.len() == 0 {
            let name = self.lines.name;
            self.ready =
                cores::map(self.lines.ahead(), || (), |(), line| found(line.as_line(name))).into_iter();
        }
        self.ready.next()
    }
}

/// The value of a line, or why the line is skipped. An error ends the reading.
fn found(line: Result<JsonLine<'_>, (u64, Unreadable)>) -> Result<FoundRecord, Unreadable> {
    let (number, read) = match line {
        Ok(line) => (line.number, line.value()),
        Err((number, error)) => (number, Err(error)),
    };
    let record = match read {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(reason)) => Err(reason),
        // The rest cannot be read.
        Err(error @ Unreadable::Unread { .. }) => return Err(error),
        Err(error) => Err(error.in_line()),
    };
    let record = record.map_err(|reason| RefusedRecord::fault(None, reason));
    Ok(FoundRecord { unit: "line".into(), number, record })
}

/// Opens a file so that it can be read twice.
pub(crate) fn open(path: &str) -> io::Result<File> {
    let mut file = File::open(path)?;
    let kind = file.metadata()?;
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if kind.is_file() { Ok(file) } else { copied(&mut file) }
}

/// A temporary file with what can be read only once.
pub(crate) fn copied(from: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(from, &mut file)?;
    Ok(file)
}

/// A byte order mark, as UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The lines of a file. Blank lines are skipped, and so is a leading byte order mark.
pub(crate) struct JsonLineReader<'a> {
    name: &'a str,
    input: BufReader<&'a File>,
    number: u64,
    bytes: Vec<u8>,
    is_over: bool,
}

/// One line.
#[derive(Debug)]
pub(crate) struct JsonLine<'a> {
    name: &'a str,
    /// Counted from 1.
    pub(crate) number: u64,
    /// `None` if it is too long to be read.
    pub(crate) text: Option<&'a str>,
}

impl JsonLineReader<'_> {
    /// The next line.
    pub(crate) fn next(&mut self) -> Result<Option<JsonLine<'_>>, Unreadable> {
        if self.is_over {
            return Ok(None);
        }
        loop {
            self.bytes.clear();
            self.number += 1;
            let most = LONGEST as u64 + 1;
            let length = (&mut self.input)
                .take(most)
                .read_until(b'\n', &mut self.bytes)
                .map_err(|error| unread(self.name, self.number, &error))?;
            if length == 0 {
                self.is_over = true;
                return Ok(None);
            }
            if self.bytes.last() == Some(&b'\n') {
                self.bytes.pop();
            } else if self.bytes.len() > LONGEST {
                self.skip_line().map_err(|error| unread(self.name, self.number, &error))?;
                self.bytes = Vec::new();
                return Ok(Some(JsonLine { name: self.name, number: self.number, text: None }));
            }
            if self.number == 1 && self.bytes.starts_with(MARK) {
                self.bytes.drain(..MARK.len());
            }
            if self.bytes.iter().any(|byte| !byte.is_ascii_whitespace()) {
                break;
            }
        }
        let text = std::str::from_utf8(&self.bytes)
            .map_err(|error| not_utf8(self.name, self.number, &self.bytes, error.valid_up_to()))?;
        Ok(Some(JsonLine { name: self.name, number: self.number, text: Some(text) }))
    }

    /// The next lines, enough to occupy several threads; empty at the end.
    pub(crate) fn ahead(&mut self) -> Vec<Ahead> {
        let (mut lines, mut size) = (Vec::new(), 0);
        while size < AHEAD {
            let text = match self.next() {
                Ok(None) => break,
                Ok(Some(line)) => Ok(line.text.map(str::to_owned)),
                Err(error) => Err(error),
            };
            size += text.as_ref().map_or(0, |text| text.as_ref().map_or(0, String::len));
            let is_last = matches!(text, Err(Unreadable::Unread { .. }));
            lines.push(Ahead { number: self.number, text });
            if is_last {
                break;
            }
        }
        lines
    }

    /// The file, for messages.
    pub(crate) fn name(&self) -> &str {
        self.name
    }

    /// The line that was read last, or the one after the end.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let chunk = self.input.fill_buf()?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(chunk.len(), |end| end + 1);
            self.input.consume(length);
            if end.is_some() || length == 0 {
                return Ok(());
            }
        }
    }
}

/// A line that was read ahead, with its text or why it cannot be read.
pub(crate) struct Ahead {
    number: u64,
    text: Result<Option<String>, Unreadable>,
}

impl Ahead {
    /// The line, or its number and the error.
    pub(crate) fn as_line<'a>(&'a self, name: &'a str) -> Result<JsonLine<'a>, (u64, Unreadable)> {
        match &self.text {
            Ok(text) => Ok(JsonLine { name, number: self.number, text: text.as_deref() }),
            Err(error) => Err((self.number, error.clone())),
        }
    }
}

impl<'a> JsonLine<'a> {
    /// Its content, or why the line is skipped without rejecting the whole file.
    pub(crate) fn value(&self) -> Result<Result<Value, String>, Unreadable> {
        let Some(text) = self.text else { return Ok(Err(too_long())) };
        match strict::parse_text(text) {
            Ok(value) => Ok(Ok(value)),
            Err(strict::JsonFault::Unsound(why)) => Ok(Err(why)),
            Err(strict::JsonFault::Json(error)) => Err(self.fault(text, &error)),
        }
    }

    /// Why `text`, the line or its beginning, is not valid JSON.
    pub(crate) fn fault(&self, text: &str, error: &serde_json::Error) -> Unreadable {
        not_json(self.name, self.number, text, error)
    }

    /// The file, for messages.
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }
}

/// Why a line is not read, for callers that skip it.
pub(crate) fn too_long() -> String {
    format!("the line has more than {} MiB", LONGEST >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u64, Value)>, Unreadable> {
        let mut source = JsonLinesFile { name: "f".into(), file: copied(&mut &*bytes).unwrap() };
        let mut lines = source.lines()?;
        let mut read = Vec::new();
        while let Some(line) = lines.next()? {
            read.push((line.number, line.value()?.unwrap()));
        }
        Ok(read)
    }

    fn error(bytes: &[u8]) -> String {
        read(bytes).unwrap_err().to_string()
    }

    #[test]
    fn blank_lines_and_foreign_line_ends_are_passed_by_but_counted() {
        let lines = read("\u{feff}{\"a\": 1}\r\n\n \r\n2".as_bytes()).unwrap();
        assert_eq!(lines.iter().map(|line| line.0).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(lines[1].1, serde_json::json!(2));
        assert!(read(b"").unwrap().is_empty());
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_by() {
        let long = [b"1\n".as_slice(), &vec![b' '; LONGEST + 1], b"x\n2\n"].concat();
        let mut source = JsonLinesFile { name: "f".into(), file: copied(&mut &*long).unwrap() };
        let mut lines = source.lines().unwrap();
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push((line.number, line.text.map(str::to_owned)));
        }
        assert_eq!(seen, [(1, Some("1".into())), (2, None), (3, Some("2".into()))]);
    }

    #[test]
    fn errors_name_line_and_column() {
        assert_eq!(error(b"{}\n{\"a\": \"b"), "f, line 2, column 8: the JSON is cut off");
        assert_eq!(error("{}\n{\"ç\": x}".as_bytes()), "f, line 2, column 7: not JSON: expected value");
        assert_eq!(error(b"{} {}\n"), "f, line 1, column 4: not JSON: trailing characters");
        assert_eq!(error(b"{}\n\"\xc3\xa7\xff\"\n"), "f, line 2, column 3: the byte 0xff is not UTF-8");
    }

    #[test]
    fn numbers_stay_as_they_were_written() {
        let lines =
            read(b"{\"a\": 1.50, \"b\": 123456789012345678901234567890, \"c\": [1e5, 1E-05]}").unwrap();
        assert_eq!(
            lines[0].1.to_string(),
            r#"{"a":1.50,"b":123456789012345678901234567890,"c":[1e5,1E-05]}"#
        );
    }

    #[test]
    fn a_line_that_two_programs_read_in_two_ways_is_passed_by() {
        let mut source = JsonLinesFile {
            name: "f".into(),
            file: copied(&mut b"{\"a\":1,\"a\":2}\n{}\n".as_slice()).unwrap(),
        };
        let mut lines = source.lines().unwrap();
        assert!(lines.next().unwrap().unwrap().value().unwrap().unwrap_err().contains('a'));
        assert!(lines.next().unwrap().unwrap().value().unwrap().is_ok());
    }
}
