//! Protects refs that change the meaning of all others, so that a run cannot wait until the end of a step to check
//! them: replace refs, and the file of all packed refs, without which git reads none of them.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::git::raw::{self, RawContent};
use crate::ops::Refusal;
use crate::store::{ObjectId, Store};

/// The directory of replace refs.
const REPLACE: &str = "refs/replace/";
/// The file of all packed refs.
const PACKED: &str = "packed-refs";

/// The replacement refs and `packed-refs` as they were.
#[derive(Debug)]
pub(super) struct KeptRefs {
    replaced: BTreeMap<String, ObjectId>,
    packed: Mutex<Packed>,
}

/// The packed refs when git could last read them.
#[derive(Debug, Default)]
struct Packed {
    look: Option<(u64, i64, i64)>,
    content: Option<RawContent>,
}

impl KeptRefs {
    pub(super) fn of(store: &Store) -> Result<Self, Refusal> {
        let kept = Self { replaced: replaced(store)?, packed: Mutex::default() };
        kept.put_packed_back(store);
        Ok(kept)
    }

    /// Restores them. Returns what was done, in words.
    pub(super) fn put_back(&self, store: &Store) -> Vec<String> {
        let mut messages: Vec<String> = self.put_packed_back(store).into_iter().collect();
        let Ok(now) = replaced(store) else { return messages };
        let git = store.git();
        for (name, new) in now.iter().filter(|(name, new)| self.replaced.get(*name) != Some(*new)) {
            let was = self.replaced.get(name).copied();
            if git.put_back(name, Some(*new), was).unwrap_or(false) {
                messages.push(format!("`{name}` was set to {new}"));
            }
        }
        for (name, old) in self.replaced.iter().filter(|(name, _)| !now.contains_key(*name)) {
            if git.put_back(name, None, Some(*old)).unwrap_or(false) {
                messages.push(format!("`{name}` was deleted at {old}"));
            }
        }
        messages
    }

    fn put_packed_back(&self, store: &Store) -> Option<String> {
        let common = store.common_dir();
        let mut packed = self.packed.lock().unwrap_or_else(PoisonError::into_inner);
        let look = |found: Metadata| (found.ino(), found.mtime(), found.mtime_nsec());
        let looked = fs::symlink_metadata(common.join(PACKED)).ok().map(look);
        if looked == packed.look {
            return None;
        }
        let now = raw::read(&common, Path::new(PACKED)).ok();
        // Nobody has packed any yet; or what was packed is looked for among all refs.
        let is_sound = looked.is_none() || now.as_ref().is_some_and(|now| is_sound(&now.bytes));
        let back = packed.content.clone().filter(|_| !is_sound);
        let Some(back) = back else {
            *packed = Packed { look: looked, content: now };
            return None;
        };
        raw::write(&common, Path::new(PACKED), &back).ok()?;
        packed.look = fs::symlink_metadata(common.join(PACKED)).ok().map(look);
        Some(format!("the file {PACKED} of the git directory was made unreadable"))
    }
}

fn replaced(store: &Store) -> Result<BTreeMap<String, ObjectId>, Refusal> {
    Ok(store.repo().refs_under(REPLACE).map_err(crate::store::StoreError::from)?.into_iter().collect())
}

/// Whether git can read these packed refs.
fn is_sound(bytes: &[u8]) -> bool {
    let is_id = |id: &[u8]| [40, 64].contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    bytes.is_empty()
        || bytes.ends_with(b"\n")
            && bytes[..bytes.len() - 1].split(|byte| *byte == b'\n').all(|line| match line {
                [b'#', ..] => true,
                [b'^', id @ ..] => is_id(id),
                _ => {
                    let space = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
                    is_id(&line[..space]) && line[space..].starts_with(b" refs/")
                }
            })
}

#[cfg(test)]
mod tests {
    use super::is_sound;

    #[test]
    fn packed_refs_are_lines_of_ids_and_names() {
        let id = "a".repeat(40);
        let sound = format!(
            "# pack-refs with: peeled fully-peeled sorted \n{id} refs/tags/v1\n^{id}\n{id} refs/heads/x\n"
        );
        assert!(is_sound(sound.as_bytes()) && is_sound(b""));
        for broken in
            ["x\n".to_owned(), format!("{id} refs/heads/x"), format!("{id}\n"), format!("{sound}\n")]
        {
            assert!(!is_sound(broken.as_bytes()), "{broken}");
        }
    }
}
