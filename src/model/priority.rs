//! Priorities: 1 is critical, everywhere.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// 1 critical, 2 high, 3 medium, 4 low, 5 trivial. Written as a number, read as a number or a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Priority(u8);

impl Default for Priority {
    /// Medium.
    fn default() -> Self {
        Self(3)
    }
}

impl Priority {
    /// The words, the most urgent first.
    pub(crate) const NAMES: [&str; 5] = ["critical", "high", "medium", "low", "trivial"];

    /// `None` outside 1 to 5.
    pub(crate) fn new(number: u64) -> Option<Self> {
        (1..=5).contains(&number).then_some(Self(number as u8))
    }

    /// A number or a name, in any case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let name = text.trim().to_ascii_lowercase();
        let by_name = Self::NAMES.iter().position(|known| *known == name).map(|at| Self(at as u8 + 1));
        by_name.or_else(|| name.parse().ok().and_then(Self::new))
    }

    /// A JSON number or text, as plans have both.
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::parse(text),
            Value::Number(number) => number.as_u64().and_then(Self::new),
            _ => None,
        }
    }

    /// 1 to 5.
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// The word.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES[usize::from(self.0) - 1]
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = if deserializer.is_human_readable() {
            Value::deserialize(deserializer)?
        } else {
            // Binary formats store the number.
            Value::from(u8::deserialize(deserializer)?)
        };
        Self::from_json(&value).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "{value} is not a priority: 1 (critical) to 5 (trivial), or its name"
            ))
        })
    }
}

impl JsonSchema for Priority {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Priority".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let variants = if generator.contract().is_serialize() { vec![number()] } else { variants() };
        schemars::json_schema!({
            "description": "1 critical, 2 high, 3 medium, 4 low, 5 trivial",
            "anyOf": variants
        })
    }
}

fn number() -> Value {
    serde_json::json!({ "type": "integer", "minimum": 1, "maximum": 5 })
}

/// Every form in which a priority is read, for JSON Schema.
pub(super) fn variants() -> Vec<Value> {
    let mut variants = vec![number()];
    variants.extend(super::plan_schema::words(&Priority::NAMES));
    variants.push(serde_json::json!({ "type": "string", "pattern": r"^\s*[1-5]\s*$" }));
    variants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_critical_whether_by_number_or_by_name() {
        assert_eq!(Priority::parse("1"), Priority::parse("Critical"));
        assert_eq!(Priority::parse("2").unwrap().name(), "high");
        assert_eq!(serde_json::to_string(&Priority::parse("trivial").unwrap()).unwrap(), "5");
        for wrong in ["0", "6", "urgent", "", "-1"] {
            assert!(Priority::parse(wrong).is_none(), "{wrong}");
        }
    }
}
