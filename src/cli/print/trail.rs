//! The trail.

use std::io::{self, Write};

use crate::ops::trail::LinkView;
use crate::ui::{Screen, clean_line, style};

/// Prints a line for each commit that was linked, or was linked already.
pub(in crate::cli) fn linked(screen: &mut Screen, links: &[LinkView]) -> io::Result<()> {
    for link in links {
        let Parts { commit, plan, execution } = parts(screen, link, links);
        if link.changed {
            writeln!(screen, "linked {commit} to {plan}{execution}")?;
        } else {
            writeln!(screen, "{commit} is already linked to {plan}{execution}")?;
        }
    }
    Ok(())
}

/// Prints a line for each commit that was unlinked, or was not linked.
pub(in crate::cli) fn unlinked(screen: &mut Screen, links: &[LinkView]) -> io::Result<()> {
    for link in links {
        let Parts { commit, plan, execution } = parts(screen, link, links);
        if link.changed {
            writeln!(screen, "unlinked {commit} from {plan}{execution}")?;
        } else {
            writeln!(screen, "{commit} is not linked to {plan}{execution}")?;
        }
    }
    Ok(())
}

/// The parts of a line about a link.
struct Parts {
    /// With its subject.
    commit: String,
    /// With the task.
    plan: String,
    /// Empty if only one attempt at the plan has the commit.
    execution: String,
}

fn parts(screen: &Screen, link: &LinkView, links: &[LinkView]) -> Parts {
    let painter = screen.painter();
    let commit = painter.paint(style::WARN, link.commit.short());
    let plan = painter.paint(style::ID, link.solution_id.as_str());
    let task = link.task_id.as_deref().map(|task| format!(" {}", clean_line(task))).unwrap_or_default();
    let attempts = links
        .iter()
        .filter(|other| other.commit == link.commit && other.solution_id == link.solution_id)
        .count();
    Parts {
        commit: format!("{commit} \"{}\"", clean_line(&link.subject)),
        plan: format!("{plan}{task}"),
        execution: if attempts == 1 { String::new() } else { format!(" ({})", link.execution_id.short()) },
    }
}
