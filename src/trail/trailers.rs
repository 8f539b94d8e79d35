//! The trailers by which a commit names its issue, plan and task.

use std::collections::BTreeSet;

use bstr::ByteSlice;

use super::referred::SQUASHED;
use crate::rules::audit::StatedWork;

/// The trailer with the issue that a commit is for.
pub(crate) const ISSUE: &str = "Wf-Issue";
/// The trailer with the plan.
pub(crate) const SOLUTION: &str = "Wf-Solution";
/// The trailer with the task of that plan.
pub(crate) const TASK: &str = "Wf-Task";
/// The trailers that link a commit, in their canonical spelling.
const KEYS: &[&str] = &[ISSUE, SOLUTION, TASK];
/// The indentation of the messages that `git merge --squash` collects.
const MAX_INDENT: usize = 4;

/// Every `Wf-Issue`, `Wf-Solution` and `Wf-Task` line in the message, in order, each key in its canonical spelling.
///
/// They also count in the middle of a message, where a squash leaves them. Indented ones count in the list that
/// `git merge --squash` collects; elsewhere they are examples. The values are as typed; ids are not checked. In a
/// message's file, lines below the scissors line count as well.
pub(crate) fn parse(message: &[u8]) -> Vec<(String, String)> {
    let mut is_list = false;
    message
        .lines()
        .filter(|line| {
            is_list |= line.starts_with(SQUASHED);
            is_list || !line.starts_with(b" ")
        })
        .filter_map(own_trailer)
        .map(|(key, value)| (key.to_owned(), value.to_str_lossy().into_owned()))
        .collect()
}

/// The tasks that trailers name for a plan: those after its own `Wf-Solution` and before another one, and those that
/// follow none. A squash puts the trailers of many commits below each other.
pub(crate) fn tasks<'a>(trailers: &'a [(String, String)], solution: &str) -> BTreeSet<&'a str> {
    let mut of: Option<&str> = None;
    let mut tasks = BTreeSet::new();
    for (key, value) in trailers {
        if key == SOLUTION {
            of = Some(value);
        } else if key == TASK && of.is_none_or(|of| of == solution) {
            tasks.insert(value.as_str());
        }
    }
    tasks
}

/// The work that trailers name, for comparison with the links of their commit.
pub(crate) fn stated(trailers: &[(String, String)]) -> StatedWork {
    let mut stated = StatedWork::default();
    let mut plan: Option<&String> = None;
    for (key, value) in trailers {
        match key.as_str() {
            SOLUTION => {
                plan = Some(value);
                stated.plans.insert(value.clone());
            }
            TASK => drop(stated.tasks.insert((plan.cloned(), value.clone()))),
            _ => drop(stated.issues.insert(value.clone())),
        }
    }
    stated
}

/// The key and the value of a line that is one of our trailers.
pub(crate) fn own_trailer(line: &[u8]) -> Option<(&'static str, &[u8])> {
    KEYS.iter().find_map(|key| Some((*key, value_of(key, line)?)))
}

/// The value of a line that is a trailer with this key.
pub(crate) fn value_of<'a>(key: &str, line: &'a [u8]) -> Option<&'a [u8]> {
    let start = line.iter().take(MAX_INDENT).take_while(|c| **c == b' ').count();
    let (found, value) = line[start..].split_once_str(b":")?;
    let value = value.trim();
    (key.as_bytes().eq_ignore_ascii_case(found.trim_end()) && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_belongs_to_the_plan_that_is_named_before_it() {
        let text =
            "two\n\n    Wf-Solution: SOL-A-1\n    Wf-Task: T1\n\n    Wf-Solution: SOL-B-1\n    Wf-Task: T2\n";
        assert_eq!(parse(text.as_bytes()), [], "an example");
        let squashed = parse(format!("Squashed commit of the following:\n\n    {text}").as_bytes());
        assert_eq!(tasks(&squashed, "SOL-A-1"), BTreeSet::from(["T1"]));
        assert_eq!(tasks(&squashed, "SOL-B-1"), BTreeSet::from(["T2"]));
        assert_eq!(tasks(&squashed, "SOL-C-1"), BTreeSet::new());
        assert_eq!(tasks(&parse(b"x\n\nWf-Task: T3\n"), "SOL-A-1"), BTreeSet::from(["T3"]));
    }
}
