//! The help on keys.

/// The width of the key column.
pub(super) const KEYS: u16 = 18;

/// Keys and what they do; continuation lines have no key.
pub(super) fn lines() -> &'static [(&'static str, &'static str)] {
    &[
        ("h l, ← →, Tab", "another column"),
        ("j k, ↑ ↓", "another issue; g and G: first and last"),
        ("Enter", "open the issue; Esc closes it"),
        ("1 to 6", "its pages: issue, plan, tasks, trail, diff, log"),
        ("J K", "the next issue while one is open"),
        ("/", "filter as you type: words, and the filters of"),
        ("", "`git wf list`: status:failed tag:api (#api)"),
        ("", "priority:1 assignee:ada (@ada) since:yesterday"),
        ("", "--ready --has-solution; Esc clears it"),
        ("A", "also show issues that are done"),
        ("", ""),
        ("n", "new issue"),
        ("m", "move: lists what can be done with it now"),
        ("p", "set its priority"),
        ("a", "assign"),
        ("c", "comment; Ctrl-O writes any text in your editor"),
        ("b", "bind a plan"),
        ("e", "queue its bound plan"),
        ("x", "claim it, here or in a new worktree"),
        ("r", "review its plan"),
        ("", ""),
        ("mouse", "click selects, a second click opens; drag to"),
        ("", "another column to move; Shift selects text"),
        ("Ctrl-L, Ctrl-Z", "read and draw again; suspend"),
        ("q, Ctrl-C", "quit"),
    ]
}
