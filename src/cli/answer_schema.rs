//! Types for documents that combine several records, used only to generate schemas. The integration tests check real
//! answers against them.

#![allow(dead_code)] // No values of these types are ever made.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::model::Stamp;

/// A record whose fields merge by stamps.
#[derive(JsonSchema)]
pub(super) struct Clocked<T> {
    #[schemars(flatten)]
    record: T,
    #[schemars(schema_with = "clock", required)]
    clock: (),
}

/// The root record. It has no clock when it is created.
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
