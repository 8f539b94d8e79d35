//! Prints the result of an import.

use std::io::{self, Write};

use super::with_remedies;
use crate::interchange::{ImportReport, Skipped, jsonl};
use crate::ops::store::line;
use crate::ui::style::{DIM, GOOD, HEADING, ID, WARN};
use crate::ui::{Screen, UiSettings, count, text};

/// More notes than this are only counted; `--json` has them all.
const NOTES_SHOWN: usize = 20;
/// Text from the file can have any length.
const LONGEST_LINE: usize = 240;
const NOTHING: &str = "nothing new to import";

/// An export that was imported.
pub(in crate::cli) fn export(screen: &mut Screen, taken: &jsonl::ImportedJsonl) -> io::Result<()> {
    let painter = screen.painter();
    let would = taken.dry_run && taken.issues + taken.added + taken.merged > 0;
    let headline = match &taken.commit {
        Some(_) => format!("imported {}", count(taken.issues, "issue")),
        None if would => format!("would import {} (dry run)", count(taken.issues, "issue")),
        None => NOTHING.to_owned(),
    };
    let look = if taken.commit.is_some() || would { GOOD } else { DIM };
    writeln!(screen, "{}", painter.paint(look, &headline))?;
    let counts = [
        ("new files", taken.added),
        ("merged", taken.merged),
        ("unchanged", taken.unchanged),
        ("skipped", taken.skipped.len() as u64),
        ("left out", taken.left_out.iter().map(|it| it.issues).sum()),
    ];
    for (word, count) in counts.iter().filter(|(_, count)| *count > 0) {
        row(screen, word, &format!("{count:>6}"))?;
    }
    if let Some(commit) = &taken.commit {
        row(screen, "commit", &painter.paint(ID, commit))?;
    }
    skipped(screen, &taken.skipped)?;
    counted(screen, "left out", taken.left_out.iter().map(|it| (it.issues, it.reason.as_str())))
}

/// Lists what was skipped, under a heading.
fn skipped(screen: &mut Screen, all: &[Skipped]) -> io::Result<()> {
    if !all.is_empty() {
        let heading = screen.painter().paint(HEADING, "skipped");
        writeln!(screen, "{heading}")?;
    }
    for one in all {
        let line = screen.painter().paint(WARN, &line(one));
        writeln!(screen, "  {line}")?;
    }
    Ok(())
}

/// Issues of another tracker that were imported.
pub(in crate::cli) fn report(screen: &mut Screen, report: &ImportReport) -> io::Result<()> {
    let painter = screen.painter();
    let came = report.created + report.updated;
    let would = report.dry_run && came + report.comments + report.edited_comments + report.work.total() > 0;
    let headline = match &report.commit {
        _ if would => painter.paint(GOOD, &format!("would import {} (dry run)", count(came, "issue"))),
        Some(_) => painter.paint(GOOD, &format!("imported {}", count(came, "issue"))),
        None if report.skipped.is_empty() => painter.paint(DIM, NOTHING),
        None => {
            let records = count(report.skipped.len() as u64, "record");
            let were = if report.skipped.len() == 1 { "was" } else { "were" };
            painter.paint(WARN, &format!("nothing new to import; {records} {were} skipped, as listed below"))
        }
    };
    writeln!(screen, "{headline}")?;
    let counts = [
        ("new", report.created),
        ("updated", report.updated),
        ("unchanged", report.unchanged),
        ("comments", report.comments),
        ("edited", report.edited_comments),
        ("dependencies", report.dependencies),
        ("relations", report.relations),
        ("plans", report.work.plans),
        ("feedback", report.work.feedback),
        ("queues", report.work.queues),
        ("items", report.work.items),
        ("executions", report.work.executions),
        ("skipped", report.skipped.len() as u64),
        ("left out", report.left_out.iter().map(|it| it.issues).sum()),
    ];
    for (word, count) in counts.iter().filter(|(_, count)| *count > 0) {
        row(screen, word, &format!("{count:>6}"))?;
    }
    if let Some(commit) = &report.commit {
        row(screen, "commit", &painter.paint(ID, commit))?;
    }
    skipped(screen, &report.skipped)?;
    let left_out = report.left_out.iter().map(|it| (it.issues, it.reason.as_str()));
    counted(screen, "left out", left_out)?;
    counted(screen, "kept with the issues", report.kept.iter().map(|it| (it.issues, it.what.as_str())))?;
    if UiSettings::get().is_quiet {
        return Ok(());
    }
    if !(report.notes.is_empty() && report.remarks.is_empty()) {
        writeln!(screen, "{}", painter.paint(HEADING, "notes"))?;
    }
    for remark in &report.remarks {
        writeln!(screen, "  {}", text::truncate(&text::clean_line(remark), LONGEST_LINE))?;
    }
    for noted in report.notes.iter().take(NOTES_SHOWN) {
        let note =
            text::truncate(&text::clean_line(&with_remedies(&noted.note, &noted.remedies)), LONGEST_LINE);
        writeln!(screen, "  {} {}", painter.paint(ID, &noted.id), note)?;
    }
    if let Some(more) = report.notes.len().checked_sub(NOTES_SHOWN).filter(|more| *more > 0) {
        writeln!(screen, "  {}", painter.paint(DIM, &format!("… and {more} more; `--json` has them all")))?;
    }
    Ok(())
}

/// A value after its name, aligned except for screen readers.
fn row(screen: &mut Screen, name: &str, value: &str) -> io::Result<()> {
    if UiSettings::get().is_plain {
        writeln!(screen, "{name}: {}", value.trim_start())
    } else {
        writeln!(screen, "  {name:<12} {value}")
    }
}

/// A heading, and a line for each thing with the number of issues that it is about.
fn counted<'a>(
    screen: &mut Screen,
    heading: &str,
    all: impl Iterator<Item = (u64, &'a str)>,
) -> io::Result<()> {
    let mut all = all.peekable();
    if all.peek().is_some() {
        let heading = screen.painter().paint(HEADING, heading);
        writeln!(screen, "{heading}")?;
    }
    for (number, what) in all {
        let what = text::truncate(&text::clean_line(what), LONGEST_LINE).to_string();
        if UiSettings::get().is_plain {
            writeln!(screen, "{}: {what}", count(number, "issue"))?;
        } else {
            writeln!(screen, "  {number:>6}  {what}")?;
        }
    }
    Ok(())
}
