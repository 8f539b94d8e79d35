//! Reviews for people.

use std::io::{self, Write};

use crate::cli::print::with_remedies;
use crate::ops::plans::{Reviewed, SolutionView};
use crate::page::looks::verdict_style;
use crate::ui::{Cell, Screen, style};

/// The combined verdict of a plan's reviews, for a table; empty if there are none.
pub(in crate::cli) fn cell(plan: &SolutionView) -> Cell {
    match plan.standing.verdict {
        Some(verdict) => Cell::new(verdict.as_str(), verdict_style(verdict)),
        None => Cell::new(if plan.standing.is_stale { "outdated" } else { "" }, style::DIM),
    }
}

/// The result of a review.
pub(in crate::cli) fn reviewed(screen: &mut Screen, it: &Reviewed, is_new: bool) -> io::Result<()> {
    let (painter, review) = (screen.painter(), &it.review);
    let verb = if is_new { "reviewed" } else { "already reviewed:" };
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
