//! Schemas that others publish, as `tests/fixtures/schemas/` has them.

use serde_json::Value;

/// A schema of a format that this program writes.
pub(crate) struct Published(jsonschema::Validator);

impl Published {
    /// The schema with this file name.
    pub(crate) fn schema(name: &str) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/schemas");
        let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        Self(jsonschema::options().should_validate_formats(true).build(&schema).unwrap())
    }

    #[track_caller]
    pub(crate) fn fits(&self, document: &Value) {
        let faults: Vec<String> =
            self.0.iter_errors(document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{faults:#?}\n{document:#}");
    }
}
