//! Finds the file of a beads tracker.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The directory of a tracker in its repository.
const FOLDER: &str = ".beads";
/// The names of its file, the newest one first.
const NAMES: [&str; 2] = ["issues.jsonl", "beads.jsonl"];
/// The file that can give another name.
const METADATA: &str = "metadata.json";

/// The file with the issues of the tracker in `folder`, which is its directory or its repository; `None` if there is
/// none.
pub(crate) fn file_in(folder: &Path) -> Option<PathBuf> {
    let inside = folder.join(FOLDER);
    let folder = if inside.is_dir() { inside } else { folder.to_owned() };
    let metadata = std::fs::read(folder.join(METADATA)).ok();
    let metadata = metadata.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let named = metadata.as_ref().and_then(|metadata| metadata.get("jsonl_export")?.as_str());
    // Only a file of this directory.
    let named = named.filter(|name| Path::new(name).file_name().is_some_and(|file| file == *name));
    named.into_iter().chain(NAMES).map(|name| folder.join(name)).find(|file| file.is_file())
}
