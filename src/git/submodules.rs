//! Submodules, which the installed git checks out.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::{Args, Environment, Git, GitError, ObjectId};

/// A submodule of a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Submodule {
    /// Its name, which leads nowhere but below the directory to which it is joined.
    name: String,
    /// Its directory, relative to the top of the work tree.
    pub(crate) path: PathBuf,
}

impl Submodule {
    /// `None` if the name cannot be that of a directory below `modules`: a commit can name a submodule `/home/ada/other/.git`.
    fn new(name: &str, path: PathBuf) -> Option<Self> {
        let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        // A setting for one command has the form `key=value`.
        let is_usable = !name.is_empty() && !name.contains('=') && is_below;
        if is_usable { Some(Self { name: name.to_owned(), path }) } else { None }
    }

    /// Its git directory, below those of all submodules.
    pub(crate) fn git_dir_in(&self, modules: &Path) -> PathBuf {
        modules.join(&self.name)
    }
}

impl Git {
    /// The submodules of the work tree: what both its index and its `.gitmodules` name.
    pub(crate) fn submodules(&self) -> Result<Vec<Submodule>, GitError> {
        let Some(file) = self.work_dir.as_ref().map(|top| top.join(".gitmodules")) else { return Ok(vec![]) };
        if !file.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(vec![]);
        }
        let args = Args::new(&["config", "--null", "--no-includes"]).with("--file=", file.display());
        let named = match self.run(args.options(&["--get-regexp"]).value(r"^submodule\..*\.path$")) {
            Err(GitError::Failed { code: Some(1), .. }) => return Ok(vec![]),
            named => parse(&named?),
        };
        let listed = Args::new(&["ls-files", "-z", "--stage"]);
        let listed = self.run(named.iter().fold(listed, |args, submodule| args.path(&submodule.path)))?;
        let links: Vec<&[u8]> = listed.split(|byte| *byte == 0).filter_map(link).collect();
        Ok(named.into_iter().filter(|found| links.contains(&found.path.as_os_str().as_bytes())).collect())
    }

    /// Checks out a submodule from a repository on this machine. No other address is contacted, whatever the
    /// configuration says. If `is_copied`, no object is a hard link to one of the source.
    pub(crate) fn check_out_submodule(
        &self,
        submodule: &Submodule,
        source: &Path,
        is_copied: bool,
    ) -> Result<(), GitError> {
        self.run(Args::new(&["submodule", "--quiet", "init"]).path(&submodule.path))?;
        let args = Args::new(&["submodule", "--quiet", "update", "--checkout"]);
        let path = source.display().to_string();
        // git makes hard links if a repository is named by its path.
        let url = if is_copied { format!("file://{}", path.replace('%', "%25")) } else { path };
        let args = args.set_of("submodule", &submodule.name, "url", url);
        let mut command = self.command(args.path(&submodule.path));
        command.env("GIT_ALLOW_PROTOCOL", "file");
        super::process::feed(command, &[]).map(drop)
    }

    /// Whether the submodule at a path is here, and its repository has a commit. Its git directory is in one of `modules`.
    pub(crate) fn submodule_has(
        &self,
        modules: &[PathBuf],
        path: &str,
        commit: ObjectId,
        environment: &Environment,
    ) -> Result<bool, GitError> {
        let here = self.submodules()?.into_iter().find(|submodule| submodule.path == Path::new(path));
        let Some(submodule) = here else { return Ok(false) };
        for git_dir in modules.iter().map(|modules| submodule.git_dir_in(modules)) {
            let git = Self::new(&git_dir, None).within(environment);
            if git_dir.join("HEAD").is_file() && git.commit_named(&commit.to_string())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Forgets a remote, with its settings and its remote-tracking refs.
    pub(crate) fn remove_remote(&self, name: &str) -> Result<(), GitError> {
        self.run(Args::new(&["remote", "remove"]).value(name)).map(drop)
    }

    /// The URL from which a submodule is fetched otherwise.
    pub(crate) fn submodule_url(&self, submodule: &Submodule) -> Result<Option<String>, GitError> {
        let key = format!("submodule.{}.url", submodule.name);
        match self.run(Args::new(&["config", "--get"]).value(key)) {
            Ok(url) => Ok(Some(String::from_utf8_lossy(&url).trim_end().to_owned())),
            Err(GitError::Failed { code: Some(1), .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Parses `submodule.<name>.path\n<path>\0` for each submodule.
fn parse(output: &[u8]) -> Vec<Submodule> {
    let entries = output.split(|byte| *byte == 0);
    let parsed = entries.filter_map(|entry| {
        let at = entry.iter().position(|byte| *byte == b'\n')?;
        let key = std::str::from_utf8(&entry[..at]).ok()?;
        let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
        Submodule::new(name, PathBuf::from(OsStr::from_bytes(&entry[at + 1..])))
    });
    parsed.collect()
}

/// The path in a line of `ls-files --stage`, if it is that of a submodule.
pub(super) fn link(line: &[u8]) -> Option<&[u8]> {
    let at = line.iter().position(|byte| *byte == b'\t')?;
    line.starts_with(b"160000 ").then(|| &line[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submodules_are_read_by_name_and_path() {
        let found = parse(
            b"submodule.a.b.path\nlib/a b\0submodule.x=y.path\nx\0submodule.../up.path\nup\0submodule./home/ada/.git.path\nx\0",
        );
        assert_eq!(found, [Submodule { name: "a.b".into(), path: "lib/a b".into() }]);
        assert_eq!(link(b"160000 aa 0\tlib/a b"), Some(b"lib/a b".as_slice()));
        assert_eq!(link(b"100644 aa 0\tlib/a"), None);
    }
}
