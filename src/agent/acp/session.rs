//! Opens a session: one that the agent knows if it can continue that, or else a new one.

use std::path::Path;

use agent_client_protocol as acp;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, LoadSessionRequest, NewSessionRequest, ResumeSessionRequest, SessionConfigKind,
    SessionConfigOption, SessionConfigOptionCategory, SessionId,
};

use super::client::Failed;
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

/// Opens a session in a directory. If the agent does not have the one that it should continue, the whole request goes to a new
/// one.
pub(super) async fn open(
    agent: &ConnectionTo<acp::Agent>,
    root: &Path,
    can: &AgentCapabilities,
    prompt: Prompt,
    state: &TurnState,
) -> Result<OpenedSession, Failed> {
    let Prompt { text, sequel } = prompt;
    if let Some(sequel) = sequel {
        let id = SessionId::new(sequel.session);
        let options = if can.session_capabilities.resume.is_some() {
            let resume = ResumeSessionRequest::new(id.clone(), root);
            agent.send_request(resume).block_task().await.map(|known| known.config_options).ok()
        } else if can.load_session {
            // The agent tells again what was said.
            state.replay(true);
            let load = LoadSessionRequest::new(id.clone(), root);
            let loaded = agent.send_request(load).block_task().await.map(|known| known.config_options).ok();
            state.replay(false);
            loaded
        } else {
            None
        };
        if let Some(options) = options {
            let model = options.iter().flatten().find_map(model);
            return Ok(OpenedSession { id, model, text: sequel.text, is_continued: true });
        }
    }
    let opened = agent.send_request(NewSessionRequest::new(root)).block_task().await;
    let opened = opened.map_err(Failed::at("session/new"))?;
    let model = opened.config_options.iter().flatten().find_map(model);
    Ok(OpenedSession { id: opened.session_id, model, text, is_continued: false })
}

/// The model, if this is the choice of one.
fn model(option: &SessionConfigOption) -> Option<String> {
    match &option.kind {
        SessionConfigKind::Select(select) if option.category == Some(SessionConfigOptionCategory::Model) => {
            Some(select.current_value.to_string())
        }
        _ => None,
    }
}
