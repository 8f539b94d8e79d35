//! The tests of a plan: before, while, and after they run.

use std::io::{self, Write};
use std::path::Path;

use crate::model::{CheckOutcome, TaskId, exact, test_count};
use crate::ops::work::{Test, Verified, VerifyObserver};
use crate::process::supervise::{ProcessEnd, Ran};
use crate::rules::CountedTests;
use crate::ui::text::fold;
use crate::ui::{self, Painter, Remarks, Screen, clean_line, count, style};

/// A command in full, after the tasks that name it.
pub(in crate::cli) fn line(test: &Test) -> String {
    format!(
        "{}: {}",
        clean_line(&test.tasks.iter().map(TaskId::as_str).collect::<Vec<_>>().join(", ")),
        exact(test.command.as_str())
    )
}

/// Shows the commands to agree to: each in full, with a margin before every row, so that no part of it looks like
/// output of this program.
pub(in crate::cli) fn asked(tests: &[&Test], are_more: bool, folder: &Path) {
    /// The margins of the first row of a command and of the following rows.
    const MARGINS: [&str; 2] = ["  ", "      | "];
    let commands = count(tests.len(), if are_more { "further command" } else { "command" });
    ui::say(&format!("The plan runs {commands}, in {}:", clean_line(&folder.to_string_lossy())));
    // However narrow the terminal is, each row shows a part of the command.
    let columns = ui::columns_of_remarks().map(|columns| columns.saturating_sub(MARGINS[1].len()).max(16));
    for test in tests {
        for (n, row) in fold(&line(test), columns).into_iter().enumerate() {
            ui::say(&format!("{}{row}", MARGINS[n.min(1)]));
        }
    }
}

/// At most this many bytes of a failed test's output are shown, from the end.
const LONGEST_OUTPUT: usize = 256 * 1024;

/// Shows tests while they run: on stdout, or on stderr if stdout is for a document. A test that passes is one line; what
/// any other printed follows once it has ended. A closed pipe does not stop them.
pub(in crate::cli) struct RunningTests<'s> {
    out: Box<dyn Write + 's>,
    painter: Painter,
    /// Whether all output is shown, as it comes.
    is_verbose: bool,
    /// The end of what the running test has printed, unless it was shown.
    held: Vec<u8>,
    /// How many bytes before that were dropped.
    dropped: usize,
    ends_line: bool,
}

impl<'s> RunningTests<'s> {
    pub(in crate::cli) fn on(screen: &'s mut Screen, is_verbose: bool) -> Self {
        let painter = if screen.json() { Painter::stderr() } else { screen.painter() };
        let out: Box<dyn Write + 's> =
            if screen.json() { Box::new(Remarks::new()) } else { Box::new(screen) };
        Self { out, painter, is_verbose, held: Vec::new(), dropped: 0, ends_line: true }
    }

    /// Shows what a test printed that did not pass.
    fn show_held(&mut self) {
        let _ = writeln!(self.out);
        if self.dropped > 0 {
            let note =
                format!("({} before this are not shown; --verbose shows all)", count(self.dropped, "byte"));
            let _ = writeln!(self.out, "{}", self.painter.paint(style::DIM, &note));
        }
        let _ = self.out.write_all(&self.held);
        self.ends_line = self.held.is_empty() || self.held.ends_with(b"\n");
    }
}

impl VerifyObserver for RunningTests<'_> {
    fn begins(&mut self, test: &Test, place: usize, of: usize) {
        let head = format!("[{}/{of}] {}", place + 1, line(test));
        let _ = write!(self.out, "{}", self.painter.paint(style::HEADING, &clean_line(&head)));
        if self.is_verbose {
            let _ = writeln!(self.out);
        }
        let _ = self.out.flush();
        self.ends_line = true;
        self.held.clear();
        self.dropped = 0;
    }

    fn wrote(&mut self, bytes: &[u8]) {
        if self.is_verbose {
            let _ = self.out.write_all(bytes).and_then(|()| self.out.flush());
            self.ends_line = bytes.ends_with(b"\n");
            return;
        }
        self.held.extend_from_slice(bytes);
        // Twice the limit is kept, so that not every write moves the rest.
        if self.held.len() > 2 * LONGEST_OUTPUT {
            let excess = self.held.len() - LONGEST_OUTPUT;
            self.held.drain(..excess);
            self.dropped += excess;
        }
    }

    fn proves(&mut self) {
        let _ = writeln!(self.out, "{}", self.painter.paint(style::DIM, "testing the tests themselves"));
        let _ = self.out.flush();
    }

    fn ended(&mut self, ran: &Ran, counted: &CountedTests) {
        let CountedTests { tests, said, .. } = counted;
        let (look, end) = match ran.ended {
            ProcessEnd::Exited(code) => {
                let outcome = CheckOutcome::new(Some(code), *tests);
                let look = if outcome.has_passed() { style::GOOD } else { style::BAD };
                let advice = outcome.advice().map(|advice| {
                    let line = clean_line(said.as_deref().unwrap_or_default());
                    format!(", which is not a pass (`{line}`: {advice})")
                });
                (look, format!("{outcome}{}", advice.unwrap_or_default()))
            }
            ProcessEnd::Signal(number) => (style::BAD, format!("ended by signal {number}")),
            ProcessEnd::TimedOut => (style::BAD, format!("stopped after {} s", ran.took.as_secs())),
            ProcessEnd::Interrupted => (style::BAD, "interrupted".to_owned()),
        };
        if !self.is_verbose && look == style::GOOD {
            let _ = write!(self.out, ": ");
        } else if !self.is_verbose {
            self.show_held();
        }
        if !self.ends_line {
            let _ = writeln!(self.out);
        }
        let (end, took) = (self.painter.paint(look, &end), ran.took.as_secs_f64());
        let _ = writeln!(self.out, "{end} in {took:.1} s ({})", test_count::counted(*tests));
        let _ = self.out.flush();
    }
}

/// The results of all tests.
pub(in crate::cli) fn verified(screen: &mut Screen, answer: &Verified) -> io::Result<()> {
    let painter = screen.painter();
    let passed = answer.checks.iter().filter(|check| check.has_passed()).count();
    let look = if answer.passed { style::GOOD } else { style::BAD };
    let mut line = format!("{passed} of {} passed", count(answer.checks.len(), "check"));
    if !answer.not_run.is_empty() {
        line.push_str(&format!(", {} not run", answer.not_run.len()));
    }
    writeln!(
        screen,
        "{}, recorded with {}",
        painter.paint(look, &line),
        painter.paint(style::ID, answer.execution_id.short())
    )
}
