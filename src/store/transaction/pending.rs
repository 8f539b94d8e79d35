//! The writes of a transaction. They are kept in memory up to a few megabytes; more go straight into a pack, so
//! memory does not grow with the work.

use std::collections::BTreeMap;

use crate::git::{ObjectId, PackWriter, Repository};
use crate::store::StoreError;

/// How many bytes are held in memory before they go into the pack together. Test builds use less, since more would take
/// minutes.
const MOST_IN_MEMORY: usize = if cfg!(debug_assertions) { 1 << 20 } else { 8 << 20 };

/// Files by path, sorted by bytes.
pub(in crate::store) struct Pending<'repo> {
    /// Where large transactions write their pack; `None` if everything stays in memory.
    repo: Option<&'repo Repository>,
    /// The index of the last write of each file.
    files: BTreeMap<String, usize>,
    /// The blobs of the first writes, which are already in the pack.
    packed: Vec<ObjectId>,
    /// The bytes of later writes; `None` if the file was written again.
    held: Vec<Option<Vec<u8>>>,
    /// Bytes that are held in memory.
    size: usize,
    pack: Option<PackWriter>,
}

/// All writes of a finished transaction.
pub(in crate::store) enum Written {
    /// Few enough to be in memory.
    Few(BTreeMap<String, Vec<u8>>),
    /// All files are in the pack; paths sorted by bytes.
    Many(Box<PackWriter>, Vec<(String, ObjectId)>),
}

impl<'repo> Pending<'repo> {
    /// No writes yet.
    pub(in crate::store) fn new(repo: &'repo Repository) -> Self {
        Self { repo: Some(repo), ..Self::in_memory() }
    }

    /// No writes yet; everything stays in memory.
    pub(in crate::store) fn in_memory() -> Self {
        let (files, packed, held) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { repo: None, files, packed, held, size: 0, pack: None }
    }

    pub(in crate::store) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(in crate::store) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Whether a file in the directory at `path`, or below, was written.
    pub(in crate::store) fn has_below(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files.range(folder.clone()..).next().is_some_and(|(file, _)| file.starts_with(&folder))
    }

    /// All paths, sorted by bytes.
    pub(in crate::store) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Forgets the write of the file at `path`. A blob that is in the pack already stays there, without a name.
    pub(in crate::store) fn remove(&mut self, path: &str) {
        let number = self.files.remove(path);
        self.drop_held(number);
    }

    /// Two files, one of which would be inside the other as if that were a directory.
    pub(in crate::store) fn clash(&self) -> Option<(&str, &str)> {
        self.files.keys().find_map(|file| {
            let folder = format!("{file}/");
            let (inside, _) = self.files.range(folder.clone()..).next()?;
            inside.starts_with(&folder).then_some((file.as_str(), inside.as_str()))
        })
    }

    /// The bytes of the file at `path`, if it was written.
    pub(in crate::store) fn get(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(number) = self.files.get(path) else { return Ok(None) };
        match (self.packed.get(*number), &self.pack) {
            (Some(id), Some(pack)) => Ok(pack.read(id)?),
            _ => Ok(self.held.get(number - self.packed.len()).cloned().flatten()),
        }
    }

    /// The names in the directory at `path`, sorted by bytes; a name can occur more than once.
    pub(in crate::store) fn names<'a>(&'a self, path: &str) -> impl Iterator<Item = &'a str> {
        let folder = format!("{path}/");
        let length = folder.len();
        self.files.range(folder.clone()..).map(|(file, _)| file.as_str()).map_while(move |file| {
            file.starts_with(&folder).then(|| {
                let rest = &file[length..];
                rest.split_once('/').map_or(rest, |(name, _)| name)
            })
        })
    }

    /// Writes a file; an earlier write of the same path is replaced.
    pub(in crate::store) fn insert(&mut self, path: String, bytes: Vec<u8>) -> Result<(), StoreError> {
        let number = self.packed.len() + self.held.len();
        self.size += bytes.len();
        self.held.push(Some(bytes));
        let before = self.files.insert(path, number);
        self.drop_held(before);
        if self.size > MOST_IN_MEMORY
            && let Some(repo) = self.repo
        {
            self.spill(repo)?;
        }
        Ok(())
    }

    /// Drops the bytes of a write, if they are held in memory.
    fn drop_held(&mut self, number: Option<usize>) {
        let at = number.and_then(|number| number.checked_sub(self.packed.len()));
        if let Some(bytes) = at.and_then(|at| self.held.get_mut(at)).and_then(Option::take) {
            self.size -= bytes.len();
        }
    }

    /// Moves the writes held in memory into the pack.
    fn spill(&mut self, repo: &Repository) -> Result<(), StoreError> {
        let pack = match &mut self.pack {
            Some(pack) => pack,
            none => none.insert(PackWriter::create(repo)?),
        };
        let held = std::mem::take(&mut self.held);
        let is_held: Vec<bool> = held.iter().map(Option::is_some).collect();
        let mut ids = pack.add_blobs(held.into_iter().flatten().collect())?.into_iter();
        let nothing = ObjectId::null(repo.hash_kind());
        self.packed.extend(is_held.iter().map(|is_held| {
            let id = if *is_held { ids.next() } else { None };
            id.unwrap_or(nothing)
        }));
        self.size = 0;
        Ok(())
    }

    /// The files that are held in memory.
    pub(in crate::store) fn into_memory(mut self) -> BTreeMap<String, Vec<u8>> {
        let packed = self.packed.len();
        let mut held = |number: usize| self.held.get_mut(number.checked_sub(packed)?)?.take();
        self.files.into_iter().filter_map(|(path, number)| Some((path, held(number)?))).collect()
    }

    /// All writes.
    pub(in crate::store) fn into_written(mut self) -> Result<Written, StoreError> {
        if let (Some(_), Some(repo)) = (&self.pack, self.repo) {
            self.spill(repo)?;
        }
        Ok(match self.pack {
            None => Written::Few(self.into_memory()),
            Some(pack) => {
                let files = self.files.into_iter().map(|(path, number)| (path, self.packed[number]));
                Written::Many(Box::new(pack), files.collect())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_into_a_pack_is_read_as_what_did_not() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let mut pending = Pending::new(&repo);
        let text = |n: usize| format!("{n:05}").repeat(8_000).into_bytes();
        for n in 0..80usize {
            // Every second write replaces the one before.
            assert_eq!(pending.pack.is_some(), n.div_ceil(2) * 40_000 > MOST_IN_MEMORY, "{n}");
            pending.insert(format!("a/{:02}/x", n / 2), text(n)).unwrap();
        }
        assert_eq!(pending.get("a/03/x").unwrap(), Some(text(7)));
        assert_eq!(pending.get("a/29/x").unwrap(), Some(text(59)));
        assert_eq!(pending.get("a/03").unwrap(), None);
        assert_eq!(pending.names("a").count(), 40);
        assert_eq!(pending.names("a/29").collect::<Vec<_>>(), ["x"]);
        assert_eq!(pending.clash(), None);
        pending.insert("a/03".into(), vec![]).unwrap();
        assert_eq!(pending.clash(), Some(("a/03", "a/03/x")));
        let Written::Many(_, files) = pending.into_written().unwrap() else { panic!("it is in memory") };
        assert_eq!(files.len(), 41);
        assert!(files.iter().all(|(_, id)| !id.is_null()));
    }
}
