//! Worktrees without files, for what needs a branch and a git directory of its own, and reads no file there.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use gix::index::entry::Flags;

use super::kept::has_only_git;
use super::{Git, GitError, ObjectId, RefUpdate, Repository, Signature};
use crate::model::Branch;

/// The file in the git directory of a worktree without files.
const MARK: &str = "wf/fileless";
/// As long as a worktree has this file, `git worktree prune` leaves it alone.
const LOCKED: &str = "locked";

impl Repository {
    /// Makes a worktree on `branch`, which is made at `commit` unless it exists.
    ///
    /// # Errors
    /// If the directory exists and is not empty, or if the branch is checked out elsewhere.
    pub(crate) fn add_fileless_worktree(
        &self,
        folder: &Path,
        branch: &Branch,
        commit: ObjectId,
        by: Signature,
    ) -> Result<(), GitError> {
        if self.checked_out()?.iter().any(|(taken, _)| taken == branch) {
            return Err(refused(folder, format!("`{branch}` is checked out in another worktree")));
        }
        fs::create_dir_all(folder).map_err(GitError::io(folder))?;
        let folder = folder.canonicalize().map_err(GitError::io(folder))?;
        if folder.read_dir().map_err(GitError::io(&folder))?.next().is_some() {
            return Err(refused(&folder, "it is not empty".to_owned()));
        }
        let git_dir = self.new_worktree_dir(&folder)?;
        self.set_up(&folder, &git_dir, branch, commit, by).inspect_err(|_| {
            // What is left is pruned later.
            let _ = fs::remove_dir_all(&git_dir);
        })
    }

    /// A new directory among those of the worktrees.
    fn new_worktree_dir(&self, folder: &Path) -> Result<PathBuf, GitError> {
        // As seen from another worktree, it leads through that one, which may be removed.
        let common = self.common_dir();
        let all = common.canonicalize().map_err(GitError::io(common))?.join("worktrees");
        let shared = self.shared_mode();
        shared.create_folder(&all).map_err(GitError::io(&all))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let numbered = (1u32..).map(|n| format!("{name}{n}"));
        for name in std::iter::once(name.clone()).chain(numbered) {
            let git_dir = all.join(name);
            match fs::create_dir(&git_dir) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(GitError::io(git_dir)(error)),
                Ok(()) => {
                    shared.adjust(&git_dir).map_err(GitError::io(&git_dir))?;
                    return Ok(git_dir);
                }
            }
        }
        Err(refused(folder, "there are too many worktrees".to_owned()))
    }

    fn set_up(
        &self,
        folder: &Path,
        git_dir: &Path,
        branch: &Branch,
        commit: ObjectId,
        by: Signature,
    ) -> Result<(), GitError> {
        let shared = self.shared_mode();
        let link = folder.join(".git");
        let inner = git_dir.join("wf");
        let write = |path: PathBuf, text: String| shared.write(&path, text).map_err(GitError::io(path));
        write(git_dir.join(LOCKED), "git-wf makes it\n".to_owned())?;
        write(git_dir.join("gitdir"), format!("{}\n", link.display()))?;
        write(git_dir.join("commondir"), "../..\n".to_owned())?;
        write(git_dir.join("HEAD"), format!("ref: {}\n", branch.as_str()))?;
        shared.create_folder(&inner).map_err(GitError::io(&inner))?;
        write(git_dir.join(MARK), String::new())?;
        if self.read_ref(branch.as_str())?.is_none() {
            let message = format!("branch: Created from {commit}");
            self.move_ref(
                RefUpdate { name: branch.as_str(), expected: None, new: commit, message, by },
                || Ok::<(), GitError>(()),
            )?;
        }
        self.write_fileless_index(git_dir, commit)?;
        write(link, format!("gitdir: {}\n", git_dir.display()))?;
        let locked = git_dir.join(LOCKED);
        fs::remove_file(&locked).map_err(GitError::io(locked))
    }

    /// Writes an index with all files of a commit, each marked as left out of the work tree: so git takes none for deleted.
    fn write_fileless_index(&self, git_dir: &Path, commit: ObjectId) -> Result<(), GitError> {
        let failed = GitError::object("cannot write the index of a worktree");
        let tree = self.tree_of(commit).map_err(&failed)?;
        let mut index = self.gix.index_from_tree(&tree).map_err(&failed)?;
        for entry in index.entries_mut() {
            entry.flags.insert(Flags::SKIP_WORKTREE | Flags::EXTENDED);
        }
        index.set_path(git_dir.join("index"));
        index.write(gix::index::write::Options::default()).map_err(failed)
    }

    /// Whether this is a worktree without files.
    pub(crate) fn is_fileless(&self) -> bool {
        self.git_dir().join(MARK).exists()
    }

    /// Moves the branch of this worktree, which `git` knows, from one commit to another, with its files if it has any. Returns false
    /// if the branch has left the first commit, or if an uncommitted change is in the way.
    pub(crate) fn move_checked_out(
        &self,
        git: &Git,
        branch: &Branch,
        from: ObjectId,
        to: ObjectId,
        by: Signature,
    ) -> Result<bool, GitError> {
        let (name, expected, message) = (branch.as_str(), Some(from), "wf: hand in".to_owned());
        let moved = self.move_ref(RefUpdate { name, expected, new: to, message, by }, || {
            if self.is_fileless() {
                self.write_fileless_index(&self.git_dir(), to).map_err(NotMoved::Failed)
            } else {
                git.update_files(from, to).map_err(NotMoved::InTheWay)
            }
        });
        match moved {
            Err(NotMoved::InTheWay(GitError::Failed { .. })) => Ok(false),
            Err(NotMoved::InTheWay(error) | NotMoved::Failed(error)) => Err(error),
            Ok(moved) => Ok(moved),
        }
    }

    /// Removes a worktree that git made or this program; false if something else is in its place.
    pub(crate) fn remove_own_worktree(&self, folder: &Path) -> Result<bool, GitError> {
        let link = folder.join(".git");
        let known = self.linked_worktrees()?.into_iter().find(|known| {
            let names = fs::read_to_string(known.git_dir().join("gitdir")).unwrap_or_default();
            let leads_back = fs::read_to_string(&link).unwrap_or_default();
            let leads_back = leads_back.trim_end().strip_prefix("gitdir: ").map(Path::new);
            is_same_place(Path::new(names.trim_end()), &link)
                && leads_back.is_some_and(|to| is_same_place(to, known.git_dir()))
        });
        let Some(known) = known else { return Ok(false) };
        for removed in [folder, known.git_dir()] {
            fs::remove_dir_all(removed).map_err(GitError::io(removed))?;
        }
        // As git does. It fails as long as there is another worktree.
        let _ = fs::remove_dir(self.common_dir().join("worktrees"));
        Ok(true)
    }
}

impl Git {
    /// Gives the worktree its files, if it was made without.
    pub(crate) fn fill_fileless(&self, repo: &Repository) -> Result<(), GitError> {
        let git_dir = repo.git_dir();
        let is_begun = !git_dir.join("index").exists();
        if !repo.is_fileless() || !(is_begun || self.work_dir.as_deref().is_some_and(has_only_git)) {
            return Ok(());
        }
        // The mark goes last, so that after a kill the worktree is filled again.
        let index = git_dir.join("index");
        match fs::remove_file(&index) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(GitError::io(index)(error)),
            _ => self.run(&["reset", "--quiet", "--hard"])?,
        };
        let mark = git_dir.join(MARK);
        fs::remove_file(&mark).map_err(GitError::io(mark))
    }
}

/// Why a branch was not moved.
enum NotMoved {
    /// git did not update the files.
    InTheWay(GitError),
    /// Something else failed.
    Failed(GitError),
}

impl From<GitError> for NotMoved {
    fn from(error: GitError) -> Self {
        Self::Failed(error)
    }
}

/// Whether two paths lead to the same place; false if one of them leads nowhere.
pub(crate) fn is_same_place(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn refused(folder: &Path, why: String) -> GitError {
    GitError::Failed { command: format!("worktree add {}", folder.display()), stderr: why, code: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Environment;

    fn said(git: &Git, words: &[&'static str]) -> String {
        String::from_utf8(git.run(words).unwrap()).unwrap().trim().to_owned()
    }

    #[test]
    fn git_takes_a_worktree_without_files_for_an_unchanged_one() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = (folder.path().join("main"), folder.path().join("trees/one"));
        fs::create_dir(&main).unwrap();
        let git = Git::new(main.join(".git"), Some(&main));
        for words in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "Ada"],
            &["config", "user.email", "ada@example.org"],
        ] {
            git.run(words).unwrap();
        }
        let commit = |text: &str| {
            fs::create_dir_all(main.join("src")).unwrap();
            fs::write(main.join("src/a.txt"), text).unwrap();
            git.run(&["add", "--all"]).unwrap();
            git.run(&["commit", "-q", "-m", "Write"]).unwrap();
            ObjectId::from_hex(said(&git, &["rev-parse", "HEAD"]).as_bytes()).unwrap()
        };
        let (one, two) = (commit("one\n"), commit("two\n"));
        let repo = Repository::discover(&main, &Environment::default()).unwrap();
        let by = || Signature { name: "Ada".into(), email: "a@example.org".into(), ..Signature::default() };
        let branch = Branch::of_short("work").unwrap();
        repo.add_fileless_worktree(&tree, &branch, one, by()).unwrap();
        assert!(repo.add_fileless_worktree(&folder.path().join("two"), &branch, one, by()).is_err());
        let there = Repository::discover(&tree, &Environment::default()).unwrap();
        let in_tree = Git::new(there.git_dir(), Some(&tree));
        let is_at = |commit: ObjectId| {
            assert_eq!(said(&in_tree, &["rev-parse", "HEAD"]), commit.to_string());
            assert_eq!(said(&in_tree, &["status", "--porcelain"]), "");
            assert_eq!(said(&in_tree, &["branch", "--show-current"]), "work");
        };
        is_at(one);
        assert!(there.is_fileless() && has_only_git(&tree));
        let moved = |from, to| there.move_checked_out(&in_tree, &branch, from, to, by()).unwrap();
        assert!(!moved(two, one) && moved(one, two));
        is_at(two);
        in_tree.fill_fileless(&there).unwrap();
        is_at(two);
        let text = || fs::read_to_string(tree.join("src/a.txt")).unwrap();
        assert_eq!(text(), "two\n");
        // What someone did there since it has files is not lost.
        assert!(!moved(one, two) && moved(two, one));
        is_at(one);
        assert_eq!(text(), "one\n");
        fs::write(tree.join("src/new.txt"), "new\n").unwrap();
        fs::write(tree.join("src/a.txt"), "mine\n").unwrap();
        assert!(!moved(one, two));
        assert_eq!((text().as_str(), said(&in_tree, &["rev-parse", "HEAD"])), ("mine\n", one.to_string()));
        fs::write(tree.join("src/a.txt"), "one\n").unwrap();
        assert!(moved(one, two) && tree.join("src/new.txt").exists());
        fs::remove_file(tree.join("src/new.txt")).unwrap();
        is_at(two);
        assert!(repo.remove_own_worktree(&tree).unwrap() && !tree.exists());
        assert!(!repo.remove_own_worktree(&main).unwrap() && main.exists());
        assert_eq!(said(&git, &["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    }
}
