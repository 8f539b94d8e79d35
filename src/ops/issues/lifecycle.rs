//! The lifecycle requirements of an issue, limited to known words.

use serde::Deserialize;
use serde_json::Value;

use crate::model::{
    AcceptanceType, Code, CommitStrategy, LifecycleRequirements, RegressionScope, TestStrategy,
};
use crate::ops::Refusal;

/// Requirements for how the issue is worked on, limited to the words below.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lifecycle {
    test_strategy: Option<TestStrategy>,
    regression_scope: Option<RegressionScope>,
    acceptance_type: Option<AcceptanceType>,
    commit_strategy: Option<CommitStrategy>,
}

impl Lifecycle {
    /// The accepted words of each field.
    fn words() -> [(&'static str, String); 4] {
        [
            ("test_strategy", TestStrategy::words()),
            ("regression_scope", RegressionScope::words()),
            ("acceptance_type", AcceptanceType::words()),
            ("commit_strategy", CommitStrategy::words()),
        ]
    }

    /// Refuses other words, naming their field.
    pub(super) fn check(value: &Value) -> Result<(), Refusal> {
        let Some(given) = value.get("lifecycle_requirements").and_then(|value| value.as_object()) else {
            return Ok(());
        };
        for (name, words) in Self::words() {
            match given.get(name) {
                None | Some(Value::Null) => {}
                Some(Value::String(word)) if words.split(", ").any(|known| known == word) => {}
                Some(other) => {
                    let word = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
                    let message = format!("lifecycle_requirements.{name} cannot be `{word}`");
                    return Err(
                        Refusal::new(Code::InvalidWord, message).hint(format!("expected one of {words}"))
                    );
                }
            }
        }
        Ok(())
    }
}

impl From<Lifecycle> for LifecycleRequirements {
    fn from(lifecycle: Lifecycle) -> Self {
        Self {
            test_strategy: lifecycle.test_strategy.map(|word| word.to_string()),
            regression_scope: lifecycle.regression_scope.map(|word| word.to_string()),
            acceptance_type: lifecycle.acceptance_type.map(|word| word.to_string()),
            commit_strategy: lifecycle.commit_strategy.map(|word| word.to_string()),
        }
    }
}
