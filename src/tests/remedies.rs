//! Checks that every command of a remedy can be typed as it is: the command has these options, and needs no argument that
//! is not there. What stands for a value, such as `PLAN`, counts as one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use crate::cli::whole_command;
use crate::model::{Op, Other};

/// What comes before an operation that is called without values.
const BARE: &[&str] = &[".remedy(", "::call(", ".or_call(", "Call::from("];

/// What stands for a value that only running the program would show.
const VALUE: &str = "ISS-1";

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

/// The methods that are called on the value that ends at `at`, or on one that it is in, with their arguments.
fn methods(code: &str, mut at: usize) -> Vec<(&str, &str)> {
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
fn sources() -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        (path.strip_prefix(&source).unwrap().display().to_string(), code)
    };
    all.into_iter().filter(|path| !path.display().to_string().contains("tests/remedies")).map(read).collect()
}

fn on_one_line(code: &str) -> String {
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of each operation, by the name of its variant in the code.
fn operations() -> BTreeMap<String, &'static str> {
    let ops = Op::ALL.iter().map(|op| (format!("Op::{op:?}"), op.as_str()));
    ops.chain(Other::ALL.iter().map(|other| (format!("Other::{other:?}"), other.as_str()))).collect()
}

/// The arguments of a call, as they appear in the code.
fn arguments(code: &str) -> Vec<&str> {
    let (mut found, mut depth, mut from, mut is_text) = (Vec::new(), 0, 0, false);
    for (at, c) in code.char_indices() {
        match c {
            '"' if !code[..at].ends_with('\\') => is_text = !is_text,
            _ if is_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(code[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(code[from..].trim());
    found.retain(|it| !it.is_empty());
    found
}

/// The value that an expression stands for: that of a text, or any.
fn value(expression: &str) -> &str {
    let text = expression.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    text.filter(|text| !text.contains(['{', '"'])).unwrap_or(VALUE)
}

/// A call as it appears in the code.
pub(crate) struct WrittenCall {
    /// Where it is.
    pub(crate) place: String,
    /// The words of its operation.
    pub(crate) words: &'static str,
    /// Its options, with their values.
    pub(crate) options: Vec<(String, Option<String>)>,
    /// Its values.
    pub(crate) values: Vec<String>,
}

impl WrittenCall {
    /// A call with these values, and the methods that are called on it.
    fn new(place: String, words: &'static str, values: &[&str], methods: &[(&str, &str)]) -> Self {
        let mut options = Vec::new();
        for (name, given) in methods.iter().take_while(|(name, _)| ["flag", "option"].contains(name)) {
            let given = arguments(given.strip_suffix(')').unwrap_or(given));
            let option = value(given.first().copied().unwrap_or_default());
            if option == VALUE {
                // Its name is a constant elsewhere.
                continue;
            }
            let of_it = || value(given.get(1).copied().unwrap_or_default()).to_owned();
            options.push((option.to_owned(), (*name == "option").then(of_it)));
        }
        let values = values.iter().map(|it| value(it).to_owned()).collect();
        Self { place, words, options, values }
    }

    /// Its command line.
    fn line(&self) -> Vec<String> {
        let mut line: Vec<String> = self.words.split(' ').map(str::to_owned).collect();
        for (name, value) in &self.options {
            line.push(format!("--{name}"));
            line.extend(value.clone());
        }
        line.extend(self.values.clone());
        line
    }
}

/// All calls in the code.
pub(crate) fn written_calls() -> Vec<WrittenCall> {
    let operations = operations();
    let mut found = Vec::new();
    for (file, code) in sources() {
        for (from, way) in code.match_indices("Call::new") {
            let open = from + way.len() + code[from + way.len()..].find('(').unwrap_or_default() + 1;
            let end = closed(&code, open);
            let given = arguments(&code[open..end - 1]);
            let [operation, values] = given[..] else { continue };
            let Some(values) = values.strip_prefix('[').and_then(|it| it.strip_suffix(']')) else { continue };
            if let Some(words) = operations.get(operation) {
                let place = format!("{file}: {}", on_one_line(&code[from..end]));
                found.push(WrittenCall::new(place, words, &arguments(values), &methods(&code, end)));
            }
        }
        for way in BARE {
            for (from, _) in code.match_indices(way) {
                let end = closed(&code, from + way.len());
                let given = arguments(&code[from + way.len()..end - 1]);
                if let Some(words) = given.first().and_then(|it| operations.get(*it)) {
                    let place = format!("{file}: {}", on_one_line(&code[from..end]));
                    let methods = if *way == "Call::from(" { methods(&code, end) } else { vec![] };
                    found.push(WrittenCall::new(place, words, &[], &methods));
                }
            }
        }
    }
    found
}

#[test]
fn every_command_of_a_remedy_can_be_typed() {
    let whole = whole_command();
    let calls = written_calls();
    assert!(calls.len() > 200, "only {} commands were found", calls.len());
    let mut wrong = Vec::new();
    for (place, line) in calls.iter().map(|call| (&call.place, call.line())) {
        let words = [&["git-wf".to_owned()], &line[..]].concat();
        match whole.clone().try_get_matches_from(words) {
            Ok(_) => {}
            // A value that is not in the code.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) => {}
            Err(error) => wrong.push(format!("{}: {}\n    {place}", line.join(" "), error.kind())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn calls_are_read_as_they_are_written() {
    assert_eq!(
        arguments("Op::Bind, [issue.as_str(), \"A, B\"], f(x, y)"),
        ["Op::Bind", "[issue.as_str(), \"A, B\"]", "f(x, y)"]
    );
    let methods = [("flag", "\"all\")"), ("option", "\"status\", \"paused\")"), ("to_owned", ")")];
    assert_eq!(
        WrittenCall::new(String::new(), "queue list", &["\"QUE\"", "&id"], &methods).line(),
        ["queue", "list", "--all", "--status", "paused", "QUE", VALUE]
    );
}
