//! The settings of tests in manifests: whether two versions of a manifest have the same, and one version with the settings of
//! the other. So a work that adds a dependency changes no test.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::test_files::{ManifestKind, TestFiles};

mod makefile;
mod sections;

/// A larger manifest is put back as a whole.
const LARGEST: usize = 1024 * 1024;

/// Where a `Cargo.toml` has settings of tests.
const CARGO: &[&[&str]] = &[
    &["test"],
    &["profile", "test"],
    &["profile", "dev"],
    &["package", "autotests"],
    &["package", "metadata", "nextest"],
    &["workspace", "metadata", "nextest"],
    &["lib", "test"],
    &["lib", "doctest"],
    &["lib", "harness"],
];

/// Where a `pyproject.toml` has them.
const PYPROJECT: &[&[&str]] = &[
    &["tool", "pytest"],
    &["tool", "coverage"],
    &["tool", "tox"],
    &["tool", "nox"],
    &["tool", "hatch", "envs"],
    &["tool", "pdm", "scripts"],
    &["tool", "poe"],
    &["tool", "taskipy"],
];

/// Where a `package.json` has them, besides its scripts.
const PACKAGE: &[&[&str]] =
    &[&["jest"], &["mocha"], &["ava"], &["vitest"], &["nyc"], &["c8"], &["tap"], &["bin"], &["config"]];

/// How a manifest relates to an earlier version of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingsChange {
    /// The settings of tests are the same.
    Same,
    /// They differ; this is the later version with the settings of the earlier one.
    Restored(String),
    /// They may differ, and the two versions cannot be taken apart.
    Unclear,
}

/// Compares a manifest with an earlier version of it; `None` stands for no file.
pub(crate) fn compare(kind: ManifestKind, old: Option<&str>, new: &str, files: &TestFiles) -> SettingsChange {
    if new.len() > LARGEST || old.is_some_and(|old| old.len() > LARGEST) {
        return SettingsChange::Unclear;
    }
    match kind {
        ManifestKind::Cargo => of_toml(CARGO, old, new),
        ManifestKind::Pyproject => of_toml(PYPROJECT, old, new),
        ManifestKind::Scripts => of_scripts(old, new, files),
        ManifestKind::SetupCfg => changed(new, sections::restored(old.unwrap_or_default(), new)),
        ManifestKind::Make => changed(new, makefile::restored(old.unwrap_or_default(), new, files)),
    }
}

fn changed(new: &str, restored: String) -> SettingsChange {
    if restored == new { SettingsChange::Same } else { SettingsChange::Restored(restored) }
}

fn of_toml(places: &[&[&str]], old: Option<&str>, new: &str) -> SettingsChange {
    let (Some(old), Some(mut new)) = (parse(old.unwrap_or_default()), parse(new)) else {
        return SettingsChange::Unclear;
    };
    let before = new.clone();
    for place in places {
        put_toml(&mut new, place, get_toml(&old, place));
    }
    if new == before {
        return SettingsChange::Same;
    }
    toml::to_string(&new).map_or(SettingsChange::Unclear, SettingsChange::Restored)
}

fn parse(text: &str) -> Option<toml::Table> {
    toml::from_str(text.trim_start_matches('\u{feff}')).ok()
}

fn get_toml(table: &toml::Table, place: &[&str]) -> Option<toml::Value> {
    let (first, rest) = place.split_first()?;
    let value = table.get(*first)?;
    if rest.is_empty() { Some(value.clone()) } else { get_toml(value.as_table()?, rest) }
}

fn put_toml(table: &mut toml::Table, place: &[&str], value: Option<toml::Value>) {
    let Some((first, rest)) = place.split_first() else { return };
    match (rest.is_empty(), value) {
        (true, Some(value)) => {
            table.insert((*first).to_owned(), value);
        }
        (true, None) => {
            table.remove(*first);
        }
        (false, value) => {
            if value.is_some() && !table.get(*first).is_some_and(toml::Value::is_table) {
                table.insert((*first).to_owned(), toml::Value::Table(toml::Table::new()));
            }
            if let Some(toml::Value::Table(inner)) = table.get_mut(*first) {
                put_toml(inner, rest, value);
            }
        }
    }
}

/// `package.json` and `composer.json`: the scripts that run tests, and the settings of runners.
fn of_scripts(old: Option<&str>, new: &str, files: &TestFiles) -> SettingsChange {
    let parse =
        |text: &str| serde_json::from_str::<Map<String, Value>>(text.trim_start_matches('\u{feff}')).ok();
    let (Some(old), Some(mut new)) = (parse(old.unwrap_or("{}")), parse(new)) else {
        return SettingsChange::Unclear;
    };
    let before = new.clone();
    for [name] in PACKAGE.iter().filter_map(|place| <[&str; 1]>::try_from(*place).ok()) {
        put(&mut new, name, old.get(name));
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

fn scripts_of(files: &TestFiles, manifest: &Map<String, Value>) -> BTreeMap<String, Value> {
    let all = manifest.get("scripts").and_then(Value::as_object).into_iter().flatten();
    all.filter(|(name, _)| files.is_test_target(name))
        .map(|(name, target)| (name.clone(), target.clone()))
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn files(command: &str) -> TestFiles {
        TestFiles::new(&[], &[], &[command])
    }

    fn restored(kind: ManifestKind, old: &str, new: &str) -> Option<String> {
        match compare(kind, Some(old), new, &files("npm run verify")) {
            SettingsChange::Same => None,
            SettingsChange::Restored(text) => Some(text),
            SettingsChange::Unclear => Some("unclear".into()),
        }
    }

    #[test]
    fn a_dependency_changes_no_test() {
        let old = "[package]\nname = \"a\"\n\n[dependencies]\n";
        assert_eq!(
            restored(ManifestKind::Cargo, old, "[package]\nname = \"a\"\n\n[dependencies]\nb = \"1\"\n"),
            None
        );
        assert_eq!(
            restored(
                ManifestKind::Scripts,
                r#"{"scripts": {"test": "jest"}}"#,
                r#"{"scripts": {"test": "jest", "build": "tsc"}, "dependencies": {"a": "1"}}"#
            ),
            None
        );
        assert_eq!(
            restored(ManifestKind::SetupCfg, "[metadata]\nname = a\n", "[metadata]\nname = b\n"),
            None
        );
        assert_eq!(restored(ManifestKind::Make, "build:\n\tcc a.c\n", "build:\n\tcc a.c b.c\n"), None);
    }

    #[test]
    fn settings_of_tests_are_put_back() {
        let toml = restored(
            ManifestKind::Cargo,
            "[package]\nname = \"a\"\n",
            "package.name = \"a\"\npackage.version = \"2\"\nlib.test = false\n",
        )
        .unwrap();
        assert!(toml.contains("version = \"2\"") && !toml.contains("test = false"), "{toml}");
        let toml = restored(
            ManifestKind::Pyproject,
            "[tool.pytest.ini_options]\naddopts = \"-x\"\n",
            "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"--co\"\n",
        )
        .unwrap();
        assert!(toml.contains("\"-x\"") && toml.contains("name = \"a\""), "{toml}");
        let json = restored(
            ManifestKind::Scripts,
            r#"{"scripts": {"test": "jest", "verify": "a"}}"#,
            r#"{"scripts": {"test": "true", "pretest": "rm -r tests", "build": "tsc"}, "jest": {"bail": 0}}"#,
        )
        .unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json, serde_json::json!({"scripts": {"test": "jest", "verify": "a", "build": "tsc"}}));
        let cfg = restored(
            ManifestKind::SetupCfg,
            "[metadata]\nname = a\n[tool:pytest]\naddopts = -x\n",
            "[tool:pytest]\naddopts = --co\n[metadata]\nname = b\n",
        )
        .unwrap();
        assert_eq!(cfg, "[metadata]\nname = b\n[tool:pytest]\naddopts = -x\n");
        let make = restored(
            ManifestKind::Make,
            "RUN = pytest\ntest: build\n\t$(RUN)\n",
            "RUN = true\nbuild:\n\tcc a.c\ntest:\n\t$(RUN)\n",
        )
        .unwrap();
        assert_eq!(make, "build:\n\tcc a.c\nRUN = pytest\ntest: build\n\t$(RUN)\n");
    }

    #[test]
    fn what_cannot_be_read_is_unclear() {
        assert_eq!(restored(ManifestKind::Cargo, "[package]\n", "[package\n").as_deref(), Some("unclear"));
        assert_eq!(restored(ManifestKind::Scripts, "{", "{}").as_deref(), Some("unclear"));
    }
}
