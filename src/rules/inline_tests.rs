//! Tests that are in the files of the code: Rust's `mod tests`, Vitest's `import.meta.vitest`, Zig's `test "…"`.

use std::collections::BTreeSet;

/// The tests in a file, as text; empty if it has none.
pub(crate) fn tests_in(path: &str, text: &str) -> String {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("rs") => of_rust(text),
        Some("js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue") => {
            from(text, "import.meta.vitest")
        }
        Some("zig") => from(text, "\ntest "),
        _ => String::new(),
    }
}

/// The examples in the comments of a Rust file that `rustdoc` runs as tests.
pub(crate) fn examples_in(path: &str, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if !path.ends_with(".rs") {
        return found;
    }
    let mut open: Option<Example> = None;
    for line in text.lines().map(str::trim) {
        let Some(words) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim) else {
            open = None;
            continue;
        };
        match (words.strip_prefix("```"), &mut open) {
            (Some(_), Some(example)) => {
                if example.is_run {
                    found.insert(std::mem::take(&mut example.text));
                }
                open = None;
            }
            (Some(kind), None) => {
                let is_run = kind.split(',').all(|kind| matches!(kind.trim(), "" | "rust" | "should_panic"));
                open = Some(Example { text: String::new(), is_run });
            }
            (None, Some(example)) => push(&mut example.text, words),
            (None, None) => {}
        }
    }
    found
}

/// An example in a comment.
struct Example {
    text: String,
    is_run: bool,
}

/// From the first marker to the end.
fn from(text: &str, marker: &str) -> String {
    text.find(marker).map_or_else(String::new, |at| text[at..].to_owned())
}

/// Items with `#[cfg(test)]`, and functions with `#[test]` or the like: from the attribute to a line with a closing brace in
/// the same column, as `rustfmt` puts it, or to the end of the item's only line.
fn of_rust(text: &str) -> String {
    let mut found = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !is_test_attribute(line.trim()) {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        push(&mut found, line);
        for inner in lines.by_ref() {
            push(&mut found, inner);
            let rest = inner.strip_prefix(indent).unwrap_or_default();
            let is_attribute = rest.trim_start().starts_with("#[");
            let ends = rest.starts_with('}')
                || (!rest.starts_with([' ', '\t']) && !is_attribute && rest.ends_with([';', '}']));
            if ends {
                break;
            }
        }
    }
    found
}

fn is_test_attribute(line: &str) -> bool {
    let Some(inner) = line.strip_prefix("#[") else { return false };
    let name = inner.split(['(', ']', '=']).next().unwrap_or_default().trim();
    match name {
        "cfg" => inner.contains("test"),
        _ => {
            name == "test"
                || name.ends_with("::test")
                || matches!(name, "rstest" | "test_case" | "quickcheck" | "proptest")
        }
    }
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "pub fn one() -> u8 {\n    1\n}\n";
    const TESTS: &str = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert_eq!(super::one(), 1);\n    }\n}\n";

    #[test]
    fn examples_that_are_tests_are_found() {
        let text = "/// Adds.\n///\n/// ```\n/// assert_eq!(a::add(1, 2), 3);\n/// ```\n///\n/// ```text\n/// no\n/// ```\npub fn add() {}\n";
        let example = "assert_eq!(a::add(1, 2), 3);\n".to_owned();
        assert_eq!(examples_in("src/a.rs", text), BTreeSet::from([example]));
    }

    #[test]
    fn the_tests_of_a_rust_file_are_found() {
        assert_eq!(tests_in("src/a.rs", CODE), "");
        assert_eq!(tests_in("src/a.rs", &format!("{CODE}\n{TESTS}")), TESTS);
        assert_eq!(tests_in("src/a.rs", &format!("{TESTS}\n{CODE}")), TESTS);
        let lone = "#[test]\nfn a() {\n    assert!(true);\n}\n";
        assert_eq!(tests_in("src/a.rs", &format!("{CODE}{lone}{CODE}")), lone);
        let elsewhere = "#[cfg(test)]\nmod tests;\n";
        assert_eq!(tests_in("src/a.rs", &format!("{CODE}{elsewhere}{CODE}")), elsewhere);
        assert_eq!(tests_in("a.py", TESTS), "");
        assert_eq!(tests_in("a.ts", "a\nif (import.meta.vitest) { b }\n"), "import.meta.vitest) { b }\n");
    }
}
