//! The writes of a transaction. They are kept in memory up to a few megabytes; more go straight into a pack, so
//! memory does not grow with the work.

use std::collections::BTreeMap;

use crate::git::pack::PackWriter;
use crate::git::{Kind, ObjectId, Repository};
use crate::store::error::StoreError;

/// At most this many bytes are kept in memory; fewer in test builds, where more would take minutes.
const MOST_IN_MEMORY: usize = if cfg!(debug_assertions) { 1 << 20 } else { 8 << 20 };

/// Files by path, sorted by bytes.
pub(in crate::store) struct Pending<'repo> {
    /// Where large transactions write their pack; `None` if everything stays in memory.
    repo: Option<&'repo Repository>,
    files: BTreeMap<String, Held>,
    /// Bytes that are held in memory.
    size: usize,
    pack: Option<PackWriter>,
}

/// Where the bytes of a file are.
enum Held {
    InMemory(Vec<u8>),
    InPack(ObjectId),
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
        Self { repo: Some(repo), files: BTreeMap::new(), size: 0, pack: None }
    }

    /// No writes yet; everything stays in memory.
    pub(in crate::store) fn in_memory() -> Self {
        Self { repo: None, files: BTreeMap::new(), size: 0, pack: None }
    }

    pub(in crate::store) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(in crate::store) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
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
        match (self.files.get(path), &self.pack) {
            (Some(Held::InMemory(bytes)), _) => Ok(Some(bytes.clone())),
            (Some(Held::InPack(id)), Some(pack)) => Ok(pack.read(id)?),
            _ => Ok(None),
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
        let held = match &mut self.pack {
            Some(pack) => Held::InPack(pack.add(Kind::Blob, &bytes)?),
            None => {
                self.size += bytes.len();
                Held::InMemory(bytes)
            }
        };
        if let Some(Held::InMemory(before)) = self.files.insert(path, held) {
            self.size -= before.len();
        }
        if let Some(repo) = self.repo.filter(|_| self.size > MOST_IN_MEMORY) {
            self.spill(repo)?;
        }
        Ok(())
    }

    fn spill(&mut self, repo: &Repository) -> Result<(), StoreError> {
        let mut pack = PackWriter::create(repo)?;
        for held in self.files.values_mut() {
            if let Held::InMemory(bytes) = held {
                *held = Held::InPack(pack.add(Kind::Blob, bytes)?);
            }
        }
        self.size = 0;
        self.pack = Some(pack);
        Ok(())
    }

    /// The files that are held in memory.
    pub(in crate::store) fn into_memory(self) -> BTreeMap<String, Vec<u8>> {
        let in_memory = self.files.into_iter().filter_map(|(path, held)| match held {
            Held::InMemory(bytes) => Some((path, bytes)),
            Held::InPack(_) => None,
        });
        in_memory.collect()
    }

    /// All writes.
    pub(in crate::store) fn into_written(self) -> Written {
        match self.pack {
            None => Written::Few(self.into_memory()),
            Some(pack) => Written::Many(
                Box::new(pack),
                self.files
                    .into_iter()
                    .filter_map(|(path, held)| match held {
                        Held::InMemory(_) => None,
                        Held::InPack(id) => Some((path, id)),
                    })
                    .collect(),
            ),
        }
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
        let Written::Many(_, files) = pending.into_written() else { panic!("it is in memory") };
        assert_eq!(files.len(), 41);
    }
}
