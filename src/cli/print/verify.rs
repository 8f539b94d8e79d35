//! The tests of a plan: before, while, and after they run.

use std::io::{self, Write};
use std::path::Path;

use crate::model::hidden::exact;
use crate::model::task_id::TaskId;
use crate::ops::work::{Test, Verified, VerifyObserver};
use crate::process::supervise::{ProcessEnd, Ran};
use crate::ui::text::{clean_line, count, fold};
use crate::ui::{self, Painter, Remarks, Screen, style};

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

/// Shows tests while they run: on stdout, or on stderr if stdout is for a document. A closed pipe does not stop them.
pub(in crate::cli) struct RunningTests<'s> {
    out: Box<dyn Write + 's>,
    painter: Painter,
    ends_line: bool,
}

impl<'s> RunningTests<'s> {
    pub(in crate::cli) fn on(screen: &'s mut Screen) -> Self {
        let painter = if screen.json() { Painter::stderr() } else { screen.painter() };
        let out: Box<dyn Write + 's> =
            if screen.json() { Box::new(Remarks::new()) } else { Box::new(screen) };
        Self { out, painter, ends_line: true }
    }
}

impl VerifyObserver for RunningTests<'_> {
    fn begins(&mut self, test: &Test, place: usize, of: usize) {
        let head = format!("[{}/{of}] {}", place + 1, line(test));
        let _ = writeln!(self.out, "{}", self.painter.paint(style::HEADING, &clean_line(&head)));
        let _ = self.out.flush();
        self.ends_line = true;
    }

    fn wrote(&mut self, bytes: &[u8]) {
        let _ = self.out.write_all(bytes).and_then(|()| self.out.flush());
        self.ends_line = bytes.ends_with(b"\n");
    }

    fn ended(&mut self, ran: &Ran) {
        if !self.ends_line {
            let _ = writeln!(self.out);
        }
        let (look, end) = match ran.ended {
            ProcessEnd::Exited(0) => (style::GOOD, "passed".to_owned()),
            ProcessEnd::Exited(code) => (style::BAD, format!("failed with exit code {code}")),
            ProcessEnd::Signal(number) => (style::BAD, format!("ended by signal {number}")),
            ProcessEnd::TimedOut => (style::BAD, format!("stopped after {} s", ran.took.as_secs())),
            ProcessEnd::Interrupted => (style::BAD, "interrupted".to_owned()),
        };
        let _ = writeln!(self.out, "{} in {:.1} s", self.painter.paint(look, &end), ran.took.as_secs_f64());
        let _ = self.out.flush();
    }
}

/// The results of all tests.
pub(in crate::cli) fn verified(screen: &mut Screen, answer: &Verified) -> io::Result<()> {
    let painter = screen.painter();
    let passed = answer.checks.iter().filter(|check| check.exit_code == Some(0)).count();
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
