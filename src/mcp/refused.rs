//! Refusals and notices as agents read them: with the tools to call, or the command that a person types.

use serde_json::{Map, Value, json};

use crate::model::code::Code;
use crate::model::op::{Op, Operation, Other};
use crate::model::remedy::{Detail, Remedy, RemedyCall};
use crate::ops::{ErrorAnswer, Notice, Refusal};
use crate::rules::bounded::Cut;

/// The most characters of a text in a refusal.
const LONGEST: usize = 2_000;

/// Writes a call as a command.
pub(super) type Spell = fn(&RemedyCall) -> String;

/// The document of a refusal: what is wrong, and what can be done about it.
pub(super) fn document(refusal: &Refusal, spell: Spell) -> Value {
    let details = refusal.details.iter().map(|it| sentence(&it.message, &it.remedies, spell));
    let all = refusal.remedies.iter().chain(refusal.details.iter().flat_map(|it: &Detail| &it.remedies));
    let mut remedies: Vec<Value> = all.map(|it| remedy(it, spell)).collect();
    // Whoever started the server chose the role; the agent must not drop it.
    if refusal.code == Code::NotYourRole {
        remedies = vec![json!({ "does": "leave it to others, or ask the person who started you" })];
    }
    let answer = ErrorAnswer::new((refusal.code, &refusal.message), None, details.collect(), Some(remedies));
    let mut document = serde_json::to_value(answer).unwrap_or_default();
    if let Some(error) = document["error"].as_object_mut() {
        // The hint of people is in the remedies.
        error.remove("hint");
    }
    shorten(&mut document);
    document
}

/// Cuts long texts: a message quotes what it was given, of whatever length.
pub(super) fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONGEST => *text = Cut::at(LONGEST).text(text),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

/// A notice in one sentence.
pub(super) fn warning(notice: &Notice, spell: Spell) -> String {
    sentence(&notice.message, &notice.remedies, spell)
}

fn sentence(said: &str, remedies: &[Remedy], spell: Spell) -> String {
    let one = |it: &Remedy| match &it.call {
        Some(call) => match tool(call) {
            Some((name, arguments)) if arguments.is_empty() => format!("the tool `{name}` {}", it.words),
            Some((name, arguments)) => {
                format!("the tool `{name}` with {} {}", Value::from(arguments), it.words)
            }
            None => format!("`{}` {}", spell(call), it.words),
        },
        None => match &it.command {
            Some(command) => format!("`{command}` {}", it.words),
            None => it.words.clone(),
        },
    };
    let all: Vec<String> = remedies.iter().map(one).collect();
    match all.is_empty() {
        true => said.to_owned(),
        false => format!("{said}; {}", all.join("; ")),
    }
}

/// A remedy as data: `tool` with `arguments`, or a `command` for a shell, and what it does.
fn remedy(it: &Remedy, spell: Spell) -> Value {
    match &it.call {
        None => match &it.command {
            Some(command) => json!({ "command": command, "does": it.words }),
            None => json!({ "does": it.words }),
        },
        Some(call) => match tool(call) {
            Some((name, arguments)) => json!({ "tool": name, "arguments": arguments, "does": it.words }),
            None => json!({ "command": spell(call), "does": it.words }),
        },
    }
}

/// The tool that does what a call does, with its arguments; `None` if only a command does. A word in capitals stands for
/// what the caller must fill in.
fn tool(call: &RemedyCall) -> Option<(&'static str, Map<String, Value>)> {
    // Gates are overridden by people.
    if call.options.iter().any(|option| option.name == "force") {
        return None;
    }
    let value = |n: usize| call.values.get(n).map(String::as_str);
    let option = |name: &str| call.options.iter().find(|option| option.name == name);
    let text = |name: &str| option(name).and_then(|option| option.value.clone());
    let mut arguments = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            arguments.insert(name.to_owned(), value);
        }
    };
    let given = |n: usize| value(n).map(Value::from);
    let name = match call.operation {
        Operation::Other(Other::List) => {
            set("all", option("all").map(|_| true.into()));
            set("status", text("status").map(|status| json!([status])));
            "find"
        }
        Operation::Other(Other::Show | Other::SolutionShow) if value(0).is_some() => {
            set("id", given(0));
            "show"
        }
        Operation::Other(Other::QueueShow | Other::RoadmapShow | Other::Detail) if value(0).is_some() => {
            set("id", given(0));
            "show"
        }
        Operation::Other(Other::Context) => {
            set("id", given(0));
            "plan_context"
        }
        Operation::Other(Other::Trace | Other::Why) => {
            set("of", given(0));
            "trace"
        }
        Operation::Recorded(Op::New) => {
            set("action", Some("create".into()));
            "issue_write"
        }
        Operation::Recorded(op @ (Op::Edit | Op::Comment | Op::Close | Op::Reopen)) => {
            set("action", Some(op.as_str().into()));
            set("issue", given(0));
            "issue_write"
        }
        Operation::Recorded(Op::SolutionAdd) => {
            set("issue", given(0));
            "plan_submit"
        }
        Operation::Recorded(Op::SolutionReview) => {
            set("plan", given(0));
            "plan_review"
        }
        Operation::Recorded(Op::Next) => {
            set("item", given(0));
            set("worktree", option("worktree").map(|_| true.into()));
            set("local", option("local").map(|_| true.into()));
            "claim"
        }
        Operation::Recorded(Op::Verify) => {
            set("execution", given(0));
            set("task", text("task").map(Value::from));
            "verify"
        }
        Operation::Recorded(Op::TaskStart) => {
            set("task", given(0));
            "claim"
        }
        Operation::Recorded(op @ (Op::Done | Op::Fail)) => {
            let outcome = if op == Op::Done { "completed" } else { "failed" };
            set("outcome", Some(outcome.into()));
            set("item", given(0));
            "finish"
        }
        _ => return None,
    };
    Some((name, arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(call: &RemedyCall) -> String {
        format!("git wf {}", call.operation)
    }

    #[test]
    fn a_refusal_names_tools_and_for_what_no_tool_does_a_command() {
        let refusal = Refusal::new(Code::NotFound, "there is no issue `X-1`")
            .remedy(RemedyCall::from(Other::List).flag("all"), "shows the issues")
            .remedy(Other::Sync, "fetches those of others")
            .command("git fetch", "fetches commits")
            .hint("or write it");
        let document = document(&refusal, spell);
        assert_eq!(
            document["error"]["remedies"],
            json!([
                { "tool": "find", "arguments": { "all": true }, "does": "shows the issues" },
                { "command": "git wf sync", "does": "fetches those of others" },
                { "command": "git fetch", "does": "fetches commits" },
                { "does": "or write it" }
            ])
        );
        assert_eq!(document["error"]["code"], "not-found");
    }

    #[test]
    fn what_overrides_a_gate_is_no_tool() {
        let forced = RemedyCall::new(Op::Close, ["X-1"]).flag("force");
        assert_eq!(tool(&forced), None);
        let notice = Notice::warning("late").remedy(RemedyCall::new(Op::Verify, ["X-1"]), "runs the tests");
        assert_eq!(
            warning(&notice, spell),
            r#"late; the tool `verify` with {"execution":"X-1"} runs the tests"#
        );
    }
}
