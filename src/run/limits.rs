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
    /// As this run says.
    own: Mutex<BTreeMap<String, Time>>,
    /// As other runs say now.
    others: Mutex<BTreeMap<String, Time>>,
    uncounted: Mutex<BTreeSet<String>>,
}

impl AgentLimits {
    /// Whether nobody was told yet that this agent reports no number that a budget counts.
    pub(super) fn is_first_uncounted(&self, agent: &str) -> bool {
        let mut uncounted = self.uncounted.lock().unwrap_or_else(PoisonError::into_inner);
        uncounted.insert(agent.to_owned())
    }

    /// Until when an agent is limited; `None` if it is not.
    pub(super) fn until(&self, agent: &str, now: Time) -> Option<Time> {
        let all = [&self.own, &self.others];
        let limits =
            all.map(|limits| limits.lock().unwrap_or_else(PoisonError::into_inner).get(agent).copied());
        limits.into_iter().flatten().filter(|until| *until > now).max()
    }

    /// An agent is limited.
    pub(super) fn add(&self, agent: &str, until: Time) {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let known = own.entry(agent.to_owned()).or_insert(until);
        *known = until.max(*known);
    }

    /// What other runs say replaces what they said before.
    fn set_others(&self, limits: BTreeMap<String, Time>) {
        *self.others.lock().unwrap_or_else(PoisonError::into_inner) = limits;
    }
}

/// The limits in the logs of other runs: the lengths of the logs that have none. Such a log is read again only once it has grown.
/// Any other is, too, when its driver has gone.
#[derive(Debug, Default)]
pub(super) struct OtherLimits(BTreeMap<RunId, usize>);

impl OtherLimits {
    /// Learns what the logs of other runs say now.
    pub(super) fn look(
        &mut self,
        store: &Store,
        own: &RunId,
        now: Time,
        limits: &AgentLimits,
    ) -> Result<(), Refusal> {
        let read = &store.snapshot()?;
        let mut all: BTreeMap<String, Time> = BTreeMap::new();
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
                self.0.remove(&id);
                let known = all.entry(agent).or_insert(until);
                *known = until.max(*known);
            }
        }
        limits.set_others(all);
        Ok(())
    }
}

/// Whether a run began long ago, by the date in its id.
fn is_old(id: &RunId, now: Time) -> bool {
    let oldest = now.plus_millis(-OLDEST).date_digits();
    let date = id.as_str().split('-').nth(1).unwrap_or_default();
    date.len() == oldest.len() && date < oldest.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_runs_say_replaces_what_they_said() {
        let (limits, hour) = (AgentLimits::default(), Time::EPOCH.plus_millis(3_600_000));
        let half = Time::EPOCH.plus_millis(1_800_000);
        limits.set_others(BTreeMap::from([("a".to_owned(), hour)]));
        limits.add("a", half);
        assert_eq!(limits.until("a", Time::EPOCH), Some(hour));
        // Nobody drives that run any more.
        limits.set_others(BTreeMap::new());
        assert_eq!(limits.until("a", Time::EPOCH), Some(half));
        assert_eq!(limits.until("a", hour), None);
    }
}
