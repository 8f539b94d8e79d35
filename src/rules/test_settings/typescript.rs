//! `tsconfig.json`: which files are checked, and how strictly. Everything else in it, such as where imports lead, belongs to the
//! code.

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Map, Value};

use super::SettingsChange;

/// What was listed stays listed; where nothing was listed, everything is.
const LISTS: &[&str] = &["files", "include", "references"];
/// What stays as it was.
const WHOLE: &[&str] = &["extends", "ts-node"];
/// The options that decide what the compiler objects to.
const CHECKS: &[&str] = &[
    "allowUnreachableCode",
    "allowUnusedLabels",
    "alwaysStrict",
    "checkJs",
    "exactOptionalPropertyTypes",
    "noCheck",
    "noEmitOnError",
    "noFallthroughCasesInSwitch",
    "noImplicitAny",
    "noImplicitOverride",
    "noImplicitReturns",
    "noImplicitThis",
    "noPropertyAccessFromIndexSignature",
    "noUncheckedIndexedAccess",
    "noUnusedLocals",
    "noUnusedParameters",
    "skipLibCheck",
    "strict",
    "strictBindCallApply",
    "strictBuiltinIteratorReturn",
    "strictFunctionTypes",
    "strictNullChecks",
    "strictPropertyInitialization",
    "useUnknownInCatchVariables",
];

type Members = Map<String, Value>;

/// Compares the later version with the earlier one. Without an earlier one, nothing was checked.
pub(super) fn compare(old: Option<&str>, new: &str) -> SettingsChange {
    let Some(old) = old else { return SettingsChange::Same };
    let (Some(old), Some(mut new)) = (parse(old), parse(new)) else { return SettingsChange::Unclear };
    let before = new.clone();
    for name in WHOLE {
        put(&mut new, name, old.get(*name).cloned());
    }
    for name in LISTS {
        let listed = old.get(*name).map(|old| joined(old, before.get(*name)));
        put(&mut new, name, listed);
    }
    if let Some(excluded) = before.get("exclude") {
        put(&mut new, "exclude", old.get("exclude").map(|old| common(excluded, old)));
    }
    let options = |members: &Members| members.get("compilerOptions").and_then(Value::as_object).cloned();
    let earlier = options(&old).unwrap_or_default();
    let mut later = options(&new).unwrap_or_default();
    for name in CHECKS {
        put(&mut later, name, earlier.get(*name).cloned());
    }
    if options(&new).unwrap_or_default() != later {
        new.insert("compilerOptions".into(), Value::Object(later));
    }
    if new == before {
        return SettingsChange::Same;
    }
    SettingsChange::Restored(format!("{:#}\n", Value::Object(new)))
}

/// The file may have comments and trailing commas.
fn parse(text: &str) -> Option<Members> {
    let read = parse_to_serde_value(text.trim_start_matches('\u{feff}'), &ParseOptions::default());
    read.ok()
}

fn put(members: &mut Members, name: &str, value: Option<Value>) {
    match value {
        Some(value) => members.insert(name.to_owned(), value),
        None => members.remove(name),
    };
}

/// The later list, and what it lacks of the earlier one.
fn joined(old: &Value, new: Option<&Value>) -> Value {
    let (Some(old), Some(Value::Array(new))) = (old.as_array(), new) else { return old.clone() };
    let gone = old.iter().filter(|entry| !new.contains(entry));
    new.iter().chain(gone).cloned().collect()
}

/// What both lists have.
fn common(new: &Value, old: &Value) -> Value {
    let (Some(old), Some(new)) = (old.as_array(), new.as_array()) else { return old.clone() };
    new.iter().filter(|entry| old.contains(entry)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const OLD: &str = "{\n  // what is built\n  \"include\": [\"src\"],\n  \"compilerOptions\": {\"strict\": true, \"target\": \"es2020\",},\n}\n";

    fn restored(new: &Value) -> Option<Value> {
        match compare(Some(OLD), &new.to_string()) {
            SettingsChange::Same => None,
            SettingsChange::Restored(text) => serde_json::from_str(&text).ok(),
            SettingsChange::Unclear => Some(json!("unclear")),
        }
    }

    #[test]
    fn where_imports_lead_belongs_to_the_code() {
        let new = json!({"include": ["src", "lib"], "compilerOptions": {"strict": true, "target": "es2022", "paths": {"@/*": ["./src/*"]}}});
        assert_eq!(restored(&new), None);
        assert_eq!(compare(None, "{\"include\": [\"src\"]}"), SettingsChange::Same);
    }

    #[test]
    fn what_is_checked_and_how_strictly_is_put_back() {
        let strict = json!({"strict": true});
        for (new, expected) in [
            (
                json!({"include": ["src"], "compilerOptions": {"strict": false, "skipLibCheck": true}}),
                json!({"include": ["src"], "compilerOptions": strict}),
            ),
            (
                json!({"include": ["lib"], "compilerOptions": strict}),
                json!({"include": ["lib", "src"], "compilerOptions": strict}),
            ),
            (
                json!({"include": ["src"], "exclude": ["src/bad.ts"], "compilerOptions": strict}),
                json!({"include": ["src"], "compilerOptions": strict}),
            ),
            (
                json!({"include": ["src"], "files": [], "extends": "./loose.json", "ts-node": {"require": ["./x"]}, "compilerOptions": strict}),
                json!({"include": ["src"], "compilerOptions": strict}),
            ),
        ] {
            assert_eq!(restored(&new), Some(expected), "{new}");
        }
        assert_eq!(compare(Some("{"), "{}"), SettingsChange::Unclear);
    }
}
