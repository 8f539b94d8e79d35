//! What many tests begin with. Each test process makes it once, and copies it: that takes a tenth of the time.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Debug;
use std::fs::{self, File};
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::store_writer::Claim;
use super::{START, Sandbox};

/// How the names of the directories of templates begin.
const PREFIX: &str = "git-wf-templates-";

/// A sandbox that is copied, and what the function that filled it returned.
struct Template {
    sandbox: Sandbox,
    made: Box<dyn Any + Send + Sync>,
}

type Templates = Mutex<HashMap<String, Arc<OnceLock<Template>>>>;

impl Sandbox {
    /// Begins a new sandbox with what `make` makes, which is called once for each place in the code that begins like this
    /// with equal `given`. In a sandbox in which something was done already, it is simply called.
    #[track_caller]
    pub(crate) fn begin<T: Begun>(&self, given: &(impl Debug + ?Sized), make: impl FnOnce(&Self) -> T) -> T {
        static ALL: OnceLock<Templates> = OnceLock::new();
        // Another start has later times, and so other commits.
        if !self.is_new() {
            return make(self);
        }
        let name = format!("{} {given:?}", Location::caller());
        let template =
            Arc::clone(ALL.get_or_init(Templates::default).lock().unwrap().entry(name).or_default());
        let Template { sandbox, made } = template.get_or_init(|| {
            let sandbox = Self::new_in(folder());
            let made = Box::new(make(&sandbox));
            Template { sandbox, made }
        });
        copy(sandbox.root(), self.root(), (sandbox.root(), self.root()));
        self.advance(sandbox.now() - START);
        made.downcast_ref::<T>().unwrap().moved(sandbox, self)
    }
}

/// What a beginning returns.
pub(crate) trait Begun: Any + Send + Sync {
    /// The same in a copy of a sandbox.
    fn moved(&self, from: &Sandbox, to: &Sandbox) -> Self;
}

impl Begun for () {
    fn moved(&self, _: &Sandbox, _: &Sandbox) {}
}

impl Begun for String {
    fn moved(&self, from: &Sandbox, to: &Sandbox) -> Self {
        self.replace(from.root().to_str().unwrap(), to.root().to_str().unwrap())
    }
}

impl Begun for Claim {
    fn moved(&self, _: &Sandbox, _: &Sandbox) -> Self {
        self.clone()
    }
}

impl<A: Begun, B: Begun> Begun for (A, B) {
    fn moved(&self, from: &Sandbox, to: &Sandbox) -> Self {
        (self.0.moved(from, to), self.1.moved(from, to))
    }
}

/// The directory of the templates of this process. Those of processes that ended are removed.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<(PathBuf, File)> = OnceLock::new();
    let (folder, _) = FOLDER.get_or_init(|| {
        let all = std::env::temp_dir();
        for old in all.read_dir().unwrap().flatten() {
            let lock = File::open(old.path().join("lock"));
            let is_ours = old.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
            if is_ours && lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                let _ = fs::remove_dir_all(old.path());
            }
        }
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(all).unwrap().keep();
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
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy(&from, &to, path);
        } else if kind.is_symlink() {
            let target = from.read_link().unwrap();
            let inside = target.strip_prefix(path.0).map(|inside| path.1.join(inside));
            std::os::unix::fs::symlink(inside.unwrap_or(target), to).unwrap();
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
