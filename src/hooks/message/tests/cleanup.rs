//! Which messages count as empty.

use std::ffi::OsStr;

use super::super::cleanup::comment_prefix;
use super::super::{CommentRule, is_empty_after_cleanup};
use crate::ops::test_repo::TestRepo;

const ADVICE: &str = "\n# Please enter the commit message for your changes. Lines starting\n\
    # with '#' will be ignored, and an empty message aborts the commit.\n#\n# On branch main\n#\n";
const CUT: &str = "# ------------------------ >8 ------------------------\n";

/// How git calls the hook for a commit without an editor.
fn no_editor() -> Option<&'static OsStr> {
    Some(OsStr::new(":"))
}

fn empty(message: &str, rule: &CommentRule) -> bool {
    is_empty_after_cleanup(message.as_bytes(), rule)
}

#[test]
fn what_an_editor_left_behind() {
    let rule = CommentRule::new("#", None, None);
    let diff = format!("{CUT}# Do not modify or remove the line above.\ndiff --git a/f b/f\n+text\n");
    for (message, expected) in [
        ("", true),
        (" \n\t\n", true),
        (ADVICE, true),
        ("# only\n# comments", true),
        (&format!("{ADVICE}{diff}"), true),
        (&diff, true),
        (&format!("subject\n{diff}"), false),
        (&format!("subject\n{ADVICE}"), false),
        (" # an indented line is not a comment", false),
        ("\r\n#\r\n", true),
        ("Signed-off-by: A <a@example.com>\n\n", true),
        ("\nsigned-off-by: A <a@example.com>\n", false),
        ("\nWf-Issue: ISS-1\nWf-Task: T1\n", true),
        ("\nWf-Issue: ISS-1\n\nSigned-off-by: A <a@example.com>\n# comment\n", true),
        ("subject\n\nWf-Issue: ISS-1\n", false),
        ("Wf-Other: ISS-1\n", false),
    ] {
        assert_eq!(empty(message, &rule), expected, "{message:?}");
    }
}

#[test]
fn a_line_that_looks_like_a_comment_is_text_where_git_keeps_it() {
    let message = "#42 repair the login\n";
    for (cleanup, editor, expected) in [
        (None, no_editor(), false),
        (Some("default"), no_editor(), false),
        (None, None, true),
        (None, Some(OsStr::new("vi")), true),
        (Some("strip"), no_editor(), true),
        (Some("scissors"), None, false),
        (Some("whitespace"), None, false),
        (Some("verbatim"), None, false),
    ] {
        let rule = CommentRule::new("#", cleanup, editor);
        assert_eq!(empty(message, &rule), expected, "{cleanup:?} {editor:?}");
    }
}

#[test]
fn the_advice_for_an_editor_is_no_text_in_any_mode() {
    for cleanup in [None, Some("strip"), Some("scissors"), Some("whitespace"), Some("verbatim")] {
        for editor in [None, no_editor()] {
            let rule = CommentRule::new("#", cleanup, editor);
            assert!(empty(ADVICE, &rule), "{cleanup:?} {editor:?}");
            assert!(empty(&format!("{CUT}{ADVICE}"), &rule), "{cleanup:?} {editor:?}");
        }
    }
    let scissors = CommentRule::new("#", Some("scissors"), None);
    assert!(!empty(&format!("# Title\n{CUT}{ADVICE}"), &scissors));
}

#[test]
fn another_prefix() {
    let rule = CommentRule::new("//", None, None);
    assert!(empty("// a comment\n", &rule));
    assert!(!empty("# a comment\n", &rule));
    assert!(empty(&CUT.replace('#', "//"), &rule));
    assert!(!empty(CUT, &rule));
}

#[test]
fn auto_is_seen_from_what_git_wrote() {
    let rule = CommentRule::new("auto", None, None);
    let advice = ADVICE.replace('#', ";");
    assert!(empty(ADVICE, &rule));
    assert!(empty(&advice, &rule));
    assert!(!empty(&format!("#42 repair{advice}"), &rule));
    assert!(empty(&format!("{advice}{}+text\n", CUT.replace('#', ";")), &rule));
    assert!(!empty("-- a signature", &rule));
}

#[test]
fn an_untouched_template_is_empty() {
    let rule = CommentRule::new("#", None, None).with_template(b"Why:\n\n# explain\nHow:\n");
    assert!(empty(&format!("Why:\n\n# explain\nHow:\n{ADVICE}"), &rule));
    assert!(empty("Why:\nHow: \n\nSigned-off-by: A <a@example.com>\n", &rule));
    assert!(!empty("Why: because\nHow:\n", &rule));
    assert!(!empty("Why:\nHow:\nso\n", &rule));
}

#[test]
fn the_rule_is_read_from_the_configuration() {
    let repo = TestRepo::new();
    let read = || CommentRule::read(&repo.store(), None).unwrap();
    assert!(empty("# comment\n", &read()));
    repo.run(&["config", "core.commentChar", ";"]);
    assert!(empty("; comment\n", &read()));
    assert!(!empty("# comment\n", &read()));
    repo.run(&["config", "core.commentChar", "auto"]);
    assert!(empty("; comment\n", &read()));
    assert!(empty("# comment\n", &read()));
    repo.run(&["config", "commit.cleanup", "scissors"]);
    assert!(!empty("# comment\n", &read()));
    repo.stage("template", "Why:\n");
    repo.run(&["config", "commit.template", "template"]);
    assert!(empty("Why:\n", &read()));
    for key in ["core.commentChar", "commit.cleanup", "commit.template"] {
        repo.run(&["config", "--unset", key]);
    }
    assert!(empty("", &read()), "a missing configuration is not an error");
}

#[test]
fn git_says_which_of_its_prefixes_it_knows() {
    let repo = TestRepo::new();
    repo.run(&["config", "core.commentString", "//"]);
    let shown = repo.command(&["stripspace", "-c"]).output().unwrap();
    assert!(shown.status.success());
    let known = repo.run(&["version"]);
    let minor: u32 = known.split('.').nth(1).unwrap().parse().unwrap();
    let rule = CommentRule::read(&repo.store(), None).unwrap();
    let prefix = if known.starts_with("git version 2.") && minor < 45 { "#" } else { "//" };
    assert!(empty(&format!("{prefix} comment\n"), &rule));
}

#[test]
fn of_two_prefixes_the_last_one_counts() {
    let repo = TestRepo::new();
    let path = repo.root().join(".git/config");
    for (added, expected) in [
        ("[core]\n\tcommentString = //\n\tcommentchar = %\n", "%"),
        ("[core]\n\tCommentChar = ;\n\tcommentstring = --\n", "--"),
        ("[core \"sub\"]\n\tcommentChar = !\n", "--"),
    ] {
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + added).unwrap();
        assert_eq!(comment_prefix(&repo.store().repo().config()).unwrap(), expected);
    }
}
