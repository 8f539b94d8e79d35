//! Opens a session: one that the agent knows if it can continue that, or else a new one.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

use agent_client_protocol as acp;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, LoadSessionRequest, LoadSessionResponse, NewSessionRequest, NewSessionResponse,
    ResumeSessionRequest, ResumeSessionResponse, SessionConfigKind, SessionConfigOption,
    SessionConfigOptionCategory, SessionConfigSelectOption, SessionConfigSelectOptions, SessionId,
    SessionModeState, SetSessionModeRequest,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::client::{AcpEvent, Failed};
use super::turn::TurnState;
use crate::agent::talk::Prompt;

/// A session, and what the agent is told first in it.
pub(super) struct OpenedSession {
    pub(super) id: SessionId,
    /// The model that was chosen for it.
    pub(super) model: Option<String>,
    pub(super) text: String,
    /// Whether the agent was asked in it before.
    pub(super) is_continued: bool,
}

/// A session to open.
pub(super) struct Opening {
    /// The directory.
    pub(super) root: PathBuf,
    /// The mode into which the session is put, if it has that.
    pub(super) mode: Option<String>,
    /// The question; `None` asks nothing.
    pub(super) prompt: Option<Prompt>,
}

/// What an agent says about a session that was opened.
struct SessionFacts {
    model: Option<String>,
    modes: Option<SessionModeState>,
}

/// Calls a method. Returns the answer as it is: agents say more in it than the protocol knows.
pub(super) async fn call(
    agent: &ConnectionTo<acp::Agent>,
    method: &str,
    request: impl Serialize,
) -> Result<Value, acp::Error> {
    agent.send_request(acp::UntypedMessage::new(method, request)?).block_task().await
}

/// An answer as the protocol knows it.
pub(super) fn typed<T: DeserializeOwned>(answer: &Value) -> Result<T, acp::Error> {
    T::deserialize(answer).map_err(|error| acp::Error::internal_error().data(error.to_string()))
}

/// Opens a session in a directory. If the agent does not have the one that it should continue, the whole request goes to a new
/// one.
pub(super) async fn open(
    agent: &ConnectionTo<acp::Agent>,
    can: &AgentCapabilities,
    opening: Opening,
    state: &TurnState,
    events: &Sender<AcpEvent>,
) -> Result<OpenedSession, Failed> {
    let Opening { root, mode, prompt } = opening;
    let Prompt { text, sequel } = prompt.unwrap_or_default();
    if let Some(sequel) = sequel {
        let id = SessionId::new(sequel.session);
        if let Some(facts) = known(agent, &root, can, &id, state).await {
            set_mode(agent, &id, mode, facts.modes, events).await?;
            return Ok(OpenedSession { id, model: facts.model, text: sequel.text, is_continued: true });
        }
    }
    let answer = call(agent, "session/new", NewSessionRequest::new(root)).await;
    let answer = answer.map_err(Failed::at("session/new"))?;
    let opened: NewSessionResponse = typed(&answer).map_err(Failed::at("session/new"))?;
    set_mode(agent, &opened.session_id, mode, opened.modes, events).await?;
    let model = model(opened.config_options.as_deref(), &answer);
    Ok(OpenedSession { id: opened.session_id, model, text, is_continued: false })
}

/// Opens a session that the agent knows; `None` if it cannot do that, or does not know it.
async fn known(
    agent: &ConnectionTo<acp::Agent>,
    root: &Path,
    can: &AgentCapabilities,
    id: &SessionId,
    state: &TurnState,
) -> Option<SessionFacts> {
    if can.session_capabilities.resume.is_some() {
        let answer = call(agent, "session/resume", ResumeSessionRequest::new(id.clone(), root)).await.ok()?;
        let resumed: ResumeSessionResponse = typed(&answer).ok()?;
        let model = model(resumed.config_options.as_deref(), &answer);
        return Some(SessionFacts { model, modes: resumed.modes });
    }
    if !can.load_session {
        return None;
    }
    // The agent tells again what was said.
    state.replay(true);
    let answer = call(agent, "session/load", LoadSessionRequest::new(id.clone(), root)).await;
    state.replay(false);
    let answer = answer.ok()?;
    let loaded: LoadSessionResponse = typed(&answer).ok()?;
    let model = model(loaded.config_options.as_deref(), &answer);
    Some(SessionFacts { model, modes: loaded.modes })
}

/// Puts a session into a mode, if it has that and is in another one. If it does not have that, says so: the agent may then do more
/// or less than was meant.
async fn set_mode(
    agent: &ConnectionTo<acp::Agent>,
    id: &SessionId,
    mode: Option<String>,
    modes: Option<SessionModeState>,
    events: &Sender<AcpEvent>,
) -> Result<(), Failed> {
    let Some(mode) = mode else { return Ok(()) };
    let known = modes.iter().flat_map(|modes| &modes.available_modes);
    let known: Vec<String> = known.map(|known| format!("`{}`", known.id)).collect();
    if !known.contains(&format!("`{mode}`")) {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let lacks =
            format!("its session has no mode `{mode}`, and stays in its own; the agent offers {known}");
        // If nobody receives it, nobody is left to be told.
        let _ = events.send(AcpEvent::Noticed(lacks));
        return Ok(());
    }
    if modes.is_some_and(|modes| modes.current_mode_id.to_string() == mode) {
        return Ok(());
    }
    let set = agent.send_request(SetSessionModeRequest::new(id.clone(), mode)).block_task().await;
    set.map(drop).map_err(Failed::at("session/set_mode"))
}

/// The model of a session: the one that is chosen in its options, or the one that agents name which have no options yet.
fn model(options: Option<&[SessionConfigOption]>, answer: &Value) -> Option<String> {
    let chosen = options.unwrap_or_default().iter().find_map(chosen_model);
    chosen.or_else(|| answer["models"]["currentModelId"].as_str().map(str::to_owned))
}

/// The model, if this is the choice of one: by its id, or by its name if the id is none that others would know.
fn chosen_model(option: &SessionConfigOption) -> Option<String> {
    let SessionConfigKind::Select(select) = &option.kind else { return None };
    if option.category != Some(SessionConfigOptionCategory::Model) {
        return None;
    }
    let id = select.current_value.to_string();
    if id != "default" && !id.contains(['$', '|']) {
        return Some(id);
    }
    let offered: Vec<&SessionConfigSelectOption> = match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => options.iter().collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).collect()
        }
        _ => Vec::new(),
    };
    let named = offered.iter().find(|offered| offered.value == select.current_value);
    Some(named.map_or(id, |named| named.name.clone()))
}
