//! Trailers go where git puts them: compares the answers of both, for messages made of everything that matters to
//! either.

use bstr::ByteSlice;
use proptest::prelude::*;

use super::super::trailers::{PlacedTrailers, placed};
use crate::ops::test_repo::TestRepo;

const OURS: &[(&str, &str)] = &[("Wf-Issue", "ISS-1"), ("Wf-Task", "T1")];
/// No line starts with this, so as a comment prefix it makes every line text.
const NO_COMMENT: &str = "\u{1}";

/// Lines with a meaning for git, and lines without one.
const LINES: &[&str] = &[
    "",
    "",
    "",
    "subject",
    "text and more",
    "  indented",
    "\tindented",
    " ",
    "\t",
    "# comment",
    "#",
    "#42 text",
    "Key: value",
    "key:value",
    "Key : value",
    "Two words: text",
    "Fixes #12",
    "Fixes:#12",
    ":",
    "-: x",
    "Key:",
    "Signed-off-by: A <a@example.com>",
    "signed-off-by: A",
    "(cherry picked from commit 12ab)",
    "---",
    "Conflicts:",
    "\ta/file",
    "# Conflicts:",
    "#\ta/file",
    "Wf-Issue: ISS-1",
    "wf-issue:ISS-1 ",
    "Wf-Issue: ISS-2",
    "Wf-Task: T1",
    " and more",
    "text\r",
    "\r",
    "Key: value\r",
    "s\u{fc}\u{df}: x",
    "https://example.com/x",
];

/// git's answer when asked to add trailers. git rewrites existing trailers (`Fixes:#1` becomes `Fixes: #1`), so only
/// the lines between two marks are used.
fn asked(repo: &TestRepo, text: &[u8], prefix: &str, trailers: &[(&str, &str)]) -> PlacedTrailers {
    let mark = (0..).map(|n| format!("Wf-Mark-{n}")).find(|mark| !text.contains_str(mark));
    let mark = mark.unwrap_or_default();
    let (begin, end) = (format!("{mark}: begin\n"), format!("{mark}: end\n"));
    let mut args = vec!["-c".into(), format!("core.commentChar={prefix}")];
    args.extend(
        ["interpret-trailers", "--no-divider", "--where", "end", "--if-missing", "add"].map(String::from),
    );
    let mut add = |when: &str, trailer: &str| {
        args.extend(["--if-exists", when, "--trailer", trailer.trim_end()].map(String::from));
    };
    add("add", &begin);
    for (key, value) in trailers {
        add("addIfDifferent", &format!("{key}: {value}"));
    }
    add("add", &end);
    // A carriage return would keep git from recognizing a blank line; the clean-up removes it anyway.
    let asked = text.replace("\r\n", "\n");
    let answer = sealed(repo, &args, &asked);
    let (head, rest) = answer.split_once_str(&begin).unwrap();
    let (lines, tail) = rest.split_once_str(&end).unwrap();
    let above = asked.strip_suffix(tail).unwrap().lines().count();
    let at: usize = text.lines_with_terminator().take(above).map(<[u8]>::len).sum();
    let gap = ends_blank(head) && !ends_blank(&text[..at]);
    PlacedTrailers { at, gap, lines: lines.to_owned() }
}

/// Runs git without any configuration except `-c`.
fn sealed(repo: &TestRepo, args: &[String], input: &[u8]) -> Vec<u8> {
    let mut command = repo.command(&[]);
    command.args(args).env("GIT_DIR", "/dev/null");
    crate::git::feed(command, input).unwrap()
}

fn ends_blank(text: &[u8]) -> bool {
    text.lines().next_back().is_none_or(|line| line.trim().is_empty())
}

#[test]
fn a_line_of_blanks_below_a_trailer_does_not_go_on_with_it() {
    let placed = placed(b"\nWf-Issue: ISS-1\n \n", Some(b"#"), OURS);
    assert_eq!((placed.at, placed.lines), (19, b"Wf-Task: T1\n".to_vec()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trailers_go_where_git_puts_them(
        lines in prop::collection::vec(prop::sample::select(LINES), 1..14),
        keeps_comments in any::<bool>(),
    ) {
        thread_local! {
            static REPO: TestRepo = TestRepo::new();
        }
        let text = lines.join("\n") + "\n";
        let prefix = if keeps_comments { NO_COMMENT } else { "#" };
        let expected = REPO.with(|repo| asked(repo, text.as_bytes(), prefix, OURS));
        let ours = placed(text.as_bytes(), (!keeps_comments).then_some(&b"#"[..]), OURS);
        prop_assert_eq!(ours, expected, "{:?}", text);
    }
}
