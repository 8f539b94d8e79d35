//! Agents that neither say nor change anything: how long that is tolerated, and how it is noticed.

use std::time::{Duration, Instant, SystemTime};

use super::job::AgentJob;
use crate::agent::definition::{self, Agent, Protocol};
use crate::model::Code;
use crate::ops::Refusal;
use crate::store::Store;

/// The setting.
const KEY: &str = "wf.run.silence";
/// For agents that tell all along what they do. Others may say nothing until they answer.
const USUAL: Duration = Duration::from_secs(15 * 60);

/// How long an agent may be silent; `None` if there is no limit.
///
/// # Errors
/// `config`.
pub(super) fn limit(store: &Store, agent: &Agent) -> Result<Option<Duration>, Refusal> {
    Ok(match configured(store)? {
        Some(limit) => Some(limit).filter(|limit| !limit.is_zero()),
        None if agent.protocol().value == Protocol::Acp => Some(USUAL),
        None => None,
    })
}

/// The setting, if there is one.
///
/// # Errors
/// `config`.
pub(super) fn configured(store: &Store) -> Result<Option<Duration>, Refusal> {
    let Some(text) = store.config(KEY) else { return Ok(None) };
    let limit = if text.trim() == "off" { Some(Duration::ZERO) } else { definition::duration(&text) };
    limit.map(Some).ok_or_else(|| {
        Refusal::new(Code::Config, format!("`{KEY}` is `{text}`"))
            .hint("expected a duration such as 90s or 15m, or off")
            .command(format!("git config --unset {KEY}"), "restores the default")
    })
}

/// Notices that an agent is silent.
pub(super) struct Silence {
    limit: Duration,
    /// When it was last known to do something.
    since: Instant,
    /// When its workplace was changed last; `None` if that could not be seen.
    seen: Option<SystemTime>,
}

impl Silence {
    /// From now on.
    pub(super) fn of(limit: Duration, job: &AgentJob) -> Self {
        Self { limit, since: Instant::now(), seen: looks(job) }
    }

    /// The agent said something.
    pub(super) fn heard(&mut self) {
        self.since = Instant::now();
    }

    /// Whether the agent was silent for too long. Its workplace is looked at only if it has said nothing for so long.
    pub(super) fn is_too_long(&mut self, job: &AgentJob) -> bool {
        if self.since.elapsed() < self.limit {
            return false;
        }
        let now = looks(job);
        // If its workplace cannot be inspected, an agent is not known to be silent.
        let is_silent = now.is_some() && now == self.seen;
        if !is_silent {
            (self.seen, self.since) = (now, Instant::now());
        }
        is_silent
    }
}

/// When something was last changed in the workplace of an agent; `None` if that cannot be seen.
fn looks(job: &AgentJob) -> Option<SystemTime> {
    job.workplace.borrow().as_ref()?.workplace.changed_at()
}
