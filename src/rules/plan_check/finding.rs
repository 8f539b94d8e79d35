//! What is wrong with a plan, or could be better.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::table::{PlanSeverity, Rule};
use crate::model::Shape;

/// The most characters of a value that are shown.
const LONGEST_SHOWN: usize = 60;

/// One thing that is wrong, or could be better.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PlanFinding {
    /// Where: `tasks[0].acceptance.criteria`.
    pub(crate) path: String,
    /// What was found, as JSON, cut if it is long; `nothing` if it is missing.
    pub(crate) found: String,
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// What is allowed there.
    pub(crate) allowed: String,
    /// What to do.
    pub(crate) remedy: &'static str,
    /// Whether it stops the plan.
    pub(crate) severity: PlanSeverity,
    /// How much quality it costs; absent if another finding in the same place already costs it, or nothing is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<f64>,
}

impl PlanFinding {
    pub(in crate::rules) fn new(
        rule: &Rule,
        path: impl Into<String>,
        found: Option<&Value>,
        allowed: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            found: found.map_or_else(|| "nothing".to_owned(), shown),
            rule: rule.name,
            allowed: allowed.into(),
            remedy: rule.remedy,
            severity: rule.severity,
            cost: None,
        }
    }

    /// Whether it stops the plan.
    pub(crate) fn is_error(&self) -> bool {
        self.severity == PlanSeverity::Error
    }
}

impl std::fmt::Display for PlanFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The value of a field that nobody reads is not what is wrong.
        if self.rule == super::table::MISSPELT.name {
            return write!(f, "{}: unknown field; expected {}", self.path, self.allowed);
        }
        write!(f, "{}: expected {}; found {}", self.path, self.allowed, self.found)
    }
}

/// With keys in order, so that it does not depend on how the plan was written.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Object(_) | Value::Array(_) => Shape::Any.order(value.clone()).to_string(),
        scalar => scalar.to_string(),
    };
    if text.chars().count() <= LONGEST_SHOWN {
        return text;
    }
    text.chars().take(LONGEST_SHOWN - 1).chain(['…']).collect()
}
