//! Which agent runs this program as a command: agents mark the environment of the shells that they start.

use crate::git::Environment;
use crate::model::{Caller, SessionProtocol};

/// A variable that only an agent sets, its name, and the variable with its own id of the session.
const MARKS: &[(&str, &str, Option<&str>)] = &[
    ("CLAUDECODE", "claude", Some("CLAUDE_CODE_SESSION_ID")),
    ("CODEX_THREAD_ID", "codex", Some("CODEX_THREAD_ID")),
    ("CODEX_SANDBOX", "codex", None),
    ("GEMINI_CLI", "gemini", None),
    ("CURSOR_AGENT", "cursor", None),
    ("COPILOT_CLI", "copilot", Some("COPILOT_AGENT_SESSION_ID")),
    ("OPENCODE", "opencode", None),
];

/// The agent that runs this command, by the name in `WF_ACTOR` if it has one. Its model is known only from `WF_MODEL`:
/// variables that choose a model do not say which one answers.
pub(crate) fn agent(environment: &Environment) -> Option<Caller> {
    let mark = MARKS.iter().find(|(mark, ..)| environment.filled(mark).is_some());
    let agent = text(environment, "WF_ACTOR").or_else(|| mark.map(|(_, name, _)| (*name).to_owned()))?;
    let session_id = mark.and_then(|(_, _, session)| text(environment, (*session)?));
    let model = text(environment, "WF_MODEL");
    Some(Caller { agent, model, protocol: SessionProtocol::Command, session_id })
}

fn text(environment: &Environment, name: &str) -> Option<String> {
    let value = environment.filled(name)?.to_str()?.trim();
    if value.is_empty() { None } else { Some(value.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(variables: &[(&str, &str)]) -> Option<(String, Option<String>, Option<String>)> {
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        agent(&Environment::new(variables)).map(|it| (it.agent, it.model, it.session_id))
    }

    #[test]
    fn an_agent_is_known_by_what_it_sets() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(called(&[("CLAUDECODE", "1")]), Some(("claude".into(), None, None)));
        assert_eq!(called(&[("CODEX_THREAD_ID", "t-1")]), Some(("codex".into(), None, some("t-1"))));
        let named = [("WF_ACTOR", "claude-7"), ("WF_MODEL", "m-1"), ("CLAUDECODE", "1")];
        assert_eq!(called(&named), Some(("claude-7".into(), some("m-1"), None)));
        // A choice of a model is not the model that answers, and a model alone is not an agent.
        let chosen = [("CLAUDECODE", "1"), ("ANTHROPIC_MODEL", "opus")];
        assert_eq!(called(&chosen), Some(("claude".into(), None, None)));
        for nobody in [&[][..], &[("CLAUDECODE", "")], &[("WF_MODEL", "m-1")], &[("WF_ACTOR", " ")]] {
            assert_eq!(called(nobody), None, "{nobody:?}");
        }
    }
}
