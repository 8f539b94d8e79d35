//! Why tests fail without the work that they test: because something is not as they assert, or because they do not even run.

use crate::model::TestCount;

/// Why a command failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FailureReason {
    /// It did not run, or its tests could not be compiled, imported or found.
    Build,
    /// A test failed, and nothing says that it compared something.
    Unclear,
    /// A test compared something.
    Assertion,
}

/// Words of compilers, interpreters and shells that look for something in vain. Each is searched in lower case.
const MISSING: &[&str] = &[
    // Rust.
    "error[e",
    "could not compile",
    "no test target named",
    // Python.
    "importerror",
    "modulenotfounderror",
    "nameerror",
    "syntaxerror",
    "indentationerror",
    "has no attribute",
    "fixture '",
    "no module named",
    "can't open file",
    // JavaScript and TypeScript.
    "cannot find module",
    "is not a function",
    "is not defined",
    "is not a constructor",
    "does not provide an export",
    "err_module_not_found",
    "referenceerror",
    "test suite failed to run",
    "failed to resolve import",
    "failed to load",
    "error ts",
    // Go.
    "undefined: ",
    "[build failed]",
    "[setup failed]",
    "is not in std",
    // Java, Ruby, PHP, C#, C.
    "cannot find symbol",
    "compilation error",
    "compilation failure",
    "nomethoderror",
    "uninitialized constant",
    "loaderror",
    "undefined local variable",
    "call to undefined",
    "failed opening required",
    "error cs",
    "undefined reference",
    "fatal error:",
    // Shells and make.
    "command not found",
    ": not found",
    "no such file",
    "cannot open",
    "can't open",
    "no rule to make target",
    "missing script",
    "permission denied",
];

/// Words of compilers and loaders: whatever they quote, no test ran.
const NOT_COMPILED: &[&str] = &[
    "error[e0",
    "could not compile",
    "[build failed]",
    "cannot find module",
    "err_module_not_found",
    "compilation failed",
];

/// Words that only a test prints that compared something, and not the source that a compiler quotes.
const SURELY_COMPARED: &[&str] =
    &["err_assertion", "expect(received)", "assertionerror:", "failed (failures="];
/// How runners sum up that load each file alone: one that cannot be loaded keeps no other from running.
const LOADS_EACH_ALONE: &[&str] = &["# fail ", "ℹ fail ", "test suites:", "test files ", "failed (failures="];

/// Words that count only at the beginning of a line, since a test can also compare with them.
const NOT_LOADED: &[&str] = &["importerror", "modulenotfounderror", "syntaxerror"];

/// Words of a test that expected an error of any kind, and saw none.
const NOT_RAISED: &[&str] = &["did not raise", "not raised", "did not throw", "missing expected exception"];

/// Words of runners that say that a test compared something.
const COMPARED: &[&str] = &[
    "assertionerror",
    "err_assertion",
    "e       assert",
    "assertion failed",
    "assertion `",
    "did not raise",
    "did not panic as expected",
    "--- fail:",
    "failed asserting",
    "expected:",
    "to equal ",
    "to deeply equal ",
    "expect(received)",
    "snapshot failed",
    "snapshots failed",
    "assertionfailederror",
    "comparisonfailure",
    "not equal",
];

/// Words of runners that found none of the tests that they were to run.
const FOUND_NONE: &[&str] = &[
    "could not find '",
    "no tests found",
    "no test files found",
    "no tests matching",
    "file or directory not found",
    "couldn't find any files to test",
];

/// Whether a runner says that it found no tests.
pub(crate) fn finds_no_tests(output: &str) -> bool {
    let lower = output.to_lowercase();
    FOUND_NONE.iter().any(|word| lower.contains(word))
}

/// Why a command failed. `exit_code` is `None` if it was stopped.
pub(crate) fn reason(exit_code: Option<i32>, tests: Option<TestCount>, output: &str) -> FailureReason {
    let lower = output.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let has_counted_failure = tests.is_some_and(|tests| tests.failed > 0);
    match exit_code {
        // The shell found no program, or could not run it.
        Some(126 | 127) | None => FailureReason::Build,
        // The runner ended well: it ran nothing, or a failure was hidden.
        Some(0) if !has_counted_failure => FailureReason::Build,
        _ if says(NOT_RAISED) => FailureReason::Assertion,
        _ if has_counted_failure && says(LOADS_EACH_ALONE) && says(SURELY_COMPARED) => {
            FailureReason::Assertion
        }
        _ if says(NOT_COMPILED) || begins_line(&lower, NOT_LOADED) => FailureReason::Build,
        _ if says(COMPARED) => FailureReason::Assertion,
        _ if says(MISSING) => FailureReason::Build,
        // The runner failed before it ran a test.
        _ if tests.is_some_and(|tests| tests.run() == 0) => FailureReason::Build,
        _ => FailureReason::Unclear,
    }
}

/// Whether a line begins with one of the words, apart from the mark that pytest puts before an error.
fn begins_line(output: &str, words: &[&str]) -> bool {
    output.lines().any(|line| {
        let line = line.strip_prefix("e ").unwrap_or(line).trim_start();
        words.iter().any(|word| line.starts_with(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason_of(code: i32, output: &str) -> FailureReason {
        reason(Some(code), crate::rules::test_count::CountedTests::count(output.as_bytes()).tests, output)
    }

    #[test]
    fn a_runner_that_finds_no_tests_says_so() {
        for output in ["Could not find '/a/three.test.js'", "No tests found, exiting with code 1"] {
            assert!(finds_no_tests(output), "{output}");
        }
        assert!(!finds_no_tests("expected: 3"));
    }

    #[test]
    fn a_test_that_compares_is_told_from_one_that_does_not_run() {
        use FailureReason::{Assertion, Build, Unclear};
        for (code, output, expected) in [
            (1, "E       assert 1 == 2\n=== 1 failed in 0.1s ===", Assertion),
            (2, "ImportError: cannot import name 'b' from 'app'\n=== 1 error in 0.1s ===", Build),
            (
                1,
                "AttributeError: module 'app' has no attribute 'b'\nRan 1 test in 0.001s\nFAILED (errors=1)",
                Build,
            ),
            (1, "AssertionError: 3 != 4\nRan 1 test in 0.001s\nFAILED (failures=1)", Assertion),
            (101, "error[E0425]: cannot find function `b` in crate `a`\nerror: could not compile `a`", Build),
            (
                101,
                "assertion `left == right` failed\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s",
                Assertion,
            ),
            (1, "TypeError: app.b is not a function\n# pass 0\n# fail 1", Build),
            (1, "    Expected: 2\n    Received: 1\nTests:       1 failed, 1 total", Assertion),
            (1, "./a_test.go:5:3: undefined: B\nFAIL\ta [build failed]", Build),
            (1, "--- FAIL: TestA (0.00s)", Assertion),
            (
                101,
                "error[E0308]: mismatched types\n  |  assert!(a == 1) // not equal\nerror: could not compile `a`",
                Build,
            ),
            (2, "    assert b == 2  # AssertionError\nImportError: cannot import name 'b'", Build),
            (
                1,
                "E           Failed: DID NOT RAISE <class 'SyntaxError'>\n=== 1 failed in 0.1s ===",
                Assertion,
            ),
            (
                1,
                "AssertionError: SyntaxError not raised\nRan 1 test in 0.001s\nFAILED (failures=1)",
                Assertion,
            ),
            (1, "E       AssertionError: assert 'SyntaxError' in ''\n=== 1 failed in 0.1s ===", Assertion),
            (1, "SyntaxError: Unexpected token\n# pass 0\n# fail 1", Build),
            (127, "sh: 1: greet: not found", Build),
            (2, "sh: 0: cannot open check.sh: No such file", Build),
            (1, "", Unclear),
            (1, "E       TypeError: add() takes 2 positional arguments\n=== 1 failed in 0.1s ===", Unclear),
            // One file cannot be loaded, and a test in another one compares.
            (
                1,
                "Error: Cannot find module '../new.js'\n  code: 'ERR_ASSERTION'\n# pass 1\n# fail 2",
                Assertion,
            ),
            (
                1,
                "Cannot find module './new'\n    expect(received).toBe(expected)\nTest Suites: 2 failed, 2 total\nTests:       1 failed, 1 total",
                Assertion,
            ),
            (
                1,
                "Cannot find module './new'\n  > expect(add(1)).toBe(2)\nTest Suites: 1 failed, 1 total\nTests:       0 total",
                Build,
            ),
            (
                1,
                "ImportError: Failed to import test module\nAssertionError: 3 != 4\nRan 2 tests in 0.001s\nFAILED (failures=1, errors=1)",
                Assertion,
            ),
            (5, "=== no tests ran in 0.01s ===", Build),
            (0, "1..0", Build),
        ] {
            assert_eq!(reason_of(code, output), expected, "{output}");
        }
        assert_eq!(reason(None, None, "AssertionError"), Build);
    }
}
