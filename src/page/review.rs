//! Reviews of plans.

use super::looks::verdict_style;
use super::{Block, Entry, Line, List, PerPage, line, person, record, state};
use crate::model::{PlanDigest, Review};
use crate::ops::plans::SolutionView;
use crate::rules::review;
use crate::ui::style;

/// How many reviews, and how many findings of a review, a page in a browser has.
const REVIEWS: usize = 50;

/// The combined verdict of a plan's reviews, starting with a comma; empty if there is nothing to say.
pub(super) fn standing(plan: &SolutionView) -> Line {
    match plan.standing.verdict {
        Some(verdict) => line![", ", state(verdict_style(verdict), verdict)],
        None if plan.standing.is_stale => ", changed since it was reviewed".into(),
        None => Line::default(),
    }
}

/// The reviews of a plan with this current digest, each with its findings.
pub(super) fn reviews(reviews: &[Review], digest: &PlanDigest) -> List {
    let entries = reviews.iter().map(|one| review(one, digest));
    List { label: "reviews", per_page: PerPage::Latest(REVIEWS), ..List::new(entries) }
}

fn review(it: &Review, digest: &PlanDigest) -> Entry {
    let verdict = review::verdict(it);
    let outdated = (it.plan_digest != *digest).then_some(", of an earlier version of the plan");
    let scores = format!(
        " {} (technical {}, risk {}, completeness {}) by ",
        it.total, it.scores.technical, it.scores.risk, it.scores.completeness
    );
    let head = line![
        "review: ",
        state(verdict_style(verdict), verdict),
        scores,
        person(&it.author),
        ", ",
        it.created_at,
        outdated
    ];
    let findings = it.findings.iter().map(|finding| line!["- ", record(finding)]);
    let findings = List { per_page: PerPage::First(200), ..List::new(findings) };
    Entry::new(head).with((!it.findings.is_empty()).then_some(Block::List(findings)))
}

/// The word for whether a plan is the one that is executed.
pub(super) fn bound(plan: &SolutionView) -> Line {
    match (plan.is_bound, &plan.withdrawn) {
        (true, Some(_)) => line![state(style::GOOD, "bound"), ", but ", state(style::WARN, "withdrawn")],
        (true, None) => state(style::GOOD, "bound").into(),
        (false, Some(_)) => state(style::DIM, "withdrawn").into(),
        (false, None) => Line::default(),
    }
}
