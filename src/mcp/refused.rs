//! Refusals and notices as agents read them: with the tools to call, or the command that a person types.

use serde_json::{Map, Value, json};

use super::bounds;
use super::tool_for::tool_for;
use crate::model::code::Code;
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
    bounds::shorten(value, &mut Cut::at(LONGEST));
}

/// A notice in one sentence.
pub(super) fn warning(notice: &Notice, spell: Spell) -> String {
    sentence(&notice.message, &notice.remedies, spell)
}

fn sentence(said: &str, remedies: &[Remedy], spell: Spell) -> String {
    let one = |it: &Remedy| match &it.call {
        Some(call) => match tool_for(call) {
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
        Some(call) => {
            let mut remedy = instead(call, spell);
            remedy.insert("does".into(), it.words.clone().into());
            remedy.into()
        }
    }
}

/// What to call: `tool` with `arguments`, or a `command` for a shell.
pub(super) fn instead(call: &RemedyCall, spell: Spell) -> Map<String, Value> {
    let fields = match tool_for(call) {
        Some((name, arguments)) => vec![("tool", name.into()), ("arguments", arguments.into())],
        None => vec![("command", spell(call).into())],
    };
    fields.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::op::{Op, Other};

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
        assert_eq!(tool_for(&forced), None);
        let notice = Notice::warning("late").remedy(RemedyCall::new(Op::Verify, ["X-1"]), "runs the tests");
        assert_eq!(
            warning(&notice, spell),
            r#"late; the tool `verify` with {"execution":"X-1"} runs the tests"#
        );
    }
}
