//! The trail.

use std::io::{self, Write};

use crate::ops::trail::LinkView;
use crate::ui::text::clean_line;
use crate::ui::{Screen, style};

/// One line for each commit; `was` begins that of one for which nothing was to be done.
pub(in crate::cli) fn links(
    screen: &mut Screen,
    links: &[LinkView],
    (done, was): (&str, &str),
) -> io::Result<()> {
    for it in links {
        let painter = screen.painter();
        let verb = if it.changed { done } else { was };
        let task = it.task_id.as_deref().map(|task| format!(" {}", clean_line(task))).unwrap_or_default();
        writeln!(
            screen,
            "{verb} {} {} -> {}{task}",
            painter.paint(style::WARN, it.commit.get(..10).unwrap_or(&it.commit)),
            clean_line(&it.subject),
            painter.paint(style::ID, it.solution_id.as_str())
        )?;
    }
    Ok(())
}
