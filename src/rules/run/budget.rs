//! Budgets as people write them, and whether work has exhausted them.

use std::fmt;

use crate::model::{Budget, Cost};
use crate::rules::lease::parse_duration;

/// A text that is not a budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotABudget {
    /// It is not a limit.
    #[error("`{0}` is not a budget: expected an amount such as `5 USD`, `200k tokens` or `3h`")]
    Unknown(String),
    /// Another text already sets this kind of limit.
    #[error(
        "`{0}` is a second limit of its kind: a budget has at most one per currency, one of tokens and one of time"
    )]
    Repeated(String),
}

/// One limit of a budget.
#[derive(Debug, Clone, PartialEq)]
enum Limit {
    Cost(Cost),
    Tokens(u64),
    Time(u64),
}

impl Budget {
    /// Reads limits such as `5 USD`, `200k tokens` and `3h`, also several in one text with commas. `None` if there is none.
    ///
    /// # Errors
    /// A text is not a limit.
    pub(crate) fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Option<Self>, NotABudget> {
        let mut budget = Self::default();
        for text in texts.into_iter().flat_map(|text| text.split(',')).map(str::trim) {
            let limit = limit(text).ok_or_else(|| NotABudget::Unknown(text.to_owned()))?;
            let is_repeated = match &limit {
                Limit::Tokens(_) => budget.tokens.is_some(),
                Limit::Time(_) => budget.time_ms.is_some(),
                Limit::Cost(cost) => budget.costs.iter().any(|known| known.currency == cost.currency),
            };
            if is_repeated {
                return Err(NotABudget::Repeated(text.to_owned()));
            }
            match limit {
                Limit::Tokens(tokens) => budget.tokens = Some(tokens),
                Limit::Time(millis) => budget.time_ms = Some(millis),
                Limit::Cost(cost) => budget.costs.push(cost),
            }
        }
        Ok(Some(budget).filter(|budget| *budget != Self::default()))
    }

    /// The limits of this budget, except for those that a later one replaces.
    pub(crate) fn replaced_by(mut self, later: Self) -> Self {
        self.costs.retain(|known| later.costs.iter().all(|cost| cost.currency != known.currency));
        self.costs.extend(later.costs);
        Self {
            costs: self.costs,
            tokens: later.tokens.or(self.tokens),
            time_ms: later.time_ms.or(self.time_ms),
        }
    }
}

fn limit(text: &str) -> Option<Limit> {
    if let Some(tokens) = text.strip_suffix("tokens") {
        return tokens_of(tokens.trim()).map(Limit::Tokens);
    }
    if let Some(millis) = parse_duration(text) {
        return u64::try_from(millis).ok().filter(|millis| *millis > 0).map(Limit::Time);
    }
    let (amount, currency) = text.split_once(' ')?;
    let currency = currency.trim();
    let is_unit = (1..=20).contains(&currency.len()) && currency.bytes().all(|b| b.is_ascii_alphabetic());
    let cost = Cost { amount: amount.parse().ok()?, currency: currency.to_owned() };
    (is_unit && cost.amount > 0.0 && cost.is_sound()).then_some(Limit::Cost(cost))
}

/// `200000`, `200k`, `1.5M`.
fn tokens_of(text: &str) -> Option<u64> {
    let (digits, factor) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1e3),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1.0), |digits| (digits, 1e6)),
    };
    let is_number = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if !is_number {
        return None;
    }
    let tokens = digits.parse::<f64>().ok()? * factor;
    // A larger number limits nothing, and a smaller one would let nothing begin.
    (1.0..=1e15).contains(&tokens).then_some(tokens as u64)
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let costs = self.costs.iter().map(money);
        let tokens = self.tokens.map(|tokens| format!("{tokens} tokens"));
        let time = self.time_ms.map(length);
        let all: Vec<String> = costs.chain(tokens).chain(time).collect();
        f.write_str(&all.join(", "))
    }
}

/// An amount of money as people write it: `5.00 USD`. More digits stand only where they matter.
pub(crate) fn money(cost: &Cost) -> String {
    let text = format!("{:.2}", cost.amount);
    let is_exact = (text.parse::<f64>().unwrap_or_default() - cost.amount).abs() < 5e-7;
    if is_exact { format!("{text} {}", cost.currency) } else { format!("{} {}", cost.amount, cost.currency) }
}

/// A length of time as a budget takes it: in whole hours, else in whole minutes, else in seconds.
pub(super) fn length(ms: u64) -> String {
    match ms / 1000 {
        seconds if seconds > 0 && seconds.is_multiple_of(3600) => format!("{}h", seconds / 3600),
        seconds if seconds > 0 && seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

/// How long something took, as exactly as its limit is given: in minutes if that is in minutes or hours.
pub(super) fn length_beside(ms: u64, limit_ms: u64) -> String {
    let is_in_minutes = limit_ms.is_multiple_of(60_000);
    length(if is_in_minutes { ms / 60_000 * 60_000 } else { ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(texts: &[&str]) -> Result<Option<Budget>, NotABudget> {
        Budget::parse(texts.iter().copied())
    }

    #[test]
    fn a_budget_is_read_and_said_in_money_tokens_and_time() {
        let budget = parsed(&["5 USD, 200k tokens", "90m", "0.125 EUR"]).unwrap().unwrap();
        assert_eq!(budget.to_string(), "5.00 USD, 0.125 EUR, 200000 tokens, 90m");
        assert_eq!(parsed(&["1.5M tokens"]).unwrap().unwrap().tokens, Some(1_500_000));
        assert_eq!(parsed(&[]).unwrap(), None);
        assert_eq!(parsed(&["90s"]).unwrap().unwrap().to_string(), "90s");
    }

    #[test]
    fn what_was_spent_is_told_beside_its_limit() {
        assert_eq!(length_beside(112_345, 90_000), "112s");
        assert_eq!(length_beside(11_525_000, 10_800_000), "192m");
        assert_eq!(length_beside(10_801_000, 10_800_000), "3h");
    }

    #[test]
    fn a_second_limit_of_one_kind_is_refused() {
        for texts in [&["1 USD,2 USD"][..], &["1 USD", "2 USD"], &["1k tokens", "5k tokens"], &["3h, 90m"]] {
            assert!(matches!(parsed(texts), Err(NotABudget::Repeated(_))), "{texts:?}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in [
            "", "5", "USD", "0 USD", "-1 USD", "5 U$D", "nan USD", "inf USD", "0 tokens", "x tokens", "0h",
            "5 USD,",
        ] {
            assert!(parsed(&[text]).is_err(), "{text}");
        }
    }
}
