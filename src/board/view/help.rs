//! The help on keys.

use crate::ui::{StyledLine, style};

/// The width of the key column.
pub(super) const KEYS: u16 = 18;

/// Keys and what they do.
const LINES: &[(&str, &str)] = &[
    ("h l, ← →, Tab", "another column"),
    ("j k, ↑ ↓", "another issue; g and G: first and last"),
    ("Enter", "open the issue; Esc closes it"),
    ("1 to 6", "its pages: issue, plan, tasks, trail, diff, log"),
    ("J K", "the next issue while one is open"),
    (
        "/",
        "filter as you type: words, and the filters of `git wf list`: status:failed tag:api (#api) priority:1 \
         assignee:ada (@ada) since:yesterday --ready --has-plan; Esc clears it",
    ),
    ("A", "also show issues that are done"),
    ("", ""),
    ("n", "new issue"),
    ("m", "move it: lists the possible moves"),
    ("p", "set its priority"),
    ("a", "assign"),
    ("c", "comment; Ctrl-O writes any text in your editor"),
    ("b", "bind a plan"),
    ("e", "queue its bound plan"),
    ("x", "claim it, here or in a new worktree"),
    ("r", "review its plan"),
    ("", ""),
    ("mouse", "click selects, a second click opens; drag to another column to move; Shift selects text"),
    ("Ctrl-L, Ctrl-Z", "read and draw again; suspend"),
    ("q, Ctrl-C", "quit"),
];

/// Keys and what they do, in lines of this many columns; continuation lines have no key.
pub(super) fn lines(columns: usize) -> Vec<(&'static str, StyledLine)> {
    let room = columns.saturating_sub(KEYS.into()).max(1);
    let mut all = Vec::new();
    for (keys, words) in LINES {
        let mut keys = *keys;
        let wrapped = StyledLine::new(style::PLAIN, words).wrapped(room);
        for line in if wrapped.is_empty() { vec![StyledLine::default()] } else { wrapped } {
            all.push((keys, line));
            keys = "";
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_shown_whatever_the_width() {
        for columns in [50, 54, 82] {
            let shown: Vec<String> = lines(columns).iter().map(|(_, line)| line.words()).collect();
            let long: Vec<&String> = shown.iter().filter(|line| line.len() > columns - 18).collect();
            assert!(long.is_empty(), "{columns}: {long:?}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let all: Vec<String> = LINES.iter().flat_map(|(_, text)| words(text)).collect();
            assert_eq!(words(&shown.join(" ")), all, "{columns}");
            assert_eq!(lines(columns).iter().filter(|(keys, _)| *keys == "mouse").count(), 1);
        }
    }
}
