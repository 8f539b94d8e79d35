//! What users see when a command fails, and the exit codes, which are decided only here.

use std::io;
use std::process::ExitCode;

use crate::cli::print;
use crate::model::Explain;
use crate::model::code::Code;
use crate::model::remedy::{Detail, Remedy, RemedyCall};
use crate::model::typed;
use crate::ops::{ErrorAnswer, Refusal, RefusalKind};
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
    code: Code,
    message: String,
    /// What can be done about it.
    remedies: Vec<Remedy>,
    /// More lines below the message, such as candidates or findings.
    details: Vec<Detail>,
    is_broken_pipe: bool,
}

impl Failure {
    /// A failure of the command.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            code,
            message: message.into(),
            remedies: vec![],
            details: vec![],
            is_broken_pipe: false,
        }
    }

    /// Arguments that do not fit together.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(Code::Usage, message) }
    }

    /// Its stable name for programs.
    pub(super) fn code(&self) -> Code {
        self.code
    }

    /// Adds a hint that says what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.remedies.push(Remedy::words(hint));
        self
    }

    /// Adds a remedy: an operation to call, and what it does.
    pub(crate) fn remedy(mut self, call: impl Into<RemedyCall>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy::call(call, does));
        self
    }

    /// Adds a command that is not the call of an operation, and what it does.
    pub(crate) fn command(mut self, command: impl Into<String>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy::command(command, does));
        self
    }

    /// Adds more lines.
    pub(crate) fn details<D: Into<Detail>>(mut self, details: Vec<D>) -> Self {
        self.details = details.into_iter().map(D::into).collect();
        self
    }

    /// Its message, and what to do, in words.
    pub(crate) fn into_words(self) -> (String, Option<String>) {
        let hint = print::spelled(&self.remedies);
        (self.message, hint)
    }

    /// What `--json` prints: the texts, and what can be done as data.
    fn document(&self, hint: Option<&str>, details: &[String], warnings: &[String]) -> serde_json::Value {
        let all = self.remedies.iter().chain(self.details.iter().flat_map(|it| &it.remedies));
        let calls: Vec<Remedy> = all.filter(|it| it.line().is_some()).cloned().collect();
        let (hint, calls) = (hint.map(str::to_owned), Some(calls).filter(|it| !it.is_empty()));
        let answer = ErrorAnswer::new((self.code, &self.message), hint, details.to_vec(), calls);
        let mut document = typed::own_json(&answer);
        if !warnings.is_empty() {
            document["warnings"] = warnings.into();
        }
        document
    }

    /// Shows it on stderr, as JSON together with the warnings that no answer contains. Returns how the program ends.
    /// A closed pipe is not a failure.
    pub(crate) fn report(&self, json: bool, warnings: &[String]) -> Exit {
        if self.is_broken_pipe {
            return Exit::Done;
        }
        let hint = print::spelled(&self.remedies);
        let details: Vec<String> =
            self.details.iter().map(|it| print::with_remedies(&it.message, &it.remedies)).collect();
        if json {
            say_json(&self.document(hint.as_deref(), &details, warnings));
            return self.exit;
        }
        let painter = ui::Painter::stderr();
        let message = ui::text::clean_line(&self.message);
        match self.exit {
            // Not an error.
            Exit::Nothing => ui::say(&message),
            _ => ui::say(&format!("{} {message}", painter.paint(ui::style::BAD, "error:"))),
        }
        for line in &details {
            ui::say(&format!("  {}", ui::text::clean_line(line)));
        }
        if let Some(hint) = &hint {
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

/// What the system says about a file that the user named, without its number for programs.
pub(in crate::cli) fn system_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::NotADirectory => "is not a directory".to_owned(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_owned(),
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { kind, code, message, details, remedies, .. } = refusal;
        let exit = match kind {
            RefusalKind::Impossible => Exit::Failed,
            RefusalKind::Usage => Exit::Usage,
            RefusalKind::Nothing => Exit::Nothing,
        };
        Self { exit, code, message, remedies, details, is_broken_pipe: false }
    }
}

impl<E: Explain> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { remedies: error.remedies().into_vec(), ..Self::new(error.code(), error.to_string()) }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self {
            is_broken_pipe: ui::is_broken_pipe(&error),
            ..Self::new(Code::Output, format!("cannot write the answer: {error}"))
        }
    }
}
