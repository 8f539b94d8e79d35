//! Lines of the code that behave differently under test.

use super::{BTreeSet, ChangedFile};

/// What a program reads to find out whether a test runs it.
const SIGNS: &[&str] = &[
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "JEST_WORKER_ID",
    "VITEST",
    "NODE_TEST_CONTEXT",
    "MOCHA_",
    "NEXTEST",
    "RUST_TEST_THREADS",
    "CARGO_TARGET_TMPDIR",
    "BATS_TEST",
    "PHPUNIT",
    "WF_SLOT",
    "WF_PORT",
    "testing.Testing()",
];

/// Words that together with another one mean the same.
const PAIRS: &[(&str, &str)] = &[
    ("sys.modules", "pytest"),
    ("sys.modules", "unittest"),
    ("NODE_ENV", "test"),
    ("process.argv", "jest"),
    ("sys.argv", "pytest"),
    ("env::args", "--test-threads"),
];

/// The lines that a work added to a file.
pub(super) fn added_lines<E>(change: &ChangedFile<E>) -> Vec<String> {
    let Some(text) = change.new.as_ref().and_then(|side| side.text.as_deref()) else { return vec![] };
    let old = change.old.as_ref().and_then(|side| side.text.as_deref()).unwrap_or_default();
    let before: BTreeSet<&str> = old.lines().collect();
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !before.contains(line)) {
        let sign = SIGNS.iter().find(|sign| line.contains(**sign)).copied();
        let pair = PAIRS.iter().find(|(one, other)| line.contains(one) && line.contains(other));
        if let Some(sign) = sign.or(pair.map(|(one, _)| *one)) {
            found.push(format!("{}:{} reads {sign}", change.path, n + 1));
        }
    }
    found
}
