//! Reviews for people.

use std::io::{self, Write};

use crate::cli::print::with_remedies;
use crate::model::digest::PlanDigest;
use crate::model::review::{Review, Verdict};
use crate::ops::plans::{Reviewed, SolutionView};
use crate::rules::review;
use crate::ui::text::clean_line;
use crate::ui::{Cell, Screen, style, time};

/// The colour of a verdict.
pub(in crate::cli) fn verdict_style(verdict: Verdict) -> style::Style {
    match verdict {
        Verdict::Approved => style::GOOD,
        Verdict::Concerns => style::WARN,
        Verdict::Rejected => style::BAD,
    }
}

/// The combined verdict of a plan's reviews, for a table; empty if there are none.
pub(in crate::cli) fn cell(plan: &SolutionView) -> Cell {
    match plan.standing.verdict {
        Some(verdict) => Cell::new(verdict.as_str(), verdict_style(verdict)),
        None => Cell::new(if plan.standing.is_stale { "outdated" } else { "" }, style::DIM),
    }
}

/// The verdict for a line of text, starting with a comma; empty if there is nothing to say.
pub(in crate::cli) fn suffix(plan: &SolutionView, screen: &Screen) -> String {
    match plan.standing.verdict {
        Some(verdict) => format!(", {}", screen.painter().paint(verdict_style(verdict), verdict.as_str())),
        None if plan.standing.is_stale => ", changed since it was reviewed".to_owned(),
        None => String::new(),
    }
}

/// The reviews of a plan with this current digest, each with its findings, indented by `indent` spaces.
pub(in crate::cli) fn reviews(
    reviews: &[Review],
    digest: &PlanDigest,
    indent: usize,
    screen: &mut Screen,
) -> io::Result<()> {
    for it in reviews {
        line(it, digest, indent, screen)?;
        for finding in &it.findings {
            writeln!(screen, "{:indent$}  - {}", "", clean_line(finding))?;
        }
    }
    Ok(())
}

fn line(it: &Review, digest: &PlanDigest, indent: usize, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let verdict = review::verdict(it);
    let outdated = if it.plan_digest == *digest { "" } else { ", of an earlier version of the plan" };
    writeln!(
        screen,
        "{:indent$}review: {} {} (technical {}, risk {}, completeness {}) by {}, {}{outdated}",
        "",
        painter.paint(verdict_style(verdict), verdict.as_str()),
        it.total,
        it.scores.technical,
        it.scores.risk,
        it.scores.completeness,
        clean_line(&it.author),
        time::when(it.created_at)
    )
}

/// The result of a review.
pub(in crate::cli) fn reviewed(screen: &mut Screen, it: &Reviewed, is_new: bool) -> io::Result<()> {
    let (painter, review) = (screen.painter(), &it.review);
    let verb = if is_new { "reviewed" } else { "reviewed already:" };
    writeln!(
        screen,
        "{verb} {}, round {}: {}, total {} (technical {}, risk {}, completeness {})",
        painter.paint(style::ID, it.solution_id.as_str()),
        it.round,
        painter.paint(verdict_style(review.verdict), review.verdict.as_str()),
        review.total,
        review.scores.technical,
        review.scores.risk,
        review.scores.completeness
    )?;
    it.remarks.iter().try_for_each(|remark| {
        let remark = with_remedies(&remark.message, &remark.remedies);
        writeln!(screen, "  {}", painter.paint(style::DIM, &remark))
    })
}
