//! The files that the configuration of a runner names: what it loads before the tests, or runs them with.

use std::collections::BTreeSet;

use super::scripts::path_in;

/// The configuration of runners at the root of a project.
pub(super) const CONFIGURATIONS: &[&str] = &[
    "package.json",
    "jest.config.js",
    "jest.config.cjs",
    "jest.config.mjs",
    "jest.config.ts",
    "jest.config.json",
    "vitest.config.js",
    "vitest.config.mjs",
    "vitest.config.ts",
    "vitest.config.mts",
    "vite.config.js",
    "vite.config.mjs",
    "vite.config.ts",
    "vite.config.mts",
    "playwright.config.ts",
    "playwright.config.js",
    ".mocharc.js",
    ".mocharc.cjs",
    ".mocharc.json",
    ".mocharc.jsonc",
    ".mocharc.yml",
    ".mocharc.yaml",
    "conftest.py",
    "pytest.ini",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
];

/// The settings of Jest, Vitest and Playwright that name files.
const OF_JEST: &[&str] = &[
    "setupFiles",
    "setupFilesAfterEnv",
    "globalSetup",
    "globalTeardown",
    "testEnvironment",
    "environment",
    "reporters",
    "testRunner",
    "runner",
    "transform",
    "snapshotSerializers",
    "resolver",
    "sequencer",
    "testSequencer",
];
/// The settings of Mocha that name files.
const OF_MOCHA: &[&str] = &["require", "file", "import", "ui", "reporter"];
/// The plugins of pytest.
const OF_PYTEST: &[&str] = &["pytest_plugins", PLUGIN];
/// The option of pytest that loads one.
const PLUGIN: &str = "-p";
/// What a path may lack at its end.
const ENDS: &[&str] = &["", ".js", ".ts", ".cjs", ".mjs", ".tsx", ".jsx"];
/// The same in Python, where the dots of a module stand for directories.
const ENDS_OF_MODULES: &[&str] = &["", ".py"];

/// The files that a configuration names. `read` returns the text of a file.
pub(super) fn named_files(
    path: &str,
    text: &str,
    read: &mut impl FnMut(&str) -> Option<String>,
) -> BTreeSet<String> {
    let is_python = [".py", ".ini", ".toml", ".cfg"].iter().any(|end| path.ends_with(end));
    let ends = if is_python { ENDS_OF_MODULES } else { ENDS };
    let mut found = BTreeSet::new();
    for word in words(path, text) {
        let word = word.trim_start_matches("<rootDir>/");
        let word = if is_python { word.replace('.', "/") } else { word.to_owned() };
        let Some(stem) = path_in("", &word) else { continue };
        for named in ends.iter().map(|end| format!("{stem}{end}")) {
            if read(&named).is_some() {
                found.insert(named);
            }
        }
    }
    found
}

/// The words behind the settings that name files.
fn words(path: &str, text: &str) -> Vec<String> {
    if path == "package.json" {
        let Ok(package) = serde_json::from_str::<serde_json::Value>(text) else { return vec![] };
        let of_jest = [&package["jest"], &package["vitest"]].map(|part| values(&part.to_string(), OF_JEST));
        let of_mocha = values(&package["mocha"].to_string(), OF_MOCHA);
        return of_jest.into_iter().flatten().chain(of_mocha).collect();
    }
    let settings = if path.starts_with(".mocharc") {
        OF_MOCHA
    } else if path.contains(".config.") {
        OF_JEST
    } else {
        OF_PYTEST
    };
    values(text, settings)
}

/// The words of the values of settings: of a list or an object to its end, else of the line and of a list in YAML below it.
fn values(text: &str, settings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for setting in settings {
        for (at, _) in text.match_indices(setting) {
            let is_begun = text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
            let rest = &text[at + setting.len()..];
            if *setting == PLUGIN {
                // An option, whose value is the next word.
                let is_option = rest.starts_with(' ') && !text[..at].ends_with('-');
                found.extend(
                    rest.split(is_between).find(|word| !word.is_empty() && is_option).map(str::to_owned),
                );
                continue;
            }
            let rest = rest.trim_start_matches(['"', '\'']).trim_start_matches(' ');
            if !is_begun && let Some(value) = rest.strip_prefix([':', '=']) {
                let value = value_of(value);
                found.extend(value.split(is_between).filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
    }
    found
}

fn value_of(text: &str) -> String {
    let value = text.trim_start_matches(' ');
    let end = match value.chars().next() {
        Some('[') => value.find(']'),
        Some('{') => value.find('}'),
        _ => {
            let mut lines = value.lines();
            let first = lines.next().unwrap_or_default().split(',').next().unwrap_or_default();
            let below = lines.take_while(|line| line.trim_start().starts_with("- "));
            return below.fold(first.to_owned(), |all, line| {
                format!("{all} {}", line.trim_start_matches([' ', '-']))
            });
        }
    };
    value[..end.unwrap_or(value.len())].to_owned()
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || "[]{}()\"'`,:".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_that_a_configuration_names_are_found() {
        for (path, text, wanted) in [
            (
                "package.json",
                r#"{"jest": {"setupFilesAfterEnv": ["<rootDir>/src/before.js"]}}"#,
                "src/before.js",
            ),
            ("package.json", r#"{"mocha": {"require": "./before"}}"#, "before.js"),
            ("package.json", r#"{"exports": {"require": "./src/index.cjs"}}"#, ""),
            (
                "vitest.config.ts",
                "export default { test: {\n  setupFiles: [\n    './src/before.ts',\n  ],\n  lib: { entry: 'src/index.ts' },\n} }",
                "src/before.ts",
            ),
            ("jest.config.js", "module.exports = { globalSetup: './src/before.js' };", "src/before.js"),
            (".mocharc.yml", "spec: src/index.js\nrequire:\n  - ./src/before.js\n", "src/before.js"),
            ("pytest.ini", "[pytest]\naddopts = -q -p before\n", "before.py"),
            ("conftest.py", "pytest_plugins = [\"src.before\"]\n", "src/before.py"),
        ] {
            let mut read = |path: &str| {
                let there = ["src/before.js", "src/before.ts", "src/before.py", "before.js", "before.py"];
                let is_there = there.contains(&path) || path.starts_with("src/index");
                is_there.then(String::new)
            };
            let found: Vec<String> = named_files(path, text, &mut read).into_iter().collect();
            assert_eq!(found.join(" "), wanted, "{path}: {text}");
        }
    }
}
