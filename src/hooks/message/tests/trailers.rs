//! Where trailers go, and which existing ones are found.

use std::fs;

use super::super::{CommentRule, add_trailers};
use crate::ops::test_repo::TestRepo;
use crate::trail::trailers::parse;

const OURS: &[(&str, &str)] = &[("Wf-Issue", "ISS-1"), ("Wf-Task", "T1")];
const LINES: &str = "Wf-Issue: ISS-1\nWf-Task: T1\n";
const CUT: &str = "# ------------------------ >8 ------------------------\n";

fn added(repo: &TestRepo, message: &str, rule: &CommentRule) -> String {
    let path = repo.root().join("MESSAGE");
    fs::write(&path, message).unwrap();
    add_trailers(&path, rule, OURS).unwrap();
    fs::read_to_string(&path).unwrap()
}

/// Checks a message in which `<add>` marks where the trailers go, and `<gap>` where they go after a new blank line.
fn check(repo: &TestRepo, rule: &CommentRule, marked: &str) {
    let before = marked.replace("<add>", "").replace("<gap>", "");
    let after = marked.replace("<add>", LINES).replace("<gap>", &format!("\n{LINES}"));
    assert_eq!(added(repo, &before, rule), after, "{before:?}");
    assert_eq!(added(repo, &after, rule), after, "added twice: {before:?}");
}

#[test]
fn the_rest_of_the_message_stays_as_it_is() {
    let repo = TestRepo::new();
    let rule = CommentRule::new("#", None, None);
    for marked in [
        "subject\n<gap>",
        "subject\n<gap>\n\n",
        "subject\n  \n<add>",
        "subject\n<gap>\n# comment\n#\tmodified: f\n",
        "subject\n\nbody  \n\n\n\nmore\n<gap>\n\n# comment\n",
        "fix: a subject that looks like a trailer\n<gap>",
        "subject\n\nbody\n---\nnot the end\n<gap>",
        "subject\n\nbody\n\nFixes:#12\nSigned-off-by:  A  <a@example.com>\n<add>",
        "subject\n\nbody\n\nReviewed-by: B\n and more\nSigned-off-by: A <a@example.com>\n<add># comment\n",
        "subject\n\nbody\n\nNote: the last paragraph\n<add>\n",
        "subject\n\nbody\n\nText, then\nNote: no trailer\n<gap>",
        "subject\n\n(cherry picked from commit 12ab)\n<add>",
        "subject\r\n\r\nbody\r\n<gap>",
        "subject\r\n\r\nSigned-off-by: A <a@example.com>\r\n<add>\r\n# comment\r\n",
        "# a comment first\nsubject\n<gap>\n# comment\n",
        "subject\n\nWf-Mark-0: begin\n<add>",
        "subject\n\nWf-Issue: ISS-2\n<add>",
        "subject\n\n    Wf-Issue: ISS-1\n\nof a squash\n<gap>",
        "sübject\n\nbödy\n<gap>\n# cömment\n",
        "subject\n<gap>\n# ------------------------ >8 ------------------------\n# more\ndiff --git a/f b/f\n+Wf-Issue: X\n--- a/f",
    ] {
        check(&repo, &rule, marked);
    }
}

#[test]
fn a_last_line_without_a_newline_gets_one() {
    let repo = TestRepo::new();
    let rule = CommentRule::new("#", None, None);
    assert_eq!(added(&repo, "subject", &rule), format!("subject\n\n{LINES}"));
    assert_eq!(added(&repo, "subject\n\nA: b", &rule), format!("subject\n\nA: b\n{LINES}"));
    let complete = format!("subject\n\n{}", LINES.trim_end());
    assert_eq!(added(&repo, &complete, &rule), complete, "nothing to add, nothing to change");
}

#[test]
fn only_what_is_missing_is_added() {
    let repo = TestRepo::new();
    let rule = CommentRule::new("#", None, None);
    let add = |message| added(&repo, message, &rule);
    assert_eq!(add("s\n\nWf-Task: T1\nA: b\n"), "s\n\nWf-Task: T1\nA: b\nWf-Issue: ISS-1\n");
    assert_eq!(add("s\n\nwf-issue:ISS-1\nWf-Task: T2\n"), "s\n\nwf-issue:ISS-1\nWf-Task: T2\nWf-Task: T1\n");
}

#[test]
fn a_file_that_is_right_is_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let repo = TestRepo::new();
    let path = repo.root().join("MESSAGE");
    fs::write(&path, format!("subject\n\n{LINES}")).unwrap();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    add_trailers(&path, &CommentRule::new("#", None, None), OURS).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn kept_comments_are_text() {
    let repo = TestRepo::new();
    let no_editor = CommentRule::new("#", None, Some(std::ffi::OsStr::new(":")));
    check(&repo, &no_editor, "#42 repair the login\n<gap>");
    check(&repo, &no_editor, "subject\n\n# a heading\n<gap>");
    let scissors = CommentRule::new("#", Some("scissors"), None);
    check(&repo, &scissors, &format!("# Title\n\n# a heading\n<gap>{CUT}#\n# advice\n"));
}

#[test]
fn another_prefix() {
    let repo = TestRepo::new();
    let auto = CommentRule::new("auto", None, None);
    let cut = CUT.replace('#', ";");
    check(&repo, &auto, &format!("subject\n\n#42\n<gap>\n; advice\n;\n{cut}; below\n+text\n"));
    check(&repo, &auto, "subject\n\n#42\n<gap>\n; advice\n;\n");
    check(&repo, &CommentRule::new(";", None, None), &format!("subject\n\n#42\n<gap>{cut}below\n"));
}

#[test]
fn configured_trailers_change_nothing() {
    let repo = TestRepo::new();
    for (key, value) in [
        ("trailer.where", "start"),
        ("trailer.ifexists", "replace"),
        ("trailer.ifmissing", "doNothing"),
        ("trailer.separators", "="),
        ("trailer.wf-issue.key", "Renamed"),
        ("trailer.wf-issue.command", "echo other"),
        ("trailer.own.key", "Own"),
        ("trailer.own.command", "touch ran; echo own"),
        ("core.commentChar", ";"),
    ] {
        repo.run(&["config", key, value]);
    }
    let rule = CommentRule::new("#", None, None);
    check(&repo, &rule, "subject\n\nWf-Issue: ISS-2\nA: b\n<add># comment\n");
    assert!(!repo.root().join("ran").exists());
}

#[test]
fn a_missing_file_is_an_error_with_its_path() {
    let repo = TestRepo::new();
    let path = repo.root().join("nowhere");
    let error = add_trailers(&path, &CommentRule::new("#", None, None), OURS).unwrap_err();
    assert!(error.to_string().contains(&format!("cannot read the commit message `{}`", path.display())));
}

#[test]
fn trailers_are_found_wherever_a_squash_leaves_them() {
    let message = b"    Wf-Task: T0\nSquashed commit of the following:\n\n    Wf-Issue: ISS-1\r\nwf-SOLUTION :SOL-1 \n\nWf-Task:T1\ntext Wf-Task: T2\n\
        # Wf-Task: T3\n     Wf-Task: T4\n\tWf-Task: T5\nWf-Task:\nWf-Tasks: T6\nWf-Issue: \xff: x\n";
    let found = parse(message);
    let expected =
        [("Wf-Issue", "ISS-1"), ("Wf-Solution", "SOL-1"), ("Wf-Task", "T1"), ("Wf-Issue", "\u{fffd}: x")];
    assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
}

/// Two plans may each have a task `T1`.
#[test]
fn a_task_stands_below_its_own_plan() {
    let repo = TestRepo::new();
    let rule = CommentRule::new("#", None, None);
    let add = |message: &str, trailers: &[(&str, &str)]| {
        let path = repo.root().join("MESSAGE");
        fs::write(&path, message).unwrap();
        add_trailers(&path, &rule, trailers).unwrap();
        fs::read_to_string(&path).unwrap()
    };
    let of = |plan: &str, tasks: &[&str]| {
        let tasks: String = tasks.iter().map(|task| format!("Wf-Task: {task}\n")).collect();
        format!("Wf-Issue: {plan}\nWf-Solution: SOL-{plan}-1\n{tasks}")
    };
    let [a, b] = ["A", "B"].map(|plan| of(plan, &["T1"]));
    let of_b = [("Wf-Issue", "B"), ("Wf-Solution", "SOL-B-1"), ("Wf-Task", "T1")];
    assert_eq!(add(&format!("s\n\n{a}"), &of_b), format!("s\n\n{a}{b}"));
    assert_eq!(add(&format!("s\n\n{a}{b}"), &of_b), format!("s\n\n{a}{b}"));
    assert_eq!(add("s\n", &[OURS_OF_A, &of_b].concat()), format!("s\n\n{a}{b}"));
    // A task of the first plan is not added below the second.
    let more = [("Wf-Issue", "A"), ("Wf-Solution", "SOL-A-1"), ("Wf-Task", "T2")];
    assert_eq!(add(&format!("s\n\n{a}{b}"), &more), format!("s\n\n{}{b}", of("A", &["T1", "T2"])));
    assert_eq!(add(&format!("s\n\n{a}"), &more), format!("s\n\n{}", of("A", &["T1", "T2"])));
    // The messages of a squash.
    let squashed = format!("one\n\n{a}\ntwo\n\n{b}");
    assert_eq!(add(&squashed, &of_b), format!("one\n\ntwo\n\n{a}{b}"));
    // A task above all plans counts for each.
    assert_eq!(add("s\n\nWf-Task: T1\n", OURS_OF_A), "s\n\nWf-Task: T1\nWf-Issue: A\nWf-Solution: SOL-A-1\n");
}

const OURS_OF_A: &[(&str, &str)] = &[("Wf-Issue", "A"), ("Wf-Solution", "SOL-A-1"), ("Wf-Task", "T1")];
