//! The messages of the commits that landing makes.

use std::collections::BTreeSet;

use super::chosen::ChosenIssue;
use crate::model::IssueId;
use crate::store::{CodeCommit, one_line};
use crate::trail::trailers;

/// The message of a merge. It has no trailers: the merge is no work on a task.
pub(super) fn merge_message(issue: &ChosenIssue) -> String {
    let title = one_line(&issue.title);
    format!("Merge {}: {title}\n\nLands {}\n", issue.issue, issue.solution)
}

/// The message of a merge whose conflicts someone resolves. What it changes itself belongs to the plan, so it names that.
pub(super) fn resolved_message(issue: &ChosenIssue) -> String {
    let (issue_key, solution_key) = (trailers::ISSUE, trailers::SOLUTION);
    let merge = merge_message(issue);
    format!("{merge}\n{issue_key}: {}\n{solution_key}: {}\n", issue.issue, issue.solution)
}

/// A message that someone wrote for a resolved merge, with the trailers of the plan; `None` if it has them.
pub(super) fn with_trailers(written: &[u8], issue: &ChosenIssue) -> Option<Vec<u8>> {
    let known = trailers::parse(written);
    if known.iter().any(|(key, value)| key == trailers::SOLUTION && *value == issue.solution.as_str()) {
        return None;
    }
    let (issue_key, solution_key) = (trailers::ISSUE, trailers::SOLUTION);
    let between = if ends_with_trailers(written) { "\n" } else { "\n\n" };
    let own = format!("{between}{issue_key}: {}\n{solution_key}: {}\n", issue.issue, issue.solution);
    Some([written.trim_ascii_end(), own.as_bytes()].concat())
}

/// Whether the last paragraph of a message consists of trailers, of whatever kind; then others belong to it.
fn ends_with_trailers(message: &[u8]) -> bool {
    let text = String::from_utf8_lossy(message);
    let Some((_, last)) = text.trim_end().rsplit_once("\n\n") else { return false };
    last.lines().all(|line| {
        line.split_once(": ").is_some_and(|(key, _)| {
            !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
    })
}

/// The tasks of a plan that commits are for, as their trailers name them.
struct NamedWork {
    issue: Option<String>,
    solution: String,
    tasks: Vec<String>,
}

/// The message of a squash: that of the commit if there is only one; otherwise the title of the issue, and what each commit
/// says. Its trailers are those of the commits, each once, with their other authors, and all tasks, those of other plans that
/// they build on, too.
pub(super) fn squash_message(issue: &ChosenIssue, commits: &[CodeCommit]) -> String {
    let works = works(issue, commits);
    let mut lines: Vec<String> = Vec::new();
    let mut message = match commits {
        [only] => String::from_utf8_lossy(&only.message).trim_end().to_owned(),
        _ => {
            let said: Vec<String> = commits.iter().map(|commit| said(commit, &mut lines)).collect();
            let between = if said.iter().any(|text| text.contains('\n')) { "\n\n" } else { "\n" };
            format!("{} ({})\n\n{}", one_line(&issue.title), issue.issue, said.join(between))
        }
    };
    note_authors(commits, &mut lines);
    let known = trailers::parse(message.as_bytes());
    for work in &works {
        let issue = work.issue.iter().map(|id| (trailers::ISSUE, id));
        let tasks = work.tasks.iter().map(|task| (trailers::TASK, task));
        for (key, value) in issue.chain([(trailers::SOLUTION, &work.solution)]).chain(tasks) {
            if !known.iter().any(|(known, text)| known == key && text == value) {
                lines.push(format!("{key}: {value}"));
            }
        }
    }
    if !lines.is_empty() {
        message.push_str(if ends_with_trailers(message.as_bytes()) { "\n" } else { "\n\n" });
        message.push_str(&lines.join("\n"));
    }
    message.push('\n');
    message
}

/// A commit as an item of a list: its subject, and below it the rest of its message. Its trailers go to `trailers`, but for those
/// that name its plan.
fn said(commit: &CodeCommit, trailers: &mut Vec<String>) -> String {
    let text = String::from_utf8_lossy(&commit.message);
    let mut body = text.trim().split_once('\n').map_or("", |(_, body)| body).trim();
    if ends_with_trailers(text.as_bytes()) {
        let (rest, last) = body.rsplit_once("\n\n").unwrap_or(("", body));
        body = rest.trim();
        for line in last.lines().filter(|line| !line.starts_with("Wf-")) {
            if !trailers.iter().any(|known| known == line) {
                trailers.push(line.to_owned());
            }
        }
    }
    let subject = format!("* {}", commit.subject);
    if body.is_empty() { subject } else { format!("{subject}\n\n{body}") }
}

/// Names the authors other than the first, who is that of the squash.
fn note_authors(commits: &[CodeCommit], trailers: &mut Vec<String>) {
    let Some(first) = commits.first() else { return };
    for commit in commits.iter().filter(|commit| commit.author != first.author) {
        let line = format!("Co-authored-by: {}", commit.author);
        if !trailers.iter().any(|known| known.eq_ignore_ascii_case(&line)) {
            trailers.push(line);
        }
    }
}

/// The work of the issue first, then that of others.
fn works(issue: &ChosenIssue, commits: &[CodeCommit]) -> Vec<NamedWork> {
    let own = NamedWork {
        issue: Some(issue.issue.to_string()),
        solution: issue.solution.to_string(),
        tasks: issue
            .links
            .iter()
            .flat_map(crate::model::execution::CommitLink::tasks)
            .map(ToString::to_string)
            .collect(),
    };
    let mut works = vec![own];
    for commit in commits {
        let (mut issue, mut at) = (None, None);
        for (key, value) in trailers::parse(&commit.message) {
            match key.as_str() {
                trailers::ISSUE => issue = Some(value),
                trailers::SOLUTION => {
                    let known = works.iter().position(|work| work.solution == value);
                    at = Some(known.unwrap_or(works.len()));
                    if known.is_none() {
                        works.push(NamedWork { issue: issue.take(), solution: value, tasks: vec![] });
                    }
                }
                _ => {
                    if let Some(work) = at.and_then(|at: usize| works.get_mut(at)) {
                        work.tasks.push(value);
                    }
                }
            }
        }
    }
    for work in &mut works {
        work.tasks.sort();
        work.tasks.dedup();
    }
    works
}

/// The message of a commit that ticks an issue off in the files of these tools. It names the plan, whose execution links it, but no task.
pub(super) fn tick_message(tools: &[&str], issue: &ChosenIssue, also: &BTreeSet<IssueId>) -> String {
    let (id, tools) = (&issue.issue, tools.join(" and "));
    let (issue_key, solution_key) = (trailers::ISSUE, trailers::SOLUTION);
    let title = one_line(&issue.title);
    let also: Vec<&str> = also.iter().map(IssueId::as_str).collect();
    let also = if also.is_empty() {
        String::new()
    } else {
        format!("\nAlso the tasks of {} whose work is here.\n", also.join(", "))
    };
    format!(
        "Tick off {id} in its {tools} plan\n\n{title}\n{also}\n{issue_key}: {id}\n{solution_key}: {}\n",
        issue.solution
    )
}
