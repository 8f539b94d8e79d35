//! The import: each file is joined with the existing one, as in a merge.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::line::{ExportPart, newer_format, parse, part};
use super::{FORMAT, VERSION, orphans};
use crate::git::cores;
use crate::interchange::lines::{JsonLine, JsonLineReader, JsonLinesFile, Unreadable};
use crate::interchange::{LeftOutIssues, Skipped};
use crate::model::root::FORMAT as ROOT_FORMAT;
use crate::model::{Code, CommitHash, Doc, Explain, IssueId, Other, RecordStep, Remedies, Time};
use crate::store::{AtPath, Location, ReadState, StoreError, Tx, layout};

/// The fault of a file that does not begin as an export does.
const FOREIGN: &str = "is not an export of git-wf";
/// The fault of an export with something that cannot be imported.
const IN_PART: &str = "cannot be imported as a whole";
/// The fault of an export of which nothing can be imported.
const UNFIT: &str = "cannot be imported";
/// More files than any store has.
const MOST_FILES: u64 = 20_000_000;

/// What was imported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ImportedJsonl {
    /// Whether this was a dry run, which writes nothing.
    pub(crate) dry_run: bool,
    /// Issues that were not here before.
    pub(crate) issues: u64,
    /// Files that were not here before.
    pub(crate) added: u64,
    /// Files that existed here in another version and were merged.
    pub(crate) merged: u64,
    /// Records that the import would have changed in a way that is never allowed, such as one that was created again:
    /// they stay as they are here.
    pub(crate) kept: Vec<String>,
    /// Files that already had the content of the export.
    pub(crate) unchanged: u64,
    /// Lines that cannot be imported.
    pub(crate) skipped: Vec<Skipped>,
    /// Issues that the options left out.
    pub(crate) left_out: Vec<LeftOutIssues>,
    /// The commit on the ref; null if nothing changed.
    pub(crate) commit: Option<CommitHash>,
    /// Every issue of the file, in its order.
    #[serde(skip)]
    pub(crate) issue_ids: Vec<IssueId>,
    /// Whether the export holds an issue at all.
    #[serde(skip)]
    pub(crate) has_issues: bool,
}

/// A file that is not an export.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoExport {
    /// It has no lines.
    #[error("{name} is empty, so nothing was imported")]
    Empty {
        /// What messages call it.
        name: String,
    },
    /// It has other lines.
    #[error("{name} {fault}, so nothing was imported: line {line}: {why}")]
    Other {
        /// What messages call it.
        name: String,
        /// What is wrong with it as a whole.
        fault: &'static str,
        /// Where.
        line: u64,
        /// What is wrong there.
        why: String,
    },
}

impl Explain for NoExport {
    fn code(&self) -> Code {
        match self {
            Self::Empty { .. } => Code::Empty,
            Self::Other { .. } => Code::NotAnExport,
        }
    }

    fn remedies(&self) -> Remedies {
        let remedies = Remedies::call(Other::ExportJsonl, "writes such a file; give its complete output");
        let is_in_part = matches!(self, Self::Other { fault, .. } if *fault == IN_PART);
        if is_in_part { remedies.and("or import the rest without --strict") } else { remedies }
    }
}

/// Writes the content of the export, or only the directories of the issues in `only`. Reports the number of files so
/// far to `seen`. A line that cannot be imported is skipped, or is an error if `strict`.
pub(crate) fn read<E>(
    source: &mut JsonLinesFile,
    tx: &mut Tx<'_>,
    only: Option<&BTreeSet<IssueId>>,
    strict: bool,
    mut seen: impl FnMut(u64),
) -> Result<ImportedJsonl, E>
where
    E: From<StoreError> + From<Unreadable> + From<NoExport>,
{
    let mut lines = source.lines()?;
    match lines.next()? {
        Some(line) => head(&line)?.map_err(|why| no_export(&line, why))?,
        None => return Err(NoExport::Empty { name: lines.name().to_owned() }.into()),
    }
    let now = tx.stamper().now();
    let mut taken = ImportedJsonl::default();
    // A union merge of two exports keeps the last lines of both, which count the files of each.
    let (mut files, mut said) = (0, None);
    loop {
        let ahead = lines.ahead();
        if ahead.is_empty() {
            break;
        }
        let name = lines.name();
        let read = cores::map(
            ahead,
            || (),
            |(), ahead| match ahead.as_line(name) {
                Ok(line) => (line.number, parse(&line).map(|parts| parts.and_then(|parts| part(parts, now)))),
                Err((number, error)) => (number, Err(error)),
            },
        );
        for (number, read) in read {
            let fault = match read {
                // The rest cannot be read.
                Err(error @ Unreadable::Unread { .. }) => return Err(error.into()),
                Err(error) => Some(error.in_line()),
                Ok(Err(why)) => Some(why),
                Ok(Ok(ExportPart::End(count))) => {
                    said = said.max(Some((count, number)));
                    None
                }
                Ok(Ok(ExportPart::File(path, bytes))) => match place(tx, &mut taken, only, path, bytes) {
                    Ok(()) => {
                        files += 1;
                        None
                    }
                    Err(NotTaken::Line(why)) => Some(why),
                    Err(NotTaken::Store(error)) => return Err(error.into()),
                },
            };
            if let Some(why) = fault {
                if strict {
                    return Err((NoExport::Other {
                        name: lines.name().to_owned(),
                        fault: IN_PART,
                        line: number,
                        why,
                    })
                    .into());
                }
                // The line counts as a file.
                files += 1;
                taken.skipped.push(skipped(number, why));
            }
            if files > MOST_FILES {
                let why = format!("more than {MOST_FILES} files");
                return Err(at_end(&lines, UNFIT, why).into());
            }
            seen(files);
        }
    }
    let missing = match said {
        None => {
            Some((lines.number(), format!("it is truncated after {files} files: the last line is missing")))
        }
        Some((count, number)) if count > files => {
            Some((number, format!("it says {count} files, but there are {files}")))
        }
        Some(_) => None,
    };
    if let Some((number, why)) = missing {
        if strict {
            let name = lines.name().to_owned();
            return Err(NoExport::Other { name, fault: IN_PART, line: number, why }.into());
        }
        taken.skipped.push(skipped(number, why));
    }
    let (files, without_record) = orphans::take_back(tx)?;
    taken.added -= files;
    if let Some(first) = without_record.first()
        && strict
    {
        let id = first.id.as_deref().unwrap_or_default();
        return Err(at_end(&lines, IN_PART, format!("{} `{id}`: {}", first.unit, first.reason)).into());
    }
    taken.skipped.extend(without_record);
    if let Some((file, inside)) = tx.clash() {
        let why = format!("`{file}` cannot be a file and the directory of `{inside}`");
        return Err(at_end(&lines, UNFIT, why).into());
    }
    Ok(taken)
}

fn skipped(number: u64, reason: String) -> Skipped {
    Skipped { unit: "line".into(), number, id: None, reason }
}

/// Writes a file, unless it belongs to an issue that is not wanted.
fn place(
    tx: &mut Tx<'_>,
    taken: &mut ImportedJsonl,
    only: Option<&BTreeSet<IssueId>>,
    path: String,
    bytes: Vec<u8>,
) -> Result<(), NotTaken> {
    // An item is stored in the directory of its queue.
    let issue = match Location::parse(&path) {
        Some(Location::Item(..)) | None => None,
        Some(place) => place.issue(),
    };
    if layout::is_issue(&path) {
        taken.has_issues = true;
        taken.issue_ids.extend(issue.clone());
    }
    if let Some(only) = only
        && issue.is_none_or(|issue| !only.contains(&issue))
    {
        return Ok(());
    }
    take(tx, taken, path, bytes)
}

/// Why a file, and so the whole export, is not imported.
enum NotTaken {
    Line(String),
    Store(StoreError),
}

impl From<StoreError> for NotTaken {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn no_export(line: &JsonLine<'_>, why: String) -> NoExport {
    NoExport::Other { name: line.name().to_owned(), fault: FOREIGN, line: line.number, why }
}

fn at_end(lines: &JsonLineReader<'_>, fault: &'static str, why: String) -> NoExport {
    NoExport::Other { name: lines.name().to_owned(), fault, line: lines.number(), why }
}

fn head(line: &JsonLine<'_>) -> Result<Result<(), String>, Unreadable> {
    // A line of anything else has other members, and which ones does not matter.
    let parts = parse(line)?.ok();
    Ok(match parts.map_or((None, None), |parts| (parts.format, parts.version)) {
        (Some(format), Some(VERSION)) if format == FORMAT => Ok(()),
        (Some(format), Some(version)) if format == FORMAT => {
            Err(format!("it is an export of version {version}; this git-wf reads version {VERSION}"))
        }
        _ => Err(format!("the first line must say {{\"format\":\"{FORMAT}\",\"version\":{VERSION}}}")),
    })
}

/// Writes one file, or joins it with the existing one.
fn take(tx: &mut Tx<'_>, taken: &mut ImportedJsonl, path: String, bytes: Vec<u8>) -> Result<(), NotTaken> {
    if tx.has_written(&path) {
        return again(tx, taken, path, &bytes);
    }
    if path == layout::ROOT_PATH {
        check_format(&bytes)?;
    }
    let mine = match tx.base().find(&path)? {
        AtPath::Nothing => {
            taken.added += 1;
            taken.issues += u64::from(layout::is_issue(&path));
            return Ok(tx.write_new(path, bytes)?);
        }
        AtPath::Folder => return Err(NotTaken::Line(format!("`{path}` is a directory here"))),
        AtPath::UnderFile => {
            return Err(NotTaken::Line(format!("a directory of `{path}` is a file here")));
        }
        // A file that is not a record is not joined; it stays as it is.
        AtPath::TooLarge => {
            taken.unchanged += 1;
            return Ok(());
        }
        AtPath::File(mine) => mine,
    };
    let now = tx.stamper().now();
    let joined = tx.base().join(&path, &mine, &bytes)?;
    let is_rewritten = is_rewritten(&path, &mine, &joined, now);
    if joined == mine {
        taken.unchanged += 1;
        return Ok(());
    }
    if is_rewritten {
        taken.kept.push(path);
        return Ok(());
    }
    taken.merged += 1;
    Ok(tx.write_new(path, joined)?)
}

/// Joins a file with the version of it that came before in the same export: a union merge of two exports has both.
fn again(tx: &mut Tx<'_>, taken: &mut ImportedJsonl, path: String, bytes: &[u8]) -> Result<(), NotTaken> {
    let Some(first) = tx.file(&path)? else { return Ok(()) };
    let joined = tx.base().join(&path, &first, bytes)?;
    if joined == *first {
        return Ok(());
    }
    if is_rewritten(&path, &first, &joined, tx.stamper().now()) {
        taken.kept.push(path);
        return Ok(());
    }
    Ok(tx.write(path, joined)?)
}

/// The record with a clock at `path`; `None` if these bytes are not one.
fn doc(path: &str, bytes: &[u8]) -> Option<Doc> {
    match layout::form(path) {
        (layout::Form::Doc(schema), id) => layout::own_doc(schema, id.as_deref(), bytes).ok(),
        _ => None,
    }
}

/// Whether no command makes such a step, or the step only hides something: in that case, the store has the value, and
/// a redaction hides it better.
fn is_rewritten(path: &str, mine: &[u8], joined: &[u8], now: Time) -> bool {
    let (Some(mine), Some(joined)) = (doc(path, mine), doc(path, joined)) else { return false };
    !RecordStep::between(Some(&mine), &joined, now).faults().is_empty()
        || joined.veiled_since(&mine).next().is_some()
}

/// A program of this version cannot read a store that a later one wrote.
fn check_format(bytes: &[u8]) -> Result<(), StoreError> {
    match newer_format(bytes) {
        Some(found) => Err(StoreError::NewerFormat { found, known: ROOT_FORMAT }),
        None => Ok(()),
    }
}
