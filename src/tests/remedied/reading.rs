//! Reads the code of the program: where refusals are made, and what is called on them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What adds a command to the remedies, and the beginning of one in words.
const COMMANDS: &[&str] = &[
    ".remedy(",
    "::call(",
    ".or_call(",
    ".command(",
    "::command(",
    ".or_command(",
    "`git ",
    "`git-wf ",
    ".remedies()",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The place behind the bracket that closes the one before `at`. Brackets in texts come in pairs.
pub(super) fn closed(code: &str, at: usize) -> usize {
    let mut depth = 1;
    for (n, c) in code[at..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + n + 1;
        }
    }
    code.len()
}

/// Whether a method that adds a remedy is called on the value that ends at `at`, or on one that it is in.
pub(super) fn is_remedied(code: &str, at: usize) -> bool {
    methods(code, at).iter().any(|(name, _)| ["hint", "remedy", "command", "next_step"].contains(name))
}

/// The methods that are called on the value that ends at `at`, or on one that it is in, with their arguments.
pub(super) fn methods(code: &str, mut at: usize) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    loop {
        let rest = code[at..].trim_start();
        at = code.len() - rest.len();
        if rest.starts_with(')') {
            at += 1;
        } else if let Some(open) = rest.strip_prefix('.').and_then(|rest| rest.find('(')) {
            let name = &rest[1..=open];
            if name.contains(|c: char| !c.is_ascii_alphanumeric() && !"_:<>".contains(c)) {
                return found;
            }
            let end = closed(code, at + open + 2);
            found.push((name, &code[at + open + 2..end]));
            at = end;
        } else {
            return found;
        }
    }
}

/// The files of the program, without their tests.
pub(super) fn sources() -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        (path.strip_prefix(&source).unwrap().display().to_string(), code)
    };
    all.into_iter().filter(|path| !path.display().to_string().contains("/remedied")).map(read).collect()
}

pub(super) fn on_one_line(code: &str) -> String {
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The codes that an expression names.
pub(super) fn codes(code: &str) -> BTreeSet<&str> {
    let ends = |c: char| !c.is_ascii_alphanumeric();
    code.split("Code::").skip(1).map(|rest| rest.split(ends).next().unwrap_or_default()).collect()
}

/// The position behind the text in quotes that begins at `at`.
fn behind_text(code: &str, at: usize) -> usize {
    let mut is_escaped = false;
    for (n, c) in code[at + 1..].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + n + 2,
            _ => {}
        }
    }
    code.len()
}

/// The arms of the first `match` in a body, as patterns and expressions; a body without one is one arm.
pub(super) fn arms(body: &str) -> Vec<(&str, &str)> {
    let Some(start) = body.find("match self {").map(|at| at + "match self {".len()) else {
        return vec![("", body)];
    };
    let mut found = Vec::new();
    let mut from = start;
    while let Some(arrow) = body[from..].find("=>").map(|at| from + at) {
        let (mut at, mut depth) = (arrow + 2, 0);
        while at < body.len() {
            let c = body[at..].chars().next().unwrap_or(' ');
            match c {
                '"' => {
                    at = behind_text(body, at);
                    continue;
                }
                '(' | '[' | '{' => depth += 1,
                '}' if depth == 0 => break,
                ')' | ']' | '}' => {
                    depth -= 1;
                    // A block needs no comma.
                    if c == '}' && depth == 0 && body[arrow + 2..].trim_start().starts_with('{') {
                        at += 1;
                        break;
                    }
                }
                ',' if depth == 0 => break,
                _ => {}
            }
            at += c.len_utf8();
        }
        found.push((&body[from..arrow], &body[arrow + 2..at]));
        from = at;
    }
    found
}

/// The body of a function.
pub(super) fn body<'a>(code: &'a str, function: &str) -> Option<&'a str> {
    let at = code.find(function)?;
    let open = at + code[at..].find(" {")? + 2;
    Some(&code[open..closed(code, open)])
}

/// Whether an expression names a command, by itself or by a function of the same file.
pub(super) fn names_a_command(file: &str, expression: &str) -> bool {
    if COMMANDS.iter().any(|it| expression.contains(it)) {
        return true;
    }
    let called = expression.split('(').map(|before| {
        before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
    });
    called.filter(|name| !name.is_empty()).any(|name| {
        body(file, &format!("\nfn {name}(")).is_some_and(|body| COMMANDS.iter().any(|it| body.contains(it)))
    })
}

/// The variants that a pattern names.
pub(super) fn variants(pattern: &str) -> BTreeSet<&str> {
    let ends = |c: char| !c.is_ascii_alphanumeric();
    pattern.split("Self::").skip(1).map(|rest| rest.split(ends).next().unwrap_or_default()).collect()
}

#[test]
fn a_refusal_without_a_remedy_is_found() {
    let is = |code: &str| is_remedied(code, closed(code, "Refusal::new(".len()));
    assert!(is("Refusal::new(a, f(\"b\")).details(vec![]).hint(\"c\")"));
    assert!(is("Refusal::new(a, b))\n    .remedy(c, d)"));
    assert!(!is("Refusal::new(a, b).details(c)"));
    assert!(!is("Refusal::new(a, b);\nx.hint(c)"));
}

#[test]
fn arms_end_where_their_expressions_end() {
    let body = "match self {\n Self::A | Self::B { .. } => \"x, y\".into(),\n Self::C => { f(1, 2) }\n _ => g(a, b),\n }";
    let arms = arms(body);
    assert_eq!(
        arms.iter().map(|(_, it)| it.trim()).collect::<Vec<_>>(),
        ["\"x, y\".into()", "{ f(1, 2) }", "g(a, b)"]
    );
    assert_eq!(variants(arms[0].0).into_iter().collect::<Vec<_>>(), ["A", "B"]);
}
