//! What the processes of a clone share about one remote, in a file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::git::ObjectId;
use crate::sync::limit::Limit;
use crate::sync::pace::Pace;

/// The state that the processes of a clone share for one remote. Only the process whose turn it is reads or writes it.
/// A file that cannot be read counts as empty: what was handed in is then handed in again.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::sync) struct TurnstileState {
    /// The newest commit that was handed in and not pushed yet; it contains the others.
    pub(super) handed_in: Option<String>,
    /// The tickets of the processes that handed in commits.
    pub(super) by: Vec<u64>,
    /// Processes that came with this ticket or an earlier one need not ask the remote: another one has done so since.
    pub(super) asked: u64,
    /// Processes that came with this ticket or an earlier one push alone, since the remote refused their common push.
    pub(super) alone: u64,
    /// The last failure to reach the remote.
    pub(super) failed: Option<Failed>,
    /// What is known about other clones that push there.
    pub(in crate::sync) pace: Pace,
    /// The host's rate limit.
    pub(super) limit: Limit,
    /// Pushes that found the remote's ref locked.
    pub(in crate::sync) locked: InVain,
    /// Pushes that were lost, or rejected as too late.
    pub(in crate::sync) unmoved: InVain,
    /// A push whose outcome the remote has not shown yet.
    pub(super) unproven: Option<Unproven>,
}

/// How many pushes in a row failed while the remote's ref stayed at one commit.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::sync) struct InVain {
    times: u32,
    at: Option<String>,
}

impl InVain {
    /// Counts one more, and returns how many there were at this commit.
    pub(in crate::sync) fn one_more(&mut self, at: Option<ObjectId>) -> u32 {
        let at = at.map(|at| at.to_string());
        self.times = if self.at == at { self.times.saturating_add(1) } else { 1 };
        self.at = at;
        self.times
    }
}

/// A push from its start until the remote is asked again. git moves the tracking ref as soon as the remote says that it
/// accepts, which proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Unproven {
    /// What the remote showed before.
    pub(super) before: Option<String>,
}

/// A failure that ends the commands of all processes that waited for the remote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Failed {
    /// It concerns processes that came with this ticket or an earlier one.
    pub(super) until: u64,
    /// The newest of the commits during whose push the connection was lost, or which the remote does not show.
    pub(super) unknown: Option<String>,
    pub(super) obstacle: Obstacle,
    pub(super) words: String,
}

/// Why the remote gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Obstacle {
    Unreachable,
    /// Credentials are missing.
    LockedOut,
    /// The host limits the rate of requests.
    Limited,
    /// It accepted a push, and does not show it.
    NotShown,
}

impl TurnstileState {
    /// The state in a file.
    pub(super) fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }
}
