//! `package.json` and `composer.json`: the scripts that run tests, and the settings of runners.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::SettingsChange;
use crate::rules::test_files::TestFiles;

/// Where a `package.json` has settings of tests, besides its scripts.
const PACKAGE: &[&str] =
    &["jest", "mocha", "ava", "vitest", "nyc", "c8", "tap", "bin", "config", "babel", "workspaces"];

/// What runs a script by its name.
const CALLERS: &[&str] = &["npm", "yarn", "pnpm", "bun", "composer", "run-s", "run-p", "npm-run-all", "run"];

/// Compares the later version with the earlier one.
pub(super) fn compare(old: Option<&str>, new: &str, files: &TestFiles) -> SettingsChange {
    let (Some(old), Some(mut new)) = (parse(old.unwrap_or("{}")), parse(new)) else {
        return SettingsChange::Unclear;
    };
    let before = new.clone();
    for name in PACKAGE {
        put(&mut new, name, old.get(*name));
    }
    let (earlier, later) = (scripts_of(files, &old), scripts_of(files, &new));
    if earlier != later {
        let all = new.entry("scripts").or_insert_with(|| Value::Object(Map::new()));
        if !all.is_object() {
            *all = Value::Object(Map::new());
        }
        if let Value::Object(all) = all {
            all.retain(|name, _| !later.contains_key(name));
            all.extend(earlier);
        }
    }
    if new == before {
        return SettingsChange::Same;
    }
    SettingsChange::Restored(format!("{:#}\n", Value::Object(new)))
}

fn parse(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// The commands of the scripts that run tests.
pub(in crate::rules) fn script_lines(text: &str, files: &TestFiles) -> Vec<String> {
    let manifest = parse(text).unwrap_or_default();
    scripts_of(files, &manifest).values().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The scripts that run tests, those that these call, and those that run before and after them.
fn scripts_of(files: &TestFiles, manifest: &Map<String, Value>) -> BTreeMap<String, Value> {
    let empty = Map::new();
    let all = manifest.get("scripts").and_then(Value::as_object).unwrap_or(&empty);
    let mut open: Vec<&String> = all.keys().filter(|name| files.is_test_target(name)).collect();
    let mut found = BTreeMap::new();
    while let Some(name) = open.pop() {
        let Some(command) = all.get(name) else { continue };
        if found.insert(name.clone(), command.clone()).is_some() {
            continue;
        }
        let words: Vec<&str> = command.as_str().unwrap_or_default().split_whitespace().collect();
        let calls = words.iter().any(|word| CALLERS.contains(word));
        let called = all.keys().filter(|other| calls && words.contains(&other.as_str()));
        open.extend(called.chain(all.keys().filter(|other| is_around(other, name))));
    }
    found
}

/// Whether a script runs before or after another one, by its name.
fn is_around(name: &str, other: &str) -> bool {
    ["pre", "post"].iter().any(|prefix| name.strip_prefix(prefix) == Some(other))
}

fn put(object: &mut Map<String, Value>, name: &str, value: Option<&Value>) {
    match value {
        Some(value) if object.get(name) == Some(value) => {}
        Some(value) => {
            object.insert(name.to_owned(), value.clone());
        }
        None => {
            object.remove(name);
        }
    }
}
