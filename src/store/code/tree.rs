//! The files of the project itself, as committed.

use bstr::{BStr, ByteSlice};

use crate::git::{EntryKind, ObjectId};
use crate::store::{Snapshot, Store, StoreError};

/// The tree of a commit of the project.
pub(crate) struct CodeTree<'repo>(Snapshot<'repo>);

impl Store {
    /// The files of HEAD; `None` if there is no commit yet.
    pub(crate) fn code_tree(&self) -> Result<Option<CodeTree<'_>>, StoreError> {
        let Some(head) = self.head()? else { return Ok(None) };
        Ok(Snapshot::of_commit(&self.repo, head)?.map(CodeTree))
    }

    /// Whether a commit has a file or directory at this path, which need not be UTF-8.
    pub(crate) fn has_path(&self, commit: ObjectId, path: &BStr) -> Result<bool, StoreError> {
        let mut tree = self.code_tree_of(commit)?;
        let mut names = path.split_str("/").peekable();
        while let Some(name) = names.next() {
            tree = match self.repo.look_up(tree, name.as_bstr())? {
                Some(_) if names.peek().is_none() => return Ok(true),
                Some((EntryKind::Tree, inner)) => inner,
                _ => return Ok(false),
            };
        }
        Ok(false)
    }
}

impl CodeTree<'_> {
    /// Whether there is a file or directory at `path`, relative to the root of the repository.
    pub(crate) fn has(&self, path: &str) -> Result<bool, StoreError> {
        let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
        let path = names.collect::<Vec<_>>().join("/");
        Ok(path.is_empty() || self.0.entry(&path)?.is_some())
    }

    /// Whether there is a file, and no directory, at `path` (as git writes paths).
    pub(crate) fn has_file(&self, path: &str) -> Result<bool, StoreError> {
        Ok(self.0.entry(path)?.is_some_and(|(_, kind)| kind != EntryKind::Tree))
    }

    /// The first symbolic link on the way to `path` (as git writes paths), or `path` itself if it is a link, together
    /// with the path that results. That path is `None` if the link leads out of the repository.
    pub(crate) fn link_on(&self, path: &str) -> Result<Option<(String, Option<String>)>, StoreError> {
        for end in path.match_indices('/').map(|(at, _)| at).chain([path.len()]) {
            let (at, rest) = path.split_at(end);
            if let Some(target) = self.0.link(at)? {
                return Ok(Some((at.to_owned(), resolved(at, &target).map(|to| to + rest))));
            }
        }
        Ok(None)
    }
}

/// Resolves the target of the link at `at`, relative to the root of the repository; `None` if it leads out of it.
fn resolved(at: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut names: Vec<&str> = at.split('/').collect();
    names.pop();
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn a_link_leads_from_its_folder() {
        for (at, target, to) in [
            ("link", "dir", Some("dir")),
            ("a/link", "dir/./x", Some("a/dir/x")),
            ("a/b/link", "../../dir/", Some("dir")),
            ("a/link", "../..", None),
            ("link", "..", None),
            ("link", "/etc", None),
            ("a/link", "..", None),
        ] {
            assert_eq!(resolved(at, target).as_deref(), to, "{at} {target}");
        }
    }
}
