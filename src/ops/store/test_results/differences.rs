//! In what a statement about tests differs from the checks that are here.

use serde_json::Value;

use super::{ANNOTATION, TestPredicate};

/// What a statement says that the checks here do not.
pub(super) fn differences(stated: &TestPredicate, here: Option<&TestPredicate>) -> Vec<String> {
    let Some(here) = here else { return vec!["no check here covers this tree".to_owned()] };
    let mut found = Vec::new();
    if stated.result != here.result {
        found.push(format!("it says {}, and the checks here say {}", stated.result, here.result));
    }
    for name in stated.passed_tests.iter().filter(|name| !here.passed_tests.contains(name)) {
        found.push(format!("it says that `{name}` passed, which the checks here do not"));
    }
    for name in here.failed_tests.iter().filter(|name| !stated.failed_tests.contains(name)) {
        found.push(format!("it leaves out that `{name}` failed"));
    }
    if stated.url.is_some() && stated.url != here.url {
        found.push("its address is not that of the landing here".to_owned());
    }
    for descriptor in &stated.configuration {
        let name = &descriptor["name"];
        let execution = &descriptor["annotations"][ANNOTATION]["executionId"];
        let is_it = |known: &&Value| {
            known["uri"] == descriptor["uri"]
                && (execution.is_null() || known["annotations"][ANNOTATION]["executionId"] == *execution)
        };
        match here.configuration.iter().find(is_it) {
            Some(known) if known["digest"] == descriptor["digest"] => {
                found.extend(differing_annotations(descriptor, known));
            }
            Some(_) => found.push(format!("{name} is another version of the plan")),
            None => found.push(format!("no check here is of the plan {name}")),
        }
    }
    found
}

/// What the annotations of a plan say otherwise than those of the checks here. A signature may be left out.
fn differing_annotations(stated: &Value, known: &Value) -> Vec<String> {
    let (stated, known) = (&stated["annotations"][ANNOTATION], &known["annotations"][ANNOTATION]);
    let mut found = Vec::new();
    for field in ["issueId", "executionId", "actor"] {
        if !stated[field].is_null() && stated[field] != known[field] {
            found.push(format!("`{field}` is {}, and {} here", stated[field], known[field]));
        }
    }
    let checks = |of: &Value| of["checks"].as_array().cloned().unwrap_or_default();
    let known_checks = checks(known);
    for check in checks(stated) {
        let is_same =
            |known: &&Value| known["taskId"] == check["taskId"] && known["command"] == check["command"];
        let command = &check["command"];
        let Some(known) = known_checks.iter().find(is_same) else {
            found.push(format!("there is no check of {command} here"));
            continue;
        };
        for field in ["exitCode", "tests", "outputSha256", "commit", "proof"] {
            if check[field] != known[field] {
                found.push(format!("the check of {command} has another `{field}` here"));
            }
        }
        if !check["signature"].is_null() && check["signature"] != known["signature"] {
            found.push(format!("the check of {command} has another signature here"));
        }
    }
    found
}
