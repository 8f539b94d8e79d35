use std::io::Write;

use crate::cli::{Context, Exit, Failure, Outcome, named};
use crate::interchange::import::Batch;
use crate::interchange::lines::Source;
use crate::interchange::{Report, Skipped, beads, jsonl};
use crate::ui::style::{DIM, GOOD, HEADING, ID, WARN};
use crate::ui::{Progress, text};

/// More notes than this are counted; `--json` has them all.
const NOTES_SHOWN: usize = 20;
/// How many lines of a file of another kind show what is wrong with it.
const LINES_SHOWN: usize = 5;
/// What comes from the file can be of any length.
const LONGEST_LINE: usize = 240;

/// Import issues from another tracker, or from an export
///
/// A file is imported completely, in one commit, or not at all.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, clap::Subcommand)]
enum From {
    /// Import issues of beads (`bd`, `br`) from JSON lines, with labels, comments and dependencies
    ///
    /// Ids are kept. Importing the same file again changes nothing; a newer file brings what changed since,
    /// but does not overwrite fields that were edited here later.
    Beads(Beads),
    /// Import an export of git-wf, exactly as it was
    ///
    /// An empty store gets the same state. Records that exist already are merged, so nothing is lost;
    /// importing the same file again changes nothing.
    Jsonl(Jsonl),
}

#[derive(Debug, clap::Args)]
struct Beads {
    /// The output of `bd export`, such as `.beads/issues.jsonl` (`-` for stdin)
    file: String,
}

#[derive(Debug, clap::Args)]
struct Jsonl {
    /// The output of `git wf export jsonl` (`-` for stdin)
    file: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.from {
        From::Beads(Beads { file }) => import_beads(&file, context),
        From::Jsonl(Jsonl { file }) => import_jsonl(&file, context),
    }
}

fn source(file: &str, hint: &str) -> Result<Source, Failure> {
    Source::open(file).map_err(|error| {
        Failure::new("cannot-read", format!("cannot read {}: {error}", named(file))).hint(hint)
    })
}

fn import_beads(file: &str, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let mut source = source(file, "give the file that the other tracker wrote, or `-` for stdin")?;
    let mut progress = Progress::start("reading", None);
    let batch = Batch::collect(beads::read, &mut source, |lines| progress.at(lines));
    progress.finish();
    let batch = batch?;
    if batch.is_empty() {
        return Err(Failure::new("empty", format!("{} is empty, so nothing was imported", named(file)))
            .hint("give what `bd export` wrote; `git wf import --help` lists the sources"));
    }
    if let Some(skipped) = batch.nothing_but_skipped() {
        return Err(wrong_file(file, skipped));
    }
    let mut progress = Progress::start("importing", Some(batch.len() as u64));
    let committed = context.transact(&store, |tx| {
        let report = batch.write::<Failure>(&mut source, tx, |done| progress.at(done))?;
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

const NOTHING: &str = "nothing new to import";

/// A file in which no line is a record of its source.
fn wrong_file(file: &str, skipped: &[Skipped]) -> Failure {
    let mut lines: Vec<String> = skipped.iter().take(LINES_SHOWN).map(line).collect();
    if let Some(more) = skipped.len().checked_sub(LINES_SHOWN).filter(|more| *more > 0) {
        lines.push(format!("… and {more} more lines"));
    }
    Failure::new("wrong-source", format!("no line of {} can be imported as an issue of beads", named(file)))
        .details(lines)
        .hint("give what `bd export` wrote; `git wf import --help` lists the sources")
}

/// `line 4 (`bd-1`): it has no `title``
fn line(skipped: &Skipped) -> String {
    let id = skipped.id.as_ref().map(|id| format!(" (`{id}`)")).unwrap_or_default();
    let line = format!("line {}{id}: {}", skipped.line, skipped.reason);
    text::truncate(&text::clean_line(&line), LONGEST_LINE)
}

fn import_jsonl(file: &str, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let mut source = source(file, "give the file that `git wf export jsonl` wrote, or `-` for stdin")?;
    let mut progress = Progress::start("importing", None);
    let committed = context.transact(&store, |tx| {
        let taken = jsonl::read::<Failure>(&mut source, tx, |done| progress.at(done))?;
        let jsonl::Taken { issues: new, added, merged, .. } = taken;
        tx.describe("import jsonl", format!("import: {} and {added} files, {merged} merged", issues(new)));
        Ok(taken)
    });
    progress.finish();
    let committed = committed?;
    let taken = jsonl::Taken { commit: committed.commit.map(|id| id.to_string()), ..committed.answer };
    if !taken.has_issues {
        context.warn(&format!("{} holds no issue", named(file)));
    }
    if !taken.kept.is_empty() {
        context.warn(&format!(
            "the file has a different record under the same id, which was skipped: {}",
            crate::ops::clones::some(&taken.kept)
        ));
    }
    if context.json() {
        context.screen.print_json(&taken)?;
        return Ok(Exit::Done);
    }
    let painter = context.screen.painter();
    let out = &mut context.screen;
    let Some(commit) = &taken.commit else {
        writeln!(out, "{}", painter.paint(DIM, NOTHING))?;
        return Ok(Exit::Done);
    };
    writeln!(out, "{}", painter.paint(GOOD, &format!("imported {}", issues(taken.issues))))?;
    let counts = [("new files", taken.added), ("merged", taken.merged), ("unchanged", taken.unchanged)];
    for (word, count) in counts.iter().filter(|(_, count)| *count > 0) {
        writeln!(out, "  {word:<12} {count:>6}")?;
    }
    writeln!(out, "  {:<12} {}", "commit", painter.paint(ID, commit))?;
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
        None if report.skipped.is_empty() => painter.paint(DIM, NOTHING),
        None => {
            let skipped = report.skipped.len();
            let records =
                if skipped == 1 { "1 record was".into() } else { format!("{skipped} records were") };
            painter.paint(WARN, &format!("nothing was imported; {records} left out, as said below"))
        }
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
        writeln!(out, "  {}", painter.paint(WARN, &line(skipped)))?;
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
