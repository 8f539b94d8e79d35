//! What users see when a command fails, and the exit codes, which are decided only here.

use std::io;
use std::process::ExitCode;

use crate::cli::print;
use crate::model::Explain;
use crate::ops::{Kind, Refusal};
use crate::ui;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, or already done.
    Done,
    /// Cannot be done.
    Failed,
    /// Wrong usage.
    Usage,
    /// Nothing to do.
    Nothing,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Nothing => 3,
        })
    }
}

/// A command that failed: one line that says what is wrong, and one with what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(super) exit: Exit,
    code: &'static str,
    message: String,
    hint: Option<String>,
    /// More lines below the message, such as candidates or findings.
    details: Vec<String>,
    is_broken_pipe: bool,
}

impl Failure {
    /// A failure of the command.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            code,
            message: message.into(),
            hint: None,
            details: vec![],
            is_broken_pipe: false,
        }
    }

    /// Arguments that do not fit together.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new("usage", message) }
    }

    /// Its stable name for programs.
    pub(super) fn code(&self) -> &'static str {
        self.code
    }

    /// Adds a hint that says what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds more lines.
    pub(crate) fn details(mut self, lines: Vec<String>) -> Self {
        self.details = lines;
        self
    }

    /// Shows it on stderr, as JSON together with the warnings that no answer contains. Returns how the program ends.
    /// A closed pipe is not a failure.
    pub(crate) fn report(&self, json: bool, warnings: &[String]) -> Exit {
        if self.is_broken_pipe {
            return Exit::Done;
        }
        if json {
            let mut error =
                serde_json::json!({ "code": self.code, "message": self.message, "hint": self.hint });
            if !self.details.is_empty() {
                error["details"] = self.details.clone().into();
            }
            let mut document = serde_json::json!({ "error": error });
            if !warnings.is_empty() {
                document["warnings"] = warnings.into();
            }
            say_json(&document);
            return self.exit;
        }
        let painter = ui::Painter::stderr();
        let message = ui::text::clean_line(&self.message);
        match self.exit {
            // Not an error.
            Exit::Nothing => ui::say(&message),
            _ => ui::say(&format!("{} {message}", painter.paint(ui::style::BAD, "error:"))),
        }
        for line in &self.details {
            ui::say(&format!("  {}", ui::text::clean_line(line)));
        }
        if let Some(hint) = &self.hint {
            let label = painter.paint(ui::style::DIM, "hint:");
            ui::say(&format!("{label} {}", ui::text::clean_line(hint)));
        }
        self.exit
    }
}

/// Prints warnings as a JSON document on stderr, if the answer cannot contain them (for example because it is an
/// array).
pub(super) fn report_warnings(warnings: &[String]) {
    if !warnings.is_empty() {
        say_json(&serde_json::json!({ "warnings": warnings }));
    }
}

fn say_json(document: &serde_json::Value) {
    ui::say(&ui::text::clean_json(&document.to_string()));
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { kind, code, message, details, remedies } = refusal;
        let exit = match kind {
            Kind::Impossible => Exit::Failed,
            Kind::Usage => Exit::Usage,
            Kind::Nothing => Exit::Nothing,
        };
        let details = details.iter().map(|it| print::with_remedies(&it.message, &it.remedies)).collect();
        Self { exit, code, message, hint: print::spelled(&remedies), details, is_broken_pipe: false }
    }
}

impl<E: Explain> From<E> for Failure {
    fn from(error: E) -> Self {
        let hint = print::spelled(error.remedies().as_slice());
        Self { hint, ..Self::new(error.code(), error.to_string()) }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self {
            is_broken_pipe: ui::is_broken_pipe(&error),
            ..Self::new("output", format!("cannot write the answer: {error}"))
        }
    }
}
