//! A plan as it was given, which is what records hold.

use std::ops::Deref;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Error, Value};

use super::{Plan, typed};

/// The JSON of a plan, as it was given, and what it says. There is none for JSON that is not a plan.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlanJson {
    given: Value,
    read: Plan,
}

impl PlanJson {
    /// Reads a plan; an error for JSON whose members have other types.
    pub(crate) fn new(given: Value) -> Result<Self, Error> {
        Ok(Self { read: typed::read(&given)?, given })
    }

    /// What it says.
    pub(crate) fn typed(&self) -> &Plan {
        &self.read
    }
}

impl Deref for PlanJson {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.given
    }
}

impl From<PlanJson> for Value {
    fn from(plan: PlanJson) -> Self {
        plan.given
    }
}

impl Serialize for PlanJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.given.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PlanJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(typed::any(deserializer)?).map_err(|error| D::Error::custom(format!("plan: {error}")))
    }
}

impl schemars::JsonSchema for PlanJson {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Plan::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Plan::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_a_plan_is_refused_and_never_an_empty_plan() {
        for wrong in
            [json!(null), json!([]), json!("a"), json!({}), json!({"tasks": 1}), json!({"tasks": [1]})]
        {
            assert!(PlanJson::new(wrong.clone()).is_err(), "{wrong}");
            assert!(
                typed::read::<PlanJson>(&wrong).unwrap_err().to_string().starts_with("plan: "),
                "{wrong}"
            );
        }
        let given = r#"{"tasks":[{"title":"t","id":"T1","action":"Fix","more":1.50}],"a":1e5}"#;
        let plan = PlanJson::new(crate::model::strict::parse(given.as_bytes()).unwrap()).unwrap();
        assert_eq!((plan.typed().tasks.len(), serde_json::to_string(&plan).unwrap().as_str()), (1, given));
    }
}
