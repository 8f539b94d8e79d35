//! Whether a test failed because something is not installed, by the words of common runtimes.

/// Words that begin such a message, in lower case, with what wrote it.
const BEGINNINGS: &[&str] = &[
    // Node.js
    "cannot find module ",
    "cannot find package ",
    "err_module_not_found",
    // Python
    "modulenotfounderror: no module named ",
    "no module named ",
    // Ruby
    "cannot load such file -- ",
    "could not find gem ",
    "bundler: command not found: ",
    // PHP
    "failed opening required 'vendor/autoload.php'",
    // Go, with a vendor directory or without the network
    "no required module provides package ",
    "cannot find module providing package ",
];

/// The first line of the output that says so.
pub(crate) fn line(output: &str) -> Option<&str> {
    output.lines().map(str::trim).find(|line| names_module(line) || is_of_shell(line))
}

fn names_module(line: &str) -> bool {
    let lower = line.to_lowercase();
    BEGINNINGS.iter().any(|beginning| lower.contains(beginning))
}

/// npm, yarn and pnpm leave it to the shell: `sh: 1: jest: not found`, `bash: line 1: tsc: command not found`.
fn is_of_shell(line: &str) -> bool {
    let program = line.split(' ').next().unwrap_or_default();
    program.ends_with("sh:") && line.ends_with("not found")
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn common_runtimes_are_understood() {
        for output in [
            "Error: Cannot find module 'tape'\nRequire stack:",
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest'",
            "E   ModuleNotFoundError: No module named 'requests'",
            "/usr/bin/python3: No module named pytest",
            "sh: 1: jest: not found",
            "bash: line 1: tsc: command not found",
            "a.go:3:2: no required module provides package example.org/x; to add it:",
            "cannot load such file -- rspec (LoadError)",
        ] {
            assert_eq!(line(&format!("first\n  {output}")), output.lines().next(), "{output}");
        }
        for output in ["expected 1, found 2", "AssertionError: not found", "404 page not found in cache", ""]
        {
            assert_eq!(line(output), None, "{output}");
        }
    }
}
