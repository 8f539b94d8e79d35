//! How many tests a command ran, as the runner itself says it in one of its last lines. A command that ran no test shows
//! nothing, even if it ends well: a filter may match nothing, or a directory may be empty.
//!
//! The lines are those that the runners print by default: libtest and nextest (Rust), pytest and unittest (Python), Jest,
//! Vitest, Mocha, `node --test`, Deno and Bun (JavaScript), `go test`, Surefire (Java), RSpec, minitest and test-unit (Ruby),
//! PHPUnit, `dotnet test`, Bats and CTest.

/// The longest line that is read, in bytes; a longer one is no runner's last line.
const LONGEST_LINE: usize = 1024;

/// How many tests a command ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TestCount {
    /// Those that ran, whether they passed or not.
    pub(crate) run: u64,
    /// Those that were skipped.
    pub(crate) skipped: u64,
}

/// Counts the tests while a command prints its output.
#[derive(Debug, Default)]
pub(crate) struct TestCounter {
    line: Vec<u8>,
    /// The sum of all runners of the command; `None` if no line of a known runner has come.
    count: Option<TestCount>,
    /// Whether some tests ran that are not counted: `go test` gives only packages without `-v`.
    has_uncounted: bool,
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

    /// The count, after all output; `None` if no known runner printed one.
    pub(crate) fn end(mut self) -> Option<TestCount> {
        self.end_line();
        self.count.filter(|count| !self.has_uncounted || *count != TestCount::default())
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.len() >= LONGEST_LINE {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        let plain = anstream::adapter::strip_str(&text).to_string();
        let plain = plain.trim_end();
        if plain.starts_with("ok  \t") && !plain.ends_with("[no tests to run]") {
            self.has_uncounted = true;
        }
        if let Some(change) = counted(plain).filter(|change| !change.is_more || self.count.is_some()) {
            let count = self.count.get_or_insert_default();
            count.run = count.run.saturating_add(change.run).saturating_sub(change.not_run);
            count.skipped = count.skipped.saturating_add(change.skipped);
        }
    }
}

/// What a line adds to the count.
#[derive(Debug, Default, PartialEq, Eq)]
struct Change {
    run: u64,
    skipped: u64,
    /// Those that an earlier line counted and that did not run.
    not_run: u64,
    /// Whether it only adds to the line with those that passed, which comes first. Any program may print `0 fail`.
    is_more: bool,
}

impl Change {
    fn new(run: u64, skipped: u64) -> Self {
        Self { run, skipped, ..Self::default() }
    }

    fn more(run: u64, skipped: u64) -> Self {
        Self { is_more: true, ..Self::new(run, skipped) }
    }

    /// The tests of a runner that counts skipped ones among all.
    fn among(all: u64, skipped: u64) -> Self {
        Self::new(all.saturating_sub(skipped), skipped)
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
    let number = |name: &str| before(&words, name);
    let sum = |names: &[&str]| names.iter().filter_map(|name| number(name)).sum::<u64>();
    let value = |label: &str| after(text, label);
    match words[..] {
        ["test", "result:", ..] => {
            Some(Change::new(sum(&["passed", "failed", "measured"]), sum(&["ignored"])))
        }
        ["Summary", ..] if text.contains("run:") => {
            Some(Change::new(sum(&["tests", "test"]), sum(&["skipped"])))
        }
        ["Ran", all, "tests" | "test", "in", ..] => Some(Change::new(all.parse().ok()?, 0)),
        ["OK" | "FAILED", ..] if text.contains("skipped=") => {
            let skipped = value("skipped=")?;
            Some(Change { not_run: skipped, ..Change::more(0, skipped) })
        }
        ["OK", all, "tests" | "test", _, "assertions" | "assertion"] => {
            Some(Change::new(all.parse().ok()?, 0))
        }
        ["Tests:", _, "Assertions:", ..] => {
            Some(Change::among(value("Tests:")?, value("Skipped:").unwrap_or_default()))
        }
        ["Tests:", ..] if number("total").is_some() => {
            Some(Change::new(sum(&["passed", "failed"]), sum(&["skipped", "todo"])))
        }
        ["Tests", ..] if text.starts_with("Tests  ") && text.ends_with(')') => {
            Some(Change::new(sum(&["passed", "failed"]), sum(&["skipped", "todo"])))
        }
        ["ok" | "FAILED", "", ..] if text.contains("| ") => {
            Some(Change::new(sum(&["passed", "failed"]), sum(&["ignored"])))
        }
        [count, "passing"] | [count, "passing", _] | [count, "pass"] => {
            Some(Change::new(count.parse().ok()?, 0))
        }
        [count, "failing" | "fail"] => Some(Change::more(count.parse().ok()?, 0)),
        [count, "pending" | "skip" | "todo"] => Some(Change::more(0, count.parse().ok()?)),
        ["#" | "ℹ", "pass", count] => Some(Change::new(count.parse().ok()?, 0)),
        ["#" | "ℹ", "fail", count] => Some(Change::more(count.parse().ok()?, 0)),
        ["#" | "ℹ", "skipped" | "todo", count] => Some(Change::more(0, count.parse().ok()?)),
        ["---", "PASS:" | "FAIL:", ..] => Some(Change::new(1, 0)),
        ["---", "SKIP:", ..] => Some(Change::new(0, 1)),
        ["ok", _, ..] if line.starts_with("ok  \t") => Some(Change::default()),
        ["?", _, "[no", "test", "files]"] => Some(Change::default()),
        [.., "Errors:", _, "Skipped:", _] if text.contains("Tests run:") => {
            Some(Change::among(value("Tests run:")?, value("Skipped:")?))
        }
        [all, "examples" | "example", _, "failures" | "failure", ..] => {
            Some(Change::among(all.parse().ok()?, sum(&["pending"])))
        }
        [all, "runs" | "tests", _, "assertions", ..] => {
            Some(Change::among(all.parse().ok()?, sum(&["skips", "omissions"])))
        }
        [all, "tests" | "test", _, "failures" | "failure", ..] => {
            Some(Change::among(all.parse().ok()?, sum(&["skipped"])))
        }
        ["Passed!" | "Failed!" | "Skipped!", ..] => Some(Change::among(value("Total:")?, value("Skipped:")?)),
        [.., "tests", "failed", "out", "of", all] => Some(Change::new(all.parse().ok()?, 0)),
        _ => of_pytest(text),
    }
}

/// Such as `=== 3 passed, 1 skipped in 0.12s ===`.
fn of_pytest(text: &str) -> Option<Change> {
    let (counts, took) = text.trim_matches(['=', ' ']).split_once(" in ")?;
    if !took.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let mut change = Change::default();
    let mut is_of_tests = false;
    for part in counts.split(", ") {
        let (count, what) = part.split_once(' ')?;
        let count: u64 = count.parse().ok()?;
        match what {
            "passed" | "failed" | "error" | "errors" | "xfailed" | "xpassed" => change.run += count,
            "skipped" => change.skipped += count,
            "deselected" => {}
            "warning" | "warnings" | "rerun" => continue,
            _ => return None,
        }
        is_of_tests = true;
    }
    is_of_tests.then_some(change)
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
