//! Reads and writes the refs of a workplace as small files.

use super::WorkplaceError;
use super::untrusted::UntrustedDir;
use crate::store::{ObjectId, object_id};

/// A loose ref is a line with an object id.
const LONGEST_REF: u64 = 1024;
/// A hundred thousand refs fit.
const LARGEST_PACKED: u64 = 16 * 1024 * 1024;

/// The object to which a ref of the workplace points; `None` if there is no such ref. A symbolic ref is refused.
pub(super) fn read(git_dir: &UntrustedDir, name: &str) -> Result<Option<ObjectId>, WorkplaceError> {
    let broken = || WorkplaceError::BrokenRef(name.to_owned());
    let (folder, file) = name.rsplit_once('/').ok_or_else(broken)?;
    let loose = match git_dir.below(folder)? {
        Some(folder) => folder.read(file, LONGEST_REF)?,
        None => None,
    };
    if let Some(content) = loose {
        let text = str::from_utf8(&content).map_err(|_| broken())?.trim_end();
        if text.starts_with("ref:") {
            return Err(WorkplaceError::SymbolicRef(name.to_owned()));
        }
        return object_id(text).map(Some).ok_or_else(broken);
    }
    let packed = git_dir.read("packed-refs", LARGEST_PACKED)?.unwrap_or_default();
    for line in packed.split(|byte| *byte == b'\n') {
        let Ok(line) = str::from_utf8(line) else { continue };
        if let Some((id, found)) = line.split_once(' ')
            && found == name
        {
            return object_id(id).map(Some).ok_or_else(broken);
        }
    }
    Ok(None)
}

/// Sets a ref of the workplace, whatever is there now.
pub(super) fn write(git_dir: &UntrustedDir, name: &str, target: ObjectId) -> Result<(), WorkplaceError> {
    let (folder, file) = name.rsplit_once('/').ok_or_else(|| WorkplaceError::BrokenRef(name.to_owned()))?;
    Ok(git_dir.make_below(folder)?.write(file, format!("{target}\n").as_bytes())?)
}
