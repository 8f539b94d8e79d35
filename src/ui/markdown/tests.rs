//! Texts in Markdown as lines of a terminal.

use super::*;
use crate::ui::{OutletFilter, Replacement};

/// A line as the terminal gets it.
fn shown(line: &str) -> String {
    let (mut filter, mut out) = (OutletFilter::new(Replacement::Text), Vec::new());
    filter.push(line.as_bytes(), &mut out);
    filter.end(&mut out);
    String::from_utf8(out).unwrap()
}

fn lines(text: &str, columns: usize) -> Vec<String> {
    rendered(text, columns, Painter::ON).iter().map(|line| shown(line)).collect()
}

fn plain(text: &str, columns: usize) -> Vec<String> {
    lines(text, columns).iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
}

#[test]
fn blocks_are_apart_and_wrapped() {
    let text = "# Why\nOne two three four five six seven.\nEight.\n\n- a\n- b\n  - c\n\n1. x\n2. y\n\n> said\n> so\n\n```sh\nls\tx\n```\nend";
    assert_eq!(
        plain(text, 20),
        [
            "Why",
            "",
            "One two three four",
            "five six seven.",
            "Eight.",
            "",
            "• a",
            "• b",
            "  • c",
            "",
            "1. x",
            "2. y",
            "",
            "│ said",
            "│ so",
            "",
            "sh",
            "  ls    x",
            "",
            "end"
        ]
    );
    assert!(lines("# Why", 20)[0].starts_with("\u{1b}[1m"));
}

#[test]
fn words_keep_their_styles_and_punctuation() {
    assert_eq!(plain("Run `git wf`, **now**!", 40), ["Run git wf, now!"]);
    assert_eq!(
        plain("see [here](https://a.example/x) or <https://b.example>", 80),
        ["see here <https://a.example/x> or https://b.example"]
    );
    assert_eq!(plain("| a | b |\n|---|---|\n| long | x |", 40), ["a     b", "long  x"]);
    assert_eq!(plain("- [x] done\n- [ ] open", 40), ["• [x] done", "• [ ] open"]);
}

#[test]
fn names_and_lines_stay_as_they_were_written() {
    assert_eq!(
        plain("Run src/__main__.py twice\nthen read src/__init__.py", 60),
        ["Run src/__main__.py twice", "then read src/__init__.py"]
    );
    for written in [
        "__init__ and _x_ of src/**/a.rs or src/**/b.rs",
        "**/a.rs and b/**, *.py, *a* and ~~b~~ or ~c~",
        "2**3 is 2**x**y",
        "- one edit on each line,\n  Test: `a`",
    ] {
        let shown = plain(written, 80).join("\n");
        assert_eq!(shown, written.replace("- one", "• one").replace('`', ""), "{shown}");
    }
    assert_eq!(plain("<b>\nx\n</b>", 40), ["<b>", "x", "</b>"]);
    // Where no colour shows what is code, its marks do.
    assert_eq!(plain("| `a` | **b** |\n|---|---|\n| c | d |", 40), ["`a`  **b**", "c    d"]);
    assert!(lines("say **now**!", 40)[0].contains("\u{1b}[1mnow"));
}

#[test]
fn nothing_of_it_reaches_the_terminal_raw() {
    let evil = "a\u{1b}[41m **b\u{202e}** `c\u{9b}2J` <b onclick=x>\u{7}</b> [x](https://e.example/\u{1b}])";
    for line in lines(evil, 80) {
        let bare = anstream::adapter::strip_str(&line).to_string();
        assert!(!bare.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line:?}");
    }
}

#[test]
fn a_text_of_one_word_is_not_lost() {
    assert_eq!(plain(&"x".repeat(50), 20), ["x".repeat(50)]);
    assert_eq!(plain("", 20), [""; 0]);
    assert_eq!(plain("漢字 漢字 漢字 漢字 漢字 漢字", 20), ["漢字 漢字 漢字 漢字", "漢字 漢字"]);
}
