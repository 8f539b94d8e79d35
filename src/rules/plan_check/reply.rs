//! The checks of the task that replies on GitHub: it tells the outcome, so it is the last one.

use serde_json::Value;

use super::checker::{Checker, given};
use super::table::{REPLY, REPLY_FIRST};
use crate::rules::reply_task;

impl Checker<'_> {
    pub(super) fn reply(&mut self, tasks: &[Value]) {
        let id = |task: &Value| task["id"].as_str().map(str::to_owned);
        let Some(n) = tasks.iter().position(reply_task::is_reply_json) else { return };
        let reply = &tasks[n];
        for (m, task) in tasks.iter().enumerate().filter(|(m, _)| *m != n) {
            if let Some(k) = dependencies(task).iter().position(|other| Some(other) == id(reply).as_ref()) {
                let path = format!("tasks[{m}].depends_on[{k}]");
                self.find(&REPLY_FIRST, path, Some(&reply["id"]), "a task other than the reply on GitHub");
            }
        }
        if n + 1 < tasks.len() {
            self.find(&REPLY, format!("tasks[{n}]"), Some(&reply["id"]), "the last task");
        }
        let awaited: Vec<String> = tasks.iter().flat_map(dependencies).collect();
        let left: Vec<String> = tasks
            .iter()
            .enumerate()
            .filter(|(m, _)| *m != n)
            .filter_map(|(_, task)| id(task).filter(|id| !awaited.contains(id)))
            .collect();
        if !left.is_empty() {
            self.find(
                &REPLY,
                task_place(n, "depends_on"),
                given_in(reply, "depends_on"),
                format!("also {}", left.join(", ")),
            );
        }
        if let Some(commit) = given_in(reply, "commit") {
            self.find(&REPLY, task_place(n, "commit"), Some(commit), "no commit");
        }
        let commands = reply["test"].get("commands");
        if let Some(commands) =
            commands.filter(|commands| commands.as_array().is_some_and(|list| !list.is_empty()))
        {
            self.find(&REPLY, task_place(n, "test.commands"), Some(commands), "no tests");
        }
    }
}

fn task_place(n: usize, name: &str) -> String {
    format!("tasks[{n}].{name}")
}

fn dependencies(task: &Value) -> Vec<String> {
    let all = task["depends_on"].as_array().into_iter().flatten();
    all.filter_map(|on| on.as_str().map(str::to_owned)).collect()
}

fn given_in<'v>(task: &'v Value, name: &str) -> Option<&'v Value> {
    given(task.as_object()?, name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{PlanSetting, examine};
    use super::*;

    fn found(change: impl Fn(&mut Vec<Value>)) -> Vec<(&'static str, String)> {
        let task = |id: &str, action: &str, on: &[&str]| {
            let scope = if action == "Notify" { "github" } else { "src" };
            json!({"id": id, "title": "t", "action": action, "scope": scope, "depends_on": on,
                "implementation": ["a", "b"], "acceptance": {"criteria": ["`x` prints 3"]}})
        };
        let mut tasks =
            vec![task("T1", "Fix", &[]), task("T2", "Fix", &["T1"]), task("T3", "Notify", &["T2"])];
        change(&mut tasks);
        let report = examine(&json!({"description": "d", "tasks": tasks}), PlanSetting::default());
        let of_reply = |rule: &str| [REPLY.name, REPLY_FIRST.name].contains(&rule);
        report
            .findings
            .into_iter()
            .filter(|finding| of_reply(finding.rule))
            .map(|finding| (finding.rule, finding.path))
            .collect()
    }

    #[test]
    fn the_reply_is_last_and_nothing_waits_for_it() {
        assert_eq!(found(|_| {}), []);
        assert_eq!(found(|tasks| tasks[2]["scope"] = json!("mail")), [], "another notification");
        let one = |rule: &'static str, path: &str| vec![(rule, path.to_owned())];
        assert_eq!(
            found(|tasks| tasks[2]["depends_on"] = json!(["T1"])),
            one("reply", "tasks[2].depends_on")
        );
        assert_eq!(
            found(|tasks| tasks[2]["commit"] = json!({"type": "docs"})),
            one("reply", "tasks[2].commit")
        );
        let test = json!({"commands": ["true"]});
        assert_eq!(found(|tasks| tasks[2]["test"] = test.clone()), one("reply", "tasks[2].test.commands"));
        assert_eq!(found(|tasks| tasks.rotate_right(1)), one("reply", "tasks[0]"));
        let early = found(|tasks| {
            tasks[2]["depends_on"] = json!(["T1"]);
            tasks[1]["depends_on"] = json!(["T1", "T3"]);
        });
        assert_eq!(early[0], ("reply-first", "tasks[1].depends_on[1]".to_owned()));
        assert_eq!(early[1..], one("reply", "tasks[2].depends_on"));
    }
}
