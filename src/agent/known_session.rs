//! Sessions of agents that can be continued: the agent knows what was asked, and is told only what is new.

use serde::{Deserialize, Serialize};

use crate::model::{Cost, Usage};

#[serde_with::skip_serializing_none]
/// A session, as it was when its agent last ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownSession {
    /// The name of the agent.
    pub(crate) agent: String,
    /// The agent's own id of it.
    pub(crate) id: String,
    /// The tokens that it had used.
    #[serde(default)]
    pub(crate) tokens: Option<u64>,
    /// What it had cost.
    #[serde(default)]
    pub(crate) cost: Option<Cost>,
}

impl KnownSession {
    /// One of which only the id is known.
    pub(crate) fn begun(agent: &str, id: &str) -> Self {
        Self { agent: agent.to_owned(), id: id.to_owned(), tokens: None, cost: None }
    }

    /// What it used since, if it has now used this much in all. Some agents restart their count when they continue a session.
    pub(crate) fn used_since(&self, all: &Usage) -> Usage {
        let before = self.tokens.unwrap_or_default();
        let tokens = all.tokens.map(|tokens| tokens.checked_sub(before).unwrap_or(tokens));
        let cost = all.cost.as_ref().map(|cost| {
            let before = self.cost.as_ref().filter(|known| known.currency == cost.currency);
            let before = before.map_or(0.0, |known| known.amount);
            let amount = if cost.amount < before { cost.amount } else { cost.amount - before };
            Cost { amount, currency: cost.currency.clone() }
        });
        Usage { tokens, cost }
    }

    /// The session with the total that it has now used.
    pub(crate) fn having_used(self, all: &Usage) -> Self {
        Self { tokens: all.tokens.or(self.tokens), cost: all.cost.clone().or(self.cost), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_before_is_not_counted_again() {
        let usage = |tokens, amount| Usage {
            tokens: Some(tokens),
            cost: Some(Cost { amount, currency: "USD".into() }),
        };
        let known = KnownSession::begun("claude", "s-1").having_used(&usage(100, 0.5));
        assert_eq!(known.used_since(&usage(130, 0.75)), usage(30, 0.25));
        assert_eq!(known.used_since(&usage(20, 0.125)), usage(20, 0.125));
        assert_eq!(KnownSession::begun("claude", "s-1").used_since(&usage(7, 0.5)), usage(7, 0.5));
    }
}
