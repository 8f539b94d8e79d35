//! A repository for the tests of hooks, isolated from the configuration of the user who runs them.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::git::Git;

pub(crate) struct TestRepo {
    pub(crate) dir: TempDir,
    pub(crate) git: Git,
}

impl TestRepo {
    /// An empty repository in `repo/`, with its hooks in the default place.
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("it's a repo ").tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("repo");
        fs::create_dir(&root).unwrap();
        let repo = Self { dir, git: Git::new(root.join(".git"), Some(&root)) };
        repo.run(&["init", "-q", "-b", "main"]);
        // Settings that the code under test would otherwise read from the user's own configuration.
        for (key, value) in
            [("core.hooksPath", ".git/hooks"), ("core.commentChar", "#"), ("commit.cleanup", "default")]
        {
            repo.run(&["config", key, value]);
        }
        repo
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("repo")
    }

    pub(crate) fn store(&self) -> crate::store::Store {
        crate::store::Store::open(&self.root(), &Default::default()).unwrap()
    }

    pub(crate) fn hooks(&self) -> PathBuf {
        self.root().join(".git/hooks")
    }

    /// A git command as a user would run it, but with only the repository's configuration.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "A U Thor")
                .env(format!("GIT_{role}_EMAIL"), "a@example.com");
            command.env(format!("GIT_{role}_DATE"), "2026-11-21T02:14:05Z");
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.current_dir(self.root()).args(args).stdin(Stdio::null());
        command
    }

    pub(crate) fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// The output of a command that must succeed.
    pub(crate) fn run(&self, args: &[&str]) -> String {
        let output = self.output(args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Writes a file and stages it.
    pub(crate) fn stage(&self, name: &str, text: &str) {
        fs::write(self.root().join(name), text).unwrap();
        self.run(&["add", "-f", "--", name]);
    }

    /// Writes an executable script anywhere below the temporary directory.
    pub(crate) fn script(&self, path: &Path, body: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Another process writes it. A child that another thread forks meanwhile would have it open for writing here, and
        // then nobody can run it.
        let mut shell = Command::new("sh");
        shell.args(["-c", "cat >\"$0\" && chmod 755 \"$0\""]).arg(path).stdin(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        shell.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{body}\n").as_bytes()).unwrap();
        assert!(shell.wait().unwrap().success());
    }
}
