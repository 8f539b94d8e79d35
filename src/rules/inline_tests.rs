//! Tests that are in the files of the code: Rust's `mod tests`, Vitest's `import.meta.vitest`, Zig's `test "…"`.

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
