//! Agents that neither say nor change anything: how long that is tolerated, and how it is noticed.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

use crate::agent::definition::{self, Agent, Protocol};
use crate::model::code::Code;
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
    /// What the work tree looked like then; `None` if git could not tell.
    seen: Option<u64>,
}

impl Silence {
    /// From now on, in this work tree.
    pub(super) fn of(limit: Duration, tree: &Store) -> Self {
        Self { limit, since: Instant::now(), seen: looks(tree) }
    }

    /// The agent said something.
    pub(super) fn heard(&mut self) {
        self.since = Instant::now();
    }

    /// Whether the agent was silent for too long. Its work tree is looked at only where it has said nothing for so long.
    pub(super) fn is_too_long(&mut self, tree: &Store) -> bool {
        if self.since.elapsed() < self.limit {
            return false;
        }
        let now = looks(tree);
        // If its work tree cannot be inspected, an agent is not known to be silent.
        let is_silent = now.is_some() && now == self.seen;
        if !is_silent {
            (self.seen, self.since) = (now, Instant::now());
        }
        is_silent
    }
}

/// A number for what is committed and changed in a work tree, and when; `None` if git cannot tell.
fn looks(tree: &Store) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let head = tree.head().ok()?.map(|head| head.to_string());
    head.hash(&mut hasher);
    for line in tree.git().uncommitted().ok()? {
        let file = tree.work_dir().map(|dir| dir.join(line.get(3..).unwrap_or_default()));
        let modified = file.and_then(|file| std::fs::symlink_metadata(file).ok());
        let modified = modified.and_then(|found| Some((found.modified().ok()?, found.len())));
        (line, modified).hash(&mut hasher);
    }
    Some(hasher.finish())
}
