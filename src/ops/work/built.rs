//! The answer of a builder: a report as `done --result` takes it, or a failure.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::ExecutorReport;
use crate::agent::answer::{AnswerKind, With, faults, schema_of};
use crate::model::{Failure, TaskId};

/// The outcome of executing a plan.
#[derive(Debug, Clone)]
pub(crate) enum Built {
    /// It is done, according to the builder.
    Completed(Box<ExecutorReport>),
    /// It failed.
    Failed(Failure),
}

impl JsonSchema for Built {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Built".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = ExecutorReport::json_schema(generator);
        schema.insert("required".into(), json!(["status"]));
        schema.insert(
            "description".into(),
            "The outcome of executing a plan: a report, or the errors of a failure.".into(),
        );
        if let Some(status) = schema.pointer_mut("/properties/status") {
            *status = json!({"description": "How it ended.", "enum": ["completed", "failed"]});
        }
        schema
    }
}

impl AnswerKind for Built {
    fn schema() -> Value {
        schema_of::<With<Self>>()
    }

    fn read(value: &Value) -> Result<Self, Vec<String>> {
        let faults = faults(&Self::schema(), value);
        if !faults.is_empty() {
            return Err(faults);
        }
        if value["status"] == "failed" {
            return Ok(Self::Failed(failure(value)));
        }
        let report = ExecutorReport::parse(value.clone(), "the answer", None);
        report
            .map(|report| Self::Completed(Box::new(report)))
            .map_err(|refusal| vec![format!("$: {}", refusal.message)])
    }
}

/// The failure, from the errors and the summary. The first error that is an object gives the details.
fn failure(value: &Value) -> Failure {
    let none = Vec::new();
    let errors = value["errors"].as_array().unwrap_or(&none);
    let mut failure = errors.iter().find_map(Value::as_object).map(known).unwrap_or_default();
    if failure.message.is_none() {
        let mut words: Vec<String> = errors
            .iter()
            .map(|error| error.as_str().map_or_else(|| error.to_string(), str::to_owned))
            .filter(|text| !text.trim().is_empty())
            .collect();
        if words.is_empty() {
            words.extend(value["summary"].as_str().map(str::to_owned));
        }
        failure.message =
            Some(if words.is_empty() { "the agent failed".to_owned() } else { words.join("; ") });
    }
    failure
}

/// The fields of an error that a failure also has, if they are texts.
fn known(error: &Map<String, Value>) -> Failure {
    Failure {
        task_id: text(error, "task_id").map(TaskId::from),
        error_type: text(error, "error_type"),
        message: text(error, "message"),
        stack_trace: text(error, "stack_trace"),
    }
}

fn text(error: &Map<String, Value>, name: &str) -> Option<String> {
    error.get(name).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(value: &Value) -> Failure {
        match Built::read(value).unwrap() {
            Built::Failed(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_result_of_the_handbook_is_read() {
        let result = json!({
            "status": "completed", "files_modified": ["src/auth.ts"], "commit_hash": "abc123def456",
            "tests_passed": true, "acceptance_verified": true, "errors": []
        });
        assert!(matches!(Built::read(&result).unwrap(), Built::Completed(_)));
    }

    #[test]
    fn a_failure_says_what_its_errors_say() {
        let result = json!({"status": "failed", "errors": ["2 tests failed", {"task_id": "T2", "code": 7}]});
        let failure = failed(&result);
        assert_eq!(
            (failure.task_id.as_deref(), failure.message.as_deref()),
            (Some("T2"), Some("2 tests failed; {\"task_id\":\"T2\",\"code\":7}"))
        );
        let result =
            json!({"status": "failed", "errors": [{"error_type": "test_failure", "message": "2 failed"}]});
        assert_eq!(failed(&result).message.as_deref(), Some("2 failed"));
        assert_eq!(failed(&json!({"status": "failed", "summary": "no"})).message.as_deref(), Some("no"));
        assert_eq!(failed(&json!({"status": "failed"})).message.as_deref(), Some("the agent failed"));
    }

    #[test]
    fn what_is_no_result_is_told_with_its_place() {
        for (value, place) in [
            (json!({"files_modified": []}), "`status` is missing"),
            (json!({"status": "done"}), "$.status: "),
            (json!({"status": "completed", "commit_hash": "HEAD"}), "$.commit_hash: "),
            (json!({"status": "completed", "files_modified": [1]}), "$.files_modified[0]: "),
            (json!({"status": "completed", "more": 1}), "$.more: is not a known field"),
        ] {
            let faults = Built::read(&value).unwrap_err();
            assert!(faults[0].contains(place), "{faults:?}");
        }
    }
}
