//! Commands whose runner always says how many tests there were.

/// Options that make a runner do something else, or print something else.
const OTHERWISE: &[&str] = &[
    "reporter",
    "--co",
    "--collect-only",
    "--version",
    "--help",
    "-h",
    "--no-run",
    "--list",
    "--fixtures",
    "--markers",
    "no:terminal",
    "-qq",
    "--test=",
    "--bench",
    "--watch",
];

/// What runs a runner.
const BEFORE: &[&str] =
    &["env", "npx", "uv", "poetry", "pipenv", "run", "exec", "time", "nice", "--no-install", "--"];

/// Whether a command runs pytest, unittest, `node --test` or `cargo test`, and leaves their output as it is.
pub(crate) fn says_count(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let is_quiet = words.iter().filter(|word| **word == "-q").count() > 1;
    let is_other = words.iter().any(|word| OTHERWISE.iter().any(|option| word.contains(option)));
    if is_quiet || is_other || command.contains(['|', '>', '`', '$', ';']) {
        return false;
    }
    let last = words.rsplit(|word| *word == "&&").next().unwrap_or_default();
    let mut words = last.iter().copied().skip_while(|word| BEFORE.contains(word) || word.contains('='));
    let Some(program) = words.next().map(|program| program.rsplit('/').next().unwrap_or(program)) else {
        return false;
    };
    let mut rest = words.peekable();
    match program {
        "pytest" | "py.test" => true,
        "python" | "python3" => {
            rest.any(|word| word == "-m") && matches!(rest.peek(), Some(&"pytest" | &"unittest"))
        }
        "node" => rest.any(|word| word == "--test"),
        // A test with a harness of its own prints what it likes.
        "cargo" => rest.next() == Some("test") && !rest.any(|word| word == "--test"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::says_count;

    #[test]
    fn a_runner_that_says_its_count_is_known() {
        for command in [
            "pytest -q",
            "python3 -m unittest",
            "python -W error -m pytest tests",
            "node --test test/",
            "cd a && cargo test --offline -q",
            "PYTHONPATH=. uv run pytest",
        ] {
            assert!(says_count(command), "{command}");
        }
        for command in [
            "sh run.sh",
            "pytest -q -q",
            "pytest --collect-only",
            "node --test --test-reporter=tap",
            "cargo test --no-run",
            "cargo test --test ui",
            "pytest | tee log",
            "python3 app.py",
            "node app.js",
        ] {
            assert!(!says_count(command), "{command}");
        }
    }
}
