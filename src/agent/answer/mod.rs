//! The answer of an agent: a JSON document of a known kind, found in the agent's output and checked strictly against
//! its schema.

mod aside;
mod find;
mod kinds;
mod schema;

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use aside::{CommonMembers, With};

use crate::model::agent_session::ToldOfSession;
use crate::model::typed;

/// A kind of answer.
pub(crate) trait AnswerKind: Sized {
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
pub(crate) enum NotAnAnswer {
    /// It contains no JSON.
    Nothing,
    /// It contains JSON, with these errors.
    Faults(Vec<String>),
}

/// An answer, as it was found in an agent's output.
#[derive(Debug)]
pub(crate) struct ReadAnswer<A> {
    /// The answer.
    pub(crate) answer: A,
    /// What the agent added to it.
    pub(crate) aside: CommonMembers,
    /// All of it, as it was written.
    pub(crate) value: Value,
}

/// Whether there is JSON in an agent's output, whether or not it is a valid answer.
pub(crate) fn is_any(text: &str) -> bool {
    let found = find::find(text);
    !found.values.is_empty() || found.broken.is_some()
}

/// What an agent tells of its session in an answer that is invalid otherwise.
pub(crate) fn told_of_session(text: &str) -> ToldOfSession {
    let found = find::find(text);
    let mut told = found.values.iter().filter_map(|value| read_typed(value.get("session")?).ok());
    told.next().unwrap_or_default()
}

/// The answer in an agent's output.
pub(crate) fn read<A: AnswerKind>(text: &str) -> Result<ReadAnswer<A>, NotAnAnswer> {
    let found = find::find(text);
    let mut longest: Option<(usize, Vec<String>)> = None;
    for value in found.values {
        let read = CommonMembers::split(&value).and_then(|(rest, aside)| Ok((A::read(&rest)?, aside)));
        let faults = match read {
            Ok((answer, aside)) => return Ok(ReadAnswer { answer, aside, value }),
            Err(faults) => faults,
        };
        let length = value.to_string().len();
        if longest.as_ref().is_none_or(|(other, _)| length > *other) {
            longest = Some((length, faults));
        }
    }
    match (found.broken, longest) {
        (Some(why), _) => Err(NotAnAnswer::Faults(vec![format!("$: not JSON: {why}")])),
        (None, Some((_, faults))) => Err(NotAnAnswer::Faults(faults)),
        (None, None) => Err(NotAnAnswer::Nothing),
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

/// The schema of a `T` without other fields than its own, in itself and in what it consists of. For an answer that is kept
/// as a record, since a record may have fields of a later version.
pub(crate) struct Strict<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Strict<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        if let Some(object) = schema.as_object_mut() {
            close(object);
        }
        generator.definitions_mut().values_mut().filter_map(Value::as_object_mut).for_each(close);
        schema
    }
}

fn close(schema: &mut Map<String, Value>) {
    if schema.contains_key("properties") {
        schema.entry("additionalProperties").or_insert(Value::Bool(false));
    }
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
