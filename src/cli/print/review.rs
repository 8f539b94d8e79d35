//! Reviews for people.

use std::io::Write;

use crate::cli::Context;
use crate::model::review::{Review, Verdict};
use crate::model::solution::Solution;
use crate::rules::folder::IssueFolder;
use crate::rules::review::{self, Standing};
use crate::ui::text::clean_line;
use crate::ui::{Cell, style};

/// How a verdict is coloured, everywhere.
pub(in crate::cli) fn verdict_style(verdict: Verdict) -> style::Style {
    match verdict {
        Verdict::Approved => style::GOOD,
        Verdict::Concerns => style::WARN,
        Verdict::Rejected => style::BAD,
    }
}

/// What the reviews of a plan come to, for a table; nothing where there are none.
pub(in crate::cli) fn cell(folder: &IssueFolder, plan: &Solution) -> Cell {
    let standing = review::standing(plan, folder.reviews(&plan.id));
    match standing.verdict {
        Some(verdict) => Cell::new(verdict.as_str(), verdict_style(verdict)),
        None => Cell::new(if standing.is_stale { "outdated" } else { "" }, style::DIM),
    }
}

/// The same within a line of words, with a comma in front; empty where there is nothing to say.
pub(in crate::cli) fn suffix(folder: &IssueFolder, plan: &Solution, context: &Context) -> String {
    let Standing { verdict, is_stale, .. } = review::standing(plan, folder.reviews(&plan.id));
    match verdict {
        Some(verdict) => {
            format!(", {}", context.screen.painter().paint(verdict_style(verdict), verdict.as_str()))
        }
        None if is_stale => ", changed since it was reviewed".to_owned(),
        None => String::new(),
    }
}

/// All reviews of a plan, each with its findings, moved in by `indent` blanks.
pub(in crate::cli) fn reviews(
    folder: &IssueFolder,
    plan: &Solution,
    indent: usize,
    context: &mut Context,
) -> std::io::Result<()> {
    let digest = plan.plan_digest();
    for it in folder.reviews(&plan.id) {
        line(it, &digest, indent, context)?;
        for finding in &it.findings {
            writeln!(context.screen, "{:indent$}  - {}", "", clean_line(finding))?;
        }
    }
    Ok(())
}

fn line(it: &Review, digest: &str, indent: usize, context: &mut Context) -> std::io::Result<()> {
    let painter = context.screen.painter();
    let verdict = review::verdict(it);
    let outdated = if it.plan_digest == digest { "" } else { ", of an earlier plan" };
    writeln!(
        context.screen,
        "{:indent$}review: {} {} (technical {}, risk {}, completeness {}) by {}, {}{outdated}",
        "",
        painter.paint(verdict_style(verdict), verdict.as_str()),
        it.total,
        it.scores.technical,
        it.scores.risk,
        it.scores.completeness,
        clean_line(&it.author),
        it.created_at
    )
}
