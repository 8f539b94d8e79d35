//! The environment in which a front end was started. The layers below are given its variables and read none
//! themselves.

use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::Withheld;

/// Variables by name. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    variables: Arc<[(OsString, OsString)]>,
    /// Shared with all clones.
    withheld: Arc<OnceLock<Withheld>>,
    /// Set once the work was cancelled.
    stop: Option<Arc<AtomicBool>>,
    /// Shared with all clones.
    interrupted: Arc<OnceLock<StopCheck>>,
}

/// Whether someone wants the work to end now.
struct StopCheck(Box<dyn Fn() -> bool + Send + Sync>);

impl std::fmt::Debug for StopCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StopCheck")
    }
}

impl Environment {
    /// Takes variables as [`std::env::vars_os`] lists them.
    pub(crate) fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self { variables: variables.into_iter().collect(), ..Self::default() }
    }

    /// From now on, git sees only some variables wherever this environment, or a clone of it, is used. The first choice stays.
    pub(crate) fn withhold(&self, withheld: Withheld) {
        let _ = self.withheld.set(withheld);
    }

    /// A copy with which git stops waiting for a remote once `flag` is set.
    pub(crate) fn stopped_by(&self, flag: Arc<AtomicBool>) -> Self {
        Self { stop: Some(flag), ..self.clone() }
    }

    /// From now on, neither this program nor a transfer of git waits any longer once `is_over` returns true, wherever this
    /// environment, or a clone of it, is used: the code that catches the signals that would end it says so. The first check stays.
    pub(crate) fn interrupted_by(&self, is_over: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.interrupted.set(StopCheck(Box::new(is_over)));
    }

    /// A copy whose work ends as well once `is_over` returns true.
    pub(crate) fn also_interrupted_by(&self, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let outer = self.clone();
        let check = StopCheck(Box::new(move || is_over() || outer.is_stopped()));
        Self { interrupted: Arc::new(OnceLock::from(check)), ..self.clone() }
    }

    /// Whether the work was cancelled or interrupted.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.interrupted.get().is_some_and(|check| check.0())
    }

    /// Whether the work can be cancelled or interrupted without ending this program.
    pub(crate) fn can_be_stopped(&self) -> bool {
        self.stop.is_some() || self.interrupted.get().is_some()
    }

    /// A check whether git should be ended because the work was cancelled or interrupted; `None` if that ends this
    /// program as well.
    pub(super) fn stop(&self) -> Option<impl Fn() -> bool> {
        self.can_be_stopped().then_some(|| self.is_stopped())
    }

    /// Whether git may ask for a password on the terminal: work that is cancelled by a flag has none.
    pub(super) fn may_ask(&self) -> bool {
        self.stop.is_none()
    }

    /// The variables that git sees; `None` if it works like the user's own git.
    pub(super) fn withheld(&self) -> Option<&Withheld> {
        self.withheld.get()
    }

    /// The value of a variable that is set, even if it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }

    /// The value of a variable that is set and not empty.
    pub(crate) fn filled(&self, name: &str) -> Option<&OsStr> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// The absolute path in a variable; a relative one would depend on the current directory.
    pub(crate) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The directory for what programs remember about this user; `None` if neither `XDG_STATE_HOME` nor `HOME` is set.
    pub(crate) fn state_home(&self) -> Option<PathBuf> {
        self.folder("XDG_STATE_HOME").or_else(|| Some(self.folder("HOME")?.join(".local/state")))
    }

    /// The directory for temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder(if cfg!(windows) { "TEMP" } else { "TMPDIR" }).unwrap_or_else(|| "/tmp".into())
    }
}

impl Deref for Environment {
    type Target = [(OsString, OsString)];

    fn deref(&self) -> &Self::Target {
        &self.variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_is_set_to_nothing() {
        let variables = [("EMPTY", ""), ("HOME", "/home/ada"), ("HERE", "here")];
        let known = Environment::new(variables.map(|(name, value)| (name.into(), value.into())));
        assert_eq!((known.get("EMPTY"), known.filled("EMPTY")), (Some(OsStr::new("")), None));
        assert_eq!(known.folder("HOME"), Some("/home/ada".into()));
        assert_eq!((known.folder("HERE"), known.folder("NONE"), known.get("NONE")), (None, None, None));
        if cfg!(unix) {
            assert_eq!(known.temporary(), PathBuf::from("/tmp"));
            assert_eq!(
                Environment::new([("TMPDIR".into(), "/mnt".into())]).temporary(),
                PathBuf::from("/mnt")
            );
        }
    }
}
