//! The files of a repository that say which programs git starts: its settings and its hooks. While agents are at work,
//! they must not change. Changed files are restored before git starts again, and without git: these files are read and
//! written as bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pipes;
use super::raw::{self, RawContent};

/// The settings of the repository.
const CONFIG: &str = "config";
/// The settings of one worktree.
const OF_WORKTREE: &str = "config.worktree";
/// The directory of the hooks, which can be a link to another one.
const HOOKS: &str = "hooks";
/// Files in the common git directory by which git finds programs, or takes other commits for parents.
const FILES: &[&str] = &[CONFIG, OF_WORKTREE, HOOKS, "info/attributes", "info/grafts"];
/// What is checked out.
const HEAD: &str = "HEAD";
/// A HEAD is never longer, in bytes.
const LONGEST_HEAD: u64 = 8 * 1024;
/// A hook that git does not run.
const SAMPLE: &str = ".sample";

/// The files as they were.
#[derive(Debug)]
pub(crate) struct KeptSettings {
    common: PathBuf,
    /// Where copies of replaced files are kept.
    changed: PathBuf,
    state: Mutex<State>,
}

/// Something that was not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PutBack {
    /// In words.
    pub(crate) what: String,
    /// Whether it is as it was.
    pub(crate) is_done: bool,
}

#[derive(Debug, Default)]
struct State {
    /// Files by their paths in the common git directory; `None` for one that must not be there.
    kept: BTreeMap<PathBuf, Option<RawContent>>,
    /// How they looked last.
    looks: Looks,
    /// The settings of worktrees that were made since, by the directories of their files.
    made: BTreeMap<PathBuf, PathBuf>,
    /// Links to devices that were there before the agents.
    devices: BTreeSet<PathBuf>,
    /// Every HEAD as it was last seen.
    heads: BTreeMap<PathBuf, RawContent>,
    restored: Vec<PutBack>,
}

type Looks = BTreeMap<PathBuf, Option<[i64; 7]>>;

impl KeptSettings {
    /// Reads the files of the repository with this common git directory. Copies of files that are replaced later go to
    /// `changed`.
    pub(crate) fn of(common: &Path, changed: &Path) -> Self {
        let kept = Self { common: common.to_owned(), changed: changed.to_owned(), state: Mutex::default() };
        let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
        let linked = linked.map(|it| Path::new("worktrees").join(it.file_name()).join(OF_WORKTREE));
        let names: Vec<PathBuf> = FILES.iter().map(PathBuf::from).chain(kept.hooks()).chain(linked).collect();
        let mut state = kept.state();
        state.kept = names.into_iter().map(|name| (name.clone(), kept.read(&name))).collect();
        state.looks = kept.looks(&state);
        state.devices = pipes::in_git_dir(common).into_iter().collect();
        kept.see_heads(&mut state);
        drop(state);
        kept
    }

    /// Also keeps the settings of a new worktree, with this git directory and with its files in `folder`, as they are now.
    pub(crate) fn keep_worktree(&self, git_dir: &Path, folder: &Path) {
        let Ok(own) = git_dir.strip_prefix(&self.common) else { return };
        let name = own.join(OF_WORKTREE);
        let mut state = self.state();
        state.kept.insert(name.clone(), self.read(&name));
        let look = look(&self.common.join(&name));
        state.looks.insert(name.clone(), look);
        state.made.insert(folder.to_owned(), name);
    }

    /// No longer keeps the settings of such a worktree, since it was removed: otherwise git would start ever more slowly.
    pub(crate) fn forget_worktree(&self, folder: &Path) {
        let mut state = self.state();
        if let Some(name) = state.made.remove(folder) {
            state.kept.remove(&name);
            state.looks.remove(&name);
        }
    }

    /// Accepts the current settings of the repository as the intended ones.
    pub(super) fn know_config(&self) {
        let now = self.read(Path::new(CONFIG));
        self.state().kept.insert(CONFIG.into(), now);
    }

    /// Restores whatever has changed. Returns whether everything is as it should be.
    pub(crate) fn put_back(&self) -> bool {
        let mut state = self.state();
        let mut all = self.remove_pipes(&mut state);
        let looks = self.looks(&state);
        if looks == state.looks {
            return all;
        }
        // Hooks in a link are not those of the repository.
        let new: Vec<PathBuf> = self.hooks().filter(|name| !state.kept.contains_key(name)).collect();
        let names: BTreeSet<PathBuf> = state.kept.keys().cloned().chain(new).collect();
        for name in names {
            let was = state.kept.get(&name).cloned().flatten();
            let now = self.read(&name);
            let is_gone = !self.common.join(&name).parent().is_some_and(Path::is_dir);
            if was == now || (is_gone && name.starts_with("worktrees")) {
                continue;
            }
            if let (Some(was), Some(now)) = (&was, &now)
                && (name == Path::new(CONFIG) && was.kind == now.kind)
                && is_harmless(&was.bytes, &now.bytes)
            {
                continue;
            }
            let restored = self.put_one_back(&name, was.as_ref(), now.as_ref());
            all &= restored.is_done;
            state.restored.push(restored);
        }
        // What could not be restored is tried again.
        if all {
            state.looks = self.looks(&state);
        }
        all
    }

    /// Removes the pipes for which git would wait, with a HEAD in their place if it was one. Returns whether none is left.
    fn remove_pipes(&self, state: &mut State) -> bool {
        let mut all = true;
        let pipes = pipes::in_git_dir(&self.common);
        for name in pipes.into_iter().filter(|name| !state.devices.contains(name)) {
            let removed = pipes::remove(&self.common.join(&name));
            let done = removed.and_then(|()| match state.heads.get(&name) {
                Some(head) => raw::write(&self.common, &name, head),
                None => Ok(()),
            });
            let what = format!("the file {} of the git directory was replaced by a pipe", name.display());
            all &= done.is_ok();
            state.restored.push(PutBack { what, is_done: done.is_ok() });
        }
        self.see_heads(state);
        all
    }

    /// Remembers what is checked out. Others may check out something else at any time.
    fn see_heads(&self, state: &mut State) {
        let linked = fs::read_dir(self.common.join("worktrees")).into_iter().flatten().flatten();
        let linked = linked.map(|it| Path::new("worktrees").join(it.file_name()).join(HEAD));
        let is_short = |name: &PathBuf| {
            self.common.join(name).symlink_metadata().is_ok_and(|found| found.len() <= LONGEST_HEAD)
        };
        let names = std::iter::once(PathBuf::from(HEAD)).chain(linked).filter(is_short);
        state.heads = names.filter_map(|name| Some((name.clone(), self.read(&name)?))).collect();
    }

    fn put_one_back(&self, name: &Path, was: Option<&RawContent>, now: Option<&RawContent>) -> PutBack {
        let mut what = format!("the file {} of the git directory was changed", name.display());
        if let Some(copy) = now.and_then(|now| self.copy(name, now)) {
            what.push_str(&format!(" (a copy of what it became is {})", copy.display()));
        }
        let done = match was {
            Some(was) => raw::write(&self.common, name, was),
            None => raw::remove(&self.common, name),
        };
        PutBack { what, is_done: done.is_ok() }
    }

    /// Keeps a copy that nobody runs.
    fn copy(&self, name: &Path, became: &RawContent) -> Option<PathBuf> {
        let flat = name.to_string_lossy().replace('/', "-");
        let path = (1..1000)
            .map(|n| self.changed.join(format!("{flat}.{n}")))
            .find(|path| path.symlink_metadata().is_err())?;
        fs::create_dir_all(&self.changed).ok()?;
        fs::write(&path, &became.bytes).ok()?;
        Some(path)
    }

    /// The settings restored since the last call.
    pub(crate) fn take_restored(&self) -> Vec<PutBack> {
        std::mem::take(&mut self.state().restored)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, name: &Path) -> Option<RawContent> {
        raw::read(&self.common, name).ok()
    }

    /// The hooks, by their paths in the common git directory.
    fn hooks(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.common.join(HOOKS);
        let is_own = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
        let names = is_own.then(|| fs::read_dir(&folder).ok()).flatten().into_iter().flatten().flatten();
        let names = names.map(|it| it.file_name()).filter(|name| !name.to_string_lossy().ends_with(SAMPLE));
        names.map(|name| Path::new(HOOKS).join(name))
    }

    fn looks(&self, state: &State) -> Looks {
        let names = state.kept.keys();
        names.map(|name| (name.clone(), look(&self.common.join(name)))).collect()
    }
}

/// The metadata of a file or a directory: it changes with its content, and with the names in it.
fn look(path: &Path) -> Option<[i64; 7]> {
    let found = path.symlink_metadata().ok()?;
    let (mode, size) = (i64::from(found.mode()), found.size().cast_signed());
    let ino = found.ino().cast_signed();
    Some([mode, size, ino, found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()])
}

/// A key of the settings: section, subsection and name.
type Key = (String, Option<String>, String);

/// Whether settings differ only in ways that name no program and redirect nothing: what git and its helpers write while
/// people work with branches and new remotes.
fn is_harmless(was: &[u8], now: &[u8]) -> bool {
    let (Some(was), Some(now)) = (values(was), values(now)) else { return false };
    let differ = |key: &&Key| was.get(*key) != now.get(*key);
    let had_remote =
        |of: &Option<String>| was.keys().any(|(section, own, _)| section == "remote" && own == of);
    was.keys().chain(now.keys()).filter(differ).all(|(section, of, name)| match section.as_str() {
        // The options of a merge can name a strategy, which is a program.
        "branch" => of.is_some() && name != "mergeoptions",
        "remote" => matches!(name.as_str(), "fetch" | "pushurl" | "tagopt" | "url") && !had_remote(of),
        "lfs" => matches!(name.as_str(), "access" | "locksverify" | "repositoryformatversion"),
        _ => false,
    })
}

/// All values by their keys; `None` if git cannot read them.
fn values(bytes: &[u8]) -> Option<BTreeMap<Key, Vec<String>>> {
    let metadata = gix::config::file::Metadata::from(gix::config::Source::Local);
    let file = gix::config::File::from_bytes_no_includes(bytes, metadata, Default::default()).ok()?;
    let mut found: BTreeMap<Key, Vec<String>> = BTreeMap::new();
    for section in file.sections() {
        let header = section.header();
        let of = header.subsection_name().map(ToString::to_string);
        let names: BTreeSet<String> = section.value_names().map(|name| name.to_string()).collect();
        for name in names {
            let values = section.values(&name).iter().map(ToString::to_string).collect::<Vec<_>>();
            let key = (header.name().to_string().to_lowercase(), of.clone(), name.to_lowercase());
            found.entry(key).or_default().extend(values);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repo() -> (tempfile::TempDir, KeptSettings) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["hooks", "info", "worktrees/one"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("config"), "[core]\n\tbare = false\n").unwrap();
        fs::write(folder.path().join("hooks/pre-push"), "mine").unwrap();
        let kept = KeptSettings::of(folder.path(), &folder.path().join("changed"));
        (folder, kept)
    }

    #[test]
    fn whatever_names_a_program_is_put_back_and_kept_beside() {
        let (folder, kept) = repo();
        let path = |name: &str| folder.path().join(name);
        let text = |name: &str| fs::read_to_string(path(name)).unwrap();
        assert!(kept.put_back() && kept.take_restored().is_empty());
        fs::write(path("config"), "[core]\n\tfsmonitor = evil\n").unwrap();
        fs::write(path("hooks/pre-push"), "evil").unwrap();
        fs::write(path("hooks/post-merge"), "evil").unwrap();
        fs::write(path("info/attributes"), "* filter=x").unwrap();
        fs::write(path("worktrees/one/config.worktree"), "[core]\n\tfsmonitor = evil\n").unwrap();
        assert!(kept.put_back());
        assert_eq!(
            (text("config"), text("hooks/pre-push")),
            ("[core]\n\tbare = false\n".into(), "mine".into())
        );
        for name in ["hooks/post-merge", "info/attributes", "worktrees/one/config.worktree"] {
            assert!(!path(name).exists(), "{name}");
        }
        let restored = kept.take_restored();
        assert!(restored.len() == 5 && restored.iter().all(|it| it.is_done), "{restored:?}");
        assert_eq!(text("changed/hooks-pre-push.1"), "evil");
        assert!(kept.put_back() && kept.take_restored().is_empty());
    }

    #[test]
    fn a_pipe_in_the_place_of_head_is_removed_and_head_put_back() {
        let (folder, kept) = repo();
        let (main, linked) = (folder.path().join("HEAD"), folder.path().join("worktrees/one/HEAD"));
        fs::write(&main, "ref: refs/heads/main\n").unwrap();
        fs::write(&linked, "ref: refs/heads/side\n").unwrap();
        assert!(kept.put_back());
        // Someone checks out another branch.
        fs::write(&main, "ref: refs/heads/other\n").unwrap();
        assert!(kept.put_back());
        let packed = folder.path().join("packed-refs");
        for path in [&main, &linked, &packed] {
            let _ = fs::remove_file(path);
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        }
        assert!(kept.put_back() && !packed.exists());
        assert_eq!(fs::read_to_string(&main).unwrap(), "ref: refs/heads/other\n");
        assert_eq!(fs::read_to_string(&linked).unwrap(), "ref: refs/heads/side\n");
        assert_eq!(kept.take_restored().len(), 3);
    }

    #[test]
    fn a_worktree_that_was_removed_is_forgotten() {
        let (folder, kept) = repo();
        let count = || kept.state().kept.len();
        let before = count();
        let own = folder.path().join("worktrees/two");
        fs::create_dir_all(&own).unwrap();
        kept.keep_worktree(&own, Path::new("/two"));
        fs::write(own.join("config.worktree"), "[core]\n\tfsmonitor = evil\n").unwrap();
        assert!(kept.put_back() && !own.join("config.worktree").exists());
        kept.forget_worktree(Path::new("/elsewhere"));
        assert_eq!(count(), before + 1);
        kept.forget_worktree(Path::new("/two"));
        assert_eq!(count(), before);
        assert!(kept.put_back());
    }

    #[test]
    fn no_link_takes_the_place_of_the_hooks() {
        let (folder, kept) = repo();
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("post-merge"), "theirs").unwrap();
        fs::remove_dir_all(folder.path().join("hooks")).unwrap();
        std::os::unix::fs::symlink(other.path(), folder.path().join("hooks")).unwrap();
        assert!(kept.put_back());
        assert_eq!(fs::read_to_string(folder.path().join("hooks/pre-push")).unwrap(), "mine");
        assert!(!folder.path().join("hooks").is_symlink());
        assert_eq!(fs::read_to_string(other.path().join("post-merge")).unwrap(), "theirs");
    }

    #[test]
    fn what_git_writes_for_branches_and_new_remotes_stays() {
        let was = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = /o\n";
        let with = |more: &str| is_harmless(was.as_bytes(), format!("{was}{more}").as_bytes());
        assert!(with("[branch \"a\"]\n\tremote = origin\n\tmerge = refs/heads/a\n"));
        assert!(with("[remote \"new\"]\n\turl = /n\n\tfetch = +refs/heads/*:refs/remotes/new/*\n"));
        assert!(with("[lfs]\n\trepositoryformatversion = 0\n"));
        for evil in [
            "[branch \"a\"]\n\tmergeOptions = -s evil\n",
            "[remote \"origin\"]\n\tpushurl = /evil\n",
            "[remote \"new\"]\n\treceivepack = evil\n",
            "[lfs \"customtransfer.x\"]\n\tpath = evil\n",
            "[filter \"x\"]\n\tclean = evil\n",
            "[include]\n\tpath = evil\n",
            "[CORE]\n\tSSHCommand = evil\n",
            "[core\n",
        ] {
            assert!(!with(evil), "{evil}");
        }
    }
}
