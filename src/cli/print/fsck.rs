//! What is wrong with a store, and what was repaired.

use std::io::{self, Write};

use super::with_remedies;
use crate::model::CommitHash;
use crate::ops::store::{FsckFinding, FsckSeverity, Repaired};
use crate::ui::{Screen, clean_line, count, style};

/// All errors and warnings, and the notes about which something can be done; the other notes if requested.
pub(in crate::cli) fn findings(
    screen: &mut Screen,
    found: &[FsckFinding],
    is_verbose: bool,
) -> io::Result<()> {
    let of = |severity| found.iter().filter(|it| it.severity == severity).count();
    let (errors, warnings, notes) =
        (of(FsckSeverity::Error), of(FsckSeverity::Warning), of(FsckSeverity::Note));
    let painter = screen.painter();
    let mut hidden = 0;
    for it in found {
        if it.severity == FsckSeverity::Note && it.remedies.is_empty() && !is_verbose {
            hidden += 1;
            continue;
        }
        let word = match it.severity {
            FsckSeverity::Error => painter.paint(style::BAD, "error"),
            FsckSeverity::Warning => painter.paint(style::WARN, "warning"),
            FsckSeverity::Note => painter.paint(style::DIM, "note"),
        };
        let commit = it.commit.as_ref().map(CommitHash::short);
        let at = commit.map(|commit| format!(" (commit {commit})")).unwrap_or_default();
        let what = with_remedies(&it.what, &it.remedies);
        writeln!(screen, "{word} {}{at}: {}", painter.paint(style::ID, &it.path), clean_line(&what))?;
    }
    let more = if hidden > 0 { "; --verbose shows the notes" } else { "" };
    let warnings = if warnings > 0 { format!(", {}", count(warnings, "warning")) } else { String::new() };
    writeln!(screen, "{}{warnings}, {}{more}", count(errors, "error"), count(notes, "note"))
}

/// What a repair did, one line for each path.
pub(in crate::cli) fn repaired(screen: &mut Screen, repaired: &Repaired) -> io::Result<()> {
    let painter = screen.painter();
    for (paths, verb) in [(&repaired.removed, "removed"), (&repaired.restored, "restored")] {
        for path in paths {
            writeln!(screen, "{verb} {}", painter.paint(style::GOOD, path))?;
        }
    }
    for (paths, what) in [
        (&repaired.freed, "can be changed again: check its content"),
        (&repaired.aside, "set aside: it has no effect"),
        (&repaired.rewritten, "rewritten in canonical form"),
    ] {
        for path in paths {
            writeln!(screen, "{} {what}", painter.paint(style::GOOD, path))?;
        }
    }
    Ok(())
}
