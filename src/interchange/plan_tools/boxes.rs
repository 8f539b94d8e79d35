//! The boxes of a Markdown task list, counted as OpenSpec counts them: each list item that begins with a box is a task,
//! also in a code block, since a task that nobody counts is lost.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A task: `- [ ] 1.1 Buy leaves`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskBox<'a> {
    /// Where its mark is: what is between the brackets.
    pub(super) mark: Range<usize>,
    /// Whether it is ticked. Marks other than `x` count as open.
    pub(super) is_done: bool,
    /// Its line after the box.
    pub(super) text: &'a str,
    /// The indented lines below it that are not boxes.
    pub(super) below: Vec<&'a str>,
    /// The last heading above, below the title.
    pub(super) group: &'a str,
    /// Where the lines below that heading begin.
    group_at: usize,
    /// Where the lines below the last heading of the second level begin.
    pub(super) phase_at: usize,
    /// Whether it is in a comment, which a reader does not see.
    pub(super) is_hidden: bool,
}

impl TaskBox<'_> {
    /// Whether both are below the same heading.
    pub(super) fn is_in_group_of(&self, other: &Self) -> bool {
        self.group_at == other.group_at
    }

    /// Its mark as it is there, if it is neither open nor ticked.
    pub(super) fn other_mark<'a>(&self, text: &'a str) -> Option<&'a str> {
        Some(text[self.mark.clone()].trim()).filter(|mark| !mark.is_empty() && !self.is_done)
    }
}

/// All boxes of a text, in order.
pub(super) fn boxes(text: &str) -> Vec<TaskBox<'_>> {
    let examples = Example::all(text);
    let mut found: Vec<TaskBox<'_>> = Vec::new();
    let (mut at, mut group, mut is_below) = (0, "", false);
    let (mut group_at, mut phase_at) = (0, 0);
    for full in text.split_inclusive('\n') {
        let line = full.trim_end_matches(['\n', '\r']);
        let example = Example::at(&examples, at);
        if let Some((mark, rest)) = mark_of(line) {
            let is_done = line[mark.clone()].trim().eq_ignore_ascii_case("x");
            let mark = at + mark.start..at + mark.end;
            let is_hidden = example.is_some_and(|example| example.is_comment);
            found.push(TaskBox {
                mark,
                is_done,
                text: rest,
                below: vec![],
                group,
                group_at,
                phase_at,
                is_hidden,
            });
            is_below = true;
        } else if example.is_none() && (line.starts_with("## ") || line.starts_with("### ")) {
            group = line.trim_matches('#').trim();
            group_at = at + full.len();
            if line.starts_with("## ") {
                phase_at = group_at;
            }
            is_below = false;
        } else if line.trim().is_empty() {
            // A paragraph that is indented still belongs to the box.
        } else if !line.starts_with([' ', '\t']) {
            is_below = false;
        } else if is_below && let Some(last) = found.last_mut() {
            last.below.push(line.trim());
        }
        at += full.len();
    }
    found
}

/// What the boxes of a text say, whether they are ticked or not.
pub(super) fn texts(text: &str) -> Vec<&str> {
    boxes(text).into_iter().map(|task| task.text).collect()
}

/// What is in boxes that have more than one character, so that they are no tasks: `[WIP]`, `[🚧]`.
pub(super) fn uncounted(text: &str) -> BTreeSet<&str> {
    text.lines().filter_map(word_in_box).collect()
}

fn word_in_box(line: &str) -> Option<&str> {
    let (word, after) = item(line)?.trim_start().strip_prefix('[')?.split_once(']')?;
    let is_word = (2..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_sign = word.chars().count() <= 2 && word.trim().encode_utf16().count() > 1 && !word.is_ascii();
    ((is_word || is_sign) && after.starts_with(' ')).then_some(word)
}

/// A part of a text that is shown as code, or not at all.
pub(super) struct Example {
    range: Range<usize>,
    is_comment: bool,
}

impl Example {
    /// The code between fences and the comments of a text, in order.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut is_open = false;
        for (event, range) in Parser::new(text).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    found.push(Self { range, is_comment: false });
                }
                // A comment comes in one part for each line.
                Event::Html(part) => match found.last_mut() {
                    Some(last) if is_open => {
                        last.range.end = range.end;
                        is_open = !part.contains("-->");
                    }
                    _ if part.trim_start().starts_with("<!--") => {
                        is_open = !part.contains("-->");
                        found.push(Self { range, is_comment: true });
                    }
                    _ => {}
                },
                Event::End(TagEnd::HtmlBlock) => is_open = false,
                _ => {}
            }
        }
        found
    }

    /// The one that has this place.
    pub(super) fn at(all: &[Self], at: usize) -> Option<&Self> {
        let before = all.partition_point(|example| example.range.start <= at);
        all[..before].last().filter(|example| example.range.contains(&at))
    }
}

/// The text with these boxes ticked: one character of each becomes an `x`, or is added if it has none; every other byte stays.
pub(super) fn tick(text: &str, which: &[TaskBox<'_>]) -> String {
    let mut open: Vec<&TaskBox<'_>> = which.iter().filter(|task| !task.is_done).collect();
    open.sort_by_key(|task| task.mark.start);
    let (mut ticked, mut at) = (String::with_capacity(text.len() + open.len()), 0);
    for task in open {
        let inside = &text[task.mark.clone()];
        let sign = inside.char_indices().find(|(_, sign)| !sign.is_whitespace());
        let first = sign.or_else(|| inside.char_indices().next());
        let (begin, length) = first.map_or((0, 0), |(begin, sign)| (begin, sign.len_utf8()));
        let begin = task.mark.start + begin;
        ticked.push_str(&text[at..begin]);
        ticked.push('x');
        at = begin + length;
    }
    ticked.push_str(&text[at..]);
    ticked
}

/// Where the mark of a line is, and what follows the box; `None` if the line is not a task.
fn mark_of(line: &str) -> Option<(Range<usize>, &str)> {
    let inside = item(line)?.trim_start().strip_prefix('[')?;
    let end = inside.find(']')?;
    let (mark, after) = (&inside[..end], &inside[end + 1..]);
    let is_blank = !mark.is_empty() && mark.trim().is_empty();
    // `[A](https://…)` and `[A][1]` are links.
    let is_link = after.starts_with(['(', '[']) && !is_blank;
    // OpenSpec counts in UTF-16, in which an emoji is more than one.
    if mark.trim().encode_utf16().count() > 1 || is_link {
        return None;
    }
    let start = line.len() - inside.len();
    Some((start..start + end, after.trim()))
}

/// What follows the bullet or number of a list item; `None` for another line.
pub(super) fn item(line: &str) -> Option<&str> {
    let item = line.trim_start();
    if let Some(rest) = item.strip_prefix(['-', '*', '+']).filter(|rest| !rest.starts_with('*')) {
        return Some(rest);
    }
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=9).contains(&digits) { item[digits..].strip_prefix(['.', ')']) } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn boxes_are_counted_as_openspec_counts_them() {
        let text = "# T\n- [ ] none\n## 1. A\n- [x] 1.1 b\n  more\n\n  and more\n    - [X] c\n* [~] d\n+ [] e\n1. [ x] f\n- [A](b) no\n\
                    - [WIP] no\n- [🚧] no\n```\n- [ ] g\n```\n<!-- - [ ] h -->\n- [ ](x) i\n";
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
        assert_eq!(uncounted(text).into_iter().collect::<Vec<_>>(), ["WIP", "🚧"]);
        assert_eq!(all[1].below, ["more", "and more"]);
        assert_eq!(all[3].other_mark(text), Some("~"));
    }

    #[test]
    fn what_is_hidden_counts_and_headings_in_code_do_not() {
        let text = "- [ ] a\n\n<!--\n- [ ] b\n\n- [ ] c\n-->\n\n~~~\n- [ ] d\n## no\n~~~\n- [ ] e\n  <!-- x\n- [ ] f\n-->\n";
        let all = boxes(text);
        let hidden: Vec<&str> = all.iter().filter(|task| task.is_hidden).map(|task| task.text).collect();
        assert_eq!((all.len(), hidden), (6, vec!["b", "c"]));
        assert!(all.iter().all(|task| task.group.is_empty()));
    }

    proptest! {
        #[test]
        fn a_tick_changes_the_box_and_nothing_else(
            lines in proptest::collection::vec(
                prop_oneof![
                    "[ ]{0,3}[-*+] \\[[ xX~✓-]\\] .{0,12}",
                    "[-*+] ?\\[ {0,3}[xX~]? {0,2}\\]( .{0,6})?\r?",
                    "(```|~~~|<!--|-->)",
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
            let open = || some.iter().filter(|task| !task.is_done);
            let empty = open().filter(|task| task.mark.is_empty()).count();
            prop_assert_eq!(ticked.chars().count(), text.chars().count() + empty);
            if empty == 0 {
                let differ = text.chars().zip(ticked.chars()).filter(|(one, other)| one != other).count();
                prop_assert_eq!(differ, open().count());
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
