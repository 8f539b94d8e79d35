//! The tool that does what a call of a remedy does, so that an agent can call it as it is.

use serde_json::{Map, Value, json};

use crate::model::remedy::CallOption;
use crate::model::{Op, Operation, Other, RemedyCall};

/// The tool that does what a call does, with all arguments that it needs; `None` if only a command does, or if an option
/// or a value of the call has no argument. A word in capitals stands for what the caller must fill in.
pub(super) fn tool_for(call: &RemedyCall) -> Option<(&'static str, Map<String, Value>)> {
    let mut given = Given::new(call);
    let name = named(call.operation, &mut given)?;
    given.is_used_up().then_some((name, given.arguments))
}

/// What a call is given, without what was already used, and the arguments that it became.
struct Given<'a> {
    values: &'a [String],
    options: Vec<&'a CallOption>,
    arguments: Map<String, Value>,
}

impl<'a> Given<'a> {
    fn new(call: &'a RemedyCall) -> Self {
        // Tools always answer with JSON.
        let options = call.options.iter().filter(|option| option.name != "json").collect();
        Self { values: &call.values, options, arguments: Map::new() }
    }

    /// The next value.
    fn value(&mut self) -> Option<&'a str> {
        let (first, rest) = self.values.split_first()?;
        self.values = rest;
        Some(first)
    }

    fn option(&mut self, name: &str) -> Option<&'a CallOption> {
        let at = self.options.iter().position(|option| option.name == name)?;
        Some(self.options.remove(at))
    }

    /// The value of an option.
    fn text(&mut self, name: &str) -> Option<&'a str> {
        self.option(name)?.value.as_deref()
    }

    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.arguments.insert(name.to_owned(), value.into());
    }

    /// Puts what is there.
    fn put_some(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// Turns an option into an argument of the same name: true if it has no value.
    fn put_option(&mut self, name: &str) {
        if let Some(option) = self.option(name) {
            self.put(name, option.value.as_deref().map_or(Value::Bool(true), Value::from));
        }
    }

    fn is_used_up(&self) -> bool {
        self.values.is_empty() && self.options.is_empty()
    }
}

/// The name of the tool for an operation; uses what it understands. Gates are overridden by people: no tool takes `force`.
fn named(operation: Operation, given: &mut Given<'_>) -> Option<&'static str> {
    match operation {
        Operation::Other(operation) => reading(operation, given),
        Operation::Recorded(operation) => writing(operation, given),
    }
}

fn reading(operation: Other, given: &mut Given<'_>) -> Option<&'static str> {
    match operation {
        Other::List => {
            given.put_option("all");
            if let Some(status) = given.text("status") {
                given.put("status", json!([status]));
            }
            Some("find")
        }
        Other::Search => {
            let query = given.value()?;
            given.put("query", query);
            given.put("all", true);
            Some("find")
        }
        Other::Show | Other::SolutionShow | Other::TaskList | Other::Queue | Other::RoadmapShow => {
            shown(given, None)
        }
        Other::SolutionList => shown(given, Some("solutions")),
        Other::FeedbackList => {
            // All feedback has that of one type among it.
            given.option("type");
            shown(given, Some("feedback"))
        }
        Other::Context => {
            let id = given.value()?;
            given.put("id", id);
            let role = given.text("for");
            given.put_some("role", role);
            Some("plan_context")
        }
        Other::RunAnswer => {
            let (issue, answer) = (given.value()?, given.value()?);
            given.put("order", "answer");
            given.put("issue", issue);
            given.put("answer", answer);
            Some("run_steer")
        }
        Other::Trace | Other::Why => {
            let of = given.value()?;
            given.put("of", of);
            Some("trace")
        }
        _ => None,
    }
}

fn writing(operation: Op, given: &mut Given<'_>) -> Option<&'static str> {
    match operation {
        Op::New => {
            let title = given.value().unwrap_or("TITLE");
            given.put("action", "create");
            given.put("fields", json!({ "title": title }));
            Some("issue_write")
        }
        Op::Edit | Op::Comment | Op::Close | Op::Reopen => {
            given.put("action", operation.as_str());
            let issue = given.value()?;
            given.put("issue", issue);
            written(operation, given);
            Some("issue_write")
        }
        Op::SolutionAdd => {
            let issue = given.value()?;
            // The file.
            given.value();
            given.put("issue", issue);
            given.put("plan", "PLAN");
            given.put_option("queue");
            Some("plan_submit")
        }
        Op::SolutionReview => {
            let plan = given.value()?;
            given.put("plan", plan);
            given.put("review", "REVIEW");
            Some("plan_review")
        }
        Op::Next => {
            let item = given.value();
            given.put_some("item", item);
            Some(claimed(given))
        }
        Op::TaskStart => {
            let task = given.value()?;
            given.put("task", task);
            Some("claim")
        }
        Op::Verify => {
            let execution = given.value();
            given.put_some("execution", execution);
            given.put_option("task");
            Some("verify")
        }
        Op::Land => {
            let issue = given.value()?;
            given.put("issue", issue);
            given.put_option("continue");
            Some("land")
        }
        Op::Done | Op::Fail => {
            given.put("outcome", if operation == Op::Done { "completed" } else { "failed" });
            let item = given.text("item");
            given.put_some("item", item);
            let summary = given.text("message").unwrap_or("SUMMARY");
            given.put("summary", summary);
            if given.option("result").is_some() {
                given.put("report", "REPORT");
            }
            Some("finish")
        }
        _ => None,
    }
}

fn shown(given: &mut Given<'_>, part: Option<&str>) -> Option<&'static str> {
    let id = given.value()?;
    given.put("id", id);
    if let Some(part) = part {
        given.put("include", json!([part]));
    }
    Some("show")
}

fn claimed(given: &mut Given<'_>) -> &'static str {
    for name in ["queue", "worktree", "local"] {
        given.put_option(name);
    }
    "claim"
}

/// What is written into an issue; without it, most actions are refused.
fn written(operation: Op, given: &mut Given<'_>) {
    let message = given.text("message");
    match operation {
        Op::Edit => {
            let (status, url) = (given.text("status"), given.text("source-url"));
            given.put_some("status", status);
            match url {
                Some(url) => given.put("fields", json!({ "source_url": url })),
                None if status.is_none() => given.put("fields", "FIELDS"),
                None => {}
            }
        }
        Op::Comment => {
            let text = given.value().or(message).unwrap_or("TEXT");
            given.put("text", text);
        }
        _ => given.put_some("text", message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools;
    use crate::tests::remedies::written_calls;

    #[test]
    fn every_option_and_value_becomes_an_argument_or_there_is_no_tool() {
        fn new<const N: usize>(operation: impl Into<Operation>, values: [&str; N]) -> RemedyCall {
            RemedyCall::new(operation, values)
        }
        for (call, tool, arguments) in [
            (
                RemedyCall::from(Op::Fail).option("message", "TEXT"),
                "finish",
                json!({"outcome": "failed", "summary": "TEXT"}),
            ),
            (Op::Done.into(), "finish", json!({"outcome": "completed", "summary": "SUMMARY"})),
            (
                new(Op::New, ["TITLE"]),
                "issue_write",
                json!({"action": "create", "fields": {"title": "TITLE"}}),
            ),
            (
                new(Op::Edit, ["A-1"]).option("status", "cancelled"),
                "issue_write",
                json!({"action": "edit", "issue": "A-1", "status": "cancelled"}),
            ),
            (
                new(Op::SolutionAdd, ["A-1", "FILE"]).flag("queue"),
                "plan_submit",
                json!({"issue": "A-1", "plan": "PLAN", "queue": true}),
            ),
            (
                new(Other::Context, ["SOL-A-1-1"]).option("for", "reviewer"),
                "plan_context",
                json!({"id": "SOL-A-1-1", "role": "reviewer"}),
            ),
            (RemedyCall::from(Op::Next).option("worktree", "PATH"), "claim", json!({"worktree": "PATH"})),
            (new(Op::Next, ["A-1"]).flag("worktree"), "claim", json!({"item": "A-1", "worktree": true})),
            (
                new(Other::RunAnswer, ["A-1", "retry"]),
                "run_steer",
                json!({"order": "answer", "issue": "A-1", "answer": "retry"}),
            ),
            (new(Other::Search, ["cache"]), "find", json!({"query": "cache", "all": true})),
        ] {
            assert_eq!(tool_for(&call), Some((tool, arguments.as_object().unwrap().clone())), "{call:?}");
        }
        for call in [
            new(Op::Edit, ["A-1"]).flag("edit"),
            new(Op::Edit, ["A-1"]).option("depends-on", "-A-2"),
            new(Op::Close, ["A-1"]).flag("force"),
            new(Op::SolutionReview, ["SOL-A-1-1"]).option("verdict", "rejected"),
            Other::Show.into(),
            new(Op::QueueAdd, ["A-1"]),
        ] {
            assert_eq!(tool_for(&call), None, "{call:?}");
        }
    }

    /// What a remedy answers must not be refused for a missing or an unknown argument.
    #[test]
    fn every_call_of_a_remedy_has_what_its_tool_needs() {
        let operations = || {
            let ops = Op::ALL.iter().map(|op| Operation::from(*op));
            ops.chain(Other::ALL.iter().map(|other| Operation::from(*other)))
        };
        let schemas = tools::input_schemas();
        let (mut mapped, mut wrong) = (0, Vec::new());
        for written in written_calls() {
            let operation = operations().find(|operation| operation.as_str() == written.words).unwrap();
            let options: Vec<CallOption> = written
                .options
                .into_iter()
                .map(|(name, value)| CallOption { name: name.leak(), value })
                .collect();
            let call = RemedyCall { operation, options, values: written.values };
            let Some((name, arguments)) = tool_for(&call) else { continue };
            mapped += 1;
            let schema = &schemas[name];
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let missing = required.filter(|name| !arguments.contains_key(*name));
            let unknown = arguments.keys().filter(|name| schema["properties"].get(name.as_str()).is_none());
            let faults: Vec<&str> = missing.chain(unknown.map(String::as_str)).collect();
            let is_empty = arguments.get("action").is_some_and(|name| name == "edit" || name == "comment")
                && ["fields", "status", "text"].iter().all(|name| !arguments.contains_key(*name));
            if !faults.is_empty() || is_empty {
                wrong.push(format!("{name} {arguments:?}: {faults:?}\n    {}", written.place));
            }
        }
        assert!(mapped > 100, "only {mapped} remedies are calls of a tool");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
