//! What users see when a command fails, and the exit codes, which are decided only here.

use std::io;
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::print;
use crate::model::{Code, Explain, Remedy, typed};
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

/// A command that failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was refused: one line says what is wrong, and one what to do.
    Refused(Refusal),
    /// Nobody reads the answer: the pipe was closed, which is not an error.
    BrokenPipe,
}

impl Failure {
    /// Adds a remedy in words.
    pub(crate) fn hint(self, words: impl Into<String>) -> Self {
        match self {
            Self::Refused(refusal) => Self::Refused(refusal.hint(words)),
            Self::BrokenPipe => self,
        }
    }

    /// Its message, and what to do, in words.
    pub(crate) fn into_words(self) -> (String, Option<String>) {
        match self {
            Self::Refused(refusal) => (refusal.message, print::spelled(&refusal.remedies)),
            Self::BrokenPipe => (String::new(), None),
        }
    }

    /// Shows it on stderr, as JSON together with the warnings that no answer contains. Returns how the program ends.
    pub(crate) fn report(&self, json: bool, warnings: &[String]) -> Exit {
        match self {
            Self::Refused(refusal) => report(refusal, json, warnings),
            Self::BrokenPipe => Exit::Done,
        }
    }
}

fn report(refusal: &Refusal, json: bool, warnings: &[String]) -> Exit {
    let Refusal { kind, message, details, remedies, .. } = refusal;
    let exit = Exit::from(*kind);
    let hint = print::spelled(remedies);
    let details: Vec<String> =
        details.iter().map(|it| print::with_remedies(&it.message, &it.remedies)).collect();
    if json {
        say_json(&document(refusal, hint.as_deref(), &details, warnings));
        return exit;
    }
    let painter = ui::Painter::stderr();
    let message = ui::text::clean_line(message);
    match exit {
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
    exit
}

/// What `--json` prints: the texts, and what can be done as data.
fn document(
    refusal: &Refusal,
    hint: Option<&str>,
    details: &[String],
    warnings: &[String],
) -> serde_json::Value {
    let all = refusal.remedies.iter().chain(refusal.details.iter().flat_map(|it| &it.remedies));
    let calls: Vec<Remedy> = all.filter(|it| it.line().is_some()).cloned().collect();
    let (hint, calls) = (hint.map(str::to_owned), Some(calls).filter(|it| !it.is_empty()));
    let answer = ErrorAnswer::new(refusal.code, &refusal.message, hint, details.to_vec(), calls);
    let mut document = typed::own_json(&answer);
    if !warnings.is_empty() {
        document["warnings"] = warnings.into();
    }
    document
}

/// What `--json` prints beside an answer.
#[derive(Debug, Serialize)]
struct Warnings<'a> {
    warnings: &'a [String],
}

/// Prints warnings as a JSON document on stderr, if the answer cannot contain them (for example because it is an
/// array).
pub(super) fn report_warnings(warnings: &[String]) {
    if !warnings.is_empty() {
        say_json(&typed::own_json(&Warnings { warnings }));
    }
}

fn say_json(document: &serde_json::Value) {
    ui::say(&ui::text::clean_json(&document.to_string()));
}

/// What the system says about a file that the user named, without its number for programs.
pub(in crate::cli) fn system_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::AlreadyExists => "it already exists".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::NotADirectory => "is not a directory".to_owned(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_owned(),
    }
}

impl From<RefusalKind> for Exit {
    fn from(kind: RefusalKind) -> Self {
        match kind {
            RefusalKind::Impossible => Self::Failed,
            RefusalKind::Usage => Self::Usage,
            RefusalKind::Nothing => Self::Nothing,
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Explain> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if ui::is_broken_pipe(&error) {
            return Self::BrokenPipe;
        }
        Refusal::new(Code::Output, format!("cannot write the answer: {error}"))
            .hint("check whether the disk is full")
            .into()
    }
}
