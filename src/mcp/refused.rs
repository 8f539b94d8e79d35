//! Refusals and notices as agents read them: with the tools to call, or the command that a person types.

use serde::Serialize;
use serde_json::{Map, Value};

use super::bounds;
use super::tool_for::tool_for;
use super::tools::Allowed;
use crate::model::{Code, Detail, Operation, Remedy, RemedyCall, typed};
use crate::ops::{ErrorAnswer, Notice, Refusal};
use crate::rules::Cut;

/// The most characters of a text in a refusal.
const LONGEST: usize = 2_000;

/// How calls are written for a client: as the tools that it has, otherwise as commands.
#[derive(Clone, Copy)]
pub(super) struct Voice<'a> {
    /// Writes a call as a command.
    pub(super) spell: fn(&RemedyCall) -> String,
    /// What the client may call.
    pub(super) allowed: Allowed<'a>,
}

impl Voice<'_> {
    /// A call as a command.
    pub(super) fn command(self, call: &RemedyCall) -> String {
        (self.spell)(call)
    }

    /// The tool that does what a call does, if this client may call it so.
    fn tool(self, call: &RemedyCall) -> Option<(&'static str, Map<String, Value>)> {
        let is_allowed = match call.operation {
            Operation::Recorded(operation) => self.allowed.may(operation),
            Operation::Other(_) => true,
        };
        tool_for(call).filter(|(name, _)| is_allowed && self.allowed.has_tool(name))
    }
}

/// The document of a refusal: what is wrong, and what can be done about it.
pub(super) fn document(refusal: &Refusal, voice: Voice<'_>) -> Value {
    let details = refusal.details.iter().map(|detail| sentence(&detail.message, &detail.remedies, voice));
    let all =
        refusal.remedies.iter().chain(refusal.details.iter().flat_map(|detail: &Detail| &detail.remedies));
    let mut remedies: Vec<RemedyAnswer> = all.map(|each| remedy(each, voice)).collect();
    // Whoever started the server chose the role; the agent must not drop it.
    if refusal.code == Code::NotYourRole {
        remedies = vec![RemedyAnswer::words("leave it to others, or ask the person who started you")];
    }
    let answer = ErrorAnswer::new(refusal.code, &refusal.message, None, details.collect(), Some(remedies));
    let mut document = typed::own_json(&answer);
    if let Some(error) = document["error"].as_object_mut() {
        // The hint of people is in the remedies.
        error.remove("hint");
    }
    shorten(&mut document);
    document
}

/// The texts of a refused call: some clients hold a text that is JSON against the schema of the answer and hide it from
/// the model, so words come first.
pub(super) fn texts(refusal: &Refusal, voice: Voice<'_>) -> [String; 2] {
    [words(refusal, voice), document(refusal, voice).to_string()]
}

/// A refusal in one sentence, after its code.
fn words(refusal: &Refusal, voice: Voice<'_>) -> String {
    let remedies = if refusal.code == Code::NotYourRole { &[][..] } else { &refusal.remedies[..] };
    let details: Vec<&str> = refusal.details.iter().map(|detail| detail.message.as_str()).collect();
    let message = match &details[..] {
        [] => refusal.message.clone(),
        details => format!("{}: {}", refusal.message, details.join("; ")),
    };
    let said = format!("{}: {}", refusal.code, sentence(&message, remedies, voice));
    Cut::at(LONGEST).text(&said)
}

/// Cuts long texts: a message quotes what it was given, of whatever length.
pub(super) fn shorten(value: &mut Value) {
    bounds::shorten(value, &mut Cut::at(LONGEST));
}

/// A notice in one sentence.
pub(super) fn warning(notice: &Notice, voice: Voice<'_>) -> String {
    sentence(&notice.message, &notice.remedies, voice)
}

fn sentence(said: &str, remedies: &[Remedy], voice: Voice<'_>) -> String {
    let all: Vec<String> = remedies
        .iter()
        .map(|remedy| match &remedy.call {
            Some(call) => match voice.tool(call) {
                Some((name, arguments)) if arguments.is_empty() => {
                    format!("the tool `{name}` {}", remedy.words)
                }
                Some((name, arguments)) => {
                    format!("the tool `{name}` with {} {}", Value::from(arguments), remedy.words)
                }
                None => format!("`{}` {}", voice.command(call), remedy.words),
            },
            None => match &remedy.command {
                Some(command) => format!("`{command}` {}", remedy.words),
                None => remedy.words.clone(),
            },
        })
        .collect();
    if all.is_empty() { said.to_owned() } else { format!("{said}; {}", all.join("; ")) }
}

/// A remedy: what to call, and what it does.
#[derive(Debug, PartialEq, Serialize)]
struct RemedyAnswer {
    #[serde(flatten)]
    call: Option<CallAnswer>,
    does: String,
}

/// What to call: a tool, or a command of a shell.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum CallAnswer {
    /// A tool of this server.
    Tool {
        /// Its name.
        tool: &'static str,
        /// What it is called with.
        arguments: Map<String, Value>,
    },
    /// A command, if there is no tool.
    Command {
        /// The command line.
        command: String,
    },
}

impl RemedyAnswer {
    fn words(does: &str) -> Self {
        Self { call: None, does: does.to_owned() }
    }
}

fn remedy(remedy: &Remedy, voice: Voice<'_>) -> RemedyAnswer {
    let call = match (&remedy.call, &remedy.command) {
        (Some(call), _) => Some(instead(call, voice)),
        (None, Some(command)) => Some(CallAnswer::Command { command: command.clone() }),
        (None, None) => None,
    };
    RemedyAnswer { call, does: remedy.words.clone() }
}

/// What to call for an operation.
pub(super) fn instead(call: &RemedyCall, voice: Voice<'_>) -> CallAnswer {
    match voice.tool(call) {
        Some((tool, arguments)) => CallAnswer::Tool { tool, arguments },
        None => CallAnswer::Command { command: voice.command(call) },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{Op, Other};

    fn voice(role: Option<&str>, is_read_only: bool) -> Voice<'_> {
        Voice { spell, allowed: Allowed { role, is_in_run: false, is_read_only } }
    }

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
        let document = document(&refusal, voice(None, false));
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
            warning(&notice, voice(None, false)),
            r#"late; the tool `verify` with {"execution":"X-1"} runs the tests"#
        );
    }

    #[test]
    fn no_tool_is_named_that_the_client_does_not_have() {
        let (claim, close) = (RemedyCall::from(Op::Next), RemedyCall::new(Op::Close, ["X-1"]));
        let (start, show) = (RemedyCall::new(Op::Next, ["X-1"]), RemedyCall::new(Other::Show, ["X-1"]));
        for (role, is_read_only, tools) in [
            (None, false, [Some("claim"), Some("issue_write"), Some("claim"), Some("show")]),
            (None, true, [None, None, None, Some("show")]),
            // It writes issues, but closes none.
            (Some("planner"), false, [None, None, None, Some("show")]),
        ] {
            let voice = voice(role, is_read_only);
            assert_eq!(
                [&claim, &close, &start, &show].map(|call| voice.tool(call).map(|(name, _)| name)),
                tools,
                "{role:?}"
            );
        }
        assert_eq!(typed::own_json(&instead(&claim, voice(None, true))), json!({ "command": "git wf next" }));
    }
}
