//! Importing from another tracker, or from an export.

use std::collections::{BTreeMap, BTreeSet};

use super::import_roles;
use crate::interchange::beads::OF_CCW;
use crate::interchange::import::Batch;
use crate::interchange::lines::JsonLinesFile;
use crate::interchange::selection::{ImportSelection, SourceState};
use crate::interchange::tracker::{Records, Tracker};
use crate::interchange::{ImportReport, LeftOutIssues, Skipped, jsonl};
use crate::model::{Code, CommitHash, ISSUE, IssueId, IssueStatus, Op, Other, RemedyCall, count};
use crate::ops::{Answer, Notice, Refusal, Session, clones};
use crate::rules::facts;
use crate::store::{StoreError, Tx, layout, records};

/// Longer lines of the source are cut in messages.
const LONGEST_LINE: usize = 240;

/// An export to import.
pub(crate) struct Export<'a> {
    /// What messages call it.
    pub(crate) name: &'a str,
    /// Its lines.
    pub(crate) source: JsonLinesFile,
    /// Which issues, and how.
    pub(crate) how: Selected,
}

/// What to import from another tracker.
pub(crate) struct Import<'a> {
    /// The operation that the change is recorded as.
    pub(crate) op: Op,
    /// What the records mean.
    pub(crate) tracker: &'static Tracker,
    /// What messages call the source.
    pub(crate) name: &'a str,
    /// Its records.
    pub(crate) records: &'a mut dyn Records,
    /// Which of them, and how.
    pub(crate) how: Selected,
}

/// Which issues to import, and how.
pub(crate) struct Selected {
    /// Which.
    pub(crate) selection: ImportSelection,
    /// Show what would be imported, and write nothing.
    pub(crate) dry_run: bool,
    /// Import nothing if a record cannot be imported.
    pub(crate) strict: bool,
}

/// Imports issues of another tracker, all in one commit or none.
///
/// # Errors
/// `empty`; `wrong-source` if nothing is a record of this tracker; `not-strict` if a record was skipped and may not
/// be; a source that cannot be read.
pub(crate) fn import(session: &Session, input: Import<'_>) -> Answer<ImportReport> {
    let Import { op, tracker, name, records, how: Selected { selection, dry_run, strict } } = input;
    let permit = session.permit(op)?;
    session.store().snapshot()?;
    let batch = session.counted("reading", None, |at| Batch::collect(tracker, records, &selection, at))?;
    if batch.is_empty() && !records.is_list() {
        return Err(Refusal::new(Code::Empty, format!("{name} contains no issues, so nothing was imported"))
            .hint(tracker.hint)
            .remedy(RemedyCall::new(Other::Help, ["import"]), "lists the sources"));
    }
    if let Some(skipped) = batch.nothing_but_skipped() {
        return Err(wrong_source(name, tracker, skipped));
    }
    let mut preview = None;
    let committed = session.counted("importing", Some(batch.len() as u64), |at| {
        session.transact(permit, |tx| {
            let report = batch.write::<Refusal>(records, tx, &mut *at)?;
            import_roles::admit(tx)?;
            if strict && !report.skipped.is_empty() {
                return Err(not_strict(name, &report.skipped));
            }
            if strict && !report.circles.is_empty() {
                return Err(in_cycles(name, &report.circles));
            }
            if dry_run {
                preview = Some(report);
                // A refused transaction writes nothing.
                return Err(Refusal::dry_run());
            }
            tx.describe(subject(&report));
            Ok(report)
        })
    });
    if let Some(report) = preview {
        return Ok(session.done(ImportReport { dry_run, ..report }, None));
    }
    let committed = committed?;
    let commit = committed.commit;
    let report = ImportReport { commit: commit.map(CommitHash::from), ..committed.answer };
    Ok(session.done(report, commit))
}

/// Imports an export of git-wf, merging existing records with those in the file. If a selection is given, imports only
/// the directories of the selected issues: no queues, runs or roadmaps.
///
/// # Errors
/// A file that is not an export; if `strict`, also a truncated one and unreadable lines.
pub(crate) fn import_jsonl(session: &Session, input: Export<'_>) -> Answer<jsonl::ImportedJsonl> {
    let permit = session.permit(Op::ImportJsonl)?;
    session.store().snapshot()?;
    let Export { name, mut source, how: Selected { selection, dry_run, strict } } = input;
    let chosen =
        if selection.is_everything() { None } else { Some(chosen(session, &mut source, &selection)?) };
    let only = chosen.as_ref().map(|(only, _)| only);
    let mut preview = None;
    let committed = session.counted("importing", None, |at| {
        session.transact(permit, |tx| {
            let mut taken = jsonl::read::<Refusal>(&mut source, tx, only, strict, &mut *at)?;
            import_roles::admit(tx)?;
            taken.left_out = chosen.as_ref().map(|(_, left_out)| left_out.clone()).unwrap_or_default();
            if dry_run {
                preview = Some(taken);
                // A refused transaction writes nothing.
                return Err(Refusal::dry_run());
            }
            let jsonl::ImportedJsonl { issues: new, added, merged, .. } = taken;
            tx.describe(format!(
                "import: {} and {}, {merged} merged",
                count(new, "issue"),
                count(added, "file")
            ));
            Ok(taken)
        })
    });
    let (taken, commit) = match preview {
        Some(taken) => (jsonl::ImportedJsonl { dry_run, ..taken }, None),
        None => {
            let committed = committed?;
            let commit = committed.commit;
            (jsonl::ImportedJsonl { commit: commit.map(CommitHash::from), ..committed.answer }, commit)
        }
    };
    if !taken.has_issues {
        session.notice(Notice::warning(format!("{name} contains no issues")));
    }
    if !taken.kept.is_empty() {
        session.notice(Notice::warning(format!(
            "the file has a different record under the same id, which was skipped: {}",
            clones::some(&taken.kept)
        )));
    }
    Ok(session.done(taken, commit))
}

/// The selected issues of an export, and why the others are left out. Each is judged as it would be after the import.
fn chosen(
    session: &Session,
    source: &mut JsonLinesFile,
    selection: &ImportSelection,
) -> Result<(BTreeSet<IssueId>, Vec<LeftOutIssues>), Refusal> {
    let mut found = None;
    let permit = session.permit(Op::ImportJsonl)?;
    let refused = session.counted("reading", None, |at| {
        session.transact(permit, |tx| {
            let taken = jsonl::read::<Refusal>(source, tx, None, false, &mut *at)?;
            let (mut chosen, mut reasons) = (BTreeSet::new(), BTreeMap::<String, u64>::new());
            for id in taken.issue_ids {
                match left_out(tx, selection, &id, chosen.len())? {
                    Some(reason) => *reasons.entry(reason).or_default() += 1,
                    None => drop(chosen.insert(id)),
                }
            }
            let reasons = reasons.into_iter().map(|(reason, issues)| LeftOutIssues { reason, issues });
            found = Some((chosen, reasons.collect()));
            // A refused transaction writes nothing.
            Err::<(), _>(Refusal::dry_run())
        })
    });
    match (found, refused) {
        (Some(found), _) => Ok(found),
        (None, Err(refusal)) => Err(refusal),
        (None, Ok(_)) => Ok(Default::default()),
    }
}

/// Why an issue is left out, after `selected` others were selected; `None` if it is selected.
fn left_out(
    tx: &Tx<'_>,
    selection: &ImportSelection,
    id: &IssueId,
    selected: usize,
) -> Result<Option<String>, Refusal> {
    let folder = match records::outline(tx, id) {
        Ok(Some(folder)) => folder,
        Ok(None) | Err(StoreError::Broken { .. }) => return Ok(Some("cannot be read".into())),
        Err(error) => return Err(error.into()),
    };
    let issue = &folder.issue.record;
    let doc = records::doc(tx, &ISSUE, &layout::issue(id))?;
    let changed = doc.and_then(|doc| Some(doc.changed()?.time())).unwrap_or(issue.created_at);
    let state = match facts::status(&folder) {
        IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled => SourceState::Closed,
        _ => SourceState::Open,
    };
    Ok(selection.reason(issue, changed, state).or_else(|| {
        selection.limit.is_some_and(|limit| selected >= limit).then(|| "beyond the limit".into())
    }))
}

/// The refusal of a source without any record of its tracker.
fn wrong_source(name: &str, tracker: &Tracker, skipped: &[Skipped]) -> Refusal {
    let unit = skipped.first().map_or("line", |skipped| &skipped.unit);
    let message = match tracker.name {
        "a roadmap" => format!("no {unit} of {name} is a roadmap"),
        tracker => format!("no {unit} of {name} is a {tracker} issue"),
    };
    if skipped.iter().any(|skipped| skipped.reason == OF_CCW) {
        return Refusal::new(Code::WrongSource, message)
            .details(lines(skipped))
            .remedy(RemedyCall::new(Op::ImportCcw, ["DIR"]), "imports the issues of ccw");
    }
    Refusal::new(Code::WrongSource, message)
        .details(lines(skipped))
        .hint(tracker.hint)
        .remedy(RemedyCall::new(Other::Help, ["import"]), "lists the sources")
}

/// The refusal of a source with records that cannot be imported.
fn not_strict(name: &str, skipped: &[Skipped]) -> Refusal {
    let records = count(skipped.len(), "record");
    Refusal::new(Code::NotStrict, format!("{records} of {name} cannot be imported, so nothing was imported"))
        .details(lines(skipped))
        .hint("correct the source, or import the rest without --strict")
}

/// The refusal of a source whose issues depend on each other, or are related to themselves.
fn in_cycles(name: &str, cycles: &[String]) -> Refusal {
    Refusal::new(
        Code::NotStrict,
        format!("{name} has {}, so nothing was imported", count(cycles.len(), "cycle")),
    )
    .details(cycles.to_vec())
    .hint("correct the source, or import it without --strict")
}

fn lines(skipped: &[Skipped]) -> Vec<String> {
    skipped.iter().map(line).collect()
}

/// `line 4 (`bd-1`): it has no `title``
pub(crate) fn line(skipped: &Skipped) -> String {
    let id = skipped.id.as_ref().map(|id| format!(" (`{id}`)")).unwrap_or_default();
    let number = if skipped.number == 0 { String::new() } else { format!(" {}", skipped.number) };
    let line = format!("{}{number}{id}: {}", skipped.unit, skipped.reason);
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// `import: 508 issues from beads (508 new, 177 comments)`
fn subject(report: &ImportReport) -> String {
    let work = report.work;
    let states = [(report.created, "new"), (report.updated, "updated")];
    let things = [
        (report.comments, "comment"),
        (report.edited_comments, "edited comment"),
        (work.plans, "plan"),
        (work.queues, "queue"),
        (work.executions, "execution"),
    ];
    let is_some = |(count, _): &(u64, &str)| *count > 0;
    let states = states.into_iter().filter(is_some).map(|(count, word)| format!("{count} {word}"));
    let things = things.into_iter().filter(is_some).map(|(number, word)| count(number, word));
    let parts: Vec<String> = states.chain(things).collect();
    let issues = count(report.created + report.updated, "issue");
    format!("import: {issues} from {} ({})", report.source, parts.join(", "))
}
