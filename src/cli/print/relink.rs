//! Commits that were found to belong to plans.

use std::io::{self, Write};

use crate::model::task_id::listed;
use crate::ops::trail::Relinked;
use crate::trail::relink::{AmbiguousCommit, RelinkEvidence};
use crate::ui::{Screen, clean_line, count, style};

/// What was linked, or would be, and what only a person can decide.
pub(in crate::cli) fn relinked(screen: &mut Screen, found: &Relinked) -> io::Result<()> {
    for it in &found.links {
        let painter = screen.painter();
        let short = it.commit.short();
        let task = listed(it.tasks()).map(|tasks| format!(" {}", clean_line(&tasks))).unwrap_or_default();
        writeln!(
            screen,
            "{} {} -> {}{task} ({})",
            painter.paint(style::WARN, short),
            clean_line(&it.subject),
            painter.paint(style::ID, it.solution_id.as_str()),
            match it.shown_by {
                RelinkEvidence::Trailers => "by its trailers",
                RelinkEvidence::Message if it.reverts.is_empty() => "its message names linked commits",
                RelinkEvidence::Message => "it reverts linked commits",
                RelinkEvidence::Issue => "its trailers name the issue",
                RelinkEvidence::Patch => "the same change as a linked commit",
                RelinkEvidence::WholePatch => "the same change as the whole execution",
                RelinkEvidence::Earlier => "an earlier version, on a branch again",
                RelinkEvidence::Squash => "it holds the changes of linked commits",
                RelinkEvidence::Split => "a part of a linked commit",
            }
        )?;
        if let Some(old) = &it.replaces {
            writeln!(screen, "  in place of {}", old.short())?;
        }
    }
    for it in &found.undecided {
        undecided(it, screen)?;
    }
    let verb = if found.dry_run { "would link" } else { "linked" };
    writeln!(screen, "{verb} {} of {}", found.links.len(), count(found.commits, "commit"))?;
    Ok(())
}

/// A commit that only a person can decide on, with the commands for it.
fn undecided(it: &AmbiguousCommit, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let short = it.commit.short();
    let what = if it.candidates.is_empty() {
        "which was never executed"
    } else {
        "and could be for any of its executions:"
    };
    writeln!(
        screen,
        "{} {} names {}, {what}",
        painter.paint(style::WARN, short),
        clean_line(&it.subject),
        painter.paint(style::ID, it.issue_id.as_str()),
    )?;
    for candidate in &it.candidates {
        writeln!(screen, "  git wf link {short} {}", candidate.execution_id.short())?;
    }
    Ok(())
}
