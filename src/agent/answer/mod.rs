//! The answer of an agent: a JSON document of a known kind, found in the agent's output and checked strictly against
//! its schema.

mod find;
mod kinds;
mod schema;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::model::typed;

/// A kind of answer.
pub(crate) trait Answer: Sized {
    /// The schema that the agent gets.
    fn schema() -> Value;

    /// Reads an answer from a JSON value.
    ///
    /// # Errors
    /// What is wrong with it, each error with its place, for the agent to correct.
    fn read(value: &Value) -> Result<Self, Vec<String>>;
}

/// Why a text contains no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It contains no JSON.
    Nothing,
    /// It contains JSON, with these errors.
    Faults(Vec<String>),
}

/// The answer in an agent's output, with its JSON.
pub(crate) fn read<A: Answer>(text: &str) -> Result<(A, Value), Unfit> {
    let found = find::find(text);
    let mut longest: Option<(usize, Vec<String>)> = None;
    for value in found.values {
        let faults = match A::read(&value) {
            Ok(answer) => return Ok((answer, value)),
            Err(faults) => faults,
        };
        let length = value.to_string().len();
        if longest.as_ref().is_none_or(|(other, _)| length > *other) {
            longest = Some((length, faults));
        }
    }
    match (found.broken, longest) {
        (Some(why), _) => Err(Unfit::Faults(vec![format!("$: not JSON: {why}")])),
        (None, Some((_, faults))) => Err(Unfit::Faults(faults)),
        (None, None) => Err(Unfit::Nothing),
    }
}

/// The errors of a value under a schema, each with its place.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    schema::faults(schema, value)
}

/// The schema of a type.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// Reads a value of a type that is completely described by its schema.
///
/// # Errors
/// What is wrong with the value, each error with its place.
pub(crate) fn read_typed<T: JsonSchema + DeserializeOwned>(value: &Value) -> Result<T, Vec<String>> {
    let faults = faults(&schema_of::<T>(), value);
    if !faults.is_empty() {
        return Err(faults);
    }
    typed::read(value).map_err(|error| vec![format!("$: {error}")])
}
