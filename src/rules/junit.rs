//! Reports of tests in the XML form of JUnit, which most runners can write. They come from programs that nobody trusts: entities
//! are not expanded, and depth, number and length are bounded.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::model::{NamedTest, TestCount, TestOutcome};

/// Deeper elements are in no report.
const DEEPEST: usize = 64;
/// At most this many tests are counted.
const MOST_TESTS: u64 = 1_000_000;
/// A longer name is cut.
const LONGEST_NAME: usize = 200;
/// At most this many names are kept.
pub(crate) const MOST_NAMES: usize = 50;

/// What reports say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JunitReport {
    /// How many tests there are.
    pub(crate) count: TestCount,
    /// The first of them by name: those that failed, then those that were skipped, then the others.
    pub(crate) named: Vec<NamedTest>,
}

/// A report that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JunitError {
    /// It is not well-formed XML.
    #[error("it is not XML: {0}")]
    Xml(String),
    /// Another kind of document.
    #[error("its root is `{0}`, not `testsuites` or `testsuite`")]
    Root(String),
    /// Too deep, or too many tests.
    #[error("it has more than {DEEPEST} levels, or more than {MOST_TESTS} tests")]
    TooMuch,
}

impl JunitReport {
    /// Adds a report.
    ///
    /// # Errors
    /// It is not a report; then nothing was added.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<(), JunitError> {
        let mut reading = Reading { report: self.clone(), depth: 0, test: None };
        let text = String::from_utf8_lossy(bytes);
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        loop {
            match reader.read_event().map_err(|error| JunitError::Xml(error.to_string()))? {
                Event::Start(element) => {
                    reading.begin(&element)?;
                    reading.depth += 1;
                    if reading.depth > DEEPEST {
                        return Err(JunitError::TooMuch);
                    }
                }
                Event::Empty(element) => {
                    reading.begin(&element)?;
                    reading.end(element.local_name().as_ref())?;
                }
                Event::End(element) => {
                    reading.depth = reading.depth.saturating_sub(1);
                    reading.end(element.local_name().as_ref())?;
                }
                Event::Eof if reading.depth > 0 => {
                    return Err(JunitError::Xml("it ends before its root does".to_owned()));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        *self = reading.report;
        self.named.sort_by_key(|test| std::cmp::Reverse(test.outcome));
        Ok(())
    }
}

struct Reading {
    report: JunitReport,
    depth: usize,
    test: Option<NamedTest>,
}

impl Reading {
    fn begin(&mut self, element: &BytesStart<'_>) -> Result<(), JunitError> {
        let name = element.local_name();
        let name = name.as_ref();
        if self.depth == 0 && !matches!(name, "testsuites" | "testsuite") {
            return Err(JunitError::Root(cut(name)));
        }
        match (name, &mut self.test) {
            ("testcase", test) => {
                let (class, name) =
                    (attribute_or_empty(element, "classname"), attribute_or_empty(element, "name"));
                let name = if class.is_empty() { name } else { format!("{class}.{name}") };
                *test = Some(NamedTest { name: cut(&name), outcome: TestOutcome::Passed });
            }
            ("failure" | "error", Some(test)) => test.outcome = TestOutcome::Failed,
            ("skipped", Some(test)) if test.outcome != TestOutcome::Failed => {
                test.outcome = TestOutcome::Skipped;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), JunitError> {
        if name != "testcase" {
            return Ok(());
        }
        let Some(test) = self.test.take() else { return Ok(()) };
        let count = &mut self.report.count;
        match test.outcome {
            TestOutcome::Passed => count.passed += 1,
            TestOutcome::Skipped => count.skipped += 1,
            TestOutcome::Failed => count.failed += 1,
        }
        if count.run() + count.skipped > MOST_TESTS {
            return Err(JunitError::TooMuch);
        }
        let named = &mut self.report.named;
        if named.len() < MOST_NAMES {
            named.push(test);
        } else if let Some(at) = named.iter().position(|known| known.outcome < test.outcome) {
            named[at] = test;
        }
        Ok(())
    }
}

fn attribute_or_empty(element: &BytesStart<'_>, wanted: &str) -> String {
    attribute(element, wanted).unwrap_or_default()
}

fn attribute(element: &BytesStart<'_>, wanted: &str) -> Option<String> {
    let found = element.try_get_attribute(wanted).ok().flatten()?;
    let raw = found.value.into_owned();
    // An entity of a document type of its own stays as it is.
    Some(quick_xml::escape::unescape(&raw).map(std::borrow::Cow::into_owned).unwrap_or(raw))
}

/// A name on one line, of limited length.
fn cut(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<JunitReport, JunitError> {
        let mut report = JunitReport::default();
        report.read(text.as_bytes()).map(|()| report)
    }

    #[test]
    fn tests_are_counted_and_named() {
        let report = read(
            "<?xml version=\"1.0\"?><testsuites><testsuite name=\"s\" tests=\"9\">\
             <testcase classname=\"a\" name=\"one &amp; two\"/>\
             <testcase name=\"three\"><failure message=\"no\">no</failure></testcase>\
             <testcase name=\"four\"><skipped/></testcase>\
             <testcase name=\"five\"><error/><skipped/><system-out>x</system-out></testcase>\
             </testsuite></testsuites>",
        )
        .unwrap();
        assert_eq!(report.count, TestCount { passed: 1, failed: 2, skipped: 1 });
        let named: Vec<(&str, TestOutcome)> =
            report.named.iter().map(|test| (test.name.as_str(), test.outcome)).collect();
        assert_eq!(
            named,
            [
                ("three", TestOutcome::Failed),
                ("five", TestOutcome::Failed),
                ("four", TestOutcome::Skipped),
                ("a.one & two", TestOutcome::Passed)
            ]
        );
    }

    #[test]
    fn failures_are_named_before_others() {
        let passed = "<testcase name=\"p\"/>".repeat(200);
        let report =
            read(&format!("<testsuite>{passed}<testcase name=\"f\"><failure/></testcase></testsuite>"))
                .unwrap();
        assert_eq!(
            (report.count.passed, report.named.len(), report.named[0].name.as_str()),
            (200, MOST_NAMES, "f")
        );
    }

    #[test]
    fn what_is_no_report_is_refused() {
        assert!(matches!(read("<html></html>"), Err(JunitError::Root(_))));
        assert!(matches!(read("<testsuite><testcase name=\"a\">"), Err(JunitError::Xml(_))));
        assert!(matches!(read("<testsuite></other>"), Err(JunitError::Xml(_))));
        assert_eq!(read(&format!("<testsuite>{}", "<a>".repeat(100))), Err(JunitError::TooMuch));
        let bomb = "<!DOCTYPE a [<!ENTITY x \"xxxxxxxxxx\"><!ENTITY y \"&x;&x;&x;\">]><testsuite><testcase name=\"&y;\"/></testsuite>";
        assert_eq!(read(bomb).unwrap().named[0].name, "&y;");
        assert_eq!(read("<testsuite/>").unwrap(), JunitReport::default());
    }
}
