//! Finds tasks of a plan that nobody seems to have begun.

use serde_json::Value;

use super::LinkedCommit;
use crate::model::{Event, LogEntry, Plan, RepoPath, Task};

/// The tasks that no commit of `work` implements, without an accepted criterion and without a report by the executor.
/// A commit that is linked to no task may belong to any task whose files it touches, or that names no files.
pub(crate) fn unbegun<'a>(
    plan: &'a Plan,
    log: &[LogEntry],
    work: &[LinkedCommit],
    reported: &[Value],
) -> Vec<&'a str> {
    plan.tasks
        .iter()
        .filter(|task| {
            !(task.needs_no_commit()
                || is_carried(work, task)
                || is_accepted(log, task)
                || is_reported(reported, task))
        })
        .map(|task| task.id.as_str())
        .collect()
}

fn is_carried(work: &[LinkedCommit], task: &Task) -> bool {
    let touches = task.touches();
    work.iter().any(|commit| match &commit.link.task_id {
        Some(_) => commit.link.tasks().any(|id| *id == task.id),
        None => touches.is_empty() || commit.link.files.iter().any(|file| is_within(file, &touches)),
    })
}

fn is_reported(reported: &[Value], task: &Task) -> bool {
    reported.iter().any(|report| {
        ["id", "task_id", "task"].iter().any(|key| report[*key] == task.id.as_str())
            || report.as_str() == Some(&task.id)
    })
}

fn is_accepted(log: &[LogEntry], task: &Task) -> bool {
    log.iter().any(|entry| matches!(&entry.event, Event::Accept(it) if it.task_id == task.id))
}

/// Whether a file is one of those that are named, or in a named directory.
fn is_within<'a>(file: &str, named: impl IntoIterator<Item = &'a RepoPath>) -> bool {
    named.into_iter().any(|path| {
        let rest = file.strip_prefix(path.as_str());
        path.as_str().is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::model::execution::Accept;
    use crate::model::fixtures::entry_id;
    use crate::model::{CommitLink, LinkedBy, TaskId, Time};

    fn plan() -> Plan {
        let task = |id: &str, action: &str, file: &str| json!({"id": id, "title": id, "action": action, "files": [{"path": file}]});
        let mut tasks = vec![task("T1", "Modify", "src/a.rs"), task("T2", "Modify", "src/b")];
        tasks.push(json!({"id": "T3", "title": "T3", "action": "Notify"}));
        serde_json::from_value(json!({"description": "d", "tasks": tasks})).unwrap()
    }

    fn commit(task: Option<&str>, file: &str) -> LinkedCommit {
        let link = CommitLink {
            hash: "a".into(),
            task_id: task.map(TaskId::from),
            other_task_ids: vec![],
            subject: "s".into(),
            author: "a".into(),
            authored_at: Time::EPOCH,
            files: vec![file.into()],
            linked_by: LinkedBy::Hook,
            reverts: vec![],
            tree: None,
        };
        LinkedCommit { link, rewritten_from: vec![] }
    }

    #[test]
    fn a_task_is_begun_by_a_commit_a_criterion_or_a_report() {
        let plan = plan();
        let left = |work: &[LinkedCommit], reports: &[Value]| unbegun(&plan, &[], work, reports);
        assert_eq!(left(&[], &[]), ["T1", "T2"]);
        assert_eq!(left(&[commit(None, "src/a.rs")], &[]), ["T2"]);
        assert_eq!(left(&[commit(Some("T1"), "src/b/c.rs")], &[]), ["T2"]);
        assert_eq!(left(&[commit(None, "src/a.rs"), commit(None, "src/b/c.rs")], &[]), [""; 0]);
        assert_eq!(left(&[commit(None, "src/bc.rs")], &[]), ["T1", "T2"]);
        assert_eq!(left(&[], &[json!({"id": "T2", "status": "skipped"}), json!("T1")]), [""; 0]);
        let accept = Accept { task_id: "T2".into(), criterion: 1, evidence: "seen".into() };
        let id = entry_id("20261121T021405123Z-00000");
        let entry = LogEntry { id, event: Event::Accept(accept), actor: "a".into(), at: Time::EPOCH };
        assert_eq!(unbegun(&plan, &[entry], &[], &[]), ["T1"]);
    }
}
