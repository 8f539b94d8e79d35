//! The trail.

use std::io::{self, Write};

use crate::ops::trail::LinkView;
use crate::ui::{Screen, clean_line, style};

/// One line for each commit: with the verb `done` if it was changed, or with `is` if nothing had to be done.
pub(in crate::cli) fn links(
    screen: &mut Screen,
    links: &[LinkView],
    (done, is): (&str, &str),
) -> io::Result<()> {
    let to = if done == "unlinked" { "from" } else { "to" };
    for it in links {
        let painter = screen.painter();
        let task = it.task_id.as_deref().map(|task| format!(" {}", clean_line(task))).unwrap_or_default();
        let commit = painter.paint(style::WARN, it.commit.short());
        let (subject, plan) = (clean_line(&it.subject), painter.paint(style::ID, it.solution_id.as_str()));
        let is_twin = |other: &&LinkView| other.commit == it.commit && other.solution_id == it.solution_id;
        // Several attempts at a plan can have the commit.
        let of = match links.iter().filter(is_twin).count() {
            1 => String::new(),
            _ => format!(" ({})", it.execution_id.short()),
        };
        if it.changed {
            writeln!(screen, "{done} {commit} \"{subject}\" {to} {plan}{task}{of}")?;
        } else {
            writeln!(screen, "{commit} \"{subject}\" {is} {plan}{task}{of}")?;
        }
    }
    Ok(())
}
