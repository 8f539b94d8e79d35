//! The boxes of a Markdown task list, counted as OpenSpec counts them: each list item that begins with a box is a task,
//! also in a code block, since a task that nobody counts is lost.

use std::ops::Range;

/// A task: `- [ ] 1.1 Buy leaves`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskBox<'a> {
    /// Where its mark stands: what is between the brackets.
    pub(super) mark: Range<usize>,
    /// Whether it is ticked. Marks other than `x` count as open.
    pub(super) is_done: bool,
    /// Its line after the box.
    pub(super) text: &'a str,
    /// The indented lines below it that are no boxes.
    pub(super) below: Vec<&'a str>,
    /// The last heading above, below the title.
    pub(super) group: &'a str,
}

impl TaskBox<'_> {
    /// Its mark as it stands there, if it is neither open nor ticked.
    pub(super) fn other_mark<'a>(&self, text: &'a str) -> Option<&'a str> {
        Some(text[self.mark.clone()].trim()).filter(|mark| !mark.is_empty() && !self.is_done)
    }
}

/// All boxes of a text, in order.
pub(super) fn boxes(text: &str) -> Vec<TaskBox<'_>> {
    let mut found: Vec<TaskBox<'_>> = Vec::new();
    let (mut at, mut group, mut is_below) = (0, "", false);
    for full in text.split_inclusive('\n') {
        let line = full.trim_end_matches(['\n', '\r']);
        if let Some((mark, rest)) = mark_of(line) {
            let is_done = line[mark.clone()].trim().eq_ignore_ascii_case("x");
            let mark = at + mark.start..at + mark.end;
            found.push(TaskBox { mark, is_done, text: rest, below: vec![], group });
            is_below = true;
        } else if line.starts_with("## ") || line.starts_with("### ") {
            group = line.trim_start_matches('#').trim();
            is_below = false;
        } else if line.trim().is_empty() || !line.starts_with([' ', '\t']) {
            is_below = false;
        } else if is_below && let Some(last) = found.last_mut() {
            last.below.push(line.trim());
        }
        at += full.len();
    }
    found
}

/// The text with these boxes ticked; every other byte stays.
pub(super) fn tick(text: &str, which: &[TaskBox<'_>]) -> String {
    let mut ticked = text.to_owned();
    let mut open: Vec<&TaskBox<'_>> = which.iter().filter(|task| !task.is_done).collect();
    open.sort_by_key(|task| std::cmp::Reverse(task.mark.start));
    for task in open {
        ticked.replace_range(task.mark.clone(), "x");
    }
    ticked
}

/// Where the mark of a line stands, and what follows the box; `None` if the line is no task.
fn mark_of(line: &str) -> Option<(Range<usize>, &str)> {
    let item = line.trim_start();
    let rest = match item.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => {
            let digits = item.bytes().take_while(u8::is_ascii_digit).count();
            (1..=9).contains(&digits).then_some(())?;
            item[digits..].strip_prefix(['.', ')'])?
        }
    };
    let inside = rest.trim_start().strip_prefix('[')?;
    let end = inside.find(']')?;
    let (mark, after) = (&inside[..end], &inside[end + 1..]);
    let is_blank = !mark.is_empty() && mark.trim().is_empty();
    // `[A](https://…)` and `[A][1]` are links.
    let is_link = after.starts_with(['(', '[']) && !is_blank;
    if mark.trim().chars().count() > 1 || is_link {
        return None;
    }
    let start = line.len() - inside.len();
    Some((start..start + end, after.trim()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn boxes_are_counted_as_openspec_counts_them() {
        let text = "# T\n- [ ] none\n## 1. A\n- [x] 1.1 b\n  more\n    - [X] c\n* [~] d\n+ [] e\n1. [ x] f\n- [A](b) no\n\
                    - [WIP] no\n```\n- [ ] g\n```\n<!-- - [ ] h -->\n- [ ](x) i\n";
        let all = boxes(text);
        let said: Vec<_> = all.iter().map(|task| (task.text, task.is_done, task.group)).collect();
        assert_eq!(
            said,
            [
                ("none", false, ""),
                ("1.1 b", true, "1. A"),
                ("c", true, "1. A"),
                ("d", false, "1. A"),
                ("e", false, "1. A"),
                ("f", true, "1. A"),
                ("g", false, "1. A"),
                ("(x) i", false, "1. A"),
            ]
        );
        assert_eq!(all[1].below, ["more"]);
        assert_eq!(all[3].other_mark(text), Some("~"));
    }

    proptest! {
        #[test]
        fn a_tick_changes_the_box_and_nothing_else(
            lines in proptest::collection::vec(
                prop_oneof![
                    "[ ]{0,3}[-*+] \\[[ xX~-]\\] .{0,12}",
                    "[0-9]{1,3}[.)] \\[ \\] [a-z]{0,5}",
                    "#{1,4} .{0,8}",
                    ".{0,20}",
                ],
                0..12,
            ),
            wanted in any::<u16>(),
        ) {
            let text = lines.join("\n");
            let all = boxes(&text);
            let some = all.iter().enumerate().filter(|(n, _)| wanted >> (n % 16) & 1 == 1);
            let some: Vec<TaskBox<'_>> = some.map(|(_, task)| task.clone()).collect();
            let ticked = tick(&text, &some);
            let differ = text.chars().zip(ticked.chars()).filter(|(one, other)| one != other).count();
            let open = some.iter().filter(|task| !task.is_done && task.mark.len() == 1).count();
            let longer = some.iter().filter(|task| !task.is_done && task.mark.len() != 1).count();
            if longer == 0 {
                prop_assert_eq!(differ, open);
                prop_assert_eq!(text.len(), ticked.len());
            }
            let after = boxes(&ticked);
            prop_assert_eq!(after.len(), all.len());
            for (before, now) in all.iter().zip(&after) {
                prop_assert_eq!(before.text, now.text);
                prop_assert_eq!(now.is_done, before.is_done || some.iter().any(|it| it.mark == before.mark));
            }
        }
    }
}
