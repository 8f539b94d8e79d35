//! Limits of providers, which all runs see.

use super::Driver;
use crate::model::{Limited, RunEvent};
use crate::ops::Refusal;
use crate::rules::run::limits_in;

impl Driver<'_> {
    /// Learns which agents are limited, from the logs of all runs.
    pub(super) fn know_limits(&mut self) -> Result<(), Refusal> {
        let store = self.session.store();
        let now = store.now()?;
        for (agent, until) in limits_in(&self.log.log, false, now) {
            self.limits.add(&agent, until);
        }
        self.other_limits.look(store, &self.run.id, now, &self.limits)
    }

    /// Records that an agent is limited. The next push carries it, so that other clones do not ask it either.
    pub(super) fn note_limit(&mut self, limited: Limited) -> Result<(), Refusal> {
        self.log("limited", [RunEvent::Limited(limited)])?;
        self.last_end = self.session.store().tip()?;
        Ok(())
    }
}
