//! Files of a work tree that are changed together. Symbolic links are followed only within the work tree.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

use super::SetupChange;
use crate::model::{Code, text_enum};
use crate::ops::Refusal;
use crate::rules::text_diff::{TextDiff, lines};

/// Larger files are neither instructions nor settings.
const LARGEST: u64 = 4 << 20;
/// A path with more symbolic links is assumed to be a cycle.
const MOST_LINKS: usize = 8;

text_enum!(
    /// What happened to a file.
    Change {
        /// It was made.
        Created = "created",
        /// Its text was changed.
        Changed = "changed",
        /// It was removed, since nothing else was left in it.
        Removed = "removed",
    }
);

/// A text before and after the change; `None` if the file does not exist.
#[derive(Debug)]
struct Edited {
    before: Option<String>,
    now: Option<String>,
}

impl Edited {
    /// The change as a unified diff.
    fn diff(&self, path: &str) -> String {
        let [before, now] = [&self.before, &self.now].map(|text| text.as_deref().unwrap_or_default());
        let [old, new] = [(&self.before, "a"), (&self.now, "b")].map(|(text, side)| match text {
            Some(_) => format!("{side}/{path}"),
            None => "/dev/null".to_owned(),
        });
        TextDiff::new(&lines(before), &lines(now)).unified(&old, &new)
    }
}

/// The files that were looked at, by their real path from the top of the work tree.
#[derive(Debug)]
pub(super) struct WorkFiles {
    top: PathBuf,
    files: BTreeMap<PathBuf, Edited>,
}

fn refused(path: impl AsRef<Path>, why: impl Display, hint: &str) -> Refusal {
    Refusal::new(Code::CannotEdit, format!("`{}` {why}", path.as_ref().display()))
        .hint(format!("{hint}; nothing was changed"))
}

fn unusable(path: impl AsRef<Path>, error: &io::Error) -> Refusal {
    refused(path, format!("cannot be used: {error}"), "make it readable and writable, or move it away")
}

/// The parts of a relative path; `None` for an absolute one.
fn parts(path: &Path) -> Option<VecDeque<OsString>> {
    let mut parts = VecDeque::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push_back(name.to_owned()),
            Component::ParentDir => parts.push_back("..".into()),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts)
}

impl WorkFiles {
    /// The files of this work tree.
    pub(super) fn at(top: &Path) -> Result<Self, Refusal> {
        let top = top.canonicalize().map_err(|error| unusable(top, &error))?;
        Ok(Self { top, files: BTreeMap::new() })
    }

    /// Whether there is anything at a path.
    pub(super) fn exists(&self, path: &str) -> bool {
        self.top.join(path).symlink_metadata().is_ok()
    }

    /// The path without symbolic links, from the top of the work tree. Its last parts need not exist.
    pub(super) fn real(&self, path: &str) -> Result<PathBuf, Refusal> {
        let outside = || refused(path, "leads out of the work tree", "replace the link with a file");
        let mut left = parts(Path::new(path)).ok_or_else(outside)?;
        let mut real = PathBuf::new();
        let mut links = 0;
        while let Some(part) = left.pop_front() {
            if part == ".." {
                if !real.pop() {
                    return Err(outside());
                }
                continue;
            }
            if part.eq_ignore_ascii_case(".git") {
                return Err(refused(path, "leads into git's own directory", "replace the link with a file"));
            }
            let here = real.join(&part);
            let Ok(target) = self.top.join(&here).read_link() else {
                real = here;
                continue;
            };
            links += 1;
            if links > MOST_LINKS {
                return Err(refused(path, "has too many symbolic links", "replace the link with a file"));
            }
            // An absolute link can still lead into the work tree.
            let (start, inner) = match target.strip_prefix(&self.top) {
                Ok(inner) => (PathBuf::new(), inner),
                Err(_) => (real, target.as_path()),
            };
            real = start;
            for part in parts(inner).ok_or_else(outside)?.into_iter().rev() {
                left.push_front(part);
            }
        }
        Ok(real)
    }

    /// The text that a file should have; `None` if it does not exist.
    pub(super) fn text(&mut self, path: &str) -> Result<Option<&str>, Refusal> {
        Ok(self.edited(path)?.now.as_deref())
    }

    /// Sets the text of a file; `None` removes it.
    pub(super) fn set(&mut self, path: &str, text: Option<String>) -> Result<(), Refusal> {
        self.edited(path)?.now = text;
        Ok(())
    }

    fn edited(&mut self, path: &str) -> Result<&mut Edited, Refusal> {
        let real = self.real(path)?;
        if !self.files.contains_key(&real) {
            let before = read(&self.top, &real)?;
            self.files.insert(real.clone(), Edited { now: before.clone(), before });
        }
        Ok(self.files.entry(real).or_insert(Edited { before: None, now: None }))
    }

    /// The files that differ, with their differences if requested.
    pub(super) fn changes(&self, with_diff: bool) -> Vec<SetupChange> {
        let mut changes = Vec::new();
        for (path, edited) in &self.files {
            let change = match (&edited.before, &edited.now) {
                (None, Some(_)) => Change::Created,
                (Some(_), None) => Change::Removed,
                (before, now) if before != now => Change::Changed,
                _ => continue,
            };
            let path = path.to_string_lossy().into_owned();
            let diff = with_diff.then(|| edited.diff(&path));
            changes.push(SetupChange { path, change, diff });
        }
        changes
    }

    /// Writes all changes, or none.
    pub(super) fn apply(&self) -> Result<(), Refusal> {
        let changed = || self.files.iter().filter(|(_, edited)| edited.before != edited.now);
        for (path, edited) in changed() {
            if read(&self.top, path)? != edited.before {
                return Err(refused(path, "was changed meanwhile", "run this again"));
            }
        }
        let mut made = Vec::new();
        let outcome = self.write(changed(), &mut made);
        if outcome.is_err() {
            for folder in made.iter().rev() {
                // One with files of someone else stays.
                let _ = fs::remove_dir(folder);
            }
            return outcome;
        }
        for (path, _) in changed().filter(|(_, edited)| edited.now.is_none()) {
            self.remove_empty_above(path);
        }
        Ok(())
    }

    fn write<'a>(
        &self,
        changed: impl Iterator<Item = (&'a PathBuf, &'a Edited)> + Clone,
        made: &mut Vec<PathBuf>,
    ) -> Result<(), Refusal> {
        let mut ready = Vec::new();
        for (path, edited) in changed {
            let place = self.top.join(path);
            let file = match &edited.now {
                Some(text) => Some(prepared(&place, text, made).map_err(|error| unusable(path, &error))?),
                None => None,
            };
            ready.push((path, place, edited, file));
        }
        let mut done: Vec<(PathBuf, Option<&str>)> = Vec::new();
        for (path, place, edited, file) in ready {
            let outcome = match file {
                Some(file) => file.persist(&place).map(drop).map_err(|error| error.error),
                None => fs::remove_file(&place),
            };
            if let Err(error) = outcome {
                for (place, before) in done.iter().rev() {
                    // Each of these was just written in the same way.
                    let _ = match before {
                        Some(text) => prepared(place, text, &mut vec![])
                            .and_then(|file| Ok(file.persist(place).map(drop)?)),
                        None => fs::remove_file(place),
                    };
                }
                return Err(unusable(path, &error));
            }
            done.push((place, edited.before.as_deref()));
        }
        Ok(())
    }

    /// Removes the directories above a removed file that are empty now.
    fn remove_empty_above(&self, path: &Path) {
        for folder in path.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty()) {
            if fs::remove_dir(self.top.join(folder)).is_err() {
                break;
            }
        }
    }
}

/// The text of a file, by its real path; `None` if it does not exist.
fn read(top: &Path, path: &Path) -> Result<Option<String>, Refusal> {
    let place = top.join(path);
    let about = match place.symlink_metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(refused(
                path,
                "cannot exist: a file has the name of its directory",
                "move that file away",
            ));
        }
        Err(error) => return Err(unusable(path, &error)),
    };
    if !about.is_file() {
        let what = if about.is_dir() { "is a directory" } else { "is not a regular file" };
        return Err(refused(path, what, "move it away"));
    }
    if about.len() > LARGEST {
        return Err(refused(path, format!("has more than {LARGEST} bytes"), "move it away"));
    }
    let bytes = fs::read(&place).map_err(|error| unusable(path, &error))?;
    let text =
        String::from_utf8(bytes).map_err(|_| refused(path, "is not UTF-8", "convert it, or move it away"))?;
    Ok(Some(text))
}

/// A new file beside `place` that can replace it; directories that are missing are made.
fn prepared(place: &Path, text: &str, made: &mut Vec<PathBuf>) -> io::Result<NamedTempFile> {
    let folder = place.parent().unwrap_or(place);
    let missing: Vec<&Path> = folder.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        made.push(folder.to_owned());
    }
    let mode = place.metadata().map(|about| about.permissions());
    // The umask restricts the mode of a new file.
    let usual = fs::Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().prefix(".git-wf-").permissions(usual).tempfile_in(folder)?;
    if let Ok(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_failure_in_the_middle_restores_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "old").unwrap();
        fs::write(at("b"), "old").unwrap();
        let mut work = WorkFiles::at(folder.path()).unwrap();
        for (path, text) in [("a", Some("new")), ("b", None), ("c/d", Some("new")), ("z", Some("new"))] {
            work.set(path, text.map(str::to_owned)).unwrap();
        }
        // Someone may create a directory meanwhile, and a directory cannot be replaced.
        fs::create_dir(at("z")).unwrap();
        assert!(work.apply().unwrap_err().message.contains("is a directory"));
        let refused = work.write(work.files.iter(), &mut vec![]).unwrap_err();
        assert!(refused.message.starts_with("`z` cannot be used"), "{}", refused.message);
        let text = |name: &str| fs::read_to_string(at(name)).unwrap();
        assert_eq!((text("a"), text("b")), ("old".into(), "old".into()));
        assert!(!at("c/d").exists() && at("z").is_dir());
        let left = at("c").read_dir().unwrap().count() + folder.path().read_dir().unwrap().count();
        assert_eq!(left, 4, "a, b, c and z");
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let mut work = WorkFiles::at(folder.path()).unwrap();
        work.set("a", Some("new".into())).unwrap();
        fs::write(folder.path().join("a"), "theirs").unwrap();
        assert!(work.apply().unwrap_err().message.contains("was changed meanwhile"));
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "theirs");
    }
}
