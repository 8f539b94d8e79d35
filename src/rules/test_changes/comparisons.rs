//! Whether a test compares anything: one that only calls what it tests shows little.

/// How the tests of a file begin, by the end of its name, with the marks of a comment.
const LANGUAGES: &[(&[&str], &[&str], &str)] = &[
    (&["py"], &["def test"], "#"),
    (&["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue"], &["test(", "it("], "//"),
    (&["go"], &["func Test"], "//"),
    (&["rs"], &["test]"], "//"),
    (&["java", "kt", "kts", "scala", "groovy"], &["@Test"], "//"),
    (&["cs", "fs", "vb"], &["[Fact", "[Theory", "[Test"], "//"),
    (&["php"], &["function test", "@test", "#[Test"], "//"),
    (&["rb"], &["it ", "it(", "def test", "specify"], "#"),
];

/// Parts of the words by which tests compare, or end when something is not as it should be, in lower case. A helper that
/// compares is usually called so, too.
const COMPARES: &[&str] = &[
    "assert", "expect", "should", "must", "raise", "throw", "panic", "fail", "error", "fatal", "equal",
    "same", "match", "compare", "verify", "ensure", "check", "require.", "snapshot", "golden", "exit(",
    "t.is(", "t.deep", "t.not(", "t.true(", "t.false(", "t.ok(", "!=", "want",
];

/// How lines begin that only name what a file uses.
const IMPORTS: &[&str] = &["import ", "from ", "use ", "using "];

/// Whether the tests of a file compare anything. `None` if it has none, or if its language is not known here.
pub(super) fn compares(path: &str, text: &str) -> Option<bool> {
    let end = path.rsplit_once('.')?.1;
    let (_, starts, comment) = LANGUAGES.iter().find(|(ends, ..)| ends.contains(&end))?;
    let lines: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with(comment) && !IMPORTS.iter().any(|word| line.starts_with(word)))
        .filter(|line| !line.contains("require('") && !line.contains("require(\""))
        .map(str::to_owned)
        .collect();
    let has_tests = lines.iter().any(|line| starts.iter().any(|start| line.contains(start)));
    has_tests.then(|| {
        let mut lower = lines.iter().map(|line| line.to_lowercase());
        lower.any(|line| COMPARES.iter().any(|word| line.contains(word)))
    })
}

#[cfg(test)]
mod tests {
    use super::compares;

    #[test]
    fn a_test_that_only_calls_is_told_from_one_that_compares() {
        for (path, text) in [
            (
                "test_a.py",
                "import app\n\n\ndef test_three():\n    # assert that it adds\n    print(app.add(1, 2, 3))\n",
            ),
            (
                "a.test.js",
                "const assert = require('assert');\ntest('adds', () => { console.log(add(1, 2)); });\n",
            ),
            ("a_test.go", "func TestAdd(t *testing.T) {\n\tAdd(1, 2)\n}\n"),
            ("tests/a.rs", "#[test]\nfn adds() {\n    a::add(1, 2);\n}\n"),
        ] {
            assert_eq!(compares(path, text), Some(false), "{path}");
        }
        for (path, text) in [
            ("test_a.py", "def test_a():\n    assert app.add(1, 2) == 3\n"),
            ("test_a.py", "def test_a():\n    if app.add(1) != 1:\n        print(1)\n"),
            ("a.test.ts", "it('adds', () => { checkSum(add(1, 2), 3); });\n"),
            ("a_test.go", "func TestAdd(t *testing.T) {\n\tif Add(1) > 1 {\n\t\tt.Error(1)\n\t}\n}\n"),
        ] {
            assert_eq!(compares(path, text), Some(true), "{path}");
        }
        // No test, and a language that nobody knows here.
        assert_eq!(compares("tests/data.py", "CASES = [(1, 2)]\n"), None);
        assert_eq!(compares("tests/t_a.sh", "sh add.sh 1 2\n"), None);
    }
}
