//! A run in a repository in which nobody else works at the same time, as `wf.run.alone` promises. Then whatever changes
//! on the user's side was changed by an agent, and is restored to its state at the beginning of the run: the
//! configuration and the hooks, branches and tags, what is checked out, the index, and the files. The changed state is
//! kept on a branch. What cannot be kept is left as it is and reported.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::leftovers::{keep_commit_as, keep_tree};
use crate::git::raw::{self, FileStamp, RawContent};
use crate::git::{self, EntryKind, Git, GitError};
use crate::model::branch::{self, Branch};
use crate::model::code::Code;
use crate::model::id::RunId;
use crate::ops::Refusal;
use crate::rules::run::is_private_or_remote;
use crate::store::{ObjectId, Store, StoreError};

/// Files by their paths in the common git directory.
type Settings = BTreeMap<PathBuf, RawContent>;

/// Files in the common git directory that configure git here.
const SETTINGS: &[&str] = &["config", "config.worktree", "shallow"];
/// Directories that contain more of them.
const FOLDERS: &[&str] = &["hooks", "info"];
/// The directory on the branch that keeps changed files.
const KEPT_SETTINGS: &str = "dot-git";
/// How many files a record names.
const SHOWN: usize = 5;

/// The user's side of the repository when the run began.
pub(super) struct Alone {
    run: RunId,
    common: PathBuf,
    settings: Settings,
    refs: BTreeMap<String, ObjectId>,
    trees: Vec<Tree>,
}

/// Something that had changed.
pub(super) struct ChangedAlone {
    /// In words.
    pub(super) what: String,
    /// Whether it is as it was.
    pub(super) undone: bool,
}

/// A worktree of the user.
struct Tree {
    folder: PathBuf,
    git_dir: PathBuf,
    git: Git,
    /// The file HEAD.
    head: Vec<u8>,
    /// The staged entries, as git lists them.
    staged: Vec<u8>,
    /// The index file. Its bytes change whenever git looks at the files, without a change of meaning.
    index: Option<Vec<u8>>,
    /// All files that are not ignored.
    files: BTreeMap<PathBuf, Was>,
    /// Files that existed and are not in the index, ignored or not; a directory without such files is listed by name
    /// only.
    others: Vec<PathBuf>,
}

/// A file as it was.
struct Was {
    seen: FileStamp,
    kind: EntryKind,
    mode: u32,
    blob: ObjectId,
}

impl Was {
    fn content(&self, store: &Store) -> Result<RawContent, Refusal> {
        Ok(RawContent { kind: self.kind, mode: self.mode, bytes: store.repo().bytes_of(self.blob)? })
    }
}

/// The changed content of restored files, by their paths on the branch that keeps it.
type Kept = BTreeMap<PathBuf, (EntryKind, ObjectId)>;

impl Alone {
    /// Records the current state; `None` if others may work here.
    pub(super) fn of(
        store: &Store,
        run: &RunId,
        trees: &[(PathBuf, PathBuf)],
    ) -> Result<Option<Self>, Refusal> {
        if !store.config_bool("wf.run.alone", false)? {
            return Ok(None);
        }
        let common = store.common_dir();
        let trees = trees
            .iter()
            .map(|(folder, git_dir)| Tree::of(store, folder, git_dir))
            .collect::<Result<_, _>>()?;
        Ok(Some(Self { run: run.clone(), settings: settings(&common), common, refs: refs(store)?, trees }))
    }

    /// Puts back what is different now.
    pub(super) fn put_back(&self, store: &Store) -> Result<Vec<ChangedAlone>, Refusal> {
        // First of all, since git acts on these.
        let mut changed = self.put_settings_back(store)?;
        let now = refs(store)?;
        // New refs may be in the way of those that come back.
        for (name, new) in now.iter().filter(|(name, _)| !self.refs.contains_key(*name)) {
            let kept = self.keep(store, *new)?;
            let undone = store.git().put_back(name, Some(*new), None)?;
            changed
                .push(ChangedAlone { what: format!("`{}` was created{kept}", branch::short(name)), undone });
        }
        for (name, old) in &self.refs {
            let new = now.get(name).copied();
            if new != Some(*old) {
                let kept = new.map(|new| self.keep(store, new)).transpose()?.unwrap_or_default();
                let undone = match new {
                    None => store.git().bring_back(name, *old, &store.common_dir())?,
                    moved => store.git().put_back(name, moved, Some(*old))?,
                };
                changed.push(ChangedAlone {
                    what: format!("`{}` was moved or deleted{kept}", branch::short(name)),
                    undone,
                });
            }
        }
        for tree in &self.trees {
            changed.extend(tree.put_back(store, &self.run)?);
        }
        Ok(changed)
    }

    fn put_settings_back(&self, store: &Store) -> Result<Vec<ChangedAlone>, Refusal> {
        let now = settings(&self.common);
        let differ = |path: &&PathBuf| self.settings.get(*path) != now.get(*path);
        let mut names: Vec<&PathBuf> = self.settings.keys().chain(now.keys()).filter(differ).collect();
        names.sort();
        names.dedup();
        let mut kept = Kept::new();
        for name in names.iter().filter(|name| now.contains_key(**name)) {
            let became = &now[*name];
            let blob = store.repo().write_bytes(&became.bytes)?;
            kept.insert(Path::new(KEPT_SETTINGS).join(name), (became.kind, blob));
        }
        let mut changed = Vec::new();
        for name in names {
            let done = match self.settings.get(name) {
                Some(was) => raw::write(&self.common, name, was),
                None => raw::remove(&self.common, name),
            };
            let what = format!("the file {} of the git directory was changed", name.display());
            changed.push(ChangedAlone { what, undone: done.is_ok() });
        }
        // git works as before from here on.
        if !kept.is_empty() {
            let branch = keep_files(store, &store.git(), &self.run, &kept)?;
            let tell =
                |it: &mut ChangedAlone| it.what.push_str(&format!(" (the changed version is on `{branch}`)"));
            changed.iter_mut().for_each(tell);
        }
        Ok(changed)
    }

    /// Keeps a commit on a branch.
    fn keep(&self, store: &Store, commit: ObjectId) -> Result<String, Refusal> {
        if !store.repo().is_commit(commit) {
            return Ok(String::new());
        }
        match keep_commit_as(store, &format!("{}-{}", self.run, git::short(commit)), commit) {
            Ok(branch) => Ok(format!(" (the changed version is on `{branch}`)")),
            Err(stop) if stop.is_stop() => Err(stop),
            // What the user had matters more.
            Err(_) => Ok(String::new()),
        }
    }
}

/// The refs of the user, without those of runs, records and remotes.
fn refs(store: &Store) -> Result<BTreeMap<String, ObjectId>, Refusal> {
    let mut refs = store.repo().all_refs().map_err(StoreError::object("cannot read the references"))?;
    refs.retain(|name, _| {
        !is_private_or_remote(name)
            && !name.starts_with("refs/heads/wf/")
            && !name.starts_with("refs/wf/")
            && name != store.reference()
    });
    Ok(refs)
}

/// The files that configure git here, by their paths in the common git directory.
fn settings(common: &Path) -> Settings {
    let inside = |folder: &&str| {
        let names = fs::read_dir(common.join(folder)).into_iter().flatten().flatten();
        names.map(|it| Path::new(folder).join(it.file_name())).collect::<Vec<_>>()
    };
    let names = SETTINGS.iter().map(PathBuf::from).chain(FOLDERS.iter().flat_map(inside));
    // Garbage collection writes this file.
    let names = names.filter(|name| name != Path::new("info/refs"));
    names.filter_map(|name| Some((name.clone(), raw::read(common, &name).ok()?))).collect()
}

/// Keeps files on a branch.
fn keep_files(store: &Store, git: &Git, run: &RunId, files: &Kept) -> Result<Branch, Refusal> {
    keep_tree(store, git, run, store.repo().write_tree_of(files)?)
}

impl Tree {
    fn of(store: &Store, folder: &Path, git_dir: &Path) -> Result<Self, Refusal> {
        let git = store.git_of(git_dir, Some(folder));
        let mut files = BTreeMap::new();
        for path in git.files()? {
            // A file that cannot be copied is not restored.
            if let (Some(seen), Ok(content)) = (look(folder, &path), raw::read(folder, &path)) {
                let blob = store.repo().write_bytes(&content.bytes)?;
                files.insert(path, Was { seen, kind: content.kind, mode: content.mode, blob });
            }
        }
        Ok(Self {
            head: read_head(git_dir)?,
            staged: git.staged()?,
            index: fs::read(git_dir.join("index")).ok(),
            others: git.others()?,
            files,
            folder: folder.to_owned(),
            git_dir: git_dir.to_owned(),
            git,
        })
    }

    fn put_back(&self, store: &Store, run: &RunId) -> Result<Option<ChangedAlone>, Refusal> {
        let failed = |error: std::io::Error| {
            Refusal::new(Code::CannotWrite, format!("cannot write in {}: {error}", self.git_dir.display()))
                .hint("make sure that the directory is writable and the disk has space")
        };
        let staged = match self.git.staged() {
            // Ctrl-C ended git, so this says nothing about the index. Nothing is restored yet.
            Err(error @ GitError::Stopped { .. }) => return Err(StoreError::Git(error).into()),
            // An index that cannot be read was changed.
            staged => staged.ok(),
        };
        let mut what = vec![];
        if read_head(&self.git_dir).ok().as_ref() != Some(&self.head) {
            replace(&self.git_dir, "HEAD", &self.head).map_err(failed)?;
            what.push("what is checked out".to_owned());
        }
        if staged.as_ref() != Some(&self.staged)
            && let Some(index) = &self.index
        {
            replace(&self.git_dir, "index", index).map_err(failed)?;
            what.push("the index".to_owned());
        }
        let (files, undone) = self.put_files_back(store, run)?;
        what.extend(files);
        let said = || format!("the work tree {} changed: {}", self.folder.display(), what.join(", "));
        Ok((!what.is_empty()).then(|| ChangedAlone { what: said(), undone }))
    }

    /// What changed, and whether all of it was restored.
    fn put_files_back(&self, store: &Store, run: &RunId) -> Result<(Option<String>, bool), Refusal> {
        let is_new = |path: &PathBuf| {
            !self.files.contains_key(path)
                && !self.others.iter().any(|other| path.starts_with(other))
                && look(&self.folder, path).is_some()
        };
        let new: Vec<PathBuf> = self.git.files()?.into_iter().filter(is_new).collect();
        let changed =
            self.files.iter().filter(|(path, was)| look(&self.folder, path) != Some(was.seen.clone()));
        let mut kept = Kept::new();
        let (mut names, mut left) = (Vec::new(), Vec::new());
        let mut undo: Vec<(&Path, Option<RawContent>)> = Vec::new();
        for (path, was) in
            changed.map(|(path, was)| (path, Some(was))).chain(new.iter().map(|path| (path, None)))
        {
            let now = look(&self.folder, path).map(|_| raw::read(&self.folder, path));
            let old = was.map(|was| was.content(store)).transpose();
            match (now, old) {
                // The file was rewritten with the same content.
                (Some(Ok(now)), Ok(Some(old))) if now == old => continue,
                (Some(Ok(now)), Ok(old)) => {
                    kept.insert(path.clone(), (now.kind, store.repo().write_bytes(&now.bytes)?));
                    undo.push((path, old));
                }
                (None, Ok(old)) => undo.push((path, old)),
                // Without a copy it stays as it is.
                _ => left.push(path.display().to_string()),
            }
            names.push(path.display().to_string());
        }
        if names.is_empty() {
            return Ok((None, true));
        }
        let branch = match kept.is_empty() {
            true => None,
            false => Some(keep_files(store, &self.git, run, &kept)?),
        };
        // New files may be in the way of those that come back.
        undo.sort_by_key(|(_, old)| old.is_some());
        for (path, old) in undo {
            let done = match &old {
                Some(old) => raw::write(&self.folder, path, old),
                None => raw::remove(&self.folder, path),
            };
            if done.is_err() {
                left.push(path.display().to_string());
            }
        }
        let mut said = shown(&names);
        if let Some(branch) = branch {
            said.push_str(&format!(" (the changed versions are on `{branch}`)"));
        }
        if !left.is_empty() {
            said.push_str(&format!("; not put back: {}", shown(&left)));
        }
        Ok((Some(said), left.is_empty()))
    }
}

fn shown(names: &[String]) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let some = names[..names.len() - more].join(", ");
    if more > 0 { format!("{some} and {more} more") } else { some }
}

fn look(folder: &Path, path: &Path) -> Option<FileStamp> {
    raw::look(folder, path).ok().flatten()
}

fn read_head(git_dir: &Path) -> Result<Vec<u8>, Refusal> {
    fs::read(git_dir.join("HEAD")).map_err(|error| {
        Refusal::new(Code::CannotRead, format!("cannot read HEAD in {}: {error}", git_dir.display()))
            .hint("`git status` there shows whether git can read it")
    })
}

/// Replaces a file of git atomically.
fn replace(git_dir: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(git_dir)?;
    file.write_all(bytes)?;
    file.persist(git_dir.join(name)).map(drop).map_err(|error| error.error)
}
