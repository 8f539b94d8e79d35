//! A question that only tests whether an agent is there.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{AnswerKind, read_typed, schema_of};
use super::request::{Request, RequestKind};
use super::talk::{AgentReply, Unanswered};
use crate::rules::Role;

/// The answer to a ping.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pong {
    /// The nonce of the ping.
    pong: String,
}

impl AnswerKind for Pong {
    fn schema() -> Value {
        schema_of::<Self>()
    }

    fn read(value: &Value) -> Result<Self, Vec<String>> {
        read_typed(value)
    }
}

/// A ping with this nonce.
pub(crate) fn ping(role: Role, nonce: &str) -> Request {
    Request::new::<Pong>(RequestKind::Ping, role, json!({ "nonce": nonce }))
}

impl AgentReply<Pong> {
    /// Checks that it answers the ping with this nonce.
    ///
    /// # Errors
    /// [`Unanswered::Unfit`].
    pub(crate) fn to(self, nonce: &str, agent: &str) -> Result<Self, Unanswered> {
        if self.answer.pong == nonce {
            return Ok(self);
        }
        let faults = vec![format!("$.pong: `{}` is not the nonce, `{nonce}`", self.answer.pong)];
        Err(Unanswered::Unfit { agent: agent.to_owned(), faults })
    }
}
