//! The trailers by which a commit names its issue, plan and task.

use gix::bstr::ByteSlice;

/// The trailer with the issue that a commit is for.
pub(crate) const ISSUE: &str = "Wf-Issue";
/// The trailer with the plan.
pub(crate) const SOLUTION: &str = "Wf-Solution";
/// The trailer with the task of that plan.
pub(crate) const TASK: &str = "Wf-Task";
/// The trailers that bind a commit, as they are written.
const KEYS: &[&str] = &[ISSUE, SOLUTION, TASK];
/// `git merge --squash` indents the messages that it collects by as much.
const MAX_INDENT: usize = 4;

/// Every `Wf-Issue`, `Wf-Solution` and `Wf-Task` line in the message, in order, each key as we write it.
///
/// They count in the middle of a message, too, where a squash leaves them. The values are as somebody typed
/// them: no id is checked. In a message's file, a line below the scissors counts as well.
pub(crate) fn parse(message: &[u8]) -> Vec<(String, String)> {
    message
        .lines()
        .filter_map(own_trailer)
        .map(|(key, value)| (key.to_owned(), value.to_str_lossy().into_owned()))
        .collect()
}

/// The key and the value of a line that is one of our trailers.
pub(crate) fn own_trailer(line: &[u8]) -> Option<(&'static str, &[u8])> {
    let start = line.iter().take(MAX_INDENT).take_while(|c| **c == b' ').count();
    let (key, value) = line[start..].split_once_str(b":")?;
    let key = KEYS.iter().find(|known| known.as_bytes().eq_ignore_ascii_case(key.trim_end()))?;
    let value = value.trim();
    (!value.is_empty()).then_some((*key, value))
}
