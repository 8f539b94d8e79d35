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
    "--json",
    "--dry-run",
    "--listTests",
    "--showConfig",
    "--typecheck.only",
    "--init",
    "--show-only",
    "--format",
];

/// What runs scripts of a package by `run`.
const SCRIPT_RUNNERS: &[&str] = &["npm", "yarn", "pnpm"];

/// What runs a runner.
const BEFORE: &[&str] = &[
    "env",
    "npx",
    "bunx",
    "yarn",
    "pnpm",
    "npm",
    "uv",
    "poetry",
    "pipenv",
    "bundle",
    "run",
    "exec",
    "time",
    "nice",
    "--no-install",
    "--yes",
    "--",
];

/// The files that programs of Node are, and that `node` can be given.
const NODE_FILES: &[&str] = &["/jest.js", "/vitest.mjs", "/mocha.js", "/_mocha"];
/// What Vitest does besides running tests.
const VITEST_OTHERS: &[&str] = &["bench", "list", "init", "typecheck"];

/// Whether a word is this option, or has this in it if that is not the whole name of an option.
fn has(word: &str, option: &str) -> bool {
    let is_whole = option == "-h" || option.starts_with("--") && !option.ends_with('=');
    if is_whole { word.split('=').next() == Some(option) } else { word.contains(option) }
}

/// Whether a command runs pytest, unittest, `node --test`, Jest, Vitest, Mocha, `deno test`, `bun test`, `cargo test`, nextest,
/// RSpec, PHPUnit, Bats or CTest, and leaves their output as it is.
pub(crate) fn says_count(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let is_quiet = words.iter().filter(|word| **word == "-q").count() > 1;
    let is_other = words.iter().any(|word| OTHERWISE.iter().any(|option| has(word, option)));
    if is_quiet || is_other || command.contains(['|', '>', '`', '$', ';']) {
        return false;
    }
    let last = words.rsplit(|word| *word == "&&").next().unwrap_or_default();
    let mut before = "";
    let mut words = last.iter().copied().skip_while(|word| {
        // A script of a package may print anything.
        let is_script = *word == "run" && SCRIPT_RUNNERS.contains(&before);
        before = word;
        BEFORE.contains(word) && !is_script || word.contains('=')
    });
    let Some(program) = words.next().map(|program| program.rsplit('/').next().unwrap_or(program)) else {
        return false;
    };
    let mut rest = words.peekable();
    match program {
        "pytest" | "py.test" | "jest" | "rspec" | "phpunit" | "bats" => true,
        // `-R` names another form of its output.
        "mocha" | "_mocha" => !rest.any(|word| word.starts_with("-R")),
        "vitest" => !rest.peek().is_some_and(|word| VITEST_OTHERS.contains(word)),
        "deno" | "bun" => rest.next() == Some("test"),
        "ctest" => !rest.any(|word| matches!(word, "-N" | "-Q" | "--quiet")),
        "python" | "python3" => {
            rest.any(|word| word == "-m") && matches!(rest.peek(), Some(&"pytest" | &"unittest"))
        }
        "node" => rest.any(|word| word == "--test" || NODE_FILES.iter().any(|file| word.ends_with(file))),
        // A test with a harness of its own prints what it likes.
        "cargo" => match rest.next() {
            Some("test") => !rest.any(|word| word == "--test"),
            Some("nextest") => rest.next() == Some("run"),
            _ => false,
        },
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
            "jest",
            "npx jest --ci",
            "yarn jest src",
            "node --experimental-vm-modules node_modules/jest/bin/jest.js",
            "./node_modules/.bin/mocha 'test/*.js'",
            "pnpm exec vitest run",
            "npx vitest",
            "deno test -A",
            "bun test",
            "cargo nextest run",
            "bundle exec rspec",
            "vendor/bin/phpunit",
            "bats test",
            "ctest --output-on-failure",
            "npm exec jest",
            "pytest --json-report --color=yes",
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
            "npm test",
            "jest --listTests",
            "jest --json",
            "mocha -R json",
            "mocha --reporter=xunit",
            "vitest bench",
            "vitest run --reporter=json",
            "cargo nextest list",
            "ctest -N",
            "rspec --format progress",
            "rspec --format=progress",
            "npm run jest",
            "yarn run vitest",
        ] {
            assert!(!says_count(command), "{command}");
        }
    }
}
