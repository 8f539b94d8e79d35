//! Checks in the source code that every refusal says what to do, so that a new one cannot lack a remedy.

use std::path::{Path, PathBuf};

/// The calls that make a refusal.
const MADE: &[&str] =
    &["Refusal::new(", "Refusal::usage(", "Refusal::nothing(", "Failure::new(", "Failure::usage("];

/// Refusals whose remedy is not in the same expression: the file, some text of the expression, and the reason.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("ops/fields.rs", "there is no field", "the nearest field, or all, are added below it"),
    ("ops/plans/resolve.rs", "Code::ChoiceNeeded", "the struct has its remedies"),
    ("ops/plans/bind.rs", "Code::ChoiceNeeded", "the struct has its remedies"),
    ("ops/plans/plan_input.rs", "Code::InvalidPlan, message", "the struct has its remedies"),
    ("ops/plans/roadmap/add.rs", "dry run", "undoes a transaction, and nobody sees it"),
    ("ops/store/import.rs", "dry run", "undoes a transaction, and nobody sees it"),
    ("ops/queue/order.rs", "Code::Order", "each way to it is added below it"),
    ("ops/queue/items.rs", "Code::Begun", "each status adds its own below it"),
    ("ops/work/unfinished.rs", "Code::NoCommit", "the struct has its remedies"),
    ("ops/work/ownership.rs", "Code::ClaimOfAnother", "each intent adds its own below it"),
    ("ops/work/agents.rs", "error.code()", "the struct has its remedies"),
    ("ops/work/target.rs", "Code::NotExecuting", "added below it"),
    ("ops/work/retry.rs", "Code::NewerPlan", "the struct has its remedies"),
    ("ops/work/retry.rs", "not failed", "each state adds its own below it"),
    ("ops/work/run/begin.rs", "there is no issue to run", "added below it"),
    ("mcp/tools/mod.rs", "Code::ReadOnly", "added below it"),
    ("ops/store/undo.rs", "Code::CannotUndo", "each operation adds its own below it"),
    ("web/", "", "a page has links to go on with"),
    ("ops/refusal.rs", "", "makes them for others"),
    ("cli/failure.rs", "", "makes them for others"),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false if path.extension().is_some_and(|it| it == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The offset after the bracket that closes the one before `at`. Brackets in strings must be balanced.
fn closed(code: &str, at: usize) -> usize {
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

/// Whether a method that adds a remedy is called on the value that ends at `at`, or on an enclosing value.
fn is_remedied(code: &str, mut at: usize) -> bool {
    loop {
        let rest = code[at..].trim_start();
        at = code.len() - rest.len();
        if rest.starts_with(')') {
            at += 1;
        } else if let Some(open) = rest.strip_prefix('.').and_then(|rest| rest.find('(')) {
            let name = &rest[1..=open];
            if ["hint", "remedy"].contains(&name) {
                return true;
            }
            if name.contains(|c: char| !c.is_ascii_alphanumeric() && !"_:<>".contains(c)) {
                return false;
            }
            at = closed(code, at + open + 2);
        } else {
            return false;
        }
    }
}

#[test]
fn every_refusal_says_what_to_do() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let (mut count, mut bare) = (0, Vec::new());
    for path in all.iter().filter(|path| !path.ends_with("remedied.rs")) {
        let text = std::fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let file = path.strip_prefix(&source).unwrap().display().to_string();
        for way in MADE {
            for (from, _) in code.match_indices(way) {
                count += 1;
                let end = closed(code, from + way.len());
                let made = &code[from..end];
                let is_known =
                    ELSEWHERE.iter().any(|(place, part, _)| file.starts_with(place) && made.contains(part));
                if !is_known && !is_remedied(code, end) {
                    bare.push(format!("{file}: {}", made.split_whitespace().collect::<Vec<_>>().join(" ")));
                }
            }
        }
    }
    assert!(count > 300, "only {count} refusals were found");
    assert!(bare.is_empty(), "without a hint or a remedy:\n{}", bare.join("\n"));
}

#[test]
fn a_refusal_without_a_remedy_is_found() {
    let is = |code: &str| is_remedied(code, closed(code, "Refusal::new(".len()));
    assert!(is("Refusal::new(a, f(\"b\")).details(vec![]).hint(\"c\")"));
    assert!(is("Refusal::new(a, b))\n    .remedy(c, d)"));
    assert!(!is("Refusal::new(a, b).details(c)"));
    assert!(!is("Refusal::new(a, b);\nx.hint(c)"));
}
