//! Importing from another tracker, or from an export.

use crate::interchange::import::Batch;
use crate::interchange::lines::Source;
use crate::interchange::{Report, Skipped, beads, jsonl};
use crate::model::op::Op;
use crate::ops::{Answer, Notice, Refusal, Session, clones};

/// How many lines an error about a wrong file lists.
const LINES_SHOWN: usize = 5;
/// Longer lines of the file are cut in messages.
const LONGEST_LINE: usize = 240;

/// A file to import. `name` is what messages call it.
pub(crate) struct Import<'a> {
    /// What messages call it.
    pub(crate) name: &'a str,
    /// Its lines.
    pub(crate) source: Source,
}

/// Imports issues of beads, all in one commit or none.
///
/// # Errors
/// `empty`; `wrong-source` if no line is a beads issue; unreadable lines.
pub(crate) fn import_beads(session: &Session, input: Import<'_>) -> Answer<Report> {
    let permit = session.permit(Op::ImportBeads)?;
    session.store().snapshot()?;
    let Import { name, mut source } = input;
    let batch = session.counted("reading", None, |at| Batch::collect(beads::read, &mut source, at))?;
    if batch.is_empty() {
        return Err(Refusal::new("empty", format!("{name} is empty, so nothing was imported"))
            .hint("give what `bd export` wrote")
            .remedy("import --help", "lists the sources"));
    }
    if let Some(skipped) = batch.nothing_but_skipped() {
        return Err(wrong_file(name, skipped));
    }
    let committed = session.counted("importing", Some(batch.len() as u64), |at| {
        session.transact(permit, |tx| {
            let report = batch.write::<Refusal>(&mut source, tx, &mut *at)?;
            tx.describe(subject(&report));
            Ok(report)
        })
    })?;
    let commit = committed.commit;
    let report = Report { commit: commit.map(|id| id.to_string()), ..committed.answer };
    Ok(session.done(report, commit))
}

/// Imports an export of git-wf: existing records are merged with those of the file.
///
/// # Errors
/// A file that is not an export, or is truncated; unreadable lines.
pub(crate) fn import_jsonl(session: &Session, input: Import<'_>) -> Answer<jsonl::Taken> {
    let permit = session.permit(Op::ImportJsonl)?;
    session.store().snapshot()?;
    let Import { name, mut source } = input;
    let committed = session.counted("importing", None, |at| {
        session.transact(permit, |tx| {
            let taken = jsonl::read::<Refusal>(&mut source, tx, &mut *at)?;
            let jsonl::Taken { issues: new, added, merged, .. } = taken;
            tx.describe(format!("import: {} and {added} files, {merged} merged", issues(new)));
            Ok(taken)
        })
    })?;
    let commit = committed.commit;
    let taken = jsonl::Taken { commit: commit.map(|id| id.to_string()), ..committed.answer };
    if !taken.has_issues {
        session.notice(Notice::warning(format!("{name} holds no issue")));
    }
    if !taken.kept.is_empty() {
        session.notice(Notice::warning(format!(
            "the file has a different record under the same id, which was skipped: {}",
            clones::some(&taken.kept)
        )));
    }
    Ok(session.done(taken, commit))
}

/// The refusal of a file in which no line is a record of its source.
fn wrong_file(name: &str, skipped: &[Skipped]) -> Refusal {
    let mut lines: Vec<String> = skipped.iter().take(LINES_SHOWN).map(line).collect();
    if let Some(more) = skipped.len().checked_sub(LINES_SHOWN).filter(|more| *more > 0) {
        lines.push(format!("… and {more} more lines"));
    }
    Refusal::new("wrong-source", format!("no line of {name} can be imported as an issue of beads"))
        .details(lines)
        .hint("give what `bd export` wrote")
        .remedy("import --help", "lists the sources")
}

/// `line 4 (`bd-1`): it has no `title``
pub(crate) fn line(skipped: &Skipped) -> String {
    let id = skipped.id.as_ref().map(|id| format!(" (`{id}`)")).unwrap_or_default();
    let line = format!("line {}{id}: {}", skipped.line, skipped.reason);
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
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

/// `1 issue`, `2 issues`.
pub(crate) fn issues(count: u64) -> String {
    format!("{count} issue{}", if count == 1 { "" } else { "s" })
}
