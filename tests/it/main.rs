//! The real binary against real git, in temporary folders.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod board;
mod cli;
mod clones;
mod hooks;
mod hostile;
mod issues;
mod laws;
mod mcp;
pub(crate) mod plans;
mod queue;
mod store;
mod support;
mod trail;
mod web;
mod work;

use std::path::Path;

/// One test binary has many files, and a file that no `mod` names would be skipped silently.
#[test]
fn every_test_file_is_declared() {
    let mut forgotten = Vec::new();
    undeclared(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it"), "main.rs", &mut forgotten);
    assert!(forgotten.is_empty(), "not declared: {forgotten:?}");
}

fn undeclared(folder: &Path, by: &str, forgotten: &mut Vec<String>) {
    let declared = std::fs::read_to_string(folder.join(by)).unwrap();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("tests/it/snapshots") {
            continue;
        }
        if path.is_dir() {
            undeclared(&path, "mod.rs", forgotten);
        } else if path.file_name().unwrap() == by || path.extension().is_none_or(|ext| ext != "rs") {
            continue;
        }
        let declaration = format!("mod {};", path.file_stem().unwrap().to_str().unwrap());
        if !declared.lines().any(|line| line.trim().trim_start_matches("pub(crate) ") == declaration) {
            forgotten.push(format!("{declaration} in {}", folder.join(by).display()));
        }
    }
}
