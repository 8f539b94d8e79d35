//! Our trailers in the middle of a message: a squash joins whole messages, and git reads trailers only at the end.

use bstr::ByteSlice;

use super::placement;
use crate::trail::referred::SQUASHED;
use crate::trail::trailers::{self, own_trailer};

/// The issue, the plan and the tasks that trailers name together.
#[derive(Default)]
struct Group {
    issue: Option<String>,
    plan: Option<String>,
    tasks: Vec<String>,
}

/// A text without our trailers.
pub(super) struct Gathered {
    /// The rest of the text.
    pub(super) text: Vec<u8>,
    /// The trailers in order, each once.
    pub(super) trailers: Vec<(String, String)>,
}

/// The text without our trailers, and these; `None` if none are above other text. In the middle of
/// a text, only a paragraph of nothing but trailers counts.
pub(super) fn gathered(text: &[u8], comment: Option<&[u8]>) -> Option<Gathered> {
    let lines: Vec<&[u8]> = text.lines_with_terminator().collect();
    let bare: Vec<&[u8]> = text.lines().collect();
    let place = placement::find(&bare, comment);
    let is_own = |n: usize| own_trailer(bare[n]).is_some();
    // Elsewhere, an indented block is an example.
    let is_list = bare.iter().any(|line| line.starts_with(SQUASHED));
    let blocks = blocks(&bare[..place.first], is_list);
    if !blocks.iter().any(|block| block.clone().any(is_own)) {
        return None;
    }
    let last = place.first..place.at;
    let taken: Vec<usize> = blocks.into_iter().chain([last]).flatten().filter(|n| is_own(*n)).collect();
    let trailers = in_order(taken.iter().filter_map(|n| own_trailer(bare[*n])));
    Some(Gathered { text: without(&lines, &taken), trailers })
}

/// The text without these lines. Of the blank lines around a paragraph that is gone, one stays.
fn without(lines: &[&[u8]], taken: &[usize]) -> Vec<u8> {
    let mut rest: Vec<u8> = Vec::new();
    let mut was_blank = false;
    for (n, line) in lines.iter().enumerate() {
        let is_blank = placement::is_blank(line);
        if taken.contains(&n) {
            continue;
        }
        let follows_taken = n > 0 && taken.contains(&(n - 1));
        if !(is_blank && follows_taken && was_blank) {
            rest.extend_from_slice(line);
        }
        was_blank = is_blank;
    }
    // The blank line above a paragraph that was the last one.
    if lines.len().checked_sub(1).is_some_and(|last| taken.contains(&last)) && rest.ends_with(b"\n\n") {
        rest.pop();
    }
    rest
}

/// Our trailers in the last paragraph of a text.
pub(super) fn present(text: &[u8], comment: Option<&[u8]>) -> Vec<(&'static str, Vec<u8>)> {
    let bare: Vec<&[u8]> = text.lines().collect();
    let place = placement::find(&bare, comment);
    let found = bare[place.first..place.at].iter().filter_map(|line| own_trailer(line));
    found.map(|(key, value)| (key, value.to_vec())).collect()
}

/// The text without our trailers in its last paragraph.
pub(super) fn without_present(text: &[u8], comment: Option<&[u8]>) -> Vec<u8> {
    let lines: Vec<&[u8]> = text.lines_with_terminator().collect();
    let bare: Vec<&[u8]> = text.lines().collect();
    let place = placement::find(&bare, comment);
    let taken: Vec<usize> = (place.first..place.at).filter(|n| own_trailer(bare[*n]).is_some()).collect();
    without(&lines, &taken)
}

/// The paragraphs after the first one that consist of trailers.
fn blocks(lines: &[&[u8]], with_indented: bool) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = lines.iter().position(|line| placement::is_blank(line)).unwrap_or(lines.len());
    while at < lines.len() {
        let end =
            lines[at..].iter().position(|line| placement::is_blank(line)).map_or(lines.len(), |n| at + n);
        let is_trailer = |line: &&[u8]| {
            let text = if with_indented { line.trim_start() } else { line };
            placement::separator(text).is_some()
        };
        if end > at && lines[at..end].iter().all(is_trailer) {
            found.push(at..end);
        }
        at = end + 1;
    }
    found
}

/// These trailers, each task below its plan, and each once.
pub(super) fn in_order<'a>(found: impl Iterator<Item = (&'static str, &'a [u8])>) -> Vec<(String, String)> {
    groups(found).into_iter().flat_map(Group::trailers).collect()
}

fn groups<'a>(found: impl Iterator<Item = (&'static str, &'a [u8])>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut issue: Option<String> = None;
    // The group that tasks belong to.
    let mut current = 0;
    for (key, value) in found {
        let value = value.to_str_lossy().into_owned();
        match key {
            trailers::ISSUE => {
                push_issue(&mut groups, issue.take());
                issue = Some(value);
            }
            trailers::SOLUTION => {
                current = groups.iter().position(|group| group.plan.as_ref() == Some(&value)).unwrap_or_else(
                    || {
                        groups.push(Group { issue: issue.take(), plan: Some(value), tasks: vec![] });
                        groups.len() - 1
                    },
                );
                issue = None;
            }
            // A task above all plans counts for each of them.
            _ if groups.first().is_some_and(|group| group.is_open() && group.tasks.contains(&value)) => {}
            _ => {
                if groups.is_empty() || issue.is_some() {
                    let is_its = |group: &Group| group.plan.is_none() && group.issue == issue;
                    current = groups.iter().position(is_its).unwrap_or(groups.len());
                    if current == groups.len() {
                        groups.push(Group { issue: issue.clone(), ..Group::default() });
                    }
                    issue = None;
                }
                if let Some(group) = groups.get_mut(current).filter(|group| !group.tasks.contains(&value)) {
                    group.tasks.push(value);
                }
            }
        }
    }
    push_issue(&mut groups, issue);
    groups
}

/// Adds an issue of which no plan or task is named, unless it is there.
fn push_issue(groups: &mut Vec<Group>, issue: Option<String>) {
    if issue.is_some() && !groups.iter().any(|group| group.issue == issue) {
        groups.push(Group { issue, ..Group::default() });
    }
}

impl Group {
    /// Whether it names neither an issue nor a plan.
    fn is_open(&self) -> bool {
        self.issue.is_none() && self.plan.is_none()
    }

    fn trailers(self) -> Vec<(String, String)> {
        let one = |key: &str, value: String| (key.to_owned(), value);
        let issue = self.issue.map(|value| one(trailers::ISSUE, value));
        let plan = self.plan.map(|value| one(trailers::SOLUTION, value));
        let tasks = self.tasks.into_iter().map(|value| one(trailers::TASK, value));
        issue.into_iter().chain(plan).chain(tasks).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let Gathered { text: rest, trailers } = gathered(text.as_bytes(), Some(b"#"))?;
        let trailers: String = trailers.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
        Some(String::from_utf8(rest).unwrap() + "--\n" + &trailers)
    }

    #[test]
    fn trailers_of_squashed_messages_are_gathered() {
        let squashed = "one\n\nWf-Issue: A-1\nWf-Solution: SOL-A-1-x\nWf-Task: T1\n\ntwo\n\nbody\n\nWf-Issue: A-1\n\
                        Wf-Solution: SOL-A-1-x\nWf-Task: T2\nSigned-off-by: Ada\n";
        assert_eq!(
            shown(squashed).unwrap(),
            "one\n\ntwo\n\nbody\n\nSigned-off-by: Ada\n--\n\
             Wf-Issue: A-1\nWf-Solution: SOL-A-1-x\nWf-Task: T1\nWf-Task: T2\n"
        );
        let collected = "Squashed commit of the following:\n\ncommit 1\nAuthor: Ada\n\n    one\n\n    Wf-Issue: A-1\n    \
                         Wf-Solution: SOL-A-1-x\n\ncommit 2\n\n    two\n\n    Wf-Issue: B-1\n    Wf-Solution: SOL-B-1-x\n";
        assert_eq!(
            shown(collected).unwrap(),
            "Squashed commit of the following:\n\ncommit 1\nAuthor: Ada\n\n    one\n\ncommit 2\n\n    two\n--\n\
             Wf-Issue: A-1\nWf-Solution: SOL-A-1-x\nWf-Issue: B-1\nWf-Solution: SOL-B-1-x\n"
        );
    }

    #[test]
    fn trailers_that_are_at_the_end_and_words_in_a_sentence_stay() {
        for text in [
            "one\n\nWf-Issue: A-1\nWf-Solution: SOL-A-1-x\n",
            "one\n\nWrite it so:\nWf-Issue: A-1\n\nand not otherwise\n",
            "Wf-Issue: A-1\n\nexplained\n",
            "one\n\n    Wf-Issue: A-1\n\nan example\n",
            "one\n",
            "",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
