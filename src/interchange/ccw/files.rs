//! Where a store of ccw is, and how its files are read: whatever cannot be read is named, and the rest is read.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::interchange::lines::{JsonLinesFile, Unreadable};
use crate::interchange::tracker::{FoundRecord, Records, RefusedRecord};
use crate::model::{JsonFault, strict};

/// Larger JSON files are not read.
const LARGEST: u64 = 64 << 20;
/// More files in one directory are not read.
pub(super) const MOST_FILES: usize = 100_000;
/// The directory of the issues in a project.
pub(super) const ISSUES: &str = ".workflow/issues";
/// Where work folders are.
const SCRATCH: [&str; 2] = [".scratchpad", ".workflow/.scratchpad"];
/// The names of work folders begin so.
const SESSION: &str = "codex-issue-";

/// The directory with `issues.jsonl`, if `folder` is it or its project.
pub(super) fn issues(folder: &Path) -> Option<PathBuf> {
    let inside = [folder.join(ISSUES), folder.join("issues")];
    holds_issues(folder)
        .then(|| folder.to_owned())
        .or_else(|| inside.into_iter().find(|folder| folder.is_dir() && holds_issues(folder)))
}

fn holds_issues(folder: &Path) -> bool {
    let any = ["issues.jsonl", "issue-history.jsonl", "solutions", "queues", "queue"];
    let is_session = folder.join("state.json").is_file();
    !is_session && any.iter().any(|name| folder.join(name).exists())
}

/// The work folders in a project, oldest first, or `folder` itself if it is one.
pub(super) fn sessions(folder: &Path) -> Vec<PathBuf> {
    if folder.join("state.json").is_file() {
        return vec![folder.to_owned()];
    }
    let mut all = Vec::new();
    for place in SCRATCH.iter().map(|name| folder.join(name)).chain([folder.to_owned()]) {
        let entries = fs::read_dir(place).into_iter().flatten().filter_map(Result::ok).take(MOST_FILES);
        let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(SESSION));
        all.extend(named.map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    all.sort();
    all
}

/// The regular files of a directory with this ending, by name.
pub(super) fn names(folder: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MOST_FILES);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    names
}

/// Why a file that a store of ccw has is not read.
pub(super) const MISSING: &str = "the file is missing";

/// Something wrong with a file.
pub(super) fn fault(file: &str, number: u64, id: Option<&str>, reason: impl Into<String>) -> FoundRecord {
    let unit = if number == 0 { file.to_owned() } else { line_of(file) };
    let refused = RefusedRecord::fault(id.map(str::to_owned), reason);
    FoundRecord { unit: unit.into(), number, record: Err(refused) }
}

/// The place of a file of a store, by the unit of its lines, and its name; those of work folders come last, as they were
/// read.
pub(super) fn place(unit: &str) -> (usize, &str) {
    const ORDER: [&str; 6] =
        ["issues.jsonl", "issue-history.jsonl", "solutions/", "queues/", "queue/", "queue.json"];
    let file = unit.trim_end_matches(" line");
    match ORDER.iter().position(|start| file.starts_with(start)) {
        Some(place) => (place, file),
        None => (ORDER.len(), ""),
    }
}

/// What the numbers of lines in a file count.
pub(super) fn line_of(file: &str) -> String {
    format!("{file} line")
}

/// The lines of a file of JSON lines, each with its number; none if there is no such file. What cannot be read is a
/// fault.
pub(super) fn lines(
    path: &Path,
    name: &str,
    faults: &mut Vec<FoundRecord>,
) -> Result<Vec<(u64, Value)>, Unreadable> {
    let mut read = Vec::new();
    if !is_file(path, name, faults) {
        return Ok(read);
    }
    let mut source = match JsonLinesFile::open(&path.to_string_lossy()) {
        Ok(source) => source,
        Err(error) => {
            faults.push(fault(name, 0, None, format!("it cannot be read: {error}")));
            return Ok(read);
        }
    };
    for found in source.each()? {
        let FoundRecord { number, record, .. } = found?;
        match record {
            Ok(value) => read.push((number, value)),
            Err(refused) => faults.push(fault(name, number, refused.id.as_deref(), refused.reason)),
        }
    }
    Ok(read)
}

/// A JSON file; `None` if there is none, or it cannot be read, which is a fault.
pub(super) fn json(path: &Path, name: &str, faults: &mut Vec<FoundRecord>) -> Option<Value> {
    if !is_file(path, name, faults) {
        return None;
    }
    let read = match fs::metadata(path).map(|metadata| metadata.len()) {
        Ok(size) if size > LARGEST => Err(format!("it has more than {} MiB", LARGEST >> 20)),
        Ok(_) => fs::read(path).map_err(|error| format!("it cannot be read: {error}")),
        Err(error) => Err(format!("it cannot be read: {error}")),
    };
    match read.and_then(|bytes| parsed(&bytes)) {
        Ok(value) => Some(value),
        Err(why) => {
            faults.push(fault(name, 0, None, why));
            None
        }
    }
}

/// The value in a file, which may begin with a byte order mark.
fn parsed(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
        format!("the byte 0x{byte:02x} is not UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    strict::parse_text(text).map_err(|fault| match &fault {
        JsonFault::Json(error) if !error.is_eof() => format!("not JSON: {error}"),
        _ => strict::strict_fault(&fault),
    })
}

/// Whether it is a regular file. A link could lead anywhere, and a pipe would never end.
fn is_file(path: &Path, name: &str, faults: &mut Vec<FoundRecord>) -> bool {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => true,
        Ok(_) => {
            faults.push(fault(name, 0, None, "it is not a regular file"));
            false
        }
        Err(_) => false,
    }
}
