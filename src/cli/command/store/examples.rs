//! One example of each kind of document that people and agents read or write by hand. It is part of the schema.

use serde_json::Value;

/// By the name of the kind.
const EXAMPLES: &str = include_str!("examples.json");

/// The example of a kind; `None` if the schema is clear enough.
pub(in crate::cli) fn find(kind: &str) -> Option<Value> {
    let mut all: Value = serde_json::from_str(EXAMPLES).ok()?;
    all.as_object_mut()?.shift_remove(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::schemas::{self, Sort};
    use crate::model::record::check_id;
    use crate::rules::plan_check;

    #[test]
    fn each_example_is_what_its_schema_describes() {
        let all: Value = serde_json::from_str(EXAMPLES).unwrap();
        for (name, example) in all.as_object().unwrap() {
            let kind = schemas::find(name).unwrap_or_else(|| panic!("there is no kind `{name}`"));
            let schema = jsonschema::draft202012::new(&kind.schema()).unwrap();
            let faults: Vec<String> = schema.iter_errors(example).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{name}: {faults:#?}");
            assert_eq!(kind.schema()["examples"], serde_json::json!([example]));
        }
    }

    #[test]
    fn the_ids_of_records_that_are_written_once_are_made_of_what_they_say() {
        let all: Value = serde_json::from_str(EXAMPLES).unwrap();
        for name in
            all.as_object().unwrap().keys().filter(|name| schemas::find(name).unwrap().sort == Sort::Record)
        {
            let example = &all[name];
            if let Some(id) = example["id"].as_str() {
                assert_eq!(check_id(id, example), Ok(()), "{name}");
            }
        }
    }

    #[test]
    fn what_is_stored_or_handed_in_has_one() {
        let written = schemas::KINDS.iter().filter(|kind| kind.sort != Sort::Answer);
        let missing = written.filter(|kind| !kind.schema()["examples"].is_array());
        let missing: Vec<&str> = missing.map(|kind| kind.name).collect();
        assert!(missing.is_empty(), "src/cli/examples.json has no example of {}", missing.join(", "));
    }

    #[test]
    fn who_writes_a_plan_like_the_example_writes_a_good_one() {
        let report = plan_check::examine(&find("solution").unwrap(), plan_check::PlanSetting::default());
        assert_eq!((report.findings.len(), report.quality.total()), (0, 1.0));
    }
}
