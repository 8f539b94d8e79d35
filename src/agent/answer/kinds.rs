//! Answers that are completely described by their schema.

use serde_json::Value;

use super::{AnswerKind, Strict, With, faults, schema_of};
use crate::model::{Exploration, typed};

impl AnswerKind for Exploration {
    fn schema() -> Value {
        schema_of::<With<Strict<Self>>>()
    }

    fn read(value: &Value) -> Result<Self, Vec<String>> {
        let faults = faults(&Self::schema(), value);
        if !faults.is_empty() {
            return Err(faults);
        }
        typed::read(value).map_err(|error| vec![format!("$: {error}")])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_has_no_other_fields_anywhere() {
        let mut answer = json!({
            "issue_id": "ISS-001", "relevant_files": [{"path": "a", "relevance": 1}], "dependencies": [],
            "impact_scope": "low", "existing_patterns": [], "key_findings": ["one"],
            "complexity_assessment": "Low", "_metadata": {"any": "thing"}
        });
        assert!(Exploration::read(&answer).is_ok());
        answer["relevant_files"][0]["more"] = json!(1);
        answer["plan"] = json!({});
        assert_eq!(
            Exploration::read(&answer).unwrap_err(),
            ["$.relevant_files[0].more: is not a known field", "$.plan: is not a known field"]
        );
    }
}
