//! Clones that borrow the objects of this repository.

use std::fs;
use std::path::Path;

use super::sealed::alternates;
use super::{Args, Environment, Git, GitError, HashKind, ObjectId, Repository};

impl Git {
    /// Makes a repository in `folder`, which also sees the objects in the directory `borrowed`. It has no hooks and no files.
    pub(crate) fn init_borrowing(
        folder: &Path,
        hash: HashKind,
        borrowed: &Path,
        environment: &Environment,
    ) -> Result<Self, GitError> {
        let git_dir = folder.join(".git");
        let git = Self::new(&git_dir, Some(folder)).within(environment);
        let args = Args::new(&["init", "--quiet", "--template="])
            .with("--object-format=", hash)
            .set("init.defaultRefFormat", "files");
        git.run(args)?;
        for inner in ["hooks", "info", "objects/info"].map(|inner| git_dir.join(inner)) {
            fs::create_dir_all(&inner).map_err(GitError::io(&inner))?;
        }
        let path = git_dir.join("objects/info/alternates");
        fs::write(&path, alternates(borrowed)?).map_err(GitError::io(&path))?;
        Ok(git)
    }

    /// Fills an empty work tree with the files of HEAD. No hook runs. Git LFS finds its files in the directory `large`.
    pub(crate) fn fill_work_tree(&self, large: &Path) -> Result<(), GitError> {
        let args = Args::new(&["read-tree", "-m", "-u"]).set("lfs.storage", large.display());
        self.run(args.value("HEAD")).map(drop)
    }

    /// Keeps objects by refs below `prefix`, which ends in a slash; each is named after its object.
    pub(crate) fn keep_objects(
        &self,
        prefix: &str,
        ids: impl IntoIterator<Item = ObjectId>,
    ) -> Result<(), GitError> {
        let updates: String = ids.into_iter().map(|id| format!("update {prefix}{id} {id}\n")).collect();
        self.run_with(&["update-ref", "--no-deref", "--stdin"], updates.as_bytes()).map(drop)
    }

    /// Deletes refs, wherever they are.
    pub(crate) fn delete_refs<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), GitError> {
        let updates: String = names.into_iter().map(|name| format!("delete {name}\n")).collect();
        self.run_with(&["update-ref", "--no-deref", "--stdin"], updates.as_bytes()).map(drop)
    }
}

impl Repository {
    /// The symbolic refs whose names begin with `prefix`, which ends in a slash, each with the name of its target.
    pub(crate) fn symbolic_targets_under(&self, prefix: &str) -> Result<Vec<(String, String)>, GitError> {
        let failed = GitError::object("cannot read the references");
        let all = self.gix.references().map_err(&failed)?;
        let found = all.prefixed(prefix).map_err(&failed)?.filter_map(Result::ok);
        Ok(found
            .filter_map(|reference| {
                let target = reference.target().try_name()?.as_bstr().to_string();
                Some((reference.name().as_bstr().to_string(), target))
            })
            .collect())
    }
}
