//! Answers that are completely described by their schema.

use serde_json::Value;

use super::{Answer, read_typed, schema_of};
use crate::model::exploration::Exploration;

impl Answer for Exploration {
    fn schema() -> Value {
        schema_of::<Self>()
    }

    fn read(value: &Value) -> Result<Self, Vec<String>> {
        read_typed(value)
    }
}
