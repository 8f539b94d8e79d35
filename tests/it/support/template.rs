//! What many tests begin with. Each test process makes it once, and copies it: that takes a tenth of the time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::Sandbox;

/// The directory of a sandbox, and how far its clock went.
pub(super) struct Template {
    root: PathBuf,
    pub(super) now: i64,
}

impl Template {
    /// Runs `make` in a sandbox of its own, and keeps what that sandbox then holds under `name`.
    pub(super) fn make(name: &str, make: fn(&Sandbox)) -> Self {
        let sandbox = Sandbox::new();
        make(&sandbox);
        let root = folder().join(name);
        copy(sandbox.root(), &root, (sandbox.root(), &root));
        Self { root, now: sandbox.now() }
    }

    /// Copies one of its directories.
    pub(super) fn copy(&self, from: &str, to: &Path) {
        let from = self.root.join(from);
        copy(&from, to, (&from, to));
    }

    /// Copies all of it into the directory of another sandbox, whose path takes the place of its own.
    pub(super) fn copy_all(&self, sandbox: &Path) {
        copy(&self.root, sandbox, (&self.root, sandbox));
    }
}

/// The directory of the templates of this process. Those of processes that ended are removed.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<(PathBuf, File)> = OnceLock::new();
    let (folder, _) = FOLDER.get_or_init(|| {
        let all = Path::new(env!("CARGO_TARGET_TMPDIR"));
        for old in all.read_dir().unwrap().flatten().map(|entry| entry.path()) {
            let lock = File::open(old.join("lock"));
            if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                let _ = fs::remove_dir_all(old);
            }
        }
        let folder = tempfile::Builder::new().prefix("templates-").tempdir_in(all).unwrap().keep();
        let lock = File::create(folder.join("new")).unwrap();
        lock.lock().unwrap();
        fs::rename(folder.join("new"), folder.join("lock")).unwrap();
        (folder, lock)
    });
    folder
}

/// Copies a directory, with one path in its files replaced by another.
fn copy(from: &Path, to: &Path, path: (&Path, &Path)) {
    fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&from, &to, path);
        } else {
            fs::copy(&from, &to).unwrap();
            replace(&to, path);
        }
    }
}

fn replace(file: &Path, (from, to): (&Path, &Path)) {
    // Objects and indexes name no paths.
    let Ok(text) = fs::read_to_string(file) else { return };
    let from = from.to_str().unwrap();
    if text.contains(from) {
        fs::write(file, text.replace(from, to.to_str().unwrap())).unwrap();
    }
}
