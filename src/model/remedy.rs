//! What can be done about a refusal or a notice, as data. Each front end writes the calls in its own way.

use schemars::JsonSchema;
use serde::Serialize;

/// One thing to do: a call of an operation and what it does, or words alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct Remedy {
    /// The operation to call, if there is one.
    #[serde(flatten)]
    pub(crate) call: Option<Call>,
    /// What the call does, such as `shows it`; without a call, the advice in words.
    pub(crate) words: String,
}

/// An operation, and what it is called with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct Call {
    /// Its words and options: `list --all`.
    pub(crate) operation: &'static str,
    /// The arguments: ids, or a word such as FILE for what the user must fill in.
    pub(crate) values: Vec<String>,
}

impl Call {
    /// An operation with values.
    pub(crate) fn new<V: std::fmt::Display>(
        operation: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        Self { operation, values: values.into_iter().map(|value| value.to_string()).collect() }
    }
}

impl From<&'static str> for Call {
    fn from(operation: &'static str) -> Self {
        Self::new::<&str>(operation, [])
    }
}

impl Remedy {
    /// A call, and what it does.
    pub(crate) fn call(call: impl Into<Call>, does: impl Into<String>) -> Self {
        Self { call: Some(call.into()), words: does.into() }
    }

    /// Advice without a call.
    pub(crate) fn words(words: impl Into<String>) -> Self {
        Self { call: None, words: words.into() }
    }
}

/// Everything that can be done about something, in the order in which to try it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Remedies(Vec<Remedy>);

impl Remedies {
    /// No remedies.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// A call, and what it does.
    pub(crate) fn call(call: impl Into<Call>, does: impl Into<String>) -> Self {
        Self::none().or_call(call, does)
    }

    /// These remedies and another call.
    pub(crate) fn or_call(mut self, call: impl Into<Call>, does: impl Into<String>) -> Self {
        self.0.push(Remedy::call(call, does));
        self
    }

    /// These remedies and advice without a call.
    pub(crate) fn and(mut self, words: impl Into<String>) -> Self {
        self.0.push(Remedy::words(words));
        self
    }

    /// Whether nothing can be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub(crate) fn as_slice(&self) -> &[Remedy] {
        &self.0
    }

    /// All of them, by value.
    pub(crate) fn into_vec(self) -> Vec<Remedy> {
        self.0
    }
}

impl From<&str> for Remedies {
    fn from(words: &str) -> Self {
        Self::none().and(words)
    }
}

impl From<String> for Remedies {
    fn from(words: String) -> Self {
        Self::none().and(words)
    }
}
