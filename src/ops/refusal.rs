//! Refusals of operations.

use crate::model::{Code, Detail, Explain, Other, Remedy, RemedyCall};
use crate::rules::Blocker;

/// The kind of a refusal, which alone decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// It cannot be done in the current state.
    Impossible,
    /// The input contradicts itself.
    Usage,
    /// There is nothing to do.
    Nothing,
}

/// The codes of refusals because someone else was writing.
const PASSING: [Code; 2] = [Code::Locked, Code::Contended];

impl Detail {
    /// Why an item waits; `before` names the item.
    pub(crate) fn waits(before: &str, blocker: &Blocker) -> Self {
        Self { message: format!("{before}{}", blocker.reason), remedies: blocker.remedies.clone() }
    }
}

/// A refused operation. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// See [`RefusalKind`].
    pub(crate) kind: RefusalKind,
    /// A stable code for programs, in kebab case: `not-found`.
    pub(crate) code: Code,
    /// What is wrong, with the value, in one line.
    pub(crate) message: String,
    /// Candidates or findings, one each.
    pub(crate) details: Vec<Detail>,
    /// What can be done about it.
    pub(crate) remedies: Vec<Remedy>,
    /// The field at fault, if it is one of several that were given: `title`.
    pub(crate) field: Option<&'static str>,
}

impl Refusal {
    /// Something that cannot be done.
    #[expect(clippy::new_ret_no_self, reason = "a refusal without a remedy is no answer")]
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Unremedied {
        Unremedied::new(RefusalKind::Impossible, code, message)
    }

    /// Values that do not fit together.
    pub(crate) fn usage(message: impl Into<String>) -> Unremedied {
        Unremedied::new(RefusalKind::Usage, Code::Usage, message)
    }

    /// Nothing to do.
    pub(crate) fn nothing(message: impl Into<String>) -> Unremedied {
        Unremedied::new(RefusalKind::Nothing, Code::NothingToDo, message)
    }

    /// Undoes the transaction of a dry run. Nobody sees it.
    pub(crate) fn dry_run() -> Self {
        Self::nothing("dry run").0
    }

    /// Whether it is only because someone else is writing at the moment.
    pub(crate) fn is_passing(&self) -> bool {
        PASSING.contains(&self.code)
    }

    /// Whether it is only because someone wanted the work to stop.
    pub(crate) fn is_stop(&self) -> bool {
        self.code == Code::Interrupted
    }

    /// A record that exists but cannot be read: `plan `SOL-…``.
    pub(crate) fn unreadable(what: &str) -> Self {
        Self::new(Code::BrokenRecord, format!("{what} cannot be read"))
            .remedy(Other::Log, "shows who wrote it; the rest of the store is not affected")
    }

    /// Says which field is at fault.
    pub(crate) fn at(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// Adds a remedy in words.
    pub(crate) fn hint(mut self, words: impl Into<String>) -> Self {
        self.remedies.push(Remedy::words(words));
        self
    }

    /// Adds a remedy: an operation to call, and what it does.
    pub(crate) fn remedy(mut self, call: impl Into<RemedyCall>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy::call(call, does));
        self
    }

    /// Adds what leads on from where something is; see [`crate::rules::toward`].
    pub(crate) fn next_step(mut self, step: Remedy) -> Self {
        self.remedies.push(step);
        self
    }

    /// Adds a command of another program, and what it does.
    pub(crate) fn command(mut self, command: impl Into<String>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy::command(command, does));
        self
    }

    /// Adds candidates or findings.
    pub(crate) fn details<D: Into<Detail>>(mut self, details: Vec<D>) -> Self {
        self.details = details.into_iter().map(D::into).collect();
        self
    }
}

/// A refusal that does not say yet what can be done about it: it becomes a [`Refusal`] with the first remedy.
#[derive(Debug)]
#[must_use]
pub(crate) struct Unremedied(Refusal);

impl Unremedied {
    fn new(kind: RefusalKind, code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Refusal { kind, code, message, details: vec![], remedies: vec![], field: None })
    }

    /// See [`Refusal::at`].
    pub(crate) fn at(self, field: &'static str) -> Self {
        Self(self.0.at(field))
    }

    /// See [`Refusal::details`].
    pub(crate) fn details<D: Into<Detail>>(self, details: Vec<D>) -> Self {
        Self(self.0.details(details))
    }

    /// See [`Refusal::hint`].
    pub(crate) fn hint(self, words: impl Into<String>) -> Refusal {
        self.0.hint(words)
    }

    /// See [`Refusal::remedy`].
    pub(crate) fn remedy(self, call: impl Into<RemedyCall>, does: impl Into<String>) -> Refusal {
        self.0.remedy(call, does)
    }

    /// See [`Refusal::next_step`].
    pub(crate) fn next_step(self, step: Remedy) -> Refusal {
        self.0.next_step(step)
    }

    /// See [`Refusal::command`].
    pub(crate) fn command(self, command: impl Into<String>, does: impl Into<String>) -> Refusal {
        self.0.command(command, does)
    }

    /// Adds remedies that depend on the case, of which there is at least one.
    pub(crate) fn remedies(self, remedies: Vec<Remedy>) -> Refusal {
        debug_assert!(!remedies.is_empty(), "{}", self.0.message);
        Refusal { remedies, ..self.0 }
    }
}

impl<E: Explain> From<E> for Refusal {
    fn from(error: E) -> Self {
        let Unremedied(refusal) = Self::new(error.code(), error.to_string());
        Self { remedies: error.remedies().into_vec(), ..refusal }
    }
}
