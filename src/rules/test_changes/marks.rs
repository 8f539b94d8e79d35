//! Lines of the code that behave differently under test, or change how tests run.

use super::{BTreeSet, ChangedFile, field_comparison, is_prose};

/// What a program reads to find out whether a test runs it.
const SIGNS: &[&str] = &[
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "PYTEST",
    "_pytest",
    "JEST_WORKER_ID",
    "VITEST",
    "NODE_TEST_CONTEXT",
    "MOCHA_",
    "NEXTEST",
    "RUST_TEST_THREADS",
    "CARGO_TARGET_TMPDIR",
    "cfg!(test)",
    "BATS_TEST",
    "PHPUNIT",
    "WF_SLOT",
    "WF_PORT",
    "WF_NAME",
    "npm_lifecycle",
    "npm_command",
    "testing.Testing()",
];

/// Words that together with another whole word mean the same.
const PAIRS: &[(&str, &str)] = &[
    ("sys.modules", "pytest"),
    ("sys.modules", "unittest"),
    ("NODE_ENV", "'test'"),
    ("NODE_ENV", "\"test\""),
    ("NODE_ENV", "`test`"),
    ("process.argv", "jest"),
    ("sys.argv", "pytest"),
    ("env::args", "--test-threads"),
];

/// What a program calls to end, or to skip, the tests that run it.
const ENDS: &[&str] = &[
    "os._exit(",
    "os.Exit(0)",
    "::exit(0)",
    "process.exit(0)",
    "process.exit()",
    "process.reallyExit",
    "process.exitCode = 0",
    "pytest.skip",
    "pytest.exit",
    "SkipTest",
    ATEXIT,
    "unittest.TestCase",
];
/// What runs at the end matters only in a file that can end the process with another code there.
const ATEXIT: &str = "atexit.register";
/// How a process ends whatever else is to come.
const ENDS_AT_ONCE: &[&str] = &["_exit", "os.kill", "execv"];

/// What sets a member of its first argument.
const SETS_MEMBER: &[&str] =
    &["Object.assign(", "Object.defineProperty(", "Object.defineProperties(", "Reflect.set(", "setattr("];
/// What tests compare with.
const ASSERTIONS: &[&str] = &["assert", "TestCase", "expect("];
/// Files whose comments begin with `#`.
const WITH_HASH: &[&str] = &["py", "sh", "bash", "rb", "yml", "yaml", "toml", "pl", "mk", "cfg", "ini"];

/// What decides whether two values are equal, or how they are compared, so that a value can equal whatever a test expects.
const EQUALS: &[&str] = &[
    // Python.
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__contains__",
    "__instancecheck__",
    "mock.ANY",
    "mock import ANY",
    // JavaScript.
    "asymmetricMatch",
    "expect.any",
    "Symbol.hasInstance",
    // Ruby.
    "def ==",
    "def !=",
    "def eql?",
    "def equal?",
    "def <=>",
    // Rust.
    "PartialEq for",
    "PartialEq<",
    "PartialOrd for",
    "PartialOrd<",
    // Java, Kotlin, C# and C++.
    "boolean equals(",
    "fun equals(",
    "override bool Equals(",
    "operator==",
    "operator ==",
    "operator!=",
    "operator !=",
    "operator<=>",
];

/// Begins what a file does only as a program of its own.
const AS_PROGRAM: &[&str] = &["__name__ ==", "require.main", "import.meta.main"];
/// How the function begins that runs only as a program.
const MAIN: &[&str] =
    &["func main()", "fn main()", "pub fn main()", "async fn main()", "pub async fn main()"];

/// The lines that a work added to a file.
pub(super) fn added_lines<E>(change: &ChangedFile<E>) -> Vec<String> {
    let Some(text) = change.new.as_ref().and_then(|side| side.text.as_deref()) else { return vec![] };
    if is_prose(&change.path) {
        return vec![];
    }
    let has_hash = change.path.rsplit_once('.').is_some_and(|(_, end)| WITH_HASH.contains(&end));
    let comment = if has_hash { "#" } else { "//" };
    let old = change.old.as_ref().and_then(|side| side.text.as_deref()).unwrap_or_default();
    let before: BTreeSet<&str> = old.lines().collect();
    let mut found = Vec::new();
    // The indentation of what runs only as a program, while it lasts.
    let mut as_program: Option<usize> = None;
    let lines: Vec<&str> = text.lines().collect();
    for (n, line) in lines.iter().copied().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if as_program.is_some_and(|outer| indent <= outer) && !line.trim().is_empty() {
            as_program = None;
        }
        let is_main = MAIN.iter().any(|word| line.trim_start().starts_with(word));
        if (is_main || AS_PROGRAM.iter().any(|word| line.contains(word))) && as_program.is_none() {
            as_program = Some(indent);
        }
        if before.contains(line) || line.trim_start().starts_with(comment) {
            continue;
        }
        let at = format!("{}:{}", change.path, n + 1);
        let pair = PAIRS.iter().find(|(one, other)| line.contains(one) && has_word(line, other));
        if let Some(sign) = first_of(SIGNS, line).or(pair.map(|(one, _)| *one)) {
            found.push(format!("{at} reads {sign}"));
        } else if replaces_assertion(line) {
            found.push(format!("{at} replaces an assertion"));
        } else if let Some(word) = first_of(EQUALS, line) {
            if field_comparison::begins(&lines, n) {
                continue;
            }
            found.push(format!("{at} decides what its values equal, also in tests: {word}"));
        } else if as_program.is_none()
            && let Some(end) = first_of(ENDS, line)
            && (end != ATEXIT || ENDS_AT_ONCE.iter().any(|word| text.contains(word)))
        {
            found.push(format!("{at} can end the tests that run it: {end}"));
        }
    }
    found
}

fn first_of(words: &[&'static str], line: &str) -> Option<&'static str> {
    words.iter().find(|word| line.contains(**word)).copied()
}

/// Whether a word stands in a line, and not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether tests compare with this.
fn is_of_tests(object: &str) -> bool {
    ASSERTIONS.iter().any(|word| object.contains(word))
}

/// Whether a line assigns to a member of what tests compare with, such as `assert.equal = …`, or sets it in another way.
fn replaces_assertion(line: &str) -> bool {
    let sets_member = SETS_MEMBER.iter().any(|word| {
        let argument = line.split_once(word).and_then(|(_, rest)| rest.split(',').next());
        argument.is_some_and(|argument| is_of_tests(argument) || argument.ends_with("expect"))
    });
    if sets_member || line.contains("expect.extend") {
        return true;
    }
    let Some((left, right)) = line.split_once('=') else { return false };
    let left = left.trim();
    let (Some((object, _)), false) = (left.rsplit_once('.'), right.starts_with(['=', '>'])) else {
        return false;
    };
    let is_own = ["exports", "module.exports", "this", "self"].contains(&object);
    !is_own && !left.ends_with(['!', '<', '>']) && is_of_tests(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::test_changes::FileSide;

    fn marks(path: &str, text: &str) -> Vec<String> {
        let new = Some(FileSide { entry: (), text: Some(text.to_owned()) });
        added_lines(&ChangedFile { path: path.to_owned(), is_in_new_folder: false, old: None, new })
    }

    #[test]
    fn what_changes_how_tests_run_is_marked() {
        for line in [
            "if 'npm_lifecycle_event' in os.environ:",
            "if any(name.startswith('PYTEST') for name in os.environ):",
            "let n = if cfg!(test) { 3 } else { 0 };",
            "import os; os._exit(0)",
            "process.exit(0);",
            "require('assert').strictEqual = () => {};",
            "unittest.TestCase.assertEqual = lambda *all: None",
            "raise unittest.SkipTest('later')",
            "    def __eq__(self, other):",
            "Any = type('Any', (int,), {'__eq__': lambda *all: True})",
            "from unittest.mock import ANY",
            "exports.add = () => ({ asymmetricMatch: () => true });",
            "  def ==(other) = true",
            "impl PartialEq<i32> for Sum {",
            "    public boolean equals(Object other) { return true; }",
            "func init() { os.Exit(0) }",
            "    os.Exit(0) // func main()",
            "globalThis.expect.extend({ toBe: () => ({ pass: true }) });",
            "Object.assign(require('node:assert'), { strictEqual() {} });",
            "setattr(unittest.TestCase, 'assertEqual', print)",
            "if (process.env.NODE_ENV === 'test') {",
            "atexit.register(lambda: os._exit(0))",
        ] {
            assert_eq!(marks("app", line).len(), 1, "{line}");
        }
        for line in [
            "const assert = require('assert');",
            "exports.assertEqual = (a, b) => a === b;",
            "assert.equal(a, b);",
            "if (a.assert == 1) {}",
            "process.exit(1);",
            "if __name__ == '__main__':\n    os._exit(0)",
            "func main() {\n\tos.Exit(0)\n}",
            "#[derive(PartialEq, Eq)]",
            "if one.equals(other) {",
            "const tag = process.env.NODE_ENV === 'production' ? 'latest' : 'next';",
            "import atexit; atexit.register(print, 'bye')",
            "Object.assign(module.exports, { assertSum });",
            "// PYTEST sets NODE_ENV to 'test'",
            "    def __contains__(self, item):\n        return item in self.items",
            "if (require.main === module) {\n  process.exit(0);\n}",
        ] {
            assert_eq!(marks("app", line), [] as [String; 0], "{line}");
        }
        for path in ["README.md", "CHANGELOG.rst", ".github/workflows/ci.yml"] {
            assert_eq!(
                marks(path, "NODE_ENV: 'test'\n`__eq__` reads PYTEST_ADDOPTS\n"),
                [] as [String; 0],
                "{path}"
            );
        }
        assert_eq!(marks("a.py", "# PYTEST\n").len(), 0);
        assert_eq!(marks("a.js", "if (require.main === module) {\n}\nprocess.exit(0);").len(), 1);
    }
}
