//! How many tests a command ran, as the runner itself says it in one of its last lines. A command that ran no test shows
//! nothing, even if it ends well: a filter may match nothing, or a directory may be empty.
//!
//! The lines are those that the runners print by default: libtest and nextest (Rust), pytest and unittest (Python), Jest,
//! Vitest, Mocha, `node --test`, Deno and Bun (JavaScript), `go test`, Surefire (Java), RSpec, minitest and test-unit (Ruby),
//! PHPUnit, `dotnet test`, Bats, CTest and TAP.

use crate::model::{NamedTest, TestCount};

mod runner;

pub(crate) use self::runner::says_count;

/// The longest line that is read, in bytes; a longer one is no runner's last line.
const LONGEST_LINE: usize = 1024;

/// Counts the tests while a command prints its output.
#[derive(Debug, Default)]
pub(crate) struct TestCounter {
    line: Vec<u8>,
    /// The sum of all runners of the command; `None` if no line of a known runner has come.
    count: Option<TestCount>,
    /// Whether some tests ran that are not counted: `go test` gives only packages without `-v`.
    has_uncounted: bool,
    /// The results in TAP, which count only if no runner prints a sum.
    tap: TapResults,
    /// The last line that was counted.
    said: Option<String>,
    /// Whether a line says that something passed, in whatever form.
    mentions_results: bool,
    /// The parts of tests that pytest will count as failed, besides the tests that have them.
    failed_subtests: u64,
    /// Whether cargo began a test that may have a harness of its own: libtest has not said yet how many it runs.
    is_harness_unknown: bool,
}

/// The tests of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CountedTests {
    /// How many there were; `None` if no known runner says so.
    pub(crate) tests: Option<TestCount>,
    /// The last line that says so.
    pub(crate) said: Option<String>,
    /// Some of them by name, if a report says so.
    pub(crate) named: Vec<NamedTest>,
}

impl CountedTests {
    /// Counts the tests of a whole output.
    #[cfg(test)]
    pub(crate) fn count(output: &[u8]) -> Self {
        let mut counter = TestCounter::default();
        counter.read(output);
        counter.end()
    }
}

impl TestCounter {
    /// Reads the next bytes of the output.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST_LINE.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    /// Whether the output says that something passed, although perhaps not in the form of a known runner.
    pub(crate) fn mentions_results(&self) -> bool {
        self.mentions_results || mentions_results(&String::from_utf8_lossy(&self.line))
    }

    /// The count, after all output.
    pub(crate) fn end(mut self) -> CountedTests {
        self.end_line();
        self.has_uncounted |= self.is_harness_unknown;
        let tests = self.count.or(self.tap.count());
        let tests = tests.filter(|count| !self.has_uncounted || *count != TestCount::default());
        CountedTests { said: if tests.is_some() { self.said } else { None }, tests, named: vec![] }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.len() >= LONGEST_LINE {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        let plain = anstream::adapter::strip_str(&text).to_string();
        let plain = plain.trim_end();
        self.mentions_results |= mentions_results(plain);
        self.note_harness(plain.trim_start());
        if plain.starts_with("ok  \t") && !plain.ends_with("[no tests to run]") {
            self.has_uncounted = true;
        }
        if plain.starts_with("SUBFAILED") {
            self.failed_subtests += 1;
        }
        if let Some(mut change) = counted(plain).filter(|change| !change.is_more || self.count.is_some()) {
            change.failed = change.failed.saturating_sub(std::mem::take(&mut self.failed_subtests));
            change.apply(self.count.get_or_insert_default());
            if !change.is_more || change.failed + change.skipped > 0 {
                self.said = Some(plain.trim().to_owned());
            }
        } else {
            self.read_tap(plain);
        }
    }

    /// A line of cargo before the output of a test binary, or of libtest at its start. Another harness prints what it likes.
    fn note_harness(&mut self, line: &str) {
        let is_binary = line.starts_with("Running ") && line.ends_with(')') && line.contains("deps");
        if is_binary || line.starts_with("Doc-tests ") {
            self.has_uncounted |= self.is_harness_unknown;
            self.is_harness_unknown = is_binary;
        } else if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            self.is_harness_unknown = false;
        }
    }

    /// A line of TAP: the plan, or a result. Those of subtests are indented.
    fn read_tap(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("1..") {
            let (number, comment) = rest.split_once(' ').unwrap_or((rest, "#"));
            if !is_number(number) || !comment.starts_with('#') {
                return;
            }
            self.tap.plan = number.parse().ok();
        } else {
            let (rest, is_ok) = match line.strip_prefix("not ") {
                Some(rest) => (rest, false),
                None => (line, true),
            };
            let Some(rest) = rest.strip_prefix("ok ") else { return };
            if !is_number(rest.split_whitespace().next().unwrap_or_default()) {
                return;
            }
            let directive =
                rest.rsplit_once("# ").map_or_else(String::new, |(_, tail)| tail.to_ascii_lowercase());
            if directive.starts_with("skip") || directive.starts_with("todo") {
                self.tap.count.skipped += 1;
            } else if is_ok {
                self.tap.count.passed += 1;
            } else {
                self.tap.count.failed += 1;
            }
        }
        if self.count.is_none() {
            self.said = Some(line.to_owned());
        }
    }
}

/// Whether a line of a form that a configured reporter prints says that tests passed.
fn mentions_results(line: &str) -> bool {
    ["passed", "passing", "passes", "<testcase", "[100%]"].iter().any(|word| line.contains(word))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

/// Results in TAP.
#[derive(Debug, Default)]
struct TapResults {
    count: TestCount,
    /// How many tests the plan promises; without a plan it is not TAP.
    plan: Option<u64>,
}

impl TapResults {
    fn count(&self) -> Option<TestCount> {
        let is_complete = self.plan? == 0 || self.count != TestCount::default();
        is_complete.then_some(self.count)
    }
}

/// What a line adds to the count.
#[derive(Debug, Default, PartialEq, Eq)]
struct Change {
    passed: u64,
    failed: u64,
    skipped: u64,
    /// Whether those that failed or were skipped were counted before, among those that passed.
    is_among: bool,
    /// Whether it only adds to the line with those that passed, which comes first. Any program may print `0 fail`.
    is_more: bool,
}

impl Change {
    fn new(passed: u64, failed: u64, skipped: u64) -> Self {
        Self { passed, failed, skipped, ..Self::default() }
    }

    fn more(failed: u64, skipped: u64) -> Self {
        Self { is_more: true, ..Self::new(0, failed, skipped) }
    }

    /// The tests of a runner that counts failed and skipped ones among all.
    fn among(all: u64, failed: u64, skipped: u64) -> Self {
        Self::new(all.saturating_sub(failed).saturating_sub(skipped), failed, skipped)
    }

    fn apply(&self, count: &mut TestCount) {
        let before = if self.is_among { self.failed.saturating_add(self.skipped) } else { 0 };
        count.passed = count.passed.saturating_add(self.passed).saturating_sub(before);
        count.failed = count.failed.saturating_add(self.failed);
        count.skipped = count.skipped.saturating_add(self.skipped);
    }
}

/// Lines that say that there was no test.
const NOTHING: &[&str] = &[
    "no tests ran",
    "No tests found, exiting with code 0",
    "No test files found, exiting with code 0",
    "No tests executed!",
    "No tests were found!!!",
    "No test matches the given testcase filter",
    "Tests  no tests",
];

fn counted(line: &str) -> Option<Change> {
    let text = line.trim();
    if NOTHING.iter().any(|words| text.trim_matches(['=', ' ']).starts_with(words)) {
        return Some(Change::default());
    }
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches([',', '(', ')', '|', ';', '.'])).collect();
    of_rust_or_python(line, text, &words)
        .or_else(|| of_javascript(text, &words))
        .or_else(|| of_go(line, &words))
        .or_else(|| of_others(text, &words))
        .or_else(|| of_pytest(text))
}

/// libtest, nextest, unittest.
fn of_rust_or_python(line: &str, text: &str, words: &[&str]) -> Option<Change> {
    match *words {
        ["test", "result:", ..] => {
            let passed = sum(words, &["passed", "measured"]);
            Some(Change::new(passed, sum(words, &["failed"]), sum(words, &["ignored"])))
        }
        ["Summary", ..] if text.contains("run:") => {
            let (all, passed) = (sum(words, &["tests", "test"]), sum(words, &["passed"]));
            Some(Change::new(passed, all.saturating_sub(passed), sum(words, &["skipped"])))
        }
        ["Ran", all, "tests" | "test", "in", ..] => Some(Change::new(all.parse().ok()?, 0, 0)),
        ["OK" | "FAILED", ..] if text.contains('=') && !line.starts_with("FAILED ]") => {
            let failed = number_after(text, "failures=").saturating_add(number_after(text, "errors="));
            let skipped = number_after(text, "skipped=");
            (failed + skipped > 0).then(|| Change { is_among: true, ..Change::more(failed, skipped) })
        }
        _ => None,
    }
}

fn number_after(text: &str, label: &str) -> u64 {
    after(text, label).unwrap_or_default()
}

/// Jest, Vitest, Mocha, `node --test`, Deno, Bun.
fn of_javascript(text: &str, words: &[&str]) -> Option<Change> {
    let sums = || {
        let skipped = sum(words, &["skipped", "todo", "ignored"]);
        Some(Change::new(sum(words, &["passed"]), sum(words, &["failed"]), skipped))
    };
    match *words {
        ["Tests:", _, "Assertions:", ..] => None,
        ["Tests:", ..] if before(words, "total").is_some() => sums(),
        ["Tests", ..] if text.starts_with("Tests  ") && text.ends_with(')') => sums(),
        ["ok" | "FAILED", "", ..] if text.contains("| ") => sums(),
        [count, "passing"] | [count, "passing", _] | [count, "pass"] => {
            Some(Change::new(count.parse().ok()?, 0, 0))
        }
        [count, "failing" | "fail"] => Some(Change::more(count.parse().ok()?, 0)),
        [count, "pending" | "skip" | "todo"] => Some(Change::more(0, count.parse().ok()?)),
        ["#" | "ℹ", "pass", count] => Some(Change::new(count.parse().ok()?, 0, 0)),
        ["#" | "ℹ", "fail" | "cancelled", count] => Some(Change::more(count.parse().ok()?, 0)),
        ["#" | "ℹ", "skipped" | "todo", count] => Some(Change::more(0, count.parse().ok()?)),
        _ => None,
    }
}

fn of_go(line: &str, words: &[&str]) -> Option<Change> {
    match *words {
        ["---", "PASS:", ..] => Some(Change::new(1, 0, 0)),
        ["---", "FAIL:", ..] => Some(Change::new(0, 1, 0)),
        ["---", "SKIP:", ..] => Some(Change::new(0, 0, 1)),
        ["ok", _, ..] if line.starts_with("ok  \t") => Some(Change::default()),
        ["?", _, "[no", "test", "files]"] => Some(Change::default()),
        _ => None,
    }
}

/// PHPUnit, Surefire, RSpec, minitest, test-unit, Bats, `dotnet test`, CTest.
fn of_others(text: &str, words: &[&str]) -> Option<Change> {
    let value = |label: &str| after(text, label);
    let failed =
        || value("Failures:").unwrap_or_default().saturating_add(value("Errors:").unwrap_or_default());
    match *words {
        ["OK", all, "tests" | "test", _, "assertions" | "assertion"] => {
            Some(Change::new(all.parse().ok()?, 0, 0))
        }
        ["Tests:", _, "Assertions:", ..] => {
            Some(Change::among(value("Tests:")?, failed(), value("Skipped:").unwrap_or_default()))
        }
        [.., "Errors:", _, "Skipped:", _] if text.contains("Tests run:") => {
            Some(Change::among(value("Tests run:")?, failed(), value("Skipped:")?))
        }
        [all, "examples" | "example", _, "failures" | "failure", ..] => {
            let failed = sum(words, &["failures", "failure"]);
            Some(Change::among(all.parse().ok()?, failed, sum(words, &["pending"])))
        }
        [all, "runs" | "tests", _, "assertions", ..] => {
            let failed = sum(words, &["failures", "errors"]);
            Some(Change::among(all.parse().ok()?, failed, sum(words, &["skips", "omissions"])))
        }
        [all, "tests" | "test", _, "failures" | "failure", ..] => {
            let failed = sum(words, &["failures", "failure"]);
            Some(Change::among(all.parse().ok()?, failed, sum(words, &["skipped"])))
        }
        ["Passed!" | "Failed!" | "Skipped!", ..] => {
            Some(Change::among(value("Total:")?, value("Failed:")?, value("Skipped:")?))
        }
        [.., failed, "tests", "failed", "out", "of", all] => {
            Some(Change::among(all.parse().ok()?, failed.parse().ok()?, 0))
        }
        _ => None,
    }
}

/// Reads a line such as `=== 3 passed, 1 skipped in 0.12s ===`.
fn of_pytest(text: &str) -> Option<Change> {
    let (counts, took) = text.trim_matches(['=', ' ']).split_once(" in ")?;
    if !took.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let mut change = Change::default();
    // It only says which tests there are.
    if counts.contains(" collected") && counts.contains("test") {
        return Some(Change::default());
    }
    let mut is_of_tests = false;
    for part in counts.split(", ") {
        let (count, what) = part.split_once(' ')?;
        let count: u64 = count.parse().ok()?;
        let field = match what {
            "passed" | "xfailed" | "xpassed" => &mut change.passed,
            "failed" | "error" | "errors" => &mut change.failed,
            "skipped" => &mut change.skipped,
            "deselected" => {
                is_of_tests = true;
                continue;
            }
            "warning" | "warnings" | "rerun" => continue,
            // They are parts of tests, which are counted.
            what if what.starts_with("subtests ") => continue,
            _ => return None,
        };
        *field = field.saturating_add(count);
        is_of_tests = true;
    }
    is_of_tests.then_some(change)
}

/// The sum of the numbers right before these words.
fn sum(words: &[&str], names: &[&str]) -> u64 {
    names.iter().filter_map(|name| before(words, name)).fold(0, u64::saturating_add)
}

/// The number right before a word.
fn before(words: &[&str], name: &str) -> Option<u64> {
    let at = words.iter().position(|word| word.trim_end_matches(':') == name)?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

/// The number right after a label.
fn after(text: &str, label: &str) -> Option<u64> {
    let rest = text.split_once(label)?.1.trim_start();
    let end = rest.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests;
