//! What can be done about a refusal or a notice, as data: each front end spells the calls in it its own way.

/// One thing to do: a call of an operation and what it does, or words alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remedy {
    /// The operation to call, where it is one.
    pub(crate) call: Option<Call>,
    /// What the call does, `shows it`; without a call, all that is to be said.
    pub(crate) words: String,
}

/// An operation, and what it is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// Its words and options: `list --all`.
    pub(crate) operation: &'static str,
    /// The values behind them: ids, or a word such as FILE for what somebody has to find.
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

    /// Words alone.
    pub(crate) fn words(words: impl Into<String>) -> Self {
        Self { call: None, words: words.into() }
    }
}
