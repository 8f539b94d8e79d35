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

fn score(input: &Query, name: &'static str) -> Result<f64, Fault> {
    let text = needed(input, name)?;
    match text.parse() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => {
            let refusal = Refusal::usage(format!("`{text}` is not a score"));
            Err(Fault::at(name, refusal.hint("a number from 0 to 100")))
        }
    }
}

/// Reviews the version of the plan that the page showed.
pub(super) fn review(session: &Session, input: &Query) -> Performed {
    let findings = input.get("findings").unwrap_or_default().lines().map(str::trim);
    let findings: Vec<&str> = findings.filter(|finding| !finding.is_empty()).collect();
    let mut review = json!({
        "technical": score(input, "technical")?,
        "risk": score(input, "risk")?,
        "completeness": score(input, "completeness")?,
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
