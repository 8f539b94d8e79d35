//! Programs that tests run, and their results.

use std::process::{Child, Output};

/// Exit code and both streams. Anything that is not UTF-8 shows as U+FFFD.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    /// The exit code; -1 if a signal ended it.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The command line, for messages.
    command: String,
}

impl Ran {
    pub(crate) fn new(command: String, output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            command,
        }
    }

    /// Panics, with both streams, unless it exited with 0.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.fails(0)
    }

    /// Panics, with both streams, unless it exited with `code`.
    #[track_caller]
    pub(crate) fn fails(self, code: i32) -> Self {
        let Self { command, stdout, stderr, .. } = &self;
        assert!(
            self.code == code,
            "`{command}` exited with {}, not {code}\n--- stdout\n{stdout}\n--- stderr\n{stderr}",
            self.code
        );
        self
    }

    /// Stdout as the one JSON document that it must be.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        self.parsed(&self.stdout)
    }

    /// The value of `error` in the JSON document on stderr.
    #[track_caller]
    pub(crate) fn json_error(&self) -> serde_json::Value {
        self.parsed(&self.stderr)["error"].clone()
    }

    /// Stdout without surrounding white space: a bare id.
    pub(crate) fn line(&self) -> &str {
        self.stdout.trim()
    }

    #[track_caller]
    fn parsed(&self, document: &str) -> serde_json::Value {
        serde_json::from_str(document).unwrap_or_else(|error| {
            panic!(
                "`{}` did not print JSON: {error}\n--- stdout\n{}\n--- stderr\n{}",
                self.command, self.stdout, self.stderr
            )
        })
    }
}

/// A process that is killed at the end of the test.
pub(crate) struct Ends(pub(crate) Child);

impl Drop for Ends {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
