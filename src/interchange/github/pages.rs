//! Reads issues from JSON: an array of them, one page after the other, or one issue for each line.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

use serde_json::{Deserializer, Value};

use crate::interchange::lines::{self, Unreadable};
use crate::interchange::tracker::{Each, FoundRecord, Records, RefusedRecord};

/// A file of JSON.
pub(crate) struct IssuePages {
    name: String,
    file: File,
    /// The limit that the program was given; `None` without a limit.
    most: Option<u64>,
    remarks: Vec<String>,
    /// Whether it has an array, even an empty one.
    is_list: bool,
}

impl IssuePages {
    /// An open file, with its name for messages. If a program wrote it, `most` is how many issues it was asked for at most,
    /// unless the user set a limit.
    pub(crate) fn of(name: String, file: File, most: Option<u64>) -> Self {
        Self { name, file, most, remarks: vec![], is_list: false }
    }
}

impl Records for IssuePages {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        let Self { name, file, most, remarks, is_list } = self;
        remarks.clear();
        file.rewind().map_err(|error| lines::unread(name, 0, &error))?;
        let mut input = BufReader::new(&*file);
        // A byte order mark.
        let mut start = [0; 3];
        let length = read_up_to(&mut input, &mut start).map_err(|error| lines::unread(name, 0, &error))?;
        let start = if start == [0xef, 0xbb, 0xbf] { Vec::new() } else { start[..length].to_vec() };
        let values = Deserializer::from_reader(io::Cursor::new(start).chain(input)).into_iter::<Value>();
        Ok(Box::new(Issues {
            values,
            page: Vec::new().into_iter(),
            number: 0,
            is_over: false,
            most: *most,
            remarks,
            is_list,
        }))
    }

    fn is_list(&self) -> bool {
        self.is_list
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

fn read_up_to(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match input.read(&mut bytes[length..])? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}

struct Issues<'a, V> {
    values: V,
    page: std::vec::IntoIter<Value>,
    number: u64,
    is_over: bool,
    most: Option<u64>,
    remarks: &'a mut Vec<String>,
    is_list: &'a mut bool,
}

impl<V: Iterator<Item = serde_json::Result<Value>>> Iterator for Issues<'_, V> {
    type Item = Result<FoundRecord, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.is_over {
                return None;
            }
            let record = match self.page.next() {
                Some(issue) => Ok(issue),
                None => match self.values.next()? {
                    Ok(Value::Array(page)) => {
                        *self.is_list = true;
                        self.page = page.into_iter();
                        continue;
                    }
                    Ok(value) => Ok(value),
                    Err(error) => {
                        // The beginning of the next issue is unknown.
                        self.is_over = true;
                        Err(RefusedRecord::fault(None, format!("the rest cannot be read: {error}")))
                    }
                },
            };
            self.number += 1;
            if self.most == Some(self.number) {
                self.remarks.push(format!(
                    "`gh` was asked for at most {} issues and returned that many: there may be more; --limit asks for more",
                    self.number
                ));
            }
            return Some(Ok(FoundRecord { unit: "issue".into(), number: self.number, record }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mut pages = IssuePages::of("f".into(), file, Some(3));
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
        assert_eq!(read("\u{feff}{\"a\":1}\n{\"b\":2}\n"), ["1 {\"a\":1}", "2 {\"b\":2}"]);
        assert!(read("").is_empty() && read("[]\n[]").is_empty());
    }

    #[test]
    fn what_ends_half_way_is_named_and_what_came_before_stays() {
        let found = read("[1]\n[2, ");
        assert_eq!(found[0], "1 1");
        assert!(found[1].starts_with("2 the rest cannot be read: EOF") && found.len() == 2, "{found:?}");
    }
}
