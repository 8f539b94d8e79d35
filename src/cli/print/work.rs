//! Claims.

use std::io::{self, Write};

use crate::ops::work::Claim;
use crate::ui::text::clean_line;
use crate::ui::{Screen, style};

fn short_branch(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

/// Prints a claim for people.
pub(in crate::cli) fn claim(screen: &mut Screen, claim: &Claim) -> io::Result<()> {
    let painter = screen.painter();
    let verb = match (claim.is_new, claim.supersedes.is_empty()) {
        (true, true) => "took",
        (true, false) => "took over",
        (false, _) => "still has",
    };
    let item = claim.item_id.as_ref().map(|item| format!(" {item}")).unwrap_or_default();
    writeln!(
        screen,
        "{verb}{item}: {} (attempt {}) on {}",
        painter.paint(style::ID, claim.solution_id.as_str()),
        claim.attempt,
        clean_line(claim.branch.as_deref().map_or("no branch", short_branch))
    )?;
    writeln!(screen, "  {}", painter.paint(style::HEADING, &claim.title))?;
    if let Some(path) = &claim.path {
        writeln!(screen, "  in {}", clean_line(&path.to_string_lossy()))?;
    }
    writeln!(
        screen,
        "  {} {}, renewed by each commit; `git wf detail` shows the plan{}",
        if claim.has_expired { "expired at" } else { "until" },
        claim.lease_expires_at,
        if claim.attempt > 1 { " and how earlier attempts ended" } else { "" }
    )?;
    Ok(())
}
