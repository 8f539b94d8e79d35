//! Agents whose providers serve them only later: known to the driver from the logs of all runs, and to the steps that it
//! started.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use crate::model::{RunId, Time};
use crate::ops::Refusal;
use crate::ops::work::runs::driver::Driven;
use crate::rules::run::limits_in;
use crate::store::{ReadState, Store, layout, records};

/// Runs that began longer ago than this are not asked for limits, in milliseconds.
const OLDEST: i64 = 31 * 24 * 3_600_000;

/// The agents that are limited, and until when; and those that are known to report no number that a budget counts.
#[derive(Debug, Default)]
pub(super) struct AgentLimits {
    limited: Mutex<BTreeMap<String, Time>>,
    uncounted: Mutex<BTreeSet<String>>,
}

impl AgentLimits {
    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<String, Time>) -> T) -> T {
        look(&mut self.limited.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether nobody was told yet that this agent reports no number that a budget counts.
    pub(super) fn is_first_uncounted(&self, agent: &str) -> bool {
        let mut uncounted = self.uncounted.lock().unwrap_or_else(PoisonError::into_inner);
        uncounted.insert(agent.to_owned())
    }

    /// Until when an agent is limited; `None` if it is not.
    pub(super) fn until(&self, agent: &str, now: Time) -> Option<Time> {
        self.with(|limits| limits.get(agent).copied().filter(|until| *until > now))
    }

    /// An agent is limited.
    pub(super) fn add(&self, agent: &str, until: Time) {
        self.with(|limits| {
            let known = limits.entry(agent.to_owned()).or_insert(until);
            *known = until.max(*known);
        });
    }
}

/// The limits in the logs of other runs. A log is read again only once it has grown.
#[derive(Debug, Default)]
pub(super) struct OtherLimits(BTreeMap<RunId, usize>);

impl OtherLimits {
    /// Adds what the logs of other runs say.
    pub(super) fn look(
        &mut self,
        store: &Store,
        own: &RunId,
        now: Time,
        limits: &AgentLimits,
    ) -> Result<(), Refusal> {
        let read = &store.snapshot()?;
        for id in records::run_ids(read)? {
            if id == *own || is_old(&id, now) {
                continue;
            }
            let length = read.names(&layout::run_log(&id))?.len();
            if self.0.insert(id.clone(), length) == Some(length) {
                continue;
            }
            let Some(run) = records::run(read, &id, &mut Vec::new())? else { continue };
            let is_left = Driven::find(store, &run) == Driven::Interrupted;
            for (agent, until) in limits_in(&run.log, is_left, now) {
                limits.add(&agent, until);
            }
        }
        Ok(())
    }
}

/// Whether a run began long ago, by the date in its id.
fn is_old(id: &RunId, now: Time) -> bool {
    let oldest = now.plus_millis(-OLDEST).date_digits();
    let date = id.as_str().split('-').nth(1).unwrap_or_default();
    date.len() == oldest.len() && date < oldest.as_str()
}
