//! Sessions: conversations with agents that worked on an execution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Time;
use super::declare::once;
use super::text_enum::text_enum;

text_enum!(
    /// The protocol between this program and an agent.
    Protocol {
        /// The input as JSON on stdin, the answer as JSON on stdout.
        Plain = "plain",
        /// The Agent Client Protocol.
        Acp = "acp",
    }
);

text_enum!(
    /// How an agent and this program spoke in a session.
    SessionProtocol {
        /// The input as JSON on stdin, the answer as JSON on stdout.
        Plain = "plain",
        /// The Agent Client Protocol.
        Acp = "acp",
        /// The Model Context Protocol: the agent called this program.
        Mcp = "mcp",
        /// Commands: the agent ran this program in a shell.
        Command = "command",
    }
);

impl From<Protocol> for SessionProtocol {
    fn from(asked: Protocol) -> Self {
        match asked {
            Protocol::Plain => Self::Plain,
            Protocol::Acp => Self::Acp,
        }
    }
}

/// What a session cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Cost {
    /// How much.
    #[schemars(range(min = 0))]
    pub(crate) amount: f64,
    /// An ISO 4217 currency code, or the name of another unit.
    #[schemars(length(min = 1, max = 20))]
    pub(crate) currency: String,
}

impl Cost {
    /// Whether the amount is plausible: a larger one would make every sum meaningless.
    pub(crate) fn is_sound(&self) -> bool {
        (0.0..=1e12).contains(&self.amount)
    }
}

/// What agents report that something cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Usage {
    /// How many tokens were read and written.
    pub(crate) tokens: Option<u64>,
    /// In money, or in another unit.
    pub(crate) cost: Option<Cost>,
}

impl Usage {
    /// Adds what the same agent used afterwards. Amounts in different units cannot be added: the first counts.
    pub(crate) fn add(&mut self, more: Self) {
        self.tokens = match (self.tokens, more.tokens) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        match (&mut self.cost, more.cost) {
            (Some(cost), Some(more)) if cost.currency == more.currency => cost.amount += more.amount,
            (Some(_), _) => {}
            (none, more) => *none = more,
        }
    }
}

once! {
    /// An agent worked on the plan
    AgentSession {
        /// The agent's name in the settings, or the name of its program. Never a command line.
        fact agent: String,
        /// The model, if the agent reports it.
        fact model: Option<String> = default,
        /// The protocol in which it was asked, or in which it called.
        fact protocol: SessionProtocol,
        /// The agent's own id of the session, by which it can be resumed.
        fact session_id: Option<String> = default,
        /// When it was asked, or claimed the work.
        fact started_at: Time,
        /// When it ended. Absent if the agent claimed the work itself: then it lasts until the execution ends.
        fact ended_at: Option<Time> = default,
        /// How many tokens it read and wrote, if the agent reports it.
        fact tokens: Option<u64> = default,
        /// Its cost, if the agent reports it.
        fact cost: Option<Cost> = default,
        /// The SHA-256 of the transcript, in hex. The transcript itself stays on the machine of the agent.
        fact transcript_sha256: Option<String> = default,
        /// The outcome, in one sentence.
        text summary: Option<String> = default,
    }
}

/// An agent that calls this program, as far as it says who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Its name.
    pub(crate) agent: String,
    /// Its model, if it says so.
    pub(crate) model: Option<String>,
    /// How it calls.
    pub(crate) protocol: SessionProtocol,
    /// Its own id of the session.
    pub(crate) session_id: Option<String>,
}

impl Caller {
    /// The session that begins when it claims work.
    pub(crate) fn begins(self, at: Time) -> AgentSession {
        AgentSession {
            agent: self.agent,
            model: self.model,
            protocol: self.protocol,
            session_id: self.session_id,
            started_at: at,
            ended_at: None,
            tokens: None,
            cost: None,
            transcript_sha256: None,
            summary: None,
        }
    }
}

impl AgentSession {
    /// When it ended, by itself. Earlier versions gave the sessions of agents that claimed their work the time of the claim.
    pub(crate) fn own_end(&self) -> Option<Time> {
        if matches!(self.protocol, SessionProtocol::Plain | SessionProtocol::Acp) {
            self.ended_at
        } else {
            None
        }
    }

    /// Whether the same agent began it in the same way.
    pub(crate) fn is_of(&self, caller: &Self) -> bool {
        (&self.agent, self.protocol, &self.session_id) == (&caller.agent, caller.protocol, &caller.session_id)
    }
}

/// What an agent reports about its own session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ToldOfSession {
    /// The model.
    pub(crate) model: Option<String>,
    /// Its own id of the session.
    pub(crate) session_id: Option<String>,
    /// How many tokens it read and wrote.
    pub(crate) tokens: Option<u64>,
    /// What it cost.
    pub(crate) cost: Option<Cost>,
}

/// The agent that made a commit.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct MadeBy {
    /// The agent.
    pub(crate) agent: String,
    /// Its model, if it reports it.
    pub(crate) model: Option<String>,
    /// Its own id of the session.
    pub(crate) session_id: Option<String>,
}

impl From<&AgentSession> for MadeBy {
    fn from(session: &AgentSession) -> Self {
        Self {
            agent: session.agent.clone(),
            model: session.model.clone(),
            session_id: session.session_id.clone(),
        }
    }
}

impl std::fmt::Display for MadeBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.agent)?;
        self.model.as_ref().map_or(Ok(()), |model| write!(f, " ({model})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_adds_up_within_one_currency() {
        let used = |tokens, cost: Option<(f64, &str)>| Usage {
            tokens,
            cost: cost.map(|(amount, currency)| Cost { amount, currency: currency.into() }),
        };
        let mut sum = Usage::default();
        for more in [
            used(None, None),
            used(Some(5), Some((0.5, "USD"))),
            used(Some(7), None),
            used(None, Some((0.25, "USD"))),
            used(None, Some((9.0, "EUR"))),
        ] {
            sum.add(more);
        }
        assert_eq!(sum, used(Some(12), Some((0.75, "USD"))));
    }
}
