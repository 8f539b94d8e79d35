//! Forms about plans.

use serde_json::json;

use super::perform::{Fault, Performed, needed};
use crate::ops::plans::{self, Bind, Judgement, Withdraw};
use crate::ops::{Refusal, Session};
use crate::web::place::Query;

pub(super) fn bind(session: &Session, input: &Query) -> Performed {
    let bind = Bind {
        issue: needed(input, "issue")?.to_owned(),
        solution: input.get("solution").map(str::to_owned),
        force: None,
    };
    plans::bind(session, &bind)?;
    Ok(None)
}

/// Withdraws a plan, or takes that back.
pub(super) fn withdraw(session: &Session, input: &Query) -> Performed {
    let reason = match input.get("back") {
        Some(_) => None,
        None => Some(needed(input, "reason")?.to_owned()),
    };
    let withdraw = Withdraw { solution: needed(input, "solution")?.to_owned(), reason, force: None };
    plans::withdraw(session, &withdraw)?;
    Ok(None)
}

/// Reviews the version of the plan that the page showed.
pub(super) fn review(session: &Session, input: &Query) -> Performed {
    let score = |name: &'static str| -> Result<serde_json::Value, Fault> {
        let text = needed(input, name)?;
        let number: f64 =
            text.parse().ok().filter(|number| (0.0..=100.0).contains(number)).ok_or_else(|| {
                Fault::at(
                    name,
                    Refusal::usage(format!("`{text}` is not a score")).hint("a number from 0 to 100"),
                )
            })?;
        Ok(json!(number))
    };
    let findings: Vec<&str> = input
        .get("findings")
        .unwrap_or_default()
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    let mut review = json!({
        "technical": score("technical")?,
        "risk": score("risk")?,
        "completeness": score("completeness")?,
        "findings": findings,
        "plan_digest": needed(input, "digest")?,
    });
    if let Some(verdict) = input.get("verdict") {
        review["verdict"] = verdict.into();
    }
    let judgement = Judgement::parse(review.to_string().as_bytes(), "the review")
        .map_err(|refusal| Fault::at("findings", refusal))?;
    plans::review(
        session,
        &plans::ReviewPlan { solution: needed(input, "solution")?.to_owned(), judgement, force: None },
    )?;
    Ok(None)
}
