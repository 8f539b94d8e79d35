//! The real binary against real git, in temporary folders.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod fsck;
mod hooks;
mod hostile;
mod import;
mod redact;
mod sandbox;
mod support;
mod sync;

use std::path::Path;

/// One test binary has many files, and a file that no `mod` names is skipped without a word.
#[test]
fn every_test_file_is_declared() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let declared = include_str!("main.rs");
    let mut forgotten = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let is_module = path.extension().is_some_and(|ext| ext == "rs") || path.join("mod.rs").is_file();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let declaration = format!("mod {name};");
        if is_module && name != "main" && !declared.lines().any(|line| line.trim() == declaration) {
            forgotten.push(declaration);
        }
    }
    assert!(forgotten.is_empty(), "tests/it/main.rs does not have: {forgotten:?}");
}
