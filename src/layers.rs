//! Tests that the layers of `ARCHITECTURE.md` are kept.

use std::path::{Path, PathBuf};

/// Names that no file of `folder` may use.
struct Border {
    folder: &'static str,
    words: &'static [&'static str],
}

const ABOVE_GIT: &[&str] = &[
    "crate::agent",
    "crate::cli",
    "crate::hooks",
    "crate::index",
    "crate::interchange",
    "crate::ops",
    "crate::rules",
    "crate::store",
    "crate::sync",
    "crate::trail",
    "crate::ui",
];

const BORDERS: &[Border] = &[
    Border { folder: "git", words: ABOVE_GIT },
    Border { folder: "model", words: ABOVE_GIT },
    Border { folder: "model", words: &["crate::git"] },
    Border {
        folder: "rules",
        words: &["crate::git", "crate::store", "crate::ops", "crate::cli", "crate::ui"],
    },
];

/// Front ends read the environment and hand it down.
const FRONT_ENDS: &[&str] = &["cli", "hooks", "ui", "main.rs", "lib.rs"];

/// Files below the front ends that still use `std::env`, and why.
const NAMES_ENV: &[(&str, &str)] = &[
    ("agent/configured.rs", "takes the text of a `PATH` apart, which reads nothing"),
    ("agent/watch.rs", "starts this very program as the watcher, where /proc does not name its file"),
    ("git/fault.rs", "tests kill debug builds here; a release has none of it"),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

/// The lines of code that break a rule, such as `store/repo.rs: use gix::…`.
fn at_fault(path: &Path, source: &Path, is_at_fault: impl Fn(&str) -> bool) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//") && is_at_fault(line));
    let shown = path.strip_prefix(source).unwrap().display();
    lines.map(|line| format!("{shown}: {line}")).collect()
}

/// Whether a file contains only tests.
fn is_test(inner: &Path) -> bool {
    inner.to_string_lossy().contains("test") || inner.ends_with("merge/mutations.rs")
}

#[test]
fn each_module_knows_only_those_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let mut found = Vec::new();
    for path in all.iter().filter(|path| !path.ends_with("layers.rs")) {
        let inner = path.strip_prefix(&source).unwrap();
        if !inner.starts_with("git") {
            found.extend(at_fault(path, &source, |line| line.replace("gix_quote", "").contains("gix")));
            // What git is asked has a name; only `git` puts arguments together.
            found.extend(at_fault(path, &source, |line| {
                line.contains("git::Args") || line.contains("Args::new(")
            }));
            // Tests also act as a user of git.
            if !inner.to_string_lossy().contains("test") {
                found.extend(at_fault(path, &source, |line| line.contains("Command::new(\"git\")")));
            }
        }
        let is_front = FRONT_ENDS.iter().any(|folder| inner.starts_with(folder));
        let is_excepted = NAMES_ENV.iter().any(|(file, _)| inner == Path::new(file));
        if !is_front && !is_excepted && !is_test(inner) {
            found.extend(at_fault(path, &source, |line| {
                line.contains("std::env::") || line == "use std::env;"
            }));
        }
        for border in BORDERS.iter().filter(|border| inner.starts_with(border.folder)) {
            found.extend(at_fault(path, &source, |line| border.words.iter().any(|word| line.contains(word))));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_paths_on_the_map_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let quoted = map.split('`').skip(1).step_by(2).filter(|word| {
        let is_path = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
        word.contains('/') && word.chars().all(is_path) && (word.ends_with('/') || word.contains(".rs"))
    });
    let is_missing =
        |path: &&str| !["", "src", "src/cli", "tests/it"].iter().any(|it| root.join(it).join(path).exists());
    let missing: Vec<&str> = quoted.filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
