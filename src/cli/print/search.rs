//! The results of a search.

use std::io::{self, Write};

use crate::ops::issues::SearchResult;
use crate::page::looks::issue_style;
use crate::ui::{Screen, clean_line, count, style};

/// Each issue with some text around the match.
pub(in crate::cli) fn found(screen: &mut Screen, found: &SearchResult) -> io::Result<()> {
    let painter = screen.painter();
    for queue in &found.queues {
        writeln!(screen, "{} queue", painter.paint(style::ID, screen.id(queue.as_str())))?;
    }
    for hit in &found.hits {
        writeln!(
            screen,
            "{} {} {}",
            painter.paint(style::ID, screen.id(hit.id.as_str())),
            painter.paint(issue_style(hit.status), hit.status.as_str()),
            painter.paint(style::HEADING, &hit.title)
        )?;
        write!(screen, "    ")?;
        for (n, part) in hit.parts.iter().enumerate() {
            match n % 2 {
                0 => write!(screen, "{}", clean_line(part))?,
                _ => write!(screen, "{}", painter.paint(style::WARN, part))?,
            }
        }
        writeln!(screen)?;
    }
    if !screen.is_terminal() {
        return Ok(());
    }
    let note = match found.hits.len() {
        0 if !found.queues.is_empty() => count(found.queues.len(), "queue"),
        0 => "nothing found".to_owned(),
        shown if shown < found.total => format!("{shown} of {} issues; --limit shows more", found.total),
        shown => count(shown, "issue"),
    };
    writeln!(screen, "{}", painter.paint(style::DIM, &note))
}
