//! Prints the details of an item.

use std::io::{self, Write};

use crate::cli::print::background;
use crate::ops::work::DetailView;
use crate::page::{Block, plan, terminal};
use crate::rules::Omission;
use crate::ui::{Screen, clean_line, style};

/// The issue, the plan, and what happened before.
pub(in crate::cli) fn detail(screen: &mut Screen, view: &DetailView) -> io::Result<()> {
    let DetailView { issue, solution, context: (context, left_out), .. } = view;
    let painter = screen.painter();
    writeln!(
        screen,
        "{} for {}  {}",
        painter.paint(style::ID, view.solution_id.as_str()),
        painter.paint(style::ID, view.issue_id.as_str()),
        painter.paint(style::HEADING, &issue.issue.title)
    )?;
    background::issue(context, screen)?;
    for (name, value) in [("ended by", view.ended_by.as_deref()), ("override", view.forced.as_deref())] {
        if let Some(value) = value {
            let label = painter.label(name);
            writeln!(screen, "{label} {}", clean_line(value))?;
        }
    }
    writeln!(screen, "\n{}", painter.paint(style::HEADING, "plan"))?;
    let plan: Vec<Block> = plan::purpose(&solution.typed).chain(plan::tasks(&solution.typed)).collect();
    terminal::print_blocks(screen, &plan)?;
    background::background(&view.background, screen)?;
    let left_out: Vec<Omission> = left_out.iter().chain(&view.background.left_out).cloned().collect();
    background::left_out(&left_out, screen)
}
