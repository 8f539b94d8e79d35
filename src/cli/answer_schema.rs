//! Types for documents that combine several records, used only to generate schemas. The integration tests check real
//! answers against them.

#![allow(dead_code)] // No values of these types are ever made.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::model::code::Code;
use crate::model::remedy::Remedy;
use crate::model::stamp::Stamp;

/// A record whose fields merge by stamps.
#[derive(JsonSchema)]
pub(super) struct Clocked<T> {
    #[schemars(flatten)]
    record: T,
    #[schemars(schema_with = "clock", required)]
    clock: (),
}

/// The root record: as it is made, it has no clock.
#[derive(JsonSchema)]
pub(super) struct OptionallyClocked<T> {
    #[schemars(flatten)]
    record: T,
    #[schemars(schema_with = "clock")]
    #[serde(default)]
    clock: (),
}

fn clock(generator: &mut SchemaGenerator) -> Schema {
    let stamp = generator.subschema_for::<Stamp>();
    json_schema!({
        "description": "The stamp of each field by which a merge decides. `*` is the record's birth and stands for \
            every field not named; `title` is a register, `tags/auth` an element of a set, `notes/first` a leaf of an \
            object, and `-tags/old` an element that was removed.",
        "type": "object",
        "properties": { "*": stamp },
        "additionalProperties": stamp
    })
}

/// One line with what is wrong, one with what to do.
#[derive(JsonSchema)]
pub(super) struct ErrorAnswer {
    error: ErrorBody,
}

#[derive(JsonSchema)]
struct ErrorBody {
    /// What is wrong, in a stable word for programs.
    code: Code,
    /// What is wrong, with the value in question.
    message: String,
    /// What to do about it.
    hint: Option<String>,
    /// Details, such as candidates or findings, one each.
    #[schemars(with = "Vec<String>", skip_serializing_if = "nothing")]
    details: (),
    /// What can be done about it and about its details: operations to call, or commands of other programs. The hint and
    /// the details say the same in words, and may add advice.
    #[schemars(with = "Vec<Remedy>", skip_serializing_if = "nothing")]
    remedies: (),
}
