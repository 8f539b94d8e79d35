//! What an agent answers with: a JSON document of a known kind, found in what it wrote and held strictly against its schema.

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
    /// The schema, as the agent is given it.
    fn schema() -> Value;

    /// The answer that a JSON value gives.
    ///
    /// # Errors
    /// What is wrong with it, each with its place, for the agent to mend.
    fn read(value: &Value) -> Result<Self, Vec<String>>;
}

/// Why a text holds no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// There is no JSON in it.
    Nothing,
    /// There is, with these faults.
    Faults(Vec<String>),
}

/// The answer in what an agent wrote, and the JSON of it.
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

/// What is wrong with a value by a schema, each with its place.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    schema::faults(schema, value)
}

/// The schema of a type.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// Reads a type whose schema says all that there is to say.
///
/// # Errors
/// What is wrong with the value, each with its place.
pub(crate) fn read_typed<T: JsonSchema + DeserializeOwned>(value: &Value) -> Result<T, Vec<String>> {
    let faults = faults(&schema_of::<T>(), value);
    if !faults.is_empty() {
        return Err(faults);
    }
    typed::read(value).map_err(|error| vec![format!("$: {error}")])
}
