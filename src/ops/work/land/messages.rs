//! The messages of the commits that landing makes.

use super::chosen::ChosenIssue;
use crate::model::task_id::TaskId;
use crate::store::{CodeCommit, one_line};
use crate::trail::trailers;

/// The message of a merge. It has no trailers: the merge is no work on a task.
pub(super) fn merge_message(issue: &ChosenIssue) -> String {
    let title = one_line(&issue.title);
    format!("Merge {}: {title}\n\nLands {}\n", issue.issue, issue.solution)
}

/// The message of a squash: that of the commit if there is only one; otherwise the title of the issue, and what each commit
/// says. All tasks of the commits are in its trailers.
pub(super) fn squash_message(issue: &ChosenIssue, commits: &[CodeCommit]) -> String {
    let mut message = match commits {
        [only] => String::from_utf8_lossy(&only.message).trim_end().to_owned(),
        _ => {
            let subjects: Vec<String> = commits.iter().map(|it| format!("* {}", it.subject)).collect();
            format!("{} ({})\n\n{}", one_line(&issue.title), issue.issue, subjects.join("\n"))
        }
    };
    let known = trailers::parse(message.as_bytes());
    let mut lines: Vec<String> = Vec::new();
    let mut add = |key: &str, value: &str| {
        if !known.iter().any(|(known, text)| known == key && text == value) {
            lines.push(format!("{key}: {value}"));
        }
    };
    add(trailers::ISSUE, issue.issue.as_str());
    add(trailers::SOLUTION, issue.solution.as_str());
    let mut tasks: Vec<&TaskId> = issue.links.iter().flat_map(|link| link.tasks()).collect();
    tasks.sort();
    tasks.dedup();
    for task in tasks {
        add(trailers::TASK, task.as_str());
    }
    if !lines.is_empty() {
        message.push_str(if known.is_empty() { "\n\n" } else { "\n" });
        message.push_str(&lines.join("\n"));
    }
    message.push('\n');
    message
}
