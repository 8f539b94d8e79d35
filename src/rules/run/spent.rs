//! What the work on issues cost, and whether that is more than it may.

use std::collections::BTreeMap;

use super::budget::{length, length_beside, money};
use super::progress::IssueProgress;
use super::times::between;
use crate::model::{Budget, Cost, RunStep, Usage};
use crate::rules::ExecutionFolder;

/// The cost of the work on issues, as reported by agents: executors in the sessions of their executions, all others in
/// the log of the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct WorkCost {
    tokens: Option<u64>,
    costs: BTreeMap<String, f64>,
    /// How long agents were at work, in milliseconds.
    time_ms: u64,
}

impl WorkCost {
    /// Adds the work on an issue.
    pub(crate) fn add(&mut self, executions: &[&ExecutionFolder], issue: &IssueProgress<'_>) {
        for session in executions.iter().flat_map(|execution| execution.sessions()) {
            self.count(session.tokens, session.cost.as_ref());
            self.time_ms += session.ended_at.map_or(0, |ended| between(session.started_at, ended));
        }
        for action in &issue.actions {
            self.count(action.tokens, action.cost.as_ref());
            // The sessions of an execution say how long that took.
            if action.action != RunStep::Execute {
                self.time_ms += action.took_ms.unwrap_or(0);
            }
        }
        for setback in &issue.setbacks {
            self.count(setback.tokens, setback.cost.as_ref());
            self.time_ms += setback.took_ms.unwrap_or(0);
        }
        for spent in &issue.spent {
            self.count(spent.tokens, spent.cost.as_ref());
            self.time_ms += spent.took_ms.unwrap_or(0);
        }
    }

    /// Adds what an agent used that is not recorded yet, and how long it worked, in milliseconds.
    pub(crate) fn add_unrecorded(&mut self, usage: &Usage, time_ms: u64) {
        self.count(usage.tokens, usage.cost.as_ref());
        self.time_ms = self.time_ms.saturating_add(time_ms);
    }

    fn count(&mut self, tokens: Option<u64>, cost: Option<&Cost>) {
        if let Some(tokens) = tokens {
            self.tokens = Some(self.tokens.unwrap_or(0).saturating_add(tokens));
        }
        if let Some(cost) = cost.filter(|cost| cost.is_sound()) {
            *self.costs.entry(cost.currency.clone()).or_default() += cost.amount;
        }
    }

    /// With another time.
    pub(crate) fn for_time(self, time_ms: u64) -> Self {
        Self { time_ms, ..self }
    }

    /// Which limit is reached, in words: `it spent 5.02 of 5.00 USD`; `None` if there is more to spend.
    pub(crate) fn exhausts(&self, budget: &Budget) -> Option<String> {
        let spent = |limit: &Cost| rounded(self.costs.get(&limit.currency).copied().unwrap_or_default());
        if let Some(limit) = budget.costs.iter().find(|limit| spent(limit) >= limit.amount) {
            let spent = Cost { amount: spent(limit), currency: limit.currency.clone() };
            return Some(format!("it spent {} of {}", money(&spent), money(limit)));
        }
        if let Some((spent, limit)) = self.tokens.zip(budget.tokens).filter(|(spent, limit)| spent >= limit) {
            return Some(format!("it spent {spent} of {limit} tokens"));
        }
        let limit = budget.time_ms.filter(|limit| self.time_ms >= *limit)?;
        Some(format!("it took {} of {}", length_beside(self.time_ms, limit), length(limit)))
    }

    /// The tokens, and the amounts by unit.
    pub(crate) fn sums(self) -> (Option<u64>, Vec<Cost>) {
        (
            self.tokens,
            self.costs
                .into_iter()
                .map(|(currency, amount)| Cost { amount: rounded(amount), currency })
                .collect(),
        )
    }
}

/// To millionths, so that no rounding error shows.
fn rounded(amount: f64) -> f64 {
    (amount * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_exhausted_by_the_first_limit_that_is_reached() {
        let usd = |amount| Cost { amount, currency: "USD".into() };
        let mut spent = WorkCost::default();
        spent.count(Some(90), Some(&usd(0.1)));
        spent.count(None, Some(&usd(0.2)));
        let budget = |text: &str| Budget::parse([text]).unwrap().unwrap();
        let exhausts = |text: &str| spent.exhausts(&budget(text));
        assert_eq!(exhausts("0.3 USD").unwrap(), "it spent 0.30 USD of 0.30 USD");
        assert_eq!(exhausts("90 tokens, 1 USD").unwrap(), "it spent 90 of 90 tokens");
        assert_eq!(exhausts("91 tokens, 0.31 USD, 1 EUR, 1h"), None);
        spent.add_unrecorded(&Usage::default(), 3_600_000);
        assert_eq!(spent.exhausts(&budget("1h")).unwrap(), "it took 1h of 1h");
        let spent = spent.for_time(3_600_000);
        assert_eq!(spent.exhausts(&budget("1h")).unwrap(), "it took 1h of 1h");
    }
}
