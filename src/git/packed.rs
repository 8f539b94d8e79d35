//! What is in the packs of a directory of objects, without the directories that it names.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use gix::objs::{CommitRef, Kind, TagRef, TreeRef};

use super::loose::Loose;
use super::{GitError, ObjectId, Repository};

impl Repository {
    /// The objects in the packs of the directory `objects`.
    pub(crate) fn packed_in(&self, objects: &Path) -> Result<Vec<ObjectId>, GitError> {
        let folder = objects.join("pack");
        let mut found = Vec::new();
        for entry in folder.read_dir().map_err(GitError::io(&folder))? {
            let path = entry.map_err(GitError::io(&folder))?.path();
            if path.extension() == Some(OsStr::new("idx")) {
                let failed = GitError::object("cannot read a pack");
                let index = gix_pack::index::File::at(&path, self.hash_kind());
                let index = index.map_err(|error| failed(gix::Error::from_error(error)))?;
                found.extend(index.iter().map(|entry| entry.oid));
            }
        }
        Ok(found)
    }

    /// How many bytes these objects have once they are unpacked. None of them is unpacked for that.
    pub(crate) fn unpacked_size(&self, ids: &[ObjectId]) -> Result<u64, GitError> {
        let mut size = 0_u64;
        for id in ids {
            let header = self.header(*id).map_err(GitError::object("cannot read an object"))?;
            size = size.saturating_add(header.size);
        }
        Ok(size)
    }

    /// The objects of `within` that `from`, one of them, leads to.
    pub(crate) fn reachable(&self, from: ObjectId, within: &[ObjectId]) -> Result<Vec<ObjectId>, GitError> {
        let failed = GitError::object("cannot read an object");
        let mut left: BTreeSet<ObjectId> = within.iter().copied().collect();
        let (mut found, mut open) = (Vec::new(), vec![from]);
        while let Some(id) = open.pop() {
            if !left.remove(&id) {
                continue;
            }
            found.push(id);
            let object = self.object(id).map_err(&failed)?;
            let hash = self.hash_kind();
            match object.kind {
                Kind::Blob => {}
                Kind::Tree => {
                    let tree = TreeRef::from_bytes(&object.data, hash);
                    let tree = tree.map_err(|error| failed(gix::Error::from_error(error)))?;
                    open.extend(tree.entries.iter().map(|entry| entry.oid.to_owned()));
                }
                Kind::Commit => {
                    let commit = CommitRef::from_bytes(&object.data, hash);
                    let commit = commit.map_err(|error| failed(gix::Error::from_error(error)))?;
                    open.push(commit.tree());
                    open.extend(commit.parents());
                }
                Kind::Tag => {
                    let tag = TagRef::from_bytes(&object.data, hash);
                    open.push(tag.map_err(|error| failed(gix::Error::from_error(error)))?.target());
                }
            }
        }
        Ok(found)
    }

    /// Copies objects that `from` has, each to a file of its own.
    pub(crate) fn take_objects(&self, from: &Self, ids: &[ObjectId]) -> Result<(), GitError> {
        let mut loose = Loose::new(self);
        for id in ids {
            let object = from.object(*id).map_err(GitError::object("cannot read an object"))?;
            loose.write(self.objects_dir(), *id, object.kind, &object.data)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::git::{Git, Kind, ObjectId, Repository, SealedGit};

    #[test]
    fn a_hand_in_is_as_large_as_what_is_packed_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let [lender, copies, sealed] = ["lender", "copies", "sealed"].map(|name| folder.path().join(name));
        let users = Repository::init_bare(&lender);
        let hash = users.hash_kind();
        let copies = SealedGit::create(&copies, None, hash, &lender).unwrap();
        let ids = [1_000_000, 500].map(|size| {
            let git = Git::new(copies.folder(), None);
            let id = git.run_with(&["hash-object", "-w", "--stdin"], &vec![b'0'; size]).unwrap();
            ObjectId::from_hex(id.trim_ascii()).unwrap()
        });
        let sealed = SealedGit::create(&sealed, None, hash, &lender).unwrap();
        copies.hand_over(&ids, &[], &sealed, 1 << 20).unwrap();
        let mut packed = users.packed_in(&sealed.objects()).unwrap();
        packed.sort_by_key(|id| *id == ids[1]);
        assert_eq!(packed, ids);
        let seeing = users.seeing(&sealed.objects()).unwrap();
        assert_eq!(seeing.unpacked_size(&packed).unwrap(), 1_000_500);
        assert!(!users.has_object(ids[1]));
        users.take_objects(&seeing, &packed).unwrap();
        let users = Repository::open_isolated(&lender);
        assert_eq!(users.object(ids[1]).unwrap().data, [b'0'; 500]);
        assert_eq!(users.object(ids[0]).unwrap().kind, Kind::Blob);
    }
}
