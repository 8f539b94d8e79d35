//! Results of tests: the last ones of each execution, and each output once.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The field of a check with the end of its output.
pub(super) const OUTPUT: &str = "output_tail";
/// Replaces an output that the answer already has.
const AGAIN: &str = "(as above)";

/// The results that were left out.
#[derive(Debug, Default)]
pub(super) struct Dropped {
    /// Their number.
    pub(super) number: usize,
    /// The executions that they belong to.
    pub(super) executions: Vec<String>,
}

/// Keeps the last result of each test of each execution. Tasks may share a test: its output is given once.
pub(super) fn newest(answer: &mut Value) -> Dropped {
    let (mut dropped, mut seen) = (Dropped::default(), HashSet::new());
    look(answer, &mut dropped, &mut seen);
    dropped
}

fn look(value: &mut Value, dropped: &mut Dropped, seen: &mut HashSet<(String, String)>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| look(item, dropped, seen)),
        Value::Object(fields) => {
            let id = ["execution_id", "id"].iter().find_map(|name| fields.get(*name)?.as_str());
            let id = id.map(str::to_owned);
            for (name, value) in fields.iter_mut() {
                match value {
                    Value::Array(checks) if name == "checks" && checks.iter().all(is_check) => {
                        let number = thin(checks, seen);
                        dropped.number += number;
                        if number > 0 {
                            dropped.executions.extend(id.clone());
                        }
                    }
                    other => look(other, dropped, seen),
                }
            }
        }
        _ => {}
    }
}

fn is_check(value: &Value) -> bool {
    value.get("command").is_some_and(Value::is_string)
}

fn text(check: &Value, name: &str) -> String {
    check[name].as_str().unwrap_or_default().to_owned()
}

/// Returns how many results it left out.
fn thin(checks: &mut Vec<Value>, seen: &mut HashSet<(String, String)>) -> usize {
    let before = checks.len();
    let mut later = HashSet::new();
    checks.reverse();
    checks.retain(|check| later.insert((text(check, "task_id"), text(check, "command"))));
    checks.reverse();
    for check in checks.iter_mut() {
        let output = text(check, OUTPUT);
        if output.len() > AGAIN.len()
            && !seen.insert((text(check, "command"), output))
            && let Some(fields) = check.as_object_mut()
        {
            set(fields, OUTPUT, AGAIN);
        }
    }
    before - checks.len()
}

fn set(fields: &mut Map<String, Value>, name: &str, text: &str) {
    fields.insert(name.to_owned(), text.into());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(task: &str, output: &str) -> Value {
        json!({ "task_id": task, "command": "make test", "output_tail": output })
    }

    #[test]
    fn the_last_results_stay_and_an_output_is_given_once() {
        let (first, last) = ("all of it failed", "all of it passed");
        let checks = [check("T1", first), check("T2", first), check("T1", last), check("T2", last)];
        let mut answer = json!({ "ended": { "id": "EXE-1", "checks": checks } });
        let dropped = newest(&mut answer);
        assert_eq!((dropped.number, dropped.executions), (2, vec!["EXE-1".to_owned()]));
        assert_eq!(answer["ended"]["checks"], json!([check("T1", last), check("T2", AGAIN)]));
        assert_eq!(newest(&mut answer).number, 0);
    }

    #[test]
    fn what_is_no_check_stays() {
        let mut answer = json!({ "checks": ["make test", "make test"] });
        let before = answer.clone();
        assert_eq!((newest(&mut answer).number, answer), (0, before));
    }
}
