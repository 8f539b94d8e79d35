//! The files of the project itself, as they are checked out.

use bstr::{BStr, ByteSlice};

use super::error::StoreError;
use super::repo::Store;
use super::snapshot::Snapshot;
use crate::git::{EntryKind, ObjectId, trees};

/// The tree of the commit that is checked out.
pub(crate) struct CodeTree<'repo>(Snapshot<'repo>);

impl Store {
    /// The files of HEAD; `None` if there is no commit yet.
    pub(crate) fn code_tree(&self) -> Result<Option<CodeTree<'_>>, StoreError> {
        let Some(head) = self.head()? else { return Ok(None) };
        Ok(Snapshot::of_commit(&self.repo, head)?.map(CodeTree))
    }

    /// Whether there is a file or folder at this path of a commit, which may be no UTF-8.
    pub(crate) fn has_path(&self, commit: ObjectId, path: &BStr) -> Result<bool, StoreError> {
        let mut tree = self.code_tree_of(commit)?;
        let mut names = path.split_str("/").peekable();
        while let Some(name) = names.next() {
            tree = match trees::look_up(&self.repo, tree, name.as_bstr())? {
                Some(_) if names.peek().is_none() => return Ok(true),
                Some((inner, EntryKind::Tree)) => inner,
                _ => return Ok(false),
            };
        }
        Ok(false)
    }
}

impl CodeTree<'_> {
    /// Whether there is a file or folder at `path`, which begins at the root of the repository.
    pub(crate) fn has(&self, path: &str) -> Result<bool, StoreError> {
        let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
        let path = names.collect::<Vec<_>>().join("/");
        Ok(path.is_empty() || self.0.entry(&path)?.is_some())
    }

    /// The first symbolic link that a path in git's form leads through, or is, with the path that is meant; that is none if
    /// the link leads out of the repository.
    pub(crate) fn link_on(&self, path: &str) -> Result<Option<(String, Option<String>)>, StoreError> {
        for end in path.match_indices('/').map(|(at, _)| at).chain([path.len()]) {
            let (at, rest) = path.split_at(end);
            if let Some(target) = self.0.link(at)? {
                return Ok(Some((at.to_owned(), led(at, &target).map(|to| to + rest))));
            }
        }
        Ok(None)
    }
}

/// Where a link leads from the root of the repository.
fn led(at: &str, target: &str) -> Option<String> {
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
    use super::led;

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
            assert_eq!(led(at, target).as_deref(), to, "{at} {target}");
        }
    }
}
