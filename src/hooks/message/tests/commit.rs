//! What happens to real commits: git writes the message file, the test plays the hook, and git continues.

use std::ffi::OsString;
use std::fs;

use super::super::{CommentRule, add_trailers, is_empty_after_cleanup};
use crate::ops::test_repo::TestRepo;

const OURS: &[(&str, &str)] = &[("Wf-Issue", "ISS-1")];

/// Runs `git commit` twice: first to get what its hook receives, then with the hook's changes. Returns the message of
/// the commit, or `None` if git refused it.
fn commit(repo: &TestRepo, editor: Option<&str>, args: &[&str]) -> Option<String> {
    let given = repo.root().join(".git/given");
    let quoted = format!("\"{}\"", given.display());
    let hook = repo.hooks().join("commit-msg");
    let run = || {
        let mut command = repo.command(&[&["commit", "--allow-empty"], args].concat());
        if let Some(body) = editor {
            let path = repo.dir.path().join("editor");
            repo.script(&path, body);
            command.env("GIT_EDITOR", format!("\"{}\"", path.display()));
        }
        command.output().unwrap()
    };
    repo.script(&hook, &format!("cp \"$1\" {quoted}; printf %s \"$GIT_EDITOR\" >{quoted}.editor; exit 1"));
    assert!(!run().status.success());
    let called_with = OsString::from(fs::read_to_string(given.with_extension("editor")).unwrap());
    let rule = CommentRule::read(&repo.store(), Some(&called_with)).unwrap();
    if !is_empty_after_cleanup(&fs::read(&given).unwrap(), &rule) {
        add_trailers(&given, &rule, OURS).unwrap();
    }
    repo.script(&hook, &format!("cp {quoted} \"$1\""));
    run().status.success().then(|| repo.run(&["log", "-1", "--format=%B"]).trim_end().to_owned())
}

/// An editor that inserts text above what git wrote.
fn typing(text: &str) -> String {
    format!("{{ printf '{text}'; cat \"$1\"; }} >\"$1.new\" && mv \"$1.new\" \"$1\"")
}

fn trailers(repo: &TestRepo) -> String {
    repo.run(&["log", "-1", "--format=%(trailers:key=Wf-Issue,valueonly)"]).trim().to_owned()
}

#[test]
fn with_a_diff_below_the_scissors() {
    for (config, args) in [
        ("default", &["-v"][..]),
        ("scissors", &[]),
        ("scissors", &["-v"]),
        ("default", &["--cleanup=scissors"]),
        ("default", &[]),
    ] {
        let repo = TestRepo::new();
        repo.run(&["config", "commit.cleanup", config]);
        repo.stage("file", "Wf-Issue: ISS-1\n---\n# text\n");
        let message = commit(&repo, Some(&typing("subject\\n\\nbody\\n---\\nmore\\n")), args).unwrap();
        assert_eq!(message, "subject\n\nbody\n---\nmore\n\nWf-Issue: ISS-1", "{config} {args:?}");
        assert_eq!(trailers(&repo), "ISS-1");
    }
}

#[test]
fn an_emptied_message_stays_empty() {
    let emptying = "sed -i -e '/^[^#]/d' \"$1\"";
    for (config, args) in [
        ("default", &[][..]),
        ("default", &["-m", "subject", "-e"]),
        ("scissors", &["--cleanup=strip"]),
        ("whitespace", &["--cleanup=strip"]),
        ("scissors", &[]),
    ] {
        let repo = TestRepo::new();
        repo.run(&["config", "commit.cleanup", config]);
        repo.stage("file", "text\n");
        assert_eq!(commit(&repo, Some(emptying), args), None, "{config} {args:?}");
    }
    let repo = TestRepo::new();
    repo.stage("file", "text\n");
    assert_eq!(commit(&repo, Some(": >\"$1\""), &["-v"]), None);
    assert_eq!(commit(&repo, Some(":"), &["-s"]), None);
}

#[test]
fn an_untouched_template_is_refused_as_before() {
    let repo = TestRepo::new();
    repo.stage("template", "Why\n# explain\n");
    repo.run(&["config", "commit.template", "template"]);
    assert_eq!(commit(&repo, Some(":"), &[]), None);
    assert!(
        commit(&repo, Some(&typing("subject\\n\\n")), &[]).unwrap().ends_with("\nWhy\n\nWf-Issue: ISS-1")
    );
}

#[test]
fn without_an_editor() {
    for (message, expected) in [
        ("subject", "subject\n\nWf-Issue: ISS-1"),
        ("#42 repair the login", "#42 repair the login\n\nWf-Issue: ISS-1"),
        ("subject\r\n\r\nbody\r\n", "subject\n\nbody\n\nWf-Issue: ISS-1"),
        ("subject\n\nWf-Issue: ISS-1", "subject\n\nWf-Issue: ISS-1"),
    ] {
        let repo = TestRepo::new();
        assert_eq!(commit(&repo, None, &["-m", message]).as_deref(), Some(expected));
        assert_eq!(trailers(&repo), "ISS-1", "{message:?}");
    }
    let repo = TestRepo::new();
    assert_eq!(commit(&repo, None, &["-s", "-m", "subject"]).unwrap().lines().count(), 4);
}

#[test]
fn with_a_comment_character_that_git_chose() {
    let repo = TestRepo::new();
    repo.run(&["config", "core.commentChar", "auto"]);
    repo.stage("file", "text\n");
    let message = commit(&repo, Some(":"), &["-v", "-e", "-m", "subject\n\n#42 is text"]).unwrap();
    assert_eq!(message, "subject\n\n#42 is text\n\nWf-Issue: ISS-1");
}
