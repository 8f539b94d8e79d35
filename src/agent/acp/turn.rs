//! The turns of a session. An agent whose turn ends without an answer is asked on in the same session.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol as acp;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, PromptRequest, PromptResponse, SessionId, StopReason, TextContent,
};
use futures::StreamExt;
use futures::channel::{mpsc as lines, oneshot};
use futures::future::{self, Either};

use super::client::{AcpEvent, Failed, Interruption};
use super::session::{call, typed};
use crate::agent::answer;

/// What an agent that was silent for too long is told.
const REMINDER: &str = "You have neither said nor changed anything for a long time, so your turn was cancelled. \
    Continue from where you are, and then answer the request above with the one JSON object that it asks for.";
/// What an agent is told whose turn ended without an answer.
const UNANSWERED: &str = "Your turn ended without the JSON object that the request asks for. Nobody can answer questions now: \
    decide what is unclear yourself, and finish the work. Then end your output with that one JSON object.";
/// How often an agent is asked on in one conversation.
const MOST_ASKED_ON: usize = 1;
/// How much of the answer of a turn is kept, in bytes, to see whether there is one.
const MOST_SAID: usize = 256 * 1024;

/// What happens in a turn.
#[derive(Debug, Clone, Default)]
pub(super) struct TurnState(Arc<Mutex<Turn>>);

#[derive(Debug, Default)]
struct Turn {
    /// Whether the agent tells again what was said before.
    is_replaying: bool,
    /// The end of its answer.
    said: String,
    /// What it was refused.
    refused: Vec<String>,
}

impl TurnState {
    fn with<T>(&self, look: impl FnOnce(&mut Turn) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The agent begins or ends to tell again what was said before.
    pub(super) fn replay(&self, is_replaying: bool) {
        self.with(|turn| turn.is_replaying = is_replaying);
    }

    /// Takes note of an event. Returns whether it is new.
    pub(super) fn takes(&self, event: &AcpEvent) -> bool {
        self.with(|turn| {
            if let AcpEvent::Message(text) = event
                && !turn.is_replaying
            {
                turn.said.push_str(text);
                let excess = turn.said.len().saturating_sub(MOST_SAID);
                let cut = (excess..=turn.said.len()).find(|at| turn.said.is_char_boundary(*at));
                turn.said.drain(..cut.unwrap_or_default());
            }
            !turn.is_replaying
        })
    }

    /// The agent was refused something.
    pub(super) fn refused(&self, why: &str) {
        self.with(|turn| turn.refused.push(why.to_owned()));
    }

    /// What to tell the agent whose turn ended, if there is no answer yet.
    fn to_ask_on(&self, ended: StopReason) -> Option<String> {
        let Turn { said, refused, .. } = self.with(std::mem::take);
        let may_go_on = ended == StopReason::EndTurn
            || (!refused.is_empty() && matches!(ended, StopReason::Cancelled | StopReason::Refusal));
        if !may_go_on || answer::is_any(&said) {
            return None;
        }
        match refused.last() {
            Some(why) => Some(format!("This was refused: {why}. Go on without it. {UNANSWERED}")),
            None => Some(UNANSWERED.to_owned()),
        }
    }
}

/// Asks, and reminds the agent whenever it is interrupted for that: its turn is cancelled then, and another begins in the same
/// session. Returns how the last turn ended.
pub(super) async fn turns(
    agent: &ConnectionTo<acp::Agent>,
    id: &SessionId,
    prompt: String,
    state: &TurnState,
    events: &Sender<AcpEvent>,
    mut interruptions: lines::UnboundedReceiver<Interruption>,
) -> Result<StopReason, Failed> {
    let mut text = prompt;
    let mut asked_on = 0;
    loop {
        let prompt = PromptRequest::new(id.clone(), vec![ContentBlock::Text(TextContent::new(text))]);
        let turn = Box::pin(call(agent, "session/prompt", prompt));
        let (turn, why) = match future::select(turn, interruptions.next()).await {
            Either::Left((ended, _)) => (ended, None),
            // If nobody can interrupt it any more, the process has ended.
            Either::Right((None, turn)) => (turn.await, None),
            Either::Right((Some(why), turn)) => {
                agent
                    .send_notification(CancelNotification::new(id.clone()))
                    .map_err(Failed::at("session/cancel"))?;
                (turn.await, Some(why))
            }
        };
        let answer = turn.map_err(Failed::at("session/prompt"))?;
        let ended = typed::<PromptResponse>(&answer).map_err(Failed::at("session/prompt"))?.stop_reason;
        // If nobody receives it, only the usage is unknown.
        let _ = events.send(AcpEvent::Ended(answer));
        let more = match (why, ended) {
            (Some(Interruption::Cancel), _) => None,
            (Some(Interruption::Remind), StopReason::Cancelled) => Some(REMINDER.to_owned()),
            _ if asked_on >= MOST_ASKED_ON => None,
            _ => {
                asked_on += 1;
                state.to_ask_on(ended)
            }
        };
        let Some(more) = more else { return Ok(ended) };
        let (may_begin, begins) = oneshot::channel();
        let _ = events.send(AcpEvent::Turn(may_begin));
        if begins.await != Ok(true) {
            return Ok(ended);
        }
        text = more;
    }
}
