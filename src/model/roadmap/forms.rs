//! Parts of a roadmap that planners write in several forms.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::MOST_LINES;
use crate::model::typed;

/// Something that could go wrong: a text, or an object.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Risk {
    /// What.
    pub(crate) risk: String,
    /// How bad it would be: low, medium, high, or any other word.
    pub(crate) severity: Option<String>,
    /// What is done about it.
    pub(crate) mitigation: Option<String>,
}

/// The members of a risk as planners write it.
#[derive(Deserialize, JsonSchema)]
struct RiskObject {
    /// What could go wrong.
    #[serde(alias = "description", alias = "item")]
    risk: String,
    /// How bad it would be: low, medium, high, or any other word.
    #[serde(default, alias = "impact")]
    severity: Option<String>,
    /// What is done about it.
    #[serde(default)]
    mitigation: Option<String>,
}

impl<'de> Deserialize<'de> for Risk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = typed::any(deserializer)?;
        if let Value::String(risk) = value {
            return Ok(Self { risk, severity: None, mitigation: None });
        }
        let RiskObject { risk, severity, mitigation } = typed::read(&value).map_err(D::Error::custom)?;
        Ok(Self { risk, severity, mitigation })
    }
}

impl JsonSchema for Risk {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Risk".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let object = generator.subschema_for::<RiskObject>();
        schemars::json_schema!({
            "description": "something that could go wrong: a text, or an object",
            "anyOf": [{"type": "string"}, object]
        })
    }
}

/// A list of texts; one text is a list of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TextList(pub(crate) Vec<String>);

impl TextList {
    /// Whether the list has no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, String> {
        self.0.iter()
    }
}

impl<'de> Deserialize<'de> for TextList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match typed::any(deserializer)? {
            Value::String(one) => Ok(Self(vec![one])),
            list => typed::read::<Vec<String>>(&list).map(Self).map_err(D::Error::custom),
        }
    }
}

pub(super) fn lines_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let list = json!({"type": "array", "items": {"type": "string"}, "maxItems": MOST_LINES});
    schemars::json_schema!({"anyOf": [{"type": "string"}, list]})
}
