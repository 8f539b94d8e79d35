//! Reads the files of a plan tool: small regular files, and no links.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde_json::{Map, Value, json};

use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Each, FoundRecord, Records, RefusedRecord};
use crate::model::Time;

/// Larger files are not read.
const LARGEST: u64 = 16 << 20;
/// Some editors begin a text with it.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';
/// More files in one directory are not read.
const MOST_FILES: usize = 10_000;
/// Deeper directories are not read.
const DEEPEST: usize = 4;
/// At most this many names that were not read are listed.
const MOST_NAMED: usize = 12;

/// The records of a plan tool.
#[derive(Default)]
pub(crate) struct PlanFiles {
    found: Vec<FoundRecord>,
    remarks: Vec<String>,
    /// How many files and directories of each name were not read.
    unread: BTreeMap<String, usize>,
}

impl Records for PlanFiles {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        Ok(Box::new(self.found.iter().cloned().map(Ok)))
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

impl PlanFiles {
    /// Adds a record that was found at `place`.
    pub(super) fn add(&mut self, place: String, record: Value) {
        self.found.push(FoundRecord { unit: place.into(), number: 0, record: Ok(record) });
    }

    /// Adds the record of some files that were read at `place`; if one of them cannot be read, names the place.
    pub(super) fn add_files(
        &mut self,
        place: String,
        read: io::Result<FileGroup>,
        record: impl FnOnce(FileGroup) -> Value,
    ) {
        match read {
            Ok(group) if group.texts.is_empty() => self.remark(format!("{place} is empty")),
            Ok(group) => self.add(place, record(group)),
            Err(error) => self.refuse(place, error.to_string()),
        }
    }

    /// The records that could be read.
    pub(super) fn records_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.found.iter_mut().filter_map(|found| found.record.as_mut().ok())
    }

    /// Names a place that cannot be read.
    pub(super) fn refuse(&mut self, place: String, reason: impl Into<String>) {
        let refused = RefusedRecord::fault(None, reason);
        self.found.push(FoundRecord { unit: place.into(), number: 0, record: Err(refused) });
    }

    /// Counts what is in `folder` and has none of these names. Numbers at the beginning of a name do not count.
    pub(super) fn leave_others(&mut self, folder: &Path, is_read: impl Fn(&str) -> bool) {
        let all = names(folder, |kind| !kind.is_symlink()).into_iter();
        for name in all.filter(|name| !name.starts_with('.') && !is_read(name)) {
            let end = if folder.join(&name).is_dir() { "/" } else { "" };
            let plain = name.trim_start_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
            *self
                .unread
                .entry(format!("{}{end}", if plain.contains('.') { plain } else { &name }))
                .or_default() += 1;
        }
    }

    /// The records, with a remark that names what was not read.
    pub(super) fn with_unread(mut self) -> Self {
        let mut named: Vec<String> = Vec::new();
        for (name, count) in self.unread.iter().take(MOST_NAMED) {
            named.push(if *count > 1 { format!("`{name}` ({count})") } else { format!("`{name}`") });
        }
        if self.unread.len() > MOST_NAMED {
            named.push(format!("and {} more names", self.unread.len() - MOST_NAMED));
        }
        if !named.is_empty() {
            self.remark(format!("not read: {}", named.join(", ")));
        }
        self
    }

    /// Says something about the source as a whole.
    pub(super) fn remark(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }
}

/// Files that belong together, by their paths, and when the latest of them changed.
#[derive(Default)]
pub(super) struct FileGroup {
    pub(super) texts: Map<String, Value>,
    pub(super) changed: Option<Time>,
}

impl FileGroup {
    /// The files of a folder with these names, as far as there are any.
    pub(super) fn read<N: AsRef<str>>(folder: &Path, names: impl IntoIterator<Item = N>) -> io::Result<Self> {
        let mut group = Self::default();
        group.moved_into(folder);
        if let Some(parent) = folder.parent() {
            group.moved_into(parent);
        }
        for name in names {
            group.add(name.as_ref(), &folder.join(name.as_ref()))?;
        }
        Ok(group)
    }

    /// Adds a file, if there is one at `path`. `name`: what the record calls it. Its folder is dated by what was moved or removed
    /// there.
    pub(super) fn add(&mut self, name: &str, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            self.moved_into(folder);
        }
        let Some((text, changed)) = text_of(path)? else { return Ok(()) };
        self.texts.insert(name.to_owned(), text.into());
        self.changed = self.changed.max(changed);
        Ok(())
    }

    /// Counts what was moved into or out of `folder`, or removed there, as a change: it does not date the files that are left.
    pub(super) fn moved_into(&mut self, folder: &Path) {
        let moved = fs::metadata(folder).ok().as_ref().and_then(modified);
        self.changed = self.changed.max(moved);
    }
}

/// The text of a regular file, without a byte order mark, and when it changed; `None` if there is none.
pub(super) fn text_of(path: &Path) -> io::Result<Option<(String, Option<Time>)>> {
    let Some((mut text, changed)) = whole_text_of(path)? else { return Ok(None) };
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    Ok(Some((text, changed)))
}

/// The text of a file, with its byte order mark if it begins with one.
pub(crate) fn whole_text_of(path: &Path) -> io::Result<Option<(String, Option<Time>)>> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => found,
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if found.len() > LARGEST {
        return Err(io::Error::other(format!("it has more than {} MiB", LARGEST >> 20)));
    }
    let mut text = String::new();
    fs::File::open(path)?.take(LARGEST).read_to_string(&mut text)?;
    let changed = modified(&found);
    Ok(Some((text, changed)))
}

/// When a file or directory changed, in milliseconds; `None` before 1970.
pub(crate) fn modified(found: &fs::Metadata) -> Option<Time> {
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Time::from_millis(i64::try_from(since.as_millis()).ok()?)
}

/// The names of the directories in `folder`, in order; none if it cannot be read.
pub(super) fn folders(folder: &Path) -> Vec<String> {
    names(folder, fs::FileType::is_dir)
}

/// The paths of the directories below `folder`, in order, at most [`DEEPEST`] levels.
pub(super) fn folders_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut level = folders(folder);
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for path in &level {
            next.extend(folders(&folder.join(path)).into_iter().map(|name| format!("{path}/{name}")));
        }
        found.append(&mut level);
        level = next;
    }
    found.sort();
    found.truncate(MOST_FILES);
    found
}

/// The files of a folder with these names, as a record has them; none if one cannot be read.
pub(super) fn record_of(folder: &Path, names: &[&str]) -> Value {
    let group = FileGroup::read(folder, names).unwrap_or_default();
    json!({"files": group.texts})
}

/// The paths of the files with this name in the directories below `folder`, in order.
pub(super) fn files_below(folder: &Path, name: &str) -> Vec<String> {
    let all = folders_below(folder).into_iter().map(|place| format!("{place}/{name}"));
    all.filter(|file| folder.join(file).is_file()).collect()
}

/// The names of the Markdown files in `folder`, in order; none if it cannot be read.
pub(super) fn markdown(folder: &Path) -> Vec<String> {
    let mut all = names(folder, fs::FileType::is_file);
    all.retain(|name| name.ends_with(".md"));
    all
}

fn names(folder: &Path, is_kind: impl Fn(&fs::FileType) -> bool) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MOST_FILES);
    let mut all: Vec<String> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| is_kind(&kind)))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    all.sort();
    all
}
