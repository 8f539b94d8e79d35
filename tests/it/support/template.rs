//! What many tests begin with. Each test process makes it once, and copies it: that takes a tenth of the time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{START, Sandbox};

/// The directory of a sandbox, and how far its clock went.
pub(crate) struct Template {
    root: PathBuf,
    now: i64,
}

impl Template {
    /// Runs `make` in a sandbox of its own, and keeps what that sandbox then holds under `name`.
    pub(crate) fn make<T>(name: &str, make: impl FnOnce(&Sandbox) -> T) -> (Self, T) {
        let sandbox = Sandbox::new();
        let made = make(&sandbox);
        let root = folder().join(name);
        copy(sandbox.root(), &root, (sandbox.root(), &root));
        (Self { root, now: sandbox.now() }, made)
    }

    /// Copies one of its directories into a new sandbox.
    pub(super) fn copy(&self, from: &str, sandbox: &Sandbox, to: &str) {
        let (from, to) = (self.root.join(from), sandbox.root().join(to));
        copy(&from, &to, (&from, &to));
        sandbox.advance(self.now - START);
    }

    /// A sandbox with all of it, whose path takes the place of its own.
    pub(crate) fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::new();
        copy(&self.root, sandbox.root(), (&self.root, sandbox.root()));
        sandbox.advance(self.now - START);
        sandbox
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
