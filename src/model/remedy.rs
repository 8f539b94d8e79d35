//! What can be done about a refusal or a notice, as data. Each front end writes the calls in its own way.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{Operation, shell};

/// One thing to do: a call of an operation or another command, and what it does; or words alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct Remedy {
    /// The operation to call, if there is one.
    #[serde(flatten)]
    pub(crate) call: Option<RemedyCall>,
    /// A command of another program, such as `git commit`, if that helps and no operation does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    /// What the call or the command does, such as `shows it`; without them, the advice in words.
    pub(crate) words: String,
}

/// An operation, and what it is called with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct RemedyCall {
    /// Its name: `queue add`.
    #[serde(serialize_with = "by_name")]
    #[schemars(with = "String")]
    pub(crate) operation: Operation,
    /// Its options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) options: Vec<CallOption>,
    /// The arguments: ids, or a word such as FILE for what the user must fill in.
    pub(crate) values: Vec<String>,
}

/// An option of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct CallOption {
    /// Its long name: `all`.
    pub(crate) name: &'static str,
    /// Its value, if it takes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
}

// serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn by_name<S: Serializer>(operation: &Operation, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(operation.as_str())
}

impl RemedyCall {
    /// An operation with values.
    pub(crate) fn new<V: std::fmt::Display>(
        operation: impl Into<Operation>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let values = values.into_iter().map(|value| value.to_string()).collect();
        Self { operation: operation.into(), options: vec![], values }
    }

    /// The call with an option that takes no value.
    pub(crate) fn flag(mut self, name: &'static str) -> Self {
        self.options.push(CallOption { name, value: None });
        self
    }

    /// The call with an option and its value.
    pub(crate) fn option(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.options.push(CallOption { name, value: Some(value.into()) });
        self
    }

    /// The call with an item, if there is one.
    pub(crate) fn item(self, item: Option<impl std::fmt::Display>) -> Self {
        match item {
            Some(item) => self.option("item", item.to_string()),
            None => self,
        }
    }

    /// The call as a command line. `--json` comes last, since it does not change what is done.
    pub(crate) fn command(&self) -> String {
        let (last, options): (Vec<&CallOption>, Vec<_>) =
            self.options.iter().partition(|option| option.name == "json");
        let values = self.values.iter().map(|value| format!(" {}", shell::operand(value)));
        let values: String = values.collect();
        format!("git wf {}{}{values}{}", self.operation, options_in_words(options), options_in_words(last))
    }
}

fn options_in_words(all: Vec<&CallOption>) -> String {
    all.into_iter().map(CallOption::written).collect::<String>()
}

impl CallOption {
    /// ` --all`, ` --status planned`, ` --depends-on=-A-1`; the short name where people use it.
    fn written(&self) -> String {
        let name = match self.name {
            "message" => "-m".to_owned(),
            "edit" => "-e".to_owned(),
            long => format!("--{long}"),
        };
        match &self.value {
            None => format!(" {name}"),
            Some(value) if value.starts_with('-') => format!(" {name}={}", shell::word(value)),
            Some(value) => format!(" {name} {}", shell::word(value)),
        }
    }
}

/// A call as the command line that agents are given.
pub(crate) fn as_command<S: Serializer>(call: &RemedyCall, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&call.command())
}

impl<O: Into<Operation>> From<O> for RemedyCall {
    fn from(operation: O) -> Self {
        Self::new::<&str>(operation, [])
    }
}

impl Remedy {
    /// A call, and what it does.
    pub(crate) fn call(call: impl Into<RemedyCall>, does: impl Into<String>) -> Self {
        Self { call: Some(call.into()), command: None, words: does.into() }
    }

    /// A command of another program, and what it does.
    pub(crate) fn command(command: impl Into<String>, does: impl Into<String>) -> Self {
        Self { call: None, command: Some(command.into()), words: does.into() }
    }

    /// Advice without a call.
    pub(crate) fn words(words: impl Into<String>) -> Self {
        Self { call: None, command: None, words: words.into() }
    }

    /// The command line, if there is one.
    pub(crate) fn line(&self) -> Option<String> {
        self.call.as_ref().map(RemedyCall::command).or_else(|| self.command.clone())
    }
}

/// One sentence, such as a candidate or a finding, and what can be done about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct Detail {
    /// The text, in one line.
    pub(crate) message: String,
    /// What can be done about this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remedies: Vec<Remedy>,
}

impl Detail {
    /// The sentence with one more remedy: an operation to call, and what it does.
    pub(crate) fn remedy(mut self, call: impl Into<RemedyCall>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy::call(call, does));
        self
    }
}

impl<T: Into<String>> From<T> for Detail {
    fn from(message: T) -> Self {
        Self { message: message.into(), remedies: vec![] }
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
    pub(crate) fn call(call: impl Into<RemedyCall>, does: impl Into<String>) -> Self {
        Self::none().or_call(call, does)
    }

    /// A command of another program, and what it does.
    pub(crate) fn command(command: impl Into<String>, does: impl Into<String>) -> Self {
        Self::none().or_command(command, does)
    }

    /// Adds a command of another program.
    pub(crate) fn or_command(mut self, command: impl Into<String>, does: impl Into<String>) -> Self {
        self.0.push(Remedy::command(command, does));
        self
    }

    /// Adds another call.
    pub(crate) fn or_call(mut self, call: impl Into<RemedyCall>, does: impl Into<String>) -> Self {
        self.0.push(Remedy::call(call, does));
        self
    }

    /// Adds advice without a call.
    pub(crate) fn and(mut self, words: impl Into<String>) -> Self {
        self.0.push(Remedy::words(words));
        self
    }

    /// Appends other remedies.
    pub(crate) fn and_all(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Whether nothing can be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
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
