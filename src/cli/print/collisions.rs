//! Branches of items that would conflict if they were merged now.

use std::io::{self, Write};

use crate::ops::queue::{CheckAnswer, CollisionSide};
use crate::trail::collisions::VersionLines;
use crate::ui::{Screen, clean_line, count, style};

fn name(side: &CollisionSide) -> String {
    let branch = side.branch.as_deref().unwrap_or("a detached HEAD");
    match (&side.item_id, &side.solution_id) {
        (Some(item), Some(plan)) => format!("{item} ({plan}) on {branch}"),
        _ => format!("{branch} (checked out here)"),
    }
}

/// The pairs of branches that conflict, and in which files.
pub(in crate::cli) fn collisions(screen: &mut Screen, answer: &CheckAnswer) -> io::Result<()> {
    let painter = screen.painter();
    for collision in &answer.collisions {
        let (one, two) = (&answer.sides[collision.first], &answer.sides[collision.second]);
        let line = format!("{} and {} conflict", name(one), name(two));
        writeln!(screen, "{}", painter.paint(style::BAD, &line))?;
        for file in &collision.files {
            let path = painter.paint(style::ID, &file.path);
            let kind = if file.kind == "contents" { String::new() } else { format!(" ({})", file.kind) };
            writeln!(screen, "  {path}{}", clean_line(&kind))?;
            if file.hunks.is_empty() {
                writeln!(screen, "    {}", clean_line(&file.message))?;
            }
            for hunk in &file.hunks {
                writeln!(
                    screen,
                    "    {} of the first, {} of the second",
                    lines(hunk.first),
                    lines(hunk.second)
                )?;
            }
        }
    }
    for it in &answer.missing {
        let branch = it.branch.as_deref().unwrap_or("no branch");
        let line =
            format!("{} ({}) on {branch} is not in this clone; try `git fetch`", it.item_id, it.solution_id);
        writeln!(screen, "{}", painter.paint(style::WARN, &line))?;
    }
    let items = answer.sides.iter().filter(|side| side.item_id.is_some()).count();
    if items == 0 && answer.missing.is_empty() {
        return writeln!(screen, "no item has a branch with work to merge");
    }
    let items = count(items, "item");
    let collisions = match answer.collisions.len() {
        0 => "no conflicts".to_owned(),
        found => count(found, "conflict"),
    };
    writeln!(screen, "branches of {items} merged in memory: {collisions}")
}

fn lines(lines: VersionLines) -> String {
    match lines.count {
        0 => format!("the deleted lines after line {}", lines.start),
        1 => format!("line {}", lines.start),
        count => format!("lines {} to {}", lines.start, lines.start + count - 1),
    }
}
