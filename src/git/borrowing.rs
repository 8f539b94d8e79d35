//! Clones that borrow the objects of this repository.

use std::fs;
use std::path::Path;

use gix::fs::Capabilities;

use super::sealed::alternates;
use super::{Args, Environment, Git, GitError, HashKind, Repository};

/// The address of no server. `.lfsconfig` cannot override the setting that names it.
const NO_SERVER: &str = "file:///dev/null";
/// The directories of a new repository.
const DIRECTORIES: [&str; 6] = ["hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"];

impl Git {
    /// Makes a repository in `folder`, which also sees the objects in the directory `borrowed`. It has no hooks and no files.
    pub(crate) fn init_borrowing(
        folder: &Path,
        hash: HashKind,
        borrowed: &Path,
        environment: &Environment,
    ) -> Result<Self, GitError> {
        let git_dir = folder.join(".git");
        for inner in DIRECTORIES.map(|inner| git_dir.join(inner)) {
            fs::create_dir_all(&inner).map_err(GitError::io(&inner))?;
        }
        let config = first_config(hash, &Capabilities::probe_dir(folder));
        for (name, content) in [
            ("HEAD", &b"ref: refs/heads/main\n"[..]),
            ("config", config.as_bytes()),
            ("objects/info/alternates", &alternates(borrowed)?),
        ] {
            let path = git_dir.join(name);
            fs::write(&path, content).map_err(GitError::io(&path))?;
        }
        Ok(Self::new(&git_dir, Some(folder)).within(environment))
    }

    /// Fills an empty work tree with the files of HEAD. No hook runs. Git LFS finds its files in the directory `large`.
    pub(crate) fn fill_work_tree(&self, large: &Path, is_users: bool) -> Result<(), GitError> {
        let mut args = Args::new(&["read-tree", "-m", "-u"]).set("lfs.storage", large.display());
        if !is_users {
            // A file of the commit can name the server of large files, so none is asked: what is not here stays a pointer.
            // `lfs.fetchexclude` would also make pointers of what is here.
            args = args.set("lfs.url", NO_SERVER).set("lfs.skipdownloaderrors", true);
        }
        self.run(args.value("HEAD")).map(drop)
    }
}

/// What `git init` writes into the configuration of a repository with files: what the file system can do.
fn first_config(hash: HashKind, system: &Capabilities) -> String {
    let version = u8::from(hash != HashKind::Sha1);
    let Capabilities { precompose_unicode, ignore_case, executable_bit, symlink } = *system;
    let mut config = format!(
        "[core]\n\trepositoryformatversion = {version}\n\tfilemode = {executable_bit}\n\tbare = false\n\
         \tlogallrefupdates = true\n"
    );
    if !symlink {
        config.push_str("\tsymlinks = false\n");
    }
    if ignore_case {
        config.push_str("\tignorecase = true\n");
    }
    if precompose_unicode {
        config.push_str("\tprecomposeunicode = true\n");
    }
    if hash != HashKind::Sha1 {
        config.push_str(&format!("[extensions]\n\tobjectformat = {hash}\n"));
    }
    config
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
