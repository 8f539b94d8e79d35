//! The client side of the Agent Client Protocol, on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AuthMethod, ClientCapabilities, ContentBlock, ContentChunk, FileSystemCapabilities, Implementation,
    InitializeRequest, ReadTextFileRequest, ReadTextFileResponse, RequestPermissionRequest,
    RequestPermissionResponse, SessionNotification, SessionUpdate, StopReason, ToolCallUpdateFields,
    WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::{self as acp, Client};
use futures::Sink;
use futures::channel::{mpsc as lines, oneshot};

use super::calls::{Calls, with_fields};
use super::permission::{self, ToolRequest};
use super::session::{OpenedSession, Opening, open};
use super::turn::{TurnState, turns};
use super::{files, real};
use crate::agent::talk::{AskedFor, Prompt};
use crate::model::{Cost, Usage};
use crate::rules::Role;

/// At most this much of what an agent asks for is recorded, in characters.
const LONGEST_NAME: usize = 200;

/// A conversation to hold.
pub(super) struct AcpSession {
    pub(super) root: PathBuf,
    pub(super) role: Role,
    /// The mode into which the session is put, if it has that.
    pub(super) mode: Option<String>,
    /// The question; `None` only greets the agent and opens a session.
    pub(super) prompt: Option<Prompt>,
    pub(super) events: Sender<AcpEvent>,
}

/// Why the turn that is under way is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// The agent is silent, and is reminded of what it was asked.
    Remind,
    /// It must end.
    Cancel,
}

/// An event of the conversation.
#[derive(Debug)]
pub(super) enum AcpEvent {
    /// A line that was sent to the agent.
    Sent(String),
    /// The session was opened.
    Session {
        /// Its id.
        id: String,
        /// Whether that is one in which the agent was asked before.
        is_continued: bool,
    },
    /// Something about it that deserves attention.
    Noticed(String),
    /// A turn has ended with this answer to its prompt.
    Ended(serde_json::Value),
    /// Another turn begins in it, if this is answered with true.
    Turn(oneshot::Sender<bool>),
    /// A part of its answer.
    Message(String),
    /// A part of its thoughts.
    Thought(String),
    /// A tool call, and the decision about it.
    Tool(String),
    /// Something that the agent asked for and may not do, and why.
    Refused(AskedFor, String),
    /// What the session has used so far.
    Used {
        /// The tokens in its context.
        context: u64,
        /// The cost of all of it.
        cost: Option<Cost>,
    },
}

/// What an agent reports about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Greeting {
    /// Its name and version.
    pub(crate) agent: Option<String>,
    /// The session, if one was started.
    pub(crate) session_id: Option<String>,
    /// Whether that is one in which it was asked before.
    pub(crate) is_continued: bool,
    /// The model that was chosen for it.
    pub(crate) model: Option<String>,
    /// What it used, as the protocol reports it.
    pub(crate) usage: Usage,
}

/// The step at which the conversation failed.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) step: &'static str,
    pub(super) why: String,
    /// The agent's answer, if that is an error, with its code.
    pub(super) error: Option<String>,
}

impl Failed {
    /// The thread ended without a result.
    pub(super) fn lost() -> Self {
        Self::new("the connection", "the connection was lost".into())
    }

    fn new(step: &'static str, why: String) -> Self {
        Self { step, why, error: None }
    }

    /// The error, with the ways to log in that the agent offers.
    fn with_logins(self, offered: &[AuthMethod]) -> Self {
        if offered.is_empty() {
            return self;
        }
        let named = offered.iter().map(|method| format!("{} (`{}`)", method.name(), method.id()));
        let named = named.collect::<Vec<_>>().join(", ");
        Self { why: format!("{}; it can be logged in by: {named}", self.why), ..self }
    }

    pub(super) fn at(step: &'static str) -> impl Fn(acp::Error) -> Self {
        move |error: acp::Error| {
            let more = error.data.as_ref().map(|data| format!(": {data}")).unwrap_or_default();
            let why = format!("{}{more}", error.message);
            let error = Some(format!("code {}: {why}", i32::from(error.code)));
            Self { step, why, error }
        }
    }
}

/// Holds the conversation. Returns when it is complete, or when the agent ends.
pub(super) fn run(
    session: AcpSession,
    to_agent: SyncSender<Vec<u8>>,
    incoming: lines::Receiver<std::io::Result<String>>,
    interruptions: lines::UnboundedReceiver<Interruption>,
) -> Result<Greeting, Failed> {
    let AcpSession { root, role, mode, prompt, events } = session;
    let root = real(root);
    let calls = Calls::default();
    let state = TurnState::default();
    let result = Arc::new(Mutex::new(None));
    let outgoing = lines_to_agent(to_agent, events.clone());
    let (heard, known, said) = (events.clone(), calls.clone(), state.clone());
    let (decided, unread, unwritten) = (events.clone(), events.clone(), events.clone());
    let (asked_root, denied) = (root.clone(), state.clone());
    let (read_root, write_root) = (root.clone(), root.clone());
    let conversation = Arc::clone(&result);
    let connection = Client
        .v1()
        .name("git-wf")
        .on_receive_notification(
            async move |notification: SessionNotification, _| {
                let event = noticed(&known, notification.update);
                if let Some(event) = event.filter(|event| said.takes(event)) {
                    let _ = heard.send(event);
                }
                Ok(())
            },
            acp::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                let id = request.tool_call.tool_call_id.to_string();
                let wish = with_fields(calls.known(&id), request.tool_call.fields);
                let is_allowed = is_allowed(&wish, role, &asked_root, &denied, &decided);
                let outcome = permission::outcome(&request.options, is_allowed);
                responder.respond(RequestPermissionResponse::new(outcome))
            },
            acp::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, _| {
                responder.respond_with_result(read_file(&request, &read_root, &unread))
            },
            acp::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, _| {
                responder.respond_with_result(write_file(&request, role, &write_root, &unwritten))
            },
            acp::on_receive_request!(),
        )
        .connect_with(acp::Lines::new(outgoing, incoming), async move |agent: ConnectionTo<acp::Agent>| {
            let said = converse(&agent, Opening { root, mode, prompt }, &state, &events, interruptions).await;
            *conversation.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
            Ok(())
        });
    let ended = futures::executor::block_on(connection);
    let said = result.lock().unwrap_or_else(PoisonError::into_inner).take();
    said.unwrap_or_else(|| Err(ended.map_or_else(Failed::at("the connection"), |()| Failed::lost())))
}

/// What is sent to the agent, line by line.
fn lines_to_agent(
    to_agent: SyncSender<Vec<u8>>,
    events: Sender<AcpEvent>,
) -> impl Sink<String, Error = std::io::Error> {
    futures::sink::unfold(to_agent, move |to_agent, line: String| {
        let events = events.clone();
        async move {
            let line = line + "\n";
            to_agent.send(line.clone().into_bytes()).map_err(std::io::Error::other)?;
            // If nobody receives the line, only the transcript lacks it.
            let _ = events.send(AcpEvent::Sent(line));
            Ok::<_, std::io::Error>(to_agent)
        }
    })
}

/// Decides on what the agent asks permission for, and tells what was decided.
fn is_allowed(
    wish: &ToolRequest,
    role: Role,
    root: &Path,
    state: &TurnState,
    events: &Sender<AcpEvent>,
) -> bool {
    let decision = permission::decide(role, root, wish);
    let subject = permission::subject(wish, root);
    let word = match &decision {
        Ok(()) => "allowed".to_owned(),
        Err(refused) => format!("refused, {}", refused.why),
    };
    let _ = events.send(AcpEvent::Tool(format!("{subject}: {word}\n")));
    if let Err(refused) = &decision {
        let why = format!("{} (it asked for: {})", refused.why, named_shortly(&refused.what));
        state.refused(&why);
        let _ = events.send(AcpEvent::Refused(AskedFor::Permission, why));
    }
    decision.is_ok()
}

fn read_file(
    request: &ReadTextFileRequest,
    root: &Path,
    events: &Sender<AcpEvent>,
) -> Result<ReadTextFileResponse, acp::Error> {
    let text = files::read(root, &request.path, request.line, request.limit);
    text.map(ReadTextFileResponse::new).map_err(|error| {
        if error.is_forbidden() {
            let why = format!("it may not read {error}");
            let _ = events.send(AcpEvent::Refused(AskedFor::Read, why));
        }
        of_file(&error)
    })
}

fn write_file(
    request: &WriteTextFileRequest,
    role: Role,
    root: &Path,
    events: &Sender<AcpEvent>,
) -> Result<WriteTextFileResponse, acp::Error> {
    if role != Role::Executor {
        let why = format!("a {role} may not change files");
        let what = named_shortly(&request.path.to_string_lossy());
        let asked = format!("{why} (it asked to write {what})");
        let _ = events.send(AcpEvent::Refused(AskedFor::Write, asked));
        return Err(acp::Error::invalid_params().data(why));
    }
    let written = files::write(root, &request.path, &request.content);
    written.map(|()| WriteTextFileResponse::new()).map_err(|error| {
        if error.is_forbidden() {
            let why = format!("it may not write {error}");
            let _ = events.send(AcpEvent::Refused(AskedFor::Write, why));
        }
        of_file(&error)
    })
}

/// `initialize`, `session/new` or what continues a session, `session/prompt`; and `session/cancel` if the turn is interrupted.
async fn converse(
    agent: &ConnectionTo<acp::Agent>,
    opening: Opening,
    state: &TurnState,
    events: &Sender<AcpEvent>,
    interruptions: lines::UnboundedReceiver<Interruption>,
) -> Result<Greeting, Failed> {
    let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(true);
    let hello = InitializeRequest::new(ProtocolVersion::V1)
        .client_capabilities(ClientCapabilities::new().fs(files))
        .client_info(Implementation::new("git-wf", env!("CARGO_PKG_VERSION")));
    let hello = agent.send_request(hello).block_task().await.map_err(Failed::at("initialize"))?;
    if hello.protocol_version != ProtocolVersion::V1 {
        let why = format!("it speaks version {} of the protocol, not 1", hello.protocol_version);
        return Err(Failed::new("initialize", why));
    }
    let can = hello.agent_capabilities;
    let name = hello.agent_info.map(|info| format!("{} {}", info.title.unwrap_or(info.name), info.version));
    let is_greeting = opening.prompt.is_none();
    let opened = open(agent, &can, opening, state, events).await;
    let OpenedSession { id, model, text, is_continued } =
        opened.map_err(|failed| failed.with_logins(&hello.auth_methods))?;
    if is_greeting {
        let session_id = Some(id.to_string());
        return Ok(Greeting { agent: name, session_id, model, ..Greeting::default() });
    }
    // If nobody receives it, the session can only not be continued.
    let _ = events.send(AcpEvent::Session { id: id.to_string(), is_continued });
    let turn = turns(agent, &id, text, state, events, interruptions).await?;
    match turn {
        StopReason::EndTurn => Ok(Greeting {
            agent: name,
            session_id: Some(id.to_string()),
            is_continued,
            model,
            usage: Usage::default(),
        }),
        other => {
            let word = serde_json::to_value(other).ok();
            let word = word.as_ref().and_then(serde_json::Value::as_str).unwrap_or("something else");
            Err(Failed::new("session/prompt", format!("it ended with `{word}`")))
        }
    }
}

/// A text of an agent, short enough for a record.
fn named_shortly(text: &str) -> String {
    let shown: String = text.chars().take(LONGEST_NAME).collect();
    if shown.len() < text.len() { format!("{shown}…") } else { shown }
}

/// What an update of the session means for an observer.
fn noticed(calls: &Calls, update: SessionUpdate) -> Option<AcpEvent> {
    match update {
        SessionUpdate::AgentMessageChunk(chunk) => text(chunk).map(AcpEvent::Message),
        SessionUpdate::AgentThoughtChunk(chunk) => text(chunk).map(AcpEvent::Thought),
        SessionUpdate::ToolCall(call) => {
            let line = format!("{}\n", call.title);
            let fields = ToolCallUpdateFields::new()
                .kind(call.kind)
                .title(call.title)
                .locations(call.locations)
                .content(call.content)
                .raw_input(call.raw_input);
            calls.remember(call.tool_call_id.to_string(), fields);
            Some(AcpEvent::Tool(line))
        }
        SessionUpdate::ToolCallUpdate(update) => {
            calls.remember(update.tool_call_id.to_string(), update.fields);
            None
        }
        SessionUpdate::UsageUpdate(usage) => {
            let cost = usage.cost.map(|cost| Cost { amount: cost.amount, currency: cost.currency });
            Some(AcpEvent::Used { context: usage.used, cost })
        }
        _ => None,
    }
}

fn text(chunk: ContentChunk) -> Option<String> {
    match chunk.content {
        ContentBlock::Text(text) => Some(text.text),
        _ => None,
    }
}

fn of_file(error: &files::FileError) -> acp::Error {
    acp::Error::invalid_params().data(error.to_string())
}

#[cfg(test)]
mod tests;
