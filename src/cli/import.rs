use std::io::Write;

use super::{Context, Exit, Outcome, read_bytes};
use crate::interchange::import::Batch;
use crate::interchange::{Report, beads, lines};
use crate::ui::style::{DIM, GOOD, HEADING, ID, WARN};
use crate::ui::{Progress, text};

/// More notes than this are counted; `--json` has them all.
const NOTES_SHOWN: usize = 20;
/// What comes from the file can be of any length.
const LONGEST_LINE: usize = 240;

/// Take over issues from another tracker
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, clap::Subcommand)]
enum From {
    /// Issues of beads (`bd`, `br`) from its JSON lines, with their labels, comments and dependencies
    ///
    /// Ids stay what they were. The same file again changes nothing; a later one brings what changed there since, and
    /// leaves alone what was edited here later.
    Beads(Beads),
}

#[derive(Debug, clap::Args)]
struct Beads {
    /// What `bd export` wrote, such as `.beads/issues.jsonl`; `-` for stdin
    file: String,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let Args { from: From::Beads(Beads { file }) } = args;
    let store = context.store()?;
    let bytes = read_bytes(&file)
        .map_err(|failure| failure.hint("give the file that the other tracker wrote, or `-` for stdin"))?;
    let name = if file == "-" { "standard input" } else { &file };
    let lines = lines::read(name, &bytes)?;
    drop(bytes);
    let batch = Batch::collect(beads::read, &lines);
    drop(lines);
    let mut progress = Progress::start("importing", Some(batch.len() as u64));
    let committed = context.transact(&store, |tx| {
        let report = batch.write(tx, |done| progress.at(done))?;
        tx.describe("import beads", subject(&report));
        Ok(report)
    });
    progress.finish();
    let committed = committed?;
    let report = Report { commit: committed.commit.map(|id| id.to_string()), ..committed.answer };
    if context.json() {
        context.screen.print_json(&report)?;
    } else {
        show(&report, context)?;
    }
    Ok(Exit::Done)
}

/// `import: 508 issues from beads (508 new, 177 comments)`
fn subject(report: &Report) -> String {
    let parts: Vec<String> = [
        (report.created, "new"),
        (report.updated, "updated"),
        (report.comments, if report.comments == 1 { "comment" } else { "comments" }),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    format!("import: {} from beads ({})", issues(report.created + report.updated), parts.join(", "))
}

fn issues(count: u64) -> String {
    format!("{count} issue{}", if count == 1 { "" } else { "s" })
}

fn show(report: &Report, context: &mut Context) -> std::io::Result<()> {
    let painter = context.screen.painter();
    let out = &mut context.screen;
    let came = report.created + report.updated;
    let headline = match &report.commit {
        Some(_) => painter.paint(GOOD, &format!("imported {}", issues(came))),
        None => painter.paint(DIM, "nothing to import that is not here already"),
    };
    writeln!(out, "{headline}")?;
    let counts = [
        ("new", report.created),
        ("updated", report.updated),
        ("unchanged", report.unchanged),
        ("comments", report.comments),
        ("dependencies", report.dependencies),
        ("relations", report.relations),
        ("skipped", report.skipped.len() as u64),
    ];
    for (word, count) in counts.iter().filter(|(_, count)| *count > 0) {
        writeln!(out, "  {word:<12} {count:>6}")?;
    }
    if let Some(commit) = &report.commit {
        writeln!(out, "  {:<12} {}", "commit", painter.paint(ID, commit))?;
    }
    if !report.skipped.is_empty() {
        writeln!(out, "{}", painter.paint(HEADING, "skipped"))?;
    }
    for skipped in &report.skipped {
        let id = skipped.id.as_ref().map(|id| format!(" (`{id}`)")).unwrap_or_default();
        let line = format!("line {}{id}: {}", skipped.line, skipped.reason);
        writeln!(out, "  {}", painter.paint(WARN, &text::truncate(&text::clean_line(&line), LONGEST_LINE)))?;
    }
    if !report.notes.is_empty() {
        writeln!(out, "{}", painter.paint(HEADING, "notes"))?;
    }
    for noted in report.notes.iter().take(NOTES_SHOWN) {
        let note = text::truncate(&text::clean_line(&noted.note), LONGEST_LINE);
        writeln!(out, "  {} {}", painter.paint(ID, &noted.id), note)?;
    }
    if let Some(more) = report.notes.len().checked_sub(NOTES_SHOWN).filter(|more| *more > 0) {
        writeln!(out, "  {}", painter.paint(DIM, &format!("… and {more} more; `--json` has them all")))?;
    }
    Ok(())
}
