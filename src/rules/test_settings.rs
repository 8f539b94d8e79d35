//! The settings of tests in manifests: whether two versions of a manifest have the same, and one version with the settings of
//! the other. So a work that adds a dependency changes no test.

use super::TestFiles;
use super::test_files::ManifestKind;

mod builds;
mod makefile;
mod scripts;
mod sections;
mod typescript;

pub(super) use self::makefile::recipe_lines;
pub(super) use self::scripts::script_lines;

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
    &["workspace", "exclude"],
];

/// Where it lists what is tested: what was listed stays listed.
const CARGO_LISTS: &[&[&str]] =
    &[&["workspace", "members"], &["workspace", "default-members"], &["features", "default"]];

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
        ManifestKind::Cargo => of_toml(CARGO, CARGO_LISTS, old, new),
        ManifestKind::Pyproject => of_toml(PYPROJECT, &[], old, new),
        ManifestKind::Scripts => scripts::compare(old, new, files),
        ManifestKind::SetupCfg => changed(new, sections::restored(old.unwrap_or_default(), new)),
        ManifestKind::Make => changed(new, makefile::restored(old.unwrap_or_default(), new, files)),
        ManifestKind::TypeScript => typescript::compare(old, new),
        ManifestKind::Build if builds::differ_in_dependencies(old.unwrap_or(new), new) => {
            SettingsChange::Same
        }
        ManifestKind::Build => SettingsChange::Unclear,
    }
}

fn changed(new: &str, restored: String) -> SettingsChange {
    if restored == new { SettingsChange::Same } else { SettingsChange::Restored(restored) }
}

fn of_toml(places: &[&[&str]], lists: &[&[&str]], old: Option<&str>, new: &str) -> SettingsChange {
    let (Some(old), Some(mut new)) = (parse(old.unwrap_or_default()), parse(new)) else {
        return SettingsChange::Unclear;
    };
    let before = new.clone();
    for place in places {
        put_toml(&mut new, place, get_toml(&old, place));
    }
    for place in lists {
        let Some(toml::Value::Array(listed)) = get_toml(&old, place) else { continue };
        let Some(toml::Value::Array(mut now)) = get_toml(&new, place) else {
            put_toml(&mut new, place, Some(toml::Value::Array(listed)));
            continue;
        };
        now.extend(listed.into_iter().filter(|entry| !before_has(&before, place, entry)));
        put_toml(&mut new, place, Some(toml::Value::Array(now)));
    }
    if new == before {
        return SettingsChange::Same;
    }
    toml::to_string(&new).map_or(SettingsChange::Unclear, SettingsChange::Restored)
}

fn before_has(table: &toml::Table, place: &[&str], entry: &toml::Value) -> bool {
    matches!(get_toml(table, place), Some(toml::Value::Array(all)) if all.contains(entry))
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

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
    fn what_is_tested_stays_listed() {
        let old = "[workspace]\nmembers = [\"a\", \"b\"]\n[features]\ndefault = [\"x\"]\n";
        let new = "[workspace]\nmembers = [\"a\", \"c\"]\nexclude = [\"b\"]\n[features]\ndefault = []\n";
        let text = restored(ManifestKind::Cargo, old, new).unwrap();
        let expected = "[workspace]\nmembers = [\"a\", \"c\", \"b\"]\n[features]\ndefault = [\"x\"]\n";
        assert_eq!(parse(&text), parse(expected));
        let more = "[workspace]\nmembers = [\"a\", \"b\", \"c\"]\n[features]\ndefault = [\"x\"]\n";
        assert_eq!(restored(ManifestKind::Cargo, old, more), None);
    }

    #[test]
    fn a_script_that_the_tests_call_is_put_back() {
        let json = restored(
            ManifestKind::Scripts,
            r#"{"scripts": {"test": "npm run unit", "unit": "jest", "build": "tsc"}}"#,
            r#"{"scripts": {"test": "npm run unit", "unit": "true", "preunit": "true", "build": "esbuild"}}"#,
        )
        .unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"scripts": {"test": "npm run unit", "unit": "jest", "build": "esbuild"}})
        );
    }

    #[test]
    fn what_decides_how_make_runs_is_put_back() {
        let old = "RUN = $(PY) -m pytest\nPY = python3\ntest: unit lint\nunit:\n\t$(RUN)\nbuild:\n\tcc a.c\n";
        for more in [
            "SHELL = /bin/true\n",
            "MAKEFLAGS += -i\n",
            ".IGNORE:\n",
            "-include more.mk\n",
            "define RUN\ntrue\nendef\n",
        ] {
            assert_eq!(
                restored(ManifestKind::Make, old, &format!("{more}{old}")).map(|text| text.contains(more)),
                Some(false)
            );
        }
        for (from, to) in [("= python3", "= true"), ("\t$(RUN)", "\ttrue")] {
            assert!(restored(ManifestKind::Make, old, &old.replace(from, to)).is_some(), "{to}");
        }
        assert_eq!(restored(ManifestKind::Make, old, &old.replace("cc a.c", "cc a.c b.c")), None);
    }

    #[test]
    fn a_build_file_may_gain_a_dependency_and_nothing_else() {
        let pom = "<project>\n<dependencies>\n</dependencies>\n</project>\n";
        let dependency =
            "<dependency>\n<groupId>a</groupId>\n<version>1</version>\n</dependency>\n</dependencies>";
        let more = pom.replace("</dependencies>", dependency);
        assert_eq!(restored(ManifestKind::Build, pom, &more), None);
        let skipping = pom.replace(
            "<dependencies>",
            "<properties><skipTests>true</skipTests></properties>\n<dependencies>",
        );
        assert_eq!(restored(ManifestKind::Build, pom, &skipping).as_deref(), Some("unclear"));
        let gradle = "dependencies {\n}\n";
        let more = "dependencies {\n    implementation 'a:b:1'\n}\n";
        assert_eq!(restored(ManifestKind::Build, gradle, more), None);
        let off = format!("{gradle}test.enabled = false\n");
        assert_eq!(restored(ManifestKind::Build, gradle, &off).as_deref(), Some("unclear"));
    }

    #[test]
    fn what_cannot_be_read_is_unclear() {
        assert_eq!(restored(ManifestKind::Cargo, "[package]\n", "[package\n").as_deref(), Some("unclear"));
        assert_eq!(restored(ManifestKind::Scripts, "{", "{}").as_deref(), Some("unclear"));
    }
}
